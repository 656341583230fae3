#!/usr/bin/env python3
"""Tests of the test servers themselves: a wrong double would make every other test worthless."""
import base64
import hashlib
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import idp
import signing

HERE = os.path.dirname(os.path.abspath(__file__))
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Program:
    """One server program, running; `base` is its address."""

    def __init__(self, name, *arguments):
        command = [sys.executable, os.path.join(HERE, name), "--until-eof", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[1]
        self.port = int(self.base.rpartition(":")[2])

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()
        return status

    def call(self, path, form=None, headers=None, as_json=None):
        """The status and the JSON body."""
        data = None if form is None else urllib.parse.urlencode(form).encode()
        headers = dict(headers or {})
        if as_json is not None:
            data, headers["Content-Type"] = json.dumps(as_json).encode(), "application/json"
        request = urllib.request.Request(self.base + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def refresh(self, token, **extra):
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": "nightlatch", **extra}
        return self.call("/token", form)

    def grant(self, **form):
        return self.call("/test/grant", form)[1]


class ServerTest(unittest.TestCase):
    def start(self, name, *arguments):
        program = Program(name, *arguments)
        self.addCleanup(lambda: program.process.poll() is None and program.end(signal.SIGKILL))
        return program

    def idp(self, *arguments):
        return self.start("idp.py", *arguments)


class DiscoveryTests(ServerTest):
    def test_both_documents_name_the_issuer_that_was_asked(self):
        idp = self.idp()
        for path in ("openid-configuration", "oauth-authorization-server"):
            status, document = idp.call("/.well-known/" + path)
            self.assertEqual((status, document["issuer"]), (200, idp.base))
            self.assertTrue(document["token_endpoint"].startswith(idp.base))

    def test_through_a_proxy_the_issuer_is_the_proxy(self):
        idp = self.idp()
        proxy = self.start("faultproxy.py", "--upstream", idp.port)
        self.assertEqual(proxy.call("/.well-known/openid-configuration")[1]["issuer"], proxy.base)

    def test_an_unknown_path_is_a_json_404(self):
        self.assertEqual(self.idp().call("/nowhere")[0], 404)


class DeviceFlowTests(ServerTest):
    def begin(self, idp):
        return idp.call("/device_authorization", {"client_id": "nightlatch", "scope": "openid offline_access"})[1]

    def poll(self, idp, device):
        return idp.call("/token", {
            "grant_type": DEVICE_GRANT, "device_code": device["device_code"], "client_id": "nightlatch"})

    def test_pending_then_approved_then_used_up(self):
        idp = self.idp("--device-interval", 0)
        device = self.begin(idp)
        self.assertEqual(self.poll(idp, device)[1]["error"], "authorization_pending")
        self.assertEqual(idp.call("/test/approve", {"user_code": device["user_code"]})[1], {"answered": 1})
        status, answer = self.poll(idp, device)
        self.assertEqual((status, answer["token_type"]), (200, "Bearer"))
        self.assertEqual(self.poll(idp, device)[1]["error"], "invalid_grant")

    def test_polling_too_fast_is_told_to_slow_down(self):
        idp = self.idp("--device-interval", 60)
        device = self.begin(idp)
        self.assertEqual(self.poll(idp, device)[1]["error"], "authorization_pending")
        self.assertEqual(self.poll(idp, device)[1]["error"], "slow_down")

    def test_a_denied_device_gets_access_denied(self):
        idp = self.idp("--device-interval", 0)
        device = self.begin(idp)
        idp.call("/test/approve", {"ok": "0"})
        self.assertEqual(self.poll(idp, device)[1]["error"], "access_denied")

    def test_an_expired_device_code_says_so(self):
        idp = self.idp("--device-lifetime", 0)
        self.assertEqual(self.poll(idp, self.begin(idp))[1]["error"], "expired_token")

    def test_the_page_for_people_approves(self):
        idp = self.idp("--device-interval", 0)
        device = self.begin(idp)
        form = urllib.parse.urlencode({"user_code": device["user_code"], "ok": "1"}).encode()
        with urllib.request.urlopen(idp.base + "/device", form) as page:
            self.assertIn(b"Thank you", page.read())
        self.assertEqual(self.poll(idp, device)[0], 200)

    def test_the_page_escapes_what_it_is_given(self):
        idp = self.idp()
        with urllib.request.urlopen(idp.base + "/device?user_code=%22%3E%3Cscript%3E") as page:
            self.assertNotIn(b"<script>", page.read())


class RefreshTests(ServerTest):
    def test_refresh_tokens_rotate(self):
        idp = self.idp()
        first = idp.grant()
        status, second = idp.refresh(first["refresh_token"])
        self.assertEqual(status, 200)
        self.assertNotEqual(second["refresh_token"], first["refresh_token"])
        self.assertEqual(idp.refresh(second["refresh_token"])[0], 200)

    def test_reuse_ends_the_whole_family(self):
        idp = self.idp()
        first = idp.grant()
        second = idp.refresh(first["refresh_token"])[1]
        self.assertEqual(idp.refresh(first["refresh_token"])[1]["error"], "invalid_grant")
        self.assertEqual(idp.refresh(second["refresh_token"])[1]["error"], "invalid_grant")
        bearer = {"Authorization": "Bearer " + second["access_token"]}
        self.assertEqual(idp.call("/userinfo", headers=bearer)[0], 401)

    def test_inside_the_window_the_same_pair_comes_again(self):
        idp = self.idp("--reuse-window", 60)
        first = idp.grant()
        second = idp.refresh(first["refresh_token"])[1]
        again = idp.refresh(first["refresh_token"])[1]
        self.assertEqual(again["refresh_token"], second["refresh_token"])
        self.assertEqual(again["access_token"], second["access_token"])

    def test_the_window_covers_only_the_token_before(self):
        idp = self.idp("--reuse-window", 60)
        first = idp.grant()
        second = idp.refresh(first["refresh_token"])[1]
        idp.refresh(second["refresh_token"])
        self.assertEqual(idp.refresh(first["refresh_token"])[1]["error"], "invalid_grant")

    def test_without_rotation_the_token_stays(self):
        idp = self.idp("--rotate", "false")
        first = idp.grant()
        self.assertEqual(idp.refresh(first["refresh_token"])[1]["refresh_token"], first["refresh_token"])

    def test_another_client_gets_nothing_and_harms_nothing(self):
        idp = self.idp()
        token = idp.grant()["refresh_token"]
        other = {"client_id": "nightlatch-confidential", "client_secret": "loopback-secret"}
        self.assertEqual(idp.refresh(token, **other)[1]["error"], "invalid_grant")
        self.assertEqual(idp.refresh(token)[0], 200)

    def test_a_scope_beyond_the_grant_spends_nothing(self):
        idp = self.idp()
        token = idp.grant()["refresh_token"]
        self.assertEqual(idp.refresh(token, scope="openid admin")[1]["error"], "invalid_scope")
        self.assertEqual(idp.refresh(token)[0], 200)

    def test_a_wrong_client_is_a_401(self):
        self.assertEqual(self.idp().refresh("x", client_id="nobody")[0], 401)

    def test_an_administrator_can_end_sessions(self):
        idp = self.idp()
        token = idp.grant()["refresh_token"]
        self.assertEqual(idp.call("/test/revoke", {})[1], {"ended": 1})
        self.assertEqual(idp.refresh(token)[1]["error"], "invalid_grant")

    def test_the_log_counts_spends_by_hash_and_holds_no_token(self):
        idp = self.idp()
        token = idp.grant()["refresh_token"]
        idp.refresh(token)
        idp.refresh(token)
        log = idp.call("/test/log")[1]
        self.assertEqual(log["spends"], {hashlib.sha256(token.encode()).hexdigest(): 2})
        self.assertNotIn(token, json.dumps(log))

    def test_malformed_json_is_a_400(self):
        request = urllib.request.Request(
            self.idp().base + "/test/settings", b"{", {"Content-Type": "application/json"})
        with self.assertRaises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(request)
        self.assertEqual(raised.exception.code, 400)
        raised.exception.close()


class TokenTests(ServerTest):
    SECRET = {"Authorization": "Basic " + base64.b64encode(b"nightlatch-confidential:loopback-secret").decode()}

    def test_userinfo_names_the_person(self):
        idp = self.idp()
        bearer = {"Authorization": "Bearer " + idp.grant(user="bob")["access_token"]}
        self.assertEqual(idp.call("/userinfo", headers=bearer), (200, {"sub": "bob", "name": "Bob Example"}))

    def test_an_expired_token_is_refused_and_inactive(self):
        idp = self.idp("--access-lifetime", 0)
        token = idp.grant()["access_token"]
        self.assertEqual(idp.call("/userinfo", headers={"Authorization": "Bearer " + token})[0], 401)
        self.assertEqual(idp.call("/introspect", {"token": token}, self.SECRET), (200, {"active": False}))

    def test_introspection_tells_live_from_spent(self):
        idp = self.idp()
        first = idp.grant(client_id="nightlatch-confidential")
        live = idp.call("/introspect", {"token": first["refresh_token"]}, self.SECRET)[1]
        self.assertEqual((live["active"], live["token_type"]), (True, "refresh_token"))
        idp.refresh(first["refresh_token"], client_id="nightlatch-confidential", client_secret="loopback-secret")
        self.assertEqual(idp.call("/introspect", {"token": first["refresh_token"]}, self.SECRET)[1], {"active": False})

    def test_introspection_needs_a_secret(self):
        self.assertEqual(self.idp().call("/introspect", {"token": "x", "client_id": "nightlatch"})[0], 401)

    def test_revoking_a_refresh_token_ends_the_session(self):
        idp = self.idp()
        answer = idp.grant()
        self.assertEqual(idp.call("/revoke", {"token": answer["refresh_token"], "client_id": "nightlatch"})[0], 200)
        self.assertEqual(idp.refresh(answer["refresh_token"])[1]["error"], "invalid_grant")

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl as the second opinion on ES256")
    def test_openssl_agrees_with_the_id_token_signature(self):
        idp = self.idp()
        head, claims, signature = idp.grant()["id_token"].split(".")
        key = idp.call("/jwks.json")[1]["keys"][0]
        self.assertEqual(json.loads(unbase64(claims))["iss"], idp.base)
        point = b"\x04" + unbase64(key["x"]) + unbase64(key["y"])
        raw = unbase64(signature)
        with tempfile.TemporaryDirectory() as folder:
            # SubjectPublicKeyInfo of a P-256 key (RFC 5480) is a fixed head and the point.
            spki = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200") + point
            for name, data in (("key", spki), ("sig", der(raw[:32], raw[32:])), ("text", (head + "." + claims).encode())):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
            checked = subprocess.run(
                ["openssl", "dgst", "-sha256", "-keyform", "DER", "-verify", "key", "-signature", "sig", "text"],
                cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(checked.stdout.strip(), "Verified OK", checked.stderr)


class ClientTests(ServerTest):
    """Clients that show more than a name."""

    def assertion(self, key, **claims):
        now = int(time.time())
        return {
            "client_assertion_type": idp.ASSERTION,
            "client_assertion": key.jwt({
                "iss": "nightlatch-jwt", "sub": "nightlatch-jwt", "jti": secrets.token_hex(8), "iat": now, "exp": now + 60,
                **claims}),
        }

    def test_an_assertion_is_good_once_and_only_for_its_audience(self):
        server, key = self.idp(), signing.EllipticKey()
        idp_keys = idp.CLIENT_KEYS["nightlatch-jwt"]
        self.assertIsNone(key.verify(key.jwt({}), idp_keys), "another key's signature")
        public = tuple(key.jwk()[name] for name in "xy")
        self.assertEqual(key.verify(key.jwt({"a": 1}), public), {"a": 1})
        token = server.grant(client_id="nightlatch-jwt")["refresh_token"]
        forged = self.assertion(key, aud=server.base + "/token")
        status, answer = server.refresh(token, client_id="nightlatch-jwt", **forged)
        self.assertEqual((status, answer["error"]), (401, "invalid_client"))
        self.assertEqual(server.refresh(token, client_id="nightlatch-jwt")[0], 401)

    def test_a_header_with_an_unencoded_secret_is_refused(self):
        server = self.idp()
        token = server.grant(client_id="nightlatch odd")["refresh_token"]
        form = {"grant_type": "refresh_token", "refresh_token": token}
        for pair, expected in (("nightlatch odd:p%ss:w rd+", 401), ("nightlatch+odd:p%25ss%3Aw+rd%2B", 200)):
            header = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
            self.assertEqual(server.call("/token", form, header)[0], expected)

    def test_a_certificate_client_without_one_is_refused(self):
        server = self.idp()
        token = server.grant(client_id="nightlatch-tls")["refresh_token"]
        self.assertEqual(server.refresh(token, client_id="nightlatch-tls")[0], 401)


class PrivyTests(ServerTest):
    def setUp(self):
        self.privy = self.start("privy.py")
        self.session = self.privy.call("/test/grant", {})[1]

    def renew(self, token, **changes):
        headers = {
            "privy-app-id": "app-nightlatch", "privy-client-id": "client-nightlatch", "privy-ca-id": "x",
            "Authorization": "Bearer " + self.session["token"], **changes}
        headers = {name: value for name, value in headers.items() if value}
        return self.privy.call("/api/v1/sessions", headers=headers, as_json={"refresh_token": token})

    def test_a_refresh_token_works_once(self):
        status, answer = self.renew(self.session["refresh_token"])
        self.assertEqual((status, answer["session_update_action"]), (200, "set"))
        self.assertEqual(self.renew(self.session["refresh_token"])[0], 401)
        self.assertEqual(self.renew(answer["refresh_token"])[0], 200)

    def test_every_header_is_needed(self):
        for name in ("privy-app-id", "privy-client-id", "privy-ca-id", "Authorization"):
            self.assertEqual(self.renew(self.session["refresh_token"], **{name: None})[0], 400, name)
        self.assertEqual(self.renew(self.session["refresh_token"])[0], 200)

    def test_ignore_mints_and_spends_nothing(self):
        self.privy.call("/test/settings", as_json={"action": "ignore"})
        answer = self.renew(self.session["refresh_token"])[1]
        self.assertEqual((answer["token"], answer["refresh_token"]), (None, None))
        self.assertEqual(self.renew(self.session["refresh_token"])[0], 200)

    def test_in_cookie_mode_the_refresh_token_is_a_word(self):
        self.privy.call("/test/settings", as_json={"cookies": True})
        self.assertEqual(self.renew(self.session["refresh_token"])[1]["refresh_token"], "deprecated")
        self.assertEqual(self.renew("deprecated")[0], 401)


class LifeTests(ServerTest):
    def test_a_restart_with_a_state_file_forgets_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            first = self.idp("--state", state)
            answer = first.grant()
            key = first.call("/jwks.json")
            self.assertEqual(first.end(), 0)
            second = self.idp("--state", state, "--port", first.port)
            self.assertEqual(second.refresh(answer["refresh_token"])[0], 200)
            self.assertEqual(second.call("/jwks.json"), key)
            self.assertEqual(os.stat(state).st_mode & 0o777, 0o600)

    def test_closing_its_input_ends_it(self):
        for idp in (self.idp(), self.start("faultproxy.py", "--upstream", 1)):
            idp.process.stdin.close()
            self.assertEqual(idp.process.wait(10), 0)
            idp.process.stdout.close()

    def test_it_listens_on_loopback_only(self):
        idp = self.idp()
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file][1:]
        ports = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(":%04X" % idp.port)]
        self.assertEqual(ports, ["0100007F:%04X" % idp.port])


class AuthorizationTests(ServerTest):
    VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    def authorize(self, idp, **changes):
        """Where the browser is sent: the parameters, or the error of the page itself."""
        query = {
            "response_type": "code", "client_id": "nightlatch", "redirect_uri": "http://127.0.0.1:9/cb", "state": "s",
            "code_challenge": self.CHALLENGE, "code_challenge_method": "S256", "scope": "openid", "nonce": "n",
        } | changes
        connection = http.client.HTTPConnection("127.0.0.1", idp.port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", "/authorize?" + urllib.parse.urlencode({k: v for k, v in query.items() if v}))
        response = connection.getresponse()
        body = response.read()
        if response.status != 302:
            return json.loads(body)
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(response.getheader("Location")).query))

    def redeem(self, idp, code, **changes):
        form = {
            "grant_type": "authorization_code", "client_id": "nightlatch", "code": code,
            "redirect_uri": "http://127.0.0.1:9/cb", "code_verifier": self.VERIFIER,
        } | changes
        return idp.call("/token", form)

    def test_a_code_with_its_verifier_is_good_once(self):
        idp = self.idp()
        answer = self.authorize(idp)
        self.assertEqual((answer["state"], answer["iss"]), ("s", idp.base))
        status, tokens = self.redeem(idp, answer["code"])
        self.assertEqual(status, 200)
        self.assertEqual(claims(tokens["id_token"])["nonce"], "n")
        self.assertEqual(self.redeem(idp, answer["code"])[1]["error"], "invalid_grant")
        self.assertEqual(idp.refresh(tokens["refresh_token"])[1]["error"], "invalid_grant")

    def test_a_wrong_verifier_or_redirect_is_refused(self):
        idp = self.idp()
        self.assertEqual(self.redeem(idp, "x")[1]["error"], "invalid_grant")
        for change in ({"code_verifier": "x" * 43}, {"redirect_uri": "http://127.0.0.1:10/cb"}):
            self.assertEqual(self.redeem(idp, self.authorize(idp)["code"], **change)[1]["error"], "invalid_grant")

    def test_errors_go_back_to_the_program_and_strangers_nowhere(self):
        idp = self.idp("--consent", "false")
        self.assertEqual(self.authorize(idp)["error"], "access_denied")
        self.assertEqual(self.authorize(idp, code_challenge="")["error"], "invalid_request")
        self.assertEqual(self.authorize(idp, response_type="token")["error"], "unsupported_response_type")
        self.assertNotIn("state", self.authorize(idp, client_id="x"))
        self.assertNotIn("state", self.authorize(idp, redirect_uri="https://elsewhere.example/"))

    def test_only_a_service_gets_tokens_of_its_own(self):
        idp = self.idp()
        form = {"grant_type": "client_credentials", "client_id": "nightlatch"}
        self.assertEqual(idp.call("/token", form)[1]["error"], "unauthorized_client")
        form |= {"client_id": "nightlatch-confidential", "client_secret": "loopback-secret"}
        status, answer = idp.call("/token", form)
        self.assertEqual(status, 200)
        self.assertNotIn("refresh_token", answer)

    def test_revocations_can_fail_first(self):
        idp = self.idp("--revocation-failures", "1")
        form = {"client_id": "nightlatch", "token": idp.grant()["refresh_token"]}
        self.assertEqual([idp.call("/revoke", form)[0] for _ in range(2)], [503, 200])


