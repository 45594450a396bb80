# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the test vectors, evaluated with NumPy: definitions, no rules.

`evaluate(program, values)` runs the steps of a program (see test/Vectors) on
arrays by name, and returns all values by name. Raises `Invalid` where an op is not
defined on the extents of its operands, which NumPy may be more generous about, and
`Undefined` where data break what an op was promised.
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


class Invalid(ValueError):
    """An op is not defined on such extents."""


class Undefined(Exception):
    """Data do not keep a promise."""


def need(condition, what, kind=Invalid):
    if not condition:
        raise kind(what)


def alike(function):
    """An op of operands of one shape."""
    def run(*operands, **attrs):
        need(len({x.shape for x in operands}) == 1, "operands of different extents")
        return function(*operands, **attrs)
    return run


def numbers(attrs, keys):
    return {key: attrs[key] for key in keys if key in attrs}


def check_windows(x, indices, sizes, batch, mode, start_map, vector_dim, batching, index_batching, at):
    """What gather and scatter require: `sizes` of windows in `x` for the positions `batch`; `at` gives the start."""
    need(all(0 <= size <= extent for d, (size, extent) in enumerate(zip(sizes, x.shape)) if d not in batching),
         "a window larger than its operand")
    need(all(x.shape[a] == indices.shape[b] for a, b in zip(batching, index_batching)), "batches of different extents")
    components = indices.shape[vector_dim] if vector_dim < indices.ndim else 1
    need(components == len(start_map), "not as many components as axes")
    need(batch == reference.batch_shape(indices, vector_dim), "not as many windows as indices")
    if mode == "promise_in_bounds":
        need(all(reference.in_range(x, at(place), sizes, start_map) for place in np.ndindex(*batch)),
             "an index out of range", Undefined)


def starts_of(x, indices, vector_dim, start_map, batching, index_batching):
    return lambda place: reference.window_starts(x, indices, place, vector_dim, start_map, batching, index_batching)


def gather(x, indices, **attrs):
    batching = attrs.get("operand_batching_dims", []), attrs.get("start_indices_batching_dims", [])
    vector_dim, start_map = attrs["index_vector_dim"], attrs["start_index_map"]
    check_windows(x, indices, attrs["slice_sizes"], reference.batch_shape(indices, vector_dim), attrs["mode"],
                  start_map, vector_dim, *batching, starts_of(x, indices, vector_dim, start_map, *batching))
    return reference.gather(x, indices, attrs["slice_sizes"], attrs["mode"],
                            fill_value=attrs.get("fill_value", 0), **numbers(attrs, GATHER_KEYS))


def sizes_of(operands, sizes):
    """The sizes; one may be the extent of an operand."""
    return [s if isinstance(s, int) else operands[s["operand"]].shape[s["axis"]] for s in sizes]


def gather_dynamic(x, indices, *sources, **attrs):
    sizes = sizes_of([x, indices, *sources], attrs["slice_sizes"])
    return gather(x, indices, **{**attrs, "slice_sizes": sizes})


def scatter(x, indices, updates, **attrs):
    batching = attrs.get("operand_batching_dims", []), attrs.get("scatter_indices_batching_dims", [])
    vector_dim, start_map = attrs["index_vector_dim"], attrs["scatter_dims_to_operand_dims"]
    windows, sizes = attrs["update_window_dims"], [1] * x.ndim
    kept = [d for d in range(x.ndim) if d not in attrs["inserted_window_dims"] and d not in batching[0]]
    for axis, d in zip(windows, kept):
        sizes[d] = updates.shape[axis]
    batch = [e for d, e in enumerate(updates.shape) if d not in windows]
    starts = starts_of(x, indices, vector_dim, start_map, *batching)
    check_windows(x, indices, sizes, batch, attrs["mode"], start_map, vector_dim, *batching, starts)
    if attrs.get("unique_indices"):
        places = [tuple(starts(place)) for place in np.ndindex(*batch)]
        need(len(set(places)) == len(places), "an index twice", Undefined)
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
        need(x.shape[axis] == (1 if axis in expanding else shape[result]), "an axis that does not expand")
    return np.broadcast_to(aligned.reshape(wide), shape).copy()


