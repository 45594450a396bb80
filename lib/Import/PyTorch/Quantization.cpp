//===- Quantization.cpp - Bytes for floats --------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops that quantized exports hold: of PyTorch, `quantized_decomposed`, and
// of torchao. A float is `(q - zero point) * scale`.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::symshape;
using namespace mlir::symshape::pytorch;
using llvm::ArrayRef;
using llvm::StringRef;
using onnx::DataType;

namespace {
/// The least and the greatest integer that a number may become.
struct Range {
  int64_t least, most;

  bool operator==(const Range &other) const {
    return least == other.least && most == other.most;
  }
};

/// How numbers share a scale: all of them, those of one place along an axis, or
/// those of a block along it.
struct Sharing {
  std::optional<int64_t> axis;
  int64_t block = 0; ///< 0: none

  GraphWriter::Attributes attributes(Call &c) const {
    GraphWriter::Attributes made;
    if (axis)
      made.push_back(c.w.attr("axis", *axis));
    if (block)
      made.push_back(c.w.attr("block_size", block));
    return made;
  }
};
} // namespace

/// All that a type holds; of a type without ops of their own, nothing.
static Range rangeOf(DataType type) {
  switch (type) {
  case DataType::Int8:
    return {-128, 127};
  case DataType::UInt8:
    return {0, 255};
  case DataType::Int16:
    return {-32768, 32767};
  case DataType::UInt16:
    return {0, 65535};
  default:
    return {0, 0};
  }
}

static Range readRange(Call &c, DataType type) {
  Range all = rangeOf(type);
  Range read{c.constant("quant_min", all.least),
             c.constant("quant_max", all.most)};
  if (read.least >= read.most)
    c.fail("expected more than one integer to quantize to");
  return read;
}

static GraphValue toFloat(Call &c, GraphValue x) {
  return c.w.cast(x, DataType::Float);
}

//===----------------------------------------------------------------------===//
// Both ways
//===----------------------------------------------------------------------===//

/// In arithmetic, with scales and zero points that are broadcast.
static GraphValue quantize(Call &c, GraphValue x, GraphValue scale,
                           GraphValue zero, Range range, bool roundsLast) {
  GraphValue y =
      c.w.binary("Mul", toFloat(c, x), c.w.like("Reciprocal", {scale}));
  if (!roundsLast)
    y = c.w.like("Round", {y});
  if (zero)
    y = c.w.binary("Add", y, toFloat(c, zero));
  if (roundsLast)
    y = c.w.like("Round", {y});
  return c.w.like("Clip", {y, c.w.number(double(range.least), y.type),
                           c.w.number(double(range.most), y.type)});
}

static GraphValue dequantize(Call &c, GraphValue x, GraphValue scale,
                             GraphValue zero) {
  GraphValue y = toFloat(c, x);
  if (zero)
    y = c.w.binary("Sub", y, toFloat(c, zero));
  return c.w.binary("Mul", y, scale);
}

/// The one number of a tensor, or a number, as a tensor of rank 0.
static GraphValue one(Call &c, StringRef argument, DataType type) {
  if (c.isNumber(argument))
    return c.number(argument, type);
  GraphValue x = c.w.cast(c.tensor(argument), type);
  return x.rank == 0 ? x : c.w.reshape(x, c.w.ints({}), 0);
}

static void quantizePerTensor(Call &c) {
  GraphValue x = c.tensor("input"), scale = one(c, "scale", DataType::Float);
  DataType type = c.dtype().value_or(c.type());
  Range range = readRange(c, type);
  if (range == rangeOf(type))
    return c.set(c.w.add("QuantizeLinear",
                         {toFloat(c, x), scale, one(c, "zero_point", type)},
                         type, x.rank));
  c.set(quantize(c, x, scale, one(c, "zero_point", DataType::Int64), range,
                 /*roundsLast=*/false));
}

static GraphValue dequantizeShared(Call &c, GraphValue x, GraphValue scale,
                                   GraphValue zero, Sharing sharing) {
  return c.w.add("DequantizeLinear",
                 {x, scale, zero ? c.w.cast(zero, x.type) : zero},
                 DataType::Float, x.rank, sharing.attributes(c));
}