class IDTokenTests(ServerTest):
    def jws(self, idp):
        token = idp.grant()["id_token"]
        head = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
        keys = {key["kid"]: key for key in idp.call("/jwks.json")[1]["keys"]}
        return token, head, keys

    def test_openssl_agrees_with_rs256(self):
        idp = self.idp("--id-token-alg", "RS256")
        token, head, keys = self.jws(idp)
        key = keys[head["kid"]]
        self.assertEqual((head["alg"], key["kty"]), ("RS256", "RSA"))
        text, _, signature = token.rpartition(".")
        numbers = [int.from_bytes(base64.urlsafe_b64decode(key[name] + "=="), "big") for name in ("n", "e")]
        with tempfile.TemporaryDirectory() as folder:
            def path(name, data):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
                return file.name
            config = "asn1=SEQUENCE:key\n[key]\nn=INTEGER:%d\ne=INTEGER:%d\n" % tuple(numbers)
            der = os.path.join(folder, "key.der")
            subprocess.run(
                ["openssl", "asn1parse", "-genconf", path("conf", config.encode()), "-noout", "-out", der], check=True)
            pem = os.path.join(folder, "key.pem")
            subprocess.run(
                ["openssl", "rsa", "-RSAPublicKey_in", "-inform", "DER", "-in", der, "-pubout", "-out", pem],
                check=True, stderr=subprocess.DEVNULL)
            verify = ["openssl", "dgst", "-sha256", "-verify", pem, "-signature",
                      path("signature", base64.urlsafe_b64decode(signature + "==")), path("text", text.encode())]
            self.assertEqual(subprocess.run(verify, capture_output=True, text=True).stdout, "Verified OK\n")

    def test_each_fault_is_one(self):
        idp = self.idp()
        good = idp.grant()["id_token"]
        for fault, wrong in (("iss", "https://other.example"), ("aud", "another-client"), ("sub", "mallory")):
            idp.call("/test/settings", {"id_token_fault": fault})
            self.assertEqual(claims(idp.grant()["id_token"])[fault], wrong)
        heads = {}
        for fault in ("none", "hs256", "kid", "no_kid", "crit", "signature"):
            idp.call("/test/settings", {"id_token_fault": fault})
            token, heads[fault], keys = self.jws(idp)
            self.assertEqual(fault == "none", token.endswith("."))
            self.assertEqual(heads[fault].get("kid") in keys, fault not in ("none", "kid", "no_kid"))
        self.assertEqual([heads[fault]["alg"] for fault in ("none", "hs256", "kid")], ["none", "HS256", "ES256"])
        self.assertEqual(claims(good)["email"], "alice@example.com")

    def test_rotated_keys_are_other_keys_and_fetches_are_counted(self):
        idp = self.idp()
        _, before, _ = self.jws(idp)
        idp.call("/test/rotate-keys", {})
        _, after, keys = self.jws(idp)
        self.assertNotEqual(before["kid"], after["kid"])
        self.assertEqual(list(keys), [after["kid"]])
        self.assertEqual(idp.call("/test/log")[1]["jwks"], 2)


