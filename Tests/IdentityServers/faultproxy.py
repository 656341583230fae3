#!/usr/bin/env python3
"""A proxy that breaks HTTP answers on purpose, between a client and an identity server. Loopback only.

usage: faultproxy.py --upstream PORT [--port PORT]     first line of output: `listening http://127.0.0.1:PORT`

POST /_fault with a JSON object, or a list of them, replaces the plan. Each fault:
  mode    what happens (below)              times  how many requests it hits (default 1; -1: all)
  path    only requests whose path contains this (default "/token")
Requests that no fault wants pass through. The Host header is kept, so the server's issuer is this proxy.

  pass         forwards (to let the first N requests through)
  drop_before  resets the connection; the server never sees the request
  drop_after   the server answers, the client gets a reset and not one byte
  hang         holds the request for `seconds` (default 30), then resets; the server never sees it
  hang_after   the server answers, then as `hang`
  delay        the server answers, the client gets it after `seconds` (default 30) or at a release
  partial      the head and half the body, then a reset
  status       answers `status` with `body` and `headers` itself
  html         answers as a captive portal does: 200, text/html
  strip        removes `key` from the server's JSON answer
  set          sets `key` to `value` in the server's JSON answer

GET /_log: {"requests": [{path, mode, grant, token_sha256, upstream}], "plan": what is left}
POST /_release: ends every `hang` and `delay` now.
"""
import argparse
import copy
import hashlib
import http.client
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORTAL = "<!doctype html><title>Hotel Wi-Fi</title><p>Please accept the terms to go online."
HOP_BY_HOP = {"connection", "content-length", "keep-alive", "server", "transfer-encoding"}


class Plan:
    """The faults still to come and the record of what happened."""

    def __init__(self):
        self.lock = threading.Lock()
        self.faults, self.requests = [], []
        self.released = threading.Event()

    def replace(self, faults):
        with self.lock:
            self.faults = [{"times": 1, "path": "/token", **fault} for fault in faults]
            self.released = threading.Event()

    def next(self, path):
        """Takes the first fault that wants this request."""
        with self.lock:
            for fault in self.faults:
                if fault["times"] != 0 and fault["path"] in path:
                    fault["times"] -= 1 if fault["times"] > 0 else 0
                    return fault
        return {"mode": "pass"}

    def record(self, path, mode, body):
        if body.startswith(b"{"):
            form = {name: [value] for name, value in json.loads(body).items() if isinstance(value, str)}
        else:
            form = urllib.parse.parse_qs(body.decode("latin-1"))
        token = form.get("refresh_token", form.get("device_code", [""]))[0]
        entry = {
            "at": time.time(), "path": path, "mode": mode, "grant": form.get("grant_type", [""])[0],
            "token_sha256": hashlib.sha256(token.encode()).hexdigest(), "upstream": None,
        }
        with self.lock:
            self.requests.append(entry)
        return entry

    def report(self):
        with self.lock:
            return copy.deepcopy({"requests": self.requests, "plan": self.faults})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    plan = Plan()
    upstream = 0

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/_"):
            return self.control(body)
        fault = self.plan.next(self.path)
        entry = self.plan.record(self.path, fault["mode"], body)
        return self.MODES[fault["mode"]](self, fault, lambda: self.forward(body, entry))

    do_GET = do_POST = do_PUT = do_DELETE = handle_any

    def control(self, body):
        if self.path == "/_fault":
            faults = json.loads(body)
            faults = faults if isinstance(faults, list) else [faults]
            unknown = [fault.get("mode") for fault in faults if fault.get("mode") not in self.MODES]
            if unknown:
                return self.reply(400, [], json.dumps({"error": "no such mode", "modes": unknown}).encode())
            self.plan.replace(faults)
        elif self.path == "/_release":
            self.plan.released.set()
        return self.reply(200, [("Content-Type", "application/json")], json.dumps(self.plan.report()).encode())

    # What can be done with a request.

    def forward(self, body, entry):
        """Sends the request on; returns the server's status, headers and body."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=30)
        try:
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
            data = response.read()
        except OSError:
            return 502, [("Content-Type", "text/plain")], b"no server behind the proxy\n"
        finally:
            connection.close()
        entry["upstream"] = response.status
        return response.status, response.getheaders(), data

    def reply(self, status, headers, body, sent=None):
        """Answers; `sent` cuts the body short of its announced length."""
        headers = list(headers)
        # The server's clock is seen through the proxy; only what it makes up itself bears its own date.
        dated = any(name.lower() == "date" for name, _ in headers)
        (self.send_response_only if dated else self.send_response)(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:sent])
        self.wfile.flush()

    def reset(self):
        """Ends the connection with RST: lingering for zero seconds."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
        # Nothing more may be written: http.server flushes on the way out.
        self.wfile = open(os.devnull, "wb")  # pylint: disable=consider-using-with

    # The modes.

    def do_pass(self, _, forward):
        self.reply(*forward())

    def do_drop_before(self, *_):
        self.reset()

    def do_drop_after(self, _, forward):
        forward()
        self.reset()

    def do_hang(self, fault, _):
        self.plan.released.wait(fault.get("seconds", 30))
        self.reset()

    def do_hang_after(self, fault, forward):
        forward()
        self.do_hang(fault, forward)

    def do_delay(self, fault, forward):
        answer = forward()
        self.plan.released.wait(fault.get("seconds", 30))
        self.reply(*answer)

    def do_partial(self, _, forward):
        status, headers, body = forward()
        self.reply(status, headers, body, sent=len(body) // 2)
        time.sleep(0.05)  # lets the bytes leave: a reset discards what is still queued
        self.reset()

    def do_status(self, fault, _):
        headers = {"Content-Type": "application/json", **fault.get("headers", {})}
        body = fault.get("body", "")
        body = body if isinstance(body, str) else json.dumps(body)
        self.reply(fault.get("status", 503), headers.items(), body.encode())

    def do_html(self, *_):
        self.reply(200, [("Content-Type", "text/html")], PORTAL.encode())

    def do_edit(self, fault, forward):
        status, headers, body = forward()
        answer = json.loads(body)
        answer.pop(fault["key"], None)
        if fault["mode"] == "set":
            answer[fault["key"]] = fault.get("value")
        self.reply(status, headers, json.dumps(answer).encode())

    MODES = {
        "pass": do_pass, "drop_before": do_drop_before, "drop_after": do_drop_after, "hang": do_hang,
        "hang_after": do_hang_after, "delay": do_delay, "partial": do_partial, "status": do_status, "html": do_html,
        "strip": do_edit, "set": do_edit,
    }


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        # A client that was killed is what tests are made of.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", type=int, required=True, help="the identity server's port")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input is closed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    Handler.upstream = options.upstream
    server = Server(("127.0.0.1", options.port), Handler)
    if options.until_eof:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    print("listening http://127.0.0.1:%d" % server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
