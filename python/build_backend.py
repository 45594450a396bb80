# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip calls to make the package: scikit-build-core, with the libraries that are in build/ already.

`pip install .` takes what `./bootstrap build` has left in build/, and brings that up to date first. It says so
at once, on the terminal, since pip keeps what it is told to itself; where nothing is built, it says how long
compiling takes. `--config-settings cmake.define.SYMSHAPE_BUILD=FOLDER` names another build, and an empty
FOLDER none.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as core

# What is not about compiling is scikit-build-core's own.
build_sdist = core.build_sdist
get_requires_for_build_editable = core.get_requires_for_build_editable
get_requires_for_build_sdist = core.get_requires_for_build_sdist
get_requires_for_build_wheel = core.get_requires_for_build_wheel
prepare_metadata_for_build_editable = core.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = core.prepare_metadata_for_build_wheel

ROOT = Path(__file__).resolve().parent.parent
NAMED = ("cmake.define.SYMSHAPE_BUILD", "cmake.define.SYMSHAPE_SYSTEM")
TARGETS = ["SymShapeC", "tools/all"]
CORE_MINUTES = 16  # of compiling everything


def say(text):
    """To the terminal, if there is one, and to what `pip install -v` shows."""
    print(f"symshape: {text}", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        with contextlib.suppress(OSError), open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"symshape: {text}\n")


def steps(folder):
    """How many steps the build is behind the tree; None where nothing can tell."""
    if not shutil.which("ninja"):
        return None
    done = subprocess.run(["ninja", "-C", folder, "-n", *TARGETS], capture_output=True, text=True, check=False)
    return None if done.returncode else sum(line.startswith("[") for line in done.stdout.splitlines())


def settings(given, root=ROOT):
    """The settings that pip gave, with the build to take; says what will be done."""
    given = dict(given or {})
    if any(name in given for name in NAMED):
        return given
    folder = root / "build"
    if not (folder / "build.ninja").exists() or not (folder / "lib/libSymShapeC.so.0").exists():
        minutes = max(1, round(CORE_MINUTES / len(os.sched_getaffinity(0))))
        say(f"compiles the libraries and the tools, for about {minutes} minutes here, and keeps nothing of them in build/; "
            "`./bootstrap build` compiles them for both, and tells how far it is")
        return given
    behind = steps(folder)
    if behind:
        say(f"takes the libraries and the tools of {folder}, and first brings them up to date: {behind} steps")
        subprocess.run(["ninja", "-C", folder, *TARGETS], check=True, stdout=sys.stderr)
    say(f"takes the libraries and the tools of {folder}, and compiles the bindings: about half a minute")
    return {**given, "cmake.define.SYMSHAPE_BUILD": str(folder)}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return core.build_wheel(wheel_directory, settings(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return core.build_editable(wheel_directory, settings(config_settings), metadata_directory)
