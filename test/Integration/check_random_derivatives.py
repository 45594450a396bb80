# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""H1 to H6 (see derivatives.py) on random programs.

    check_random_derivatives.py [--programs=N] [--seed=N] [--only=SEED] [--jobs=N] [--least=N]

Program k has the seed SEED + k; `--only` runs one, and prints it. Prints what does
not hold, and how many programs have each op, each mode and combiner; with
`--least`, fails if fewer than N have one of them.
"""

import argparse
import collections
import sys
from concurrent.futures import ThreadPoolExecutor

from derivatives import Failure, check
from random_derivatives import Generator
from random_windows import COMBINERS, MODES

ROWS = """abs add broadcast_in_dim clamp compare concatenate constant convert cos cumsum div dot_general dynamic_slice
dynamic_truncate dynamic_update_slice exp expanding expm1 floor for if iota log log1p maximum minimum mul neg pad
pad_to_match pow reduce_max reduce_min reduce_prod reduce_sum reshape reverse round rsqrt select sign sin slice sort
sqrt sub tanh top_k transpose""".split()
ROWS += ["for, new extents", "symbolic window", *(f"gather {mode}" for mode in MODES["gather"]),
         *(f"scatter {combiner} {mode}" for combiner in COMBINERS for mode in MODES["scatter"])]


def run(seed, show=False):
    """The rows that a program has, and what does not hold."""
    # Second derivatives of every other program: they take half of the time.
    second = seed % 2 == 0
    generator = Generator(seed, second)
    case = generator.build(length=4 + seed % 5)
    if show:
        print(case.text())
    try:
        check(case, generator.bindings(), seed, second=second)
    except Failure as failure:
        return case.rows, f"seed {seed}: {failure}"
    return case.rows, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs) if options.only is None else [options.only]
    counts, failed = collections.Counter(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for rows, failure in pool.map(lambda seed: run(seed, options.only is not None), seeds):
            counts.update(rows)
            if failure:
                failed += 1
                print(failure, flush=True)
    for row, count in sorted(counts.items()):
        print(f"{row:36} {count}")
    rare = [row for row in ROWS if counts[row] < options.least]
    if rare:
        print(f"in fewer than {options.least} programs: {', '.join(rare)}")
    print(f"{len(seeds)} programs from seed {seeds[0]}, {failed} failed")
    return 1 if failed or rare else 0


if __name__ == "__main__":
    sys.exit(main())
