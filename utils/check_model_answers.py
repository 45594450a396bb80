#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges what `symshape-onnx check`, `show` and `symshape-report` say of models, on a grid of sizes.

    check_model_answers.py FOLDER... --tools=build/bin [--filter=REGEX] [--report] [--onnxruntime] [--jobs=N]

Of each file `.onnx` in the folders, one line: its sentence, and what is wrong with it.

- A condition names nothing but extents of inputs, by what the model calls them, or values that a line explains.
- No condition is true at every point of the grid: extents from 0 up, with sizes so large that products overflow. None of
  those on one extent follows from the others.
- The sentence says what the conditions say: where all of these hold, each part of it does; and where no further
  condition is counted, the converse. It is read here by a grammar of its own.
- With `--report`, no text of the report has a size of `?`, and its page has the same sentence; with `--onnxruntime` (which must be installed), calls of zeros
  at points of the grid are accepted where ONNX Runtime runs them and nothing depends on data.

The last line counts models and what is wrong; exits 1 if anything is, or nothing was judged.
"""

import argparse
import concurrent.futures
import itertools
import json
import random
import re
import subprocess
import sys
from pathlib import Path

#: Sizes that strides, windows and blocks differ at, then some at which products of them leave 64 bits.
SIZES = [0, 1, 2, 3, 5, 7, 8, 16, 25, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 224, 256, 320, 416, 480, 511, 512, 513, 640, 1000, 1023,
         1024, 4096]
HUGE = [1_000_000_007, 2**31, 2**40, 2**47]
POINTS = 3000  # of a grid that is larger, as many are drawn


def ask(tool, *arguments, seconds=180):
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=seconds, check=False)
    return done.returncode, done.stdout, done.stderr


def grid(names, seed=0):
    """Points: all sizes together, then each alone among usual ones, then random ones."""
    if not names:
        return [{}]
    every = SIZES + HUGE
    points = [dict.fromkeys(names, size) for size in every]
    for name in names:
        points += [{**dict.fromkeys(names, usual), name: size} for size in every for usual in (1, 32, 320)]
    if len(every) ** len(names) <= POINTS:
        points += [dict(zip(names, sizes)) for sizes in itertools.product(every, repeat=len(names))]
    else:
        draw = random.Random(seed)
        points += [{name: draw.choice(every) for name in names} for _ in range(POINTS - len(points))]
    return points


def broadcast(*extents):
    """`bc(a, b)`: b where a is 1, else a."""
    return next((extent for extent in extents[:-1] if extent != 1), extents[-1])


def split(text, pattern):
    """The parts between what matches outside of parentheses and braces."""
    parts, begin = [], 0
    for found in re.finditer(pattern, text):
        before = text[:found.start()]
        if all(before.count(opens) == before.count(closes) for opens, closes in ("()", "{}")):
            parts.append(text[begin:found.start()])
            begin = found.end()
    return [part for part in (*parts, text[begin:]) if part]


def holds(condition, point):
    try:
        return bool(eval(condition, {"__builtins__": {}, "min": min, "max": max, "bc": broadcast}, point))  # pylint: disable=eval-used
    except ZeroDivisionError:
        return False


class Sentence:
    """`valid for A, B >= 1; C <= 512, where D == E, F == G and 2 more conditions hold, and data that a call checks`.

    `parts` are Python over the names of `spelled` (from text to identifier); `isWhole` where no condition is only counted.
    """

    def __init__(self, text, spelled):
        self.spelled = sorted(spelled.items(), key=lambda pair: -len(pair[0]))
        self.parts, self.isWhole, self.unread = [], True, []
        text = re.sub(r"(, as far as is known before the first call)?(, as far as nodes are known)?$|,? and data that a call checks$", "", text)
        if text in ("valid for every size", "valid for its fixed sizes"):
            return
        if text.startswith("valid for no size: "):
            self.parts.append("False")
            return
        found = re.fullmatch(r"valid for (?:sizes where|(.*?)(?:, where|$))(?: (.*))?", text)
        if not found:
            self.unread.append(text)
            return
        for group in (found[1] or "").split("; ") if found[1] else []:
            self.add_group(group)
        for one in split(found[2] or "", r", | and (?=[^ ]|\()"):
            if re.fullmatch(r"\d+ (more )?conditions? holds?", one):
                self.isWhole = False
            else:
                self.add(one)

    def add_group(self, group):
        """`A, B >= 1`, `32 | H`, `n in {0, 25..31} mod 32`, `H, W multiples of 32`, `A = 3`."""
        relation = re.fullmatch(r"(.*?) (>=|<=|==|=|<|>) (.*)", group)
        multiples = re.fullmatch(r"(.*?) (?:a multiple|multiples) of (\d+)", group)
        divides = re.fullmatch(r"(\d+) \| (.*)", group)
        residues = re.fullmatch(r"(.*?) in \{(.*)\} mod (\d+)", group)
        if residues:
            self.parts += [self.python(f"{name} in {{{residues[2]}}} mod {residues[3]}") for name in residues[1].split(", ")]
        elif multiples or divides:
            names, number = multiples.groups() if multiples else (divides[2], divides[1])
            self.parts += [f"({self.python(name)}) % {number} == 0" for name in names.split(", ")]
        elif relation:
            sign = "==" if relation[2] == "=" else relation[2]
            self.parts += [f"({self.python(name)}) {sign} {self.python(relation[3])}" for name in relation[1].split(", ")]
        else:
            self.unread.append(group)

    def add(self, condition):
        self.parts.append(self.python(condition))

    @staticmethod
    def residues(found):
        rest = f"({found[1]}) % {found[3]}"
        return "(" + " or ".join(f"{each.split('..')[0]} <= {rest} <= {each.split('..')[-1]}" for each in found[2].split(", ")) + ")"

    def python(self, text):
        """Residues inside of a condition are Python too: `(N in {0, 25..31} mod 32 or 1 <= N <= 4)`."""
        text = re.sub(r"([^\s(]+|\"[^\"]*\") in \{([^}]*)\} mod (\d+)", self.residues, text)
        text = re.sub(r"\b(\d+) \| ([^\s)]+)", r"(\2) % \1 == 0", text)
        for name, identifier in self.spelled:
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", f"\0{identifier}\0", text) if name != identifier else text
        return text.replace("\0", "")

    def judge(self, point):
        return all(holds(part, point) for part in self.parts)


def find_spare(guards, names):
    """Of the guards on one extent, those that fail only where others do."""
    wrong = []
    for name in names:
        alone = [guard for guard in guards if guard.get("condition") and not guard["isBound"] and
                 {word for word in re.findall(r"[A-Za-z_]\w*", guard["condition"])} & set(names) == {name}]
        spare = list(alone)
        for size in (*range(2100), *SIZES, *HUGE):
            failed = [guard for guard in alone if not holds(guard["condition"], {name: size})]
            spare = [guard for guard in spare if failed != [guard]]
        wrong += [f"follows from others: {guard['text']}" for guard in spare]
    return wrong


def judge_never(answer, sentence, points):
    """What is wrong with the answer on a model that is valid for no size."""
    wrong = [] if sentence.parts == ["False"] else ["no size is valid, which the sentence does not say"]
    never = [one["condition"] for one in answer["never"] if one.get("condition")]
    if not answer["never"] and not answer["errors"] and not answer["guards"]:
        wrong.append("no size is valid, and nothing says why")
    together = [*never, *answer["conditions"]]
    return wrong + [f"no size is valid, but {point} is" for point in points if together and all(holds(one, point) for one in together)][:1]


def judge_refused_calls(path, tools):
    """No call of zeros runs, at sizes of a small grid of the names of extents, which may be none. Number of calls, and what is wrong."""
    inputs = json.loads(ask(tools / "symshape-onnx", "show", path, "--all", "--json")[1])["inputs"]
    names = sorted({extent for one in inputs for extent in one["extents"] or [] if isinstance(extent, str)})
    count, wrong = 0, []
    for sizes in itertools.islice(itertools.product([0, 1, 2, 3, 7, 32], repeat=len(names)), 36):
        point = dict(zip(names, sizes))
        shapes = {one["name"]: [*(str(point.get(extent, extent)) for extent in one["extents"] or []), one["element"]] for one in inputs}
        status, _, errors = ask(tools / "symshape-run", path, *(f"--input={name}={'x'.join(shape)}=zeros" for name, shape in shapes.items()))
        count += 1
        if status not in (1, 3):
            wrong.append(f"no size is valid, but symshape-run ends with {status} at {point}: {errors.strip()[:200]}")
    return count, wrong[:2]


def judge_conditions(answer):
    """What is wrong with the conditions and the sentence of `check --json`."""
    wrong, names = [], [one["name"] for one in answer["names"]]
    spelled = {one.get("text", one["name"]): one["name"] for one in answer["names"]}
    wrong += [f"nobody wrote {one['name']}" for one in answer["names"] if "input" not in one and not one.get("is")]
    points = grid(names)
    for guard in answer["guards"]:
        condition = guard.get("condition")
        if condition and all(holds(condition, point) for point in points):
            wrong.append(f"always true: {guard['text']}")
    wrong += find_spare(answer["guards"], names)
    if not answer["isComplete"]:
        return wrong, len(points)
    sentence = Sentence(answer["sentence"], spelled)
    if sentence.unread:
        return wrong + [f"not read: {text}" for text in sentence.unread], len(points)
    if not answer["valid"]:
        return wrong + judge_never(answer, sentence, points), len(points)
    small = [point for point in points if all(size < min(HUGE) for size in point.values())]  # bounds of numbers of elements are not told
    for point in small:
        valid, said = all(holds(one, point) for one in answer["conditions"]), sentence.judge(point)
        if valid and not said or said and not valid and sentence.isWhole:
            wrong.append(f"at {point} the conditions say {valid}, the sentence {said}")
            break
    return wrong, len(points)


RUN = """
import itertools, json, sys
import numpy as np, onnxruntime as ort
path, answer = sys.argv[1], json.loads(sys.stdin.read())
ort.set_default_logger_severity(4)
options = ort.SessionOptions(); options.intra_op_num_threads = 1
session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
types = {"float": "f4", "double": "f8", "int64": "i8", "int32": "i4", "bool": "?", "float16": "f2", "uint8": "u1", "int8": "i1"}
place = {(one["input"], one["dim"]): one["name"] for one in answer["names"] if "input" in one}
names, run, wrong = sorted(set(place.values())), 0, []
sizes = [1, 2, 3, 8, 31, 32, 33, 64, 96] if len(names) <= 2 else [1, 2, 32]
for point in itertools.islice(itertools.product(sizes, repeat=len(names)), 81):
    values = dict(zip(names, point))
    feed = {}
    for one in session.get_inputs():
        shape = [size if isinstance(size, int) else values.get(place.get((one.name, d)), values.get(size, 1)) for d, size in enumerate(one.shape)]
        feed[one.name] = np.zeros(shape, types[one.type[7:-1]])
    try:
        session.run(None, feed); runs = True
    except Exception as error:
        runs = False
    said = all(eval(one, {"__builtins__": {}}, values) for one in answer["conditions"])
    run += 1
    if runs != said:
        wrong.append(f"at {values} ONNX Runtime {'runs' if runs else 'refuses'}, check says {said}")
