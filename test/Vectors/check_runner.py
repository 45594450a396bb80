# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/run_vectors.py notices what must not pass: programs and provers that answer wrongly, or not at all."""

import shutil
import sys
from collections import Counter

import numpy as np

import vector_enumeration
from run_vectors import Runner
from vector_numerics import Failure, Numeric, Refused

FIRST_TWO = {"kind": "numeric", "id": "slice", "inputs": {"x": {"dtype": "f64", "shape": [3], "data": [1, 2, 3]}},
             "program": [{"result": "y", "op": "slice", "operands": ["x"],
                          "attrs": {"starts": [0], "limits": [2], "strides": [1]}}],
             "results": ["y"], "active": [], "primal": [{"dtype": "f64", "shape": [2], "data": [1, 2]}]}


def right(arrays):
    if len(arrays[0]) < 2:
        raise Refused("at least 2")
    return [arrays[0][:2]]


def wrongly_refused(arrays):
    if len(arrays[0]) == 4:
        raise Refused("expected 3")
    return right(arrays)


def wrongly_served(arrays):
    return [np.resize(arrays[0], 2)]


def another_status(arrays):
    if len(arrays[0]) < 2:
        raise Failure("out of memory")
    return right(arrays)


def wrong_result(arrays):
    return [right(arrays)[0] + (len(arrays[0]) > 3)]


def fails(function):
    """The message of the failure, empty if there is none."""
    try:
        function()
    except Failure as failure:
        return str(failure)
    return ""


def with_calls(call):
    runner, numeric = Runner.__new__(Runner), Numeric(FIRST_TWO)
    runner.counts, numeric.calls = Counter(), {"primal": call}
    return fails(lambda: runner.run_other_extents(numeric)), runner.counts


def with_prover(path):
    runner = Runner.__new__(Runner)
    runner.prove = path
    return fails(lambda: runner.ask(["assume N >= 1"], ["N >= 1"]))


def main():
    message, counts = with_calls(right)
    held = [("a program that is right passes", not message and counts["cases at other extents"] == 1 and
             counts["calls served"] >= 3 and counts["calls refused"] == 2)]
    for call in (wrongly_refused, wrongly_served, another_status, wrong_result):
        held.append((f"{call.__name__} fails", with_calls(call)[0]))
    held.append(("a prover that says nothing fails", with_prover(shutil.which("true"))))
    held.append(("a prover that fails fails", with_prover(shutil.which("false"))))
    found = vector_enumeration.bindings({"N", "M"}, ["2 * N == M", "N floordiv 2 >= 1", "2 | N"], ["M"])
    held.append(("bindings are those of which the facts hold",
                 {(b["N"], b["M"]) for b in found} == {(2, 4)} and
                 not vector_enumeration.bindings({"N"}, ["N + 1 <= N"], [])))
    texts = {"7 ceildiv 2": 4, "-7 floordiv 2": -4, "7 - 2 - 1": 4, "min(3, max(1, 2)) * 2 mod 3": 1, "bc(1, 5)": 5}
    held.append(("texts are read", all(vector_enumeration.Reader(t).at({}) == v for t, v in texts.items())))
    for what, holds in held:
        if not holds:
            print(f"not so: {what}")
    print(f"{sum(map(bool, (holds for _, holds in held)))} of {len(held)} hold")
    return 0 if all(holds for _, holds in held) else 1


if __name__ == "__main__":
    sys.exit(main())
