//===- Passes.td - What a pipeline asks of its input -------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_PASSES
#define SYMSHAPE_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def VerifyLowerablePass : Pass<"symshape-verify-lowerable", "::mlir::ModuleOp"> {
  let summary = "Names what no pass can lower";
  let description = [{
    Checks that the conversions to LLVM know each op and each type of the
    program: some crash on what they do not know, or fail without a location.
    Runs MLIR's verifier first, for pass managers that do not after each pass.

    Guarantees:
    1. Nothing changes. With `tensors-last`, an op without a place in a file, as in
       the body of a named structured op, gets that of the op around it, for the
       errors of later passes.

    Refuses: an op that is not registered; a tensor or memref whose elements,
    layout or memory space has no counterpart in LLVM; an allocation in a memory
    space other than the default; a vector inserted into another one at a position
    that is not a constant in bounds. There is an error at the first such op of each
    function. With `tensors-last`, instead of all this: an op on tensors that
    bufferization does not know, and a copy of a view whose strides are not those
    of a dense array.
  }];
  let options = [
    Option<"tensorsLast", "tensors-last", "bool", /*default=*/"false",
           "Whether tensors become buffers next (default: no)">];
}

def CompileKernelsPass : Pass<"symshape-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles the kernels of a gpu.module to PTX";
  let description = [{
    Translates the `gpu.module` `@kernels`, in the LLVM dialect, to LLVM IR,
    optimises it and writes the result as PTX to its attribute `code`, within this
    process.

    Guarantees:
    1. Products and sums are not contracted: results are those of the ops.
    2. An array of shared memory of more than 48 KB is the dynamic one, whose size
       each launch gives.

    Refuses: a chip that LLVM does not know or that is older than sm_80; a kernel
    that calls a function which is not in the module.
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
                        "The GPU, as LLVM calls it (default: sm_80)">];
}

def ReturnDonatedPass : Pass<"symshape-return-donated", "::mlir::ModuleOp"> {
  let summary = "Returns donated arguments themselves";
  let description = [{
    Where a function returns a `bufferization.clone` of an argument with
    `symshape.donated`, as the result that this names, it returns the argument:
    its memory is the caller's already. The attribute goes.

    Guarantees:
    1. Nothing else changes. A clone that has other users stays.

    Refuses: nothing.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // SYMSHAPE_PIPELINES_PASSES
