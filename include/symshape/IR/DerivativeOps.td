//===- DerivativeOps.td - What derivatives are written in --*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_DERIVATIVEOPS
#define SYMSHAPE_IR_DERIVATIVEOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_WithExtentsOp : SymShape_Op<"with_extents", [
    MemoryEffects<[MemWrite<SymShape_Facts>]>, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<JvpOpInterface>,
    DeclareOpInterfaceMethods<LinearTransposeOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                              ["populateBoundsForShapedValueDim"]>]> {
  let summary = "States the extents of a tangent";
  let description = [{
    Returns its operand, whose extents are those given; internal to derivatives. A
    tangent that a loop or a branch returns does not exist in the transposed
    function: its extents are found here: those of the value it is the tangent of.
    Kept even if nothing reads the result: the extents may be needed.

    - (C1) There is one extent per axis, equal to a static one if it is a
      constant.

    ```mlir
    %u = symshape.with_extents %t [%n, 4] : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$extents,
                       DenseI64ArrayAttr:$static_extents);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($extents, $static_extents) attr-dict `:`
    type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedExtents();
  }];
}

def SymShape_StopGradientOp : SymShape_SameShapeOp<"stop_gradient"> {
  let summary = "A tensor whose derivative is taken as zero";
  let description = [{
    Returns its operand, through which no derivative goes, forward or in reverse:
    `detach` of PyTorch, and what a formula subtracts only to stay in range. Lowered
    to its operand, so derivatives are built before that.

    ```mlir
    %r = symshape.stop_gradient %x : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasFolder = 1;
}

#endif // SYMSHAPE_IR_DERIVATIVEOPS
