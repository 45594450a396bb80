# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares loops that data ends, and loops whose states grow, with NumPy, as check_ops.py does.

    check_loops.py LIBRARY FOLDER
"""

import numpy as np

from check_ops import f32, main
from onnx_file import BOOL, FLOAT, INT64, graph, node

I64, F32 = np.int64, np.float32


def scalar(name, value):
    return node("Constant", "", name, value=np.array(value))


def loop(nodes, inputs, outputs, operands, results):
    """A Loop whose body has the number of the turn and the condition first."""
    declared = {"turn": (INT64, []), "before": (BOOL, []), **dict.fromkeys(inputs, (FLOAT, None))}
    declared = {name: each if each[1] is not None else () for name, each in declared.items()}
    return node("Loop", operands, results, body=graph(nodes, declared, outputs))


def ints(*values):
    return np.array(values, I64)


def count(number, starts=True):
    return np.array(number, I64), np.array(starts)


# What a turn does, as nodes and in NumPy.

#: halves x until all of it is small
HALVE = [scalar("half", F32(0.5)), scalar("least", F32(0.25)), node("Mul", "a half", "next"), node("Abs", "next", "b"),
         node("ReduceMax", "b", "c", keepdims=0), node("Greater", "c least", "after"), node("ReduceSum", "next", "sum", keepdims=0)]


def halve(x, most, starts):
    sums = []
    while starts and len(sums) < most:
        x = x * F32(0.5)
        sums.append(x.sum(dtype=F32))
        starts = np.abs(x).max(initial=-np.inf) > 0.25
    return [x, np.array(sums, F32)]


def halve_often(x, turns):
    """Without a condition, what the body says of one is ignored."""
    steps = [x * F32(0.5) ** F32(turn) for turn in range(int(turns) + 1)]
    return [steps[-1], np.array([step.sum(dtype=F32) for step in steps[1:]], F32)]


APPEND = [node("Identity", "before", "after"), node("Concat", "a x", "next", axis=1),
          node("Constant", "", "one", value=ints(1)), node("ReduceSum", "a one", "sum", keepdims=0)]


def append(x, most, starts):
    turns = int(most) if starts else 0
    sums = [x.sum(1) * (turn + 1) for turn in range(turns)]
    return [np.tile(x, (1, turns + 1)), np.array(sums, F32).reshape(turns, len(x))]


#: appends the number of elements so far, until there are 5, to what begins without elements
GROW = [node("Shape", "a", "size"), scalar("five", 5), node("Cast", "size", "last", to=1), node("Concat", "a last", "next", axis=0),
        node("Size", "next", "now"), node("Less", "now five", "after"), node("Identity", "size", "sizes")]


def grow(x, most, starts):
    sizes = []
    while starts and len(sizes) < most:
        sizes.append([len(x)])
        x = np.append(x, F32(len(x)))
        starts = len(x) < 5
    return [x, np.array(sizes, I64).reshape(-1, 1)]


WIDE, OUT = f32(6, 6), f32(6, 9)

#: the K best ways so far; each goes on with each of 9 letters
BEAM = [node("Identity", "before", "after"), node("MatMul", "h wide", "m"), node("Tanh", "m", "t"), node("MatMul", "t out", "l"),
        node("LogSoftmax", "l", "p", axis=-1), node("Constant", "", "last", value=ints(1)), node("Unsqueeze", "s last", "s1"),
        node("Add", "p s1", "all"), node("Constant", "", "flat", value=ints(-1)), node("Reshape", "all flat", "f"),
        node("TopK", "f k", "s2 at", axis=0), scalar("nine", 9), node("Div", "at nine", "way"), node("Mod", "at nine", "letter"),
        node("Gather", "t way", "h2", axis=0), node("Gather", "q way", "old", axis=0), node("Unsqueeze", "letter last", "new"),
        node("Concat", "old new", "q2", axis=1)]


def beam(h, most, starts):
    ways, score, words = len(h), np.zeros(len(h), F32), np.zeros((len(h), 0), I64)
    for _ in range(int(most) if starts else 0):
        h = np.tanh(h @ WIDE)
        letters = h @ OUT
        letters = letters - letters.max(-1, keepdims=True)
        chances = letters - np.log(np.exp(letters).sum(-1, keepdims=True)) + score[:, None]
        at = np.argsort(-chances.reshape(-1), kind="stable")[:ways]
        score, h = chances.reshape(-1)[at], h[at // 9]
        words = np.concatenate([words[at // 9], at[:, None] % 9], 1)
    return [words, score]


#: adds x to itself, and keeps what there was after each turn
KEEP = [node("Identity", "before", "after"), node("Add", "a x", "next"), node("Identity", "next", "kept")]


def keep(x, most, starts):
    turns = int(most) if starts else 0
    return [x * F32(turns + 1), np.array([x * F32(turn + 2) for turn in range(turns)], F32).reshape(turns, *x.shape)]


def keep_sum(x, w, turns):
    kept = [x + w * F32(turn + 1) for turn in range(int(turns))]
    return [kept[-1] if kept else x, np.array(kept, F32).reshape(len(kept), len(x))]


def again(step):
    """A turn that makes a state of the old one and of w."""
    def run(x, w, most, starts):
        for _ in range(int(most) if starts else 0):
            x = step(x, w)
        return [x, np.array(x.sum(dtype=F32))]
    return run


def changing(nodes, step, calls):
    """A loop whose state gets other extents by `nodes`; calls are shapes of the state and of w, and a number of turns."""
    body = [node("Identity", "before", "after"), *nodes]
    return ([loop(body, ["a"], ["after", "next"], "n go x", "y"), node("ReduceSum", "y", "sum", keepdims=0)],
            {"x": (FLOAT, ["N", "M"]), "w": (FLOAT, ["K", "L"]), **LIMITED}, ["y", "sum"], {}, again(step),
            [(f32(*x), f32(*w), *count(*turns)) for x, w, *turns in calls])


#: states whose extents change otherwise than by growing
CHANGES = {
    "transpose": ([node("Transpose", "a", "next")], lambda x, w: x.T,
                  [((2, 3), (1, 1), 3), ((2, 3), (1, 1), 2), ((1, 1), (1, 1), 1), ((0, 4), (1, 1), 1), ((3, 2), (1, 1), 1, False)]),
    "transpose square first": ([node("Transpose", "a", "next")], lambda x, w: x.T, [((2, 2), (1, 1), 1), ((2, 3), (1, 1), 1)]),
    "broadcast": ([node("Add", "a w", "next")], np.add,
                  [((1, 1), (4, 3), 2), ((1, 3), (4, 1), 2), ((2, 2), (2, 2), 3), ((1, 3), (0, 1), 1), ((1, 3), (4, 1), 0)]),
    # The first call leaves what it broadcasts as it is.
    "broadcast later": ([node("Add", "a w", "next")], np.add,
                        [((2, 2), (2, 2), 3), ((1, 1), (4, 3), 2), ((1, 3), (4, 1), 2), ((1, 3), (0, 1), 1), ((1, 3), (4, 1), 0), ((1, 2), (3, 2), 1, False)]),
    "expand later": ([node("Shape", "w", "size"), node("Expand", "a size", "next")], lambda x, w: np.broadcast_to(x, np.broadcast_shapes(x.shape, w.shape)),
                     [((2, 3), (1, 3), 2), ((1, 1), (4, 3), 2), ((1, 3), (4, 1), 0), ((1, 0), (2, 1), 1)]),
    "select later": ([node("Greater", "a w", "c"), node("Where", "c a w", "next")], np.maximum,
                     [((3, 1), (1, 1), 1), ((1, 3), (4, 1), 2), ((1, 1), (0, 3), 1), ((2, 1), (2, 3), 1)]),
    "several later": ([node("Max", "a w", "b"), node("Sum", "a b w", "next")], lambda x, w: x + np.maximum(x, w) + w,
                      [((2, 3), (2, 3), 2), ((1, 3), (2, 1), 2), ((1, 1), (1, 4), 1)]),
    "gram": ([node("Transpose", "a", "t"), node("MatMul", "t a", "next")], lambda x, w: x.T @ x,
             [((2, 3), (1, 1), 1), ((4, 1), (1, 1), 2), ((0, 3), (1, 1), 1), ((2, 2), (1, 1), 0)]),
    "product": ([node("MatMul", "a w", "next")], np.matmul,
                [((2, 3), (3, 4), 1), ((2, 3), (3, 3), 2), ((1, 1), (1, 0), 1), ((2, 3), (4, 5), 0)]),
    "reshape": ([node("Constant", "", "to", value=ints(-1, 1)), node("Reshape", "a to", "next")],
                lambda x, w: x.reshape(x.size, 1), [((2, 3), (1, 1), 2), ((1, 1), (1, 1), 1), ((2, 3), (1, 1), 0)]),
    "gather": ([node("Shape", "w", "size"), node("ConstantOfShape", "size", "zeros", value=ints(0)),
                node("Constant", "", "one", value=ints(1)), node("ReduceMax", "zeros one", "at", keepdims=0),
                node("Gather", "a at", "next", axis=0)], lambda x, w: x[np.zeros(len(w), int)],
               [((2, 3), (4, 2), 2), ((1, 1), (1, 1), 1), ((3, 2), (2, 1), 0)]),
}

LIMITED = {"n": (INT64, []), "go": (BOOL, [])}
NONE = np.zeros(0, F32)

#: as in check_ops.py
CASES = {
    "halve": ([loop(HALVE, ["a"], ["after", "next", "sum"], "n go x", "y sums")], {"x": (FLOAT, ["N"]), **LIMITED}, ["y", "sums"], {},
              halve, [(f32(5), *count(40)), (f32(5) * 1000, *count(40)), (f32(1), *count(0)), (f32(3) * 100, *count(2)),
                      (f32(4), *count(9, False)), (NONE, *count(3))]),
    "unlimited": ([loop(HALVE, ["a"], ["after", "next", "sum"], "- go x", "y sums")], {"x": (FLOAT, ["N"]), "go": (BOOL, [])},
                  ["y", "sums"], {}, lambda x, go: halve(x, 10**9, go),
                  [(f32(5), np.array(True)), (f32(2) * 1e30, np.array(True)), (f32(3), np.array(False))]),
    "number alone": ([loop(HALVE, ["a"], ["after", "next", "sum"], "n - x", "y sums")], {"x": (FLOAT, ["N"]), "n": (INT64, [])},
                     ["y", "sums"], {}, halve_often, [(f32(5) / 9, ints(6)[0]), (f32(1), ints(0)[0]), (f32(4) * 9, ints(1)[0]), (NONE, ints(2)[0])]),
    "append": ([loop(APPEND, ["a"], ["after", "next", "sum"], "n go x", "y sums")], {"x": (FLOAT, ["B", "N"]), **LIMITED},
               ["y", "sums"], {}, append,
               [(f32(2, 3), *count(3)), (f32(1, 1), *count(1)), (f32(0, 2), *count(2)), (f32(2, 2), *count(0)),
                (f32(2, 0), *count(2)), (f32(3, 1), *count(5, False))]),
    **{name: ([loop(KEEP, ["a"], ["after", "next", "kept"], "n go x", "y all")], {"x": (FLOAT, extents), **LIMITED},
              ["y", "all"], {}, keep, [(f32(*shape), *count(number)) for shape, number in calls])
       for name, extents, calls in [("keep", ["N", "M"], [((3, 2), 2), ((0, 2), 2), ((3, 0), 1), ((1, 1), 0)]),
                                    ("keep no columns", [3, 0], [((3, 0), 2), ((3, 0), 0)]),
                                    ("keep no rows", [0, "M"], [((0, 3), 2), ((0, 0), 1)])]},
    **{name: changing(*each) for name, each in CHANGES.items()},
    # What is kept of each turn has the extents of the first.
    "keep what may change": ([loop([node("Identity", "before", "after"), node("Add", "a w", "next"), node("Identity", "next", "kept")],
                                   ["a"], ["after", "next", "kept"], "n go x", "y all")],
                             {"x": (FLOAT, ["N"]), "w": (FLOAT, ["K"]), **LIMITED}, ["y", "all"], {}, lambda x, w, most, starts: keep_sum(x, w, most),
                             [(f32(3), f32(3), *count(2)), (f32(2), f32(1), *count(3)), (f32(1), f32(1), *count(0))]),
    "grow": ([loop(GROW, ["a"], ["after", "next", "sizes"], "n go x", "y sizes")], {"x": (FLOAT, ["N"]), **LIMITED}, ["y", "sizes"],
             {}, grow, [(NONE, *count(9)), (NONE, *count(2)), (f32(3), *count(9)), (f32(7), *count(9)), (f32(1), *count(0))]),
    "from nothing": ([loop(GROW, ["a"], ["after", "next", "sizes"], "n go none", "y sizes")], LIMITED, ["y", "sizes"],
                     {"none": NONE}, lambda n, go: grow(NONE, n, go), [count(9), count(2), count(1), count(0)]),
    "beam": ([node("Shape", "x", "e"), node("Constant", "", "begin", value=ints(0)), node("Constant", "", "end", value=ints(1)),
              node("Slice", "e begin end", "k"), node("Concat", "k begin", "nothing", axis=0),
              node("ConstantOfShape", "k", "zeros"), node("ConstantOfShape", "nothing", "empty", value=ints(0)),
              loop(BEAM, ["h", "s", "q"], ["after", "h2", "s2", "q2"], "n go x zeros empty", "he y words")],
             {"x": (FLOAT, ["K", 6]), **LIMITED}, ["words", "y"], {"wide": WIDE, "out": OUT}, beam,
             [(f32(3, 6), *count(4)), (f32(1, 6), *count(7)), (f32(2, 6), *count(0)), (f32(4, 6), *count(1))]),
}

if __name__ == "__main__":
    main(CASES)
