#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draw the folders of a walk through the tree, and which of them include which.

    draw_includes.py [--check] [ROOT]

A walk is a page docs/Rationale/WalkOf*.md with a table whose rows are
`| step | file | functions | ...`. Beside it stands its picture, of the same
name in SVG: a box for each folder that the walk comes through, in the order in
which it gets there, with the numbers of the steps, and a line from each folder
to those of them whose headers it includes. Counts and names of files are left
out, so a picture changes only with the walk, and when a folder first includes
another one.

Writes the pictures. With --check it writes nothing, and complains of a picture
that is not what it would write, of a file that does not exist, and of a
function that the file does not define. Exits 1 after a complaint.
"""

import argparse
import re
import sys
from pathlib import Path

from check_layers import SUFFIXES, includes_of, layer_of
from check_sizes import functions_of

STEP = re.compile(r"^\| *(\d+) *\| *`([^`|]+)` *\|([^|]*)\|")
CODE = re.compile(r"`([^`]+)`")

# The layout: a staircase, down and to the right. A line leaves a box sideways
# and turns towards its target in a column of its own, where no box is.
WIDTH, HEIGHT, RIGHT, DOWN, MARGIN, TURN = 340, 34, 56, 56, 14, 22


def steps_of(page):
    """Yields (number, file, functions) of the table of a page."""
    for line in page.read_text(encoding="utf-8").splitlines():
        match = STEP.match(line)
        if match:
            yield int(match.group(1)), match.group(2), CODE.findall(match.group(3))


class Tree:
    """The files of a tree by folder. A public header belongs to the folder of
    the source of its stem, where its layer has folders."""

    def __init__(self, root):
        self.root = root
        self.files = {}  # folder -> files
        sources = {}  # (layer, stem) -> folder of lib
        for path in sorted((root / "lib").rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                folder = path.parent.relative_to(root).as_posix()
                self.files.setdefault(folder, []).append(path)
                if path.suffix != ".h":
                    sources[layer_of(path.relative_to(root)), path.stem] = folder
        self.public = {}  # `symshape/X/Y.h` -> folder
        for path in sorted((root / "include").rglob("*.h")):
            name = path.relative_to(root)
            layer = layer_of(name)
            folder = sources.get((layer, path.stem), f"lib/{layer}")
            self.public[name.relative_to("include").as_posix()] = folder
            self.files.setdefault(folder, []).append(path)

    def folder_of(self, source, included):
        """The folder that an include of `source` leads to, or None."""
        if included in self.public:
            return self.public[included]
        for base in (source.parent, self.root / "lib" / "Conversion"):
            path = base / included
            if path.exists() and not included.startswith("mlir/"):
                return path.parent.relative_to(self.root).as_posix()
        return None

    def uses_of(self, folder):
        """The other folders whose headers the files of a folder include."""
        found = {
            self.folder_of(path, included)
            for path in self.files.get(folder, [])
            for _, included in includes_of(path)
        }
        return found - {None, folder}


def ranges_of(numbers):
    """`1, 3-5` for 1, 3, 4, 5."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def draw(tree, steps):
    """The picture of a walk."""
    numbers = {}  # folder -> steps, in the order of the walk
    for number, file, _ in steps:
        numbers.setdefault(Path(file).parent.as_posix(), []).append(number)
    folders = list(numbers)
    count = len(folders)
    size = (2 * MARGIN + WIDTH + RIGHT * (count - 1), 2 * MARGIN + HEIGHT + DOWN * (count - 1))
    place = {folder: (MARGIN + RIGHT * i, MARGIN + DOWN * i) for i, folder in enumerate(folders)}
    lines, dots, boxes = [], [], []
    for i, folder in enumerate(folders):
        uses = tree.uses_of(folder)
        for j, target in enumerate(folders):
            # What stands for a whole layer, as its list of passes, is of all its folders.
            layer = "/".join(target.split("/")[:2])
            if target not in uses and (layer not in uses or folder.startswith(layer + "/")):
                continue
            if target == folder:
                continue
            (x, y), (a, b) = place[folder], place[target]
            down = j > i
            start = x + WIDTH if down else x
            turn = a + WIDTH - TURN if down else a + TURN
            end = b - 2 if down else b + HEIGHT + 2
            middle = y + HEIGHT // 2
            lines.append(f'<path d="M{start} {middle}H{turn}V{end}" marker-end="url(#tip)"/>')
            dots.append(f'<circle cx="{turn}" cy="{middle}" r="3"/>')
    for folder in folders:
        (x, y), label = place[folder], ranges_of(numbers[folder])
        boxes.append(
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>\n'
            f'<text x="{x + 10}" y="{y + 22}">{folder}</text>\n'
            f'<text class="steps" x="{x + WIDTH - 10}" y="{y + 22}">{label}</text>'
        )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}"'
        f' viewBox="0 0 {size[0]} {size[1]}">',
        "<!-- Written by utils/draw_includes.py. -->",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
        "<style>rect{fill:#eef3fa;stroke:#345}text{font:14px sans-serif;fill:#123}"
        ".steps{text-anchor:end;font-weight:bold}g path{fill:none;stroke:#678}"
        "circle{fill:#678}</style>",
        f'<rect width="{size[0]}" height="{size[1]}" style="fill:#fff;stroke:none"/>',
        "<g>", *lines, *dots, "</g>", *boxes, "</svg>", "",
    ])


def check_steps(root, page, steps):
    """Yields what is wrong with the table of a page."""
    for expected, (number, file, functions) in enumerate(steps, 1):
        place = f"{page.name}: step {number}"
        if number != expected:
            yield f"{place}: expected step {expected}"
        if not (root / file).is_file():
            yield f"{place}: there is no '{file}'"
            continue
        text = (root / file).read_text(encoding="utf-8")
        defined = {name.split("::")[-1] for _, _, name in functions_of(text)}
        for function in functions:
            if function.split("::")[-1] not in defined:
                yield f"{place}: '{file}' does not define '{function}'"
        if not functions:
            yield f"{place}: expected a function"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    arguments = parser.parse_args()
    root = Path(arguments.root)
    tree = Tree(root)
    wrong, pairs, pictures = [], 0, 0
    for page in sorted((root / "docs/Rationale").glob("WalkOf*.md")):
        steps = list(steps_of(page))
        wrong += check_steps(root, page, steps)
        pairs += sum(len(functions) for _, _, functions in steps)
        picture, text = page.with_suffix(".svg"), draw(tree, steps)
        pictures += 1
        if not arguments.check:
            picture.write_text(text, encoding="utf-8")
        elif not picture.exists() or picture.read_text(encoding="utf-8") != text:
            wrong.append(f"{picture.name}: not what utils/draw_includes.py draws now; run it")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{pictures} pictures, {pairs} functions in their files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
