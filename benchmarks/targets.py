# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked of the results of a run, and what they miss.

`targets_of(result)` reads the JSON of bench.py: one `Target` per thing that is measured,
with the value of each entry, so that a mean hides none.

    P1  the fact engine, on random entailments: the share it decides, and its time
    P2  the analysis beside upstream's ValueBounds, on the same questions
    P3  the analysis against program size: the time per op of the largest and the smallest
    growth  ten times as many facts, or guards: the time beside that of one tenth
    P4  the checks at entry of a call, and the choice among versions
    calls  a call from Python, of arrays of NumPy
    P5  the dynamic build beside static ones     P6, P7  beside ONNX Runtime
    onnx  public models beside ONNX Runtime; what compiling them takes, and a start without
    ready  models in fresh processes: until the first answer, the final code, and with a cache
    P9  the demo model in a fresh process: compile time, and memory beside ONNX Runtime
"""

import math
from dataclasses import dataclass

PEAK_SHARE = 0.9  # of the measured peak, asked from M = 16 where 1024 does not divide K
ERROR_RATIO = 1.5
RIGHT_SHARE, MICROSECONDS = 0.99, 100  # of an entailment: stated, asked and asked again; processor time
ENTAILMENTS = 1000
TIMES_UPSTREAM = 1000
GROWTH = 1.5
GROWTH_TENFOLD = 15
CHECK_NANOSECONDS = {"20 conditions": 20, "150 conditions": 60, "choice among 8 versions": 30}
CALL_MICROSECONDS = 3
COMPILE_SECONDS = 2.0
PEAK_GIBIBYTES, READY_SECONDS = 2, 0.2
READY = {"first": 0.5, "final": 3, "warm": 0.1}  # processor seconds
ANALYSIS_SHARE = 0.15  # of compiling the final code
LARGE_SECONDS = 8  # until the final code of the large decoder
BYTES_BEYOND_MODEL = {"resident": 60, "peak": 300}  # MiB, of the final code
TORCH_EACH, TORCH_MEAN = 0.9, 1.3  # beside Inductor
OF_MEMORY = 0.85  # of the speed at which memory gives the weights of a product of one row
ONE_ROUNDING = 0.51  # units in the last place: sums in f32 are not quite exact
NEAR = 1e-9


@dataclass
class Target:
    """`values`: pairs of an entry and what was measured. `each` is asked of all of them, `mean` of their mean."""

    subject: str
    title: str
    ratio: str
    values: list
    each: float = None
    mean: float = None
    at_most: bool = False

    def is_met(self, value, target):
        return target is None or (value <= target + NEAR if self.at_most else value >= target - NEAR)

    def missed(self):
        """The entries that miss what is asked of each, the worst first."""
        return sorted((pair for pair in self.values if not self.is_met(pair[1], self.each)),
                      key=lambda pair: -pair[1] if self.at_most else pair[1])

    def geomean(self):
        if any(value == 0 for _, value in self.values):
            return 0.0
        return math.exp(sum(math.log(value) for _, value in self.values) / len(self.values))

    def worst(self):
        return (max if self.at_most else min)(self.values, key=lambda pair: pair[1])

    def holds(self):
        return not self.missed() and (self.mean is None or self.is_met(self.geomean(), self.mean))


def contests(result):
    for subject, groups in result.items():
        for group in groups if isinstance(groups, list) else []:
            if not isinstance(group, dict) or "summary" not in group:
                continue
            for key, summary in group["summary"].items():
                values = [(row["entry"], row["ratio"][key]) for row in group["rows"] if key in row["ratio"]]
                yield Target(subject, group["title"], key, values, summary.get("worst_target"),
                             summary.get("geomean_target"))
            if subject == "matmul":
                yield from shares(group)


def shares(group):
    """Of the peak in the same rounds, and errors beside ONNX Runtime's."""
    for key in group["summary"]:
        name = key.partition("/")[0]
        large = [row for row in group["rows"] if row["m"] >= 16 and row["k"] % 1024]
        yield Target("matmul", group["title"], f"{name}/peak",
                     [(row["entry"], row["gflops"][name] / row["gflops"]["peak"]) for row in large], PEAK_SHARE)
        yield Target("matmul", group["title"], f"{name}, error/onnxruntime",
                     [(row["entry"], row["error"][name] / row["error"]["onnxruntime"]) for row in group["rows"]],
                     ERROR_RATIO, at_most=True)


def facts(result):
    times = result["facts"]["times"]
    entailments = times["entailments"]
    yield Target("facts", "P1 random entailments, share decided", "", [("all", entailments["right"])], RIGHT_SHARE)
    yield Target("facts", "P1 random entailments, us each", "", [("all", entailments["cpu_time"] / ENTAILMENTS)],
                 MICROSECONDS,
                 at_most=True)
    pairs = [(name.removesuffix("/upstream"), times[name]["cpu_time"] / times[name.replace("upstream", "symshape")]["cpu_time"])
             for name in times if name.endswith("/upstream")]
    yield Target("facts", "P2 the analysis beside upstream's", "upstream/symshape", pairs, TIMES_UPSTREAM)