static void dequantizePerTensor(Call &c) {
  GraphValue x = c.tensor("input"), scale = one(c, "scale", DataType::Float);
  if (rangeOf(x.type) == Range{0, 0})
    return c.set(
        dequantize(c, x, scale, one(c, "zero_point", DataType::Int64)));
  c.set(dequantizeShared(c, x, scale, one(c, "zero_point", x.type), {}));
}

/// Scales along an axis, as they are broadcast.
static GraphValue along(Call &c, GraphValue x, int64_t axis, int64_t rank) {
  Ints others;
  for (int64_t other = 0; other < rank; ++other)
    if (other != axis)
      others.push_back(other);
  return x ? c.w.unsqueeze(x, others) : x;
}

static void quantizePerChannel(Call &c) {
  GraphValue x = c.tensor("input");
  int64_t axis = c.axis("axis", x.rank);
  auto read = [&](StringRef argument) {
    return along(c, c.tensorOrNone(argument), axis, x.rank);
  };
  Range range = readRange(c, c.dtype().value_or(c.type()));
  c.set(quantize(c, x, toFloat(c, read("scales")), read("zero_points"), range,
                 /*roundsLast=*/false));
}

static void dequantizePerChannel(Call &c) {
  GraphValue x = c.tensor("input"), zero = c.tensorOrNone("zero_points"),
             scale = toFloat(c, c.tensor("scales"));
  int64_t axis = c.axis("axis", x.rank);
  if (rangeOf(x.type) == Range{0, 0})
    return c.set(dequantize(c, x, along(c, scale, axis, x.rank),
                            along(c, zero, axis, x.rank)));
  c.set(dequantizeShared(c, x, scale, zero, {axis}));
}

static void quantizePerToken(Call &c) {
  c.set(quantize(c, c.tensor("input"), toFloat(c, c.tensor("scales")),
                 c.tensorOrNone("zero_points"),
                 readRange(c, c.dtype().value_or(c.type())),
                 /*roundsLast=*/true));
}

static void dequantizePerToken(Call &c) {
  c.set(dequantize(c, c.tensor("input"), toFloat(c, c.tensor("scales")),
                   c.tensorOrNone("zero_points")));
}

