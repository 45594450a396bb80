#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Count the lines of each layer, without comments and blanks.

    count_lines.py [--root FOLDER] [REVISION...]

A table of the layers of include and lib, a column for each revision of git, and
one for the tree as it is. TableGen counts with its layer, its descriptions too.
"""

import argparse
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

from check_layers import ORDER, SUFFIXES, layer_of

# Strings first: they may hold what looks like a comment.
TOKEN = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"|\[\{.*?\}\]|"(?:\\.|[^"\\\n])*"'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)",
    re.S,
)


def count(text):
    """The lines of a text that hold more than blanks and comments."""

    def keep(match):
        return match.group() if match.group("comment") is None else " "

    return sum(1 for line in TOKEN.sub(keep, text).splitlines() if line.strip())


def files_of(root, revision):
    """Yields (path, text) of include and lib, of a revision or of the tree."""
    if revision is None:
        for folder in ("include", "lib"):
            for path in (root / folder).rglob("*"):
                if path.is_file():
                    yield path.relative_to(root), path.read_text(errors="replace")
        return
    done = subprocess.run(
        ["git", "-C", str(root), "archive", revision, "include", "lib"],
        check=True, stdout=subprocess.PIPE,
    )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in archive:
            if member.isfile():
                text = archive.extractfile(member).read().decode(errors="replace")
                yield PurePosixPath(member.name), text


def lines_of(root, revision):
    """(place, layer) -> lines, where the place is include or lib."""
    lines = {}
    for path, text in files_of(root, revision):
        if path.suffix in SUFFIXES:
            key = path.parts[0], layer_of(path)
            lines[key] = lines.get(key, 0) + count(text)
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revisions", nargs="*", help="revisions of git to compare with")
    parser.add_argument("--root", default=".", help="project root (default: .)")
    arguments = parser.parse_args()
    root = Path(arguments.root)
    columns = [*arguments.revisions, None]
    counted = [lines_of(root, revision) for revision in columns]
    layers = [layer for peers in ORDER for layer in peers]
    layers += sorted({layer for lines in counted for _, layer in lines} - set(layers))
    row = "| {:<14} |" + " {:>9} |" * len(columns)
    print(row.format("layer", *[(revision or "now")[:9] for revision in columns]))
    print("|" + "|".join(["---"] + ["--:"] * len(columns)) + "|")
    for layer in layers:
        sums = [sum(n for (_, of), n in lines.items() if of == layer) for lines in counted]
        if any(sums):
            print(row.format(layer, *sums))
    for place in ("include", "lib"):
        sums = [sum(n for (at, _), n in lines.items() if at == place) for lines in counted]
        print(row.format(f"all of {place}", *sums))
    return 0


if __name__ == "__main__":
    sys.exit(main())
