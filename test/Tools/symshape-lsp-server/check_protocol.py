# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how the server begins and ends, and what it does without its child.

    check_protocol.py ROWS.mlir
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from lsp_client import Server, child_of, place_of

URI = "file:///nowhere/rows.mlir"
checks = 0


def check(condition, what):
    global checks
    assert condition, what
    checks += 1


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, what):
    for _ in range(600):
        if condition():
            return check(True, what)
        time.sleep(0.1)
    check(False, what)


def check_ends():
    for shutdown, status in (True, 0), (False, 1):
        server = Server()
        child = child_of(server, "--upstream")
        check(server.end(shutdown) == status, f"exit status {status}")
        check(not is_alive(child), "the child has ended")
    server = Server()
    child = child_of(server, "--upstream")
    server.process.stdin.close()
    check(server.wait() == 1, "the editor is gone")
    check(not is_alive(child), "the child has ended")
    server = Server()
    child = child_of(server, "--upstream")
    server.process.kill()
    server.wait()
    wait_until(lambda: not is_alive(child), "the child does not outlive a killed server")


def check_odd_messages():
    server = Server()
    server.send_bytes(b"{ not JSON")
    check(server.receive()["error"]["code"] == -32700, "no JSON")
    server.send_bytes(b"[]")
    check(server.receive()["error"]["code"] == -32700, "no object")
    answer = server.ask_any("textDocument/noSuchThing", {})
    check(answer["error"]["code"] == -32601, "an unknown method")
    server.tell("$/setTrace", value="off")
    server.tell("textDocument/didChange", textDocument={"uri": "file:///nowhere/not-open.mlir", "version": 2},
                contentChanges=[{"text": ""}])
    check(server.hover("file:///nowhere/not-open.mlir", 0, 0) is None, "a text that is not open")
    for method in "textDocument/hover", "textDocument/inlayHint", "textDocument/codeAction":
        answer = server.ask_any(method, {"textDocument": 1})
        check("error" in answer or not answer["result"], f"{method} without its parameters")
    server.send(id="text", method="textDocument/hover",
                params={"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    check(server.receive() == {"id": "text", "jsonrpc": "2.0", "result": None}, "an id that is a text")
    check(server.end() == 0, "exit status")


def check_without_child(text):
    server = Server()
    server.open(URI, text)
    place = place_of(text, "%both = ")
    both = server.hover(URI, *place)
    check("[B + s1 + 1, 16]" in both and "Result #0" in both, "both say something")
    first = child_of(server, "--upstream")
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: any(b"upstream's server has ended" in line for line in server.errors), "it is told")
    alone = server.hover(URI, *place)
    check(alone and "[B + s1 + 1, 16]" in alone and "Result #0" not in alone, "we alone")
    check(server.hints(URI) != [], "hints")
    check(server.ask("textDocument/definition", textDocument={"uri": URI},
                     position={"line": place[0], "character": place[1]}) is None, "nothing of upstream's")
    server.change(URI, text + "\n")
    check(server.hover(URI, *place) == both, "both again")
    check(child_of(server, "--upstream") != first, "another child")
    check(server.diagnostics(URI) == [], "with the diagnostics of both")
    check(server.end() == 0, "exit status")


def check_edits(text):
    """Parts of a text replaced, as an editor may send them."""
    server = Server()
    server.open(URI, text)
    line, character = place_of(text, "B, 16", inside=0)
    server.tell("textDocument/didChange", textDocument={"uri": URI, "version": 2}, contentChanges=[
        {"range": {"start": {"line": line, "character": character},
                   "end": {"line": line, "character": character + 1}}, "text": "C"}])
    check(server.hints(URI)[0][2] == "[C, 16]", "an edit of one character")
    check(server.end() == 0, "exit status")


def check_options():
    for options, status in (["--help"], 0), (["--log=loud"], 2), (["--no-such-option"], 2):
        done = subprocess.run(["symshape-lsp-server", *options], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        check(done.returncode == status, f"{options}: exit status {done.returncode}")
        if "loud" in options[0]:
            check("expected --log=error, info or verbose, but got 'loud'" in done.stderr, "the message")


def main():
    text = Path(sys.argv[1]).read_text()
    check_ends()
    check_odd_messages()
    check_without_child(text)
    check_edits(text)
    check_options()
    print(f"{checks} checks")


if __name__ == "__main__":
    main()
