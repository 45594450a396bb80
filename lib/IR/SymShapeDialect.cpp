//===- SymShapeDialect.cpp - The symshape dialect -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, inlining, and the verification of discardable attributes on
// functions, arguments, results and ops.
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "symshape/IR/SymShape.h"
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

/// Adds the names in the shapes of the signature of `function`.
static void collectSignatureNames(FunctionOpInterface function,
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

namespace {
/// A name belongs to its function: an op that mentions one is inlined only
/// where the caller does not use the same name, for it would come to mean
/// another dim.
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
      >();
  addInterfaces<SymShapeInlinerInterface>();
}

Operation *SymShapeDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// The attribute `name` of `op` as an array of attributes of one kind of ours.
template <typename AttrTy>
static FailureOr<ArrayAttr> verifyArray(Operation *op, StringRef name,
                                        Attribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr);
  if (array && llvm::all_of(array, llvm::IsaPred<AttrTy>))
    return array;
  return op->emitOpError() << "expected '" << name << "' to be an array of #"
                           << AttrTy::name << ", but got " << attr;
}

/// Verifies `symshape.symbols`: symbols, each declared once, and no dimension
/// of the signature with a range below zero.
static LogicalResult verifySymbols(FunctionOpInterface function,
                                   Attribute attr) {
  FailureOr<ArrayAttr> symbols =
      verifyArray<SymbolAttr>(function, SymShapeDialect::kSymbols, attr);
  if (failed(symbols))
    return failure();
  llvm::StringSet<> dims, declared;
  collectSignatureNames(function, dims);
  for (auto symbol : symbols->getAsRange<SymbolAttr>()) {
    if (!declared.insert(symbol.getName()).second)
      return function.emitOpError() << "expected symbol '" << symbol.getName()
                                    << "' to be declared once";
    if (symbol.getMax() && *symbol.getMax() < 0 &&
        dims.contains(symbol.getName()))
      return function.emitOpError()
             << "expected the range of '" << symbol.getName()
             << "', which names a dimension, to hold a value >= 0, but got "
             << symbol;
  }
  return success();
}

