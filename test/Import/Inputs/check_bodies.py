# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of loops and branches with nodes that cannot run: a call that does not run the body is served, one that does
is refused where the body stands, whether extents are declared or open, and in every mode.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx_file import BOOL, FLOAT, INT64, constant, function, graph, model, node

X, W = (2, 3), (4, 5)
I64 = np.int64


def ints(name, *values):
    return constant(name, np.array(values, I64))


# Nodes that make t of a, which is x, and w, and cannot.
BODIES = {
    "add": [node("Add", "a w", "t")],
    "concat": [node("Concat", "a w", "t", axis=0)],
    "matmul": [node("MatMul", "a w", "t")],
    "reshape": [ints("to", 5, 7), node("Reshape", "a to", "t")],
    "squeeze": [ints("ax", 0), node("Squeeze", "a ax", "t")],
    "expand": [ints("to", 3, 4), node("Expand", "a to", "t")],
    "split": [node("Split", "a", "t t2 t3 t4 t5")],
    "conv": [ints("ax", 0), node("Unsqueeze", "a ax", "u"), constant("k", np.ones((2, 3, 2), np.float32)), node("Conv", "u k", "t")],
    "where": [node("Greater", "a w", "g"), node("Where", "g a w", "t")],
    "constants": [constant("k1", np.ones(3, np.float32)), constant("k2", np.ones(4, np.float32)), node("Add", "k1 k2", "t")],
    "pad": [ints("by", -4, 0, 0, 0), node("Pad", "a by", "t")],
    "sizes": [node("Shape", "a", "s"), ints("five", 5), node("Sub", "s five", "less"), node("ConstantOfShape", "less", "t")],
    "function": [node("Bad", "a w", "t", domain="mine")],
    "fits": [node("Abs", "a", "t")],
}
FEW = ["add", "squeeze", "expand", "pad", "fits"]
ADDED = [node("ReduceSum", "t", "sum", keepdims=0), node("Add", "a sum", "next")]
TURN = {"turn": (INT64, []), "before": (BOOL, []), "a": ()}
GO = {"n": (INT64, []), "go": (BOOL, [])}


def loop(body):
    body = graph([node("Identity", "before", "after"), *body, *ADDED], TURN, ["after", "next"])
    return [node("Loop", "n go x", "y", body=body)], GO


def ended_by_data(body):
    end = [constant("most", np.float32(1e30)), node("Less", "sum most", "after")]
    return [node("Loop", "n go x", "y", body=graph([*body, *ADDED, *end], TURN, ["after", "next"]))], GO


def arms(body):
    """The arm that runs, for n > 0, and the other one."""
    return graph([node("Identity", "x", "a"), *body, *ADDED], {}, ["next"]), graph([node("Identity", "x", "same")], {}, ["same"])


def branch(body):
    runs, other = arms(body)
    return [node("Cast", "n", "some", to=BOOL), node("If", "some", "y", then_branch=runs, else_branch=other)], {"n": (INT64, [])}


def other_branch(body):
    runs, other = arms(body)
    return [node("Cast", "n", "some", to=BOOL), node("Not", "some", "none"),
            node("If", "none", "y", then_branch=other, else_branch=runs)], {"n": (INT64, [])}


def scan(body):
    turn = graph([*body, *ADDED, node("Identity", "s", "out")], {"a": (), "s": ()}, ["next", "out"])
    return [ints("ax", 0), node("Unsqueeze", "n ax", "size"), node("ConstantOfShape", "size", "all"),
            node("Scan", "x all", "y outs", body=turn, num_scan_inputs=1)], {"n": (INT64, [])}


def nested(body):
    runs, other = arms(body)
    inner = node("If", "go", "next", then_branch=runs, else_branch=other)
    turn = graph([node("Identity", "before", "after"), inner], {"turn": (INT64, []), "before": (BOOL, []), "old": ()}, ["after", "next"])
    return [node("Loop", "n go x", "y", body=turn)], GO


PLACES = {each.__name__: each for each in (loop, ended_by_data, branch, other_branch, scan, nested)}
FORMS = [("abcd", "always"), ("abcd", "auto"), ("abcd", "never"), ((*X, *W), "always"), ((X[0], "b", "c", W[1]), "always")]


def run(path, counts, arguments, mode):
    """The calls with these counts, one after another in one process."""
    calls = Path(path).with_name("calls.txt")
    calls.write_text("".join(" ".join(["2x3xf32=iota", "4x5xf32=iota", *(f"i64={count}" if name == "n" else "i1=1" for name in arguments)]) + "\n"
                             for count in counts))
    command = ["symshape-run", path, "--compile=quick", f"--dynamic={mode}", f"--calls={calls}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def judge(done, name, counts):
    """What is wrong with the calls; empty if nothing is."""
    refused, x = counts[-1] and name != "fits", np.arange(6).reshape(X)
    text = "".join("2x3xf32: [" + ", ".join("[" + ", ".join(str(v) for v in row) + "]" for row in (x + x.sum() if count else x)) + "]\n"
                   for count in counts[:len(counts) - refused])
    if done.returncode == (3 if refused else 0) and done.stdout == text and (not refused or "node (" in done.stderr):
        return ""
    return f"expected {text}{'and words ' * refused}, but got {done.returncode}: {done.stdout} {done.stderr[:200]}"


def main():
    checked = failed = 0
    functions = [function("Bad", "p q", "r", [node("Add", "p q", "r")])]
    with tempfile.TemporaryDirectory(prefix="bodies") as folder:
        path = str(Path(folder) / "m.onnx")
        for place, make in PLACES.items():
            for name in BODIES if place == "loop" else FEW:
                nodes, arguments = make(BODIES[name])
                for dims, mode in FORMS:
                    inputs = {"x": (FLOAT, list(dims[:2])), "w": (FLOAT, list(dims[2:])), **arguments}
                    Path(path).write_bytes(model(nodes, inputs, ["y"], opset=17 if name != "split" else 13, functions=functions))
                    # Code for all sizes serves both; other code is made for the first call.
                    for counts in ((0, 1),) if mode == "always" else ((0,), (1,)):
                        what = judge(run(path, counts, arguments, mode), name, counts)
                        checked += len(counts)
                        if what:
                            failed += 1
                            print(f"[{place}, {name}] of {dims}, {mode}, {counts} times: {what}")
    print(f"{checked} calls, {failed} failed")
    return 1 if failed or checked != 390 else 0


if __name__ == "__main__":
    sys.exit(main())
