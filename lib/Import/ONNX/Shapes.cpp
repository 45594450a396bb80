//===- Shapes.cpp - Constants, shapes and what is made of them ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that read or make extents. Not for: moving elements about (Movement.cpp).
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Lists.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T>
static std::shared_ptr<TensorData> makeData(DataType type, ArrayRef<T> values,
                                            bool isScalar) {
  auto data = std::make_shared<TensorData>();
  auto kept = std::make_shared<std::string>(
      reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  data->type = type;
  if (!isScalar)
    data->dims.push_back(values.size());
  data->bytes = *kept;
  data->owner = kept;
  return data;
}

static LogicalResult constant(Node &n) {
  std::shared_ptr<const TensorData> data;
  for (const AttributeData &attribute : n.raw().attributes) {
    if (attribute.name == "value" && attribute.tensor) {
      auto named = std::make_shared<TensorData>(*attribute.tensor);
      if (named->name.empty() && n.wants(0))
        named->name = n.raw().outputs[0];
      data = named;
    } else if (attribute.name == "value_int")
      data = makeData<int64_t>(DataType::Int64, attribute.i, true);
    else if (attribute.name == "value_ints")
      data = makeData<int64_t>(DataType::Int64, attribute.ints, false);
    else if (attribute.name == "value_float")
      data = makeData<float>(DataType::Float, attribute.f, true);
    else if (attribute.name == "value_floats")
      data = makeData<float>(DataType::Float, attribute.floats, false);
  }
  if (!data)
    return n.fail("expected a value that is a dense tensor of numbers");
  return n.set(0, Operand::ofConstant(data));
}

/// The tensor of one element that an attribute gives, or a float 0.
static std::shared_ptr<const TensorData> fillValue(Node &n) {
  const AttributeData *attribute = n.attribute("value");
  if (attribute && attribute->tensor)
    return attribute->tensor;
  return makeData<float>(DataType::Float, 0.0f, false);
}

/// Extents of a tensor that is known as sizes, if all are numbers.
static std::optional<SmallVector<int64_t, 4>> smallShape(ArrayRef<Expr> dims) {
  constexpr int64_t most = 64;
  SmallVector<int64_t, 4> shape;
  bool isList = dims.size() == 1;
  for (Expr dim : dims) {
    std::optional<int64_t> extent = dim.asInt64();
    if (!extent || *extent < !isList || *extent > most || dims.size() > 3)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return !dims.empty() && computeProduct(shape) <= most ? std::optional(shape)
                                                        : std::nullopt;
}

static LogicalResult constantOfShape(Node &n) {
  Emitter &e = n.emit();
  auto dims = n.ints(0);
  if (!dims)
    return failure();
  for (Expr dim : *dims)
    e.require(Relation::ge(dim, e.constant(0)),
              "an extent must not be negative");
  std::shared_ptr<const TensorData> value = fillValue(n);
  if (value->getNumElements() != 1 || !elementType(e.context(), value->type))
    return n.fail("expected a value of one element");
  NodeData none;
  Node single(n.graph(), none, {Operand::ofConstant(value)});
  bool isInt = value->type == DataType::Int64 || value->type == DataType::Int32;
  auto integers = isInt ? single.constantInts(0) : std::nullopt;
  if (auto extents = integers ? smallShape(*dims)
                              : std::optional<SmallVector<int64_t, 4>>())
    return setSizes(n, 0,
                    {*extents, SmallVector<Number, 4>(
                                   computeProduct(*extents),
                                   {e.constant(integers->front()), Expr()})},
                    value->type);
  Tensor element = single.tensor(0);
  SmallVector<Expr, 1> zeros(element.rank(), e.constant(0));
  Value scalar = e.extract(element, zeros);
  return n.set(0, e.fill(*dims, value->type, scalar));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static LogicalResult shape(Node &n) {
  Tensor x = n.tensor(0);
  int64_t rank = x.rank();
  auto clamp = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = clamp(n.intAttr("start", 0));
  int64_t end = std::max(start, clamp(n.intAttr("end", rank)));
  n.emit().assumeExtents(x.dims);
  return n.setList(0, ArrayRef<Expr>(x.dims).slice(start, end - start), false,
                   DataType::Int64);
}

static LogicalResult size(Node &n) {
  Tensor x = n.tensor(0);
  return n.setList(0, n.emit().product(x.dims), true, DataType::Int64);
}

/// Extents known only at run time, where 0 copies an extent and -1 stands for
/// what is left.
static SmallVector<Expr, 4>
resolveAtRunTime(Node &n, const Tensor &x, ArrayRef<Expr> wanted,
                 const llvm::SmallBitVector &mayCopy) {
  Emitter &e = n.emit();
  Scalars s(e.builder(), e.loc());
  Value zero = s.index(0), one = s.index(1), minusOne = s.index(-1);
  SmallVector<Value> sizes;
  Value known = one;
  for (auto [i, size] : llvm::enumerate(wanted)) {
    Value value = e.index(size);
    if (mayCopy[i] && static_cast<int64_t>(i) < x.rank())
      value = s.select(s.equal(value, zero), e.index(x.dims[i]), value);
    sizes.push_back(value);
    known = s.mul(known, s.select(s.equal(value, minusOne), one, value));
  }
  Value left = s.div(e.index(e.product(x.dims)), known);
  SmallVector<Expr, 4> dims;
  for (auto [value, size] : llvm::zip(sizes, wanted))
    dims.push_back(
        size.asInt64() && *size.asInt64() > 0
            ? size
            : e.bind(s.select(s.equal(value, minusOne), left, value), "_v"));
  e.require(Relation::eq(e.product(dims), e.product(x.dims)),
            "the shape must have as many elements as the input");
  return dims;
}

/// What -1 stands for beside `known`: as many elements as x has. Where the
/// other extents are 0 that could be any number; it is then the same expression
/// as for other sizes, as PyTorch has it, if that needs no rounding: [B, 6, H]
/// as [B, 3, -1] is [B, 3, 2*H], whether B is a number or not, since it is
/// `copied`, or a size that is known to be 0.
static Expr findLeft(Node &n, ArrayRef<Expr> ofX, ArrayRef<Expr> known,
                     const llvm::SmallBitVector &copied) {
  Emitter &e = n.emit();
  SmallVector<Expr> others, left;
  for (auto [i, dim] : llvm::enumerate(ofX))
    if (i >= known.size() || !copied[i])
      others.push_back(dim);
  for (auto [i, dim] : llvm::enumerate(known)) {
    if (copied[i])
      continue;
    bool isPlain = dim.isConstant() && !dim.isConstant(0);
    auto *same = isPlain ? others.end() : llvm::find(others, dim);
    if (same == others.end())
      left.push_back(dim);
    else
      others.erase(same);
  }
  Expr divisor = e.product(left), total = e.product(others);
  if (divisor.isConstant(0)) {
    e.require(Relation::ge(divisor, e.constant(1)),
              "an extent of -1 needs the others to be at least 1");
    return divisor;
  }
  Expr quotient = e.divideExactly(total, divisor);
  if (quotient * divisor == total) {
    if (!e.isNonNegative(quotient))
      e.require(Relation::ge(quotient, e.constant(0)),
                "an extent must not be negative");
    return quotient;
  }
  Expr rest = e.product(known);
  // Without what occurs on both sides, which may be 0, nothing is divided by 0.
  if (divisor != rest && e.isProvably(Relation::ge(divisor, e.constant(1)))) {
    e.require(Relation::divides(divisor, total),
              "the elements must fill the other extents");
    return quotient;
  }
  if (!rest.isConstant())
    e.require(Relation::ge(rest, e.constant(1)),
              "an extent of -1 needs the others to be at least 1");
  return e.divideExactly(e.product(ofX), rest);
}

/// Extents of a reshape. A 0 that is computed from sizes stands for itself, not
/// for a copy of the extent at its place, whether they are known or not.
static std::optional<SmallVector<Expr, 4>>
resolveShape(Node &n, const Tensor &x, ArrayRef<Expr> wanted, bool allowZero) {
  Emitter &e = n.emit();
  SmallVector<Expr, 4> dims;
  llvm::SmallBitVector copied(wanted.size());
  llvm::SmallBitVector mayCopy = n.givenInts(1, wanted.size());
  if (allowZero)
    mayCopy.reset();
  std::optional<size_t> open;
  bool isOpen = false;
  for (auto [i, size] : llvm::enumerate(wanted)) {
    std::optional<int64_t> value = size.asInt64();
    if (!value && !e.isNonNegative(size))
      isOpen = true;
    if (value == -1) {
      if (open) {
        (void)n.fail("expected at most one -1 in the shape");
        return std::nullopt;
      }
      open = i;
      dims.push_back(e.constant(1));
    } else if (value == 0 && mayCopy[i]) {
      if (static_cast<int64_t>(i) >= x.rank()) {
        (void)n.fail("expected a 0 in the shape only where the input has an "
                     "extent to copy");
        return std::nullopt;
      }
      dims.push_back(x.dims[i]);
      copied.set(i);
    } else {
      dims.push_back(size);
    }
  }
  if (open && allowZero &&
      llvm::any_of(wanted, [](Expr size) { return size.isConstant(0); })) {
    (void)n.fail("expected no 0 beside -1 in the shape, with allowzero");
    return std::nullopt;
  }
  if (isOpen)
    return resolveAtRunTime(n, x, wanted, mayCopy);
  if (!open)
    return dims;
  dims[*open] = findLeft(n, x.dims, dims, copied);
  return dims;
}

static LogicalResult reshape(Node &n) {
  Emitter &e = n.emit();
  auto wanted = n.ints(1);
  if (!wanted)
    return failure();
  Tensor x = n.tensor(0);
  auto dims = resolveShape(n, x, *wanted, n.intAttr("allowzero", 0));
  return dims ? n.set(0, e.reshape(x, *dims)) : failure();
}

static LogicalResult flatten(Node &n) {
  Tensor x = n.tensor(0);
  Emitter &e = n.emit();
  int64_t axis = n.intAttr("axis", 1);
  if (axis < 0 && n.opset() >= 11)
    axis += x.rank();
  if (axis < 0 || axis > x.rank())
    return n.fail("expected an axis of the input, but got " +
                  Twine(n.intAttr("axis", 1)) + " for rank " + Twine(x.rank()));
  ArrayRef<Expr> dims = x.dims;
  return n.set(0, e.reshape(x, {e.product(dims.take_front(axis)),
                                e.product(dims.drop_front(axis))}));
}

static LogicalResult squeeze(Node &n) {
  Emitter &e = n.emit();
  SmallVector<int64_t, 4> given;
  if (n.has(1)) {
    auto values = n.neededInts(1);
    if (!values)
      return failure();
    given = *values;
  }
  Tensor x = n.tensor(0);
  if (n.has(1)) {
    auto axes = n.axes(given, x.rank());
    if (!axes)
      return failure();
    for (int64_t axis : *axes)
      if (x.dims[axis].isConstant() && !x.dims[axis].isConstant(1))
        return n.fail("expected extent 1 of axis " + Twine(axis) +
                      ", but got " + x.dims[axis].str());
    return n.set(0, e.squeeze(x, *axes));
  }
  // The rank depends on sizes: an open extent is required to be 1 if it must be
  // for another reason, or is in the first call, or without that call where the
  // ranks of the model's outputs ask for it; and else not to be 1.
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(x.dims)) {
    Expr one = e.constant(1);
    if (dim == one) {
      axes.push_back(i);
    } else if (!dim.isConstant()) {
      std::optional<int64_t> first = n.inFirstCall(dim);
      if (e.isProvably(Relation::eq(dim, one)) ||
          (first ? *first == 1 : n.graph().removesOpenExtent()))
        axes.push_back(i); // requires it
      else
        e.require(Relation::ne(dim, one),
                  "Squeeze without axes would remove this dimension too");
    }
  }
  return n.set(0, e.squeeze(x, axes));
}

static LogicalResult unsqueeze(Node &n) {
  auto given = n.neededInts(1);
  if (!given)
    return failure();
  Tensor x = n.tensor(0);
  auto axes = n.axes(*given, x.rank() + given->size());
  return axes ? n.set(0, n.emit().unsqueeze(x, *axes)) : failure();
}

static LogicalResult expand(Node &n) {
  Emitter &e = n.emit();
  auto wanted = n.ints(1);
  if (!wanted)
    return failure();
  Tensor x = n.tensor(0);
  int64_t rank = std::max<int64_t>(x.rank(), wanted->size());
  SmallVector<Expr, 4> dims(rank, e.constant(1));
  for (int64_t i = 0; i < rank; ++i) {
    int64_t own = i - (rank - x.rank());
    int64_t other = i - (rank - static_cast<int64_t>(wanted->size()));
    Expr from = own < 0 ? e.constant(1) : x.dims[own];
    Expr to = other < 0 ? e.constant(1) : (*wanted)[other];
    dims[i] = e.broadcast(from, to);
    // If both extents are open, the larger one may be that of x.
    if (!from.isConstant(1) && !to.isConstant(1) && from != to)
      e.require(Relation::eq(e.arena().bc(from, to), e.arena().bc(to, from)),
                "the shape must broadcast with the input");
  }
  return n.set(0, e.broadcastTo(x, dims));
}

//===----------------------------------------------------------------------===//
// Sequences of numbers
//===----------------------------------------------------------------------===//

/// Integers start, start + step, ... below limit.
static LogicalResult rangeOfInts(Node &n, Expr start, Expr limit, Expr step) {
  Emitter &e = n.emit();
  ExprArena &arena = e.arena();
  Expr size = arena.max(arena.zero(), arena.ceilDiv(limit - start, step));
  if (step.isConstant(1) && start.isConstant(0) && e.isNonNegative(limit))
    size = limit;
  size = e.simplify(size);
  if (size.asInt64() && *size.asInt64() <= 16 && start.isConstant() &&
      step.isConstant()) {
    SmallVector<Expr> list;
    for (int64_t i = 0; i < *size.asInt64(); ++i)
      list.push_back(start + step * i);
    return n.setList(0, list, false, n.type(0));
  }
  DataType type = n.type(0);
  Scalars s(e.builder(), e.loc());
  return n.set(0, e.iota(s.fromIndex(e.index(start), type),
                         s.fromIndex(e.index(step), type), size, type));
}

/// The number of steps, computed at run time.
static Expr countSteps(Node &n, Value start, Value limit, Value step) {
  Emitter &e = n.emit();
  Scalars s(e.builder(), e.loc());
  DataType type = n.type(0);
  DataType wide = isFloat(type) ? DataType::Double : DataType::Int64;
  start = s.cast(start, type, wide);
  limit = s.cast(limit, type, wide);
  step = s.cast(step, type, wide);
  Value count = s.cast(s.sub(limit, start), wide, DataType::Double);
  count = s.div(count, s.cast(step, wide, DataType::Double));
  count = s.create<math::CeilOp>(count);
  if (isFloat(type))
    e.requireThat(s.logicalNot(s.isNaN(count)),
                  "the bounds and the step of a range must be numbers");
  count = s.cast(count, DataType::Double, DataType::Int64);
  count = s.max(count, s.integer(count.getType(), 0));
  return e.bind(s.toIndex(count, DataType::Int64), "_v");
}

/// Requires that a step that is known at run time is not 0.
static void requireStep(Node &n, Value step) {
  Emitter &e = n.emit();
  if (n.constantNumber(2))
    return;
  Scalars s(e.builder(), e.loc());
  Value isZero = s.equal(step, s.number(step.getType(), 0));
  e.requireThat(s.logicalNot(isZero), "a step must not be 0");
}

/// The number of steps if the bounds are floats that come from sizes; null if
/// it is not known. They are counted in doubles.
static Expr sizeOfFloats(Node &n) {
  Emitter &e = n.emit();
  SmallVector<Number> bounds;
  bool isOfSizes = false;
  for (size_t i = 0; i < 3; ++i) {
    auto x = isFloat(n.type(i)) ? readSizes(n, i) : std::nullopt;
    if (!x || x->numbers.size() != 1)
      return Expr();
    isOfSizes |= !n.operand(i).list.empty();
    bounds.push_back(x->numbers.front());
  }
  SizeMath math(e, DataType::Double);
  auto length = math.add(bounds[1], *math.neg(bounds[0]));
  auto count = length ? math.div(*length, bounds[2]) : std::nullopt;
  if (!isOfSizes || !count)
    return Expr();
  for (size_t i = 0; i < 3; ++i)
    requireExact(n, i);
  return e.simplify(e.arena().max(e.constant(0), math.ceil(*count)->value));
}

static LogicalResult range(Node &n) {
  Emitter &e = n.emit();
  if (n.constantNumber(2) == 0)
    return n.fail("expected a step other than 0");
  if (n.isKnownList(0) && n.isKnownList(1) && n.isKnownList(2)) {
    Expr start = n.oneInt(0), limit = n.oneInt(1), step = n.oneInt(2);
    if (!start || !limit || !step)
      return failure();
    if (step.isConstant())
      return rangeOfInts(n, start, limit, step);
  }
  Expr known = sizeOfFloats(n);
  SmallVector<Value> bounds;
  for (size_t i = 0; i < 3; ++i) {
    bounds.push_back(n.oneElement(i));
    if (!bounds.back())
      return failure();
  }
  requireStep(n, bounds[2]);
  Expr size = known ? known : countSteps(n, bounds[0], bounds[1], bounds[2]);
  return n.set(0, e.iota(bounds[0], bounds[2], size, n.type(0)));
}

static LogicalResult eyeLike(Node &n) {
  Emitter &e = n.emit();
  Tensor x = n.tensor(0);
  if (x.rank() != 2)
    return n.fail("expected rank 2");
  DataType type =
      static_cast<DataType>(n.intAttr("dtype", static_cast<int64_t>(x.type)));
  Type element = elementType(e.context(), type);
  if (!element)
    return n.fail("expected a type that symshape has");
  int64_t k = n.intAttr("k", 0);
  return n.set(0, e.generate(x.dims, type, [&](Scalars &s, ArrayRef<Value> at) {
    Value column = s.add(at[0], s.index(k));
    return s.select(s.equal(column, at[1]), s.number(element, 1),
                    s.number(element, 0));
  }));
}

void mlir::symshape::onnx::addShapeOps(Registry &registry) {
  registry.add("Constant", 0, constant);
  registry.add("ConstantOfShape", 1, constantOfShape);
  registry.add("Shape", 1, shape);
  registry.add("Size", 1, size);
  registry.add("Reshape", 2, reshape);
  registry.add("Flatten", 1, flatten);
  registry.add("Squeeze", 1, squeeze);
  registry.add("Unsqueeze", 2, unsqueeze);
  registry.add("Expand", 2, expand);
  registry.add("Range", 3, range);
  registry.add("EyeLike", 1, eyeLike);
}
