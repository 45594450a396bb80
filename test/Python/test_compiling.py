# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a person sees of a compilation: its report, and a line on a terminal."""

import io
import json
import os
import pty
import subprocess
import sys

import numpy as np
import programs
import pytest
import symshape
from symshape import _options

LARGE = "\n".join(
    ["func.func @main(%x0: tensor<?x17xf32>, %n: index) -> tensor<?x287xf32> {"]
    + [f"""  %w{i} = arith.constant dense<0.5> : tensor<{n}x{n + 3}xf32>
  %b{i} = tensor.empty(%n) : tensor<?x{n + 3}xf32>
  %x{i + 1} = linalg.matmul ins(%x{i}, %w{i} : tensor<?x{n}xf32>, tensor<{n}x{n + 3}xf32>)
    outs(%b{i} : tensor<?x{n + 3}xf32>) -> tensor<?x{n + 3}xf32>""" for i, n in enumerate(range(17, 287, 3))]
    + ["  return %x90 : tensor<?x287xf32>", "}"])


def test_compile_report(monkeypatch):
    monkeypatch.setenv("SYMSHAPE_CACHE", "off")
    program = symshape.loads(programs.JOIN, entry="join", name="join.mlir")
    before = program.compilations
    report = program.compile_report()
    assert program.compilations == before and report["function"] == "join"
    assert json.loads(json.dumps(report)) == report
    stages = [stage["name"] for stage in report["stages"]]
    assert stages[:2] == ["parse", "passes"] and "LLVM's code generation" in stages
    assert 0 < sum(stage["seconds"] for stage in report["stages"]) <= report["seconds"] * 1.001
    names = [one["name"] for one in report["passes"]]
    assert "InsertGuardsPass" in names and len(names) == len(set(names)) > 30
    questions = report["questions"]
    assert len(questions) == 10 and 0 < report["numDecided"] < report["numAsked"]
    assert all(one["asked"] >= one["decided"] and one["steps"] >= 0 for one in questions)
    assert any(one["place"].startswith("join.mlir:") for one in questions)
    assert report["numRewriteSteps"] > 50
    assert sum(one["instructions"] for one in report["places"]) <= report["numInstructions"]


def test_compile_report_of_a_derivative():
    program = symshape.loads(programs.SQUARES).vjp()
    assert program.compile_report()["numInstructions"] > 50


def run_on_a_terminal(script, stderr_is_terminal=True):
    """(what was printed, what the terminal got)."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", f"import symshape\n{script}"], stdout=subprocess.PIPE, text=True,
        stderr=slave if stderr_is_terminal else subprocess.STDOUT,
        env={**os.environ, "TERM": "xterm", "SYMSHAPE_CACHE": "off"})
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 4096)
        except OSError:  # nobody writes any more
            data = b""
        if not data:
            break
        shown += data
    os.close(master)
    printed = process.communicate()[0]
    assert process.returncode == 0, printed
    return printed, shown.decode()


def test_progress(tmp_path):
    (tmp_path / "large.mlir").write_text(LARGE)
    load = f"symshape.load({str(tmp_path / 'large.mlir')!r}, compile='sync'"
    printed, shown = run_on_a_terminal(f"{load})")
    assert printed == "" and "\rcompiling, 1." in shown and shown.endswith("\r\x1b[K"), shown
    assert all(part.startswith("compiling, ") for part in shown.replace("\x1b[K", "").split("\r") if part), shown
    assert run_on_a_terminal(f"{load}, progress=False)") == ("", "")
    printed, shown = run_on_a_terminal(f"{load})\nprint('now', flush=True)\n{load}, progress=True)", False)
    assert printed.startswith("now\n") and "compiling, 1." in printed and not shown


def test_progress_is_for_those_who_watch(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "isatty", lambda number: True)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    assert _options._is_watched() == (sys.__stderr__.fileno() == 2)
    monkeypatch.setattr(sys, "stderr", io.StringIO())  # as a notebook has it
    assert not _options._is_watched()
    monkeypatch.setattr(sys, "stderr", None)
    assert not _options._is_watched()


def test_progress_is_a_choice():
    with pytest.raises(symshape.InputError, match="expected progress to be True, False or None, but got 'yes'"):
        symshape.loads(programs.SQUARES, progress="yes")
    x = np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(symshape.loads(programs.SQUARES, progress=True)(x, x)[0], x)
