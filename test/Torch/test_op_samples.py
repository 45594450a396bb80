# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The samples that PyTorch's own tests have for the ops of core ATen, exported with all extents open.

The oracle is PyTorch, run eagerly: results, and for floats the derivative. A few samples of each op; with
`SYMSHAPE_SAMPLES=1000` all of them. What is not computed is named in REFUSED, with the reason.
"""

import os
import re

import pytest
import symshape
import symshape.torch
import torch
from torch.export import Dim
from torch.utils import _pytree as pytree

pytest.importorskip("expecttest", reason="the samples need expecttest")
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

MOST = int(os.environ.get("SYMSHAPE_SAMPLES", 3))

# Of what core ATen has as ops of their own, the entries of other names.
FUNCTIONS = """adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d avg_pool1d avg_pool2d avg_pool3d batch_norm
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d elu embedding embedding_bag fold gelu
    grid_sample group_norm hardtanh interpolate layer_norm leaky_relu max_pool1d max_pool2d max_pool3d pad pdist relu
    scaled_dot_product_attention upsample_bilinear upsample_nearest""".split()
OTHERS = ["__getitem__", "cdist", "cummax", "cummin", "fft.rfft", "fft.irfft", "index_put", "log_softmax", "softmax", "std", "to", "var"]

# Messages, and why: at most one sample in twenty.
REFUSED = {
    r"aten\.randn|aten\.rand\b|aten\.randperm": "random numbers, which are those of a generator",
    r"expected means or windows that are whole": "another divisor of windows that stick out",
    r"expected a module that is exported for inference": "statistics that a module changes in place",
    r"there is nothing to repeat in an empty axis": "negative borders of an empty axis",
    r"expected no scale_grad_by_freq": "a derivative that is not that of the value",
    r"aten\.embedding_renorm": "a table that the op changes",
    r"expected a tensor that is known to lie row by row": "views of memory in another order",
    r"expected places of the rank of the data": "no places, in another rank",
    r"\(MaxPool #\d+\): expected operand #\d+ to be of float": "places of the greatest of integers",
    r"aten\._fft_(r2c|c2r|c2c)": "complex numbers",
    r"aten\._pdist_forward": "distances of pairs, in the order of a triangle",
    r"or a mean of floats": "means of integers",
    r"expected heads": "heads of queries and of keys in other ranks",
    r"it drops elements": "random numbers, which are those of a generator",
    r"expected rank 2 or more|expected rank \d+ or more, but got": "normalisation of one axis",
}
# Values of memory that nobody wrote.
UNDEFINED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}


def is_core():
    """The names of ops of ATen with the tag `core`."""
    names = set()
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if hasattr(packet, "overloads") and any(
                torch.Tag.core in getattr(packet, one).tags for one in packet.overloads()):
            names.add(name)
    return names


def name_of(op):
    return ".".join(filter(None, (op.name, op.variant_test_name)))


CORE = is_core()
OPS = {name_of(op): op for op in op_db
       if op.name not in UNDEFINED and (CORE & {op.name, op.aten_name, op.aten_name.strip("_")} or op.name in OTHERS
                                        or op.name.removeprefix("nn.functional.") in FUNCTIONS)}
counts = {"right": 0, "with derivative": 0, "not exported": 0}
refused = {}


class Sample(torch.nn.Module):
    """An op whose tensors are inputs, and whose other arguments are constants."""

    def __init__(self, op, sample):
        super().__init__()
        self.op = op
        leaves, self.tree = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.inputs = tuple(leaves[i].detach() for i in self.places)
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for i, tensor in zip(self.places, tensors):
            leaves[i] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.tree)
        return self.op(*args, **kwargs)


def tensors_of(results):
    return [one for one in pytree.tree_leaves(results) if isinstance(one, torch.Tensor)]


def export(module):
    dims = tuple({axis: Dim.AUTO for axis in range(one.dim())} for one in module.inputs)
    for shapes in ((dims,), None):
        try:
            return torch.export.export(module, module.inputs, dynamic_shapes=shapes, strict=False)
        except Exception:  # of the exporter, which has its own
            pass
    return None


def compare(ours, theirs):
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs):
        torch.testing.assert_close(one, two.detach(), rtol=1e-4, atol=2e-5, equal_nan=True)


def derivative(call, inputs, weights):
    """By the floats of the inputs, of the results that have weights."""
    inputs = [one.clone().requires_grad_(one.is_floating_point()) for one in inputs]
    results = tensors_of(call(*inputs))
    return torch.autograd.grad([results[number] for number in weights], [one for one in inputs if one.requires_grad],
                               list(weights.values()), materialize_grads=True)


def check_derivative(module, program):
    """Whether there is one to compare."""
    try:
        results = tensors_of(module(*(one.clone().requires_grad_(one.is_floating_point()) for one in module.inputs)))
        weights = {number: torch.rand_like(one) for number, one in enumerate(results) if one.requires_grad}
        expected = derivative(module, module.inputs, weights) if weights else None
    except (RuntimeError, NotImplementedError):
        return False  # PyTorch has none
    if expected is None:
        return False
    try:
        ours = derivative(symshape.torch.as_function(program), module.inputs, weights)
    except symshape.InputError as error:
        if "without a state" in str(error):  # it changes an argument, as moving statistics
            return False
        raise
    compare(ours, expected)
    return True


def check(name, op, sample):
    module = Sample(op.op, sample)
    if any(one.layout != torch.strided for one in module.inputs):
        return "not exported"
    try:
        expected = tensors_of(module(*(one.clone() for one in module.inputs)))
    except Exception:
        return "not exported"  # a sample of what PyTorch refuses
    exported = export(module)
    if not expected or exported is None:
        return "not exported"
    try:
        program = symshape.from_torch(exported, name=name)
        called = program(*(one.clone() for one in module.inputs))  # which the op may change
        ours = [torch.as_tensor(one) for one in called]
    except symshape.Error as error:
        reason = next((why for text, why in REFUSED.items() if re.search(text, str(error))), None)
        if reason is None:
            raise
        refused.setdefault(reason, set()).add(name)
        return "refused"
    if name.split(".")[0] in ("topk", "sort", "msort", "argsort"):  # the order of equal elements is free
        expected, ours = ([one for one in each if one.dtype != torch.int64] for each in (expected, ours))
    compare(ours, expected)
    return "with derivative" if op.supports_autograd and check_derivative(module, program) else "right"


@pytest.mark.parametrize("name", sorted(OPS))
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=["f32", "i64"])
def test_samples(name, dtype):
    op = OPS[name]
    if dtype not in op.dtypes:
        return
    torch.manual_seed(0)
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    for sample in samples[::max(1, len(samples) // MOST)]:
        outcome = check(name, op, sample)
        counts[outcome] = counts.get(outcome, 0) + 1


def test_counts():
    """Of a whole run."""
    if sum(counts.values()) < len(OPS):
        pytest.skip("a part of the ops")
    print(counts, refused)
    assert len(OPS) >= 180 and counts["right"] + counts["with derivative"] >= 700
    assert counts["with derivative"] >= 250
    assert counts.get("refused", 0) <= (counts["right"] + counts["with derivative"]) / 20
