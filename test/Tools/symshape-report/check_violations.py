# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the section "Violations of what is declared" of docs/Diagnostics.md.

    check_violations.py PAGE FOLDER

Each kind there has a program and the complete message. The tool must print just
that; its --fix must write a module that holds what each note says to write, that
passes, and that is compiled by the passes that insert guards. A kind whose text
names --frozen is checked with it.
"""

import re
import subprocess
import sys
from pathlib import Path

TITLE = "## Violations of what is declared"
KIND = re.compile(r"^### (?P<name>.*?)\n(?P<text>.*?)```mlir\n(?P<program>.*?)```.*?```\n(?P<message>.*?)```", re.M | re.S)
DECLARED = re.compile(r"to accept it, .*?(#symshape\.\w+<.*>)(?! from)\]?$", re.M)


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def without_excerpts(text):
    """The messages without the lines of the program that they show."""
    kept = []
    for line in text.splitlines():
        if line.strip() == "^":
            kept.pop()
        else:
            kept.append(line)
    return "\n".join(kept) + "\n"


def check(kind, folder, number):
    name, frozen = kind["name"], "--frozen" in kind["text"]
    path = f"f{number}.mlir"
    (folder / path).write_text(kind["program"])
    option = ["--frozen"] if frozen else []
    told = run("symshape-report", path, *option, folder=folder)
    message = without_excerpts(told.stderr).replace(path, "f.mlir")
    only_warns = "error:" not in kind["message"]
    assert (told.returncode == 0) == only_warns, f"{name}: exit status {told.returncode}"
    assert message == kind["message"], f"{name}: expected\n{kind['message']}but got\n{message}"

    fixed = run("symshape-report", path, "--fix=fixed.mlir", *option, folder=folder)
    assert fixed.returncode == 0, f"{name}: --fix fails\n{fixed.stderr}"
    assert "corrected: " in fixed.stdout, f"{name}: nothing was corrected"
    module = (folder / "fixed.mlir").read_text()
    for attribute in DECLARED.findall(message):
        assert attribute in module or attribute.count("#") > 1, f"{name}: {attribute} is not in\n{module}"
    again = run("symshape-report", "fixed.mlir", *option, folder=folder)
    assert again.returncode == 0 and again.stderr == "", f"{name}: corrected, but\n{again.stderr}"
    guards = "--symshape-insert-guards" + ("=frozen" if frozen else "")
    built = run("symshape-opt", "fixed.mlir", "--symshape-check-policies", guards, "--symshape-specialize", folder=folder)
    assert built.returncode == 0 and built.stderr == "", f"{name}: corrected, but\n{built.stderr}"


def main():
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    section = page.read_text().split(TITLE + "\n")[1].split("\n## ")[0]
    kinds = list(KIND.finditer(section))
    assert len(kinds) == section.count("### "), "a kind without program or message"
    for number, kind in enumerate(kinds):
        check(kind, folder, number)
    print(f"{len(kinds)} kinds of violations")


if __name__ == "__main__":
    main()
