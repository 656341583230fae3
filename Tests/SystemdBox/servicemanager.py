"""The service manager's end of sd_notify(3): a datagram socket, and what has come in on it."""
import os
import select
import socket
import time


class NotifySocket:
    def __init__(self, folder):
        self.path = os.path.join(folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        # Every message that has come in, as a dictionary, oldest first.
        self.messages = []

    def environment(self, **more):
        return {**os.environ, "NOTIFY_SOCKET": self.path, **more}

    def wait(self, matches, seconds=30):
        """The next message for which `matches(message)` is true; earlier ones are passed over."""
        end = time.monotonic() + seconds
        while select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
            text = self.socket.recv(65536).decode()
            message = dict(line.split("=", 1) for line in text.splitlines())
            self.messages.append(message)
            if matches(message):
                return message
        raise AssertionError("no such message in %d s; there came %r" % (seconds, self.messages))

    def clear(self):
        """Forgets everything that has come in, as for another life of the daemon."""
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(65536)
        self.messages.clear()

    def wait_for(self, name):
        return self.wait(lambda message: name in message)

    def close(self):
        self.socket.close()
        os.unlink(self.path)
