//===- DerivativeInterfaces.td - Derivatives of ops --------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DERIVATIVEINTERFACES
#define SYMSHAPE_IR_DERIVATIVEINTERFACES

include "mlir/IR/OpBase.td"

def JvpOpInterface : OpInterface<"JvpOpInterface"> {
  let cppNamespace = "::mlir::symshape";
  let description = [{
    The forward derivative of an op. Upstream ops implement it by external
    models. An op none of whose results has a tangent needs none.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the tangents of the results, behind the op, from the tangents of
        operands, and sets them. What it builds is linear in tangents. Called
        where an operand has one. Fails with a diagnostic, before it builds
        anything, where there is no derivative.
      }],
      "::llvm::LogicalResult", "buildJvp", (ins "::mlir::symshape::Tangents &":$tangents)>
  ];
}

def LinearTransposeOpInterface : OpInterface<"LinearTransposeOpInterface"> {
  let cppNamespace = "::mlir::symshape";
  let description = [{
    The transpose of an op that is linear in some of its operands together, the
    others being given.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the cotangents of the operands that are linear from those of the
        results, in another function, and adds them. Fails with a diagnostic
        where the op is not linear in these operands.
      }],
      "::llvm::LogicalResult", "buildTranspose",
      (ins "::mlir::symshape::Cotangents &":$cotangents)>
  ];
}

#endif // SYMSHAPE_IR_DERIVATIVEINTERFACES
