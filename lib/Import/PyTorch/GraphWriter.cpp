//===- GraphWriter.cpp - Writes the nodes of a model ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants are initializers.
//
//===----------------------------------------------------------------------===//

#include "GraphWriter.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
using onnx::AttributeData;
using onnx::DataType;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

AttributeData GraphWriter::attr(StringRef name, int64_t value) {
  AttributeData data;
  data.name = save(name);
  data.type = AttributeData::Int;
  data.i = value;
  return data;
}

AttributeData GraphWriter::attr(StringRef name, double value) {
  AttributeData data;
  data.name = save(name);
  data.type = AttributeData::Float;
  data.f = static_cast<float>(value);
  return data;
}

AttributeData GraphWriter::attr(StringRef name, StringRef text) {
  AttributeData data;
  data.name = save(name);
  data.type = AttributeData::String;
  data.s = save(text);
  return data;
}

AttributeData GraphWriter::pads(ArrayRef<int64_t> amounts) {
  Ints all(amounts);
  all.append(amounts.begin(), amounts.end());
  return attr("pads", all);
}

AttributeData GraphWriter::attr(StringRef name, ArrayRef<int64_t> list) {
  AttributeData data;
  data.name = save(name);
  data.type = AttributeData::Ints;
  data.ints.assign(list.begin(), list.end());
  return data;
}

AttributeData GraphWriter::attr(StringRef name,
                                std::shared_ptr<onnx::Graph> body) {
  constexpr int32_t graphType = 5;
  AttributeData data;
  data.name = save(name);
  data.type = graphType;
  data.graph = std::move(body);
  return data;
}

StringRef GraphWriter::fresh() { return save("%" + Twine(numValues++)); }

onnx::NodeData &GraphWriter::append(StringRef op, ArrayRef<GraphValue> inputs,
                                    Attributes attributes) {
  onnx::NodeData &node = graph->nodes.emplace_back();
  node.opType = save(op);
  node.name = place;
  node.number = graph->nodes.size() - 1;
  for (const GraphValue &input : inputs)
    node.inputs.push_back(input.name);
  while (!node.inputs.empty() && node.inputs.back().empty())
    node.inputs.pop_back();
  node.attributes = std::move(attributes);
  return node;
}

std::vector<GraphValue> GraphWriter::addSeveral(StringRef op,
                                                ArrayRef<GraphValue> inputs,
                                                DataType type, int64_t rank,
                                                size_t count,
                                                Attributes attributes) {
  onnx::NodeData &node = append(op, inputs, std::move(attributes));
  std::vector<GraphValue> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back({fresh(), type, rank});
    node.outputs.push_back(results.back().name);
  }
  return results;
}

GraphValue GraphWriter::add(StringRef op, ArrayRef<GraphValue> inputs,
                            DataType type, int64_t rank,
                            Attributes attributes) {
  return addSeveral(op, inputs, type, rank, 1, std::move(attributes)).front();
}

GraphValue GraphWriter::own(StringRef op, ArrayRef<GraphValue> inputs,
                            DataType type, int64_t rank,
                            Attributes attributes) {
  GraphValue result = add(op, inputs, type, rank, std::move(attributes));
  graph->nodes.back().domain = kDomain;
  return result;
}

std::vector<GraphValue> GraphWriter::ownSeveral(StringRef op,
                                                ArrayRef<GraphValue> inputs,
                                                int64_t rank) {
  std::vector<GraphValue> results =
      addSeveral(op, inputs, DataType::Undefined, rank, inputs.size());
  graph->nodes.back().domain = kDomain;
  for (auto [result, input] : llvm::zip(results, inputs))
    result.type = input.type;
  return results;
}

void GraphWriter::require(GraphValue x, StringRef relation, GraphValue y,
                          const llvm::Twine &message) {
  check("Require", {x, y},
        {attr("relation", relation), attr("message", save(message))});
}

void GraphWriter::check(StringRef op, ArrayRef<GraphValue> inputs,
                        Attributes attributes) {
  append(op, inputs, std::move(attributes)).domain = kDomain;
}

GraphValue GraphWriter::addInput(DataType type, int64_t rank) {
  onnx::ValueInfo &input = graph->inputs.emplace_back();
  input.name = fresh();
  return {input.name, type, rank};
}

void GraphWriter::addOutput(GraphValue value) {
  // An op of its own: the value may be one of the graph around, or an output
  // already.
  graph->outputs.emplace_back().name = like("Identity", {value}).name;
}

