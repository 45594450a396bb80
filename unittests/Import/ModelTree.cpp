//===- ModelTree.cpp - A file of a model as a tree of fields --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which field of which message is a message, and what may be changed.
//
//===----------------------------------------------------------------------===//

#include "ModelTree.h"

#include <algorithm>
#include <optional>

using namespace mlir::symshape::onnx;

using Kind = MessageKind;

/// What field `number` of a message is.
static Kind kindOf(Kind parent, unsigned number) {
  static constexpr struct {
    Kind parent;
    unsigned number;
    Kind kind;
  } rows[] = {
      {Kind::Model, 7, Kind::Graph},      {Kind::Model, 8, Kind::Opset},
      {Kind::Model, 25, Kind::Function},  {Kind::Graph, 1, Kind::Node},
      {Kind::Graph, 5, Kind::Tensor},     {Kind::Graph, 11, Kind::ValueInfo},
      {Kind::Graph, 12, Kind::ValueInfo}, {Kind::Graph, 13, Kind::ValueInfo},
      {Kind::Node, 5, Kind::Attribute},   {Kind::Attribute, 5, Kind::Tensor},
      {Kind::Attribute, 6, Kind::Graph},  {Kind::Function, 7, Kind::Node},
      {Kind::Function, 9, Kind::Opset},   {Kind::Function, 11, Kind::Attribute},
      {Kind::Tensor, 13, Kind::Entry},    {Kind::ValueInfo, 2, Kind::Type},
      {Kind::Type, 1, Kind::TensorType},  {Kind::Type, 4, Kind::ElementType},
      {Kind::Type, 9, Kind::ElementType}, {Kind::ElementType, 1, Kind::Type},
      {Kind::TensorType, 2, Kind::Shape}, {Kind::Shape, 1, Kind::Dimension}};
  for (const auto &row : rows)
    if (row.parent == parent && row.number == number)
      return row.kind;
  return Kind::Leaf;
}

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

static std::optional<uint64_t> readVarint(const std::string &bytes,
                                          size_t &at) {
  uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    uint8_t byte = bytes[at++];
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  return std::nullopt;
}

static void writeVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

static std::optional<std::vector<WireField>>
parseFields(const std::string &bytes, Kind parent, unsigned depth) {
  std::vector<WireField> fields;
  for (size_t at = 0; at < bytes.size();) {
    auto key = readVarint(bytes, at);
    if (!key)
      return std::nullopt;
    WireField &field = fields.emplace_back();
    field.number = *key >> 3;
    field.form = *key & 7;
    size_t size = field.form == 1 ? 8 : field.form == 5 ? 4 : 0;
    if (field.form == 0 || field.form == 2) {
      auto value = readVarint(bytes, at);
      if (!value)
        return std::nullopt;
      (field.form == 0 ? field.scalar : size) = *value;
    } else if (size == 0) {
      return std::nullopt;
    }
    if (size > bytes.size() - at)
      return std::nullopt;
    field.bytes = bytes.substr(at, size);
    at += size;
    Kind kind = kindOf(parent, field.number);
    if (field.form != 2 || kind == Kind::Leaf || depth == 0)
      continue;
    if (auto inner = parseFields(field.bytes, kind, depth - 1)) {
      field.kind = kind;
      field.fields = std::move(*inner);
      field.bytes.clear();
    }
  }
  return fields;
}

WireField WireField::parse(const std::string &file) {
  WireField model;
  constexpr unsigned deepest = 32;
  if (auto fields = parseFields(file, Kind::Model, deepest)) {
    model.kind = Kind::Model;
    model.fields = std::move(*fields);
  } else {
    model.bytes = file;
  }
  return model;
}

