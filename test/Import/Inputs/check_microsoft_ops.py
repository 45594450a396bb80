# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares ops of ONNX Runtime's own domain with NumPy, as check_ops.py does.

    check_microsoft_ops.py LIBRARY FOLDER [--runtime]

With --runtime the models are also called by ONNX Runtime, which has to be installed, so that
NumPy here says what the ops are.
"""

import math
import sys
from pathlib import Path

import numpy as np

from check_ops import f32, main, random, softmax
from onnx_file import FLOAT, INT32, INT64, UINT8, model, node

DOMAIN = "com.microsoft"
I32, I64 = np.int32, np.int64
erf = np.vectorize(math.erf, otypes=[np.float32])


def own(kind, inputs, outputs, **attributes):
    return node(kind, inputs, outputs, domain=DOMAIN, **attributes)


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def tanh_gelu(x):
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def gelus(x, b):
    return [gelu(x), tanh_gelu(x + b), tanh_gelu(x), gelu(x + b), x / (1 + np.exp(-1.5 * x))]


def layer(x, scale, shift=None, centred=True, epsilon=1e-3):
    if centred:
        x = x - x.mean(-1, keepdims=True)
    y = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale
    return y if shift is None else y + shift


def fused_matmul(x, y):
    return [0.5 * (np.swapaxes(x, -1, -2) @ np.swapaxes(y, -1, -2))]


def pack(numbers, bits):
    """Numbers of `bits` bits along the last axis in bytes, the first in the low bits."""
    per = 8 // bits
    numbers = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % per)])
    parts = numbers.reshape(*numbers.shape[:-1], -1, per).astype(np.uint8)
    return sum(parts[..., i] << (bits * i) for i in range(per)).astype(np.uint8)


def quantized(bits, columns, terms, block, zeros):
    """Constants of MatMulNBits and the weights that they are: terms by columns."""
    count = -(-terms // block)
    q = random.integers(0, 2**bits, (columns, count, block))
    scale = np.abs(f32(columns, count)) + np.float32(0.1)
    zero = random.integers(0, 2**bits, (columns, count)) if zeros else np.full((columns, count), 2**(bits - 1))
    weights = ((q - zero[..., None]) * scale[..., None]).reshape(columns, -1)[:, :terms].T
    constants = {"w": pack(q, bits), "s": scale.reshape(-1)}
    if zeros:
        constants["z"] = pack(zero, bits).reshape(-1)
    return constants, weights.astype(np.float32)


def product(bits, terms, block, zeros):
    constants, weights = quantized(bits, 3, terms, block, zeros)
    return ([own("MatMulNBits", "x w s" + (" z" if zeros else ""), "y", K=terms, N=3, bits=bits, block_size=block)],
            {"x": (FLOAT, ["B", "L", terms])}, ["y"], constants, lambda x: [x @ weights],
            [(f32(*shape, terms),) for shape in [(2, 5), (1, 1), (0, 3), (2, 0), (3, 17)]])


def rotate(x, cos, sin, interleaved):
    """Heads of x, [batch, length, heads, size], by rows [batch, length, half]."""
    cos, sin, half = cos[:, :, None], sin[:, :, None], cos.shape[-1]
    y = x.copy()
    first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


SIZE = 16  # of a head
ANGLES = np.arange(40)[:, None] / 10.0 ** (np.arange(8) / 2)
COS, SIN = np.cos(ANGLES).astype(np.float32), np.sin(ANGLES).astype(np.float32)


def rotary(interleaved):
    def expected(x, ids):
        heads = x.reshape(*x.shape[:2], 3, SIZE)
        return [rotate(heads, COS[ids], SIN[ids], interleaved).reshape(x.shape)]
    return ([own("RotaryEmbedding", "x p c s", "y", interleaved=int(interleaved))],
            {"x": (FLOAT, ["B", "L", 3 * SIZE]), "p": (INT64, ["B", "L"])}, ["y"], {"c": COS, "s": SIN}, expected,
            [(f32(b, length, 3 * SIZE), random.integers(0, 40, (b, length))) for b, length in [(2, 5), (1, 1), (0, 3), (2, 0)]])


def attend(q, k, v, past_key, past_value, lengths, total, *, rotates, cap=0.0, window=-1):
    """One head, one batch and one query after the other."""
    batch, length, heads, kv = q.shape[0], q.shape[1], q.shape[2] // SIZE, k.shape[2] // SIZE
    q, k, v = (x.reshape(batch, length, count, SIZE) for x, count in ((q, heads), (k, kv), (v, kv)))
    total = int(np.ravel(total)[0])
    keys = max(past_key.shape[2], total)
    present_key, present_value = np.zeros((2, batch, kv, keys, SIZE), np.float32)
    out = np.zeros((batch, length, heads, SIZE), np.float32)
    for b in range(batch):
        past = 0 if length == total else int(lengths[b]) + 1 - length
        if rotates:
            places = np.arange(past, past + length)[None]
            q[b:b + 1] = rotate(q[b:b + 1], COS[places], SIN[places], False)
            k[b:b + 1] = rotate(k[b:b + 1], COS[places], SIN[places], False)
        for present, old, new in (present_key, past_key, k), (present_value, past_value, v):
            present[b, :, :past] = old[b, :, :past]
            present[b, :, past:past + length] = new[b].swapaxes(0, 1)
        for h, i in np.ndindex(heads, length):
            seen = slice(max(past + i + 1 - window, 0) if window > 0 else 0, past + i + 1)
            own_keys = present_key[b, h * kv // heads, seen]
            scores = own_keys @ q[b, i, h] / np.sqrt(SIZE)
            scores = cap * np.tanh(scores / cap) if cap else scores
            out[b, i, h] = softmax(scores[None])[0] @ present_value[b, h * kv // heads, seen]
    return [out.reshape(batch, length, heads * SIZE), present_key, present_value]


def group_query(rotates=False, cap=0.0, window=-1):
    def call(batch, length, past, room=None):
        room = past if room is None else room
        return (f32(batch, length, 4 * SIZE), f32(batch, length, 2 * SIZE), f32(batch, length, 2 * SIZE),
                f32(batch, 2, room, SIZE), f32(batch, 2, room, SIZE), np.full(batch, past + length - 1, I32), np.array([past + length], I32))
    extras = " c s" if rotates else ""
    return ([own("GroupQueryAttention", "q k v pk pv n t" + extras, "y nk nv", num_heads=4, kv_num_heads=2,
                 do_rotary=int(rotates), softcap=cap,
                 local_window_size=window)],
            {"q": (FLOAT, ["B", "L", 4 * SIZE]), "k": (FLOAT, ["B", "L", 2 * SIZE]), "v": (FLOAT, ["B", "L", 2 * SIZE]),
             "pk": (FLOAT, ["B", 2, "P", SIZE]), "pv": (FLOAT, ["B", 2, "P", SIZE]), "n": (INT32, ["B"]), "t": (INT32, [1])},
            ["y", "nk", "nv"], {"c": COS, "s": SIN} if rotates else {},
            lambda *arrays: attend(*(array.copy() for array in arrays), rotates=rotates, cap=cap,
                            window=window),
            [call(2, 5, 0), call(1, 1, 0), call(2, 1, 6), call(1, 1, 12), call(3, 1, 1), call(1, 3, 4)])


def encode(q, k, v, mask, past_key, past_value, bias, causal):
    """Three heads; a mask of lengths, or of what is shown."""
    width = q.shape[2]
    q, k, v = (x + bias[i * width:(i + 1) * width] for i, x in enumerate((q, k, v)))
    q, k, v = (x.reshape(*x.shape[:2], 3, width // 3).swapaxes(1, 2) for x in (q, k, v))
    k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    scores = q @ k.swapaxes(2, 3) / np.sqrt(width // 3)
    shown = np.arange(k.shape[2]) < mask[:, None] if mask.ndim == 1 else mask != 0
    scores = scores + np.where(shown, 0, -10000)[:, None, None].astype(np.float32)
    if causal:
        last = np.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
        scores = scores + np.where(np.arange(k.shape[2]) <= last, 0, -10000).astype(np.float32)
    out = softmax(scores) @ v
    return [out.swapaxes(1, 2).reshape(len(q), -1, width) if out.size else np.zeros((len(q), q.shape[2], width), np.float32), k, v]


def encoder(mask_dims, causal, calls):
    bias = f32(36)
    return ([own("MultiHeadAttention", "q k v b m - pk pv", "y nk nv", num_heads=3, unidirectional=int(causal))],
            {**{name: (FLOAT, ["B", length, 12]) for name, length in (("q", "S"), ("k", "L"), ("v", "L"))},
             "m": (INT32, mask_dims), "pk": (FLOAT, ["B", 3, "P", 4]), "pv": (FLOAT, ["B", 3, "P", 4])},
            ["y", "nk", "nv"], {"b": bias},
            lambda *arrays: encode(*arrays, bias, causal),
            [(f32(b, s, 12), f32(b, s, 12), f32(b, s, 12), random.integers(lowest, highest, (b,) if len(mask_dims) == 1 else (b, p + s)).astype(I32),
              f32(b, 3, p, 4), f32(b, 3, p, 4)) for b, s, p, lowest, highest in calls])


W_PACKED, B_PACKED = f32(5, 28), f32(28)


def encode_packed(x, mask, past, bias, causal):
    """Two heads: queries and keys of size 4, values of size 6."""
    q, k, v = np.split(x @ W_PACKED + B_PACKED, [8, 16], axis=2)
    q, k, v = (part.reshape(*part.shape[:2], 2, part.shape[2] // 2).swapaxes(1, 2) for part in (q, k, v))
    if past is not None:
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    scores = q @ k.swapaxes(2, 3) / 2 + bias
    last = np.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
    if mask is not None:
        scores = scores + np.where(mask != 0, 0, -10000)[:, None].astype(np.float32)
    if causal:
        scores = scores + np.where(np.arange(k.shape[2]) <= last, 0, -10000).astype(np.float32)
    out = (softmax(scores) @ v).swapaxes(1, 2)
    return [out.reshape(*out.shape[:2], out.shape[2] * out.shape[3])] + ([np.stack([k, v])] if past is not None else [])


def packed_encoder(calls):
    """Values wider than keys, for which there is no cache; a mask for each query."""
    return ([own("Attention", "x w b m - a", "y", num_heads=2, qkv_hidden_sizes=[8, 8, 12])],
            {"x": (FLOAT, ["B", "L", 5]), "m": (INT32, ["B", "L", "L"]), "a": (FLOAT, ["B", 2, "L", "L"])}, ["y"],
            {"w": W_PACKED, "b": B_PACKED}, lambda x, m, a: encode_packed(x, m, None, a, False),
            [(f32(b, n, 5), random.integers(0, 2, (b, n, n)).astype(I32), f32(b, 2, n, n)) for b, n in calls])


W_EQUAL, B_EQUAL = f32(5, 24), f32(24)


def packed_decoder(calls):
    def expected(x, past):
        q, k, v = (part.reshape(*part.shape[:2], 2, 4).swapaxes(1, 2) for part in np.split(x @ W_EQUAL + B_EQUAL, 3, axis=2))
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        last = np.arange(q.shape[2])[:, None] + past.shape[3]
        scores = q @ k.swapaxes(2, 3) / 2 + np.where(np.arange(k.shape[2]) <= last, 0, -10000).astype(np.float32)
        return [(softmax(scores) @ v).swapaxes(1, 2).reshape(*x.shape[:2], 8), np.stack([k, v])]
    return ([own("Attention", "x w b - p", "y n", num_heads=2, unidirectional=1)],
            {"x": (FLOAT, ["B", "L", 5]), "p": (FLOAT, [2, "B", 2, "P", 4])}, ["y", "n"], {"w": W_EQUAL, "b": B_EQUAL},
            expected, [(f32(b, n, 5), f32(2, b, 2, past, 4)) for b, n, past in calls])


WORDS, PLACES, SEGMENTS = f32(9, 6), f32(20, 6), f32(2, 6)


def embedded(words, segments, mask, at):
    plain = WORDS[words] + PLACES[:words.shape[1]]
    full = WORDS[words] + PLACES[at] + SEGMENTS[segments]
    return [layer(plain, G, H), np.zeros(len(words), I32), layer(full, G, H), (mask == 1).sum(1).astype(I32), full]


W_GEMM = f32(4, 5)


def gemms(x):
    y = 0.5 * x @ W_GEMM.T + 1
    return [np.where(y < 0, y * np.float32(0.2), y), np.tanh(x @ W_GEMM.T + 1)]


W_CONV, B_CONV = f32(4, 2, 3), f32(4)


def convolved(x, z):
    windows = np.stack([x[:, :, i : x.shape[2] - 2 + i] for i in range(3)], 3)
    y = np.einsum("nclk,ock->nol", windows, W_CONV) + B_CONV[:, None]
    return [np.maximum(y, 0), np.tanh(y + z), np.where(y < 0, y * np.float32(0.2), y), np.clip(y, -1, 2), y,
            np.clip(y * np.float32(0.3) + np.float32(0.4), 0, 1)]


G, H = f32(6), f32(6)

def numbers(q, scale, zero):
    return (q.astype(np.float32) - np.float32(zero)) * np.float32(scale)


def to_bytes(x, scale, zero):
    return np.clip(np.rint(x / np.float32(scale)) + zero, 0, 255).astype(np.uint8)


def u8(*shape):
    return random.integers(0, 256, shape).astype(np.uint8)


def bytes_between(x, y):
    """The ops of "bytes" below."""
    a, b = numbers(x, 0.02, 120), numbers(y, 0.03, 7)
    means = a.mean(2, keepdims=True) if a.shape[2] else a[:, :, :1]
    return [to_bytes(a + b, 0.05, 100), to_bytes(a * b, 0.04, 90), to_bytes(1 / (1 + np.exp(-a)), 1 / 256, 0),
            to_bytes(np.where(a < 0, a * np.float32(0.1), a), 0.02, 60), to_bytes(np.concatenate([a, b], 1), 0.04, 80),
            to_bytes(means, 0.01, 128)]


CODES = {f"s{i}": np.float32(s) for i, s in enumerate([0.02, 0.03, 0.05, 0.04, 1 / 256, 0.02, 0.04, 0.01])} | {
    f"z{i}": np.uint8(z) for i, z in enumerate([120, 7, 100, 90, 0, 60, 80, 128])}
W8, SCALES, W8_ZERO = random.integers(-128, 128, (7, 3)).astype(np.int8), f32(3), random.integers(-9, 9, 3).astype(np.int8)


def byte_products(x, q):
    """One scale and zero for all of x, found here; then those of q, given."""
    low, high = min(x.min(initial=0), 0), max(x.max(initial=0), 0)
    scale = np.float32((high - low) / np.float32(255)) if high > low else np.float32(1)
    zero = np.rint(np.clip(-low / scale, 0, 255)).astype(np.uint8)
    codes = np.clip(np.rint(x / scale) + zero, 0, 255)
    weights = W8.astype(np.float32) - W8_ZERO
    return [((codes - zero) @ weights) * (scale * SCALES) + SCALES,
            ((q.astype(np.float32) - 120) @ weights) * (np.float32(0.02) * SCALES)]


#: as in check_ops.py
CASES = {
    "bytes": ([own("QLinearAdd", "x s0 z0 y s1 z1 s2 z2", "a"), own("QLinearMul", "x s0 z0 y s1 z1 s3 z3", "b"),
               own("QLinearSigmoid", "x s0 z0 s4 z4", "c"), own("QLinearLeakyRelu", "x s0 z0 s5 z5", "d", alpha=0.1),
               own("QLinearConcat", "s6 z6 x s0 z0 y s1 z1", "e", axis=1),
               own("QLinearGlobalAveragePool", "x s0 z0 s7 z7", "f")],
              {"x": (UINT8, ["N", "C", "L"]), "y": (UINT8, ["N", "C", "L"])}, list("abcdef"), CODES, bytes_between,
              [(u8(*shape), u8(*shape)) for shape in [(2, 3, 5), (1, 1, 1), (0, 2, 3), (3, 2, 17)]]),
    "byte products": ([own("DynamicQuantizeMatMul", "x w s z b", "y"), own("MatMulIntegerToFloat", "q w t s u z", "r")],
                      {"x": (FLOAT, ["B", "M", 7]), "q": (UINT8, ["M", 7])}, ["y", "r"],
                      {"w": W8, "s": SCALES, "z": W8_ZERO, "b": SCALES, "t": np.float32(0.02), "u": np.uint8(120)}, byte_products,
                      [(f32(b, m, 7), u8(m, 7)) for b, m in [(2, 5), (1, 1), (3, 17)]]),
    "gelus": ([own("Gelu", "x", "a"), own("FastGelu", "x b", "c"), own("FastGelu", "x", "d"), own("BiasGelu", "x b", "e"),
               own("QuickGelu", "x", "f", alpha=1.5)], {"x": (FLOAT, ["N", 5]), "b": (FLOAT, [5])}, list("acdef"), {}, gelus,
              [(f32(n, 5), f32(5)) for n in (3, 1, 0, 17)]),
    "skip": ([own("SkipLayerNormalization", "x k g h b", "y - - s", epsilon=1e-3),
              own("SkipLayerNormalization", "x k g", "z", epsilon=1e-3)],
             {"x": (FLOAT, ["B", "L", 6]), "k": (FLOAT, ["B", "L", 6])}, ["y", "s", "z"], {"g": G, "h": H, "b": H},
             lambda x, k: [layer(x + k + H, G, H), x + k + H, layer(x + k, G)],
             [(f32(*shape, 6), f32(*shape, 6)) for shape in [(2, 5), (1, 1), (0, 3), (2, 0)]]),
    "simple": ([node("SimplifiedLayerNormalization", "x g", "y", epsilon=1e-3, axis=-1),
                own("SkipSimplifiedLayerNormalization", "x k g", "z - - s", epsilon=1e-3)],
               {"x": (FLOAT, ["B", "L", 6]), "k": (FLOAT, ["B", "L", 6])}, ["y", "z", "s"], {"g": G},
               lambda x, k: [layer(x, G, centred=False), layer(x + k, G, centred=False), x + k],
               [(f32(*shape, 6), f32(*shape, 6)) for shape in [(2, 5), (1, 1), (0, 3), (2, 0)]]),
    "matmul": ([own("FusedMatMul", "x y", "z", transA=1, transB=1, alpha=0.5)],
               {"x": (FLOAT, ["B", "K", "M"]), "y": (FLOAT, ["N", "K"])}, ["z"], {}, fused_matmul,
               [(f32(b, k, m), f32(n, k)) for b, k, m, n in [(2, 3, 4, 5), (1, 1, 1, 1), (0, 2, 3, 4), (2, 3, 0, 4), (1, 7, 17, 3)]]),
    "fused gemm": ([own("FusedGemm", "x w b", "y", activation="LeakyRelu", activation_alpha=0.2, alpha=0.5, transB=1),
                    own("FusedGemm", "x w b", "z", activation="Tanh", transB=1)],
                   {"x": (FLOAT, ["N", 5])}, ["y", "z"], {"w": W_GEMM, "b": f32(1) * 0 + 1}, gemms,
                   [(f32(n, 5),) for n in (3, 1, 0, 17)]),
    "four bits": product(4, 48, 32, zeros=True),
    "four bits around a half": product(4, 64, 16, zeros=False),
    "eight bits": product(8, 40, 16, zeros=True),
    "rotary": rotary(False),
    "rotary pairs": rotary(True),
    "cache": group_query(),
    "cache, rotated": group_query(rotates=True),
    "cache, capped": group_query(cap=2.0),
    "cache, window": group_query(window=3),
    "encoder": encoder(["B", "T"], False, [(2, 5, 0, 0, 2), (1, 1, 0, 1, 2), (3, 17, 0, 0, 2), (2, 1, 4, 0, 2)]),
    "decoder": encoder(["B", "T"], True, [(2, 5, 0, 1, 2), (1, 1, 6, 1, 2), (2, 3, 4, 1, 2)]),
    "packed encoder": packed_encoder([(2, 5), (1, 1), (3, 17), (2, 0)]),
    "packed decoder": packed_decoder([(2, 5, 0), (1, 1, 6), (2, 3, 4), (3, 1, 16)]),
    "embeddings": ([own("EmbedLayerNormalization", "w - t p - g h", "a b", epsilon=1e-3),
                    own("EmbedLayerNormalization", "w s t p u g h m i", "c d e", epsilon=1e-3)],
                   {"w": (INT32, ["B", "L"]), "s": (INT32, ["B", "L"]), "m": (INT32, ["B", "L"]), "i": (INT32, ["B", "L"])},
                   list("abcde"), {"t": WORDS, "p": PLACES, "u": SEGMENTS, "g": G, "h": H}, embedded,
                   [tuple(random.integers(0, most, (b, n)).astype(I32) for most in (9, 2, 2, 20))
                    for b, n in [(2, 5), (1, 1), (0, 3), (2, 0), (3, 17)]]),
    "fused convolutions": ([own("FusedConv", "x w b", "c", activation="Relu"), own("FusedConv", "x w b z", "d", activation="Tanh"),
                            own("FusedConv", "x w b", "e", activation="LeakyRelu", activation_params=[0.2]),
                            own("FusedConv", "x w b", "f", activation="Clip", activation_params=[-1.0, 2.0]),
                            own("FusedConv", "x w b", "g"),
                            own("FusedConv", "x w b", "h", activation="HardSigmoid", activation_params=[0.3, 0.4])],
                           {"x": (FLOAT, ["N", 2, "L"]), "z": (FLOAT, ["N", 4, "M"])}, list("cdefgh"), {"w": W_CONV, "b": B_CONV},
                           convolved, [(f32(n, 2, length), f32(n, 4, length - 2)) for n, length in [(2, 5), (1, 3), (0, 4), (3, 17)]]),
    "lengths": encoder(["B"], False, [(2, 5, 0, 1, 6), (1, 1, 0, 1, 2), (3, 17, 0, 1, 18)]),
}


def compare_with_runtime():
    """Calls each model by ONNX Runtime; `expected` has to agree where it is defined."""
    import onnxruntime
    calls = 0
    for name, (nodes, inputs, outputs, constants, expected, arrays) in CASES.items():
        data = model(nodes, inputs, outputs, constants, opset=21, domains=[DOMAIN])
        session = onnxruntime.InferenceSession(data)
        for each in arrays:
            want, got = expected(*each), session.run(None, dict(zip(inputs, each)))
            for a, b in zip(got, want):
                tolerance = 1e-4 if a.dtype.kind == "f" else 1  # a tie may round either way
                np.testing.assert_allclose(a.astype(float), b.astype(float), rtol=1e-4, atol=tolerance, err_msg=f"{name} {[x.shape for x in each]}")
            calls += 1
    print(f"{len(CASES)} models, {calls} calls of ONNX Runtime")


if __name__ == "__main__":
    if "--runtime" in sys.argv:
        compare_with_runtime()
    else:
        main(CASES, opset=21, domains=[DOMAIN])
