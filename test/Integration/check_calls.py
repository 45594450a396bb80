# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Private functions that are called with static, open and partly static types,
beside NumPy, in every mode.

    check_calls.py [SEED [TRIPLES]]

A program calls each kind of function two or three times, with a pair or a triple
of types, and with other extents each time. What a call gives must not depend on
the other calls. Nor on what a call from outside has fixed, where the entry calls
itself.
"""

import itertools
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

OPEN = "tensor<?x?xf32>"
TYPES = ["static", "rows", "columns", "open"]  # which extents the type of an argument has
MODES = [["--dynamic=always"], ["--dynamic=auto"], ["--dynamic=never"], ["--compile=quick"],
         ["--threads=2", "--guard-pages"]]
VERSIONS = '#symshape.version<"low", ["V <= 2"]>, #symshape.version<"high", ["V >= 3"]>'

# Name: types of the results for an argument %a : OPEN, the body, what NumPy says.
KINDS = {
    "absolute": ([OPEN], """
  %r = math.absf %a : tensor<?x?xf32>
  return %r : tensor<?x?xf32>""", lambda a: [np.abs(a)]),
    "same": ([OPEN], """
  return %a : tensor<?x?xf32>""", lambda a: [a]),
    "total": (["tensor<f32>"], """
  %z = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<?x?xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>""", lambda a: [a.sum(dtype=np.float32)]),
    "of_rows": (["tensor<?xf32>"], """
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<?x?xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>""", lambda a: [a.sum(axis=1, dtype=np.float32)]),
    "turned": ([OPEN], """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>""", lambda a: [a.T]),
    "twice": ([OPEN, "index"], """
  %c0 = arith.constant 0 : index
  %r = tensor.concat dim(0) %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %n = tensor.dim %r, %c0 : tensor<?x?xf32>
  return %r, %n : tensor<?x?xf32>, index""",
              lambda a: [np.concatenate([a, a]), np.int64(2 * len(a))]),
    "through": ([OPEN, "tensor<f32>"], """
  %t = call @turned(%a) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %u = call @absolute(%t) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = call @total(%u) : (tensor<?x?xf32>) -> tensor<f32>
  return %u, %s : tensor<?x?xf32>, tensor<f32>""",
                lambda a: [np.abs(a).T, np.abs(a).sum(dtype=np.float32)]),
    "declared": ([OPEN], """
  %r = arith.negf %a : tensor<?x?xf32>
  return %r : tensor<?x?xf32>""", lambda a: [-a]),
    "chosen": (["tensor<?xf32>"], """
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %one = arith.cmpi eq, %n, %c1 : index
  %r = scf.if %one -> tensor<?xf32> {
    %f = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %s = func.call @of_rows(%a) : (tensor<?x?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>""", lambda a: [a[:, 0] if a.shape[1] == 1 else a.sum(axis=1, dtype=np.float32)]),
    "again": ([OPEN], """
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %go = arith.cmpi ult, %n, %c4 : index
  %empty = arith.cmpi eq, %n, %c0 : index
  %false = arith.constant false
  %more = arith.select %empty, %false, %go : i1
  %r = scf.if %more -> tensor<?x?xf32> {
    %d = tensor.concat dim(0) %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = func.call @again(%d) : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %s : tensor<?x?xf32>
  } else {
    scf.yield %a : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>""",
              lambda a: [np.concatenate([a] * {1: 4, 2: 2, 3: 2}.get(len(a), 1))]),
}
SIGNATURE = {"declared": ("{symshape.shape = #symshape.shape<[M, N]>}",
                          'attributes {symshape.assume = [#symshape.fact<"M <= N + 9">], '
                          'symshape.symbols = [#symshape.symbol<"M", range = [0, 9]>]} ')}


def function_text(name):
    results, body, _ = KINDS[name]
    argument, attributes = SIGNATURE.get(name, ("", ""))
    return f"func.func private @{name}(%a: {OPEN} {argument}) -> ({', '.join(results)}) {attributes}{{{body}\n}}\n"


def argument_type(kind, shape):
    rows, columns = shape
    return {"static": f"tensor<{rows}x{columns}xf32>", "rows": f"tensor<{rows}x?xf32>",
            "columns": f"tensor<?x{columns}xf32>", "open": OPEN}[kind]


def program_text(kinds, shapes, versions):
    """All functions, each called with each argument, and what the calls give."""
    types = [argument_type(kind, shape) for kind, shape in zip(kinds, shapes)]
    lines, values, results = [], [], []
    for i, type_ in enumerate(types):
        is_open = type_ == OPEN
        lines.append(f"  %o{i} = tensor.cast %x{i} : {type_} to {OPEN}" if not is_open else "")
        for name, (types_of, _, _) in KINDS.items():
            count = f":{len(types_of)}" if len(types_of) > 1 else ""
            lines.append(f"  %{name}{i}{count} = call @{name}({'%x' if is_open else '%o'}{i}) : ({OPEN}) -> "
                         f"({', '.join(types_of)})")
            values += [f"%{name}{i}" + (f"#{j}" if count else "") for j in range(len(types_of))]
            results += types_of
    arguments = ", ".join(f"%x{i}: {type_}" for i, type_ in enumerate(types))
    declared = f"attributes {{symshape.versions = [{VERSIONS}]}} " if versions else ""
    named = arguments + (f", %v: tensor<?xf32> {{symshape.shape = #symshape.shape<[V]>}}")
    return "".join(map(function_text, KINDS)) + \
        f"func.func @main({named}) -> ({', '.join(results)}) {declared}{{\n" + "\n".join(lines) + \
        f"\n  return {', '.join(values)} : {', '.join(results)}\n}}\n"


def check(checks, folder, rng, kinds, modes, versions):
    shapes = [(rng.choice([0, 1, 2, 3, 5]), rng.choice([0, 1, 2, 4])) for _ in kinds]
    path = folder / "program.mlir"
    path.write_text(program_text(kinds, shapes, versions))
    calls = []
    for n in range(2):
        inputs = []
        for kind, (rows, columns) in zip(kinds, shapes):
            # What the type leaves open is another extent in the second call.
            rows += n * (kind in ("columns", "open"))
            columns += n * (kind in ("rows", "open"))
            inputs.append(np.array([rng.randint(-9, 9) for _ in range(rows * columns)], np.float32)
                          .reshape(rows, columns))
        calls.append([*inputs, np.zeros(2 + n, np.float32)])
    expected = [[value for x in inputs[:-1] for _, _, function in KINDS.values() for value in function(x)]
                for inputs in calls]
    for mode in modes:
        what = f"{kinds} of {shapes}, {'versions, ' if versions else ''}{' '.join(mode)}"
        run = symrun.run(path, calls, results=len(expected[0]), options=mode)
        if not checks.ran(run, len(calls), what):
            continue
        for number, (actual, right) in enumerate(zip(run.results, expected)):
            wrong = [i for i, (a, b) in enumerate(zip(actual, right))
                     if a.shape != np.shape(b) or not np.array_equal(a, b)]
            checks.that(not wrong, f"{what}, call {number}: results {wrong}", path.read_text())


# An entry that calls itself with other extents, directly or through another function.
STEP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %go = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %go -> tensor<?xf32> {{
    %m = arith.subi %n, %c1 : index
    %d = tensor.concat dim(0) %x, %w : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %q = func.call @{next}(%d, %m, %x) : (tensor<?xf32>, index, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  }} else {{
    scf.yield %x : tensor<?xf32>
  }}
  return %r : tensor<?xf32>
}}
"""
HEAD = "func.func {name}(%x: tensor<?xf32> {shape}, %n: index, %w: tensor<?xf32>) -> tensor<?xf32> {attributes} {{"
NAMED = "{symshape.shape = #symshape.shape<[N]>}"
ATTRIBUTES = ["", 'attributes {symshape.symbols = [#symshape.symbol<"N", policy = static>]}',
              'attributes {symshape.versions = [#symshape.version<"three", ["N == 3"]>, '
              '#symshape.version<"other", ["N != 3"]>]}']


def recursive_text(direct, attributes):
    head = HEAD.format(name="@main", shape=NAMED if attributes else "", attributes=attributes)
    if direct:
        return head + STEP.format(next="main")
    other = HEAD.format(name="private @next", shape="", attributes="")
    return head + STEP.format(next="next") + other + STEP.format(next="main")


def grown(x, n, w):
    return grown(np.concatenate([x, w]), n - 1, x) if n > 0 else x


def check_recursion(checks, folder):
    calls = [[np.arange(size, dtype=np.float32), np.int64(n), np.ones(2, np.float32)]
             for size, n in [(3, 3), (3, 0), (0, 2), (1, 4)]]
    for direct, attributes in itertools.product([True, False], ATTRIBUTES):
        path = folder / "recursive.mlir"
        path.write_text(recursive_text(direct, attributes))
        for mode in MODES[:4]:
            what = f"recursion, {'direct' if direct else 'through another'}, {attributes}, {' '.join(mode)}"
            run = symrun.run(path, calls, options=mode)
            if checks.ran(run, len(calls), what):
                for call, [actual] in zip(calls, run.results):
                    checks.that(np.array_equal(actual, grown(*call)), f"{what}, {call[1:]}", f"  {actual}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    triples = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    rng = random.Random(seed)
    print(f"seed {seed}")
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        check_recursion(checks, Path(folder))
        for number, kinds in enumerate(itertools.product(TYPES, repeat=2)):
            some = MODES if number % 8 == 5 else [MODES[0], MODES[1 + number % 4]]
            check(checks, Path(folder), rng, kinds, some, versions=number % 4 == 2)
        for number in range(triples):
            kinds = [rng.choice(TYPES) for _ in range(3)]
            check(checks, Path(folder), rng, kinds, [rng.choice(MODES)], versions=number % 2 == 0)
    checks.that(checks.made > 300, f"enough was checked: {checks.made}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
