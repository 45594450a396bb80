//===- Movement.cpp - Ops that move elements ------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes, broadcasts, slices, borders, and the like, with extents that are
// constants of the op or lists of sizes.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "SizeMoves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

/// The product of static extents; nullopt with an open one.
static bool mayHaveAsMany(RankedTensorType x, ArrayRef<OpFoldResult> sizes) {
  int64_t product = 1;
  for (OpFoldResult size : sizes) {
    auto extent = getConstantIntValue(size);
    if (!extent)
      return true;
    if (*extent < 0 || llvm::MulOverflow(product, *extent, product))
      return false;
  }
  return !x.hasStaticShape() || x.getNumElements() == product;
}

static LogicalResult reshapeTo(Node &n,
                               std::optional<SmallVector<OpFoldResult>> sizes) {
  Value x = n.tensor(0);
  if (!x || !sizes)
    return failure();
  if (!mayHaveAsMany(cast<RankedTensorType>(x.getType()), *sizes))
    return n.fail("expected as many elements as before");
  return n.set(0, n.reshape(x, *sizes));
}

static LogicalResult reshape(Node &n) {
  if (auto done = reshapeSizes(n))
    return *done;
  return reshapeTo(n, n.staticSizes(0));
}

static LogicalResult dynamicReshape(Node &n) {
  if (auto done = reshapeSizes(n))
    return *done;
  return reshapeTo(n, n.resultSizes(0, 1));
}

static LogicalResult
broadcastTo(Node &n, std::optional<SmallVector<OpFoldResult>> sizes) {
  Value x = n.tensor(0);
  if (!x || !sizes)
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> dims = n.axes("broadcast_dimensions", sizes->size());
  if (n.hasFailed() || static_cast<int64_t>(dims.size()) != type.getRank())
    return n.fail("expected an axis of the result per axis of the operand");
  SmallVector<int64_t> shape(type.getShape());
  if (n.attribute("known_expanding_dimensions"))
    for (int64_t axis : n.axes("known_expanding_dimensions", shape.size()))
      if (ShapedType::isDynamic(shape[axis]))
        shape[axis] = 1;
  x = n.cast(x, type = type.clone(shape));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto size = getConstantIntValue((*sizes)[dim]);
    if (size && !type.isDynamicDim(i) && type.getDimSize(i) != 1 &&
        type.getDimSize(i) != *size)
      return n.fail("expected extents of the result or 1");
  }
  return n.set(0, n.broadcast(x, *sizes, dims));
}

static LogicalResult broadcastInDim(Node &n) {
  if (auto done = broadcastSizes(n))
    return *done;
  return broadcastTo(n, n.staticSizes(0));
}

static LogicalResult dynamicBroadcastInDim(Node &n) {
  if (auto done = broadcastSizes(n))
    return *done;
  return broadcastTo(n, n.resultSizes(0, 1));
}

/// The old `broadcast`: new axes come first.
static LogicalResult broadcastOld(Node &n) {
  Value x = n.tensor(0);
  auto sizes = n.staticSizes(0);
  if (!x || !sizes)
    return failure();
  int64_t rank = n.rank(0), added = sizes->size() - rank;
  if (added < 0)
    return n.fail("expected a result of no smaller rank");
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(added + i);
  for (int64_t i = 0; i < rank; ++i)
    if (cast<RankedTensorType>(x.getType()).getDimSize(i) !=
        getConstantIntValue((*sizes)[added + i]))
      return n.fail("expected the extents of the operand last");
  return n.set(0, n.broadcast(x, *sizes, dims));
}

static LogicalResult concatenate(Node &n) {
  if (auto done = concatenateSizes(n))
    return *done;
  auto declared = n.resultType();
  if (!declared || declared.getRank() == 0)
    return n.fail("expected tensors of rank 1 at least");
  int64_t axis = n.integer("dimension", 0, declared.getRank() - 1);
  SmallVector<Value> parts;
  // All have what one of them is known to have, but for the axis.
  SmallVector<int64_t> shape(declared.getRank(), ShapedType::kDynamic);
  for (size_t i = 0; i < n.count(); ++i) {
    parts.push_back(n.tensor(i));
    if (!parts.back() || n.rank(i) != declared.getRank() ||
        n.element(i) != declared.getElementType())
      return n.fail("expected operands of the rank and type of the result");
    auto type = cast<RankedTensorType>(parts.back().getType());
    for (auto [extent, own] : llvm::zip(shape, type.getShape()))
      if (ShapedType::isDynamic(extent))
        extent = own;
  }
  if (n.hasFailed())
    return failure();
  for (Value &part : parts) {
    auto type = cast<RankedTensorType>(part.getType());
    shape[axis] = type.getDimSize(axis);
    if (failed(verifyCompatibleShape(type.getShape(), shape)))
      return n.fail("expected operands of one shape but for the axis");
    part = n.cast(part, type.clone(shape));
  }
  if (parts.size() == 1)
    return n.set(0, parts.front());
  return n.set(0, tensor::ConcatOp::create(n.b, n.loc, axis, parts));
}

