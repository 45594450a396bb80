# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exports that JAX keeps to test itself, of 2023 to today: what it gave then, or a refusal by name."""

import importlib
import pkgutil
import re

import jax
import numpy as np
import pytest
import symshape
from jax._src.internal_test_util import export_back_compat_test_data as old

FOR_OTHERS = ("cuda", "rocm", "gpu", "tpu", "pallas")
# What stands in the message of a program that is refused.
REFUSED = ("lapack_.*(geev|gehrd|gees|sytrd|hetrd|gtsv|heevd)_ffi' is not supported",
           "expected matrices of real floats", "sdy.manual_computation", "SPMDFullToShardShape",
           "expected one operand, its initial value and five lists")


def find_programs(data, *names):
    """Programs of nested lists and dictionaries, by their names."""
    if isinstance(data, dict) and "mlir_module_serialized" in data:
        yield "-".join(names), data
    elif isinstance(data, (dict, list)):
        for name, part in data.items() if isinstance(data, dict) else enumerate(data):
            yield from find_programs(part, *names, str(name))


def find_modules():
    for module in pkgutil.iter_modules(old.__path__):
        # Those of accelerators call what they provide, but for these.
        if not module.name.startswith(FOR_OTHERS) or module.name in ("tpu_ApproxTopK", "tpu_Sharding",
                                                                     "tpu_stablehlo_dynamic_reduce_window"):
            yield module.name, importlib.import_module(f"{old.__name__}.{module.name}")


PROGRAMS = {f"{name}-{key}": data for name, module in find_modules() for kind, part in vars(module).items()
            if kind.startswith("data_") for key, data in find_programs(part, kind)}


def without_choices(name, results):
    """Vectors are unique but for their signs, and those of equal eigenvalues not even so."""
    if "eigh" in name:
        vectors, values = results
        return (vectors * values) @ vectors.T, values
    return [np.abs(result) for result in results] if "svd" in name else results


def as_exchanged(array):
    array = np.asarray(array)
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


@pytest.mark.parametrize("name", PROGRAMS)
def test_old_export(name, count):
    data = PROGRAMS[name]
    try:
        program = symshape.loads(data["mlir_module_serialized"], name=f"{name}.mlirbc")
    except symshape.CompileError as error:
        assert any(re.search(text, str(error)) for text in REFUSED)
        count("old refusals")
        return
    results = program(*map(as_exchanged, data["inputs"]))
    expected = [as_exchanged(result) for result in jax.tree.leaves(data["expected_outputs"])]
    for one, two in zip(without_choices(name, results), without_choices(name, expected), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-4)
    count("old exports")
