//===- Emitter.h - Ops on tensors with known extents ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What definitions of ops are written in: tensors with an expression for each
// extent, and the few ways to make one from others. All of it becomes linalg,
// tensor, arith, scf and symshape ops, which carry their own requirements. Not
// for: what a node asks for (Node.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_EMITTER_H
#define SYMSHAPE_IMPORT_ONNX_EMITTER_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Import/ONNX/Scalars.h"

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace mlir::symshape::onnx {

/// A tensor of the program that is being made.
///
/// Invariant: the type of `value` is a ranked tensor of the element type that
/// stands for `type`, signless, and it has a static extent exactly where the
/// expression is a constant. The expressions decide which code is made, and
/// nothing rests on them: the ops that are made require what they need.
struct Tensor {
  Value value;
  SmallVector<Expr, 4> dims;
  DataType type = DataType::Undefined;

  int64_t rank() const { return dims.size(); }
  explicit operator bool() const { return static_cast<bool>(value); }
};

/// Where operands do not fit (extents that are known not to broadcast, ranks, a
/// type without elements), a method keeps that as a fault and gives a stand-in
/// of the right rank: the caller goes on, and its node is refused at the end.
class Emitter {
public:
  /// Computes one element from elements of operands.
  using Body = llvm::function_ref<Value(Scalars &, ArrayRef<Value>)>;
  /// Computes the element at coordinates.
  using Generator = llvm::function_ref<Value(Scalars &, ArrayRef<Value>)>;

  Emitter(OpBuilder &builder, ExprArena &arena)
      : b(builder), exprs(arena), facts(arena) {}

  // Extents and other integers.
  Expr constant(int64_t value) { return exprs.constant(value); }
  /// A symbol that stands for an extent that the program computes.
  Expr bind(Value value, StringRef hint);
  /// The same for any index, which may be negative.
  Expr bindInteger(Value value, StringRef hint);
  /// True is a proof, from what symbols stand for.
  bool isProvably(const Relation &relation) {
    return facts.isProvably(relation);
  }
  bool isNonNegative(Expr e) {
    return isProvably(Relation::ge(e, exprs.zero()));
  }
  /// Says which value a named symbol stands for.
  void bind(Expr symbol, Value value) { symbolValues[symbol] = value; }
  /// The value that a symbol stands for; null where it has none.
  Value valueOf(Expr symbol) const { return symbolValues.lookup(symbol); }
  /// Whether everything in the expressions has a value at this place.
  bool isAvailable(ArrayRef<Expr> list);
  /// Forgets which indices were made, and what was required since `keepFacts`:
  /// ops were erased or moved.
  void forget() {
    indices.clear();
    opened.clear();
    newFacts.clear();
  }
  /// Keeps what was required so far through `forget`: its checks stay.
  void keepFacts();
  /// The expression as an index at this place.
  Value index(Expr e);
  OpFoldResult fold(Expr e);
  SmallVector<OpFoldResult> fold(ArrayRef<Expr> list);
  Expr product(ArrayRef<Expr> factors);
  /// What the program requires; checked unless it is proved.
  void require(const Relation &relation, const Twine &message);
  /// What holds because somebody says so; not checked.
  void state(const Relation &relation);
  /// What the program requires of a condition that is computed, an i1.
  void requireThat(Value condition, const Twine &message);
  /// Requires of each extent of x that it is 1 or that of `dims`, aligned at
  /// the end: x is a parameter that must not make the result larger.
  void requireBroadcast(const Tensor &x, ArrayRef<Expr> dims,
                        const Twine &message);
  /// States that these are the extents of an existing tensor.
  void assumeExtents(ArrayRef<Expr> dims);
  /// An equal expression, given what symbols stand for, that is no larger.
  Expr simplify(Expr e) { return facts.simplify(e); }
  /// x / y, given that y is not 0 and divides x.
  Expr divideExactly(Expr x, Expr y);
  /// The extent of the broadcast of two extents.
  Expr broadcast(ArrayRef<Expr> extents);
  Expr broadcast(Expr x, Expr y) { return broadcast({x, y}); }
  /// Those of the broadcast of tensors, aligned at the end.
  SmallVector<Expr, 4> broadcastDims(ArrayRef<Tensor> operands);
  /// A symbol that stands for a constant, one for all equal ones: what is asked
  /// of it is checked where the program gets to. Any other expression as it is.
  Expr open(Expr e);

  // Tensors.
  /// A tensor of that value; extents that its type does not say get a symbol.
  Tensor wrap(Value value, DataType type);
  /// The same with extents that are known; casts the value where the type says
  /// less than they do.
  Tensor wrap(Value value, ArrayRef<Expr> dims, DataType type);
  RankedTensorType typeOf(ArrayRef<Expr> dims, DataType type);
  Value empty(ArrayRef<Expr> dims, DataType type);
  Tensor constantTensor(const TensorData &data);
  /// A rank-0 tensor.
  Tensor scalar(DataType type, double value);
  Tensor scalarInt(DataType type, int64_t value);
  Tensor fromScalar(Value element, DataType type);
  Tensor fill(ArrayRef<Expr> dims, DataType type, double value);
  Tensor fill(ArrayRef<Expr> dims, DataType type, Value value);
  /// start, start + step, ...: `size` numbers as a tensor of rank 1.
  Tensor iota(Value start, Value step, Expr size, DataType type);
  /// Indices as a tensor of rank 1 or 0.
  Tensor fromList(ArrayRef<Expr> elements, bool isScalar, DataType type);
  /// Element of a tensor as a scalar of the program.
  Value extract(const Tensor &x, ArrayRef<Expr> at);

  // Structured ops.
  /// One element from those at the same place, extents broadcast.
  Tensor map(ArrayRef<Tensor> operands, DataType type, Body body);
  /// Computes each element from its coordinates.
  Tensor generate(ArrayRef<Expr> dims, DataType type, Generator body);
  /// The element of a tensor at coordinates, in the body of `generate`.
  static Value at(Scalars &s, const Tensor &x, ArrayRef<Value> coordinates);
  /// Folds along axes from `init`: body(accumulated, element).
  Tensor reduce(const Tensor &x, ArrayRef<int64_t> axes, bool keep,
                DataType type, double init, Body body);
  /// The same where the first value is a scalar.
  Tensor reduceFrom(const Tensor &x, ArrayRef<int64_t> axes, bool keep,
                    DataType type, function_ref<Value(Scalars &)> init,
                    Body body);
  /// A linalg.generic with maps from loops, the last for the result, which
  /// begins as `init`.
  Tensor structured(ArrayRef<Tensor> operands, const Tensor &init,
                    ArrayRef<AffineMap> maps, ArrayRef<bool> isReduction,
                    Body body);

  /// The same with several results.
  SmallVector<Tensor> structured(
      ArrayRef<Tensor> operands, ArrayRef<Tensor> inits,
      ArrayRef<AffineMap> maps, ArrayRef<bool> isReduction,
      llvm::function_ref<SmallVector<Value>(Scalars &, ArrayRef<Value>)> body);

  // Data movement.
  Tensor broadcastTo(const Tensor &x, ArrayRef<Expr> dims);
  /// The same, but for axes that it does not have and those whose extent is the
  /// constant 1: `map` repeats them.
  Tensor stretchTo(const Tensor &x, ArrayRef<Expr> dims);
  Tensor transpose(const Tensor &x, ArrayRef<int64_t> permutation);
  Tensor reshape(const Tensor &x, ArrayRef<Expr> dims);
  /// Removes axes, each of extent 1, which is required.
  Tensor squeeze(const Tensor &x, ArrayRef<int64_t> axes);
  /// Inserts axes of extent 1 at these places of the result.
  Tensor unsqueeze(const Tensor &x, ArrayRef<int64_t> axes);
  Tensor slice(const Tensor &x, ArrayRef<Expr> offsets, ArrayRef<Expr> sizes,
               ArrayRef<int64_t> steps);
  /// Along one axis, in steps of 1.
  Tensor slice(const Tensor &x, int64_t axis, Expr offset, Expr size);
  /// Parts that follow one another along an axis.
  SmallVector<Tensor> split(const Tensor &x, int64_t axis,
                            ArrayRef<Expr> sizes);
  Tensor reverse(const Tensor &x, ArrayRef<int64_t> axes);
  /// The same, through which no derivative goes.
  Tensor stopGradient(const Tensor &x);
  Tensor concat(ArrayRef<Tensor> parts, int64_t axis);
  /// The axis `from` becomes axis `to`; the others stay in order.
  Tensor moveAxis(const Tensor &x, int64_t from, int64_t to);
  /// Negative amounts crop. `interior` copies of it come between neighbours.
  Tensor pad(const Tensor &x, Value value, ArrayRef<Expr> low,
             ArrayRef<Expr> high, ArrayRef<int64_t> interior = {});
  Tensor cast(const Tensor &x, DataType type);
  /// Halves as floats: what a composed op is computed in, and sums are formed
  /// in, whatever the axis. Other types as they are.
  Tensor widen(const Tensor &x);

  // Loops.
  /// The values as tensors of the extents and types of these states.
  static SmallVector<Tensor> asStates(ValueRange values,
                                      ArrayRef<Tensor> states);
  /// A loop of `count` iterations with these states. The builder is left in its
  /// body, which has yet to yield.
  scf::ForOp beginLoop(Expr count, ArrayRef<Tensor> states);
  /// Computes states `count` times from the old ones. Their extents stay.
  SmallVector<Tensor>
  repeat(Expr count, ArrayRef<Tensor> states,
         llvm::function_ref<SmallVector<Tensor>(Value, ArrayRef<Tensor>)> body);
  /// Element `place` of an axis, which goes away.
  Tensor pick(const Tensor &x, int64_t axis, Value place);
  /// The reverse: x with that element of an axis replaced.
  Tensor put(const Tensor &x, int64_t axis, Value place, const Tensor &part);

  // Elementwise, by name.
  Tensor add(const Tensor &x, const Tensor &y);
  Tensor sub(const Tensor &x, const Tensor &y);
  Tensor mul(const Tensor &x, const Tensor &y);
  Tensor div(const Tensor &x, const Tensor &y);
  Tensor unary(const Tensor &x, llvm::function_ref<Value(Scalars &, Value)> f);

  /// Sum of products over the last axis of x and the last but one of y; axes
  /// before these are broadcast, as MatMul does.
  Tensor matmul(const Tensor &x, const Tensor &y, DataType type);

  /// Keeps the first fault.
  void refuse(const Twine &fault);
  /// The fault since this was called last; empty: none.
  std::string takeFault() { return std::exchange(fault, ""); }
  /// The first requirement since this was called last that no call can meet, in
  /// words; empty: none. It is an error only where it is reached.
  std::string takeBroken() { return std::exchange(broken, ""); }

  OpBuilder &builder() { return b; }
  ExprArena &arena() { return exprs; }
  MLIRContext *context() { return b.getContext(); }
  Location loc() const { return place; }
  void setLoc(Location loc) { place = loc; }

private:
  /// Whether each of `axes` is an axis of a tensor of that rank.
  bool areAxes(ArrayRef<int64_t> axes, int64_t rank);
  /// x with an axis repeated `to` times where its extent is 1.
  Tensor stretch(const Tensor &x, int64_t axis, Expr to);
  void assume(const Relation &relation);
  /// x without its axes of constant extent 1 that are to be broadcast, and
  /// which loop each of the others is.
  Tensor dropUnits(const Tensor &x, ArrayRef<Expr> dims,
                   SmallVectorImpl<AffineExpr> &loops);

  OpBuilder &b;
  ExprArena &exprs;
  /// What holds wherever the program gets to from here on.
  ConstraintSet facts;
  SmallVector<Relation> newFacts; ///< not yet among them
  Location place = b.getUnknownLoc();
  std::string fault, broken;
  DenseMap<Expr, Value> symbolValues;
  DenseMap<std::pair<Block *, Expr>, Value> indices;
  DenseMap<Expr, Expr> opened;
};

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_EMITTER_H
