# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs in one cache: each process gets the results of its own program, whatever becomes of entries.

    check_cache_programs.py LIBRARY [--programs=COUNT]

COUNT programs, each compiled in full and kept by the library itself; 48, or 10,000 for the long form, which
takes ten minutes of a processor. Program number n adds n to its input, so that code of another gives other numbers.
Processes that fill the folder at once, processes that are killed, damaged and foreign entries, more than
1 GiB, a full disk; each process counts what it compiled and what it loaded.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import symshape_c
from checking import Checks

PROGRAM = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %c = arith.constant {number}.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.splat %c[%n] : tensor<?xf32>
  %r = arith.addf %x, %s : tensor<?xf32>
  return %r : tensor<?xf32>
}}
"""
GIB = 1 << 30
MOST_SLOWER = 2  # a start beside all entries, beside one in an empty folder


def work(library, folder, numbers):
    """Calls programs of these numbers; prints what it took, as JSON."""
    library, x = symshape_c.load(library), np.arange(5, dtype=np.float32)
    counts, wrong, begin = {"compiled": 0, "loaded": 0}, [], time.process_time()

    def count(line):
        kind = json.loads(line)["event"]
        if kind in counts:
            counts[kind] += 1
    for number in numbers:
        program = symshape_c.Program(folder / f"{number}.mlir", library=library, on_event=count)
        result, = program(x)
        if not np.array_equal(result, x + np.float32(number)):
            wrong.append(number)
    print(json.dumps({**counts, "wrong": wrong, "seconds": time.process_time() - begin}))


class Folder:
    def __init__(self, checks, root, library, count):
        self.checks, self.library, self.count = checks, library, count
        self.programs, self.cache = root / "programs", root / "cache"
        self.programs.mkdir()
        for number in range(count + 100):
            (self.programs / f"{number}.mlir").write_text(PROGRAM.format(number=number))

    def start(self, numbers):
        """A process that calls these programs."""
        command = [sys.executable, __file__, self.library, f"--folder={self.programs}", "--numbers=-"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, "SYMSHAPE_CACHE": str(self.cache)})
        process.stdin.write(" ".join(map(str, numbers)))
        process.stdin.close()
        process.stdin = None
        return process

    def finish(self, process, what, compiled=None):
        """What the process counted; `compiled` is how much it had to compile, if that is known."""
        out, said = process.communicate()
        self.checks.that(process.returncode == 0 and not said, f"{what}: it ends, and says nothing", f"  {said[-2000:]}")
        found = json.loads(out) if process.returncode == 0 else {"compiled": 0, "loaded": 0, "wrong": "all", "seconds": 0}
        self.checks.that(not found["wrong"], f"{what}: the results of its own programs", f"  {found['wrong']}")
        if compiled is not None:
            self.checks.that(found["compiled"] == compiled, f"{what}: {compiled} compilations", f"  {found['compiled']}")
        return found

    def run(self, numbers, what, compiled=None):
        return self.finish(self.start(numbers), what, compiled)

    def some(self):
        """A thousand numbers of programs, or all."""
        return sorted(random.Random(7).sample(range(self.count), min(self.count, 1000)))

    def entries(self):
        return sorted(self.cache.glob("*.code"))

    def by_age(self):
        return sorted(self.entries(), key=lambda path: (path.stat().st_mtime_ns, path.name))


def check_filling(folder):
    """Two processes at once, from both ends, so that each loads what the other has compiled."""
    numbers = list(range(folder.count))
    # One alone, to compare with.
    alone = folder.run([numbers[0]] * 40, "one program, time and again", 1)
    both = [folder.start(order) for order in (numbers, numbers[::-1])]
    found = [folder.finish(process, "two at once") for process in both]
    made, loaded = (sum(each[key] for each in found) for key in ("compiled", "loaded"))
    folder.checks.that(made + loaded == 2 * folder.count and made < 1.1 * folder.count + 10, "what one compiles, the other loads",
                       f"  {found}")
    folder.checks.that(len(folder.entries()) == folder.count, "an entry for each", f"  {len(folder.entries())}")
    all_of_them = folder.run(numbers, "a third", 0)
    few = folder.run([numbers[0]] * 40, "beside all of them", 0)
    size = sum(path.stat().st_size for path in folder.entries())
    each = all_of_them["seconds"] / folder.count
    print(f"{folder.count} programs, {size / 2**20:.1f} MiB: compiled in {sum(f['seconds'] for f in found):.1f} s by two processes; "
          f"a start from the cache takes {1e3 * each:.2f} ms; one program 40 times {few['seconds']:.3f} s beside all, "
          f"{alone['seconds']:.3f} s alone with its compilation")
    folder.checks.that(few["seconds"] < MOST_SLOWER * alone["seconds"], "entries of others cost nothing")
    folder.checks.that(size < GIB, "at most 1 GiB", f"  {size}")


def check_damage(folder):
    """Entries that are cut, edited, empty, swapped with others; all others stay as they are."""
    rng, entries = random.Random(5), folder.entries()
    chosen = rng.sample(entries, max(20, folder.count // 10) // 4 * 4)
    quarter = len(chosen) // 4
    for path in chosen[:quarter]:
        os.truncate(path, rng.randrange(path.stat().st_size))
    for path in chosen[quarter : 2 * quarter]:
        data = bytearray(path.read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
    swapped = chosen[2 * quarter : 3 * quarter]
    for path, data in zip(swapped, [path.read_bytes() for path in swapped[1:] + swapped[:1]]):
        path.write_bytes(data)
    for path in chosen[3 * quarter :]:
        path.chmod(0o666)  # others may have written to it
    folder.run(range(folder.count), "damaged entries", len(chosen))
    folder.run(folder.some(), "damaged entries, then mended", 0)
    folder.checks.that(folder.entries() == entries, "damaged entries: an entry for each")


def check_kills(folder):
    """Processes that die while they fill the folder."""
    turns = 6 if folder.count > 1000 else 3
    for turn in range(turns):
        for path in folder.entries()[::7]:
            path.unlink()
        processes = [folder.start(folder.some()[turn::turns]) for _ in range(2)]
        time.sleep(0.1 + turn / turns)
        processes[0].send_signal(signal.SIGKILL)
        processes[0].communicate()
        folder.finish(processes[1], f"beside one that is killed, turn {turn}")
    folder.run(range(folder.count), "after the kills")
    folder.run(folder.some(), "after the kills, again", 0)
    folder.checks.that(len(folder.entries()) == folder.count, "after the kills: an entry for each")


def check_eviction(folder):
    """What was used longest ago goes first, and no more than has to."""
    order = folder.by_age()
    for age, path in enumerate(order):
        os.utime(path, (1e9 + age, 1e9 + age))
    size = sum(path.stat().st_size for path in order)
    with open(folder.cache / f"{0:032x}.code", "wb") as file:
        file.truncate(GIB - size // 2)  # takes no room
    folder.run([folder.count], "more than is kept", 1)
    left = folder.by_age()
    kept = [path for path in order if path.exists()]
    total = sum(path.stat().st_size for path in left)
    most = max(path.stat().st_size for path in left[:-2])
    folder.checks.that(order[len(order) - len(kept) :] == kept, "the newest are kept")
    folder.checks.that(GIB - most < total <= GIB, "as many as there is room for", f"  {total}")
    (folder.cache / f"{0:032x}.code").unlink()
    gone = folder.count - len(kept)
    folder.checks.that(0.4 * folder.count < gone < 0.6 * folder.count, "about half of them go", f"  {gone}")
    before = set(folder.entries())
    found = folder.run(folder.some(), "those that went are compiled anew")
    made = len(set(folder.entries()) - before)
    folder.checks.that(made == found["compiled"] > 0 and found["loaded"] > 0, "and no others", f"  {found}, {made} new entries")
    print(f"more than 1 GiB: the {gone} that were used longest ago go, {len(kept)} stay")


def check_full_disk(folder):
    """No file may grow: what is kept serves, and what is not is compiled."""
    import resource

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    before = folder.entries()
    numbers = [*range(min(folder.count, 200)), *range(folder.count + 50, folder.count + 60)]
    command = [sys.executable, __file__, folder.library, f"--folder={folder.programs}", "--numbers=-"]
    done = subprocess.run(command, input=" ".join(map(str, numbers)), capture_output=True, text=True, preexec_fn=limit,
                          env={**os.environ, "SYMSHAPE_CACHE": str(folder.cache)}, check=False)
    folder.checks.that(done.returncode == 0 and not done.stderr, "a full disk: it ends, and says nothing", done.stderr)
    found = json.loads(done.stdout)
    folder.checks.that(not found["wrong"] and found["compiled"] == 10, "a full disk: right results", done.stdout)
    folder.checks.that(folder.entries() == before, "a full disk: entries stay, and no part of one is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--programs", type=int, default=48, metavar="COUNT")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--numbers", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.numbers:
        work(args.library, args.folder, map(int, sys.stdin.read().split()))
        return 0
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(checks, Path(name), args.library, args.programs)
        for check in check_filling, check_damage, check_kills, check_full_disk, check_eviction:
            begin = time.monotonic()
            check(folder)
            print(f"{check.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
    if checks.made < 45:
        print(f"expected at least 45 checks, but got {checks.made}", file=sys.stderr)
        return 1
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