print(json.dumps([run, wrong[:2]]))
"""


def judge_runs(path, answer):
    """Calls of zeros beside ONNX Runtime, where nothing but sizes decides."""
    if answer["checks"] or not answer["isComplete"] or any("input" not in one for one in answer["names"]):
        return [], 0
    try:
        done = subprocess.run([sys.executable, "-c", RUN, str(path)], input=json.dumps(answer), capture_output=True, text=True, timeout=240, check=False)
        if done.returncode:
            return [], 0
        count, wrong = json.loads(done.stdout.splitlines()[-1])
        return wrong, count
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return [], 0  # it ended, or has no kernel for the model


def judge(path, arguments):
    try:
        status, out, errors = ask(arguments.tools / "symshape-onnx", "check", path, "--json")
        if not out:
            return path, f"not read: {errors.strip().splitlines()[0]}", [], 0, 0
        answer = json.loads(out)
        wrong, points = judge_conditions(answer)
        runs = 0
        if not answer["valid"] and not answer["unknownOps"]:
            runs, more = judge_refused_calls(path, arguments.tools)
            wrong += more
        if answer["unknownOps"] and not status:
            wrong.append("nodes without a definition, and status 0")
        shown = ask(arguments.tools / "symshape-onnx", "show", path)[1]
        if answer["sentence"] not in shown:
            wrong.append("show has another sentence")
        if arguments.report and not answer["unknownOps"] and answer["valid"] and not answer["forFirstCall"]:
            shown += ask(arguments.tools / "symshape-report", path, seconds=600)[1]
            page = ask(arguments.tools / "symshape-report", path, "--format=html", seconds=600)[1]
            report = re.search(r'<script type="application/json" id="report">(.*?)</script>', page, re.S)
            if not report or json.loads(report[1])["functions"][-1]["sentence"] != answer["sentence"]:
                wrong.append("its page has another sentence")
        if re.search(r"\? bytes|= \?", shown):
            wrong.append("a size of ?")
        if arguments.onnxruntime and not answer["unknownOps"]:
            more, calls = judge_runs(path, answer)
            wrong, runs = wrong + more, runs + calls
        return path, answer["sentence"], wrong, points, runs
    except (subprocess.TimeoutExpired, KeyError, SyntaxError, NameError) as error:
        return path, "", [f"{type(error).__name__}: {error}"], 0, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--tools", type=Path, default=Path("build/bin"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--onnxruntime", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    paths = sorted(path for folder in arguments.folders for path in folder.rglob("*.onnx") if re.search(arguments.filter, str(path)) and path.stat().st_size)
    counts = dict.fromkeys(("models", "points", "calls", "wrong"), 0)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, sentence, wrong, points, runs in pool.map(lambda one: judge(one, arguments), paths):
            print(f"{path.parent.name}/{path.name}: {sentence}", *(f"  wrong: {one}" for one in wrong), sep="\n", flush=True)
            counts = {"models": counts["models"] + 1, "points": counts["points"] + points, "calls": counts["calls"] + runs,
                      "wrong": counts["wrong"] + len(wrong)}
    print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return 1 if counts["wrong"] or not counts["points"] else 0


if __name__ == "__main__":
    sys.exit(main())
