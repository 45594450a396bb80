#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each row of docs/Rationale/Seeds.md names tests that exist, and what it says is in them.

The last cell of a row is a list of links to tests, each with the names in parentheses of what shows it there: a
function, a case, a unit test. A name is looked for in the linked file and, for a `.test`, in what its commands read.
A row without a link says `no test`; at most 4 do. The table at the head counts the rows of each document.
What the cell before names in backquotes has to exist, too: files, by their path or their name, and passes and tools.

    check_seeds.py [ROOT]

Prints one line per breach and exits 1; else prints how many rows, links and names there were.
"""

import re
import sys
from pathlib import Path

WITHOUT_TEST = 4
# Fewer than these are a page that this script does not know how to read.
FLOORS = {"rows": 250, "links": 400, "names": 100, "places": 40}

ROW = re.compile(r"^\|(?!--|[- :|]+\|?$)(.*)\|\s*$")
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)((?: \([^()]*(?:\([^()]*\)[^()]*)*\))?)")
READ = re.compile(r"[\w./-]+\.(?:py|mlir|json|prove|toml|c)\b")
IMPORTED = re.compile(r"^(?:from|import) (\w+)", re.M)
FILE = re.compile(r"`([\w./*-]+\.(?:cpp|h|inc|py|td))`")
COMMAND = re.compile(r"`(symshape-[a-z]+(?:-[a-z]+)*)")


def read_by(test, root):
    """The text of a test, of the files that its commands name, and of modules beside these."""
    seen, waiting = {}, [test]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        text = seen[path] = path.read_text(errors="replace")
        names = READ.findall(text) if path.suffix == ".test" else []
        if path.suffix == ".py":
            names = [f"{module}.py" for module in IMPORTED.findall(text)]
        for name in names:
            base = Path(name).name
            for folder in (path.parent, path.parent / "Inputs", test.parent, test.parent / "Inputs", root / "utils"):
                waiting.append(folder / base)
            waiting.append(root / name.lstrip("/"))
    return "\n".join(seen.values())


def rows_of(text):
    """(document, cells) of each row below the headings of documents."""
    document = None
    for line in text.splitlines():
        heading = re.match(r"## (\d\d\d):", line)
        document = heading.group(1) if heading else document
        row = ROW.match(line)
        if document and row and not line.startswith("| asks for"):
            yield document, re.split(r"(?<!\\)\|", row.group(1))


def places_in(text, known, root):
    """(place, whether it exists) of each file, pass and tool in the text of a cell. `known` are names of files, and the
    definitions of passes."""
    names, passes = known
    for file in FILE.findall(text):
        yield file, Path(file).name in names or any(root.glob(file))
    for command in COMMAND.findall(text):
        yield command, (root / "tools" / command).is_dir() or f'"{command}"' in passes


def read_tree(root):
    files = [path for folder in ("include", "lib", "python", "tools", "test", "utils", "benchmarks")
             for path in (root / folder).rglob("*")]
    return {path.name for path in files}, "\n".join(path.read_text() for path in files if path.suffix == ".td")


def check(root):
    page = root / "docs/Rationale/Seeds.md"
    text = page.read_text()
    breaches, counts, found, untested = [], dict.fromkeys(FLOORS, 0), {}, 0
    known = read_tree(root)
    for document, cells in rows_of(text):
        found[document] = found.get(document, 0) + 1
        counts["rows"] += 1
        for place, exists in places_in(cells[-2], known, root):
            counts["places"] += 1
            if not exists:
                breaches.append(f"there is no {place}: {cells[0].strip()}")
        links = LINK.findall(cells[-1])
        if not links:
            untested += 1
            if cells[-1].strip() != "no test":
                breaches.append(f"expected a link to a test, or 'no test': {cells[0].strip()}")
        for name, target, rest in links:
            counts["links"] += 1
            path = (page.parent / target.split("#")[0]).resolve()
            if not path.exists():
                breaches.append(f"no such file: {target}")
                continue
            whole = read_by(path, root)
            for each in re.findall(r"`([^`]+)`", rest):
                counts["names"] += 1
                if each.lstrip("@") not in whole:
                    breaches.append(f"{target} has no '{each}'")
    for document, said in re.findall(r"^\| (\d\d\d) \|.*\| (\d+) \|$", text, re.M):
        if found.get(document) != int(said):
            breaches.append(f"the head says {said} rows of {document}, but there are {found.get(document)}")
    if untested > WITHOUT_TEST:
        breaches.append(f"expected at most {WITHOUT_TEST} rows without a test, but got {untested}")
    breaches += [f"expected {floor} {name} or more, but got {counts[name]}"
                 for name, floor in FLOORS.items() if counts[name] < floor]
    return breaches, counts


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    breaches, counts = check(root)
    print(*breaches, sep="\n") if breaches else print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return bool(breaches)


if __name__ == "__main__":
    sys.exit(main())
