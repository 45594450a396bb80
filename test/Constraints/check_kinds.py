# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions as compilers ask them: each answer past the values of small extents.

    check_kinds.py FILE...
    check_kinds.py --report FILE...

A question ends with `# expect ANSWER`, worked out from the mathematics. No row of
small values may contradict it: of `yes` none is against, of `no` none is for, of
`unknown` there is one of each. Where more is true than is decided, the truth stands
behind: `# expect unknown (yes)`. With --report also Z3 is asked, for one second a question, and
a table says how many each decides, and the longest time that one took with its facts, start-up
left out; then it is an error to decide fewer than Z3, of any kind.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from models import Declaration, Models
from oracle import check_files

LEAST_MODELS = 3
#: Copies of a question in one process, so that what is measured is above the noise.
COPIES = 40


class Question:
    def __init__(self, place, lines, declarations, facts, text, comment):
        self.place, self.lines, self.facts, self.text = place, lines, facts, text
        self.declarations = declarations
        match = re.fullmatch(r"\s*expect (\w+)(?: \((yes|no)\))?\s*", comment)
        self.expected, self.truth = (match[1], match[2] or match[1]) if match else (None, None)

    def problem(self, copies=1):
        return "\n".join(["push", *self.lines, f"prove {self.text}", "pop", ""]) * copies


def read(path):
    """The questions of a file, each with the statements that hold where it stands."""
    scopes = [[]]
    for number, line in enumerate(open(path), 1):
        statement, _, comment = line.rstrip("\n").partition("#")
        word, _, rest = statement.strip().partition(" ")
        if word == "push":
            scopes.append([])
        elif word == "pop":
            scopes.pop()
        elif word in ("symbol", "assume"):
            scopes[-1].append((word, rest.strip()))
        elif word == "prove":
            held = [entry for scope in scopes for entry in scope]
            declarations = {text.partition(" ")[0]: Declaration(text.partition(" ")[2])
                            for word, text in held if word == "symbol"}
            yield Question(f"{path}:{number}", [" ".join(entry) for entry in held], declarations,
                           [text for word, text in held if word == "assume"], rest.strip(), comment)


def check(path):
    questions = list(read(path))
    done = subprocess.run(["symshape-prove", path], capture_output=True, text=True)
    failures = [done.stderr] if done.returncode else []
    answers = done.stdout.splitlines()
    if len(answers) != len(questions):
        failures.append(f"{path}: {len(questions)} questions, {len(answers)} answers")
    for question, answer in zip(questions, answers):
        if answer != question.expected:
            failures.append(f"{question.place}: expected {question.expected}, but got {answer}: {question.text}")
        models = Models(question.declarations, question.facts, question.text)
        if models.count < LEAST_MODELS:
            failures.append(f"{question.place}: {models.count} models: {question.text}")
        elif (found := models.verdict(question.text)) != question.truth:
            failures.append(f"{question.place}: small values say {found}, not {question.truth}: {question.text}")
    return len(questions), failures


def processor_time(command):
    """Seconds of processor, and what was printed."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)
        out.seek(0)
        return usage.ru_utime + usage.ru_stime, out.read()


def ask_z3(question):
    """In a process of its own, so that a second is a second."""
    code = ("import sys, z3; sys.path.insert(0, sys.argv[1]); from oracle import Oracle, Parser\n"
            "oracle = Oracle(); z3.set_param('timeout', 1000)\n"
            "lines = sys.stdin.read().splitlines()\n"
            "for line in lines:\n"
            "    word, _, rest = line.partition(' ')\n"
            "    if word == 'symbol': oracle.declare(rest)\n"
            "    elif word == 'assume': oracle.scopes[-1][1].append(Parser(rest, oracle.symbol).relation())\n"
            "    elif word == 'prove': asked = Parser(rest, oracle.symbol).relation()\n"
            "def check(condition):\n"
            "    solver = z3.Solver(); solver.set('timeout', 1000); solver.add(*oracle.facts(), condition)\n"
            "    return solver.check()\n"
            "negated = check(z3.Not(asked)); held = check(asked) if negated != z3.unsat else None\n"
            "print('yes' if negated == z3.unsat else 'no' if held == z3.unsat else 'unknown'\n"
            "      if negated == z3.sat and held == z3.sat else 'none')\n")
    done = subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent)], input=question.problem(),
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


def ask(text):
    """The least time of three runs, in seconds, and the answers."""
    with tempfile.NamedTemporaryFile("w", suffix=".prove") as file:
        file.write(text)
        file.flush()
        runs = [processor_time(["symshape-prove", file.name]) for _ in range(3)]
    return min(time for time, _ in runs), runs[0][1].split()


def report(paths):
    print(f"{'kind':20} {'questions':>9} {'decidable':>9} {'ours':>5} {'Z3':>5} {'slowest, ms':>12}")
    total, wrong, fewer = [0, 0, 0, 0, 0.0], 0, []
    for path in paths:
        questions = list(read(path))
        times, ours = [], []
        for question in questions:
            once, answers = ask(question.problem())
            times.append((ask(question.problem(COPIES + 1))[0] - once) / COPIES * 1e3)
            ours.append(answers[0])
        with ThreadPoolExecutor(2) as pool:
            theirs = list(pool.map(ask_z3, questions))
        decidable = sum(question.truth != "unknown" for question in questions)
        row = [len(questions), decidable, sum(a in ("yes", "no") for a in ours),
               sum(a in ("yes", "no") for a in theirs), max(times)]
        for question, our, their, time in zip(questions, ours, theirs, times):
            if {our, their} == {"yes", "no"} or our not in (question.truth, "unknown"):
                wrong += 1
                print(f"WRONG {question.place}: ours {our}, Z3 {their}: {question.text}")
            elif our == "unknown" and question.truth != "unknown":
                print(f"  open, Z3 {their}: {question.place}: {question.text}")
            if time > 5:
                print(f"  {time:.1f} ms: {question.place}: {question.text}")
        print(f"{Path(path).stem:20} {row[0]:9} {row[1]:9} {row[2]:5} {row[3]:5} {row[4]:12.1f}", flush=True)
        if row[2] < row[3]:
            fewer.append(path)
        total = [a + b for a, b in zip(total[:4], row[:4])] + [max(total[4], row[4])]
    print(f"{'all':20} {total[0]:9} {total[1]:9} {total[2]:5} {total[3]:5} {total[4]:12.1f}")
    return 1 if wrong or fewer else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if args.report:
        return report(args.files)
    return check_files(args.files, check)


if __name__ == "__main__":
    sys.exit(main())
