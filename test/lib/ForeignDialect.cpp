//===- ForeignDialect.cpp - Ops of somebody else, for tests ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `foreign.says`, an op whose rule says what its attributes spell, whether it
// is so or not: what rules of other people may say. `foreign.twice` and
// `foreign.fold`, linear ops of which nothing is known but their rules.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "symshape/IR/Derivatives.h"
#include "symshape/IR/ShapeFacts.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// `exact` and `at_most` hold, for each result, a number per dimension,
/// negative where nothing is said; with `copies`, result i has the extents of
/// operand i.
class SaysOp
    : public Op<SaysOp, OpTrait::VariadicOperands, OpTrait::VariadicResults,
                OpTrait::ZeroRegions, ShapeFactsOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.says"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  void populateShapeFacts(ShapeFacts &facts) {
    say(facts, "exact", [](Expr e) { return Extent::exact(e); });
    say(facts, "at_most", [](Expr e) { return Extent::upperBound(e); });
    if ((*this)->hasAttr("copies"))
      for (auto [from, to] :
           llvm::zip((*this)->getOperands(), (*this)->getResults()))
        facts.copyExtents(from, to);
  }

private:
  void say(ShapeFacts &facts, StringRef name,
           llvm::function_ref<Extent(Expr)> make) {
    auto all = (*this)->getAttrOfType<ArrayAttr>(name);
    if (!all)
      return;
    for (auto [result, numbers] : llvm::zip((*this)->getResults(), all))
      for (auto [d, number] :
           llvm::enumerate(cast<DenseI64ArrayAttr>(numbers).asArrayRef()))
        if (number >= 0)
          facts.setExtent(result, d, make(facts.constant(number)));
  }
};

/// An op that is its own tangent, and whose transpose is `Transposed`.
template <typename Concrete, typename Transposed>
class LinearOp
    : public Op<Concrete, OpTrait::OneOperand, OpTrait::OneResult,
                OpTrait::ZeroRegions, ShapeFactsOpInterface::Trait,
                JvpOpInterface::Trait, LinearTransposeOpInterface::Trait> {
public:
  using Op<Concrete, OpTrait::OneOperand, OpTrait::OneResult,
           OpTrait::ZeroRegions, ShapeFactsOpInterface::Trait,
           JvpOpInterface::Trait, LinearTransposeOpInterface::Trait>::Op;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  LogicalResult buildJvp(Tangents &tangents) {
    Operation *op = this->getOperation();
    tangents.set(op->getResult(0),
                 build<Concrete>(tangents.builder(),
                                 tangents.of(op->getOperand(0)),
                                 op->getResult(0)));
    return success();
  }
  LogicalResult buildTranspose(Cotangents &cotangents) {
    Operation *op = this->getOperation();
    if (Value cotangent = cotangents.of(op->getResult(0)))
      cotangents.add(op->getOperand(0),
                     build<Transposed>(cotangents.builder(), cotangent,
                                       op->getOperand(0)));
    return success();
  }

private:
  template <typename OpT>
  Value build(OpBuilder &builder, Value operand, Value like) {
    OperationState state(like.getLoc(), OpT::getOperationName(), operand,
                         like.getType());
    return builder.create(state)->getResult(0);
  }
};

class FoldOp;

/// Its operand, twice.
class TwiceOp : public LinearOp<TwiceOp, FoldOp> {
public:
  using LinearOp::LinearOp;
  static StringRef getOperationName() { return "foreign.twice"; }

  void populateShapeFacts(ShapeFacts &facts) {
    facts.setExact((*this)->getResult(0), 0,
                   facts.dim((*this)->getOperand(0), 0) * facts.constant(2));
  }
};

/// The sum of both halves.
class FoldOp : public LinearOp<FoldOp, TwiceOp> {
public:
  using LinearOp::LinearOp;
  static StringRef getOperationName() { return "foreign.fold"; }

  void populateShapeFacts(ShapeFacts &facts) {
    facts.setExact((*this)->getResult(0), 0,
                   facts.arena().floorDiv(facts.dim((*this)->getOperand(0), 0),
                                          facts.constant(2)));
  }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<FoldOp, SaysOp, TwiceOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};
} // namespace

void symshape::test::registerForeignDialect(DialectRegistry &registry) {
  registry.insert<ForeignDialect>();
}
