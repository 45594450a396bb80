# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs symshape-run on a terminal, and reads what a person would see."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

WIDTH = 60
LINE = re.compile(r"compiling, (\d+\.\d) s: (.+)")


def program(count):
    """Products of different extents, of which each has code of its own."""
    lines = []
    for i in range(count):
        n = 17 + 3 * i
        lines += [f"  %w{i} = arith.constant dense<0.5> : tensor<{n}x{n + 3}xf32>",
                  f"  %e{i} = arith.constant dense<0.0> : tensor<5x{n + 3}xf32>",
                  f"  %x{i + 1} = linalg.matmul ins(%x{i}, %w{i} : tensor<5x{n}xf32>, tensor<{n}x{n + 3}xf32>)"
                  f" outs(%e{i} : tensor<5x{n + 3}xf32>) -> tensor<5x{n + 3}xf32>"]
    last = f"tensor<5x{17 + 3 * count}xf32>"
    return "\n".join([f"func.func @main(%x0: tensor<5x17xf32>) -> {last} {{", *lines,
                      f"  return %x{count} : {last}", "}", ""])


def watch(path, *options, term="xterm"):
    """(status, what was written to the terminal)."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    process = subprocess.Popen(["symshape-run", path, "--input=5x17xf32=zeros", *options], stdout=subprocess.DEVNULL,
                               stderr=slave, env={**os.environ, "TERM": term})
    os.close(slave)
    text = b""
    while True:
        try:
            data = os.read(master, 4096)
        except OSError:  # nobody writes any more
            break
        if not data:
            break
        text += data
    os.close(master)
    return process.wait(), text.decode()


def screen(text):
    """The lines that are left on the terminal."""
    lines, column = [""], 0
    for part in re.findall(r"\r\n|\r|\n|\x1b\[K|[^\r\n\x1b]+", text):
        if part in ("\r\n", "\n"):
            lines.append("")
            column = 0
        elif part == "\r":
            column = 0
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column] + part + lines[-1][column + len(part):]
            column += len(part)
    return [line for line in lines if line]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.mlir")
        Path(path).write_text(program(250))
        small = os.path.join(folder, "small.mlir")
        Path(small).write_text(program(0))
        status, text = watch(path, "--verbose")
        progress, said = text.rsplit("\x1b[K", 1)
        shown = [part for part in progress.replace("\x1b[K", "").split("\r") if part]
        assert status == 0 and len(shown) >= 2, text
        found = [LINE.fullmatch(part) for part in shown]
        assert all(found) and max(map(len, shown)) < WIDTH, shown
        seconds = [float(match[1]) for match in found]
        assert seconds == sorted(seconds) and seconds[0] >= 1, seconds
        stages = {re.sub(r"\d+", "N", match[2]) for match in found}
        assert any("functions" in stage or "parts" in stage or "pass N of N, " in stage for stage in stages), stages
        # Nothing is left of it; what else is said has lines of its own.
        assert said.startswith("compile: parse") and screen(text) == said.splitlines(), text
        for options, term, given in (["--no-progress"], "xterm", path), ([], "dumb", path), ([], "xterm", small):
            assert watch(given, *options, term=term) == (0, ""), (options, term, given)
        done = subprocess.run(["symshape-run", path, "--input=5x17xf32=zeros"], capture_output=True, text=True, check=True)
        assert done.stderr == "", done.stderr
    print(f"{len(shown)} lines of progress")


if __name__ == "__main__":
    sys.exit(main())
