# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of a page, `>>> code` and what it prints: run_doctest.py PAGE."""

import doctest
import sys
from pathlib import Path


def main():
    page = Path(sys.argv[1])
    # A block's end is not a part of what its last example prints.
    text = page.read_text().replace("\n```", "\n\n```")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner().run(test)
    print(f"{result.attempted} examples, {result.failed} failed")
    return result.failed != 0


if __name__ == "__main__":
    sys.exit(main())
