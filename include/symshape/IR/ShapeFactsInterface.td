//===- ShapeFactsInterface.td - The op interface of shape facts -*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SHAPEFACTSINTERFACE
#define SYMSHAPE_IR_SHAPEFACTSINTERFACE

include "mlir/IR/OpBase.td"

def ShapeFactsOpInterface : OpInterface<"ShapeFactsOpInterface"> {
  let cppNamespace = "::mlir::symshape";
  let description = [{
    The rule of an op for symbolic shapes: the extents and values of its results
    in terms of its operands', what it implies, and what it requires to be valid.
    Upstream ops implement it by external models; a downstream op joins by
    implementing it.
  }];
  let methods = [
    InterfaceMethod<[{
        Reads the operands through `facts` and states what holds. Called once per
        op and analysis, in dominance order. Must not change the IR.
      }],
      "void", "populateShapeFacts", (ins "::mlir::symshape::ShapeFacts &":$facts)>
  ];
}

#endif // SYMSHAPE_IR_SHAPEFACTSINTERFACE
