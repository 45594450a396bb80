# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in Flax and plain JAX: each a function of parameters and data, and data for given sizes.

`NETWORKS[name]()` gives a Network. Its symbols are exported open; `draw(random, **sizes)` makes the data.
"""

import dataclasses
from collections.abc import Callable

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import lax

NETWORKS = {}


@dataclasses.dataclass
class Network:
    function: Callable  # (parameters, *data)
    parameters: object
    symbols: dict  # by name: least and most size that is tried
    shapes: list  # of data: extents, which are numbers or expressions in symbols, and a type
    constraints: tuple = ()
    kinds: dict = dataclasses.field(default_factory=dict)  # by number of data: how it is drawn

    def draw(self, random, sizes):
        return [self.draw_one(i, random, sizes) for i in range(len(self.shapes))]

    def draw_one(self, i, random, sizes):
        extents, dtype = self.shapes[i]
        shape = [eval(str(extent), {}, dict(sizes)) for extent in extents]
        if i in self.kinds:
            return np.asarray(self.kinds[i](random, shape, sizes)).astype(dtype)
        return random.standard_normal(shape).astype(dtype)


def network(make):
    NETWORKS[make.__name__] = make
    return make


def weights(seed, **shapes):
    """Parameters by name, drawn for the size of what they multiply."""
    random = np.random.default_rng(seed)
    return {name: jnp.asarray(random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[:-1]))), jnp.float32)
            for name, shape in shapes.items()}


def tokens(vocabulary):
    return lambda random, shape, sizes: random.integers(0, vocabulary, shape)


def below(symbol):
    return lambda random, shape, sizes: random.integers(0, sizes[symbol], shape)


@network
def mlp():
    """Flax, nnx."""
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.first, self.last = nnx.Linear(12, 32, rngs=rngs), nnx.Linear(32, 5, rngs=rngs)
            self.norm = nnx.LayerNorm(32, rngs=rngs)

        def __call__(self, x):
            return jax.nn.log_softmax(self.last(self.norm(jax.nn.gelu(self.first(x)))))

    graph, state = nnx.split(Model(nnx.Rngs(0)))
    return Network(lambda state, x: nnx.merge(graph, state)(x), nnx.to_pure_dict(state), {"b": (1, 40)},
                   [(("b", 12), "float32")])


def linen(module, example, symbols, shape, **more):
    variables = module.init(jax.random.key(0), jnp.zeros(example))
    return Network(module.apply, variables, symbols, [(shape, "float32")], **more)


class Block(nn.Module):
    width: int
    stride: int

    @nn.compact
    def __call__(self, x):
        y = nn.Conv(self.width, (3, 3), (self.stride, self.stride), use_bias=False)(x)
        y = nn.relu(nn.BatchNorm(use_running_average=True)(y))
        y = nn.BatchNorm(use_running_average=True)(nn.Conv(self.width, (3, 3), use_bias=False)(y))
        if x.shape[-1] != self.width or self.stride != 1:
            x = nn.Conv(self.width, (1, 1), (self.stride, self.stride))(x)
        return nn.relu(x + y)


@network
def cnn():
    """Flax, linen, with batch norm of the batch itself."""
    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.BatchNorm(use_running_average=False)(nn.Conv(8, (3, 3))(x)))
            x = nn.max_pool(x, (2, 2), (2, 2))
            x = nn.avg_pool(nn.swish(nn.GroupNorm(4)(nn.Conv(16, (3, 3), (2, 2))(x))), (2, 2))
            return nn.Dense(10)(x.mean((1, 2)))

    made = linen(Model(), (1, 16, 16, 3), {"b": (1, 5), "h": (12, 30), "w": (12, 30)}, ("b", "h", "w", 3),
                 constraints=("h >= 12", "w >= 12"))
    made.function = lambda variables, x: Model().apply(variables, x, mutable=["batch_stats"])
    return made


@network
def resnet():
    """Flax, linen."""
    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.max_pool(nn.relu(nn.Conv(8, (7, 7), (2, 2))(x)), (3, 3), (2, 2), "SAME")
            for width, stride in ((8, 1), (16, 2), (32, 2)):
                x = Block(width, stride)(x)
            return nn.Dense(10)(x.mean((1, 2)))

    # JAX cannot compare the extents of strided branches for other sizes.
    return linen(Model(), (1, 32, 32, 3), {"b": (1, 3), "h": (1, 4), "w": (1, 4)}, ("b", "16*h", "16*w", 3))


@network
def unet():
    """Flax, linen, with transposed convolutions."""
    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            kept = []
            for width in (8, 16):
                x = nn.silu(nn.GroupNorm(4)(nn.Conv(width, (3, 3))(x)))
                kept.append(x)
                x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.silu(nn.Conv(16, (3, 3))(x))
            for width in (16, 8):
                x = nn.ConvTranspose(width, (2, 2), (2, 2))(x)
                x = nn.silu(nn.Conv(width, (3, 3))(jnp.concatenate([x, kept.pop()], -1)))
            return nn.Conv(3, (1, 1))(x)

    return linen(Model(), (1, 8, 8, 3), {"b": (1, 3), "h": (1, 6), "w": (1, 6)}, ("b", "4*h", "4*w", 3))


@network
def encoder():
    """Flax, linen: attention with a mask."""
    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, lengths):
            mask = jnp.arange(x.shape[1])[None] < lengths[:, None]
            for _ in range(2):
                y = nn.LayerNorm()(x)
                x = x + nn.MultiHeadDotProductAttention(4)(y, y, mask=mask[:, None, None])
                x = x + nn.Dense(32)(nn.gelu(nn.Dense(64)(nn.LayerNorm()(x))))
            return jnp.where(mask[..., None], x, 0).sum(1) / lengths[:, None]

    variables = Model().init(jax.random.key(0), jnp.zeros((1, 4, 32)), jnp.ones(1, jnp.int32))
    return Network(Model().apply, variables, {"b": (1, 6), "s": (1, 40)},
                   [(("b", "s", 32), "float32"), (("b",), "int32")],
                   kinds={1: lambda random, shape, sizes: random.integers(1, sizes["s"] + 1, shape)})


def split_heads(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def attend(p, x, keys, values, mask):
    q = split_heads(x @ p["q"], 4)
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, keys) / np.sqrt(q.shape[-1])
    y = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), values)
    return y.transpose(0, 2, 1, 3).reshape(x.shape) @ p["o"]


def gpt_weights():
    return weights(1, embed=(50, 32), place=(64, 32), q=(32, 32), k=(32, 32), v=(32, 32), o=(32, 32), up=(32, 64),
                   down=(64, 32))


def feed_forward(p, x):
    return jax.nn.gelu(layer_norm(x) @ p["up"]) @ p["down"]


def gpt_logits(p, ids):
    length = ids.shape[1]
    x = p["embed"][ids] + p["place"][:length]
    y = layer_norm(x)
    x = x + attend(p, y, split_heads(y @ p["k"], 4), split_heads(y @ p["v"], 4), jnp.tril(jnp.ones((length, length),
                                                                                                 bool)))
    return (x + feed_forward(p, x)) @ p["embed"].T


@network
def gpt():
    return Network(gpt_logits, gpt_weights(), {"b": (1, 4), "s": (1, 64)}, [(("b", "s"), "int32")],
                   constraints=("s <= 64",), kinds={0: tokens(50)})


@network
def gpt_cache():
    """One step of decoding: rows are added to keys and values that came before."""
    def function(p, ids, keys, values):
        past, total = keys.shape[2], keys.shape[2] + ids.shape[1]
        x = p["embed"][ids] + lax.dynamic_slice(p["place"], (past, 0), (1, 32))
        y = layer_norm(x)
        keys = jnp.concatenate([keys, split_heads(y @ p["k"], 4)], 2)
        values = jnp.concatenate([values, split_heads(y @ p["v"], 4)], 2)
        x = x + attend(p, y, keys, values, jnp.ones((1, total), bool))
        return (x + feed_forward(p, x)) @ p["embed"].T, keys, values

    cache = (("b", 4, "t", 8), "float32")
    return Network(function, gpt_weights(), {"b": (1, 4), "t": (1, 60)}, [(("b", 1), "int32"), cache, cache],
                   kinds={0: tokens(50)})


@network
def experts():
    """A mixture of experts: two of four per token."""
    def function(p, x):
        gates = jax.nn.softmax(x @ p["gate"])
        best, which = lax.top_k(gates, 2)
        picked = jax.nn.one_hot(which, 4) * (best / best.sum(-1, keepdims=True))[..., None]
        hidden = jax.nn.silu(jnp.einsum("td,edh->teh", x, p["up"]))
        return jnp.einsum("teh,ehd,te->td", hidden, p["down"], picked.sum(1))

    return Network(function, weights(2, gate=(16, 4), up=(4, 16, 32), down=(4, 32, 16)), {"t": (1, 50)},
                   [(("t", 16), "float32")])


@network
def lstm():
    """By scan over time."""
    def function(p, x):
        def step(state, xt):
            h, c = state
            i, f, g, o = jnp.split(xt @ p["x"] + h @ p["h"] + p["b"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[0], 16))
        state, hidden = lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
        return state, hidden.transpose(1, 0, 2)

    return Network(function, weights(3, x=(8, 64), h=(16, 64), b=(64,)), {"b": (1, 8), "t": (1, 30)},
                   [(("b", "t", 8), "float32")])


@network
def graph():
    """Messages along edges, summed at their ends."""
    def function(p, nodes, senders, receivers):
        for _ in range(2):
            edges = jnp.tanh(jnp.concatenate([nodes[senders], nodes[receivers]], -1) @ p["edge"])
            sums = jax.ops.segment_sum(edges, receivers, nodes.shape[0])
            nodes = nodes + jax.nn.relu(jnp.concatenate([nodes, sums], -1) @ p["node"])
        return nodes, nodes.max(0)

    return Network(function, weights(4, edge=(16, 8), node=(16, 8)), {"n": (1, 30), "e": (1, 80)},
                   [(("n", 8), "float32"), (("e",), "int32"), (("e",), "int32")],
                   kinds={1: below("n"), 2: below("n")})


@network
def diffusion():
    """A step of DDIM with an embedding of time and a draw of JAX's random numbers."""
    def function(p, x, time, key):
        steps = jnp.cumprod(1 - jnp.linspace(1e-4, 0.02, 100))
        now, before = steps[time], steps[jnp.maximum(time - 1, 0)]
        waves = time[:, None] * jnp.exp(-jnp.arange(8) / 8.0)
        embedded = jnp.concatenate([jnp.sin(waves), jnp.cos(waves)], -1) @ p["time"]
        noise = jax.nn.silu(x @ p["up"] + embedded[:, None]) @ p["down"]
        start = (x - jnp.sqrt(1 - now)[:, None, None] * noise) / jnp.sqrt(now)[:, None, None]
        drawn = jax.random.normal(key, x.shape)
        return (jnp.sqrt(before)[:, None, None] * start + jnp.sqrt(1 - before)[:, None, None] * noise
                + 0.1 * drawn)

    return Network(function, weights(5, time=(16, 32), up=(8, 32), down=(32, 8)), {"b": (1, 5), "n": (1, 30)},
                   [(("b", "n", 8), "float32"), (("b",), "int32"), ((2,), "uint32")],
                   kinds={1: tokens(100), 2: tokens(1 << 31)})


