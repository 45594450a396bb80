//===- Emitter.cpp - Ops on tensors with known extents --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents, constants and structured ops. Not for: data movement
// (EmitMovement.cpp).
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/ONNX/Emitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Expr Emitter::bind(Value value, StringRef hint) {
  Expr symbol = exprs.freshSymbol(hint);
  symbolValues[symbol] = value;
  return symbol;
}

Expr Emitter::bindInteger(Value value, StringRef hint) {
  Expr symbol = bind(value, hint);
  SymbolInfo anything;
  anything.range = Range();
  facts.declare(symbol, anything);
  return symbol;
}

/// What the names in the text of an expression or relation stand for.
static SmallVector<NamedValue> valuesIn(StringRef text, Emitter &e) {
  return llvm::map_to_vector(namesInText(text), [&](StringRef name) {
    return NamedValue(name, e.valueOf(e.arena().symbol(name)));
  });
}

Value Emitter::index(Expr e) {
  if (e.asSymbol())
    if (Value value = symbolValues.lookup(e))
      return value;
  Value &known = indices[{b.getInsertionBlock(), e}];
  if (known)
    return known;
  if (std::optional<int64_t> value = e.asInt64())
    return known = arith::ConstantIndexOp::create(b, place, *value);
  std::string text = e.str();
  return known = SizeOp::create(b, place, text, valuesIn(text, *this));
}

bool Emitter::isAvailable(ArrayRef<Expr> list) {
  Region *here = b.getInsertionBlock()->getParent();
  return llvm::all_of(list, [&](Expr e) {
    return llvm::all_of(e.symbols(), [&](Expr symbol) {
      Value value = symbolValues.lookup(symbol);
      return value && value.getParentRegion()->isAncestor(here);
    });
  });
}

OpFoldResult Emitter::fold(Expr e) {
  // One number in attributes means that there is none.
  if (std::optional<int64_t> value = e.asInt64();
      value && !ShapedType::isDynamic(*value))
    return b.getIndexAttr(*value);
  return index(e);
}

SmallVector<OpFoldResult> Emitter::fold(ArrayRef<Expr> list) {
  return llvm::map_to_vector(list, [&](Expr e) { return fold(e); });
}

Expr Emitter::product(ArrayRef<Expr> factors) {
  Expr result = exprs.one();
  for (Expr factor : factors)
    result = result * factor;
  return result;
}

void Emitter::require(const Relation &relation, const Twine &message) {
  auto nothing = [](Expr) { return std::optional<llvm::DynamicAPInt>(); };
  if (relation.evaluate(nothing) == true ||
      (relation.kind == Relation::Eq && relation.lhs == relation.rhs))
    return;
  if (relation.evaluate(nothing) == false && broken.empty())
    broken = message.str() + ", but got " + relation.lhs.str() + " and " +
             relation.rhs.str();
  std::string text = relation.str();
  AssertOp::create(b, place, text, valuesIn(text, *this), message);
  assume(relation);
}

void Emitter::state(const Relation &relation) {
  std::string text = relation.str();
  SmallVector<Value> operands;
  SmallVector<StringRef> names = namesInText(text);
  for (StringRef name : names)
    operands.push_back(symbolValues.lookup(exprs.symbol(name)));
  if (names.empty())
    return;
  AssumeOp::create(b, place, operands, b.getStrArrayAttr({text}),
                   b.getStrArrayAttr(names));
  assume(relation);
}

void Emitter::requireThat(Value condition, const Twine &message) {
  Scalars(b, place).requireNonzero(condition, DataType::Bool, message);
}

/// What is required in the body of the function holds for all that follows
/// there, even in regions: a call that does not meet it ends here. What is
/// required in a region holds until its end, and is not kept.
void Emitter::assume(const Relation &relation) {
  if (isa<func::FuncOp>(b.getInsertionBlock()->getParentOp()))
    newFacts.push_back(relation);
}

void Emitter::keepFacts() {
  for (const Relation &relation : newFacts)
    facts.assume(relation);
  newFacts.clear();
}

