# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bundle beside the program that it was saved from: the same output, messages, files and exit status."""

import subprocess
from pathlib import Path


def execute(command, folder):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def save(program, bundle, options, folder):
    """Saves a program; its messages if that fails."""
    done = execute(["symshape-run", program, f"--save-bundle={bundle}", *options], folder)
    assert done.returncode == 0, f"{program}: exit status {done.returncode}\n{done.stderr}"
    assert not done.stdout and not done.stderr, done.stdout + done.stderr


def written(folder):
    """The bytes of the arrays that a run has left, which are taken away."""
    found = {}
    for path in sorted(Path(folder).glob("out*.npy")):
        found[path.name] = path.read_bytes()
        path.unlink()
    return found


def same(checks, program, bundle, options, calls, folder, what, status=None):
    """Runs both on the arguments `calls`; `options` are those of the compilation. Returns what the bundle printed."""
    wanted = execute(["symshape-run", program, *options, *calls], folder)
    wanted_files = written(folder)
    got = execute(["symshape-bundle-run", bundle, *calls], folder)
    got_files = written(folder)
    for name, ours, theirs in [("exit status", got.returncode, wanted.returncode), ("output", got.stdout, wanted.stdout),
                               ("messages", got.stderr, wanted.stderr)]:
        checks.that(ours == theirs, f"{what}: the {name} of the bundle is that of symshape-run",
                    f"  {str(ours)[-600:]!r}\n  {str(theirs)[-600:]!r}")
    checks.that(got_files == wanted_files, f"{what}: the same bits",
                f"  {sorted(got_files)} {sorted(wanted_files)}")
    if status is not None:
        checks.that(got.returncode == status, f"{what}: exit status {status}", f"  {got.returncode}\n{got.stderr}")
    return got
