# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile of a program whose costs are counted here by hand.

    check_profile.py PROFILE.json TRACE.json PROGRAM.mlir ROWS
"""

import json
import sys
from pathlib import Path


def line_of(program, text):
    return next(i for i, line in enumerate(program.splitlines(), 1) if text in line)


def main():
    profile, trace, program, rows = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]).read_text(encoding="utf-8"), int(sys.argv[4])
    profile, trace = json.loads(profile.read_text()), json.loads(trace.read_text())
    nodes = {int(node["place"].split(":")[-2]): node for node in profile["nodes"] if ":" in node["place"]}
    product, total = nodes[line_of(program, "linalg.matmul")], nodes[line_of(program, "linalg.reduce")]
    assert product["op"] == "linalg.matmul" and total["op"] == "linalg.reduce", profile["nodes"]
    assert product["flop"] == 2 * rows * 96 * 64 and total["flop"] == rows * 64, (product, total)
    assert product["bytes"] == 4 * (rows * 96 + 96 * 64 + rows * 64), product
    assert total["bytes"] == 4 * (rows * 64 + rows), total
    seconds = sum(node["seconds"] for node in profile["nodes"])
    assert 0 < seconds <= profile["seconds"] and abs(profile["seconds"] - seconds - profile["rest"]) < 1e-9, profile
    assert [node["seconds"] for node in profile["nodes"]] == sorted((node["seconds"] for node in profile["nodes"]), reverse=True)
    peak = profile["peak"]
    assert peak["flopPerSecond"] > 1e6 and peak["bytesPerSecond"] > 1e6, peak
    for node in (product, total):
        ideal = max(node["flop"] / peak["flopPerSecond"], node["bytes"] / peak["bytesPerSecond"])
        assert abs(node["share"] - ideal / node["seconds"]) < 1e-6 * node["share"], node
    events, told = profile["events"], trace["traceEvents"]
    assert len(events) == len(told) == sum(round(node["kernels"]) for node in profile["nodes"])
    assert all(a["end"] <= b["begin"] for a, b in zip(events, events[1:])), events
    for event, one in zip(events, told):
        assert one["ph"] == "X" and abs(one["dur"] - 1e6 * (event["end"] - event["begin"])) < 1e-6, one
    print(f"{len(profile['nodes'])} nodes, {len(events)} kernels")


if __name__ == "__main__":
    main()
