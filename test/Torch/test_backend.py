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


def growing(x):
    parts = [x]
    for _ in range(3):
        parts.append(torch.cat([parts[-1], x]))
    return parts[-1].mean(0), len(parts)


def windows(x):
    y = F.pad(x[None], (1, 1), mode="replicate")
    return y.unfold(2, 3, 1).amax(-1), F.conv1d(y.transpose(0, 1), torch.ones(1, 1, 3))


def masked(x):
    mask = x > 0
    return torch.where(mask, x.sqrt(), -x), x.masked_fill(mask, 0.5), mask.sum(1)


def recursive(x):
    total = torch.zeros_like(x[0])
    for row in x.unbind(0)[:2]:
        total = total * 0.5 + row
    return total


def written(x):
    out = torch.zeros(x.shape[0] + 1, x.shape[1])
    out[1:] = x
    out[0] = x.sum(0)
    out[:, 0].add_(1)
    return out


def scattered(x):
    places = torch.arange(x.shape[0]) % 2
    return torch.zeros(2, x.shape[1]).index_add(0, places, x), x.index_fill(1, torch.tensor([0]), 2.0)


def grouped(x):
    return {"low": x.quantile(0.25, dim=1), "all": [x.median(1).values, x.std(0, unbiased=False)]}


def integers(x):
    n = (x * 4).long()
    return n // 3, n % 3, n.bitwise_and(5), n.clamp(-2, 2), n.bitwise_xor(3) + x.shape[0]


def halves(x):
    y = x.bfloat16()
    return (y + 1).float(), (y @ y.T).float() / 64, y.sum(0).float() / 8


def sorted_rows(x):
    values, places = x.sort(dim=1, descending=True, stable=True)
    return values, places, x.topk(2, 1).values, x.argmax(1), x.cumsum(0), x.cummax(1).values


def relative(x):
    places = torch.arange(x.shape[1])
    near = (places[:, None] - places[None]).abs().clamp(max=2)
    return WEIGHT[0][near] + x.mean(), torch.triu(x @ x.T, 1)


def rotated(x):
    angles = torch.outer(torch.arange(x.shape[0]).float(), 1 / (1 + torch.arange(x.shape[1]).float()))
    return x * angles.cos() + x.flip(1) * angles.sin()


