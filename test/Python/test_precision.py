# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of f32 in lower precision, and what that does to results."""

import numpy as np
import pytest
import symshape

DENSE = """func.func @main(%x: tensor<?x40xf32>, %w: tensor<40x24xf32> {symshape.weight = "w"}) -> (tensor<?x24xf32>, tensor<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x24xf32>) outs(%f : tensor<?x24xf32>) -> tensor<?x24xf32> loc("head")
  %s = arith.addf %x, %x : tensor<?x40xf32>
  return %y, %s : tensor<?x24xf32>, tensor<?x40xf32>
}
"""


def draw():
    rng = np.random.default_rng(0)
    return rng.standard_normal((7, 40), np.float32), rng.standard_normal((40, 24), np.float32)


def rounded(x):
    """To the nearest numbers of bf16, ties to even."""
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def test_precision():
    x, w = draw()
    exact = x.astype(np.float64) @ w
    near = rounded(x).astype(np.float64) @ rounded(w)
    for precision, expected in ((None, exact), ("f32", exact), ("bf16", near), ("bf16,-head", exact)):
        y, s = symshape.loads(DENSE, weights={"w": w}, precision=precision)(x)
        assert np.abs(y - expected).max() < 1e-5, precision
        assert np.array_equal(s, x + x)
    assert np.abs(near - exact).max() > 1e-3


def quantized(w, bits):
    """Of one block of terms: the largest number of a column is the code farthest from that of zero."""
    far = np.take_along_axis(w, np.abs(w).argmax(0)[None], 0)
    scale = far / np.float32(-(2 ** (bits - 1)))
    return np.rint(w / scale).clip(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) * scale.astype(np.float64)


def test_weights_of_few_bits():
    x, w = draw()
    for bits in (8, 4):
        near = np.concatenate([quantized(w[:32], bits), quantized(w[32:], bits)])
        program = symshape.loads(DENSE, weights={"w": w}, precision=f"int{bits}")
        y, s = program(x)
        assert np.abs(y - x.astype(np.float64) @ near).max() < 1e-5 and np.array_equal(s, x + x), bits
        error = symshape.compare(program, [x])[0].largest
        assert {8: 1e-3, 4: 1e-2}[bits] < error < {8: 1e-2, 4: 0.2}[bits]
    y, _ = symshape.loads(DENSE, weights={"w": w}, precision="int4,-head")(x)
    assert np.abs(y - x.astype(np.float64) @ w).max() < 1e-5


def test_precision_refused():
    with pytest.raises(symshape.InputError, match="expected precision to be f32, bf16, int8 or int4, .*, but got 'f16'"):
        symshape.loads(DENSE, precision="f16")
    with pytest.raises(symshape.InputError, match="expected precision to be text, but got 16"):
        symshape.loads(DENSE, precision=16)
    w = draw()[1]
    with pytest.warns(symshape.CompileWarning, match="a layer 'tail'"):
        symshape.loads(DENSE, weights={"w": w}, precision="bf16,-tail", dynamic="always", compile="sync")


def test_compare(capsys):
    x, w = draw()
    program = symshape.loads(DENSE, weights={"w": w}, precision="bf16")
    product, double = symshape.compare(program, [x])
    exact = x.astype(np.float64) @ w
    error = np.abs(rounded(x).astype(np.float64) @ rounded(w) - exact)
    assert product.shape == (7, 24) and abs(product.scale - np.abs(exact).max()) < 1e-4
    assert abs(product.largest - error.max() / np.abs(exact).max()) < 1e-5
    assert abs(product.mean - np.sqrt((error**2).mean()) / np.abs(exact).max()) < 1e-6
    assert (double.largest, double.mean, double.misplaced, product.misplaced) == (0, 0, 0, 0)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [str(product), str(double)] and "largest error" in lines[0]
    x[0, 0] = np.inf
    assert symshape.compare(program, {"x": x})[0].misplaced == 0
    x[0, 0] = 3.4e38  # which bf16 has not got: infinity
    assert symshape.compare(program, {"x": x})[1].misplaced == 0
    with pytest.raises(symshape.InputError, match="cannot recompile a derivative"):
        symshape.compare(program.vjp(), [x])


TWO = DENSE.replace("%s = arith.addf %x, %x : tensor<?x40xf32>", """%p = tensor.empty(%m) : tensor<?x40xf32>
  %g = linalg.fill ins(%zero : f32) outs(%p : tensor<?x40xf32>) -> tensor<?x40xf32>
  %s = linalg.matmul ins(%x, %v : tensor<?x40xf32>, tensor<40x40xf32>) outs(%g : tensor<?x40xf32>) -> tensor<?x40xf32> loc("tail")
""").replace("%w: tensor", '%v: tensor<40x40xf32> {symshape.weight = "v"}, %w: tensor')


def test_compare_layers(capsys):
    x, w = draw()
    v = np.random.default_rng(1).standard_normal((40, 40), np.float32)
    program = symshape.loads(TWO, weights={"w": w, "v": v}, precision="int4")
    head, tail = symshape.compare(program, [x], layers=["head", "tail"])
    assert head.without["head"] < 1e-6 < 1e-2 < head.largest == head.without["tail"]
    assert tail.without["tail"] < 1e-6 < 1e-2 < tail.largest == tail.without["head"]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and lines[3] == f"{tail.name}: largest error {tail.without['head']:.2e} with head in f32"
    assert symshape.compare(program, [x], layers="head")[0].without.keys() == {"head"}
    with pytest.raises(symshape.InputError, match="loaded with a precision"):
        symshape.compare(symshape.loads(TWO, weights={"w": w, "v": v}), [x], layers="head")
