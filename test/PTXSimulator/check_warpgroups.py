# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices by four warps (wgmma), against NumPy.

    check_warpgroups.py libsymshape_ptxsim.so

Operands in every layout of shared memory, from whose figures in the PTX ISA this test places elements;
signs, sums that are added to or not, A in registers. Then kernels with one fault each.
"""

import itertools
import sys

import numpy as np
from ptx_device import Device
from tally import Tally

device = Device(sys.argv[1])
tally = Tally()
equal = tally.equal
BEGIN = 1024  # of patterns in shared memory


class Operand:
    """Rows of A or columns of B (`across`) by terms, of two bytes each, and how they lie in shared memory.

    `swizzle` is the bytes of a row of a pattern, or 16 for none. Between panels, and without swizzling
    between blocks of 8 x 8 elements, is a gap, so that each stride shows.
    """

    def __init__(self, values, terms_together, swizzle, begin):
        self.values, self.terms_together, self.begin = values, terms_together, begin
        across, terms = values.shape
        self.swizzle = swizzle
        # Along what is together, and along the other one.
        self.along, self.other = (terms, across) if terms_together else (across, terms)
        self.per_row = swizzle // 2  # elements
        panels = self.along // self.per_row
        self.block = 8 * swizzle + (16 if swizzle == 16 else 0)  # eight rows, and a gap
        self.panel = self.other // 8 * self.block + (32 if swizzle == 16 else 1024)
        self.bytes = panels * self.panel

    def place(self, across, term):
        along, row = (term, across) if self.terms_together else (across, term)
        panel, column = divmod(along, self.per_row)
        block, line = divmod(row, 8)
        chunk, element = divmod(column, 8)
        # In a pattern of eight rows chunks move as its figure shows: every row, or every second or fourth.
        chunk ^= {128: line, 64: line // 2, 32: line // 4, 16: 0}[self.swizzle]
        return panel * self.panel + block * self.block + line * self.swizzle + chunk * 16 + element * 2

    def write(self, image):
        words = image.view(np.uint16)
        for across, term in itertools.product(*map(range, self.values.shape)):
            words[(self.begin + self.place(across, term)) // 2] = self.values[across, term]

    def descriptor(self, term):
        """Of the 16 terms from `term` on; the address of the image is added by the kernel."""
        if self.terms_together:
            panel, column = divmod(term, self.per_row)
            start = self.begin + panel * self.panel + column * 2
            leading, stride = self.panel, self.block
        else:
            start = self.begin + term // 8 * self.block
            leading, stride = self.panel, self.block
            if self.swizzle == 16:
                leading, stride = stride, leading
        if self.swizzle != 16 and self.terms_together:
            leading = 16  # not read
        kind = {128: 1, 64: 2, 32: 3, 16: 0}[self.swizzle]
        return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | kind << 62


def encode(values, dtype):
    """Small integers as f16 or bf16."""
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint16)
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


COPY = """  mad.wide.u32 %d1, %i, 16, %in;
  mad.wide.u32 %d2, %i, 16, %s;
