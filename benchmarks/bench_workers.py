#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows a second of examples/batch over a folder of rows of many lengths: one process, and workers in several.

    bench_workers.py MODEL FOLDER [--rows=600] [--rounds=3] [--workers=2] [--out=FILE.json]

MODEL is a sentence encoder in ONNX, such as paraphrase-MiniLM-L3-v2 of build/onnx-models; FOLDER is made. Kinds run in
turn, and the median of the rounds is told: of all rows with what starting the workers takes, and of the answers after
the first. Every kind must give the rows that one process gives. `figures.py --keep` keeps what --out writes. A kind
whose package is missing is left out, and named.
"""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "examples/batch")]
import batch  # noqa: E402
import workers  # noqa: E402

KINDS = {"one": None, "processes": None, "dask": "distributed", "ray": "ray"}
MOST_WORDS = 128


def write_rows(folder, count):
    rng = np.random.default_rng(7)
    folder.mkdir(parents=True)
    for number in range(count):
        np.save(folder / f"{number:05}.npy", rng.integers(1000, 20000, rng.integers(3, MOST_WORDS + 1)))
    return sorted(map(str, folder.glob("*.npy")))


def run(kind, model, batches, count):
    """Seconds of all, rows a second after the first answer, and the results by path."""
    start, results, first, early = time.perf_counter(), {}, None, 0
    for paths, rows in getattr(workers, f"on_{kind}")(batch.run, model, batches, count):
        results.update(zip(paths, rows))
        if first is None:
            first, early = time.perf_counter(), len(paths)
    end = time.perf_counter()
    return end - start, (len(results) - early) / (end - first), results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells", type=int, default=2048)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "examples/batch"), os.environ.get("PYTHONPATH", "")])
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")  # the machine may have other work
    kinds = [kind for kind, package in KINDS.items() if not package or importlib.util.find_spec(package)]
    paths = write_rows(args.folder, args.rows)
    batches = batch.group(paths, args.cells)
    seen, expected = {kind: [] for kind in kinds}, run("one", args.model, batches, 1)[2]
    for _ in range(args.rounds):
        for kind in kinds:
            seconds, pace, results = run(kind, args.model, batches, args.workers)
            assert results.keys() == expected.keys(), kind
            assert all(np.array_equal(results[path], expected[path]) for path in paths), kind
            seen[kind].append((len(paths) / seconds, pace))
    rows = [{"entry": kind, "all": statistics.median(each for each, _ in seen[kind]),
             "running": statistics.median(each for _, each in seen[kind])} for kind in kinds]
    for row in rows:
        print(f"{row['entry']:>10}: {row['all']:7.1f} rows a second with the start, {row['running']:7.1f} after it")
    for kind in KINDS.keys() - set(kinds):
        print(f"{kind:>10}: left out, for there is no package {KINDS[kind]}")
    if args.out:
        args.out.write_text(json.dumps({"model": Path(args.model).stem, "cores": len(os.sched_getaffinity(0)), "workers": args.workers,
                                        "count": len(paths), "rounds": args.rounds, "load": os.getloadavg(), "rows": rows}))
    print(f"{len(kinds)} kinds, {len(paths)} rows in {len(batches)} batches, all the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
