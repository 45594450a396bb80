//===- EmitMovement.cpp - Data movement and products ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes, slices, concatenations, and products built from them.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/Slices.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Import/ONNX/Emitter.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

/// The axes that are not `units`, each with the units after it; those before
/// the first go with it. Empty if all are units.
static SmallVector<ReassociationIndices> groupUnits(int64_t rank,
                                                    ArrayRef<int64_t> units) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices before;
  for (int64_t i = 0; i < rank; ++i) {
    bool isUnit = llvm::is_contained(units, i);
    if (!isUnit) {
      groups.emplace_back(std::move(before));
      before.clear();
      groups.back().push_back(i);
    } else if (groups.empty()) {
      before.push_back(i);
    } else {
      groups.back().push_back(i);
    }
  }
  return groups;
}

Tensor Emitter::squeeze(const Tensor &x, ArrayRef<int64_t> axes) {
  if (axes.empty() || !areAxes(axes, x.rank()))
    return x;
  SmallVector<Expr, 4> before(x.dims), after;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (!llvm::is_contained(axes, i))
      after.push_back(x.dims[i]);
    else
      before[i] = constant(1); // the cast requires it
  }
  Value source = x.value;
  if (RankedTensorType type = typeOf(before, x.type); type != source.getType())
    source = tensor::CastOp::create(b, place, type, source);
  Value value = tensor::CollapseShapeOp::create(
      b, place, typeOf(after, x.type), source, groupUnits(x.rank(), axes));
  return {value, after, x.type};
}

Tensor Emitter::unsqueeze(const Tensor &x, ArrayRef<int64_t> axes) {
  int64_t rank = x.rank() + axes.size();
  if (axes.empty() || !areAxes(axes, rank))
    return x;
  SmallVector<Expr, 4> after;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    after.push_back(llvm::is_contained(axes, i) ? constant(1) : x.dims[next++]);
  Value value =
      tensor::ExpandShapeOp::create(b, place, typeOf(after, x.type), x.value,
                                    groupUnits(rank, axes), fold(after));
  return {value, after, x.type};
}

Tensor Emitter::reshape(const Tensor &x, ArrayRef<Expr> dims) {
  if (ArrayRef<Expr>(x.dims) == dims)
    return x;
  SmallVector<Value> sizes;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(fold(dims), sizes, fixed);
  Value value = symshape::ReshapeOp::create(b, place, typeOf(dims, x.type),
                                            x.value, sizes, fixed);
  return {value, SmallVector<Expr, 4>(dims), x.type};
}

Tensor Emitter::transpose(const Tensor &x, ArrayRef<int64_t> permutation) {
  SmallVector<Expr, 4> dims;
  bool isSame = true;
  if (!areAxes(permutation, x.rank()))
    return x;
  for (auto [i, axis] : llvm::enumerate(permutation)) {
    dims.push_back(x.dims[axis]);
    isSame &= static_cast<int64_t>(i) == axis;
  }
  if (isSame)
    return x;
  auto op = linalg::TransposeOp::create(b, place, x.value, empty(dims, x.type),
                                        permutation);
  return {op->getResult(0), dims, x.type};
}

Tensor Emitter::moveAxis(const Tensor &x, int64_t from, int64_t to) {
  SmallVector<int64_t> permutation;
  if (!areAxes({from, to}, x.rank()))
    return x;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != from)
      permutation.push_back(i);
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, permutation);
}

