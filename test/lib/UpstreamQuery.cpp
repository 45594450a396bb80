//===- UpstreamQuery.cpp - Ops of the test dialect that ask ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UpstreamQuery.h"

#include "mlir/Dialect/Vector/IR/ScalableValueBoundsConstraintSet.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;
using BoundType = UpstreamQuery::BoundType;
using Comparison = UpstreamQuery::Comparison;
using ConstraintSetOf = ValueBoundsConstraintSet;

static StringRef word(Operation *op, StringRef name, StringRef otherwise) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue() : otherwise;
}

static int64_t number(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// nullopt, with an error, where upstream refuses the op.
static std::optional<UpstreamQuery> readBound(Operation *op,
                                              bool overArguments) {
  UpstreamQuery q;
  q.op = op;
  q.isBound = true;
  q.type = llvm::StringSwitch<BoundType>(word(op, "type", "EQ"))
               .Case("EQ", BoundType::EQ)
               .Case("LB", BoundType::LB)
               .Default(BoundType::UB);
  q.subject.first = op->getOperand(0);
  auto shaped = dyn_cast<ShapedType>(op->getOperand(0).getType());
  if (shaped) { // then the verifier sees to it that there is a dim
    int64_t dim = number(op, "dim");
    if (dim < 0 || dim >= shaped.getRank()) {
      op->emitOpError(dim < 0 ? "dim must be non-negative"
                              : "invalid dim for shaped type rank");
      return std::nullopt;
    }
    q.subject.second = dim;
  }
  if (op->getAttr("constant"))
    q.terms = InTermsOf::Nothing;
  else if (op->getAttr("scalable"))
    q.terms = InTermsOf::Vscale;
  else if (overArguments)
    q.terms = InTermsOf::Arguments;
  q.vscale = {number(op, "vscale_min"), number(op, "vscale_max")};
  return q;
}

static std::optional<UpstreamQuery> readComparison(Operation *op) {
  UpstreamQuery q;
  q.op = op;
  q.comparison = llvm::StringSwitch<Comparison>(word(op, "cmp", "EQ"))
                     .Case("EQ", Comparison::EQ)
                     .Case("LT", Comparison::LT)
                     .Case("LE", Comparison::LE)
                     .Case("GT", Comparison::GT)
                     .Default(Comparison::GE);
  auto side = [&](StringRef name, AffineMap &map, ValueRange &left) {
    if (auto attr = op->getAttrOfType<AffineMapAttr>(name))
      map = attr.getValue();
    unsigned count = map ? map.getNumInputs() : 1;
    SmallVector<Value> taken(left.take_front(count));
    left = left.drop_front(count);
    return taken;
  };
  ValueRange left = op->getOperands();
  q.lhs = side("lhs_map", q.lhsMap, left);
  q.rhs = side("rhs_map", q.rhsMap, left);
  return q;
}

std::optional<UpstreamQuery> UpstreamQuery::read(Operation *op,
                                                 bool overArguments) {
  StringRef name = op->getName().getStringRef();
  if (name == "test.reify_bound")
    return readBound(op, overArguments);
  if (name == "test.compare")
    return readComparison(op);
  return std::nullopt;
}

static bool isArgument(Value v) {
  auto argument = dyn_cast<BlockArgument>(v);
  return argument &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

std::optional<bool> mlir::symshape::test::decideComparison(
    Comparison comparison, llvm::function_ref<bool(Comparison)> isTrue) {
  if (isTrue(comparison))
    return true;
  auto excludes = [&]() -> SmallVector<Comparison, 2> {
    switch (comparison) {
    case Comparison::EQ:
      return {Comparison::LT, Comparison::GT};
    case Comparison::LT:
      return {Comparison::GE};
    case Comparison::LE:
      return {Comparison::GT};
    case Comparison::GT:
      return {Comparison::LE};
    case Comparison::GE:
      return {Comparison::LT};
    }
    llvm_unreachable("no other comparison");
  }();
  if (llvm::any_of(excludes, isTrue))
    return false;
  return std::nullopt;
}

void UpstreamQuery::askUpstream() {
  if (!isBound) {
    auto variable = [](AffineMap map, ArrayRef<Value> values) {
      return map ? ConstraintSetOf::Variable(map, values)
                 : ConstraintSetOf::Variable(values[0]);
    };
    verdict = decideComparison(comparison, [&](Comparison c) {
      return ConstraintSetOf::compare(variable(lhsMap, lhs), c,
                                      variable(rhsMap, rhs));
    });
    return;
  }
  ConstraintSetOf::Variable variable(subject.first, subject.second);
  MLIRContext *context = op->getContext();
  switch (terms) {
  case InTermsOf::Nothing: {
    FailureOr<int64_t> bound = ConstraintSetOf::computeConstantBound(
        type, variable, nullptr, /*closedUB=*/true);
    if (succeeded(bound))
      boundMap = AffineMap::getConstantMap(*bound, context);
    return;
  }
  case InTermsOf::Vscale: {
    auto bound = vector::ScalableValueBoundsConstraintSet::computeScalableBound(
        subject.first, subject.second, vscale.first, vscale.second, type);
    if (succeeded(bound))
      boundMap = bound->map;
    return;
  }
  case InTermsOf::Arguments:
  case InTermsOf::OtherValues: {
    AffineMap map;
    ValueDimList operands;
    auto stop = [this](Value v, std::optional<int64_t>, ConstraintSetOf &) {
      return terms == InTermsOf::Arguments ? isArgument(v) : v != subject.first;
    };
    if (failed(ConstraintSetOf::computeBound(map, operands, type, variable,
                                             stop, /*closedUB=*/true)))
      return;
    boundMap = map;
    boundOperands.assign(operands.begin(), operands.end());
    return;
  }
  }
}

Quantity UpstreamQuery::sideOf(AffineMap map, ArrayRef<Value> values) const {
  if (!map)
    return Quantity(values[0]);
  SmallVector<Quantity> operands(values.begin(), values.end());
  return Quantity(map, operands);
}

std::string UpstreamQuery::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << *op;
  return text;
}
