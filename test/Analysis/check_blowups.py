# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains in which each step uses the one before twice: check_blowups.py.

The text of 10 to 30 ops stands for something exponential: an extent that doubles or is squared at each step, a size
with as many ways to its operands, branches in branches. Each program goes through symshape-report and through
symshape-opt, and must end within processor time and memory that are far above what is needed today, and far below
what following every way takes.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

LIMIT_SECONDS, LIMIT_MEGABYTES = 10, 400
ATTEMPTS = 3  # processor time is not alike in all phases of a busy machine
COMMANDS = [["symshape-report"], ["symshape-opt", "--symshape-insert-guards"],
            ["symshape-opt", "--symshape-shapes", "--symshape-plan-memory"]]
V, T = "tensor<?xf32>", "tensor<?x?xf32>"
PROGRAMS = {}


def function(name, arguments, lines):
    head = [f"func.func @main({arguments}) {{"] + [f"  %c{i} = arith.constant {i} : index" for i in range(4)]
    PROGRAMS[name] = "\n".join([*head, "  %zero = arith.constant 0.0 : f32"] + [f"  {line}" for line in lines]
                               + ["  return", "}", f"func.func private @use(%x: {V}) {{ return }}"]) + "\n"


def chain(n, step):
    return [line for i in range(n) for line in step(i)]


def inside(condition, lines):
    return [f"%inside = {condition}", "scf.if %inside {", *lines, "}"]


def nested(n, step):
    """n branches, one in another; each goes on from %v_i to %v_(i+1), or back."""
    lines = []
    for i in range(n):
        lines += [f"%is{i} = arith.cmpi slt, %v{i}, %d : index", f"%r{i} = scf.if %is{i} -> index {{", *step(i)]
    for i in reversed(range(n)):
        lines += [f"scf.yield {f'%r{i + 1}' if i < n - 1 else f'%v{n}'} : index", "} else {",
                  f"scf.yield %v{i} : index", "}"]
    return lines


def nested_loops(n):
    lines = [f"%r{i} = scf.for %i{i} = %c0 to %n step %c1 iter_args(%x{i + 1} = %x{i}) -> ({V}) {{" for i in range(n)]
    lines.append(f"%y = tensor.concat dim(0) %x{n}, %x{n} : ({V}, {V}) -> {V}")
    for i in reversed(range(n)):
        lines += [f"scf.yield {'%y' if i == n - 1 else f'%r{i + 1}'} : {V}", "}"]
    return lines


DIM = f"%d = tensor.dim %t, %c0 : {V}"
function("pads by the extent on both sides", f"%x0: {V}", chain(14, lambda i: [
    f"%d{i} = tensor.dim %x{i}, %c0 : {V}",
    f"%x{i + 1} = tensor.pad %x{i} low[%d{i}] high[%d{i}] {{ ^bb0(%i: index): tensor.yield %zero : f32 }} : {V} to {V}"]))
function("halves put in front", f"%x0: {V}", chain(10, lambda i: [
    f"%d{i} = tensor.dim %x{i}, %c0 : {V}", f"%h{i} = arith.divui %d{i}, %c2 : index",
    f"%s{i} = tensor.extract_slice %x{i}[%h{i}] [%h{i}] [1] : {V} to {V}",
    f"%x{i + 1} = tensor.concat dim(0) %s{i}, %x{i} : ({V}, {V}) -> {V}"]))
function("squares of collapsed tensors", f"%x0: {T}", chain(10, lambda i: [
    f"%k{i} = tensor.collapse_shape %x{i} [[0, 1]] : {T} into {V}", f"%n{i} = tensor.dim %k{i}, %c0 : {V}",
    f"%x{i + 1} = tensor.empty(%n{i}, %n{i}) : {T}"]))
function("products as in Fibonacci's numbers", f"%x0: {T}", chain(10, lambda i: [
    f"%k{i} = tensor.collapse_shape %x{i} [[0, 1]] : {T} into {V}", f"%n{i} = tensor.dim %k{i}, %c0 : {V}",
    f"%m{i} = tensor.dim %x{i}, %c0 : {T}", f"%x{i + 1} = tensor.empty(%n{i}, %m{i}) : {T}"]))
function("concatenations by rows and columns in turn", f"%x0: {T}", chain(14, lambda i: [
    f"%x{i + 1} = tensor.concat dim({i % 2}) %x{i}, %x{i} : ({T}, {T}) -> {T}"]) + [
        f"%k = tensor.collapse_shape %x14 [[0, 1]] : {T} into {V}"])
function("a choice of sums", "%a0: index, %b0: index", chain(14, lambda i: [
    f"%is{i} = arith.cmpi slt, %a{i}, %b{i} : index", f"%a{i + 1} = arith.select %is{i}, %b{i}, %a{i} : index",
    f"%b{i + 1} = arith.addi %a{i}, %b{i} : index"]) + [f"%e = tensor.empty(%a14, %b14) : {T}"])
function("least and greatest", "%a0: index, %b0: index", chain(14, lambda i: [
    f"%a{i + 1} = arith.minsi %a{i}, %b{i} : index", f"%b{i + 1} = arith.maxsi %a{i}, %a{i + 1} : index"]) + [
        f"%e = tensor.empty(%a14, %b14) : {T}"])
function("a quotient added", "%a0: index, %b: index", chain(14, lambda i: [
    f"%q{i} = arith.floordivsi %a{i}, %b : index", f"%a{i + 1} = arith.addi %q{i}, %a{i} : index"]) + [
        f"%e = tensor.empty(%a14) : {V}"])
