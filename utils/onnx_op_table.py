#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of ONNX ops: which opset brought or changed each, whether it has a definition here, and what that requires.

    onnx_op_table.py SYMSHAPE_ONNX > docs/OnnxOps.md

Opsets and their ops are those of the package `onnx`, definitions those that `symshape-onnx ops` lists.
"""

import collections
import re
import subprocess
import sys

from onnx import defs

import onnx_requirements
import onnx_sentences
from onnx_sentence_cases import GROUPS

REQUIRED = """
## What ops require

Beyond extents that must be equal or broadcast, which are proved or checked for every op: what its definition asks for, \
in the words of its messages. What is known when the model is read is refused then, and checked in each call otherwise. \
`utils/onnx_requirements.py` reads these from the definitions.

| op | requires |
|---|---|"""
SENTENCES = """
## What the standard says

Each sentence of the definitions of ops, all versions, that may restrict something at run time, and the number of nodes \
that it allows and forbids in `utils/onnx_sentence_cases.py`: `test/Import/Inputs/check_sentences.py` runs these, with \
extents declared and open. {restricting} of {all} sentences restrict and have tests; {reasoned} forbid nothing, for the \
reasons below; *{open_} have no test yet*, those that show no number.

| op | sentence | allowed | forbidden |
|---|---|---|---|"""
HEAD = """\
# ONNX ops

What each opset of ai.onnx brought and changed, up to opset {last}. An op in *italics* has no definition here: a model \
that has one is refused, with a list of all such ops, and `symshape-onnx infer`, `check` and `explain` go on past it. \
All versions of an op are read. \
`utils/onnx_op_table.py` writes this page.

{defined} of {all} ops have a definition; so have {others}.

| opset | new | changed |
|---|---|---|"""


def main():
    listed = subprocess.run([sys.argv[1], "ops"], capture_output=True, text=True, check=True).stdout.split()
    versions = collections.defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and not schema.deprecated:
            versions[schema.name].append(schema.since_version)
    new, changed = collections.defaultdict(list), collections.defaultdict(list)
    for op in sorted(versions):
        first, *later = sorted(versions[op])
        shown = op if op in listed else f"*{op}*"
        new[first].append(shown)
        for version in later:
            changed[version].append(shown)
    print(HEAD.format(last=max([*new, *changed]), defined=len(set(listed) & set(versions)), all=len(versions),
                      others=", ".join(f"`{op}`" for op in listed if op not in versions)))
    for opset in sorted({*new, *changed}):
        print(f"| {opset} | {', '.join(new[opset])} | {', '.join(changed[opset])} |")
    print(REQUIRED)
    for op, required in sorted(onnx_requirements.read().items()):
        if required:
            print(f"| {op} | {'; '.join(required)} |")
    print_sentences([each for each in defs.get_all_schemas_with_history()
                     if each.domain == "" and not each.deprecated and each.name in listed])


def shown(sentence):
    """A sentence in a cell of a table; long ones are cut."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)
    text = text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return text if len(text) < 160 else text[:150].rsplit(" ", 1)[0] + " ..."


def print_sentences(schemas):
    rows = list(onnx_sentences.table(schemas, GROUPS))
    reasons = collections.Counter(reason for _, _, tests, reason in rows if reason and not tests)
    tested = sum(bool(tests) for _, _, tests, _ in rows)
    print(SENTENCES.format(restricting=tested, all=len(rows), reasoned=reasons.total(), open_=len(rows) - tested - reasons.total()))
    for op, sentence, tests, reason in rows:
        if tests or not reason:
            counts = f"{len(tests)} | {sum(len(test[2]) for test in tests)}" if tests else " | "
            print(f"| {op} | {shown(sentence)} | {counts} |")
    print("\nThe others: " + "; ".join(f"{why} ({count})" for why, count in sorted(reasons.items())) + ".")


if __name__ == "__main__":
    main()
