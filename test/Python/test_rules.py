# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules in Python for ops without a definition. The oracle counts windows."""

import onnx_file
import pytest
import symshape
from symshape import onnx

FRAMES = onnx_file.node("Frames", "x", "f", "cut", domain="my.audio", window=4, hop=2)


def saved(folder, nodes, outputs, version=3):
    """A model of a signal of N elements."""
    path = folder / "model.onnx"
    domain = onnx_file.text(8, onnx_file.text(1, "my.audio") + onnx_file.number(2, version))
    path.write_bytes(onnx_file.model(nodes, {"x": (onnx_file.FLOAT, ["N"])}, outputs) + domain)
    return path


def frames(node):
    (length,) = node.inputs[0].shape
    window, hop = node.attributes["window"], node.attributes["hop"]
    return [((length - window) // hop + 1, window)]


def windows(length):
    return len(range(0, length - 4 + 1, 2))


def test_extents_behind_an_op_that_only_python_knows(tmp_path):
    rules = onnx.Rules()
    assert rules.rule("my.audio", "Frames", since=3)(frames) is frames
    path = saved(tmp_path, [FRAMES, onnx_file.node("Transpose", "f", "y")], ["y"])
    values = onnx.infer(path, rules=rules)
    assert values["y"].element == "f32" and str(values["y"].shape[0]) == "4"
    for length in (4, 5, 11, 100):
        assert values["y"].shape[1].evaluate(N=length) == windows(length)
    assert onnx.infer(path, rules=onnx.Rules())["y"].shape is None  # rules of others do not meet


def test_a_result_is_the_input_of_the_next_rule(tmp_path):
    rules = onnx.Rules()
    rules.rule("my.audio", "Frames")(frames)
    seen = []

    @rules.rule("my.audio", "Count")
    def count(node):
        seen.append(node)
        return [onnx.Result([node.inputs[0].shape[0] * 3], "i64")]

    nodes = [FRAMES, onnx_file.node("Relu", "f", "r"),
             onnx_file.node("Count", "r -", "y", "third", domain="my.audio", words=["a", "b"], half=0.5)]
    value = onnx.infer(saved(tmp_path, nodes, ["y"]), rules=rules)["y"]
    assert value.element == "i64" and value.shape[0].evaluate(N=11) == 3 * windows(11)
    (node,) = seen  # asked once, when all its inputs are known
    assert (node.name, node.op, node.domain, node.version, node.outputs) == ("third", "Count", "my.audio", 3, ("y",))
    assert node.attributes == {"words": ["a", "b"], "half": 0.5} and node.inputs[1] is None


def test_the_closest_lower_version(tmp_path):
    rules = onnx.Rules()
    for since in (1, 3, 5):
        rules.rule("my.audio", "Frames", since=since)(lambda node, since=since: [(since,)])
    for version, extent in ((1, 1), (2, 1), (3, 3), (4, 3), (9, 5)):
        value = onnx.infer(saved(tmp_path, [FRAMES], ["f"], version), rules=rules)["f"]
        assert [int(one) for one in value.shape] == [extent]
    assert rules.find("my.audio", "Frames", 0) is None


@pytest.mark.parametrize("result, words", [
    (None, "a list of 1 results, but got None"), ([(1,), (2,)], "a list of 1 results"),
    ([7], "a list of extents for 'f', but got 7"), ([(-1,)], "an extent, a number from 0 or a text, but got -1"),
    ([onnx.Result((1,), "float")], "an element type such as f32, but got 'float'")])
def test_what_a_rule_must_not_give(tmp_path, result, words):
    rules = onnx.Rules()
    rules.rule("my.audio", "Frames")(lambda node: result)
    with pytest.raises(symshape.InputError, match="the rule of my.audio.Frames at node 'cut': expected ") as caught:
        onnx.infer(saved(tmp_path, [FRAMES], ["f"]), rules=rules)
    assert words in str(caught.value)


def test_words_for_mistakes(tmp_path):
    with pytest.raises(symshape.InputError, match="expected since to be a version from 1, but got 0"):
        onnx.rule("my.audio", "Frames", since=0)
    path = saved(tmp_path, [FRAMES], ["f"])
    with pytest.raises(symshape.InputError, match="expected a fallback that is 'none' or 'onnx', but got 'tf'"):
        onnx.infer(path, fallback="tf")
    with pytest.raises(symshape.InputError, match="cannot read|no-model"):
        onnx.infer(tmp_path / "no-model.onnx")


def interpreter(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_fallback(tmp_path, monkeypatch):
    """Of the package onnx only what it prints: it is not there in these tests."""
    path = saved(tmp_path, [FRAMES, onnx_file.node("Relu", "f", "y")], ["y"])
    monkeypatch.setenv("SYMSHAPE_PYTHON", interpreter(
        tmp_path / "without", "echo \"ModuleNotFoundError: No module named 'onnx'\" >&2; exit 1"))
    with pytest.raises(symshape.InputError, match=r"the package onnx \(pip install onnx\), but got .*No module named 'onnx'"):
        onnx.infer(path, fallback="onnx")
    monkeypatch.setenv("SYMSHAPE_PYTHON", interpreter(
        tmp_path / "with", """printf '{"f": {"type": 1, "dims": ["N", null, 4]}, "x": {"type": 7, "dims": []}}' > "$4\""""))
    value = onnx.infer(path, fallback="onnx")["y"]
    assert [str(one) for one in (value.shape[0], value.shape[2])] == ["N", "4"] and value.shape[1].kind == "exact"
    assert onnx.infer(path, fallback="onnx")["x"].element == "f32"  # only of ops without a definition
    rules = onnx.Rules()
    rules.rule("my.audio", "Frames")(frames)
    value = onnx.infer(path, rules=rules, fallback="onnx")["y"]  # a rule comes first
    assert value.shape[0].evaluate(N=11) == windows(11)
