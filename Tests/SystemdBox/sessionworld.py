"""What the tests of refreshes share: an identity server, the fault proxy before it, and a daemon's folders in which a
session of that server lives."""
import json
import os
import subprocess
import sys

from box import RELEASE, ROOT, wait_for
from daemon import Daemon

sys.path.insert(0, os.path.join(ROOT, "Tests/IdentityServers"))
# pylint: disable-next=wrong-import-position
from test_servers import Program  # noqa: E402

PROVIDER = """
kind = "oidc"
issuer = "{proxy}"
client_id = "nightlatch"
scopes = ["openid", "offline_access"]
reuse_window = "{window}s"
"""
# django-oauth-toolkit's discovery does not say where devices ask.
DJANGO = '[endpoints]\ndevice_authorization = "{proxy}/device-authorization/"\n'


class SessionWorld:
    """`settings` are the server's, as in /test/settings; `provider` is what the provider's file says besides."""

    def __init__(self, server="idp.py", window=0, provider="", when="manual", server_arguments=(), **settings):
        arguments = [*server_arguments, "--reuse-window", window, "--device-interval", 0]
        for name, value in settings.items():
            arguments += ["--" + name.replace("_", "-"), value]
        self.idp = Program(server, *arguments)
        self.proxy = Program("faultproxy.py", "--upstream", self.idp.port)
        self.daemon = Daemon()
        self.daemon.write("nightlatch.toml", '[foreground]\nwhen = "%s"\n' % when)
        text = PROVIDER + provider + (DJANGO if server.startswith("django") else "")
        self.daemon.write("providers.d/work.toml", text.format(proxy=self.proxy.base, window=window))

    def remove(self):
        self.daemon.remove()
        for program in (self.proxy, self.idp):
            if program.process.poll() is None:
                program.end()

    def launch(self, *arguments, under=(), **options):
        """Starts the foreground agent on the world's folders."""
        return subprocess.Popen(
            [*under, os.path.join(RELEASE, "nightlatch-foreground"), *arguments, *self.daemon.folders],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)

    def agent(self, *arguments):
        """Its exit status and what it said."""
        with self.launch(*arguments) as process:
            output = process.communicate(timeout=120)[0]
            return process.returncode, output

    def log_in(self):
        with self.launch("login", "work") as login:
            wait_for("a device to approve",
                     lambda: login.poll() is not None or self.idp.call("/test/approve", {})[1]["answered"])
            output = login.communicate(timeout=60)[0]
            if login.returncode != 0:
                raise AssertionError("the login ended with %d:\n%s" % (login.returncode, output))

    def session(self):
        """What `nightlatch auth` says of it."""
        return json.loads(self.daemon.tool("auth", "work", "--json")[1])["providers"][0]

    def token(self):
        """The published access token."""
        return self.daemon.read("runtime", "tokens", "work")

    def spends(self):
        """The refreshes that reached the server, oldest first: (when, hash of the token, status, error)."""
        requests = self.idp.call("/test/log")[1]["requests"]
        return [(entry["at"], entry["token_sha256"], entry["status"], entry["error"])
                for entry in requests if entry["grant"] == "refresh_token"]

    def fault(self, mode, **more):
        self.proxy.call("/_fault", as_json={"mode": mode, **more})

    def release(self):
        self.proxy.call("/_release", {})
