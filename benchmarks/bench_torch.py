# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of PyTorch: `torch.compile` with symshape, beside Inductor and eager.

    bench_torch.py --only=torch [--quick] [--rounds=N] [--threads=N] [--filter=REGEX] [--kind=KIND] [--precision=bf16]

Run by `./bootstrap bench --only=torch` in the environment of PyTorch. Both compilers get
`dynamic=True` and the same calls: of a first shape, which is compiled, then of others. A call
that compiles again is counted. Times are medians, on the clock of the wall; each engine runs
in a process of its own, the others waiting. With `--precision=bf16`, Inductor runs under
`torch.autocast` of bfloat16, and eager, from which errors are taken, in f32.
"""

import argparse
import json
import multiprocessing
import os
import re
import signal
import statistics
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(Path(__file__).resolve().parent)]

import contest
import torch_process
from targets import TORCH_EACH, TORCH_MEAN
from torch_networks import NETWORKS
from torch_process import EAGER, INDUCTOR, OURS

KINDS = ("inference", "training")
ROUNDS, QUICK_ROUNDS = 15, 5
SHAPES = 20  # at which no compiler should compile again
# How far results may be apart, by the largest; derivatives jump where an argument of a ReLU is about 0.
CLOSE = {"inference": 2e-3, "training": 1e-2}
TIMES_IN_BF16 = 30  # as far, with products in bf16


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--only", choices=("torch",), default="torch", help="what to measure")
    parser.add_argument("--quick", action="store_true", help="two sizes, fewer rounds")
    parser.add_argument("--rounds", type=int, help=f"rounds (default: {ROUNDS}, quick: {QUICK_ROUNDS})")
    parser.add_argument("--threads", type=int, default=1, help="threads of all engines (default: 1)")
    parser.add_argument("--filter", default="", help="only networks whose name this is found in")
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32", help="of products")
    parser.add_argument("--kind", choices=KINDS, help="only calls of this kind")
    args = parser.parse_args()
    args.rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    return args


#----------------------------------------------------------------------------#
# One network
#----------------------------------------------------------------------------#


class Contestant:
    """A network in an engine, in a process of its own: what it does there ends neither the others nor the run."""

    def __init__(self, engine, network, kind, args):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=torch_process.serve, args=(other, engine, network, kind, args.precision, args.threads))
        self.process.start()
        other.close()

    def ask(self, *what):
        """The answer to a question; raises RuntimeError with what went wrong there."""
        try:
            self.pipe.send(what)
            error, answer = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode
            raise RuntimeError(f"its process ended with {signal.Signals(-code).name if code < 0 else code}") from None
        if error:
            raise RuntimeError(error)
        return answer

    def close(self):
        self.pipe.close()
        self.process.join()


def apart(ours, theirs):
    return max((float(np.abs(one - two).max()) / (float(np.abs(two).max()) + 1e-3)
                for one, two in zip(ours, theirs, strict=True) if two.size), default=0.0)


def more_sizes(sizes):
    """Sizes between those of the table, none twice."""
    least, most = ([pick(extents) for extents in zip(*sizes)] for pick in (min, max))
    return [tuple(low + (high - low) * step // SHAPES // 8 * 8 if high - low > 31 else low + (high - low) * step // SHAPES
                  for low, high in zip(least, most)) for step in range(SHAPES)]


def measure(name, network, kind, args):
    """What the engines made of a network, and their times, by their names."""
    sizes = network.sizes[:2] if args.quick else network.sizes
    made = {"seconds": {}, "again": {}, "apart": {}, "failed": {}, "eager": [], "us": [], "ratio": {}}
    contestants, wanted = {}, None
    for engine in (EAGER, INDUCTOR, OURS):
        contestants[engine] = contestant = Contestant(engine, name, kind, args)
        try:
            made["seconds"][engine] = contestant.ask("prepare", sizes[1])
            made["again"][engine] = contestant.ask("again", more_sizes(network.sizes))
            results = [contestant.ask("results", one) for one in sizes]
            made["eager"] += contestant.ask("fallbacks")
        except RuntimeError as error:  # of Inductor or of a network: a line, and no times
            made["failed"][engine] = str(error)
            contestants.pop(engine).close()
            continue
        wanted = wanted or results
        made["apart"][engine] = max(apart(one, two) for one, two in zip(results, wanted))
    rows = [{engine: [] for engine in contestants} for _ in sizes]
    for one, row in zip(sizes, rows):
        for _ in range(args.rounds):
            for engine, contestant in contestants.items():
                row[engine].append(contestant.ask("time", one))
    for contestant in contestants.values():
        contestant.close()
    for other in (INDUCTOR, EAGER):
        if {other, OURS} <= contestants.keys():
            made["ratio"][other] = [statistics.median(b / a for a, b in zip(row[OURS], row[other])) for row in rows]
    made["us"] = [{engine: statistics.median(times) * 1e6 for engine, times in row.items()} for row in rows]
    return made


#----------------------------------------------------------------------------#
# All of them
#----------------------------------------------------------------------------#


def line_of(name, kind, row, close):
    def mean(other):
        return f"{statistics.geometric_mean(row['ratio'][other]):8.2f}" if other in row["ratio"] else " " * 8
    seconds = "".join(f"{row['seconds'].get(one, float('nan')):8.1f}" for one in (OURS, INDUCTOR))
    again = " ".join(f"{row['again'].get(one, '-')}" for one in (OURS, INDUCTOR))
    remark = "".join(f"  {one} FAILED: {text}" for one, text in row["failed"].items())
    remark += "".join(f"  RUNS EAGERLY: {text}" for text in row["eager"])
    far = row["apart"].get(OURS, 0.0)
    return f"  {name:<16}{mean(INDUCTOR)}{mean(EAGER)}{seconds}   {again}{remark}" + \
        (f"  DIFFERS by {far:.1g}" if far > close else "")


def summary(kind, rows):
    """What is asked, and what came out."""
    lines = []
    for other, each, mean in ((INDUCTOR, TORCH_EACH, TORCH_MEAN), (EAGER, None, None)):
        means = {name: statistics.geometric_mean(row["ratio"][other]) for name, row in rows.items() if other in row["ratio"]}
        if not means:
            continue
        below = [f"{name} {value:.2f}" for name, value in means.items() if each and value < each]
        lines.append(f"{kind}, {other}: {len(means)} networks, geometric mean {statistics.geometric_mean(means.values()):.2f}"
                     + (f" (asked {mean}); below {each}: {', '.join(below) or 'none'}" if each else ""))
    both = [row["seconds"] for row in rows.values() if {OURS, INDUCTOR} <= row["seconds"].keys()]
    slower = sum(row[OURS] > row[INDUCTOR] for row in both)
    lines.append(f"{kind}, compiling: {statistics.median(row[OURS] for row in both):.1f} s, Inductor "
                 f"{statistics.median(row[INDUCTOR] for row in both):.1f} s (medians); longer than Inductor: {slower}")
    more = [name for name, row in rows.items() if row["again"].get(OURS, 0) > row["again"].get(INDUCTOR, 0)]
    lines.append(f"{kind}, compiled again at {SHAPES} shapes where Inductor is not: {', '.join(more) or 'none'}")
    return lines


def main():
    args = parse_arguments()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-args.threads:])
    result = {"machine": contest.machine(), "rounds": args.rounds, "quick": args.quick, "threads": args.threads,
              "precision": args.precision,
              "load": os.getloadavg(), "torch": {}}
    print(f"{result['machine']}; {args.threads} thread(s), medians of {args.rounds} rounds\n"
          f"  {'':<16}{'/Induct.':>8}{'/eager':>8}{'s':>8}{'Inductor':>8}   graphs compiled again")
    for kind in [args.kind] if args.kind else KINDS:
        print(f" {kind}")
        rows = result["torch"][kind] = {}
        for name, network in NETWORKS.items():
            if not re.search(args.filter, name) or (kind == "training" and not network.trains):
                continue
            rows[name] = measure(name, network, kind, args)
            print(line_of(name, kind, rows[name], CLOSE[kind] * (1 if args.precision == "f32" else TIMES_IN_BF16)))
            sys.stdout.flush()
        if rows:
            print("\n".join(summary(kind, rows)))
    path = args.build / "bench" / f"torch-{args.precision}-{args.threads}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written: {path}")


if __name__ == "__main__":
    main()
