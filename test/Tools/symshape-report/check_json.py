# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks reports in JSON against the text, against --shape, and by enumeration.

    check_json.py PROGRAM...

For each program: nodes say what the texts beside them say; the arena is what --shape
computes, and buffers in use together do not overlap in it; tests say what formulas say;
bytes and FLOP are those of the extents; guards are linked to the ops that they name.
Prints how much was compared.
"""

import itertools
import json
import math
import random
import re
import subprocess
import sys
from collections import Counter

from report_values import Values, of_text

counts = Counter()


def run(*arguments):
    done = subprocess.run(["symshape-report", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def points(function):
    """Sizes to look at: small ones, all of them if there are few symbols."""
    names = [size["name"] for size in function["sizes"]]
    choices = [0, 1, 2, 3, 5, 16, 40]
    every = list(itertools.product(choices, repeat=len(names)))
    random.Random(0).shuffle(every)
    return [dict(zip(names, point)) for point in every[:40]]


def check_extents(function, values, symbols):
    for value in function["graph"]["values"] + function["arguments"] + function["results"]:
        for text, dim in zip(value.get("extents", []), value.get("dims", [])):
            if text.startswith(("?", "<=")):
                continue
            assert values.node(dim) == of_text(text, symbols), f"{text} at {symbols}"
            counts["extents"] += 1


def check_tests(function, values, symbols):
    for kind in "guards", "dropped", "proved":
        for one in function.get(kind, []):
            if not set(re.findall(r"%?[A-Za-z_][\w.$#]*", one["formula"])) <= {*symbols, "and", "or", "not", "min", "max", "bc", "floordiv"}:
                continue
            assert values.test(one["test"]) == of_text(one["formula"], symbols), f"{one['formula']} at {symbols}"
            counts["tests"] += 1


def check_arena(memory, values):
    """Buffers that are in use together have places of their own, within the arena."""
    placed = [(one["first"], one["last"], values.node(one["offsetNode"]), values.node(one["bytesNode"])) for one in memory["buffers"]]
    if any(None in one for one in placed):
        return
    arena = values.node(memory["arenaNode"])
    ends = [offset + size for first, last, offset, size in placed if first <= last]
    assert max(ends, default=0) <= arena and all(one[2] >= 0 for one in placed)
    for a, b in itertools.combinations([one for one in placed if one[0] <= one[1] and one[3] > 0], 2):
        together = a[0] <= b[1] and b[0] <= a[1]
        assert not together or a[2] + a[3] <= b[2] or b[2] + b[3] <= a[2], f"{a} and {b} overlap"
    used = [sum(size for first, last, _, size in placed if first <= time <= last) for time, *_ in placed]
    assert max(used, default=0) <= values.node(memory["sumOfAllNode"])
    counts["plans"] += 1


def extents_of(value, values):
    return [values.node(dim) for dim in value["dims"]]


def check_costs(function, values):
    """Bytes and FLOP of ops for which a line of arithmetic says what they are."""
    of = {"f32": 4, "i64": 8, "i1": 1, "index": 8}
    for op in function["graph"]["ops"]:
        tensors = [function["graph"]["values"][id] for id in op["operands"] + op["results"]]
        if "flop" not in op or any("dims" not in one for one in tensors[:-1]) or "dims" not in tensors[-1]:
            continue
        shapes = [extents_of(one, values) for one in tensors]
        if any(None in shape for shape in shapes):
            continue
        inits = len(op["results"]) if op["name"].startswith("linalg.") else 0
        read = {op["operands"][i]: i for i in range(len(op["operands"]) - inits)}
        counted = [*read.values(), *range(len(op["operands"]), len(tensors))]
        bytes = sum(math.prod(shapes[i]) * of[re.search(r"(f32|i64|i1|index)>$", tensors[i]["type"])[1]] for i in counted)
        assert values.node(op["bytes"]) == bytes, op
        flop = {"linalg.matmul": lambda: 2 * math.prod(shapes[0]) * shapes[-1][-1],
                "linalg.batch_matmul": lambda: 2 * math.prod(shapes[0]) * shapes[-1][-1],
                "arith.addf": lambda: math.prod(shapes[-1]), "linalg.fill": lambda: 0, "linalg.transpose": lambda: 0,
                "tensor.expand_shape": lambda: 0}.get(op["name"])
        if flop:
            assert values.node(op["flop"]) == flop(), op
            counts["costs"] += 1


def check_links(function, text):
    ops, values = function["graph"]["ops"], function["graph"]["values"]
    for i, op in enumerate(ops):
        assert all(id < len(values) for id in op["operands"] + op["results"]), op
        assert op.get("parent", -1) < i
        if "line" in op and "callee" not in op and op["name"] not in ("func.return",):
            assert op["name"].split(".")[-1] in text[op["line"] - 1], f"{op['name']} is not in line {op['line']}"
            counts["lines"] += 1
    for guard in function.get("guards", []):
        for op in guard["ops"]:
            name, at = ops[op]["name"], ops[op].get("at", "")
            assert name == "func.call" or any(f"{name} at {at}" in reason for reason in guard["reasons"]), guard
            counts["links"] += 1


def check(path):
    report = json.loads(run(path, "--format=json"))
    assert report["schemaVersion"] == 1
    text = report["source"]["text"].split("\n")
    heads = [line for line in run(path).split("\n") if line.startswith("@")]
    for function, head in zip(report["functions"], heads, strict=True):
        words = {"guard": function["numGuards"], "check": function["numChecks"]}
        counted = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for word, n in words.items())
        assert head.startswith(f"@{function['name']}: {function['fits']}; {function['numProved']} proved, {counted}"), head
        if "guards" in function:
            assert len(function["guards"]) == function["numGuards"] and len(function["checks"]) == function["numChecks"]
        check_links(function, text)
        for symbols in points(function):
            values = Values(report, symbols)
            check_extents(function, values, symbols)
            check_tests(function, values, symbols)
            check_costs(function, values)
            if "arenaNode" in function["memory"]:
                check_arena(function["memory"], values)
    names = {symbol["name"] for function in report["functions"] for symbol in function["symbols"]}
    for size in 0, 1, 7, 64:
        shape = {name: size + 3 * i for i, name in enumerate(sorted(names))}
        given = " ".join(f"{name}={value}" for name, value in shape.items())
        evaluated = json.loads(run(path, "--format=json", f"--shape={given}"))
        assert evaluated["values"] == shape
        for function in evaluated["functions"]:
            values = Values(evaluated, shape)
            for key, bytes in function["memory"].get("evaluated", {}).items():
                assert values.node(function["memory"][f"{key}Node"]) == bytes, f"{key} of @{function['name']} at {given}"
                counts["sizes as --shape"] += 1


for path in sys.argv[1:]:
    check(path)
print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