Tensor Emitter::slice(const Tensor &x, ArrayRef<Expr> offsets,
                      ArrayRef<Expr> sizes, ArrayRef<int64_t> steps) {
  size_t rank = x.rank();
  if (offsets.size() != rank || sizes.size() != rank || steps.size() != rank) {
    refuse("expected a slice of a tensor of rank " + Twine(sizes.size()));
    return x;
  }
  // Upstream accepts no place past the last element, even to take nothing.
  SmallVector<Expr, 4> taken(sizes);
  for (int64_t i = 0; i < x.rank(); ++i) {
    std::optional<int64_t> offset = offsets[i].asInt64(),
                           extent = x.dims[i].asInt64();
    if (!offset || !extent || *offset < *extent)
      continue;
    require(Relation::eq(taken[i], exprs.zero()),
            "there is nothing behind the last element");
    taken[i] = exprs.zero();
  }
  if (llvm::any_of(taken, [](Expr size) { return size.isConstant(0); }))
    return {empty(taken, x.type), taken, x.type};
  SmallVector<OpFoldResult> strides;
  for (int64_t step : steps)
    strides.push_back(b.getIndexAttr(step));
  Value value =
      extractSlice(b, place, x.value, {fold(offsets), fold(sizes), strides},
                   typeOf(sizes, x.type));
  return {value, SmallVector<Expr, 4>(sizes), x.type};
}

Tensor Emitter::slice(const Tensor &x, int64_t axis, Expr offset, Expr size) {
  if (!areAxes(axis, x.rank()))
    return x;
  SmallVector<Expr, 4> offsets(x.rank(), constant(0)), sizes(x.dims);
  offsets[axis] = offset;
  sizes[axis] = size;
  return slice(x, offsets, sizes, SmallVector<int64_t>(x.rank(), 1));
}

SmallVector<Tensor> Emitter::split(const Tensor &x, int64_t axis,
                                   ArrayRef<Expr> sizes) {
  SmallVector<Tensor> parts;
  Expr offset = constant(0);
  for (Expr size : sizes) {
    parts.push_back(slice(x, axis, offset, size));
    offset = offset + size;
  }
  return parts;
}

Tensor Emitter::reverse(const Tensor &x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  Value value = symshape::ReverseOp::create(
      b, place, x.value.getType(), x.value, b.getDenseI64ArrayAttr(axes));
  return {value, x.dims, x.type};
}

Tensor Emitter::stopGradient(const Tensor &x) {
  Value value = StopGradientOp::create(b, place, x.value.getType(), x.value);
  return {value, x.dims, x.type};
}

Tensor Emitter::concat(ArrayRef<Tensor> parts, int64_t axis) {
  const Tensor &first = parts.front();
  for (const Tensor &part : parts)
    if (part.rank() != first.rank() || part.type != first.type) {
      refuse("expected tensors of one rank and type");
      return first;
    }
  if (parts.size() == 1 || !areAxes(axis, first.rank()))
    return first;
  SmallVector<Expr, 4> dims(first.dims);
  SmallVector<Value> values{parts.front().value};
  for (const Tensor &part : parts.drop_front()) {
    values.push_back(part.value);
    for (int64_t i = 0; i < part.rank(); ++i) {
      if (i == axis)
        dims[i] = dims[i] + part.dims[i];
      else if (!dims[i].isConstant())
        dims[i] = part.dims[i].isConstant() ? part.dims[i] : dims[i];
      else if (part.dims[i].isConstant() && part.dims[i] != dims[i])
        refuse("expected equal extents along all other axes, but got " +
               dims[i].str() + " and " + part.dims[i].str());
    }
  }
  if (!fault.empty())
    return {empty(dims, first.type), dims, first.type};
  Value value = tensor::ConcatOp::create(b, place, typeOf(dims, first.type),
                                         axis, values);
  return {value, dims, first.type};
}