std::string WireField::serialize() const {
  std::string result = bytes;
  for (const WireField &field : fields) {
    writeVarint(result, uint64_t(field.number) << 3 | field.form);
    std::string inner = field.serialize();
    if (field.form == 0)
      writeVarint(result, field.scalar);
    else if (field.form == 2)
      writeVarint(result, inner.size());
    result += inner;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

namespace {
/// A field, by the message that holds it.
struct Place {
  WireField *parent;
  size_t index;

  WireField &field() const { return parent->fields[index]; }
  bool isSameKind(const Place &other) const {
    return parent->kind == other.parent->kind &&
           field().number == other.field().number;
  }
  /// Whether it is the name of a value, or of what is declared of it.
  bool isValueName() const {
    unsigned number = field().number;
    return (parent->kind == Kind::Node && number <= 2) ||
           (parent->kind == Kind::ValueInfo && number == 1) ||
           (parent->kind == Kind::Tensor && number == 8);
  }
};
} // namespace

static void collect(WireField &message, std::vector<Place> &places) {
  for (size_t i = 0; i < message.fields.size(); ++i) {
    places.push_back({&message, i});
    collect(message.fields[i], places);
  }
}

static size_t below(std::mt19937 &random, size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}

template <typename Range>
static auto &choose(std::mt19937 &random, Range &range) {
  return range[below(random, std::size(range))];
}

/// One of the places for which `fits`; none is null.
template <typename Fits>
static const Place *chooseWhere(std::mt19937 &random,
                                const std::vector<Place> &places, Fits fits) {
  std::vector<const Place *> fitting;
  for (const Place &place : places)
    if (fits(place))
      fitting.push_back(&place);
  return fitting.empty() ? nullptr : choose(random, fitting);
}

static void mutateScalar(uint64_t &scalar, std::mt19937 &random) {
  static constexpr int64_t numbers[] = {
      0,  1,  2,   3,     4,          5,          7,         8,           9,
      11, 16, 255, 65536, 0x7fffffff, 0x80000000, -1,        -2,          -3,
      17, 23, 64,  1024,  INT64_MAX,  INT64_MIN,  1ll << 40, -(1ll << 40)};
  switch (below(random, 3)) {
  case 0:
    scalar = choose(random, numbers);
    break;
  case 1:
    scalar += 1;
    break;
  case 2:
    scalar -= 1;
    break;
  }
}

static void mutateText(const Place &place, std::mt19937 &random,
                       const std::vector<Place> &places,
                       const std::vector<std::string> &names,
                       void (*mutateBytes)(std::string &)) {
  static const std::string dims[] = {
      "N",     "M",         "?",
      "",      "N + M",     "2*N",
      "N*M",   "N//2",      "floor(N/2 - 1/2)",
      "_d0",   "max(N, M)", "N**2",
      "N % 3", "-N",        "9223372036854775807",
      "N - M"};
  WireField &field = place.field();
  if (place.parent->kind == Kind::Node && field.number == 4 &&
      below(random, 4)) {
    field.bytes = choose(random, names);
  } else if (place.parent->kind == Kind::Dimension && below(random, 2)) {
    field.bytes = choose(random, dims);
  } else if (place.isValueName() && below(random, 8)) {
    const Place *other = chooseWhere(
        random, places, [](const Place &p) { return p.isValueName(); });
    field.bytes = std::string(other->field().bytes);
  } else {
    mutateBytes(field.bytes);
  }
}

void mlir::symshape::onnx::mutate(WireField &model, std::mt19937 &random,
                                  const std::vector<std::string> &names,
                                  void (*mutateBytes)(std::string &)) {
  std::vector<Place> places;
  collect(model, places);
  if (places.empty())
    return mutateBytes(model.bytes);
  const Place place = choose(random, places);
  WireField &field = place.field();
  std::vector<WireField> &siblings = place.parent->fields;
  switch (below(random, 8)) {
  case 0:
    siblings.erase(siblings.begin() + place.index);
    return;
  case 1: {
    WireField copy = field;
    siblings.insert(siblings.begin() + below(random, siblings.size() + 1),
                    std::move(copy));
    return;
  }
  case 2:
    std::swap(field, choose(random, siblings));
    return;
  case 3: {
    const Place *other = chooseWhere(
        random, places, [&](const Place &p) { return place.isSameKind(p); });
    WireField copy = other->field();
    field = std::move(copy);
    return;
  }
  default: {
    const Place *leaf = chooseWhere(random, places, [&](const Place &p) {
      return p.field().kind == Kind::Leaf;
    });
    if (!leaf)
      return;
    if (leaf->field().form == 0)
      mutateScalar(leaf->field().scalar, random);
    else if (leaf->field().form == 2)
      mutateText(*leaf, random, places, names, mutateBytes);
    else
      choose(random, leaf->field().bytes) = static_cast<char>(random());
  }
  }
}

void mlir::symshape::onnx::crossOver(WireField &model, const WireField &other,
                                     std::mt19937 &random) {
  WireField source = other;
  std::vector<Place> places, others;
  collect(model, places);
  collect(source, others);
  if (places.empty() || others.empty())
    return;
  const Place place = choose(random, places);
  const Place *taken = chooseWhere(
      random, others, [&](const Place &p) { return place.isSameKind(p); });
  if (!taken)
    return;
  std::vector<WireField> &siblings = place.parent->fields;
  if (below(random, 2))
    place.field() = std::move(taken->field());
  else
    siblings.insert(siblings.begin() + place.index, std::move(taken->field()));
}
