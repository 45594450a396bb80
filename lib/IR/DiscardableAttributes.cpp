//===- DiscardableAttributes.cpp - Our attributes on ops of others --------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which attributes `symshape.…` there are, where each may stand, and what it
// holds. Any other name is an error: a misspelt one would be a fact that nobody
// checks. Not for: the text of attributes (SymShapeAttrs.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/IR/DiscardableAttributes.h"
#include "ShapeChecks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "symshape/IR/Diagnostics.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/Precision.h"
#include "symshape/IR/SymShape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

//===----------------------------------------------------------------------===//
// What each attribute of an op holds
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

/// In parentheses, if a person can look them through.
static std::string list(const llvm::StringSet<> &names) {
  constexpr unsigned most = 8;
  if (names.empty())
    return ", which names none";
  if (names.size() > most)
    return "";
  SmallVector<StringRef> sorted = llvm::to_vector(names.keys());
  llvm::sort(sorted);
  return " (" + llvm::join(sorted, ", ") + ")";
}

/// Verifies that `facts`, called `what`, use only names of the signature.
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
               << "expected a symbol of the signature" << list(known)
               << ", but got unknown symbol '" << name << "' in " << what
               << " '" << fact.getText() << "'";
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

/// Verifies an array of strings.
template <const llvm::StringLiteral &name>
static LogicalResult verifyStrings(FunctionOpInterface function,
                                   Attribute attr) {
  auto strings = dyn_cast<ArrayAttr>(attr);
  if (strings && llvm::all_of(strings, llvm::IsaPred<StringAttr>))
    return success();
  return function.emitOpError()
         << "expected '" << name << "' to be an array of strings, but got "
         << attr;
}

/// Verifies `symshape.extents`: one shape per result that fits its type. Passes
/// that erase unused results of an op, and know nothing of the attribute, leave
/// more shapes than results; these say nothing.
static LogicalResult verifyExtents(Operation *op, Attribute attr) {
  FailureOr<ArrayAttr> shapes =
      verifyArray<ShapeAttr>(op, SymShapeDialect::kExtents, attr);
  if (failed(shapes))
    return failure();
  if (shapes->size() > op->getNumResults())
    return success();
  if (shapes->size() < op->getNumResults())
    return op->emitOpError()
           << "expected 'symshape.extents' to hold one shape per "
              "result ("
           << op->getNumResults() << "), but got " << shapes->size();
  for (auto [type, shape] : llvm::zip(op->getResultTypes(), *shapes)) {
    auto shaped = dyn_cast<ShapedType>(type);
    bool carries = shaped && shaped.hasRank() && !isa<VectorType>(type);
    if (!carries && cast<ShapeAttr>(shape).getRank() == 0)
      continue; // a scalar, say, has no extents
    if (failed(verifyShapeOfType(cast<ShapeAttr>(shape), type, [&] {
          return op->emitOpError() << "'symshape.extents': ";
        })))
      return failure();
  }
  return success();
}

/// Verifies `symshape.guarded`: its presence says all.
static LogicalResult verifyGuarded(FunctionOpInterface function,
                                   Attribute attr) {
  if (isa<UnitAttr>(attr))
    return success();
  return function.emitOpError()
         << "expected 'symshape.guarded' without a value, but got " << attr;
}

/// Verifies the names of the functions that answer for one.
template <const llvm::StringLiteral &name>
static LogicalResult verifySymbolName(FunctionOpInterface function,
                                      Attribute attr) {
  if (isa<FlatSymbolRefAttr>(attr))
    return success();
  return function.emitOpError()
         << "expected '" << name << "' to be the name of a function, but got "
         << attr;
}

/// Verifies `symshape.tosa_numpy_broadcast`: on a module, without a value.
static LogicalResult verifyTosaNumPyBroadcast(Operation *op, Attribute attr) {
  if (isa<UnitAttr>(attr) && isa<ModuleOp>(op))
    return success();
  return op->emitOpError() << "expected '"
                           << SymShapeDialect::kTosaNumPyBroadcast
                           << "' without a value on a module, but got " << attr;
}

