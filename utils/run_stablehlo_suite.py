#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of StableHLO's own test data, as portable artifacts, through the C API.

    utils/run_stablehlo_suite.py ARCHIVE [--build=build] [--filter=REGEX] [--form=FORM] [--sample=N] [--offset=N]
                                 [--jobs=N]

ARCHIVE is a folder or a tar file of NAME.mlirbc. A static program checks its result by a call
`check.expect_close`, `expect_almost_eq` or `expect_eq`: the importer makes both sides results, which
are compared here by NumPy. A program without a check is a dynamic one: it is called at some extents beside what
XLA makes of it for each of these (jaxlib; see stablehlo_oracle.py). With --form=erased and --form=kept
a static program is changed into one with open extents, which is called with its inputs.

Each program is compiled in one of the workers; one that dies is a crash of its program. The table
goes to standard output, a verdict per program to BUILD/stablehlo-suite/verdicts-FORM.json. The exit status
is 1 if a result is wrong or a worker has died.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tarfile
import tempfile
import threading

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import symshape_c

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

# A result that is not the same number may differ by so much, relative to the larger one and to 1.
TOLERANCE = {"float16": 5e-3, "bfloat16": 4e-2, "float32": 1e-4, "float64": 1e-8}
SECONDS = 240  # for one program
CALLS = 2  # of a dynamic program, with different extents


def load(path, entry="main"):
    library = os.environ["SYMSHAPE_LIBRARY"]
    return symshape_c.Program(str(path), library=library, entry=entry)


def is_dynamic(path):
    return b"check.expect_" not in path.read_bytes()


def kind_of_check(path):
    """The kind of check that a program makes; of several, that of the floats."""
    kinds = set(re.findall(rb"check\.expect_(\w+)", path.read_bytes()))
    return "eq" if kinds == {b"eq"} else "close"


def compare(actual, expected, kind):
    """What is wrong; empty: nothing."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"expected {expected.dtype}{expected.shape}, but got {actual.dtype}{actual.shape}"
    if expected.dtype.kind in "biu" or kind == "eq":
        same = (actual == expected) | ((actual != actual) & (expected != expected))
    else:
        bound = TOLERANCE[expected.dtype.name]
        with np.errstate(all="ignore"):
            one, two = actual.astype(np.float64), expected.astype(np.float64)
            near = np.abs(one - two) <= bound * np.maximum(1, np.abs(two))
            same = near | (one == two) | (np.isnan(one) & np.isnan(two))
    if same.all():
        return ""
    place = tuple(np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size} differ, first at {place}: {actual[place]}, expected {expected[place]}"


def run_static(path):
    results = load(path)()
    # Both sides of the check come last.
    return compare(results[-2], results[-1], kind_of_check(path))


def run_open(path, form):
    """The same with its inputs as arguments, whose extents are open, and so are those of what ops give."""
    import stablehlo_forms
    artifact, has_inputs = stablehlo_forms.open_form(path, keeps_first=form == "kept")
    given, expected = load(path, "inputs")() if has_inputs else [], load(path, "expected")()
    with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
        file.write(artifact)
        file.flush()
        results = load(file.name)(*given)
    kind = kind_of_check(path)
    return next(filter(None, (compare(one, two, kind) for one, two in zip(results, expected, strict=True))), "")


def run_dynamic(path):
    """One build, called at some extents that XLA takes, beside XLA's programs of these."""
    import stablehlo_oracle as oracle
    artifact = oracle.Artifact(path.read_bytes())
    calls = list(itertools.islice(oracle.find_calls(artifact), CALLS))
    assert calls, "no extents were found that XLA takes"
    program = load(path)
    for given, expected in calls:
        results = program(*map(as_real, given))
        faults = [compare(one, as_real(two), "close") for one, two in zip(results, expected, strict=True)]
        shapes = [array.shape or array.item() for array in given]
        if fault := next(filter(None, faults), ""):
            return f"of {shapes}: {fault}"
    return ""


def as_real(array):
    """A complex array as it is exchanged: with a last axis of two."""
    if array.dtype.kind != "c":
        return array
    return np.ascontiguousarray(array).view(array.real.dtype).reshape(*array.shape, 2)


