#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes portable artifacts of StableHLO at random, and compiles them through the C API.

    utils/fuzz_artifacts.py FOLDER... [--build=build] [--seconds=900] [--seed=N] [--jobs=N] [--largest=BYTES]

FOLDERs hold .mlirbc files. Each changed artifact must be compiled, or refused with a message: a worker
that dies, a message of an internal error, or more than SECONDS of time is a fault, and its artifact is
kept in BUILD/fuzz-artifacts/. The exit status is 1 if there was one.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import symshape_c
from run_stablehlo_suite import Worker, load

SECONDS = 60  # for one artifact
MEMORY = 8 << 30  # address space of a worker


def change(data, source):
    """A few bits, bytes, or pieces, otherwise."""
    data = bytearray(data)
    for _ in range(source.randint(1, 6)):
        place = source.randrange(len(data))
        kind = source.randrange(6)
        if kind == 0:
            data[place] ^= 1 << source.randrange(8)
        elif kind == 1:
            data[place] = source.choice((0, 1, 2, 3, 5, 0x7F, 0x80, 0xFE, 0xFF, source.randrange(256)))
        elif kind == 2:
            data[place:place] = data[place:place + source.randint(1, 16)]
        elif kind == 3:
            del data[place:place + source.randint(1, 16)]
        elif kind == 4:
            other = source.randrange(len(data))
            length = source.randint(1, 16)
            data[place:place + length] = data[other:other + length]
        else:
            # A number of more bytes than there were.
            data[place:place + 1] = bytes([source.choice((0, 0x10, 0x80))]) + source.randbytes(8)
        if not data:
            return b"\0"
    return bytes(data)


def verdict_of(path):
    try:
        load(path)
    except symshape_c.Error as error:
        message = str(error)
        isGood = message and "internal error" not in message
        return ["refused" if isGood else "fault", message]
    return ["compiled", ""]


def work():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        print(json.dumps(verdict_of(pathlib.Path(json.loads(line)[0]))), flush=True)


def fuzz(artifacts, folder, seed, until, counts, faults):
    source = random.Random(seed)
    worker = Worker(__file__, SECONDS)
    number = 0
    while time.monotonic() < until:
        path = folder / f"{seed}-{number}.mlirbc"
        number += 1
        path.write_bytes(change(source.choice(artifacts).read_bytes(), source))
        word, why = worker.ask(path)
        counts[word] += 1
        if word in ("refused", "compiled"):
            path.unlink()
        else:
            faults.append((path, word, why))
            print(f"{word}: {path}: {why}", flush=True)
    worker.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--largest", type=int, default=20000, help="bytes of an artifact that is changed")
    options = parser.parse_args()
    folder = options.build.resolve() / "fuzz-artifacts"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["SYMSHAPE_LIBRARY"] = str(options.build.resolve() / "lib" / "libSymShapeC.so")
    os.environ["SYMSHAPE_CACHE"] = "off"
    artifacts = sorted(path for root in options.folders for path in root.rglob("*.mlirbc")
                       if path.stat().st_size <= options.largest)
    print(f"{len(artifacts)} artifacts, seed {options.seed}", flush=True)
    counts, faults = collections.Counter(), []
    until = time.monotonic() + options.seconds
    threads = [threading.Thread(target=fuzz, args=(artifacts, folder, options.seed + i, until, counts, faults))
               for i in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{sum(counts.values())} changed artifacts: " +
          ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return bool(faults)


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        sys.exit(main())