Tensor Emitter::pad(const Tensor &x, Value value, ArrayRef<Expr> low,
                    ArrayRef<Expr> high, ArrayRef<int64_t> interior) {
  SmallVector<Expr, 4> dims;
  SmallVector<int64_t, 4> between(x.rank(), 0);
  size_t rank = x.rank();
  if (low.size() != rank || high.size() != rank ||
      (!interior.empty() && interior.size() != rank)) {
    refuse("expected borders of a tensor of rank " + Twine(low.size()));
    return x;
  }
  if (!interior.empty())
    between.assign(interior.begin(), interior.end());
  bool isSame = true;
  for (int64_t i = 0; i < x.rank(); ++i) {
    // An axis of extent 0 has no neighbours: max(0, .) of a negative number.
    Expr base = x.dims[i];
    if (between[i])
      base =
          simplify(exprs.max(exprs.zero(), (base - 1) * (between[i] + 1) + 1));
    dims.push_back(base + low[i] + high[i]);
    isSame &= dims[i] == x.dims[i] && low[i].isConstant(0) && !between[i];
  }
  if (isSame)
    return x;
  SmallVector<Value> lows, highs;
  SmallVector<int64_t> fixedLow, fixedHigh;
  dispatchIndexOpFoldResults(fold(low), lows, fixedLow);
  dispatchIndexOpFoldResults(fold(high), highs, fixedHigh);
  Value padded =
      symshape::PadOp::create(b, place, typeOf(dims, x.type), x.value, value,
                              lows, highs, fixedLow, fixedHigh, between);
  return {padded, dims, x.type};
}

Tensor Emitter::broadcastTo(const Tensor &x, ArrayRef<Expr> dims) {
  int64_t shift = static_cast<int64_t>(dims.size()) - x.rank();
  if (shift < 0) {
    refuse("expected a rank of at most " + Twine(dims.size()) + ", but got " +
           Twine(x.rank()));
    return {empty(dims, x.type), SmallVector<Expr, 4>(dims), x.type};
  }
  if (ArrayRef<Expr>(x.dims) == dims)
    return x;
  SmallVector<AffineExpr> loops;
  Tensor source = dropUnits(stretchTo(x, dims), dims, loops);
  AffineMap maps[] = {AffineMap::get(dims.size(), 0, loops, context()),
                      b.getMultiDimIdentityMap(dims.size())};
  return structured(source,
                    {empty(dims, x.type), SmallVector<Expr, 4>(dims), x.type},
                    maps, SmallVector<bool>(dims.size(), false),
                    [](Scalars &, ArrayRef<Value> v) { return v[0]; });
}

Tensor Emitter::cast(const Tensor &x, DataType type) {
  if (x.type == type)
    return x;
  return map(x, type, [&](Scalars &s, ArrayRef<Value> v) {
    return s.cast(v[0], x.type, type);
  });
}

Tensor Emitter::widen(const Tensor &x) { return cast(x, sumType(x.type)); }

Tensor Emitter::unary(const Tensor &x,
                      llvm::function_ref<Value(Scalars &, Value)> f) {
  return map(x, x.type,
             [&](Scalars &s, ArrayRef<Value> v) { return f(s, v[0]); });
}

Tensor Emitter::add(const Tensor &x, const Tensor &y) {
  return map({x, y}, x.type,
             [](Scalars &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); });
}
Tensor Emitter::sub(const Tensor &x, const Tensor &y) {
  return map({x, y}, x.type,
             [](Scalars &s, ArrayRef<Value> v) { return s.sub(v[0], v[1]); });
}
Tensor Emitter::mul(const Tensor &x, const Tensor &y) {
  return map({x, y}, x.type,
             [](Scalars &s, ArrayRef<Value> v) { return s.mul(v[0], v[1]); });
}
Tensor Emitter::div(const Tensor &x, const Tensor &y) {
  bool noSign = isUnsigned(x.type);
  return map({x, y}, x.type, [noSign](Scalars &s, ArrayRef<Value> v) {
    return s.div(v[0], v[1], noSign);
  });
}

/// Batches broadcast to `dims`. Those of constant extent 1 that repeat are left
/// out; `loops` says which loop each of the others is.
static SmallVector<Expr, 4> joinBatches(Emitter &e, const Tensor &x,
                                        const Tensor &y) {
  int64_t rank = std::max(x.rank(), y.rank()) - 2;
  SmallVector<Expr, 4> dims(rank, e.constant(1));
  for (const Tensor *t : {&x, &y})
    for (int64_t i = 0; i + 2 < t->rank(); ++i) {
      Expr &dim = dims[i + rank - (t->rank() - 2)];
      dim = e.broadcast(dim, t->dims[i]);
    }
  return dims;
}

