# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The uses that JAX keeps of each primitive to test itself, over a batch of open size, beside jax.jit at sizes."""

import re

import jax
import numpy as np
import pytest
import symshape
import symshape.jax
from jax import export
from jax._src.internal_test_util import test_harnesses as kept
from test_exports import as_exchanged
from test_networks import check

SIZES = (3, 1, 8)
EACH = 1  # of a primitive
# What stands in the message of a program that is refused.
REFUSED = {"eig": "lapack_.geev_ffi' is not supported"}


def find_uses():
    groups = {}
    for use in kept.all_harnesses:
        is_batched = any(not isinstance(one, kept.StaticArg) for one in use.arg_descriptors)
        # Without XLA, and of 64 bits, they are those of another compiler and of another setting.
        if (use.filter("cpu") and use.params.get("enable_xla", True) and is_batched
                and jax.dtypes.canonicalize_dtype(use.dtype) == use.dtype and use.group_name != "tridiagonal_solve"):
            groups.setdefault(use.group_name, []).append(use)
    for group in groups.values():
        floats = [use for use in group if use.dtype == np.float32]
        yield from (floats or group)[-EACH:]


USES = {use.fullname: use for use in find_uses()}


def draw(use, size, random):
    """Arguments with a first axis of that size."""
    for one in use.arg_descriptors:
        if isinstance(one, kept.RandArg):
            yield use.rng_factory(random)((size, *one.shape), one.dtype)
        elif isinstance(one, kept.CustomArg):
            yield np.stack([np.asarray(one.make(random)) for _ in range(size)])
        elif not isinstance(one, kept.StaticArg):
            yield np.stack([np.asarray(one)] * size)


def without_choices(group, results):
    """Neither which of equal numbers is taken nor the sign of a vector is said."""
    if group == "eigh":
        vectors, values = results
        return vectors * values[..., None, :] @ vectors.swapaxes(-1, -2), values
    return results[:1] if group in ("approx_top_k", "svd") else results


@pytest.mark.parametrize("name", USES)
def test_use(name, count):
    use = USES[name]
    random = np.random.RandomState(5)
    function = jax.jit(jax.vmap(use.dyn_fun))
    batch, = export.symbolic_shape("b")
    specs = [jax.ShapeDtypeStruct((batch, *one.shape[1:]), one.dtype) for one in draw(use, 1, random)]
    try:
        exported = export.export(function)(*specs)
    except (NotImplementedError, ValueError) as error:
        pytest.skip(f"JAX: {error}")
    if refused := REFUSED.get(use.group_name):
        with pytest.raises(symshape.CompileError) as error:
            symshape.from_jax(exported, compile="sync")
        assert re.search(refused, str(error.value))
        return
    program = symshape.from_jax(exported, compile="sync")
    for size in SIZES:
        arguments = [np.asarray(jax.numpy.asarray(one)) for one in draw(use, size, random)]  # none of 64 bits
        expected = [as_exchanged(one) for one in jax.tree.leaves(function(*arguments))]
        results = program(*(as_exchanged(arguments[i]) for i in exported.module_kept_var_idx))
        assert len(results) == len(expected)
        both = (without_choices(use.group_name, list(one)) for one in (results, expected))
        for one, two in zip(*both, strict=True):
            check(one, two)
    count("uses")
