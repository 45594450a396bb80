# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the schema of ad.json whose expected results share no code with the runner.

    fresh_vectors.py FILE.json [every Nth]

Each case comes with a function in plain NumPy: it gives the results, its derivative
along a tangent is that of a complex step, and the cotangents of its inputs come from
the derivative along each of their elements.
"""

import json
import sys

import numpy as np

STEP = 1e-30
ROWS = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
SCATTERED = {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0],
             "index_vector_dim": 1}
WINDOW = {"update_window_dims": [1], "inserted_window_dims": [], "scatter_dims_to_operand_dims": [0],
          "index_vector_dim": 1}


def op(result, name, operands, **attrs):
    key = "results" if " " in result else "result"
    return {key: result.split() if " " in result else result, "op": name, "operands": operands.split(), "attrs": attrs}


def of_dtype(array):
    return {"f": "f64", "c": "f64", "i": "i64", "b": "i1"}[np.asarray(array).dtype.kind]


def flat(array):
    array = np.asarray(array)
    return [x if isinstance(x, int) else int(x) if of_dtype(array) == "i1" else float(x)
            for x in (array.real if array.dtype.kind == "c" else array).ravel().tolist()]


def tensor(array):
    array = np.asarray(array)
    return {"dtype": of_dtype(array), "shape": list(array.shape), "data": flat(array)}


class Cases:
    def __init__(self):
        self.rng, self.all = np.random.default_rng(46), []

    def floats(self, *shape):
        """Numbers that are far from ties and from whole ones."""
        return np.round(self.rng.uniform(0.6, 3, shape), 3) * self.rng.choice([-1.0, 1.0], shape)

    def add(self, name, inputs, program, result, function, symbols=None, active=None, smooth=True):
        program = program if isinstance(program, list) else [program]
        inputs = {key: np.asarray(value) for key, value in inputs.items()}
        if active is None:
            active = [key for key, value in inputs.items() if value.dtype.kind == "f"]
        primal = function(**inputs)
        case = {"id": name, "kind": "numeric", "category": "fresh", "description": name,
                "inputs": {key: tensor(value) for key, value in inputs.items()}, "program": program,
                "results": [result], "active": active, "primal": [tensor(primal)], "fd_checkable": smooth}
        if symbols:
            case["symbolic_dims"] = symbols
        if np.asarray(primal).dtype.kind == "f" and active:
            self.differentiate(case, inputs, active, function, np.asarray(primal))
        self.all.append(case)

    def differentiate(self, case, inputs, active, function, primal):
        def along(tangents):
            moved = {key: value + 1j * STEP * tangents[key] if key in tangents else value
                     for key, value in inputs.items()}
            return np.imag(function(**moved)) / STEP

        tangents = {key: self.floats(*inputs[key].shape) for key in active}
        cotangent = self.floats(*primal.shape)
        pulled = {}
        for key in active:
            pulled[key] = np.zeros(inputs[key].shape)
            for place in np.ndindex(inputs[key].shape):
                basis = np.zeros(inputs[key].shape)
                basis[place] = 1
                pulled[key][place] = np.sum(along({key: basis}) * cotangent)
        case.update(tangents={key: flat(value) for key, value in tangents.items()}, jvp=[flat(along(tangents))],
                    cotangents=[flat(cotangent)], vjp={key: flat(value) for key, value in pulled.items()})


def put(x, places, rows, how):
    """Rows one after the other into a copy of x; `how` combines, None: the row is left out."""
    out = np.array(x, dtype=np.result_type(x, *rows))
    for place, row in zip(places, rows):
        if place is not None:
            how(out, place, row)
    return out


def adds(out, place, row):
    out[place] = out[place] + row


def sets(out, place, row):
    out[place] = row


def multiplies(out, place, row):
    out[place] = out[place] * row


def windows(starts, size, extent, mode):
    """The slices of windows of an axis: clamped, or None where they do not fit."""
    last = extent - size
    if mode == "clip":
        return [slice(s, s + size) for s in np.clip(starts, 0, last)]
    return [slice(s, s + size) if 0 <= s <= last else None for s in starts]


def taken(x, places, like):
    parts = [np.zeros_like(like, dtype=x.dtype) if place is None else x[place] for place in places]
    return np.stack(parts) if parts else np.zeros((0, *like.shape), x.dtype)


def gathers(c):
    for mode in ("clip", "fill"):
        for numbers in ([0, 2, 1], [-1, 5, 2], [], [3]):
            x, at = c.floats(4, 2), np.array(numbers, np.int64).reshape(-1, 1)
            c.add(f"rows_{mode}_{len(numbers)}_{sum(numbers)}", {"x": x, "i": at},
                  op("y", "gather", "x i", slice_sizes=[1, 2], mode=mode, **ROWS), "y",
                  lambda x, i, mode=mode: taken(x, [place if place is None else place.start for place in
                                                    windows(i[:, 0], 1, 4, mode)], x[0]),
                  symbols={"x": ["n", 2], "i": ["k", 1]})
    for mode in ("clip", "fill"):
        for width in (0, 1, 2, 5):
            x, at, like = c.floats(5), np.array([[0], [3], [9], [-2]]), c.floats(width)
            c.add(f"window_{mode}_{width}", {"x": x, "i": at, "w": like},
                  op("y", "gather_dynamic_slice_sizes", "x i w", offset_dims=[1], collapsed_slice_dims=[],
                     start_index_map=[0], index_vector_dim=1, slice_sizes=[{"operand": 2, "axis": 0}], mode=mode), "y",
                  lambda x, i, w, mode=mode: taken(x, windows(i[:, 0], len(w), len(x), mode), w),
                  active=["x"], symbols={"x": ["n"], "i": ["k", 1], "w": ["m"]})
    x, at, like = c.floats(5), np.array([[1], [2]]), c.floats(3)
    c.add("window_of_the_plain_op", {"x": x, "i": at, "w": like},
          op("y", "gather", "x i w", offset_dims=[1], collapsed_slice_dims=[], start_index_map=[0], index_vector_dim=1,
             slice_sizes=[{"operand": 2, "axis": 0}], mode="promise_in_bounds"), "y",
          lambda x, i, w: np.stack([x[a:a + len(w)] for a in i[:, 0]]), active=["x"])
    # A window over two axes, one of them as long as that of another tensor.
    x, at, like = c.floats(4, 3), np.array([[0, 1], [2, 0], [7, 7]]), c.floats(2)
    c.add("window_of_two_axes", {"x": x, "i": at, "w": like},
          op("y", "gather_dynamic_slice_sizes", "x i w", offset_dims=[1, 2], collapsed_slice_dims=[],
             start_index_map=[0, 1], index_vector_dim=1, slice_sizes=[{"operand": 2, "axis": 0}, 2], mode="clip"), "y",
          lambda x, i, w: np.stack([x[a:a + 2, b:b + 2] for a, b in np.clip(i, 0, [2, 1])]), active=["x"])
    x, at = c.floats(2, 3), np.array([[1], [2]])
    c.add("batched", {"x": x, "i": at},
          op("y", "gather", "x i", offset_dims=[], collapsed_slice_dims=[1], start_index_map=[1], index_vector_dim=1,
             operand_batching_dims=[0], start_indices_batching_dims=[0], slice_sizes=[1, 1], mode="clip"), "y",
          lambda x, i: np.take_along_axis(x, i, 1)[:, 0])


def scatters(c):
    hows = {"add": adds, "update": sets, "mul": multiplies}
    for combiner, how in hows.items():
        for mode in ("clip", "drop"):
            x, at, rows = c.floats(4, 2), np.array([[3], [-1], [0]]), c.floats(3, 2)
            c.add(f"scattered_rows_{combiner}_{mode}", {"x": x, "i": at, "u": rows},
                  op("y", "scatter", "x i u", combiner=combiner, mode=mode, **SCATTERED), "y",
                  lambda x, i, u, how=how, mode=mode: put(
                      x, [place if place is None else place.start for place in windows(i[:, 0], 1, 4, mode)], u, how))
    # A window that is a part of the axis, or of the other one.
    for combiner, how in hows.items():
        for mode, width in (("clip", 2), ("drop", 2), ("drop", 0), ("clip", 5)):
            x, at, rows = c.floats(5), np.array([[1], [4], [0]]), c.floats(3, width)
            c.add(f"partial_window_{combiner}_{mode}_{width}", {"x": x, "i": at, "u": rows},
                  op("y", "scatter", "x i u", combiner=combiner, mode=mode, **WINDOW), "y",
                  lambda x, i, u, how=how, mode=mode: put(x, windows(i[:, 0], u.shape[1], len(x), mode), u, how),
                  symbols={"x": ["n"], "i": ["k", 1], "u": ["k", "m"]})
    x, at, rows = c.floats(3, 5), np.array([[2], [0]]), c.floats(2, 2)
    c.add("partial_row", {"x": x, "i": at, "u": rows},
          op("y", "scatter", "x i u", combiner="add", mode="clip", **SCATTERED), "y",
          lambda x, i, u: put(x, [(p, slice(0, 2)) for p in i[:, 0]], u, adds),
          symbols={"x": ["n", "d"], "i": ["k", 1], "u": ["k", "m"]})


def slices(c):
    for extent, start, limit, stride in ((5, 1, 4, 1), (5, 0, 5, 2), (5, 5, 5, 1), (5, 2, 2, 3), (0, 0, 0, 1),
                                         (7, 1, 6, 4)):
        c.add(f"slice_{extent}_{start}_{limit}_{stride}", {"x": c.floats(extent)},
              op("y", "slice", "x", starts=[start], limits=[limit], strides=[stride]), "y",
              lambda x, s=slice(start, limit, stride): x[s])
    for low, high, interior in ((1, 2, 0), (-1, 0, 0), (0, -2, 1), (2, -1, 2), (-1, -1, 1)):
        def padded(x, v, low=low, high=high, interior=interior):
            wide = np.full((len(x) - 1) * (interior + 1) + 1, v)
            wide = wide.astype(np.result_type(x, v))
            wide[::interior + 1] = x
            ends = [np.full(max(end, 0), v, wide.dtype) for end in (low, high)]
            return np.concatenate([ends[0], wide, ends[1]])[max(-low, 0):][:len(wide) + low + high]
        c.add(f"pad_{low}_{high}_{interior}", {"x": c.floats(4), "v": c.floats()},
              op("y", "pad", "x v", low=[low], high=[high], interior=[interior]), "y", padded)
    for start in (-3, 0, 2, 9):
        c.add(f"dynamic_slice_{start}", {"x": c.floats(5), "s": np.array([start])},
              op("y", "dynamic_slice", "x s", slice_sizes=[3]), "y",
              lambda x, s: x[np.clip(s[0], 0, 2):][:3])
        c.add(f"dynamic_update_{start}", {"x": c.floats(5), "u": c.floats(2), "s": np.array([start])},
              op("y", "dynamic_update_slice", "x u s"), "y",
              lambda x, u, s: put(x, windows(s, 2, 5, "clip"), [u], sets))


def truncations(c):
    for size in (0, 2, 4, 9, -3):
        c.add(f"truncate_{size}", {"x": c.floats(4), "n": np.array(size)}, op("y", "dynamic_truncate", "x n", axis=0),
              "y", lambda x, n: x[:max(0, min(int(n), 4))])
    for other in (0, 2, 4, 6):
        c.add(f"pad_to_{other}", {"x": c.floats(4), "r": c.floats(other)}, op("y", "pad_to_match", "x r", axis=0), "y",
              lambda x, r: np.concatenate([x, np.zeros(max(0, len(r) - len(x)))]), active=["x"])


def control(c):
    # The bound, or what is added, depends on the data.
    double = op("d", "add", "a a")
    for start in (0.7, 3.0, 90.0):
        def doubled(a, x):
            while np.real(a) < 50:
                a, x = a + a, x * a
            return x
        c.add(f"while_{start}", {"a": np.array(start), "x": c.floats(3)},
              op("b r", "while_lt", "a x", bound=50.0, args=["a", "x"], results=["d", "m"],
                 body=[double, op("w", "broadcast_in_dim", "a", shape=[3], dims=[]), op("m", "mul", "x w")]),
              "r", doubled)
    for count in (0, 1, 4):
        def powers(n, x, y):
            for _ in range(int(n)):
                x = x * y
            return x
        c.add(f"for_{count}", {"n": np.array(count), "x": c.floats(2), "y": c.floats(2)},
              op("r", "for", "n x y", num_carry=1, args=["i", "c", "y"], body=[op("p", "mul", "c y")], results=["p"]),
              "r", powers)
    for chosen in (True, False):
        c.add(f"if_{chosen}", {"p": np.array(chosen), "x": c.floats(3), "y": c.floats(3)},
              op("r", "if", "p x y", args=["x", "y"], then=[op("t", "mul", "x y")], then_results=["t"],
                 **{"else": [op("e", "sub", "x y")], "else_results": ["e"]}), "r",
              lambda p, x, y: x * y if p else x - y)


    # How often depends on a sum of the data; without any, or with negative ones, it never ends.
    def sums(x):
        a, b = x.sum(), x
        while np.real(a) < 20:
            a, b = a * a, b * b
        return b
    c.add("while_of_sums", {"x": np.array([1.25, 0.5, 1.125])},
          [op("s", "reduce_sum", "x", axes=[0]),
           op("b r", "while_lt", "s x", bound=20.0, args=["a", "x"], results=["d", "m"],
              body=[op("d", "mul", "a a"), op("m", "mul", "x x")])], "r", sums, symbols={"x": ["n"]})

    def grown(n, x):
        for _ in range(int(n)):
            x = np.concatenate([x, x])
        return x
    for count in (0, 2):
        c.add(f"grown_{count}", {"n": np.array(count), "x": c.floats(2)},
              op("r", "for", "n x", num_carry=1, args=["i", "c"], body=[op("p", "concatenate", "c c", axis=0)],
                 results=["p"]), "r", grown, symbols={"x": ["m"]})


def extents(c):
    """What inference must say."""
    def exact(*shape):
        return [["exact", extent] for extent in shape]

    def add(name, op, given, result, **attrs):
        c.all.append({"id": name, "kind": "metadata", "op": op, "attrs": attrs, "category": "fresh",
                      "input_extents": [exact(*shape) for shape in given], "output_extents": [exact(*result)]})

    rows = {key: value for key, value in ROWS.items() if key != "mode"}
    add("text_gather_window", "gather", [["n", "d"], ["k", 1]], ["k", "w"], **rows, slice_sizes=[1, "w"])
    add("text_gather_part", "gather", [["n", "d"], ["k", 1]], ["k", "d // 2"], **rows, slice_sizes=[1, "d // 2"])
    add("text_gather_min", "gather", [["n", "d"], ["k", 1]], ["k", "min(d, 3)"], **rows, slice_sizes=[1, "min(d, 3)"])
    add("text_gather_two", "gather", [["n", "d"], ["k", 2]], ["k", "a", "b"], offset_dims=[1, 2],
        collapsed_slice_dims=[], start_index_map=[0, 1], index_vector_dim=1, slice_sizes=["a", "b"])
    add("text_gather_dynamic", "gather_dynamic_slice_sizes", [["n", "d"], ["k", 1]], ["k", "w + 1"], **rows,
        slice_sizes=[1, "w + 1"])
    add("text_gather_number", "gather", [["n", 4], ["k", 1]], ["k", 4], **rows, slice_sizes=[1, 4])
    add("text_scatter_part", "scatter", [["n", "d"], ["k", 1], ["k", "w"]], ["n", "d"], **SCATTERED, combiner="add",
        mode="drop")
    add("text_scatter_window", "scatter", [["n"], ["k", 1], ["k", "w"]], ["n"], **WINDOW, combiner="mul", mode="clip")
    add("text_reshape", "reshape", [["a", "b"]], ["a*b"], shape=["a*b"])
    add("text_slice", "slice", [["n"]], [0], starts=[5], limits=[5], strides=[1])
    add("text_slice_rows", "slice", [["n", 7]], [2, 3], starts=[0, 1], limits=[2, 7], strides=[1, 2])
    add("text_joined", "concatenate", [["a", "b"], ["c", "b"], ["a", "b"]], ["2*a + c", "b"], axis=0)
    add("text_padded", "pad", [["n + 1"]], ["2*n + 3"], low=[1], high=[1], interior=[1])


def others(c):
    c.add("sums", {"x": c.floats(2, 3)}, op("y", "reduce_sum", "x", axes=[1]), "y", lambda x: x.sum(1))
    c.add("sums_of_none", {"x": c.floats(2, 0)}, op("y", "reduce_sum", "x", axes=[1]), "y", lambda x: x.sum(1))
    c.add("products", {"x": c.floats(2, 3)}, op("y", "reduce_prod", "x", axes=[0]), "y", lambda x: x.prod(0))
    c.add("cumulative", {"x": c.floats(2, 3)}, op("y", "cumsum", "x", axis=1, reverse=True), "y",
          lambda x: x[:, ::-1].cumsum(1)[:, ::-1])
    c.add("contracted", {"x": c.floats(2, 3), "y": c.floats(3, 4)},
          op("z", "dot_general", "x y", lhs_contracting=[1], rhs_contracting=[0], lhs_batch=[], rhs_batch=[]), "z",
          lambda x, y: x @ y)
    c.add("nothing_contracted", {"x": c.floats(2, 0), "y": c.floats(0, 4)},
          op("z", "dot_general", "x y", lhs_contracting=[1], rhs_contracting=[0], lhs_batch=[], rhs_batch=[]), "z",
          lambda x, y: x @ y)
    c.add("joined", {"x": c.floats(2, 3), "y": c.floats(2, 0), "z": c.floats(2, 1)},
          op("r", "concatenate", "x y z", axis=1), "r", lambda x, y, z: np.concatenate([x, y, z], 1))
    c.add("turned", {"x": c.floats(2, 3, 1)}, [op("t", "transpose", "x", perm=[2, 0, 1]),
                                               op("r", "reverse", "t", axes=[1])], "r",
          lambda x: x.transpose(2, 0, 1)[:, ::-1])
    c.add("quotients", {"x": c.floats(3), "y": c.floats(3)}, [op("q", "div", "x y"), op("r", "mul", "q q")], "r",
          lambda x, y: (x / y)**2)
    c.add("sorted", {"x": np.array([3.0, -1.5, 2.25, 0.5])}, op("y", "sort", "x", axis=0), "y",
          lambda x: x[np.argsort(np.real(x), kind="stable")])


def main(arguments):
    cases = Cases()
    for family in (gathers, scatters, slices, truncations, control, extents, others):
        family(cases)
    chosen = cases.all[::int(arguments[1]) if len(arguments) > 1 else 1]
    with open(arguments[0], "w", encoding="utf-8") as file:
        json.dump({"schema_version": 1, "cases": chosen}, file)
    print(len(chosen), "cases")


if __name__ == "__main__":
    main(sys.argv[1:])
