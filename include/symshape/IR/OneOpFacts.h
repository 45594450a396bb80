//===- OneOpFacts.h - What the rule of one op says alone --------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape rule can be asked without an analysis: about one op, with no facts
// but the types of its operands and the constants among them.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_ONEOPFACTS_H
#define SYMSHAPE_IR_ONEOPFACTS_H

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/IR/ShapeFacts.h"

namespace mlir::symshape {

/// Facts for the rule of one op without regions: a static extent and a constant
/// are numbers, every other extent and integer is a symbol of its own. Keeps
/// the extents and integers that the rule sets, and nothing else; a class that
/// derives from this one may keep more. Cost: that of the rule.
class OneOpFacts : public ShapeFacts {
public:
  OneOpFacts() : set(exprs) {}

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
  void imply(const Formula &) override {}
  void require(const Formula &, const Twine &) override {}
  void requireAsserted(const Formula &, StringRef) override {}
  bool bindSymbol(Expr, Expr) override { return true; }

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

protected:
  void setDynamicExtent(Value shaped, int64_t d, Extent extent) override {
    if (extent.kind == Extent::Exact)
      extents[{shaped, d}] = extent.expr;
  }
  /// A new symbol of that range for an integer, or for a dimension of a value.
  virtual Expr makeSymbol(Value value, std::optional<int64_t> d, Range range);

  ExprArena exprs;
  ConstraintSet set;

private:
  DenseMap<std::pair<Value, int64_t>, Expr> extents;
  DenseMap<std::pair<Value, int64_t>, unsigned> notes;
  DenseMap<Value, Expr> values;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_ONEOPFACTS_H
