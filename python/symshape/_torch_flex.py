# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`flex_attention` as the ops that it stands for, while a program is exported.

An exported program that holds it as an op cannot be written. Functions of scores and masks are
written for one element, and are called here with places that are broadcast: one trace for all.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from typing import Any, Callable


@dataclasses.dataclass
class _Mask:
    """A mask without the blocks that it fills: what `flex_attention` reads of a BlockMask."""

    mask_mod: Callable
    kv_num_blocks: Any
    BLOCK_SIZE: tuple[int, int]

    def as_tuple(self):
        return (self.mask_mod,)


def _places(*extents):
    """0, 1, ... along each axis, as tensors that are broadcast to all of them."""
    import torch
    return [torch.arange(extent).reshape([-1 if axis == own else 1 for axis in range(len(extents))])
            for own, extent in enumerate(extents)]


def _attend(query, key, value, score_mod, block_mask, scale, kernel_options, score_inputs=(), mask_inputs=()):
    """The result, and of each row the logarithm (to base 2) of the sum, and the greatest score."""
    import torch
    batch, heads, rows, _ = query.shape
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    key, value = (one.expand(batch, *one.shape[1:]).repeat_interleave(heads // one.shape[1], 1) for one in (key, value))
    scores = query.to(wide) @ key.to(wide).transpose(-2, -1) * scale
    at = _places(batch, heads, rows, key.shape[2])
    scores = score_mod(scores, *at, *score_inputs)
    scores = torch.where(block_mask[-1](*at, *mask_inputs), scores, -math.inf)
    sums, most = scores.logsumexp(-1) / math.log(2), scores.amax(-1) / math.log(2)
    return torch._safe_softmax(scores, -1).to(query.dtype) @ value, sums, most


@contextlib.contextmanager
def as_ops():
    """Within, calls of `flex_attention` are traced as ops; masks that are made within have no blocks."""
    import torch
    try:
        from torch.nn.attention import flex_attention as flex
        size = flex._LARGE_SPARSE_BLOCK_SIZE
    except (ImportError, AttributeError):  # another version
        yield
        return

    def everywhere(*places):
        return torch.ones((), dtype=torch.bool)

    def mask(mask_mod):
        return _Mask(mask_mod, torch.ones(1, 1, 1, dtype=torch.int32), (size, size))

    changed = {"flex_attention_hop": _attend,
               "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG": True,  # it is no function to compile
               "_create_empty_block_mask": lambda query, key: mask(everywhere),
               "create_mask": lambda *shape: None,
               "_convert_mask_to_block_mask": lambda *blocks, **sizes: (None, None),
               "_create_sparse_block_from_block_mask": lambda blocks, mask_mod, *sizes: mask(mask_mod)}
    before = {name: getattr(flex, name) for name in changed if hasattr(flex, name)}
    try:
        for name in before:
            setattr(flex, name, changed[name])
        yield
    finally:
        for name, value in before.items():
            setattr(flex, name, value)


__all__ = ["as_ops"]
