# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results by name and in the caller's library, calls that are awaited, and many calls. The oracle is NumPy."""

import asyncio
import copy
import pickle
import sys
import threading
import types

import numpy as np
import onnx_file
import programs
import pytest
import symshape

CALLS = 10_000


@pytest.fixture(scope="module")
def squares():
    return symshape.loads(programs.SQUARES)


@pytest.fixture(scope="module")
def named():
    nodes = [onnx_file.node("Add", "x y", "logits"), onnx_file.node("Neg", "x", "index")]
    inputs = {"x": (onnx_file.FLOAT, ["B"]), "y": (onnx_file.FLOAT, ["B"])}
    return symshape.loads(onnx_file.model(nodes, inputs, ["logits", "index"]), format="onnx")


def test_results_have_the_names_of_the_model(named):
    x, y = np.float32([1, 2]), np.float32([3, 5])
    for results in (named(x, y), named.prepare(x, y)(), named({"y": y, "x": x})):
        np.testing.assert_array_equal(results.logits, [4, 7])
        np.testing.assert_array_equal(results["index"], [-1, -2])
        assert results["logits"] is results[0] and callable(results.index) and len(results[:1]) == 1
        assert list(dict(results)) == ["logits", "index"] == results.keys()
    with pytest.raises(KeyError, match=r"the name of a result \(logits, index\), but got 'logit'"):
        results["logit"]
    with pytest.raises(AttributeError, match="no 'logit', but logits, index"):
        results.logit
    for other in (pickle.loads(pickle.dumps(results)), copy.copy(results)):
        np.testing.assert_array_equal(other.logits, [4, 7])


def test_results_of_mlir_are_a_plain_list(squares):
    x = np.ones((2, 2), np.float32)
    assert type(squares(x, x)) is list


def test_inputs_as_a_dictionary(squares):
    x = np.float32([[1, 2]])
    np.testing.assert_array_equal(squares({"y": 3 * x, "x": x})[0], 3 * x * x)
    with pytest.raises(symshape.InputError, match="'z'"):
        squares({"x": x, "z": x})
    with pytest.raises(symshape.InputError, match="expected an input for 'y'"):
        squares({"x": x})


class Tensor:
    """An array of a library that says, as PyTorch's do, where its type is from."""

    __module__ = "torch._tensor"

    def __init__(self, array):
        self.array = np.asarray(array)

    dtype = property(lambda self: self.array.dtype)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Parameter(Tensor):
    __module__ = "users.own"


def test_results_are_arrays_of_the_library_of_the_inputs(squares, monkeypatch):
    library = types.SimpleNamespace(from_dlpack=lambda one: Tensor(np.from_dlpack(one)))
    monkeypatch.setitem(sys.modules, "torch", library)
    x = np.float32([[1, 2], [3, 4]])
    for inputs in [(Tensor(x), Tensor(x)), (x, Tensor(x)), (Parameter(x), x)]:
        for results in (squares(*inputs), squares.prepare(*inputs)()):
            assert type(results) is list and type(results[0]) is Tensor
            np.testing.assert_array_equal(results[0].array, x * x)
        assert not isinstance(squares.dlpack(*inputs)[0], Tensor)
    assert type(squares(x, x)[0]) is np.ndarray


def test_many_awaited_calls(squares):
    async def one(number):
        x = np.full((1, number % 7), number, np.float32)
        (result,) = await squares.acall(x, y=x)
        return np.array_equal(result, x * x)

    async def everything():
        done = 0
        for start in range(0, CALLS, 500):
            done += sum(await asyncio.gather(*map(one, range(start, start + 500))))
        return done

    assert asyncio.run(everything()) == CALLS
    with pytest.raises(symshape.GuardError):
        asyncio.run(squares.acall(np.ones((1, 2), np.float32), np.ones((2, 2), np.float32)))


def test_many_calls_in_order(squares):
    read = []

    def inputs():
        for number in range(100):
            read.append(number)
            x = np.full((number % 5, 2), number, np.float32)
            yield (x, x) if number % 2 else {"x": x, "y": x}

    results = squares.map(inputs(), workers=3)
    next(results)
    assert len(read) <= 8  # twice the workers, and what the first result was waited for with
    for number, (result,) in enumerate(results, 1):
        np.testing.assert_array_equal(result, np.full((number % 5, 2), number * number))
    assert len(read) == 100


def test_a_call_that_fails_is_told_in_its_turn(squares):
    x = np.ones((2, 2), np.float32)
    results = squares.map([(x, x), (x, x[:1]), (x, x)], workers=1)
    next(results)
    with pytest.raises(symshape.GuardError):
        next(results)
    before = threading.active_count()
    unfinished = squares.map([(x, x)] * 10, workers=2)
    next(unfinished)
    unfinished.close()
    assert threading.active_count() == before
    with pytest.raises(symshape.InputError, match="workers to be a number of at least 1, but got 0"):
        squares.map([], workers=0)
