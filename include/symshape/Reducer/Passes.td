//===- Passes.td - Reduction of symshape -------------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_REDUCER_PASSES
#define SYMSHAPE_REDUCER_PASSES

include "mlir/Pass/PassBase.td"

def ReducePass : Pass<"symshape-reduce", "::mlir::ModuleOp"> {
  let summary = "Makes a program small that still fails";
  let description = [{
    Tries changes on copies of the program, and keeps those whose copy is valid and
    interesting: where the program `test`, called with `test-arg` and the name of a
    file with the copy, exits with another status than 0, as for upstream's
    `reduction-tree`.

    The changes keep problems of shapes alive. A function goes, a result goes, a
    value becomes an argument (the op that computed it goes), another value of its
    type takes its place, which changes nothing that a caller sees, an argument without
    uses goes, an attribute goes, a dim of an argument becomes 1 or 2, and so does
    a static extent in all types of a function. They are tried in large numbers
    first, then in halves of that.

    Guarantees:
    1. What is left is valid and interesting.
    2. No single one of these changes would leave an interesting program, unless
       eight rounds of all of them have not been enough.

    Refuses: a program that is not interesting to begin with.
  }];
  let options = [
    Option<"test", "test", "std::string", /*default=*/"\"\"",
           "The program that says what is interesting">,
    ListOption<"testArgs", "test-arg", "std::string",
               "Its arguments before the name of the file">,
  ];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

#endif // SYMSHAPE_REDUCER_PASSES
