#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trace each constraint label from ODS to its verifier and its negative test.

A description in a .td file under include or lib numbers its constraints (C1),
(C2), ... For each label of the op `symshape.foo_bar`, class `FooBarOp`, there is

  verifier   a comment `// C<n>` inside `FooBarOp::verify...` under lib; or the
             text of the constraint says `ODS`, as in "(enforced by ODS)";
  test       under test, a function `@...foo_bar_c<n>` (more may follow, as in
             `_c1_negative`) in a section that has an `expected-error`;

and no verifier cites a label that the description lacks. Attributes and types
are treated alike. Prints what is missing and exits 1; prints nothing and exits
0 when nothing is missing, or when there are no .td files.
"""

import argparse
import re
import sys
from pathlib import Path

DEF = re.compile(r"^def\s+(\w+)\s*:((?:(?!^(?:def|class|multiclass)\b).)*)", re.M | re.S)
STRING = re.compile(r'"([^"\n]*)"')
MNEMONIC = re.compile(r'let\s+mnemonic\s*=\s*"([^"]+)"')
DESCRIPTION = re.compile(r"let\s+description\s*=\s*\[\{(.*?)\}\]", re.S)
LABEL = re.compile(r"\(C(\d+)\)")
VERIFIER = re.compile(r"^(?=\S)[^\n;]*?\b(\w+)::verify\w*\s*\([^;{]*\{.*?^}", re.M | re.S)
CITATION = re.compile(r"//[^\n]*")
SECTION = re.compile(r"^// -----", re.M)
FUNCTION = re.compile(r"func(?:\.func)?\s+(?:\w+\s+)?@([\w.$-]+)")


def read(root, folders, suffixes):
    """Yields (path relative to root, text) of the files with one of `suffixes`."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path.relative_to(root), path.read_text(encoding="utf-8", errors="replace")


class Definition:
    """One `def` with labels: where it is, what it is called, what it promises."""

    def __init__(self, path, text, match):
        self.path = path
        self.line = text.count("\n", 0, match.start()) + 1
        body = match.group(2)
        # `def SymShape_FooOp` declares the C++ class FooOp; an AttrDef or TypeDef
        # named "Foo" declares FooAttr or FooType.
        plain = match.group(1).split("_", 1)[-1]
        first = STRING.search(body)
        stem = first.group(1) if first else plain
        self.classes = {plain, stem + "Attr", stem + "Type"}
        mnemonic = MNEMONIC.search(body)
        self.name = (mnemonic.group(1) if mnemonic else stem).replace(".", "_")
        description = DESCRIPTION.search(body)
        self.labels = labels_of(description.group(1) if description else "")


def labels_of(description):
    """Maps each label to True when its text says that ODS enforces it."""
    labels = {}
    marks = list(LABEL.finditer(description))
    for mark, following in zip(marks, marks[1:] + [None]):
        text = description[mark.end() : following.start() if following else None]
        text = re.split(r"\n\s*\n", text)[0]  # the constraint ends at a blank line
        number = int(mark.group(1))
        labels[number] = labels.get(number, False) or "ODS" in text
    return labels


def citations(root):
    """Maps each class to the label numbers cited inside its verifiers."""
    cited = {}
    for _, text in read(root, ["lib"], {".cpp", ".cc"}):
        for match in VERIFIER.finditer(text):
            for comment in CITATION.findall(match.group()):
                numbers = map(int, re.findall(r"\bC(\d+)\b", comment))
                cited.setdefault(match.group(1), set()).update(numbers)
    return cited


def negative_tests(root):
    """The names of functions that share a test section with an expected error."""
    names = set()
    for _, text in read(root, ["test"], {".mlir"}):
        for section in SECTION.split(text):
            if "expected-error" in section:
                names.update(FUNCTION.findall(section))
    return names


def check(root):
    definitions = [
        definition
        for path, text in read(root, ["include", "lib"], {".td"})
        for definition in (Definition(path, text, match) for match in DEF.finditer(text))
    ]
    cited, tests = citations(root), negative_tests(root)
    missing = []
    for d in definitions:
        in_verifier = set().union(*(cited.get(name, set()) for name in d.classes))
        place = f"{d.path}:{d.line}: {d.name}"
        for number, by_ods in sorted(d.labels.items()):
            if not by_ods and number not in in_verifier:
                missing.append(f"{place}: (C{number}) has no `// C{number}` in a verifier")
            pattern = re.compile(rf"(?:^|_){re.escape(d.name)}_c{number}(?!\d)")
            if not any(pattern.search(name) for name in tests):
                missing.append(f"{place}: (C{number}) has no negative test @{d.name}_c{number}")
        for number in sorted(in_verifier - set(d.labels)):
            missing.append(f"{place}: the verifier cites C{number}, the description has no (C{number})")
    return missing


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    missing = check(Path(parser.parse_args().root).resolve())
    print("\n".join(missing), end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
