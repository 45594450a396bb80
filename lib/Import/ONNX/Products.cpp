//===- Products.cpp - Sums of products ------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MatMul, Gemm, Einsum. Not for: convolutions (Windows.cpp).
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Families.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static LogicalResult matmul(Node &n) {
  Tensor x = n.tensor(0), y = n.tensor(1);
  if (x.rank() == 0 || y.rank() == 0 || x.type != y.type)
    return n.fail("expected two tensors of one type and of rank 1 or more");
  return n.set(0, n.emit().matmul(x, y, x.type));
}

/// Of com.microsoft: MatMul of operands whose last two axes may be exchanged,
/// times a factor. Source: ONNX Runtime, docs/ContribOperators.md.
static LogicalResult fusedMatmul(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), y = n.tensor(1);
  if (x.type != y.type || !isFloat(x.type))
    return n.fail("expected two tensors of one type of floats");
  if (n.intAttr("transBatchA", 0) || n.intAttr("transBatchB", 0))
    return n.fail("expected transBatchA and transBatchB to be 0");
  auto exchange = [&](Tensor &t, StringRef name) {
    if (!n.intAttr(name, 0) || t.rank() < 2) // a vector stays as it is
      return;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(t.rank()));
    std::swap(order[t.rank() - 2], order[t.rank() - 1]);
    t = e.transpose(t, order);
  };
  exchange(x, "transA");
  exchange(y, "transB");
  if (x.rank() == 0 || y.rank() == 0)
    return n.fail("expected rank 1 or more");
  double alpha = n.floatAttr("alpha", 1);
  Tensor result = e.matmul(x, y, sumType(x.type));
  if (alpha != 1)
    result = e.unary(result, [=](Scalars &s, Value v) {
      return s.mul(v, s.number(v.getType(), alpha));
    });
  return n.setRounded(0, result);
}

static bool isWhole(double factor) {
  return factor == std::rint(factor) && std::abs(factor) < 0x1p63;
}

/// Null after an error.
static Tensor matrixProduct(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0), y = n.tensor(1);
  if (x.rank() != 2 || y.rank() != 2 || x.type != y.type) {
    (void)n.fail("expected two tensors of one type and of rank 2");
    return Tensor();
  }
  if (n.intAttr("transA", 0))
    x = e.transpose(x, {1, 0});
  if (n.intAttr("transB", 0))
    y = e.transpose(y, {1, 0});
  double alpha = n.floatAttr("alpha", 1), beta = n.floatAttr("beta", 1);
  Tensor result = e.matmul(x, y, sumType(x.type));
  // A factor that is no integer scales integers as doubles, and what is added
  // to them is one.
  DataType wide = result.type;
  if (isInteger(wide) && !(isWhole(alpha) && (!n.has(2) || isWhole(beta))))
    wide = DataType::Double;
  auto scale = [&](const Tensor &t, double factor) {
    Tensor own = e.cast(t, wide);
    return factor == 1 ? own : e.unary(own, [=](Scalars &s, Value v) {
      return s.mul(v, s.number(v.getType(), factor));
    });
  };
  result = scale(result, alpha);
  if (n.has(2)) {
    Tensor c = n.broadcastOperand(2, result.dims);
    if (c.rank() > 2 || c.type != x.type) {
      (void)n.fail("expected what is added to have the type of the products "
                   "and rank 2 at most");
      return Tensor();
    }
    e.requireBroadcast(c, result.dims,
                       "what is added must broadcast to the "
                       "products");
    result = e.wrap(e.add(result, scale(c, beta)).value, result.dims, wide);
  }
  return result;
}

static LogicalResult gemm(Node &n) {
  Tensor product = matrixProduct(n);
  return product ? n.setRounded(0, product) : failure();
}

