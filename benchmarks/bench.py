# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks, run by `./bootstrap bench`: tables, and JSON in build/bench/.

    bench.py [--only=SUBJECT[,SUBJECT]] [--quick] [--rounds=N] [--threads=N]

Subjects: `matmul` (P6), `rows` (softmax, layer norm, gelu, attention),
`convolution`, `networks` (eight convolutional ones), `model` (the demo model: speed),
`bytes` (products and convolutions of quantised operands), `precision` (all of
`precision-products`, of bf16, f16 and f32; `precision-codes`, weights of 8 and 4 bits;
`precision-rows`, elementwise ops and rows of 16 bits; `precision-networks`, by the precision
bf16, and quantised ones),
`tensors` (gather, scatter, truncation and padding, beside loops in C; a gradient), `cost`
(P9, the demo model's compile time, code and memory), `analysis` (P3, time against program
size), `growth` (ten times as many facts and guards), `stages` (what compiling takes for each part of large programs), `guards` (P4, the checks at entry),
`calls` (a call from Python), `accuracy` (errors of ops and networks in each precision), `facts` (P1 and P2, the fact engine), `onnx` (public models from
their .onnx files: speed, then their cost in processes of their own), `ready` (how long 56 models
take until they can be called, in processes of their own). At the end it says which
targets are missed (targets.py), and by which entries; `figures.py --keep` keeps the results for
the pages. The first five, `bytes`, `precision` and `onnx` run symshape and ONNX Runtime in turn in one process
(contest.py), on one core; with `--threads`, both on that many threads.
"""

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ["SYMSHAPE_CACHE"] = "off"  # compiling is part of what is measured
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "examples" / "minilm")]

import bench_accuracy
import bench_analysis
import bench_bytes
import bench_calls
import bench_codes
import bench_convolution
import bench_facts
import bench_growth
import bench_guards
import bench_matmul
import bench_model
import bench_network_precision
import bench_networks
import bench_onnx
import bench_precision
import bench_ready
import bench_rows
import bench_small_floats
import bench_stages
import bench_tensor_ops
import contest
import model
import onnx_model
import targets


CONTESTS = {"matmul": bench_matmul.groups, "rows": bench_rows.groups,
            "convolution": bench_convolution.groups, "networks": bench_networks.groups, "model": bench_model.groups,
            "tensors": bench_tensor_ops.groups, "bytes": bench_bytes.groups,
            "precision-products": bench_precision.groups, "precision-codes": bench_codes.groups,
            "precision-rows": bench_small_floats.groups, "precision-networks": bench_network_precision.groups,
            "onnx": bench_onnx.groups}
OTHERS = {
    "cost": (bench_model.cost, bench_model.report_cost),
    "analysis": (bench_analysis.run, bench_analysis.report),
    "growth": (lambda bench: bench_growth.GrowthBench(bench.build, bench.quick).run(), bench_growth.report),
    "stages": (lambda bench: bench_stages.StagesBench(bench.build, bench.quick).run(bench_stages.ALL), lambda rows: None),
    "guards": (lambda bench: bench_guards.GuardBench(bench).run(), bench_guards.report),
    "calls": (bench_calls.run, bench_calls.report),
    "accuracy": (bench_accuracy.run, bench_accuracy.report),
    "onnx cost": (bench_onnx.cost, bench_onnx.report_cost),
    "ready": (bench_ready.run, bench_ready.report),
    "facts": (lambda bench: bench_facts.FactBench(bench.build).run(), bench_facts.report),
}
SUBJECTS = [*CONTESTS, *(name for name in OTHERS if " " not in name)]
PARTS = {"precision": [name for name in CONTESTS if name.startswith("precision-")]}
ROUNDS, QUICK_ROUNDS = 25, 7


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--only", type=lambda text: text.split(","), default=SUBJECTS,
                        metavar="SUBJECT,...", help="what to measure (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    parser.add_argument("--rounds", type=int, help=f"rounds of a contest (default: {ROUNDS}, "
                                                   f"quick: {QUICK_ROUNDS})")
    parser.add_argument("--threads", type=int, default=1, help="threads of both engines (default: 1)")
    args = parser.parse_args()
    args.only = [part for subject in args.only for part in PARTS.get(subject, [subject])]
    unknown = set(args.only) - set(SUBJECTS)
    if unknown:
        parser.error(f"expected subjects among {', '.join([*SUBJECTS, *PARTS])}, but got {', '.join(unknown)}")
    args.rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    return args


def main():
    args = parse_arguments()
    bench = contest.Bench(args.build, args.rounds, args.quick, args.threads)
    if args.threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if set(args.only) & {"model", "cost"}:
        (bench.out / "minilm.onnx").write_bytes(onnx_model.build(model.weights_file(bench.build)))
    result = {"machine": contest.machine(), "rounds": args.rounds, "quick": args.quick, "threads": args.threads,
              "load": os.getloadavg()}
    print(f"{result['machine']}; {args.threads} thread(s), medians of {args.rounds} rounds")
    for name, groups in CONTESTS.items():
        if name in args.only:
            result[name] = []
            for group in groups(bench):
                contest.report(group)
                sys.stdout.flush()
                result[name].append({"title": group.title, "rows": group.rows, "notes": group.notes,
                                     "summary": contest.summary(group)})
    for name, (run, report) in OTHERS.items():
        if " " in name and args.threads > 1:
            continue  # compiling does not depend on threads
        if name.split()[0] in args.only:
            result[name] = run(bench)
            report(result[name])
    targets.report(result)
    path = bench.out / "bench.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"\nwritten: {path}")


if __name__ == "__main__":
    main()
