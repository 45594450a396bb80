# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools colour what they say on a terminal alone: each makes a mistake into a pipe, and one that colours into a terminal.

    check_colours.py FOLDER
"""

import os
import pty
import subprocess
import sys
from pathlib import Path

ESCAPE = b"\x1b"
CALLS = [["symshape-opt", "broken.mlir"], ["symshape-run", "broken.mlir"], ["symshape-report", "broken.mlir"],
         ["symshape-onnx", "check", "broken.onnx"], ["symshape-prove", "broken.prove"], ["symshape-reduce", "broken.mlir"],
         ["symshape-bundle-run", "none.bundle"], ["symshape-ptx-run", "broken.ptx"], ["symshape-run", "--no-such-option"]]


def into_pipes(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "TERM": "xterm-256color"})
    assert done.returncode, f"{command} makes no mistake"
    return done.stdout + done.stderr


def into_terminal(command, folder):
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                          env={**os.environ, "TERM": "xterm-256color"}) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the other end is closed
            pass
        process.wait()
    os.close(ours)
    return said


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name in ("broken.mlir", "broken.onnx", "broken.prove", "broken.ptx"):
        (folder / name).write_text("no such thing\n")
    wrong = [command for command in CALLS if ESCAPE in into_pipes(command, folder)]
    coloured = [command[0] for command in CALLS if ESCAPE in into_terminal(command, folder)]
    print(f"{len(CALLS)} calls into pipes, {len(wrong)} coloured: {wrong}; into a terminal: {' '.join(sorted(set(coloured)))}")
    return 1 if wrong or not coloured else 0


if __name__ == "__main__":
    sys.exit(main())
