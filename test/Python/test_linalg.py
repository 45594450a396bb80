# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in the form of torch-mlir through symshape.from_linalg. The oracle is NumPy."""

from pathlib import Path

import numpy as np
import pytest
import symshape

TEXTS = Path(__file__).parent / "Inputs"
RNG = np.random.default_rng(5)


class Dim:
    """What is read of a `Dim` of PyTorch, and of one that is derived from it."""

    def __init__(self, name, min=0, max=None, root=None, fn=None):
        self.__name__, self.min, self.max = name, min, max
        if root is not None:
            self.root, self.fn = root, fn


class Module:
    """As torch-mlir's, whose str() is the text."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return (TEXTS / f"{self.name}.mlir").read_text()


def floats(*shape):
    return RNG.standard_normal(shape, np.float32)


def test_derived_dims_and_ranges():
    length = Dim("length", min=2, max=100)
    shorter = Dim("length - 1", root=length, fn=lambda n: n - 1)
    program = symshape.from_linalg(Module("tail"), [{0: length}, {0: shorter}])
    assert [str(one) for one in program.inputs] == ["%arg0: [length] f32", "%arg1: [length - 1] f32"]
    assert [one.name for one in program.symbols] == ["length"]
    assert program.prove("length <= 100") and program.prove("2 <= length")
    for size in (2, 3, 8, 99, 100):
        x, y = floats(size), floats(size - 1)
        np.testing.assert_array_equal(program(x, y)[0], x[1:] + y)
    assert program.compilations == 1
    for sizes in [(1, 0), (101, 100), (5, 5), (5, 1)]:
        with pytest.raises(symshape.GuardError):
            program(*(floats(size) for size in sizes))


def test_expressions_and_facts():
    program = symshape.from_linalg(str(Module("tail")), {"%arg0": ["n + 1"], "arg1": {0: "n"}}, facts=["n <= 7"])
    assert str(program.results[0]) == "result #0: [n] f32"
    for size in (0, 1, 2, 7):
        x, y = floats(size + 1), floats(size)
        np.testing.assert_array_equal(program(x, y)[0], x[1:] + y)
    with pytest.raises(symshape.GuardError) as caught:
        program(floats(9), floats(8))
    assert caught.value.failures[0].values == {"n": 8}


def test_without_names():
    program = symshape.from_linalg(Module("tail"))
    np.testing.assert_array_equal(program(np.float32([1, 2, 3]), np.float32([4, 5]))[0], [6, 8])
    with pytest.raises(symshape.GuardError):
        program(floats(3), floats(3))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (2, 5), (7, 9), (3, 64)])
def test_sort_and_scan(shape):
    program = symshape.from_linalg(Module("orders"), {"x": (Dim("B"), None)})
    assert [str(one) for one in program.inputs[0].extents][0] == "B"
    x = RNG.integers(-4, 5, shape).astype(np.float32)
    order = np.argsort(-x, 1, kind="stable")
    values, places, sums = program(x)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))
    np.testing.assert_array_equal(sums, np.cumsum(values, 1, dtype=np.float32))


@pytest.fixture(scope="module")
def attention():
    batch, rows, keys = Dim("B", max=8), Dim("L"), Dim("S")
    return symshape.from_linalg(Module("attention"), {"q": {0: batch, 2: rows}, "k": {0: batch, 2: keys},
                                                      "v": {0: batch, 2: keys}})


@pytest.mark.parametrize("b, m, n", [(1, 1, 1), (2, 3, 5), (0, 3, 4), (3, 0, 2), (8, 17, 33)])
def test_attention(attention, b, m, n):
    q, k, v = floats(b, 2, m, 8), floats(b, 2, n, 8), floats(b, 2, n, 8)
    scores = np.exp(np.einsum("bhmd,bhnd->bhmn", q, k, dtype=np.float64) / np.sqrt(8))
    expected = np.einsum("bhmn,bhnd->bhmd", scores / scores.sum(-1, keepdims=True), v)
    (result,) = attention(q, k, v)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


def test_attention_refuses(attention):
    with pytest.raises(symshape.GuardError) as caught:
        attention(floats(9, 2, 3, 8), floats(9, 2, 3, 8), floats(9, 2, 3, 8))
    assert caught.value.failures[0].relation == "B <= 8"
    with pytest.raises(symshape.GuardError, match="S"):
        attention(floats(1, 2, 3, 8), floats(1, 2, 3, 8), floats(1, 2, 4, 8))


HEADS = """
func.func private @other(%a: tensor<?xf32>) -> tensor<?xf32>
func.func @main(%x: tensor<?x3xf32> {symshape.name = "b)"} loc("a, )"), %y : tensor<3xf32>,
                %n: index) -> (tensor<?x3xf32> {symshape.name = "r"}) {
  return %x : tensor<?x3xf32>
}
"""


def test_signatures_with_attributes_and_places():
    program = symshape.from_linalg(HEADS, {"x": {0: "B"}})
    assert str(program.inputs[0].extents[0]) == "B" and program.inputs[0].name == "b)"
    np.testing.assert_array_equal(program(np.ones((2, 3), np.float32), np.ones(3, np.float32), 1)[0], np.ones((2, 3)))


@pytest.mark.parametrize("text, dims, message", [
    (HEADS, {"x": {1: "B"}}, r"expected dim 1 \(B\) of %x to be dynamic, but it is 3"),
    (HEADS, {"x": {2: "B"}}, "%x: expected an axis from 0 to 1, but got 2"),
    (HEADS, {"n": {0: "B"}}, "expected %n to be a tensor with a rank, but got index"),
    (HEADS, [{0: "B"}], r"expected dims of 3 arguments \(%x, %y, %n\), but got 1"),
    (HEADS, {"q": {0: "B"}}, "expected dims of 3 arguments"),
    ('"func.func"() : () -> ()', None, "expected a function 'func.func @main"),
    ("func.func @main(%x: tensor<?xf32>", None, "expected the arguments of @main to end"),
    ("func.func @main(tensor<?xf32>)", None, "expected an argument with a name"),
])
def test_refusals(text, dims, message):
    with pytest.raises(symshape.InputError, match=message):
        symshape.from_linalg(text, dims)


def test_ops_without_a_lowering():
    text = str(Module("orders")).replace("arith.addf %arg1, %arg2", "arith.subf %arg1, %arg2")
    with pytest.raises(symshape.CompileError) as caught:
        symshape.from_linalg(text, name="orders.mlir")
    (diagnostic,) = caught.value.diagnostics
    assert "expected a region that adds" in diagnostic.message
    assert (diagnostic.file, diagnostic.line) == ("orders.mlir", 25)
