# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks hovers and hints: what each has to say was written by hand.

    check_hover.py ROWS.mlir
"""

import sys
from pathlib import Path

from lsp_client import Server, place_of

URI = "file:///nowhere/rows.mlir"

# Where the pointer rests, and lines of the hover; a line with ! must not be in it.
HOVERS = [
    ("%q: tensor", ["`%q` `[B, 16]`", "- `B` in [0, 64]: %q dim 0", "Argument #0"]),
    ("%k: tensor", ["`%k` `[s1 + 1, 16]`", "solved from an extent", "Argument #1"]),
    ("%both = ", ["`%both` `[B + s1 + 1, 16]`", "- `B` in [0, 64]: %q dim 0", "Result #0"]),
    ("%both, %c0", ["`%both` `[B + s1 + 1, 16]`", "Result #0"]),
    ("%rows = ", ["`%rows` `= B + s1 + 1`", "Type: `index`"]),
    ("%flat : tensor<?xf32>, ", ["Operation:", "!extent of"]),
    ("tensor.collapse_shape", ["`[16*B + 16*s1 + 16]`", '"tensor.collapse_shape"(%1)']),
    ("linalg.add", ["- checked at entry: `extent of %mask dim 0 (s0) must equal", '"linalg.add"(', "!proved"]),
    ("tensor.concat", ["`[B + s1 + 1, 16]`", '"tensor.concat"(', "!16 must equal 16"]),
    ("tensor.empty(", ["`[?, 16]`", "- checked when it runs: `", "must be at least 0`"]),
    ("@rows(", ["`@rows` (B,16) (s1 + 1,16) (s0)", "4 proved, 3 guards, 1 check", "!281474976710655",
                "needed by linalg.add at rows.mlir:10:10 (extent of dimension 0)", "public @rows"]),
    ("@count(%sum", ["`@count` (s0) index", "Callers check", "private @count"]),
    ("arith.muli", ['"arith.muli"(', "!proved"]),
    ("func.func private", ["`@count`", '"func.func"()']),
    ("// Rows", None),
]

HINTS = [
    ("%q", "[B, 16]"),
    ("%k", "[s1 + 1, 16]"),
    ("%mask", "[s0]"),
    ("%both", "[B + s1 + 1, 16]"),
    ("%rows =", "= B + s1 + 1"),
    ("%flat", "[16*B + 16*s1 + 16]"),
    ("%sum", "[16*B + 16*s1 + 16]"),
    ("%empty", "[?, 16]"),
    ("%x: tensor", "[s0]"),
]


def check_hovers(server, uri, text):
    for part, expected in HOVERS:
        hover = server.hover(uri, *place_of(text, part))
        if expected is None:
            assert hover is None, f"{part}: expected nothing, but got\n{hover}"
            continue
        for line in expected:
            found = line.lstrip("!") in (hover or "")
            assert found != line.startswith("!"), f"{part}: expected {line} in\n{hover}"
    return len(HOVERS)


def expected_hints(text):
    found = []
    for name, label in HINTS:
        line, character = place_of(text, name, inside=len(name.split(":")[0].split(" ")[0]))
        found.append((line, character, label))
    return found


def main():
    text = Path(sys.argv[1]).read_text()
    server = Server()
    server.open(URI, text)
    hovers = check_hovers(server, URI, text)
    hints = server.hints(URI)
    assert hints == expected_hints(text), f"expected {expected_hints(text)}, but got {hints}"
    assert server.diagnostics(URI) == [], server.published[URI]
    few = server.hints(URI, first=7, last=9)
    assert few == [hint for hint in hints if 7 <= hint[0] < 9] and few, few

    # A text that the editor has not saved, which upstream's server does not take.
    other = "untitled:Untitled-1"
    server.open(other, text)
    assert server.hints(other) == hints
    assert "[B + s1 + 1, 16]" in server.hover(other, *place_of(text, "%both = "))

    # Programs one below the other: each stands where it is, also after an edit above.
    two = "// one\n" + text + "// -----\n" + text
    shift = text.count("\n") + 1
    for above in "", "\n\n":
        server.change(URI, above + two)
        first = above.count("\n") + 1
        assert server.hints(URI) == [(line + by, *rest) for by in (first, first + shift)
                                     for line, *rest in hints], server.hints(URI)
    server.close(URI)
    assert server.hints(URI) == [] and server.hover(URI, 6, 3) is None

    assert server.abilities["capabilities"].get("positionEncoding") is None
    assert server.end() == 0
    bytes_too = Server(encodings=("utf-16", "utf-8"))
    assert bytes_too.abilities["capabilities"]["positionEncoding"] == "utf-8"
    assert bytes_too.end() == 0
    print(f"{hovers} hovers, {len(hints)} hints")


if __name__ == "__main__":
    main()
