# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of Haiku's own modules, which join NETWORKS."""

import haiku as hk
import jax
import jax.numpy as jnp
from networks import Network, network, tokens


def haiku(function, example, *arguments, **more):
    """A network of a function that makes modules; parameters are drawn for the example."""
    made = hk.transform_with_state(function)
    parameters, state = made.init(jax.random.key(0), *example)
    return Network(lambda both, *data: made.apply(*both, None, *data), (parameters, state), *arguments, **more)


def attention_block(x, mask, heads=4):
    def norm(x):
        return hk.LayerNorm(axis=-1, create_scale=True, create_offset=True)(x)

    width = x.shape[-1]
    y = norm(x)
    x = x + hk.MultiHeadAttention(heads, width // heads, w_init=hk.initializers.VarianceScaling(0.5))(y, y, y, mask)
    return x + hk.Sequential([hk.Linear(2 * width), jax.nn.gelu, hk.Linear(width)])(norm(x))


@network
def haiku_transformer():
    """Causal, and tokens of number 0 are not looked at."""
    def function(ids):
        length = ids.shape[1]
        mask = (ids > 0)[:, None, None] & jnp.tril(jnp.ones((1, 1, length, length), bool))
        places = hk.get_parameter("places", [64, 32], init=hk.initializers.TruncatedNormal(0.1))
        x = hk.Embed(40, 32)(ids) + places[:length]
        for _ in range(2):
            x = attention_block(x, mask)
        return hk.Linear(40)(x)

    return haiku(function, [jnp.zeros((1, 4), int)], {"b": (1, 4), "s": (1, 64)}, [(("b", "s"), "int32")],
                 constraints=("s <= 64",), kinds={0: tokens(40)})


@network
def haiku_cross_attention():
    """Queries of one length, keys of another, of which only the first few count."""
    def function(x, y, lengths):
        mask = (jnp.arange(y.shape[1]) < lengths[:, None])[:, None, None]
        attention = hk.MultiHeadAttention(2, 8, value_size=6, model_size=10, w_init=hk.initializers.VarianceScaling(1.0))
        return hk.RMSNorm(-1)(attention(x, y, y, mask))

    return haiku(function, [jnp.zeros((1, 2, 10)), jnp.zeros((1, 3, 12)), jnp.ones(1, int)],
                 {"b": (1, 5), "s": (1, 20), "t": (1, 31)},
                 [(("b", "s", 10), "float32"), (("b", "t", 12), "float32"), (("b",), "int32")],
                 kinds={2: lambda random, shape, sizes: random.integers(1, sizes["t"] + 1, shape)})


def unrolled(make_core, example, *arguments, **more):
    """A network of a core over time. Inside of a transformed function Haiku's scan would want a number of steps."""
    step = hk.without_apply_rng(hk.transform(lambda x, state: make_core()(x, state)))
    start = hk.without_apply_rng(hk.transform(lambda batch: make_core().initial_state(batch)))

    def function(parameters, *data):
        inputs = data[0] if len(data) == 1 else data
        return hk.dynamic_unroll(lambda x, state: step.apply(parameters, x, state), inputs,
                                 start.apply({}, data[0].shape[1]), return_all_states=True)

    return Network(function, step.init(jax.random.key(0), example, start.apply({}, 1)), *arguments, **more)


@network
def haiku_recurrent():
    """A GRU over two LSTMs, each state set back where a flag says so."""
    return unrolled(lambda: hk.ResetCore(hk.DeepRNN([hk.LSTM(12), jnp.tanh, hk.LSTM(8), hk.GRU(6)])),
                    (jnp.zeros((1, 5)), jnp.zeros(1, bool)), {"t": (1, 30), "b": (1, 7)},
                    [(("t", "b", 5), "float32"), (("t", "b"), "bool")],
                    kinds={1: lambda random, shape, sizes: random.random(shape) < 0.2})


@network
def haiku_conv_lstm():
    """A convolutional LSTM over frames."""
    return unrolled(lambda: hk.Conv2DLSTM((8, 8), 4, 3), jnp.zeros((1, 8, 8, 2)), {"t": (1, 12), "b": (1, 4)},
                    [(("t", "b", 8, 8, 2), "float32")])


@network
def haiku_resnet():
    """Haiku's ResNet, of bottlenecks."""
    def function(x):
        net = hk.nets.ResNet((1, 1, 1, 1), 10, bottleneck=True, channels_per_group=(8, 16, 16, 32), resnet_v2=True)
        return net(x, is_training=False, test_local_stats=True)

    return haiku(function, [jnp.zeros((1, 32, 32, 3))], {"b": (1, 3), "h": (1, 3), "w": (1, 3)},
                 [(("b", "32*h", "32*w", 3), "float32")])


@network
def haiku_mobilenet():
    """Haiku's MobileNet, in training: the batch norms' new averages are results."""
    def function(x):
        return hk.nets.MobileNetV1((1, 2, 2), (16, 16, 24), 5)(x, is_training=True)

    return haiku(function, [jnp.zeros((1, 32, 32, 3))], {"b": (1, 3), "h": (1, 4), "w": (1, 4)},
                 [(("b", "16*h", "16*w", 3), "float32")])


@network
def haiku_autoencoder():
    """Strided and transposed convolutions around a codebook whose averages move."""
    def function(x):
        x = hk.Conv2D(8, 3, stride=2)(x)
        x = jax.nn.relu(hk.InstanceNorm(True, True)(x))
        x = hk.AvgPool((2, 2), (1, 1), "SAME")(hk.Conv2D(4, 3, rate=2)(x))
        coded = hk.nets.VectorQuantizerEMA(4, 16, 0.25, 0.9)(x, is_training=True)
        x = hk.Conv2DTranspose(8, 4, stride=2)(coded["quantize"])
        return hk.SeparableDepthwiseConv2D(2, 3)(hk.GroupNorm(4)(x)), coded["encoding_indices"], coded["loss"]

    return haiku(function, [jnp.zeros((1, 8, 8, 3))], {"b": (1, 4), "h": (1, 9), "w": (1, 9)},
                 [(("b", "2*h", "2*w", 3), "float32")])
