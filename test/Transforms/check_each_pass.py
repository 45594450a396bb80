# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass of ours alone, on each program that a pattern or folder of upstream gets wrong.

    check_each_pass.py FILE... [--pass=NAME]

Takes the functions of the files (tests of the canonicalizer: one for each row of
docs/Rationale/UpstreamPatterns.md), one at a time. A pass gives a program that is valid, or
refuses with an error at that program, and does not crash. If it has changed a program, that
computes the same as before, or is refused with the same words, for two sets of inputs; one that
only later passes of its target understand may be refused. Fails if fewer than FLOOR changed
programs were run.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FLOOR = 120
FUNCTION = re.compile(r"^func\.func (?:private )?@(\w+)\(.*?^}$", re.M | re.S)
SPLIT = "// -----"
RUN_SECONDS = 60


def tool(name, *arguments, text=None):
    return subprocess.run([name, *arguments], input=text, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)


def read_functions(paths):
    found = []
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        aliases = "".join(f"{line}\n" for line in re.findall(r"^#\w+ = .*$", text, re.M))
        for match in FUNCTION.finditer(text):
            body = "\n".join(line for line in match.group().splitlines() if not line.lstrip().startswith("//"))
            if "call" not in body:
                found.append((match.group(1), aliases + body + "\n"))
    return found


def inputs_of(text):
    """Two sets of inputs of a function; none if it has arguments of other kinds."""
    signature = re.search(r"@\w+\((.*?)\)(?: ->| attributes| \{)", text, re.S).group(1)
    types = re.findall(r"%\w+: (tensor<[^>]*>|[\w.]+)", signature)
    if len(types) != signature.count("%") or any(not re.fullmatch(r"index|[if]\d+|tensor<.*\b[if]\d+>", t) for t in types):
        return []

    def write(kind, extent, number):
        if kind.startswith("tensor"):
            return kind[7:-1].replace("?", str(extent)) + "=iota"
        return f"{kind}={number}" if kind != "i1" else "i1=1"

    return [[f"--input={write(t, *values)}" for t in types] for values in ((2, 2), (3, 1))]


class Test:
    def __init__(self, functions, folder):
        self.functions, self.path = functions, Path(folder) / "program.mlir"
        self.before, self.failures, self.compared, self.refused, self.later = {}, [], 0, 0, 0

    def fail(self, name, pass_name, details):
        self.failures.append(f"{pass_name} on @{name}: {details}")

    def run(self, name, text, inputs):
        self.path.write_text(text, encoding="utf-8")
        done = tool("symshape-run", str(self.path), f"--entry={name}", *inputs)
        return done.returncode, done.stdout, re.sub(r"at \S+:\d+:\d+", "", done.stderr)

    def compare(self, name, pass_name, original, changed):
        for inputs in inputs_of(original):
            key = name, *inputs
            if key not in self.before:
                self.before[key] = self.run(name, original, inputs)
            status, values, words = self.before[key]
            now, new_values, new_words = self.run(name, changed, inputs)
            if now == 1 and status in (0, 3):
                self.later += 1  # an op of another target, or of a later stage
            elif (now, new_values) != (status, values):
                self.fail(name, pass_name, f"{inputs}: {status} {values}{words} became {now} {new_values}{new_words}\n{changed}")
            self.compared += 1

    def check(self, pass_name, plain):
        text = f"{SPLIT}\n".join(text for _, text in self.functions)
        done = tool("symshape-opt", "--split-input-file", f"--{pass_name}", "-", text=text)
        if done.returncode < 0 or done.returncode > 1:
            return self.fail("all", pass_name, f"exit status {done.returncode}\n{done.stderr[-500:]}")
        chunks = done.stdout.split(SPLIT)
        if len(chunks) != len(self.functions):
            return self.fail("all", pass_name, f"{len(chunks)} of {len(self.functions)} programs\n{done.stderr[:500]}")
        lines = {int(n) for n in re.findall(r"^\S*?:(\d+):\d+: error:", done.stderr, re.M)}
        begin = 0
        for (name, original), chunk, before in zip(self.functions, chunks, plain):
            end = begin + original.count("\n") + 1
            if not chunk.strip():
                self.refused += 1
                if not any(begin <= line <= end for line in lines):
                    self.fail(name, pass_name, f"fails without an error\n{done.stderr[:300]}")
            elif chunk.strip() != before.strip():
                self.compare(name, pass_name, original, chunk)
            begin = end
        return None


def main():
    chosen = [a[7:] for a in sys.argv[1:] if a.startswith("--pass=")]
    functions = read_functions([a for a in sys.argv[1:] if not a.startswith("--")])
    passes = tool("symshape-opt", "--help").stdout.split("Passes:")[1].split("Pass Pipelines:")[0]
    names = sorted(set(re.findall(r"^ +--(symshape-[\w-]+)", passes, re.M)))
    plain = tool("symshape-opt", "--split-input-file", "-", text=f"{SPLIT}\n".join(text for _, text in functions)).stdout.split(SPLIT)
    assert len(plain) == len(functions) > 50 and len(names) > 60
    with tempfile.TemporaryDirectory(prefix="symshape") as folder:
        test = Test(functions, folder)
        for name in chosen or names:
            test.check(name, plain)
    print("\n".join(test.failures), file=sys.stderr)
    print(f"{len(functions)} programs, {len(chosen or names)} passes: {test.refused} refused, {test.compared} runs compared, "
          f"of which {test.later} need other passes; {len(test.failures)} failures")
    return 1 if test.failures or (not chosen and test.compared < FLOOR) else 0


if __name__ == "__main__":
    sys.exit(main())
