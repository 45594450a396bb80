# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose nodes are in any order compute what they do in the order that the format asks for.

    check_node_orders.py LIBRARY

Every order of few nodes, some of many; also in the bodies of loops, branches and functions, which
read values of nodes that the file has later. `symshape-onnx infer` leaves the nodes as they are, byte
for byte and in their order. Sizes 0, 1 and odd; the values are those of NumPy.
"""

import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import symshape_c
from onnx_file import BOOL, FLOAT, INT64, fields, function, graph, model, node

MOST_ORDERS = 12
FLOOR = 200


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=-1, keepdims=True)


def chain(order):
    nodes = [node("Neg", "x", "a"), node("Exp", "a", "b"), node("Mul", "a b", "c"), node("Add", "c x", "z")]
    return model([nodes[i] for i in order], {"x": (FLOAT, ["N", 3])}, ["z"])


def shapes(order):
    """What a converter to halves leaves: casts at the end of the file; shapes that are computed."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "n", axis=0), node("Concat", "n rest", "to", axis=0),
             node("Reshape", "h to", "r"), node("Softmax", "r", "p", axis=-1), node("Cast", "x", "h", to=1), node("Cast", "p", "z", to=1)]
    return model([nodes[i] for i in order], {"x": (FLOAT, ["N", 3])}, ["z"], {"zero": np.array([0]), "rest": np.array([3, 1])})


def branch(order):
    """Arms that read what later nodes give, one through a branch inside of it."""
    inner = node("If", "c", "u", then_branch=graph([node("Add", "k x", "v")], {}, ["v"]), else_branch=graph([node("Neg", "x", "w")], {}, ["w"]))
    nodes = [node("If", "c", "y", then_branch=graph([node("Neg", "u", "t"), inner], {}, ["t"]),
                  else_branch=graph([node("Exp", "k", "e")], {}, ["e"])),
             node("Mul", "x x", "k"), node("Greater", "m one", "c"), node("Size", "x", "m"), node("Neg", "y", "z")]
    return model([nodes[i] for i in order], {"x": (FLOAT, ["N", 3])}, ["z"], {"one": np.array(3)})


def loop(order):
    """The body and what is around it are out of order."""
    body = graph([node("Add", "d k", "next"), node("Mul", "a x", "d"), node("Identity", "on", "goes")],
                 {"turn": (INT64, []), "on": (BOOL, []), "a": (FLOAT, ["N", 3])}, ["goes", "next"])
    nodes = [node("Loop", "three - x", "y", body=body), node("Neg", "x", "k"), node("Add", "y k", "z")]
    return model([nodes[i] for i in order], {"x": (FLOAT, ["N", 3])}, ["z"], {"three": np.array(3)})


def looped(x):
    a = x
    for _ in range(3):
        a = a * x - x
    return a - x


def called(order):
    nodes = [node("Neg", "p", "q"), node("Mul", "q r", "s"), node("Exp", "p", "r")]
    twist = function("Twist", "p", "s", [nodes[i] for i in order])
    return model([node("Add", "t x", "z"), node("Twist", "x", "t", domain="mine")], {"x": (FLOAT, ["N", 3])}, ["z"], functions=[twist])


def picked(x):
    """Of two arms; the inner one decides as the outer one does."""
    return -(-(x * x + x)) if x.size > 3 else -np.exp(x * x)


# By name: makes the model for an order, the number of nodes, and what it computes.
MODELS = {
    "chain": (chain, 4, lambda x: -x * np.exp(-x) + x),
    "shapes": (shapes, 7, lambda x: softmax(x.reshape(len(x), 3, 1))),
    "branch": (branch, 5, picked),
    "loop": (loop, 3, looped),
    "function": (called, 3, lambda x: -x * np.exp(x) + x),
}


def graph_parts(message):
    """Nodes and all else but the types of values, which infer writes; in order."""
    return [(number, node_parts(value) if number == 1 else value) for number, value in fields(message) if number not in (12, 13)]


def node_parts(message):
    """Its fields, attributes with graphs as those of the graphs."""
    def attribute(value):
        return [(n, graph_parts(v) if n == 6 else v) for n, v in fields(value)]
    return [(number, attribute(value) if number == 5 else value) for number, value in fields(message)]


def main_graph(file):
    return graph_parts(next(value for number, value in fields(file) if number == 7))


def main():
    library = symshape_c.load(sys.argv[1])
    checked = failed = 0

    def expect(condition, what):
        nonlocal checked, failed
        checked, failed = checked + 1, failed + (not condition)
        if not condition:
            print(f"not so: {what}")

    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(prefix="orders") as folder:
        path, inferred = Path(folder) / "m.onnx", Path(folder) / "inferred.onnx"
        for name, (make, count, wanted_of) in MODELS.items():
            orders = list(itertools.permutations(range(count)))
            if len(orders) > MOST_ORDERS:
                orders = [tuple(range(count)), tuple(reversed(range(count))), *random.Random(2).sample(orders, MOST_ORDERS - 2)]
            for order in orders:
                data = make(order)
                path.write_bytes(data)
                program = symshape_c.Program(path, library=library)
                for rows in (0, 1, 5):
                    x = rng.uniform(-1, 1, (rows, 3)).astype(np.float32)
                    (got,), wanted = program(x), wanted_of(x)
                    expect(got.shape == wanted.shape and np.allclose(got, wanted, atol=1e-5), f"{name} in order {order}, {rows} rows: {got} {wanted}")
                done = subprocess.run(["symshape-onnx", "infer", path, "-o", inferred], capture_output=True, text=True, check=False)
                expect(done.returncode == 0, f"infer of {name} in order {order}: {done.stderr}")
                expect(done.returncode == 0 and main_graph(inferred.read_bytes()) == main_graph(data), f"infer keeps the nodes of {name} in order {order}")
    print(f"{checked} checks, {failed} failed")
    return 1 if failed or checked < FLOOR else 0


if __name__ == "__main__":
    sys.exit(main())