/// Verifies that `facts` use names of the signature alone; `what` they are.
static LogicalResult verifyKnownNames(FunctionOpInterface function,
                                      ArrayRef<FactAttr> facts,
                                      StringRef what) {
  llvm::StringSet<> known;
  collectSignatureNames(function, known);
  if (auto symbols =
          function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
    for (Attribute symbol : symbols)
      if (auto declared = dyn_cast<SymbolAttr>(symbol))
        known.insert(declared.getName());
  for (FactAttr fact : facts)
    for (StringRef name : namesInText(fact.getText()))
      if (!known.contains(name))
        return function.emitOpError()
               << "expected a symbol of the signature, but got unknown symbol '"
               << name << "' in " << what << " '" << fact.getText() << "'";
  return success();
}

/// Verifies `symshape.assume`: facts over names of the signature.
static LogicalResult verifyAssume(FunctionOpInterface function,
                                  Attribute attr) {
  FailureOr<ArrayAttr> facts =
      verifyArray<FactAttr>(function, SymShapeDialect::kAssume, attr);
  if (failed(facts))
    return failure();
  return verifyKnownNames(
      function, llvm::to_vector(facts->getAsRange<FactAttr>()), "fact");
}

/// Verifies `symshape.versions`: names that differ, conditions over names of
/// the signature.
static LogicalResult verifyVersions(FunctionOpInterface function,
                                    Attribute attr) {
  FailureOr<ArrayAttr> versions =
      verifyArray<VersionAttr>(function, SymShapeDialect::kVersions, attr);
  if (failed(versions))
    return failure();
  llvm::StringSet<> names;
  for (auto version : versions->getAsRange<VersionAttr>()) {
    if (!names.insert(version.getName()).second)
      return function.emitOpError() << "expected version '" << version.getName()
                                    << "' to be declared once";
    if (failed(verifyKnownNames(function, version.getFacts(), "condition")))
      return failure();
  }
  return success();
}

/// Verifies `symshape.version_names`: strings.
static LogicalResult verifyVersionNames(FunctionOpInterface function,
                                        Attribute attr) {
  auto names = dyn_cast<ArrayAttr>(attr);
  if (names && llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return success();
  return function.emitOpError() << "expected 'symshape.version_names' to be an "
                                   "array of strings, but got "
                                << attr;
}

/// Verifies `symshape.extents`: one shape per result that fits its type.
static LogicalResult verifyExtents(Operation *op, Attribute attr) {
  FailureOr<ArrayAttr> shapes =
      verifyArray<ShapeAttr>(op, SymShapeDialect::kExtents, attr);
  if (failed(shapes))
    return failure();
  if (shapes->size() != op->getNumResults())
    return op->emitOpError()
           << "expected 'symshape.extents' to hold one shape per "
              "result ("
           << op->getNumResults() << "), but got " << shapes->size();
  for (auto [type, shape] : llvm::zip(op->getResultTypes(), *shapes)) {
    if (!isa<ShapedType>(type) && cast<ShapeAttr>(shape).getRank() == 0)
      continue; // a scalar has no extents
    if (failed(verifyShapeOfType(cast<ShapeAttr>(shape), type, [&] {
          return op->emitOpError() << "'symshape.extents': ";
        })))
      return failure();
  }
  return success();
}

LogicalResult SymShapeDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kExtents)
    return verifyExtents(op, attr.getValue());
  if (name == kSymbols || name == kAssume || name == kVersions ||
      name == kVersionNames) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op->emitOpError() << "expected '" << name << "' on a function";
    if (name == kSymbols)
      return verifySymbols(function, attr.getValue());
    if (name == kAssume)
      return verifyAssume(function, attr.getValue());
    return name == kVersions ? verifyVersions(function, attr.getValue())
                             : verifyVersionNames(function, attr.getValue());
  }
  if (name == kShape || name == kWeight || name == kName)
    return op->emitOpError() << "expected '" << name
                             << "' on an argument or result of a function";
  return success();
}

/// Verifies `attr` of the argument or result number `index` of type `type`;
/// `place` is "argument" or "result".
static LogicalResult verifySignatureAttribute(Operation *op, StringRef place,
                                              unsigned index, Type type,
                                              NamedAttribute attr) {
  StringRef name = attr.getName();
  auto emitError = [&] {
    return op->emitOpError() << place << " #" << index << ": ";
  };
  if (name == SymShapeDialect::kShape) {
    auto shape = dyn_cast<ShapeAttr>(attr.getValue());
    if (!shape)
      return emitError()
             << "expected 'symshape.shape' to be a #symshape.shape, but got "
             << attr.getValue();
    return verifyShapeOfType(shape, type, emitError);
  }
  bool isString = (name == SymShapeDialect::kWeight && place == "argument") ||
                  name == SymShapeDialect::kName;
  if (isString && !isa<StringAttr>(attr.getValue()))
    return emitError() << "expected '" << name << "' to be a string, but got "
                       << attr.getValue();
  if (!isString &&
      (name == SymShapeDialect::kWeight || name == SymShapeDialect::kSymbols ||
       name == SymShapeDialect::kAssume || name == SymShapeDialect::kExtents))
    return emitError() << "unexpected attribute '" << name << "'";
  return success();
}

LogicalResult SymShapeDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                        unsigned argIndex,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || argIndex >= function.getNumArguments())
    return success();
  return verifySignatureAttribute(op, "argument", argIndex,
                                  function.getArgumentTypes()[argIndex], attr);
}

LogicalResult SymShapeDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || resultIndex >= function.getNumResults())
    return success();
  return verifySignatureAttribute(op, "result", resultIndex,
                                  function.getResultTypes()[resultIndex], attr);
}
