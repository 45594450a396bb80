# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory, atomics, exchanges between lanes, matrices and asynchronous copies, against NumPy."""

import sys

import numpy as np
from ptx_device import Device
from tally import Tally

device = Device(sys.argv[1])
tally = Tally()
equal = tally.equal
HEAD = ".version 8.3\n.target sm_80\n.address_size 64\n"
REGISTERS = """  .reg .pred %p<4>;
  .reg .b16 %h<9>;
  .reg .b32 %r<40>;
  .reg .b64 %d<16>;
  .reg .b32 %i;
  .reg .b64 %in, %out, %at;
  mov.u32 %i, %tid.x;
  ld.param.u64 %in, [k_0];
  ld.param.u64 %out, [k_1];
"""


def run(body, inputs, like, threads=32, extra="", shared=0, grid=1):
    """One kernel on an input and an output, which begins as zeros like `like`."""
    text = (HEAD + extra + ".visible .entry k(.param .u64 k_0, .param .u64 k_1) {\n" + REGISTERS + body + "  ret;\n}\n")
    module = device.module(text)
    source, target = device.array(inputs), device.array(np.zeros_like(like))
    device.launch(module.kernel("k"), grid, threads, [source, target], shared=shared)
    result = target.get()
    source.free()
    target.free()
    module.unload()
    return result


rng = np.random.default_rng(3)


def loads():
    """Every type in memory, to registers that are as wide or wider."""
    data = rng.integers(0, 256, 32 * 8, dtype=np.uint8)
    for name in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        dtype = np.dtype(name.replace("u", "uint").replace("s", "int") if name[0] == "u" else "int" + name[1:])
        for width in (16, 32, 64):
            if width < dtype.itemsize * 8:
                continue
            register = {16: "%h1", 32: "%r1", 64: "%d1"}[width]
            body = f"""  mad.wide.u32 %at, %i, {dtype.itemsize}, %in;
  ld.global.{name} {register}, [%at];
  mad.wide.u32 %at, %i, {width // 8}, %out;
  st.global.b{width} [%at], {register};
"""
            wide = np.dtype(("u" if name[0] == "u" else "") + f"int{width}")
            values = data.view(dtype)[:32]
            equal(f"ld.{name} to {width}", run(body, data, np.zeros(32, wide)), values.astype(wide))
    for space in ("global", "shared", "local"):
        for vector, element in ((2, 8), (4, 8), (2, 16), (4, 16), (2, 32), (4, 32), (2, 64)):
            letter = {8: "h", 16: "h", 32: "r", 64: "d"}[element]
            group = "{" + ", ".join(f"%{letter}{k}" for k in range(vector)) + "}"
            reverse = "{" + ", ".join(f"%{letter}{k}" for k in reversed(range(vector))) + "}"
            size = vector * element // 8
            variable = "" if space == "global" else f"  .{space} .align 16 .b8 v[1024];\n"
            through = "" if space == "global" else f"""  mov.u64 %d9, v;
  mad.wide.u32 %d9, %i, {size}, %d9;
  st.{space}.v{vector}.b{element} [%d9], {group};
  ld.{space}.v{vector}.b{element} {group}, [%d9];
"""
            body = f"""{variable}  mad.wide.u32 %at, %i, {size}, %in;
  ld.global.nc.L1::no_allocate.v{vector}.b{element} {group}, [%at];
{through}  mad.wide.u32 %at, %i, {size}, %out;
  st.global.v{vector}.b{element} [%at], {reverse};
"""
            values = rng.integers(0, 1 << min(element, 62), (32, vector), dtype=np.int64).astype(f"u{element // 8}")
            equal(f"{space} v{vector}.b{element}", run(body, values, values), values[:, ::-1])


