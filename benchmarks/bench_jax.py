# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of JAX: one dynamic build beside XLA's static build of each shape.

    bench_jax.py --only=jax [--quick] [--rounds=N] [--threads=N] [--filter=REGEX]

Run by `./bootstrap bench --only=jax` in the environment of JAX. The networks are those of
test/Jax/networks.py, and the steps of training of test/Jax/trainings.py; parameters are
inputs of each call on both sides. Beside each shape stands what XLA takes to compile for
it; symshape compiles once. With one thread both engines are on one core, and times are
those of the process on all its threads: XLA runs its code in a thread of its own.
"""

import argparse
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS, XLA = "symshape", "XLA"
SIZES, QUICK_SIZES = 5, 2
ROUNDS, QUICK_ROUNDS = 25, 5
EACH, MEAN = 0.95, 1.1  # what is asked of each network, and of all


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--only", choices=("jax",), default="jax", help="what to measure")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    parser.add_argument("--rounds", type=int, help=f"rounds (default: {ROUNDS}, quick: {QUICK_ROUNDS})")
    parser.add_argument("--threads", type=int, default=1, help="threads of both engines (default: 1)")
    parser.add_argument("--filter", default="", help="only networks whose name this is found in")
    args = parser.parse_args()
    args.rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    return args


def prepare_process(threads):
    """XLA makes as many threads as there are cores that the process may use."""
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    os.sched_setaffinity(0, set(cores))
    os.environ["SYMSHAPE_CACHE"] = "off"  # compiling is part of what is measured
    os.environ["JAX_PLATFORMS"] = "cpu"
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "Jax"), str(Path(__file__).resolve().parent)]


def sizes_of(network, count):
    """From the least to the most, evenly."""
    for step in range(count):
        yield {name: least + (most - least) * (step + 1) // count for name, (least, most) in network.symbols.items()}


class NetworkBench:
    """One network in both engines."""

    def __init__(self, bench, name, make):
        import jax
        from jax import export

        import contest
        self.bench, self.jax, self.contest, self.name = bench, jax, contest, name
        self.network = make()
        names = list(self.network.symbols)
        dims = dict(zip(names, export.symbolic_shape(", ".join(names), constraints=self.network.constraints)))
        specs = [jax.ShapeDtypeStruct([eval(str(extent), {}, dims) for extent in extents], dtype)
                 for extents, dtype in self.network.shapes]
        self.jitted = jax.jit(self.network.function)
        exported = export.export(self.jitted)(self.network.parameters, *specs)
        self.kept = exported.module_kept_var_idx
        path = bench.out / f"jax_{name}.mlirbc"
        path.write_bytes(exported.mlir_module_serialized)
        start = time.perf_counter()
        self.program = bench.load(path)
        self.seconds = time.perf_counter() - start

    def contestants(self, sizes):
        """Calls of both, the seconds that XLA compiles, and how far their results are apart."""
        import numpy as np
        import symshape_c
        jax = self.jax
        data = self.network.draw(np.random.default_rng(0), sizes)
        start = time.perf_counter()
        compiled = self.jitted.lower(self.network.parameters, *data).compile()
        seconds = time.perf_counter() - start
        given = jax.device_put((self.network.parameters, *data))
        leaves = jax.tree.leaves((self.network.parameters, *data))
        ours = symshape_c.Call(self.program, [self.contest.aligned(leaves[i], np.asarray(leaves[i]).dtype)
                                              for i in self.kept])
        ours()

        def theirs():
            jax.block_until_ready(compiled(*given))

        apart = max((float(np.abs(np.subtract(one, two, dtype=np.float64)).max(initial=0)) /
                     max(1.0, float(np.abs(np.asarray(two, np.float64)).max(initial=0)))
                     for one, two in zip(ours.results(), jax.tree.leaves(compiled(*given)), strict=True)), default=0)
        ours()
        return {OURS: ours, XLA: theirs}, seconds, apart

    def group(self):
        contest, threads = self.contest, self.bench.threads
        group = contest.Group(f"JAX {self.name}, {threads} thread(s)", [contest.Ratio(OURS, XLA, EACH, None)])
        spent = []
        for sizes in sizes_of(self.network, QUICK_SIZES if self.bench.quick else SIZES):
            calls, seconds, apart = self.contestants(sizes)
            spent.append(seconds)
            row = self.entry(group, ", ".join(f"{name} {size}" for name, size in sizes.items()), calls)
            row |= {"xla_compile_seconds": seconds, "difference": apart}
            row["remark"] = f"XLA compiled {seconds:.2f} s" + (f"; DIFFERS by {apart:.1g}" if apart > 1e-4 else "")
        group.notes.append(f"compiling: symshape {self.seconds:.2f} s once, XLA {statistics.median(spent):.2f} s a shape")
        return group

    def entry(self, group, label, calls):
        """A row, by the clock that fits the number of threads."""
        contest, alone = self.contest, self.bench.threads == 1
        times = contest.compete(calls, self.bench.rounds, time.process_time if alone else time.perf_counter,
                                0 if alone else contest.QUIET_SECONDS)
        row = {"entry": label, "us": {name: statistics.median(t) * 1e6 for name, t in times.items()},
               "ratio": {contest.key_of(group.ratios[0]):
                         statistics.median(theirs / ours for theirs, ours in zip(times[XLA], times[OURS]))}}
        group.rows.append(row)
        return row


def main():
    args = parse_arguments()
    prepare_process(args.threads)
    import contest
    from networks import NETWORKS
    from trainings import TRAININGS
    bench = contest.Bench(args.build, args.rounds, args.quick, args.threads)
    result = {"machine": contest.machine(), "rounds": args.rounds, "quick": args.quick, "threads": args.threads,
              "load": os.getloadavg(), "jax": []}
    print(f"{result['machine']}; {args.threads} thread(s), medians of {args.rounds} rounds")
    means = {}
    for name, make in (NETWORKS | TRAININGS).items():
        if not re.search(args.filter, name):
            continue
        group = NetworkBench(bench, name, make).group()
        contest.report(group)
        sys.stdout.flush()
        means[name] = contest.geomean([next(iter(row["ratio"].values())) for row in group.rows])
        result["jax"].append({"title": group.title, "rows": group.rows, "notes": group.notes,
                              "summary": contest.summary(group)})
    if means:
        every, missed = contest.geomean(means.values()), [name for name, mean in means.items() if mean < EACH]
        print(f"\n{len(means)} networks, geometric mean {every:.2f} (asked {MEAN}); "
              f"below {EACH}: {', '.join(f'{name} {means[name]:.2f}' for name in missed) or 'none'}")
    path = bench.out / f"jax-{args.threads}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written: {path}")


if __name__ == "__main__":
    main()
