# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools: `python -m symshape run m.mlir --input=2x3xf32=iota` is symshape-run, and so on."""

import os
import sys
from pathlib import Path

from . import _core

FOLDER = Path(_core.__file__).parent / "bin"  # also of an editable package


def main():
    tools = sorted(path.name.removeprefix("symshape-") for path in FOLDER.glob("symshape-*"))
    if len(sys.argv) > 1 and sys.argv[1] in tools:
        path = FOLDER / f"symshape-{sys.argv[1]}"
        os.execv(path, [str(path), *sys.argv[2:]])
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(f"usage: python -m symshape {{{','.join(tools)}}} [OPTION...]")
        return 0
    print(f"usage: python -m symshape {{{','.join(tools)}}} [OPTION...]", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
