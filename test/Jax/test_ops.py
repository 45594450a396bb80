# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that JAX does not export, in StableHLO's text with open extents, beside XLA at two sizes each."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
import symshape

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "utils"))
import stablehlo_oracle as oracle
from test_networks import check

NORM = "{epsilon = 0.01 : f32, feature_index = 1 : i64}"
X, V = "tensor<?x3x?xf32>", "tensor<3xf32>"
OPS = {
    "batch_norm_inference": f"""func.func @main(%x: {X}, %s: {V}, %o: {V}, %m: {V}, %q: {V}) -> {X} {{
      %v = stablehlo.multiply %q, %q : {V}
      %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {NORM} : ({X}, {V}, {V}, {V}, {V}) -> {X}
      return %r : {X}
    }}""",
    "batch_norm_training": f"""func.func @main(%x: {X}, %s: {V}, %o: {V}) -> ({X}, {V}, {V}) {{
      %r:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {NORM} : ({X}, {V}, {V}) -> ({X}, {V}, {V})
      return %r#0, %r#1, %r#2 : {X}, {V}, {V}
    }}""",
    "batch_norm_grad": f"""func.func @main(%x: {X}, %s: {V}, %m: {V}, %q: {V}, %g: {X}) -> ({X}, {V}, {V}) {{
      %v = stablehlo.multiply %q, %q : {V}
      %r:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {NORM} : ({X}, {V}, {V}, {V}, {X}) -> ({X}, {V}, {V})
      return %r#0, %r#1, %r#2 : {X}, {V}, {V}
    }}""",
}


@pytest.mark.parametrize("name", OPS)
def test_op(name, count):
    data = oracle.serialize(OPS[name])
    program = symshape.loads(data, name=f"{name}.mlirbc")
    calls = list(itertools.islice(oracle.find_calls(oracle.Artifact(data)), 2))
    assert len(calls) == 2
    for arguments, expected in calls:
        for one, two in zip(program(*arguments), expected, strict=True):
            check(one, np.asarray(two))
    count("ops")


VERSIONED = """
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %one = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %one, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %c, %shape, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %y = stablehlo.add %x, %b : tensor<?x4xf32>
  return %y, %n : tensor<?x4xf32>, tensor<i32>
}
"""


def test_versions(count):
    """Each one that jaxlib writes, from the oldest on."""
    read = []
    for version in [f"0.{minor}.0" for minor in range(9, 21)] + [f"1.{minor}.0" for minor in range(21)]:
        try:
            data = oracle.serialize(VERSIONED, version)
        except ValueError:
            continue  # not a version of this jaxlib
        y, n = symshape.loads(data, name=f"{version}.mlirbc")(np.zeros((2, 4), np.float32))
        np.testing.assert_array_equal(y, [[1, 2, 3, 4]] * 2)
        assert n == 2
        read.append(version)
    assert read[0] == "0.9.0"
    count("versions", len(read))
