#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the standard node tests of ONNX, which the package `onnx` 1.22 holds.

    run_onnx_suite.py --library=build/lib/libSymShapeC.so [--erase [--sizes=N]] [--filter=REGEX]
                      [--sample=N] [--results=FILE.json]

A test is plain if its inputs and outputs are tensors of float, double, integers
or bool, and its ops are those of ai.onnx: 1482 of them. With --preview those of
ai.onnx.preview are added. Each is compiled and called with its inputs, and the results are
compared with those it brings. With --erase every extent of an input is erased
first, but for the length of a list of integers that says extents: one binary for
all sizes. With --sizes each such program is then called at up to N further sizes, 0 and 1 among them,
and compared with the evaluator of the package (onnx_sizes.py); what it refuses there is counted by
reason, and what is wrong is a failure of the test. Each test runs in a process of its own, so that a
crash is one failure.

Prints what failed, by reason, and at the end `N passed, N failed`; exits 1 when
one failed.
"""

import argparse
import collections
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent))
import onnx_sizes  # noqa: E402
import symshape_c  # noqa: E402

PLAIN = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.BOOL, TensorProto.INT8, TensorProto.INT16,
         TensorProto.INT32, TensorProto.INT64, TensorProto.UINT8, TensorProto.UINT16,
         TensorProto.UINT32, TensorProto.UINT64}


def node_tests():
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
    return sorted(path for path in folder.iterdir() if (path / "model.onnx").exists())


def is_plain(model, preview=False):
    infos = list(model.graph.input) + list(model.graph.output)
    domains = {"", "ai.onnx", *(function.domain for function in model.functions)}
    if preview:
        domains.add("ai.onnx.preview")
    return {node.domain for node in model.graph.node} <= domains and all(
        info.type.HasField("tensor_type") and info.type.tensor_type.elem_type in PLAIN for info in infos)


# Inputs whose values are extents, places or axes: their lengths decide ranks.
LISTS = {("Reshape", 1), ("Expand", 1), ("Tile", 1), ("ConstantOfShape", 0), ("Pad", 1), ("Pad", 3),
         ("Slice", 1), ("Slice", 2), ("Slice", 3), ("Slice", 4), ("Split", 1), ("Squeeze", 1),
         ("Unsqueeze", 1), ("Resize", 1), ("Resize", 2), ("Resize", 3), ("Upsample", 1), ("CenterCropPad", 1),
         ("Col2Im", 1), ("Col2Im", 2), ("AffineGrid", 1), ("MaxUnpool", 2), ("BlackmanWindow", 0)}


def lists_of(graph):
    return {name for node in graph.node for number, name in enumerate(node.input)
            if (node.op_type, number) in LISTS or (node.op_type.startswith("Reduce") and number == 1)}


def erase(model):
    """Makes every extent of an input a symbol of its own; returns how many."""
    keep, count = lists_of(model.graph), 0
    for info in model.graph.input:
        if info.name in keep:
            continue
        for dim in info.type.tensor_type.shape.dim:
            dim.dim_param = f"s{count}"
            count += 1
    return count


def load_tensor(path):
    return numpy_helper.to_array(onnx.load_tensor(str(path)))


def load_data(folder):
    def read(kind):
        paths = sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
        return [load_tensor(path) for path in paths]
    return read("input"), read("output")


def difference(got, expected):
    """What is wrong with a result, or nothing."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"expected {expected.dtype}{list(expected.shape)}, but got {got.dtype}{list(got.shape)}"
    if got.dtype.kind == "f":
        # Some of what is expected is itself the rounding error of a sum that is 0.
        finite = np.abs(expected[np.isfinite(expected)])
        absolute = 1e-7 * max(1, finite.max(initial=0))
        if np.allclose(got, expected, rtol=1e-3, atol=absolute, equal_nan=True):
            return None
        return f"values differ by {np.max(np.abs(got - expected)):.3g}"
    return None if np.array_equal(got, expected) else "values differ"


def run_test(library, folder, erased, sizes, target):
    """Runs one test in this process: `ok` or a reason, and the answers at further sizes."""
    path = folder / "model.onnx"
    with tempfile.TemporaryDirectory() as temporary:
        if erased:
            model = onnx.load(str(path))
            erase(model)
            path = Path(temporary) / "model.onnx"
            onnx.save(model, str(path))
        sets = sorted(folder.glob("test_data_set_*"))
        try:
            program = symshape_c.Program(path, library=library, first=load_data(sets[0])[0], target=target)
        except symshape_c.Error as error:
            return f"refused: {error}", []
        for data in sets:
            inputs, outputs = load_data(data)
            try:
                results = program(*inputs)
            except symshape_c.Error as error:
                return f"call: {error}", []
            if len(results) != len(outputs):
                return "wrong: number of results", []
            for got, expected in zip(results, outputs):
                if wrong := difference(got, expected):
                    return f"wrong: {wrong}", []
        if not sets:
            return "wrong: no data", []
        return "ok", try_sizes(program, path, load_data(sets[0])[0], sizes) if erased and sizes else []


def try_sizes(program, path, inputs, sizes):
    model = onnx.load(str(path))
    names = [info.name for info in model.graph.input]
    lists = lists_of(model.graph)
    return list(onnx_sizes.try_sizes(program, path, names, inputs, [name not in lists for name in names], sizes,
                                     difference))


