# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of machine code: a later process loads what an earlier one has compiled.

Whatever is done to the folder, a run gives what NumPy does and says nothing about it;
whether code was compiled or loaded is what `--verbose` counts. Many programs in one folder are
the subject of check_cache_programs.py.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import symrun
from checking import Checks

PROGRAM = Path(__file__).parent / "Inputs" / "automatic.mlir"
WARNED = """func.func @main(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"N", range = [0, 8]>],
                symshape.versions = [#symshape.version<"never", ["N >= 9"]>]} {
  return %x : tensor<?xf32>
}
"""
MIB = 1 << 20


class Cache:
    """A folder, a program beside it, and runs that are to agree with NumPy."""

    def __init__(self, checks, folder):
        self.checks, self.folder, self.root = checks, folder / "cache", folder
        self.program = folder / "program.mlir"
        self.program.write_text(PROGRAM.read_text())
        self.setting = str(self.folder)

    def environment(self, **changes):
        return {**os.environ, "SYMSHAPE_CACHE": self.setting, **changes}

    def files(self):
        return sorted(self.folder.glob("*.code"))

    def run(self, *options, program=None, extents=(2, 3), preexec=None, **changes):
        """(the compilations, what was said beside the counters)."""
        x = np.random.default_rng(1).uniform(-1, 1, extents).astype(np.float32)
        before = dict(os.environ)
        os.environ.update(self.environment(**changes))
        try:
            run = symrun.run_once(program or self.program, [[x, x]], results=2, options=list(options), preexec=preexec)
        finally:
            os.environ.clear()
            os.environ.update(before)
        if self.checks.ran(run, 1, f"{options} {changes}"):
            self.checks.close(run.results[0][0], x + x, 0, f"{options}: sum")
            self.checks.close(run.results[0][1], (x + x).sum(0), 1e-5, f"{options}: sum of rows")
        said = [line for line in run.stderr.splitlines() if re.match("warning|error|note", line)]
        return int(re.search(r"^compilations: (\d+)", run.stderr, re.M)[1]), said

    def expect(self, count, what, *options, **settings):
        compilations, said = self.run(*options, **settings)
        self.checks.that(compilations == count, f"{what}: {count} compilations", f"  {compilations}")
        self.checks.that(not said, f"{what}: nothing is said", f"  {said}")


def check_key(cache):
    """What code depends on is part of its name."""
    cache.expect(1, "first")
    cache.expect(0, "again")
    cache.expect(0, "other extents", extents=(5, 7))
    threads = "--threads=1" if os.environ.get("SYMSHAPE_THREADS") else "--threads=2"
    for options in ["--guards=off"], [threads], ["--cpu=x86-64"], ["--dynamic=never"], ["--plan-memory=off"]:
        cache.expect(1, f"{options}, first", *options)
        cache.expect(0, f"{options}, again", *options)
    cache.expect(1, "quick code, first", "--compile=quick")
    cache.expect(0, "quick code, again", "--compile=quick")
    other = cache.root / "other.mlir"  # messages name it
    other.write_text(cache.program.read_text())
    cache.expect(1, "another path", program=other)
    cache.program.write_text(cache.program.read_text() + "\n")
    cache.expect(1, "another text")
    cache.expect(0, "another text, again")


def check_place(cache):
    """Where it is, and that it can be none."""
    cache.setting = "off"
    for _ in range(2):
        cache.expect(1, "off", XDG_CACHE_HOME=str(cache.root / "caches"))
    cache.checks.that(not (cache.root / "caches").exists(), "off: nothing is written")
    cache.setting = ""
    cache.expect(1, "default, first", XDG_CACHE_HOME=str(cache.root / "caches"))
    cache.expect(0, "default, again", XDG_CACHE_HOME=str(cache.root / "caches"))
    kept = cache.root / "caches" / "symshape"
    cache.checks.that(kept.stat().st_mode & 0o77 == 0, "nobody else reads it")
    cache.checks.that([path.suffix for path in kept.iterdir() if path.name != "lock"] == [".code"], "code alone")
    cache.setting = str(cache.folder)
    state = f"--state={cache.root / 'state'}"
    cache.expect(1, "a state folder goes first", state)
    cache.checks.that(not cache.folder.exists(), "a state folder goes first: the cache is not used")


