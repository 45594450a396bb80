# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor as far as the protocol goes: talks to symshape-lsp-server.

A position is (line, character), both from 0. Answers are the plain JSON of the
protocol; messages that nobody asked for are kept.
"""

import json
import subprocess
import threading
import time
from pathlib import Path

TIMEOUT = 120  # seconds: more than a slow machine needs for one answer


class Server:
    def __init__(self, *options, encodings=("utf-16",), start=True):
        self.process = subprocess.Popen(["symshape-lsp-server", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()
        self.killer = threading.Timer(TIMEOUT, self.process.kill)
        self.killer.daemon = True
        self.killer.start()
        self.last_id = 0
        self.published = {}  # by URI: the last diagnostics
        self.versions = {}  # by URI: of the text now
        if start:
            literal = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
            self.abilities = self.ask("initialize", capabilities={
                "textDocument": {"codeAction": literal},
                "general": {"positionEncodings": list(encodings)}})
            self.tell("initialized")

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        """The next message; None at the end."""
        length = None
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            return None
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]
        return message

    def tell(self, method, **params):
        self.send(method=method, params=params)

    def ask_any(self, method, params):
        """The whole answer, an error too."""
        self.last_id += 1
        self.send(id=self.last_id, method=method, params=params)
        while (message := self.receive()) is not None:
            if message.get("id") == self.last_id and "method" not in message:
                return message
        raise EOFError(f"no answer to {method}: " + b"".join(self.errors).decode())

    def ask(self, method, **params):
        answer = self.ask_any(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, uri, text):
        self.versions[uri] = 1
        self.tell("textDocument/didOpen", textDocument={
            "uri": uri, "languageId": "mlir", "version": 1, "text": text})

    def change(self, uri, text):
        self.versions[uri] += 1
        self.tell("textDocument/didChange", textDocument={"uri": uri, "version": self.versions[uri]},
                  contentChanges=[{"text": text}])

    def close(self, uri):
        self.tell("textDocument/didClose", textDocument={"uri": uri})

    def hover(self, uri, line, character):
        """The text, or None."""
        found = self.ask("textDocument/hover", textDocument={"uri": uri},
                         position={"line": line, "character": character})
        return found and found["contents"]["value"]

    def hints(self, uri, first=0, last=100000):
        """[(line, character, label)] in the order of the text."""
        found = self.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=lines(first, last))
        return [(hint["position"]["line"], hint["position"]["character"], hint["label"]) for hint in found]

    def actions(self, uri, where):
        return self.ask("textDocument/codeAction", textDocument={"uri": uri}, range=where,
                        context={"diagnostics": []})

    def diagnostics(self, uri):
        """Those of the text as it is now, from both servers."""
        self.hover(uri, 0, 0)  # an answer comes after what is published before it
        while self.published.get(uri, {}).get("version") != self.versions[uri]:
            assert self.receive() is not None, "no diagnostics of this version"
        return self.published[uri]["diagnostics"]

    def end(self, shutdown=True):
        """The exit status after `exit`."""
        if shutdown:
            assert self.ask("shutdown") is None
        self.tell("exit")
        return self.wait()

    def wait(self):
        while self.receive() is not None:
            pass
        status = self.process.wait()
        self.killer.cancel()
        return status


def child_of(server, role):
    """The process that a server has started in this role."""
    pid = server.process.pid
    for _ in range(1000):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            try:
                if role.encode() in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                    return int(child)
            except FileNotFoundError:
                pass  # it has ended
        time.sleep(0.01)
    raise AssertionError(f"no process {role}")


def lines(first, last):
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}


def place_of(text, part, skip=0, inside=1):
    """Line and character of a part of a text: of its occurrence after `skip` others."""
    at = -1
    for _ in range(skip + 1):
        at = text.index(part, at + 1)
    at += inside
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)


def apply(text, uri, action):
    """The text after an action's edits, of ASCII lines."""
    (where, edits), = action["edit"]["changes"].items()
    assert where == uri
    rows = text.split("\n")

    def offset(position):
        line = position["line"]
        assert line < len(rows), "an edit beyond the end"
        return sum(len(row) + 1 for row in rows[:line]) + min(position["character"], len(rows[line]))

    for edit in sorted(edits, key=lambda one: offset(one["range"]["start"]), reverse=True):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text
