# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bundle beside the program that it was saved from: the same output, messages, files and exit status; and
copies of a bundle, to be broken."""

import json
import shutil
import struct
import subprocess
from pathlib import Path

MASK = (1 << 64) - 1
PRIMES = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)


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


def xxh64(data):
    """The hash of the manifest, by its specification."""
    p1, p2, p3, p4, p5 = PRIMES

    def rotate(x, bits):
        return (x << bits | x >> (64 - bits)) & MASK

    def mix(lane, word):
        return rotate((lane + word * p2) & MASK, 31) * p1 & MASK

    at, h = 0, p5
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        while len(data) - at >= 32:
            lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ mix(0, lane)) * p1 + p4) & MASK
    h = (h + len(data)) & MASK
    while len(data) - at >= 8:
        h = (rotate(h ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & MASK
        at += 8
    if len(data) - at >= 4:
        h = (rotate(h ^ struct.unpack_from("<I", data, at)[0] * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * p5 & MASK, 11) * p1 & MASK
    h = (h ^ h >> 33) * p2 & MASK
    h = (h ^ h >> 29) * p3 & MASK
    return h ^ h >> 32


class Bundle:
    """A copy of a bundle, to be broken."""

    def __init__(self, whole, folder):
        self.path = Path(folder) / "broken"
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(whole, self.path)

    def manifest(self, change):
        path = self.path / "manifest.json"
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest))
        return self

    def replace(self, name, data):
        """Other contents, which the manifest knows."""
        (self.path / name).write_bytes(data)
        entry = {"bytes": len(data), "xxh64": f"{xxh64(data):016x}"}
        return self.manifest(lambda manifest: manifest["files"].update({name: entry}))
