# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling takes for each part of a program, stage by stage: of a large program as much as of a small one.

    bench_stages.py [--build FOLDER] [--quick] [--kinds=NAME[,NAME]] [--most=PARTS]

Chains of 100 to 10,000 ops, 1,000 symbols, 500 arguments, 2,000 functions (growth_programs.py) and decoders of
3 to 96 layers, each in a process of its own. A stage has the share of the processor's time that it has of
wall time, so that a busy machine does not count. The check that runs with the tests counts
(test/Pipelines/stages-grow.test); here it is time and memory.
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

import decoders
import growth_programs
from targets import GROWTH

LAYERS = (3, 12, 48, 96)
ALL = [*growth_programs.KINDS, "decoders"]
LIMIT = 900  # processor seconds of one compilation
LEAST_SHARE = 0.05  # of the time at the largest size: passes that take less are left out
SMALL_SECONDS = 0.05  # stages that take less are left out


def limit_processor():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))


class StagesBench:
    def __init__(self, build, quick=False, most=None):
        self.build, self.out = build, build / "bench"
        self.out.mkdir(parents=True, exist_ok=True)
        self.quick, self.most = quick, most

    def sizes(self, kind):
        sizes = LAYERS if kind == "decoders" else growth_programs.SIZES[kind]
        sizes = sizes[:-1] if self.quick and len(sizes) > 2 else sizes
        return [size for size in sizes if not self.most or size <= self.most]

    def measure(self, kind, parts):
        """Processor seconds of stages and of passes, bytes at most, and counts; None if it takes too long."""
        path, weights = self.out / "stages.mlir", []
        if kind == "decoders":
            path = path.with_suffix(".onnx")
            path.write_bytes(decoders.Decoder(parts, 64).build())
        else:
            path.write_text(growth_programs.KINDS[kind](parts))
        if kind == "convolutions":
            weights = [self.out / "stages.safetensors"]
            growth_programs.write_weights(weights[0])
        command = [sys.executable, Path(__file__).with_name("growth_process.py"), self.build / "lib" / "libSymShapeC.so",
                   path, *weights]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_processor)
        if done.returncode:
            print(f"  {kind} of {parts}: {done.stderr.strip()[-300:] or f'more than {LIMIT} s'}", flush=True)
            return None
        report = json.loads(done.stdout)
        of_processor = report["processor"] / report["seconds"]
        return {"parts": parts, "processor": report["processor"], "peak_bytes": report["peak_bytes"],
                "asked": report["numAsked"], "decided": report["numDecided"], "steps": report["numRewriteSteps"],
                "instructions": report["numInstructions"],
                **{what: {each["name"]: each["seconds"] * of_processor for each in report[what]}
                   for what in ("stages", "passes")}}

    def row(self, kind):
        found = []
        for parts in self.sizes(kind):
            if each := self.measure(kind, parts):
                found.append(each)
                report_size(kind, each)
        return {"entry": kind, "sizes": found, "growth": growth(found) if len(found) > 1 else {}}

    def run(self, kinds):
        rows = []
        for kind in kinds:
            rows.append(self.row(kind))
            report_row(rows[-1])
        return rows


def growth(found):
    """Of each stage and pass that matters: what a part takes at the largest size, by what it takes at the smallest."""
    small, large = found[0], found[-1]
    times = large["parts"] / small["parts"]
    taken = {"all": (small["processor"], large["processor"]), "memory": (small["peak_bytes"], large["peak_bytes"]),
             **{what: (small[what], large[what]) for what in ("asked", "decided", "steps", "instructions")}}
    for what in ("stages", "passes"):
        for name, seconds in large[what].items():
            if seconds >= max(SMALL_SECONDS, LEAST_SHARE * large["processor"]) and not name.startswith("(A)"):
                taken[name] = (small[what].get(name, 0), seconds)
    return {name: after / times / max(before, 1e-3) for name, (before, after) in taken.items()}


def report_size(kind, each):
    stages = ", ".join(f"{name} {seconds:.2f}" for name, seconds in each["stages"].items())
    print(f"  {kind:<16}{each['parts']:>7}{each['processor']:>9.2f} s{1e3 * each['processor'] / each['parts']:>8.2f} ms"
          f"{each['peak_bytes'] / 2**20:>8.0f} MiB{each['asked']:>9} asked{each['decided']:>8} anew"
          f"{each['instructions']:>9} instructions; {stages}", flush=True)


def report_row(row):
    grown = {name: ratio for name, ratio in row["growth"].items() if ratio > GROWTH}
    said = ", ".join(f"{name} {ratio:.1f} x" for name, ratio in sorted(grown.items(), key=lambda pair: -pair[1])) or "none"
    print(f"  {row['entry']:<16} grow by more than {GROWTH} x for each part: {said}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--quick", action="store_true", help="without the largest sizes")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=ALL)
    parser.add_argument("--most", type=int, metavar="PARTS", help="no more parts than these")
    args = parser.parse_args()
    rows = StagesBench(args.build, args.quick, args.most).run(args.kinds)
    (args.build / "bench" / "stages.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
