# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of node tests at sizes that the tests do not have, against the evaluator of the package `onnx`.

All extents of inputs that are one number become another one together, so that what is equal stays
equal. Data is repeated or cut. ONNX Runtime decides, where it is installed, if the evaluator and the
program differ: it is often the evaluator that takes no extent of 0.
"""

import os
import pickle
import warnings

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

MOST_ELEMENTS = 1 << 16
# Ops, and types of their data (None: any), of which the evaluator and ONNX Runtime decide nothing for an
# empty array: they keep an extent of 0 that becomes 1; the standard leaves the mean of nothing undefined
# (ONNX Runtime says 0, PyTorch and NumPy NaN); the evaluator takes -inf for the least bool.
NOT_OF_NOTHING = {"ArgMax": None, "ArgMin": None, "NegativeLogLikelihoodLoss": None, "ReduceMean": None,
                  "SoftmaxCrossEntropyLoss": None, "ReduceMax": np.bool_}


def resized(array, dims):
    """The array with other extents: cut, or repeated; zeros where there is nothing to repeat."""
    for axis, extent in enumerate(dims):
        if array.shape[axis] == 0 and extent:
            array = np.zeros([extent if i == axis else old for i, old in enumerate(array.shape)], array.dtype)
        array = np.take(array, np.arange(extent) % max(array.shape[axis], 1), axis=axis)
    return array


def variants(inputs, isOpen, count):
    """Up to `count` lists of inputs: each extent in turn is 0, 1, one more and twice as much."""
    extents = sorted({extent for array, is_open in zip(inputs, isOpen) if is_open for extent in array.shape})
    changes = [(old, new(old)) for new in (lambda e: 0, lambda e: 1, lambda e: e + 1, lambda e: 2 * e + 1)
               for old in extents]
    changes += [(old, 0) for old in [None] if extents]
    seen = set()
    for old, new in changes:
        made = [resized(array, [new if old in (None, extent) else extent for extent in array.shape])
                if is_open else array for array, is_open in zip(inputs, isOpen)]
        key = tuple(array.shape for array in made)
        if key in seen or key == tuple(array.shape for array in inputs) or \
                max((array.size for array in made), default=0) > MOST_ELEMENTS:
            continue
        seen.add(key)
        yield made
        if len(seen) == count:
            return


def evaluated(path, names):
    """A function of inputs: results of the evaluator, or None where it has none."""
    try:
        session = ReferenceEvaluator(str(path))
    except Exception:  # pylint: disable=broad-except
        return lambda inputs: None

    def call(inputs):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = session.run(None, dict(zip(names, inputs)))
            return [np.asarray(result) for result in results]
        except Exception:  # pylint: disable=broad-except
            return None
    return call


def executed(path, named):
    """What ONNX Runtime makes of inputs by name, or None; in a process of its own, which some calls end."""
    if onnxruntime is None:
        return None
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        results = None
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            results = session.run(None, named)
        except Exception:  # pylint: disable=broad-except
            pass
        with os.fdopen(writer, "wb") as file:
            pickle.dump(results, file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        try:
            results = pickle.load(file)
        except EOFError:
            results = None
    os.waitpid(child, 0)
    return results


def judge(got, expected, difference):
    """What is wrong with results, or nothing."""
    if len(got) != len(expected):
        return "number of results"
    return next((wrong for ours, theirs in zip(got, expected) if (wrong := difference(ours, theirs))), None)


def try_sizes(program, path, names, inputs, isOpen, count, difference):
    """One answer a size: `equal`, `nothing to compare with`, `refused: ...` or `wrong: ...`."""
    reference = evaluated(path, names)
    ops = {node.op_type for node in onnx.load(str(path)).graph.node} & set(NOT_OF_NOTHING)
    isUndecided = any(NOT_OF_NOTHING[op] in (None, inputs[0].dtype.type) for op in ops)
    for made in variants(inputs, isOpen, count):
        expected = reference(made)
        try:
            got = program(*made)
        except Exception as error:  # pylint: disable=broad-except
            yield f"refused: {error}" if expected is not None else "nothing to compare with"
            continue
        if expected is None:
            expected = executed(path, dict(zip(names, made)))
        if expected is None:
            yield "nothing to compare with"
            continue
        wrong = judge(got, expected, difference)
        if wrong:
            second = executed(path, dict(zip(names, made)))
            if second is not None and not judge(got, second, difference):
                wrong = None
        if wrong and isUndecided and any(array.size == 0 for array in made):
            yield "nothing to compare with"
            continue
        sizes = ", ".join("x".join(map(str, array.shape)) or "-" for array in made)
        yield f"wrong: at {sizes}: {wrong}" if wrong else "equal"
