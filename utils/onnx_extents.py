# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads extents and conditions as symshape-onnx writes them, and evaluates them with Python integers.

Shares no code with what is tested: the grammar is that of Python, in which `//` and `%` round as
the expressions of ONNX, of symshape and of the vectors do.
"""

import ast
import operator
import re

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
             ast.Mod: operator.mod, ast.Pow: operator.pow, ast.Eq: operator.eq, ast.NotEq: operator.ne,
             ast.In: lambda one, all: one in all, ast.LtE: operator.le, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.Gt: operator.gt,
             ast.USub: operator.neg, ast.Not: operator.not_,
             ast.BitOr: lambda d, e: e == 0 if d == 0 else e % d == 0}
CALLS = {"min": min, "Min": min, "max": max, "Max": max,
         "cdiv": lambda a, b: -(-a // b), "bc": lambda *all: next((a for a in all if a != 1), 1),
         "select": lambda c, a, b: a if c else b}
DOT = "_dot_"
WORDS = {"floordiv": "//", "mod": "%", "true": "True", "false": "False"}


def residues(found):
    """`% 32 in (0, 25, 26)` for `in {0, 25..26} mod 32`."""
    ends = [[int(end) for end in part.split("..")] for part in found[1].split(", ")]
    return f"% {found[2]} in ({', '.join(str(each) for part in ends for each in range(part[0], part[-1] + 1))},)"


def parse(text):
    """A tree for `evaluate`; ValueError where the text is of no grammar."""
    text = re.sub(r"\bin \{([\d., ]+)\} mod (\d+)", residues, str(text))
    text = re.sub(r"\b(floordiv|mod|true|false)\b(?!\s*\()", lambda m: WORDS[m.group()], text)
    text = re.sub(r"\?(\d+)", r"_fresh\1", text)
    # Names have dots in them, which are no attributes.
    text = re.sub(r"(?<=\w)\.(?=\w)", DOT, text)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"expected an expression, but got {text!r}") from error


def check_syntax(dim):
    """ValueError where an extent of a file is more than the parser of onnx_ir takes: numbers, names,
    these signs, and calls of a few functions."""
    if isinstance(dim, int):
        return
    rest = re.sub(r"\b(Max|Min|max|min|floor|mod|Mod|sqrt)\(", "(", dim)
    if re.search(r"[\w.]\s*\(", rest) or not re.fullmatch(r"([A-Za-z_][\w.]*|\d+|\*\*|//|[-+*/%(), ])*", rest):
        raise ValueError(f"expected an extent in the syntax of onnx_ir, but got {dim!r}")


def evaluate(tree, values):
    """The value under numbers for names; KeyError where a name has none."""
    if isinstance(tree, ast.Constant):
        return tree.value
    if isinstance(tree, ast.Name):
        return values[tree.id.replace(DOT, ".")]
    if isinstance(tree, ast.BinOp):
        return OPERATORS[type(tree.op)](evaluate(tree.left, values), evaluate(tree.right, values))
    if isinstance(tree, ast.UnaryOp):
        return OPERATORS[type(tree.op)](evaluate(tree.operand, values))
    if isinstance(tree, ast.BoolOp):
        results = (evaluate(part, values) for part in tree.values)
        return all(results) if isinstance(tree.op, ast.And) else any(results)
    if isinstance(tree, ast.Compare):
        left, results = evaluate(tree.left, values), []
        for sign, right in zip(tree.ops, tree.comparators):
            right = evaluate(right, values)
            results.append(OPERATORS[type(sign)](left, right))
            left = right
        return all(results)
    if isinstance(tree, ast.Tuple):
        return [evaluate(part, values) for part in tree.elts]
    if isinstance(tree, ast.Call):
        return CALLS[tree.func.id](*(evaluate(part, values) for part in tree.args))
    raise ValueError(f"expected an expression, but got {ast.unparse(tree)!r}")


def names(tree):
    """The names in a tree, in order, once."""
    found = {}
    if isinstance(tree, ast.Name):
        return [tree.id.replace(DOT, ".")]
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.Call) and child is tree.func:
            continue
        found.update(dict.fromkeys(names(child)))
    return list(found)


def guards(report):
    """The conditions in what `symshape-onnx check` prints, as trees; those on data are not among them."""
    conditions = re.findall(r"^valid if: (?!numbers of elements)(.*)$", report, re.M)
    return [parse(condition) for condition in conditions]
