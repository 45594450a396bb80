//===- Declare.cpp - Symbols for dims, from outside the text --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   spec  ::= entry (`;` entry)*
//   entry ::= (function `:`)? argument `dim` number (`=` name)? what*
//   what  ::= `auto` | `dynamic` | `static` | `[` min `,` max `]`
//           | `multiple_of` number
//
// An argument is `arg` and its number, or its spelling such as `%ids`. Without
// a function, an entry is about the function of the entry before it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/Snapshot.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_DECLAREPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What one entry says of a dim.
struct DimDeclaration {
  std::string name;
  std::optional<SymbolPolicy> policy;
  bool hasRange = false;
  std::optional<int64_t> min, max;
  std::optional<int64_t> modulus;
};

/// Reads one entry, a word at a time.
class EntryReader {
public:
  EntryReader(ModuleOp module, StringRef text) : module(module), text(text) {}

  LogicalResult read(func::FuncOp &function);
  LogicalResult apply(func::FuncOp function);

private:
  InFlightDiagnostic expected(const Twine &what) {
    return module.emitError()
           << "spec: expected " << what.str() << " in '" << text << "'";
  }
  bool consume(StringRef word);
  std::optional<int64_t> readNumber();
  LogicalResult readArgument(func::FuncOp function);
  LogicalResult readFacts();
  LogicalResult readRange();
  FailureOr<std::string> nameDim(func::FuncOp function);

  ModuleOp module;
  StringRef text, rest = text;
  unsigned argument = 0;
  int64_t dim = 0;
  DimDeclaration declaration;
};
} // namespace

/// Takes `word` off the rest, if that begins with it.
bool EntryReader::consume(StringRef word) {
  StringRef after = rest.ltrim();
  if (!after.consume_front(word))
    return false;
  bool isWord = llvm::isAlnum(word.back());
  if (isWord && !after.empty() && (llvm::isAlnum(after[0]) || after[0] == '_'))
    return false;
  rest = after;
  return true;
}

std::optional<int64_t> EntryReader::readNumber() {
  StringRef after = rest.ltrim();
  int64_t number;
  if (after.consumeInteger(10, number))
    return std::nullopt;
  rest = after;
  return number;
}

LogicalResult EntryReader::readArgument(func::FuncOp function) {
  if (consume("arg")) {
    std::optional<int64_t> number = readNumber();
    if (!number || *number < 0 || *number >= function.getNumArguments())
      return expected("the number of an argument of @" + function.getName());
    argument = *number;
    return success();
  }
  StringRef name =
      rest.ltrim().take_until([](char c) { return llvm::isSpace(c); });
  unsigned numSpelled = function.isExternal() ? 0 : function.getNumArguments();
  for (argument = 0; argument < numSpelled; ++argument) {
    std::string spelling = spellingOfArgument(function, argument);
    if (name == spelling || name == "%" + spelling) {
      rest = rest.ltrim().drop_front(name.size());
      return success();
    }
  }
  return expected("arg N, or the spelling of an argument of @" +
                  function.getName() + ", but got '" + name + "'");
}

/// Reads `[1, 64]`; an end may be `-inf` or `inf`.
LogicalResult EntryReader::readRange() {
  declaration.hasRange = true;
  if (!consume("-inf") && !(declaration.min = readNumber()))
    return expected("an integer or -inf as the lower end");
  if (!consume(","))
    return expected("',' between the ends of a range");
  if (!consume("inf") && !(declaration.max = readNumber()))
    return expected("an integer or inf as the upper end");
  return consume("]") ? success() : LogicalResult(expected("']'"));
}

LogicalResult EntryReader::readFacts() {
  while (!rest.trim().empty()) {
    if (consume("auto"))
      declaration.policy = SymbolPolicy::Auto;
    else if (consume("dynamic"))
      declaration.policy = SymbolPolicy::Dynamic;
    else if (consume("static"))
      declaration.policy = SymbolPolicy::Static;
    else if (consume("multiple_of")) {
      if (!(declaration.modulus = readNumber()))
        return expected("a number behind multiple_of");
    } else if (consume("[")) {
      if (failed(readRange()))
        return failure();
    } else {
      return expected(
          "auto, dynamic, static, a range or multiple_of, but got '" +
          rest.trim() + "'");
    }
  }
  return success();
}

