# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated inputs of every kind: exit status as documented, words, at most ten seconds and 1 GB each.

    check_hostile_inputs.py [--count=N] [--seed=S] [--only=KIND,...] [--number=N] [--keep=FOLDER]

A tool may run, or refuse with an error; where it ends with status 70, or is stopped, for a program, `mlir-opt` must
do no better at reading the same file: such inputs are counted as upstream's. A seed gives the same inputs again,
with --number one of them, which is kept.
"""

import argparse
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx_file
from bundles import xxh64
from weights_file import safetensors

ROOT = Path(__file__).resolve().parents[2]
SECONDS, BYTES = 10, 1 << 30  # of processor time, since other tests may run
STOPPED = -9
DOCUMENTED = {"symshape-run": (0, 1, 2, 3), "symshape-bundle-run": (0, 1, 2, 3), "symshape-onnx": (0, 1, 2, 3),
              "symshape-report": (0, 1, 2), "symshape-prove": (0, 1, 2), "symshape-opt": (0, 1)}
PROGRAM = """
func.func @main(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, L]>}, %b: tensor<?x4xf32>,
                %w: tensor<?xf32> {symshape.weight = "w"}) -> (tensor<?x?xf32>, tensor<?x4xf32>, tensor<?xf32>)
    attributes {symshape.symbols = [#symshape.symbol<"B", range = [1, 64], multiple_of = 1>],
                symshape.assume = [#symshape.fact<"L <= 4 * B">]} {
  %r = math.absf %a : tensor<?x?xf32>
  %c2 = arith.constant dense<2.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %p = linalg.matmul ins(%b, %e : tensor<?x4xf32>, tensor<4x4xf32>) outs(%b : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r, %p, %w : tensor<?x?xf32>, tensor<?x4xf32>, tensor<?xf32>
}
"""
INPUTS = ["--input=2x3xf32=iota", "--input=5x4xf32=iota"]
PROBLEM = "symbol B in [1, 64]\nassume 4 | B + L\nprove L <= 9 * B\nsimplify (2*B + L) floordiv 2\nbounds B - L\n" \
          "solve B + L == 10 for L\npush\nassume L == min(B, 7) mod 3\nprove B != L\npop\n"
NUMBERS = ["0", "1", "-1", "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1" * 80,
           "4611686018427387904", "3037000500", "0.0", "1e999", "nan"]
PIECES = ["", " ", "\0", "\n", "?", "x", "%", "@", "#", "!", "<", ">", "(", ")", "[", "]", "{", "}", ",", "->", "*", "\"", "\\", "\xff",
          "tensor<?xf32>", "index", "i1", "i48", "f16", "none", "memref<?xf32>", "vector<[4]xf32>"]


def mutate_text(rng, seeds, data):
    """Of words and numbers: bytes are what `mutate_bytes` changes."""
    text = data.decode("latin-1")
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice([0, 1, 2, 8, 40]))
        kind = rng.randrange(8)
        if kind == 0:  # a number becomes another
            digits = [i for i, c in enumerate(text) if c.isdigit() and not (i and text[i - 1].isalnum() and text[i - 1] != "x")]
            if digits:
                at = rng.choice(digits)
                end = at
                while end < len(text) and text[end].isdigit():
                    end += 1
            piece = rng.choice(NUMBERS)
        elif kind == 1:
            piece = rng.choice(PIECES)
        elif kind == 2:  # a part moves, or is there twice
            begin = rng.randrange(len(text) + 1)
            piece = text[begin:begin + rng.choice([3, 20, 200])]
        elif kind == 3:
            other = rng.choice(seeds).decode("latin-1")
            begin = rng.randrange(len(other) + 1)
            piece = other[begin:begin + rng.choice([3, 20, 200])]
        elif kind == 4 and rng.randrange(8) == 0:  # deep
            piece = rng.choice(["(", "[", "{", "tensor<", "((1+", "min(1, "]) * rng.choice([100, 3000])
        elif kind == 5:
            piece, end = "", len(text) if rng.randrange(4) == 0 else end
        else:
            words = text.split(" ")
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i] = words[j]
            text = " ".join(words)
            continue
        text = text[:at] + piece + text[end:]
    return text.encode("latin-1")


def mutate_bytes(rng, seeds, data):
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[at:at + 1] = bytes([rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])])
        elif kind == 2:
            changed[at:at + rng.choice([0, 4, 8])] = rng.choice([b"\xff" * 8, bytes(8), struct.pack("<q", 1 << rng.randrange(63)),
                                                                   struct.pack("<i", -1), b"\xff" * 9 + b"\x01"])
        elif kind == 3:
            del changed[at:at + rng.choice([1, 2, 16])]
        elif kind == 4:
            other = rng.choice(seeds)
            begin = rng.randrange(len(other) + 1)
            changed[at:at + rng.choice([0, 8])] = other[begin:begin + rng.choice([1, 8, 64])]
        elif rng.randrange(4) == 0:
            del changed[at:]
    return bytes(changed)


def wire(message):
    """The fields of a message, (number, form, value); None if it is none."""
    items, at = [], 0

    def read():
        nonlocal at
        value = 0
        for shift in range(0, 70, 7):
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise IndexError

    try:
        while at < len(message):
            key = read()
            value = read() if key & 7 == 0 else None
            if value is None:
                size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else read()
                value = message[at:at + size]
                at += size
                if len(value) != size:
                    return None
            items.append((key >> 3, key & 7, value))
    except (IndexError, KeyError):
        return None
    return items


def unwire(items):
    out = b""
    for number, form, value in items:
        out += onnx_file.varint(number << 3 | form)
        out += onnx_file.varint(value) if form == 0 else (onnx_file.varint(len(value)) if form == 2 else b"") + value
    return out


def mutate_message(rng, seeds, data):
    """One field, at any depth, of a model that is one otherwise."""
    items = wire(data)
    if not items or rng.randrange(8) == 0:
        return mutate_bytes(rng, seeds, data)
    i = rng.randrange(len(items))
    number, form, value = items[i]
    kind = rng.randrange(10)
    if form == 2 and kind > 1:
        items[i] = (number, form, mutate_message(rng, seeds, value) if wire(value) else mutate_bytes(rng, seeds, value))
    elif kind == 0:
        del items[i]
    elif kind == 1:
        items.insert(rng.randrange(len(items) + 1), items[i])
    elif kind == 2:
        items[i] = (rng.randrange(1, 30), form, value)
    elif form == 0:
        items[i] = (number, form, rng.choice([0, 1, 2, 7, 11, 16, value + 1, (1 << 31) - 1, 1 << 31, (1 << 62) + 1, (1 << 64) - 1,
                                              (1 << 63) - 1, 1 << 63]))
    else:
        items[i] = (number, form, rng.choice([b"\0", b"\xff", b"\x7f"]) * len(value))
    return unwire(items)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (8 * BYTES, 8 * BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(command, folder):
    """(status, what it says, bytes) of a process with limits."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            ["timeout", "-s", "KILL", str(20 * SECONDS), *command], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for
        said.seek(0)
        return process.returncode, said.read(1 << 20).decode("latin-1"), usage.ru_maxrss << 10


class Kind:
    """Seeds, how they are changed, and commands that take a file."""

    def __init__(self, weight, suffix, seeds, mutate, commands):
        self.weight, self.suffix, self.seeds, self.mutate, self.commands = weight, suffix, seeds, mutate, commands


def arrays(folder):
    """Bytes of .npy files of several versions, types and orders."""
    made = []
    for array in (np.ones((2, 3), np.float32), np.ones((3, 2), np.float32).T, np.ones((2, 3), ">f4"), np.ones((), np.float32),
                  np.ones((2, 0), np.float32), np.ones((2, 3), np.bool_), np.ones((2, 3), np.float16)):
        np.save(folder / "seed.npy", array)
        made.append((folder / "seed.npy").read_bytes())
    return made


def models(folder):
    """The models of the tests of the import."""
    writer = ROOT / "test/Import/Inputs/write_models.py"
    subprocess.run([sys.executable, writer, folder / "models"], check=True, stdout=subprocess.DEVNULL)
    return [path.read_bytes() for path in sorted((folder / "models").glob("*.onnx")) if path.stat().st_size < 20000]


def kinds(folder):
    run_program, run_bundle = ["symshape-run", "program.mlir"], ["symshape-bundle-run", "bundle"]
    weights = ["--weights=w.safetensors"]
    quick = [*INPUTS, *weights, "--compile=quick"]
    texts = [PROGRAM.encode()] + [path.read_bytes() for path in sorted((ROOT / "test/Stability/Inputs").rglob("*.mlir"))]
    codes = []
    for i, text in enumerate(texts):
        (folder / "seed.mlir").write_bytes(text)
        done = subprocess.run(["symshape-opt", "seed.mlir", "--emit-bytecode", "--mlir-print-debuginfo", "-o", f"seed{i}.mlirbc"],
                              cwd=folder, check=False, capture_output=True)
        if done.returncode == 0:
            codes.append((folder / f"seed{i}.mlirbc").read_bytes())
    assert len(codes) > 3
    programs = [["symshape-opt", "FILE"], ["symshape-report", "FILE"], ["symshape-run", "FILE", *quick]]
    bundle = folder / "bundle"
    call = [*INPUTS, "--weights=w.safetensors"]
    calls = b"2x3xf32=iota 5x4xf32=zeros\n2x3xf32=random:1:-2:3 @b.npy\n\n@a.npy @b.npy\n"
    return {
        "text": Kind(8, ".mlir", texts, mutate_text, programs), "bytecode": Kind(8, ".mlirbc", codes, mutate_bytes, programs),
        "onnx": Kind(8, ".onnx", models(folder), mutate_message,
                     [["symshape-onnx", "check", "FILE"], ["symshape-onnx", "import", "FILE"],
                      ["symshape-onnx", "infer", "FILE", "-o", "/dev/null"], ["symshape-run", "FILE", "--input=2x3xf32=iota"]]),
        "artifact": Kind(8, ".mlirbc", [path.read_bytes() for path in sorted(
            (ROOT / "test/Import/StableHLO/Inputs").glob("*.mlirbc"))], mutate_bytes, [
                ["symshape-report", "FILE"], ["symshape-run", "FILE", "--compile=quick"],
                ["symshape-run", "FILE", "--input=5x9xf32=iota", "--compile=quick"]]),
        "prove": Kind(3, ".prove", [PROBLEM.encode()], mutate_text, [["symshape-prove", "FILE"], ["symshape-prove", "FILE", "--explain"]]),
        "npy": Kind(6, ".npy", arrays(folder), mutate_bytes, [
            [*run_bundle, "--input=@FILE", INPUTS[1], *weights], [*run_bundle, "--input=@FILE", INPUTS[1], *weights],
            [*run_program, "--input=@FILE", INPUTS[1], *weights, "--compile=quick"]]),
        "safetensors": Kind(6, ".safetensors", [safetensors({"w": np.ones(3, np.float32)}),
                                                safetensors({"v": np.ones(0, np.float32), "w": np.ones(3, np.float32)})], mutate_bytes, [
            [*run_bundle, *INPUTS, "--weights=FILE"], [*run_bundle, *INPUTS, "--weights=FILE"],
            [*run_program, *INPUTS, "--weights=FILE", "--compile=quick"]]),
        "calls": Kind(6, ".calls", [calls], mutate_text, [
            [*run_bundle, "--calls=FILE", *weights], [*run_bundle, "--calls=FILE", *weights],
            [*run_program, "--calls=FILE", *weights, "--compile=quick"]]),
        "signature": Kind(4, "", [(bundle / "signature.json").read_bytes()], mutate_text, [["symshape-bundle-run", "signature.json", *call]]),
        "manifest": Kind(4, "", [(bundle / "manifest.json").read_bytes()], mutate_text, [["symshape-bundle-run", "manifest.json", *call]]),
        "object": Kind(6, "", [(bundle / "program.o").read_bytes()], mutate_object, [["symshape-bundle-run", "program.o", *call]]),
    }


def mutate_object(rng, _seeds, data):
    """Headers, symbols and relocations: code is not checked."""
    changed = bytearray(data)
    sections = struct.unpack_from("<Q", data, 40)[0]
    tables = []
    for i in range(struct.unpack_from("<H", data, 60)[0]):
        kind, = struct.unpack_from("<I", data, sections + 64 * i + 4)
        offset, size = struct.unpack_from("<QQ", data, sections + 64 * i + 24)
        if kind == 2 and size:  # symbols; their values say where code begins
            tables += [offset + at + field for at in range(0, size, 24) for field in (0, 4, 5, 6)]
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.choice([rng.randrange(16, 64), rng.randrange(sections, len(data)), rng.choice(tables)])
        changed[at] = rng.choice([0, 1, 127, 255, rng.randrange(256)])
    return bytes(changed)


class Hunt:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.failures, self.counts, self.upstream = [], Counter(), []

    def place(self, number, name, kind, data, command):
        """Writes a mutant, and gives the command on it, and its file."""
        if kind.suffix:
            path = self.folder / f"{number}{kind.suffix}"
            path.write_bytes(data)
            return [word.replace("FILE", path.name) for word in command], path
        bundle = self.folder / f"bundle{number}"
        shutil.copytree(self.folder / "bundle", bundle)
        (bundle / command[1]).write_bytes(data)
        if name != "manifest":
            manifest = json.loads((bundle / "manifest.json").read_text())
            manifest["files"][command[1]] = {"bytes": len(data), "xxh64": f"{xxh64(data):016x}"}
            (bundle / "manifest.json").write_text(json.dumps(manifest))
        return [command[0], bundle.name, *command[2:]], bundle

    def is_of_upstream(self, path):
        """Whether mlir-opt does not survive reading the file."""
        plugin = self.options.plugin
        command = ["mlir-opt", *([f"--load-dialect-plugin={plugin}"] if plugin else []), path.name, "-o", "/dev/null"]
        status, _, size = run(command, self.folder)
        return status not in (0, 1) or size > BYTES

    def judge(self, name, command, path, outcome):
        status, said, size = outcome
        wrong = []
        # Other symbols or relocations are another program, which may crash: a bundle is code.
        if status not in DOCUMENTED[command[0]] and (name, status) != ("object", 70):
            wrong.append("stopped after 10 s" if status in (STOPPED, 128 - STOPPED) else f"exit status {status}")
        # What a model declares and does not hold is told on standard output.
        is_told = "error: " in said or (status == 3 and command[0] == "symshape-onnx")
        if status not in (0, STOPPED, 128 - STOPPED) and not is_told:
            wrong.append("no words")
        if "LLVM ERROR" in said or "PLEASE submit" in said:
            wrong.append("a crash's words")
        if size > BYTES:
            wrong.append(f"{size >> 20} MB")
        self.counts[f"{name}, status {status}"] += 1
        if wrong and name in ("text", "bytecode") and self.is_of_upstream(path):
            self.upstream.append(f"{' '.join(command)}: {', '.join(wrong)}")
            wrong = wrong if status in (STOPPED, 128 - STOPPED) else []
        if not wrong:
            return False
        self.failures.append(f"{' '.join(command)}: {', '.join(wrong)}: {said[-300:]}")
        print(f"not so: {self.failures[-1]}", flush=True)
        return True

    def one(self, job):
        number, name, kind = job
        rng = random.Random(f"{self.options.seed} {number}")
        data = kind.mutate(rng, kind.seeds, rng.choice(kind.seeds))
        command, path = self.place(number, name, kind, data, rng.choice(kind.commands))
        try:
            failed = self.judge(name, command, path, run(command, self.folder))
            if self.options.keep and (failed or self.options.number is not None):
                keep = Path(self.options.keep)
                keep.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if path.is_dir() else shutil.copy)(path, keep / path.name)
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("HOSTILE_SEED", time.time_ns() % 1000000)))
    parser.add_argument("--only", default="", help="kinds, separated by commas (default: all)")
    parser.add_argument("--number", type=int, help="try this input alone")
    parser.add_argument("--keep", help="a folder for inputs that fail")
    parser.add_argument("--plugin", help="libSymShapePlugin.so, for mlir-opt")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="hostile") as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(PROGRAM)
        (folder / "w.safetensors").write_bytes(safetensors({"w": np.ones(3, np.float32)}))
        np.save(folder / "a.npy", np.ones((2, 3), np.float32))
        np.save(folder / "b.npy", np.ones((5, 4), np.float32))
        subprocess.run(["symshape-run", "program.mlir", "--save-bundle=bundle", "--weights=w.safetensors"], cwd=folder, check=True)
        known = kinds(folder)
        chosen = {k: v for k, v in known.items() if not options.only or k in options.only.split(",")}
        rng = random.Random(options.seed)
        names = rng.choices(list(chosen), [kind.weight for kind in chosen.values()], k=options.count)
        hunt = Hunt(folder, options)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(hunt.one, [(number, name, chosen[name]) for number, name in enumerate(names)
                                     if options.number in (None, number)]))
    for what, count in sorted(hunt.counts.items()):
        print(f"  {what}: {count}")
    for line in hunt.upstream:
        print(f"upstream's reader: {line}")
    refused = sum(count for what, count in hunt.counts.items() if not what.endswith("status 0"))
    made = sum(hunt.counts.values())
    print(f"{made} inputs, {refused} refused, {len(hunt.upstream)} that upstream's reader does not survive, "
          f"{len(hunt.failures)} failed")
    return 1 if hunt.failures or refused < made // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