static LogicalResult transpose(Node &n) {
  Value x = n.tensor(0);
  if (!x)
    return failure();
  SmallVector<int64_t> permutation = n.axes("permutation", n.rank(0));
  if (n.hasFailed() || static_cast<int64_t>(permutation.size()) != n.rank(0))
    return n.fail("expected a permutation of all axes");
  return n.set(0, n.transpose(x, permutation));
}

static LogicalResult reverse(Node &n) {
  Value x = n.tensor(0);
  if (!x)
    return failure();
  SmallVector<int64_t> axes = n.axes("dimensions", n.rank(0));
  if (n.hasFailed())
    return failure();
  return n.set(0, n.b.createOrFold<ReverseOp>(n.loc, x.getType(), x,
                                              n.b.getDenseI64ArrayAttr(axes)));
}

static LogicalResult slice(Node &n) {
  if (auto done = sliceSizes(n))
    return *done;
  Value x = n.tensor(0);
  if (!x)
    return failure();
  int64_t rank = n.rank(0);
  SmallVector<int64_t> from = n.ints("start_indices", rank),
                       to = n.ints("limit_indices", rank),
                       steps = n.ints("strides", rank);
  if (n.hasFailed())
    return failure();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t i = 0; i < rank; ++i) {
    if (from[i] < 0 || from[i] > to[i] || steps[i] < 1 ||
        (!type.isDynamicDim(i) && to[i] > type.getDimSize(i)))
      return n.fail("expected a slice inside the operand");
    // MLIR has no slice that begins behind the last element.
    offsets.push_back(n.b.getIndexAttr(from[i] == to[i] ? 0 : from[i]));
    strides.push_back(n.b.getIndexAttr(steps[i]));
    sizes.push_back(
        n.b.getIndexAttr(llvm::divideCeil(to[i] - from[i], steps[i])));
  }
  return n.set(0, tensor::ExtractSliceOp::create(n.b, n.loc, x, offsets, sizes,
                                                 strides));
}

static LogicalResult realDynamicSlice(Node &n) {
  Value x = n.tensor(0);
  auto type = n.resultType();
  if (!x || !type)
    return failure();
  int64_t rank = n.rank(0);
  auto from = n.list(1, rank), to = n.list(2, rank), steps = n.list(3, rank);
  if (!from || !to || !steps || type.getRank() != rank)
    return n.fail("expected one start, limit and stride per axis");
  SizeMath &math = n.importer.sizes;
  SmallVector<OpFoldResult> sizes, starts = valuesOf(*from);
  for (int64_t i = 0; i < rank; ++i) {
    auto step = getConstantIntValue((*steps)[i].value);
    if (!type.isDynamicDim(i)) {
      sizes.push_back(n.b.getIndexAttr(type.getDimSize(i)));
      continue;
    }
    if (!step || *step < 1)
      return n.fail("expected strides that are known, and at least 1");
    OpFoldResult all =
        math.expression("p - q", (*to)[i].value, (*from)[i].value);
    sizes.push_back(
        *step == 1 ? all
                   : math.expression("p ceildiv q", all, (*steps)[i].value));
  }
  // A start in data is that of a slice that JAX keeps inside of its operand.
  for (int64_t i = 0; i < rank && !n.isList(1); ++i)
    if (getConstantIntValue((*steps)[i].value) == 1)
      starts[i] =
          math.expression("max(min(p, q), 0)", starts[i],
                          math.expression("p - q", n.extent(x, i), sizes[i]));
  for (auto [start, size] : llvm::zip(starts, sizes))
    if (getConstantIntValue(size) == 0) // as above
      start = n.b.getIndexAttr(0);
  return n.set(0, tensor::ExtractSliceOp::create(n.b, n.loc, x, starts, sizes,
                                                 valuesOf(*steps)));
}

