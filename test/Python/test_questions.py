# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of programs, and the engine. Proofs are compared with enumeration."""

import itertools
import resource

import numpy as np
import onnx_file
import programs
import pytest
import symshape


@pytest.fixture(scope="module")
def join():
    return symshape.loads(programs.JOIN, entry="join", name="join.mlir")


def test_symbols_and_extents(join):
    assert [(one.name, one.min, one.max) for one in join.symbols] == [
        ("A", 0, 64), ("N", 0, 2**48 - 1), ("B", 0, 2**48 - 1)]
    assert "name='A', max=64, policy=" in repr(join.symbols) and "name='N', policy=" in repr(join.symbols)
    assert [str(one) for one in join.arguments] == ["%a: [A, N] f64", "%b: [B, N] f64"]
    (result,) = join.results
    rows, columns = result.extents
    assert str(rows) == "A + B" and rows.kind == "exact" and rows.symbols == ["A", "B"] and result.rank == 2
    for a, b in itertools.product((0, 1, 5), repeat=2):
        assert rows.evaluate(A=a, B=b) == a + b
    assert rows.evaluate(A=2**62, B=2**62) == 2**63  # exact
    with pytest.raises(symshape.InputError, match="expected a value for 'B'"):
        rows.evaluate(A=1)
    assert columns.provably_equal(join.arguments[1].extents[1]) and columns.provably_equal("N")
    assert not rows.provably_equal(columns) and rows.provably_equal("B + A") and not rows.provably_equal(7)
    assert rows.compare("<=", "B + 64").verdict == "yes" and rows.compare("<", "B").verdict == "no"
    assert join.name == "join" and "A + B" in repr(join)


def test_one_screen(join):
    lines = str(join).splitlines()
    assert lines[:4] == ["@join", "inputs:", "  %a: [A, N] f64", "  %b: [B, N] f64"]
    assert lines[4:6] == ["results:", "  result #0: [A + B, N] f64"]
    assert lines[6].startswith("valid for ") and "A <= 64" in lines[6] and len(lines) == 7
    assert str(symshape.loads(programs.SQUARES)).endswith("valid for sizes where M == P and N == Q")


def test_guards(join):
    assert [one.formula for one in join.guards] == ["A <= 64", "2 | A"] or len(join.guards) == 3
    squares = symshape.loads(programs.SQUARES)
    assert [str(one) for one in squares.guards] == ["M == P", "N == Q"]
    assert all("linalg.mul" in one.reasons[0] for one in squares.guards)
    assert squares.prove("M*N == P*Q") and squares.prove("M == N").verdict == "unknown"


def test_guards_are_those_that_check_lists():
    """All but bounds of numbers of elements, which the report has."""
    nodes = [onnx_file.node("Conv", "x w", "c", kernel_shape=[3, 3]), onnx_file.node("GlobalAveragePool", "c", "z")]
    data = onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["N", 1, "H", "unk__3"])}, ["z"], {"w": np.zeros((2, 1, 3, 3), np.float32)})
    program = symshape.loads(data, format="onnx")
    assert [str(one) for one in program.guards] == ["H >= 3", "x.dim3 >= 3"]
    listed = program.report().json["functions"][-1]["guards"]
    bounds = [one["plain"] for one in listed if one["isBound"]]
    assert len(listed) == 3 and len(bounds) == 1 and bounds[0].startswith("H*x.dim3 <= ")
    page = program._repr_html_()
    assert "x.dim3 &gt;= 3</td>" in page and "922337203685477" not in page


def test_one_syntax():
    """What Python shows of sizes that are divided is in its own syntax: text, notebook, guards, refused calls."""
    pools = [onnx_file.node("MaxPool", "x", "a", kernel_shape=[2], strides=[2]), onnx_file.node("Add", "a y", "z")]
    program = symshape.loads(onnx_file.model(pools, {"x": (onnx_file.FLOAT, [1, 1, "frames"]), "y": (onnx_file.FLOAT, [1, 1, "M"])}, ["z"]),
                             format="onnx")
    with pytest.raises(symshape.GuardError, match=r"frames // 2 \(4\) must equal") as caught:
        program(np.zeros((1, 1, 8), np.float32), np.zeros((1, 1, 5), np.float32))
    failure = caught.value.failures[0]
    assert failure.message.startswith("frames // 2 (4) must equal") and failure.values == {"frames": 8, "M": 5}
    for text in str(program), program._repr_html_(), program.report()._repr_html_(), str(caught.value), failure.relation:
        assert "frames // 2" in text and "floordiv" not in text
    assert "[1, 1, bc(M, frames // 2)]" in str(program) and "<td>[1, 1, bc(M, frames // 2)]</td>" in program._repr_html_()


@pytest.mark.parametrize("shapes", [((2, 3), (4, 3)), ((0, 1), (1, 1)), ((2, 0), (0, 0))])
def test_result_shapes_are_those_of_calls(join, shapes):
    a, b = (np.ones(shape) for shape in shapes)
    assert join.result_shapes(a, b) == [join(a, b)[0].shape]


def test_unknown_extents():
    first = symshape.loads(programs.FIRST)
    (extent,) = first.results[0].extents
    assert first.result_shapes(np.ones(4, np.float32), np.int64(2)) == [(None,)]
    assert extent.kind != "exact" and not extent.provably_equal(extent)
    if extent.kind == "unknown":
        with pytest.raises(symshape.InputError, match="known before the call"):
            extent.evaluate(L=4)


