# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs commands of a Markdown page, and compares what they print with the block after them.

    run_page.py PAGE PATTERN FOLDER

Runs each block `sh` whose text begins with the pattern, in the folder. A block without a language that
comes right after it is what the command prints; byte offsets may differ.
"""

import re
import subprocess
import sys
from pathlib import Path


def main():
    page, pattern, folder = sys.argv[1:]
    text = Path(page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```\n(?:\n?```\n(.*?)^```\n)?", text, re.M | re.S)
    ran = compared = 0
    for command, printed in blocks:
        if not re.match(pattern, command):
            continue
        done = subprocess.run(f"set -e\n{command}", shell=True, cwd=folder, capture_output=True, text=True, check=False)
        expected = (1, 2, 3) if re.search(r"^(\S+: )?error: ", printed, re.M) else (0, 3)
        assert done.returncode in expected, f"{command}: status {done.returncode}: {done.stderr}"
        ran += 1
        if printed:
            wanted, got = (re.sub(r"byte \d+", "byte N", each) for each in (printed, done.stdout + done.stderr))
            assert wanted == got, f"{command}: expected\n{wanted}\nbut got\n{got}"
            compared += 1
    print(f"{ran} commands, {compared} of which print what the page says")


if __name__ == "__main__":
    main()
