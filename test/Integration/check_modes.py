# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs at extents from 0 to 4: in every mode, and with static types, the same verdict,
message and result, which are those of NumPy.

    check_modes.py LIBRARY FOLDER [CALLS [SEED [NAME]...]]

Few calls are made of all programs in the modes of one process; with a number of CALLS, all modes.
"""

import random
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import modes
from checking import Checks
from mode_programs import PROGRAMS, text_of

FEW = 3  # calls
SIGNATURE = re.compile(r"func\.func @main\((.*?)\) -> ")


def made_static(text, arrays):
    """The program with the types of these arrays for its arguments, which are cast to what they were."""
    signature = SIGNATURE.search(text)
    arguments, casts = [], []
    for argument, array in zip(re.findall(r"(%\w+): (tensor<[^>]*>)", signature[1]), arrays):
        name, old = argument
        new = "tensor<" + "".join(f"{extent}x" for extent in array.shape) + "f32>"
        arguments.append(f"{name}_s: {new}")
        casts.append(f"  {name} = tensor.cast {name}_s : {new} to {old}\n")
    head = text[:signature.start(1)] + ", ".join(arguments) + text[signature.end(1):]
    line = head.index("\n", signature.start()) + 1
    return head[:line] + "".join(casts) + head[line:]


def draw(rng, numbers, name, count):
    """Arrays for `count` calls; about half of them of extents that fit windows."""
    arguments = PROGRAMS[name][0]
    letters = sorted({d for dims in arguments.values() for d in dims if not d.isdigit()})
    for _ in range(count):
        sizes = {letter: rng.choice([0, 1, 2, 3, 4]) for letter in letters}
        if rng.random() < 0.6:
            sizes |= {x: max(sizes["Y" + x[1:]], 1) * 2 + max(sizes["K" + x[1:]], 1) * 2
                      for x in letters if "Y" + x[1:] in letters and x[0] == "X"}
        yield [numbers.uniform(-1, 1, [sizes.get(d) if d in sizes else int(d) for d in dims]).astype(np.float32)
               for dims in arguments.values()]


def check(checks, counts, run, name, calls, path, which):
    text, expected = text_of(name), PROGRAMS[name][3]
    path.write_text(text)
    outcomes = run(path, calls, which)
    static = []
    for call in calls:
        path.with_name("static.mlir").write_text(made_static(text, call))
        static += run(path.with_name("static.mlir"), [call], ["always"])["always"]
    wrong = modes.differences(outcomes) + modes.differences({"always": outcomes["always"], "static": static}, exact=False)
    checks.that(not wrong, f"{name}: the same in every mode", "\n".join(wrong) + "\n" + text)
    for call, outcome in zip(calls, outcomes["always"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = expected(*call)
        here = f"{name} {[array.shape for array in call]}"
        counts["calls served" if outcome.status == 0 else "calls refused"] += 1
        if checks.that((outcome.status == 0) == (right is not None), f"{here}: served or refused", outcome.message) and \
                right is not None:
            checks.that(modes.same_results(outcome.results, [np.asarray(right, np.float32)], 1e-5), f"{here}: the result",
                        f"  {outcome.results[0]}\n  {right}")


def main():
    library, folder, given = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    count, seed, names = int(given[0]) if given else FEW, int(given[1]) if given[1:] else 1, given[2:] or PROGRAMS
    which = modes.ALL if given else ["always", "auto", "never", "threads"]
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    checks, counts = Checks(), Counter()
    with modes.Modes(library, folder) as all_modes:
        def run(path, calls, which):
            return all_modes.run(path, calls, results=1, modes=which)
        for name in names:
            check(checks, counts, run, name, list(draw(rng, numbers, name, count)), folder / "dynamic.mlir", which)
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
