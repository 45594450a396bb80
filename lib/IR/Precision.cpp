//===- Precision.cpp - In which type products are formed ------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/Precision.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::symshape;

std::optional<Precision> Precision::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  Precision precision;
  precision.isBFloat = parts.front() == "bf16";
  if (!precision.isBFloat && text != "f32")
    return std::nullopt;
  for (StringRef name : ArrayRef(parts).drop_front()) {
    if (!name.consume_front("-") || name.empty())
      return std::nullopt;
    precision.kept.push_back(name);
  }
  return precision;
}

void mlir::symshape::setPrecision(ModuleOp module, StringRef text) {
  auto attribute = StringAttr::get(module.getContext(), text);
  module.walk([&](Operation *op) {
    op->removeDiscardableAttr(kPrecision);
    if (isa<ModuleOp>(op))
      op->setAttr(kPrecision, attribute);
  });
}

/// Whether `place`, such as `node '/head/MatMul' (MatMul #3)` or the name of a
/// layer alone, is in the layer `name`.
static bool isInLayer(StringRef place, StringRef name) {
  for (size_t at = place.find(name); at != StringRef::npos;
       at = place.find(name, at + 1)) {
    StringRef before = place.take_front(at),
              after = place.substr(at + name.size());
    before.consume_back("/"); // ONNX begins names so
    bool begins = before.empty() || before.ends_with("'");
    if (begins && (after.empty() || StringRef("'/.:_").contains(after.front())))
      return true;
  }
  return false;
}

static bool isInLayer(Location loc, StringRef name) {
  return loc
      ->walk([&](Location part) {
        auto named = dyn_cast<NameLoc>(part);
        return named && isInLayer(named.getName(), name)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The closest attribute around `op`; null if there is none.
static StringAttr findPrecision(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto text = op->getAttrOfType<StringAttr>(kPrecision))
      return text;
  return {};
}

bool ProductPrecision::isRounded(Operation *op) {
  StringAttr text = findPrecision(op);
  std::optional<Precision> precision =
      text ? Precision::parse(text) : std::nullopt;
  if (!precision || !precision->isBFloat)
    return false;
  bool isKept = false;
  for (StringRef name : precision->kept)
    if (isInLayer(op->getLoc(), name)) {
      used.insert(name);
      isKept = true;
    }
  return !isKept;
}

void ProductPrecision::warnOfUnused(Operation *root) const {
  root->walk([&](Operation *op) {
    auto text = op->getAttrOfType<StringAttr>(kPrecision);
    std::optional<Precision> precision =
        text ? Precision::parse(text) : std::nullopt;
    if (!precision)
      return;
    for (StringRef name : precision->kept)
      if (!used.contains(name))
        emitWarning(op->getLoc()) << "expected a product in a layer '" << name
                                  << "', which is to stay in f32, but got none";
  });
}
