//===- PrintBounds.cpp - Bounds as remarks and as asserts -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of what is known: all bounds are asked of the program as it is,
// then those that are wanted as IR are made. Not for: compilation, where a pass
// asks of what it needs (ReifyBounds.h).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "symshape/Transforms/Passes.h"
#include "symshape/Transforms/ReifyBounds.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_PRINTBOUNDSPASS
#include "symshape/Transforms/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;
using BoundType = ValueBounds::BoundType;

namespace {
/// An index or an open extent, and the op before which it is looked at.
struct Subject {
  ValueDim value;
  Operation *place;
  /// Its remark stands at `owner`: `result #0 dim 1`, `argument #0`.
  Operation *owner;
  std::string name;
};

/// A bound that is found, and how it reads.
struct FoundBound {
  BoundType type;
  SymbolicBound bound;
};

/// Prints the bounds of one function in terms of its arguments, and asserts
/// them where `reify` says so.
class BoundPrinter {
public:
  explicit BoundPrinter(FunctionShapes &shapes)
      : shapes(shapes), bounds(shapes) {}

  void run(bool reify);

private:
  void collect(Region &region);
  void add(Value value, Operation *place, Operation *owner, const Twine &name);
  SmallVector<FoundBound, 2> find(const Subject &subject);
  std::string spell(const SymbolicBound &bound);
  void print(const Subject &subject, ArrayRef<FoundBound> found);
  void assertBound(const Subject &subject, const FoundBound &found);

  FunctionShapes &shapes;
  ValueBounds bounds;
  SmallVector<Subject> subjects;
};
} // namespace

void BoundPrinter::add(Value value, Operation *place, Operation *owner,
                       const Twine &name) {
  if (value.getType().isIndex()) {
    subjects.push_back({{value, std::nullopt}, place, owner, name.str()});
    return;
  }
  auto shaped = dyn_cast<ShapedType>(value.getType());
  if (!isa<TensorType, MemRefType>(value.getType()) || !shaped.hasRank())
    return;
  for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
    if (shaped.isDynamicDim(dim))
      subjects.push_back(
          {{value, dim}, place, owner, (name + " dim " + Twine(dim)).str()});
}

/// The results of ops and the arguments of blocks, in the order of the program;
/// of bodies, those that branches and loops run.
void BoundPrinter::collect(Region &region) {
  for (Block &block : region) {
    Operation *parent = region.getParentOp();
    if (parent != shapes.function() && !block.empty())
      for (BlockArgument argument : block.getArguments())
        add(argument, &block.front(), parent,
            "argument #" + Twine(argument.getArgNumber()));
    for (Operation &op : block) {
      if (isa<RegionBranchOpInterface, LoopLikeOpInterface>(op))
        for (Region &inner : op.getRegions())
          collect(inner);
      if (op.hasTrait<OpTrait::ConstantLike>())
        continue;
      for (OpResult result : op.getResults())
        add(result, op.getNextNode(), &op,
            "result #" + Twine(result.getResultNumber()));
    }
  }
}

SmallVector<FoundBound, 2> BoundPrinter::find(const Subject &subject) {
  Block *entry = &shapes.function().front();
  auto isOfArgument = [&](Value value, std::optional<int64_t>) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == entry;
  };
  SmallVector<FoundBound, 2> found;
  for (BoundType type : {BoundType::EQ, BoundType::LB, BoundType::UB}) {
    for (SymbolicBound &bound :
         bounds.bounds(subject.place, type, subject.value, isOfArgument))
      found.push_back({type, std::move(bound)});
    if (type == BoundType::EQ && !found.empty())
      break;
  }
  return found;
}

/// Of a scalar: the name that an attribute or a location has, else `%arg1`, as
/// MLIR prints it.
static std::string spellScalar(FunctionShapes &function, unsigned index) {
  std::string name = function.spellingOfArgument(index);
  return StringRef(name).starts_with("argument #")
             ? "%arg" + std::to_string(index)
             : name;
}

/// The bound in the names of extents, as annotations have them.
std::string BoundPrinter::spell(const SymbolicBound &bound) {
  ExprArena &arena = shapes.arena();
  DenseMap<Expr, Expr> names;
  for (auto [symbol, place] : bound.operands)
    if (!place.second)
      names[symbol] = arena.symbol(
          spellScalar(shapes, cast<BlockArgument>(place.first).getArgNumber()));
  return arena
      .substitute(bound.expr, [&](Expr symbol) { return names.lookup(symbol); })
      .str();
}

/// `is A + B`; `is at least 1 and A, and at most B`; `has no bounds`.
void BoundPrinter::print(const Subject &subject, ArrayRef<FoundBound> found) {
  InFlightDiagnostic remark = subject.owner->emitRemark() << subject.name;
  if (found.empty())
    remark << " has no bounds";
  std::optional<BoundType> last;
  for (const auto &[type, bound] : found) {
    if (last == type)
      remark << " and ";
    else if (type == BoundType::EQ)
      remark << " is ";
    else
      remark << (last ? ", and" : " is")
             << (type == BoundType::LB ? " at least " : " at most ");
    remark << spell(bound);
    last = type;
  }
}

void BoundPrinter::assertBound(const Subject &subject,
                               const FoundBound &found) {
  auto [type, bound] = found;
  Location loc = subject.owner->getLoc();
  OpBuilder builder(subject.place);
  FailureOr<OpFoldResult> limit = reifyBound(
      builder, loc, bounds, subject.place, type, subject.value, bound);
  if (failed(limit))
    return;
  auto [value, dim] = subject.value;
  if (dim && isa<MemRefType>(value.getType()))
    value = memref::DimOp::create(builder, loc, value, *dim);
  else if (dim)
    value = tensor::DimOp::create(builder, loc, value, *dim);
  auto [predicate, words] =
      type == BoundType::EQ ? std::pair(arith::CmpIPredicate::eq, " is ")
      : type == BoundType::LB
          ? std::pair(arith::CmpIPredicate::sge, " is at least ")
          : std::pair(arith::CmpIPredicate::sle, " is at most ");
  Value holds = arith::CmpIOp::create(
      builder, loc, predicate, value,
      getValueOrCreateConstantIndexOp(builder, loc, *limit));
  cf::AssertOp::create(builder, loc, holds,
                       subject.name + words + spell(bound));
}

void BoundPrinter::run(bool reify) {
  collect(shapes.function().getBody());
  SmallVector<SmallVector<FoundBound, 2>> all;
  for (const Subject &subject : subjects) {
    all.push_back(find(subject));
    print(subject, all.back());
  }
  if (!reify)
    return;
  for (auto [subject, found] : llvm::zip(subjects, all))
    for (const FoundBound &each : found)
      assertBound(subject, each);
}

namespace {
struct PrintBoundsPass : symshape::impl::PrintBoundsPassBase<PrintBoundsPass> {
  using PrintBoundsPassBase::PrintBoundsPassBase;

  void runOnOperation() override {
    auto &analysis = getAnalysis<ShapeAnalysis>();
    getOperation()->walk([&](func::FuncOp function) {
      if (FunctionShapes *shapes = analysis.lookup(function))
        BoundPrinter(*shapes).run(reify);
    });
    if (!reify)
      markAllAnalysesPreserved();
  }
};
} // namespace
