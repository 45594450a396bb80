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

/// What a report is asked for.
struct ReportRequest {
  /// Sizes of memory are evaluated for these.
  SymbolValues64 values;
  /// Whether to describe the ops, and expressions as trees, too.
  bool withProgram = true;
  /// What the module was parsed from; empty, as for bytecode: it is printed.
  llvm::StringRef text;
  /// Whether the program is to run on a GPU: memory is that of the device, and
  /// kernels are described.
  bool forGPU = false;
};

/// The report of a module on tensors, an object:
///
///   schemaVersion: 1; later versions only add fields
///   functions: of each function with a body, in order
///     name, isPublic
///     fits: (in words) what extents of arguments it takes, weights left out
///     numProved, numGuards, numChecks; numLeft, of requirements that its
///       callers check
///     symbols: name, range, limits (what a person reads of it, as `>= 3`),
///       policy, origin, why; value and chain where the facts of the signature
///       leave one value
///     arguments, results: name, type, extents, dims; weight, its name, of
///       arguments that are one
///     guards: condition (in words), formula, plain (the formula as a person
///       writes it, with the signs of Python), reasons, test, ops, gone (what
///       would make it disappear), write: lines to write so that the program
///       says it; only of public functions
///     sentence: for which sizes it is valid; only of public functions
///     dropped: the same without `plain` and `gone`, and impliedBy, formulas of
///       guards
///     checks: of data: condition, formula, reasons, test, ops, and before, the
///       op
///     proved: what needs no check: condition, formula, reasons, test, ops;
///       impliedBy, relations that hold before the op, and ranges, those that
///       are declared of their symbols
///     versions: name, condition, serves (in words), test, in order of
///       preference
///     unusedVersions: name, why
///     memory: arena, mostInUse, sumOfAll (bytes, as expressions; arenaNode and
///       so on are nodes), buffers (op, at, bytes, bytesNode, offset,
///       offsetNode, first, last, and reserved, in words, where bytes are those
///       of a bound), heap (op, at, reason), and, where `values` says enough,
///       evaluated: the three sizes as numbers; where the function cannot be
///       lowered, notPlanned alone: the first error; where it is a part of its
///       callers, isInCallers
///     kernels: where the program is for a GPU, in the order of launches: name,
///       at, blocks (an expression), threads; isWide, whether it reads or
///       writes 16 bytes at a time; tensorCores; conditions (formulas) under
///       which the host launches it, and inLoop
///     reads: what the host reads of the device before the end of a call: at,
///       for (what needs it, in words)
///     sizes: name, isInput, what, min, max, modulus, remainder, likely, and
///       declared (a node: what it has to be): of each symbol in nodes; ends
///       are texts of numbers, or null
///     graph: ops: name, operands, results (indices of values), and where they
///         apply: at, line (in the source), node (of a model), parent (an op),
///         callee, passed (dims or value of each operand), body (names of ops
///         for an element), isMinor (serves others),
///         isRepeated (in a loop), bytes, flop (nodes; null:
///         not known; see OpCosts.h)
///       values: type, extents, dims, argument (its number), value (of a number
///         that is an argument)
///     unknown: where (in words), at, why, op, write: extents without a value
///       before the function runs
///   isModel: whether people write its sizes in Python (text is in that
///     syntax; all else in MLIR's)
///   expressions: nodes: a number; a text, the name of a symbol; or an array of
///     an operation, `+ * floordiv min max bc`, and indices of earlier nodes;
///     `["int", "9007199254740993"]` is a number that is no double. Nodes
///     elsewhere are indices into this
///   source: file, text, isPrinted
///   values: those of the request
///   profile: added by `symshape-report --profile` and `symshape_profile`, as
///     symshape/Execution/Profile.h describes it
///   compilations: added by `symshape-report --time-report`, as
///     symshape/Execution/CompileReport.h describes each
///
/// where `test` is true, false, null (unknown), or an array of `== != <=
/// divides` and two nodes, of `not`, or of `and`, `or`, and tests. What needs
/// nodes is absent without `withProgram`.
///
/// Lowers a copy of the module as `symshape-cpu` does, up to the plan; where
/// that fails, each function alone with what it refers to. Fails, after a
/// diagnostic, if `values` names a symbol that stands in no extent of an
/// argument.
FailureOr<llvm::json::Value> makeReport(ModuleOp module, GuardPlans &plans,
                                        const ReportRequest &request);

/// The fields of one function of a report that need neither nodes nor a
/// lowering.
llvm::json::Object makeShapeReport(func::FuncOp function);
/// The same of a function that has been analysed.
llvm::json::Object makeShapeReport(FunctionShapes &shapes, GuardPlans &plans);

/// The same as text.
void printReport(llvm::raw_ostream &os, const llvm::json::Value &report);

/// The same, with its program, as a page of HTML that needs no other file.
void printReportPage(llvm::raw_ostream &os, const llvm::json::Value &report);

} // namespace mlir::symshape

#endif // SYMSHAPE_PIPELINES_REPORT_H
