#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the standard node tests of ONNX, which the package `onnx` 1.22 holds.

    run_onnx_suite.py --library=build/lib/libSymShapeC.so [--erase] [--filter=REGEX]
                      [--sample=N] [--results=FILE.json]

A test is plain if its inputs and outputs are tensors of float, double, integers
or bool, and its ops are those of ai.onnx: 1482 of them. With --preview those of
ai.onnx.preview are added. Each is compiled and called with its inputs, and the results are
compared with those it brings. With --erase every extent of an input is erased
first, but for the length of a list of integers that says extents: one binary for
all sizes. Each test runs in a process of its own, so that a crash is one failure.

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


def run_test(library, folder, erased):
    """Runs one test in this process: `ok`, or a reason."""
    path = folder / "model.onnx"
    with tempfile.TemporaryDirectory() as temporary:
        if erased:
            model = onnx.load(str(path))
            erase(model)
            path = Path(temporary) / "model.onnx"
            onnx.save(model, str(path))
        sets = sorted(folder.glob("test_data_set_*"))
        try:
            program = symshape_c.Program(path, library=library, first=load_data(sets[0])[0])
        except symshape_c.Error as error:
            return f"refused: {error}"
        for data in sets:
            inputs, outputs = load_data(data)
            try:
                results = program(*inputs)
            except symshape_c.Error as error:
                return f"call: {error}"
            if len(results) != len(outputs):
                return "wrong: number of results"
            for got, expected in zip(results, outputs):
                if wrong := difference(got, expected):
                    return f"wrong: {wrong}"
        return "ok" if sets else "wrong: no data"


def run_apart(library, folder, erased, limit):
    """Runs one test in a child; a signal or a hang is a reason too. A busy machine makes none of it a hang."""
    reader, writer = os.pipe()
    messages = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(messages.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        try:
            answer = run_test(library, folder, erased)
        except Exception:
            answer = "script: " + traceback.format_exc(limit=-1)
        os.write(writer, answer.encode()[:60000])
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 20 * limit)
    if not ready:
        os.kill(child, 9)
    answer = os.read(reader, 65536).decode() if ready else "hang"
    os.close(reader)
    _, status = os.waitpid(child, 0)
    messages.seek(0)
    told = messages.read().decode(errors="replace")
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return "hang"
    if ready and not answer:
        return f"crash: signal {os.WTERMSIG(status)}" + (": " + told[:300] if told else "")
    if answer != "ok" and told:
        answer += "\n" + told[:2000]
    return answer


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--erase", action="store_true", help="make every extent of an input a symbol")
    parser.add_argument("--filter", default="", help="only tests whose name matches")
    parser.add_argument("--no-expanded", action="store_true", help="leave out the twins made of functions")
    parser.add_argument("--preview", action="store_true", help="add the ops of ai.onnx.preview")
    parser.add_argument("--sample", type=int, default=1, help="only each N-th test")
    parser.add_argument("--offset", type=int, default=0, help="the first of them")
    parser.add_argument("--limit", type=int, default=60, help="seconds of processor time for a test")
    parser.add_argument("--floor", type=int, default=0, help="fail if fewer tests pass")
    parser.add_argument("--known", help="file of names of tests that may fail, one per line; # begins a comment")
    parser.add_argument("--results", help="write what each test answered as JSON")
    options = parser.parse_args()
    library = symshape_c.load(options.library)
    known = set()
    if options.known:
        known = {line.split("#")[0].strip() for line in Path(options.known).read_text().splitlines()} - {""}
    tests = [path for path in node_tests() if re.search(options.filter, path.name)
             and not (options.no_expanded and "_expanded" in path.name)]
    tests = [path for path in tests if is_plain(onnx.load(str(path / "model.onnx")), options.preview)]
    tests = tests[options.offset::options.sample]
    answers, reasons = {}, collections.defaultdict(list)
    begin = time.time()
    for path in tests:
        answers[path.name] = answer = run_apart(library, path, options.erase, options.limit)
        if answer != "ok":
            reasons[reason_of(answer)].append(path.name)
        if options.results:
            Path(options.results).write_text(json.dumps(answers, indent=1))
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):5}  {reason}  [{', '.join(name[5:] for name in names[:3])}{', ...' if len(names) > 3 else ''}]")
    failed = [name for names in reasons.values() for name in names]
    passed = len(tests) - len(failed)
    print(f"{time.time() - begin:.0f} s, {len(failed) - len(known & set(failed))} unexpected failures")
    print(f"{passed} passed, {len(failed)} failed")
    ok = passed >= options.floor and (not failed or (bool(known) and set(failed) <= known))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
