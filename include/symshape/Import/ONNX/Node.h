//===- Node.h - What a definition of an op sees of a node -------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands, attributes and results of one node, in the form that the newest
// opset gives them, and the registry of definitions. For: definitions of ops,
// also of domains of one's own. Not for: how to compute (Emitter.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_NODE_H
#define SYMSHAPE_IMPORT_ONNX_NODE_H

#include "symshape/Import/ONNX/Emitter.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::symshape::onnx {

class GraphImporter;

/// What an edge of the graph carries.
///
/// A list is an integer or bool tensor of rank 0 or 1 whose elements are known
/// as expressions: sizes that were computed from shapes. A tensor is made of it
/// where one is needed. A table is the same of rank 2 or 3, on its way to a
/// list: how exporters bring the amounts of Pad into order.
struct Operand {
  enum Kind {
    Absent,
    IsTensor,
    IsList,
    IsTable,
    IsConstant,
    IsSequence,
    IsUnknown ///< made by a node that could not be imported
  };
  Kind kind = Absent;
  Tensor tensor;
  SmallVector<Expr, 4> list;
  bool isScalar = false; ///< a list of rank 0
  /// Which elements of the list are numbers of the model or data; the others
  /// are computed from sizes, whatever is known of these.
  llvm::SmallBitVector given;
  /// Of a float tensor whose elements are those of `list` by `divisors`,
  /// rounded, where each of `steps` is small enough to be exact (Lists.h).
  SmallVector<Expr, 0> steps, divisors;
  SmallVector<int64_t, 3> shape; ///< of a table
  DataType type = DataType::Undefined;
  std::shared_ptr<const TensorData> constant;
  std::vector<Operand> sequence;
  /// Of a tensor that is an input of the graph: which one.
  std::optional<size_t> input;

  /// Nullopt if it is not a tensor.
  std::optional<SmallVector<Expr, 4>> extents(ExprArena &arena) const;

  static Operand of(Tensor tensor);
  static Operand ofList(ArrayRef<Expr> list, bool isScalar, DataType type);
  static Operand ofTable(ArrayRef<Expr> list, ArrayRef<int64_t> shape,
                         DataType type);
  static Operand ofConstant(std::shared_ptr<const TensorData> data);
};

class Node {
public:
  Node(GraphImporter &importer, const NodeData &data,
       std::vector<Operand> operands);

  StringRef opType() const { return data.opType; }
  /// The version of ai.onnx, by which definitions that several ops share go.
  int64_t opset() const;
  /// The version of the domain of the node.
  int64_t version() const;
  Emitter &emit();

  // Operands. The first `minInputs` of the definition are present.
  size_t numInputs() const { return operands.size(); }
  bool has(size_t i) const;
  const Operand &operand(size_t i) const;
  /// The type of the elements of a tensor, list or constant.
  DataType type(size_t i) const;
  int64_t rank(size_t i) const;
  /// As a tensor; of rank 0 if it is absent or a sequence, an error that was
  /// already reported.
  Tensor tensor(size_t i);
  /// The same to compute with: halves as the floats that they are.
  Tensor wideTensor(size_t i);
  /// An operand that is broadcast to another of that shape. Before opset 7 the
  /// attribute `broadcast` says that it is, and `axis` where its axes begin;
  /// else both are equal, which is required.
  Tensor broadcastOperand(size_t i, ArrayRef<Expr> dims);
  /// The elements of an integer tensor of rank 0 or 1 and of known length.
  /// nullopt after an error.
  std::optional<SmallVector<Expr, 4>> ints(size_t i);
  /// The single integer of an operand. Null after an error.
  Expr oneInt(size_t i);
  /// The single element of a tensor of any rank, which is required to have one.
  /// Null after an error.
  Value oneElement(size_t i);
  /// The same of sizes, which are required to add up to that of the axis.
  std::optional<SmallVector<Expr, 4>> partSizes(size_t i, Expr whole);
  /// The same if they are known without looking at data, without an error.
  std::optional<SmallVector<Expr, 4>> knownInts(size_t i);
  /// Which of `ints` are `given`.
  llvm::SmallBitVector givenInts(size_t i, size_t length) const;
  /// The elements where they are constants, without an error.
  std::optional<SmallVector<int64_t, 4>> constantInts(size_t i);
  /// The same of a constant of any rank, row by row.
  std::optional<SmallVector<int64_t, 4>> flatInts(size_t i);
  /// The same where the op cannot do without: an input of the graph is bound to
  /// the value that the first call gives it. nullopt after an error.
  std::optional<SmallVector<int64_t, 4>> neededInts(size_t i);
  /// The single one of `neededInts`, called `what` in errors.
  std::optional<int64_t> neededInt(size_t i, StringRef what);
  std::optional<SmallVector<double, 4>> neededNumbers(size_t i);
  /// An extent of a tensor that the rank of a result depends on: that of a
  /// graph's input is bound to what the first call gives it. nullopt after an
  /// error.
  std::optional<int64_t> neededExtent(size_t i, int64_t axis);
  /// What an expression in extents of inputs is in the first call, for a choice
  /// that the op can make without too; nullopt where that call is not known.
  std::optional<int64_t> inFirstCall(Expr e);
  /// The elements of a constant of rank 0 or 1.
  std::optional<SmallVector<double, 4>> constantNumbers(size_t i);
  /// The element of a constant of rank 0, or of one element.
  std::optional<double> constantNumber(size_t i);
  /// Whether it is an operand whose elements are known as expressions.
  bool isKnownList(size_t i);

