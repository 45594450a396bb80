# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op on each type of integers and on bool, by the order and the arithmetic of the type, beside NumPy.

    check_integer_types.py LIBRARY FOLDER PAGE [--table] [--target=TARGET]

All ops of a type are one model; PAGE, docs/OnnxTypes.md, has to say `yes` of these combinations, and
of no other. With a target, of unsigned integers and bools. With --table, writes it; the other combinations are tried one by one for that, which
takes minutes.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import symshape_c

from onnx_file import TYPES, model, node

TYPES |= {np.dtype(np.uint16): 4, np.dtype(np.int16): 5, np.dtype(np.uint32): 12, np.dtype(np.uint64): 13}
KINDS = [np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64, np.bool_)]
FLOOR, UNSIGNED_FLOOR = 400, 250


def most_first(x):
    """Of equal ones the first comes first."""
    return np.argsort(-np.unique(x, return_inverse=True)[1].reshape(x.shape), 1, kind="stable")


def whole(x, f):
    """A sum or product in the type itself."""
    return f(x, 1, keepdims=True, dtype=x.dtype)


def scattered(f):
    def compute(x, y):
        result = x.copy()
        for row in range(2):
            for column, place in enumerate((0, 2, 0)):
                result[row, place] = f(result[row, place], y[row, column])
        return result
    return compute


def wide(f):
    """What is computed in f64, and rounded to zero."""
    return lambda x: f(x.astype(np.float64)).astype(x.dtype)


