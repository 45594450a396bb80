#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every version of every op of ONNX, with each type of each type variable, beside three others.

    run_onnx_standard.py --library=build/lib/libSymShapeC.so [--rounds=N] [--sample=N] [--seed=S] [--filter=REGEX]

Models of one node are drawn from the schemas of the package `onnx` (onnx_standard_calls.py says how): attributes at
their edges, optional operands in and out, ranks 0 to 5, extents declared or erased, special values. Each is compiled
once and called at several sizes, 0 and 1 among them. What it answers is compared with NumPy in doubles where the op
has a plain definition (onnx_standard_numpy.py), which decides; else with ONNX Runtime, where it is installed, and the
evaluator of the package, in floats where they lack a half: one of them must agree. DECISIONS lists where the text of
the standard says otherwise, each with the reason. Prints a table; exits 1 for a difference without a decision.
"""

import argparse
import collections
import json
import os
import re
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(Path(__file__).resolve().parent))
import symshape_c  # noqa: E402
from onnx_standard_calls import CODES, DTYPES, HALVES, MAKERS, Draw, is_float  # noqa: E402
from onnx_standard_graphs import WITHOUT  # noqa: E402
from onnx_standard_decisions import DECISIONS  # noqa: E402
from onnx_standard_numpy import DEFINITIONS, Attributes  # noqa: E402

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

DOMAINS = ("", "ai.onnx.preview")  # of those that the package describes, those that are read
REPLACED = (*HALVES, np.dtype(float))  # by floats, where ONNX Runtime has no kernel of the type
#: Relative differences that rounding explains, by type: ONNX Runtime and the evaluator have some doubles as floats.
NEAR = {"float64": 3e-5, "float32": 3e-4, "float16": 1e-2, "bfloat16": 6e-2}


def variants(schema):
    """Bindings of type variables: each type of each variable once, the others drawn."""
    names = {}
    for each in schema.type_constraints:
        inner = [re.sub(r"^.*(tensor\(\w+\))\)*$", r"\1", t) for t in each.allowed_type_strs]
        types = {t for t in each.allowed_type_strs if t in DTYPES} or {t for t in inner if t in DTYPES}
        if types:
            names[each.type_param_str] = sorted(types)
    used = {p.type_str for p in [*schema.inputs, *schema.outputs]}
    seen = set()
    for name, types in names.items():
        if name not in used:
            continue
        for number, type_ in enumerate(types):
            binding = {other: type_ if other == name else all_[(7 * number + len(other)) % len(all_)] for other, all_ in names.items()}
            key = tuple(sorted(binding.items()))
            if key not in seen:
                seen.add(key)
                yield binding
    if not names:
        yield {}


def node_of(draw, inputs):
    names = ["" if array is None else f"x{i}" for i, array in enumerate(inputs)]
    while names and not names[-1]:
        names.pop()
    return helper.make_node(draw.op, names, [f"y{i}" for i in range(draw.outputs)], domain=draw.schema.domain, **draw.attributes)


def model_of(draw, calls, opset, widened=False):
    """The file of a node; extents that are equal in all calls are declared if `is_declared`."""
    def code(array):
        return CODES["float32" if widened and array.dtype in REPLACED else array.dtype.name]

    infos, initializers = [], []
    for i, array in enumerate(calls[0]):
        if array is None:
            continue
        array = np.asarray(array)
        if i in draw.constants:
            wide = array.astype(np.float32) if widened and array.dtype in REPLACED else array
            initializers.append(numpy_helper.from_array(wide, f"x{i}"))
            continue
        shapes = [np.shape(call[i]) for call in calls]
        dims = [e if draw.is_declared and all(shape[axis] == e for shape in shapes) or is_list(draw, i) else f"d{i}_{axis}"
                for axis, e in enumerate(array.shape)]
        infos.append(helper.make_tensor_value_info(f"x{i}", code(array), dims))
    initializers += [numpy_helper.from_array(array, name) for name, array in draw.constants.items() if isinstance(name, str)]
    outputs = [onnx.ValueInfoProto(name=f"y{i}") for i in range(draw.outputs)]
    graph = helper.make_graph(draw.nodes or [node_of(draw, calls[0])], "g", infos, outputs, initializers)
    opsets = [helper.make_opsetid(draw.schema.domain, opset)] + ([helper.make_opsetid("", 24)] if draw.schema.domain else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=min(10 if draw.version < 24 else 11, onnx.IR_VERSION))


def is_list(draw, i):
    """Whether operand i gives sizes, places or axes: its length decides a rank."""
    if draw.op in ("Reshape", "Expand", "Tile", "Pad", "Slice", "Split", "Squeeze", "Unsqueeze", "CenterCropPad", "Col2Im", "AffineGrid"):
        return i > 0 and draw.dtype(i).kind == "i"
    return draw.op.startswith("Reduce") and i == 1 or draw.op == "ConstantOfShape" or draw.op in ("Resize", "Upsample") and i > 0


def narrowed(array, like):
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(like.dtype) if np.asarray(array).dtype != like.dtype else np.asarray(array)


class Oracles:
    """The three others, for one model."""

    def __init__(self, draw, calls, opset, model, isAlone=False):
        self.draw, self.names = draw, [f"x{i}" for i in range(len(calls[0]))]
        self.evaluator, self.sessions = None, []
        canWiden = any(np.asarray(array).dtype in REPLACED for array in calls[0] if array is not None)
        if isAlone:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.evaluator = ReferenceEvaluator(model)
        except Exception:  # pylint: disable=broad-except
            pass  # has no such op
        models = [(model, False)]
        if canWiden:
            models.append((model_of(draw, calls, opset, widened=True), True))
        for each, widened in models:
            session = self.session(each)
            if session:
                self.sessions.append((session, widened))

    @staticmethod
    def session(model):
        if onnxruntime is None:
            return None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception:  # pylint: disable=broad-except
            return None  # has no such kernel

    def numpy(self, call):
        wide = [None if array is None else array.astype(float) if is_float(array.dtype) else array for array in call]
        if self.draw.define:
            return self.draw.define(*wide)
        f = DEFINITIONS.get(self.draw.op)
        if f is None:
            return None
        attributes = Attributes(self.draw.schema, self.draw.attributes)
        if attributes("broadcast") and self.draw.op != "Gemm":  # the second operand's axes are those from `axis` on
            begin = attributes("axis", wide[0].ndim - wide[1].ndim)
            wide[1] = wide[1].reshape([*wide[1].shape, *[1] * (wide[0].ndim - begin - wide[1].ndim)])
        result = f(attributes, *wide)
        return result if result is None or isinstance(result, list) else [np.asarray(result)]

    def __call__(self, call):
        """Pairs of a name and results."""
        answers = []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if (plain := self.numpy(call)) is not None:
                return [("NumPy", plain)]
            named = {n: np.asarray(a) for i, (n, a) in enumerate(zip(self.names, call)) if a is not None and i not in self.draw.constants}
            for session, widened in self.sessions:
                fed = {n: a.astype(np.float32) if widened and a.dtype in REPLACED else a for n, a in named.items()}
                if any(a.dtype == HALVES[1] for a in fed.values()):
                    continue
                try:
                    answers.append(("ONNX Runtime", session.run(None, fed)))
                    break
                except Exception:  # pylint: disable=broad-except
                    continue
            if self.evaluator is not None:
                try:
                    answers.append(("evaluator", [np.asarray(y) for y in self.evaluator.run(None, named)]))
                except Exception:  # pylint: disable=broad-except
                    pass  # cannot
        return answers


def differs(got, want, isPlain=False):
    """What is wrong with a result beside one of another, or nothing. A plain definition is exact in doubles."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"expected {list(want.shape)}, but got {list(got.shape)}"
    if not is_float(got.dtype):
        if isPlain and want.dtype.kind == "f":  # NaN is for any number
            return None if np.array_equal(got[~np.isnan(want)], want[~np.isnan(want)]) else values_of(got, want)
        if want.dtype.kind not in "biu":
            return f"expected {want.dtype}, but got {got.dtype}"
        return None if np.array_equal(got, want) else values_of(got, want)
    near = 1e-9 if isPlain and got.dtype == float else NEAR[got.dtype.name]
    with np.errstate(all="ignore"):
        a = got.astype(float)
        b = np.asarray(want).astype(float)
        b = b.astype(got.dtype).astype(float)
        finite = np.abs(b[np.isfinite(b)])
        isHuge = finite.max(initial=0) > 1e6
        close = np.isclose(a, b, rtol=near, atol=near * (1 if isHuge else max(1, finite.max(initial=0))) * 0.1, equal_nan=True)
        # What rounds to infinity, or to the largest number.
        top = float(np.finfo(np.float16).max) if got.dtype == np.float16 else 3e38 if got.dtype != float else 1.7e308
        close |= (np.abs(a) > 0.97 * top) & (np.abs(b) > 0.97 * top) & (np.sign(a) == np.sign(b))
    return None if close.all() else values_of(got, want, ~close)


