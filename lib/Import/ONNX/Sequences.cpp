//===- Sequences.cpp - Lists of tensors, and optional values --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The length of a sequence, places in it, and whether an optional value is
// present, are known when the model is imported. No program contains any of
// them. Not for: sequences that a loop makes, or that depend on data.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "GraphImporter.h"
#include "SizeMoves.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// Each element becomes code wherever all are used.
static constexpr size_t longestSequence = 256;

/// Null, after an error, if it is not one.
static const std::vector<Operand> *sequence(Node &n, size_t i) {
  if (n.operand(i).kind == Operand::IsSequence)
    return &n.operand(i).sequence;
  (void)n.fail("expected input #" + Twine(i) + " to be a sequence");
  return nullptr;
}

static LogicalResult setSequence(Node &n, size_t i,
                                 std::vector<Operand> elements) {
  if (elements.size() > longestSequence)
    return n.fail("expected a sequence of at most " + Twine(longestSequence) +
                  " tensors, but got " + Twine(elements.size()));
  for (const Operand &element : elements) {
    if (element.kind == Operand::IsSequence || element.kind == Operand::Absent)
      return n.fail("expected a sequence of tensors");
    if (element.type != elements.front().type)
      return n.fail("expected a sequence of tensors of one type");
  }
  Operand result;
  result.kind = Operand::IsSequence;
  result.sequence = std::move(elements);
  return n.set(i, std::move(result));
}

static LogicalResult sequenceEmpty(Node &n) { return setSequence(n, 0, {}); }

static LogicalResult sequenceConstruct(Node &n) {
  std::vector<Operand> elements;
  for (size_t i = 0; i < n.numInputs(); ++i)
    elements.push_back(n.operand(i));
  return setSequence(n, 0, std::move(elements));
}

static LogicalResult sequenceLength(Node &n) {
  const std::vector<Operand> *elements = sequence(n, 0);
  return elements ? n.setList(0, n.emit().constant(elements->size()), true,
                              DataType::Int64)
                  : failure();
}

/// A place in a sequence of `length` tensors, counted from the end if it is
/// negative, or `length` itself if something may be put after it; `otherwise`
/// if the node names none. nullopt after an error.
static std::optional<int64_t> readPlace(Node &n, size_t i, int64_t length,
                                        bool isEndIncluded, int64_t otherwise) {
  int64_t place = otherwise;
  if (n.has(i)) {
    auto given = n.neededInt(i, "place in a sequence");
    if (!given)
      return std::nullopt;
    place = *given;
  }
  if (place >= -length && place < length + isEndIncluded)
    return place < 0 ? place + length : place;
  (void)n.fail("expected a place in a sequence of " + Twine(length) +
               " tensors, but got " + Twine(place));
  return std::nullopt;
}

static LogicalResult sequenceAt(Node &n) {
  const std::vector<Operand> *elements = sequence(n, 0);
  if (!elements)
    return failure();
  auto place = readPlace(n, 1, elements->size(), false, 0);
  return place ? n.set(0, (*elements)[*place]) : failure();
}

static LogicalResult sequenceErase(Node &n) {
  const std::vector<Operand> *elements = sequence(n, 0);
  if (!elements)
    return failure();
  auto place = readPlace(n, 1, elements->size(), false, -1);
  if (!place)
    return failure();
  std::vector<Operand> kept = *elements;
  kept.erase(kept.begin() + *place);
  return setSequence(n, 0, std::move(kept));
}

static LogicalResult sequenceInsert(Node &n) {
  const std::vector<Operand> *elements = sequence(n, 0);
  if (!elements)
    return failure();
  int64_t length = elements->size();
  auto place = readPlace(n, 2, length, true, length);
  if (!place)
    return failure();
  std::vector<Operand> longer = *elements;
  longer.insert(longer.begin() + *place, n.operand(1));
  return setSequence(n, 0, std::move(longer));
}