"""
ORDERED = "  fence.proxy.async;\n  bar.sync 0;\n  wgmma.fence.sync.aligned;\n"
DONE = "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n"


def kernel(image, body, columns, sums=None, store=True, target="sm_90a"):
    """Copies an image to shared memory, runs `body` on sums that begin with `sums`, and stores them."""
    count = columns // 2
    lines = [f".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 k_0, .param .u64 k_1) {{",
             f"  .reg .pred %p<3>;\n  .reg .b16 %h<2>;\n  .reg .f32 %f<{count + 2}>;\n  .reg .b32 %i, %r<20>;",
             f"  .reg .b64 %in, %out, %s, %d<9>;\n  .shared .align 1024 .b8 s[{len(image)}];",
             "  mov.u32 %i, %tid.x;\n  ld.param.u64 %in, [k_0];\n  ld.param.u64 %out, [k_1];\n  mov.u64 %s, s;",
             "  setp.ne.u32 %p0, 1, 1;\n  setp.eq.u32 %p1, 1, 1;", COPY]
    for at in range(0, len(image), 128 * 16):
        lines.append(f"  ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%d1+{at}];\n"
                     f"  st.shared.v4.b32 [%d2+{at}], {{%r0, %r1, %r2, %r3}};")
    lines.append("  shr.u64 %d3, %s, 4;")
    lines.append("  cvt.rn.f32.u32 %f0, %i;")
    for r in range(count, 0, -1):  # sum r - 1 begins with 1000 * (r - 1) + thread
        lines.append(f"  add.f32 %f{r}, %f0, {float(1000 * (r - 1))};" if sums is None else f"  mov.f32 %f{r}, {sums};")
    lines.append(body)
    if store:
        lines.append(f"  mad.wide.u32 %d1, %i, {4 * count}, %out;")
        lines += [f"  st.global.f32 [%d1+{4 * r}], %f{r + 1};" for r in range(count)]
    return "\n".join([*lines, "  ret;\n}\n"])


def group(columns):
    return "{" + ", ".join(f"%f{r + 1}" for r in range(columns // 2)) + "}"


def product(columns, dtype, a, b, transposes, predicate="%p1", signs=(1, 1), register_a=False):
    """One instruction; `a` and `b` are descriptors."""
    text = "" if register_a else f"  add.u64 %d4, %d3, {a};\n"
    text += f"  add.u64 %d5, %d3, {b};\n"
    first = "{%r4, %r5, %r6, %r7}, %d5" if register_a else "%d4, %d5"
    flags = transposes[1:] if register_a else transposes
    return text + (f"  wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{dtype}.{dtype} {group(columns)}, {first}, "
                   f"{predicate}, {signs[0]}, {signs[1]}, {', '.join(str(int(flag)) for flag in flags)};\n")


def execute(text, image, columns, threads=128, grid=1):
    source, target = device.array(image), device.array(np.full((threads, columns // 2), -1, np.float32))
    device.launch(device.module(text).kernel("k"), grid, threads, [source, target])
    result = target.get()
    source.free()
    target.free()
    return result


def from_registers(result, columns):
    """The sums as a matrix: which register of which thread has which (figure of the PTX ISA for D)."""
    matrix = np.zeros((64, columns))
    for thread, r in itertools.product(range(128), range(columns // 2)):
        warp, lane = divmod(thread, 32)
        half, pair = divmod(r % 4, 2)
        matrix[16 * warp + lane // 4 + 8 * half, r // 4 * 8 + lane % 4 * 2 + pair] = result[thread, r]
    return matrix


def begin_of(columns):
    threads, registers = np.meshgrid(np.arange(128), np.arange(columns // 2), indexing="ij")
    return from_registers(1000.0 * registers + threads, columns)


rng = np.random.default_rng(11)


def operands(columns, terms, together, swizzles, dtype):
    a, b = (rng.integers(-8, 9, (size, terms)) for size in (64, columns))
    first = Operand(encode(a, dtype), together[0], swizzles[0], 0)
    second = Operand(encode(b, dtype), together[1], swizzles[1], (first.bytes + BEGIN - 1) // BEGIN * BEGIN)
    size = (second.begin + second.bytes + 2047) // 2048 * 2048
    image = np.zeros(size, np.uint8)
    first.write(image)
    second.write(image)
    return a, b, first, second, image


def layouts():
    for together in itertools.product((True, False), repeat=2):
        for swizzle in (128, 64, 32, 16):
            for columns, terms, dtype in ((64, 64, "bf16"), (128, 64, "f16")):
                if not together[1] and columns % (swizzle // 2):
                    continue
                a, b, first, second, image = operands(columns, terms, together, (swizzle, swizzle), dtype)
                flags = (not together[0], not together[1])
                body = ORDERED + "".join(
                    product(columns, dtype, first.descriptor(k), second.descriptor(k), flags)
                    for k in range(0, terms, 16)) + DONE
                result = execute(kernel(image, body, columns), image, columns)
                equal(f"{together}, {swizzle}, {columns}", from_registers(result, columns),
                      begin_of(columns) + a @ b.T)


def forms():
    """Other numbers of columns, operands of different layouts, signs, and sums that begin at zero."""
    for columns, swizzles, signs, predicate in ((8, (128, 16), (1, 1), "%p1"), (24, (64, 32), (-1, 1), "%p1"),
                                                (96, (16, 64), (1, -1), "%p1"), (256, (32, 32), (1, 1), "%p0"),
                                                (200, (128, 32), (-1, -1), "%p0")):
        a, b, first, second, image = operands(columns, 64 if 128 in swizzles else 32, (True, True), swizzles, "bf16")
        body = ORDERED + product(columns, "bf16", first.descriptor(16), second.descriptor(16), (False, False),
                                 predicate, signs) + DONE
        result = execute(kernel(image, body, columns), image, columns)
        want = signs[0] * signs[1] * (a[:, 16:32] @ b[:, 16:32].T)
        equal(f"{columns} columns", from_registers(result, columns),
              want + (begin_of(columns) if predicate == "%p1" else 0))


def registers():
    """A in registers: element 2 * (lane % 4) + e + 8 * (r / 2) of row lane / 4 + 8 * (r % 2) of the warp's."""
    columns = 64
    a, b, _, second, image = operands(columns, 64, (True, True), (128, 128), "f16")
    loads = ""
    for r in range(4):  # from the image, where elements lie by row; with the swizzle of a row
        loads += f"""  shr.u32 %r8, %i, 5;
  and.b32 %r9, %i, 31;
  shr.u32 %r10, %r9, 2;
  mad.lo.u32 %r11, %r8, 16, %r10;
  add.u32 %r11, %r11, {8 * (r % 2)};
  and.b32 %r12, %r9, 3;
  mul.lo.u32 %r12, %r12, 4;
  and.b32 %r13, %r11, 7;
  xor.b32 %r13, %r13, {r // 2};
  mad.lo.u32 %r12, %r13, 16, %r12;
  mad.lo.u32 %r12, %r11, 128, %r12;
  cvt.u64.u32 %d6, %r12;
  add.u64 %d6, %d6, %s;
  ld.shared.b32 %r{4 + r}, [%d6];
"""
    body = "  bar.sync 0;\n" + loads + ORDERED + product(
        columns, "f16", 0, second.descriptor(0), (False, False), register_a=True) + DONE
    result = execute(kernel(image, body, columns), image, columns)
    equal("registers", from_registers(result, columns), begin_of(columns) + a[:, :16] @ b[:, :16].T)


