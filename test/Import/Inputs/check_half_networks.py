# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in f16 and bf16 stay within two roundings of each op of what they are in f32.

    check_half_networks.py FOLDER [MODE...]

Each network runs at several batches and sizes, and is compared with NumPy's f64 on the same weights and
inputs, which are numbers of the type. How far apart the two may be is measured, for each result, by the
same network in NumPy with the result of each op rounded to one of its two neighbours at random, which is
as far off as two roundings to the nearest. Of several such networks, the mean error (of squares) of ours
may be the largest mean, and our largest error 1.5 times the largest one, since of few numbers it depends
on chance. Rounding each result once must be within that, and sums in the type itself must not.
"""

import sys
from pathlib import Path

import numpy as np
import symrun

from half_networks import KINDS, either, nearest, resnet, transformer, unet

DRAWS = 6
BATCHES = [1, 3, 0]


def ids(random, batch, length):
    """Words, of which some behind the first one are hidden."""
    mask = (random.uniform(size=(batch, length)) < 0.8) | (np.arange(length) == 0)
    return {"ids": random.integers(0, 50, (batch, length)), "mask": mask.astype(np.float64)}


def image(random, batch, rows, columns):
    return {"x": random.standard_normal((batch, 3, rows, columns))}


NETWORKS = {
    "transformer": (transformer, {"ids": ["N", "S"], "mask": ["N", "S"]}, ids, [(1,), (7,), (40,)]),
    "resnet": (resnet, {"x": ["N", 3, "H", "W"]}, image, [(1, 1), (33, 17), (64, 50)]),
    "unet": (unet, {"x": ["N", 3, "H", "W"]}, image, [(1, 1), (7, 5), (20, 26)]),
}


def mean(x):
    return np.sqrt(np.square(x).mean()) if x.size else 0.0


def sum_in_type(kind):
    """Products of matrices whose sums are rounded at each step."""
    def multiply(a, b):
        total = np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1]))
        for i in range(a.shape[-1]):
            total = nearest(total + a[..., :, i:i + 1] * b[..., i:i + 1, :], kind)
        return total
    return {"MatMul": multiply}


class Allowed:
    """What the roundings of a network make of each result."""

    def __init__(self, network, kind, inputs):
        self.exact = network.compute(kind, inputs, None)
        random = np.random.default_rng(5)
        draws = [self.errors(network.compute(kind, inputs, lambda x: either(x, kind, random))) for _ in range(DRAWS)]
        self.limits = np.max(draws, 0) * [1, 1.5]

    def errors(self, results):
        """The mean and the largest one of each result."""
        pairs = list(zip(results, self.exact, strict=True))
        assert all(one.shape == exact.shape for one, exact in pairs), [(one.shape, exact.shape) for one, exact in pairs]
        return np.array([(mean(one - exact), np.abs(one - exact).max(initial=0)) for one, exact in pairs])

    def share(self, results):
        """The errors as a share of what is allowed."""
        errors = self.errors(results)
        assert not np.isnan(errors).any(), "expected numbers, but got NaN"
        assert not errors[self.limits == 0].any(), "expected no error where roundings make none"
        return (errors / np.where(self.limits == 0, 1, self.limits)).max()


ALL = range(9)
#: name: (options, calls that are made, in one type alone)
MODES = {
    "default": ([], ALL),
    "quick": (["--compile=quick"], ALL),
    "two threads": (["--compile=quick", "--threads=2"], [0, 4, 8], "f16"),
    "auto": (["--compile=quick", "--dynamic=auto"], [0, 4, 8], "bf16"),
    "never": (["--compile=quick", "--dynamic=never"], [4, 8], "f16"),
    "GPU": (["--target=nvvm"], [0, 4, 7]),
}


class Case:
    """A network of one type and its calls, computed once for all modes."""

    def __init__(self, name, kind, folder):
        make, dims, inputs, sizes = NETWORKS[name]
        self.name, self.network, self.path = f"{name} {kind}", make(kind), folder / f"{name}-{kind}.onnx"
        self.path.write_bytes(self.network.bytes(kind, dims))
        random, self.calls, self.allowed = np.random.default_rng(9), [], []
        for batch in BATCHES:
            for size in sizes:
                call = {key: value if key == "ids" else nearest(value, kind) for key, value in inputs(random, batch, *size).items()}
                self.calls.append([value if key == "ids" else value.astype(np.float32) for key, value in call.items()])
                self.allowed.append(Allowed(self.network, kind, call))

    def check(self, mode, options, numbers):
        """The largest error as a share of what is allowed, and how many results were compared."""
        run = symrun.run(self.path, [self.calls[i] for i in numbers], results=len(self.network.results), options=options)
        assert run.status == 0 and len(run.results) == len(numbers), \
            f"{self.name}, {mode}: exit status {run.status}\n{run.stdout}{run.stderr}"
        worst, compared = 0.0, 0
        for i, results in zip(numbers, run.results):
            share = self.allowed[i].share(results)
            assert share <= 1, f"{self.name}, {mode}, call {i}: {share:.2f} of two roundings"
            worst, compared = max(worst, share), compared + len(results)
        return worst, compared


def check_oracle(kind):
    """Rounding each result once is allowed, sums in the type are not."""
    network, call = transformer(kind), ids(np.random.default_rng(9), 3, 40)
    allowed = Allowed(network, kind, call)
    once = allowed.share(network.compute(kind, call, lambda x: nearest(x, kind)))
    in_type = allowed.share(network.compute(kind, call, lambda x: nearest(x, kind), sum_in_type(kind)))
    assert once <= 1 < in_type, f"{kind}: expected one rounding to be allowed, and sums in the type not, but got {once} and {in_type}"
    print(f"{kind}: each result rounded once has {once:.2f}, sums in the type have {in_type:.2f}")


def main():
    folder, compared, expected = Path(sys.argv[1]), 0, 0
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        check_oracle(kind)
        for name in NETWORKS:
            case, shares = Case(name, kind, folder), []
            for mode in sys.argv[2:] or [mode for mode in MODES if kind in (MODES[mode][2:] or KINDS)]:
                options, numbers = MODES[mode][:2]
                share, count = case.check(mode, options, numbers)
                compared, expected = compared + count, expected + len(numbers) * len(case.network.results)
                shares.append(f"{mode} {share:.2f}")
            print(f"{name} {kind}: {', '.join(shares)}", flush=True)
    print(f"{compared} results")
    assert compared == expected


if __name__ == "__main__":
    main()
