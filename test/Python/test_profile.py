# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a call goes, results into given arrays, and what a notebook shows."""

import json
import sys
import threading
import types

import numpy as np
import pytest
import symshape
from symshape import _progress

PROGRAM = """func.func @main(%x: tensor<?x32xf32> {symshape.shape = #symshape.shape<["n", 32]>},
                             %w: tensor<32x16xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
"""


@pytest.fixture(scope="module")
def program():
    return symshape.loads(PROGRAM)


def inputs(rows=10):
    random = np.random.default_rng(rows)
    return random.standard_normal((rows, 32), np.float32), random.standard_normal((32, 16), np.float32)


def test_profile(program, tmp_path):
    profile = program.profile(*inputs(), repeat=2)
    node = next(node for node in profile.nodes if node.op == "linalg.matmul")
    assert node.flop == 2 * 10 * 32 * 16 and node.bytes == 4 * (10 * 32 + 32 * 16 + 10 * 16)
    assert 0 < node.seconds < profile.seconds and node.share > 0
    assert "linalg.matmul" in str(profile) and "<pre>" in profile._repr_html_()
    profile.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert events and all(event["ph"] == "X" for event in events)
    with pytest.raises(ValueError, match="expected a name that ends in .json, .txt, but got"):
        profile.save(tmp_path / "trace.png")
    assert program.report().json["profile"]["calls"] == 2
    x, w = inputs(3)
    assert np.allclose(program(x, w)[0], x @ w, atol=1e-4)  # the program itself has no timers


def test_profile_of_names_and_of_refused_inputs(program):
    x, w = inputs(4)
    assert program.profile(x, w=w, repeat=1).json["calls"] == 1
    with pytest.raises(symshape.InputError, match="expected repeat to be a number of at least 1, but got 0"):
        program.profile(x, w, repeat=0)
    with pytest.raises(symshape.Error, match="expected extent 32"):
        program.profile(x[:, :3], w)


def test_out(program):
    x, w = inputs(7)
    wanted = program(x, w)[0]
    into = np.full((7, 16), -1, np.float32)
    for out in (into, [into], {"result #0": into}):
        into.fill(-1)
        assert program(x, w, out=out)[0] is into and np.array_equal(into, wanted)
    strided = np.zeros((7, 32), np.float32)[:, ::2]
    program(x, w=w, out=strided)
    assert np.array_equal(strided, wanted)
    program({"x": x, "w": w}, out=into[:7])
    assert np.array_equal(into, wanted)


@pytest.mark.parametrize("out, message", [
    (np.zeros((7, 15), np.float32), r"out for result #0 to have the shape \(7, 16\), but got \(7, 15\)"),
    (np.zeros((7, 16)), "to have elements of f32, but got f64"),
    ([], "expected out to be 1 array, but got 0"),
    ({"y": np.zeros((7, 16), np.float32)}, r"names of results \(result #0\), but got 'y'"),
    (3, "to be an array that can be written to, but got 3"),
])
def test_out_that_does_not_fit(program, out, message):
    with pytest.raises(symshape.InputError, match=message):
        program(*inputs(7), out=out)


def test_out_is_an_input_where_one_has_the_name():
    named = symshape.loads("func.func @main(%out: tensor<2xf32>) -> tensor<2xf32> { return %out : tensor<2xf32> }")
    assert named(out=np.ones(2, np.float32))[0].tolist() == [1, 1]


def test_notebook(program):
    page = program._repr_html_()
    assert page.index("valid for every size") < page.index("inputs") < page.index("results")
    assert "<details>" not in page  # no weights
    report = program.report()._repr_html_()
    assert report.index("valid for every size") < report.index("arguments") < report.index("results") < report.index("symbols")


class Kernel:
    """Stands for IPython in a notebook."""

    kernel = object()

    def __init__(self):
        self.shown = []

    def display(self, bar, display_id):
        assert display_id is True
        self.shown.append(bar._repr_html_())
        return types.SimpleNamespace(update=lambda bar: self.shown.append(bar._repr_html_()))


def test_bar_in_a_notebook(monkeypatch):
    kernel = Kernel()
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "INTERVAL", 0.001)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=kernel.display))
    before = threading.active_count()
    symshape.loads(PROGRAM)
    assert "<progress>" in kernel.shown[0] and kernel.shown[-1] == "" and threading.active_count() == before
    kernel.shown.clear()
    symshape.loads(PROGRAM, progress=False)
    assert kernel.shown == []


def test_no_bar_without_a_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert _progress.notebook_display() is None
