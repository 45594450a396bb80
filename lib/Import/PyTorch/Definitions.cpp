//===- Definitions.cpp - Ops that models have no word for -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of a program are lists of rank 0, whose elements are expressions.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/PyTorch/Definitions.h"
#include "GraphWriter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "symshape/Import/ONNX/DimText.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::symshape;
using onnx::DataType;
using onnx::Emitter;
using onnx::Node;
using onnx::Tensor;

/// The extent of an axis.
static LogicalResult size(Node &n) {
  Tensor x = n.tensor(0);
  int64_t axis = n.intAttr("axis", 0);
  if (axis < 0 || axis >= x.rank())
    return n.fail("expected an axis of rank " + Twine(x.rank()) + ", but got " +
                  Twine(axis));
  n.emit().assumeExtents(x.dims);
  return n.setList(0, x.dims[axis], true, DataType::Int64);
}

/// Integers as one list.
static LogicalResult list(Node &n) {
  SmallVector<Expr, 4> elements;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    Expr e = n.oneInt(i);
    if (!e)
      return failure();
    elements.push_back(e);
  }
  return n.setList(0, elements, false, DataType::Int64);
}

/// The integer in a tensor of one element.
static LogicalResult item(Node &n) {
  Expr e;
  if (n.type(0) == DataType::Int64 && n.rank(0) == 0) {
    e = n.oneInt(0);
  } else if (mlir::Value element = n.oneElement(0)) {
    onnx::Scalars s(n.emit().builder(), n.emit().loc());
    e = n.emit().bindInteger(s.toIndex(element, n.type(0)), "item");
  }
  return e ? n.setList(0, e, true, DataType::Int64) : failure();
}

/// What the names of the attribute `symbols` stand for, in its order.
static std::optional<llvm::StringMap<Expr>> readSymbols(Node &n, size_t first) {
  llvm::StringMap<Expr> symbols;
  SmallVector<StringRef> names;
  n.textAttr("symbols", "").split(names, ',', -1, /*KeepEmpty=*/false);
  for (auto [i, name] : llvm::enumerate(names)) {
    Expr e = i + first < n.numInputs() ? n.oneInt(i + first) : Expr();
    if (!e)
      return std::nullopt;
    symbols[name] = e;
  }
  return symbols;
}

/// An expression in integers.
static LogicalResult evaluate(Node &n) {
  auto symbols = readSymbols(n, 0);
  if (!symbols)
    return failure();
  StringRef text = n.textAttr("text", "");
  Expr e = onnx::parseDimText(n.emit().arena(), text, [&](StringRef name) {
    return symbols->lookup(name);
  });
  if (!e)
    return n.fail("expected an expression of integers, but got '" + text + "'");
  return n.setList(0, n.emit().simplify(e), true, DataType::Int64);
}

/// A relation of integers that calls are checked for.
static LogicalResult require(Node &n) {
  Expr x = n.oneInt(0), y = n.oneInt(1);
  if (!x || !y)
    return failure();
  StringRef relation = n.textAttr("relation", ""),
            message = n.textAttr("message", "");
  Emitter &e = n.emit();
  if (relation == ">=")
    e.require(Relation::ge(x, y), message);
  else if (relation == "<=")
    e.require(Relation::le(x, y), message);
  else if (relation == ">")
    e.require(Relation::ge(x, y + 1), message);
  else if (relation == "<")
    e.require(Relation::le(x + 1, y), message);
  else if (relation == "==")
    e.require(Relation::eq(x, y), message);
  else if (relation == "!=")
    e.require(Relation::ne(x, y), message);
  else
    return n.fail("expected a relation, but got '" + relation + "'");
  return success();
}

/// What the exporter says of extents, which must not contradict what is known.
static LogicalResult claim(Node &n) {
  auto symbols = readSymbols(n, 1);
  if (!symbols)
    return failure();
  Emitter &e = n.emit();
  auto dims = n.operand(0).extents(e.arena());
  SmallVector<StringRef> texts;
  n.textAttr("dims", "").split(texts, ';');
  if (!dims || texts.size() != dims->size() + 1)
    return n.fail("expected a tensor of rank " + Twine(texts.size() - 1) +
                  ", as the exporter says");
  for (auto [axis, dim] : llvm::enumerate(*dims)) {
    if (texts[axis].empty())
      continue;
    Expr claimed =
        onnx::parseDimText(e.arena(), texts[axis], [&](StringRef name) {
          return symbols->lookup(name);
        });
    if (!claimed)
      continue;
    Expr difference = e.simplify(dim - claimed);
    if (difference.isConstant() && !difference.isConstant(0))
      return n.fail("the exporter says that dim " + Twine(axis) + " is " +
                    texts[axis] + ", which is " + claimed.str() +
                    ", but it is " + dim.str());
  }
  return success();
}

