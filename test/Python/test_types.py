# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hints of types, as mypy and pyright read them: in the package, and in code that uses it."""

import json
import re
import subprocess
import sys

import pytest

api = pytest.importorskip("mypy.api")

USE = """
import symshape

program = symshape.load("model.onnx", threads=2)
results = program([1.0], mask=[1])
reveal_type(results)
reveal_type(results.logits)
reveal_type(results["logits"])
program({"x": [1.0]}, out=[2.0])
reveal_type(program.inputs[0].extents[0])
reveal_type(program.guards)
reveal_type(symshape.prove("A <= B").verdict)
reveal_type(symshape.Facts(A=(1, 4)).bounds("A"))
for one in program.map([{"x": [1]}], workers=2):
    reveal_type(one)
async def wait() -> None:
    reveal_type(await program.acall([1.0]))
program.save("model.symshape")
program.save()
program.gradient
symshape.prove(3, facts=4).verdict.upper().x
"""
# What mypy says, in order: of types, and of four mistakes.
REVEALED = ["symshape._results.Results", "Any", "Any", "symshape._facts.Extent", "list[symshape._program.Guard]", "str",
            "tuple[int | None, int | None]", "symshape._results.Results", "symshape._results.Results"]
MISTAKES = ["call-arg", "attr-defined", "attr-defined", "arg-type"]


def run(*arguments):
    words, errors, status = api.run([*arguments, "--no-incremental", "--no-color-output", "--hide-error-context"])
    assert not errors, errors
    return words, status


def test_the_package_itself():
    words, status = run("-p", "symshape", "--ignore-missing-imports")
    files = re.search(r"no issues found in (\d+) source files", words)
    assert status == 0 and int(files[1]) >= 16, words


def test_code_that_uses_it(tmp_path):
    path = tmp_path / "use.py"
    path.write_text(USE)
    words, _ = run("--strict", str(path))
    assert [text.replace("builtins.", "") for text in re.findall(r'Revealed type is "(.*)"', words)] == REVEALED, words
    assert re.findall(r"error: .*\[([a-z-]+)\]$", words, re.M) == MISTAKES, words


def test_pyright_reads_the_same(tmp_path):
    pytest.importorskip("pyright")
    path = tmp_path / "use.py"
    path.write_text(USE)
    done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", str(path)],
                          capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr  # the mistakes
    found = json.loads(done.stdout)["generalDiagnostics"]
    said = [re.search(r'" is "(.*)"$', one["message"])[1] for one in found if one["severity"] == "information"]
    assert said == [text.rsplit(".", 1)[-1] if "[" not in text else text.replace("symshape._program.", "")
                    for text in REVEALED], said
    assert [one["rule"] for one in found if one["severity"] == "error"] == [
        "reportCallIssue", "reportAttributeAccessIssue", "reportArgumentType", "reportAttributeAccessIssue"], found
