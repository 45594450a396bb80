# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives by name. The oracle is the derivative on paper."""

import numpy as np
import programs
import pytest
import symshape


@pytest.fixture(scope="module")
def loss():
    return symshape.loads(programs.LOSS, entry="loss")


@pytest.mark.parametrize("n", [0, 1, 4])
def test_gradient_by_name(loss, n):
    rng = np.random.default_rng(n)
    x, w = rng.standard_normal(n), rng.standard_normal(n)
    value, count, by_x = loss.grad(wrt=["x"], result=0)(x, w)
    np.testing.assert_allclose(value, (w * x * x).sum())
    np.testing.assert_allclose(by_x, 2 * w * x)
    assert count == n
    *_, by_w, by_x = loss.grad(wrt=["%w", "x"], result=0)(x, w)
    np.testing.assert_allclose(by_w, x * x)
    np.testing.assert_allclose(by_x, 2 * w * x)
    *_, by_one = loss.grad("w", result=0)(x, w)
    np.testing.assert_allclose(by_one, x * x)


def test_vjp_and_jvp(loss):
    rng = np.random.default_rng(7)
    x, w, dx = rng.standard_normal((3, 5))
    cotangent = np.float64(0.5)
    *_, by_x = loss.vjp(wrt=["x"], results=[0])(x, w, cotangent)
    np.testing.assert_allclose(by_x, w * x)
    *_, tangent = loss.jvp(wrt=["x"], results=[0])(x, w, dx)
    np.testing.assert_allclose(tangent, (2 * w * x * dx).sum())


def test_weights_are_shared(loss):
    w = np.array([1.0, -2.0])
    bound = symshape.loads(programs.LOSS, entry="loss", weights={"w": w})
    derived = bound.grad(wrt=["x"], result=0)
    del bound
    np.testing.assert_allclose(derived(np.array([3.0, 4.0]))[2], [6, -16])


def test_what_has_no_derivative(loss):
    with pytest.raises(symshape.InputError, match="expected one of %x, %w, but got 'z'"):
        loss.grad(wrt=["z"])
    with pytest.raises(symshape.InputError, match="expected a result below 2"):
        loss.vjp(results=[2])
    splat = symshape.loads("func.func @main(%x: f64) -> tensor<2xf64> {\n  %y = tensor.splat %x : tensor<2xf64>\n  return %y : tensor<2xf64>\n}")
    with pytest.raises(symshape.CompileError, match="tensor.splat") as caught:
        splat.vjp()
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.severity, diagnostic.line) == ("error", 2) and len(diagnostic.notes) >= 2


def test_refused_calls_of_derivatives(loss):
    with pytest.raises(symshape.GuardError) as caught:
        loss.grad(wrt=["x"], result=0)(np.ones(3), np.ones(4))
    assert caught.value.function == "loss.grad" and caught.value.failures
