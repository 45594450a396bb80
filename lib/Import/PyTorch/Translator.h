//===- Translator.h - From an exported program to a model -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the nodes of a graph; what each becomes is for the tables.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_TRANSLATOR_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_TRANSLATOR_H

#include "AliasTracker.h"
#include "Call.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace mlir::symshape::pytorch {

class Translator {
public:
  Translator(std::shared_ptr<Program> program, onnx::Model &model,
             GraphWriter &writer)
      : program(std::move(program)), model(model), w(writer) {}

  llvm::Error run();

  /// The value of a name of the graph; null if there is none.
  GraphValue lookup(llvm::StringRef name) const { return values.lookup(name); }
  void define(llvm::StringRef name, GraphValue value) { values[name] = value; }
  /// The same of an integer, which may be what a symbol stands for.
  void defineInteger(llvm::StringRef name, GraphValue value);
  /// Says that an integer is that constant.
  void noteConstant(GraphValue value, int64_t constant) {
    constants[value.name] = constant;
  }
  /// Whether a node or the program reads a value.
  bool isUsed(llvm::StringRef name) const { return used.contains(name); }
  std::optional<int64_t> constantOf(GraphValue value) const;
  const Program &getProgram() const { return *program; }
  /// Translates a graph that a node has, here, with these for its inputs; gives
  /// its outputs.
  llvm::Expected<std::vector<GraphValue>>
  translate(const llvm::json::Object &inner,
            llvm::ArrayRef<GraphValue> operands);
  /// What an argument stands for; null: it is no tensor, number or condition.
  GraphValue valueOf(const llvm::json::Value &argument);
  /// A condition that the graph computed, as a bool; null: there is none.
  GraphValue conditionValue(llvm::StringRef name);
  /// Compares the extents that the exporter has for a tensor with ours.
  void claim(GraphValue value, const TensorMeta &meta);
  /// Requires a condition that the graph computed, or its negation.
  bool requireBool(llvm::StringRef name, llvm::StringRef message);
  /// Requires bounds of an integer; none: no bound.
  void requireRange(GraphValue value, std::optional<int64_t> least,
                    std::optional<int64_t> most, llvm::StringRef what);
  /// The value of an input of the program; null if there is none.
  GraphValue findInput(llvm::StringRef name) const;
  /// Notes a comparison of integers, for those who require it.
  void noteCondition(llvm::StringRef name, llvm::StringRef relation,
                     GraphValue x, GraphValue y);
  /// The same of `and` or `or` of two conditions, or `not` of the first.
  void noteConnective(llvm::StringRef name, llvm::StringRef kind,
                      llvm::StringRef x, llvm::StringRef y);

private:
  struct Condition {
    std::string relation; ///< `and`, `or`, `not`: of the parts
    GraphValue x, y;
    std::vector<llvm::StringRef> parts;
  };
  /// An integer that is at most 0 where a condition holds, and above it where
  /// it does not; null: it is none on integers.
  GraphValue measure(llvm::StringRef name);
  llvm::Error addInputs();
  llvm::Error addInput(const llvm::json::Value &spec);
  llvm::Error addTensorInput(llvm::StringRef tensor, llvm::StringRef name);
  llvm::Error addConstant(const llvm::json::Value &argument,
                          llvm::StringRef tensor);
  llvm::Error addUserInput(const llvm::json::Value &argument);
  void bindSymbols();
  void bindSymbol(const Extent &extent, GraphValue value);
  llvm::Error addRanges();
  GraphValue evaluate(const std::string &text);
  llvm::Error addGuards();
  llvm::Error addNodes();
  llvm::Error addOutputs();
  llvm::Error addNode(const llvm::json::Object &node, AliasTracker &aliases);
  void noteUses();

  std::shared_ptr<Program> program;
  onnx::Model &model;
  GraphWriter &w;
  llvm::StringMap<GraphValue> values;
  llvm::StringMap<int64_t> constants;
  llvm::StringMap<Condition> conditions;
  llvm::StringSet<> used, inputNames;
  std::map<std::string, GraphValue> symbols;
  struct Input {
    GraphValue value;
    TensorMeta meta;
  };
  std::vector<Input> inputs;
  struct Integer {
    llvm::StringRef name; ///< of an input
    Extent extent;
  };
  std::vector<Integer> integers;
};

/// `model.py:12` of the innermost line in a trace; empty if there is none.
std::string placeOf(const llvm::json::Object &node);

/// `measure` of a relation or connective, in what it is of: a and b.
llvm::StringRef measureText(llvm::StringRef relation);

/// The entries of all ops.
const Table &getTable();

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_TRANSLATOR_H
