# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/HowTo/RunAJaxProgram.md, typed from an empty folder, as utils/type_pages.py types the other pages."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_page(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "utils" / "type_pages.py", ROOT / "build", tmp_path,
                           f"--python={sys.executable}", "--filter=RunAJaxProgram"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 pages: 0 files, 2 commands, 2 compared, 4 snippets, 0 examples, 0 left out; 0 wrong" in done.stdout
