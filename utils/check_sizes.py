#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Report files and functions longer than the style guide wants.

                  wanted   refused
  source (.cpp)      400       800   lines
  header (.h)        300       400
  TableGen (.td)     600         -
  function            60       150

Looks under include, lib, tools, unittests, benchmarks and examples. Prints one
line per finding, longest first; exits 1 only when a refused size is exceeded.
Functions are found by counting braces: comments, strings and preprocessor lines
are dropped first, and a lambda counts as part of the function around it.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDERS = ["include", "lib", "tools", "unittests", "benchmarks", "examples"]
FILE_LIMITS = {  # suffix -> (wanted, refused)
    ".cpp": (400, 800), ".cc": (400, 800), ".c": (400, 800),
    ".h": (300, 400), ".hpp": (300, 400),
    ".td": (600, None),
}
FUNCTION_LIMITS = (60, 150)

# What is blanked before braces are counted, line breaks kept. Raw strings come
# first, since they may hold anything.
NOISE = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r"|//[^\n]*|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M,
)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
ACCESS = re.compile(r"\s*(public|private|protected)\s*$")
NAME = re.compile(r"((?:[A-Za-z_]\w*(?:<[^<>()]*>)?::)*~?(?:operator[^\w\s(]+|[A-Za-z_]\w*))\s*\(")
# What may stand between the `)` of a function head and its `{`.
TAIL = (
    r"\)(?:const|noexcept|override|final|volatile|&&?|\b[A-Z][A-Z_0-9]+\b|\s)*"
    r"(?:->[^(){}=;]+)?"
)
HEAD = re.compile(TAIL + "$")
BRACED_INITIALIZER = re.compile(TAIL + r"(?<!:):(?!:).*[\w>]\s*$", re.S)


def blank(match):
    return "\n" * match.group().count("\n") or " "


def functions_of(text):
    """Yields (first line, length in lines, name) of each function definition."""
    line, head, head_line = 1, "", 1
    scopes = []  # one per open brace: "scope", "body", "init" or (line, name)
    for char in NOISE.sub(blank, text):
        line += char == "\n"
        if char == "{":
            name = NAME.search(head) if HEAD.search(head) else None
            outside = all(scope == "scope" for scope in scopes)
            if scopes[-1:] == ["init"] or (outside and BRACED_INITIALIZER.search(head)):
                scopes.append("init")  # C(...) : member{...}; the head goes on
                continue
            if not outside:
                scopes.append("body")
            elif name:
                scopes.append((head_line, name.group(1)))
            else:
                scopes.append("scope" if SCOPE.search(head) else "body")
            head = ""
        elif char == "}":
            scope = scopes.pop() if scopes else "scope"
            if isinstance(scope, tuple):
                yield scope[0], line - scope[0] + 1, scope[1]
            head = head + "()" if scope == "init" else ""
        elif char == ";" or (char == ":" and ACCESS.match(head)):
            head = ""
        else:
            if not head.strip():
                head, head_line = "", line
            head += char


def check(root):
    """Returns findings as (refused, size, limit, place, what)."""
    findings = []

    def note(size, limits, place, what):
        wanted, refused = limits
        if size > wanted:
            over = refused is not None and size > refused
            findings.append((over, size, refused if over else wanted, place, what))

    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in FILE_LIMITS or not path.is_file():
                continue
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8", errors="replace")
            note(len(text.splitlines()), FILE_LIMITS[path.suffix], f"{name}:1", "file")
            if path.suffix != ".td":
                for first, length, function in functions_of(text):
                    note(length, FUNCTION_LIMITS, f"{name}:{first}", function)
    return sorted(findings, key=lambda f: (not f[0], -f[1], f[3]))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    parser.add_argument("--refused-only", action="store_true",
                        help="do not print what is merely over the wanted size")
    args = parser.parse_args()
    findings = check(Path(args.root).resolve())
    for refused, size, limit, place, what in findings:
        if refused:
            print(f"{place}: refused: {what} has {size} lines, the limit is {limit}")
        elif not args.refused_only:
            print(f"{place}: long: {what} has {size} lines, wanted at most {limit}")
    return 1 if any(refused for refused, *_ in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
