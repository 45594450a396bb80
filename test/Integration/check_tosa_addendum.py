# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each item of the proposal on dynamic shapes for TOSA, beside NumPy.

    check_tosa_addendum.py PROGRAMS.mlir PAGE.md

Each function of PROGRAMS.mlir runs under --guard-pages, and refuses what it must. PAGE.md has to
name each of them, and no other.
"""

import re
import sys
from pathlib import Path

import numpy as np

import symrun
from check_tosa_ops import values, windows
from checking import Checks


def ints(*numbers):
    return np.array(numbers, np.int64)


def index(number):
    return np.array(number, np.int64)


def border(x, pads, fill=0):
    """An image with a border around its places: (before, after) per axis; negative ones crop."""
    for axis, (low, high) in enumerate(pads, 1):
        around = [(0, 0)] * x.ndim
        around[axis] = (max(low, 0), max(high, 0))
        x = np.pad(x, around, constant_values=fill)
        end = x.shape[axis] + min(high, 0)
        x = x[(slice(None),) * axis + (slice(max(-low, 0), end),)]
    return x


def conv2d(x, w, b, p):
    top, bottom, left, right, sy, sx, dy, dx = (int(v) for v in p)
    view = windows(border(x, ((top, bottom), (left, right))), w.shape[1:3], (sy, sx), (dy, dx))
    return np.einsum("nyxijc,oijc->nyxo", view, w) + b


INT8_WEIGHTS = np.array([[1, -2, 3, 4], [0, 5, -6, 7], [2, 2, -1, 0], [1, 1, 1, 1], [3, -3, 3, -3], [-8, 4, 2, 1],
                         [1, 0, 0, 2], [-1, -1, 4, 4], [0, 6, 0, 6], [5, 5, -5, -5], [1, 2, 3, 4], [7, -7, 0, 1]], np.int32)


def conv2d_int8(x, s, d):
    view = windows(border(x, ((1, 0), (0, 1)), fill=2), (2, 2), (int(s), int(s)), (int(d), 1)).astype(np.int32) - 2
    return (view.reshape(-1, 12) @ INT8_WEIGHTS)[None]


def conv3d(x, w, pad, s, d):
    """Depth by depth, as convolutions in two dimensions."""
    pad, s, d = int(pad), int(s), int(d)
    x = border(x, ((pad, pad), (0, 0), (1, 1)))
    depth = (x.shape[1] - (w.shape[1] - 1) * d - 1) // s + 1
    return np.stack([sum(np.einsum("nyxijc,oijc->nyxo", windows(x[:, z * s + k * d], w.shape[2:4], (1, s), (d, 1)), w[:, k])
                         for k in range(w.shape[1])) for z in range(depth)], 1)


def depthwise(x, w, pad, s, d):
    pad, s, d = int(pad), int(s), int(d)
    out = np.einsum("nyxijc,ijcm->nyxcm", windows(border(x, ((pad, pad),) * 2), w.shape[:2], (s, s), (d, d)), w)
    return out.reshape(*out.shape[:3], out.shape[3] * out.shape[4])


def transposed(x, w, top, right, s):
    """Each element of the image adds a kernel to the result."""
    top, right, s = int(top), int(right), int(s)
    n, h, v, _ = x.shape
    out = np.zeros((n, (h - 1) * s + w.shape[1], (v - 1) * s + w.shape[2], w.shape[0]), np.float32)
    for y in range(h):
        for z in range(v):
            out[:, y * s:y * s + w.shape[1], z * s:z * s + w.shape[2]] += np.einsum("nc,oijc->nijo", x[:, y, z], w)
    return border(out, ((top, 0), (0, right)))


def scatter(x, y, i, j):
    out = x.copy()
    out[0, int(i)], out[0, int(j)] = y[0, 0], y[0, 1]
    return out


def data_slice(x, at, size):
    return x[at[0]:at[0] + size[0], at[1]:at[1] + size[1]]


def clamped(x, i, n):
    first = min(max(int(i), 0), x.shape[0] - int(n))
    second = min(max(int(i), 0), x.shape[1] - 1)
    return x[first:first + int(n), second:second + 1]


SHAPES = [(0, 3), (1, 1), (3, 0), (7, 9), (33, 4)]
IMAGES = [(1, 5, 7, 3), (0, 5, 7, 2), (2, 9, 3, 1), (1, 1, 1, 4), (3, 17, 12, 0)]
# Padding, strides and dilations of which each fits an image of 5 x 7 with a kernel of 3 x 2.
CONV = [(0, 0, 0, 0, 1, 1, 1, 1), (1, 1, 0, 0, 2, 1, 1, 1), (0, 0, 1, 0, 1, 2, 2, 1), (3, 2, 1, 4, 1, 1, 1, 5),
        (-1, 1, 0, -2, 1, 1, 2, 3), (0, 0, 0, 0, 5, 1, 1, 1)]


def fits(x, w, p):
    rooms = [x.shape[1 + i] + p[2 * i] + p[2 * i + 1] - (w.shape[1 + i] - 1) * p[6 + i] - 1 for i in (0, 1)]
    return all(room >= 0 and room % p[4 + i] == 0 for i, room in enumerate(rooms))


def conv_calls():
    """(calls that fit, calls that do not) of images, kernels and parameters."""
    good, bad = [], []
    for image in IMAGES:
        for kernel in ((3, 2), (1, 1)):
            for p in CONV:
                call = [values(*image), values(4, *kernel, image[3]), values(4), ints(*p)]
                (good if fits(call[0], call[1], p) else bad).append(call)
    image = values(1, 5, 7, 3)
    bad += [[image, values(4, 3, 2, 3), values(4), ints(*p)] for p in (
        (0, 0, 0, 0, 0, 1, 1, 1), (0, 0, 0, 0, 1, 1, 0, 1), (0, 0, 0, 0, 1, -1, 1, 1), (0, 0, 0, 0, 1, 1, 1, 2**62),
        (2**62, 2**62, 0, 0, 1, 1, 1, 1))]
    bad.append([image, values(4, 0, 2, 3), values(4), ints(*CONV[0])])
    return good, bad


GOOD, BAD = conv_calls()
CUBE = values(1, 5, 4)
# Per program: calls, oracle, calls to be refused, and what the message has to name.
ITEMS = {
    "index_const": ([[index(n)] for n in (0, 1, -9)], lambda n: n + 7),
    "get_dim": ([[values(n, 3, m)] for n, m in SHAPES], lambda x: ints(x.shape[2], 3)),
    "get_dim_as_shape": ([[values(n, 3, m)] for n, m in SHAPES], lambda x: ints(x.shape[2], 3)),
    "extract_dim": ([[np.array(v, np.int32)] for v in ((4, 5), (0, -3, 9), (1, 0))], lambda d: int(d[1]),
                    [[np.array([4], np.int32)]], "tensor.extract"),
    "dims_to_tensor": ([[values(*s)] for s in SHAPES], lambda x: np.array(x.shape[::-1], np.int32)),
    "expand_dims": ([[values(*s)] for s in SHAPES], lambda x: x[None, :, None]),
    "collapse_dims": ([[values(1, n, 1, m)] for n, m in SHAPES], lambda x: x[0, :, 0],
                      [[values(2, 3, 1, 4)], [values(0, 3, 1, 4)]], "tensor.cast"),
    "expansion_symbol": ([[values(n, m), values(1, m)] for n, m in SHAPES], np.add, [[values(2, 3), values(1, 1)]], "tosa.add"),
    "reshape": ([[values(k, *s)] for s in SHAPES for k in (0, 1, 3)], lambda x: x.reshape(x.shape[2], x.shape[0] * x.shape[1])),
    "reshape_by_values": ([[values(3, 4), index(2), index(3)], [values(0, 5), index(7), index(0)], [values(1, 2), index(1), index(1)]],
                          lambda x, n, m: x.reshape(int(n), int(m), 2),
                          [[values(3, 4), index(2), index(2)], [values(3, 4), index(-2), index(-3)]], "symshape.reshape"),
    "iota": ([[index(a), index(b), index(c)] for a, b, c in ((0, 5, 1), (0, 0, 1), (3, 10, 4), (7, 1, -2), (5, 1, 1), (-3, 4, 1))],
             lambda a, b, c: np.arange(int(a), int(b), int(c), dtype=np.int32),
             [[index(0), index(3), index(0)]], "symshape.iota"),
    "data_dependent_slice": ([[values(7, 9), ints(*at), ints(*size)] for at, size in (((0, 0), (7, 9)), ((3, 2), (1, 5)), ((7, 0), (0, 9)),
                                                                                     ((6, 8), (1, 1)))] + [[values(0, 1), ints(0, 0), ints(0, 1)]],
                             data_slice, [[values(7, 9), ints(*at), ints(*size)] for at, size in (
                                 ((0, 0), (8, 1)), ((-1, 0), (2, 2)), ((3, 9), (1, 1)), ((0, 0), (-1, 1)), ((2**62, 0), (2**62, 1)))],
                             "tensor.extract_slice"),
    "data_dependent_slice_clamped": ([[values(7, 9), index(i), index(n)] for i in (-5, 0, 3, 99) for n in (0, 1, 7)], clamped,
                                     [[values(7, 9), index(0), index(8)], [values(7, 9), index(0), index(-1)]], "symshape.dynamic_slice"),
    "slice_by_shape": ([[values(n, m), values(k)] for n, m in SHAPES for k in {0, m // 2}], lambda x, y: x[:, len(y):2 * len(y)],
                       [[values(3, 4), values(3)], [values(0, 1), values(1)]], "tosa.slice"),
    "data_dependent_pad": ([[values(*s), ints(*p)] for s in SHAPES for p in ((0, 0, 0, 0), (1, 0, 2, 3), (0, 4, 1, 0))],
                           lambda x, p: np.pad(x, ((p[0], p[1]), (p[2], p[3])), constant_values=5),
                           [[values(3, 4), ints(-1, 0, 0, 0)], [values(3, 4), ints(0, 0, 0, -5)]], "tensor.pad"),
    "data_dependent_gather": ([[CUBE, index(i), index(j), index(k)] for i, j, k in ((0, 4, 2), (1, 1, 1))] +
                              [[values(1, 1, 0), index(0), index(0), index(0)], [values(1, 1, 7), index(0), index(0), index(0)]],
                              lambda x, *rows: x[:, [int(r) for r in rows]],
                              [[CUBE, index(0), index(5), index(0)], [CUBE, index(0), index(-1), index(0)], [values(1, 0, 4), *[index(0)] * 3]],
                              "gather"),
    "data_dependent_scatter": ([[CUBE, values(1, 2, 4), index(4), index(0)], [values(1, 2, 0), values(1, 2, 0), index(1), index(0)]], scatter,
                               [[CUBE, values(1, 2, 4), index(5), index(0)], [CUBE, values(1, 2, 4), index(3), index(3)],
                                [CUBE, values(1, 2, 3), index(4), index(0)]], "scatter"),
    "data_dependent_conv2d": (GOOD, conv2d, BAD, "symshape.windows"),
    "data_dependent_conv2d_int8": ([[values(n, h, w, 3).astype(np.int8), index(s), index(d)] for n, h, w, s, d in (
        (1, 4, 4, 1, 1), (2, 5, 5, 2, 1), (1, 6, 5, 1, 4), (0, 5, 5, 2, 1), (1, 1, 1, 1, 1))], conv2d_int8,
                                   [[values(1, 4, 4, 3).astype(np.int8), index(2), index(2)]], "symshape.windows"),
    "data_dependent_conv3d": ([[values(n, *e, c), values(2, *k, c), index(p), index(s), index(d)] for n, e, c, k, p, s, d in (
        (1, (5, 4, 3), 2, (3, 2, 1), 0, 2, 1), (2, (7, 5, 5), 1, (2, 2, 3), 1, 1, 3), (0, (3, 3, 3), 2, (1, 1, 1), 1, 2, 1),
        (1, (3, 5, 5), 0, (3, 3, 3), 0, 1, 1), (1, (1, 1, 1), 1, (1, 1, 1), 0, 1, 1))], conv3d,
                              [[values(1, 3, 3, 3, 2), values(2, 2, 2, 2, 2), index(0), index(1), index(3)],
                               [values(1, 5, 4, 4, 2), values(2, 3, 2, 1, 2), index(0), index(2), index(1)]], "symshape.windows"),
    "data_dependent_depthwise_conv2d": ([[values(*image), values(*k, image[3], m), index(p), index(s), index(d)] for image in IMAGES
                                         for k, m, p, s, d in (((3, 3), 2, 1, 1, 1), ((1, 1), 1, 0, 1, 9), ((2, 2), 0, 3, 1, 2))], depthwise,
                                        [[values(1, 5, 7, 3), values(3, 3, 3, 2), index(0), index(3), index(1)],
                                         [values(1, 5, 7, 3), values(3, 3, 3, 2), index(0), index(1), index(3)]], "symshape.windows"),
    "data_dependent_transpose_conv2d": ([[values(*image), values(4, *k, image[3]), index(t), index(r), index(s)] for image in IMAGES
                                         for k, t, r, s in (((3, 2), 0, 0, 1), ((3, 2), 1, 2, 2), ((1, 1), 0, 0, 3), ((2, 3), -1, -1, 2))],
                                        transposed,
                                        [[values(1, 5, 7, 3), values(4, 3, 2, 3), index(-18), index(0), index(3)],
                                         [values(1, 0, 7, 3), values(4, 3, 2, 3), index(0), index(0), index(2)],
                                         [values(1, 5, 7, 3), values(4, 3, 2, 3), index(0), index(0), index(0)]], "symshape.windows"),
}
FLOOR = 450


def check_program(checks, path, name):
    calls, oracle, refused, named = (*ITEMS[name], (), "")[:4]
    run = symrun.run(path, calls, entry=name, options=["--guard-pages"])
    if checks.ran(run, len(calls), name):
        for number, ((actual,), call) in enumerate(zip(run.results, calls)):
            with np.errstate(all="ignore"):
                expected = np.asarray(oracle(*call))
            checks.close(actual, expected, 1e-4, f"{name}, call {number}")
    for call in refused:
        run = symrun.run(path, [call], entry=name)
        shown = [a.tolist() if a.size < 9 else a.shape for a in call]
        checks.refused(run, [named], f"{name}, {shown}")


def check_far_borders(checks, path):
    """Windows that see nothing of the image, whose positions are near the end of what 64 bits hold."""
    image, bias = values(1, 5, 7, 3), values(4)
    for p in ((-2**63, 2**63 - 1, 0, 0, 1, 1, 1, 1), (2**62, -2**62, 0, 0, 1, 1, 1, 1), (0, 0, -2**40, 2**40, 1, 1, 1, 1)):
        what = f"data_dependent_conv2d, borders {p[:4]}"
        run = symrun.run(path, [[image, values(4, 3, 2, 3), bias, ints(*p)]], entry="data_dependent_conv2d", options=["--guard-pages"])
        if checks.ran(run, 1, what):
            checks.close(run.results[0][0], np.broadcast_to(bias, (1, 5 + p[0] + p[1] - 2, 7 + p[2] + p[3] - 1, 4)), 0, what)


def main():
    path, page = Path(sys.argv[1]), Path(sys.argv[2])
    checks = Checks()
    functions = re.findall(r"^func\.func @(\w+)", path.read_text(), re.M)
    checks.that(sorted(functions) == sorted(ITEMS), "each program has its calls", f"  {set(functions) ^ set(ITEMS)}")
    section = re.search(r"^## The proposal, item by item\n(.*?)^## ", page.read_text(), re.M | re.S)
    named = set(re.findall(r"`@(\w+)`", section[1] if section else ""))
    checks.that(named == set(functions), "the page names each program", f"  {named ^ set(functions)}")
    for name in functions:
        check_program(checks, path, name)
    check_far_borders(checks, path)
    checks.that(checks.made >= FLOOR, f"at least {FLOOR} checks", f"  {checks.made}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