def verdict_of(path, form):
    """A word, and why."""
    try:
        if is_dynamic(path):
            fault = run_dynamic(path)
        else:
            fault = run_static(path) if form == "static" else run_open(path, form)
    except symshape_c.Error as error:
        return ["refused" if error.status in (1, 3) else "failed", str(error)]
    except AssertionError as error:
        return ["not judged", str(error)]
    return ["wrong", fault] if fault else ["right", ""]


def work():
    """A worker: a path and a form per line in, a verdict per line out."""
    for line in sys.stdin:
        path, form = json.loads(line)
        print(json.dumps(verdict_of(pathlib.Path(path), form)), flush=True)


class Worker:
    """A process of this script, started again after its death."""

    def __init__(self):
        self.process = None

    def ask(self, *question):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps([str(part) for part in question]) + "\n")
        self.process.stdin.flush()
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        late = not timer.is_alive()
        timer.cancel()
        if line:
            return json.loads(line)
        status = self.process.wait()
        return ["late", f"more than {SECONDS} s"] if late else ["crash", f"status {status}"]

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()


def run_all(paths, form, jobs):
    tasks, verdicts = queue.Queue(), {}
    for path in paths:
        tasks.put(path)

    def drain():
        worker = Worker()
        while True:
            try:
                path = tasks.get_nowait()
            except queue.Empty:
                break
            verdicts[path.stem] = ["dynamic" if is_dynamic(path) else "static", *worker.ask(path, form)]
            if len(verdicts) % 100 == 0:
                print(f"{len(verdicts)} of {len(paths)}", file=sys.stderr, flush=True)
        worker.close()

    threads = [threading.Thread(target=drain) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return verdicts


def reason(text):
    """The kind of a refusal: its message without names and numbers of one program."""
    text = re.sub(r"^.*?\.mlirbc': ", "", text.split("\n")[0])
    return re.sub(r"\d+", "N", text)[:110]


def report(verdicts):
    for name in ("static", "dynamic"):
        part = {stem: verdict for stem, (kind, *verdict) in verdicts.items() if kind == name}
        counts = collections.Counter(word for word, _ in part.values())
        print(f"{name}: {len(part)} programs: " +
              ", ".join(f"{count} {word}" for word, count in counts.most_common()))
        kinds = collections.Counter((word, reason(why)) for word, why in part.values() if word != "right"
                                    and word != "wrong")
        for (word, why), count in kinds.most_common():
            print(f"  {count:5d} {word}: {why}")
        for stem, (word, why) in sorted(part.items()):
            if word in ("wrong", "crash", "late"):
                print(f"  {word}: {stem}: {why}")


def unpack(archive, folder):
    if archive.is_dir():
        return archive
    stamp = folder / "unpacked"
    wanted = f"{archive.resolve()} {archive.stat().st_size}"
    if not stamp.exists() or stamp.read_text() != wanted:
        with tarfile.open(archive) as tar:
            for member in filter(tarfile.TarInfo.isfile, tar):
                (folder / pathlib.PurePath(member.name).name).write_bytes(tar.extractfile(member).read())
        stamp.write_text(wanted)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=pathlib.Path, help="a folder or a tar file of artifacts")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--filter", default="", help="only programs whose name this is found in")
    parser.add_argument("--form", choices=("static", "erased", "kept"), default="static",
                        help="of static programs: as written, with all extents open, with the first of each tensor")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="one program in N")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="the first of them, from 0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    folder = options.build.resolve() / "stablehlo-suite"
    (folder / "artifacts").mkdir(parents=True, exist_ok=True)
    artifacts = unpack(options.archive, folder / "artifacts")
    paths = sorted(path for path in artifacts.rglob("*.mlirbc") if re.search(options.filter, path.stem))
    paths = paths[options.offset :: options.sample]
    os.environ["SYMSHAPE_LIBRARY"] = str(options.build.resolve() / "lib" / "libSymShapeC.so")
    os.environ.setdefault("SYMSHAPE_CACHE", "off")
    verdicts = run_all(paths, options.form, options.jobs)
    (folder / f"verdicts-{options.form}.json").write_text(json.dumps(verdicts, indent=1, sort_keys=True))
    report(verdicts)
    return any(word in ("wrong", "crash", "late") for _, word, _ in verdicts.values())


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main())
