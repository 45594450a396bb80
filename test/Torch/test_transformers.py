# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of Hugging Face, of random weights, through symshape.from_torch."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import symshape
import torch
from torch.export import Dim

transformers = pytest.importorskip("transformers")

SIZES = [(1, 1), (1, 5), (2, 7), (3, 1), (4, 64), (8, 16), (5, 33), (64, 2)]  # PyTorch itself refuses an empty batch
COMMON = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
              max_position_embeddings=64)


class Bert(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = transformers.BertModel(transformers.BertConfig(**COMMON))

    def forward(self, ids, mask):
        return self.network(ids, attention_mask=mask).last_hidden_state


class Llama(torch.nn.Module):
    def __init__(self):
        super().__init__()
        config = transformers.LlamaConfig(num_key_value_heads=2, **COMMON)
        self.network = transformers.LlamaForCausalLM(config)

    def forward(self, ids, mask):
        return self.network(ids, attention_mask=mask, use_cache=False).logits


@pytest.fixture(scope="module", params=[Bert, Llama])
def compiled(request):
    torch.manual_seed(0)
    module = request.param().eval()
    dims = {0: Dim("B", max=64), 1: Dim("L", max=64)}
    example = torch.randint(0, 100, (2, 7)), torch.ones(2, 7, dtype=torch.int64)
    return module, symshape.from_torch(module, example, dynamic_shapes={"ids": dims, "mask": dims})


@pytest.mark.parametrize("batch, length", SIZES)
def test_beside_pytorch(compiled, batch, length):
    module, program = compiled
    ids, mask = torch.randint(0, 100, (batch, length)), torch.ones(batch, length, dtype=torch.int64)
    if length > 2:
        mask[:1, -2:] = 0
    with torch.no_grad():
        expected = module(ids, mask).numpy()
    (result,) = program(ids, mask)
    seen = mask.numpy().astype(bool)  # what is masked means nothing
    np.testing.assert_allclose(result[seen], expected[seen], rtol=1e-4, atol=1e-4)
    assert program.compilations == 1


def test_refused_with_the_names_of_the_user(compiled):
    _, program = compiled
    with pytest.raises(symshape.GuardError) as caught:
        program(torch.zeros(2, 65, dtype=torch.int64), torch.ones(2, 65, dtype=torch.int64))
    assert [(one.relation, one.values) for one in caught.value.failures] == [("L <= 64", {"L": 65})]


class ResNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = transformers.ResNetModel(transformers.ResNetConfig(
            embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"))

    def forward(self, image):
        return self.network(image).pooler_output


class Swin(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = transformers.SwinModel(transformers.SwinConfig(
            image_size=32, patch_size=4, embed_dim=16, depths=[2], num_heads=[2], window_size=4))

    def forward(self, image):
        return self.network(image).last_hidden_state


IMAGES = {
    ResNet: ({0: Dim("B"), 2: Dim("H"), 3: Dim("W")},
             [(1, 1, 1), (0, 32, 32), (1, 32, 32), (2, 33, 47), (1, 64, 40), (3, 31, 31), (1, 96, 65), (5, 32, 50)]),
    Swin: ({0: Dim("B")}, [(batch, 32, 32) for batch in (1, 2, 3, 4, 5, 8, 13, 16)])}


@pytest.mark.parametrize("kind", IMAGES)
def test_images(kind):
    torch.manual_seed(1)
    module = kind().eval()
    dims, sizes = IMAGES[kind]
    program = symshape.from_torch(module, (torch.randn(2, 3, 32, 32),), dynamic_shapes={"image": dims})
    for batch, height, width in sizes:
        image = torch.randn(batch, 3, height, width)
        with torch.no_grad():
            expected = module(image).numpy()
        (result,) = program(image)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    assert program.compilations == 1


class T5(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4))

    def forward(self, ids, start):
        return self.network(input_ids=ids, decoder_input_ids=start, use_cache=False).logits


def test_encoder_and_decoder():
    torch.manual_seed(2)
    module, batch = T5().eval(), Dim("B")
    program = symshape.from_torch(
        module, (torch.randint(0, 100, (2, 7)), torch.randint(0, 100, (2, 5))),
        dynamic_shapes={"ids": {0: batch, 1: Dim("L")}, "start": {0: batch, 1: Dim("T")}})
    for batch, length, steps in [(1, 1, 1), (1, 5, 2), (2, 7, 9), (3, 1, 64), (4, 64, 1), (5, 33, 12), (6, 4, 4), (8, 16, 3)]:
        arguments = torch.randint(0, 100, (batch, length)), torch.randint(0, 100, (batch, steps))
        with torch.no_grad():
            expected = module(*arguments).numpy()
        (result,) = program(*arguments)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    assert program.compilations == 1


def test_the_example(tmp_path):
    """What README shows."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import symshape, torch\n.*?)```", readme, re.S)
    assert len(example.splitlines()) == 12
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=True, cwd=tmp_path)
    shapes = re.findall(r"^\((\d+), (\d+)\) -> torch\.Size\(\[(\d+), (\d+), 64\]\) 1$", done.stdout, re.M)
    assert len(shapes) == 5 and all(one[:2] == one[2:] for one in shapes), done
    assert "(batch = 65) must be at most 64" in done.stdout and "(length = 129) must be at most 128" in done.stdout, done
    page = (tmp_path / "bert.html").read_text(encoding="utf-8")
    assert '"batch"' in page and page.lower().startswith("<!doctype html>")
