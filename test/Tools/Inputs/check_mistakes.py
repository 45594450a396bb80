# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the mistakes of tables, and judges what tools say of them.

    check_mistakes.py TABLES FOLDER [--show WORD]

A table is a file of TOML, one for each tool. A mistake of it has

    call      a command, for a shell in FOLDER, where mistake_files.py has written its files
    status    its exit status
    message   all that it prints; `...` stands for what varies, within a line
    given     what the user wrote that is wrong: part of the call, or of a file that it names,
              and of the message. Without one, something is missing, and the message says what.
    expected  part of the message, but not of the call: what was expected, or what there is
    write     part of the message: what to write instead or besides. Without one, what is
              expected says it.
    mended    a call without the mistake; it has what `write` is, and exits with 0

A message has few lines, says what it wants in the user's words, and shows no trace.
With --show, the messages of calls that have WORD are printed, and nothing is judged.
"""

import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mistake_files

LEAST = 300  # mistakes of all tools
MOST_LINES, MOST_CHARACTERS = 8, 2000
FIELDS = {"call", "status", "message", "given", "expected", "write", "mended"}
TRACES = ("Traceback", "Stack dump", "PLEASE submit", "LLVM ERROR", "UNREACHABLE", "Assertion", "mlir::", "llvm::")


def read(path):
    return tomllib.loads(Path(path).read_text())["mistake"]


def run(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout.rstrip("\n")


def is_message(wanted, got):
    parts = [re.escape(part) for part in wanted.strip("\n").split("...")]
    return re.fullmatch("[^\n]*".join(parts), got) is not None


def judge(mistake, status, got, folder):
    """What is wrong with what a tool says of a mistake."""
    wrong = []
    if unknown := mistake.keys() - FIELDS:
        wrong.append(f"unknown fields {unknown}")
    if status != mistake["status"]:
        wrong.append(f"exit status {status}")
    if not is_message(mistake["message"], got):
        wrong.append("another message")
    if got.count("\n") >= MOST_LINES or len(got) > MOST_CHARACTERS:
        wrong.append("a message that is too long")
    wrong += [f"{trace} in the message" for trace in TRACES if trace in got]
    call = mistake["call"]
    given, expected, write = mistake.get("given"), mistake["expected"], mistake.get("write")
    if given is not None:
        if given not in got:
            wrong.append(f"a message without what was given, {given}")
        files = [folder / word for word in re.split(r"[\s='\"<,@]+", call)]
        files += [path / "manifest.json" for path in files]  # of a bundle
        if given not in call and not any(path.is_file() and given.encode() in path.read_bytes() for path in files):
            wrong.append(f"nobody has given {given}")
    if not expected or expected not in got or expected in call:
        wrong.append(f"a message that does not say what was expected, {expected}")
    if write is not None and (write not in got or write == given):
        wrong.append(f"a message that does not say what to write, {write}")
    if "mended" in mistake and (write or expected) not in mistake["mended"]:
        wrong.append("a mended call without what the message says to write")
    return wrong


def check(mistake, folder):
    status, got = run(mistake["call"], folder)
    wrong = judge(mistake, status, got, folder)
    if "mended" in mistake:
        status, said = run(mistake["mended"], folder)
        if status:
            wrong.append(f"a mended call with exit status {status}:\n{said}")
    return [f"{mistake['call']}\n  {each}" for each in wrong] + ([f"it said:\n{got}\n"] if wrong else [])


def main(tables, folder, word=None):
    os.environ.pop("SYMSHAPE_THREADS", None)  # some mistakes are about options that it stands for
    folder = Path(folder)
    mistake_files.write(folder)
    mistake_files.save_bundles(folder)
    mistakes = {path.stem: read(path) for path in sorted(Path(tables).glob("symshape-*.toml"))}
    every = [one for table in mistakes.values() for one in table if word is None or word in one["call"]]
    with ThreadPoolExecutor(min(4, os.cpu_count())) as pool:
        if word is not None:
            for one, (status, got) in zip(every, pool.map(lambda one: run(one["call"], folder), every)):
                print(f"$ {one['call']}\n{got}\n[{status}]\n")
            return 0
        wrong = [line for lines in pool.map(lambda one: check(one, folder), every) for line in lines]
    for tool, table in mistakes.items():
        wrong += [f"{tool}.toml: {one['call']} is a call of another tool" for one in table if tool not in one["call"]]
        wrong += [f"{tool}.toml: {one['call']} stands twice" for i, one in enumerate(table)
                  if one["call"] in (other["call"] for other in table[:i])]
    if len(every) < LEAST:
        wrong.append(f"expected {LEAST} mistakes or more, but got {len(every)}")
    print("\n".join(wrong))
    mended = sum("mended" in one for one in every)
    print(f"{len(every)} mistakes of {len(mistakes)} tools, {mended} of them mended")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*(argument for argument in sys.argv[1:] if argument != "--show")))
