# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of programs that earlier releases were given is read as it was.

    check_corpus.py INCLUDE

Each folder of Inputs is a release, each file a program that it accepted. Files are never changed: a later
release parses and verifies them, keeps what it prints of them when it reads that, and where a file says
`// call:`, prints the results that it says after `// prints:`. Each op of the dialect, of which TableGen has
the list, has a file of its name, in the release that had it first.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "Inputs"


def run(*command, text=None):
    return subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=False)


def registered(include):
    """The names of all ops of the dialect, and of its attributes, from all definitions."""
    ops, attributes = set(), set()
    llvm = run("llvm-config", "--includedir").stdout.strip()
    for file in sorted((include / "symshape" / "IR").glob("*Ops.td")):
        done = run("llvm-tblgen", "--dump-json", "-I", include, "-I", llvm, file)
        assert done.returncode == 0, done.stderr
        records = json.loads(done.stdout)
        for name in records["!instanceof"].get("Op", []):
            if records[name]["opDialect"]["def"] == "SymShape_Dialect":
                ops.add(records[name]["opName"])
        for name in records["!instanceof"].get("AttrDef", []):
            if records[name]["dialect"]["def"] == "SymShape_Dialect":
                attributes.add(records[name]["mnemonic"])
    return ops, attributes


def check(file):
    """Parses, verifies, prints, reads that, and calls; the calls that were compared."""
    once = run("symshape-opt", file)
    assert once.returncode == 0, f"{file}: {once.stderr}"
    for option in [], ["--mlir-print-op-generic"]:
        printed = run("symshape-opt", *option, file)
        again = run("symshape-opt", "-", text=printed.stdout)
        assert again.stdout == once.stdout, f"{file}: reads what it prints as {again.stdout}{again.stderr}"
    text = file.read_text()
    calls = re.findall(r"^// call: (.*)\n((?:// prints: .*\n)+)", text, re.M)
    for arguments, expected in calls:
        done = run("symshape-run", file, *(f"--input={each}" for each in arguments.split()))
        wanted = expected.replace("// prints: ", "")
        assert (done.returncode, done.stdout) == (0, wanted), \
            f"{file}: expected {wanted}but got {done.stdout}{done.stderr}"
    return len(calls)


def main():
    ops, attributes = registered(Path(sys.argv[1]))
    assert len(ops) >= 23 and len(attributes) >= 4, (ops, attributes)
    releases = sorted((folder for folder in CORPUS.iterdir() if re.fullmatch(r"\d+\.\d+", folder.name)),
                      key=lambda folder: tuple(map(int, folder.name.split("."))))
    files = [file for release in releases for file in sorted(release.glob("*.mlir"))]
    texts = {}
    for file in files:
        texts[file.stem] = texts.get(file.stem, "") + file.read_text()
    for op in sorted(ops):
        assert re.search(rf"(?<!#)\bsymshape\.{op}\b", texts.get(op, "")), \
            f"expected a file {op}.mlir of a release to have symshape.{op}"
    for attribute in sorted(attributes):
        assert any(f"#symshape.{attribute}<" in text for text in texts.values()), f"no file has #symshape.{attribute}"
    calls = sum(map(check, files))
    print(f"{len(releases)} releases, {len(files)} files, {calls} calls, {len(ops)} ops, {len(attributes)} attributes")


if __name__ == "__main__":
    main()
