#!/usr/bin/env python3
"""A small OAuth 2.0 / OpenID Connect server for tests and the demo. Loopback only, standard library only.

It speaks discovery (OIDC and RFC 8414), the device flow (RFC 8628), authorization codes with PKCE for loopback
redirects (RFC 7636, 8252, 9207; consent is given at once), client credentials, refresh tokens that rotate,
with reuse detection that revokes the whole family (RFC 9700 section 4.14.2) and an optional reuse window in
which the same pair is given again, introspection (RFC 7662), revocation (RFC 7009), userinfo, and ID tokens
signed with ES256 or RS256. Its first line of output is `listening http://127.0.0.1:PORT`; SIGTERM ends it.

The issuer is the address the caller used (the Host header), so a proxy in front of it just works.

Test endpoints, all under /test/ (form or JSON bodies; answers are JSON):
  POST approve   user_code (default: all pending), user (default: alice), ok=0 denies  a person's answer
  POST grant     client_id, user, scope          a token answer at once, without the device flow
  POST settings  any of the settings below       changes them; GET shows them
  POST revoke    user (default: everyone)        ends sessions, as an administrator would
  GET  log       every token request: grant, client, sha256 of the token that was sent, status, error;
                 `spends`: how often each refresh token (by sha256) reached this server;
                 `userinfo`: how many calls of userinfo were answered, `jwks`: how often the keys were fetched;
                 `revoked`: sha256 of the tokens that were revoked, in order; `audience`: of the last client assertion
  POST rotate-keys                               signs with new keys from now on, and forgets the old ones
  POST forget                                    empties the log
"""
import argparse
import base64
import hashlib
import html
import json
import os
import secrets
import signal
import ssl
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from signing import EllipticKey, Keys, base64url, claims_with

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
BODY_LIMIT = 64 * 1024
# A space and a percent sign show whether a client encodes its secret before it puts it into a header.
CLIENTS = {
    "nightlatch": None, "nightlatch-demo": None, "nightlatch-confidential": "loopback-secret",
    "nightlatch odd": "p%ss:w rd+",
}
# Clients that sign an assertion (RFC 7523), with their public keys on P-256; `nightlatch-tls` shows a certificate.
CLIENT_KEYS = {
    "nightlatch-jwt": ("Olqac-MfQOiyJ014HRqAYiXR9RdF-W_IRBuX095izzQ", "YT9MOOad_NMqVXOzXF8j9GQNoxZ8PENt8nXtyP6U_QQ"),
}
CERTIFICATE_CLIENTS = {"nightlatch-tls"}
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SERVICES = {"nightlatch-confidential"}  # may use client credentials
PEOPLE = {"alice": "Alice Example", "bob": "Bob Example"}
SETTINGS = {
    "access_lifetime": 300,  # seconds
    "refresh_lifetime": 86400,
    "reuse_window": 0,  # seconds in which a spent refresh token is answered with the same pair
    "rotate": True,
    "device_interval": 1,  # seconds between polls; faster ones get slow_down
    "device_lifetime": 600,
    "id_token": True,
    "id_token_alg": "ES256",  # or RS256
    "id_token_fault": "",  # what is wrong with ID tokens: see signing.py
    "consent": True,  # what the person at the authorization endpoint says
    "browser_user": "alice",  # and who that is
    "response_iss": True,  # whether the authorization response names the issuer (RFC 9207)
    "revocation_failures": 0,  # how many revocations are answered with 503 before one succeeds
    "slow_downs": 0,  # how many polls of the device flow are told to slow down, whatever their pace
    "expires_in": True,  # whether token answers say how long they live
}


class Refused(Exception):
    """An OAuth error answer (RFC 6749 section 5.2)."""

    def __init__(self, error, description="", status=400):
        super().__init__(error)
        self.status = status
        self.body = {"error": error, "error_description": description or error}