@pytest.mark.parametrize("values", list(itertools.product((0, 1, 6, 64), (0, 3, 5))))
def test_arithmetic_of_extents(join, values):
    (rows, columns), (a, b) = join.results[0].extents, values
    n = a + 2 * b
    for extent, value in ((rows + 3, a + b + 3), (3 + rows, a + b + 3), (2 * rows - columns, 2 * (a + b) - n),
                          (100 - rows, 100 - a - b), (rows // 4, (a + b) // 4), (rows % 4, (a + b) % 4),
                          (rows * columns, (a + b) * n), (rows + "A", 2 * a + b), (1000 // (rows + 1), 1000 // (a + b + 1)),
                          (1000 % (rows + 1), 1000 % (a + b + 1)), (rows.substitute(B="A*N"), a + a * n),
                          (rows.substitute({"A": rows}, B=2), a + b + 2)):
        assert extent.kind == "exact" and extent.evaluate(A=a, B=b, N=n) == value, extent
    assert rows + columns == columns + rows and hash(rows + 1) == hash(1 + rows) and rows != columns
    assert rows <= rows + 1 and not rows < columns and (rows > 64).verdict == "unknown" and rows <= "B + 64"
    with pytest.raises(TypeError):
        rows + 1.5


def test_arithmetic_of_bounds(join):
    bound = symshape.Extent("<= A + 2", lambda: join.facts)  # of something that is 0 to A + 2
    rows = join.results[0].extents[0]
    for made, text in ((bound + 1, "<= A + 3"), (bound - rows, "<= -B + 2"), (2 * bound, "<= 2*A + 4"),
                       (bound * (rows - 5), "?"), (bound * -1, "?"), (bound // 2, "<= A // 2 + 1"), (rows - bound, "?"),
                       (rows // bound, "?"), (bound // (rows - 1), "?"), (bound % 2, "?"), (bound + bound, "<= 2*A + 4"),
                       (bound.substitute(A=5), "<= 7")):
        assert str(made) == text
    unknown = symshape.Extent("?", lambda: join.facts)
    assert (unknown + 1).kind == (1 - unknown).kind == "unknown" and (bound < 100).verdict == "unknown"
    with pytest.raises(symshape.InputError, match="known before the call"):
        unknown.substitute(A=1)
    with pytest.raises(symshape.InputError, match="expected an exact extent for 'A', but got <= A"):
        rows.substitute(A=bound)


def test_report(join, tmp_path):
    report = join.report()
    assert "@join" in str(report) and "symbol A in [0, 64]" in report.text
    assert report.json["schemaVersion"] == 1 and report.json["functions"][0]["name"] == "join"
    page = report._repr_html_()
    assert "<td>in [0, 64]</td>" in page and "281474976710655" not in page + report.text
    assert "<td>[A, N]</td>" in page and "<script" not in page and page.count("<table") == page.count("</table")
    for name, first in ("r.html", "<!doctype html>"), ("r.json", "{"), ("r.txt", "@join"):
        report.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(first), name
    assert '"A + B"' in (tmp_path / "r.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="ends in .html, .json, .txt, but got"):
        report.save(tmp_path / "r.pdf")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            report.save(tmp_path / "r.json")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_facts():
    facts = symshape.Facts("L <= S", B=(1, 64))
    facts.declare("S", max=4096, multiple_of=8)
    assert facts.prove("L <= 4096") and facts.prove("8 | B*S") and facts.prove("L > 4096").verdict == "no"
    answer = facts.prove("B <= L")
    assert answer.verdict == "unknown" and not answer and answer.reason
    assert facts.bounds("B + 1") == (2, 65) and facts.residue("S + 3") == (8, 3)
    assert facts.simplify("2*L - L") == "L"
    with facts.scope():
        facts.assume("L == S")
        assert facts.prove("8 | L") and facts.simplify("L - S") == "0"
    assert not facts.prove("8 | L")
    for bad in ("L <=", "L", "L S"):
        with pytest.raises(symshape.InputError):
            facts.prove(bad)
    with pytest.raises(symshape.InputError, match="contradicts"):
        facts.assume("B > 64")
    assert facts.prove("B <= 64")


def test_proofs_against_enumeration():
    names, values = ("A", "B", "C"), range(4)
    relations = ["A <= B", "B <= C", "A == C", "2 | A", "A + B <= C", "A*B == C", "A != B", "A < C"]
    evaluate = {text: eval("lambda A, B, C: " + text.replace("2 | A", "A % 2 == 0")) for text in relations}
    checked = decided = 0
    for one, two, question in itertools.permutations(relations, 3):
        points = [point for point in itertools.product(values, repeat=3)
                  if evaluate[one](*point) and evaluate[two](*point)]
        try:
            verdict = symshape.prove(question, one, two, **{name: (0, 3) for name in names}).verdict
        except symshape.InputError:
            assert not points, (one, two)
            continue
        holds = [evaluate[question](*point) for point in points]
        assert verdict != "yes" or all(holds), (one, two, question)
        assert verdict != "no" or not any(holds), (one, two, question)
        checked += 1
        decided += verdict != "unknown"
    assert checked >= 250 and decided >= 60, (checked, decided)
