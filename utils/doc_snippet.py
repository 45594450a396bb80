#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a code block of a Markdown page, so that tests run what pages show.

    doc_snippet.py PAGE LANGUAGE [NUMBER]

NUMBER counts the blocks of that language from 0 (default: 0).
"""

import re
import sys
from pathlib import Path


def main():
    page, language = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    blocks = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", Path(page).read_text(), re.M | re.S)
    if number >= len(blocks):
        sys.exit(f"{page}: expected block {number} of {language}, but got {len(blocks)} blocks")
    sys.stdout.write(blocks[number])


if __name__ == "__main__":
    sys.exit(main())
