# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch through symshape.from_torch. The oracle is PyTorch."""

import gc
import weakref

import numpy as np
import pytest
import symshape
import symshape.torch
import torch
from torch.export import Dim

SIZES = [(1, 1), (1, 5), (2, 3), (3, 1), (4, 16), (7, 9), (5, 2), (8, 33), (0, 5)]


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def compare(program, module, *inputs, tolerance=1e-4):
    with torch.no_grad():
        expected = module.eval()(*inputs)
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    results = program(*inputs)
    assert len(results) == len(expected)
    for result, want in zip(results, expected):
        assert result.shape == tuple(want.shape)
        np.testing.assert_allclose(result, want.numpy(), rtol=tolerance, atol=tolerance)


class TwoInputs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 40)

    def forward(self, x, y):
        return torch.relu(self.linear(x)) + y, x.shape[0] * y


def test_names_ranges_and_shared_weights():
    module = TwoInputs()
    batch = Dim("Batch", min=1, max=64)
    program = symshape.from_torch(module, (torch.randn(3, 8), torch.randn(3, 1)),
                                  dynamic_shapes={"x": {0: batch}, "y": {0: batch}})
    assert [str(one) for one in program.inputs] == ["x: [Batch, 8] f32", "y: [Batch, 1] f32"]
    assert [one.name for one in program.symbols] == ["Batch"]
    assert program.prove("Batch <= 64") and program.prove("Batch >= 1")
    assert {one.weight for one in program.arguments} >= {"linear.weight"}
    for rows in (1, 2, 64):
        compare(program, module, torch.randn(rows, 8), torch.randn(rows, 1))
    with pytest.raises(symshape.GuardError) as caught:
        program(torch.randn(65, 8), torch.randn(65, 1))
    assert caught.value.failures[0].values == {"Batch": 65}
    with pytest.raises(symshape.GuardError, match="Batch"):
        program(torch.randn(2, 8), torch.randn(3, 1))


class Derived(torch.nn.Module):
    def forward(self, x, y):
        return x[1:] + y


def test_derived_dims():
    length = Dim("length", min=2, max=100)
    program = symshape.from_torch(Derived(), (torch.randn(7), torch.randn(6)),
                                  dynamic_shapes={"x": {0: length}, "y": {0: length - 1}})
    for size in (2, 3, 100):
        compare(program, Derived(), torch.randn(size), torch.randn(size - 1))
    with pytest.raises(symshape.GuardError):
        program(torch.randn(5), torch.randn(5))
    with pytest.raises(symshape.GuardError):
        program(torch.randn(101), torch.randn(100))


@pytest.fixture(scope="module")
def encoder():
    torch.manual_seed(1)
    module = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    shapes = {"src": {0: Dim("B"), 1: Dim("L")}}
    return module, symshape.from_torch(module, (torch.randn(2, 6, 32),), dynamic_shapes=shapes)


@pytest.mark.parametrize("batch, length", SIZES)
def test_transformer_encoder_layer(encoder, batch, length):
    module, program = encoder
    compare(program, module, torch.randn(batch, length, 32))
    assert program.compilations == 1


class Convolutions(torch.nn.Module):
    """With a residual, as ResNet has them."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.inner = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, image):
        x = torch.relu(self.norm(self.stem(image)))
        x = torch.nn.functional.max_pool2d(x, 2, ceil_mode=True)
        x = torch.relu(self.inner(x) + x)
        return self.head(x.mean((2, 3)))


@pytest.fixture(scope="module")
def convolutions():
    torch.manual_seed(2)
    module = Convolutions()
    module.norm.running_mean.uniform_(-1, 1)
    module.norm.running_var.uniform_(0.5, 2)
    shapes = {"image": {0: Dim("B"), 2: Dim("H", min=4), 3: Dim("W", min=4)}}
    return module, symshape.from_torch(module, (torch.randn(2, 3, 18, 22),), dynamic_shapes=shapes)


@pytest.mark.parametrize("size", [(1, 4, 4), (1, 5, 9), (2, 7, 7), (3, 16, 12), (1, 33, 21), (2, 64, 48),
                                  (5, 6, 31), (4, 17, 17), (0, 8, 9)])
def test_convolutions(convolutions, size):
    module, program = convolutions
    compare(program, module, torch.randn(size[0], 3, *size[1:]))


class Decoder(torch.nn.Module):
    """One step of attention over a cache that grows."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(16, 16) for _ in range(3))

    def forward(self, x, keys, values):
        keys = torch.cat([keys, self.k(x)], 1)
        values = torch.cat([values, self.v(x)], 1)
        scores = self.q(x) @ keys.transpose(1, 2) / 4
        return torch.softmax(scores, -1) @ values, keys, values