/// Verifies `symshape.precision`: a text that `Precision` reads.
static LogicalResult verifyPrecision(Operation *op, Attribute attr) {
  auto text = dyn_cast<StringAttr>(attr);
  if (text && Precision::parse(text) && isa<ModuleOp>(op))
    return success();
  return op->emitOpError() << "expected '" << kPrecision
                           << "' on a module to be " << kPrecisionForm
                           << ", but got " << attr;
}

/// Verifies `symshape.triple`: a string.
static LogicalResult verifyTriple(Operation *op, Attribute attr) {
  if (isa<StringAttr>(attr))
    return success();
  return op->emitOpError() << "expected 'symshape.triple' to be a string, but "
                              "got "
                           << attr;
}

/// Verifies `symshape.name`: a string.
static LogicalResult verifyName(FunctionOpInterface function, Attribute attr) {
  if (isa<StringAttr>(attr))
    return success();
  return function.emitOpError()
         << "expected 'symshape.name' to be a string, but got " << attr;
}

//===----------------------------------------------------------------------===//
// What each attribute of an argument or result holds
//===----------------------------------------------------------------------===//

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Verifies `symshape.shape`: a shape that fits the type.
static LogicalResult verifyShape(Type type, Attribute attr,
                                 EmitError emitError) {
  if (auto shape = dyn_cast<ShapeAttr>(attr))
    return verifyShapeOfType(shape, type, emitError);
  return emitError()
         << "expected 'symshape.shape' to be a #symshape.shape, but got "
         << attr;
}

/// Verifies `symshape.weight` and `symshape.name`: strings.
template <const llvm::StringLiteral &name>
static LogicalResult verifyString(Type, Attribute attr, EmitError emitError) {
  if (isa<StringAttr>(attr))
    return success();
  return emitError() << "expected '" << name << "' to be a string, but got "
                     << attr;
}

/// Verifies `symshape.together`: the number of a group, and of loops.
static LogicalResult verifyTogether(Operation *op, Attribute attr) {
  auto numbers = dyn_cast<ArrayAttr>(attr);
  if (numbers && numbers.size() == 2 &&
      llvm::all_of(numbers, llvm::IsaPred<IntegerAttr>))
    return success();
  return op->emitOpError() << "expected 'symshape.together' to hold the number "
                              "of a group and of loops, but got "
                           << attr;
}

/// Verifies `symshape.unsigned`: no value, and signless integers.
static LogicalResult verifyUnsigned(Type type, Attribute attr,
                                    EmitError emitError) {
  if (isa<UnitAttr>(attr) && getElementTypeOrSelf(type).isSignlessInteger())
    return success();
  return emitError() << "expected '" << kUnsigned
                     << "' without a value on signless integers, but got "
                     << attr << " on " << type;
}

/// Verifies `symshape.donated` and `symshape.donatable`: the number of a
/// result, on a tensor.
template <const llvm::StringLiteral &name>
static LogicalResult verifyDonated(Type type, Attribute attr,
                                   EmitError emitError) {
  auto number = dyn_cast<IntegerAttr>(attr);
  if (number && number.getType().isSignlessInteger(64) &&
      number.getInt() >= 0 && isa<ShapedType>(type))
    return success();
  return emitError() << "expected '" << name
                     << "' to be the number of a result as an i64 on a tensor, "
                        "but got "
                     << attr << " on " << type;
}

/// Verifies `symshape.extent_residuals`: numbers of arguments, one per
/// dimension of a tensor.
static LogicalResult verifyExtentResiduals(Type type, Attribute attr,
                                           EmitError emitError) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (numbers && numbers.size() == (tensor ? tensor.getRank() : 0))
    return success();
  return emitError() << "expected 'symshape.extent_residuals' to hold one "
                        "64-bit number per dimension, but got "
                     << attr;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// An attribute of the dialect, and what verifies it at each place where it may
/// stand; null where it may not.
struct KnownAttribute {
  StringRef name;
  StringRef places;
  LogicalResult (*onOp)(Operation *, Attribute) = nullptr;
  LogicalResult (*onFunction)(FunctionOpInterface, Attribute) = nullptr;
  LogicalResult (*onArgument)(Type, Attribute, EmitError) = nullptr;
  LogicalResult (*onResult)(Type, Attribute, EmitError) = nullptr;
};
} // namespace

