//===- RuntimeVerification.cpp - Our ops for upstream's checks ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape rule of an op says what it requires; here it is read for one op
// alone, over the extents and values of its operands, and asserted.
//
//===----------------------------------------------------------------------===//

#include "symshape/Transforms/RuntimeVerification.h"
#include "CreateDim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowOps.h"
#include "symshape/Transforms/ExprEmitter.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What one op requires, over the extents and values of its operands.
class OpRequirements final : public ShapeFacts {
public:
  explicit OpRequirements(Operation *op) : op(op), set(exprs) {
    cast<ShapeFactsOpInterface>(op).populateShapeFacts(*this);
  }

  struct Requirement {
    Formula condition;
    std::string field;
  };
  ArrayRef<Requirement> requirements() const { return required; }
  /// What does not hold if the check of `requirement` fails.
  std::string describe(const Requirement &requirement);
  /// The value of a symbol at the insertion point; null if not an operand's.
  Value valueOf(Expr symbol, OpBuilder &builder, Location loc) const;
  symshape::Range rangeOf(Expr symbol) const { return set.info(symbol).range; }

  ExprArena &arena() override { return exprs; }
  ConstraintSet &constraints() override { return set; }
  Extent extent(Value shaped, int64_t d) override {
    return Extent::exact(dim(shaped, d));
  }
  Expr dim(Value shaped, int64_t d) override;
  using ShapeFacts::value;
  Expr value(Value scalar) override;
  Formula condition(Value) override { return Formula::opaque(); }
  Expr element(Value, ArrayRef<Expr>) override { return Expr(); }

  void setValue(Value scalar, Expr e) override { values[scalar] = e; }
  void setWrapped(Value, Expr) override {}
  bool fitsType(Expr, Type) override { return false; }
  void setCondition(Value, Formula) override {}
  void setElements(Value, ElementFn) override {}

  // What holds after the op says nothing about what it requires.
  void imply(const Formula &) override {}
  void require(const Formula &f, const Twine &field) override;
  void requireAsserted(const Formula &, StringRef) override {}
  bool bindSymbol(Expr symbol, Expr value) override {
    return bound.try_emplace(symbol, value).second;
  }
  Expr boundValue(Expr symbol) override { return bound.lookup(symbol); }

  void visitRegion(Region &, const Formula &,
                   llvm::function_ref<void()>) override {}
  unsigned &noteOf(Value argument, int64_t d) override {
    return notes[{argument, d}];
  }
  Expr iterationSymbol(Expr, Expr) override { return exprs.freshSymbol("%i"); }
  void implyOfIteration(const Relation &) override {}
  Expr join(const Formula &, Expr, Expr) override {
    return exprs.freshSymbol("%j");
  }
  void setJoin(Value, const Formula &, Value, Value) override {}

private:
  void setDynamicExtent(Value shaped, int64_t d, Extent extent) override {
    if (extent.kind == Extent::Exact)
      extents[{shaped, d}] = extent.expr;
  }
  /// A symbol for an operand, or for one of its dimensions; for any other value
  /// one without a source.
  Expr symbolFor(Value value, std::optional<int64_t> d, symshape::Range range);

  struct Source {
    Value value;
    std::optional<int64_t> dim;
    std::string name;
  };
  Operation *op;
  ExprArena exprs;
  ConstraintSet set;
  DenseMap<std::pair<Value, int64_t>, Expr> extents;
  DenseMap<std::pair<Value, int64_t>, unsigned> notes;
  DenseMap<Value, Expr> values;
  DenseMap<Expr, Source> sources;
  DenseMap<Expr, Expr> bound; ///< symbols of the function, by the op itself
  SmallVector<Requirement> required;
};
} // namespace

Expr OpRequirements::symbolFor(Value value, std::optional<int64_t> d,
                               symshape::Range range) {
  Expr symbol = exprs.freshSymbol("%v");
  auto operand = llvm::find(op->getOperands(), value);
  if (operand != op->operand_end()) {
    std::string name = "operand" + std::to_string(operand.getIndex());
    if (d)
      name = "dim" + std::to_string(*d) + "_of_" + name;
    sources[symbol] = {value, d, name};
  }
  set.declare(symbol, {range});
  return symbol;
}

Expr OpRequirements::dim(Value shaped, int64_t d) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(d))
    return exprs.constant(type.getDimSize(d));
  Expr &e = extents[{shaped, d}];
  if (!e)
    e = symbolFor(shaped, d, symshape::Range::between(0, INT64_MAX));
  return e;
}

Expr OpRequirements::value(Value scalar) {
  Expr &e = values[scalar];
  if (std::optional<int64_t> constant = getConstantIntValue(scalar);
      !e && constant)
    e = exprs.constant(*constant);
  if (!e)
    e = symbolFor(scalar, std::nullopt,
                  symshape::Range::between(INT64_MIN, INT64_MAX));
  return e;
}

/// What the op cannot know by itself, such as symbols that other ops of the
/// function bind, is left out.
void OpRequirements::require(const Formula &f, const Twine &field) {
  Formula own = simplify(
      set, f.substitute([&](Expr symbol) { return bound.lookup(symbol); }));
  bool isKnown = llvm::all_of(
      own.symbols(), [&](Expr symbol) { return sources.contains(symbol); });
  if (isKnown && !own.isTrue() && !own.hasOpaque())
    required.push_back({own, field.str()});
}

std::string OpRequirements::describe(const Requirement &requirement) {
  Formula named = requirement.condition.substitute(
      [&](Expr symbol) { return exprs.symbol(sources[symbol].name); });
  return requirement.field + ": expected " + named.str();
}

Value OpRequirements::valueOf(Expr symbol, OpBuilder &builder,
                              Location loc) const {
  Source source = sources.lookup(symbol);
  if (!source.dim)
    return source.value;
  return createDim(builder, loc, source.value, *source.dim);
}

namespace {
template <typename OpTy>
struct Verification
    : RuntimeVerifiableOpInterface::ExternalModel<Verification<OpTy>, OpTy> {
  void generateRuntimeVerification(
      Operation *op, OpBuilder &builder, Location loc,
      function_ref<std::string(Operation *, StringRef)> makeMessage) const {
    OpRequirements facts(op);
    ExprEmitter emitter(
        builder, loc,
        [&](Expr symbol) { return facts.valueOf(symbol, builder, loc); },
        [&](Expr symbol) { return facts.rangeOf(symbol); });
    for (const OpRequirements::Requirement &required : facts.requirements()) {
      Value holds = emitter.emitCondition(required.condition);
      std::string message = makeMessage(op, facts.describe(required));
      cf::AssertOp::create(builder, loc, holds, message);
    }
  }
};

template <typename... Ops>
struct Verifications {
  static void attach(MLIRContext *context) { (attachTo<Ops>(context), ...); }
  template <typename OpTy>
  static void attachTo(MLIRContext *context) {
    if constexpr (OpTy::template hasTrait<ShapeFactsOpInterface::Trait>())
      OpTy::template attachInterface<Verification<OpTy>>(*context);
  }
};
} // namespace

void mlir::symshape::registerRuntimeVerificationExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SymShapeDialect *) {
    Verifications<
#define GET_OP_LIST
#include "symshape/IR/SymShapeOps.cpp.inc"
        ,
#define GET_OP_LIST
#include "symshape/IR/ResampleOps.cpp.inc"
        ,
#define GET_OP_LIST
#include "symshape/IR/WindowOps.cpp.inc"
        >::attach(context);
    // Dialects of the checks.
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                         memref::MemRefDialect, tensor::TensorDialect>();
  });
}