def values_of(got, want, where=None):
    where = np.asarray(got != want) if where is None else where
    first = tuple(np.argwhere(where)[0]) if where.ndim else ()
    return f"{got[first]} for {np.asarray(want)[first]} at {list(map(int, first))}, {int(where.sum())} of {got.size}"


def verdict(got, answers):
    """`equal`, `alone`, `split: ...`, `wrong: ...`."""
    if not answers:
        return "alone"
    faults = {name: next((w for g, r in zip(got, results) if (w := differs(g, r, name == "NumPy"))), None) for name, results in answers}
    wrong = {name: fault for name, fault in faults.items() if fault}
    if not wrong:
        return "equal"
    text = "; ".join(f"{name}: {fault}" for name, fault in wrong.items())
    return f"split: {text}" if len(wrong) < len(faults) else f"wrong: {text}"


def prepared(task):
    """The draw of a task, its calls, the opset and the model."""
    schema, binding, seed, isDeclared, count = task
    draw = Draw(schema, binding, seed, isDeclared)
    draw.begin(0)
    calls, maker = [], MAKERS[schema.name](draw)
    for number in range(count):
        draw.begin(number)
        with np.errstate(all="ignore"):
            calls.append([None if array is None else np.asarray(array) for array in next(maker)])
    opset = schema.since_version
    return draw, calls, opset, model_of(draw, calls, opset)


