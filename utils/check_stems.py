#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that a function is defined where its declaration lets one look for it.

A function that a header declares is defined in the source of the same stem
(`Bounds.h`, `Bounds.cpp`), or in a source that its name names: every word of
the stem is a word of the function (`registerArithRules` in `ArithRules.cpp`,
`addBoxOps` in `Boxes.cpp`, `buildVjp` in `Vjp.cpp`). What else there is stands
in ELSEWHERE below, with a reason; at most 20.

Looks at functions of namespaces in include/symshape and lib; not at members,
which their class leads to, nor at operators, nor at what is written in C, which has no
namespaces. Overloads are told apart by their number of
parameters. `--all` prints the allowed ones too. Prints one line per breach and
exits 1; prints nothing and exits 0 when all is well.
"""

import argparse
import re
import sys
from pathlib import Path

from check_sizes import NOISE, blank

LIMIT = 20
# Fewer functions than this are a tree that this script does not know how to read.
FLOOR = 400

# (function, stem of its source): why it stands there. An overload counts for itself.
ELSEWHERE = {
    ("assumeEntry", "FactCursor"): "a cursor and the visit both begin so",
    ("buildGradient", "Vjp"): "the reverse derivative for one number",
    ("certify", "Certificates"): "of a plan; of formulas it is in Minimise.cpp",
    ("closeOver", "Closure"): "all that closes formulas is there",
    ("closeOverArguments", "Closure"): "all that closes formulas is there",
    ("compareMonomials", "Handles"): "the order of handles is made of it",
    ("decisiveRelation", "OpParts"): "the part is that of this relation",
    ("dependsOn", "ValueSources"): "a walk over sources of values",
    ("eraseShapeCarriers", "SymShapeOps"): "the ops that it erases are there",
    ("fixModel", "Infer"): "to infer, with one more step",
    ("isKnownBefore", "DeferredChecks"): "places of deferred checks rest on it",
    ("isScalarInteger", "FunctionShapes"): "the sources of this class",
    ("namesInText", "TextParsing"): "needs no parser, but reads text as it does",
    ("partOf", "OpParts"): "part of messages",
    ("proveAgain", "Certificates"): "part of a plan's account",
    ("rangeOfType", "FunctionShapes"): "the sources of this class",
    ("spellingOf", "Signature"): "part of messages",
    ("spellingOfArgument", "Signature"): "part of messages",
    ("structuredTranspose", "LinalgTransposes"): "of all structured ops",
}

NAMESPACE = re.compile(r"(^|\s)(namespace(\s+[\w:]+)?|extern\s*)$")
ANONYMOUS = re.compile(r"(^|\s)namespace$")
NOT_A_FUNCTION = re.compile(
    r"^(using|typedef|struct|class|enum|union|friend|static_assert|extern template)\b"
)
NAME = re.compile(r"((?:[A-Za-z_]\w*(?:<[^<>()]*>)?::)*)([A-Za-z_]\w*)\s*$")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def statements_of(text):
    """Yields (statement, end, anonymous) of the namespaces of a source: what stands
    before a `;` or a `{`. What is inside other braces is left out."""
    text = NOISE.sub(blank, text)
    scopes = []  # per open brace: "namespace", "anonymous" or "body"
    parens, start = 0, 0
    for place, char in enumerate(text):
        outside = "body" not in scopes
        if char in "()":
            parens += 1 if char == "(" else -1
        elif char == "{":
            head = text[start:place].strip()
            if not outside or parens:
                scopes.append("body")
            elif NAMESPACE.search(head):
                scopes.append("anonymous" if ANONYMOUS.search(head) else "namespace")
            else:
                yield head, "{", "anonymous" in scopes
                scopes.append("body")
            if outside and not parens:
                start = place + 1
        elif char == "}":
            closed = scopes.pop() if scopes else None
            if "body" not in scopes and not parens and closed:
                start = place + 1
        elif char == ";" and outside and not parens:
            yield text[start:place].strip(), ";", "anonymous" in scopes
            start = place + 1


def parts_of(head):
    """Splits `R<A> name(p, q) const` at brackets: (what precedes the parameters, their
    number), or None if the statement declares no function."""
    depth, opened, commas = 0, None, 0
    for place, char in enumerate(head):
        if char in "<([{":
            if char == "(" and depth == 0 and opened is None:
                opened = place
            depth += 1
        elif char in ">)]}" and head[max(place - 1, 0) : place + 1] != "->":
            depth -= 1
            if depth == 0 and char == ")" and opened is not None:
                inside = head[opened + 1 : place].strip()
                return head[:opened], commas + 1 if inside else 0
        elif char == "," and depth == 1 and opened is not None:
            commas += 1
        elif char == "=" and depth == 0:
            return None
    return None


def functions_of(path):
    """Yields (name, parameters, end, qualifier) of the functions a file declares
    (`;`) or defines (`{`) for others to see."""
    for head, end, anonymous in statements_of(path.read_text(encoding="utf-8")):
        head = re.sub(r"\s+", " ", head)
        head = re.sub(r"\[\[[^\]]*\]\] ?|^template <[^()]*?> (?=\w)", "", head)
        if anonymous or NOT_A_FUNCTION.search(head) or "operator" in head:
            continue
        parts = parts_of(head)
        match = parts and NAME.search(parts[0])
        # A type stands before the name; a macro has none.
        if not match or not parts[0][: match.start()].strip():
            continue
        if re.search(r"(^| )static ", parts[0]):
            continue
        yield match.group(2), parts[1], end, match.group(1)


def words_of(name):
    """The words of a name, lower case and singular: `Boxes` and `addBoxOps` share `box`."""

    def singular(word):
        for ending, kept in (("sses", 2), ("xes", 2), ("ies", 0), ("ss", 0), ("s", 1)):
            if word.endswith(ending):
                return word[: len(word) - kept]
        return word

    return {singular(word.lower()) for word in WORD.findall(name)}


def names_file(function, stem):
    return words_of(stem) <= words_of(function)


def check(root):
    """(number of functions looked at, those defined elsewhere, those that their name leads to)"""
    declared, defined = {}, {}
    headers = [*(root / "include/symshape").rglob("*.h"), *(root / "lib").rglob("*.h")]
    for path in sorted(headers):
        for name, count, end, _ in functions_of(path):
            if end == ";" and not {"Runtime", "Bundle"} & set(path.parts):
                declared.setdefault((name, count), set()).add(path)
    for path in sorted((root / "lib").rglob("*.cpp")):
        for name, count, end, _ in functions_of(path):
            if end == "{":
                defined.setdefault((name, count), set()).add(path)
    looked, elsewhere, named = 0, [], []
    for key, places in sorted(declared.items()):
        sources = defined.get(key, set())
        for header in places if sources else ():
            looked += 1
            stems = {source.stem for source in sources}
            if header.stem in stems:
                continue
            entry = (key[0], header.stem, min(stems))
            by_name = any(names_file(key[0], stem) for stem in stems)
            (named if by_name else elsewhere).append((entry, header))
    return looked, elsewhere, named


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    parser.add_argument("--all", action="store_true", help="print the allowed ones too")
    # For the test of this script, on a tree of a few functions.
    parser.add_argument("--floor", type=int, default=FLOOR, help=argparse.SUPPRESS)
    parser.add_argument("--listed", choices=["all", "none"], default="all", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    listed = ELSEWHERE if arguments.listed == "all" else {}
    root = Path(arguments.root).resolve()
    looked, elsewhere, named = check(root)
    breaches = []
    for entry, header in elsewhere:
        if (entry[0], entry[2]) not in listed:
            breaches.append(
                f"{header.relative_to(root)}:1: stems: '{entry[0]}' is defined in {entry[2]}.cpp,"
                " which neither its header nor its name says"
            )
    for entry in sorted(set(listed) - {(entry[0], entry[2]) for entry, _ in elsewhere}):
        breaches.append(f"utils/check_stems.py:1: stems: '{entry[0]}' no longer stands elsewhere")
    if len(elsewhere) > LIMIT:
        breaches.append(
            f"utils/check_stems.py:1: stems: {len(elsewhere)} exceed the {LIMIT} allowed"
        )
    if looked < arguments.floor:
        breaches.append(
            f"utils/check_stems.py:1: stems: expected at least {arguments.floor} functions,"
            f" but found {looked}"
        )
    if arguments.all:
        for kind, found in (("elsewhere", elsewhere), ("by name", named)):
            for (function, declared, defined), _ in found:
                print(f"{kind}: {function}: {declared}.h, {defined}.cpp")
        print(f"{looked} functions, {len(named)} by name, {len(elsewhere)} elsewhere")
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