def generic():
    """One instruction on addresses of three spaces."""
    body = """  .shared .align 4 .b8 s[128];
  .local .align 4 .b8 l[4];
  cvta.to.global.u64 %in, %in;
  mad.wide.u32 %at, %i, 4, %in;
  ld.global.u32 %r1, [%at];
  mov.u64 %d1, s;
  mad.wide.u32 %d1, %i, 4, %d1;
  st.shared.u32 [%d1], %r1;
  cvta.shared.u64 %d1, %d1;
  add.u32 %r2, %r1, 1000;
  mov.u64 %d2, l;
  st.local.u32 [%d2], %r2;
  cvta.local.u64 %d2, %d2;
  and.b32 %r3, %i, 3;
  setp.eq.u32 %p1, %r3, 1;
  setp.eq.u32 %p2, %r3, 2;
  selp.b64 %d3, %d1, %at, %p1;
  selp.b64 %d3, %d2, %d3, %p2;
  ld.u32 %r4, [%d3];
  isspacep.shared %p3, %d3;
  selp.u32 %r5, 1, 0, %p3;
  mad.lo.u32 %r4, %r4, 2, %r5;
  mad.wide.u32 %at, %i, 4, %out;
  st.u32 [%at], %r4;
"""
    values = rng.integers(0, 1000, 32, dtype=np.uint32)
    lane = np.arange(32)
    want = (values + 1000 * (lane % 4 == 2)) * 2 + (lane % 4 == 1)
    equal("generic", run(body, values, values), want.astype(np.uint32))


def variables():
    """What module variables begin with, and addresses in them."""
    extra = """.visible .global .align 4 .u32 table[4] = {10, 20, 30, 0xffffffff};
.visible .global .align 8 .u64 where[2] = {table, table+8};
.visible .const .align 4 .b8 bytes[4] = {1, 2, 3};
"""
    body = """  and.b32 %r1, %i, 1;
  mov.u64 %d1, where;
  mad.wide.u32 %d1, %r1, 8, %d1;
  ld.global.u64 %d2, [%d1];
  ld.global.u32 %r2, [%d2+4];
  ld.const.u8 %r3, [bytes+2];
  add.u32 %r2, %r2, %r3;
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r2;
"""
    want = np.where(np.arange(32) % 2 == 0, 23, 2).astype(np.uint32)
    equal("variables", run(body, want, want, extra=extra), want)


def atomics():
    """All threads of two blocks on eight words; the order must not matter."""
    for space in ("global", "shared"):
        for op, dtype, reduce in [
                ("add.u32", np.uint32, np.add), ("add.s32", np.int32, np.add), ("add.u64", np.uint64, np.add), ("add.f32", np.float32, np.add),
                ("add.f64", np.float64, np.add), ("min.s32", np.int32, np.minimum), ("max.s32", np.int32, np.maximum),
                ("min.u32", np.uint32, np.minimum), ("max.u64", np.uint64, np.maximum), ("min.s64", np.int64, np.minimum),
                ("and.b32", np.uint32, np.bitwise_and), ("or.b64", np.uint64, np.bitwise_or), ("xor.b32", np.uint32, np.bitwise_xor)]:
            size, threads = np.dtype(dtype).itemsize, 64
            bits, letter = size * 8, "r" if size == 4 else "d"
            values = rng.integers(0, 200, threads).astype(dtype)
            first = np.full(8, 100, dtype)
            body = f"""  .shared .align 8 .b8 s[64];
  and.b32 %r9, %i, 7;
  mad.wide.u32 %at, %i, {size}, %in;
  ld.global.b{bits} %{letter}1, [%at];
  mad.wide.u32 %at, %r9, {size}, %out;
  ld.global.b{bits} %{letter}2, [%in+{threads * size}];
"""
            if space == "shared":
                body += f"""  mov.u64 %d9, s;
  mad.wide.u32 %d9, %r9, {size}, %d9;
  setp.lt.u32 %p1, %i, 8;
  @%p1 st.shared.b{bits} [%d9], %{letter}2;
  bar.sync 0;
  red.shared.{op} [%d9], %{letter}1;
  bar.sync 0;
  @!%p1 bra DONE;
  ld.shared.b{bits} %{letter}3, [%d9];
  st.global.b{bits} [%at], %{letter}3;
DONE:
"""
            else:
                body += f"  atom.relaxed.gpu.global.{op} %{letter}3, [%at], %{letter}1;\n"
                first = np.zeros(8, dtype)
            want = first.copy()
            for k, value in enumerate(values):
                want[k % 8] = reduce(want[k % 8], value)
            equal(f"{space} {op}", run(body, np.append(values, first[:1]), want, threads=threads), want)
    body = """  atom.global.inc.u32 %r1, [%out], 5;
  atom.global.cas.b32 %r2, [%out+4], %i, 77;
  atom.global.exch.b32 %r3, [%out+8], 5;
  red.global.dec.u32 [%out+12], 9;
"""
    got = run(body, np.zeros(4, np.uint32), np.zeros(4, np.uint32))
    equal("inc, cas, exch, dec", got, np.array([32 % 6, 77, 5, (-32) % 10], np.uint32))