def quotient(x, y):
    """Rounded to zero."""
    pairs = [(int(p), int(q)) for p, q in zip(x.ravel(), y.ravel())]
    return np.array([abs(p) // q * (-1 if p < 0 else 1) for p, q in pairs]).astype(x.dtype).reshape(x.shape)


def spec(kind, inputs, outputs, **attributes):
    return kind, inputs, outputs, attributes


NUMBERS = {k for k in KINDS if k != np.bool_}
SIGNED = {k for k in NUMBERS if k.kind == "i"}
UNSIGNED = NUMBERS - SIGNED
ALL = set(KINDS)
WIDE = {np.dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64)}
WIDEST = {np.dtype(np.int32), np.dtype(np.int64)}
BYTES = {np.dtype(np.int8), np.dtype(np.uint8)}
#: name: (types of the standard, nodes of x and y of 2 x 3 to z, NumPy)
OPS = {
    "Abs": (NUMBERS, [spec("Abs", "x", "z")], lambda x, y: np.abs(x)),
    "Add": (NUMBERS, [spec("Add", "x y", "z")], lambda x, y: x + y),
    "And": ({np.dtype(bool)}, [spec("And", "x y", "z")], lambda x, y: x & y),
    "ArgMax": (NUMBERS, [spec("ArgMax", "x", "z", axis=1)], lambda x, y: np.argmax(x, 1)[:, None]),
    "ArgMin": (NUMBERS, [spec("ArgMin", "x", "z", axis=1)], lambda x, y: np.argmin(x, 1)[:, None]),
    "BitShift": (UNSIGNED, [spec("Cast", "one", "s", to="KIND"), spec("BitShift", "x s", "z", direction="RIGHT")], lambda x, y: x >> x.dtype.type(1)),
    "BitwiseAnd": (NUMBERS, [spec("BitwiseAnd", "x y", "z")], lambda x, y: x & y),
    "BitwiseNot": (NUMBERS, [spec("BitwiseNot", "x", "z")], lambda x, y: ~x),
    "BitwiseOr": (NUMBERS, [spec("BitwiseOr", "x y", "z")], lambda x, y: x | y),
    "BitwiseXor": (NUMBERS, [spec("BitwiseXor", "x y", "z")], lambda x, y: x ^ y),
    "Cast to f64": (ALL, [spec("Cast", "x", "z", to=11)], lambda x, y: x.astype(np.float64)),
    "Cast to u64": (ALL, [spec("Cast", "x", "z", to=13)], lambda x, y: x.astype(np.uint64)),
    "Cast to i8": (ALL, [spec("Cast", "x", "z", to=3)], lambda x, y: x.astype(np.int8)),
    "Clip": (NUMBERS, [spec("Clip", "x five high", "z")], lambda x, y: np.clip(x, x.dtype.type(5), x.dtype.type(100))),
    "Compress": (ALL, [spec("Compress", "x some", "z", axis=1)], lambda x, y: x[:, [0, 2]]),
    "Concat": (ALL, [spec("Concat", "x y", "z", axis=0)], lambda x, y: np.concatenate([x, y])),
    "CumSum": (WIDE, [spec("CumSum", "x axis", "z")], lambda x, y: np.cumsum(x, 1, dtype=x.dtype)),
    "Div": (NUMBERS, [spec("Max", "y five", "d"), spec("Div", "x d", "z")], lambda x, y: quotient(x, np.maximum(y, 5))),
    "Einsum": (NUMBERS, [spec("Einsum", "x y", "z", equation="ij,kj->ik")], lambda x, y: x @ y.T),
    "Equal": (ALL, [spec("Equal", "x y", "z")], lambda x, y: x == y),
    "Expand": (ALL, [spec("Expand", "x shape", "z")], lambda x, y: np.broadcast_to(x, (2, 2, 3))),
    "EyeLike": (NUMBERS, [spec("EyeLike", "x", "z")], lambda x, y: np.eye(2, 3, dtype=x.dtype)),
    "Gather": (ALL, [spec("Gather", "x places", "z", axis=1)], lambda x, y: x[:, [0, 2, 0]]),
    "GatherElements": (ALL, [spec("GatherElements", "x table", "z", axis=1)], lambda x, y: x[:, [0, 2, 0]]),
    "Gemm": (WIDE, [spec("Gemm", "x y", "z", transB=1)], lambda x, y: x @ y.T),
    "Greater": (NUMBERS, [spec("Greater", "x y", "z")], lambda x, y: x > y),
    "GreaterOrEqual": (NUMBERS, [spec("GreaterOrEqual", "x y", "z")], lambda x, y: x >= y),
    "Less": (NUMBERS, [spec("Less", "x y", "z")], lambda x, y: x < y),
    "LessOrEqual": (NUMBERS, [spec("LessOrEqual", "x y", "z")], lambda x, y: x <= y),
    "MatMul": (WIDE, [spec("Transpose", "y", "t"), spec("MatMul", "x t", "z")], lambda x, y: x @ y.T),
    "Max": (NUMBERS, [spec("Max", "x y", "z")], lambda x, y: np.maximum(x, y)),
    "MaxPool": (BYTES, [spec("Unsqueeze", "x axis", "u"), spec("MaxPool", "u", "z", kernel_shape=[2])],
                lambda x, y: np.maximum(x[:, :-1], x[:, 1:])[:, None]),
    "Min": (NUMBERS, [spec("Min", "x y", "z")], lambda x, y: np.minimum(x, y)),
    "Mod": (NUMBERS, [spec("Max", "y five", "d"), spec("Mod", "x d", "z")], lambda x, y: np.mod(x, np.maximum(y, x.dtype.type(5)))),
    "Mul": (NUMBERS, [spec("Mul", "x y", "z")], lambda x, y: x * y),
    "Neg": (SIGNED, [spec("Neg", "x", "z")], lambda x, y: -x),
    "NonZero": (ALL, [spec("NonZero", "x", "z")], lambda x, y: np.array(np.nonzero(x))),
    "Not": ({np.dtype(bool)}, [spec("Not", "x", "z")], lambda x, y: ~x),
    "OneHot": (NUMBERS, [spec("OneHot", "places depth x0", "z")], lambda x, y: np.where(np.arange(4) == np.array([[0], [2], [0]]), x[0, 1], x[0, 0])),
    "Or": ({np.dtype(bool)}, [spec("Or", "x y", "z")], lambda x, y: x | y),
    "PRelu": (WIDE, [spec("PRelu", "x y", "z")], lambda x, y: np.where(x < 0, x * y, x)),
    "Pad": (ALL, [spec("Pad", "x pads", "z")], lambda x, y: np.pad(x, ((0, 0), (1, 2)))),
    "ReduceL1": (WIDE, [spec("ReduceL1", "x axes", "z")], lambda x, y: whole(np.abs(x), np.sum)),
    "ReduceL2": (WIDE, [spec("ReduceL2", "small axes", "z")], lambda x, y: wide(lambda v: np.sqrt((v**2).sum(1, keepdims=True)))(x % x.dtype.type(5))),
    "ReduceMax": (WIDE | BYTES | {np.dtype(bool)}, [spec("ReduceMax", "x axes", "z")], lambda x, y: x.max(1, keepdims=True)),
    "ReduceMin": (WIDE | BYTES | {np.dtype(bool)}, [spec("ReduceMin", "x axes", "z")], lambda x, y: x.min(1, keepdims=True)),
    "ReduceProd": (WIDE, [spec("ReduceProd", "x axes", "z")], lambda x, y: whole(x, np.prod)),
    "ReduceSum": (WIDE, [spec("ReduceSum", "x axes", "z")], lambda x, y: whole(x, np.sum)),
    "ReduceSumSquare": (WIDE, [spec("ReduceSumSquare", "x axes", "z")], lambda x, y: whole(x * x, np.sum)),
    "Relu": (SIGNED, [spec("Relu", "x", "z")], lambda x, y: np.maximum(x, x.dtype.type(0))),
    "ReverseSequence": (ALL, [spec("ReverseSequence", "x lengths", "z", time_axis=1, batch_axis=0)],
                        lambda x, y: np.stack([x[0, [1, 0, 2]], x[1, ::-1]])),
    "ScatterElements": (ALL, [spec("ScatterElements", "x places1 y", "z", axis=1)], lambda x, y: np.stack([y[:, 1], x[:, 1], y[:, 2]], 1)),
    "ScatterElements add": (NUMBERS, [spec("ScatterElements", "x table y", "z", axis=1, reduction="add")], lambda x, y: scattered(np.add)(x, y)),
    "ScatterElements max": (ALL, [spec("ScatterElements", "x table y", "z", axis=1, reduction="max")], lambda x, y: scattered(np.maximum)(x, y)),
    "ScatterElements min": (ALL, [spec("ScatterElements", "x table y", "z", axis=1, reduction="min")], lambda x, y: scattered(np.minimum)(x, y)),
    "ScatterElements mul": (NUMBERS, [spec("ScatterElements", "x table y", "z", axis=1, reduction="mul")], lambda x, y: scattered(np.multiply)(x, y)),
    "ScatterND max": (ALL, [spec("ScatterND", "x rows y0", "z", reduction="max")], lambda x, y: np.stack([x[0], np.maximum(x[1], y[0])])),
    "ScatterND min": (ALL, [spec("ScatterND", "x rows y0", "z", reduction="min")], lambda x, y: np.stack([x[0], np.minimum(x[1], y[0])])),
    "Sign": (NUMBERS, [spec("Sign", "x", "z")], lambda x, y: np.sign(x)),
    "Slice": (ALL, [spec("Slice", "x from to axes back", "z")], lambda x, y: x[:, ::-2]),
    "Split": (ALL, [spec("Split", "x", "a z", axis=0, num_outputs=2)], lambda x, y: x[1:]),
    "Sub": (NUMBERS, [spec("Sub", "x y", "z")], lambda x, y: x - y),
    "Tile": (ALL, [spec("Tile", "x depth2", "z")], lambda x, y: np.tile(x, (2, 2))),
    "TopK": (NUMBERS, [spec("TopK", "x two", "v z", axis=1)], lambda x, y: most_first(x)[:, :2]),
    "TopK least": (NUMBERS, [spec("TopK", "x two", "z i", axis=1, largest=0)], lambda x, y: np.sort(x, 1)[:, :2]),
    "Transpose": (ALL, [spec("Transpose", "x", "z")], lambda x, y: x.T),
    "Trilu": (ALL, [spec("Trilu", "x", "z")], lambda x, y: np.triu(x)),
    "Unique": (ALL, [spec("Unique", "x", "z")], lambda x, y: np.unique(x)),
    "Where": (ALL, [spec("Where", "condition x y", "z")], lambda x, y: np.where([[True], [False]], x, y)),
    "Xor": ({np.dtype(bool)}, [spec("Xor", "x y", "z")], lambda x, y: x ^ y),
}
CONSTANTS = {"axis": np.array([1]), "axes": np.array([1]), "shape": np.array([2, 2, 3]), "places": np.array([0, 2, 0]),
             "table": np.array([[0, 2, 0]] * 2), "places1": np.array([[0, 0, 2]] * 2), "pads": np.array([0, 1, 0, 2]), "lengths": np.array([2, 3]),
             "depth": np.array(4), "depth2": np.array([2, 2]), "from": np.array([2]), "to": np.array([-9]), "back": np.array([-2]), "two": np.array([2]),
             "rows": np.array([[1]]), "one": np.array(1), "condition": np.array([[True], [False]]), "some": np.array([True, False, True])}


HEAD = """# Integers and bools in ONNX

Written by `test/Import/Inputs/check_integer_types.py --table`, which compares each combination with NumPy. *yes*: as the standard has it, by the order and the arithmetic of the type: sums and products wrap, and the upper half of an unsigned type is positive. *more*: the standard does not define the op for this type, and it is computed likewise. *no*: it does not, and the model is refused with words. *-*: not tried.
"""


def read_page(path):
    """What the page says, by op and type."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in path.read_text().splitlines() if line.startswith("| ")]
    return {(row[0], kind): cell for row in lines[1:] for kind, cell in zip(KINDS, row[1:], strict=True)}


def arrays_of(kind):
    """Two of 2 x 3, with numbers from the upper half of unsigned types."""
    if kind == np.bool_:
        return np.array([[True, False, True], [False, False, True]]), np.array([[True, True, False], [False, True, False]])
    top = int(np.iinfo(kind).max)
    x = [[top, 3, top // 2 + 2], [7, top - 1, 0]]
    y = [[top // 2 + 1, 5, 2], [top, 1, 9]]
    if kind.kind == "i":
        x[1][0], y[0][2] = -7, -(top + 1)
    return np.array(x, kind), np.array(y, kind)


def inputs_of(kind):
    """Arrays by name: x and y, and parts of them."""
    x, y = arrays_of(kind)
    return {"x": x, "y": y, "y0": y[:1], "x0": x[0, :2], **({} if kind == np.bool_ else {"small": x % kind.type(5)})}


def write(path, names, kind):
    """A model of these ops."""
    nodes, outputs, own = [], [], {"z", "d", "t", "u", "a", "v", "i", "s"}
    for number, name in enumerate(names):
        for op, inputs, results, attributes in OPS[name][1]:
            renamed = (" ".join(f"{value}_{number}" if value in own else value for value in values.split()) for values in (inputs, results))
            attributes = {key: TYPES[kind] if value == "KIND" else value for key, value in attributes.items()}
            nodes.append(node(op, *renamed, **attributes))
        outputs.append(f"z_{number}")
    constants = {name: array if array.dtype == np.bool_ else array.astype(np.int64) for name, array in CONSTANTS.items()}
    if kind != np.bool_:
        constants |= {"five": np.array(5, kind), "high": np.array(100, kind)}
    arrays = inputs_of(kind)
    inputs = {name: (TYPES[kind], ["A", "B"] if array.ndim == 2 and name != "y0" else list(array.shape)) for name, array in arrays.items()}
    path.write_bytes(model(nodes, inputs, outputs, constants))
    return list(arrays.values())


def expect(name, kind):
    x, y = arrays_of(kind)
    with np.errstate(all="ignore"):
        return np.asarray(OPS[name][2](x, y))


def compare(name, kind, seen, failures):
    right = expect(name, kind)
    if seen.dtype != right.dtype or seen.shape != right.shape or not np.array_equal(seen, right):
        failures.append(f"{name} of {kind}: expected {right.tolist()}, but got {seen.tolist()} ({seen.dtype})")


def check_alone(name, kind, folder, library, failures):
    """Of an op that the standard does not define for the type: what it gives."""
    if kind == np.bool_ and {"five", "high", "small"} & {v for one in OPS[name][1] for v in one[1].split()}:
        return "-"
    path = folder / f"{name.replace(' ', '-')}-{kind}.onnx"
    arrays = write(path, [name], kind)
    try:
        (seen,) = symshape_c.Program(path, library=library, first=arrays)(*arrays)
    except symshape_c.Error as error:
        words = str(error).split("node (")[-1]
        if "crash" in words or "arith." in words or "linalg." in words:
            failures.append(f"{name} of {kind}: expected words of ONNX, but got {error}")
        return "no"
    compare(name, kind, seen, failures)
    return "more"


def main():
    library, folder = symshape_c.load(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    table, failures, counts = {}, [], Counter()
    target = next((argument.removeprefix("--target=") for argument in sys.argv if argument.startswith("--target=")), None)
    for kind in [k for k in KINDS if not target or k.kind != "i"]:
        names = [name for name, (kinds, _, _) in OPS.items() if kind in kinds]
        arrays = write(folder / f"{kind}.onnx", names, kind)
        program = symshape_c.Program(folder / f"{kind}.onnx", library=library, first=arrays, target=target)
        for name, seen in zip(names, program(*arrays), strict=True):
            compare(name, kind, seen, failures)
            table[name, kind] = "yes"
        for name in (set(OPS) - set(names)) if "--table" in sys.argv else ():
            table[name, kind] = check_alone(name, kind, folder, library, failures)
    counts.update(table.values())
    if "--table" in sys.argv:
        rows = [["op", *map(str, KINDS)], ["---"] * (len(KINDS) + 1)]
        rows += [[name, *(table[name, kind] for kind in KINDS)] for name in OPS]
        Path(sys.argv[3]).write_text(HEAD + "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    page = read_page(Path(sys.argv[3]))
    said = {combination for combination, word in page.items() if word == "yes"}
    wrong = {(name, kind) for name, kind in said ^ {combination for combination, word in table.items() if word == "yes"}
             if not target or kind.kind != "i"}
    failures += [f"{name} of {kind}: expected the page to say {table.get((name, kind), 'no')}, but got {page.get((name, kind))}" for name, kind in wrong]
    print("\n".join(failures))
    print(f"{len(OPS)} ops: {dict(counts)}, {len(failures)} failed")
    return 1 if failures or counts["yes"] < (UNSIGNED_FLOOR if target else FLOOR) else 0


if __name__ == "__main__":
    sys.exit(main())