@pytest.fixture(scope="module")
def decoder():
    torch.manual_seed(3)
    module = Decoder()
    batch, past = Dim("B"), Dim("past", min=0)
    shapes = {"x": {0: batch}, "keys": {0: batch, 1: past}, "values": {0: batch, 1: past}}
    example = (torch.randn(2, 1, 16), torch.randn(2, 5, 16), torch.randn(2, 5, 16))
    return module, symshape.from_torch(module, example, dynamic_shapes=shapes)


@pytest.mark.parametrize("batch, past", [(1, 0), (1, 1), (2, 0), (3, 7), (1, 64), (4, 2), (2, 31), (5, 5), (0, 3)])
def test_decoder_with_a_cache(decoder, batch, past):
    module, program = decoder
    compare(program, module, torch.randn(batch, 1, 16), torch.randn(batch, past, 16), torch.randn(batch, past, 16))


class UNet(torch.nn.Module):
    """With GroupNorm, whose groups are what -1 leaves of a reshape, and images of any size."""

    def __init__(self):
        super().__init__()
        def block(n, m):
            return torch.nn.Sequential(torch.nn.Conv2d(n, m, 3, padding=1), torch.nn.GroupNorm(4, m), torch.nn.SiLU())
        self.outer, self.inner, self.last = block(3, 8), block(8, 16), block(16, 8)
        self.up = torch.nn.ConvTranspose2d(16, 8, 2, 2)

    def forward(self, image):
        outer = self.outer(image)
        inner = self.up(self.inner(torch.nn.functional.max_pool2d(outer, 2)))
        inner = torch.nn.functional.interpolate(inner, outer.shape[2:], mode="bilinear")
        return self.last(torch.cat([inner, outer], 1))


@pytest.fixture(scope="module")
def unet():
    torch.manual_seed(4)
    module = UNet()
    shapes = {"image": {0: Dim("B"), 2: Dim("H", min=2), 3: Dim("W", min=2)}}
    return module, symshape.from_torch(module, (torch.randn(2, 3, 10, 12),), dynamic_shapes=shapes)


@pytest.mark.parametrize("size", [(1, 2, 2), (0, 4, 4), (2, 5, 7), (1, 32, 31), (3, 13, 64), (1, 65, 33), (2, 4, 100),
                                  (4, 16, 16)])
def test_unet(unet, size):
    module, program = unet
    compare(program, module, torch.randn(size[0], 3, *size[1:]))


class Attention(torch.nn.Module):
    """Grouped, with a mask, in a layout that PyTorch's own result can be viewed in."""

    def forward(self, q, kv):
        mask = torch.arange(q.shape[1])[:, None] >= torch.arange(kv.shape[1]) - 3
        q, k = (x.unflatten(-1, (-1, 4)).transpose(1, 2) for x in (q, kv))
        k = k.repeat_interleave(2, 1)
        result = torch.nn.functional.scaled_dot_product_attention(q, k, k, attn_mask=mask)
        return result.transpose(1, 2).flatten(2)


@pytest.fixture(scope="module")
def attention():
    batch = Dim("B")
    shapes = {"q": {0: batch, 1: Dim("L")}, "kv": {0: batch, 1: Dim("S", min=1)}}
    module = Attention()
    return module, symshape.from_torch(module, (torch.randn(2, 3, 16), torch.randn(2, 5, 8)), dynamic_shapes=shapes)


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 3, 5), (0, 3, 2), (1, 0, 4), (3, 1, 33), (1, 64, 2), (5, 17, 17), (2, 2, 70)])
def test_attention(attention, size):
    module, program = attention
    batch, length, past = size
    compare(program, module, torch.randn(batch, length, 16), torch.randn(batch, past, 8))


