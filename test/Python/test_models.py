# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, from files and from bytes. The oracle is NumPy."""

import numpy as np
import onnx_file
import pytest
import symshape

RNG = np.random.default_rng(2)
WEIGHT = RNG.standard_normal((16, 8)).astype(np.float32)


def linear():
    nodes = [onnx_file.node("MatMul", "x w", "p"), onnx_file.node("Relu", "p", "y")]
    return onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["B", 16])}, ["y"], {"w": WEIGHT})


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_bytes_and_files(tmp_path, rows):
    path = tmp_path / "linear.onnx"
    path.write_bytes(linear())
    x = RNG.standard_normal((rows, 16)).astype(np.float32)
    for program in (symshape.load(path), symshape.loads(linear(), format="onnx", name=str(path))):
        np.testing.assert_allclose(program(x)[0], np.maximum(x @ WEIGHT, 0), rtol=1e-5, atol=1e-5)
        assert [str(one) for one in program.inputs] == ["x: [B, 16] f32"]
        assert str(program.results[0].extents[0]) == "B"


def test_names_of_the_model_in_errors():
    nodes = [onnx_file.node("Add", "x y", "z", "sum")]
    model = onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["B", "L"]), "y": (onnx_file.FLOAT, ["C", "L"])}, ["z"])
    program = symshape.loads(model, format="onnx", name="add.onnx")
    with pytest.raises(symshape.GuardError) as caught:
        program(np.ones((2, 3), np.float32), np.ones((5, 3), np.float32))
    (failure,) = caught.value.failures
    assert failure.values == {"B": 2, "C": 5} and {one.origin for one in failure.symbols} == {"x dim 0", "y dim 0"}
    assert "add.onnx" in failure.reasons[0].file


def test_values_of_the_first_call():
    nodes = [onnx_file.node("ReduceSum", "x axes", "y", keepdims=0)]
    model = onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["A", "B"]), "axes": (onnx_file.INT64, [1])}, ["y"])
    x, axes = np.ones((2, 3), np.float32), np.array([1])
    program = symshape.loads(model, format="onnx", first_inputs=[x, axes])
    np.testing.assert_array_equal(program(x, axes)[0], [3, 3])
    with pytest.raises(symshape.GuardError):
        program(x, np.array([0]))


def test_weights_of_the_caller():
    nodes = [onnx_file.node("MatMul", "x w", "y")]
    model = onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["B", 16]), "w": (onnx_file.FLOAT, [16, 8])}, ["y"])
    program = symshape.loads(model, format="onnx", weights={"w": WEIGHT})
    x = RNG.standard_normal((3, 16)).astype(np.float32)
    np.testing.assert_allclose(program(x)[0], x @ WEIGHT, rtol=1e-5, atol=1e-5)


def test_weights_of_the_caller_beside_those_of_the_model():
    nodes = [onnx_file.node("MatMul", "x w", "p"), onnx_file.node("MatMul", "p v", "y")]
    kept = RNG.standard_normal((8, 64)).astype(np.float32)
    inputs = {"x": (onnx_file.FLOAT, ["B", 16]), "w": (onnx_file.FLOAT, [16, 8])}
    program = symshape.loads(onnx_file.model(nodes, inputs, ["y"], {"v": kept}), format="onnx", weights={"w": WEIGHT})
    assert {one.weight for one in program.arguments} == {None, "w", "v"}
    x = RNG.standard_normal((3, 16)).astype(np.float32)
    np.testing.assert_allclose(program(x)[0], x @ WEIGHT @ kept, rtol=1e-4, atol=1e-4)
    shares = program.vjp(wrt=["x"])(x, np.ones((3, 64), np.float32))[1]
    np.testing.assert_allclose(shares, np.ones((3, 64), np.float32) @ kept.T @ WEIGHT.T, rtol=1e-4, atol=1e-4)


def test_files_that_are_no_models(tmp_path):
    path = tmp_path / "no.onnx"
    path.write_bytes(b"no model at all")
    with pytest.raises(symshape.CompileError, match="no.onnx"):
        symshape.load(path)
    with pytest.raises(symshape.Error):
        symshape.loads(b"", format="onnx")
