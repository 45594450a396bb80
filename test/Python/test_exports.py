# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports of JAX, which is not needed where they run. The oracle is JAX, whose results lie beside them."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import symshape

FOLDER = Path(__file__).parent.parent / "Import" / "StableHLO" / "Inputs"


def read_calls(name):
    data = np.load(FOLDER / f"{name}.npz")
    return [([data[f"c{k}_in{i}"] for i in range(9) if f"c{k}_in{i}" in data.files],
             [data[f"c{k}_out{i}"] for i in range(9) if f"c{k}_out{i}" in data.files]) for k in range(5)]


def check_calls(program, name):
    compared = 0
    for inputs, expected in read_calls(name):
        if not expected:
            with pytest.raises(symshape.GuardError):
                program(*inputs)
            continue
        for one, two in zip(program(*inputs), expected, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5)
            compared += 1
    return compared


def test_a_file_is_loaded():
    assert check_calls(symshape.load(FOLDER / "cond_switch.mlirbc"), "cond_switch") == 15


def test_an_export_is_taken_as_it_is():
    exported = SimpleNamespace(mlir_module_serialized=(FOLDER / "while_loop.mlirbc").read_bytes(), fun_name="newton")
    program = symshape.from_jax(exported)
    assert check_calls(program, "while_loop") > 0
    with pytest.raises(symshape.InputError, match="expected an export alone"):
        symshape.from_jax(exported, np.zeros(3))


def test_what_is_no_function_is_refused():
    with pytest.raises(symshape.InputError, match="expected a function or an export of JAX"):
        symshape.from_jax(3)
