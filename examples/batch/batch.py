# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model over FOLDER/*.npy, rows of ids of many lengths, with workers in several processes; writes FOLDER/*.out.

Rows of like length make a batch, padded to its longest, of at most so many cells; costly ones go first. Each worker
loads the program once, from the cache or a file that program.save has written."""

import argparse
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import workers


@lru_cache(maxsize=1)
def load(model):
    """Once in each process."""
    import symshape
    return symshape.load(model)


def run(model, paths):
    """Runs one batch: ids and mask, padded with 0; returns the part of the result that is each path's."""
    program, rows = load(model), [np.load(path) for path in paths]
    ids, mask = np.zeros((2, len(rows), max(map(len, rows))), np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)], mask[i, :len(row)] = row, 1
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


if __name__ == "__main__":
    from batch import run  # the function that workers find, too
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cells", type=int, default=4096)
    parser.add_argument("--on", choices=["one", "processes", "dask", "ray"], default="processes")
    args = parser.parse_args()
    files = sorted(str(path) for path in args.folder.glob("*.npy"))
    start, batches = time.perf_counter(), group(files, args.cells)
    answers = {path: row for batch, rows in getattr(workers, f"on_{args.on}")(run, args.model, batches, args.workers)
               for path, row in zip(batch, rows)}
    for path in files:  # in order
        np.save(open(f"{path[:-4]}.out", "wb"), answers[path])
    print(f"{len(answers)} of {len(files)} rows, {len(files) / (time.perf_counter() - start):.0f} rows a second")