def check_damage(cache):
    """Entries that are cut, edited, those of another program, or not readable."""
    cache.expect(1, "first")
    [file] = cache.files()
    good = file.read_bytes()
    stranger = cache.root / "stranger"
    stranger.write_bytes(good)
    bad = {"empty": b"", "cut": good[:-9], "edited": good[:-99] + bytes([good[-99] ^ 1]) + good[-98:],
           "text": b"{}\n", "longer": good + b"\0"}
    for name, data in bad.items():
        file.write_bytes(data)
        cache.expect(1, name)
        cache.expect(0, f"{name}, then mended")
    file.write_bytes(good)
    file.chmod(0o666)
    cache.expect(1, "others may write to it")
    cache.checks.that(file.stat().st_mode & 0o22 == 0, "it is replaced by one of our own")
    for replace in (lambda: file.symlink_to(stranger), lambda: os.mkfifo(file)):
        file.unlink()
        replace()
        cache.expect(1, "no plain file")
        cache.expect(0, "no plain file, then mended")
    file.unlink()
    file.mkdir()
    for _ in range(2):
        cache.expect(1, "a folder in its place")
    file.rmdir()
    cache.program.write_text(cache.program.read_text().replace("linalg.add", "linalg.mul"))
    x = np.full((2, 3), 3, np.float32)
    os.environ["SYMSHAPE_CACHE"] = cache.setting
    run = symrun.run_once(cache.program, [[x, x]], results=2)
    cache.checks.that(run.results and (run.results[0][0] == 9).all(), "another program is not served by old code")


def check_no_room(cache):
    """Folders that nothing can be written to cost speed alone."""
    def limit():
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    cache.expect(1, "no room", preexec=limit)
    cache.checks.that(not cache.files(), "no part of an entry is left")
    for setting in (cache.program, "/dev/null", "/proc/none", cache.program / "below"):
        cache.setting = str(setting)
        cache.expect(1, f"{setting} as folder")
    cache.setting = str(cache.folder)
    cache.folder.chmod(0o777)
    cache.expect(1, "others may write to the folder")
    cache.checks.that(not cache.files(), "others may write to the folder: nothing is kept")
    cache.folder.chmod(0o700)
    # Old entries go beyond 1 GiB; files of other names stay.
    fakes = [cache.folder / f"{number:032x}.code" for number in range(6)]
    for age, fake in enumerate([*fakes, cache.folder / "mine.txt"]):
        with open(fake, "wb") as file:
            file.truncate(300 * MIB)  # takes no room
        os.utime(fake, (1e9 + age, 1e9 + age))
    cache.expect(1, "more than is kept")
    left = [fake for fake in fakes if fake.exists()]
    cache.checks.that(left == fakes[3:] and (cache.folder / "mine.txt").exists(), "the oldest entries go", f"  {left}")
    cache.expect(0, "what was kept just now stays")


def check_many(cache):
    """Processes at once, and some that die."""
    command = ["symshape-run", str(cache.program), "--input=2x3xf32=iota", "--input=2x3xf32=iota"]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": cache.environment()}
    processes = [subprocess.Popen(command, **settings) for _ in range(7)]
    crowd = {(*process.communicate(), process.returncode) for process in processes}
    [(text, said, status)] = crowd if len(crowd) == 1 else [("", crowd, 1)]
    cache.checks.that(text and not said and status == 0, "processes at once", f"  {crowd}")
    for delay in np.linspace(0, 0.2, 6):
        for file in cache.files():
            file.unlink()
        process = subprocess.Popen(command, **settings)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        cache.run()
        cache.expect(0, f"after a kill at {delay:.2f} s")
    for number in range(10000):
        (cache.folder / f"{number:032x}.code").touch()
    cache.program.write_text(cache.program.read_text() + "\n")
    cache.expect(1, "beside 10,000 entries")
    cache.expect(0, "beside 10,000 entries, again")


def check_foreign(cache):
    """Entries under the name of another, each of them whole."""
    cache.expect(1, "first")
    [file] = cache.files()
    good = file.read_bytes()
    other = cache.root / "other.mlir"
    other.write_text(cache.program.read_text().replace("linalg.add", "linalg.mul"))
    foreign = {}
    for name, options, program in (("another program", [], other), ("another CPU", ["--cpu=x86-64"], cache.program),
                                   ("without guards", ["--guards=off"], cache.program),
                                   ("quick code", ["--compile=quick"], cache.program),
                                   ("for some extents", ["--dynamic=never"], cache.program)):
        for known in cache.files():
            known.unlink()
        x = np.full((2, 3), 3, np.float32)
        os.environ["SYMSHAPE_CACHE"] = cache.setting
        run = symrun.run_once(program, [[x, x]], results=2, options=options)
        cache.checks.that(run.status == 0, f"{name}: there is such code", run.stderr)
        [entry] = cache.files()
        cache.checks.that(entry.name != file.name, f"{name}: has a name of its own")
        foreign[name] = entry.read_bytes()
    for name, data in foreign.items():
        file.write_bytes(data)
        file.chmod(0o600)
        cache.expect(1, f"{name}, under this name")
        cache.expect(0, f"{name}, then mended")
    cache.checks.that(file.read_bytes() == good, "the code is the same each time")


def check_version(cache):
    """Another build of the tool has code of its own, and leaves that of others alone."""
    tool = cache.root / "symshape-run"
    shutil.copy(shutil.which("symshape-run"), tool)
    cache.expect(1, "first")
    path = os.environ["PATH"]
    for age, count in ((1e9, 1), (1e9, 0), (1e9 + 1, 1)):
        os.utime(tool, (age, age))
        os.environ["PATH"] = f"{cache.root}{os.pathsep}{path}"
        try:
            cache.expect(count, f"a tool of {age}")
        finally:
            os.environ["PATH"] = path
    cache.expect(0, "again")
    cache.checks.that(len(cache.files()) == 3, "an entry for each")


