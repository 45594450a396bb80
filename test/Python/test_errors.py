# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is refused, and the fields that say why."""

import logging

import numpy as np
import programs
import pytest
import symshape


def ones(*shape):
    return np.ones(shape, np.float32)


def test_all_guards_that_fail():
    program = symshape.loads(programs.SQUARES, name="squares.mlir")
    with pytest.raises(symshape.GuardError) as caught:
        program(ones(2, 3), ones(5, 4))
    error = caught.value
    assert error.function == "main" and error.status == 3
    assert [one.relation for one in error.failures] == ["M == P", "N == Q"]
    first, second = error.failures
    assert first.kind == "guard" and first.values == {"M": 2, "P": 5} and second.values == {"N": 3, "Q": 4}
    assert [one.origin for one in first.symbols] == ["%x dim 0", "%y dim 0"]
    (reason,) = first.reasons
    line = 1 + programs.SQUARES.splitlines().index(
        next(text for text in programs.SQUARES.splitlines() if "linalg.mul" in text))
    assert (reason.op, reason.file, reason.line) == ("linalg.mul", "squares.mlir", line)
    assert reason.column == 1 + programs.SQUARES.splitlines()[line - 1].index("linalg.mul")
    assert first.observed == "2 != 5" and "(M = 2)" in str(error) and "(Q = 4)" in str(error)
    # One that holds is not among them.
    with pytest.raises(symshape.GuardError) as caught:
        program(ones(2, 3), ones(2, 4))
    assert [one.relation for one in caught.value.failures] == ["N == Q"]


def test_checks_of_data_and_types():
    program = symshape.loads(programs.FIRST)
    with pytest.raises(symshape.GuardError) as caught:
        program(np.arange(4, dtype=np.float32), 9)
    (failure,) = caught.value.failures
    assert failure.kind == "check" and failure.observed == "9 > 4"
    assert failure.reasons[0].op == "tensor.extract_slice"
    static = symshape.loads(programs.DOUBLE.replace("TYPE", "f32").replace("%x: tensor<?xf32>", "%y: tensor<3xf32>")
                            .replace("  %c0", "  %x = tensor.cast %y : tensor<3xf32> to tensor<?xf32>\n  %c0", 1))
    with pytest.raises(symshape.GuardError, match="expected extent 3") as caught:
        static(ones(4))
    assert [one.kind for one in caught.value.failures] == ["type"]


def test_declared_ranges():
    program = symshape.loads(programs.JOIN, entry="join")
    with pytest.raises(symshape.GuardError) as caught:
        program(np.ones((67, 2)), np.ones((1, 2)))
    found = {one.relation: one for one in caught.value.failures}
    assert set(found) == {"A <= 64", "2 | A"}
    assert all(one.values == {"A": 67} and one.reasons[0].op == "the signature" for one in found.values())


def test_facts_of_the_caller():
    program = symshape.loads(programs.SQUARES, facts=["M <= 4", "M <= N"])
    with pytest.raises(symshape.GuardError) as caught:
        program(ones(5, 3), ones(5, 3))
    assert {one.relation for one in caught.value.failures} == {"M <= 4", "M <= N"}
    assert program(ones(3, 3), ones(3, 3))[0].shape == (3, 3) and program.prove("M <= 4")
    for bad in ("M <=", "Z <= 4"):
        with pytest.raises(symshape.Error):
            symshape.loads(programs.SQUARES, facts=[bad])
    for bad in (3, [3], {"M": 4}):
        with pytest.raises(symshape.InputError, match="facts"):
            symshape.loads(programs.SQUARES, facts=bad)
    # Of a program whose text has no attribute of ours.
    plain = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}"
    for options in ({"facts": "N <= 4"}, {"versions": {"small": "N <= 4"}}):
        with pytest.raises(symshape.CompileError, match="signature, which names none, but got unknown symbol 'N'"):
            symshape.loads(plain, **options)
    assert symshape.loads(plain, weights={"x": ones(3)})()[0].shape == (3,)


def test_unknown_options():
    with pytest.raises(TypeError, match="compile, cpu, .*, but got 'thread'"):
        symshape.loads(programs.SQUARES, thread=2)