void GraphWriter::rename(GraphValue result, StringRef name) {
  onnx::NodeData &node = graph->nodes.back();
  assert(node.outputs.front() == result.name);
  (void)result;
  node.outputs.front() = name;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

GraphValue GraphWriter::constant(onnx::TensorData data) {
  if (data.name.empty())
    data.name = fresh();
  GraphValue value{data.name, data.type,
                   static_cast<int64_t>(data.dims.size())};
  graph->initializers.push_back(std::move(data));
  return value;
}

GraphValue GraphWriter::ints(ArrayRef<int64_t> list) {
  onnx::TensorData data;
  data.type = DataType::Int64;
  data.dims.push_back(list.size());
  data.bytes = save(StringRef(reinterpret_cast<const char *>(list.data()),
                              list.size() * sizeof(int64_t)));
  return constant(std::move(data));
}

GraphValue GraphWriter::floats(ArrayRef<double> list) {
  std::vector<float> numbers(list.begin(), list.end());
  onnx::TensorData data;
  data.type = DataType::Float;
  data.dims.push_back(numbers.size());
  data.bytes = save(StringRef(reinterpret_cast<const char *>(numbers.data()),
                              numbers.size() * sizeof(float)));
  return constant(std::move(data));
}

GraphValue GraphWriter::integer(int64_t value) {
  return number(value, DataType::Int64);
}

GraphValue GraphWriter::number(int64_t value, DataType type) {
  if (onnx::isFloat(type))
    return number(static_cast<double>(value), type);
  onnx::TensorData data;
  data.type = type;
  if (type == DataType::Bool)
    value = value != 0;
  data.bytes = save(
      StringRef(reinterpret_cast<const char *>(&value), onnx::bytesOf(type)));
  return constant(std::move(data));
}

GraphValue GraphWriter::number(double value, DataType type) {
  if (!onnx::isFloat(type))
    return number(static_cast<int64_t>(value), type);
  const llvm::fltSemantics &semantics =
      type == DataType::Float     ? llvm::APFloat::IEEEsingle()
      : type == DataType::Float16 ? llvm::APFloat::IEEEhalf()
      : type == DataType::Double  ? llvm::APFloat::IEEEdouble()
                                  : llvm::APFloat::BFloat();
  llvm::APFloat number(value);
  bool isInexact;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  onnx::TensorData data;
  data.type = type;
  data.bytes = save(
      StringRef(reinterpret_cast<const char *>(&bits), onnx::bytesOf(type)));
  return constant(std::move(data));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

GraphValue GraphWriter::cast(GraphValue x, DataType type) {
  return x.type == type ? x
                        : add("Cast", {x}, type, x.rank,
                              {attr("to", static_cast<int64_t>(type))});
}

GraphValue GraphWriter::reshape(GraphValue x, GraphValue sizes, int64_t rank) {
  return add("Reshape", {x, sizes}, x.type, rank,
             {attr("allowzero", int64_t(1))});
}

GraphValue GraphWriter::unsqueeze(GraphValue x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return add("Unsqueeze", {x, ints(axes)}, x.type, x.rank + axes.size());
}

GraphValue GraphWriter::squeeze(GraphValue x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return add("Squeeze", {x, ints(axes)}, x.type, x.rank - axes.size());
}

GraphValue GraphWriter::transpose(GraphValue x, ArrayRef<int64_t> order) {
  return like("Transpose", {x}, {attr("perm", order)});
}

GraphValue GraphWriter::swapAxes(GraphValue x, int64_t one, int64_t other) {
  if (std::min(one, other) < 0 || std::max(one, other) >= x.rank)
    return x; // of a faulty graph, which is refused for its ranks
  auto order = llvm::to_vector<4>(llvm::seq(x.rank));
  std::swap(order[one], order[other]);
  return transpose(x, order);
}

GraphValue GraphWriter::slice(GraphValue x, int64_t axis, GraphValue start,
                              GraphValue end, GraphValue step) {
  return like("Slice",
              {x, list({start}), list({end}), ints({axis}), list({step})});
}

GraphValue GraphWriter::binary(StringRef op, GraphValue x, GraphValue y) {
  return add(op, {x, y}, x.type, std::max(x.rank, y.rank));
}

GraphValue GraphWriter::compare(StringRef op, GraphValue x, GraphValue y) {
  return add(op, {x, y}, DataType::Bool, std::max(x.rank, y.rank));
}

GraphValue GraphWriter::select(GraphValue condition, GraphValue x,
                               GraphValue y) {
  return add("Where", {condition, x, y}, x.type,
             std::max({condition.rank, x.rank, y.rank}));
}

GraphValue GraphWriter::sizeOf(GraphValue x, int64_t axis) {
  return own("Size", {x}, DataType::Int64, 0, {attr("axis", axis)});
}

GraphValue GraphWriter::expression(StringRef text,
                                   ArrayRef<GraphValue> operands) {
  static constexpr StringRef symbols[] = {"", "a", "a,b", "a,b,c"};
  return own("Evaluate", operands, DataType::Int64, 0,
             {attr("symbols", symbols[operands.size()]), attr("text", text)});
}

GraphValue GraphWriter::sizesOf(GraphValue x) {
  std::vector<GraphValue> sizes;
  for (int64_t axis = 0; axis < x.rank; ++axis)
    sizes.push_back(sizeOf(x, axis));
  return list(sizes);
}

GraphValue GraphWriter::reduce(StringRef op, GraphValue x,
                               ArrayRef<int64_t> axes, bool keep) {
  if (x.rank == 0 || axes.empty())
    return x;
  return add(op, {x, ints(axes)}, x.type, keep ? x.rank : x.rank - axes.size(),
             {attr("keepdims", int64_t(keep))});
}

GraphValue GraphWriter::filled(GraphValue value, ArrayRef<GraphValue> extents) {
  return own("Expand", {value, list(extents)}, value.type, extents.size());
}

GraphValue GraphWriter::upTo(GraphValue count) {
  return add("Range", {integer(0), count, integer(1)}, DataType::Int64, 1);
}

GraphValue GraphWriter::stopGradient(GraphValue x) {
  return onnx::isFloat(x.type) ? own("StopGradient", {x}, x.type, x.rank) : x;
}

GraphValue GraphWriter::list(ArrayRef<GraphValue> integers) {
  return own("List", integers, DataType::Int64, 1);
}