def test_training_inside_of_pytorch():
    module = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.ReLU(), torch.nn.Linear(24, 12))
    program = symshape.from_torch(module, (torch.randn(4, 12),), dynamic_shapes=({0: Dim("B")},),
                                  parameters="inputs")
    names = program.parameters
    assert set(names) == {name for name, _ in module.named_parameters()} and len(program.inputs) == 1 + len(names)
    weights = dict(module.named_parameters())
    call = symshape.torch.as_function(program)
    x, wanted = torch.randn(9, 12), torch.randn(9, 12)
    losses = []
    optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
    for _ in range(30):
        loss = (call(x, *(weights[name] for name in names)) - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        ours = {name: weights[name].grad.clone() for name in names}
        optimizer.zero_grad()
        (module(x) - wanted).square().mean().backward()
        for name in names:
            torch.testing.assert_close(ours[name], weights[name].grad, rtol=1e-4, atol=1e-5)
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0], losses


CUBES = """func.func @main(%x: tensor<?xf64>, %w: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %a = arith.mulf %x, %w : tensor<?xf64>
  %b = arith.mulf %a, %x : tensor<?xf64>
  return %b, %a : tensor<?xf64>, tensor<?xf64>
}"""


def test_results_are_freed_without_the_collector():
    call = symshape.torch.as_function(symshape.loads(CUBES))
    x, w = torch.randn(5, dtype=torch.float64, requires_grad=True), torch.randn(5, dtype=torch.float64)
    gc.collect()
    gc.disable()
    try:
        kept = []
        for backwards in (False, True, False):
            results = call(x, w)
            kept += [weakref.ref(one) for one in results]
            if backwards:
                results[0].sum().backward()
            del results
        assert len(kept) == 6 and not any(one() is not None for one in kept)
    finally:
        gc.enable()


@pytest.mark.parametrize("n", [0, 1, 4])
def test_second_derivatives_inside_of_pytorch(n):
    call = symshape.torch.as_function(symshape.loads(CUBES))
    x, w = torch.randn(2, n, dtype=torch.float64).unbind()
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    (by_x,) = torch.autograd.grad(call(x, w)[0].sum(), x, create_graph=True)
    torch.testing.assert_close(by_x, 2 * x * w)
    both = torch.autograd.grad((by_x * by_x).sum(), (x, w))
    torch.testing.assert_close(both, (8 * x * w * w, 8 * x * x * w))
    if n:
        assert torch.autograd.gradgradcheck(call, (x, w))


def test_dlpack_shares_memory():
    program = symshape.loads("func.func @main(%x: tensor<?xbf16>) -> tensor<?xbf16> {\n  return %x : tensor<?xbf16>\n}")
    x = torch.arange(6, dtype=torch.bfloat16)
    (result,) = (torch.from_dlpack(one) for one in program.dlpack(x))
    assert result.dtype == torch.bfloat16 and torch.equal(result, x)
    (transposed,) = symshape.loads(
        "func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n  return %x : tensor<?x?xf32>\n}")(
            torch.arange(6.).reshape(2, 3).T)
    np.testing.assert_array_equal(transposed, np.arange(6).reshape(2, 3).T)


def test_tensors_that_are_not_in_memory():
    """What was given, what was expected, and what to write; a tensor with a gradient and a view are read."""
    program = symshape.loads("func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> { return %a : tensor<?x?xf32> }")
    x = torch.arange(6.0).reshape(2, 3)
    for tensor in (x, x.T, x.clone().requires_grad_(), x[:, ::2]):
        assert torch.equal(program(tensor)[0], tensor)
    for tensor, words in [(x.to("meta"), "%a: expected a tensor in memory, but got one on the device 'meta'"),
                          (x.to_sparse(), "%a: expected a dense tensor, .* torch.sparse_coo: pass its .to_dense"),
                          (x.bfloat16(), r"expected \?x\?xf32 for %a, but got 2x3xbf16")]:
        with pytest.raises(symshape.InputError, match=words):
            program(tensor)