def dot_general(x, y, lhs_contracting, rhs_contracting, lhs_batch, rhs_batch):
    of_x, of_y, count = [None] * x.ndim, [None] * y.ndim, 0
    need(all(x.shape[a] == y.shape[b] for a, b in zip([*lhs_batch, *lhs_contracting], [*rhs_batch, *rhs_contracting])),
         "operands of different extents")
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


def slice_(x, starts, limits, strides):
    need(all(limit <= extent for limit, extent in zip(limits, x.shape)), "an end beyond the extent")
    return x[tuple(map(slice, starts, limits, strides))]


def dynamic_slice(x, starts, *sources, slice_sizes):
    sizes = sizes_of([x, starts, *sources], slice_sizes)
    need(starts.size >= x.ndim, "fewer starts than axes")
    need(all(0 <= size <= extent for size, extent in zip(sizes, x.shape)), "a size beyond the extent")
    return reference.dynamic_slice(x, starts, sizes)


def dynamic_update_slice(x, update, starts):
    need(starts.size >= x.ndim, "fewer starts than axes")
    need(all(size <= extent for size, extent in zip(update.shape, x.shape)), "a size beyond the extent")
    return reference.dynamic_update_slice(x, update, starts)


def reshape(x, *sources, shape):
    shape = sizes_of([x, *sources], shape)
    need(min(shape, default=0) >= 0, "a negative extent")
    return x.reshape(shape)


def concatenate(*xs, axis):
    need(len({x.shape[:axis] + x.shape[axis + 1:] for x in xs}) == 1, "pieces of different extents")
    return np.concatenate(xs, axis)


def extremum(function, largest):
    """Of nothing: what no other element changes."""
    def run(x, axes):
        if x.dtype.kind == "f":
            empty = -np.inf if largest else np.inf
        elif x.dtype.kind == "b":
            empty = not largest
        else:
            empty = np.iinfo(x.dtype).min if largest else np.iinfo(x.dtype).max
        return function(x, axis=tuple(axes), initial=x.dtype.type(empty)) if axes else x
    return run


OPS = {
    **{name: alike(function) for name, function in {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
        "minimum": np.minimum, "select": lambda p, a, b: np.where(p, a, b),
        "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high)}.items()},
    "neg": np.negative,
    "gather": gather_dynamic, "gather_dynamic_slice_sizes": gather_dynamic, "scatter": scatter,
    "dynamic_truncate": truncate, "pad_to_match": pad_to_match, "pad": pad,
    "slice": slice_, "dynamic_slice": dynamic_slice, "dynamic_update_slice": dynamic_update_slice,
    "reshape": reshape, "transpose": lambda x, perm: x.transpose(perm),
    "reverse": lambda x, axes: np.flip(x, axes), "concatenate": concatenate,
    "broadcast_in_dim": broadcast, "dot_general": dot_general, "cumsum": cumsum,
    "sort": lambda x, axis: np.sort(x, axis, kind="stable"),
    "reduce_sum": lambda x, axes: x.sum(tuple(axes)), "reduce_prod": lambda x, axes: x.prod(tuple(axes)),
    "reduce_max": extremum(np.max, True), "reduce_min": extremum(np.min, False),
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
        if not left:
            raise Undefined("a loop that does not end")
        carried = run_body(attrs["body"], attrs["args"], [*carried, *operands[count:]], attrs["results"])
    return carried


CONTROL = {"if": run_if, "for": run_for, "while_lt": run_while}


def evaluate(program, values):
    values = dict(values)
    for step in program:
        operands = [values[name] for name in step["operands"]]
        attrs = step.get("attrs", {})
        if step["op"] in CONTROL:
            names = step["results"] if "results" in step else [step["result"]]
            values.update(zip(names, CONTROL[step["op"]](*operands, **attrs)))
        else:
            values[step["result"]] = np.asarray(OPS[step["op"]](*operands, **attrs))
    return values


def has_derivatives(program, values):
    """Whether no extremum of floats is along an empty axis: it has none."""
    values = evaluate(program, values)
    for step in program:
        if step["op"] in ("reduce_max", "reduce_min"):
            x = values[step["operands"][0]]
            if x.dtype.kind == "f" and any(x.shape[axis] == 0 for axis in step["attrs"]["axes"]):
                return False
    return True
