//===- WindowScatter.cpp - Values scattered to chosen elements ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `select_and_scatter`, the gradient of a pool: a loop over windows, in which
// one over the elements of a window keeps the one that the first body selects.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::symshape::stablehlo;
using arith::CmpIPredicate;

namespace {
class WindowScatter {
public:
  WindowScatter(Node &n, const Window &w, Value x, Value source)
      : n(n), s(n.b, n.loc), w(w), x(x), source(source) {}
  Value run(Value init);

private:
  Value index(int64_t value) { return n.index(n.b.getIndexAttr(value)); }
  /// The place of an element of a window, and whether it is in the operand.
  std::pair<SmallVector<Value>, Value> place(ValueRange window,
                                             ValueRange inside);
  /// The coordinates of the chosen element, and whether there is one.
  SmallVector<Value> choose(ValueRange window);
  SmallVector<Value> scatter(ValueRange window, ValueRange carried);
  Value body(unsigned region, Value one, Value other, Type type);

  Node &n;
  Scalars s;
  const Window &w;
  Value x, source;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

Value WindowScatter::body(unsigned region, Value one, Value other, Type type) {
  auto result = n.inlineScalars(n.op->getRegion(region), {one, other});
  if (succeeded(result) && result->size() == 1 &&
      result->front().getType() == type)
    return result->front();
  (void)n.fail("expected bodies that select and that scatter");
  return s.zero(type);
}

std::pair<SmallVector<Value>, Value> WindowScatter::place(ValueRange window,
                                                          ValueRange inside) {
  SmallVector<Value> at;
  Value isInside = s.integer(n.b.getI1Type(), 1);
  for (size_t i = 0; i < w.size.size(); ++i) {
    Value begin = s.create<arith::MulIOp>(window[i], index(w.stride[i]));
    Value place = s.create<arith::AddIOp>(begin, inside[i]);
    place = s.create<arith::SubIOp>(place, n.index(w.low[i]));
    Value fits = s.less(place, n.index(sizes[i]), /*isUnsigned=*/true);
    at.push_back(place);
    isInside = s.create<arith::AndIOp>(isInside, fits);
  }
  return {at, isInside};
}

SmallVector<Value> WindowScatter::choose(ValueRange window) {
  // Coordinates of the choice so far, and its element; then whether there is
  // one.
  SmallVector<Value> inits(sizes.size(), index(0));
  Type type = getElementTypeOrSelf(x);
  inits.push_back(s.zero(type));
  inits.push_back(s.integer(n.b.getI1Type(), 0));
  SmallVector<OpFoldResult> extents;
  for (int64_t size : w.size)
    extents.push_back(n.b.getIndexAttr(size));
  return n.loops(extents, inits, [&](ValueRange inside, ValueRange carried) {
    auto [at, isInside] = place(window, inside);
    auto branch = scf::IfOp::create(n.b, n.loc, TypeRange(carried), isInside,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(n.b);
    n.b.setInsertionPointToStart(branch.thenBlock());
    Value element = tensor::ExtractOp::create(n.b, n.loc, x, at);
    Value kept = carried[sizes.size()], has = carried.back();
    Value keeps =
        s.create<arith::AndIOp>(has, body(0, kept, element, n.b.getI1Type()));
    SmallVector<Value> chosen;
    for (size_t i = 0; i < sizes.size(); ++i)
      chosen.push_back(s.select(keeps, carried[i], at[i]));
    chosen.push_back(s.select(keeps, kept, element));
    chosen.push_back(s.integer(n.b.getI1Type(), 1));
    scf::YieldOp::create(n.b, n.loc, chosen);
    n.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(n.b, n.loc, carried);
    return SmallVector<Value>(branch.getResults());
  });
}

SmallVector<Value> WindowScatter::scatter(ValueRange window,
                                          ValueRange carried) {
  SmallVector<Value> chosen = choose(window);
  auto branch = scf::IfOp::create(n.b, n.loc, TypeRange(carried), chosen.back(),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(n.b);
  n.b.setInsertionPointToStart(branch.thenBlock());
  ArrayRef<Value> at = ArrayRef(chosen).take_front(sizes.size());
  Value old = tensor::ExtractOp::create(n.b, n.loc, carried[0], at);
  Value added = tensor::ExtractOp::create(n.b, n.loc, source, window);
  Value sum = body(1, old, added, old.getType());
  Value written = tensor::InsertOp::create(n.b, n.loc, sum, carried[0], at);
  scf::YieldOp::create(n.b, n.loc, written);
  n.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(n.b, n.loc, carried);
  return {branch.getResult(0)};
}

Value WindowScatter::run(Value init) {
  sizes = n.extents(x);
  Value result = n.fill(sizes, init);
  return n
      .loops(n.extents(source), result,
             [&](ValueRange window, ValueRange carried) {
               return scatter(window, carried);
             })
      .front();
}

static LogicalResult selectAndScatter(Node &n) {
  Value x = n.tensor(0), source = n.tensor(1), init = n.scalar(2);
  if (!x || !source || !init)
    return failure();
  if (n.rank(0) != n.rank(1) || n.element(0) != n.element(1) ||
      init.getType() != getElementTypeOrSelf(x))
    return n.fail("expected operands of one rank and type");
  auto window = readWindow(n, n.rank(0), /*hasDilations=*/false);
  if (!window)
    return failure();
  Value result = WindowScatter(n, *window, x, source).run(init);
  return n.hasFailed() ? failure() : n.set(0, result);
}

void mlir::symshape::stablehlo::addWindowOps(Registry &registry) {
  registry["select_and_scatter"] = Definition{selectAndScatter, 3, 1, 2};
}