def shuffles():
    values, lane = rng.integers(0, 1 << 30, 32, dtype=np.uint32), np.arange(32)
    for segment in (0, 16, 24, 28, 30, 31):
        least, last = lane & segment, (lane & segment) | (31 & ~segment & 31)
        for by in (0, 1, 3, 8, 31):
            for kind, source, clamp in (("up", lane - by, 0), ("down", lane + by, 31), ("bfly", lane ^ by, 31),
                                        ("idx", least | (by & ~segment & 31), 31)):
                inside = source >= least if kind == "up" else source <= last
                body = f"""  mad.wide.u32 %at, %i, 4, %in;
  ld.global.u32 %r1, [%at];
  shfl.sync.{kind}.b32 %r2|%p1, %r1, {by}, {segment << 8 | clamp}, -1;
  selp.u32 %r3, 1, 0, %p1;
  shl.b32 %r3, %r3, 31;
  or.b32 %r2, %r2, %r3;
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r2;
"""
                want = values[np.where(inside, source, lane) & 31] | (inside.astype(np.uint32) << np.uint32(31))
                equal(f"shfl {kind} {by} {segment}", run(body, values, values), want)


def votes():
    values = rng.integers(0, 3, 32, dtype=np.uint32)
    odd = values == 1
    ballot = int(sum(1 << k for k in range(32) if odd[k]))
    body = """  mad.wide.u32 %at, %i, 4, %in;
  ld.global.u32 %r1, [%at];
  setp.eq.u32 %p1, %r1, 1;
  vote.sync.ballot.b32 %r2, %p1, -1;
  vote.sync.any.pred %p2, %p1, -1;
  vote.sync.all.pred %p3, !%p1, -1;
  selp.u32 %r3, 1, 0, %p2;
  selp.u32 %r4, 2, 0, %p3;
  or.b32 %r3, %r3, %r4;
  match.any.sync.b32 %r5, %r1, -1;
  redux.sync.add.s32 %r6, %r1, -1;
  redux.sync.max.u32 %r7, %r1, -1;
  setp.lt.u32 %p1, %i, 12;
  activemask.b32 %r8;
  @%p1 activemask.b32 %r8;
  mad.wide.u32 %at, %i, 24, %out;
  st.global.v2.u32 [%at], {%r2, %r3};
  st.global.v2.u32 [%at+8], {%r5, %r6};
  st.global.v2.u32 [%at+16], {%r7, %r8};
"""
    match = [sum(1 << k for k in range(32) if values[k] == one) for one in values]
    want = np.array([[ballot, int(odd.any()) + 2 * int(not odd.any()), match[k], values.sum(), values.max(), 0xFFF if k < 12 else 0xFFFFFFFF]
                     for k in range(32)], np.uint32)
    equal("votes", run(body, values, want), want)
    # Two halves of a warp on different paths, each with its own mask.
    body = """  mad.wide.u32 %at, %i, 4, %in;
  ld.global.u32 %r1, [%at];
  setp.lt.u32 %p1, %i, 16;
  @%p1 bra LOW;
  redux.sync.add.u32 %r2, %r1, 0xffff0000;
  bra JOIN;
LOW:
  redux.sync.min.u32 %r2, %r1, 0xffff;
JOIN:
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r2;
"""
    want = np.where(np.arange(32) < 16, values[:16].min(), values[16:].sum()).astype(np.uint32)
    equal("halves", run(body, values, values), want)


