# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens each program of "Violations of what is declared" in docs/Diagnostics.md.

    check_actions.py PAGE FOLDER

Those that symshape-report refuses, or warns of, must be marked; what an editor
may do about a mark is done until there is none, once mark by mark and once by
the action that does all at once where there is one. Then symshape-report has no
word to say, and the rest of the text is as it was. A program that it corrects
only with --frozen has no mark.
"""

import re
import subprocess
import sys
from pathlib import Path

from lsp_client import Server, apply, lines

TITLE = "## Violations of what is declared"
KIND = re.compile(r"^### (?P<name>.*?)\n(?P<text>.*?)```mlir\n(?P<program>.*?)```.*?```\n(?P<message>.*?)```", re.M | re.S)
ABOVE = "// Above, and kept: %q dim 0.\n"
ALL = "accept all that symshape-report --fix corrects"


def report(text, folder):
    (folder / "f.mlir").write_text(text)
    done = subprocess.run(["symshape-report", "f.mlir"], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stderr


def marks(server, uri):
    return [one for one in server.diagnostics(uri) if one.get("source") == "symshape"]


def check_mark(mark, kind):
    """It says what the page says, at the line that the page names."""
    first = mark["message"].split("\n")[0]
    place = re.search(r"f\.mlir:(\d+):\d+: (?:error|warning|note): " + re.escape(first).replace("g\\.mlir", "f\\.mlir"),
                      kind["message"])
    assert place, f"{kind['name']}: {first} is not in\n{kind['message']}"
    assert mark["range"]["start"]["line"] == int(place[1]) - 1, (kind["name"], mark)
    assert mark["severity"] == (1 if "error:" in kind["message"] else 2), mark


def check_lines(server, uri, text, found, name):
    """A correction is offered anywhere on the line of its mark, and on no other line."""
    marked = {line for mark in found
              for line in range(mark["range"]["start"]["line"], mark["range"]["end"]["line"] + 1)}
    for line, content in enumerate(text.split("\n")):
        offered = [[one["title"] for one in server.actions(uri, {"start": place, "end": place})]
                   for place in ({"line": line, "character": 0}, {"line": line, "character": len(content)})]
        assert offered[0] == offered[1] and bool(offered[0]) == (line in marked), f"{name}: line {line}: {offered}"
    return len(marked)


def correct(server, uri, text, name, at_once):
    """The text without marks, how many actions that took, and how many did all at once."""
    count = num_all = 0
    while found := marks(server, uri):
        assert count < 10, f"{name}: marks without end"
        where = lines(0, text.count("\n")) if at_once else found[0]["range"]
        offered = [one for one in server.actions(uri, where) if one["kind"] == "quickfix"]
        chosen = [one for one in offered if one["title"] == ALL] if at_once else []
        chosen = chosen or [one for one in offered if one["title"] != ALL]
        assert chosen, f"{name}: nothing to do about {found[0]['message']}"
        text = apply(text, uri, chosen[0])
        server.change(uri, text)
        count += 1
        num_all += chosen[0]["title"] == ALL
    return text, count, num_all


def main():
    page, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
    section = page[page.index(TITLE):]
    section = section[:section.index("\n## ", 1)]
    server = Server()
    marked = on_lines = actions = alls = unmarked = kept = 0
    for number, kind in enumerate(KIND.finditer(section)):
        uri = f"file:///nowhere/{number}/f.mlir"
        name, program = kind["name"], kind["program"]
        server.open(uri, program)
        found = marks(server, uri)
        if "--frozen" in kind["text"]:
            assert found == [], f"{name}: {found}"
            unmarked += 1
            continue
        assert found, f"{name}: no mark"
        for mark in found:
            check_mark(mark, kind)
        marked += 1
        if marked % 5 == 0:
            on_lines += check_lines(server, uri, program, found, name)
        for at_once in False, True:
            text = ABOVE + "\n// -----\n" + program
            server.change(uri, text)
            text, count, num_all = correct(server, uri, text, name, at_once)
            actions += count
            alls += num_all
            assert text.startswith(ABOVE), f"{name}: what stands above has changed:\n{text}"
            status, errors = report(text, folder)
            assert (status, errors) == (0, ""), f"{name}: corrected to\n{text}but\n{errors}"
            body = [line for line in program.split("\n") if line.startswith("  ") and "symshape." not in line]
            kept += all(line in text for line in body)
        server.close(uri)
    assert server.end() == 0
    print(f"{marked} kinds marked, {unmarked} not, {on_lines} lines with actions, {actions} actions, {alls} of all, "
          f"{kept} texts kept")


if __name__ == "__main__":
    main()