/// No tensor has a negative extent: the op that makes it requires this.
void Emitter::assumeExtents(ArrayRef<Expr> dims) {
  for (Expr dim : dims)
    if (!dim.isConstant() && !isNonNegative(dim))
      assume(Relation::ge(dim, exprs.zero()));
}

void Emitter::requireBroadcast(const Tensor &x, ArrayRef<Expr> dims,
                               const Twine &message) {
  if (x.rank() > static_cast<int64_t>(dims.size()))
    return refuse(message + ", but its rank is " + Twine(x.rank()));
  for (auto [own, to] : llvm::zip(x.dims, dims.take_back(x.rank()))) {
    if (own == to || own.isConstant(1))
      continue;
    if (own.isConstant() && to.isConstant())
      return refuse(message + ", but an extent is " + own.str() +
                    " instead of " + to.str());
    require(Relation::eq(exprs.bc(own, to), to), message);
  }
}

void Emitter::refuse(const Twine &what) {
  if (fault.empty())
    fault = what.str();
}

bool Emitter::areAxes(ArrayRef<int64_t> axes, int64_t rank) {
  bool fits = llvm::all_of(
      axes, [&](int64_t axis) { return axis >= 0 && axis < rank; });
  if (!fits)
    refuse("expected axes of a tensor of rank " + Twine(rank));
  return fits;
}

/// x / y if y is a monomial that divides each one of x; else null.
static Expr cancel(ExprArena &arena, Expr x, Expr y) {
  if (y.terms().size() != 1)
    return x == y ? arena.one() : Expr();
  const Expr::Term &divisor = y.terms().front();
  SmallVector<Expr::Term> quotient;
  for (const Expr::Term &term : x.terms()) {
    Expr::Term left;
    if (term.coefficient % divisor.coefficient != 0)
      return Expr();
    left.coefficient = term.coefficient / divisor.coefficient;
    size_t used = 0;
    for (auto [atom, power] : term.powers) {
      unsigned taken = 0;
      for (auto [other, times] : divisor.powers)
        if (other == atom)
          taken = times, ++used;
      if (taken > power)
        return Expr();
      if (power > taken)
        left.powers.push_back({atom, power - taken});
    }
    if (used != divisor.powers.size())
      return Expr();
    quotient.push_back(left);
  }
  return arena.fromTerms(std::move(quotient));
}

Expr Emitter::divideExactly(Expr x, Expr y) {
  if (Expr quotient = cancel(exprs, x, y))
    return quotient;
  return exprs.floorDiv(x, y);
}

