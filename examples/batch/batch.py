# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model over a folder of inputs of many shapes, with workers in several processes.

    batch.py MODEL FOLDER [--workers=2] [--cells=4096] [--on=processes|dask|ray|one]

Each input is FOLDER/*.npy, a row of ids; the result goes to FOLDER/*.out. Rows of about one length make a batch,
which is padded to its longest, and costs at most so many cells; costly batches go first. Each worker loads the
program once, from the cache or a file that program.save has written. A batch whose worker died is given to another.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np

ATTEMPTS = 3


@lru_cache(maxsize=1)
def load(model):
    """Once in each process."""
    import symshape
    return symshape.load(model)


def run(model, paths):
    """Runs one batch: ids and mask, padded with 0; returns the part of the result that is each path's."""
    rows = [np.load(path) for path in paths]
    ids, mask = np.zeros((2, len(rows), max(map(len, rows))), np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)], mask[i, :len(row)] = row, 1
    program = load(model)
    result = program(*[ids, mask, np.zeros_like(ids)][:len(program.inputs)])[0]  # some encoders also take kinds of words
    return [result[i, :len(row)] for i, row in enumerate(rows)]


def group(paths, cells):
    """Batches of at most so many cells, of rows of like length; the costly ones first."""
    lengths = {path: len(np.load(path, mmap_mode="r")) for path in paths}
    batches = [[]]
    for path in sorted(paths, key=lengths.get):
        if batches[-1] and (len(batches[-1]) + 1) * lengths[path] > cells:
            batches.append([])
        batches[-1].append(path)
    return sorted(batches, key=lambda batch: -len(batch) * lengths[batch[-1]])


def on_one(model, batches, _):
    for batch in batches:
        yield batch, run(model, batch)


def on_processes(model, batches, workers):
    """A pool that has lost a worker is broken: what it has not answered goes to a new one."""
    left = list(batches)
    for _ in range(ATTEMPTS):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            try:
                futures = {pool.submit(run, model, batch): batch for batch in left}
                for future in as_completed(futures):
                    results = future.result()
                    left.remove(futures[future])
                    yield futures[future], results
                return
            except BrokenProcessPool:
                continue
    raise RuntimeError(f"expected a worker to live, but {ATTEMPTS} pools broke; {len(left)} batches are left")


def on_dask(model, batches, workers):
    """Dask starts a worker again, and gives its tasks to another."""
    from distributed import Client, LocalCluster
    from distributed import as_completed as as_answered
    with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = {client.submit(run, model, batch, retries=ATTEMPTS, pure=False): batch for batch in batches}
        for future in as_answered(futures):
            yield futures[future], future.result()


def on_ray(model, batches, workers):
    """Ray runs a task whose worker died again."""
    import ray
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(max_retries=ATTEMPTS)(run)
    futures = {remote.remote(model, batch): batch for batch in batches}
    while left := [future for future in futures if futures[future] is not None]:
        (done, *_), _ = ray.wait(left)
        yield futures[done], ray.get(done)
        futures[done] = None
    ray.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells", type=int, default=4096)
    parser.add_argument("--on", choices=["one", "processes", "dask", "ray"], default="processes")
    args = parser.parse_args()
    paths = sorted(str(path) for path in args.folder.glob("*.npy"))
    start, results = time.perf_counter(), {}
    for batch, rows in globals()[f"on_{args.on}"](args.model, group(paths, args.cells), args.workers):
        results.update(zip(batch, rows))
    for path in paths:  # in order
        np.save(open(f"{path[:-4]}.out", "wb"), results[path])
    seconds = time.perf_counter() - start
    print(f"{len(results)} of {len(paths)} rows, {len(paths) / seconds:.0f} rows a second")


if __name__ == "__main__":
    main()