function("remainders, as Euclid took them", "%a0: index, %b0: index", chain(10, lambda i: [
    f"%a{i + 1} = arith.remui %b{i}, %a{i} : index", f"%b{i + 1} = arith.addi %a{i}, %b{i} : index"]) + [
        f"%e = tensor.empty(%a10, %b10) : {T}"])
function("squares of quotients", "%a0: index", chain(14, lambda i: [
    f"%q{i} = arith.ceildivsi %a{i}, %c{2 + i % 2} : index", f"%a{i + 1} = arith.muli %q{i}, %a{i} : index"]) + [
        f"%e = tensor.empty(%a14) : {V}"])
function("strides by a symbol", f"%x0: {V}, %s: index", chain(6, lambda i: [
    f"%d{i} = tensor.dim %x{i}, %c0 : {V}", f"%q{i} = arith.ceildivui %d{i}, %s : index",
    f"%x{i + 1} = tensor.extract_slice %x{i}[0] [%q{i}] [%s] : {V} to {V}"]))
function("squares in nested branches", f"%v0: index, %t: {V}", [DIM] + nested(10, lambda i: [
    f"%v{i + 1} = arith.muli %v{i}, %v{i} : index"]) + [f"%e = tensor.empty(%r0) : {V}"])
function("sums in nested branches", f"%v0: index, %t: {V}", [DIM] + nested(14, lambda i: [
    f"%v{i + 1} = arith.addi %v{i}, %v{i} : index"]) + [f"%e = tensor.empty(%r0) : {V}"])
function("loops in loops", f"%x0: {V}, %n: index", nested_loops(14))
function("a size in a branch", f"%v0: index, %t: {V}", [DIM] + inside("arith.cmpi slt, %v0, %d : index", chain(
    26, lambda i: [f"%v{i + 1} = arith.addi %v{i}, %v{i} : index"]) + [
        f"%e = tensor.empty(%v26) : {V}", f"%k = tensor.concat dim(0) %e, %t : ({V}, {V}) -> {V}",
        f"func.call @use(%k) : ({V}) -> ()"]))
function("concatenations in a branch", f"%x0: {V}, %v: i1", inside("arith.andi %v, %v : i1", chain(26, lambda i: [
    f"%x{i + 1} = tensor.concat dim(0) %x{i}, %x{i} : ({V}, {V}) -> {V}"]) + [f"func.call @use(%x26) : ({V}) -> ()"]))
function("concatenations in branches with one condition", f"%x0: {V}, %v: i1", chain(26, lambda i: [
    f"%x{i + 1} = scf.if %v -> {V} {{", f"%k{i} = tensor.concat dim(0) %x{i}, %x{i} : ({V}, {V}) -> {V}",
    f"scf.yield %k{i} : {V}", "} else {", f"scf.yield %x{i} : {V}", "}"]) + [f"func.call @use(%x26) : ({V}) -> ()"])
function("paddings by least values", "%a0: index, %b0: index", ["%x0 = tensor.empty(%a0) : tensor<?xf32>"] + chain(
    9, lambda i: [
        f"%b{i + 1} = affine.max affine_map<(d0, d1) -> (d0 + d0 mod 4, 2 * d1 + 1, d1 mod 3 + d1 ceildiv 3)>(%a{i}, %b{i})",
        f"%a{i + 1} = arith.minsi %b{i}, %a{i} : index",
        f"%x{i + 1} = tensor.pad %x{i} low[3] high[%b{i + 1}] "
        f"{{ ^bb0(%i: index): tensor.yield %zero : f32 }} : {V} to {V}"]))
function("one of two, of ten pairs", ", ".join(f"%a{i}: index" for i in range(11)), ["%o0 = arith.constant false"]
         + chain(10, lambda i: [f"%p{i} = arith.cmpi eq, %a{i}, %a{i + 1} : index",
                                f"%o{i + 1} = arith.ori %o{i}, %p{i} : i1"])
         + ['cf.assert %o10, "some are equal"', f"%e = tensor.empty(%a0, %a1) : {T}"])
PROGRAMS["a function that calls the next one twice"] = "".join(
    f"func.func @g{i}(%x: {V}) -> {V} {{\n  %a = call @g{i + 1}(%x) : ({V}) -> {V}\n"
    f"  %b = call @g{i + 1}(%a) : ({V}) -> {V}\n  return %b : {V}\n}}\n" for i in range(14)) + (
        f"func.func @g14(%x: {V}) -> {V} {{\n  %r = tensor.concat dim(0) %x, %x : ({V}, {V}) -> {V}\n"
        f"  return %r : {V}\n}}\n")


def limit():
    # One number for both: at a soft limit of its own the tool would be asked to end, and its
    # handler, which prints where it was, may wait for what it interrupted.
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))


def cost(command, path):
    """Processor seconds, megabytes, the exit status, and what was said."""
    child = subprocess.Popen([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             preexec_fn=limit)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode, said


def main():
    failures, runs = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "main.mlir")
        for name, text in PROGRAMS.items():
            with open(path, "w") as file:
                file.write(text)
            for command in COMMANDS:
                for _ in range(ATTEMPTS):
                    seconds, megabytes, status, said = cost(command, path)
                    if status != -signal.SIGKILL:
                        break
                runs += 1
                print(f"{name}: {' '.join(command)}: {seconds:.2f} s, {megabytes:.0f} MB")
                if status or seconds > LIMIT_SECONDS or megabytes > LIMIT_MEGABYTES:
                    failures += 1
                    print(f"failed with {status}: {said[:500]}")
    print(f"{len(PROGRAMS)} programs, {runs} runs, {failures} failed")
    return 1 if failures or runs < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
