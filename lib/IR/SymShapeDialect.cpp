//===- SymShapeDialect.cpp - The symshape dialect -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration and inlining. Not for: the verification of the attributes that
// other ops carry (DiscardableAttributes.cpp).
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

#include "symshape/IR/DerivativeInterfaces.cpp.inc"
#include "symshape/IR/ShapeFactsInterface.cpp.inc"
#include "symshape/IR/SymShapeDialect.cpp.inc"
#include "symshape/IR/SymShapeEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

namespace {
/// A name belongs to its function: an op that mentions one is inlined only
/// if the caller does not use the same name, which would then mean another
/// dim, and if an op that is inlined as well binds it.
struct SymShapeInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *dest, bool,
                       IRMapping &) const final {
    llvm::StringSet<> own, theirs;
    collectMentionedNames(op, own);
    if (own.empty())
      return true;
    // What the signature of its function names would have no meaning.
    if (auto source = op->getParentOfType<FunctionOpInterface>())
      collectSignatureNames(source, theirs);
    Operation *root = dest->getParentOp();
    FunctionOpInterface function = dyn_cast<FunctionOpInterface>(root);
    if (!function)
      function = root->getParentOfType<FunctionOpInterface>();
    if (function) {
      root = function;
      collectSignatureNames(function, theirs);
      if (auto symbols =
              function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
        for (auto symbol : symbols.getAsRange<SymbolAttr>())
          theirs.insert(symbol.getName());
    }
    root->walk(
        [&](Operation *nested) { collectMentionedNames(nested, theirs); });
    return llvm::none_of(own, [&](const auto &entry) {
      return theirs.contains(entry.getKey());
    });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

void SymShapeDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "symshape/IR/SymShapeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "symshape/IR/ResampleOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "symshape/IR/WindowOps.cpp.inc"
      >();
  addInterfaces<SymShapeInlinerInterface>();
  registerBytecode();
}

Operation *SymShapeDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
