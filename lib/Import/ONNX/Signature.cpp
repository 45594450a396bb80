//===- Signature.cpp - What inputs declare --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name that is an extent of an input stands for that extent. If it occurs in
// expressions only, as in `16*H`, the first one that leaves it one value
// defines it.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::symshape;
using namespace mlir::symshape::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names that are taken
//===----------------------------------------------------------------------===//

static void reserveNames(ArrayRef<ValueInfo> infos, DimNames &names) {
  for (const ValueInfo &info : infos)
    for (const Dimension &dim : info.type.dims) {
      StringRef text = dim.param.trim();
      names.reserve(text);
      // Each word of an expression, whether it is read as one or not.
      for (StringRef rest = text; !rest.empty();) {
        StringRef word = rest.take_while(
            [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
        names.reserve(word);
        rest = rest.drop_front(std::max<size_t>(word.size(), 1));
      }
    }
}

static void reserveNames(const Graph &graph, DimNames &names) {
  for (const auto *infos : {&graph.inputs, &graph.outputs, &graph.values})
    reserveNames(*infos, names);
  for (const NodeData &node : graph.nodes)
    for (const AttributeData &attribute : node.attributes)
      if (attribute.graph)
        reserveNames(*attribute.graph, names);
}

void mlir::symshape::onnx::reserveNames(const Model &model, DimNames &names) {
  ::reserveNames(model.graph, names);
}

std::string
mlir::symshape::onnx::listNames(ArrayRef<const ValueInfo *> inputs) {
  constexpr size_t most = 8;
  llvm::SetVector<StringRef> names;
  for (const ValueInfo *input : inputs)
    for (const Dimension &dim : input->type.dims)
      if (!dim.value && !isAnonymous(dim.param.trim()))
        names.insert(dim.param.trim());
  if (names.empty())
    return "";
  ArrayRef<StringRef> first = names.getArrayRef().take_front(most);
  return " (" + escaped(llvm::join(first, ", ")) +
         (names.size() > most ? ", ...)" : ")");
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

namespace {
class SignatureReader {
public:
  SignatureReader(ArrayRef<const ValueInfo *> inputs,
                  const llvm::StringMap<int64_t> &values, ExprArena &arena,
                  DimNames &names)
      : inputs(inputs), values(values), arena(arena), names(names) {}

  llvm::Expected<DeclaredExtents> read();

private:
  /// Calls `visit` with each declared text that names something.
  void visitTexts(
      llvm::function_ref<void(size_t input, size_t dim, StringRef)> visit);
  Expr nameOrValue(StringRef text);
  void readExpression(size_t input, size_t dim, StringRef text);
  void setOpaque(size_t input, size_t dim, StringRef text);
  llvm::Error check();

  ArrayRef<const ValueInfo *> inputs;
  const llvm::StringMap<int64_t> &values;
  ExprArena &arena;
  DimNames &names;
  llvm::StringSet<> used;
  llvm::DenseSet<Expr> bound;
  DeclaredExtents result;
};
} // namespace

/// The text of the dimension; empty if it is anonymous.
static StringRef textOf(const Dimension &dim) {
  StringRef text = dim.param.trim();
  return dim.value || isAnonymous(text) ? "" : text;
}

void SignatureReader::visitTexts(
    llvm::function_ref<void(size_t, size_t, StringRef)> visit) {
  for (auto [i, input] : llvm::enumerate(inputs))
    for (auto [d, dim] : llvm::enumerate(input->type.dims))
      if (StringRef text = textOf(dim); !text.empty())
        visit(i, d, text);
}

Expr SignatureReader::nameOrValue(StringRef text) {
  if (auto it = values.find(text); it != values.end()) {
    used.insert(text);
    return arena.constant(it->second);
  }
  return arena.symbol(names.symbolOf(text));
}

void SignatureReader::setOpaque(size_t input, size_t dim, StringRef text) {
  Expr symbol = nameOrValue(text);
  bound.insert(symbol);
  result.dims[input][dim] = symbol;
}

/// Solves `e` = `extent` for `symbol`, the only one in `e` that is not bound,
/// if `e` is `coefficient * symbol + rest`; else null.
static Expr solve(Expr e, Expr symbol, Expr extent) {
  ExprArena &arena = e.arena();
  Expr rest = arena.substitute(
      e, [&](Expr s) { return s == symbol ? arena.zero() : Expr(); });
  Expr linear = e - rest;
  ArrayRef<Expr::Term> terms = linear.terms();
  if (terms.size() != 1 || terms[0].powers.size() != 1 ||
      terms[0].powers[0].second != 1 ||
      terms[0].powers[0].first.asExpr() != symbol)
    return Expr();
  return arena.floorDiv(extent - rest, arena.constant(terms[0].coefficient));
}

void SignatureReader::readExpression(size_t input, size_t dim, StringRef text) {
  if (names.isKnown(text) || values.contains(text))
    return setOpaque(input, dim, text);
  Expr e = parseDimText(arena, text,
                        [&](StringRef name) { return nameOrValue(name); });
  if (!e)
    return setOpaque(input, dim, text);
  SmallVector<Expr> open;
  for (Expr symbol : e.symbols())
    if (!bound.contains(symbol))
      open.push_back(symbol);
  if (open.size() == 1) {
    Expr extent = arena.freshSymbol("_v");
    if (Expr value = solve(e, open[0], extent)) {
      result.solved.push_back({open[0], input, dim, extent, value});
      bound.insert(open[0]);
      open.clear();
    }
  }
  if (!open.empty())
    return setOpaque(input, dim, text);
  result.dims[input][dim] = e;
}

llvm::Error SignatureReader::check() {
  for (const auto &value : values)
    if (!used.contains(value.getKey()))
      return llvm::createStringError(
          "expected a name in the extents of the inputs" + listNames(inputs) +
          ", but got '" + value.getKey() + "'");
  for (auto [i, dims] : llvm::enumerate(result.dims))
    for (auto [d, dim] : llvm::enumerate(dims))
      if (std::optional<int64_t> extent = dim.asInt64(); extent && *extent < 0)
        return llvm::createStringError(
            "expected extents of at least 0, but got " + llvm::Twine(*extent) +
            " for dim " + llvm::Twine(d) + " of input '" + inputs[i]->name +
            "'");
  return llvm::Error::success();
}

llvm::Expected<DeclaredExtents> SignatureReader::read() {
  for (const ValueInfo *input : inputs)
    result.dims.emplace_back(input->type.dims.size());
  // Plain names first, wherever they stand: they are defined without a
  // division.
  visitTexts([&](size_t input, size_t dim, StringRef text) {
    if (isDimName(text))
      setOpaque(input, dim, text);
  });
  visitTexts([&](size_t input, size_t dim, StringRef text) {
    if (!isDimName(text))
      readExpression(input, dim, text);
  });
  // Generated names, once all others are known.
  for (auto [i, input] : llvm::enumerate(inputs))
    for (auto [d, dim] : llvm::enumerate(input->type.dims)) {
      if (dim.value && *dim.value >= 0)
        result.dims[i][d] = arena.constant(*dim.value);
      else if (textOf(dim).empty())
        setOpaque(i, d, names.makeFresh());
    }
  if (llvm::Error error = check())
    return std::move(error);
  return std::move(result);
}

llvm::Expected<DeclaredExtents> mlir::symshape::onnx::readDeclaredExtents(
    ArrayRef<const ValueInfo *> inputs, const llvm::StringMap<int64_t> &values,
    ExprArena &arena, DimNames &names) {
  return SignatureReader(inputs, values, arena, names).read();
}