def claims(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))


class FaultTests(ServerTest):
    def setUp(self):
        self.server = self.idp("--reuse-window", 60)
        self.proxy = self.start("faultproxy.py", "--upstream", self.server.port)
        self.token = self.server.grant()["refresh_token"]

    def plan(self, *faults):
        self.assertEqual(self.proxy.call("/_fault", as_json=list(faults))[0], 200)

    def spends(self):
        return sum(self.server.call("/test/log")[1]["spends"].values())

    def assertBroken(self):
        with self.assertRaises((ConnectionError, urllib.error.URLError, http.client.HTTPException)):
            self.proxy.refresh(self.token)

    def test_a_dropped_request_never_reaches_the_server(self):
        self.plan({"mode": "drop_before"})
        self.assertBroken()
        self.assertEqual(self.spends(), 0)
        self.assertEqual(self.proxy.refresh(self.token)[0], 200)

    def test_a_dropped_answer_was_a_spend(self):
        self.plan({"mode": "drop_after"})
        self.assertBroken()
        self.assertEqual(self.spends(), 1)
        log = self.proxy.call("/_log")[1]["requests"]
        self.assertEqual([(entry["mode"], entry["upstream"]) for entry in log], [("drop_after", 200)])

    def test_half_an_answer_was_a_spend(self):
        self.plan({"mode": "partial"})
        self.assertBroken()
        self.assertEqual(self.spends(), 1)

    def test_a_hanging_request_can_be_released(self):
        self.plan({"mode": "hang_after"})
        body = urllib.parse.urlencode({
            "grant_type": "refresh_token", "client_id": "nightlatch", "refresh_token": self.token})
        with socket.create_connection(("127.0.0.1", self.proxy.port), 10) as client:
            client.sendall(("POST /token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                            "Content-Length: %d\r\n\r\n%s" % (len(body), body)).encode())
            while not any(entry["upstream"] for entry in self.proxy.call("/_log")[1]["requests"]):
                pass
            self.proxy.call("/_release", {})
            with self.assertRaises(ConnectionError):
                client.recv(1)
        self.assertEqual(self.spends(), 1)

    def test_a_delayed_answer_comes_at_the_release(self):
        self.plan({"mode": "delay", "seconds": 60})
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.proxy.refresh(self.token)))
        thread.start()
        while not self.spends():
            pass
        self.assertEqual(answers, [])
        self.proxy.call("/_release", {})
        thread.join()
        self.assertEqual(answers[0][0], 200)

    def test_a_status_comes_with_its_headers(self):
        self.plan({"mode": "status", "status": 429, "body": {"error": "slow_down"}, "headers": {"Retry-After": "7"}})
        with self.assertRaises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(self.proxy.base + "/token", b"")
        with raised.exception as answer:
            self.assertEqual((answer.code, answer.headers["Retry-After"]), (429, "7"))

    def test_a_captive_portal_is_a_page(self):
        self.plan({"mode": "html"})
        with urllib.request.urlopen(self.proxy.base + "/token", b"") as page:
            self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html"))
        self.assertEqual(self.spends(), 0)

    def test_keys_can_be_stripped_and_set(self):
        self.plan({"mode": "strip", "key": "refresh_token"}, {"mode": "set", "key": "refresh_token", "value": None})
        self.assertNotIn("refresh_token", self.proxy.refresh(self.token)[1])
        self.assertIsNone(self.proxy.refresh(self.token)[1]["refresh_token"])

    def test_passes_can_come_before_a_fault(self):
        self.plan({"mode": "pass", "times": 2}, {"mode": "drop_before", "times": -1})
        self.assertEqual([self.proxy.refresh(self.token)[0] for _ in range(2)], [200, 200])
        self.assertBroken()
        self.assertBroken()

    def test_an_unknown_mode_is_refused(self):
        self.assertEqual(self.proxy.call("/_fault", as_json={"mode": "explode"})[0], 400)


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def der(*numbers):
    """An ECDSA signature as OpenSSL wants it: SEQUENCE { INTEGER r, INTEGER s }."""
    parts = b""
    for number in numbers:
        value = number.lstrip(b"\0")
        value = b"\0" + value if value[:1] >= b"\x80" else value
        parts += b"\x02" + bytes([len(value)]) + value
    return b"\x30" + bytes([len(parts)]) + parts


if __name__ == "__main__":
    unittest.main()