def check_unreadable(outside):
    """Entries without permission, and folders of others, to a user who is not root."""
    # The folder for files of tests may be one that only root enters.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        try_as_user(Cache(outside.checks, Path(name)))


def try_as_user(cache):
    command = ["symshape-run", str(cache.program), "--input=2x3xf32=iota", "--input=2x3xf32=iota", "--verbose"]

    def become():
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    def expect(count, what):
        run = subprocess.run(command, capture_output=True, text=True, env=cache.environment(), preexec_fn=become,
                             check=False)
        cache.checks.that(run.returncode == 0 and "[[0, 2, 4], [6, 8, 10]]" in run.stdout, what, run.stdout + run.stderr)
        cache.checks.that(f"compilations: {count}\n" in run.stderr, f"{what}: {count} compilations", run.stderr)
        cache.checks.that(not re.search("^(warning|error|note)", run.stderr, re.M), f"{what}: nothing is said", run.stderr)

    cache.root.chmod(0o777)
    expect(1, "a user, first")
    expect(0, "a user, again")
    [file] = cache.files()
    file.chmod(0)
    expect(1, "not readable")
    expect(0, "not readable, then mended")
    cache.folder.chmod(0o500)
    file.chmod(0)
    expect(1, "not readable, and not to be replaced")
    cache.folder.chmod(0)
    expect(1, "a folder that may not be entered")
    cache.folder.chmod(0o700)
    if os.geteuid() == 0:
        for mode in 0o755, 0o777:
            os.chown(cache.folder, 0, 0)
            cache.folder.chmod(mode)
            expect(1, f"a folder of root, {mode:o}")


def check_full_disk(cache):
    """A disk that is full when the entry is written; where this process may mount one."""
    cache.folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", cache.folder],
                             capture_output=True, check=False).returncode == 0
    if not mounted:  # `check_no_room` limits the size of files instead
        print("no disk can be mounted: not tried whether a full one matters")
        return
    try:
        (cache.folder / "mine").write_bytes(b"." * (1 << 15))
        try:
            with open(cache.folder / "fill", "wb") as file:
                while file.write(b"." * 512):
                    file.flush()
        except OSError:  # it is full
            pass
        for _ in range(2):
            cache.expect(1, "a full disk")
        cache.checks.that(not cache.files(), "a full disk: no part of an entry is left")
        cache.checks.that(not list(cache.folder.glob("*temp*")), "a full disk: nothing unfinished is left")
        (cache.folder / "fill").unlink()
        (cache.folder / "mine").unlink()
        cache.expect(1, "room again")
        cache.expect(0, "room again, then loaded")
    finally:
        subprocess.run(["umount", cache.folder], check=True)


def check_race(cache):
    """Entries that change while they are read."""
    cache.expect(1, "first")
    [file] = cache.files()
    good = file.read_bytes()
    ends = threading.Event()

    def change():
        number = 0
        while not ends.is_set():
            try:
                with open(file, "r+b") as entry:
                    entry.write(good[: 64 * number])
                    entry.truncate(len(good) * (number % 5) // 4)
            except OSError:  # it was just replaced
                pass
            number = (number + 1) % 40

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for number in range(12):
            _, said = cache.run()
            cache.checks.that(not said, f"changed while it is read, {number}: nothing is said", f"  {said}")
    finally:
        ends.set()
        thread.join()
    cache.run()
    cache.expect(0, "afterwards")


def check_words(cache):
    """What is said of a program is said by each process; messages name the file at hand."""
    program = cache.root / "warned.mlir"
    program.write_text(WARNED)
    command = ["symshape-run", str(program), "--input=2xf32=iota"]
    said = set()
    for _ in range(3):
        run = subprocess.run(command, capture_output=True, text=True, env=cache.environment())
        cache.checks.that(run.returncode == 0 and "warning" in run.stderr, "there is a warning", run.stderr)
        said.add((run.stdout, run.stderr))
    cache.checks.that(len(said) == 1, "the same is said each time", f"  {said}")
    for name in "one.mlir", "two.mlir":
        copy = cache.root / name
        copy.write_text(cache.program.read_text())
        run = subprocess.run(["symshape-run", str(copy), "--input=2x3xf32=iota", "--input=2x4xf32=iota"],
                             capture_output=True, text=True, env=cache.environment())
        cache.checks.that(run.returncode == 3 and name in run.stderr, "a guard names its place", run.stderr)


def main():
    checks = Checks()
    for check in (check_key, check_place, check_damage, check_no_room, check_many, check_words, check_foreign,
                  check_version, check_unreadable, check_full_disk, check_race):
        with tempfile.TemporaryDirectory() as name:
            check(Cache(checks, Path(name)))
    if checks.made < 560:
        print(f"expected at least 560 checks, but got {checks.made}", file=sys.stderr)
        return 1
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
