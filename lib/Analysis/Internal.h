//===- Internal.h - Parts of the analysis of a function ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the sources of lib/Analysis share. Private to it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_INTERNAL_H
#define SYMSHAPE_LIB_ANALYSIS_INTERNAL_H

#include "symshape/Analysis/ShapeAnalysis.h"
#include "symshape/Constraints/QuestionLog.h"

namespace mlir::symshape {

/// What the affine tier may cost, in steps of the fact engine, some
/// microseconds each: for a function, and more for each of its ops, each
/// requirement, and each place that is asked about. Ops on scalars get little,
/// since checks that passes insert are made of them.
constexpr uint64_t kStepsPerFunction = 12'000;
constexpr uint64_t kStepsPerOp = 100, kStepsPerScalarOp = 4;
constexpr uint64_t kStepsPerRequirement = 300;

/// Questions to `set` are about `op` from now on.
inline void tellPlace(const ConstraintSet &set, Operation *op) {
  if (QuestionLog *log = QuestionLog::current())
    log->setPlace(set, op->getLoc().getAsOpaquePointer());
}

/// Assumes what held when a region was entered.
void assumeEntry(ConstraintSet &set, const FunctionShapes::RegionEntry &entry);

/// Reads symbols, shapes and assumptions of a signature into `shapes`: names
/// the dims of the arguments, declares and assumes what is declared, and
/// records each as a requirement on the caller.
void readSignature(FunctionShapes &shapes);

/// `requirement` as a formula over the arguments of the function (dims and
/// scalars); nullopt where it depends on data or cannot be said exactly.
std::optional<Formula> closeOverArguments(FunctionShapes &shapes,
                                          const Requirement &requirement);

/// Which part of a symbol's declaration a relation of it is.
inline StringRef fieldOfDeclared(const Relation &relation) {
  return relation.kind == Relation::Divides ? "declared residue"
                                            : "declared range";
}

/// Whether `type` is index or a signless integer of at most 64 bits.
bool isScalarInteger(Type type);
/// The values a scalar of the type can have, read as signed (i1: 0 or 1).
Range rangeOfType(Type type);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_INTERNAL_H