static void dequantizeGroups(Call &c) {
  c.set(dequantizeShared(c, c.tensor("input"), toFloat(c, c.tensor("scales")),
                         c.tensorOrNone("zero_points"),
                         {1, c.constant("group_size", 128)}));
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {
struct Parameters {
  GraphValue scale, zero;
};
} // namespace

enum class Mapping { Asymmetric, Symmetric, SymmetricNoClipping };

/// Parameters of numbers with these extremes, between which 0 lies.
static Parameters choose(Call &c, GraphValue least, GraphValue most,
                         Range range, double epsilon, Mapping mapping) {
  GraphWriter &w = c.w;
  auto number = [&](double value) { return w.number(value, least.type); };
  least = w.like("Min", {least, number(0)});
  most = w.like("Max", {most, number(0)});
  double width = double(range.most - range.least);
  GraphValue scale;
  if (mapping == Mapping::Asymmetric)
    scale = w.binary("Div", w.binary("Sub", most, least), number(width));
  else if (mapping == Mapping::Symmetric)
    scale = w.binary("Div", w.like("Max", {w.like("Neg", {least}), most}),
                     number(width / 2));
  else
    scale = w.like("Max", {w.binary("Div", least, number(double(range.least))),
                           w.binary("Div", most, number(double(range.most)))});
  scale = w.like("Max", {scale, number(epsilon)});
  GraphValue zero = w.binary("Mul", scale, number(0));
  if (mapping != Mapping::Asymmetric)
    return {scale,
            w.binary("Add", zero,
                     number(double((range.most + range.least + 1) / 2)))};
  GraphValue below = w.like("Round", {w.binary("Div", least, scale)});
  zero = w.binary("Sub", number(double(range.least)), below);
  return {scale, w.like("Clip", {zero, number(double(range.least)),
                                 number(double(range.most))})};
}

static void setParameters(Call &c, Parameters made) {
  c.set(made.scale);
  if (c.numResults() > 1)
    c.set(made.zero, 1);
}

template <Mapping mapping>
static void chooseOfAll(Call &c) {
  GraphValue x = toFloat(c, c.tensor("input"));
  Ints axes;
  for (int64_t axis = 0; axis < x.rank; ++axis)
    axes.push_back(axis);
  c.requireSome("input", x, axes);
  Range range = readRange(c, c.dtype().value_or(DataType::Int8));
  Parameters made = choose(c, c.w.reduce("ReduceMin", x, axes, false),
                           c.w.reduce("ReduceMax", x, axes, false), range,
                           c.real("eps", 0), mapping);
  // They come as vectors of one number.
  for (GraphValue *each : {&made.scale, &made.zero})
    *each = c.rank() == 1 ? c.w.unsqueeze(*each, {0}) : *each;
  setParameters(c, made);
}

//===----------------------------------------------------------------------===//
// Blocks of torchao
//===----------------------------------------------------------------------===//

namespace {
/// A tensor whose axes are cut into blocks of equal sizes: of each axis, how
/// many there are, then how many elements one has.
class Blocks {
public:
  Blocks(Call &c, GraphValue x) : c(c), x(x), sizes(c.integers("block_size")) {
    if (static_cast<int64_t>(sizes.size()) != x.rank)
      c.fail("expected a block of rank " + llvm::Twine(x.rank));
    sizes.resize(x.rank, c.w.integer(1));
  }

  GraphValue cut() { return reshape(x, /*areShared=*/false); }
  /// What the elements of a block share.
  GraphValue shared(GraphValue value) {
    return value ? reshape(value, /*areShared=*/true) : value;
  }
  GraphValue join(GraphValue value) {
    return c.w.reshape(value, c.w.sizesOf(x), x.rank);
  }
  /// Of a matrix, rows, or blocks of columns; null: others.
  std::optional<Sharing> ofMatrix();
  /// The axes that one block fills.
  Ints filled() {
    Ints axes;
    for (int64_t axis = 0; axis < x.rank; ++axis) {
      auto size = c.constantOf(sizes[axis]), extent = c.extentOf("input", axis);
      if (size && size == extent && *size != 1)
        axes.push_back(axis);
    }
    return axes;
  }
  Ints inner() const {
    Ints axes;
    for (int64_t axis = 0; axis < x.rank; ++axis)
      axes.push_back(2 * axis + 1);
    return axes;
  }
  /// The number of blocks along each axis.
  std::vector<GraphValue> counts() {
    std::vector<GraphValue> counts;
    for (int64_t axis = 0; axis < x.rank; ++axis)
      counts.push_back(
          c.w.expression("a//max(b, 1)", {c.w.sizeOf(x, axis), sizes[axis]}));
    return counts;
  }

private:
  GraphValue reshape(GraphValue value, bool areShared) {
    std::vector<GraphValue> shape;
    for (auto [count, size] : llvm::zip_equal(counts(), sizes)) {
      shape.push_back(count);
      shape.push_back(areShared ? c.w.integer(1) : size);
    }
    return c.w.reshape(value, c.w.list(shape), 2 * x.rank);
  }

  Call &c;
  GraphValue x;
  std::vector<GraphValue> sizes;
};
} // namespace

std::optional<Sharing> Blocks::ofMatrix() {
  if (x.rank != 2 || rangeOf(x.type) == Range{0, 0} ||
      c.constantOf(sizes[0]) != 1)
    return std::nullopt;
  auto size = c.constantOf(sizes[1]), extent = c.extentOf("input", 1);
  if (!size || !extent || *size < 2 || *extent % *size)
    return std::nullopt;
  return *size == *extent ? Sharing{0} : Sharing{1, *size};
}

static void quantizeBlocks(Call &c) {
  GraphValue x = c.tensor("input");
  Blocks blocks(c, x);
  Range range = readRange(c, c.dtype("output_dtype").value_or(c.type()));
  c.set(blocks.join(quantize(c, blocks.cut(),
                             toFloat(c, blocks.shared(c.tensor("scale"))),
                             blocks.shared(c.tensorOrNone("zero_point")), range,
                             /*roundsLast=*/false)));
}

static void dequantizeBlocks(Call &c) {
  GraphValue x = c.tensor("input"), scale = toFloat(c, c.tensor("scale")),
             zero = c.tensorOrNone("zero_point");
  Blocks blocks(c, x);
  auto sharing = blocks.ofMatrix();
  if (!sharing)
    return c.set(blocks.join(dequantize(c, blocks.cut(), blocks.shared(scale),
                                        blocks.shared(zero))));
  std::vector<GraphValue> counts = blocks.counts();
  counts.resize(sharing->block ? 2 : 1);
  auto shared = [&](GraphValue value) {
    return value ? c.w.reshape(value, c.w.list(counts), counts.size()) : value;
  };
  c.set(dequantizeShared(c, x, shared(scale), shared(zero), *sharing));
}

static void chooseOfBlocks(Call &c) {
  GraphValue x = c.tensor("input");
  Blocks blocks(c, x);
  StringRef text = c.text("mapping_type", "");
  Mapping mapping = text == "SYMMETRIC"    ? Mapping::Symmetric
                    : text == "ASYMMETRIC" ? Mapping::Asymmetric
                                           : Mapping::SymmetricNoClipping;
  constexpr double smallestNormal = 0x1p-126, ofHalf = 0x1p-14;
  double epsilon =
      c.real("eps", x.type == DataType::Float16 ? ofHalf : smallestNormal);
  GraphValue cut = toFloat(c, blocks.cut());
  Ints axes = blocks.inner();
  Parameters made =
      choose(c, c.w.reduce("ReduceMin", cut, axes, false),
             c.w.reduce("ReduceMax", cut, axes, false),
             readRange(c, c.dtype("target_dtype").value_or(DataType::Int8)),
             epsilon, mapping);
  if (!c.flag("keepdim", false))
    for (GraphValue *each : {&made.scale, &made.zero})
      *each = c.w.squeeze(*each, blocks.filled());
  if (made.scale.rank != c.rank())
    return c.fail("expected scales of rank " + llvm::Twine(made.scale.rank) +
                  ", but got " + llvm::Twine(c.rank()));
  setParameters(c, made);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void byteProduct(Call &c) {
  GraphValue x = c.tensor("self"), y = c.tensor("mat2");
  c.set(c.w.add("MatMulInteger", {x, y}, DataType::Int32, 2));
}

/// `x` times the transpose of a matrix of bytes, whose rows have scales.
static void byteWeights(Call &c) {
  GraphValue x = c.tensor("self"), weight = c.tensor("mat2");
  GraphValue floats = dequantizeShared(
      c, weight, toFloat(c, c.tensor("scales")), {}, Sharing{0});
  c.set(c.w.like("MatMul", {toFloat(c, x), c.w.transpose(floats, {1, 0})}));
}

void mlir::symshape::pytorch::addQuantization(Table &table) {
  static constexpr std::pair<StringRef, Entry> entries[] = {
      {"quantized_decomposed.quantize_per_tensor", quantizePerTensor},
      {"quantized_decomposed.dequantize_per_tensor", dequantizePerTensor},
      {"quantized_decomposed.quantize_per_channel", quantizePerChannel},
      {"quantized_decomposed.dequantize_per_channel", dequantizePerChannel},
      {"quantized_decomposed.quantize_per_token", quantizePerToken},
      {"quantized_decomposed.dequantize_per_token", dequantizePerToken},
      {"quantized_decomposed.dequantize_per_channel_group", dequantizeGroups},
      {"quantized_decomposed.choose_qparams", chooseOfAll<Mapping::Asymmetric>},
      {"quantized_decomposed.choose_qparams_symmetric",
       chooseOfAll<Mapping::Symmetric>},
      {"torchao.quantize_affine", quantizeBlocks},
      {"torchao.dequantize_affine", dequantizeBlocks},
      {"torchao.choose_qparams_affine", chooseOfBlocks},
      {"aten._int_mm", byteProduct},
      {"aten._weight_int8pack_mm", byteWeights}};
  for (auto [name, entry] : entries)
    table.add(name, entry);
}
