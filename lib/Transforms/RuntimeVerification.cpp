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
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "symshape/IR/OneOpFacts.h"
#include "symshape/IR/ResampleOps.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowOps.h"
#include "symshape/Transforms/ExprEmitter.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// What one op requires, over the extents and values of its operands.
class OpRequirements final : public OneOpFacts {
public:
  explicit OpRequirements(Operation *op) : op(op) {
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

  void require(const Formula &f, const Twine &field) override;
  bool bindSymbol(Expr symbol, Expr value) override {
    return bound.try_emplace(symbol, value).second;
  }
  Expr boundValue(Expr symbol) override { return bound.lookup(symbol); }

private:
  /// A symbol for an operand, or for one of its dimensions; for any other value
  /// one without a source.
  Expr makeSymbol(Value value, std::optional<int64_t> d,
                  symshape::Range range) override;

  struct Source {
    Value value;
    std::optional<int64_t> dim;
    std::string name;
  };
  Operation *op;
  DenseMap<Expr, Source> sources;
  DenseMap<Expr, Expr> bound; ///< symbols of the function, by the op itself
  SmallVector<Requirement> required;
};
} // namespace

Expr OpRequirements::makeSymbol(Value value, std::optional<int64_t> d,
                                symshape::Range range) {
  Expr symbol = OneOpFacts::makeSymbol(value, d, range);
  auto operand = llvm::find(op->getOperands(), value);
  if (operand != op->operand_end()) {
    std::string name = "operand" + std::to_string(operand.getIndex());
    if (d)
      name = "dim" + std::to_string(*d) + "_of_" + name;
    sources[symbol] = {value, d, name};
  }
  return symbol;
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