def targets_of(result):
    found = list(contests(result))
    if "facts" in result:
        found += facts(result)
    if "accuracy" in result:
        found.append(Target("accuracy", "errors of bf16 and f16, units in the last place", "", [
            (f"{row['entry']}, {name}", max(row["errors"][name])) for row in result["accuracy"]["ops"] for name in ("bf16", "f16")],
            ONE_ROUNDING, at_most=True))
    if "analysis" in result:
        rows = result["analysis"]
        found.append(Target("analysis", "P3 time per op, of the first program", "", [
            (f"{row['layers']} layers", row["us_per_operation"] / rows[0]["us_per_operation"]) for row in rows[1:]],
            GROWTH, at_most=True))
    if "growth" in result:
        found.append(Target("growth", "time of ten times as much", "", [
            (f"{row['kind']} {row['entry']}", row["ratio"]) for row in result["growth"]["rows"]],
            GROWTH_TENFOLD, at_most=True))
    if "calls" in result:
        found.append(Target("calls", "a call from Python, us", "",
                            [(row["entry"], row["symshape"]) for row in result["calls"]["rows"]],
                            CALL_MICROSECONDS, at_most=True))
    if "guards" in result:
        found += [Target("guards", f"P4 {row['entry']}, ns", "", [(row["entry"], row["symshape"])],
                         CHECK_NANOSECONDS[row["entry"]], at_most=True) for row in result["guards"]["rows"]]
    if "cost" in result:
        ours, theirs = result["cost"]["symshape"], result["cost"]["onnxruntime"]
        found.append(Target("cost", "P9 seconds of compilation", "", [
            ("MiniLM", ours["parse"] + ours["passes"] + ours["jit"])], COMPILE_SECONDS, at_most=True))
        found.append(Target("cost", "P9 peak memory of calls", "symshape/onnxruntime", [
            ("MiniLM", ours["call_peak_bytes"] / theirs["call_peak_bytes"])], 1, at_most=True))
    if "ready" in result:
        for what, seconds in READY.items():
            values = [(row["entry"], row[what]["processor"]) for row in result["ready"]["rows"]]
            large = [pair for pair in values if what == "final" and pair[0].endswith("x 512")]
            found += [Target("ready", f"seconds until ready, {what}", "", [pair for pair in values if pair not in large],
                             seconds, at_most=True)]
            found += [Target("ready", f"seconds until ready, {what}, large", "", large, LARGE_SECONDS, at_most=True)] * bool(large)
        shares = [(row["entry"], row["report"]["analysis"]) for row in result["ready"]["rows"] if "report" in row]
        found += [Target("ready", "share of the analysis", "", shares, ANALYSIS_SHARE, at_most=True)] * bool(shares)
        for what, most in BYTES_BEYOND_MODEL.items():
            beyond = [(row["entry"], (row["final"][f"{what}_bytes"] - row["model_bytes"]) / 2**20)
                      for row in result["ready"]["rows"]]
            found.append(Target("ready", f"MiB beyond those of the model, {what}", "", beyond, most, at_most=True))
    if "onnx cost" in result:
        of = lambda key, scale=1: [(row["entry"], row[key] / scale) for row in result["onnx cost"]]
        found += [
            Target("onnx", "ONNX models, compilations for all sizes", "", of("compilations"), 1, at_most=True),
            Target("onnx", "ONNX models, GiB while compiling", "", of("peak_bytes", 2**30), PEAK_GIBIBYTES, at_most=True),
            Target("onnx", "ONNX models, compilations with a state folder", "", of("compilations_with_state"), 0,
                   at_most=True),
            Target("onnx", "ONNX models, seconds until ready with a state folder", "", of("ready_seconds"), READY_SECONDS,
                   at_most=True)]
    return found


def report(result):
    """Prints what is missed; the number of targets that are."""
    asked = [target for target in targets_of(result) if target.each is not None or target.mean is not None]
    missed = [target for target in asked if not target.holds()]
    print(f"\n{len(asked)} targets, {len(missed)} missed")
    for target in missed:
        entries = ", ".join(f"{entry} {value:.2f}" for entry, value in target.missed()[:5])
        mean = "" if target.mean is None or target.is_met(target.geomean(), target.mean) else \
            f" mean {target.geomean():.2f}, target {target.mean};"
        print(f"  {target.title}, {target.ratio}:{mean} {len(target.missed())} of {len(target.values)} entries miss "
              f"{target.each}: {entries}")
    return len(missed)
