# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who calls `run(model, batch)` for each batch: this process, a pool, Dask or Ray. Each gives pairs of a batch and its
results, in no order; a batch whose worker died is given to another."""

from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

ATTEMPTS = 3


def on_one(run, model, batches, _):
    for batch in batches:
        yield batch, run(model, batch)


def on_processes(run, model, batches, workers):
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


def on_dask(run, model, batches, workers):
    """Dask starts a worker again, and gives its tasks to another."""
    from distributed import Client, LocalCluster
    from distributed import as_completed as as_answered
    with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = {client.submit(run, model, batch, retries=ATTEMPTS, pure=False): batch for batch in batches}
        for future in as_answered(futures):
            yield futures[future], future.result()


def on_ray(run, model, batches, workers):
    """Ray runs a task whose worker died again; a Ray that is started is used."""
    import ray
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, object_store_memory=2**28, ignore_reinit_error=True)
    remote = ray.remote(max_retries=ATTEMPTS)(run)
    futures = {remote.remote(model, batch): batch for batch in batches}
    while futures:
        (done, *_), _ = ray.wait(list(futures))
        yield futures.pop(done), ray.get(done)
    ray.shutdown()
