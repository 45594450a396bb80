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
    models. An op without a result that has a tangent needs no such model.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds, after the op, the tangents of the results from those of the
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
    The transpose of an op that is jointly linear in some of its operands, the
    others being given.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds, in another function, the cotangents of the linear operands from
        those of the results, and adds them. Fails with a diagnostic where the
        op is not linear in these operands.
      }],
      "::llvm::LogicalResult", "buildTranspose",
      (ins "::mlir::symshape::Cotangents &":$cotangents)>
  ];
}

#endif // SYMSHAPE_IR_DERIVATIVEINTERFACES
