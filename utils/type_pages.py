#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types the pages as a reader does: each from an empty folder, its blocks in order, and compares what they print.

    type_pages.py BUILD FOLDER [--python=PROGRAM] [--filter=REGEX] [--verbose]

`SYMSHAPE` is the tree, the tools are on PATH, and so is the Python of an environment that has the package. Of a page

- a block of a program is a file, the last one of its kind that the line before it names;
- a block `sh` is typed into one shell, and a block without a language behind it is what it prints: these lines in this
  order, with `...` for what is left out; a measured number may be another one. A command ends with an error only where
  an error is printed, or where the line before or after speaks of the exit status;
- blocks `python` are typed into one interpreter, as examples where they begin with `>>> `; blocks `text` are what the
  others print.

What is not typed is in NOT_TYPED, each with its reason: a block that is neither typed nor there is an error, and so is a
reason that no block needs. Prints a line for each page; exits 1 when one is wrong.
"""

import argparse
import concurrent.futures
import doctest
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from typed_pages import NEEDS, NOT_TYPED, PAGES

SOURCE = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```([\w+-]*)\n(.*?)^```$", re.M | re.S)
FILES = {"mlir": "mlir", "mlir-tail": "mlir", "c": "c", "llvm": "ll"}  # their endings
MEASURED = re.compile(r"\d+(?:\.\d+)?(?= (?:ns|µs|ms|s|MB|GB|bytes|GFLOP/s)\b)|(?<=[A-Za-z]=)\d+\.\d+|(?<=byte )\d+")
SECONDS = 300


class Page:
    def __init__(self, path, folder, python, build):
        self.path, self.folder, self.name = path, folder, str(path.relative_to(SOURCE))
        self.counts = dict.fromkeys(("files", "commands", "compared", "snippets", "examples", "left out"), 0)
        self.wrong, self.reasons = [], set()
        self.python = python
        self.environment = {"PATH": os.pathsep.join([str(build / "bin"), str(python.parent), "/usr/bin", "/bin"]), "HOME": str(folder / "home"),
                            "SYMSHAPE": str(SOURCE), "SYMSHAPE_CACHE": str(folder / "home/cache"), "LANG": "C.UTF-8", "TERM": "dumb",
                            "PREFIX": str(folder.parent / "prefix")}

    def run(self, command):
        return subprocess.run(command, cwd=self.folder / "here", env=self.environment, text=True, stdin=subprocess.DEVNULL, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)

    def leaves_out(self, text):
        """Whether the block has a reason not to be typed."""
        for pattern in NOT_TYPED.get(self.name, {}):
            if re.search(pattern, text):
                self.reasons.add(pattern)
                self.counts["left out"] += 1
                return True
        return False

    def type_shell(self, text, shown, around):
        script = f"[ ! -e ../state ] || . ../state\nset -eo pipefail\n{text}\ndeclare -px | grep -v ' \\(PWD\\|OLDPWD\\|SHLVL\\)=' > ../state\n"
        done = self.run(["bash", "-c", script])
        self.counts["commands"] += 1
        fails = "exit status" in around or shown is not None and re.search(r"error: |valid for no size|guard failed: ", shown)
        if done.returncode and not fails:
            self.wrong.append(f"{text.strip()}\n  exit status {done.returncode}:\n{textwrap.indent(done.stdout[-1500:], '    ')}")
        elif shown is not None:
            self.counts["compared"] += 1
            if missing := self.missing(shown, done.stdout):
                self.wrong.append(f"{text.strip()}\n  does not print: {missing}\n  but:\n{textwrap.indent(done.stdout[:2500], '    ')}")

    @staticmethod
    def missing(shown, printed):
        """The first line of what the page shows that is not printed after those before it."""
        lines, at = printed.splitlines(), 0
        for line in shown.splitlines():
            if not line.strip() or line.strip() in ("...", "…"):
                continue
            parts = [".*".join(re.escape(bit) for bit in re.split(r"\.\.\.|…", part)) for part in MEASURED.split(line)]
            pattern = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?".join(parts))
            while at < len(lines) and not pattern.fullmatch(lines[at].rstrip()):
                at += 1
            if at == len(lines):
                return line
            at += 1
        return None

    def type_python(self, texts, printed, new):
        """Blocks of the page, of which so many are new, in one interpreter; what they print has the lines `printed`."""
        examples = [text for text in texts if text.startswith(">>> ")]
        plain = [text for text in texts if not text.startswith(">>> ")]
        if plain:
            self.counts["snippets"] += min(new, len(plain))
            (self.folder / "typed.py").write_text("\n".join(plain))
            done = self.run(["bash", "-c", f"[ ! -e ../state ] || . ../state\nexec '{self.python}' ../typed.py"])
            if missing := self.missing(printed, done.stdout):
                self.wrong.append(f"blocks of Python do not print: {missing}")
            if done.returncode:
                self.wrong.append(f"blocks of Python:\n{textwrap.indent(done.stdout[-1500:], '    ')}")
        if examples:
            (self.folder / "examples.py").write_text(DOCTEST)
            (self.folder / "examples.txt").write_text("\n".join(examples))
            done = self.run([self.python, self.folder / "examples.py", self.folder / "examples.txt"])
            self.counts["examples"] += len(doctest.DocTestParser().get_examples("\n".join(examples)))
            if done.returncode:
                self.wrong.append(f"examples of Python:\n{textwrap.indent(done.stdout[-2500:], '    ')}")

    def outputs(self, text, blocks):
        """What each command prints, by its number, and the numbers of the blocks that say it."""
        shown, taken, command = {}, set(), None
        for number, block in enumerate(blocks):
            follows = command is not None and block[1] == "" and not text[blocks[number - 1].end():block.start()].strip()
            command = number if block[1] == "sh" else command if follows else None
            if follows:
                taken.add(number)
                if not self.leaves_out(block[2]):
                    shown[command] = shown.get(command, "") + block[2]
        return shown, taken

    def type(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "here").mkdir(parents=True)
        (self.folder / "home").mkdir()
        text, python, printed, end, typed = self.path.read_text(), [], [], 0, 0
        blocks = list(BLOCK.finditer(text))
        shown, taken = self.outputs(text, blocks)
        for number, block in enumerate(blocks):
            before = text[end:block.start()].strip().split("\n")[-1]
            end = block.end()
            if number in taken or self.leaves_out(block[2]):
                continue
            language, names = block[1], re.findall(rf"`([\w-]+\.{FILES.get(block[1], '-')})`", before)
            if language == "sh":
                if any(not one.startswith(">>> ") for one in python[typed:]):  # what it writes may be needed
                    self.type_python([one for one in python if not one.startswith(">>> ")], "", len(python) - typed)
                    typed = len(python)
                last = max([number, *(n for n in taken if all(m in taken for m in range(number + 1, n + 1)))])
                after = text[blocks[last].end():].strip().split("\n")[0]
                self.type_shell(block[2], shown.get(number), before + after)
            elif language == "python":
                python.append(block[2])
            elif language == "text" and python:
                printed.append(block[2])
            elif names and before.endswith(":"):
                (self.folder / "here" / names[-1]).write_text(block[2])
                self.counts["files"] += 1
            else:
                self.wrong.append(f"a block {language or 'without a language'} that nobody types:\n{textwrap.indent(block[2][:200], '    ')}")
        if python:
            self.type_python(python, "".join(printed), len(python) - typed)
        self.wrong += [f"a reason that no block needs: {each}" for each in NOT_TYPED.get(self.name, {}) if each not in self.reasons]
        return self


DOCTEST = """
import doctest, pathlib, sys
if __name__ == "__main__":
    sys.exit(doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).failed)