Tensor Emitter::matmul(const Tensor &x, const Tensor &y, DataType type) {
  if (x.rank() == 0 || y.rank() == 0) {
    refuse("expected factors of rank 1 or more");
    return x.rank() == 0 ? y : x;
  }
  if (x.rank() == 1) {
    Tensor result = matmul(unsqueeze(x, 0), y, type);
    return squeeze(result, result.rank() - (y.rank() > 1 ? 2 : 1));
  }
  if (y.rank() == 1) {
    Tensor result = matmul(x, unsqueeze(y, 1), type);
    return squeeze(result, result.rank() - 1);
  }
  if (y.rank() == 2 && x.rank() > 2) { // rows of all batches together
    SmallVector<Expr, 4> rows(x.dims), flat;
    Expr k = rows.pop_back_val();
    SmallVector<ReassociationIndices> groups(2);
    for (int64_t i = 0; i + 1 < x.rank(); ++i)
      groups[0].push_back(i);
    groups[1].push_back(x.rank() - 1);
    flat = {product(rows), k};
    Value collapsed = tensor::CollapseShapeOp::create(
        b, place, typeOf(flat, x.type), x.value, groups);
    Tensor sums = matmul({collapsed, flat, x.type}, y, type);
    rows.push_back(y.dims[1]);
    Value expanded = tensor::ExpandShapeOp::create(
        b, place, typeOf(rows, type), sums.value, groups, fold(rows));
    return {expanded, rows, type};
  }
  SmallVector<Expr, 4> dims = joinBatches(*this, x, y);
  if (!fault.empty()) {
    dims.append({x.dims[x.rank() - 2], y.dims.back()});
    return {empty(dims, type), dims, type};
  }
  int64_t batches = dims.size(), loops = batches + 3;
  SmallVector<Tensor> inputs;
  SmallVector<AffineMap> maps;
  for (const Tensor *operand : {&x, &y}) {
    bool isLeft = operand == &x;
    Tensor t = *operand;
    int64_t own = t.rank() - 2, shift = batches - own;
    SmallVector<int64_t> dropped;
    SmallVector<AffineExpr> places;
    for (int64_t i = 0; i < own; ++i) {
      Expr to = dims[i + shift];
      if (t.dims[i].isConstant(1) && !to.isConstant(1)) {
        dropped.push_back(i);
        continue;
      }
      if (t.dims[i] != to)
        t = stretch(t, i, to);
      places.push_back(b.getAffineDimExpr(i + shift));
    }
    places.push_back(b.getAffineDimExpr(isLeft ? batches : batches + 2));
    places.push_back(b.getAffineDimExpr(isLeft ? batches + 2 : batches + 1));
    inputs.push_back(squeeze(t, dropped));
    maps.push_back(AffineMap::get(loops, 0, places, context()));
  }
  dims.push_back(x.dims[x.rank() - 2]);
  dims.push_back(y.dims[y.rank() - 1]);
  SmallVector<AffineExpr> places;
  for (int64_t i = 0; i < loops - 1; ++i)
    places.push_back(b.getAffineDimExpr(i));
  maps.push_back(AffineMap::get(loops, 0, places, context()));
  SmallVector<bool> isReduction(loops, false);
  isReduction.back() = true;
  Tensor zeros = fill(dims, type, 0);
  return structured(inputs, zeros, maps, isReduction,
                    [&](Scalars &s, ArrayRef<Value> v) {
                      Value left = s.cast(v[0], x.type, type);
                      Value right = s.cast(v[1], y.type, type);
                      return s.add(v[2], s.mul(left, right));
                    });
}