def barrier_reductions():
    values = rng.integers(0, 2, 96, dtype=np.uint32)
    body = """  mad.wide.u32 %at, %i, 4, %in;
  ld.global.u32 %r1, [%at];
  setp.eq.u32 %p1, %r1, 1;
  bar.red.popc.u32 %r2, 1, %p1;
  bar.red.or.pred %p2, 2, 96, !%p1;
  selp.u32 %r3, 1000, 0, %p2;
  add.u32 %r2, %r2, %r3;
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r2;
"""
    equal("bar.red", run(body, values, values, threads=96), np.full(96, values.sum() + 1000 * (values == 0).any(), np.uint32))


def matrix_loads():
    data = np.arange(32 * 8, dtype=np.uint16).reshape(32, 8)
    for count in (1, 2, 4):
        for transposed in ("", ".trans"):
            group = "{" + ", ".join(f"%r{k}" for k in range(1, count + 1)) + "}"
            stores = "".join(f"  st.global.u32 [%at+{4 * k}], %r{k + 1};\n" for k in range(count))
            body = f"""  .shared .align 16 .b8 s[512];
  mad.wide.u32 %at, %i, 16, %in;
  ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%at];
  mov.u32 %r9, s;
  mad.lo.u32 %r9, %i, 16, %r9;
  st.shared.v4.u32 [%r9], {{%r1, %r2, %r3, %r4}};
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 {group}, [%r9];
  mad.wide.u32 %at, %i, {4 * count}, %out;
{stores}"""
            tiles = data.reshape(4, 8, 8)[:count]
            tiles = tiles.transpose(0, 2, 1) if transposed else tiles
            want = np.ascontiguousarray(tiles).reshape(count, 32, 2).transpose(1, 0, 2)
            equal(f"ldmatrix x{count}{transposed}", run(body, data, np.zeros((32, count, 2), np.uint16)), want)


def half_of(values, kind):
    """Bits of f16, of bf16 (cut), or of f32."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    return (values.astype(np.float32).view(np.uint32) >> (16 if kind == "bf16" else 0)).astype(np.uint16 if kind == "bf16" else np.uint32)


def products():
    """mma on numbers that are exact in each type, so that any order of sums is exact; then one
    rounding of a sum that is not."""
    g, t = np.arange(32) // 4, np.arange(32) % 4
    for kind, terms in (("f16", 16), ("f16", 8), ("bf16", 16), ("bf16", 8), ("tf32", 8), ("tf32", 4)):
        per = 1 if kind == "tf32" else 2
        registers = terms // (4 * per)
        a = rng.integers(-8, 9, (16, terms)).astype(np.float32)
        b = rng.integers(-8, 9, (terms, 8)).astype(np.float32)
        c = rng.integers(-99, 99, (16, 8)).astype(np.float32)
        bits_a, bits_b = half_of(a, kind), half_of(b, kind)
        words = []
        for r in range(2 * registers):
            words.append(np.stack([bits_a[g + 8 * (r & 1), per * t + e + 4 * per * (r >> 1)] for e in range(per)], 1))
        for r in range(registers):
            words.append(np.stack([bits_b[per * t + e + 4 * per * r, g] for e in range(per)], 1))
        packed = [np.ascontiguousarray(word).view(np.uint32).ravel() for word in words]
        packed += [c[g + 8 * (r >> 1), 2 * t + (r & 1)].view(np.uint32) for r in range(4)]
        inputs, n = np.stack(packed, 1), len(packed)
        body = f"  mad.wide.u32 %at, %i, {4 * n}, %in;\n"
        body += "".join(f"  ld.global.u32 %r{k + 10}, [%at+{4 * k}];\n" for k in range(n))
        group = lambda first, count: "{" + ", ".join(f"%r{k}" for k in range(first, first + count)) + "}"
        body += f"  mma.sync.aligned.m16n8k{terms}.row.col.f32.{kind}.{kind}.f32 {group(1, 4)}, {group(10, 2 * registers)}, {group(10 + 2 * registers, registers)}, {group(10 + 3 * registers, 4)};\n"
        body += "  mad.wide.u32 %at, %i, 16, %out;\n  st.global.v4.u32 [%at], {%r1, %r2, %r3, %r4};\n"
        want = a @ b + c
        place = np.stack([want[g + 8 * (r >> 1), 2 * t + (r & 1)] for r in range(4)], 1)
        equal(f"mma {kind} {terms}", run(body, inputs, np.zeros((32, 4), np.float32)), place)


def copies():
    """cp.async of every size, with fewer bytes of the source, behind groups."""
    data = rng.integers(1, 255, 32 * 16, dtype=np.uint8)
    for size in (4, 8, 16):
        for count in (0, 1, size // 2, size - 1, size):
            cache = "cg" if size == 16 else "ca"
            body = f"""  .shared .align 16 .b8 s[1024];
  mad.wide.u32 %at, %i, {size}, %in;
  mov.u32 %r1, s;
  mad.lo.u32 %r1, %i, {size}, %r1;
  mov.u32 %r2, {count};
  cp.async.{cache}.shared.global [%r1], [%at], {size}, %r2;
  cp.async.commit_group;
  cp.async.{cache}.shared.global [%r1+512], [%at], {size};
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 %r3, [%r1];
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r3;
  cp.async.wait_all;
