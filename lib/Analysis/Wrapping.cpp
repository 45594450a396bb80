//===- Wrapping.cpp - Results that may not fit ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products of numbers of some bits: what they are if they do not fit,
// and which must fit in any call that can end. See
// docs/Rationale/IntegerModel.md.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Expr/Integers.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

static unsigned bitsOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

// What is not proved to fit stands for itself modulo 2^bits; sums and products
// of such numbers do, too. So of (S*T)*B, where S*T may wrap, the whole is
// B*S*T if that fits, whatever happened in between. A symbol inside a quotient,
// min or max is the number after wrapping, and stays.
// A chain of them would grow with each link, so that what is large is kept.
// Multiples of 2^bits are 0, such as that in a mod 2^bits, and a constant is
// the number that the type has for it.
Expr FunctionShapes::beforeWrapping(Expr e, unsigned bits) {
  constexpr unsigned largest = 64;
  Expr exact = exprs.replaceAtoms(e, [&](Atom atom) {
    auto known = modular.lookup(atom.asExpr());
    return atom.kind() == AtomKind::Symbol && known.bits >= bits
               ? known.e
               : atom.asExpr();
  });
  if (exact.size() > largest)
    exact = e;
  llvm::DynamicAPInt modulus = powerOfTwo(bits), half = powerOfTwo(bits - 1);
  if (llvm::all_of(exact.terms(), [&](const Expr::Term &term) {
        return -half <= term.coefficient && term.coefficient < half;
      }))
    return exact;
  SmallVector<Expr::Term> rest;
  for (Expr::Term term : exact.terms()) {
    if (term.powers.empty())
      term.coefficient = mod(term.coefficient + half, modulus) - half;
    if (term.coefficient % modulus != 0)
      rest.push_back(std::move(term));
  }
  return exprs.fromTerms(std::move(rest));
}

/// Remembers how many elements a structured op computes, if that may not fit:
/// it takes time for each, so they are fewer than 2^63 in a call that ends.
void FunctionShapes::noteElements(Operation *op) {
  if (!isa<linalg::LinalgOp>(op))
    return;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getNumDynamicDims() < 2)
      continue;
    Expr count = exprs.one();
    for (int64_t d = 0; d < type.getRank() && count; ++d) {
      Extent known = extent(result, d);
      count = known.kind == Extent::Exact ? count * known.expr : Expr();
    }
    if (count && (elementCounts.empty() || elementCounts.back() != count))
      elementCounts.push_back(count);
  }
}

/// Whether `e`, times a positive constant, is a number of elements.
bool FunctionShapes::countsElements(Expr e) {
  if (e.terms().empty())
    return false;
  return llvm::any_of(elementCounts, [&](Expr count) {
    if (count.terms().size() != e.terms().size())
      return false;
    llvm::DynamicAPInt whole = count.terms()[0].coefficient;
    llvm::DynamicAPInt part = e.terms()[0].coefficient;
    return whole % part == 0 && whole / part > 0 &&
           e * exprs.constant(whole / part) == count;
  });
}

/// Whether `value` is used only for extents of tensors and in asserts: then
/// nobody sees a number that has wrapped.
static bool isOnlyForExtents(Value value) {
  constexpr size_t most = 200;
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (seen.size() > most)
      return false;
    for (Operation *user : next.getUsers()) {
      bool isNumber = isa<arith::ArithDialect>(user->getDialect()) &&
                      llvm::all_of(user->getResultTypes(), [](Type type) {
                        return type.isIntOrIndex();
                      });
      // The shape that a reshape takes.
      bool isShape = isa<tensor::FromElementsOp>(user) &&
                     llvm::all_of(user->getUses(), [](OpOperand &use) {
                       return isa<tensor::ReshapeOp>(use.getOwner()) &&
                              use.getOperandNumber() == 1;
                     });
      if (isNumber)
        llvm::append_range(open, user->getResults());
      else if (!isShape && !isa<tensor::EmptyOp, tensor::ExpandShapeOp,
                                cf::AssertOp, AssertOp>(user))
        return false;
    }
  }
  return true;
}

// A product of extents of two arguments, S*T, may be 2^64 for dims that can
// exist, and then wraps to 0. If the program computes S*T elements before, such
// a call does not end: an element takes some time, and 2^63 of them take
// centuries. So it may as well be refused at once, and in every call that is
// served the product is exact. This holds only where the elements are computed
// on each way to here, which `elementCounts` says, and where they are S*T, or
// that times a constant: with B = 0, B*S*T elements say nothing of S*T. And it
// is refused only if the number is used as an extent: a program that returns it
// may want it modulo 2^64.
bool FunctionShapes::setProduct(Value scalar, Expr e) {
  Operation *op = scalar.getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp>(op) || bitsOf(scalar.getType()) != 64 ||
      !countsElements(e) || !isOnlyForExtents(scalar) ||
      !set.isProvably(Relation::le(exprs.zero(), e)))
    return false;
  require(Relation::le(e, exprs.constant(INT64_MAX)), "number of elements");
  setValue(scalar, e);
  return true;
}

/// Whether the op of the value rules out an overflow: then more is known of its
/// symbol than of equal sums that may wrap.
static bool rulesOutOverflow(Value scalar) {
  auto op = scalar.getDefiningOp<arith::ArithIntegerOverflowFlagsInterface>();
  return op && (op.hasNoUnsignedWrap() || op.hasNoSignedWrap());
}

/// What does not fit wraps; equal numbers of one type wrap to equal values, so
/// the first of them stands for those that it dominates.
void FunctionShapes::setWrapped(Value scalar, Expr e) {
  // What adds 0, or multiplies by 1, is an operand, which is in the type.
  auto isResult = [&](Value operand) {
    return operand.getType() == scalar.getType() && value(operand) == e;
  };
  Operation *op = scalar.getDefiningOp();
  if (fitsType(e, scalar.getType()) ||
      (op && llvm::any_of(op->getOperands(), isResult)))
    return setValue(scalar, e);
  unsigned bits = bitsOf(scalar.getType());
  Expr exact = beforeWrapping(e, bits);
  if (exact != e && fitsType(exact, scalar.getType()))
    return setValue(scalar, exact);
  if (setProduct(scalar, exact))
    return;
  Value &first = wrapped[{exact, scalar.getType()}];
  // It was visited before; so in an enclosing region of one block, it
  // dominates.
  Region *home = first ? first.getParentRegion() : nullptr;
  if (home && home->hasOneBlock() &&
      home->isAncestor(current->getParentRegion()))
    return setValue(scalar, value(first));
  if (!rulesOutOverflow(scalar))
    first = scalar;
  modular[value(scalar)] = {exact, bits};
}