def run_task(task, library, path, isAlone=False):
    """One answer a call."""
    try:
        draw, calls, opset, model = prepared(task)
    except Exception as error:  # pylint: disable=broad-except
        return [f"script: {type(error).__name__} {error}"], "", []
    path.write_bytes(model.SerializeToString())
    shown = str(draw.attributes)
    oracles = Oracles(draw, calls, opset, model, isAlone)

    def given(call):
        return [np.asarray(array) for i, array in enumerate(call) if array is not None and i not in draw.constants]

    answers, shapes = [], []
    try:
        program = symshape_c.Program(path, library=library, first=given(calls[0]))
    except symshape_c.Error as error:
        program, refusal = None, str(error)
    for call in calls:
        shapes.append(" ".join("-" if array is None else f"{np.asarray(array).dtype.name}{list(np.shape(array))}" for array in call))
        try:
            others = oracles(call)
        except Exception as error:  # pylint: disable=broad-except
            answers.append(f"script: {type(error).__name__} {error}")
            continue
        if program is not None:
            try:
                got = program(*given(call))
            except symshape_c.Error as error:
                got, refusal = None, str(error)
        if program is None or got is None:
            if "\n" in refusal and ".onnx" not in refusal.splitlines()[0] and "definition" not in refusal:
                refusal = " ".join(refusal.splitlines()[:3])
            answers.append(f"refused: {refusal}" if others else "both refuse")
        else:
            answers.append(verdict(got, others))
        if program is None:
            break
    return answers, shown, shapes


def tasks_of(options):
    tasks = []
    schemas = [s for s in defs.get_all_schemas_with_history() if not s.deprecated and s.domain in DOMAINS and s.name in MAKERS]
    for schema in sorted(schemas, key=lambda s: (s.name, s.since_version)):
        if not re.search(options.filter, f"{schema.name}-{schema.since_version}"):
            continue
        for number, binding in enumerate(variants(schema)):
            for round_ in range(options.rounds):
                seed = [options.seed, sum(map(ord, schema.name)), schema.since_version, number, round_]
                tasks.append((schema, binding, seed, round_ % 3 == 2, 1 + options.calls * (2 if round_ % 3 < 2 else 1)))
    return tasks[options.offset::options.sample]


def key_of(task):
    schema, binding, seed, isDeclared, _ = task
    types = ",".join(f"{k}={v[7:-1]}" for k, v in sorted(binding.items()))
    return f"{schema.name}-{schema.since_version} {types} #{seed[-1]}{' declared' if isDeclared else ''}"


