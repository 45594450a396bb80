# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of at most 30 ops: none costs much.

    check_costs.py PLUGIN [--seed N] [--programs N]
    check_costs.py --time [--seed N] [--programs N | --minutes N]

Random programs whose ops come in chains. Without --time, the steps of the fact engine are counted, which are the
same on every machine: none may take more than MOST_STEPS. With --time, none may take more than a second of the
processor, or 200 MB, beyond what an empty program does, in what comes before code generation.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from programs.chains import Chains

MOST_STEPS = 250_000
MOST_SECONDS, MOST_MEGABYTES = 1.0, 200
#: Programs that are looked at one by one where they are too slow together.
TOGETHER = 16
PASSES = {"guards": ["symshape-opt", "--symshape-insert-guards"],
          "shapes": ["symshape-opt", "--symshape-shapes", "--symshape-plan-memory"],
          "report": ["symshape-report"]}


def make(seed, number):
    function = Chains(seed * 1000003 + number).function(f"f{number}")
    return "\n".join(line for line in function.text().split("\n") if "probe.at" not in line) + "\n"


def check_steps(plugin, seed, count):
    programs = {f"f{i}": make(seed, i) for i in range(count)}
    done = subprocess.run(["mlir-opt-22", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
                           "--allow-unregistered-dialect", "-o", os.devnull,
                           "--pass-pipeline=builtin.module(symshape-print-costs)"],
                          input="".join(programs.values()), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mlir-opt-22 failed: {done.stderr[:4000]}")
    costs = {name: int(steps) for name, steps in map(str.split, done.stdout.splitlines())}
    for name, steps in costs.items():
        if steps > MOST_STEPS:
            print(f"{steps} steps:\n{programs[name]}")
    high = sum(steps > MOST_STEPS for steps in costs.values())
    ordered = sorted(costs.values())
    print(f"{len(costs)} programs, median {ordered[len(ordered) // 2]} steps, most {ordered[-1]}, {high} above")
    return 1 if high or len(costs) < count else 0


def cost(command, text, folder):
    """Seconds of the processor, megabytes, and whether it ended well."""
    path = os.path.join(folder, "main.mlir")
    with open(path, "w") as file:
        file.write(text)
    with open(os.devnull, "w") as out, open(os.path.join(folder, "errors"), "w") as errors:
        child = subprocess.Popen([*command, path], stdout=out, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode in (0, 1)


def check_time(seed, count, minutes):
    start, number, failures = time.time(), 0, 0
    slowest, largest = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        empty = {name: cost(command, "", folder) for name, command in PASSES.items()}

        def look(texts, name):
            nonlocal failures, slowest, largest
            seconds, megabytes, is_good = cost(PASSES[name], "".join(texts), folder)
            seconds, megabytes = seconds - empty[name][0], megabytes - empty[name][1]
            is_low = seconds <= MOST_SECONDS and megabytes <= MOST_MEGABYTES and is_good
            if len(texts) > 1:
                if not is_low:
                    for text in texts:
                        look([text], name)
                return
            slowest, largest = max(slowest, seconds), max(largest, megabytes)
            if not is_low:
                failures += 1
                print(f"{name}: {seconds:.2f} s, {megabytes:.0f} MB{'' if is_good else ', crash'}:\n{texts[0]}", flush=True)

        while number < count and (not minutes or time.time() - start < 60 * minutes):
            texts = [make(seed, number + i) for i in range(TOGETHER)]
            number += TOGETHER
            for name in PASSES:
                look(texts, name)
    print(f"{number} programs, {failures} too slow, too large, or crashed; of those looked at alone, the most "
          f"{slowest:.2f} s, {largest:.0f} MB")
    return 1 if failures or not number else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--time", action="store_true", help="measure the tools, rather than count steps")
    args = parser.parse_args()
    if args.time:
        return check_time(args.seed, args.programs or 10**9, args.minutes)
    return check_steps(args.plugin, args.seed, args.programs or 200)


if __name__ == "__main__":
    sys.exit(main())
