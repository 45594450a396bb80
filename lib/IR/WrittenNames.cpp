//===- WrittenNames.cpp - Names of values in a program's text -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A location becomes a fused one whose metadata are the name of the op, empty
// for an argument, and the names of its results.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/WrittenNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;

/// `loc` with the name of the op and those of its results.
static Location withNames(Location loc, StringRef op,
                          ArrayRef<std::string> names) {
  MLIRContext *context = loc.getContext();
  SmallVector<Attribute> all{StringAttr::get(context, op)};
  for (const std::string &name : names)
    all.push_back(StringAttr::get(context, name));
  return FusedLoc::get(loc, ArrayAttr::get(context, all), context);
}

void symshape::setWrittenNames(Operation *op, ArrayRef<std::string> names) {
  op->setLoc(withNames(op->getLoc(), op->getName().getStringRef(), names));
}

void symshape::setWrittenName(BlockArgument argument, StringRef name) {
  argument.setLoc(withNames(argument.getLoc(), "", name.str()));
}

StringRef symshape::getWrittenName(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Location loc = result ? result.getOwner()->getLoc()
                        : cast<BlockArgument>(value).getLoc();
  StringRef op = result ? result.getOwner()->getName().getStringRef() : "";
  size_t number = result ? result.getResultNumber() : 0;
  auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(loc);
  if (!fused)
    return {};
  auto names = llvm::to_vector(fused.getMetadata().getAsRange<StringAttr>());
  if (names.size() < number + 2 || names.front() != op)
    return {};
  return names[number + 1].getValue();
}

std::string symshape::getResultName(FunctionOpInterface function,
                                    unsigned index) {
  auto name =
      function.getResultAttrOfType<StringAttr>(index, SymShapeDialect::kName);
  return name ? name.str() : "result #" + std::to_string(index);
}
