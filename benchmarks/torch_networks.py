# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of PyTorch of three layers or so, with the sizes of calls from small to large.

Those of transformers have the configurations of their families, with fewer and narrower layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn

WORDS = 1000
TEXTS = [(1, 16), (2, 40), (4, 64), (1, 128), (8, 33)]  # batch and length
SPANS = [(1, 16), (2, 40), (4, 64), (1, 100), (8, 33)]
IMAGES = [(1, 64, 64), (2, 96, 64), (1, 128, 128), (4, 64, 96), (1, 160, 96)]  # batch, height and width
SQUARES = [(1,), (2,), (4,), (6,), (8,)]  # images whose size is fixed
FRAMES = [(1, 64), (2, 100), (1, 256), (4, 128), (1, 400)]


@dataclass
class Network:
    """A module, how a call of some sizes is made, and these."""

    make: Callable
    draw: Callable
    sizes: list
    trains: bool = True


def ids(*extents):
    return (torch.randint(1, WORDS, extents),)


def floats(*inner):
    return lambda *outer: (torch.randn(*outer, *inner),)


def image(batch, height, width):
    return (torch.randn(batch, 3, height, width),)


def square(batch):
    return (torch.randn(batch, 3, 64, 64),)


def frames(batch, count):
    return (torch.randn(batch, 40, count),)


#----------------------------------------------------------------------------#
# Written here
#----------------------------------------------------------------------------#


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.words, self.inner, self.head = nn.Embedding(WORDS, 64), kind(64, 128, batch_first=True), nn.Linear(128, 64)

    def forward(self, x):
        return self.head(self.inner(self.words(x))[0][:, -1])


class Decoder(nn.Module):
    def __init__(self, width=256, heads=8, layers=3):
        super().__init__()
        self.words, self.places, self.head = nn.Embedding(WORDS, width), nn.Embedding(512, width), nn.Linear(width, WORDS)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
            "second": nn.LayerNorm(width), "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)})
            for _ in range(layers))
        self.heads = heads

    def forward(self, x):
        batch, length = x.shape
        x = self.words(x) + self.places(torch.arange(length))
        for layer in self.layers:
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                       for part in layer["qkv"](layer["norm"](x)).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + layer["out"](y.transpose(1, 2).reshape(batch, length, -1))
            x = x + layer["down"](F.gelu(layer["up"](layer["second"](x))))
        return self.head(x)


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                                  nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.beside = nn.Conv2d(before, after, 1, stride) if stride > 1 or before != after else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.beside(x))


