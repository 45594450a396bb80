# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`symshape-report --brief` of each model of a folder, beside `symshape-onnx show`: the same inputs, results and sentence.

    check_brief.py FOLDER
"""

import json
import subprocess
import sys
from pathlib import Path


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def plain(values):
    """Names, types and the extents that are numbers, which do not depend on how names are written."""
    return [(one["name"], one["element"], [each if isinstance(each, int) else "name" for each in one["extents"]])
            for one in values]


def main():
    wrong, compared = [], 0
    for path in sorted(Path(sys.argv[1]).glob("*.onnx")):
        status, text = run("symshape-report", path, "--brief")
        shown, model = run("symshape-onnx", "show", path, "--json")
        if status or shown:
            continue
        model = json.loads(model)
        (brief,) = json.loads(run("symshape-report", path, "--brief", "--format=json")[1])
        compared += 1
        for what, got, wanted in [("sentence", brief["sentence"], model["sentence"]), ("valid", brief["valid"], model["valid"]),
                                  ("conditions", brief["conditions"], model["conditions"]),
                                  ("inputs", plain(brief["inputs"]), plain(model["inputs"])),
                                  ("results", plain(brief["results"]), plain(model["outputs"])),
                                  ("end", text.splitlines()[-1], model["sentence"])]:
            if got != wanted:
                wrong.append(f"{path.name}: {what}: {got} beside {wanted}")
    print("\n".join(wrong))
    print(f"{compared} models compared, {len(wrong)} wrong")
    return bool(wrong) or compared < 30


if __name__ == "__main__":
    sys.exit(main())
