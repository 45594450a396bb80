# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens texts that are not whole: none ends the server or leaves it without an answer.

    check_broken.py PROGRAM...

Each program is cut off after every some-hundredth byte, loses a piece, and has
bytes replaced; in between it is whole again, and has the hints it always had.
"""

import os
import random
import signal
import sys
from pathlib import Path

from lsp_client import Server, child_of, place_of

STEP = 211
PIECES = ["{", "}", "%", "#symshape.", "\"", "<[", "!", "loc(", "// -----", "tensor<", "\0", "é", "((((((((", "99999999999999999999"]


def broken(text, draw):
    for end in range(0, len(text), max(STEP, len(text) // 60)):
        yield text[:end]
    for _ in range(20):
        begin = draw.randrange(len(text))
        yield text[:begin] + text[begin + draw.randrange(1, 40):]
    for piece in PIECES:
        begin = draw.randrange(len(text))
        yield text[:begin] + piece + text[begin + len(piece):]


def check_kept(server, text):
    """One broken line takes the hints of that line alone."""
    uri = "file:///nowhere/kept.mlir"
    server.open(uri, text)
    before = server.hints(uri)
    line, _ = place_of(text, "%flat =")
    server.change(uri, text.replace("tensor.collapse_shape %both", "\n tensor.colla", 1))
    expected = [(at + (at > line), *rest) for at, *rest in before if at != line]
    assert server.hints(uri) == expected, server.hints(uri)
    assert server.hover(uri, *place_of(text, "%both = ")).startswith("`%both` `[B + s1 + 1, 16]`")
    (error,) = server.diagnostics(uri)
    assert error["source"] == "mlir" and "colla" in error["message"], error
    server.change(uri, text)
    assert server.hints(uri) == before and server.diagnostics(uri) == []
    server.close(uri)
    return len(expected)


# What is half typed, and makes the parser or the server of MLIR 22 crash.
CRASHES = [
    """func.func @f(%x: tensor<?x?xf64>, %i: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf64>) outs(%i : tensor<?xf64>) dimensions =""",
    """func.func @f() -> tensor<4xf32> {
  %c = arith.constant dense_resource<c> : tensor<4xf32>
  return %c : tensor<4xf32>
}
{-#
  dialect_resources: { builtin: {
      c: "0x04000000CFAC9C3D2660023C53""",
]


def check_crashes(text):
    """They take nothing from the program above, and everything is back without them."""
    uri = "file:///nowhere/crash.mlir"
    server = Server()
    server.open(uri, text)
    hints = server.hints(uri)
    both = server.hover(uri, *place_of(text, "%both = "))
    for crash in CRASHES:
        for between in "\n", "\n// -----\n":
            server.change(uri, text + between + crash)
            assert server.hints(uri) == hints, (crash, server.hints(uri))
            assert server.hover(uri, *place_of(text, "%both = ")).startswith("`%both` `[B + s1 + 1, 16]`")
            server.change(uri, text)
            while (found := server.hover(uri, *place_of(text, "%both = "))) != both:
                # The crash was noticed after the text had been sent to who crashed.
                assert found and found in both, found
                server.change(uri, text)
            assert server.hints(uri) == hints and server.diagnostics(uri) == []
    assert server.end() == 0
    for told in b"has crashed", b"has ended":
        assert any(told in line for line in server.errors), "nothing has crashed"
    return 2 * len(CRASHES)


def check_lost(text):
    """An analysis that ends, or never comes to its end, costs one text its notes, for a while."""
    uri = "file:///nowhere/lost.mlir"
    server = Server("--seconds=2")
    server.open(uri, text)
    hints = server.hints(uri)
    os.kill(child_of(server, "--analyse"), signal.SIGKILL)
    for added in "\n", "\n\n":  # it may be noticed after the first was sent
        server.change(uri, text + added)
        assert server.hints(uri) == hints
    os.kill(child_of(server, "--analyse"), signal.SIGSTOP)
    server.change(uri, text)
    assert server.hints(uri) == hints, "those before"
    assert b"takes more than 2 s" in b"".join(server.errors), server.errors
    server.change(uri, text.replace("%flat", "%other"))
    assert [label for *_, label in server.hints(uri)] == [label for *_, label in hints]
    assert server.hover(uri, *place_of(text, "%flat = "))
    pid = child_of(server, "--analyse")
    assert server.end() == 0
    assert not Path(f"/proc/{pid}").exists(), "a process is left"
    return 2


def main():
    server, draw = Server(), random.Random(23)
    kept = check_kept(server, Path(sys.argv[1]).read_text())
    texts = parsed = 0
    for path in sys.argv[1:]:
        text, uri = Path(path).read_text(), f"file:///nowhere/{path}"
        server.open(uri, text)
        whole = server.hints(uri)
        assert whole, path
        for index, one in enumerate(broken(text, draw)):
            server.change(uri, one)
            hints = server.hints(uri)
            rows = one.split("\n")
            assert all(line < len(rows) for line, _, _ in hints), (path, index)
            server.hover(uri, draw.randrange(len(rows)), draw.randrange(40))
            server.actions(uri, {"start": {"line": 0, "character": 0},
                                 "end": {"line": len(rows), "character": 0}})
            errors = [d for d in server.diagnostics(uri) if d.get("source") == "mlir"]
            parsed += not errors
            texts += 1
            if index % 10 == 9:
                server.change(uri, text)
                assert server.hints(uri) == whole, (path, index)
        server.close(uri)
    assert server.process.poll() is None and server.end() == 0
    assert not server.errors, server.errors  # neither server, nor an analysis, has crashed
    crashes = check_crashes(Path(sys.argv[1]).read_text())
    lost = check_lost(Path(sys.argv[1]).read_text())
    print(f"{texts} broken texts, {parsed} of them programs, {kept} hints kept, {crashes} crashes, {lost} lost")


if __name__ == "__main__":
    main()
