//===- ValueSampler.h - Random values that meet the facts -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values for the symbols of a function: drawn at random, except for the results
// of index arithmetic, which are computed as the machine does, with wraps. For:
// showing that a bound fails. Not for: showing that it holds.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_VALUESAMPLER_H
#define SYMSHAPE_TEST_LIB_VALUESAMPLER_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/Analysis/ShapeAnalysis.h"
#include <random>

namespace mlir::symshape::test {

class ValueSampler {
public:
  /// Of the values that meet the facts of `set`.
  ValueSampler(FunctionShapes &shapes, const ConstraintSet &set)
      : shapes(shapes), set(set) {}

  /// Draws values for all symbols of `wanted` and of the facts that connect
  /// others with them; false when they contradict a fact.
  bool draw(ArrayRef<Expr> wanted);
  /// Under the last draw; nullopt for a division by 0.
  std::optional<llvm::DynamicAPInt> evaluate(Expr e);
  /// Whether what was drawn can be so in a run: only arguments, dims and
  /// counters were, and nothing that an op computes.
  bool isGenuine();
  /// What index arithmetic gives, each step as the machine computes it; nullopt
  /// for any other value.
  std::optional<llvm::DynamicAPInt> compute(Value scalar);
  /// Which symbols were drawn or computed, and what they are.
  std::string str();

private:
  std::optional<llvm::DynamicAPInt> valueOf(Expr symbol);
  std::optional<llvm::DynamicAPInt> fold(OpResult scalar);
  std::optional<llvm::DynamicAPInt>
  computeLinear(affine::AffineLinearizeIndexOp op);
  std::optional<llvm::DynamicAPInt> computeBranch(scf::IfOp op,
                                                  unsigned result);
  using Environment = llvm::DenseMap<Value, llvm::DynamicAPInt>;
  /// A value inside of a loop, of which `known` are the arguments.
  std::optional<llvm::DynamicAPInt> run(Value scalar, const Environment &known);
  std::optional<llvm::DynamicAPInt> computeLoop(scf::ForOp op, unsigned result);
  llvm::DynamicAPInt drawOne(const SymbolInfo &info, bool isUnsigned);

  FunctionShapes &shapes;
  const ConstraintSet &set;
  std::mt19937 random;
  llvm::MapVector<Expr, llvm::DynamicAPInt> values;
  SmallVector<Expr> drawn;
  llvm::DenseMap<Operation *, bool> branches; ///< that were taken
};

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_VALUESAMPLER_H
