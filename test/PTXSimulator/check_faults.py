# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with one planted fault each, which the simulator has to name; and beside each the
kernel without it, which has to run. Then text that is no PTX, or none that is supported."""

import re
import sys

import numpy as np
from ptx_device import Device
from tally import Tally

device = Device(sys.argv[1])
HEAD = ".version 8.3\n.target sm_80\n.address_size 64\n"
tally = Tally()


def kernel(body, shared="", extra=""):
    return HEAD + extra + ".visible .entry k(.param .u64 k_0) {\n" + f"""  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  .reg .b64 %a, %s;
  .reg .b32 %i;
{shared}  mov.u32 %i, %tid.x;
  ld.param.u64 %a, [k_0];
""" + body + "  ret;\n}\n"


def attempt(text, threads, grid, elements, shared):
    array = device.array(np.zeros(elements, np.uint32))
    device.launch(device.module(text).kernel("k"), grid, threads, [array], shared=shared)


def plant(what, wrong, right, result, message, threads=64, grid=1, elements=64, shared=0, extra="", variable=""):
    """`wrong` fails with this result and message, with the line of the instruction; `right` runs."""
    device.reset()
    if right is not None:
        attempt(kernel(right, variable, extra), threads, grid, elements, shared)
    text = kernel(wrong, variable, extra)
    error = tally.fails(what, result, message, lambda: attempt(text, threads, grid, elements, shared))
    line = re.match(r"line (\d+) of the PTX", error.message)
    marked = [n for n, one in enumerate(text.splitlines(), 1) if "// here" in one]
    if marked and (not line or int(line.group(1)) not in marked):
        sys.exit(f"{what}: expected line {marked}, but got {error}")


ADDRESS, MISALIGNED, FAILED, TIMEOUT, VALUE, PTX = 700, 716, 719, 702, 1, 218
TILE = "  .shared .align 16 .b8 s[256];\n"
MINE = "  mov.u64 %s, s;\n  mad.wide.u32 %s, %i, 4, %s;\n"
NEXT = "  add.u32 %r2, %i, 1;\n  and.b32 %r2, %r2, 63;\n  mov.u64 %d2, s;\n  mad.wide.u32 %d2, %r2, 4, %d2;\n"
PUT = MINE + "  st.shared.u32 [%s], %i;\n"

# Bounds.
store = "  mad.wide.u32 %d1, %i, 4, %a;\n  st.global.u32 [%d1{}], %i; // here\n"
plant("store behind the end", store.format("+4"), store.format(""), ADDRESS,
      r"out of bounds: 'st.global.u32' writes 4 bytes at 0x[0-9a-f]+: 0 bytes past the end of an allocation of 256 bytes.*thread \(63, 0, 0\)")
plant("store before the begin", store.format("-4"), None, ADDRESS, "out of bounds: .*: 4 bytes before an allocation of 256 bytes")
plant("the last byte of a vector", "  ld.global.v2.u32 {%r1, %r2}, [%a+248]; // here\n  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a+256]; // here\n",
      "  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a+240];\n", ADDRESS, "reads 16 bytes", threads=1)
plant("null", "  mov.u64 %a, 0;\n  ld.global.u32 %r1, [%a+16]; // here\n", None, ADDRESS, "a null pointer", threads=1)
plant("an address of the host", "  mov.u64 %a, 0x10000000;\n  ld.u32 %r1, [%a]; // here\n", None, ADDRESS, "not an address of the device", threads=1)
plant("shared memory", MINE + "  st.shared.u32 [%s+4], %i; // here\n", MINE + "  st.shared.u32 [%s], %i;\n", ADDRESS,
      "out of bounds: .*shared memory has 256 bytes", variable=TILE)
plant("dynamic shared memory", "  mov.u64 %s, dyn;\n  st.shared.u32 [%s+128], %i; // here\n", "  mov.u64 %s, dyn;\n  st.shared.u32 [%s+124], %i;\n",
      ADDRESS, "shared memory has 128 bytes", threads=1, shared=128, extra=".extern .shared .align 16 .b8 dyn[];\n")
plant("local memory", "  st.local.u32 [l+16], %i; // here\n", "  st.local.u32 [l+12], %i;\n", ADDRESS, "local memory has 16 bytes", variable="  .local .align 16 .b8 l[16];\n")
plant("a constant", "  mov.u64 %d1, c;\n  st.global.u32 [%d1], %i; // here\n", "  ld.const.u32 %r1, [c];\n", ADDRESS, "'c' is constant", threads=1,
      extra=".const .align 4 .u32 c = 5;\n")
plant("an asynchronous copy", "  mov.u64 %s, s;\n  cp.async.ca.shared.global [%s], [%a+248], 16; // here\n",
      "  mov.u64 %s, s;\n  mov.u32 %r1, 0;\n  cp.async.ca.shared.global [%s], [%a+256], 16, %r1;\n  cp.async.wait_all;\n", MISALIGNED,
      "copies from or to an address", threads=1, variable=TILE)
plant("the end of an asynchronous copy", "  mov.u64 %s, s;\n  mov.u32 %r1, 13;\n  cp.async.ca.shared.global [%s], [%a+16], 16, %r1; // here\n",
      "  mov.u64 %s, s;\n  mov.u32 %r1, 12;\n  cp.async.ca.shared.global [%s], [%a+16], 16, %r1;\n  cp.async.wait_all;\n", ADDRESS,
      "past the end of an allocation of 28 bytes", threads=1, elements=7, variable=TILE)

# Alignment.
plant("alignment", "  ld.global.u32 %r1, [%a+2]; // here\n", "  ld.global.u16 %r1, [%a+2];\n", MISALIGNED, "misaligned: .*no multiple of 4", threads=1)
plant("alignment of a vector", "  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a+8]; // here\n", "  ld.global.v2.u32 {%r1, %r2}, [%a+8];\n", MISALIGNED,
      "no multiple of 16", threads=1)
plant("alignment of a row", PUT + "  bar.sync 0;\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s+8]; // here\n",
      PUT + "  bar.sync 0;\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s+16];\n", MISALIGNED, "misaligned: 'ldmatrix", variable=TILE)

# Races.
plant("a barrier is missing", PUT + NEXT + "  ld.shared.u32 %r1, [%d2]; // here\n", PUT + "  bar.sync 0;\n" + NEXT + "  ld.shared.u32 %r1, [%d2];\n",
      FAILED, r"race: .*reads byte \d+ of shared memory, which thread .* wrote with no barrier in between", variable=TILE)
late = PUT + "  bar.sync 0;\n  setp.lt.u32 %p1, %i, 32;\n  @!%p1 ld.shared.u32 %r1, [s+4];\n{}  @%p1 st.shared.u32 [%s], %r1; // here\n"
plant("the second barrier is missing", late.format(""), late.format("  bar.sync 0;\n"), FAILED,
      r"race: .*writes byte 4 of shared memory, which warp 1 read with no barrier in between", variable=TILE)
plant("two writes", "  st.shared.u32 [s], %i; // here\n", "  setp.eq.u32 %p1, %i, 5;\n  @%p1 st.shared.u32 [s], %i;\n", FAILED,
      r"race: .*writes byte 0 of shared memory, which thread \(0, 0, 0\) wrote", variable=TILE)
plant("one value by two warps", "  st.shared.u32 [s], 7; // here\n", "  setp.lt.u32 %p1, %i, 32;\n  @%p1 st.shared.u32 [s], 7;\n  @%p1 st.global.u32 [%a], 7;\n", FAILED,
      r"race: .*writes byte 0 of shared memory, which thread \(31, 0, 0\) wrote", variable=TILE)
plant("two values, in global memory", "  and.b32 %r1, %i, 1;\n  st.global.u32 [%a], %r1; // here\n", "  st.global.u32 [%a], 5;\n", FAILED, "race: ", threads=32)
half = "  shl.b32 %r3, %i, 1;\n  cvt.u64.u32 %d3, %r3;\n  mov.u64 %s, s;\n  add.s64 %s, %s, %d3;\n  st.shared.u{} [%s], %r3; // here\n"
plant("neighbours in a word", half.format("32"), half.format("16"), MISALIGNED, "misaligned", variable=TILE)
plant("a barrier for the other warps", PUT + "  bar.sync 1, 32;\n" + NEXT + "  ld.shared.u32 %r1, [%d2]; // here\n",
      PUT + "  bar.sync 1, 64;\n" + NEXT + "  ld.shared.u32 %r1, [%d2];\n", FAILED, "uninitialized: .*byte 128", variable=TILE)
plant("the warp's barrier is missing", PUT + NEXT.replace("63", "31") + "  ld.shared.u32 %r1, [%d2]; // here\n",
      PUT + "  bar.warp.sync -1;\n" + NEXT.replace("63", "31") + "  ld.shared.u32 %r1, [%d2];\n", FAILED, "race", threads=32, variable=TILE)
copy = "  mov.u32 %r1, s;\n  mad.lo.u32 %r1, %i, 4, %r1;\n  mad.wide.u32 %d1, %i, 4, %a;\n  cp.async.ca.shared.global [%r1], [%d1], 4;\n  cp.async.commit_group;\n{}  ld.shared.u32 %r2, [%r1{}]; // here\n"
plant("a wait is missing", copy.format("", ""), copy.format("  cp.async.wait_group 0;\n", ""), FAILED, "race: .*asynchronous copy of thread .* is not waited for", variable=TILE)
plant("a wait for too little", copy.format("  cp.async.wait_group 1;\n", ""), None, FAILED, "is not waited for", variable=TILE)
plant("a wait without a barrier", copy.format("  cp.async.wait_all;\n  xor.b32 %r1, %r1, 4;\n", ""),
      copy.format("  cp.async.wait_all;\n  bar.sync 0;\n  xor.b32 %r1, %r1, 4;\n", ""), FAILED, "race", variable=TILE)
plant("two threads of a block, in global memory", "  mad.wide.u32 %d1, %i, 4, %a;\n  st.global.u32 [%d1], %i;\n  xor.b32 %r1, %i, 33;\n  mad.wide.u32 %d1, %r1, 4, %a;\n  ld.global.u32 %r2, [%d1]; // here\n",
      "  mad.wide.u32 %d1, %i, 4, %a;\n  st.global.u32 [%d1], %i;\n  bar.sync 0;\n  xor.b32 %r1, %i, 33;\n  mad.wide.u32 %d1, %r1, 4, %a;\n  ld.global.u32 %r2, [%d1];\n", FAILED, "race: ")
plant("two blocks", "  st.global.u32 [%a], %i; // here\n", "  mov.u32 %r1, %ctaid.x;\n  mad.wide.u32 %d1, %r1, 4, %a;\n  st.global.u32 [%d1], %i;\n", FAILED,
      r"race: .*which thread \(0, 0, 0\) of block \(0, 0, 0\) wrote in the same launch", threads=1, grid=3)
last = "  mov.u32 %r1, %ctaid.x;\n  mad.wide.u32 %d1, %r1, 4, %a;\n  st.global.u32 [%d1+4], %i;\n{}  atom.global.add.u32 %r2, [%a], 1;\n  setp.eq.u32 %p1, %r2, 2;\n  @%p1 ld.global.u32 %r3, [%a+4]; // here\n"
plant("a fence is missing", last.format(""), last.format("  membar.gl;\n"), FAILED, "race: ", threads=1, grid=3)

# Shared memory that nothing was written to.
plant("uninitialized", "  ld.shared.u32 %r1, [s]; // here\n", "  st.shared.u32 [s], %i;\n  ld.shared.u32 %r1, [s];\n", FAILED,
      "uninitialized: .*reads byte 0 of shared memory, which nothing was written to", threads=1, variable=TILE)
plant("of the block before", "  mov.u32 %r1, %ctaid.x;\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 st.shared.u32 [s], %i;\n  ld.shared.u32 %r2, [s]; // here\n",
      "  st.shared.u32 [s], %i;\n  ld.shared.u32 %r2, [s];\n", FAILED, r"uninitialized: .*block \(1, 0, 0\)", threads=1, grid=2, variable=TILE)

# Barriers and lanes that part.
plant("some threads end before a barrier", "  setp.lt.u32 %p1, %i, 32;\n  @%p1 bra END;\n  bar.sync 0; // here\nEND:\n", "  bar.sync 0;\n", TIMEOUT,
      r"missing barrier: 'bar.sync' waits at barrier 0 for 64 threads, but only 32 come; warps that have ended: 0")
plant("two barriers", "  setp.lt.u32 %p1, %i, 32;\n  @%p1 bra END;\n  bar.sync 0; // here\nEND:\n  @!%p1 bra OUT;\n  bar.sync 1; // here\nOUT:\n",
      "  setp.lt.u32 %p1, %i, 32;\n  @%p1 bra END;\n  bar.sync 0;\nEND:\n  @!%p1 bra OUT;\n  bar.sync 0;\nOUT:\n", TIMEOUT, "missing barrier: ")
plant("a barrier of half a warp", "  setp.lt.u32 %p1, %i, 16;\n  @!%p1 bra END;\n  bar.sync 0; // here\nEND:\n", "  bar.sync 0;\n", FAILED,
      "divergence: 'bar.sync' is a barrier reached by lanes 0 to 15 of warp 0 without lanes 16 to 31")
plant("a guarded barrier", "  and.b32 %r1, %i, 1;\n  setp.eq.u32 %p1, %r1, 1;\n  @%p1 bar.sync 0; // here\n  mad.wide.u32 %d1, %i, 4, %a;\n  st.global.u32 [%d1], %i;\n",
      None, FAILED, "divergence: ")
plant("a shuffle without all lanes", "  setp.lt.u32 %p1, %i, 5;\n  @!%p1 bra END;\n  shfl.sync.idx.b32 %r1, %i, 0, 31, -1; // here\nEND:\n  mov.u32 %r2, 0;\n  @!%p1 bra END2;\n  mov.u32 %r2, 1;\nEND2:\n  shfl.sync.idx.b32 %r1, %i, 1, 31, -1; // here\n",
      "  setp.lt.u32 %p1, %i, 5;\n  @!%p1 bra END;\n  shfl.sync.idx.b32 %r1, %i, 0, 31, 31;\nEND:\n", FAILED, "divergence: 'shfl", threads=32)
plant("a shuffle of a lane that its mask leaves out", "  shfl.sync.idx.b32 %r1, %i, 0, 31, 1; // here\n", None, FAILED, "which its mask does not name", threads=32)

# Others.
plant("trap", "  trap; // here\n", "  setp.gt.u32 %p1, %i, 99;\n  @%p1 trap;\n", FAILED, "trap: 'trap' was executed")
plant("a switch", "  mov.u32 %r1, 3;\n  L: .branchtargets A, B;\n  brx.idx %r1, L; // here\nA:\nB:\n", "  mov.u32 %r1, 1;\n  L: .branchtargets A, B;\n  brx.idx %r1, L;\nA:\nB:\n",
      ADDRESS, "goes to entry 3 of a list of 2")


def refuse(what, text, result, message):
    device.reset()
    tally.fails(what, result, message, lambda: device.module(text))


refuse("an unknown instruction", kernel("  frob.u32 %r1, %r2;\n"), PTX, r"^line 12: instruction 'frob.u32' is not known")
refuse("a suffix that does not exist", kernel("  add.sideways.u32 %r1, %r2, %r2;\n"), PTX, "instruction 'add.sideways.u32' is not known")
refuse("an instruction of a later device", kernel("  wgmma.fence.sync.aligned;\n"), PTX, "'wgmma.fence.sync.aligned' needs sm_90, but the device has sm_80")
refuse("no instruction of this device", kernel("  mbarrier.inval.shared.b64 [%s];\n"), PTX, "'mbarrier.inval.shared.b64' is not known")
refuse("arithmetic of sm_90", kernel("  .reg .b16 %h;\n  mul.rn.bf16 %h, %h, %h;\n"), PTX, "'mul.rn.bf16' needs sm_90, but the device has sm_80")
refuse("a conversion of sm_90", kernel("  .reg .b16 %h;\n  cvt.rn.bf16.s32 %h, %r1;\n"), PTX, "'cvt.rn.bf16.s32' needs sm_90")
refuse("a modifier of sm_86", kernel("  min.xorsign.abs.f32 %r1, %r2, %r3;\n"), PTX, "needs sm_86, but the device has sm_80")
refuse("the wrong width", kernel("  add.u32 %r1, %r2, %d1;\n"), PTX, "expects 32 bits, but '%d1' has 64")
refuse("too few operands", kernel("  add.u32 %r1, %r2;\n"), PTX, "has other operands than expected")
refuse("a register that is not declared", kernel("  add.u32 %r1, %r2, %r77;\n"), PTX, "'%r77' is not known")
refuse("a label that is not there", kernel("  bra NOWHERE;\n"), PTX, "label 'NOWHERE' is not known")
refuse("no semicolon", kernel("  mov.u32 %r1, 1\n  mov.u32 %r2, 1;\n"), PTX, "expected ','")
refuse("an end that is missing", kernel("").rstrip().rstrip("}"), PTX, "expected '}', but got the end of the text")
refuse("a device that is newer", HEAD.replace("sm_80", "sm_90a"), PTX, "expected a module for sm_80 or before, but got one for 'sm_90a'")
refuse("a function that calls itself", HEAD + ".func f() {\n  call f;\n  ret;\n}\n.visible .entry k() {\n  call f;\n  ret;\n}\n", PTX, "'f' calls itself")
refuse("a function without a body", HEAD + ".extern .func g();\n.visible .entry k() {\n  call g;\n  ret;\n}\n", PTX, "function 'g' has no body")
refuse("much static shared memory", kernel("  mov.u64 %s, s;\n", "  .shared .align 4 .b8 s[49156];\n"), PTX, "'k' has 49156 bytes of static shared memory, but 49152 is the most")
refuse("no text", "\x01", PTX, "expected a directive of a module")

# What a launch may ask for.
for what, shape, shared, message in [("no block", (0, 32), 0, "expected a grid of 1 to"), ("many threads", (1, 2048), 0, "expected 1 to 1024 threads"),
                                     ("much shared memory", (1, 32), 60000, "expected at most 49152 bytes of dynamic shared memory")]:
    device.reset()
    tally.fails(what, VALUE, re.escape(message), lambda: attempt(kernel(""), shape[1], shape[0], 64, shared))

print(f"{tally.named} faults named")
if tally.named < 58:
    sys.exit("expected at least 58 faults")
