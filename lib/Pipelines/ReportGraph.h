//===- ReportGraph.h - The ops of a function, for a report ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops and values as a graph, with extents and costs; and the text that they
// stand in. Private to Pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_PIPELINES_REPORTGRAPH_H
#define SYMSHAPE_LIB_PIPELINES_REPORTGRAPH_H

#include "ReportExprs.h"
#include "symshape/Pipelines/ReportWords.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::symshape {

/// The text of a module and the line of each op in it.
class ReportSource {
public:
  /// `text` is what `module` was parsed from; if it is empty, as for bytecode,
  /// the module is printed, without large constants.
  ReportSource(ModuleOp module, StringRef text);

  /// From 1; 0 for an op that the text does not show.
  unsigned lineOf(Operation *op) const;
  /// The field `source` of a report.
  llvm::json::Object describe() const;

private:
  std::string file, text;
  bool isPrinted;
  DenseMap<Operation *, unsigned> lines;
};

/// The graph of one function, and what links the rest of its report to it.
class ReportGraph {
public:
  ReportGraph(FunctionShapes &shapes, const ReportSource &source,
              ExprTable &table);

  ExprWriter &exprs() { return writer; }
  /// The nodes of the extents of a ranked value.
  llvm::json::Array dimsOf(Value value);
  /// The index of the op that stands for `op`: itself, or one around it;
  /// nullopt for the function.
  std::optional<unsigned> indexOf(Operation *op) const;
  /// The field `graph`.
  llvm::json::Object take();
  /// The field `unknown`.
  llvm::json::Array describeUnknown();
  /// The field `sizes`: of each input that was written so far, and of each
  /// symbol in extents and costs that is known only when the function runs.
  llvm::json::Array describeSizes();

private:
  unsigned writeSymbol(Expr symbol);
  unsigned addValue(Value value);
  void addOp(Operation *op);
  llvm::json::Array describePassed(func::CallOp call);
  llvm::json::Array indicesOf(ValueRange values);

  FunctionShapes &shapes;
  const ReportSource &source;
  ExprTable &table;
  ExprWriter writer;
  llvm::SetVector<Expr> symbols; ///< those written ...
  size_t numInGraph = 0;         ///< ... so many for the graph
  llvm::json::Array ops, values;
  llvm::MapVector<Operation *, unsigned> opIndices; ///< in order
  DenseMap<Value, unsigned> valueIndices;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_PIPELINES_REPORTGRAPH_H
