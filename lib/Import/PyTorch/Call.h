//===- Call.h - A node of an exported program -------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments by the names of the schema, and what the entry of an op is written
// in. For: tables of ops.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_CALL_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_CALL_H

#include "GraphWriter.h"
#include "Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::symshape::pytorch {

class Translator;

class Call {
public:
  Call(Translator &translator, GraphWriter &writer,
       const llvm::json::Object &node);

  /// `aten.add.Tensor`.
  llvm::StringRef target() const { return name; }

  // Arguments. One that is left out has the default of the schema, which the
  // caller gives; a wrong kind is an error at this node, and a stand-in.
  bool has(llvm::StringRef argument) const;
  /// A tensor, or a number as a tensor of rank 0; never null.
  GraphValue tensor(llvm::StringRef argument);
  /// Null if it is left out.
  GraphValue tensorOrNone(llvm::StringRef argument);
  std::vector<GraphValue> tensors(llvm::StringRef argument);
  /// Whether it is a number, and not a tensor.
  bool isNumber(llvm::StringRef argument) const;
  bool isFloatNumber(llvm::StringRef argument) const;
  /// Whether it is True or False.
  bool isConstantBool(llvm::StringRef argument) const;
  /// The name of a condition on integers, which the argument at a place has
  /// where it has no name; empty: there is none.
  llvm::StringRef conditionName(llvm::StringRef argument,
                                llvm::StringRef place) const;
  /// A number as a tensor of rank 0 of that type.
  GraphValue number(llvm::StringRef argument, onnx::DataType type);
  /// An integer that may be computed; `otherwise` where it is left out.
  GraphValue integer(llvm::StringRef argument, GraphValue otherwise = {});
  /// Integers that may be computed, each by itself.
  std::vector<GraphValue> integers(llvm::StringRef argument);
  /// Tensors or integers, as they come.
  std::vector<GraphValue> values(llvm::StringRef argument);
  bool areIntegers(llvm::StringRef argument) const;
  /// The nodes of a graph, here, with these for its inputs; its results.
  std::vector<GraphValue> inlined(llvm::StringRef argument,
                                  llvm::ArrayRef<GraphValue> operands);
  /// The integer that a value is, if it is a constant.
  std::optional<int64_t> constantOf(GraphValue value) const;
  int64_t constant(llvm::StringRef argument, int64_t otherwise);
  /// Constant integers; one stands for `count` equal ones.
  Ints constants(llvm::StringRef argument, llvm::ArrayRef<int64_t> otherwise,
                 size_t count = 0);
  double real(llvm::StringRef argument, double otherwise);
  std::vector<double> reals(llvm::StringRef argument);
  bool flag(llvm::StringRef argument, bool otherwise);
  llvm::StringRef text(llvm::StringRef argument, llvm::StringRef otherwise);
  std::optional<onnx::DataType> dtype(llvm::StringRef argument = "dtype");
  /// An axis, counted from 0, of a tensor of that rank.
  int64_t axis(llvm::StringRef argument, int64_t rank, int64_t otherwise = 0);
  /// What the exporter says of an extent of a tensor.
  std::optional<int64_t> extentOf(llvm::StringRef argument, int64_t axis);
  /// Whether the exporter says that a tensor lies row by row in its memory.
  bool isRowMajor(llvm::StringRef argument);
  bool isOne(llvm::StringRef argument, int64_t axis) {
    return extentOf(argument, axis) == 1;
  }
  /// Axes in increasing order; all of them where none is given.
  Ints axes(llvm::StringRef argument, int64_t rank);
  int64_t axisOf(int64_t axis, int64_t rank);

  // Results.
  size_t numResults() const { return results.size(); }
  bool wants(size_t i) const;
  bool isSet(size_t i) const { return results[i].isSet; }
  bool isTensor(size_t i) const { return results[i].isTensor; }
  llvm::StringRef resultName(size_t i) const {
    return i < results.size() ? results[i].name : "";
  }
  onnx::DataType type(size_t i = 0) const;
  int64_t rank(size_t i = 0) const;
  /// Sets a result, cast to its type.
  void set(GraphValue value, size_t i = 0);
  /// Sets the parts of the only result, a list of tensors.
  void setAll(llvm::ArrayRef<GraphValue> values);

  /// Calls must meet a relation of two integers.
  void require(GraphValue x, llvm::StringRef relation, GraphValue y,
               const llvm::Twine &message);
  /// Calls must have an element along each of these axes.
  void requireSome(llvm::StringRef argument, GraphValue x,
                   llvm::ArrayRef<int64_t> axes);

  /// Says that a result is no tensor or integer, and kept elsewhere.
  void noteSet(size_t i) {
    if (i < results.size())
      results[i].isSet = true;
  }
  /// The line of Python that the node comes from; empty: not known.
  std::string place() const;

  void fail(const llvm::Twine &message);
  bool failed() const { return !error.empty(); }
  std::string takeError() { return std::move(error); }

  GraphWriter &w;
  Translator &translator;

private:
  const llvm::json::Value *find(llvm::StringRef argument) const;
  std::optional<TensorMeta> metaOf(llvm::StringRef argument) const;
  GraphValue toInteger(const llvm::json::Value &value,
                       llvm::StringRef argument);

  const llvm::json::Object &node;
  llvm::StringRef name;
  std::string error;
  struct Result {
    llvm::StringRef name;
    TensorMeta meta;
    bool isTensor = false, isSet = false;
  };
  std::vector<Result> results;
};

/// The entry of an op: sets its results.
using Entry = void (*)(Call &);

/// Entries by target.
class Table {
public:
  void add(llvm::StringRef target, Entry entry) { entries[target] = entry; }
  /// The same for each overload, `aten.add` with a dot behind.
  Entry find(llvm::StringRef target) const;

private:
  llvm::StringMap<Entry> entries;
};

void addArithmetic(Table &table);
void addBackward(Table &table);
void addComposites(Table &table);
void addControlFlow(Table &table);
void addCounting(Table &table);
void addCreation(Table &table);
void addGathering(Table &table);
void addIndexing(Table &table);
void addIntegers(Table &table);
void addMovement(Table &table);
void addNetworks(Table &table);
void addNormalization(Table &table);
void addQuantization(Table &table);
void addRecurrent(Table &table);
void addReductions(Table &table);
void addUnary(Table &table);
void addWindows(Table &table);

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_CALL_H
