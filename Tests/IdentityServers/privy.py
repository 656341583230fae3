#!/usr/bin/env python3
"""A small server that speaks Privy's session endpoint, for tests. Loopback only, standard library only.

It follows what Privy's SDKs send and expect: JSON in, an envelope out whose `session_update_action` says what to do with
the rest; ES256 access tokens of one hour; refresh tokens that work once and live for 30 days. Its first line of output is
`listening http://127.0.0.1:PORT`; SIGTERM ends it.

  POST /api/v1/sessions   {"refresh_token"}, with Authorization: Bearer (an access token of the session),
                          privy-app-id, privy-client-id and privy-ca-id; Origin where one is set

Test endpoints (JSON or form bodies, settings in JSON; answers are JSON):
  POST /test/grant     user (default: alice)    the envelope of a new session
  POST /test/settings  any of the settings below
  POST /test/revoke                             ends every session
  GET  /test/log       every request: action, sha256 of the token that was sent, status, headers
"""
import json
import secrets
import sys
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler

import idp
import signing

APP, CLIENT = "app-nightlatch", "client-nightlatch"
SETTINGS = {
    "access_lifetime": 3600,  # seconds
    "refresh_lifetime": 30 * 86400,
    "action": "set",  # or "ignore": mint nothing; "clear": end the session
    "cookies": False,  # HttpOnly cookies: the body's refresh token is the word "deprecated"
    "null": [],  # members that are null in the next answers
    "origin": None,  # what the Origin header has to be
    "check_bearer": True,
}


class Sessions:
    def __init__(self, settings):
        self.lock = idp.threading.Lock()
        self.settings = settings
        self.key = signing.EllipticKey()
        self.refresh, self.bearers, self.requests = {}, {}, []

    def user(self, name):
        return {
            "id": "did:privy:" + name, "created_at": 1700000000,
            "linked_accounts": [
                {"type": "email", "address": name + "@example.com", "verified_at": 1700000000},
                {"type": "wallet", "address": "0x71C7656EC7ab88b098defB751B7401B5f6d8976F", "chain_type": "ethereum"},
                {"type": "farcaster", "fid": 4823},
            ],
        }

    def token(self, user, audience, lifetime):
        now = int(time.time())
        return self.key.jwt({
            "iss": "privy.io", "sub": "did:privy:" + user, "aud": audience, "sid": secrets.token_hex(8), "iat": now,
            "exp": now + int(lifetime),
        })

    def issue(self, user, action="set"):
        lifetime = self.settings["access_lifetime"]
        answer = {
            "user": self.user(user), "token": self.token(user, APP, lifetime),
            "privy_access_token": self.token(user, "auth.privy.io", lifetime), "refresh_token": secrets.token_urlsafe(32),
            "identity_token": None, "session_update_action": action, "is_new_user": False,
        }
        for name in ("token", "privy_access_token"):
            self.bearers[answer[name]] = user
        self.refresh[answer["refresh_token"]] = {
            "user": user, "expires": time.time() + self.settings["refresh_lifetime"], "spent": False,
        }
        if self.settings["cookies"]:
            answer["refresh_token"] = "deprecated"
        return answer

    def spend(self, token, headers):
        """One refresh; raises `idp.Refused`."""
        if headers.get("privy-app-id") != APP:
            raise idp.Refused("Invalid app ID", status=400)
        if headers.get("privy-client-id") != CLIENT or not headers.get("privy-ca-id"):
            raise idp.Refused("Invalid auth token", status=400)
        if self.settings["origin"] and headers.get("Origin") != self.settings["origin"]:
            raise idp.Refused("Origin not allowed", status=403)
        bearer = headers.get("Authorization", "").removeprefix("Bearer ")
        if self.settings["check_bearer"] and bearer not in self.bearers:
            raise idp.Refused("missing_or_invalid_token", status=400)
        entry = self.refresh.get(token)
        if not entry or entry["spent"] or time.time() > entry["expires"]:
            raise idp.Refused("Invalid auth token", status=401)
        action = self.settings["action"]
        if action == "ignore":
            answer = {
                "user": self.user(entry["user"]), "token": None, "privy_access_token": None, "refresh_token": None,
                "session_update_action": "ignore",
            }
        else:
            entry["spent"] = True
            answer = self.issue(entry["user"], action)
        for name in self.settings["null"]:
            answer[name] = None
        return answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions: Sessions

    def log_message(self, *_):
        pass

    def answer(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", len(data))):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def read_form(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if text.startswith("{"):
            return json.loads(text)
        return dict(urllib.parse.parse_qsl(text))

    def do_GET(self):
        with self.sessions.lock:
            self.answer({"requests": self.sessions.requests} if self.path == "/test/log" else {})

    def do_POST(self):
        with self.sessions.lock:
            try:
                status, body = 200, self.endpoint(self.read_form())
            except idp.Refused as refused:
                # A sentence for people, and a code where there is one.
                error = refused.body["error"]
                status, body = refused.status, {"error": error} | ({"code": error} if " " not in error else {})
            self.answer(body, status)

    def endpoint(self, form):
        sessions = self.sessions
        if self.path == "/api/v1/sessions":
            return self.session(form)
        if self.path == "/test/grant":
            return sessions.issue(form.get("user", "alice"))
        if self.path == "/test/settings":
            sessions.settings.update(form)
            return sessions.settings
        if self.path == "/test/revoke":
            sessions.refresh.clear()
            return {}
        raise idp.Refused("not_found", status=404)

    def session(self, form):
        kept = ("authorization", "origin", "content-type")
        headers = {
            name.lower(): value for name, value in self.headers.items()
            if name.lower() in kept or name.lower().startswith("privy-") or name.lower().startswith("x-native")
        }
        headers["authorization"] = idp.sha256(headers.get("authorization", "").removeprefix("Bearer "))
        token = form.get("refresh_token") or ""
        entry = {"grant": "refresh_token", "token_sha256": idp.sha256(token), "status": 200, "headers": headers}
        self.sessions.requests.append(entry)
        try:
            return self.sessions.spend(token, self.headers)
        except idp.Refused as refused:
            entry["status"] = refused.status
            raise


if __name__ == "__main__":
    Handler.sessions = Sessions(dict(SETTINGS))
    idp.serve(Handler, until_eof="--until-eof" in sys.argv)
