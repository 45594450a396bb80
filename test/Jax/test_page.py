# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/HowTo/RunAJaxProgram.md, typed from top to bottom: its programs run, its commands print what it shows."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def test_page(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "HowTo" / "RunAJaxProgram.md").read_text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(ROOT / "build" / "bin"), prepend=":")
    names, printed, counts = {}, "", {"python": 0, "sh": 0, "": 0}
    for kind, text in BLOCK.findall(page):
        counts[kind] += 1
        if kind == "python":
            exec(compile(text, f"program {counts[kind]} of the page", "exec"), names)
        elif kind == "sh":
            done = subprocess.run(text, shell=True, capture_output=True, text=True)
            assert done.returncode in (0, 3), done.stderr  # 3: a guard refuses
            printed = done.stdout or done.stderr
        else:
            assert text.strip() in printed
    assert counts == {"python": 4, "sh": 2, "": 2}
