//===- Elementwise.cpp - Elementwise ops ----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One structured op for each, scalars outside of any loop, sizes as sizes.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;

/// Computes on sizes where all operands are such. Nullopt where it does not.
static std::optional<SizeList> computeSizes(Node &n, StringRef name) {
  size_t length = 0;
  for (size_t i = 0; i < n.count(); ++i) {
    Operand *x = n.operand(i);
    if (!x || !x->sizes || n.element(i).isUnsignedInteger())
      return std::nullopt;
    length = std::max(length, x->sizes->size());
  }
  SizeList results;
  for (size_t k = 0; k < length; ++k) {
    SmallVector<Size, 3> elements;
    for (size_t i = 0; i < n.count(); ++i) {
      const SizeList &list = *n.operand(i)->sizes;
      if (list.size() != length && list.size() != 1)
        return std::nullopt;
      elements.push_back(list[list.size() == 1 ? 0 : k]);
    }
    auto result =
        n.importer.sizes.compute(name, elements, n.word("comparison_direction"),
                                 n.element(0), n.resultElement());
    if (!result)
      return std::nullopt;
    results.push_back(std::move(*result));
  }
  return results;
}

/// The extents of the result, as far as types say them; the others come from
/// the operand that says least.
static RankedTensorType typeOfResult(ArrayRef<Value> operands, int64_t rank,
                                     Type element) {
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  for (Value x : operands) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getRank() == rank)
      for (auto [extent, own] : llvm::zip(shape, type.getShape()))
        if (ShapedType::isDynamic(extent))
          extent = own;
  }
  return RankedTensorType::get(shape, element);
}

/// What a type says; open ones are those of an operand.
static SmallVector<OpFoldResult> extentsOf(Node &n, ArrayRef<Value> operands,
                                           RankedTensorType type) {
  auto hasRank = [&](Value x) {
    return cast<RankedTensorType>(x.getType()).getRank() == type.getRank();
  };
  Value from = *llvm::find_if(operands, hasRank);
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    extents.push_back(type.isDynamicDim(i)
                          ? n.extent(from, i)
                          : OpFoldResult(n.b.getIndexAttr(type.getDimSize(i))));
  return extents;
}

static LogicalResult elementwise(Node &n) {
  auto declared = n.resultType();
  if (!declared)
    return failure();
  if (auto sizes = computeSizes(n, n.name))
    return n.set(0, std::move(*sizes));
  SmallVector<Value> operands;
  for (size_t i = 0; i < n.count(); ++i) {
    operands.push_back(n.tensor(i));
    // The predicate of a selection and the bounds of a clamp may be scalars.
    bool mayBeScalar = n.count() == 3 && (n.name == "select" ? i == 0 : i != 1);
    if (!operands.back() ||
        (n.rank(i) != declared.getRank() && !(mayBeScalar && n.rank(i) == 0)))
      return n.fail("expected operands of the rank of the result");
    if (n.rank(i) && failed(verifyCompatibleShape(n.type(i), declared)))
      return n.fail("expected operands of the extents of the result");
  }
  return computeElementwise(n, n.name, std::move(operands));
}