static ArrayRef<KnownAttribute> getKnownAttributes() {
  using D = SymShapeDialect;
  static const KnownAttribute known[] = {
      {D::kSymbols, "a function", nullptr, verifySymbols},
      {D::kAssume, "a function", nullptr, verifyAssume},
      {D::kVersions, "a function", nullptr, verifyVersions},
      {D::kVersionNames, "a function", nullptr,
       verifyStrings<D::kVersionNames>},
      {kMessages, "a function", nullptr, verifyStrings<kMessages>},
      {kGuarded, "a function", nullptr, verifyGuarded},
      {kGuardFunction, "a function", nullptr, verifySymbolName<kGuardFunction>},
      {kVersionFunction, "a function", nullptr,
       verifySymbolName<kVersionFunction>},
      {kPrepareFunction, "a function", nullptr,
       verifySymbolName<kPrepareFunction>},
      {D::kExtents, "an op", verifyExtents},
      {kTriple, "an op", verifyTriple},
      {kTogether, "an op", verifyTogether},
      {D::kTosaNumPyBroadcast, "a module", verifyTosaNumPyBroadcast},
      {kPrecision, "a module", verifyPrecision},
      {D::kShape, "an argument or result of a function", nullptr, nullptr,
       verifyShape, verifyShape},
      {D::kName, "a function, or an argument or result of one", nullptr,
       verifyName, verifyString<D::kName>, verifyString<D::kName>},
      {D::kWeight, "an argument of a function", nullptr, nullptr,
       verifyString<D::kWeight>},
      {kUnsigned, "an argument or result of a function", nullptr, nullptr,
       verifyUnsigned, verifyUnsigned},
      {kDonated, "an argument of a function", nullptr, nullptr,
       verifyDonated<kDonated>},
      {kDonatable, "an argument of a function", nullptr, nullptr,
       verifyDonated<kDonatable>},
      {kExtentResiduals, "an argument of a function", nullptr, nullptr,
       verifyExtentResiduals}};
  return known;
}

/// The attribute that is likely meant by `name`, or null.
static const KnownAttribute *findNearest(StringRef name) {
  ArrayRef<KnownAttribute> all = getKnownAttributes();
  // Distances take long, and most names are right.
  const auto *same = llvm::find_if(
      all, [&](const KnownAttribute &known) { return known.name == name; });
  if (same != all.end())
    return same;
  const KnownAttribute *nearest = nullptr;
  unsigned leastDistance = 4; // a suggestion further off would not help
  for (const KnownAttribute &known : all) {
    unsigned distance = name.edit_distance(known.name, true, leastDistance);
    if (distance < leastDistance) {
      leastDistance = distance;
      nearest = &known;
    }
  }
  return nearest;
}

/// The entry of `name`; null, after an error that names the likeliest intended
/// attribute, if there is none.
static const KnownAttribute *lookupAttribute(StringRef name,
                                             EmitError emitError) {
  const KnownAttribute *nearest = findNearest(name);
  if (nearest && nearest->name == name)
    return nearest;
  InFlightDiagnostic error = emitError();
  error << "unknown attribute '" << name << "'";
  if (nearest)
    error << "; did you mean '" << nearest->name << "'?";
  return nullptr;
}

LogicalResult mlir::symshape::verifyAttributeNames(Operation *root) {
  auto verify = [](Operation *op, ArrayRef<NamedAttribute> attributes) {
    return success(llvm::all_of(attributes, [&](NamedAttribute attr) {
      StringRef name = attr.getName();
      return attr.getNameDialect() || !name.contains('.') ||
             !findNearest(name) ||
             lookupAttribute(name, [&] { return op->emitOpError(); });
    }));
  };
  auto isWrong = [&](Operation *op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (failed(verify(op, llvm::to_vector(op->getDiscardableAttrs()))))
      return true;
    for (unsigned i = 0, e = function ? function.getNumArguments() : 0; i < e;
         ++i)
      if (failed(verify(op, function.getArgAttrs(i))))
        return true;
    for (unsigned i = 0, e = function ? function.getNumResults() : 0; i < e;
         ++i)
      if (failed(verify(op, function.getResultAttrs(i))))
        return true;
    return false;
  };
  return failure(root->walk([&](Operation *op) {
                       return isWrong(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
                     })
                     .wasInterrupted());
}

/// A symbol that `function` declares and nothing in it names; null if there is
/// none.
static SymbolAttr findUnnamed(FunctionOpInterface function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols);
  if (!symbols)
    return {};
  llvm::StringSet<> names;
  collectSignatureNames(function, names);
  auto find = [&]() -> SymbolAttr {
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      if (!names.contains(symbol.getName()))
        return symbol;
    return {};
  };
  if (!find())
    return {};
  function->walk([&](Operation *op) { collectMentionedNames(op, names); });
  return find();
}

