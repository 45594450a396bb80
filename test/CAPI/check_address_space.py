# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs under a limit of address space (`ulimit -v`), through the C API.

    check_address_space.py LIBRARY

Many live programs need the addresses of their code, and no more; where a limit leaves too few to compile in, that is
an error with a status, and what was compiled before still runs.
"""

import resource
import sys

import numpy as np
import symshape_c

PROGRAM = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
MIB = 1 << 20


def addresses():
    """Bytes of addresses that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit(more):
    resource.setrlimit(resource.RLIMIT_AS, (addresses() + more, resource.RLIM_INFINITY))


def main(library, path):
    with open(path, "w") as file:
        file.write(PROGRAM)
    made = [symshape_c.Program(path, library=library)]
    before = addresses()
    limit(900 * MIB)
    for _ in range(8):
        made.append(symshape_c.Program(path, library=library))
    each = (addresses() - before) / MIB / 8
    print(f"8 more programs, {each:.0f} MiB of addresses each")
    failed = int(each > 32)
    x = np.arange(5, dtype=np.float32)
    for more in (0, 16, 64, 200):
        limit(more * MIB)
        try:
            symshape_c.Program(path, library=library)
            failed += 1
            print(f"compiled in {more} MiB")
        except symshape_c.Error as error:
            print(f"{more} MiB: {error.status}: {error}")
        for program in made:
            failed += not np.array_equal(program(x)[0], 2 * x)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
