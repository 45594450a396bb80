//===- SymShapeBase.td - What definitions of ops share -----*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPEBASE
#define SYMSHAPE_IR_SYMSHAPEBASE

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ValueBoundsOpInterface.td"
include "symshape/IR/DerivativeInterfaces.td"
include "symshape/IR/ShapeFactsInterface.td"
include "symshape/IR/SymShapeAttrs.td"

class SymShape_Op<string mnemonic, list<Trait> traits = []>
    : Op<SymShape_Dialect, mnemonic,
         traits # [DeclareOpInterfaceMethods<ShapeFactsOpInterface>]>;

def SymShape_RankedShaped
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;

/// An op from tensors to a tensor, which bufferization sees as linalg, tensor
/// and scf. Not speculatable: what it requires may not hold elsewhere.
class SymShape_TensorOp<string mnemonic, list<Trait> traits = []>
    : SymShape_Op<mnemonic, traits # [
        NoMemoryEffect,
        DeclareOpInterfaceMethods<JvpOpInterface>,
        DeclareOpInterfaceMethods<LinearTransposeOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                                  ["populateBoundsForShapedValueDim"]>]>;

#endif // SYMSHAPE_IR_SYMSHAPEBASE