@network
def ode():
    """Dormand-Prince's lower cousin, with steps that adapt, in a while loop."""
    def function(p, y):
        def slope(y):
            return jnp.tanh(y @ p["a"]) @ p["b"]

        def step(state):
            y, t, h, count = state
            h = jnp.minimum(h, 1.0 - t)
            k1 = slope(y)
            k2 = slope(y + h * k1)
            error = jnp.max(jnp.abs(h * (k2 - k1) / 2))
            accepted = error < 1e-2
            y = jnp.where(accepted, y + h * (k1 + k2) / 2, y)
            return y, jnp.where(accepted, t + h, t), h * jnp.where(accepted, 1.5, 0.5), count + 1

        y, t, _, count = lax.while_loop(lambda s: (s[1] < 1.0) & (s[3] < 200), step, (y, 0.0, 0.1, 0))
        return y, t, count

    return Network(function, weights(6, a=(4, 16), b=(16, 4)), {"b": (1, 30)}, [(("b", 4), "float32")])


def energy(p, places):
    away = places[:, None] - places[None]
    squares = (away ** 2).sum(-1) + jnp.eye(places.shape[0])
    features = jnp.exp(-squares[..., None] * jnp.asarray([0.5, 1.0, 2.0, 4.0]))
    pairs = (jnp.tanh(features @ p["up"]) @ p["down"])[..., 0]
    return (pairs * (1 - jnp.eye(places.shape[0]))).sum() / 2


@network
def force_field():
    """Energy, forces, and the second derivatives along a direction."""
    def function(p, places, along):
        forces = jax.grad(energy, 1)
        value, moved = jax.jvp(lambda x: forces(p, x), (places,), (along,))
        return energy(p, places), -value, moved

    return Network(function, weights(7, up=(4, 16), down=(16, 1)), {"n": (1, 24)},
                   [(("n", 3), "float32"), (("n", 3), "float32")])
