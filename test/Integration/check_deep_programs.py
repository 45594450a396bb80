# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many layers, each of which joins extents: no expression is too large.

    check_deep_programs.py [LAYERS]

As text for the prover, as MLIR and as ONNX. What the analysis writes into the program
is read back as it was, within 20 processor seconds for 1,000 layers; results of the ONNX programs are those of NumPy.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from onnx_file import FLOAT, model, node

V = "tensor<?xf32>"
# A step of a chain of index values, of the last one, %p, and the argument %n.
STEPS = {
    "max": "%r = arith.maxsi %p, %n : index",
    "min of max": "%s = arith.maxsi %p, %n : index\n  %r = arith.minsi %s, %n0 : index",
    "sum": "%r = arith.addi %p, %n : index",
    "quotient": "%s = arith.addi %p, %n : index\n  %r = arith.floordivsi %s, %k : index",
    "quotient by a symbol": "%s = arith.addi %p, %n : index\n  %t = arith.maxsi %n, %k : index\n"
                            "  %r = arith.floordivsi %s, %t : index",
    "used twice": "%s = arith.maxsi %p, %n : index\n  %t = arith.floordivsi %p, %k : index\n"
                  "  %r = arith.minsi %s, %t : index",
    "select": "%s = arith.cmpi slt, %p, %n : index\n  %r = arith.select %s, %n0, %p : index",
    "branch": "%s = arith.cmpi eq, %n, %k : index\n  %r = scf.if %s -> index {\n    scf.yield %p : index\n"
              "  } else {\n    scf.yield %n : index\n  }",
    "loop": "%r = scf.for %i = %z to %k step %k iter_args(%x = %p) -> index {\n"
            "    %t = arith.addi %x, %n : index\n    scf.yield %t : index\n  }",
}
# Those whose steps cost more the longer the chain was.
LONG_STEPS = {
    "product": "%r = arith.muli %p, %n : index",
    "product of differences": "%s = arith.subi %n, %n0 : index\n  %r = arith.muli %p, %s : index",
    "remainder": "%s = arith.addi %p, %n : index\n  %t = arith.maxsi %n, %k : index\n"
                 "  %r = arith.remsi %s, %t : index",
    "remainder of a product": "%s = arith.muli %p, %n : index\n  %t = arith.maxsi %n, %k : index\n"
                              "  %r = arith.remui %s, %t : index",
}
JOINS = {"broadcast": f"%r = tosa.add %p, %n : ({V}, {V}) -> {V}",
         "concatenation": f"%r = tensor.concat dim(0) %p, %n : ({V}, {V}) -> {V}"}


def chain(step, layers, type_):
    lines = ["  %z = arith.constant 0 : index", "  %k = arith.constant 3 : index"] if type_ == "index" else []
    previous = "%n0"
    for i in range(1, layers + 1):
        text = step.replace("%n0", "%first").replace("%n", f"%n{i}").replace("%first", "%n0")
        for name in "rsti":
            text = text.replace(f"%{name}", f"%{name}{i}")
        lines.append("  " + text.replace("%p", previous).replace("%x", f"%x{i}"))
        previous = f"%r{i}"
    if type_ == "index":
        lines += [f"  %w = arith.maxsi {previous}, %z : index", "  %v = arith.minsi %w, %k : index",
                  f"  %e = tensor.empty(%v) : {V}"]
        previous = "%e"
    arguments = ", ".join(f"%n{i}: {type_}" for i in range(layers + 1))
    return "\n".join([f"func.func @main({arguments}) -> {V} {{", *lines, f"  return {previous} : {V}", "}"])


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def opt(text, *passes):
    done = subprocess.run(["symshape-opt", "-", *passes], input=text, capture_output=True, text=True, timeout=600,
                          check=False, preexec_fn=limit)
    return done.stdout if done.returncode == 0 else None, done.stderr


def check_mlir(name, step, layers, type_):
    written, error = opt(chain(step, layers, type_), "--symshape-infer-shapes=annotate")
    if written is None or "..." in written:
        return f"{name}: {error[:300]}"
    read, error = opt(written)
    return "" if read == written else f"{name}: not read as it was written {error[:300]}"


def check_prover(layers):
    """Texts, each equal to itself in other words."""
    names = [f"a{i}" for i in range(layers)]
    nested = "bc(" + ", bc(".join(names) + ", 1" + ")" * layers
    differences = "*".join(f"(a{i} - b{i})" for i in range(layers))
    deep = "(" * layers + "x" + "".join(f" + {i % 3}) floordiv d" for i in range(layers))
    texts = [f"{nested} == bc({', '.join(names)})", f"{differences} == {differences}", f"{deep} == {deep}",
             "(" * layers + "x" + ")" * layers + " == x", f"min({', '.join(names)}) <= max({', '.join(names)}, a0)"]
    problem = "".join(f"prove {text}\n" for text in texts)
    done = subprocess.run(["symshape-prove", "-"], input=problem, capture_output=True, text=True, timeout=600,
                          check=False)
    # The last one has an answer only while it is small.
    answers = done.stdout.split()[:4]
    return "" if answers == ["yes"] * 4 and done.returncode == 0 else f"prover: {done.stdout} {done.stderr[:300]}"


def check_onnx(kind, layers, folder):
    """Joins of inputs of one element and of a row."""
    inputs = {f"a{i}": (FLOAT, [f"d{i}"]) for i in range(layers + 1)}
    attributes = {"axis": 0} if kind == "Concat" else {}
    nodes = [node(kind, f"{f'v{i - 1}' if i > 1 else 'a0'} a{i}", f"v{i}", **attributes) for i in range(1, layers + 1)]
    path = Path(folder) / f"{kind}.onnx"
    path.write_bytes(model(nodes, inputs, [f"v{layers}"]))
    arrays = [np.arange(5 if i % 7 == 3 else 1, dtype=np.float32) for i in range(layers + 1)]
    wrong = [np.zeros(4, np.float32) if i == layers else array for i, array in enumerate(arrays)]
    done = symrun.run(path, [[*arrays], wrong], options=["--compile=quick"])
    expected = np.concatenate(arrays) if kind == "Concat" else sum(arrays)
    if len(done.results) < 1 or not np.array_equal(done.results[0][0], expected):
        return f"{kind}: status {done.status} {done.stderr[:300]}"
    # 4 elements do not fit beside 5.
    return "" if done.status == (0 if kind == "Concat" else 3) else f"{kind}: status {done.status}, not refused"


def main():
    layers = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    found = [check_mlir(name, step, layers, "index") for name, step in STEPS.items()]
    found += [check_mlir(name, step, max(layers, 300), "index") for name, step in LONG_STEPS.items()]
    found += [check_mlir(name, step, layers, V) for name, step in JOINS.items()]
    found.append(check_prover(layers))
    with tempfile.TemporaryDirectory() as folder:
        found += [check_onnx(kind, min(layers, 100), folder) for kind in ("Add", "Concat")]
    wrong = [text for text in found if text]
    print("\n".join([*wrong, f"{len(found)} programs, {len(wrong)} failed"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
