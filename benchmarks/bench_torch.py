# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of PyTorch: `torch.compile` with symshape, beside Inductor and eager.

    bench_torch.py --only=torch [--quick] [--rounds=N] [--threads=N] [--filter=REGEX] [--kind=KIND]

Run by `./bootstrap bench --only=torch` in the environment of PyTorch. Both compilers get
`dynamic=True` and the same calls: of a first shape, which is compiled, then of others. A call
that compiles again is counted. Times are medians, on the clock of the wall; each network runs
in a process of its own.
"""

import argparse
import copy
import json
import os
import re
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS, INDUCTOR, EAGER = "symshape", "Inductor", "eager"
KINDS = ("inference", "training")
ROUNDS, QUICK_ROUNDS = 15, 5
EACH, MEAN = 0.9, 1.3  # what is asked of each network, and of all
SHAPES = 20  # at which no compiler should compile again
CLOSE = 2e-3  # how far results may be apart, by the largest


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--only", choices=("torch",), default="torch", help="what to measure")
    parser.add_argument("--quick", action="store_true", help="two sizes, fewer rounds")
    parser.add_argument("--rounds", type=int, help=f"rounds (default: {ROUNDS}, quick: {QUICK_ROUNDS})")
    parser.add_argument("--threads", type=int, default=1, help="threads of all engines (default: 1)")
    parser.add_argument("--filter", default="", help="only networks whose name this is found in")
    parser.add_argument("--kind", choices=KINDS, help="only calls of this kind")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # the network of this process
    args = parser.parse_args()
    args.rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    return args


#----------------------------------------------------------------------------#
# One network
#----------------------------------------------------------------------------#


class Contestant:
    """A module in an engine; calls of it, and what it has compiled."""

    def __init__(self, name, module, kind, threads):
        import torch
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        self.torch, self.kind, self.counters = torch, kind, torch._dynamo.utils.counters
        self.module = module.train(kind == "training")
        if name == OURS:
            # The final code, as Inductor's; without it a quick one would answer meanwhile.
            options = {"options": {"threads": threads, "compile": "sync"}}
            self.run = torch.compile(self.module, backend="symshape", dynamic=True, **options)
        else:
            self.run = torch.compile(self.module, dynamic=True) if name == INDUCTOR else self.module

    def __call__(self, inputs):
        if self.kind == "inference":
            with self.torch.no_grad():
                return self.run(*inputs)
        self.module.zero_grad(set_to_none=True)
        result = self.run(*inputs)
        result.square().mean().backward()
        return result

    def graphs(self):
        return self.counters["stats"]["unique_graphs"]

    def results(self, inputs):
        """What is compared: of training, derivatives."""
        result = self(inputs).detach()
        if self.kind == "inference":
            return [result]
        return [one.grad for one in self.module.parameters() if one.grad is not None]


def apart(ours, theirs):
    return max((float((one - two).abs().max()) / (float(two.abs().max()) + 1e-3)
                for one, two in zip(ours, theirs, strict=True) if two.numel()), default=0.0)


def more_sizes(sizes):
    """Sizes between those of the table, none twice."""
    least, most = ([pick(extents) for extents in zip(*sizes)] for pick in (min, max))
    return [tuple(low + (high - low) * step // SHAPES // 8 * 8 if high - low > 31 else low + (high - low) * step // SHAPES
                  for low, high in zip(least, most)) for step in range(SHAPES)]


def measure(network, kind, args):
    """A row for each engine, by its name."""
    import torch
    torch.manual_seed(0)
    module = network.make()
    calls = [network.draw(*sizes) for sizes in (network.sizes[:2] if args.quick else network.sizes)]
    made = {"kind": kind, "seconds": {}, "graphs": {}, "again": {}, "us": [], "ratio": {}}
    contestants, wanted = {}, None
    for name in (EAGER, INDUCTOR, OURS):
        contestant = Contestant(name, copy.deepcopy(module), kind, args.threads)
        try:
            start = time.perf_counter()
            contestant(calls[1])
            made["seconds"][name] = time.perf_counter() - start
            made["graphs"][name] = contestant.graphs()
            for sizes in more_sizes(network.sizes):
                contestant(network.draw(*sizes))
            made["again"][name] = contestant.graphs() - made["graphs"][name]
            results = [contestant.results(call) for call in calls]
        except Exception as error:  # of Inductor or of a network: a line, and no times
            made.setdefault("failed", {})[name] = " ".join(str(error).split())[:200]
            continue
        wanted = wanted or results
        made.setdefault("apart", {})[name] = max(apart(one, two) for one, two in zip(results, wanted))
        contestants[name] = contestant
    for call in calls:
        made["us"].append(compete({name: (lambda one=one: one(call)) for name, one in contestants.items()}, args.rounds))
    for other in (INDUCTOR, EAGER):
        if other in contestants and OURS in contestants:
            made["ratio"][other] = [statistics.median(b / a for a, b in zip(row[OURS], row[other])) for row in made["us"]]
    made["us"] = [{name: statistics.median(times) * 1e6 for name, times in row.items()} for row in made["us"]]
    return made


def compete(calls, rounds):
    """Name to seconds a call, one number a round."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            call()
            count, start = 0, time.perf_counter()
            while count == 0 or time.perf_counter() - start < 5e-3:
                call()
                count += 1
            times[name].append((time.perf_counter() - start) / count)
    return times


