# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The definitions of gather, scatter, pad and truncation, element by element.

Slow and plain: what the compiled ops are compared with.
"""

import itertools
import math

import numpy as np


def window_starts(x, indices, at, vector_dim, start_map, batching, index_batching):
    """Where the window of a batch position begins, before any clamp."""
    start = [0] * x.ndim
    for component, axis in enumerate(start_map):
        place = list(at)
        if vector_dim < indices.ndim:
            place.insert(vector_dim, component)
        start[axis] = int(indices[tuple(place)])
    for axis, index_axis in zip(batching, index_batching):
        start[axis] = at[index_axis - (index_axis > vector_dim)]
    return start


def in_range(x, start, sizes, start_map):
    return all(0 <= start[d] <= x.shape[d] - sizes[d] for d in start_map)


def clamped(x, start, sizes, start_map):
    return [min(max(s, 0), x.shape[d] - sizes[d]) if d in start_map else s for d, s in enumerate(start)]


def batch_shape(indices, vector_dim):
    return [e for d, e in enumerate(indices.shape) if d != vector_dim]


def gather(x, indices, sizes, mode, *, offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim,
           operand_batching_dims=(), start_indices_batching_dims=(), fill_value=0):
    windows = [d for d in range(x.ndim) if d not in collapsed_slice_dims and d not in operand_batching_dims]
    batch = batch_shape(indices, index_vector_dim)
    rank = len(batch) + len(windows)
    batch_axes = [d for d in range(rank) if d not in offset_dims]
    shape = [0] * rank
    for axis, extent in zip(batch_axes, batch):
        shape[axis] = extent
    for axis, d in zip(offset_dims, windows):
        shape[axis] = sizes[d]
    result = np.full(shape, fill_value, x.dtype)
    for at in itertools.product(*map(range, batch)):
        start = window_starts(x, indices, at, index_vector_dim, start_index_map, operand_batching_dims,
                              start_indices_batching_dims)
        if mode == "clip":
            start = clamped(x, start, sizes, start_index_map)
        elif not in_range(x, start, sizes, start_index_map):
            continue
        for inside in itertools.product(*(range(sizes[d]) for d in windows)):
            place, source = [0] * rank, list(start)
            for axis, p in zip(batch_axes, at):
                place[axis] = p
            for axis, d, w in zip(offset_dims, windows, inside):
                place[axis] = w
                source[d] += w
            result[tuple(place)] = x[tuple(source)]
    return result


COMBINERS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
             "update": lambda a, b: b, "max": max, "min": min}


def scatter(x, indices, updates, combiner, mode, *, update_window_dims, inserted_window_dims,
            scatter_dims_to_operand_dims, index_vector_dim, operand_batching_dims=(),
            scatter_indices_batching_dims=()):
    windows = [d for d in range(x.ndim) if d not in inserted_window_dims and d not in operand_batching_dims]
    sizes = [1] * x.ndim
    for axis, d in zip(update_window_dims, windows):
        sizes[d] = updates.shape[axis]
    batch_axes = [d for d in range(updates.ndim) if d not in update_window_dims]
    result = x.copy()
    for place in itertools.product(*map(range, updates.shape)):
        start = window_starts(x, indices, [place[axis] for axis in batch_axes], index_vector_dim,
                              scatter_dims_to_operand_dims, operand_batching_dims,
                              scatter_indices_batching_dims)
        if mode == "clip":
            start = clamped(x, start, sizes, scatter_dims_to_operand_dims)
        elif not in_range(x, start, sizes, scatter_dims_to_operand_dims):
            continue
        for axis, d in zip(update_window_dims, windows):
            start[d] += place[axis]
        result[tuple(start)] = COMBINERS[combiner](result[tuple(start)], updates[place])
    return result


def truncate_size(size, extent):
    """Half away from zero, between 0 and the extent; integers stay integers."""
    if isinstance(size, (float, np.floating)):
        if not math.isfinite(size):
            raise ValueError("non-finite")
        size = math.copysign(math.floor(abs(float(size)) + 0.5), size)
    return int(min(max(size, 0), extent))


def pad(x, value, low, high, interior):
    for axis, (lo, hi, gap) in enumerate(zip(low, high, interior)):
        extent = x.shape[axis]
        base = (extent - 1) * (gap + 1) + 1 if extent else 0
        shape = list(x.shape)
        shape[axis] = lo + hi + base
        result = np.full(shape, value, x.dtype)
        for i in range(extent):
            place = lo + i * (gap + 1)
            if 0 <= place < shape[axis]:
                result[(slice(None),) * axis + (place,)] = x[(slice(None),) * axis + (i,)]
        x = result
    return x


def clamp_starts(x, starts, sizes):
    return [min(max(int(s), 0), e - n) for s, e, n in zip(starts, x.shape, sizes)]


def dynamic_slice(x, starts, sizes):
    at = clamp_starts(x, starts, sizes)
    return x[tuple(slice(s, s + n) for s, n in zip(at, sizes))]


def dynamic_update_slice(x, update, starts):
    at = clamp_starts(x, starts, update.shape)
    result = x.copy()
    result[tuple(slice(s, s + n) for s, n in zip(at, update.shape))] = update
    return result
