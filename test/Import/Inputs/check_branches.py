# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares branches whose arms give results of different ranks with NumPy, as check_ops.py does: each call takes the
arm that its condition says, whatever the first call took.

    check_branches.py LIBRARY FOLDER
"""

import sys
from pathlib import Path

import numpy as np
import symshape_c

from check_ops import f32, run
from onnx_file import BOOL, FLOAT, constant, graph, model, node

F, I64 = np.float32, np.int64


def arm(*nodes):
    return graph(list(nodes), {}, ["of_arm"])


AXIS = constant("axis", np.array([0], I64))
SAME = arm(node("Identity", "x", "of_arm"))
FLAT = arm(AXIS, node("Squeeze", "x axis", "of_arm"))
DEEP = arm(AXIS, node("Unsqueeze", "x axis", "of_arm"))
ROWS = [node("Shape", "x", "sizes", start=0, end=1), constant("one", np.array([1], I64)), node("Equal", "sizes one", "c")]
TOTAL = node("ReduceSum", "t", "y", keepdims=0)
X, XC = {"x": (FLOAT, ["N", "M"])}, {"x": (FLOAT, ["N", "M"]), "c": (BOOL, [])}


def branch(then_arm, else_arm, condition="c", result="t"):
    return node("If", condition, result, then_branch=then_arm, else_branch=else_arm)


def calls(*shapes):
    return [(f32(*shape),) for shape in shapes]


def chosen(*shapes):
    return [(f32(*shape), np.array(which)) for shape in shapes for which in (False, True)]


def rank_of(x, c):
    return [np.array([1, *x.shape] if c else x.shape, I64)]


def softmax_sum(x, c):
    """Along the last axis of x, and how many elements there are."""
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return [(e / e.sum(-1, keepdims=True)).max(initial=0).astype(F), np.array(x.size, I64)]


def doubled(x, c):
    for _ in range(3 if c else 2):
        x = x * F(2)
    return [x.sum(dtype=F), x.sum(axis=tuple(range(x.ndim - 1)), dtype=F)]


TURN = graph([node("Identity", "before", "after"), node("Mul", "a two", "next")], {"turn": (7, []), "before": (BOOL, []), "a": ()},
             ["after", "next"])

#: as in check_ops.py
CASES = {
    "sizes": ([*ROWS, branch(FLAT, SAME), TOTAL], X, ["y"], {}, lambda x: [x.sum(dtype=F)],
              calls((2, 3), (1, 3), (0, 3), (1, 0), (1, 1), (7, 33))),
    "sizes, the other first": ([*ROWS, branch(FLAT, SAME), TOTAL], X, ["y"], {}, lambda x: [x.sum(dtype=F)],
                               calls((1, 3), (2, 3), (0, 0), (1, 5))),
    "data": ([branch(DEEP, SAME), TOTAL], XC, ["y"], {}, lambda x, c: [x.sum(dtype=F)], chosen((2, 3), (0, 3), (1, 1), (5, 0))),
    "extents as a result": ([branch(DEEP, SAME), node("Shape", "t", "y")], XC, ["y"], {}, rank_of, chosen((2, 3), (0, 1))),
    "several outputs": ([node("Size", "x", "count"), branch(DEEP, SAME), node("Softmax", "t", "s", axis=-1),
                         constant("zero", F(0)), node("ReduceMax", "s", "most", keepdims=0), node("Max", "most zero", "y")],
                        XC, ["y", "count"], {}, softmax_sum, chosen((2, 3), (1, 1), (3, 17))),
    "two of them": ([branch(DEEP, SAME), node("Relu", "t", "r"),
                     branch(arm(node("Abs", "r", "of_arm")), arm(AXIS, node("Unsqueeze", "r axis", "of_arm")), result="u"),
                     node("ReduceSum", "u", "y", keepdims=0)],
                    XC, ["y"], {}, lambda x, c: [np.maximum(x, 0).sum(dtype=F)], chosen((2, 3), (0, 2), (1, 4))),
    "weights behind": ([branch(DEEP, SAME), node("MatMul", "t w", "m"), node("ReduceSum", "m", "y", keepdims=0)], XC, ["y"],
                       {"w": np.eye(40, dtype=F)}, lambda x, c: [x.sum(dtype=F)], chosen((3, 40), (0, 40), (1, 40))),
    "a loop and a branch behind": ([constant("two", F(2)), constant("n", I64(2)), constant("go", True), branch(DEEP, SAME),
                                    node("Loop", "n go t", "u", body=TURN),
                                    branch(arm(node("Mul", "u two", "of_arm")), arm(node("Identity", "u", "of_arm")), result="v"),
                                    node("ReduceSum", "v", "y", keepdims=0), constant("last", np.array([-1], I64)),
                                    node("Shape", "x", "xs"), constant("flat", np.array([-1], I64)),
                                    node("Slice", "xs one end", "width"), node("Concat", "flat width", "to", axis=0),
                                    node("Reshape", "v to", "rows"), node("ReduceSum", "rows zero", "z", keepdims=0)],
                                   XC, ["y", "z"], {"one": np.array([1], I64), "end": np.array([2], I64), "zero": np.array([0], I64)},
                                   doubled, chosen((2, 3), (1, 1), (4, 5))),
}


def refuse(library, folder):
    """Where the outputs differ in rank too, the program is for one arm, and says so."""
    path = folder / "refused.onnx"
    path.write_bytes(model([branch(DEEP, SAME, result="y")], XC, ["y"]))
    for which, shape in ((True, (1, 2, 3)), (False, (2, 3))):
        program = symshape_c.Program(path, library=library, first=[f32(2, 3), np.array(which)])
        assert program(f32(2, 3), np.array(which))[0].shape == shape
        try:
            program(f32(2, 3), np.array(not which))
        except symshape_c.Error as error:
            words = f"the ranks of the model are those of the {'then' if which else 'else'} branch: condition == {int(which)}"
            assert error.status == 3 and words in str(error), error
        else:
            raise AssertionError("the other arm was served")


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    count = run(CASES, library, folder)
    refuse(library, folder)
    print(f"{len(CASES)} models, {count} calls")


if __name__ == "__main__":
    main()
