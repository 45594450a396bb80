# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that use what JAX exports in its own ways, with open sizes: `EXPORTS[name]()` gives an Example."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.scipy import special, stats

EXPORTS = {}


@dataclasses.dataclass
class Example:
    function: Callable
    symbols: str
    shapes: list  # "b, 2*b + 1" and a type, argument by argument
    constraints: tuple = ()
    draw: Callable = None  # of a random generator, a shape and a type


def export_of(make):
    EXPORTS[make.__name__] = make
    return make


def positive_definite(random, shape, dtype):
    x = random.standard_normal(shape)
    return x @ x.swapaxes(-1, -2) + np.eye(shape[-1]) if shape[-1] == shape[-2] else x


@export_of
def attention():
    def function(x, wq, wk, wv, wo, mask):
        def heads(w):
            return (x @ w).reshape(*x.shape[:2], 4, -1).transpose(0, 2, 1, 3)
        a = jnp.einsum("bhqd,bhkd->bhqk", heads(wq), heads(wk)) / np.sqrt(8)
        causal = jnp.tril(jnp.ones(a.shape[-2:], bool))
        p = jax.nn.softmax(jnp.where(causal & mask[:, None, None], a, -1e9))
        return jnp.einsum("bhqk,bhkd->bhqd", p, heads(wv)).transpose(0, 2, 1, 3).reshape(x.shape) @ wo
    weight = ("32, 32", "float32")
    return Example(function, "b, s", [("b, s, 32", "float32"), weight, weight, weight, weight, ("b, s", "bool")],
                   ("s <= 512", "mod(s, 8) == 0"))


@export_of
def convolutions():
    def function(x, first, second):
        layout = ("NHWC", "HWIO", "NHWC")
        y = jax.nn.relu(lax.conv_general_dilated(x, first, (1, 1), "SAME", dimension_numbers=layout))
        y = lax.conv_general_dilated(y, second, (2, 2), "SAME", dimension_numbers=layout)
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").mean((1, 2))
    return Example(function, "b, h, w", [("b, h, w, 3", "float32"), ("3, 3, 3, 8", "float32"),
                                         ("3, 3, 8, 8", "float32")], ("h >= 8", "w >= 8"))


@export_of
def branches():
    def function(i, x):
        return (lax.switch(i, [lambda x: x * 2, lambda x: x - 1, jnp.sin], x),
                lax.cond(i > 0, lambda x: x.sum(), lambda x: x.max(), x), lax.fori_loop(0, i, lambda k, c: c * 1.1, x))
    return Example(function, "b", [("", "int32"), ("b, 8", "float32")])


@export_of
def sorting():
    def function(x):
        return (jnp.sort(x), jnp.argsort(x), *lax.top_k(x, 5), x.argmax(-1), x.argmin(0),
                *lax.sort((x, -x), num_keys=2))
    return Example(function, "b, n", [("b, n", "float32")], ("n >= 5",))


@export_of
def indexing():
    def function(x, at, u):
        return (x[at], x.at[at].add(u), x.at[at].max(u), jnp.take_along_axis(x, at[:, None], 0), x[:, at % 8],
                jax.ops.segment_sum(u, at, 7), x.at[:, 3].multiply(2.0))
    return Example(function, "n, m", [("n, 8", "float32"), ("m", "int32"), ("m, 8", "float32")])


@export_of
def sizes():
    def function(x, y):
        both = jnp.concatenate([x, y], 1)
        return (jnp.cumsum(x, 1), x.reshape(-1, 8), both, jnp.stack([x, x * 2], 1), jnp.cumprod(x, 0),
                jnp.arange(x.shape[1]), jax.nn.logsumexp(x, 1), jnp.repeat(x, 2, 1), jnp.tile(x, (1, 2, 1)),
                jnp.linspace(0.0, 1.0, x.shape[1]), lax.cummax(x, 1), jnp.split(both, [3], 1)[0])
    return Example(function, "b, s", [("b, s, 8", "float32"), ("b, 2*s, 8", "float32")], ("s >= 4",))


@export_of
def constraints():
    def function(x, y):
        return jnp.concatenate([x.reshape(-1, x.shape[2]), y.T @ jnp.ones((y.shape[0], x.shape[2]))]).sum(0)
    return Example(function, "b, s", [("b, 2*b + 1, s", "float32"), ("s, floordiv(s, 2)", "float32")],
                   ("b >= 4", "mod(s, 8) == 0", "s <= 4*b"))


@export_of
def resizing():
    return Example(lambda x: jax.image.resize(x, (x.shape[0], 2 * x.shape[1], 2 * x.shape[2], 3), "bilinear"),
                   "b, h, w", [("b, h, w, 3", "float32")], ("h >= 4", "w >= 4"))


@export_of
def pools():
    """Windows whose borders follow from the extents."""
    def function(x):
        padded = jnp.pad(x, ((0, 0), (1, 2)), mode="reflect")
        return (lax.reduce_window(padded, -jnp.inf, lax.max, (1, 3), (1, 2), "SAME"),
                lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 3), "SAME"))
    return Example(function, "b, t", [("b, t", "float32")], ("t >= 3",))


