# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as it is installed: tools, stubs, other folders, the end of the interpreter."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import programs
import symshape

FOLDER = Path(symshape.__file__).parent


def run(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, **options)


def test_it_is_the_installed_one():
    assert FOLDER.is_relative_to(sys.prefix) and (FOLDER / "py.typed").exists()
    assert symshape.api_version >= 1 and symshape.__version__.count(".") == 2


def test_tools(tmp_path):
    (tmp_path / "m.mlir").write_text(programs.SQUARES)
    done = run("-m", "symshape", "run", "m.mlir", "--input=1x2xf32=iota", "--input=1x2xf32=iota", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1x2xf32: [[0, 1]]\n"), done
    assert run("-m", "symshape", "run", "m.mlir", "--input=1x2xf32=iota", "--input=1x3xf32=iota",
               cwd=tmp_path).returncode == 3
    assert "guard" in run("-m", "symshape", "report", "m.mlir", cwd=tmp_path).stdout
    assert run("-m", "symshape", "nothing").returncode == 2
    listed = run("-m", "symshape", "--help").stdout.split("{")[1].split("}")[0].split(",")
    assert listed == ["bundle-run", "lsp-server", "onnx", "opt", "prove", "ptx-run", "reduce", "report", "run"]
    for tool in listed:
        done = run("-m", "symshape", tool, "--help")
        assert done.returncode == 0 and f"symshape-{tool}" in done.stdout, done


def test_another_folder_and_a_clean_end(tmp_path):
    (tmp_path / "m.mlir").write_text(programs.SQUARES)
    script = ("import numpy as np, symshape, threading\n"
              "p = symshape.load('m.mlir', dynamic='auto', compile='async')\n"
              "x = np.ones((2, 3), np.float32)\n"
              "kept = p.prepare(x, x), p(x, x), p.facts, p.report(), p.dlpack(x, x)\n"
              "threading.Thread(target=lambda: p(x[:1], x[:1])).start()\n"
              "try:\n    p(x, x[:1])\nexcept symshape.GuardError as error:\n    kept += (error,)\n"
              "print(p(x, x)[0].sum())\n")
    done = run("-c", script, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "6.0\n", ""), done


def test_stubs_name_what_there_is():
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    checked = 0
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assert hasattr(symshape._core, node.name), node.name
            checked += 1
        if isinstance(node, ast.ClassDef):
            known = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            there = {name for name in vars(getattr(symshape._core, node.name)) if not name.startswith("__")}
            assert there <= known, there - known
            checked += len(known)
    assert checked >= 30


def test_everything_public_is_documented():
    checked = 0
    for name in symshape.__all__:
        one = getattr(symshape, name)
        if inspect.isclass(one) or inspect.isfunction(one):
            assert inspect.getdoc(one), name
            checked += 1
    assert checked >= 20
    assert "guards" in symshape.load.__doc__ and "GuardError" in symshape.Program.__doc__


def test_one_array_in_two_programs():
    x = np.ones((2, 2), np.float32)
    first, second = (symshape.loads(programs.SQUARES) for _ in range(2))
    np.testing.assert_array_equal(second(first(x, x)[0], x)[0], x)