class Redirect:
    """An answer that sends the browser elsewhere."""

    def __init__(self, url, parameters):
        self.url = url + ("&" if "?" in url else "?") + urllib.parse.urlencode(parameters)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Sessions:
    """Everything the server remembers. Callers hold `lock`; `save` makes it outlive a restart."""

    KEPT = (
        "settings", "families", "refresh", "access", "devices", "codes", "requests", "userinfo", "jwks", "revoked",
    )

    def __init__(self, path, settings):
        self.lock = threading.Lock()
        self.path = path
        self.settings = settings
        self.families, self.refresh, self.access, self.devices, self.codes = {}, {}, {}, {}, {}
        self.requests, self.userinfo, self.jwks, self.revoked = [], 0, 0, []
        self.assertions, self.audience = set(), None
        self.keys = Keys()
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            self.keys = Keys(kept.pop("keys"))
            self.__dict__.update(kept)
            self.settings = {**self.settings, **settings}

    def save(self):
        if not self.path:
            return
        kept = {name: getattr(self, name) for name in self.KEPT} | {"keys": self.keys.kept()}
        descriptor = os.open(self.path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(self.path + ".new", self.path)

    # Tokens.

    def begin_family(self, client, user, scope, nonce=None):
        family = secrets.token_hex(8)
        self.families[family] = {
            "client": client, "user": user, "scope": scope, "auth_time": int(time.time()), "ended": False,
            "nonce": nonce,
        }
        return family

    def issue(self, family, issuer, refresh_token=None):
        """A token answer for the family; keeps `refresh_token` when one is given."""
        owner, now = self.families[family], time.time()
        access = "at_" + secrets.token_urlsafe(24)
        self.access[access] = {
            "family": family, "issued": now, "expires": now + self.settings["access_lifetime"], "ended": False,
        }
        if refresh_token is None:
            refresh_token = "rt_" + secrets.token_urlsafe(32)
            self.refresh[refresh_token] = {
                "family": family, "expires": now + self.settings["refresh_lifetime"], "spent": None,
            }
        answer = {
            "access_token": access, "token_type": "Bearer", "scope": owner["scope"],
            "refresh_token": refresh_token,
        }
        if self.settings["id_token"] and "openid" in owner["scope"].split():
            answer["id_token"] = self.id_token(owner, issuer, now)
        return self.with_lifetime(answer)

    def id_token(self, owner, issuer, now):
        user, fault = owner["user"], self.settings["id_token_fault"]
        claims = {
            "iss": issuer, "sub": user, "aud": owner["client"], "iat": int(now), "exp": int(now) + 3600,
            "auth_time": owner["auth_time"], "name": PEOPLE.get(user, user), "preferred_username": user,
            "email": user + "@example.com",
        }
        if owner["nonce"]:
            claims["nonce"] = owner["nonce"]
        return self.keys.token(claims_with(fault, claims), self.settings["id_token_alg"], fault)

    def with_lifetime(self, answer):
        if self.settings["expires_in"]:
            left = self.access[answer["access_token"]]["expires"] - time.time()
            answer = answer | {"expires_in": max(0, int(left + 0.5))}
        return answer

    def spend(self, token, client, scope, issuer):
        """The refresh grant: RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2."""
        entry = self.refresh.get(token)
        if not entry or self.families[entry["family"]]["client"] != client:
            raise Refused("invalid_grant", "unknown refresh token")
        family = self.families[entry["family"]]
        if family["ended"]:
            raise Refused("invalid_grant", "the session has ended")
        if time.time() > entry["expires"]:
            raise Refused("invalid_grant", "the refresh token has expired")
        if scope and not set(scope.split()) <= set(family["scope"].split()):
            raise Refused("invalid_scope", "beyond what was granted")
        if entry["spent"]:
            return self.spent_again(entry)
        if not self.settings["rotate"]:
            return self.issue(entry["family"], issuer, refresh_token=token)
        answer = self.issue(entry["family"], issuer)
        entry["spent"] = {"at": time.time(), "answer": answer}
        return answer

    def spent_again(self, entry):
        answer = entry["spent"]["answer"]
        in_window = time.time() - entry["spent"]["at"] < self.settings["reuse_window"]
        successor = self.refresh.get(answer["refresh_token"])
        if in_window and successor and not successor["spent"]:
            return self.with_lifetime(answer)
        self.end_family(entry["family"])
        raise Refused("invalid_grant", "refresh token used twice: the session has been revoked")

    def end_family(self, family):
        self.families[family]["ended"] = True

    def is_active(self, token):
        entry = self.access.get(token) or self.refresh.get(token)
        return bool(
            entry and not entry.get("ended") and not entry.get("spent") and time.time() < entry["expires"]
            and not self.families[entry["family"]]["ended"]
        )

    # Authorization codes (RFC 6749 section 4.1) with PKCE (RFC 7636), for programs on the same machine (RFC 8252).

    def begin_code(self, form):
        code = "code_" + secrets.token_urlsafe(24)
        self.codes[code] = {
            "client": form["client_id"], "redirect_uri": form["redirect_uri"], "challenge": form["code_challenge"],
            "nonce": form.get("nonce"), "scope": form.get("scope", "openid"), "expires": time.time() + 60,
            "user": self.settings["browser_user"], "family": None,
        }
        return code

    def redeem(self, form, client, issuer):
        entry = self.codes.get(form.get("code"))
        if not entry or entry["client"] != client or time.time() > entry["expires"]:
            raise Refused("invalid_grant", "unknown or expired code")
        if entry["family"]:
            self.end_family(entry["family"])
            raise Refused("invalid_grant", "code used twice: the session has been revoked")
        if form.get("redirect_uri") != entry["redirect_uri"]:
            raise Refused("invalid_grant", "another redirect_uri")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64url(digest) != entry["challenge"]:
            raise Refused("invalid_grant", "the code verifier does not fit")
        entry["family"] = self.begin_family(client, entry["user"], entry["scope"], entry["nonce"])
        return self.issue(entry["family"], issuer)

    # A program that acts for itself (RFC 6749 section 4.4): no person, no refresh token.

    def issue_to_client(self, client, scope, issuer):
        if client not in SERVICES:
            raise Refused("unauthorized_client", "this client can't have tokens of its own")
        answer = self.issue(self.begin_family(client, client, scope or "reports"), issuer)
        del self.refresh[answer.pop("refresh_token")]
        answer.pop("id_token", None)
        return answer

    # The device flow.

    def begin_device(self, client, scope, issuer):
        code = secrets.token_urlsafe(24)
        letters = "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8))
        user_code = letters[:4] + "-" + letters[4:]
        interval, lifetime = self.settings["device_interval"], self.settings["device_lifetime"]
        self.devices[code] = {
            "user_code": user_code, "client": client, "scope": scope, "expires": time.time() + lifetime,
            "interval": interval, "polled": 0, "status": "pending", "user": None,
        }
        return {
            "device_code": code, "user_code": user_code, "expires_in": lifetime, "interval": interval,
            "verification_uri": issuer + "/device",
            "verification_uri_complete": issuer + "/device?user_code=" + user_code,
        }

    def poll_device(self, code, client, issuer):
        device = self.devices.get(code)
        if not device or device["client"] != client or device["status"] == "used":
            raise Refused("invalid_grant", "unknown device code")
        if time.time() > device["expires"]:
            raise Refused("expired_token", "nobody answered in time")
        if device["status"] == "denied":
            raise Refused("access_denied", "the person said no")
        elapsed, device["polled"] = time.time() - device["polled"], time.time()
        # A tenth of a second is forgiven: the client's clock starts when it has read the last answer.
        if self.settings["slow_downs"] > 0:
            self.settings["slow_downs"] -= 1
            raise Refused("slow_down", "busy")
        if elapsed < device["interval"] - 0.1:
            device["interval"] += 5  # RFC 8628 section 3.5
            raise Refused("slow_down", "polled too soon")
        if device["status"] == "pending":
            raise Refused("authorization_pending", "nobody has answered yet")
        device["status"] = "used"
        return self.issue(self.begin_family(client, device["user"], device["scope"]), issuer)

    def answer_devices(self, user_code, user, approved):
        """Answers the device with that code, or all pending ones; returns how many."""
        wanted = (user_code or "").replace("-", "").upper()
        answered = [
            device for device in self.devices.values()
            if device["status"] == "pending" and wanted in ("", device["user_code"].replace("-", ""))
        ]
        for device in answered:
            device.update(status="approved" if approved else "denied", user=user)
        return len(answered)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "nightlatch-test-idp"
    sessions: Sessions

    def log_message(self, *_):
        pass

    # Reading requests and writing answers.

    @property
    def issuer(self):
        scheme = "https://" if isinstance(self.connection, ssl.SSLSocket) else "http://"
        return scheme + self.headers.get("Host", "127.0.0.1:%d" % self.server.server_port)

    def answer(self, body, status=200, kind="application/json", headers=()):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", len(data)), ("Cache-Control", "no-store"), *headers):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def read_form(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_LIMIT:
            self.close_connection = True
            raise Refused("invalid_request", "body too large", 413)
        text = self.rfile.read(length).decode()
        if "json" in self.headers.get("Content-Type", ""):
            return json.loads(text or "{}")
        return dict(urllib.parse.parse_qsl(text, keep_blank_values=True))

    def client(self, form, needs_secret=False):
        """The authenticated client (RFC 6749 section 2.3.1)."""
        name, secret = form.get("client_id"), form.get("client_secret")
        if name in CLIENT_KEYS:
            return self.asserted(name, form)
        if name in CERTIFICATE_CLIENTS:
            return self.certified(name)
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            pair = base64.b64decode(value).decode().partition(":")
            name, secret = (urllib.parse.unquote_plus(part) for part in (pair[0], pair[2]))
        if name not in CLIENTS or CLIENTS[name] != secret or (needs_secret and secret is None):
            raise Refused("invalid_client", "unknown client or wrong secret", 401)
        return name

    def asserted(self, name, form):
        """RFC 7523 section 3: issued by and about the client, for us, once, and soon over."""
        claims, seen = None, self.sessions.assertions
        if form.get("client_assertion_type") == ASSERTION:
            claims = EllipticKey().verify(form.get("client_assertion", ".."), CLIENT_KEYS[name])
        path = self.path.partition("?")[0]
        if (
            not claims or (claims["iss"], claims["sub"]) != (name, name) or claims["jti"] in seen
            or claims["aud"] not in (self.issuer, self.issuer + path) or not 0 < claims["exp"] - time.time() < 300
        ):
            raise Refused("invalid_client", "no good assertion", 401)
        seen.add(claims["jti"])
        self.sessions.audience = claims["aud"]
        return name

    def certified(self, name):
        """RFC 8705 section 2.1: the certificate names the client."""
        peer = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else None
        subject = {key: value for part in (peer or {}).get("subject", ()) for key, value in part}
        if subject.get("commonName") != name:
            raise Refused("invalid_client", "no certificate of this client", 401)
        return name

    def do_GET(self):
        self.route(self.GET, urllib.parse.urlsplit(self.path))

    def do_POST(self):
        self.route(self.POST, urllib.parse.urlsplit(self.path))

    def route(self, table, url):
        """Runs the path's endpoint: one at a time, and on disk before the answer leaves."""
        endpoint = table.get(url.path.rstrip("/") or "/")
        extra = ()
        try:
            if not endpoint:
                raise Refused("not_found", url.path, 404)
            form = dict(urllib.parse.parse_qsl(url.query)) if table is self.GET else self.read_form()
            with self.sessions.lock:
                try:
                    body, status = endpoint(self, form), 200
                finally:
                    self.sessions.save()
        except Refused as refused:
            body, status = refused.body, refused.status
            if status == 401:
                extra = (("WWW-Authenticate", 'Basic realm="idp"'),)
        except ValueError:
            body, status = {"error": "invalid_request", "error_description": "malformed body"}, 400
        if isinstance(body, Redirect):
            body, status, extra = "", 302, (("Location", body.url),)
        kind = "text/html; charset=utf-8" if isinstance(body, str) else "application/json"
        self.answer(body, status, kind, extra)

    # The protocol's endpoints.

    def metadata(self, _):
        base = self.issuer
        return {
            "issuer": base,
            "authorization_endpoint": base + "/authorize",
            "token_endpoint": base + "/token",
            "device_authorization_endpoint": base + "/device_authorization",
            "introspection_endpoint": base + "/introspect",
            "revocation_endpoint": base + "/revoke",
            "userinfo_endpoint": base + "/userinfo",
            "jwks_uri": base + "/jwks.json",
            "grant_types_supported": [DEVICE_GRANT, "authorization_code", "client_credentials", "refresh_token"],
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": self.sessions.settings["response_iss"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256", "RS256"],
            "scopes_supported": ["openid", "offline_access", "profile"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        }

    def jwks(self, _):
        self.sessions.jwks += 1
        return self.sessions.keys.jwks(self.sessions.settings["id_token_alg"])

    def authorize(self, form):
        """Answers for the person at once. A request that can't be trusted is never redirected (section 4.1.2.1)."""
        redirect, state = form.get("redirect_uri", ""), form.get("state")
        target = urllib.parse.urlsplit(redirect)
        if form.get("client_id") not in CLIENTS:
            raise Refused("invalid_request", "unknown client")
        if target.scheme != "http" or target.hostname not in ("127.0.0.1", "::1") or target.fragment:
            raise Refused("invalid_request", "not a loopback redirect")
        answer = {"state": state} if state else {}
        if self.sessions.settings["response_iss"]:
            answer["iss"] = self.issuer
        if form.get("response_type") != "code":
            return Redirect(redirect, answer | {"error": "unsupported_response_type"})
        if form.get("code_challenge_method") != "S256" or len(form.get("code_challenge", "")) != 43:
            return Redirect(redirect, answer | {"error": "invalid_request", "error_description": "PKCE is required"})
        if not self.sessions.settings["consent"]:
            return Redirect(redirect, answer | {"error": "access_denied", "error_description": "the person said no"})
        return Redirect(redirect, {"code": self.sessions.begin_code(form)} | answer)

    def device_authorization(self, form):
        return self.sessions.begin_device(self.client(form), form.get("scope", "openid"), self.issuer)

    def token(self, form):
        sent = form.get("refresh_token") or form.get("device_code") or form.get("code") or ""
        entry = {
            "at": time.time(), "grant": form.get("grant_type", ""), "client": form.get("client_id", ""),
            "token_sha256": sha256(sent), "status": 200, "error": None,
        }
        self.sessions.requests.append(entry)
        try:
            client = entry["client"] = self.client(form)
            if entry["grant"] == "refresh_token":
                return self.sessions.spend(sent, client, form.get("scope"), self.issuer)
            if entry["grant"] == DEVICE_GRANT:
                return self.sessions.poll_device(sent, client, self.issuer)
            if entry["grant"] == "authorization_code":
                return self.sessions.redeem(form, client, self.issuer)
            if entry["grant"] == "client_credentials":
                return self.sessions.issue_to_client(client, form.get("scope"), self.issuer)
            raise Refused("unsupported_grant_type", entry["grant"])
        except Refused as refused:
            entry.update(status=refused.status, error=refused.body["error"])
            raise

    def introspect(self, form):
        client, token, sessions = self.client(form, needs_secret=True), form.get("token", ""), self.sessions
        if not sessions.is_active(token):
            return {"active": False}
        entry = sessions.access.get(token) or sessions.refresh[token]
        family = sessions.families[entry["family"]]
        kind = "access_token" if token in sessions.access else "refresh_token"
        if kind == "refresh_token" and family["client"] != client:
            return {"active": False}
        return {
            "active": True, "token_type": kind, "client_id": family["client"], "sub": family["user"],
            "scope": family["scope"], "exp": int(entry["expires"]),
        }

    def revoke(self, form):
        self.client(form)
        token = form.get("token", "")
        if self.sessions.settings["revocation_failures"] > 0:
            self.sessions.settings["revocation_failures"] -= 1
            raise Refused("temporarily_unavailable", "later", 503)
        self.sessions.revoked.append(sha256(token))
        if token in self.sessions.refresh:
            self.sessions.end_family(self.sessions.refresh[token]["family"])
        elif token in self.sessions.access:
            self.sessions.access[token]["ended"] = True
        return {}

    def userinfo(self, _):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or token not in self.sessions.access or not self.sessions.is_active(token):
            raise Refused("invalid_token", "the access token is unknown, expired or revoked", 401)
        user = self.sessions.families[self.sessions.access[token]["family"]]["user"]
        self.sessions.userinfo += 1
        return {"sub": user, "name": PEOPLE.get(user, user)}

    def device_page(self, form):
        code = html.escape(form.get("user_code", ""))
        return (
            "<!doctype html><title>Connect a device</title><h1>Connect a device?</h1>"
            '<form method="post"><label>Code <input name="user_code" value="%s"></label> '
            '<button name="ok" value="1">Yes, it is me</button> <button name="ok" value="0">No</button></form>' % code
        )

    def device_answer(self, form):
        found = bool(form.get("user_code")) and self.approve(form)["answered"]
        text = "Thank you. You can close this page." if found else "No device waits with this code."
        return "<!doctype html><title>Connect a device</title><p>%s</p>" % text

    # The test endpoints.

    def approve(self, form):
        approved = str(form.get("ok", "1")) == "1"
        return {"answered": self.sessions.answer_devices(form.get("user_code"), form.get("user", "alice"), approved)}

    def grant(self, form):
        scope = form.get("scope", "openid offline_access")
        family = self.sessions.begin_family(form.get("client_id", "nightlatch"), form.get("user", "alice"), scope)
        return self.sessions.issue(family, self.issuer)

    def show_settings(self, _):
        return self.sessions.settings

    def change_settings(self, form):
        for name, value in form.items():
            if name not in SETTINGS:
                raise Refused("invalid_request", "no setting " + name)
            is_json = isinstance(value, str) and not isinstance(SETTINGS[name], str)
            self.sessions.settings[name] = json.loads(value) if is_json else value
        return self.sessions.settings

    def revoke_sessions(self, form):
        wanted = form.get("user")
        ended = [name for name, family in self.sessions.families.items() if wanted in (None, family["user"])]
        for name in ended:
            self.sessions.end_family(name)
        return {"ended": len(ended)}

    def rotate_keys(self, _):
        self.sessions.keys.rotate()
        return {}

    def show_log(self, _):
        spends = {}
        for entry in self.sessions.requests:
            if entry["grant"] == "refresh_token":
                spends[entry["token_sha256"]] = spends.get(entry["token_sha256"], 0) + 1
        return {
            "requests": self.sessions.requests, "spends": spends, "userinfo": self.sessions.userinfo,
            "jwks": self.sessions.jwks, "revoked": self.sessions.revoked, "audience": self.sessions.audience,
        }

    def forget_log(self, _):
        self.sessions.requests.clear()
        self.sessions.revoked.clear()
        self.sessions.userinfo = self.sessions.jwks = 0
        return {}

    GET = {
        "/.well-known/openid-configuration": metadata, "/.well-known/oauth-authorization-server": metadata,
        "/authorize": authorize, "/jwks.json": jwks, "/userinfo": userinfo, "/device": device_page,
        "/test/settings": show_settings, "/test/log": show_log,
    }
    POST = {
        "/device_authorization": device_authorization, "/token": token, "/introspect": introspect,
        "/revoke": revoke, "/userinfo": userinfo, "/device": device_answer,
        "/test/approve": approve, "/test/grant": grant, "/test/settings": change_settings,
        "/test/revoke": revoke_sessions, "/test/forget": forget_log,
        "/test/rotate-keys": rotate_keys,
    }


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


def serve(handler, port=0, until_eof=False, tls=None):
    """Serves until it is told to end. `tls`: a folder with ca.pem, server.pem and server.key; clients may show a
    certificate of the same authority."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    server = Server(("127.0.0.1", port), handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls + "/server.pem", tls + "/server.key")
        context.load_verify_locations(tls + "/ca.pem")
        context.verify_mode = ssl.CERT_OPTIONAL
        server.socket = context.wrap_socket(server.socket, server_side=True)
    if until_eof:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    print("listening %s://127.0.0.1:%d" % ("https" if tls else "http", server.server_port), flush=True)
    server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--state", metavar="FILE", help="keep sessions here, so that a restart forgets nothing")
    parser.add_argument("--tls", metavar="DIR", help="speak TLS with ca.pem, server.pem and server.key of this folder")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input is closed")
    for name, default in SETTINGS.items():
        kind = json.loads if isinstance(default, bool) else type(default) if isinstance(default, str) else float
        parser.add_argument("--" + name.replace("_", "-"), type=kind, metavar="VALUE", help="default: %s" % json.dumps(default))
    options = vars(parser.parse_args())
    chosen = {name: options[name] for name in SETTINGS if options[name] is not None}
    Handler.sessions = Sessions(options["state"], {**SETTINGS, **chosen})
    serve(Handler, options["port"], options["until_eof"], options["tls"])


if __name__ == "__main__":
    main()
