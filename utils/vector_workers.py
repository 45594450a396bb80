# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases run by processes that run many each: one that ends its process is one failure.

A process that crashes, or is ended because a case takes too long, is replaced. Memory
is limited, also that of what a process starts.
"""

import multiprocessing
import resource
import signal
from multiprocessing.connection import wait

PROCESSES = multiprocessing.get_context("fork")


def serve(connection, run, seconds, memory):
    """Runs cases until none comes. Sends (True, outcome) for each, before it (False, text): what is run."""
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        signal.alarm(seconds)
        try:
            outcome = run(case, lambda part: connection.send((False, part)))
        except Exception as error:
            outcome = "failed", f"{type(error).__name__}: {error}"
        signal.alarm(0)
        connection.send((True, outcome))


class Worker:
    """A process, and the case that it runs."""

    def __init__(self, *arguments):
        self.connection, other = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=serve, args=(other, *arguments), daemon=True)
        self.process.start()
        other.close()
        self.case, self.part = None, ""

    def give(self, case):
        self.case, self.part = case, ""
        self.connection.send(case)

    def how_it_ended(self, seconds):
        self.process.join()
        code = self.process.exitcode
        if code == -signal.SIGALRM:
            how = f"took more than {seconds} s"
        else:
            how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        return f"{self.part}{how}"


def run_all(run, cases, jobs, seconds, memory):
    """Pairs of a case and its outcome, as they come.

    `run(case, report)` is ("passed", anything) or ("failed" or "skipped", reason); it may call `report`
    with a text that says what is run. `seconds` are for one case, `memory` (bytes, 0:
    any) for one process.
    """
    waiting, workers = list(reversed(cases)), []

    def start():
        worker = Worker(run, seconds, memory)
        worker.give(waiting.pop())
        workers.append(worker)

    while waiting and len(workers) < jobs:
        start()
    while workers:
        for connection in wait([worker.connection for worker in workers]):
            worker = next(one for one in workers if one.connection is connection)
            try:
                done, what = connection.recv()
            except (EOFError, ConnectionError):
                workers.remove(worker)
                yield worker.case, ("failed", worker.how_it_ended(seconds))
                if waiting:
                    start()
                continue
            if not done:
                worker.part = what
                continue
            yield worker.case, what
            if waiting:
                worker.give(waiting.pop())
            else:
                workers.remove(worker)
                worker.process.terminate()