@export_of
def quantized():
    def function(x, w):
        scale = jnp.max(jnp.abs(x), -1, keepdims=True) / 127.0
        product = lax.dot_general(jnp.round(x / scale).astype(jnp.int8), w, (((1,), (0,)), ((), ())),
                                  preferred_element_type=jnp.int32)
        return product.astype(jnp.float32) * scale
    return Example(function, "b", [("b, 64", "float32"), ("64, 32", "int8")])


@export_of
def random_numbers():
    def function(key, x):
        first, second = jax.random.split(key)
        kept = jax.random.bernoulli(second, 0.9, x.shape)
        return jnp.where(kept, x + jax.random.normal(first, x.shape), 0.0)
    return Example(function, "b", [("2", "uint32"), ("b, 8", "float32")])


@export_of
def transforms():
    return Example(lambda x: (jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x))), "b", [("b, 16", "float32")])


@export_of
def factors():
    """Calls of LAPACK."""
    def function(m, y):
        return (jnp.linalg.cholesky(m), jnp.linalg.solve(m, y), jnp.linalg.inv(m), jnp.linalg.det(m),
                *jax.scipy.linalg.lu_factor(m))
    return Example(function, "b", [("b, 4, 4", "float32"), ("b, 4, 2", "float32")], draw=positive_definite)


@export_of
def orthogonal():
    """QR factors, and eigenvectors, whose signs are free."""
    def function(m, r):
        values, vectors = jnp.linalg.eigh(m)
        return (*jnp.linalg.qr(r), *jnp.linalg.qr(m, mode="complete"), values,
                (vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2))
    return Example(function, "b", [("b, 4, 4", "float32"), ("b, 5, 3", "float32")], draw=positive_definite)


@export_of
def singular():
    """Singular values, and what is made of their vectors, whose signs are free."""
    def function(x):
        u, s, vt = jnp.linalg.svd(x, full_matrices=False)
        whole, _, rows = jnp.linalg.svd(x)
        return (s, (u * s[..., None, :]) @ vt, u.swapaxes(-1, -2) @ u, whole @ whole.swapaxes(-1, -2),
                rows @ rows.swapaxes(-1, -2), jnp.linalg.svd(x, compute_uv=False), jnp.linalg.norm(x, 2, axis=(-2, -1)))
    return Example(function, "b, n, m", [("b, n, m", "float32")])


@export_of
def pseudoinverse():
    def function(x, y):
        return jnp.linalg.pinv(x), jnp.linalg.matrix_rank(x), jnp.linalg.cond(x), jnp.linalg.lstsq(y[0], y[1])[0]
    return Example(function, "b", [("b, 4, 3", "float32"), ("2, 5, 5", "float32")])


@export_of
def densities():
    """Special functions, as JAX expands them."""
    def function(x, y):
        share = y / (1 + y)
        return (stats.gamma.logpdf(y, 2.5), stats.beta.logpdf(share, 1.5, 2.0), stats.t.logpdf(x, 3.0),
                stats.poisson.logpmf(jnp.floor(y), 3.0), special.digamma(y), special.erfinv(jnp.tanh(x / 2)),
                special.betainc(1.5, 2.0, share), special.gammainc(2.0, y), special.i0e(y),
                special.ndtri(jax.nn.sigmoid(x)))
    return Example(function, "b", [("b, 6", "float32"), ("b, 4", "float32")],
                   draw=lambda random, shape, dtype: random.uniform(0.2, 3, shape))


@export_of
def alignments():
    """Optax: the loss of a connectionist temporal classification, and its gradient."""
    def function(logits, labels, length):
        padding = (jnp.arange(logits.shape[1]) >= length[:, None]).astype(jnp.float32)

        def loss(x):
            return optax.ctc_loss(x, padding, labels, jnp.zeros(labels.shape)).mean()
        return jax.value_and_grad(loss)(logits)
    return Example(function, "b, s, m", [("b, s, 5", "float32"), ("b, m", "int32"), ("b", "int32")])


@export_of
def recurrences():
    """A scan of pairs, which slices nothing behind the last element."""
    def function(x):
        def join(one, two):
            return one[0] * two[0], one[1] * two[0] + two[1]
        return lax.associative_scan(join, (jax.nn.sigmoid(x), x), axis=1)[1]
    return Example(function, "b", [("b, 11, 4", "float32")])


@export_of
def derivatives():
    def loss(weights, x, y):
        return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)

    def function(first, second, x, y):
        each = jax.vmap(jax.grad(lambda x, y: loss((first, second), x[None], y[None])))
        return jax.grad(loss)((first, second), x, y), each(x, y)
    return Example(function, "b", [("16, 32", "float32"), ("32, 4", "float32"), ("b, 16", "float32"),
                                   ("b, 4", "float32")])
