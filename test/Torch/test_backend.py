# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="symshape", dynamic=True) at twenty shapes. The oracle is PyTorch, run eagerly."""

import logging

import pytest
import torch
import torch.nn.functional as F

SHAPES = [(n, m) for n in (2, 3, 5, 8, 17) for m in (2, 4, 7, 33)]
WEIGHT = torch.randn(6, 6)


def branch(x):
    return x * 2 if x.shape[0] > 4 else x + 1


def changes(x):
    y = x.clone()
    y[:, 1:] += x[:, :-1]
    y.mul_(2)
    return y, x.shape[1]


def broken(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos() @ y.T


def attention(x):
    q = x[None, None]
    return F.scaled_dot_product_attention(q, q, q, is_causal=True)


FUNCTIONS = {
    "elementwise": lambda x: (x.sin() + x.shape[0]) * x.sigmoid(),
    "product": lambda x: F.softmax(x @ x.T, -1),
    "sums": lambda x: (x.sum(0), x.mean(1, keepdim=True), x.amax()),
    "reshape": lambda x: x.reshape(-1)[::2],
    "join": lambda x: torch.cat([x, x.flip(0), torch.ones_like(x)], 1).T.contiguous(),
    "norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "sizes": lambda x: torch.arange(x.shape[0] * 2) + x.numel(),
    "branch": branch, "changes": changes, "broken": broken, "attention": attention,
    "indices": lambda x: x[torch.arange(x.shape[0]).flip(0), 0] + F.pad(x, (1, 2)).sum(1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, caplog):
    torch.manual_seed(0)
    function, counts = FUNCTIONS[name], {}
    compared = 0
    for backend in ("eager", "symshape"):
        torch._dynamo.reset()
        counter = torch._dynamo.utils.counters
        counter.clear()
        compiled = torch.compile(function, backend=backend, dynamic=True)
        with torch.no_grad(), caplog.at_level(logging.WARNING, logger="symshape.torch"):
            for shape in SHAPES:
                x = torch.randn(*shape)
                results, expected = (torch.utils._pytree.tree_leaves(one(x.clone())) for one in (compiled, function))
                for result, want in zip(results, expected, strict=True):
                    torch.testing.assert_close(result, want, rtol=1e-4, atol=1e-5)
                    compared += backend == "symshape"
        counts[backend] = counter["stats"]["unique_graphs"]
    assert not [one for one in caplog.records if one.name == "symshape.torch"]
    assert counts["symshape"] == counts["eager"] and compared >= len(SHAPES)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.inner(x)).log_softmax(-1)


def test_a_network():
    module = Network().eval()
    compiled = torch.compile(module, backend="symshape", dynamic=True)
    with torch.no_grad():
        for batch, length in ((2, 5), (3, 7), (1, 1), (4, 33)):
            x = torch.randn(batch, length, 16)
            torch.testing.assert_close(compiled(x), module(x), rtol=1e-4, atol=1e-5)


class Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(40, 16, padding_idx=0), torch.nn.Embedding(64, 16)
        self.block = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = torch.nn.Linear(16, 40)

    def forward(self, x):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        y = self.words(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.block(y, src_mask=mask, is_causal=True))


class Images(torch.nn.Module):
    """Steps, borders, groups, both kinds of pools, and statistics of the batch and of groups."""

    def __init__(self):
        super().__init__()
        self.one, self.norm = torch.nn.Conv2d(3, 8, 5, 2, 2, bias=False), torch.nn.BatchNorm2d(8)
        self.two, self.groups = torch.nn.Conv2d(8, 8, 3, 1, 2, dilation=2, groups=2), torch.nn.GroupNorm(2, 8)
        self.up, self.head = torch.nn.ConvTranspose2d(8, 4, 2, 2), torch.nn.Linear(4, 5)

    def forward(self, x):
        y = F.max_pool2d(self.norm(self.one(x)).relu(), 3, 2, 1)
        y = F.avg_pool2d(F.silu(self.groups(self.two(y))) + y, 2, 2, 1)
        return self.head(self.up(y).mean((2, 3)))


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.head = torch.nn.LSTM(6, 8, batch_first=True), torch.nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])


TRAINED = {Language: lambda n: torch.randint(1, 40, (n, 2 * n)), Steps: lambda n: torch.randn(n, n + 1, 6),
           Images: lambda n: torch.randn(n, 3, 20 + 4 * n, 22)}


@pytest.mark.parametrize("network", TRAINED, ids=lambda one: one.__name__)
def test_training(network, caplog):
    """Losses, gradients and weights of steps of AdamW, each at another shape; nothing runs without symshape."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    modules = [network(), network()]
    modules[1].load_state_dict(modules[0].state_dict())
    calls = [modules[0], torch.compile(modules[1], backend="symshape", dynamic=True)]
    optimizers = [torch.optim.AdamW(module.parameters(), lr=1e-3) for module in modules]
    compared = 0
    with caplog.at_level(logging.WARNING, logger="symshape.torch"):
        for n in (2, 3, 5, 4):
            x = TRAINED[network](n)
            losses = []
            for call, optimizer in zip(calls, optimizers):
                optimizer.zero_grad()
                out = call(x)
                losses.append((out * torch.linspace(-1, 1, out.numel()).reshape(out.shape)).sin().sum())
                losses[-1].backward()
            torch.testing.assert_close(losses[1], losses[0], rtol=1e-4, atol=1e-4)
            for ours, theirs in zip(*(module.parameters() for module in reversed(modules)), strict=True):
                scale = 1 + theirs.grad.abs().max()
                torch.testing.assert_close(ours.grad / scale, theirs.grad / scale, rtol=1e-3, atol=1e-4)
                compared += 1
            for optimizer in optimizers:
                optimizer.step()
    assert not [one.getMessage() for one in caplog.records if one.name == "symshape.torch"] and compared >= 20


def test_what_has_no_form_runs_eagerly(caplog):
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: torch.fft.fft(x).abs() + 1, backend="symshape", dynamic=True)
    with torch.no_grad(), caplog.at_level(logging.WARNING, logger="symshape.torch"):
        x = torch.randn(4, 6)
        torch.testing.assert_close(compiled(x), torch.fft.fft(x).abs() + 1)
    assert any("runs without symshape" in one.getMessage() for one in caplog.records)