Expr Emitter::broadcast(ArrayRef<Expr> extents) {
  Expr fixed;
  for (Expr e : extents) {
    if (!e.isConstant() || e.isConstant(1))
      continue;
    if (fixed && fixed != e)
      refuse("expected extents that broadcast, but got " + fixed.str() +
             " and " + e.str());
    fixed = fixed ? fixed : e;
  }
  // In a valid broadcast, a constant other than 1 is the extent.
  if (fixed)
    return fixed;
  Expr joined = exprs.bc(extents);
  // What is made of a long list would be as long, layer by layer.
  if (Atom atom = joined.asAtom(); atom && atom.operands().size() > 8)
    return bind(index(joined), "_b");
  return joined;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType Emitter::typeOf(ArrayRef<Expr> dims, DataType type) {
  SmallVector<int64_t> shape;
  for (Expr dim : dims) {
    std::optional<int64_t> extent = dim.asInt64();
    shape.push_back(extent && *extent >= 0 ? *extent : ShapedType::kDynamic);
  }
  Type element = elementType(context(), type);
  if (!element) {
    refuse("expected tensors of a type that symshape has, but got " +
           nameOf(type));
    element = b.getI8Type();
  }
  return RankedTensorType::get(shape, element);
}

Tensor Emitter::wrap(Value value, DataType type) {
  Tensor result{value, {}, type};
  for (auto [i, extent] : llvm::enumerate(
           mlir::cast<RankedTensorType>(value.getType()).getShape()))
    result.dims.push_back(
        ShapedType::isDynamic(extent)
            ? bind(tensor::DimOp::create(b, place, value, i), "_v")
            : exprs.constant(extent));
  return result;
}

Tensor Emitter::wrap(Value value, ArrayRef<Expr> dims, DataType type) {
  RankedTensorType wanted = typeOf(dims, type);
  if (value.getType() != wanted)
    value = tensor::CastOp::create(b, place, wanted, value);
  return {value, SmallVector<Expr, 4>(dims), type};
}

Value Emitter::empty(ArrayRef<Expr> dims, DataType type) {
  SmallVector<Value> sizes;
  RankedTensorType result = typeOf(dims, type);
  for (auto [dim, extent] : llvm::zip(dims, result.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(index(dim));
  return tensor::EmptyOp::create(b, place, result, sizes);
}

/// Goes to the beginning of the function: constants are available in all of it.
static void goToEntry(OpBuilder &b) {
  Operation *op = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    function = op->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&function.getBody().front());
}

Expr Emitter::open(Expr e) {
  std::optional<int64_t> value = e.asInt64();
  if (!value)
    return e;
  Expr &symbol = opened[e];
  if (!symbol) {
    OpBuilder::InsertionGuard guard(b);
    goToEntry(b);
    Value known = arith::ConstantIndexOp::create(b, place, *value);
    symbol = *value < 0 ? bindInteger(known, "_v") : bind(known, "_v");
  }
  return symbol;
}

static DenseElementsAttr toAttribute(RankedTensorType type,
                                     const TensorData &data) {
  if (data.type == DataType::Bool) {
    SmallVector<bool> bits;
    for (char byte : data.bytes)
      bits.push_back(byte != 0);
    return DenseElementsAttr::get(type, bits);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(data.bytes.data(), data.bytes.size()));
}

Tensor Emitter::constantTensor(const TensorData &data) {
  SmallVector<Expr, 4> dims;
  for (int64_t dim : data.dims)
    dims.push_back(constant(dim));
  RankedTensorType type = typeOf(dims, data.type);
  OpBuilder::InsertionGuard guard(b);
  goToEntry(b);
  Value value =
      arith::ConstantOp::create(b, place, type, toAttribute(type, data));
  return {value, dims, data.type};
}

Tensor Emitter::fromScalar(Value element, DataType type) {
  Value value = tensor::FromElementsOp::create(
      b, place, RankedTensorType::get({}, element.getType()), element);
  return {value, {}, type};
}

Tensor Emitter::scalar(DataType type, double value) {
  Scalars s(b, place);
  return fill({}, type, value);
}

Tensor Emitter::scalarInt(DataType type, int64_t value) {
  auto result = RankedTensorType::get({}, elementType(context(), type));
  Scalars s(b, place);
  Attribute element =
      mlir::cast<arith::ConstantOp>(
          s.integer(result.getElementType(), value).getDefiningOp())
          .getValue();
  return {arith::ConstantOp::create(b, place, result,
                                    DenseElementsAttr::get(result, element)),
          {},
          type};
}

Tensor Emitter::fill(ArrayRef<Expr> dims, DataType type, double value) {
  Scalars s(b, place);
  Value element = s.number(elementType(context(), type), value);
  if (dims.empty()) {
    auto result = RankedTensorType::get({}, element.getType());
    Attribute attr =
        mlir::cast<arith::ConstantOp>(element.getDefiningOp()).getValue();
    return {arith::ConstantOp::create(b, place, result,
                                      DenseElementsAttr::get(result, attr)),
            {},
            type};
  }
  return fill(dims, type, element);
}

Tensor Emitter::fill(ArrayRef<Expr> dims, DataType type, Value value) {
  Value filled =
      linalg::FillOp::create(b, place, value, empty(dims, type)).getResult(0);
  return {filled, SmallVector<Expr, 4>(dims), type};
}

Tensor Emitter::iota(Value start, Value step, Expr size, DataType type) {
  return generate(size, type, [&](Scalars &s, ArrayRef<Value> at) {
    return s.add(start, s.mul(s.fromIndex(at[0], type), step));
  });
}

Tensor Emitter::fromList(ArrayRef<Expr> elements, bool isScalar,
                         DataType type) {
  Scalars s(b, place);
  SmallVector<Value> values;
  for (Expr e : elements)
    values.push_back(e.asInt64()
                         ? s.integer(elementType(context(), type), *e.asInt64())
                         : s.fromIndex(index(e), type));
  SmallVector<Expr, 4> dims;
  if (!isScalar)
    dims.push_back(constant(elements.size()));
  Value value =
      tensor::FromElementsOp::create(b, place, typeOf(dims, type), values);
  return {value, dims, type};
}

Value Emitter::extract(const Tensor &x, ArrayRef<Expr> at) {
  SmallVector<Value> where;
  for (Expr e : at)
    where.push_back(index(e));
  return tensor::ExtractOp::create(b, place, x.value, where);
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

Tensor Emitter::structured(ArrayRef<Tensor> operands, const Tensor &init,
                           ArrayRef<AffineMap> maps, ArrayRef<bool> isReduction,
                           Body body) {
  return structured(operands, ArrayRef<Tensor>(init), maps, isReduction,
                    [&](Scalars &s, ArrayRef<Value> v) {
                      return SmallVector<Value>{body(s, v)};
                    })
      .front();
}

SmallVector<Tensor> Emitter::structured(
    ArrayRef<Tensor> operands, ArrayRef<Tensor> inits, ArrayRef<AffineMap> maps,
    ArrayRef<bool> isReduction,
    llvm::function_ref<SmallVector<Value>(Scalars &, ArrayRef<Value>)> body) {
  SmallVector<Value> inputs, outputs;
  SmallVector<Type> types;
  for (const Tensor &operand : operands)
    inputs.push_back(operand.value);
  for (const Tensor &init : inits) {
    outputs.push_back(init.value);
    types.push_back(init.value.getType());
  }
  SmallVector<utils::IteratorType> iterators;
  for (bool reduces : isReduction)
    iterators.push_back(reduces ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, place, types, inputs, outputs, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Scalars s(nested, loc);
        linalg::YieldOp::create(nested, loc,
                                body(s, SmallVector<Value>(arguments)));
      });
  SmallVector<Tensor> results;
  for (auto [value, init] : llvm::zip(op.getResults(), inits))
    results.push_back({value, init.dims, init.type});
  return results;
}

Tensor Emitter::stretch(const Tensor &x, int64_t axis, Expr to) {
  SmallVector<Expr, 4> dims(x.dims);
  dims[axis] = to;
  Value isOne = arith::CmpIOp::create(b, place, arith::CmpIPredicate::eq,
                                      index(x.dims[axis]), index(constant(1)));
  RankedTensorType type = typeOf(dims, x.type);
  auto branch = scf::IfOp::create(b, place, type, isOne, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<AffineExpr> loops;
    for (int64_t i = 0; i < x.rank(); ++i)
      loops.push_back(i == axis ? b.getAffineConstantExpr(0)
                                : b.getAffineDimExpr(i));
    AffineMap maps[] = {AffineMap::get(x.rank(), 0, loops, context()),
                        b.getMultiDimIdentityMap(x.rank())};
    Tensor repeated =
        structured(x, {empty(dims, x.type), dims, x.type}, maps,
                   SmallVector<bool>(x.rank(), false),
                   [](Scalars &, ArrayRef<Value> v) { return v[0]; });
    scf::YieldOp::create(b, place, repeated.value);
    b.setInsertionPointToStart(branch.elseBlock());
    Value same = x.value;
    if (same.getType() != type)
      same = tensor::CastOp::create(b, place, type, same);
    scf::YieldOp::create(b, place, same);
  }
  // Its own extent, if other than 1, stays.
  dims[axis] = broadcast(x.dims[axis], to);
  return {branch.getResult(0), dims, x.type};
}

Tensor Emitter::stretchTo(const Tensor &x, ArrayRef<Expr> dims) {
  Tensor result = x;
  SmallVector<Expr, 4> wanted(x.dims);
  for (auto [i, to] : llvm::enumerate(dims.take_back(x.rank()))) {
    if (x.dims[i] == to || x.dims[i].isConstant(1))
      continue;
    result = stretch(result, i, to);
    wanted[i] = to; // what uses it requires this
  }
  result.dims = wanted;
  return result;
}

Tensor Emitter::dropUnits(const Tensor &x, ArrayRef<Expr> dims,
                          SmallVectorImpl<AffineExpr> &loops) {
  SmallVector<int64_t> dropped;
  int64_t shift = dims.size() - x.rank();
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (x.dims[i].isConstant(1) && !dims[i + shift].isConstant(1))
      dropped.push_back(i);
    else
      loops.push_back(b.getAffineDimExpr(i + shift));
  }
  return dropped.empty() ? x : squeeze(x, dropped);
}

SmallVector<Expr, 4> Emitter::broadcastDims(ArrayRef<Tensor> operands) {
  SmallVector<SmallVector<Expr>> extents; // of each axis, the last one first
  for (const Tensor &x : operands) {
    extents.resize(std::max<size_t>(extents.size(), x.rank()));
    for (auto [dim, all] : llvm::zip(llvm::reverse(x.dims), extents))
      all.push_back(dim);
  }
  return llvm::map_to_vector<4>(
      llvm::reverse(extents),
      [&](ArrayRef<Expr> all) { return broadcast(all); });
}

Tensor Emitter::map(ArrayRef<Tensor> operands, DataType type, Body body) {
  SmallVector<Expr, 4> dims = broadcastDims(operands);
  int64_t rank = dims.size();
  if (!fault.empty())
    return {empty(dims, type), dims, type};
  SmallVector<Tensor> inputs;
  SmallVector<AffineMap> maps;
  for (const Tensor &operand : operands) {
    Tensor x = stretchTo(operand, dims);
    SmallVector<AffineExpr> loops;
    inputs.push_back(dropUnits(x, dims, loops));
    maps.push_back(AffineMap::get(rank, 0, loops, context()));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  return structured(inputs, {empty(dims, type), dims, type}, maps,
                    SmallVector<bool>(rank, false), body);
}

Tensor Emitter::generate(ArrayRef<Expr> dims, DataType type, Generator body) {
  AffineMap identity = b.getMultiDimIdentityMap(dims.size());
  return structured({}, {empty(dims, type), SmallVector<Expr, 4>(dims), type},
                    identity, SmallVector<bool>(dims.size(), false),
                    [&](Scalars &s, ArrayRef<Value>) {
                      SmallVector<Value> at;
                      for (size_t i = 0; i < dims.size(); ++i)
                        at.push_back(s.loop(i));
                      return body(s, at);
                    });
}

Value Emitter::at(Scalars &s, const Tensor &x, ArrayRef<Value> coordinates) {
  return s.create<tensor::ExtractOp>(x.value, coordinates);
}

Tensor Emitter::reduce(const Tensor &x, ArrayRef<int64_t> axes, bool keep,
                       DataType type, double init, Body body) {
  Type element = elementType(context(), type);
  return reduceFrom(
      x, axes, keep, type, [&](Scalars &s) { return s.number(element, init); },
      body);
}

Tensor Emitter::reduceFrom(const Tensor &x, ArrayRef<int64_t> axes, bool keep,
                           DataType type, function_ref<Value(Scalars &)> init,
                           Body body) {
  SmallVector<Expr, 4> dims;
  SmallVector<AffineExpr> kept;
  SmallVector<bool> isReduction;
  for (int64_t i = 0; i < x.rank(); ++i) {
    isReduction.push_back(llvm::is_contained(axes, i));
    if (isReduction.back())
      continue;
    dims.push_back(x.dims[i]);
    kept.push_back(b.getAffineDimExpr(i));
  }
  Scalars s(b, place);
  Value first = init(s);
  Value filled =
      linalg::FillOp::create(b, place, first, empty(dims, type)).getResult(0);
  AffineMap maps[] = {b.getMultiDimIdentityMap(x.rank()),
                      AffineMap::get(x.rank(), 0, kept, context())};
  Tensor result = structured(x, {filled, dims, type}, maps, isReduction,
                             [&](Scalars &s, ArrayRef<Value> v) {
                               Value both[] = {v[1], v[0]};
                               return body(s, both);
                             });
  return keep ? unsqueeze(result, axes) : result;
}
