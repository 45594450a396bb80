# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a report of symshape-report --format=json: its nodes and tests, for oracles.

A second evaluator beside that of the page: the two must not share mistakes.
"""

import functools
import re


class Values:
    """The nodes of a report for values of symbols by name; None where one is not known."""

    def __init__(self, report, symbols):
        self.nodes, self.symbols, self.known = report["expressions"], symbols, {}

    def node(self, index):
        for i in range(index + 1 if index not in self.known else 0):  # operands come first
            if i not in self.known:
                self.known[i] = self.compute(self.nodes[i])
        return self.known[index]

    def compute(self, node):
        if isinstance(node, str):
            return self.symbols.get(node)
        if isinstance(node, int):
            return node
        kind, *operands = node
        if kind == "int":
            return int(operands[0])
        values = [self.known[i] for i in operands]
        if None in values:
            return None
        return {"+": sum, "*": lambda list: functools.reduce(lambda a, b: a * b, list), "min": min, "max": max,
                "bc": lambda list: list[1] if list[0] == 1 else list[0],
                "floordiv": lambda list: list[0] // list[1] if list[1] else None}[kind](values)

    def test(self, test):
        if not isinstance(test, list):
            return test
        kind, *parts = test
        if kind in ("and", "or", "not"):
            answers = [self.test(part) for part in parts]
            assert None not in answers
            return {"and": all(answers), "or": any(answers), "not": not answers[0]}[kind]
        a, b = map(self.node, parts)
        return {"==": a == b, "!=": a != b, "<=": a <= b, "divides": b == 0 if a == 0 else b % a == 0}[kind]


def of_text(text, symbols):
    """An expression, relation or formula as the report writes it, by Python's own operators."""
    names = {}

    def replace(match):
        name = match[0]
        if name in ("and", "or", "not", "min", "max", "bc"):
            return name
        if name == "floordiv":
            return "//"
        names[f"v{len(names)}"] = symbols[name]
        return f"v{len(names) - 1}"

    python = re.sub(r"%?[A-Za-z_][\w.$#]*", replace, text)
    python = "".join(re.sub(r"([^()|&]+?)\|([^()|&]+)", r"divides(\1, \2)", part)
                     for part in re.split(r"(\b(?:and|or|not)\b\s*|\s+(?=(?:and|or)\b))", python))
    functions = {"min": min, "max": max, "bc": lambda a, b: b if a == 1 else a,
                 "divides": lambda a, b: b == 0 if a == 0 else b % a == 0}
    return eval(python, {"__builtins__": {}}, {**names, **functions})
