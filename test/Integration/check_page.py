# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a page, and compares what they print.

    check_page.py PAGE FOLDER NAME...

The programs of the page, in order, are the files NAME in the folder, where every
command runs. A block without a language behind a command is what it prints: an error,
which is all of it, or a part of the output.
"""

import re
import subprocess
import sys
from pathlib import Path

COMMAND = re.compile(r"^```sh\n(.*?)\n```\n(?:```\n(.*?)^```$)?", re.M | re.S)
PROGRAM = re.compile(r"^```mlir\n(.*?)^```$", re.M | re.S)


def check(command, shown, folder):
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if shown.startswith("error:"):
        assert done.returncode == 3, f"{command}: exit status {done.returncode}\n{done.stderr}"
        assert done.stderr == shown, f"{command}: expected\n{shown}but got\n{done.stderr}"
    else:
        assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stderr}"
        assert shown in done.stdout, f"{command}: expected\n{shown}but got\n{done.stdout}"


def main():
    page, folder, names = Path(sys.argv[1]).read_text(), Path(sys.argv[2]), sys.argv[3:]
    programs = PROGRAM.findall(page)
    assert len(programs) == len(names), f"{len(programs)} programs"
    for name, program in zip(names, programs):
        (folder / name).write_text(program)
    commands = COMMAND.findall(page)
    for command, shown in commands:
        check(command, shown, folder)
    print(f"{len(commands)} commands")


if __name__ == "__main__":
    main()
