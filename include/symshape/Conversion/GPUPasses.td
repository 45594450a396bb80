//===- GPUPasses.td - Conversion passes for GPUs -----------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_GPUPASSES
#define SYMSHAPE_CONVERSION_GPUPASSES

include "mlir/Pass/PassBase.td"

def MarkResidentArgumentsPass
    : Pass<"symshape-mark-resident-arguments", "ModuleOp"> {
  let summary = "Says which arguments are on the device before a call";
  let description = [{
    Marks, by the attribute `gpu.resident`, the arguments of public functions that
    are weights, and those of weights alone that `@f.prepare` computes for `@f`; and
    `@f.prepare` itself, whose results stay on the device.

    Guarantees:
    1. Nothing else changes.

    Refuses: nothing.
  }];
}

def MarkDivisorsPass : Pass<"symshape-mark-divisors"> {
  let summary = "Writes down what divides the extents of rows";
  let description = [{
    Gives structured ops and contractions on tensors the attribute `gpu.divisors`:
    per loop, the largest power of two up to 16 that is known to divide its extent
    where that is the dynamic last dimension of an operand; 1 if nothing is known.
    Kernels read and write 16 bytes at a time if it says so.

    Guarantees:
    1. Nothing else changes.

    Refuses: nothing.
  }];
}

