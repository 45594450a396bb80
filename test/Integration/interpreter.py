# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the test vectors, evaluated with NumPy: definitions, no rules.

`evaluate(program, values)` runs the steps of a program (see test/Vectors) on
arrays by name, and returns all values by name.
"""

import numpy as np

import more_ops
import reference

GATHER_KEYS = ("offset_dims", "collapsed_slice_dims", "start_index_map", "index_vector_dim",
               "operand_batching_dims", "start_indices_batching_dims")
SCATTER_KEYS = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "index_vector_dim",
                "operand_batching_dims", "scatter_indices_batching_dims")


# What a loop may take.
ITERATIONS = 10000


def numbers(attrs, keys):
    return {key: attrs[key] for key in keys if key in attrs}


def gather(x, indices, **attrs):
    return reference.gather(x, indices, attrs["slice_sizes"], attrs["mode"],
                            fill_value=attrs.get("fill_value", 0), **numbers(attrs, GATHER_KEYS))


def sizes_of(operands, sizes):
    """The sizes; one may be the extent of an operand."""
    return [s if isinstance(s, int) else operands[s["operand"]].shape[s["axis"]] for s in sizes]


def gather_dynamic(x, indices, *sources, **attrs):
    sizes = sizes_of([x, indices, *sources], attrs["slice_sizes"])
    return gather(x, indices, **{**attrs, "slice_sizes": sizes})


def scatter(x, indices, updates, **attrs):
    return reference.scatter(x, indices, updates, attrs["combiner"], attrs["mode"], **numbers(attrs, SCATTER_KEYS))


def truncate(x, size, axis):
    return x.take(range(reference.truncate_size(size[()], x.shape[axis])), axis)


def pad_to_match(x, ref, axis):
    missing = max(ref.shape[axis] - x.shape[axis], 0)
    return np.pad(x, [(0, missing if d == axis else 0) for d in range(x.ndim)])


def broadcast(x, *sources, shape, dims, expanding=()):
    shape = sizes_of([x, *sources], shape)
    aligned = np.transpose(x, np.argsort(dims)) if x.ndim else x
    wide = [1] * len(shape)
    for axis, result in enumerate(dims):
        wide[result] = x.shape[axis]
        assert axis in expanding or x.shape[axis] == shape[result]
    return np.broadcast_to(aligned.reshape(wide), shape).copy()


def dot_general(x, y, lhs_contracting, rhs_contracting, lhs_batch, rhs_batch):
    of_x, of_y, count = [None] * x.ndim, [None] * y.ndim, 0
    for pairs in (zip(lhs_batch, rhs_batch), zip(lhs_contracting, rhs_contracting)):
        for a, b in pairs:
            of_x[a] = of_y[b] = count
            count += 1
    result = [of_x[a] for a in lhs_batch]
    for subscripts in (of_x, of_y):
        for d, subscript in enumerate(subscripts):
            if subscript is None:
                subscripts[d] = count
                result.append(count)
                count += 1
    return np.einsum(x, of_x, y, of_y, result)


def cumsum(x, axis, reverse=False):
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)


def pad(x, value=None, *, low, high, interior):
    return reference.pad(x, 0 if value is None else value[()], low, high, interior)


def extremum(function, empty):
    return lambda x, axes: function(x, axis=tuple(axes), initial=empty) if axes else x


OPS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "neg": np.negative, "select": lambda p, a, b: np.where(p, a, b),
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "gather": gather, "gather_dynamic_slice_sizes": gather_dynamic, "scatter": scatter,
    "dynamic_truncate": truncate, "pad_to_match": pad_to_match, "pad": pad,
    "slice": lambda x, starts, limits, strides: x[tuple(map(slice, starts, limits, strides))],
    "dynamic_slice": lambda x, starts, *sources, slice_sizes: reference.dynamic_slice(
        x, starts, sizes_of([x, starts, *sources], slice_sizes)),
    "dynamic_update_slice": reference.dynamic_update_slice,
    "reshape": lambda x, *sources, shape: x.reshape(sizes_of([x, *sources], shape)), "transpose": lambda x, perm: x.transpose(perm),
    "reverse": lambda x, axes: np.flip(x, axes), "concatenate": lambda *xs, axis: np.concatenate(xs, axis),
    "broadcast_in_dim": broadcast, "dot_general": dot_general, "cumsum": cumsum,
    "sort": lambda x, axis: np.sort(x, axis, kind="stable"),
    "reduce_sum": lambda x, axes: x.sum(tuple(axes)), "reduce_prod": lambda x, axes: x.prod(tuple(axes)),
    "reduce_max": extremum(np.max, -np.inf), "reduce_min": extremum(np.min, np.inf),
    "shape_of": lambda x, axis: np.array(x.shape[axis], dtype=np.int64),
    "convert_f_to_i": lambda x: np.trunc(x).astype(np.int64), "convert_i_to_f": lambda x: x.astype(np.float64),
    **more_ops.OPS,
}


def run_body(body, args, operands, results):
    values = evaluate(body, dict(zip(args, operands)))
    return [values[name] for name in results]


def run_if(pred, *operands, **attrs):
    side = "then" if pred[()] else "else"
    return run_body(attrs[side], attrs["args"], operands, attrs[side + "_results"])


def run_for(n, *operands, **attrs):
    count = attrs["num_carry"]
    carried = list(operands[:count])
    for i in range(int(n[()])):
        step = [np.array(i, dtype=np.int64), *carried, *operands[count:]]
        carried = run_body(attrs["body"], attrs["args"], step, attrs["results"])
    return carried


def run_while(*operands, **attrs):
    count = len(attrs["results"])
    carried = list(operands[:count])
    left = ITERATIONS
    while carried[0][()] < attrs["bound"]:
        left -= 1
        assert left, "a loop that does not end"
        carried = run_body(attrs["body"], attrs["args"], [*carried, *operands[count:]], attrs["results"])
    return carried


CONTROL = {"if": run_if, "for": run_for, "while_lt": run_while}


def evaluate(program, values):
    values = dict(values)
    for step in program:
        operands = [values[name] for name in step["operands"]]
        attrs = step.get("attrs", {})
        if step["op"] in CONTROL:
            values.update(zip(step["results"], CONTROL[step["op"]](*operands, **attrs)))
        else:
            values[step["result"]] = np.asarray(OPS[step["op"]](*operands, **attrs))
    return values