WRITE_CHUNK = """  and.b32 %r8, %i, 15;
  shr.u32 %r9, %i, 5;
  mad.lo.u32 %r8, %r9, 16, %r8;
  and.b32 %r9, %r8, 7;
  mul.lo.u32 %r9, %r9, 16;
  mad.lo.u32 %r9, %r8, 128, %r9;
  cvt.u64.u32 %d6, %r9;
  add.u64 %d6, %d6, %s;
  mov.u32 %r9, 0;
  st.shared.u32 [%d6], %r9;
"""


def in_flight():
    """Two groups, of which the last may still be under way."""
    columns = 64
    a, b, first, second, image = operands(columns, 64, (True, True), (128, 128), "bf16")
    one, two = (product(columns, "bf16", first.descriptor(k), second.descriptor(k), (False, False)) for k in (0, 16))
    commit, wait = "  wgmma.commit_group.sync.aligned;\n", "  wgmma.wait_group.sync.aligned {};\n"
    body = ORDERED + one + commit + two + commit + wait.format(1) + wait.format(0)
    result = execute(kernel(image, body, columns), image, columns)
    equal("two groups", from_registers(result, columns), begin_of(columns) + a[:, :32] @ b[:, :32].T)
    # Once only the second group is under way, a warp may write to the first two chunks of its rows of A.
    body = body.replace(wait.format(1), wait.format(1) + WRITE_CHUNK)
    result = execute(kernel(image, body, columns), image, columns)
    equal("memory of the first group", from_registers(result, columns), begin_of(columns) + a[:, :32] @ b[:, :32].T)
    result = execute(kernel(image, ORDERED + one + commit + wait.format(1), columns), image, columns)
    if not np.isnan(result).all():
        sys.exit("sums that are not waited for: expected NaN")


def plant(what, text, message, threads=128, result=719, image=None, columns=64):
    device.reset()
    tally.fails(what, result, message, lambda: execute(text, image, columns, threads))


