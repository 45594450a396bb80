//===- ShapeChecks.cpp - Does a shape attribute fit a type? ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"

using namespace mlir;
using namespace mlir::symshape;

LogicalResult symshape::verifyShapeOfType(
    ShapeAttr shape, Type type,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || isa<VectorType>(type))
    return emitError()
           << "expected a ranked tensor or memref to carry a shape, but got "
           << type;
  if (shape.getRank() != shaped.getRank())
    return emitError() << "expected a shape of rank " << shaped.getRank()
                       << " for type " << type << ", but got rank "
                       << shape.getRank();
  ExprArena arena;
  for (int64_t d = 0, e = shape.getRank(); d < e; ++d) {
    Extent extent = shape.getExtent(d, arena);
    std::optional<llvm::DynamicAPInt> given = extent.kind == Extent::Unknown
                                                  ? std::nullopt
                                                  : extent.expr.asConstant();
    if (!given)
      continue;
    if (*given < 0)
      return emitError() << "expected the extent of dimension " << d
                         << " to be at least 0, but got " << extent.expr.str();
    if (shaped.isDynamicDim(d))
      continue;
    llvm::DynamicAPInt size(shaped.getDimSize(d));
    if (extent.kind == Extent::Exact ? *given != size : *given < size)
      return emitError() << "expected dimension " << d << " to have the extent "
                         << shaped.getDimSize(d) << " of type " << type
                         << ", but got "
                         << (extent.kind == Extent::Exact ? "" : "<= ")
                         << extent.expr.str();
  }
  return success();
}

void symshape::collectSignatureNames(FunctionOpInterface function,
                                     llvm::StringSet<> &names) {
  auto addShape = [&](Attribute attr) {
    if (auto shape = dyn_cast_or_null<ShapeAttr>(attr))
      for (StringAttr text : shape.getTexts())
        for (StringRef name : namesInText(text.getValue()))
          names.insert(name);
  };
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    addShape(function.getArgAttr(i, SymShapeDialect::kShape));
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    addShape(function.getResultAttr(i, SymShapeDialect::kShape));
}

void symshape::collectMentionedNames(Operation *op, llvm::StringSet<> &names) {
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