FUNCTIONS = {
    "elementwise": lambda x: (x.sin() + x.shape[0]) * x.sigmoid(),
    "product": lambda x: F.softmax(x @ x.T, -1),
    "sums": lambda x: (x.sum(0), x.mean(1, keepdim=True), x.amax()),
    "reshape": lambda x: x.reshape(-1)[::2],
    "join": lambda x: torch.cat([x, x.flip(0), torch.ones_like(x)], 1).T.contiguous(),
    "norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "sizes": lambda x: torch.arange(x.shape[0] * 2) + x.numel(),
    "branch": branch, "changes": changes, "broken": broken, "attention": attention, "growing": growing,
    "windows": windows, "masked": masked, "recursive": recursive, "written": written, "scattered": scattered,
    "grouped": grouped, "integers": integers, "halves": halves, "sorted_rows": sorted_rows, "relative": relative,
    "rotated": rotated,
    "indices": lambda x: x[torch.arange(x.shape[0]).flip(0), 0] + F.pad(x, (1, 2)).sum(1),
    "view": lambda x: x.view(1, -1, x.shape[1]).expand(3, -1, -1).sum(0),
    "transposed": lambda x: x.T.reshape(x.shape[0], -1) + 1,
    "flatten": lambda x: torch.stack([x, x], 2).flatten(1).sum(1),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x * 2),
    "batched": lambda x: torch.bmm(x[None].expand(2, -1, -1), x.T[None].expand(2, -1, -1)),
    "linear": lambda x: F.linear(F.pad(x, (0, 6))[:, :6], WEIGHT).relu(),
    "activations": lambda x: F.gelu(x) + F.silu(x) + F.mish(x) + F.hardswish(x) + F.elu(x) + F.softplus(x),
    "tanh": lambda x: F.gelu(x, approximate="tanh") + F.leaky_relu(x, 0.1) + F.selu(x) + F.hardtanh(x),
    "powers": lambda x: x.abs().pow(1.5) + x.pow(2) + 2**x + x.abs().rsqrt().clamp(max=5),
    "logs": lambda x: (x.abs() + 1).log() + x.abs().log1p() + x.expm1() + x.logsumexp(1, keepdim=True),
    "rounding": lambda x: x.round() + x.floor() + x.ceil() + x.trunc() + x.frac() + x.sign(),
    "comparisons": lambda x: ((x > 0) & (x < 1), (x == x.T.T).all(), (x > 9).any(1)),
    "minimum": lambda x: torch.maximum(x, -x) + torch.minimum(x, x.mean()) + x.clamp(-0.5, 0.5),
    "variance": lambda x: (x.var(0, unbiased=False), x.std(1, keepdim=True, correction=0), x.norm(dim=1)),
    "products": lambda x: (x.prod(1), x.cumsum(1), x.cumprod(0)),
    "places": lambda x: (x.argmin(0), x.max(1).indices, torch.nonzero(torch.ones(3))),
    "losses": lambda x: (F.mse_loss(x, x * 0), F.smooth_l1_loss(x, x * 0), F.huber_loss(x, x + 1), F.l1_loss(x, -x)),
    "entropy": lambda x: F.cross_entropy(x, torch.zeros(x.shape[0], dtype=torch.int64)),
    "cosine": lambda x: F.cosine_similarity(x, x.flip(0)) + F.normalize(x, dim=1).sum(1),
    "distance": lambda x: torch.cdist(x, x + 1) + F.pairwise_distance(x, x * 2)[:, None],
    "chunks": lambda x: torch.cat([part * number for number, part in enumerate(x.chunk(2, 1))], 1),
    "splits": lambda x: torch.cat(x.split([1, x.shape[1] - 1], 1)[::-1], 1),
    "roll": lambda x: x.roll(1, 0) + x.roll((1, 1), (0, 1)) + x.rot90().T.flip(0),
    "repeat": lambda x: x.repeat(2, 1) + x.tile(2, 1) + x.repeat_interleave(2, 0),
    "gather": lambda x: x.gather(1, torch.zeros(x.shape[0], 2, dtype=torch.int64)) + x.take_along_dim(x.argsort(1), 1)[:, :2],
    "select": lambda x: x[-1] + x.select(0, 0) + x.narrow(0, 0, 1)[0] + x[..., -1:].T[0].mean(),
    "steps": lambda x: x[::2, 1::2].sum() + x[:, : x.shape[1] // 2].sum() + x[x.shape[0] // 2:].sum(),
    "diagonal": lambda x: (torch.diag(x[0]), x[:2, :2].diagonal(), x.tril().sum(), torch.eye(x.shape[0])),
    "grid": lambda x: torch.meshgrid(x[0], x[:, 0], indexing="ij")[0] + torch.linspace(0, 1, x.shape[0]),
    "outer": lambda x: torch.outer(x[0], x[0]) + x[0][:, None] / (1 + x[0][None].abs()),
    "constants": lambda x: torch.full_like(x, 3) + x.new_zeros(x.shape) + torch.ones(x.shape[1]),
    "pooled": lambda x: F.avg_pool1d(x[None], 2) + F.max_pool1d(x[None], 2) + F.adaptive_avg_pool1d(x[None], 1),
    "resized": lambda x: F.interpolate(x[None, None], scale_factor=2.0, mode="nearest").sum((0, 1)),
    "normalised": lambda x: F.group_norm(x[None], 1) + F.rms_norm(x, x.shape[1:])[None],
    "embedded": lambda x: F.embedding((x > 0).long().sum(1) % 6, WEIGHT) + F.one_hot((x[:, 0] > 0).long(), 6),
    "types": lambda x: (x.double() + 1).float() + x.int() + (x > 0).float() + x.to(torch.float64).sum().float(),
    "sizes_of_sizes": lambda x: x.sum() * (x.shape[0] // 2 + x.shape[1] % 3) + max(x.shape[0], x.shape[1]),
    "sizes_without_a_form": lambda x: x.new_ones(torch.sym_sum([x.shape[0], 1, x.shape[1]])) * abs(x.shape[0] - x.shape[1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, caplog):
    torch.manual_seed(0)
    function, counts = FUNCTIONS[name], {}
    compared = 0
    for backend in ("aot_eager", "symshape"):
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
    assert counts["symshape"] <= counts["aot_eager"] and compared >= len(SHAPES)


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


class Norms(torch.nn.Module):
    """Statistics that backward reads, in the type of the network."""

    def __init__(self, dtype=torch.float64):
        super().__init__()
        self.one, self.two = torch.nn.LayerNorm(6, dtype=dtype), torch.nn.GroupNorm(2, 6, dtype=dtype)
        self.inner = torch.nn.Linear(6, 6, dtype=dtype)

    def forward(self, x):
        return self.two(self.inner(self.one(x)).mT).tanh()


TRAINED = {Norms: lambda n: torch.randn(n, n + 1, 6, dtype=torch.float64), Language: lambda n: torch.randint(1, 40, (n, 2 * n)), Steps: lambda n: torch.randn(n, n + 1, 6),
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


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("mask", [None, "queries", "padding", "both"])
def test_layers_in_one_op(norm_first, activation, mask, caplog):
    """In inference, PyTorch computes a layer of an encoder by one op."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, activation=activation, norm_first=norm_first, batch_first=True)
    compiled = torch.compile(layer.eval(), backend="symshape", dynamic=True)
    with torch.no_grad(), caplog.at_level(logging.WARNING, "symshape.torch"):
        for batch, length in ((2, 5), (3, 9), (4, 33)):
            x, given = torch.randn(batch, length, 16), {}
            if mask in ("queries", "both"):
                given["src_mask"] = torch.ones(length, length, dtype=torch.bool).triu(1)
            if mask in ("padding", "both"):
                given["src_key_padding_mask"] = torch.arange(length).expand(batch, length) >= length - 1
            torch.testing.assert_close(compiled(x, **given), layer(x, **given), rtol=1e-4, atol=1e-5)
    assert not caplog.records


def test_what_has_no_form_runs_eagerly(caplog):
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: torch.fft.fft(x).abs() + 1, backend="symshape", dynamic=True)
    with torch.no_grad(), caplog.at_level(logging.WARNING, logger="symshape.torch"):
        x = torch.randn(4, 6)
        torch.testing.assert_close(compiled(x), torch.fft.fft(x).abs() + 1)
    assert any("runs without symshape" in one.getMessage() for one in caplog.records)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.int64, torch.bool])
def test_sizes_alone(dtype, caplog):
    """Functions of sizes, none of whose inputs is a tensor."""
    def function(n):
        return torch.ones(n, 2, dtype=dtype) + torch.arange(2 * n).view(n, 2).to(dtype), n + 1

    torch._dynamo.reset()
    compiled = torch.compile(function, backend="symshape", dynamic=True)
    with torch.no_grad(), caplog.at_level(logging.WARNING, logger="symshape.torch"):
        for n in (3, 5, 8, 2):
            (result, one_more), (expected, _) = compiled(n), function(n)
            assert type(result) is torch.Tensor and one_more == n + 1
            torch.testing.assert_close(result, expected)
    assert not [one for one in caplog.records if one.name == "symshape.torch"]


def test_views_of_inputs_are_not_copied(caplog):
    """Results that are inputs seen otherwise share their memory; inputs in any order of memory are taken as they are."""
    from symshape._torch_backend import compile_graph
    from torch.fx.experimental.proxy_tensor import make_fx

    def graph(x, w):
        return x @ w.t(), w.t(), x, w.unsqueeze(0).transpose(1, 2), w.t() + 1

    def arguments(rows, columns):
        return [torch.randn(columns, rows).t(), torch.randn(5, columns)]

    example = arguments(3, 4)
    with caplog.at_level(logging.WARNING, logger="symshape.torch"):
        run = compile_graph(make_fx(graph, tracing_mode="symbolic")(*example), example)
        for rows, columns in ((3, 4), (7, 2), (2, 9)):
            for x, w in (arguments(rows, columns), [one.contiguous() for one in arguments(rows, columns)]):
                results, expected = run([x, w]), graph(x, w)
                torch.testing.assert_close(results, list(expected))
                memory = [one.untyped_storage().data_ptr() for one in results]
                assert memory[1:4] == [one.untyped_storage().data_ptr() for one in (w, x, w)]
                assert len({memory[0], memory[1], memory[2], memory[4]}) == 4
    assert not [one for one in caplog.records if one.name == "symshape.torch"]


def test_graphs_of_views_alone(caplog):
    from symshape._torch_backend import compile_graph
    from torch.fx.experimental.proxy_tensor import make_fx
    x = torch.randn(3, 4)
    with caplog.at_level(logging.WARNING, logger="symshape.torch"):
        run = compile_graph(make_fx(lambda x: (x.t(), None), tracing_mode="symbolic")(x), [x])
    transposed, nothing = run([x])
    assert transposed.data_ptr() == x.data_ptr() and transposed.shape == (4, 3) and nothing is None
    assert not [one for one in caplog.records if one.name == "symshape.torch"]