class Classifier(nn.Module):
    """Layers on images, and classes from the mean of what they make."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers, self.head = layers, nn.Linear(width, 100)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


def separable(before, after, stride):
    return nn.Sequential(nn.Conv2d(before, before, 3, stride, 1, groups=before, bias=False), nn.BatchNorm2d(before),
                         nn.Hardswish(), nn.Conv2d(before, after, 1, bias=False), nn.BatchNorm2d(after), nn.Hardswish())


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.inner = Residual(3, 32, 1), Residual(32, 64, 2)
        self.up, self.out = nn.ConvTranspose2d(64, 32, 2, 2), nn.Conv2d(64, 3, 3, padding=1)

    def forward(self, x):
        x = self.down(x)
        return self.out(torch.cat([x, self.up(self.inner(x))], 1))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.head = nn.Conv2d(3, 128, 8, 8), nn.Linear(128, 100)
        self.layers = nn.ModuleList(nn.ModuleList([nn.LayerNorm(128), nn.Linear(64, 128), nn.Linear(128, 64),
                                                   nn.LayerNorm(128), nn.Linear(128, 512), nn.Linear(512, 128)])
                                    for _ in range(3))

    def forward(self, x):
        x = self.patches(x).flatten(2).mT
        for first, a, b, second, c, d in self.layers:
            x = x + b(F.gelu(a(first(x).mT))).mT
            x = x + d(F.gelu(c(second(x))))
        return self.head(x.mean(1))


def perceptron():
    return nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.LayerNorm(512), nn.GELU(),
                         nn.Linear(512, 64))


def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 8, 1024, 0.0, batch_first=True, norm_first=True), 3,
                                 enable_nested_tensor=False)


def speech():
    return nn.Sequential(*(layer for i in range(4) for layer in (
        nn.Conv1d(40 if i == 0 else 128, 128, 5, padding=2 << i, dilation=1 << i), nn.GroupNorm(8, 128), nn.SiLU())))


def autoencoder():
    return nn.Sequential(nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1), nn.LeakyReLU(0.2),
                         nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())


#----------------------------------------------------------------------------#
# Of transformers
#----------------------------------------------------------------------------#


class First(nn.Module):
    """The first result of a module."""

    def __init__(self, inner, argument="input_ids", **fixed):
        super().__init__()
        self.inner, self.argument, self.fixed = inner, argument, fixed

    def forward(self, x):
        result = self.inner(**{self.argument: x}, **self.fixed)
        return result[0] if isinstance(result, tuple) else result.last_hidden_state


def of(family, argument="input_ids", part=None, **sizes):
    """Makes a network of transformers by the name of its family."""
    def make():
        import transformers
        config = getattr(transformers, family + "Config")(**sizes)
        model = getattr(transformers, part or family + "Model")(config)
        fixed = {"use_cache": False} if argument == "input_ids" and getattr(config, "use_cache", False) else {}
        return First(model, argument, **fixed)
    return make


TEXT = dict(vocab_size=WORDS, hidden_size=256, num_hidden_layers=3, num_attention_heads=8, intermediate_size=1024)
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
GATED = TEXT | dict(num_key_value_heads=2, intermediate_size=512, max_position_embeddings=512)
SEEN = dict(hidden_size=128, num_hidden_layers=3, num_attention_heads=4, intermediate_size=512, image_size=64, patch_size=8)

NETWORKS = {
    "perceptron": Network(perceptron, floats(256), [(1,), (4,), (16,), (64,), (200,)]),
    "encoder": Network(encoder, floats(256), SPANS),
    "decoder": Network(Decoder, ids, SPANS),
    "lstm": Network(lambda: Recurrent(nn.LSTM), ids, [(1, 16), (2, 16), (4, 16), (8, 16), (16, 16)]),
    "gru": Network(lambda: Recurrent(nn.GRU), ids, [(1, 16), (2, 16), (4, 16), (8, 16), (16, 16)]),
    "residual": Network(lambda: Classifier(nn.Sequential(Residual(3, 32, 2), Residual(32, 64, 2), Residual(64, 128, 2)),
                                           128), image, IMAGES),
    "separable": Network(lambda: Classifier(nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), separable(16, 32, 1),
                                                          separable(32, 64, 2), separable(64, 128, 2)), 128), image, IMAGES),
    "u-net": Network(Unet, image, IMAGES),
    "mixer": Network(Mixer, square, SQUARES),
    "speech": Network(speech, frames, FRAMES),
    "autoencoder": Network(autoencoder, image, IMAGES),
    "BERT": Network(of("Bert", **TEXT, **NO_DROPOUT), ids, TEXTS),
    "DistilBERT": Network(of("DistilBert", vocab_size=WORDS, dim=256, n_layers=3, n_heads=8, hidden_dim=1024, dropout=0.0,
                             attention_dropout=0.0), ids, TEXTS),
    "RoBERTa": Network(of("Roberta", **TEXT, **NO_DROPOUT), ids, TEXTS),
    "ELECTRA": Network(of("Electra", embedding_size=128, **TEXT, **NO_DROPOUT), ids, TEXTS),
    "ALBERT": Network(of("Albert", embedding_size=64, **TEXT, **NO_DROPOUT), ids, TEXTS),
    "MPNet": Network(of("MPNet", **TEXT, **NO_DROPOUT), ids, TEXTS),
    "GPT-2": Network(of("GPT2", vocab_size=WORDS, n_embd=256, n_layer=3, n_head=8, resid_pdrop=0.0, embd_pdrop=0.0,
                        attn_pdrop=0.0), ids, SPANS),
    "Llama": Network(of("Llama", **GATED), ids, SPANS),
    "Mistral": Network(of("Mistral", **GATED), ids, SPANS),
    "Qwen 2": Network(of("Qwen2", **GATED), ids, SPANS),
    "Gemma": Network(of("Gemma", head_dim=32, **GATED), ids, SPANS),
    "Phi": Network(of("Phi", **(TEXT | dict(resid_pdrop=0.0))), ids, SPANS),
    "GPT-NeoX": Network(of("GPTNeoX", **TEXT), ids, SPANS),
    "T5 encoder": Network(of("T5", part="T5EncoderModel", vocab_size=WORDS, d_model=256, d_ff=1024, num_layers=3, num_heads=8,
                             dropout_rate=0.0), ids, TEXTS),
    "ViT": Network(of("ViT", "pixel_values", **SEEN), square, SQUARES),
    "DeiT": Network(of("DeiT", "pixel_values", **SEEN), square, SQUARES),
    "DINOv2": Network(of("Dinov2", "pixel_values", **SEEN), square, SQUARES),
    "CLIP, images": Network(of("CLIPVision", "pixel_values", part="CLIPVisionModel", **SEEN), square, SQUARES),
    "ConvNeXt": Network(of("ConvNext", "pixel_values", depths=[1, 1, 2, 1], hidden_sizes=[32, 64, 128, 256]), image, IMAGES),
    "ResNet": Network(of("ResNet", "pixel_values", embedding_size=32, depths=[1, 1, 1, 1], hidden_sizes=[32, 64, 128, 256],
                         layer_type="basic"), image, IMAGES),
    "SegFormer": Network(of("Segformer", "pixel_values", depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 128],
                            hidden_dropout_prob=0.0, drop_path_rate=0.0), image, IMAGES),
}
