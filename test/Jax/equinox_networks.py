# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of Equinox's own layers, which join NETWORKS. Its layers are for one example: jax.vmap is the batch."""

import equinox as eqx
import jax
import jax.numpy as jnp
from networks import Network, network, tokens


def keys(number):
    return jax.random.split(jax.random.key(0), number)


def equinox(model, function, *arguments, **more):
    """A network of a model's arrays: `function` has the model as its first argument."""
    arrays, others = eqx.partition(model, eqx.is_array)
    return Network(lambda arrays, *data: function(eqx.combine(arrays, others), *data), arrays, *arguments, **more)


@network
def equinox_mlp():
    """Jitted by Equinox itself."""
    model = eqx.nn.MLP(6, 3, 24, depth=3, activation=jax.nn.gelu, final_activation=jax.nn.softplus, key=keys(1)[0])
    return equinox(model, eqx.filter_jit(lambda model, x: jax.vmap(model)(x)), {"b": (1, 40)}, [(("b", 6), "float32")])


class Cnn(eqx.Module):
    layers: list

    def __init__(self):
        k = keys(5)
        self.layers = [
            eqx.nn.Conv2d(3, 8, 3, padding=1, key=k[0]), eqx.nn.BatchNorm(8, "batch", mode="batch"), eqx.nn.PReLU(),
            eqx.nn.MaxPool2d(2, 2), eqx.nn.Conv2d(8, 16, 3, stride=2, padding=1, groups=2, key=k[1]),
            eqx.nn.GroupNorm(4, 16), eqx.nn.Lambda(jax.nn.silu), eqx.nn.AvgPool2d(2, 1),
            eqx.nn.ConvTranspose2d(16, 8, 2, stride=2, key=k[2]), eqx.nn.Lambda(lambda x: x.mean((1, 2))),
            eqx.nn.Linear(8, 5, key=k[3])]

    def __call__(self, x, state):
        for layer in self.layers:
            if isinstance(layer, eqx.nn.StatefulLayer):
                x, state = layer(x, state)
            else:
                x = layer(x)
        return x, state


@network
def equinox_cnn():
    """With batch norm of the batch itself, whose new state is a result; JAX knows no mean over an open batch."""
    model, state = eqx.nn.make_with_state(Cnn)()
    run = jax.vmap(lambda model, x, state: model(x, state), (None, 0, None), (0, None), axis_name="batch")
    return equinox((model, state), lambda both, x: run(both[0], x, both[1]),
                   {"h": (8, 25), "w": (8, 25)}, [((3, 3, "h", "w"), "float32")],
                   constraints=("h >= 8", "w >= 8"))


class Recurrent(eqx.Module):
    gru: eqx.nn.GRUCell
    lstm: eqx.nn.LSTMCell
    last: eqx.nn.Linear

    def __init__(self):
        k = keys(3)
        self.gru, self.lstm = eqx.nn.GRUCell(5, 12, key=k[0]), eqx.nn.LSTMCell(12, 8, key=k[1])
        self.last = eqx.nn.Linear(8, "scalar", key=k[2])

    def __call__(self, x):
        _, hidden = jax.lax.scan(lambda h, one: (self.gru(one, h),) * 2, jnp.zeros(12), x)
        state, _ = jax.lax.scan(lambda s, one: (self.lstm(one, s), None), (jnp.zeros(8), jnp.zeros(8)), hidden,
                                reverse=True)
        return jax.nn.sigmoid(self.last(state[0])), hidden


@network
def equinox_recurrent():
    """A GRU, and an LSTM backwards over what it gives."""
    return equinox(Recurrent(), lambda model, x: jax.vmap(model)(x), {"b": (1, 7), "t": (1, 33)},
                   [(("b", "t", 5), "float32")])


class Layer(eqx.Module):
    attention: eqx.nn.MultiheadAttention
    norms: list
    mlp: eqx.nn.MLP

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.attention = eqx.nn.MultiheadAttention(4, 32, use_query_bias=True, key=one)
        self.norms = [eqx.nn.RMSNorm(32), eqx.nn.LayerNorm(32)]
        self.mlp = eqx.nn.MLP(32, 32, 64, 1, key=two)

    @staticmethod
    def heads(query, key, value):
        """Queries and keys turned by their places, as Equinox's layer does, which JAX cannot export for open lengths."""
        rotary, length = eqx.nn.RotaryPositionalEmbedding, query.shape[0]
        cos, sin = (jnp.tile(table[:length], (1, 2))[:, None]
                    for table in rotary.precompute_freqs_cis(8, 48, 10_000.0, jnp.float32))
        return *(x * cos + rotary.rotate_half(x) * sin for x in (query, key)), value

    def __call__(self, x, mask):
        y = jax.vmap(self.norms[0])(x)
        x = x + self.attention(y, y, y, mask, process_heads=self.heads)
        return x + jax.vmap(lambda one: self.mlp(self.norms[1](one)))(x)


class Transformer(eqx.Module):
    embed: eqx.nn.Embedding
    layers: list
    last: eqx.nn.Linear

    def __init__(self):
        k = keys(4)
        self.embed, self.layers = eqx.nn.Embedding(40, 32, key=k[0]), [Layer(k[1]), Layer(k[2])]
        self.last = eqx.nn.Linear(32, 40, use_bias=False, key=k[3])

    def __call__(self, ids, length):
        place = jnp.arange(ids.shape[0])
        mask = (place[:, None] >= place) & (place < length)
        x = jax.vmap(self.embed)(ids)
        for layer in self.layers:
            x = layer(x, mask)
        return jax.nn.log_softmax(jax.vmap(self.last)(x))


@network
def equinox_transformer():
    """Rotary embeddings, and masks of the past and of lengths."""
    return equinox(Transformer(), lambda model, ids, lengths: jax.vmap(model)(ids, lengths),
                   {"b": (1, 4), "s": (1, 48)}, [(("b", "s"), "int32"), (("b",), "int32")],
                   constraints=("s <= 48",),
                   kinds={0: tokens(40), 1: lambda random, shape, sizes: random.integers(1, sizes["s"] + 1, shape)})


@network
def equinox_norms():
    """Weights that are normalised: by an iteration of powers, whose state is a result, and by their lengths."""
    class Model(eqx.Module):
        spectral: eqx.nn.SpectralNorm
        weight: eqx.nn.WeightNorm

        def __init__(self):
            k = keys(3)
            self.spectral = eqx.nn.SpectralNorm(eqx.nn.Conv1d(4, 6, 3, dilation=2, padding="SAME", key=k[0]), "weight",
                                                key=k[1])
            self.weight = eqx.nn.WeightNorm(eqx.nn.Linear(6, 4, key=k[2]), "weight")

        def __call__(self, x, state):
            y, state = self.spectral(x, state)
            return jax.vmap(self.weight, 1)(jnp.tanh(y)), state

    model, state = eqx.nn.make_with_state(Model)()
    run = jax.vmap(lambda model, x, state: model(x, state), (None, 0, None), (0, None))
    return equinox((model, state), lambda both, x: run(both[0], x, both[1]), {"b": (1, 5), "t": (1, 40)},
                   [(("b", 4, "t"), "float32")])
