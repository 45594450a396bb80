# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program and its calls in every mode: whether each call is served, what is said, what comes out.

    outcomes = Modes(folder).run(path, calls)      # a list of `Outcome`, one per call, for each name of a mode
    for what in differences(outcomes): ...

The modes of the C API run in one process that is kept from program to program, in memory that is
filled when it is allocated and freed (MALLOC_PERTURB_); the others are those of symshape-run, and
a bundle. Not for: programs that were rewritten, whose outcomes `differences` compares as well.
"""

import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import symrun

TIMEOUT = 120  # seconds for all calls of a program in one mode
CRASHED = 70

# Options of symshape_c.Program.
IN_PROCESS = {
    "always": {"dynamic": "always"},
    "auto": {"dynamic": "auto"},
    "never": {"dynamic": "never"},
    "threads": {"threads": 2},
    "no plan": {"memory_plan": False},
}
# Options of symshape-run.
BY_COMMAND = {
    "default": [],
    "quick": ["--compile=quick"],
    "guard pages": ["--guard-pages"],
}
BUNDLE = "bundle"
ALL = [*IN_PROCESS, *BY_COMMAND, BUNDLE]


class Outcome(NamedTuple):
    """Of a call. `status` is that of symshape-run, `results` are arrays, or None where it is not 0."""

    status: int
    message: str
    results: list | None


def _serve():
    """The process of the modes of the C API: reads jobs, writes outcomes, until there are no more."""
    import symshape_c
    library = symshape_c.load(sys.argv[2])
    while job := _receive(sys.stdin.buffer):
        path, entry, options, calls = job
        found = []
        try:
            program = symshape_c.Program(path, library=library, entry=entry, **options)
            for call in calls:
                try:
                    found.append((0, "", [result.copy() for result in program(*call)]))
                except symshape_c.Error as error:
                    found.append((error.status, str(error), None))
        except symshape_c.Error as error:
            found = [(error.status, str(error), None)] * len(calls)
        _send(sys.stdout.buffer, found)


def _send(file, what):
    data = pickle.dumps(what)
    file.write(struct.pack("<Q", len(data)) + data)
    file.flush()


def _receive(file):
    head = file.read(8)
    return pickle.loads(file.read(struct.unpack("<Q", head)[0])) if len(head) == 8 else None


class Modes:
    """Runs programs in modes; a context, at whose end its process ends."""

    def __init__(self, library, folder):
        self.library, self.folder, self.process = library, Path(folder), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait()

    def run(self, path, calls, *, results, modes=ALL, entry="main", last_refused=False):
        """For each mode, the outcome of each call; None for a call that was not made.

        Mode "always" must be among the modes: it says which calls are made together. last_refused: of
        the others, each of which costs a process, only the last one is made outside of this one.
        """
        found = {mode: self._in_process(path, calls, entry, IN_PROCESS[mode]) for mode in modes if mode in IN_PROCESS}
        served = [i for i in range(len(calls)) if found["always"][i].status == 0]
        refused = [i for i in range(len(calls)) if i not in served]
        # One that contradicts a type refuses all calls of its process, so each has its own.
        groups = [served] * bool(served) + [[i] for i in (refused[-1:] if last_refused else refused)]
        for mode in modes:
            if mode in IN_PROCESS:
                continue
            command = self._bundle(path, entry) if mode == BUNDLE else \
                ["symshape-run", path, f"--entry={entry}", *BY_COMMAND[mode]]
            found[mode] = [None] * len(calls)
            for group in groups:
                outcomes = [command] * len(group) if isinstance(command, Outcome) else \
                    self._by_command(command, [calls[i] for i in group], results)
                for i, outcome in zip(group, outcomes):
                    found[mode][i] = outcome
        return found

    def _in_process(self, path, calls, entry, options):
        if not self.process:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--serve", str(self.library)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **symrun.perturbed(165)})
        try:
            _send(self.process.stdin, (str(path), entry, options, [[np.asarray(x) for x in call] for call in calls]))
            found = _receive(self.process.stdout)
        except BrokenPipeError:
            found = None
        if found is None:
            status, self.process = self.process.wait(), None
            found = [(CRASHED, f"the process ended with status {status}", None)] * len(calls)
        return [Outcome(*one) for one in found]

    def _bundle(self, path, entry):
        """The command that runs the program as a bundle, or the outcome where there is none."""
        bundle = self.folder / "bundle"
        shutil.rmtree(bundle, ignore_errors=True)
        done = subprocess.run(["symshape-run", path, f"--entry={entry}", f"--save-bundle={bundle}"],
                              capture_output=True, text=True, timeout=TIMEOUT)
        return ["symshape-bundle-run", bundle] if done.returncode == 0 else \
            Outcome(done.returncode, done.stderr.rstrip(), None)

    def _by_command(self, command, calls, results):
        """Each process ends at the first call that is refused."""
        found = []
        while len(found) < len(calls):
            status, message, arrays = self._once(command, calls[len(found):], results)
            found += [Outcome(0, "", one) for one in arrays]
            if status or not arrays:
                found.append(Outcome(status or CRASHED, message, None))
        return found

    def _once(self, command, calls, results):
        for old in self.folder.glob("*.npy"):
            old.unlink()
        lines = []
        for i, call in enumerate(calls):
            for j, array in enumerate(call):
                np.save(self.folder / f"in{i}_{j}.npy", np.asarray(array))
            lines.append(" ".join(f"@{self.folder}/in{i}_{j}.npy" for j in range(len(call))) + "\n")
        (self.folder / "calls").write_text("".join(lines))
        outputs = [f"--output={self.folder}/out{{call}}_{j}.npy" for j in range(results)]
        # A process per call that is refused, but one compilation for all of them.
        done = subprocess.run([*map(str, command), f"--calls={self.folder}/calls", *outputs], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                              env={**os.environ, "SYMSHAPE_CACHE": str(self.folder / "cache")})
        arrays = []
        for i in range(len(calls)):
            paths = [self.folder / f"out{i}_{j}.npy" for j in range(results)]
            if not all(path.exists() for path in paths):
                break
            arrays.append([np.load(path) for path in paths])
        return done.returncode, done.stderr.rstrip(), arrays


ERROR = re.compile(r"error: (.*)")


def spell(outcome):
    """What is said, without what tools put around it: of a call that was refused, the message; of a program
    that was, the errors."""
    message = re.sub(r"^note: in call \d+\n", "", outcome.message)
    if outcome.status == 3:
        return re.sub(r"^error: (symshape: )?", "", message, flags=re.M)
    return sorted(line for line in set(ERROR.findall(message)) if not line.startswith("cannot lower"))


def same_results(a, b, tolerance):
    return len(a) == len(b) and all(
        x.dtype == y.dtype and symrun.largest_difference(x, y) <= tolerance *
        (1 + np.abs(x.astype(np.float64), where=np.isfinite(x), out=np.zeros(x.shape)).max(initial=0))
        for x, y in zip(a, b))


def differences(outcomes, *, exact=True, tolerance=1e-5, first="always"):
    """In words, each call and mode in which something differs from mode `first`.

    Programs that were rewritten (not `exact`) may find another reason first, and at compilation.
    """
    found = []
    for mode, of_mode in outcomes.items():
        for i, (one, other) in enumerate(zip(outcomes[first], of_mode)):
            if mode == first or other is None:
                continue
            here = f"call {i}, {first} and {mode}: "
            # A call that contradicts a type is told so before a program is compiled that serves no call.
            alike = exact and not (one.status == 1 and "expected extent" in other.message)
            if (one.status == 0) != (other.status == 0) or CRASHED in (one.status, other.status) or \
                    (alike and one.status != other.status):
                found.append(f"{here}status {one.status} and {other.status}\n{one.message}\n{other.message}")
            elif one.status == 0 and not same_results(one.results, other.results, tolerance):
                found.append(f"{here}results {one.results} and {other.results}")
            elif one.status and (spell(one) != spell(other) if alike else not ERROR.search("error: " + other.message)):
                found.append(f"{here}messages\n{one.message}\n{other.message}")
    return found


if __name__ == "__main__" and sys.argv[1:2] == ["--serve"]:
    _serve()