"""


def has(python, module):
    return subprocess.run([python, "-c", f"import {module}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("folder", type=Path, help="where pages are typed, each in a folder of its own")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="that of an environment with the package")
    parser.add_argument("--filter", default="", metavar="REGEX", help="pages whose path matches")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    build, folder, python = args.build.resolve(), args.folder.resolve(), args.python.absolute()
    found = {str(path.relative_to(SOURCE)) for pattern in PAGES for path in SOURCE.glob(pattern) if BLOCK.search(path.read_text())}
    names, left = sorted(name for name in found if re.search(args.filter, name)), []
    for name in list(names):
        if name in NEEDS and not all(has(python, module) for module in NEEDS[name].split()):
            left.append(name)
            names.remove(name)
    prefix = folder / "prefix"  # where symshape is installed
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.mkdir(parents=True)
    (prefix / "include").symlink_to(SOURCE / "include")
    (prefix / "lib").symlink_to(build / "lib")
    pages = [Page(SOURCE / name, folder / name.replace("/", "-").removesuffix(".md"), python, build) for name in names]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for page in pool.map(Page.type, pages):
            wrong += len(page.wrong)
            print(f"{page.name}: " + ", ".join(f"{count} {what}" for what, count in page.counts.items() if count), flush=True)
            print("".join(f"  WRONG: {each}\n" for each in page.wrong), end="", flush=True)
    for name in left:
        print(f"{name}: not typed, for {args.python} has not all of: {NEEDS[name]}")
    if not args.filter:
        for name in sorted(set(NOT_TYPED) - found):
            print(f"  WRONG: reasons for {name}, which is no page with blocks")
            wrong += 1
    total = {what: sum(page.counts[what] for page in pages) for what in pages[0].counts} if pages else {}
    print(f"{len(pages)} pages: " + ", ".join(f"{count} {what}" for what, count in total.items()) + f"; {wrong} wrong")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
