# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what a report in JSON says of compilations.

    check_time_report.py REPORT.json PROGRAM
"""

import json
import re
import sys
from pathlib import Path


def main():
    report = json.loads(Path(sys.argv[1]).read_text())
    lines = Path(sys.argv[2]).read_text().splitlines()
    public = [function["name"] for function in report["functions"] if function["isPublic"]]
    compilations = report["compilations"]
    assert [one["function"] for one in compilations] == public, compilations
    checked = 0
    for one in compilations:
        stages = {stage["name"]: stage["seconds"] for stage in one["stages"]}
        assert {"parse", "passes", "LLVM's optimization", "LLVM's code generation"} <= set(stages), stages
        assert 0 < sum(stages.values()) <= one["seconds"] * 1.001 and one["seconds"] < 100, one["seconds"]
        seconds = [each["seconds"] for each in one["passes"]]
        assert seconds == sorted(seconds, reverse=True) and seconds[0] <= stages["passes"]
        assert "InsertGuardsPass" in [each["name"] for each in one["passes"]]
        assert 0 < one["numDecided"] < one["numAsked"]
        assert one["numRewriteSteps"] > 50
        questions = one["questions"]
        costs = [question["seconds"] for question in questions]
        assert len(questions) == 10 and costs == sorted(costs, reverse=True)
        assert sum(costs) <= one["questionSeconds"] <= one["seconds"]
        for question in questions:
            assert question["question"] and question["asked"] >= question["decided"], question
            if question["place"]:
                line = int(re.fullmatch(r".*\.mlir:(\d+):\d+", question["place"])[1])
                assert lines[line - 1].strip(), question
                checked += 1
            # Symbols that the program does not name are explained.
            text = question["question"]
            explained = set(re.findall(r"(%\w+): ", text))
            assert set(re.findall(r"%[vd]\w*", text.split(";")[0])) <= explained or text.endswith("..."), text
        assert len({(question["question"], question["place"]) for question in questions}) == 10
        places = one["places"]
        assert places and sum(place["instructions"] for place in places) <= one["numInstructions"]
    print(f"{checked} questions")


if __name__ == "__main__":
    main()
