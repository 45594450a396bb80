//===- Report.h - What is known of a program --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols, extents, guards and memory of each function, for people and for
// programs. Not for: what is measured when it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_PIPELINES_REPORT_H
#define SYMSHAPE_PIPELINES_REPORT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir::symshape {
class FunctionShapes;
class GuardPlans;

/// Values of symbols, by name.
using SymbolValues64 = llvm::StringMap<int64_t>;

/// The report of a module on tensors, an object:
///
///   functions: of each function with a body, in order
///     name, isPublic
///     symbols: name, range, policy, why; value and chain where the facts of
///       the signature leave one value
///     arguments, results: name, type, extents
///     guards: condition (in words), formula, reasons, gone (what would make it
///       disappear); only of public functions
///     dropped: the same without `gone`, and impliedBy, formulas of guards
///     checks: of data: condition, formula, reasons, and before, the op
///     proved: what needs no check: condition, formula, reasons; impliedBy,
///       relations that hold before the op, and ranges, those that are declared
///       of their symbols
///     versions: name, condition, serves (in words), in order of preference
///     unusedVersions: name, why
///     memory: arena, mostInUse, sumOfAll (bytes, as expressions), buffers (op,
///       at, bytes, offset, first, last, and reserved, in words, where bytes
///       are those of a bound), heap (op, at, reason), and, where `values` says
///       enough, evaluated: the three sizes as numbers; where the function
///       cannot be lowered, notPlanned alone: the first error
///
/// Lowers a copy of the module as `symshape-cpu` does, up to the plan; where
/// that fails, each function alone with what it refers to. Fails, after a
/// diagnostic, if `values` names a symbol that stands in no extent of an
/// argument.
FailureOr<llvm::json::Value> makeReport(ModuleOp module, GuardPlans &plans,
                                        const SymbolValues64 &values);

/// The fields of one function of a report except memory; takes no
/// lowering.
llvm::json::Object makeShapeReport(func::FuncOp function);
/// The same of a function that has been analysed.
llvm::json::Object makeShapeReport(FunctionShapes &shapes, GuardPlans &plans);

/// The same as text.
void printReport(llvm::raw_ostream &os, const llvm::json::Value &report);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_REPORT_H
