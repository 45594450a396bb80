# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of images whose batch, height and width are open: all extents known, and all checks at entry.

The oracle is the exported program's `module()`.
"""

import copy
import dataclasses
from collections.abc import Callable

import pytest
import symshape
import torch
from networks import attempt, copied, difference, perturb
from torch.export import Dim

hf = pytest.importorskip("transformers")

#: Both ends of the range of a height and of a width, the greatest batch, and a batch that is not empty, which
#: reshapes with -1 need; branches of a network's code on sizes come to that.
GUARDS = 6


class Pick(torch.nn.Module):
    """One of a network's results."""

    def __init__(self, network, result, **options):
        super().__init__()
        self.network, self.result, self.options = network, result, options

    def forward(self, pixels):
        return getattr(self.network(pixel_values=pixels, **self.options), self.result)


@dataclasses.dataclass
class Image:
    """A network, the least height and width that it is exported for, and heights and widths of the example and of calls."""

    make: Callable[[], torch.nn.Module]
    least: int
    example: tuple[int, int]
    taken: list[tuple[int, int, int]]
    refused: list[tuple[int, int, int]]
    branches: int = 0


VIT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8)


def vit():
    return Pick(hf.ViTModel(hf.ViTConfig(**VIT)), "last_hidden_state", interpolate_pos_encoding=True)


def dinov3():
    return Pick(hf.DINOv3ViTModel(hf.DINOv3ViTConfig(**VIT, num_register_tokens=2)), "last_hidden_state")


def segformer():
    return Pick(hf.SegformerForSemanticSegmentation(hf.SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 32], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16, num_labels=5)), "logits")


def depth_anything():
    backbone = hf.Dinov2Config(hidden_size=32, num_hidden_layers=4, num_attention_heads=4, mlp_ratio=2, image_size=28, patch_size=14,
                               out_features=["stage1", "stage2", "stage3", "stage4"], reshape_hidden_states=False, apply_layernorm=True)
    return Pick(hf.DepthAnythingForDepthEstimation(hf.DepthAnythingConfig(
        backbone_config=backbone, patch_size=14, reassemble_hidden_size=32, neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=8,
        head_hidden_size=8)), "predicted_depth")


IMAGES = {
    "ViT": Image(vit, 16, (48, 40), [(1, 16, 16), (2, 56, 88), (3, 17, 31), (1, 264, 160), (5, 33, 47), (1, 512, 16)],
                 [(0, 48, 40), (1, 8, 16), (1, 32, 33), (65, 16, 24), (1, 2049, 16)], branches=1),  # its own number of patches
    "DINOv3": Image(dinov3, 16, (48, 40), [(1, 16, 16), (2, 56, 88), (3, 17, 31), (1, 264, 160), (5, 33, 47), (2, 32, 32)],
                    [(0, 48, 40), (1, 8, 16), (65, 16, 24), (1, 2049, 16)]),
    "SegFormer": Image(segformer, 64, (160, 96), [(1, 64, 64), (2, 224, 96), (3, 65, 127), (1, 96, 512), (2, 101, 79), (1, 160, 97)],
                       [(0, 160, 96), (1, 63, 64), (65, 64, 64), (1, 64, 2049)]),
    "Depth Anything": Image(depth_anything, 42, (84, 70), [(1, 42, 42), (2, 98, 154), (3, 43, 57), (1, 280, 141), (5, 57, 69), (2, 56, 44)],
                            [(0, 84, 70), (1, 41, 42), (65, 42, 42), (1, 2049, 42)], branches=1),
}


def check_facts(program, guards):
    """All extents are known, sizes decide at entry, and there is a handful of guards."""
    report = program.report().json["functions"][-1]
    assert report["unknown"] == [], "extents without a value"
    of_sizes = [check["condition"] for check in report["checks"] if not check["condition"].startswith("element of")]
    assert of_sizes == [], "checks in the body that no data decides"
    assert len(report["guards"]) <= guards, "\n".join(guard["condition"] for guard in report["guards"])


def compare(oracle, program, taken, refused):
    """Calls of both at each size: the same results, or a refusal by both."""
    wrong = []
    for size in taken + refused:
        pixels = (torch.randn(size[0], 3, *size[1:]),)
        (expected, error), (results, ours) = attempt(oracle, copied(pixels)), attempt(program, copied(pixels))
        if size in refused:
            if error is None or not isinstance(ours, symshape.Error):
                wrong.append(f"at {size}: {'refused by' if error else 'taken by'} PyTorch, but {ours}")
        elif error is not None or ours is not None:
            wrong.append(f"at {size}: {error or ours}")
        elif said := difference(results, expected, 1e-4):
            wrong.append(f"at {size}: {said}")
    assert not wrong, "\n".join(wrong)


@pytest.fixture(autouse=True)
def no_size_becomes_a_number(monkeypatch):
    """Depth Anything resizes to `int(height)`, by which `torch.export` takes the size of the example for the only one."""
    monkeypatch.setattr("transformers.models.depth_anything.modeling_depth_anything.int", torch.sym_int, raising=False)


@pytest.mark.parametrize("name", IMAGES)
def test_open_sizes(name):
    torch.manual_seed(0)
    image = IMAGES[name]
    module = perturb(image.make())
    axes = {0: Dim("batch", max=64)} | {axis: Dim(one, min=image.least, max=2048) for axis, one in {2: "height", 3: "width"}.items()}
    arguments = ((torch.randn(2, 3, *image.example),), {"pixels": axes})
    oracle = torch.export.export(copy.deepcopy(module), arguments[0], dynamic_shapes=arguments[1],
                                 prefer_deferred_runtime_asserts_over_guards=True).module()
    program = symshape.from_torch(module, *arguments, compile="sync")
    check_facts(program, GUARDS + image.branches)
    compare(oracle, program, image.taken, image.refused)
    assert program.compilations <= 1  # none where the cache has it


def test_swin_of_whole_windows(tmp_path):
    """Of other sizes, and with the window moved in a third layer, torch.export ends after minutes or not at all."""
    torch.manual_seed(0)
    network = hf.SwinModel(hf.SwinConfig(image_size=32, patch_size=4, embed_dim=8, depths=[2], num_heads=[2], window_size=2))
    axes = {0: Dim("batch", max=64), 2: 8 * Dim("height", min=2, max=64), 3: 8 * Dim("width", min=2, max=64)}
    exported = torch.export.export(perturb(Pick(network, "last_hidden_state")), (torch.randn(2, 3, 48, 40),),
                                   dynamic_shapes={"pixels": axes}, prefer_deferred_runtime_asserts_over_guards=True)
    torch.export.save(exported, tmp_path / "swin.pt2")
    program = symshape.load(tmp_path / "swin.pt2", compile="sync")
    check_facts(program, GUARDS + 4)  # two that 8 divides, and two of the export: neither batch nor height is one
    compare(exported.module(), program, [(2, 16, 24), (2, 56, 88), (3, 24, 32), (2, 80, 48), (4, 16, 512), (64, 16, 24)],
            [(1, 80, 136), (0, 48, 40), (2, 8, 16), (2, 17, 33), (65, 16, 24), (2, 520, 16)])
