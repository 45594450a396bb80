# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models of ops that few models have with NumPy, as check_ops.py does.

    check_rare_ops.py LIBRARY FOLDER
"""

import numpy as np

from check_ops import f32, main, random
from onnx_file import FLOAT, INT64, graph, node

I64 = np.int64


def parts(x):
    return np.stack([x.real, x.imag], -1).astype(np.float32)


def stft(signal, window, step):
    count = (signal.shape[1] - len(window)) // step + 1
    frames = np.stack([signal[:, f * step:f * step + len(window), 0] for f in range(count)], 1)
    return parts(np.fft.rfft(frames * window, axis=-1))


def sample(x, grid):
    """Sixteen elements around each place, those of the border where they lie outside."""
    def weight(t):
        t = np.abs(t)
        return np.where(t <= 1, 1.25 * t**3 - 2.25 * t**2 + 1, np.where(t < 2, -0.75 * (t**3 - 5 * t**2 + 8 * t - 4), 0))
    rows, columns = x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[1:3]))
    for b, i, j in np.ndindex(*grid.shape[:3]):
        column, row = ((grid[b, i, j].astype(np.float64) + 1) * (columns, rows) - 1) / 2
        for r in range(int(np.floor(row)) - 1, int(np.floor(row)) + 3):
            for c in range(int(np.floor(column)) - 1, int(np.floor(column)) + 3):
                element = x[b, :, np.clip(r, 0, rows - 1), np.clip(c, 0, columns - 1)]
                out[b, :, i, j] += weight(row - r) * weight(column - c) * element
    return [out.astype(np.float32)]


def unique(x, in_order):
    """By axis 0, sorted or in the order in which rows occur."""
    y, indices, inverse, counts = np.unique(x, True, True, True, axis=0)
    inverse = inverse.reshape(-1)
    if in_order:
        order = np.argsort(indices, kind="stable")
        y, indices, counts = y[order], indices[order], counts[order]
        inverse = np.argsort(order, kind="stable")[inverse]
    return [y, indices, inverse, counts]


def count_up(x, a):
    sums = [a]
    for row in x[:3]:
        sums.append(sums[-1] + row)
    return [np.array(len(sums) - 1), sums[-1], np.array(sums[1:], np.float32).reshape(len(sums) - 1, len(a))]


def suppress(boxes, scores, most, threshold, least):
    """One box after the other, as the text of the op says."""
    def area(box):
        return (box[2] - box[0]) * (box[3] - box[1])

    def shared(a, b):
        both = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0).prod()
        return both / (area(a) + area(b) - both) if both > 0 else 0
    chosen = []
    for batch, kind in np.ndindex(*scores.shape[:2]):
        kept = []
        for i in np.argsort(-scores[batch, kind], kind="stable"):
            if scores[batch, kind, i] <= least or len(kept) == most:
                break
            if all(shared(boxes[batch, i], boxes[batch, j]) <= threshold for j in kept):
                kept.append(i)
        chosen += [(batch, kind, i) for i in kept]
    return [np.array(chosen, I64).reshape(-1, 3)]


def random_boxes(batches, classes, count):
    corners = np.sort(random.uniform(0, 1, (batches, count, 2, 2)), 2).reshape(batches, count, 4)
    return corners.astype(np.float32), f32(batches, classes, count)


def roi_align(x, rois, batches, size=(2, 3)):
    """Averages of as many samples in each bin as it has pixels."""
    out = np.zeros((len(rois), x.shape[1], *size), np.float32)
    for r, roi in enumerate(rois.astype(np.float64) - 0.5):
        bins = (roi[[3, 2]] - roi[[1, 0]]) / size
        grid = np.maximum(np.ceil(bins).astype(int), 0)
        for bin_ in np.ndindex(size):
            total = np.zeros(x.shape[1])
            for sample in np.ndindex(*grid):
                at = roi[[1, 0]] + (np.array(bin_) + (np.array(sample) + 0.5) / grid) * bins
                if np.any(at < -1) or np.any(at > x.shape[2:]):
                    continue
                at = np.clip(at, 0, np.array(x.shape[2:]) - 1)
                low = at.astype(int)
                high = np.minimum(low + 1, np.array(x.shape[2:]) - 1)
                for corner in np.ndindex(2, 2):
                    place = np.where(corner, high, low)
                    weight = np.where(corner, at - low, 1 - (at - low)).prod()
                    total += weight * x[batches[r], :, place[0], place[1]]
            out[r][:, bin_[0], bin_[1]] = total / max(grid.prod(), 1)
    return [out]


def roi_pool(x, rois, size=(2, 3), scale=0.5):
    """Ends of regions are rounded to pixels, ties away from zero; a bin without a pixel is 0."""
    out = np.zeros((len(rois), x.shape[1], *size), np.float32)
    for r, (batch, *corners) in enumerate(rois):
        x1, y1, x2, y2 = (int(np.copysign(np.floor(abs(c * scale) + 0.5), c)) for c in corners)
        for bin_ in np.ndindex(size):
            within = []
            for at, count, first, last, extent in zip(bin_, size, (y1, x1), (y2, x2), x.shape[2:]):
                pixels = max(last - first + 1, 1)
                ends = at * pixels // count, -(-(at + 1) * pixels // count)
                within.append(slice(*(min(max(first + end, 0), extent) for end in ends)))
            pixels = x[int(batch), :, within[0], within[1]]
            if pixels.size:
                out[(r, slice(None), *bin_)] = pixels.max((1, 2))
    return [out]


def windows(x):
    """The greatest and the means of three side by side, none where there are two."""
    if x.shape[2] < 3:
        return [np.zeros((*x.shape[:2], 0), np.float32)] * 2
    parts = np.lib.stride_tricks.sliding_window_view(x, 3, 2)
    return [parts.max(3), parts.mean(3)]


def steps(x):
    """Means of five, two apart, of what is there of the only one."""
    room = x.shape[2] - 5
    starts = range(0, max(room // 2 + 1, int(room == -1)) * 2, 2)
    means = [x[:, :, i:i + 5].mean(2) for i in starts]
    return [np.stack(means, 2) if means else np.zeros((*x.shape[:2], 0), np.float32)]


def col2im(columns, image):
    """Blocks of 2x3 in steps of 2 and 1, with a border of 1 before the rows."""
    n, c = columns.shape[0], columns.shape[1] // 6
    padded = np.zeros((n, c, image[0] + 1, image[1]), np.float32)
    blocks = columns.reshape(n, c, 2, 3, (image[0] + 1 - 2) // 2 + 1, image[1] - 2)
    for i, j, a, b in np.ndindex(*blocks.shape[2:]):
        padded[:, :, 2 * a + i, b + j] += blocks[:, :, i, j, a, b]
    return [padded[:, :, 1:]]


def deformed(x, w, offset):
    """A window of 2x2 without a border, each element of which is moved."""
    n, rows, columns = len(x), offset.shape[2], offset.shape[3]
    out = np.zeros((n, len(w), rows, columns))
    for b, k, i, j in np.ndindex(n, 4, rows, columns):
        y = i + k // 2 + offset[b, 2 * k, i, j]
        z = j + k % 2 + offset[b, 2 * k + 1, i, j]
        low = np.floor([y, z]).astype(int)
        for dy, dz in np.ndindex(2, 2):
            row, column = low + (dy, dz)
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                weight = (1 - abs(y - row)) * (1 - abs(z - column))
                out[b, :, i, j] += weight * w[:, :, k // 2, k % 2] @ x[b, :, row, column]
    return [out.astype(np.float32)]


def causal(x, w, past):
    both = np.concatenate([past, x], 2)
    k = w.shape[2]
    out = sum(both[:, :, i:i + x.shape[2]] * w[:, 0, i, None] for i in range(k))
    return [out, both[:, :, x.shape[2]:]]


def linear_attention(q, k, v, decay, rate, heads=2):
    """The gated rule with corrections; four heads of queries."""
    b, t, _ = q.shape
    q, k, v, decay = (a.reshape(b, t, h, a.shape[2] // h) for a, h in ((q, 2 * heads), (k, heads), (v, heads), (decay, heads)))
    state = np.zeros((b, heads, k.shape[3], v.shape[3]))
    out = np.zeros((b, t, 2 * heads, v.shape[3]))
    for i in range(t):
        state = state * np.exp(decay[:, i])[..., None]
        found = np.einsum("bhdm,bhd->bhm", state, k[:, i])
        fresh = rate[:, i, :, None] * (v[:, i] - found)
        state = state + k[:, i, :, :, None] * fresh[:, :, None]
        out[:, i] = np.einsum("bhd,bhdm->bhm", q[:, i], state.repeat(2, 1)) / np.sqrt(k.shape[3])
    return [out.reshape(b, t, 2 * heads * v.shape[3]), state]


def count_grams(rows):
    """5 and 7, 5 and 6 with up to one element between, 8 alone."""
    out = np.zeros((len(rows), 4), np.float32)
    for row, counts in zip(rows, out):
        counts[3] = np.count_nonzero(row == 8)
        for i in range(len(row)):
            for j in range(i + 1, min(i + 3, len(row))):
                counts[0] += row[i] == 5 and row[j] == 7
                counts[2] += row[i] == 5 and row[j] == 6
    return [out]


def put(cache, rows, starts):
    cache = cache.copy()
    for b, start in enumerate(starts):
        for i in range(rows.shape[1]):
            cache[b, (start + i) % cache.shape[1]] = rows[b, i]
    return [cache]


def quantize(x):
    """One division and one rounding in f32 for each element."""
    low, high = min(x.min(initial=0), 0), max(x.max(initial=0), 0)
    scale = np.float32((high - low) / np.float32(255)) if high > low else np.float32(1)
    zero = np.rint(np.clip(-low / scale, 0, 255)).astype(np.uint8)
    return [np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), scale, zero]


def ints(*values):
    return np.array(values, I64)


def sequence(x, y):
    """What the nodes below do with lists."""
    items = [x, y]
    items.insert(-1, y)
    items.insert(3, x)
    del items[1]
    return [np.array(len(items), I64), items[-2], np.concatenate(items, 1)]


WINDOW, W2, W3 = f32(5), f32(3, 2, 2, 2), f32(2, 1, 3)
TIES = np.array([0, 2, -3, -2.5, 1.34, 0.5], np.float32)
REGIONS = np.array([[0, 0, 0, 8, 6], [1, 3, 1, 13, 11], [1, -9, -5, 5, 40], [0, 7, 7, 1, 1], [1, 30, 2, 40, 4]], np.float32)
ROIS = np.array([[1, 1, 6, 4], [0.3, 2, 2.6, 2.5], [-3, -3, 9, 9], [4, 4, 3, 3]], np.float32)

#: as in check_ops.py
CASES = {
    "dft": ([node("DFT", "x - a", "y", onesided=1), node("DFT", "x n a", "z")], {"x": (FLOAT, ["B", "N", 1])}, ["y", "z"],
            {"a": np.array(1, I64), "n": np.array(6, I64)},
            lambda x: [parts(np.fft.rfft(x[..., 0], axis=1)), parts(np.fft.fft(x[..., 0], 6, axis=1))],
            [(f32(b, n, 1),) for b, n in [(2, 8), (1, 1), (0, 3), (3, 7), (1, 2)]]),
    "back": ([node("DFT", "x - a", "y", inverse=1)], {"x": (FLOAT, ["B", "N", 2])}, ["y"], {"a": np.array(1, I64)},
             lambda x: [parts(np.fft.ifft(x[..., 0] + 1j * x[..., 1], axis=1))],
             [(f32(b, n, 2),) for b, n in [(2, 8), (1, 1), (0, 3), (3, 7)]]),
    "real": ([node("DFT", "x n a", "y", inverse=1, onesided=1)], {"x": (FLOAT, ["N", "B", 2]), "n": (INT64, [])}, ["y"],
             {"a": np.array(0, I64)}, lambda x, n: [np.fft.irfft(x[..., 0] + 1j * x[..., 1], int(n), axis=0)[..., None]],
             [(f32(n, b, 2), np.array(m, I64)) for n, b, m in [(5, 2, 8), (4, 1, 7), (2, 0, 3), (1, 1, 1), (3, 2, 2)]]),
    "stft": ([node("STFT", "x s w", "y")], {"x": (FLOAT, ["B", "N", 1])}, ["y"], {"s": np.array(3, I64), "w": WINDOW},
             lambda x: [stft(x, WINDOW, 3)], [(f32(b, n, 1),) for b, n in [(2, 16), (1, 5), (0, 7), (1, 7)]]),
    # Halves count to 2048 only; their sums are floats.
    "halves": ([node("Cast", "x", "h", to=10), node("Cast", "w", "v", to=10), node("Conv", "h v", "c", kernel_shape=[1]),
                node("Cast", "c", "y", to=1), node("Transpose", "h", "t", perm=[0, 2, 1]), node("GlobalAveragePool", "t", "g"), node("Cast", "g", "z", to=1)],
               {"x": (FLOAT, ["N", 4096, "L"])}, ["y", "z"], {"w": np.ones((2, 4096, 1), np.float32)},
               lambda x: [np.full((len(x), 2, x.shape[2]), 4096, np.float32), np.ones((len(x), x.shape[2], 1), np.float32)],
               [(np.ones((n, 4096, l), np.float32),) for n, l in [(1, 5), (2, 4), (1, 9)]]),
    # Without the axis of parts, as exporters write it.
    "signal": ([node("STFT", "x s w", "y")], {"x": (FLOAT, ["B", "N"])}, ["y"], {"s": np.array(3, I64), "w": WINDOW},
               lambda x: [stft(x[..., None], WINDOW, 3)], [(f32(b, n),) for b, n in [(2, 16), (1, 5), (0, 7), (1, 7)]]),
    "sample": ([node("GridSample", "x g", "y", mode="cubic", padding_mode="border")],
               {"x": (FLOAT, ["B", "C", "H", "W"]), "g": (FLOAT, ["B", "I", "J", 2])}, ["y"], {}, sample,
               [(f32(b, 2, h, w), f32(b, 3, 2, 2)) for b, h, w in [(2, 4, 5), (1, 1, 1), (0, 3, 3), (1, 2, 9)]]),
    # Cut at one end first, then repeated at the other one.
    "repeat": ([node("Pad", "x p", y, mode=mode) for y, mode in (("y", "wrap"), ("z", "reflect"))],
               {"x": (FLOAT, ["N", "M"]), "p": (INT64, [4])}, ["y", "z"], {},
               lambda x, p: [np.pad(x[-min(p[0], 0):, -min(p[1], 0):], np.maximum(p, 0).reshape(2, 2).T, mode)
                             for mode in ("wrap", "reflect")],
               [(f32(3, 4), ints(2, -1, 1, 1)), (f32(6, 6), ints(-2, -3, 1, 2)), (f32(2, 3), ints(1, 2, 1, 2)),
                (f32(4, 4), ints(0, 0, 0, 0))]),
    # A list that is as long as in the first call.
    "by list": ([node("Reshape", "x s", "y")], {"x": (FLOAT, ["N", "M"]), "s": (INT64, ["K"])}, ["y"], {},
                lambda x, s: [x.reshape(s)],
                [(f32(2, 6), ints(3, 4)), (f32(2, 6), ints(4, 3)), (f32(1, 1), ints(1, 1)), (f32(5, 3), ints(-1, 5)),
                 (f32(0, 3), ints(0, 5))]),
    "unique": ([node("Unique", "x", "y i j c", axis=0, sorted=0)], {"x": (FLOAT, ["N", 2])}, ["y", "i", "j", "c"], {},
               lambda x: unique(x, True),
               [(random.integers(0, 3, (n, m)).astype(np.float32),) for n, m in [(7, 2), (1, 2), (9, 2), (40, 2)]]),
    "values": ([node("Unique", "x", "y i j c")], {"x": (INT64, ["N", "M"])}, ["y", "i", "j", "c"], {},
               lambda x: unique(x.reshape(-1), False),
               [(random.integers(-2, 3, (n, m)),) for n, m in [(7, 2), (1, 1), (0, 3), (3, 0)]]),
    "suppress": ([node("NonMaxSuppression", "b s m t l", "y")], {"b": (FLOAT, ["B", "N", 4]), "s": (FLOAT, ["B", "C", "N"])},
                 ["y"], {"m": ints(3), "t": np.full(1, 0.3, np.float32), "l": np.full(1, -0.5, np.float32)},
                 lambda b, s: suppress(b, s, 3, 0.3, -0.5),
                 [random_boxes(*sizes) for sizes in [(1, 1, 9), (2, 3, 17), (1, 2, 1), (0, 1, 3), (2, 0, 3), (1, 1, 0)]]),
    "align": ([node("RoiAlign", "x r b", "y", output_height=2, output_width=3)],
              {"x": (FLOAT, ["N", "C", "H", "W"]), "r": (FLOAT, ["R", 4]), "b": (INT64, ["R"])}, ["y"], {}, roi_align,
              [(f32(2, 3, 6, 7), ROIS, ints(0, 1, 1, 0)), (f32(1, 1, 1, 1), ROIS[:2], ints(0, 0)),
               (f32(1, 0, 4, 4), ROIS[:1], ints(0)), (f32(1, 2, 4, 4), ROIS[:0], ints())]),
    "pool of regions": ([node("MaxRoiPool", "x r", "y", pooled_shape=[2, 3], spatial_scale=0.5)],
                        {"x": (FLOAT, ["N", "C", "H", "W"]), "r": (FLOAT, ["R", 5])}, ["y"], {}, roi_pool,
                        [(f32(2, 3, 6, 7), REGIONS), (f32(1, 1, 1, 1), REGIONS[:2] * np.float32([0, 1, 1, 1, 1])), (f32(1, 0, 4, 4), REGIONS[:1]),
                         (f32(1, 2, 4, 4), REGIONS[:0]), (f32(2, 2, 0, 3), REGIONS[:3])]),
    # Where one element is missing, there is no window; by the formula of the standard.
    "no window": ([node("MaxPool", "x", "b", kernel_shape=[3]),
                   node("AveragePool", "x", "c", kernel_shape=[3])],
                  {"x": (FLOAT, ["N", 2, "L"])}, ["b", "c"], {}, windows,
                  [(f32(n, 2, length),) for n, length in [(2, 7), (1, 3), (2, 2), (0, 2), (1, 4)]]),
    "no step": ([node("AveragePool", "x", "a", kernel_shape=[5], strides=[2])], {"x": (FLOAT, ["N", 2, "L"])}, ["a"], {},
                steps, [(f32(n, 2, length),) for n, length in [(2, 9), (1, 5), (2, 4), (1, 3), (0, 3)]]),
    "columns": ([node("Col2Im", "x i b", "y", strides=[2, 1], pads=[1, 0, 0, 0])],
                {"x": (FLOAT, ["N", "K", "L"]), "i": (INT64, [2])}, ["y"], {"b": ints(2, 3)}, col2im,
                [(f32(n, 6 * c, rows * columns), ints(2 * rows - 1, columns + 2))
                 for n, c, rows, columns in [(2, 2, 3, 4), (1, 1, 1, 1), (0, 2, 2, 2), (1, 0, 2, 3)]]),
    "deform": ([node("DeformConv", "x w o", "y")], {"x": (FLOAT, ["N", 2, "H", 4]), "o": (FLOAT, ["N", 8, "P", 3])},
               ["y"], {"w": W2}, lambda x, o: deformed(x, W2, o),
               [(f32(n, 2, h, w), f32(n, 8, h - 1, w - 1)) for n, h, w in [(2, 5, 4), (1, 2, 4), (0, 3, 4)]]),
    "causal": ([node("CausalConvWithState", "x w - p", "y s")], {"x": (FLOAT, ["B", 2, "L"]), "p": (FLOAT, ["B", 2, 2])},
               ["y", "s"], {"w": W3}, lambda x, p: causal(x, W3, p),
               [(f32(b, 2, length), f32(b, 2, 2)) for b, length in [(2, 7), (1, 1), (0, 3), (2, 0)]]),
    "linear": ([node("LinearAttention", "q k v - d r", "y s", q_num_heads=4, kv_num_heads=2)],
               {"q": (FLOAT, ["B", "T", 12]), "k": (FLOAT, ["B", "T", 6]), "v": (FLOAT, ["B", "T", "V"]),
                "d": (FLOAT, ["B", "T", 6]), "r": (FLOAT, ["B", "T", 2])}, ["y", "s"], {}, linear_attention,
               [(f32(b, t, 12), f32(b, t, 6), f32(b, t, v), f32(b, t, 6), f32(b, t, 2))
                for b, t, v in [(2, 5, 10), (1, 1, 2), (1, 0, 4)]]),
    "grams": ([node("TfIdfVectorizer", "x", "y", mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=1,
                    ngram_counts=[0, 1], ngram_indexes=[3, 0, 2], pool_int64s=[8, 5, 7, 5, 6])],
              {"x": (INT64, ["N", "L"])}, ["y"], {}, count_grams,
              [(random.integers(5, 9, shape),) for shape in [(3, 20), (1, 1), (2, 2), (0, 4), (2, 0)]]),
    # Turns are counted by conditions, as Keras writes loops; three at most.
    "while": ([node("Shape", "x", "one_n", start=0, end=1), node("Squeeze", "one_n", "n"), node("Less", "zero n", "c"),
               node("Loop", "- c zero n zero three a", "t9 n9 c9 most9 total all", body=graph(
                   [node("Add", "t one", "t1"), node("Add", "one count", "count1"), node("Gather", "x t", "row", axis=0),
                    node("Add", "sum row", "sum1"), node("Identity", "sum1", "kept"), node("Identity", "n", "n1"),
                    node("Cast", "t1", "tf", to=FLOAT), node("Cast", "n", "nf", to=FLOAT), node("Less", "tf nf", "inside"),
                    node("Greater", "most count1", "few"), node("And", "inside few", "more")],
                   {name: () for name in "turn go t n count most sum".split()},
                   "more t1 n1 count1 most sum1 kept".split(), {"one": np.array(1, I64)}))],
              {"x": (FLOAT, ["N", "M"]), "a": (FLOAT, ["M"])}, ["t9", "total", "all"],
              {"zero": np.array(0, I64), "three": np.array(3, I64)}, count_up,
              [(f32(n, m), f32(m)) for n, m in [(2, 3), (1, 1), (0, 4), (3, 0), (7, 2)]]),
    "put": ([node("TensorScatter", "c u s", "y", axis=1, mode="circular")],
            {"c": (FLOAT, ["B", "N", "D"]), "u": (FLOAT, ["B", "K", "D"]), "s": (INT64, ["B"])}, ["y"], {}, put,
            [(f32(2, 5, 3), f32(2, 3, 3), ints(1, 4)), (f32(1, 1, 1), f32(1, 1, 1), ints(0)),
             (f32(2, 4, 2), f32(2, 0, 2), ints(0, 3)), (f32(0, 4, 2), f32(0, 2, 2), ints())]),
    "det": ([node("Det", "x", "y")], {"x": (FLOAT, ["B", "N", "N"])}, ["y"], {}, lambda x: [np.linalg.det(x)],
            [(f32(b, n, n),) for b, n in [(3, 4), (1, 1), (2, 0), (0, 2), (1, 7)]]),
    "quantize": ([node("DynamicQuantizeLinear", "x", "y s z")], {"x": (FLOAT, ["N"])}, ["y", "s", "z"], {}, quantize,
                 [(TIES,), (f32(1000),), (f32(1),)]),
    # How long a place is decides the rank: the first call does.
    "places": ([node("GatherND", "x i", "y")], {"x": (FLOAT, ["N", "M"]), "i": (INT64, ["K", "R"])}, ["y"], {},
               lambda x, i: [x[tuple(i.T)]],
               [(f32(3, 4), ints(2, -1, 0, 3).reshape(2, 2)), (f32(1, 1), ints(0, 0).reshape(1, 2)),
                (f32(0, 5), np.zeros((0, 2), I64))]),
    "turns": ([node("DFT", "x - a", "y"), node("Split", "x s", "b c d", axis=0)], {"x": (FLOAT, [4, 1]), "s": (INT64, [3])},
              ["y", "b", "c", "d"], {"a": np.array(0, I64)},
              lambda x, s: [parts(np.fft.fft(x[:, 0])), *np.split(x, np.cumsum(s)[:2])],
              [(f32(4, 1), ints(*sizes)) for sizes in [(1, 2, 1), (4, 0, 0), (0, 0, 4)]]),
    "gated": ([node("SwiGLU", "x v", "y", alpha=1.5), node("SwiGLU", "v x", "z")],
              {"x": (FLOAT, ["N", "M"]), "v": (FLOAT, ["N", "M"])}, ["y", "z"], {},
              lambda x, v: [x * v / (1 + np.exp(-1.5 * x)), v * x / (1 + np.exp(-v))],
              [(f32(*shape), f32(*shape)) for shape in [(3, 5), (1, 1), (0, 4), (2, 0), (1, 7)]]),
    "cubes": ([node("GlobalLpPool", "x", "y", p=3)], {"x": (FLOAT, ["N", "C", "H", "W"])}, ["y"], {},
              lambda x: [np.cbrt((np.abs(x) ** 3).sum((2, 3), keepdims=True))],
              [(f32(*shape),) for shape in [(2, 3, 5, 7), (1, 1, 1, 1), (0, 2, 3, 3), (2, 1, 0, 4)]]),
    "nothing": ([node("Split", "x s", "a b", axis=0)], {"x": (FLOAT, [0, "N"]), "s": (INT64, [2])}, ["a", "b"], {},
                lambda x, s: [x, x], [(f32(0, n), ints(0, 0)) for n in (0, 3)]),
    "sequence": ([node("SequenceConstruct", "x y", "s"), node("SequenceInsert", "s y last", "t"),
                  node("SequenceInsert", "t x three", "u"), node("SequenceErase", "u one", "v"),
                  node("SequenceLength", "v", "n"), node("SequenceAt", "v before", "e"),
                  node("ConcatFromSequence", "v", "z", axis=1)],
                 {"x": (FLOAT, ["N", "M"]), "y": (FLOAT, ["N", "K"])}, ["n", "e", "z"],
                 {"last": np.array(-1, I64), "three": np.array(3, I64), "one": np.array(1, I64), "before": np.array(-2, I64)},
                 sequence, [(f32(n, m), f32(n, k)) for n, m, k in [(2, 3, 4), (1, 1, 1), (0, 2, 1), (2, 0, 3)]]),
    # The first row and the others: how long these are is a function of the extents.
    "rows": ([node("Shape", "x", "n", start=0, end=1), node("Sub", "n one", "rest"), node("Concat", "one rest", "sizes", axis=0),
              node("SplitToSequence", "x sizes", "s"), node("SequenceMap", "s k", "t", body=graph(
                  [node("Mul", "part factor", "scaled")], {"part": (), "factor": ()}, ["scaled"])),
              node("SequenceAt", "t zero", "y"), node("ConcatFromSequence", "t", "z", axis=0)],
             {"x": (FLOAT, ["N", "M"]), "k": (FLOAT, ["M"])}, ["y", "z"],
             {"one": ints(1), "zero": np.array(0, I64)}, lambda x, k: [x[:1] * k, x * k],
             [(f32(n, m), f32(m)) for n, m in [(3, 4), (1, 1), (1, 0), (5, 2)]]),
    "stacked": ([node("SequenceEmpty", "", "a"), node("SequenceInsert", "a x", "b"), node("SequenceInsert", "b y zero", "c"),
                 node("Identity", "c", "d"), node("ConcatFromSequence", "d", "z", axis=-1, new_axis=1),
                 node("ConcatFromSequence", "d", "w", axis=1, new_axis=1)],
                {"x": (FLOAT, ["N", "M"]), "y": (FLOAT, ["N", "M"])}, ["z", "w"], {"zero": np.array(0, I64)},
                lambda x, y: [np.stack([y, x], -1), np.stack([y, x], 1)],
                [(f32(n, m), f32(n, m)) for n, m in [(2, 3), (1, 1), (0, 2), (2, 0)]]),
    # Parts of two rows, of which the last one has one; single columns.
    "parts": ([node("SplitToSequence", "x two", "s"), node("SequenceLength", "s", "n"), node("SequenceAt", "s last", "y"),
               node("SplitToSequence", "x", "t", axis=-1, keepdims=0), node("SequenceAt", "t last", "z")],
              {"x": (FLOAT, [5, 3])}, ["n", "y", "z"], {"two": np.array(2, I64), "last": np.array(-1, I64)},
              lambda x: [np.array(3, I64), x[4:], x[:, 2]], [(f32(5, 3),)]),
    "optional": ([node("Optional", "x", "o"), node("OptionalHasElement", "o", "h"), node("OptionalGetElement", "o", "y"),
                  node("OptionalHasElement", "", "none")],
                 {"x": (FLOAT, ["N"])}, ["h", "y", "none"], {},
                 lambda x: [np.array(True), x, np.array(False)], [(f32(n),) for n in (3, 1, 0)]),
}


if __name__ == "__main__":
    main(CASES)
