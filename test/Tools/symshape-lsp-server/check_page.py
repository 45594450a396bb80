# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/HowTo/UseInAnEditor.md shows what an editor shows.

    check_page.py PAGE
"""

import re
import sys
from pathlib import Path

from lsp_client import Server

URI = "file:///nowhere/join.mlir"


def with_hints(text, hints):
    rows = text.split("\n")
    for line, character, label in sorted(hints, reverse=True):
        rows[line] = f"{rows[line][:character]} «{label}»{rows[line][character:]}"
    return "\n".join(rows)


def main():
    page = Path(sys.argv[1]).read_text()
    program, shown, message = re.findall(r"```(?:mlir)?\n(.*?)```", page, re.S)[:3]
    server = Server()
    server.open(URI, program)
    hints = server.hints(URI)
    assert with_hints(program, hints) == shown, with_hints(program, hints)
    (mark,) = server.diagnostics(URI)
    assert mark["message"] + "\n" == message, mark["message"]
    assert server.end() == 0
    print(f"{len(hints)} hints")


if __name__ == "__main__":
    main()