def run_child(tasks, start, library, folder, limit, writer, isAlone=False):
    """Answers in JSON, a line for each task, with its place before it begins: so that a crash has a name."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with os.fdopen(writer, "w", buffering=1) as file:
        for place in range(start, len(tasks)):
            file.write(json.dumps({"begin": place}) + "\n")
            used = resource.getrusage(resource.RUSAGE_SELF)
            soft = int(used.ru_utime + used.ru_stime) + limit
            resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
            answers, shown, shapes = run_task(tasks[place], library, folder / f"{os.getpid()}.onnx", isAlone)
            file.write(json.dumps({"answers": answers, "attributes": shown, "shapes": shapes}) + "\n")
            if isAlone:
                break
    os._exit(0)


def run_all(tasks, options, folder, isAlone=False, start=0):
    """Yields the place of a task and what it answered."""
    library = symshape_c.load(options.library)
    while start < len(tasks):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            run_child(tasks, start, library, folder, options.limit, writer, isAlone)
        os.close(writer)
        begun = None
        with os.fdopen(reader) as file:
            for line in file:
                message = json.loads(line)
                if "begin" in message:
                    begun = message["begin"]
                else:
                    yield begun, message
                    begun, start = None, begun + 1
        _, status = os.waitpid(child, 0)
        if isAlone and begun is None:
            return
        if begun is not None:
            how = "hang" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU else f"crash: status {status}"
            if not isAlone:  # whose fault it is
                alone = next((m for _, m in run_all(tasks, options, folder, True, begun)), None)
                how = "both refuse" if alone and alone["answers"][0].split(":")[0] not in ("crash", "hang") else how
            yield begun, {"answers": [how], "attributes": "", "shapes": []}
            start = begun + 1


def decided(key, answer):
    """The reason why this difference is none, or nothing."""
    return next((reason for where, what, reason in DECISIONS if re.search(where, key) and re.search(what, answer)), None)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--filter", default="", help="only versions that match, as Add-7")
    parser.add_argument("--rounds", type=int, default=3, help="models of each version and type")
    parser.add_argument("--calls", type=int, default=4)
    parser.add_argument("--sample", type=int, default=1, help="only each N-th model")
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="seconds of processor time for a model")
    parser.add_argument("--floor", type=int, default=0, help="fail if fewer calls are equal")
    parser.add_argument("--folder", default="build/onnx-standard")
    parser.add_argument("--results", help="write all differences as JSON")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    options = parse_options()
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    tasks = tasks_of(options)
    counts, reasons, found, begin = collections.Counter(), collections.Counter(), [], time.time()
    for place, message in run_all(tasks, options, folder):
        key = key_of(tasks[place])
        for number, answer in enumerate(message["answers"]):
            kind = answer.split(":")[0]
            reason = None
            if kind not in ("equal", "alone", "both refuse"):
                reason = decided(key, answer)
                shape = message["shapes"][number] if number < len(message["shapes"]) else ""
                if reason:
                    reasons[reason] += 1
                elif kind != "split" or options.verbose:
                    found.append([key, message["attributes"], shape, answer])
                    print("\n   ".join(found[-1])[:700], flush=True)
            counts["decided" if reason else kind] += 1
        if options.results:
            Path(options.results).write_text(json.dumps(found, indent=0))
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    missing = sorted({s.name for s in defs.get_all_schemas() if s.domain in DOMAINS} - set(MAKERS))
    for reason in sorted({WITHOUT.get(op, "nobody has written one") for op in missing}):
        ops = [op for op in missing if WITHOUT.get(op, "nobody has written one") == reason]
        print(f"{len(ops):6}  without a maker, {reason}: {', '.join(ops)}")
    print(f"seed {options.seed}: {len(tasks)} models, {sum(counts.values())} calls: " + ", ".join(f"{n} {k}" for k, n in counts.most_common()))
    print(f"{time.time() - begin:.0f} s, {sum(f[3].split(':')[0] != 'split' for f in found)} differences without a decision")
    bad = any(each[3].split(":")[0] != "split" for each in found) or set(missing) != set(WITHOUT)
    return 1 if bad or counts["equal"] < options.floor else 0


if __name__ == "__main__":
    sys.exit(main())
