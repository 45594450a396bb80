# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Automatic dynamic shapes: a table of call sequences, and the state that is kept.

Each sequence runs beside NumPy, and the number of compilations is the one of the
table. The state folder is damaged in every way that we can think of: a run never
fails because of it.
"""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import symrun
from checking import Checks

PROGRAM = Path(__file__).parent / "Inputs" / "automatic.mlir"

# Mode, policies of the dims of x, shapes of the calls, compilations.
TABLE = [
    ("always", "", [(2, 3), (4, 3), (2, 3)], 1),
    ("auto", "", [(2, 3)], 1),
    ("auto", "", [(2, 3), (2, 3), (2, 3)], 1),
    ("auto", "", [(2, 3), (4, 3)], 2),  # one dim varies
    ("auto", "", [(2, 3), (4, 3), (5, 3), (6, 3), (7, 3)], 2),
    ("auto", "", [(2, 3), (4, 5)], 2),  # two vary together
    ("auto", "", [(2, 3), (4, 5), (6, 5), (4, 7)], 2),
    ("auto", "", [(2, 3), (4, 3), (2, 5), (4, 5)], 3),  # one after the other
    ("auto", "", [(2, 3), (4, 3), (2, 3), (4, 3), (2, 3)], 2),  # alternate
    ("auto", "", [(2, 3), (4, 3), (2, 3)], 2),  # return to an old size
    ("auto", "", [(0, 3), (1, 3), (2, 3)], 2),  # 0 and 1 are sizes like others
    ("auto", "", [(1, 1), (0, 0), (2, 3)], 2),
    ("auto", "", [(3, 3), (4, 4), (4, 5)], 2),  # equal so far is not equal
    ("never", "", [(2, 3), (4, 3), (2, 3), (4, 5)], 3),
    ("auto", "dynamic auto", [(2, 3), (4, 3), (5, 3)], 1),  # what is declared goes first
    ("auto", "static auto", [(2, 3), (4, 3), (2, 3), (2, 5), (4, 5)], 4),
    ("never", "dynamic dynamic", [(2, 3), (4, 5)], 1),
    ("always", "static auto", [(2, 3), (2, 7), (4, 3)], 2),
]


def calls_of(shapes):
    rng = np.random.default_rng(1)
    return [[rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(2)] for shape in shapes]


def write_program(folder, policies):
    """The program, with policies for the dims of both arguments."""
    path = folder / "program.mlir"
    text = PROGRAM.read_text()
    if policies:
        m, n = policies.split()
        text = re.sub(r"(%[xy]): tensor<\?x\?xf32>([,)])",
                      r"\1: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}\2", text)
        text = text.replace("tensor<?xf32>) {", "tensor<?xf32>) attributes {symshape.symbols = ["
                            f'#symshape.symbol<"M", policy = {m}>, #symshape.symbol<"N", policy = {n}>]}} {{', 1)
    path.write_text(text)
    return path


def compilations(run):
    return int(run.stderr.strip().splitlines()[-1].removeprefix("compilations: "))


class State:
    """Runs of one program that share a folder."""

    def __init__(self, checks, folder):
        self.checks = checks
        self.folder = folder / "state"
        self.program = write_program(folder, "")
        self.options = []

    def files(self, suffix):
        return sorted(self.folder.glob(f"*{suffix}"))

    def run(self, shapes, **popen):
        calls = calls_of(shapes)
        return calls, symrun.run(self.program, calls, results=2,
                                 options=["--verbose", "--dynamic=auto", f"--state={self.folder}", *self.options],
                                 **popen)

    def expect(self, shapes, count, what, warning=None, **popen):
        calls, run = self.run(shapes, **popen)
        if self.checks.ran(run, len(calls), what):
            compare(self.checks, calls, run, what)
            self.checks.that(compilations(run) == count, f"{what}: {count} compilations", run.stderr)
        self.checks.that(("warning" in run.stderr) == bool(warning), f"{what}: warning", run.stderr)
        for word in warning or []:
            self.checks.that(word in run.stderr, f"{what}: the warning has '{word}'", run.stderr)


def compare(checks, calls, run, what):
    for (x, y), (both, sums) in zip(calls, run.results):
        checks.close(both, x + y, 0, f"{what} at {x.shape}")
        checks.close(sums, (x + y).sum(0), 1e-5, f"{what} at {x.shape}: sums")


def check_table(checks, folder):
    for mode, policies, shapes, count in TABLE:
        program = write_program(folder, policies)
        calls = calls_of(shapes)
        run = symrun.run(program, calls, results=2, options=["--verbose", f"--dynamic={mode}"])
        what = f"{mode} {policies} {shapes}"
        if checks.ran(run, len(calls), what):
            compare(checks, calls, run, what)
            checks.that(compilations(run) == count, f"{what}: {count} compilations", run.stderr)


def check_refused(checks, folder):
    program = write_program(folder, "")
    good = np.zeros((2, 3), np.float32)
    for bad, status, word in [((np.zeros(3, np.float32), good), 2, "expected ?x?xf32"),
                              ((np.zeros((2, 4), np.float32), good), 3, "linalg.add")]:
        for calls in ([bad], [(good, good), bad]):
            run = symrun.run(program, calls, results=2, options=["--dynamic=auto"])
            checks.that(run.status == status and word in run.stderr, f"refused {bad[0].shape}", run.stderr)
            before = len(calls) - 1 if status == 3 else 0
            checks.that(len(run.results) == before, f"refused {bad[0].shape}: calls before it ran, or none")


def check_refused_is_not_counted(checks, folder):
    """What a program refuses makes no dim a symbol, and is not kept."""
    state = State(checks, folder)
    options = ["--dynamic=auto", f"--state={state.folder}", "--verbose"]
    refused = [np.zeros((5, 4), np.float32), np.zeros((5, 3), np.float32)]
    run = symrun.run(state.program, [refused], results=2, options=options)
    checks.that(run.status == 3 and not state.files(".profile.json"), "refused at first: not kept", run.stderr)
    state.expect([(2, 3)], 1, "before a refused call")
    run = symrun.run(state.program, calls_of([(2, 3)]) + [refused], results=2, options=options)
    checks.that(run.status == 3 and "linalg.add" in run.stderr, "refused later", run.stderr)
    [profile] = state.files(".profile.json")
    checks.that(json.loads(profile.read_text())["dims"] == [[2, 2], [3, 3], [2, 2], [3, 3]], "refused: not kept",
                profile.read_text())
    state.expect([(2, 3)], 0, "after a refused call")


def check_async(checks, folder):
    program = write_program(folder, "")
    calls = calls_of([(2, 3)] * 20 + [(4, 3)] * 20 + [(5, 6)] * 5)
    # With a folder for code, the process waits for what it compiles; one of these is quick.
    for options, least in ([], 1), ([f"--state={folder / 'async'}"], 2):
        run = symrun.run(program, calls, results=2,
                         options=["--verbose", "--dynamic=auto", "--compile=async", *options])
        if checks.ran(run, len(calls), "async"):
            compare(checks, calls, run, "async")
            checks.that(least <= compilations(run) <= 5, f"async: {least} to 5 compilations", run.stderr)


def check_state(checks, folder):
    shapes = [(2, 3), (4, 3), (1, 3)]
    state = State(checks, folder)
    state.expect(shapes, 2, "first process")
    state.expect(shapes, 0, "with code")
    [profile] = state.files(".profile.json")
    checks.that(json.loads(profile.read_text())["dims"] == [[1, 4], [3, 3], [1, 4], [3, 3]], "ranges are kept",
                profile.read_text())
    for file in state.files(".code"):
        file.unlink()
    state.expect(shapes, 1, "without code: dynamic at once")
    # Damage to the code: cut, a flipped bit, text.
    for damage in (lambda data: data[:-7], lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:],
                   lambda data: b"", lambda data: b"{}\n" + data):
        for file in state.files(".code"):
            file.write_bytes(damage(file.read_bytes()))
        state.expect(shapes, 1, "damaged code", ["is not used"])
        state.expect(shapes, 0, "repaired code")
    good = profile.read_text()
    for text in ("", "{", "[]", good.replace('"subject":"', '"subject":"0'), good.replace("[1,4]", "[4,1]"),
                 good.replace("[[1,4],", "["), "\x00\xff"):
        profile.write_text(text)
        # Static again at first, for which there is code from the second time on.
        state.expect([(1, 3), (4, 3)], 0 if text else 1, f"profile {text!r}", ["is not used"])
        state.expect([(1, 3), (4, 3)], 0, f"after profile {text!r}")
    newer = good.replace('"format":1', '"format":2')
    profile.write_text(newer)
    state.expect([(1, 3)], 0, "newer profile", ["it has format 2, but this tool reads 1"])
    checks.that(profile.read_text() == newer, "a newer profile stays")


def check_shared(checks, folder):
    """Processes that share the folder, and some that die."""
    state = State(checks, folder)
    command = ["symshape-run", str(state.program), "--dynamic=auto", f"--state={state.folder}", "--input=2x3xf32=iota"]
    extents = range(2, 8)
    both = [subprocess.Popen(command[:-1] + [f"--input={m}x3xf32=iota"] * 2, stdout=subprocess.DEVNULL)
            for m in extents]
    checks.that(all(process.wait() == 0 for process in both), "processes that share the folder")
    [profile] = state.files(".profile.json")
    checks.that(json.loads(profile.read_text())["dims"][0] == [2, 7], "no process loses what another has seen",
                profile.read_text())
    for delay in np.linspace(0, 0.2, 12):
        shutil.rmtree(state.folder, ignore_errors=True)
        process = subprocess.Popen(command + ["--input=2x3xf32=iota"], stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        calls, run = state.run([(2, 3)])
        if checks.ran(run, len(calls), f"after a kill at {delay:.2f} s"):
            compare(checks, calls, run, f"after a kill at {delay:.2f} s")
        checks.that("warning" not in run.stderr, f"after a kill at {delay:.2f} s: no warning", run.stderr)


def check_lock(checks, folder):
    """A lock that another process holds is waited for, and then reported."""
    state = State(checks, folder)
    state.expect([(2, 3)], 1, "first process")
    [profile] = state.files(".profile.json")
    before = profile.read_text()
    with open(state.folder / "lock", "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        state.expect([(4, 3)], 1, "locked", ["cannot lock", "so that the folder stays as it is"])
    checks.that(profile.read_text() == before, "a profile is not written without the lock")
    state.expect([(4, 3)], 0, "not locked any more")
    checks.that(profile.read_text() != before, "later the profile is written")


def check_no_room(checks, folder):
    """Files that cannot be written: the run goes on without."""
    state = State(checks, folder)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    state.expect([(2, 3)], 1, "no room for code", ["cannot write"], preexec=limit)
    checks.that(not state.files(".code"), "no part of a file is left")
    state.expect([(2, 3)], 1, "later there is room")
    state.folder = folder / "program.mlir" / "state"  # below a file
    state.expect([(2, 3)], 1, "no folder", ["no state is kept"])


def check_limit(checks, folder):
    """Code that was not used for longest goes first, and what the dead have left."""
    state = State(checks, folder)
    code = {}  # of extents

    def use(m, count):
        for profile in state.files(".profile.json"):
            profile.unlink()  # so that each shape has code of its own
        state.expect([(m, 3)], count, f"{m}x3, with {state.options}")

    for age, m in enumerate((5, 4, 2)):
        use(m, 1)
        [code[m]] = set(state.files(".code")) - set(code.values())
        os.utime(code[m], (1e9 + age, 1e9 + age))
    use(5, 0)  # not the oldest any more
    left = [code[2].with_name(f"{code[2].name}.temp-stream-{i}") for i in (1, 2)]
    for file in left:
        file.write_text("half")
    os.utime(left[0], (1e9, 1e9))
    size = sum(file.stat().st_size for file in code.values())
    state.options = [f"--state-limit={size // 1024 + 1}"]
    use(6, 1)
    checks.that(not left[0].exists() and left[1].exists(), "what was left long ago is gone, what is new is not")
    checks.that(not code[4].exists() and code[2].exists() and code[5].exists(), "the oldest code is gone")
    state.options = ["--state-limit=1"]
    use(4, 1)
    checks.that(len(state.files(".code")) == 1, "what was compiled just now stays")
    command = ["symshape-run", str(state.program), "--dynamic=never", f"--state={state.folder}", "--state-limit=1"]
    crowd = [subprocess.Popen(command + [f"--input={m}x3xf32=iota"] * 2, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) for m in range(2, 8)]
    for process in crowd:
        _, errors = process.communicate()
        checks.that(process.returncode == 0 and not errors, "processes that remove one another's code", errors)


def main():
    checks = Checks()
    for check in (check_table, check_refused, check_refused_is_not_counted, check_async, check_state, check_shared,
                  check_lock, check_no_room, check_limit):
        with tempfile.TemporaryDirectory() as name:
            check(checks, Path(name))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