def ReadShapesPass : Pass<"symshape-read-shapes"> {
  let summary = "Replaces memref.reshape by explicit sizes and strides";
  let description = [{
    Rewrites each `memref.reshape` as a `memref.reinterpret_cast` of sizes that were
    just stored to its shape, or else are read from it. Buffers that only held such
    a shape are removed, so that sizes do not pass through the device.

    Guarantees:
    1. Sizes of the result are those in the shape.

    Refuses: nothing; an op on a buffer with strides, or of unknown rank, stays.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
}

def MakeDensePass : Pass<"symshape-make-dense"> {
  let summary = "Copies buffers with strides that are cast to a type without";
  let description = [{
    Replaces each `memref.cast` from a type with strides to one without by a copy:
    upstream makes such casts where a function returns a part of a buffer.

    Guarantees:
    1. A buffer whose type has no strides is dense.

    Refuses: nothing.
  }];
  let dependentDialects = ["memref::MemRefDialect"];
}

def MarkRowsPass : Pass<"symshape-mark-rows"> {
  let summary = "Finds chains of ops that work row by row";
  let description = [{
    Gives structured ops on buffers that follow each other the attribute
    `symshape.together` if one reduces rows, all provably have as many rows, and a
    row of each needs only the same row of the others: `[group, loops]`, the number
    of the group and how many outer loops count rows. Such a group becomes one
    kernel, whose rows run at the same time.

    Guarantees:
    1. Nothing else changes.

    Refuses: nothing.
  }];
}

def PlaceDataPass : Pass<"symshape-place-data", "ModuleOp"> {
  let summary = "Moves arguments, constants and results to and from the device";
  let description = [{
    Every buffer of a program is device memory from here on, but arguments and
    results of public functions. An argument is copied to the device before the
    first op that reads it, so after the guards; a result is copied to the host
    before the return, after everything has run. Constants are copied the first time
    that they are used. Arguments marked `gpu.resident` are on the device already.
    Small arrays that deallocation keeps for itself stay on the host's stack.

    Guarantees:
    1. A public function that another function calls is called as a private copy,
       whose arguments and results stay on the device.
    2. Nothing is sent before what a function checks at entry.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

def FormKernelsPass : Pass<"symshape-form-kernels", "ModuleOp"> {
  let summary = "Turns what computes on buffers into kernels";
  let description = [{
    Puts each structured op and copy on buffers into a `gpu.launch` of its own, one
    thread for each point of its parallel dimensions, which runs the others in
    order. A group that `symshape-mark-rows` has found becomes one kernel, with a
    warp or a block for each row. A loop that reads or writes single elements becomes
    a kernel of as many threads as its iterations are independent by their
    subscripts; other loops and branches of one thread, and scalars that they yield
    go through a buffer. Elementwise ops whose
    rows are whole chunks of 16 bytes are computed by chunks; where the extents only
    show it at run time, the host chooses between two kernels. Sizes of grids are
    expressions over extents. Everything else stays host code: index arithmetic,
    control flow around kernels, checks, allocations.

    Guarantees:
    1. Every extent may be 0; no access is out of bounds.
    2. Sums are formed in an order that depends on the extents alone: two runs give
       the same bits.
    3. Sums of `bf16` and `f16` products are formed in `f32`.

    Refuses: nothing; accesses of the host to single elements stay.
  }];
  let options = [
    Option<"wgmma", "wgmma", "::mlir::symshape::WgmmaUse",
           /*default=*/"::mlir::symshape::WgmmaUse::Off",
           "Which products of bf16 and f16 are by wgmma, which only sm_90a has "
           "(default: none)",
           [{::mlir::symshape::getWgmmaValues()}]>];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "math::MathDialect",
                           "memref::MemRefDialect",
                           "nvgpu::NVGPUDialect", "NVVM::NVVMDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def OutlineKernelsPass : Pass<"symshape-outline-kernels", "ModuleOp"> {
  let summary = "Moves kernels to a gpu.module";
  let description = [{
    Replaces each `gpu.launch` by a `gpu.launch_func` of a `gpu.func` in the module
    `@kernels`. A buffer is passed as a pointer to its first element, and those of
    its extents and strides that its type does not give; a value that several
    buffers share is passed once. Checks inside become words of the call's status.
    Shared memory of more than 48 KB is asked for by the launch.

    Guarantees:
    1. Kernels with the same code are one kernel.
    2. Buffers of a kernel are in the global memory space.

    Refuses: a buffer without strides.
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def ExpandKernelMathPass
    : Pass<"symshape-expand-kernel-math", "gpu::GPUModuleOp"> {
  let summary = "Computes functions of math in kernels without a library";
  let description = [{
    Replaces functions such as `math.sin` on `f32` and `f64` in kernels, and
    remainders, by sums and products of `f64`. Those of `f32` with polynomials of their own are gone by then.
    Floats become `i1` by way of `i32`, since LLVM's back end for PTX compares with 0.

    Guarantees:
    1. Results of `f32` are within 1 ulp for arguments up to 2^30. NaN, infinities
       and zeros give what the C library gives.

    Refuses: nothing; other functions stay.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect"];
}

def LowerKernelChecksPass
    : Pass<"symshape-lower-kernel-checks", "gpu::GPUModuleOp"> {
  let summary = "Turns failed checks in kernels into status words";
  let description = [{
    Rewrites each `symshape.fail` in a kernel: the first one of a call writes its
    number and values to the words that the kernel is given; the thread ends, so
    that nothing after the check runs. Runs on a control flow of blocks.

    Guarantees:
    1. No trap: the context stays usable.
    2. Kernels that begin after a check has failed do nothing: they may rely on it.

    Refuses: ops of `math` that a GPU has no instructions for, and that no pass
    before has expanded.
  }];
  let dependentDialects = ["cf::ControlFlowDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect"];
}

def LowerLaunchesPass : Pass<"symshape-lower-launches", "ModuleOp"> {
  let summary = "Turns launches and accesses to device memory into runtime calls";
  let description = [{
    Replaces `gpu.launch_func` by `symshape_gpu_launch`, or, with dynamic shared
    memory, by `symshape_gpu_launch_shared`, each `memref.load` and
    `memref.store` of the host by a copy of one element, and allocations by those of
    device memory. Defines `symshape_gpu.program`, which holds the kernels' code, a
    string attribute `code` of the `gpu.module`, their names and the messages of
    checks. A load waits for all that was launched: a remark names each.

    Guarantees:
    1. No host access to device memory is left.

    Refuses: other accesses to buffers by the host.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

#endif // SYMSHAPE_CONVERSION_GPUPASSES
