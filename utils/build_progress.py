#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a build, tells how far it is in one line, and keeps all that it prints in a log.

    build_progress.py LOG COMMAND [ARGUMENT...]

COMMAND runs ninja. On a terminal the line is written over; elsewhere one is printed every minute. Of a build that
fails, what failed is printed. Exits as the command does.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

EVERY = 60  # seconds between two lines where nothing is written over
PACE = 120  # seconds, of whose steps the time left is told
STEP = re.compile(r"\[(\d+)/(\d+)\] ")
MOST_LINES = 60  # of what failed


def left(done, total, seconds):
    """About how long the rest takes, in words, where `done` steps took so long; nothing where that says too little."""
    if done < 3 or seconds < 5:
        return ""
    rest = seconds / done * (total - done)
    return f", about {rest / 60:.0f} min left" if rest > 90 else f", about {max(10, round(rest, -1)):.0f} s left"


class Line:
    """The line about the build."""

    def __init__(self):
        self.is_terminal, self.start, self.last, self.width = sys.stdout.isatty(), time.monotonic(), 0.0, 0
        self.recent = [(self.start, 0)]  # times and steps, of which the pace is that of the last minutes

    def show(self, done, total):
        now = time.monotonic()
        self.recent = [one for one in self.recent[:-1] if now - one[0] < PACE] + [self.recent[-1], (now, done)]
        before, steps = self.recent[0]
        text = f"bootstrap: step {done} of {total}{left(done - steps, total - steps, now - before)}"
        if self.is_terminal:
            sys.stdout.write("\r" + text.ljust(self.width))
            self.width = len(text)
        elif now - max(self.last, self.start) >= EVERY:
            sys.stdout.write(text + "\n")
            self.last = now
        sys.stdout.flush()

    def close(self):
        if self.is_terminal and self.width:
            sys.stdout.write("\r" + " " * self.width + "\r")
            sys.stdout.flush()


def failures(text):
    """What ninja printed of the steps that failed."""
    parts = re.split(r"^(?=\[\d+/\d+\] )", text, flags=re.M)
    failed = [part for part in parts if re.search(r"^FAILED: ", part, re.M)] or parts[-1:]
    lines = "".join(failed).splitlines()
    return "\n".join(lines[:MOST_LINES] + (["..."] if len(lines) > MOST_LINES else []))


def main():
    path, command = Path(sys.argv[1]), sys.argv[2:]
    line = Line()
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    with path.open("w", buffering=1) as log, subprocess.Popen(command, env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for text in process.stdout:
            log.write(text)
            if step := STEP.match(text):
                line.show(int(step[1]), int(step[2]))
        status = process.wait()
    line.close()
    if status:
        print(failures(path.read_text(errors="replace")), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