LogicalResult
mlir::symshape::stablehlo::computeElementwise(Node &n, StringRef name,
                                              SmallVector<Value> operands) {
  auto declared = n.resultType();
  SmallVector<Type> types;
  for (size_t i = 0; i < n.count(); ++i)
    types.push_back(n.element(i));
  int64_t rank = declared.getRank();
  ScalarOp op{name, types, declared.getElementType(),
              n.op->getAttrDictionary()};
  auto refuse = [&] {
    return n.fail("elements of type " + llvm::to_string(types.back()) +
                  " are not supported");
  };
  if (rank == 0) {
    SmallVector<Value> elements;
    for (Value x : operands)
      elements.push_back(
          n.b.createOrFold<tensor::ExtractOp>(n.loc, x, ValueRange()));
    Value result = Scalars(n.b, n.loc).compute(op, elements);
    return result ? n.set(0, n.fromScalar(result)) : refuse();
  }
  auto type = typeOfResult(operands, rank, signless(declared.getElementType()));
  SmallVector<OpFoldResult> extents = extentsOf(n, operands, type);
  SmallVector<AffineMap> maps;
  AffineMap identity = n.b.getMultiDimIdentityMap(rank);
  for (Value &x : operands) {
    auto own = cast<RankedTensorType>(x.getType());
    bool isScalar = own.getRank() == 0;
    maps.push_back(isScalar ? AffineMap::get(rank, 0, n.b.getContext())
                            : identity);
    if (isScalar)
      continue;
    if (failed(verifyCompatibleShape(own, type)))
      return n.fail("expected operands of one shape");
    x = n.cast(x, type.clone(own.getElementType()));
  }
  maps.push_back(identity);
  bool isSupported = true;
  SmallVector<Value> results =
      n.generic(operands, n.empty(extents, type.getElementType()), maps,
                SmallVector<bool>(rank, false),
                [&](OpBuilder &b, Location loc, ValueRange x) {
                  Value result = Scalars(b, loc).compute(
                      op, SmallVector<Value>(x.drop_back()));
                  isSupported = result != nullptr;
                  return SmallVector<Value>{isSupported ? result : x.back()};
                });
  return isSupported ? n.set(0, results.front()) : refuse();
}

/// `map`: a region on scalars instead of a name.
static LogicalResult mapRegion(Node &n) {
  auto declared = n.resultType();
  if (!declared || n.count() == 0)
    return n.fail("expected an operand");
  SmallVector<Value> operands;
  for (size_t i = 0; i < n.count(); ++i) {
    operands.push_back(n.tensor(i));
    if (!operands.back() || n.rank(i) != declared.getRank())
      return n.fail("expected operands of the rank of the result");
  }
  int64_t rank = declared.getRank();
  SmallVector<AffineMap> maps(n.count() + 1, n.b.getMultiDimIdentityMap(rank));
  Type element = signless(declared.getElementType());
  bool fits = true;
  SmallVector<Value> results = n.generic(
      operands, n.empty(n.extents(operands.front()), element), maps,
      SmallVector<bool>(rank, false), [&](OpBuilder &, Location, ValueRange x) {
        auto result = n.inlineScalars(n.op->getRegion(0), x.drop_back());
        fits = succeeded(result) && result->size() == 1 &&
               result->front().getType() == element;
        return fits ? *result : SmallVector<Value>{x.back()};
      });
  return fits ? n.set(0, results.front())
              : n.fail("expected a body that gives one element");
}

/// `constant_like` of chlo: one number everywhere.
static LogicalResult constantLike(Node &n) {
  Value x = n.tensor(0);
  auto value = dyn_cast_or_null<TypedAttr>(n.attribute("value"));
  auto declared = n.resultType();
  if (!x || !declared || !value ||
      value.getType() != declared.getElementType() ||
      !value.getType().isSignlessIntOrFloat())
    return n.fail("expected a number of the type of the elements");
  Value element = arith::ConstantOp::create(n.b, n.loc, value);
  return n.set(0, n.fill(n.extents(x), element));
}

/// Those of one operand, of two, and of three.
static constexpr StringLiteral names[] = {
    "abs acos acosh asin asinh atan atanh bessel_i1e cbrt ceil conj "
    "convert cosh cosine count_leading_zeros digamma erf erf_inv erfc "
    "exponential exponential_minus_one floor imag is_finite is_inf "
    "is_neg_inf is_pos_inf lgamma log log_plus_one logistic negate not "
    "popcnt real reduce_precision round_nearest_afz round_nearest_even "
    "rsqrt sign sine sinh sqrt square tan tanh",
    "add and atan2 compare complex divide maximum minimum mulhi multiply "
    "next_after or polygamma power remainder shift_left "
    "shift_right_arithmetic shift_right_logical subtract xor zeta",
    "clamp select"};

void mlir::symshape::stablehlo::addElementwiseOps(Registry &registry) {
  for (auto [i, all] : llvm::enumerate(names))
    for (StringRef name : llvm::split(all, ' '))
      registry[name] = Definition{elementwise, static_cast<int>(i) + 1, 1};
  registry["constant_like"] = Definition{constantLike, 1, 1};
  registry["map"] = Definition{mapRegion, ~1, 1, 1};
}
