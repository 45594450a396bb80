# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`symshape-onnx check --json` of each model of a folder, beside the text of `check --all`.

Everything that the text says must be in the JSON and the other way round; each condition in Python's
syntax must hold exactly where that of the text does.

    check_json.py FOLDER
"""

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import onnx_extents

CLAIM = re.compile(r"(output|value_info|input) '(.*)' \(byte (\d+)\)(?: dim (\d+))?: declared (.*), inferred (.*), "
                   r"by (.*): (not decided|contradicted|definition)")
CONDITION = re.compile(r"(valid if|never|checked on the way): (.*)")
COUNTS = re.compile(r"(\d+) proved, (\d+) definitions, (\d+) not decided, (\d+) contradicted, (\d+) not inferred, (\d+) guards")
FIELDS = {"valid if": "guards", "never": "never", "checked on the way": "checks"}
SIZES = [0, 1, 2, 3, 4, 5, 8, 9]


class Said:
    """What the text says."""

    def __init__(self, text):
        self.conditions = {name: [] for name in FIELDS.values()}
        self.claims, self.errors, self.asked, self.unknown, self.counts, self.others = [], [], [], [], None, []
        self.following = 0
        for line in text.splitlines():
            self.read(line)

    def read(self, line):
        if match := CLAIM.fullmatch(line):
            self.claims.append(match.groups())
        elif match := CONDITION.fullmatch(line):
            self.last = self.conditions[FIELDS[match[1]]]
            self.last.append((match[2], [], []))
        elif match := re.fullmatch(r"  needed by (.*)", line):
            self.last[-1][2].append(match[1])
        elif match := COUNTS.fullmatch(line):
            self.counts = [int(each) for each in match.groups()]
        elif line.startswith("error: "):
            self.errors.append(line[7:])
        elif line.startswith("for the first call: "):
            self.asked.append(line[20:])
        elif match := re.fullmatch(r"nodes of which nothing is known.*: (\d+)", line):
            self.following = int(match[1])
        elif match := re.fullmatch(r"  (\S+): (\d+) nodes?, ([^:]*)(?:: (.*))?", line):
            self.unknown.append(match.groups())
        elif match := re.fullmatch(r"  (\w+ is .*)", line):
            self.last[-1][1].append(match[1])
        elif line not in ("no size is valid", "expected ops that have a definition, but got"):
            self.others.append(line)


def shorten(needs):
    return needs[:3] + ([f"{len(needs) - 3} more"] if len(needs) > 3 else [])


def claim_of(one):
    """As the text has it; of a rank it adds the extents."""
    dim = str(one["dim"]) if "dim" in one else None
    word = "rank " if one.get("field") == "rank" else ""
    declared, inferred = (word + str(one[key]) for key in ("declared", "inferred"))
    return one["entry"], one["name"], str(one["byte"]), dim, declared, inferred, one["by"], one["standing"]


def compare(said, found):
    """What differs."""
    for name, conditions in said.conditions.items():
        listed = [(one["text"], one["where"], shorten(one["neededBy"])) for one in found[name]]
        if listed != conditions:
            yield f"{name}: {listed} beside {conditions}"
    told = [claim_of(one) for one in found["claims"] if one["standing"] in ("not decided", "contradicted", "definition")]
    cut = [(*each[:5], re.sub(r"^(rank \d+) .*", r"\1", each[5]), *each[6:]) for each in said.claims]
    if told != cut:
        yield f"claims: {told} beside {cut}"
    if [each for each in said.errors] != found["errors"] or said.following != found["numUnknownNodes"]:
        yield f"errors: {found['errors']} beside {said.errors}, {found['numUnknownNodes']} beside {said.following}"
    if said.asked != found["forFirstCall"]:
        yield f"for the first call: {found['forFirstCall']} beside {said.asked}"
    unknown = [(one["name"], str(len(one["nodes"])), ", ".join(one["nodes"][:3]) + (", ..." if len(one["nodes"]) > 3 else ""),
                one.get("reason"))
               for one in found["unknownOps"]]
    if unknown != said.unknown:
        yield f"unknown ops: {unknown} beside {said.unknown}"
    counts = found["counts"]
    listed = [counts[key] for key in ("proved", "definition", "not decided", "contradicted", "not inferred")]
    is_valid = bool(said.counts) and not found["sentence"].startswith("valid for no size")
    if said.counts and listed + [len(found["guards"])] != said.counts or is_valid != found["valid"]:
        yield f"counts: {listed}, valid {found['valid']} beside {said.counts}"
    for one in found["claims"]:
        if (one["declared"] is None) != (one["standing"] == "not declared"):
            yield f"claim: {one}"
    if said.others:
        yield f"lines of no known form: {said.others}"


def evaluate(found, count):
    """Conditions of guards, at sizes; counts the comparisons."""
    names = {one["name"]: one["text"] for one in found["names"] if "input" in one}
    for number, guard in enumerate(found["guards"]):
        if guard["condition"] is None:
            continue
        tree = onnx_extents.parse(guard["text"])
        used = sorted(name for name in names if re.search(rf"\b{name}\b", guard["condition"]))
        for sizes in itertools.product(SIZES, repeat=min(len(used), 4)):
            values = dict(zip(used, itertools.cycle(sizes))) if used else {}
            try:
                wanted = onnx_extents.evaluate(tree, {names[name]: values[name] for name in used})
            except ZeroDivisionError:
                continue
            got = eval(guard["condition"], {"__builtins__": {"min": min, "max": max}}, values)  # pylint: disable=eval-used
            count[0] += 1
            if bool(got) != bool(wanted):
                yield f"guard {number}: {guard['condition']} is {got}, {guard['text']} is {wanted} at {values}"
                break
    listed = [guard["condition"] for guard in found["guards"] if guard["condition"] is not None]
    is_complete = len(listed) == len(found["guards"]) and not found["forFirstCall"]
    if listed != found["conditions"] or found["isComplete"] != is_complete:
        yield f"conditions: {found['conditions']} beside {listed}"


def run(*arguments):
    return subprocess.run(["symshape-onnx", *arguments], capture_output=True, text=True, check=False)


def main():
    wrong, count, refused, claims, conditions = [], [0], 0, 0, 0
    paths = sorted(Path(sys.argv[1]).glob("*.onnx"))
    for path in paths:
        text, printed = run("check", path, "--all"), run("check", path, "--json")
        if text.returncode != printed.returncode:
            wrong.append(f"{path.name}: exit status {text.returncode} and {printed.returncode}")
        if not text.stdout:
            refused += 1
            if printed.stdout or printed.stderr != text.stderr:
                wrong.append(f"{path.name}: {printed.stderr} beside {text.stderr}")
            continue
        found = json.loads(printed.stdout)
        if not text.stdout.startswith(found["sentence"] + "\n"):
            wrong.append(f"{path.name}: {found['sentence']} beside {text.stdout.splitlines()[0]}")
        said = Said(text.stdout[len(found["sentence"]) + 1:])
        claims += len(said.claims)
        conditions += sum(map(len, said.conditions.values()))
        wrong += [f"{path.name}: {each}" for each in (*compare(said, found), *evaluate(found, count))]
    print("\n".join(wrong))
    print(f"{len(paths)} models, of which {refused} cannot be read; {claims} claims, {conditions} conditions, "
          f"{count[0]} values of conditions, {len(wrong)} wrong")
    return bool(wrong) or claims < 10 or conditions < 20 or count[0] < 500


if __name__ == "__main__":
    sys.exit(main())
