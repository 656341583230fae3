#!/usr/bin/env python3
"""Tests of django_idp.py: that it can stand in for idp.py. Run with the virtual environment's Python."""
import hashlib
import os
import tempfile
import unittest

from test_servers import DEVICE_GRANT, ServerTest


class DjangoTests(ServerTest):
    def idp(self, *arguments):
        return self.start("django_idp.py", *arguments)

    def refresh(self, idp, token):
        return idp.call("/token/", {"grant_type": "refresh_token", "refresh_token": token, "client_id": "nightlatch"})

    def test_the_device_flow_ends_in_a_session(self):
        idp = self.idp("--device-interval", 0)
        self.assertEqual(idp.call("/.well-known/openid-configuration")[1]["issuer"], idp.base)
        device = idp.call("/device-authorization/", {"client_id": "nightlatch", "scope": "openid profile offline_access"})[1]
        poll = {"grant_type": DEVICE_GRANT, "device_code": device["device_code"], "client_id": "nightlatch"}
        self.assertEqual(idp.call("/token/", poll)[1]["error"], "authorization_pending")
        self.assertEqual(idp.call("/test/approve", {"user_code": device["user_code"]})[1], {"answered": 1})
        status, answer = idp.call("/token/", poll)
        self.assertEqual(status, 200)
        bearer = {"Authorization": "Bearer " + answer["access_token"]}
        self.assertEqual(idp.call("/userinfo/", headers=bearer), (200, {"sub": "alice", "name": "Alice Example"}))

    def test_reuse_ends_the_family_and_the_log_counts_it(self):
        idp = self.idp()
        first = idp.grant()["refresh_token"]
        second = self.refresh(idp, first)[1]["refresh_token"]
        self.assertEqual(self.refresh(idp, first)[0], 400)
        self.assertEqual(self.refresh(idp, second)[0], 400)
        self.assertEqual(idp.call("/test/log")[1]["spends"][hashlib.sha256(first.encode()).hexdigest()], 2)

    def test_inside_the_window_the_same_pair_comes_again(self):
        idp = self.idp("--reuse-window", 60)
        first = idp.grant()["refresh_token"]
        self.assertEqual(
            self.refresh(idp, first)[1]["refresh_token"], self.refresh(idp, first)[1]["refresh_token"])

    def test_settings_take_effect_at_once(self):
        idp = self.idp()
        idp.call("/test/settings", {"access_lifetime": "7"})
        self.assertEqual(self.refresh(idp, idp.grant()["refresh_token"])[1]["expires_in"], 7)
        self.assertEqual(idp.call("/test/settings", {"no_such": "7"})[0], 400)

    def test_an_administrator_can_end_sessions(self):
        idp = self.idp()
        answer = idp.grant()
        self.assertEqual(idp.call("/test/revoke", {})[1], {"ended": 1})
        self.assertEqual(self.refresh(idp, answer["refresh_token"])[0], 400)

    def test_a_restart_with_a_state_folder_forgets_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            first = self.idp("--state", folder)
            answer, keys = first.grant(), first.call("/.well-known/jwks.json")
            self.assertEqual(first.end(), 0)
            second = self.idp("--state", folder, "--port", first.port)
            self.assertEqual(second.call("/.well-known/jwks.json"), keys)
            self.assertEqual(self.refresh(second, answer["refresh_token"])[0], 200)
            self.assertEqual(os.stat(os.path.join(folder, "signing-key.pem")).st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