/// Extents of 1 become those of the list, of which -1 leaves an extent.
static LogicalResult expand(Node &n) {
  auto wanted = n.ints(1);
  if (!wanted)
    return failure();
  Tensor x = n.tensor(0);
  Emitter &e = n.emit();
  int64_t added = static_cast<int64_t>(wanted->size()) - x.rank();
  if (added < 0)
    return n.fail("expected at least " + Twine(x.rank()) + " extents");
  SmallVector<Expr, 4> dims;
  for (auto [axis, dim] : llvm::enumerate(*wanted)) {
    int64_t own = static_cast<int64_t>(axis) - added;
    dims.push_back(dim.isConstant(-1) && own >= 0 ? x.dims[own] : dim);
    if (!e.isNonNegative(dims.back()))
      e.require(Relation::ge(dims.back(), e.constant(0)),
                "an extent must not be negative");
  }
  e.requireBroadcast(x, dims, "an extent that is expanded must be 1");
  return n.set(0, e.broadcastTo(x, dims));
}

/// Each tensor in the extents that all of them are broadcast to.
static LogicalResult broadcast(Node &n) {
  SmallVector<Tensor> tensors;
  for (size_t i = 0; i < n.numInputs(); ++i)
    tensors.push_back(n.tensor(i));
  SmallVector<Expr, 4> dims = n.emit().broadcastDims(tensors);
  for (auto [i, tensor] : llvm::enumerate(tensors))
    if (n.wants(i) && failed(n.set(i, n.emit().broadcastTo(tensor, dims))))
      return failure();
  return success();
}

static LogicalResult atan2(Node &n) {
  Tensor x = n.wideTensor(0), y = n.wideTensor(1);
  return n.setRounded(
      0, n.emit().map(
             {x, y}, x.type,
             [](onnx::Scalars &s, ArrayRef<mlir::Value> values) -> mlir::Value {
               return s.create<math::Atan2Op>(values[0], values[1]);
             }));
}

/// The shares of elements in the means of adaptive pooling: of `out` bins, bin
/// i reaches from floor(i*in/out) to ceil((i + 1)*in/out).
static LogicalResult bins(Node &n) {
  Expr in = n.oneInt(0), out = n.oneInt(1);
  if (!in || !out)
    return failure();
  Emitter &e = n.emit();
  mlir::Value inside = e.index(in), outside = e.index(out);
  return n.set(
      0,
      e.generate(
          {out, in}, DataType::Float,
          [&](onnx::Scalars &s, ArrayRef<mlir::Value> at) -> mlir::Value {
            mlir::Value one = s.index(1);
            mlir::Value first = s.div(s.mul(at[0], inside), outside);
            mlir::Value last = s.div(s.mul(s.add(at[0], one), inside), outside);
            mlir::Value rest =
                s.sub(s.mul(s.add(at[0], one), inside), s.mul(last, outside));
            mlir::Value end =
                s.select(s.equal(rest, s.index(0)), last, s.add(last, one));
            mlir::Value isIn =
                s.logicalAnd(s.lessOrEqual(first, at[1]), s.less(at[1], end));
            Type f32 = s.b.getF32Type();
            mlir::Value count = s.fromIndex(s.sub(end, first), DataType::Float);
            return s.select(isIn, s.div(s.number(f32, 1), count),
                            s.number(f32, 0));
          }));
}

static LogicalResult stopGradient(Node &n) {
  return n.set(0, n.emit().stopGradient(n.tensor(0)));
}

void mlir::symshape::pytorch::addOps(onnx::Registry &registry) {
  struct {
    StringRef name;
    unsigned minInputs;
    LogicalResult (*emit)(Node &);
  } ops[] = {{"Size", 1, size},
             {"List", 0, list},
             {"Item", 1, item},
             {"Evaluate", 0, evaluate},
             {"Require", 2, require},
             {"Claim", 1, claim},
             {"Expand", 2, expand},
             {"Bins", 2, bins},
             {"Atan2", 2, atan2},
             {"Broadcast", 1, broadcast},
             {"StopGradient", 1, stopGradient}};
  for (const auto &op : ops)
    registry.add(kDomain, op.name, {op.minInputs, op.emit});
  // Models have them of floats alone.
  constexpr int64_t opset = 22;
  for (StringRef name : {"Conv", "ConvTranspose", "MaxPool"})
    if (const onnx::Definition *known = registry.find("", name, opset))
      registry.add(kDomain, name, {known->minInputs, known->emit});
}