def test_shapes_are_refused_without_running():
    program = symshape.loads(programs.SQUARES)
    with pytest.raises(symshape.GuardError) as caught:
        program.result_shapes(ones(2, 3), ones(5, 3))
    assert [one.relation for one in caught.value.failures] == ["M == P"]


def test_errors_have_places(capfd):
    text = programs.SQUARES.replace("linalg.mul", "linalg.nothing")
    with pytest.raises(symshape.CompileError) as caught:
        symshape.loads(text, name="broken.mlir")
    diagnostic = caught.value.diagnostics[0]
    line = 1 + [one.find("linalg.nothing") >= 0 for one in text.splitlines()].index(True)
    assert (diagnostic.severity, diagnostic.file, diagnostic.line) == ("error", "broken.mlir", line)
    assert f"broken.mlir:{line}:" in str(caught.value) and caught.value.status == 1
    with pytest.raises(symshape.CompileError, match="expected a function @other with a body"):
        symshape.loads(programs.SQUARES, entry="other")
    assert capfd.readouterr() == ("", ""), "nothing is written beside the exception"


def test_violations_have_notes():
    text = programs.SQUARES.replace("[P, Q]", "[3, Q]").replace("[M, N]", "[2, N]")
    with pytest.raises(symshape.CompileError) as caught:
        symshape.loads(text)
    assert any(one.notes for one in caught.value.diagnostics), caught.value
    # Code for a call that cannot be compiled is refused each time with the same words.
    program = symshape.loads(text, dynamic="auto")
    for _ in range(2):
        with pytest.raises(symshape.CompileError) as again:
            program(ones(2, 3), ones(3, 3))
        assert str(again.value) == str(caught.value)


def test_options_and_files_that_cannot_be_used(tmp_path):
    for options, words in [({"dynamic": "sometimes"}, "always, auto, never"), ({"threads": -1}, "from 1 to"),
                           ({"compile": "later"}, "sync, async, auto"),
                           ({"target": "abacus"}, "the target to be cpu or nvvm"), ({"cpu": "no-such-cpu"}, "no-such-cpu"),
                           ({"weights": tmp_path / "none.safetensors"}, "none.safetensors")]:
        with pytest.raises(symshape.InputError, match=words):
            symshape.loads(programs.SQUARES, **options)
    with pytest.raises(symshape.InputError, match="none.mlir"):
        symshape.load(tmp_path / "none.mlir")
    with pytest.raises(symshape.InputError, match="format"):
        symshape.loads(programs.SQUARES, format="yaml")
    with pytest.raises(TypeError):
        symshape.loads(programs.SQUARES, threats=2)


def test_warnings_of_the_compiler(tmp_path):
    blocked = tmp_path / "state"
    blocked.write_text("this is no folder")
    with pytest.warns(symshape.CompileWarning, match="no state is kept in"):
        program = symshape.loads(programs.SQUARES, state=blocked)
    np.testing.assert_array_equal(program(ones(1, 1), ones(1, 1))[0], ones(1, 1))


def test_events_are_logged(caplog):
    with caplog.at_level(logging.INFO, logger="symshape"):
        program = symshape.loads(programs.SQUARES, dynamic="auto", events="compiles,dispatch")
        program(ones(2, 3), ones(2, 3))
        with pytest.raises(symshape.GuardError):
            program(ones(2, 3), ones(2, 4))
    told = [(record.name, record.getMessage().split()[0]) for record in caplog.records]
    assert ("symshape.compiles", "compiled") in told and ("symshape.dispatch", "served") in told
    assert ("symshape.dispatch", "refused") in told
    caplog.clear()
    symshape.loads(programs.SQUARES)
    assert not caplog.records


def test_a_program_can_be_called_after_an_error():
    program = symshape.loads(programs.SQUARES)
    for _ in range(3):
        with pytest.raises(symshape.GuardError):
            program(ones(2, 3), ones(5, 4))
        np.testing.assert_array_equal(program(ones(2, 3), ones(2, 3))[0], ones(2, 3))