LogicalResult EntryReader::read(func::FuncOp &function) {
  if (auto [name, after] = rest.split(':'); name.size() != rest.size()) {
    function = module.lookupSymbol<func::FuncOp>(name.trim());
    if (!function)
      return expected("a function of this module, but got '" + name.trim() +
                      "'");
    rest = after;
  }
  if (!function)
    return expected("a function before the first argument");
  if (failed(readArgument(function)))
    return failure();
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  std::optional<int64_t> number = consume("dim") ? readNumber() : std::nullopt;
  if (!number || !type || !type.hasRank() || *number < 0 ||
      *number >= type.getRank() || !type.isDynamicDim(*number))
    return expected("dim and the number of a dynamic dim");
  dim = *number;
  if (consume("=")) {
    declaration.name = rest.ltrim().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.ltrim().drop_front(declaration.name.size());
    if (declaration.name.empty())
      return expected("a name behind '='");
  }
  return readFacts();
}

/// The symbol that is the dim; declares the shape of the argument if need
/// be.
FailureOr<std::string> EntryReader::nameDim(func::FuncOp function) {
  auto type = cast<ShapedType>(function.getArgumentTypes()[argument]);
  auto shape =
      function.getArgAttrOfType<ShapeAttr>(argument, SymShapeDialect::kShape);
  ExprArena arena;
  SmallVector<Extent> extents;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (shape)
      extents.push_back(shape.getExtent(d, arena));
    else if (type.isDynamicDim(d))
      extents.push_back(Extent::unknown());
    else
      extents.push_back(Extent::exact(arena.constant(type.getDimSize(d))));
  }
  Extent &extent = extents[dim];
  std::string &name = declaration.name;
  if (extent.kind == Extent::Exact) {
    if (!extent.expr.asSymbol() ||
        (!name.empty() && name != *extent.expr.asSymbol()))
      return expected("a dim without a name, but that one is '" +
                      extent.expr.str() + "'");
    return extent.expr.asSymbol()->str();
  }
  if (name.empty())
    name = "d" + std::to_string(argument) + "_" + std::to_string(dim);
  extent = Extent::exact(arena.symbol(name));
  function.setArgAttr(argument, SymShapeDialect::kShape,
                      ShapeAttr::get(function.getContext(), extents));
  return name;
}

LogicalResult EntryReader::apply(func::FuncOp function) {
  FailureOr<std::string> name = nameDim(function);
  if (failed(name))
    return failure();
  SmallVector<Attribute> symbols;
  std::optional<int64_t> min = 0, max;
  int64_t modulus = 1, remainder = 0;
  SymbolPolicy policy = SymbolPolicy::Auto;
  SmallVector<int64_t> likely;
  if (auto known =
          function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
    for (auto symbol : known.getAsRange<SymbolAttr>()) {
      if (symbol.getName() != *name) {
        symbols.push_back(symbol);
        continue;
      }
      std::tie(min, max) = std::make_pair(symbol.getMin(), symbol.getMax());
      modulus = symbol.getModulus();
      remainder = symbol.getRemainder();
      policy = symbol.getPolicy();
      likely.append(symbol.getLikely().begin(), symbol.getLikely().end());
    }
  if (declaration.hasRange)
    std::tie(min, max) = std::make_pair(declaration.min, declaration.max);
  if (declaration.modulus)
    std::tie(modulus, remainder) = std::make_pair(*declaration.modulus, 0);
  auto symbol = SymbolAttr::getChecked(
      [&] { return module.emitError() << "spec: in '" << text << "': "; },
      function.getContext(), StringRef(*name), min, max, modulus, remainder,
      declaration.policy.value_or(policy), ArrayRef<int64_t>(likely));
  if (!symbol)
    return failure();
  symbols.push_back(symbol);
  function->setAttr(SymShapeDialect::kSymbols,
                    ArrayAttr::get(function.getContext(), symbols));
  return mlir::verify(function);
}

namespace {
struct DeclarePass : symshape::impl::DeclarePassBase<DeclarePass> {
  using DeclarePassBase::DeclarePassBase;

  void runOnOperation() override {
    if (failed(changeOrRestore(getOperation(), [&] { return run(); })))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    func::FuncOp function;
    SmallVector<StringRef> entries;
    StringRef(spec).split(entries, ';', -1, /*KeepEmpty=*/false);
    for (StringRef entry : entries) {
      EntryReader reader(getOperation(), entry.trim());
      if (failed(reader.read(function)) || failed(reader.apply(function)))
        return failure();
    }
    return success();
  }
};
} // namespace
