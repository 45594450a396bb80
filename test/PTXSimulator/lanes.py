# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one instruction on many operands, and compares the results bit by bit.

A case is the text of a few instructions on registers %a, %b, %c (operands) and %d (the
result); %t and %u, %p and %q are free for it. All cases of a check are kernels of one module.
"""

import random
import sys

import numpy as np
from ptx_device import Device

WIDTHS = {16: np.uint16, 32: np.uint32, 64: np.uint64}
SPECIAL_INTEGERS = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256,
                    0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                    1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2, 0x0123456789ABCDEF]
THREADS = 256


def operands(width, count, seed, specials=SPECIAL_INTEGERS, mask=None):
    """`count` lists of bits: special values with one another, then random ones."""
    draw = random.Random(seed)
    mask = mask if mask is not None else (1 << width) - 1
    values = sorted({value & mask for value in specials})
    rows = [[draw.choice(values) for _ in range(count)] for _ in range(2 * THREADS)]
    if count == 2:
        rows += [[a, b] for a in values for b in values]
    elif count == 1:
        rows += [[a] for a in values]
    rows += [[draw.getrandbits(width) & mask for _ in range(count)] for _ in range(THREADS)]
    rows += [rows[0]] * (-len(rows) % THREADS)
    return rows


def kernel_text(name, code, widths, result):
    """`widths` of the operands, 1 to 3; `result` of %d."""
    registers = "".join(f"  .reg .b{width} %{letter};\n" for letter, width in zip("abc", widths))
    loads = "".join(f"""  ld.param.u64 %r64, [{name}_{k}];
  mad.wide.u32 %r64, %i, {width // 8}, %r64;
  ld.global.b{width} %{letter}, [%r64];
""" for k, (letter, width) in enumerate(zip("abc", widths)))
    parameters = ", ".join(f".param .u64 {name}_{k}" for k in range(len(widths) + 1))
    return f""".visible .entry {name}({parameters}) {{
  .reg .b32 %i, %n, %t, %u, %v;
  .reg .b64 %r64, %t64, %u64;
  .reg .b16 %h, %g;
  .reg .pred %p, %q;
  .reg .b{result} %d;
{registers}  mov.u32 %i, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %i, %n, 0;
  mov.u32 %n, %tid.x;
  add.u32 %i, %i, %n;
{loads}{code}
  ld.param.u64 %r64, [{name}_{len(widths)}];
  mad.wide.u32 %r64, %i, {result // 8}, %r64;
  st.global.b{result} [%r64], %d;
  ret;
}}
"""


class Check:
    """Cases that are run together. `expected` is a function of one row's operands, which gives
    bits, or None where any result is right."""

    def __init__(self, library):
        self.device = Device(library)
        self.cases = []

    def add(self, code, widths, result, rows, expected, tolerance=None):
        self.cases.append((code, widths, result, rows, expected, tolerance))

    def run(self, floor):
        texts = [kernel_text(f"k{n}", case[0], case[1], case[2]) for n, case in enumerate(self.cases)]
        module = self.device.module(".version 8.3\n.target sm_80\n.address_size 64\n" + "".join(texts))
        compared, wrong = 0, 0
        for number, (code, widths, result, rows, expected, tolerance) in enumerate(self.cases):
            inputs = [self.device.array(np.array([row[k] for row in rows], dtype=WIDTHS[width]))
                      for k, width in enumerate(widths)]
            output = self.device.array(np.zeros(len(rows), WIDTHS[result]))
            self.device.launch(module.kernel(f"k{number}"), len(rows) // THREADS, THREADS, [*inputs, output])
            shown = 0
            for row, bits in zip(rows, output.get().tolist()):
                want = expected(*row)
                if want is None:
                    continue
                compared += 1
                fits = tolerance(bits, want) if tolerance else bits == want
                if not fits:
                    wrong += 1
                    shown += 1
                    if shown <= 3:
                        print(f"{code.strip()}: of {[hex(one) for one in row]} expected {want:#x}, got {bits:#x}")
            for array in [*inputs, output]:
                array.free()
        print(f"{len(self.cases)} instructions, {compared} results compared, {wrong} wrong")
        if wrong or compared < floor:
            sys.exit(f"expected at least {floor} comparisons, all right")
