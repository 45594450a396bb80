# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see derivatives.py) on random programs.

    check_random_derivatives.py [--programs=N] [--seed=N] [--only=SEED] [--jobs=N] [--least=N]

Program k has the seed SEED + k; `--only` runs one, and prints it. One whose derivatives
are 0 at all extents that are tried, or that has no input of extent 0 at any, is made anew
from the same seed. Prints what does not hold, and how many programs have each op, each
mode and combiner; with `--least`, fails if fewer than N have one of them. Fails if derivatives
are 0 in more than one of 20 programs, or more than one of 10 has no extent 0.
"""

import argparse
import collections
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from derivatives import Failure, check, moved
from random_derivatives import Generator
from random_windows import COMBINERS, MODES

ROWS = """abs add broadcast_in_dim clamp compare concatenate constant convert cos cumsum div dot_general dynamic_slice
dynamic_truncate dynamic_update_slice exp expanding expm1 floor for if iota log log1p maximum minimum mul neg pad
pad_to_match pow reduce_max reduce_min reduce_prod reduce_sum reshape reverse round rsqrt select sign sin slice sort
sqrt sub tanh top_k transpose""".split()
ROWS += ["for, new extents", "symbolic window", *(f"gather {mode}" for mode in MODES["gather"]),
         *(f"scatter {combiner} {mode}" for combiner in COMBINERS for mode in MODES["scatter"])]


ATTEMPTS = 20


def is_worth_it(case, bindings, seed):
    """Whether the definition moves with its inputs somewhere, and there are empty inputs somewhere."""
    rng, moves, empty = np.random.default_rng(seed), False, False
    for sizes in bindings:
        arrays = case.arrays(rng, sizes)
        empty |= any(not a.size for a in arrays.values())
        direction = [rng.uniform(-1, 1, arrays[name].shape) for name in case.active]
        ends = [case.evaluate(moved(case, arrays, direction, h)) for h in (1e-3, -1e-3)]
        with np.errstate(invalid="ignore"):
            moves |= any(a.dtype.kind == "f" and a.shape == b.shape and np.any(np.abs(a - b) > 1e-9)
                         for a, b in zip(*ends))
    return moves and empty


def make(seed, second):
    """(case, bindings): the first attempt that is worth it, else the first."""
    made = []
    for attempt in range(ATTEMPTS):
        generator = Generator(seed, second, attempt)
        made.append((generator.build(length=4 + seed % 5), generator.bindings()))
        if is_worth_it(*made[-1], seed):
            return made[-1]
    return made[0]


def run(seed, show=False):
    """The rows that a program has, what was counted, and what does not hold."""
    # Second derivatives of every other program: they take half of the time.
    second = seed % 2 == 0
    case, bindings = make(seed, second)
    if show:
        print(case.text())
    try:
        return case.rows, check(case, bindings, seed, second=second), None
    except Failure as failure:
        return case.rows, collections.Counter(), f"seed {seed}: {failure}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs) if options.only is None else [options.only]
    counts, totals, failed, trivial, full = collections.Counter(), collections.Counter(), 0, 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for rows, seen, failure in pool.map(lambda seed: run(seed, options.only is not None), seeds):
            counts.update(rows)
            totals += seen
            if failure:
                failed += 1
                print(failure, flush=True)
            else:
                trivial += not seen["not 0"]
                full += not seen["empty"]
    for row, count in sorted(counts.items()):
        print(f"{row:36} {count}")
    rare = [row for row in ROWS if counts[row] < options.least]
    if rare:
        print(f"in fewer than {options.least} programs: {', '.join(rare)}")
    print(f"{totals['bindings']} bindings: at {totals['not 0']} derivatives are not 0, at {totals['empty']} an input "
          f"is empty; {trivial} programs are 0 at all of theirs, {full} have no empty input")
    print(f"{len(seeds)} programs from seed {seeds[0]}, {failed} failed")
    too_easy = trivial > len(seeds) / 20 or full > len(seeds) / 10
    return 1 if failed or rare or (too_easy and options.only is None) else 0


if __name__ == "__main__":
    sys.exit(main())