"""
            want = data[:32 * size].reshape(32, size).copy()
            want[:, count:] = 0
            equal(f"cp.async {size} {count}", run(body, data, np.zeros(32, np.uint32)), np.ascontiguousarray(want[:, :4]).view(np.uint32).ravel())


def control():
    """Loops of different lengths, a switch, and a call, in one warp."""
    extra = """.func (.param .b32 r) twice(.param .b32 a, .param .align 8 .b8 b[8]) {
  .reg .b32 %x, %y;
  .reg .pred %p;
  ld.param.u32 %x, [a];
  ld.param.u32 %y, [b+4];
  setp.gt.u32 %p, %x, 20;
  @%p bra BIG;
  add.u32 %x, %x, %x;
BIG:
  add.u32 %x, %x, %y;
  st.param.u32 [r], %x;
  ret;
}
"""
    body = """  and.b32 %r1, %i, 7;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
LOOP:
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra OUT;
  add.u32 %r2, %r2, %r3;
  add.u32 %r3, %r3, 1;
  bra LOOP;
OUT:
  and.b32 %r4, %i, 3;
  LIST: .branchtargets CASE0, CASE1, CASE2, CASE1;
  brx.idx %r4, LIST;
CASE2:
  add.u32 %r2, %r2, 7;
  bra END;
CASE0:
  add.u32 %r2, %r2, 100;
  bra END;
CASE1:
  add.u32 %r2, %r2, 3;
END:
  {
  .param .b32 a;
  .param .align 8 .b8 b[8];
  .param .b32 r;
  st.param.u32 [a], %r2;
  st.param.v2.u32 [b], {%r1, %r4};
  call.uni (r), twice, (a, b);
  ld.param.u32 %r2, [r];
  }
  mad.wide.u32 %at, %i, 4, %out;
  st.global.u32 [%at], %r2;
"""
    lane = np.arange(32)
    n = lane % 8
    value = n * (n - 1) // 2 + np.array([100, 3, 7, 3])[lane % 4]
    want = np.where(value > 20, value, 2 * value) + lane % 4
    equal("control", run(body, np.zeros(1, np.uint32), np.zeros(32, np.uint32), extra=extra), want.astype(np.uint32))


for check in (loads, generic, variables, atomics, shuffles, votes, barrier_reductions, matrix_loads, products, copies, control):
    check()
print(f"{tally.compared} results compared")
if tally.compared < 9000:
    sys.exit("expected at least 9000 comparisons")
