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

/// An op may run where it did not stand if all that it requires follows from
/// types and constants: its shape rule is asked, so that no op says it twice.
def SymShape_SpeculatableIfValid : NativeOpTrait<"SpeculatableIfValid"> {
  let cppNamespace = "::mlir::symshape";
}

class SymShape_Op<string mnemonic, list<Trait> traits = []>
    : Op<SymShape_Dialect, mnemonic,
         traits # [DeclareOpInterfaceMethods<ShapeFactsOpInterface>,
                   ConditionallySpeculatable, SymShape_SpeculatableIfValid]>;

/// What is known of shapes, as something that ops write: an op that binds a name
/// or states a fact says something even if nobody uses its results.
def SymShape_Facts : Resource<"::mlir::symshape::FactsResource">;

/// For an op whose result types follow from its operands and attributes; a type
/// that is written may say more, or less.
def SymShape_InferType : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                      ::mlir::TypeRange actual) {
    return ::mlir::symshape::areInferredTypesCompatible(inferred, actual);
  }
}]>;

def SymShape_RankedShaped
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;

/// An op from tensors to a tensor, which bufferization sees as linalg, tensor
/// and scf.
class SymShape_TensorOp<string mnemonic, list<Trait> traits = []>
    : SymShape_Op<mnemonic, traits # [
        NoMemoryEffect,
        DeclareOpInterfaceMethods<JvpOpInterface>,
        DeclareOpInterfaceMethods<LinearTransposeOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<ValueBoundsOpInterface,
                                  ["populateBoundsForShapedValueDim"]>]>;

/// One whose result has the type and the extents of its source.
class SymShape_SameShapeOp<string mnemonic>
    : SymShape_TensorOp<mnemonic, [AllTypesMatch<["source", "result"]>]> {
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(
          ::mlir::tensor::getMixedSizes(builder, getLoc(), getSource()));
      return ::mlir::success();
    }
    void $cppClass::populateBoundsForShapedValueDim(
        ::mlir::Value value, int64_t dim,
        ::mlir::ValueBoundsConstraintSet &cstr) {
      cstr.bound(value)[dim] == cstr.getExpr(getSource(), dim);
    }
  }];
}

#endif // SYMSHAPE_IR_SYMSHAPEBASE
