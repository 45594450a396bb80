# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The innermost loops of an assembly file in which an instruction stands.

    inner_loops.py INSTRUCTION < FILE.s

Prints a line for each, `26 fmla, 0 stack, 0 masked, 0 calls`: how often the
instruction stands in it, how many move vectors from or to the stack, how many run
under a mask, and how many call. Pointers to rows may be on the stack.
"""

import re
import sys

BRANCH = re.compile(r"\s+(?:j[a-z]+|b|b\.[a-z]+|cbn?z|tbn?z)\s.*?(\.L\w+)$")

# A place of its own on the stack: what has an index besides is an array there.
STACK = re.compile(r"\(%r[sb]p\)|\[sp|\[x29")
VECTOR = re.compile(r"%[xyz]mm|\b[qdsv][0-9]+\b")


def loops(lines):
    """From a label to a branch back to it, without another branch in between."""
    labels = {}
    for i, line in enumerate(lines):
        if label := re.match(r"(\.L\w+):", line):
            labels[label[1]] = i
        if (branch := BRANCH.match(line)) and branch[1] in labels:
            body = lines[labels[branch[1]] + 1 : i]
            if not any(BRANCH.match(line) for line in body):
                yield body


def main():
    for body in loops(sys.stdin.read().splitlines()):
        wanted = sum(line.split()[:1] == [sys.argv[1]] for line in body)
        stack = sum(bool(STACK.search(line) and VECTOR.search(line)) for line in body)
        masked = sum(bool(re.search(r"\{%k[0-7]\}|maskmov", line)) for line in body)
        calls = sum(line.split()[:1] in (["call"], ["callq"], ["bl"], ["blr"]) for line in body)
        if wanted:
            print(f"{wanted} {sys.argv[1]}, {stack} stack, {masked} masked, {calls} calls")


if __name__ == "__main__":
    main()
