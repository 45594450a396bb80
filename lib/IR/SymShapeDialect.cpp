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

/// Adds the names of function symbols that `op` and its attributes mention.
static void collectSymbolNames(Operation *op, llvm::StringSet<> &names) {
  auto addText = [&](StringRef text) {
    for (StringRef name : namesInText(text))
      names.insert(name);
  };
  auto addPositional = [&](ArrayRef<StringRef> all, size_t numOperands) {
    for (StringRef name : all.drop_front(std::min(numOperands, all.size())))
      names.insert(name);
  };
  if (auto bind = dyn_cast<BindShapeOp>(op)) {
    for (StringAttr text : bind.getShape().getTexts())
      addText(text.getValue());
  } else if (auto assume = dyn_cast<AssumeOp>(op)) {
    llvm::StringSet<> own;
    for (StringRef name : assume.getNames().getAsValueRange<StringAttr>())
      own.insert(name);
    for (StringRef fact : assume.getFacts().getAsValueRange<StringAttr>())
      for (StringRef name : namesInText(fact))
        if (!own.contains(name))
          names.insert(name);
  } else if (auto check = dyn_cast<AssertOp>(op)) {
    addPositional(check.getNames(), check.getOperands().size());
  } else if (auto size = dyn_cast<SizeOp>(op)) {
    addPositional(size.getNames(), size.getOperands().size());
  }
}

namespace {
/// A name belongs to its function: an op that mentions one is inlined only
/// if the caller does not use the same name, which would then mean another
/// dim.
struct SymShapeInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *dest, bool,
                       IRMapping &) const final {
    llvm::StringSet<> own, theirs;
    collectSymbolNames(op, own);
    if (own.empty())
      return true;
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
    root->walk([&](Operation *nested) { collectSymbolNames(nested, theirs); });
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
#include "symshape/IR/WindowOps.cpp.inc"
      >();
  addInterfaces<SymShapeInlinerInterface>();
}

Operation *SymShapeDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