static LogicalResult splitToSequence(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  auto axis = n.axisAttr("axis", 0, x.rank());
  if (!axis)
    return failure();
  SmallVector<Expr, 4> sizes;
  if (n.has(1) && n.rank(1) == 1) {
    auto given = n.partSizes(1, x.dims[*axis]);
    if (!given)
      return failure();
    sizes = *given;
  } else {
    // Parts of one size; the last one takes the rest.
    int64_t size = 1;
    if (n.has(1)) {
      auto given = n.neededInts(1);
      if (!given)
        return failure();
      size = given->size() == 1 ? given->front() : 0;
    }
    std::optional<int64_t> whole = n.neededExtent(0, *axis);
    if (!whole)
      return failure();
    if (size < 1 || *whole / size > static_cast<int64_t>(longestSequence))
      return n.fail("expected a split into 1 to " + Twine(longestSequence) +
                    " parts");
    for (int64_t left = *whole; left > 0; left -= size)
      sizes.push_back(e.constant(std::min(left, size)));
  }
  bool isSqueezed = !n.has(1) && n.intAttr("keepdims", 1) == 0;
  std::vector<Operand> parts;
  for (const Tensor &part : e.split(x, *axis, sizes))
    parts.push_back(Operand::of(isSqueezed ? e.squeeze(part, *axis) : part));
  return setSequence(n, 0, std::move(parts));
}

static LogicalResult concatFromSequence(Node &n) {
  Emitter &e = n.emit();
  const std::vector<Operand> *elements = sequence(n, 0);
  if (!elements)
    return failure();
  if (elements->empty())
    return n.fail("expected a sequence that is not empty");
  bool isStacked = n.intAttr("new_axis", 0) != 0;
  NodeData joined = n.raw();
  joined.opType = "Concat";
  Node all(n.graph(), joined, *elements);
  if (!isStacked && followSizes(all))
    return success();
  SmallVector<Tensor> parts;
  std::optional<int64_t> axis;
  for (size_t i = 0; i < elements->size(); ++i) {
    Tensor part = all.tensor(i);
    if (i == 0)
      axis = n.axisAttr("axis", 0, part.rank() + isStacked);
    if (!axis)
      return failure();
    if (i != 0 && part.rank() + isStacked != parts.front().rank())
      return n.fail("expected tensors of one rank");
    parts.push_back(isStacked ? e.unsqueeze(part, *axis) : part);
  }
  return n.set(0, e.concat(parts, *axis));
}

/// The body, once for each element of the first sequence.
static LogicalResult sequenceMap(Node &n) {
  const AttributeData *body = n.attribute("body");
  const std::vector<Operand> *first = sequence(n, 0);
  if (!first)
    return failure();
  if (!body || !body->graph)
    return n.fail("expected a body");
  std::vector<std::vector<Operand>> mapped(n.numOutputs());
  for (size_t k = 0; k < first->size(); ++k) {
    std::vector<Operand> inputs;
    for (size_t i = 0; i < n.numInputs(); ++i) {
      const Operand &operand = n.operand(i);
      bool isSequence = operand.kind == Operand::IsSequence;
      if (isSequence && operand.sequence.size() != first->size())
        return n.fail("expected sequences of one length");
      inputs.push_back(isSequence ? operand.sequence[k] : operand);
    }
    auto results = n.graph().importBody(*body->graph, inputs);
    if (!results)
      return failure();
    if (results->size() < mapped.size())
      return n.fail("expected a result of the body for each output");
    for (auto [sequence, result] : llvm::zip(mapped, *results))
      sequence.push_back(std::move(result));
  }
  for (auto [i, elements] : llvm::enumerate(mapped))
    if (failed(setSequence(n, i, std::move(elements))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Optional values
//===----------------------------------------------------------------------===//

static LogicalResult optional(Node &n) {
  return n.set(0, n.has(0) ? n.operand(0) : Operand());
}

static LogicalResult optionalHasElement(Node &n) {
  return n.setList(0, n.emit().constant(n.has(0)), true, DataType::Bool);
}

static LogicalResult optionalGetElement(Node &n) {
  if (!n.has(0))
    return n.fail("expected an optional value that has an element");
  return n.set(0, n.operand(0));
}

void mlir::symshape::onnx::addSequenceOps(Registry &registry) {
  registry.add("ConcatFromSequence", 1, concatFromSequence);
  registry.add("Optional", 0, optional);
  registry.add("OptionalGetElement", 0, optionalGetElement);
  registry.add("OptionalHasElement", 0, optionalHasElement);
  registry.add("SequenceAt", 2, sequenceAt);
  registry.add("SequenceConstruct", 1, sequenceConstruct);
  registry.add("SequenceEmpty", 0, sequenceEmpty);
  registry.add("SequenceErase", 1, sequenceErase);
  registry.add("SequenceInsert", 2, sequenceInsert);
  registry.add("SequenceLength", 1, sequenceLength);
  registry.add("SequenceMap", 1, sequenceMap);
  registry.add("SplitToSequence", 1, splitToSequence);
}
