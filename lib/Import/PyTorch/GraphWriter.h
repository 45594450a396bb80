//===- GraphWriter.h - Writes the nodes of a model --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not for: what an op of ATen is made of (Call.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_IMPORT_PYTORCH_GRAPHWRITER_H
#define SYMSHAPE_LIB_IMPORT_PYTORCH_GRAPHWRITER_H

#include "symshape/Import/ONNX/Model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace mlir::symshape::pytorch {

/// A value of the graph that is being written.
struct GraphValue {
  llvm::StringRef name;
  onnx::DataType type = onnx::DataType::Undefined;
  int64_t rank = 0;

  explicit operator bool() const { return !name.empty(); }
};

using Ints = llvm::SmallVector<int64_t, 4>;

/// The domain of the ops that the op set of models has no word for.
inline constexpr llvm::StringLiteral kDomain = "symshape.pytorch";

class GraphWriter {
public:
  explicit GraphWriter(onnx::Graph &graph) : graph(&graph), saver(allocator) {}

  /// Writes into another graph from here on, such as the body of an op; gives
  /// the one before, whose values the other one may read.
  onnx::Graph &enter(onnx::Graph &other) {
    return *std::exchange(graph, &other);
  }

  llvm::StringRef save(const llvm::Twine &text) { return saver.save(text); }
  /// What nodes are called from here on.
  void setPlace(llvm::StringRef text) { place = save(text); }
  llvm::StringRef getPlace() const { return place; }

  onnx::AttributeData attr(llvm::StringRef name, int64_t value);
  onnx::AttributeData attr(llvm::StringRef name, double value);
  onnx::AttributeData attr(llvm::StringRef name, llvm::StringRef text);
  onnx::AttributeData attr(llvm::StringRef name, llvm::ArrayRef<int64_t> list);
  onnx::AttributeData attr(llvm::StringRef name,
                           std::shared_ptr<onnx::Graph> body);
  /// The attribute `pads`: as much before as behind each axis.
  onnx::AttributeData pads(llvm::ArrayRef<int64_t> amounts);
  using Attributes = std::vector<onnx::AttributeData>;

  /// A node with one result, of that type and rank. Values without a name are
  /// operands that are left out.
  GraphValue add(llvm::StringRef op, llvm::ArrayRef<GraphValue> inputs,
                 onnx::DataType type, int64_t rank, Attributes attributes = {});
  /// The same; the result is as the first operand.
  GraphValue like(llvm::StringRef op, llvm::ArrayRef<GraphValue> inputs,
                  Attributes attributes = {}) {
    return add(op, inputs, inputs[0].type, inputs[0].rank,
               std::move(attributes));
  }
  /// The same of an op of `kDomain`.
  GraphValue own(llvm::StringRef op, llvm::ArrayRef<GraphValue> inputs,
                 onnx::DataType type, int64_t rank, Attributes attributes = {});
  /// A node with several results, all of that type and rank.
  std::vector<GraphValue> addSeveral(llvm::StringRef op,
                                     llvm::ArrayRef<GraphValue> inputs,
                                     onnx::DataType type, int64_t rank,
                                     size_t count, Attributes attributes = {});
  /// The same with a result of the type of each operand.
  std::vector<GraphValue> ownSeveral(llvm::StringRef op,
                                     llvm::ArrayRef<GraphValue> inputs,
                                     int64_t rank);
  /// Calls the result of the last node, which nothing has read, so.
  void rename(GraphValue result, llvm::StringRef name);
  /// Calls must meet a relation of two integers, such as "<=".
  void require(GraphValue x, llvm::StringRef relation, GraphValue y,
               const llvm::Twine &message);
  /// A node of `kDomain` with no result.
  void check(llvm::StringRef op, llvm::ArrayRef<GraphValue> inputs,
             Attributes attributes);

  /// An input of the graph, which is the body of an op.
  GraphValue addInput(onnx::DataType type, int64_t rank);
  /// A value as the next output of such a graph.
  void addOutput(GraphValue value);

  // Constants.
  GraphValue ints(llvm::ArrayRef<int64_t> list);
  GraphValue floats(llvm::ArrayRef<double> list);
  GraphValue integer(int64_t value);
  /// A tensor of rank 0.
  GraphValue number(double value, onnx::DataType type);
  GraphValue number(int64_t value, onnx::DataType type);
  GraphValue constant(onnx::TensorData data);

  // Ops that many others are made of. Those of two operands want one type.
  GraphValue cast(GraphValue x, onnx::DataType type);
  GraphValue reshape(GraphValue x, GraphValue sizes, int64_t rank);
  GraphValue unsqueeze(GraphValue x, llvm::ArrayRef<int64_t> axes);
  GraphValue squeeze(GraphValue x, llvm::ArrayRef<int64_t> axes);
  GraphValue transpose(GraphValue x, llvm::ArrayRef<int64_t> order);
  GraphValue swapAxes(GraphValue x, int64_t one, int64_t other);
  GraphValue slice(GraphValue x, int64_t axis, GraphValue start, GraphValue end,
                   GraphValue step);
  GraphValue binary(llvm::StringRef op, GraphValue x, GraphValue y);
  GraphValue compare(llvm::StringRef op, GraphValue x, GraphValue y);
  GraphValue select(GraphValue condition, GraphValue x, GraphValue y);
  /// One of the ops that fold axes into one element each, or leave them out.
  GraphValue reduce(llvm::StringRef op, GraphValue x,
                    llvm::ArrayRef<int64_t> axes, bool keep);
  /// The extent of an axis, an integer.
  GraphValue sizeOf(GraphValue x, int64_t axis);
  /// The extents of all axes, as such a list.
  GraphValue sizesOf(GraphValue x);
  /// A value everywhere in a tensor of these extents.
  GraphValue filled(GraphValue value, llvm::ArrayRef<GraphValue> extents);
  /// 0, 1, ... up to an integer, without it.
  GraphValue upTo(GraphValue count);
  /// The same, through which no derivative goes, of floats.
  GraphValue stopGradient(GraphValue x);
  /// An integer of others, which the text calls a, b and c.
  GraphValue expression(llvm::StringRef text,
                        llvm::ArrayRef<GraphValue> operands);
  /// A list of integers as one value.
  GraphValue list(llvm::ArrayRef<GraphValue> integers);

private:
  onnx::NodeData &append(llvm::StringRef op, llvm::ArrayRef<GraphValue> inputs,
                         Attributes attributes);
  llvm::StringRef fresh();

  onnx::Graph *graph;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver;
  llvm::StringRef place;
  size_t numValues = 0;
};

} // namespace mlir::symshape::pytorch

#endif // SYMSHAPE_LIB_IMPORT_PYTORCH_GRAPHWRITER_H