LogicalResult mlir::symshape::verifySymbolNames(Operation *root) {
  return failure(root->walk([&](FunctionOpInterface function) {
                       SymbolAttr unnamed = findUnnamed(function);
                       if (!unnamed)
                         return WalkResult::advance();
                       function.emitOpError()
                           << "expected symbol '" << unnamed.getName()
                           << "' to name a dimension, but got none in the "
                              "signature or in a symshape.bind_shape";
                       return WalkResult::interrupt();
                     })
                     .wasInterrupted());
}

bool mlir::symshape::declaresUnchecked(FunctionOpInterface function) {
  auto hasShape = [](ArrayAttr dictionaries) {
    return dictionaries &&
           llvm::any_of(dictionaries.getAsRange<DictionaryAttr>(),
                        [](DictionaryAttr attributes) {
                          return attributes.contains(SymShapeDialect::kShape);
                        });
  };
  return !function->hasAttr(kGuarded) &&
         (hasShape(function.getArgAttrsAttr()) ||
          hasShape(function.getResAttrsAttr()) ||
          function->hasAttr(SymShapeDialect::kAssume));
}

/// Whether attributes of arguments and results can be read: discardable ones
/// are verified before the op, which says what is wrong.
static bool hasReadableSignature(FunctionOpInterface function) {
  auto areReadable = [](ArrayAttr attributes, unsigned number) {
    return !attributes ||
           (attributes.size() == number &&
            llvm::all_of(attributes, llvm::IsaPred<DictionaryAttr>));
  };
  return areReadable(function.getArgAttrsAttr(), function.getNumArguments()) &&
         areReadable(function.getResAttrsAttr(), function.getNumResults());
}

LogicalResult SymShapeDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  auto emitError = [&] { return op->emitOpError(); };
  const KnownAttribute *known = lookupAttribute(attr.getName(), emitError);
  if (!known)
    return failure();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (known->onFunction && function)
    return success(!hasReadableSignature(function) ||
                   succeeded(known->onFunction(function, attr.getValue())));
  if (known->onOp)
    return known->onOp(op, attr.getValue());
  return emitError() << "expected '" << known->name << "' on " << known->places;
}

/// Verifies `attr` of an argument or result of type `type`.
static LogicalResult verifySignatureAttribute(NamedAttribute attr, Type type,
                                              bool isResult,
                                              EmitError emitError) {
  const KnownAttribute *known = lookupAttribute(attr.getName(), emitError);
  if (!known)
    return failure();
  if (auto *verify = isResult ? known->onResult : known->onArgument)
    return verify(type, attr.getValue(), emitError);
  return emitError() << "unexpected attribute '" << known->name
                     << "', which belongs on " << known->places;
}

LogicalResult SymShapeDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                        unsigned argIndex,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto emitError = [&] {
    return op->emitOpError() << "argument #" << argIndex << ": ";
  };
  if (!function || argIndex >= function.getNumArguments())
    return success(lookupAttribute(attr.getName(), emitError) != nullptr);
  return verifySignatureAttribute(attr, function.getArgumentTypes()[argIndex],
                                  /*isResult=*/false, emitError);
}

LogicalResult SymShapeDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto emitError = [&] {
    return op->emitOpError() << "result #" << resultIndex << ": ";
  };
  if (!function || resultIndex >= function.getNumResults())
    return success(lookupAttribute(attr.getName(), emitError) != nullptr);
  return verifySignatureAttribute(attr, function.getResultTypes()[resultIndex],
                                  /*isResult=*/true, emitError);
}