def run_one(args):
    warnings.simplefilter("ignore")
    os.environ["SYMSHAPE_CACHE"] = "off"  # compiling is part of what is measured
    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    import torch
    from torch_networks import NETWORKS
    torch.set_num_threads(args.threads)
    torch._dynamo.config.recompile_limit = 64
    print(json.dumps(measure(NETWORKS[args.one], args.kind, args)))


#----------------------------------------------------------------------------#
# All of them
#----------------------------------------------------------------------------#


def line_of(name, row):
    def mean(other):
        return f"{statistics.geometric_mean(row['ratio'][other]):8.2f}" if other in row["ratio"] else " " * 8
    seconds = "".join(f"{row['seconds'].get(one, float('nan')):8.1f}" for one in (OURS, INDUCTOR))
    again = " ".join(f"{row['again'].get(one, '-')}" for one in (OURS, INDUCTOR))
    remark = "".join(f"  {one} FAILED: {text}" for one, text in row.get("failed", {}).items())
    far = row.get("apart", {}).get(OURS, 0.0)
    return f"  {name:<16}{mean(INDUCTOR)}{mean(EAGER)}{seconds}   {again}{remark}" + \
        (f"  DIFFERS by {far:.1g}" if far > CLOSE else "")


def summary(kind, rows):
    """What is asked, and what came out."""
    lines = []
    for other, each, mean in ((INDUCTOR, EACH, MEAN), (EAGER, None, None)):
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
    sys.path[:0] = [str(ROOT / "utils"), str(Path(__file__).resolve().parent)]
    if args.one:
        return run_one(args)
    import contest
    from torch_networks import NETWORKS
    cores = sorted(os.sched_getaffinity(0))[-args.threads:]
    result = {"machine": contest.machine(), "rounds": args.rounds, "quick": args.quick, "threads": args.threads,
              "load": os.getloadavg(), "torch": {}}
    print(f"{result['machine']}; {args.threads} thread(s), medians of {args.rounds} rounds\n"
          f"  {'':<16}{'/Induct.':>8}{'/eager':>8}{'s':>8}{'Inductor':>8}   graphs compiled again")
    for kind in [args.kind] if args.kind else KINDS:
        print(f" {kind}")
        rows = result["torch"][kind] = {}
        for name, network in NETWORKS.items():
            if not re.search(args.filter, name) or (kind == "training" and not network.trains):
                continue
            command = [sys.executable, __file__, f"--one={name}", f"--kind={kind}", f"--rounds={args.rounds}",
                       f"--threads={args.threads}", *["--quick"] * args.quick]
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
            if done.returncode:
                print(f"  {name:<16}FAILED: {done.stderr.strip().splitlines()[-1][:200]}")
                continue
            rows[name] = json.loads(done.stdout.strip().splitlines()[-1])
            print(line_of(name, rows[name]))
            sys.stdout.flush()
        if rows:
            print("\n".join(summary(kind, rows)))
    path = args.build / "bench" / f"torch-{args.threads}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written: {path}")


if __name__ == "__main__":
    main()
