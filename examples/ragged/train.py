# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains an embedding bag over ragged rows with the gradient that symshape derives.

    build/venv/bin/python examples/ragged/train.py [--build=build] [--steps=100] [--plot=FILE.png]

The gradient of @loss in ragged.mlir is derived and compiled once, and serves every
batch: other numbers of bags, of tokens, and room for tokens; some have no token.
Each tenth step is compared with NumPy. Exits 1 when one differs by more than 1e-4, or
when the last loss is more than a tenth of the first.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "utils"))

import numpy as np

import symshape_c

TOLERANCE = 1e-4
VOCABULARY, WIDTH = 40, 8
LONGEST_BAG = 6
RATE = 0.02


def compile_gradient(build):
    """@loss.grad, as a function of arrays: the loss, and its gradient by table and head."""
    with tempfile.TemporaryDirectory() as folder:
        derived = Path(folder) / "ragged-grad.mlir"
        subprocess.run([build / "bin" / "symshape-opt", HERE / "ragged.mlir",
                        "--symshape-grad=function=loss wrt=0,1", "-o", derived], check=True)
        return symshape_c.Program(derived, library=build / "lib" / "libSymShapeC.so", entry="loss.grad")


def make_batch(rng, values, num_bags, longest=LONGEST_BAG):
    """(tokens, bag_of, count, wanted): bags of tokens whose values they are to add up."""
    lengths = rng.integers(0, longest + 1, num_bags)
    count = int(lengths.sum())
    capacity = count + int(rng.integers(0, 9))  # what is beyond the count is not used
    tokens = rng.integers(0, len(values), capacity)
    bag_of = np.zeros(capacity, np.int64)
    bag_of[:count] = np.repeat(np.arange(num_bags), lengths)
    wanted = np.zeros(num_bags, np.float32)
    np.add.at(wanted, bag_of[:count], values[tokens[:count]])
    return tokens, bag_of, np.int64(count), wanted


def numpy_gradient(table, head, tokens, bag_of, count, wanted):
    """The same three results in NumPy, in f64."""
    table, head, wanted = (a.astype(np.float64) for a in (table, head, wanted))
    tokens, bag_of = tokens[:count], bag_of[:count]
    sums = np.zeros((len(wanted), table.shape[1]))
    np.add.at(sums, bag_of, table[tokens])
    error = sums @ head - wanted
    by_table = np.zeros_like(table)
    np.add.at(by_table, tokens, np.outer(error, head)[bag_of])
    return 0.5 * (error ** 2).sum(), by_table, sums.T @ error


def difference(ours, theirs):
    """The largest difference, relative to the largest number."""
    return max(float(np.abs(a - b).max(initial=0) / max(1.0, np.abs(b).max(initial=0)))
               for a, b in zip(ours, theirs))


def plot(losses, file):
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.semilogy([step for step, _ in losses], [loss for _, loss in losses], marker="o")
    pyplot.xlabel("step")
    pyplot.ylabel("loss")
    pyplot.savefig(file)
    print(f"written: {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="where to draw the losses, if matplotlib is installed")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    values = rng.standard_normal(VOCABULARY).astype(np.float32)
    table = rng.standard_normal((VOCABULARY, WIDTH), np.float32) * np.float32(0.3)
    head = rng.standard_normal(WIDTH, np.float32) * np.float32(0.3)
    program = compile_gradient(options.build.resolve())
    same = make_batch(rng, values, 64)  # the loss that is shown is of one batch

    losses, worst, shapes = [], 0.0, set()
    print(f"{'step':>5}{'bags':>6}{'tokens':>8}{'room':>6}{'loss':>11}{'difference':>13}")
    for step in range(options.steps + 1):
        num_bags = int(rng.integers(1, 33))
        batch = make_batch(rng, values, num_bags, 0 if step % 30 == 20 else LONGEST_BAG)
        shapes.add((num_bags, int(batch[2]), len(batch[0])))
        results = program(table, head, *batch)
        if step % 10 == 0:
            losses.append((step, float(program(table, head, *same)[0])))
            away = difference(results, numpy_gradient(table, head, *batch))
            worst = max(worst, away)
            print(f"{step:>5}{num_bags:>6}{int(batch[2]):>8}{len(batch[0]):>6}{losses[-1][1]:>11.4f}{away:>13.1e}")
        table -= np.float32(RATE) * results[1]
        head -= np.float32(RATE) * results[2]
    if options.plot:
        plot(losses, options.plot)
    first, last = losses[0][1], losses[-1][1]
    print(f"one compilation, {len(shapes)} shapes; loss {first:.2f} to {last:.4f} ({last / first:.4f} of the first); "
          f"largest difference to NumPy {worst:.1e}")
    if worst > TOLERANCE or last > 0.1 * first:
        sys.exit("FAILED: expected a difference of at most 1e-4, and a tenth of the first loss at most")


if __name__ == "__main__":
    main()