/// `x` with copies of an element between neighbours: as many as sizes say, of
/// which some are open.
static Value spread(Node &n, Value x, Value element, ArrayRef<Size> between) {
  SizeMath &math = n.importer.sizes;
  SmallVector<OpFoldResult> whole, steps, own = n.extents(x);
  for (auto [extent, count] : llvm::zip(own, between)) {
    if (count.least < 0 && !getConstantIntValue(count.value))
      AssertOp::create(n.b, n.loc, "p >= 0", {{"p", count.value}},
                       "interior padding of at least 0");
    whole.push_back(
        math.expression("p + max(p - 1, 0) * q", extent, count.value));
    steps.push_back(math.expression("p + 1", count.value));
  }
  SmallVector<OpFoldResult> start(own.size(), n.b.getIndexAttr(0));
  return tensor::InsertSliceOp::create(n.b, n.loc, x, n.fill(whole, element),
                                       start, own, steps);
}

/// A border and copies between elements, which sizes say.
static LogicalResult padBy(Node &n, std::optional<SizeList> low,
                           std::optional<SizeList> high,
                           std::optional<SizeList> interior) {
  Value x = n.tensor(0), element = n.scalar(1);
  if (!x || !element || !low || !high || !interior)
    return failure();
  SmallVector<int64_t> between;
  bool isOpen = false;
  for (const Size &size : *interior) {
    auto number = getConstantIntValue(size.value);
    if (number && (*number < 0 || *number > (1 << 30)))
      return n.fail("expected interior padding of at least 0");
    between.push_back(number.value_or(0));
    isOpen |= !number;
  }
  if (element.getType() != getElementTypeOrSelf(x))
    return n.fail("expected a padding value of the type of the operand");
  if (isOpen) {
    x = spread(n, x, element, *interior);
    between.assign(between.size(), 0);
  }
  Value padded = n.pad(x, element, valuesOf(*low), valuesOf(*high), between);
  return n.hasFailed() ? failure() : n.set(0, padded);
}

static LogicalResult pad(Node &n) {
  auto read = [&](StringRef name) {
    SizeList sizes;
    for (int64_t number : n.ints(name, n.rank(0)))
      sizes.push_back(n.importer.sizes.constant(number));
    return n.hasFailed() ? std::nullopt : std::optional(sizes);
  };
  return padBy(n, read("edge_padding_low"), read("edge_padding_high"),
               read("interior_padding"));
}

static LogicalResult dynamicPad(Node &n) {
  int64_t rank = n.rank(0);
  return padBy(n, n.list(2, rank), n.list(3, rank), n.list(4, rank));
}

static LogicalResult iotaOf(Node &n,
                            std::optional<SmallVector<OpFoldResult>> sizes) {
  auto type = n.resultType();
  if (!type || !sizes || type.getRank() == 0)
    return n.fail("expected a result of rank 1 at least");
  int64_t axis = n.integer("iota_dimension", 0, type.getRank() - 1);
  Type element = type.getElementType();
  auto part = isa<ComplexType>(element)
                  ? cast<ComplexType>(element).getElementType()
                  : element;
  if (n.hasFailed() || !part.isIntOrFloat() || part.isInteger(1))
    return n.fail("expected numbers as elements");
  Value made = n.generate(
      *sizes, signless(element),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Scalars s(b, loc);
        if (isa<IntegerType>(element))
          return s.create<arith::IndexCastOp>(signless(element), at[axis]);
        Value number = s.create<arith::IndexCastOp>(b.getI64Type(), at[axis]);
        return s.convert(number, b.getI64Type(), element);
      });
  return n.set(0, made);
}

static LogicalResult iota(Node &n) { return iotaOf(n, n.staticSizes(0)); }

static LogicalResult dynamicIota(Node &n) {
  return iotaOf(n, n.resultSizes(0, 0));
}

void mlir::symshape::stablehlo::addMovementOps(Registry &registry) {
  registry["broadcast"] = Definition{broadcastOld, 1, 1};
  registry["broadcast_in_dim"] = Definition{broadcastInDim, 1, 1};
  registry["concatenate"] = Definition{concatenate, ~1, 1};
  registry["dynamic_broadcast_in_dim"] =
      Definition{dynamicBroadcastInDim, 2, 1};
  registry["dynamic_iota"] = Definition{dynamicIota, 1, 1};
  registry["dynamic_pad"] = Definition{dynamicPad, 5, 1};
  registry["dynamic_reshape"] = Definition{dynamicReshape, 2, 1};
  registry["iota"] = Definition{iota, 0, 1};
  registry["pad"] = Definition{pad, 2, 1};
  registry["real_dynamic_slice"] = Definition{realDynamicSlice, 4, 1};
  registry["reshape"] = Definition{reshape, 1, 1};
  registry["reverse"] = Definition{reverse, 1, 1};
  registry["slice"] = Definition{slice, 1, 1};
  registry["transpose"] = Definition{transpose, 1, 1};
}