def run_apart(library, folder, options):
    """Runs one test in a child; a signal or a hang is a reason too. A busy machine makes none of it a hang."""
    limit = options.limit
    reader, writer = os.pipe()
    messages = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(messages.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        try:
            answer, further = run_test(library, folder, options.erase, options.sizes, options.target)
        except Exception:
            answer, further = "script: " + traceback.format_exc(limit=-1), []
        with os.fdopen(writer, "w") as file:
            json.dump([answer[:20000], [each[:1000] for each in further]], file)
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 20 * limit)
    if not ready:
        os.kill(child, 9)
    with os.fdopen(reader) as file:
        text = file.read() if ready else '["hang", []]'
    answer, further = json.loads(text) if text else ("", [])
    _, status = os.waitpid(child, 0)
    messages.seek(0)
    told = messages.read().decode(errors="replace")
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return "hang", []
    if ready and not answer:
        return f"crash: signal {os.WTERMSIG(status)}" + (": " + told[:300] if told else ""), []
    if answer != "ok" and told:
        answer += "\n" + told[:2000]
    wrong = [each for each in further if each.startswith("wrong")]
    return wrong[0] if answer == "ok" and wrong else answer, further


def reason_of(answer):
    """The line under which the table counts an answer."""
    lines = [line for line in answer.splitlines() if line.strip()]
    line = lines[0]
    if "that have a definition" in line:
        return "no definition: " + lines[1].split(":")[0].strip()
    if "cannot lower" in line:
        error = next((line for line in lines if "error:" in line), line)
        line = "cannot lower: " + error.split("error:")[-1]
    line = re.sub(r"'[^']*\.onnx': ", "", line)
    line = re.sub(r"node (\S+ )?\((\w+) #\d+\)", r"\2", line)
    return re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "N", line)[:110]


def print_table(reasons):
    """One line a reason, the most frequent first, with the first names."""
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        unique = list(dict.fromkeys(name[5:] for name in names))
        print(f"{len(names):5}  {reason}  [{', '.join(unique[:3])}{', ...' if len(unique) > 3 else ''}]")


def print_further(further):
    """The table of what was refused at further sizes, and a line of counts."""
    refused, counts = collections.defaultdict(list), collections.Counter()
    for name, answers in further.items():
        for answer in answers:
            kind = answer.split(":")[0]
            counts[kind] += 1
            if kind == "refused":
                refused[reason_of(answer)].append(name)
    print_table(refused)
    print(f"further sizes: {counts['equal']} equal, {counts['wrong']} wrong, {counts['refused']} refused, "
          f"{counts['nothing to compare with']} with nothing to compare with")
    return counts


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--erase", action="store_true", help="make every extent of an input a symbol")
    parser.add_argument("--sizes", type=int, default=0, help="further sizes of each test, with --erase")
    parser.add_argument("--filter", default="", help="only tests whose name matches")
    parser.add_argument("--no-expanded", action="store_true", help="leave out the twins made of functions")
    parser.add_argument("--preview", action="store_true", help="add the ops of ai.onnx.preview")
    parser.add_argument("--target", help="nvvm: on a GPU, or its simulator (default: this machine's processor)")
    parser.add_argument("--sample", type=int, default=1, help="only each N-th test")
    parser.add_argument("--offset", type=int, default=0, help="the first of them")
    parser.add_argument("--limit", type=int, default=60, help="seconds of processor time for a test")
    parser.add_argument("--floor", type=int, default=0, help="fail if fewer tests pass")
    parser.add_argument("--sizes-floor", type=int, default=0, help="fail if fewer further sizes are equal")
    parser.add_argument("--known", help="file of names of tests that may fail, one per line; # begins a comment")
    parser.add_argument("--results", help="write what each test answered as JSON")
    return parser.parse_args()


def main():
    options = parse_options()
    library = symshape_c.load(options.library)
    known = set()
    if options.known:
        known = {line.split("#")[0].strip() for line in Path(options.known).read_text().splitlines()} - {""}
    tests = [path for path in node_tests() if re.search(options.filter, path.name)
             and not (options.no_expanded and "_expanded" in path.name)]
    tests = [path for path in tests if is_plain(onnx.load(str(path / "model.onnx")), options.preview)]
    tests = tests[options.offset::options.sample]
    answers, further, reasons = {}, {}, collections.defaultdict(list)
    begin = time.time()
    for path in tests:
        answers[path.name], further[path.name] = run_apart(library, path, options)
        if answers[path.name] != "ok":
            reasons[reason_of(answers[path.name])].append(path.name)
        if options.results:
            Path(options.results).write_text(json.dumps({"tests": answers, "further": further}, indent=1))
    print_table(reasons)
    counts = print_further(further) if options.sizes else collections.Counter()
    failed = [name for names in reasons.values() for name in names]
    passed = len(tests) - len(failed)
    print(f"{time.time() - begin:.0f} s, {len(failed) - len(known & set(failed))} unexpected failures")
    print(f"{passed} passed, {len(failed)} failed")
    ok = passed >= options.floor and (not failed or (bool(known) and set(failed) <= known))
    return 0 if ok and counts["equal"] >= options.sizes_floor else 1


if __name__ == "__main__":
    sys.exit(main())
