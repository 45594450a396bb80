# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of JAX in and out, without copies. The oracle is NumPy.

Skipped where JAX is not installed, as in `./bootstrap test`; to run it, `pip install "jax[cpu]"` beside the
package, then `pytest test/Python/test_jax.py`.
"""

import ctypes
import gc
import re
from pathlib import Path

import numpy as np
import programs
import pytest
import symshape

jax = pytest.importorskip("jax")
TYPES = ("int8", "int32", "float16", "bfloat16", "float32")
NAMES = {"int8": "i8", "int32": "i32", "float16": "f16", "bfloat16": "bf16", "float32": "f32"}


def normal(shape, seed=0):
    return jax.random.normal(jax.random.key(seed), shape)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (0, 4), (1000, 1000)])
def test_results_are_taken_where_they_lie(shape):
    program = symshape.loads(programs.SQUARES)
    x, y = normal(shape), normal(shape, 1)
    (exchanged,) = program.dlpack(x, y)
    result = jax.numpy.from_dlpack(exchanged)
    expected = np.asarray(x) * np.asarray(y)
    assert result.unsafe_buffer_pointer() == np.from_dlpack(exchanged).ctypes.data
    del program, exchanged
    gc.collect()
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("name", TYPES)
def test_arguments_are_read_where_they_lie(name):
    program = symshape.loads(programs.DOUBLE.replace("TYPE", NAMES[name]))
    x = jax.numpy.array([1, 2, 3, -4], dtype=name)
    call = program.prepare(x)
    before = call()[0]
    assert before.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(before, np.float64), [2, 4, 6, -8])
    # JAX would not change an array, so only a call that has made no copy sees this.
    other = np.array([5, 60, -7, 8]).astype(x.dtype)
    ctypes.memmove(x.unsafe_buffer_pointer(), other.ctypes.data, other.nbytes)
    np.testing.assert_array_equal(np.asarray(call()[0], np.float64), [10, 120, -14, 16])
    (result,) = program(x)
    assert isinstance(result, jax.Array) and result.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(result, np.float64), [10, 120, -14, 16])


def test_arrays_that_are_still_computed_are_waited_for():
    program = symshape.loads(programs.SQUARES)
    factor = normal((1500, 1500)).block_until_ready()
    for i in range(3):
        x = factor @ factor + i
        (result,) = program(x, x)
        np.testing.assert_array_equal(result, np.asarray(x) ** 2)


def test_transposed_arrays_and_views():
    program = symshape.loads(programs.SQUARES)
    x = normal((4, 6))
    for view in (x.T, x[:, ::2], x[::-1], x[1:2]):
        np.testing.assert_array_equal(program(view, view)[0], np.asarray(view) ** 2)


def test_what_does_not_fit_is_refused():
    program = symshape.loads(programs.SQUARES)
    x = normal((4, 6))
    with pytest.raises(symshape.GuardError, match="M = 4"):
        program(x, x[:3])
    with pytest.raises(symshape.InputError, match="expected index for %n, but got i32"):
        symshape.loads(programs.FIRST)(x[0], jax.numpy.array(2))


def test_what_the_page_shows(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "HowTo" / "UseFromPython.md").read_text()
    (snippet,) = re.findall(r"^```python-jax\n(.*?)^```", page, re.M | re.S)
    (join,) = re.findall(r"^```mlir\n(.*?)^```", page, re.M | re.S)
    (tmp_path / "join.mlir").write_text(join)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(snippet, "UseFromPython.md", "exec"), names)  # noqa: S102
    x = np.asarray(names["x"])
    np.testing.assert_array_equal(np.asarray(names["y"]), np.concatenate([x, x]))
    np.testing.assert_allclose(names["z"], np.tanh(np.concatenate([x, x])).sum(), rtol=1e-5)


def test_the_door_of_readme(capsys):
    """A program in compiled code of JAX, at three sizes."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import jax, symshape\n.*?)```", readme, re.S)
    exec(example, {})
    assert capsys.readouterr().out == "1 4.0 1\n7 28.0 1\n512 2048.0 1\n"
