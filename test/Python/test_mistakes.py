# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the package says of mistakes that users make: test/Tools/Inputs/mistakes/python.toml.

A call there is an expression, and its message the name of an exception and what that says;
a status is that of the exception, 2 of one of Python's own.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
import symshape

pytest.importorskip("tomllib")
TABLES = Path(__file__).parents[1] / "Tools" / "Inputs"
sys.path.insert(0, str(TABLES))
import check_mistakes  # noqa: E402
import mistake_files  # noqa: E402

LEAST = 120


def ones(*shape):
    return np.ones(shape, np.float32)


def run(call, names):
    """The status and message of the exception that a call raises; (0, "") if it raises none."""
    try:
        eval(call, dict(names))
    except Exception as error:
        return getattr(error, "status", 2), f"{type(error).__name__}: {error}"
    return 0, ""


def test_mistakes(tmp_path, monkeypatch, capfd):
    folder = tmp_path / "files"
    mistake_files.write(folder)
    monkeypatch.chdir(folder)
    names = {"symshape": symshape, "np": np, "ones": ones, "ADD": mistake_files.ADD,
             "add": symshape.load("add.mlir"), "model": symshape.load("add.onnx"),
             "scalar": symshape.load("scalar.mlir")}
    mistakes = check_mistakes.read(TABLES / "mistakes" / "python.toml")
    wrong = []
    for mistake in mistakes:
        status, got = run(mistake["call"], names)
        found = check_mistakes.judge(mistake, status, got, folder)
        if "mended" in mistake and (said := run(mistake["mended"], names)) != (0, ""):
            found.append(f"a mended call that says {said}")
        wrong += [f"{mistake['call']}\n  {each}" for each in found] + ([f"it said:\n{got}\n"] if found else [])
    assert not wrong, "\n".join(wrong)
    assert len(mistakes) >= LEAST
    assert capfd.readouterr() == ("", ""), "nothing is written beside the exceptions"