/// Of com.microsoft: Gemm and an activation. Source: ONNX Runtime,
/// docs/ContribOperators.md.
static LogicalResult fusedGemm(Node &n) {
  Tensor product = matrixProduct(n);
  if (!product)
    return failure();
  SmallVector<float> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (n.attribute(name))
      parameters.push_back(n.floatAttr(name, 0));
  Tensor activated = fusedActivation(n, product, parameters);
  return activated ? n.setRounded(0, activated) : failure();
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

namespace {
/// Indices of each operand and of the result; those of an ellipsis are capital
/// letters from the end.
struct Equation {
  SmallVector<std::string> operands;
  std::string result;
};
} // namespace

/// Letters for the axes that an ellipsis stands for, from the last.
static std::string ellipsisLetters(int64_t count) {
  std::string letters;
  for (int64_t i = count; i > 0; --i)
    letters += static_cast<char>('\1' + i - 1);
  return letters;
}

static std::optional<Equation> parseEquation(Node &n, StringRef text,
                                             ArrayRef<Tensor> operands) {
  std::string clean;
  for (char c : text)
    if (c != ' ')
      clean += c;
  auto [left, right] = StringRef(clean).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  auto refuse = [&]() {
    (void)n.fail("expected an equation of the operands, but got '" + text +
                 "'");
    return std::nullopt;
  };
  if (terms.size() != operands.size())
    return refuse();
  Equation equation;
  int64_t widest = -1;
  for (auto [term, operand] : llvm::zip(terms, operands)) {
    auto [before, behind] = term.split("...");
    std::string letters = term.str();
    if (term.contains("...")) {
      int64_t hidden =
          operand.rank() - static_cast<int64_t>(before.size() + behind.size());
      if (hidden < 0 || (widest >= 0 && hidden != widest)) {
        (void)n.fail("expected an ellipsis that stands for as many axes of "
                     "each operand, but got '" +
                     text + "'");
        return std::nullopt;
      }
      widest = hidden;
      letters = before.str() + ellipsisLetters(hidden) + behind.str();
    }
    if (static_cast<int64_t>(letters.size()) != operand.rank() ||
        llvm::any_of(letters,
                     [](char c) { return c >= 32 && !llvm::isAlpha(c); }))
      return refuse();
    equation.operands.push_back(letters);
  }
  widest = std::max<int64_t>(widest, 0);
  if (StringRef(clean).contains("->")) {
    auto [before, behind] = right.split("...");
    equation.result =
        right.contains("...")
            ? before.str() + ellipsisLetters(widest) + behind.str()
            : right.str();
    std::set<char> distinct(equation.result.begin(), equation.result.end());
    if (distinct.size() != equation.result.size() ||
        llvm::any_of(distinct, [&](char c) {
          return llvm::none_of(equation.operands, [&](StringRef letters) {
            return letters.contains(c);
          });
        }))
      return refuse();
    return equation;
  }
  // If no result is given: the ellipsis, then what occurs once, in order.
  std::map<char, int> counts;
  for (const std::string &letters : equation.operands)
    for (char c : letters)
      ++counts[c];
  equation.result = ellipsisLetters(widest);
  for (auto [letter, count] : counts)
    if (letter >= 32 && count == 1)
      equation.result += letter;
  return equation;
}

/// x with one axis for each letter: where one occurs again, the elements at
/// equal places.
static Tensor takeDiagonals(Emitter &e, const Tensor &x, std::string &letters) {
  std::string once;
  SmallVector<Expr, 4> dims;
  SmallVector<size_t> axisOf;
  for (auto [i, c] : llvm::enumerate(letters)) {
    size_t axis = StringRef(once).find(c);
    if (axis == StringRef::npos) {
      axis = once.size();
      once += c;
      dims.push_back(x.dims[i]);
    } else {
      e.require(Relation::eq(x.dims[i], dims[axis]),
                "axes of one index must be equally long");
    }
    axisOf.push_back(axis);
  }
  if (once == letters)
    return x;
  letters = once;
  return e.generate(dims, x.type, [&](Scalars &s, ArrayRef<Value> at) {
    return Emitter::at(s, x, llvm::map_to_vector(axisOf, [&](size_t axis) {
                         return at[axis];
                       }));
  });
}

static bool isOfEllipsis(char letter) { return letter < ' '; }

static LogicalResult einsum(Node &n) {
  Emitter &e = n.emit();
  SmallVector<Tensor> operands;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    operands.push_back(n.tensor(i));
    if (operands.back().type != operands[0].type)
      return n.fail("expected operands of one type");
  }
  if (operands.empty())
    return n.fail("expected an operand");
  auto equation = parseEquation(n, n.textAttr("equation", ""), operands);
  if (!equation)
    return failure();
  // Loops: those of the result, then the summed ones.
  std::string loops = equation->result;
  llvm::MapVector<char, Expr> extents;
  for (auto [letters, operand] : llvm::zip(equation->operands, operands)) {
    operand = takeDiagonals(e, operand, letters);
    for (auto [i, c] : llvm::enumerate(letters)) {
      if (!StringRef(loops).contains(c))
        loops += c;
      Expr &extent = extents.insert({c, e.constant(1)}).first->second;
      extent = e.broadcast(extent, operand.dims[i]);
    }
  }
  auto loopOf = [&](char c) { return StringRef(loops).find(c); };
  SmallVector<AffineMap> maps;
  for (auto [letters, operand] : llvm::zip(equation->operands, operands)) {
    SmallVector<AffineExpr> places;
    SmallVector<int64_t> dropped;
    SmallVector<Expr, 4> spread(operand.dims);
    for (auto [i, c] : llvm::enumerate(letters))
      if (isOfEllipsis(c) && !operand.dims[i].isConstant(1))
        spread[i] = extents[c];
    if (spread != operand.dims)
      operand = e.broadcastTo(operand, spread);
    for (auto [i, c] : llvm::enumerate(letters)) {
      Expr extent = extents[c];
      // Only an ellipsis broadcasts.
      if (operand.dims[i].isConstant(1) && !extent.isConstant(1)) {
        dropped.push_back(i);
        continue;
      }
      places.push_back(e.builder().getAffineDimExpr(loopOf(c)));
    }
    operand = e.squeeze(operand, dropped);
    maps.push_back(AffineMap::get(loops.size(), 0, places, e.context()));
  }
  SmallVector<Expr, 4> dims;
  SmallVector<AffineExpr> places;
  for (char c : equation->result) {
    dims.push_back(extents[c]);
    places.push_back(e.builder().getAffineDimExpr(loopOf(c)));
  }
  maps.push_back(AffineMap::get(loops.size(), 0, places, e.context()));
  SmallVector<bool> isReduction(loops.size(), true);
  std::fill_n(isReduction.begin(), equation->result.size(), false);
  DataType given = operands[0].type, type = sumType(given);
  Tensor sums = e.structured(operands, e.fill(dims, type, 0.0), maps,
                             isReduction, [&](Scalars &s, ArrayRef<Value> v) {
                               Value product = s.cast(v[0], given, type);
                               for (size_t i = 1; i < operands.size(); ++i)
                                 product =
                                     s.mul(product, s.cast(v[i], given, type));
                               return s.add(v.back(), product);
                             });
  return n.setRounded(0, sums);
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

/// For each matrix the row from `step` on with the greatest number in column
/// `step`, an int64; the first of these.
static Tensor findPivots(Emitter &e, const Tensor &x, Value step) {
  OpBuilder &b = e.builder();
  Tensor column = e.pick(x, 2, step);
  AffineMap maps[] = {b.getMultiDimIdentityMap(2),
                      AffineMap::get(2, 0, b.getAffineDimExpr(0), e.context()),
                      AffineMap::get(2, 0, b.getAffineDimExpr(0), e.context())};
  Tensor inits[] = {e.fill(x.dims[0], x.type, -1.0),
                    e.fill(x.dims[0], DataType::Int64, 0.0)};
  return e.structured(
      column, inits, maps, {false, true}, [&](Scalars &s, ArrayRef<Value> v) {
        Value size = s.create<math::AbsFOp>(v[0]);
        Value row = s.loop(1);
        Value wins = s.logicalAnd(s.lessOrEqual(step, row), s.less(v[1], size));
        Value place = s.fromIndex(row, DataType::Int64);
        return SmallVector<Value>{s.select(wins, size, v[1]),
                                  s.select(wins, place, v[2])};
      })[1];
}

/// Elimination, row by row, of all matrices at once: the product of the pivots,
/// negated for each exchange of rows.
static LogicalResult det(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  int64_t batch = x.rank() - 2;
  if (batch < 0 || !isFloat(x.type))
    return n.fail("expected matrices of floats");
  Expr size = x.dims[batch];
  e.require(Relation::eq(size, x.dims[batch + 1]), "matrices must be square");
  SmallVector<Expr, 4> outer(x.dims.begin(), x.dims.begin() + batch);
  Expr count = e.product(outer);
  DataType type = DataType::Double;
  Tensor all = e.cast(e.reshape(x, {count, size, size}), type);
  Tensor ones = e.fill(count, type, 1.0);
  auto ends =
      e.repeat(size, {all, ones}, [&](Value step, ArrayRef<Tensor> old) {
        Tensor pivots = findPivots(e, old[0], step);
        // The rows of the pivot and of this step are exchanged.
        SmallVector<Expr, 2> places{count, size};
        Tensor rows = e.generate(
            places, DataType::Int64, [&](Scalars &s, ArrayRef<Value> at) {
              Value pivot = Emitter::at(s, pivots, at[0]);
              Value row = s.fromIndex(at[1], DataType::Int64);
              Value own = s.fromIndex(step, DataType::Int64);
              Value other = s.select(s.equal(row, pivot), own, row);
              return s.select(s.equal(row, own), pivot, other);
            });
        auto read = [&](Scalars &s, Value matrix, Value row, Value column) {
          Value from =
              s.toIndex(Emitter::at(s, rows, {matrix, row}), DataType::Int64);
          return Emitter::at(s, old[0], {matrix, from, column});
        };
        Tensor next = e.unary(old[0], [&](Scalars &s, Value) {
          Value matrix = s.loop(0), row = s.loop(1), column = s.loop(2);
          Value zero = f64(s, 0), one = f64(s, 1);
          Value pivot = read(s, matrix, step, step);
          Value safe = s.select(s.equal(pivot, zero), one, pivot);
          Value factor = s.div(read(s, matrix, row, step), safe);
          Value own = read(s, matrix, row, column);
          Value less = s.sub(own, s.mul(factor, read(s, matrix, step, column)));
          return s.select(s.less(step, row), less, own);
        });
        Tensor result = e.unary(old[1], [&](Scalars &s, Value product) {
          Value matrix = s.loop(0);
          Value value = s.mul(product, read(s, matrix, step, step));
          Value pivot =
              s.toIndex(Emitter::at(s, pivots, matrix), DataType::Int64);
          return s.select(s.equal(pivot, step), value, s.neg(value));
        });
        return SmallVector<Tensor>{next, result};
      });
  return n.set(0, e.cast(e.reshape(ends[1], outer), x.type));
}

void mlir::symshape::onnx::addProductOps(Registry &registry) {
  registry.add("MatMul", 2, matmul);
  registry.add("com.microsoft", "FusedGemm", {2, fusedGemm});
  registry.add("com.microsoft", "FusedMatMul", {2, fusedMatmul});
  registry.add("Gemm", 2, gemm);
  registry.add("Einsum", 1, einsum);
  registry.add("Det", 1, det);
}
