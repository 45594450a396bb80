//===- Validity.h - For which sizes a function is valid ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guards as a person writes them, `N >= 1` and not `0 <= N - 1`, and all of
// them in a sentence. Not for: which guards there are (GuardAnalysis.h), and
// messages about one that failed (`describe` in ShapeAnalysis.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_ANALYSIS_VALIDITY_H
#define SYMSHAPE_ANALYSIS_VALIDITY_H

#include "symshape/Analysis/GuardAnalysis.h"
#include <functional>

namespace mlir::symshape {

/// Whether a person wrote the name of a symbol.
using IsWritten = std::function<bool(StringRef)>;
/// The same of a program without a model: not what the analysis made up (`%x`),
/// nor the import of a model (`_d0`), nor what has exported the model.
bool isWrittenName(StringRef symbol);
/// Whether an exporter of models gives such names to dims that nobody has
/// named: `unk__749` (tf2onnx), `p2o.DynamicDimension.0` (Paddle),
/// `input_dynamic_axes_1` (PyTorch).
bool isNameOfExporter(StringRef text);

/// Calls a symbol without a written name by the argument whose extent it is,
/// `x.dim0`; all else that has none gets a number: `v1`.
class ConditionNames {
public:
  ConditionNames(FunctionShapes &shapes, IsWritten isWritten)
      : shapes(shapes), isWritten(std::move(isWritten)) {}

  /// A condition over these names, in plain form.
  Formula apply(const Formula &f);
  /// An extent over these names.
  Expr apply(Expr e);
  /// What the numbers stand for: for each an end of line, and the line.
  std::string origins;

private:
  Expr nameOf(Expr symbol);

  FunctionShapes &shapes;
  IsWritten isWritten;
  unsigned count = 0;
  DenseMap<Expr, Expr> spelled;
};

/// The same condition, as a person would write it: `33 <= N` for
/// `2 <= (N + 31) floordiv 32`, without `min`, `max` and `bc` where what they
/// say is short, and on one number that is not negative at entry by residues
/// and intervals (OneNumber.h).
Formula makePlain(FunctionShapes &shapes, const Formula &f);

/// `N >= 1`: an inequality with nothing negative on either side.
struct PlainInequality {
  Expr lhs;
  StringRef sign; ///< `<`, `<=` or `>=`
  Expr rhs;
};

/// Nothing of another condition, and of one that no symbol decides.
std::optional<PlainInequality> readInequality(const Formula &f);

/// With the signs of Python, except for `d | e`: d divides e.
std::string spellPlainly(const Formula &f);

/// Whether it only says that a number of elements fits 64 bits.
bool isCommonBound(const Formula &condition);

/// For which sizes the function is valid, without an end of line:
/// `valid for H, W >= 1`, `valid for every size`, `valid for its fixed sizes`,
/// `valid for no size: ...`. Common bounds are left out. The facts of `shapes`
/// are asked whether they contradict one another.
std::string describeValidity(FunctionShapes &shapes, const GuardPlan &plan,
                             const IsWritten &isWritten);

} // namespace mlir::symshape

#endif // SYMSHAPE_ANALYSIS_VALIDITY_H