  // Attributes.
  const AttributeData *attribute(StringRef name) const;
  int64_t intAttr(StringRef name, int64_t otherwise) const;
  double floatAttr(StringRef name, double otherwise) const;
  StringRef textAttr(StringRef name, StringRef otherwise) const;
  std::optional<SmallVector<int64_t, 4>> intsAttr(StringRef name) const;
  std::optional<std::vector<float>> floatsAttr(StringRef name) const;
  /// An axis counted from 0 of a tensor of that rank. nullopt after an error.
  std::optional<int64_t> axisAttr(StringRef name, int64_t otherwise,
                                  int64_t rank);
  std::optional<int64_t> axis(int64_t value, int64_t rank);
  /// Distinct axes in increasing order. nullopt after an error.
  std::optional<SmallVector<int64_t, 4>> axes(ArrayRef<int64_t> values,
                                              int64_t rank);

  // Results.
  size_t numOutputs() const { return data.outputs.size(); }
  bool wants(size_t i) const;
  /// Failure if the tensor is null, an error that was already reported.
  LogicalResult set(size_t i, const Tensor &tensor);
  LogicalResult set(size_t i, Operand operand);
  /// The same of what was computed from wide tensors: rounded to the type of
  /// the first operand.
  LogicalResult setRounded(size_t i, const Tensor &tensor);
  /// Requires that no number overflows the type: expressions do not wrap.
  LogicalResult setList(size_t i, ArrayRef<Expr> list, bool isScalar,
                        DataType type, llvm::SmallBitVector given = {});

  /// An error at this node.
  LogicalResult fail(const Twine &message);
  GraphImporter &graph() { return importer; }
  const NodeData &raw() const { return data; }

private:
  bool bindValue(size_t i);

  GraphImporter &importer;
  const NodeData &data;
  std::vector<Operand> operands;
};

/// The definition of an op: what it becomes. `emit` sets all results that the
/// node wants, or fails with a message of its own.
struct Definition {
  unsigned minInputs = 0; ///< that must be present
  LogicalResult (*emit)(Node &) = nullptr;
  int64_t since = 1; ///< the first version of the domain that it is for
};

/// Definitions by domain, name and version of the domain. A node has the one
/// with the largest `since` that is not above its version. Those of ai.onnx are
/// for the newest form of the op; older nodes are brought to that form first
/// (Normalise.cpp).
class Registry {
public:
  /// The definitions of ai.onnx, which an import knows that is given no others.
  static const Registry &standard();
  /// A copy of these with what `add` adds or replaces, as for domains of one's
  /// own: for options of imports, so that two users in one process do not meet.
  static std::shared_ptr<const Registry>
  standardAnd(llvm::function_ref<void(Registry &)> add);
  Registry() = default;

  void add(StringRef domain, StringRef name, Definition definition);
  void add(StringRef name, unsigned minInputs, LogicalResult (*emit)(Node &)) {
    add("", name, {minInputs, emit});
  }
  /// Null if there is none for that version.
  const Definition *find(StringRef domain, StringRef name,
                         int64_t version) const;
  std::vector<std::string> getNames() const;

private:
  llvm::StringMap<SmallVector<Definition, 1>> definitions;
};

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_NODE_H
