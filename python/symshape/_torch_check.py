# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program beside the module that it was made of, at the example."""

from __future__ import annotations

from ._errors import CompileError
from ._torch_export import as_module, unchanged

#: How far a result may be off, by the largest one: kernels sum in different orders.
CLOSE = {"torch.float64": 1e-4, "torch.float32": 1e-2, "torch.float16": 1e-1, "torch.bfloat16": 2e-1}
#: Of integers and truths, which may differ where two numbers are all but equal.
MOST = 0.05


def _is_random(exported):
    import torch
    return any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in exported.graph.nodes)


def _copies(tree):
    import torch
    from torch.utils import _pytree
    return _pytree.tree_map(lambda leaf: leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf, tree)


def _differs(result, want):
    """In words how far a result is off; None if it is the same but for rounding."""
    import torch
    if result.shape != want.shape or result.dtype != want.dtype:
        return f"{tuple(result.shape)} {result.dtype} in place of {tuple(want.shape)} {want.dtype}"
    if not want.numel():
        return None
    close = CLOSE.get(str(want.dtype))
    if close is None:
        off = (result != want).double().mean().item()
        return f"{off:.0%} of its elements are others" if off > MOST and want.numel() > 1 else None
    result, want = result.double(), want.double()
    are_finite = torch.isfinite(want)
    if not torch.equal(are_finite, torch.isfinite(result)):
        return "other elements are finite"
    worst = torch.where(are_finite, result - want, 0.0).abs().max().item()
    largest = torch.where(are_finite, want, 0.0).abs().max().item()
    return f"it is {worst:.3g} off, and its largest element is {largest:.3g}" if worst > close * (largest + 1e-3) else None


def compare_at_example(program, function, args, kwargs) -> None:
    """Raises CompileError where the program's results at the example are not those of the module."""
    import torch
    from torch.utils import _pytree
    if _is_random(program._exported):
        return
    module, state = as_module(function), dict(program.state)
    with unchanged(module), torch.no_grad():
        given, named = _copies((args, kwargs))
        try:
            expected = _pytree.tree_leaves(module(*given, **named))
        except Exception:  # data that the module refuses: the export looks at sizes alone
            return
    expected = [one for one in expected if isinstance(one, torch.Tensor)]
    given, named = _copies((args, kwargs))
    weights = dict(module.named_parameters())
    others = {one: weights[one] for one in program.parameters}
    results = [torch.as_tensor(one) for one in program._run_with(given, named, others)]
    program.state.update(state)
    if len(results) != len(expected):
        return  # numbers among the results, which are tensors of the program
    for number, (result, want) in enumerate(zip(results, expected)):
        if words := _differs(result, want):
            name = program._get_source("compare").name
            raise CompileError(f"{name}: expected result #{number} at the example to be what the module "
                               f"computes, but {words}: please report it; exporter=\"onnx\" is another way, and "
                               "check=False leaves this out")


__all__ = ["compare_at_example"]
