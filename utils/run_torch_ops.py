# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The samples that PyTorch tests its own ops with, exported with all extents open, beside eager.

    run_torch_ops.py [--samples=N] [--only=REGEX] [--json=FILE]

Of ops that are core ATen, or end up there; in float32. Prints an op for each kind of outcome but
`right`: `named` (refused with a reason, when it is compiled or called), `wrong`, and `not exported`,
which PyTorch refuses itself. Ends with 1 where anything is wrong. Needs torch, symshape and expecttest.
"""

import argparse
import collections
import itertools
import json
import logging
import re
import sys
import warnings

import symshape
import torch
from torch.export import Dim
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

RIGHT, NAMED, WRONG, NOT_EXPORTED = "right", "named", "wrong", "not exported"


def core_names():
    names = set()
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if hasattr(packet, "overloads") and any(torch.Tag.core in getattr(packet, one).tags for one in packet.overloads()):
            names.add(name)
    return names


class Call(torch.nn.Module):
    """An op as a function of the tensors among its arguments."""

    def __init__(self, op, arguments):
        super().__init__()
        self.op = op
        leaves, self.spec = _pytree.tree_flatten(arguments)
        self.places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        args, kwargs = _pytree.tree_unflatten(leaves, self.spec)
        return self.op(*args, **kwargs)


def differs(results, expected):
    """In words; None where they are the same but for rounding."""
    expected = [one for one in _pytree.tree_leaves(expected) if isinstance(one, torch.Tensor)]
    if len(results) != len(expected):
        return f"{len(results)} results, not {len(expected)}"
    for number, (result, want) in enumerate(zip(map(torch.as_tensor, results), expected)):
        try:
            torch.testing.assert_close(result, want, rtol=1e-3, atol=1e-4, equal_nan=True)
        except AssertionError as error:
            return f"result #{number}: {str(error).splitlines()[0]}"
    return None


def run(op, sample):
    arguments = ((sample.input, *sample.args), sample.kwargs)
    tensors = [leaf.detach() for leaf in _pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor)]
    module = Call(op.op, arguments)
    dims = tuple({axis: Dim.AUTO for axis in range(one.dim())} for one in tensors)
    with torch.no_grad():
        expected = module(*(one.clone() for one in tensors))
        try:
            exported = torch.export.export(module, tuple(tensors), dynamic_shapes=(dims,),
                                           prefer_deferred_runtime_asserts_over_guards=True)
        except Exception as error:  # any: PyTorch's own
            return NOT_EXPORTED, str(error).splitlines()[0] if str(error) else type(error).__name__
    try:
        results = symshape.from_torch(exported)(*(one.clone() for one in tensors))
    except symshape.Error as error:
        return NAMED, re.sub(r"^'[^']*': ", "", str(error))
    words = differs(results, expected)
    return (WRONG, words) if words else (RIGHT, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=3, help="the most of an op")
    parser.add_argument("--only", default="", help="ops whose names match")
    parser.add_argument("--json", help="a file for all outcomes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    core, outcomes = core_names(), []
    for op in op_db:
        name = op.aten_name or op.name
        if not {name, f"_{name}", op.name} & core or not re.search(options.only, op.name):
            continue
        if torch.float32 not in op.supported_dtypes("cpu"):
            continue
        torch.manual_seed(0)
        for sample in itertools.islice(op.sample_inputs("cpu", torch.float32), options.samples):
            try:
                kind, why = run(op, sample)
            except Exception as error:  # a bug of this package's, unless the sample is no call of it
                kind, why = WRONG, f"{type(error).__name__}: {error}"
            outcomes.append((op.name, op.variant_test_name, kind, why))
            if kind != RIGHT:
                print(f"{kind:12} {op.name} {op.variant_test_name}: {' | '.join(why.splitlines())[:300]}", flush=True)
    counts = collections.Counter(kind for _, _, kind, _ in outcomes)
    print(f"{len({one[:2] for one in outcomes})} ops, {len(outcomes)} samples: " + ", ".join(
        f"{counts[kind]} {kind}" for kind in (RIGHT, NAMED, WRONG, NOT_EXPORTED)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(outcomes, file, indent=1)
    sys.exit(counts[WRONG] > 0)


if __name__ == "__main__":
    main()
