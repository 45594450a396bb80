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
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;

std::optional<Precision> Precision::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  Precision precision;
  auto kind = llvm::StringSwitch<std::optional<Kind>>(parts.front())
                  .Case("f32", Kind::F32)
                  .Case("bf16", Kind::BF16)
                  .Case("int8", Kind::Int8)
                  .Case("int4", Kind::Int4)
                  .Default(std::nullopt);
  if (!kind || (*kind == Kind::F32 && parts.size() > 1))
    return std::nullopt;
  precision.kind = *kind;
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

/// What a text says, if it says one of the kinds asked of.
std::optional<Precision> ProductPrecision::parse(StringAttr text) const {
  std::optional<Precision> precision =
      text ? Precision::parse(text) : std::nullopt;
  return precision && llvm::is_contained(kinds, precision->kind) ? precision
                                                                 : std::nullopt;
}

Precision::Kind ProductPrecision::of(Operation *op) {
  std::optional<Precision> precision = parse(findPrecision(op));
  if (!precision)
    return Kind::F32;
  bool isKept = false;
  for (StringRef name : precision->kept)
    if (isInLayer(op->getLoc(), name)) {
      used.insert(name);
      isKept = true;
    }
  return isKept ? Kind::F32 : precision->kind;
}

void ProductPrecision::warnOfUnused(Operation *root) const {
  root->walk([&](Operation *op) {
    std::optional<Precision> precision =
        parse(op->getAttrOfType<StringAttr>(kPrecision));
    if (!precision)
      return;
    for (StringRef name : precision->kept)
      if (!used.contains(name))
        emitWarning(op->getLoc()) << "expected a product in a layer '" << name
                                  << "', which is to stay in f32, but got none";
  });
}
