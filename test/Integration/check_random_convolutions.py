# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random convolutional networks with open extents beside NumPy: see random_convolutions.py.

    check_random_convolutions.py SEED COUNT [FIRST]

Networks FIRST (default: 0) and later ones of that seed. Each is compiled once, for a processor and a number
of threads by turns, and called at several sizes; where one is not valid, the call is refused.
Prints what is wrong, and at the end the counts.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symrun
from random_convolutions import Network, Refused

SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 20, 31, 33, 47, 65, 130]
MOST = 400_000  # elements of an image
CALLS = 8
CPUS = [None, None, None, "x86-64", "x86-64-v3", "x86-64-v4"]
TOLERANCE = {np.float16: 4e-3, np.float32: 2e-5, np.float64: 1e-12}  # of the largest number of a result


def images(network, rng):
    largest = max(SIZES) if network.rank == 1 else 66 if network.rank == 2 else 17
    calls = 0
    while calls < CALLS:
        shape = [int(rng.integers(0, 4)) if network.batch is None else network.batch, network.values[0].channels]
        shape += [int(rng.choice([s for s in SIZES if s <= largest])) if e is None else e for e in network.extents]
        if np.prod([max(e, 1) for e in shape]) <= MOST:
            calls += 1
            yield rng.standard_normal(shape).astype(network.dtype)


def wrong(actual, expected, tolerance):
    """What is wrong with a result; an empty text if nothing is."""
    if actual.shape != expected.shape:
        return f"has shape {actual.shape}, expected {expected.shape}"
    scale = max(np.abs(expected[np.isfinite(expected)]).max(initial=0), 1e-3)
    difference = symrun.largest_difference(actual / scale, expected / scale)
    return "" if difference <= tolerance else f"differs by {difference:.1e} of {scale:.1e}, shape {actual.shape}"


class Tally:
    right = refused = bad = 0

    def fail(self, what):
        self.bad += 1
        print(what, flush=True)


def check(seed, index, folder, tally):
    rng = np.random.default_rng([seed, index])
    network = Network(rng, takes_parts=index % 3 != 1)
    path = folder / "network.onnx"
    path.write_bytes(network.file())
    cpu, threads = CPUS[index % len(CPUS)], 1 + index % 2
    options = [f"--threads={threads}", *(["--guard-pages"] if threads == 1 else []), *([f"--cpu={cpu}"] if cpu else [])]
    what = f"network {index} of seed {seed} ({' '.join(options)})"
    valid, answers, refused = [], [], []
    for image in images(network, rng):
        try:
            answers.append(network.start(image))
            valid.append(image)
        except Refused:
            refused.append(image)
    if valid:
        run = symrun.run(path, [[image] for image in valid], results=len(network.results), options=options)
        if run.status:
            return tally.fail(f"{what}: exit status {run.status} at {[v.shape for v in valid]}\n{run.stderr[:1500]}")
        for image, results, expected in zip(valid, run.results, answers, strict=True):
            faults = [wrong(a, e, TOLERANCE[network.dtype] * len(network.nodes)) for a, e in zip(results, expected, strict=True)]
            if any(faults):
                tally.fail(f"{what} at {image.shape}: {'; '.join(f for f in faults if f)}")
            else:
                tally.right += 1
    for image in refused[:1]:
        run = symrun.run(path, [[image]], results=len(network.results), options=options)
        never = not valid and run.status == 1  # at no size: told when it is compiled
        if run.status != 3 and not never:
            tally.fail(f"{what} at {image.shape}: not refused, exit status {run.status}\n{run.stderr[:1500]}")
        else:
            tally.refused += 1


def main():
    seed, count = map(int, sys.argv[1:3])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="convolutions") as name:
        for index in range(first, first + count):
            check(seed, index, Path(name), tally)
    print(f"{count} networks, {tally.right} calls right, {tally.refused} refused, {tally.bad} wrong")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