def faults():
    columns = 64
    _, _, first, second, image = operands(columns, 64, (True, True), (128, 128), "bf16")
    one, two = (product(columns, "bf16", first.descriptor(k), second.descriptor(k), (False, False)) for k in (0, 16))

    def fault(what, body, message, **options):
        plant(what, kernel(image, body, columns), message, image=image, **options)

    fault("no fence for asynchronous units", ORDERED.replace("  fence.proxy.async;\n", "") + one + DONE,
          "race: 'wgmma.mma_async.*' reads byte .* which thread .* wrote without fence.proxy.async in between")
    write = "  st.shared.u32 [%d2], %i;\n"
    fault("a fence before the writes only", ORDERED + write + one + DONE, "wrote without fence.proxy.async in between")
    fault("no barrier", ORDERED + "  setp.gt.u32 %p2, %i, 31;\n  @%p2 bra SKIP;\n"
          + write.replace("%d2", f"%d2+{second.begin}") + "  fence.proxy.async;\nSKIP:\n" + one + DONE,
          "race: .* byte .* which (thread|warp) .* with no barrier in between")
    fault("registers that are not ordered", ORDERED.replace("  wgmma.fence.sync.aligned;\n", "") + one + DONE,
          "race: 'wgmma.mma_async.*' follows no wgmma.fence")
    fault("registers that are not ordered again", ORDERED + one + DONE + two + DONE, "follows no wgmma.fence")
    fault("a register in flight", ORDERED + one + "  mov.f32 %f3, 1.0;\n" + DONE,
          "race: 'wgmma.wait_group.*' finds a register of sums written to before a product of line")
    fault("memory in flight", ORDERED + one + "  mad.wide.u32 %d1, %i, 64, %s;\n  st.shared.u32 [%d1], %i;\n" + DONE,
          "race: 'st.shared.u32' writes byte .* of shared memory, which a product of warp . that is not waited for reads")
    commit = "  wgmma.commit_group.sync.aligned;\n"
    fault("memory of a group in flight", ORDERED + one + commit + two + commit + WRITE_CHUNK + DONE,
          "race: 'st.shared.u32' writes byte .*, which a product of warp . that is not waited for reads")
    fault("memory that others still read", ORDERED + one + DONE + write.replace("%d2", f"%d2+{second.begin}"),
          "race: .* byte .* which (warp|thread) .* with no barrier")
    fault("some of the registers", ORDERED + one + two.replace(group(64), group(64).replace("%f1,", "%f33,"))
          .replace("%f33, %f2", "%f33, %f2") + DONE, "has some of the registers of a product")
    fault("one warp of four", ORDERED + "  setp.gt.u32 %p2, %i, 31;\n  @%p2 bra DONE;\n" + one + "DONE:\n" + DONE,
          "divergence: 'wgmma.mma_async.*' is executed by warp 0, but warp 1 of its group of four")
    fault("half a warp", ORDERED + "  setp.gt.u32 %p2, %i, 15;\n  @%p2 bra DONE;\n" + one + "DONE:\n" + DONE,
          "divergence: ")
    fault("past the end", ORDERED + product(columns, "bf16", first.descriptor(0), len(image) // 16, (False, False))
          + DONE, "out of bounds: 'wgmma.mma_async.*' reads 16 bytes at .* the block's shared memory has", result=700)
    fault("a base offset", ORDERED + product(columns, "bf16", first.descriptor(0), second.descriptor(0) | 1 << 49,
                                             (False, False)) + DONE, "with a base offset of 0", result=1)
    fault("a mixed predicate", ORDERED + "  setp.lt.u32 %p2, %i, 5;\n" + product(
        columns, "bf16", first.descriptor(0), second.descriptor(0), (False, False), "%p2") + DONE,
        "divergence: .* has a predicate that differs between lanes")

    def refused(what, body, message, target="sm_90a"):
        plant(what, kernel(image, body, columns, target=target), message, result=218, image=image)

    for wrong, right in (("n60k16", "n64k16"), ("n264k16", "n64k16"), ("k8.", "k16."), ("f32.tf32.tf32", "f32.bf16.bf16"),
                         ("f16.bf16.bf16", "f32.bf16.bf16"), ("f32.bf16.f16", "f32.bf16.bf16")):
        refused(wrong, ORDERED + one.replace(right, wrong) + DONE, "instruction 'wgmma.mma_async.*' is not known")
    refused("a flag of 2", ORDERED + one.replace("0, 0;", "0, 2;") + DONE, "has other operands than expected")
    refused("sums of another size", ORDERED + one.replace("%f1, ", "") + DONE, "has other operands than expected")
    refused("another wait", ORDERED + one + "  wgmma.wait_group.sync.aligned %r1;\n", "has other operands than expected")
    refused("sparse", ORDERED + one.replace("mma_async.", "mma_async.sp.") + DONE, "is not known")
    refused("not for sm_90a", ORDERED + one + DONE, "needs a module for sm_90a, but got one for 'sm_90'", target="sm_90")


layouts()
forms()
registers()
in_flight()
faults()
print(f"{tally.compared} sums compared, {tally.named} faults named")
if tally.compared < 150000 or tally.named < 24:
    sys.exit("too few")
