"""What the tests of runs share: a daemon, one job, and a provider whose session the test publishes itself."""
import unittest

from authcache import Session
from box import require_release
from daemon import Daemon

PROVIDER = 'kind = "oidc"\nissuer = "https://login.example"\nclient_id = "x"\nscopes = ["openid"]\n'
TOKEN = "token-7f3a9c"


class RunCase(unittest.TestCase):
    def setUp(self):
        require_release()
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        # Nobody but a person starts a phase: the tests publish by themselves.
        self.daemon.write("nightlatch.toml", '[foreground]\nwhen = "manual"\n')
        self.daemon.write("providers.d/work.toml", PROVIDER)
        self.session = Session(self.daemon.path("runtime"), "work")
        self.out = self.daemon.path("out")

    def job(self, script, more="", auth=None):
        text = "shell = '''%s'''\n%s\n" % (script, more)
        if auth is not None:
            text += '[auth]\nprovider = "work"\nrequires = "verified"\n' + auth
        self.daemon.job("org.example.job", text)

    def run_job(self):
        return self.daemon.run_job("org.example.job")

    def attempts(self, run):
        return [(attempt.get("outcome"), attempt.get("reason")) for attempt in self.daemon.nightlatch("why", run)["attempts"]]

    def write_script(self, script, more=""):
        path = self.daemon.path("script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        self.daemon.job("org.example.job", 'command = ["/bin/sh", "%s"]\n%s' % (path, more))

    def state(self, run):
        return self.daemon.nightlatch("why", run)["run"]["state"]
