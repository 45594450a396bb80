//===- TiledContraction.cpp - Contractions in shared memory ---------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes 64 x 64 sums, a thread 4 x 4 of them in registers. Steps of
// 16 terms of both operands are copied to shared memory, as f32, with zeros
// past their ends, so that no extent is tested in the loop over terms. Sums
// restart every 128 terms, as on a CPU. Not for: contractions without rows or
// columns, and tensor cores.
//
//===----------------------------------------------------------------------===//

#include "TiledContraction.h"

#include "Arithmetic.h"
#include "GPU/Kernels.h"
#include "Loops.h"
#include "Structure/Contraction.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
constexpr int64_t tileSize = 64;   ///< rows and columns of a block
constexpr int64_t steps = 16;      ///< terms at a time in shared memory
constexpr int64_t partSteps = 128; ///< terms of a partial sum
constexpr int64_t perThread = 4;   ///< rows and columns of a thread
constexpr int64_t side = tileSize / perThread; ///< threads along a side
constexpr int64_t threads = side * side;
/// Of a row in shared memory; columns of threads fall into other banks.
constexpr int64_t pitch = tileSize + 4;

class TiledContraction : Arithmetic {
public:
  TiledContraction(OpBuilder &builder, ContractOp op,
                   const ContractionLoops &loops)
      : Arithmetic(builder, op.getLoc()), builder(builder), op(op),
        loops(loops), sizes(op.getInitMap().getNumDims()), ivs(sizes.size()) {}
  void form(StringRef name);

private:
  using Sums = SmallVector<Value>;

  void findSizes();
  Value countBlocks();
  void enterBlock(Value block);
  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
  Value remainder(Value lhs, Value rhs) {
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }
  Value isBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value loadAt(unsigned number, ArrayRef<Value> at);
  void copyTile(unsigned number, Value shared, unsigned side, Value origin,
                Value firstTerm);
  Sums addStep(ValueRange sums, Value firstTerm);
  Sums addParts(ValueRange sums);
  Sums startSums();
  void storeSums(ValueRange sums);
  /// The row and column of sum `number` of the thread.
  std::pair<Value, Value> getPlace(int64_t number);
  /// Runs `body` if the place is in the result; else gives zeros.
  Sums ifInside(Value row, Value column, TypeRange types,
                function_ref<Sums()> body);

  OpBuilder &builder;
  ContractOp op;
  const ContractionLoops &loops;
  SmallVector<Value> sizes, ivs; ///< per loop
  Value thread, threadRow, threadColumn, firstRow, firstColumn;
  Value sharedA, sharedB;
};
} // namespace

void TiledContraction::findSizes() {
  for (auto [number, operand] : llvm::enumerate(op.getMappedOperands()))
    for (auto [position, expr] :
         llvm::enumerate(op.getMap(number).getResults())) {
      Value &size = sizes[cast<AffineDimExpr>(expr).getPosition()];
      if (!size)
        size = makeIndex(builder, loc,
                         memref::getMixedSize(builder, loc, operand, position));
    }
}

/// Loops whose every iteration is tiles of its own.
static SmallVector<unsigned> getOuterLoops(const ContractionLoops &loops) {
  SmallVector<unsigned> outer(loops.batch);
  llvm::append_range(outer, loops.outerRows);
  llvm::append_range(outer, loops.blocks);
  return outer;
}

static Value countTiles(OpBuilder &builder, Location loc, Value size) {
  Value rest = makeIndex(builder, loc, tileSize - 1);
  return arith::DivUIOp::create(builder, loc,
                                arith::AddIOp::create(builder, loc, size, rest),
                                makeIndex(builder, loc, tileSize));
}

Value TiledContraction::countBlocks() {
  Value count = multiply(countTiles(builder, loc, sizes[*loops.row]),
                         countTiles(builder, loc, sizes[loops.column]));
  for (unsigned loop : getOuterLoops(loops))
    count = multiply(count, sizes[loop]);
  return count;
}

void TiledContraction::enterBlock(Value block) {
  Value tile = index(tileSize);
  auto take = [&](Value count) {
    Value number = remainder(block, count);
    block = divide(block, count);
    return number;
  };
  firstColumn =
      multiply(take(countTiles(builder, loc, sizes[loops.column])), tile);
  firstRow = multiply(take(countTiles(builder, loc, sizes[*loops.row])), tile);
  for (unsigned loop : llvm::reverse(getOuterLoops(loops)))
    ivs[loop] = take(sizes[loop]);
  threadColumn = multiply(remainder(thread, index(side)), index(perThread));
  threadRow = multiply(divide(thread, index(side)), index(perThread));
}

Value TiledContraction::loadAt(unsigned number, ArrayRef<Value> at) {
  SmallVector<Value> place =
      llvm::map_to_vector(op.getMap(number).getResults(), [&](AffineExpr expr) {
        return at[cast<AffineDimExpr>(expr).getPosition()];
      });
  return memref::LoadOp::create(builder, loc, op->getOperand(number), place);
}

/// Copies `steps` terms of 64 rows or columns, loop `across` from `origin`, to
/// `shared`, whose rows are terms.
void TiledContraction::copyTile(unsigned number, Value shared, unsigned across,
                                Value origin, Value firstTerm) {
  unsigned term = loops.reductions.back();
  AffineMap map = op.getMap(number);
  // Neighbouring threads read what is next to each other in memory.
  bool termsFirst = map.isFunctionOfDim(term) &&
                    map.getDimPosition(map.getNumResults() - 1) == term;
  Type type = op.getSumType();
  for (int64_t i = 0; i < steps * tileSize / threads; ++i) {
    Value element = add(thread, index(i * threads));
    Value width = index(termsFirst ? steps : tileSize);
    Value fast = remainder(element, width), slow = divide(element, width);
    Value k = termsFirst ? fast : slow, place = termsFirst ? slow : fast;
    SmallVector<Value> at(ivs);
    at[across] = add(origin, place);
    at[term] = add(firstTerm, k);
    Value isInside =
        arith::AndIOp::create(builder, loc, isBelow(at[across], sizes[across]),
                              isBelow(at[term], sizes[term]));
    auto branch = scf::IfOp::create(
        builder, loc, isInside,
        [&](OpBuilder &, Location) {
          Value value = loadAt(number, at);
          if (value.getType() != type)
            value = arith::ExtFOp::create(builder, loc, type, value);
          scf::YieldOp::create(builder, loc, value);
        },
        [&](OpBuilder &, Location) {
          Value zero = arith::ConstantOp::create(builder, loc,
                                                 builder.getZeroAttr(type));
          scf::YieldOp::create(builder, loc, zero);
        });
    memref::StoreOp::create(builder, loc, branch.getResult(0), shared,
                            ValueRange{k, place});
  }
}

/// Adds the products of `steps` terms.
TiledContraction::Sums TiledContraction::addStep(ValueRange sums,
                                                 Value firstTerm) {
  gpu::BarrierOp::create(builder, loc); // the last step has been read
  copyTile(0, sharedA, *loops.row, firstRow, firstTerm);
  copyTile(1, sharedB, loops.column, firstColumn, firstTerm);
  gpu::BarrierOp::create(builder, loc);
  auto vector = VectorType::get(perThread, op.getSumType());
  return makeLoop(
      builder, loc, index(0), index(steps), index(1), sums,
      [&](Value k, ValueRange carried) {
        auto read = [&](Value shared, Value place) -> Value {
          auto load = vector::LoadOp::create(builder, loc, vector, shared,
                                             ValueRange{k, place});
          load.setAlignment(perThread * sizeof(float));
          return load;
        };
        Value a = read(sharedA, threadRow), b = read(sharedB, threadColumn);
        Sums next;
        for (auto [number, sum] : llvm::enumerate(carried)) {
          auto part = [&](Value from, int64_t lane) -> Value {
            return vector::ExtractOp::create(builder, loc, from, lane);
          };
          next.push_back(math::FmaOp::create(builder, loc,
                                             part(a, number / perThread),
                                             part(b, number % perThread), sum));
        }
        return next;
      });
}

/// Adds all terms of the innermost reduction.
TiledContraction::Sums TiledContraction::addParts(ValueRange sums) {
  Value terms = sizes[loops.reductions.back()];
  Type type = op.getSumType();
  return makeLoop(
      builder, loc, index(0), terms, index(partSteps), sums,
      [&](Value first, ValueRange carried) {
        Value zero =
            arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
        Value end = minimum(add(first, index(partSteps)), terms);
        Sums parts = makeLoop(
            builder, loc, first, end, index(steps), Sums(carried.size(), zero),
            [&](Value term, ValueRange inner) { return addStep(inner, term); });
        Sums next;
        for (auto [sum, part] : llvm::zip(carried, parts))
          next.push_back(add(sum, part));
        return next;
      });
}

std::pair<Value, Value> TiledContraction::getPlace(int64_t number) {
  Value row = add(firstRow, add(threadRow, index(number / perThread)));
  Value column = add(firstColumn, add(threadColumn, index(number % perThread)));
  return {row, column};
}

TiledContraction::Sums TiledContraction::ifInside(Value row, Value column,
                                                  TypeRange types,
                                                  function_ref<Sums()> body) {
  Value isInside =
      arith::AndIOp::create(builder, loc, isBelow(row, sizes[*loops.row]),
                            isBelow(column, sizes[loops.column]));
  auto branch = scf::IfOp::create(builder, loc, types, isInside,
                                  /*withElseRegion=*/!types.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Sums results = body();
  if (types.empty())
    return {};
  scf::YieldOp::create(builder, loc, results);
  builder.setInsertionPointToStart(branch.elseBlock());
  Sums zeros;
  for (Type type : types)
    zeros.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, loc, zeros);
  return Sums(branch.getResults());
}

TiledContraction::Sums TiledContraction::startSums() {
  Type type = op.getSumType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Sums sums(perThread * perThread, zero);
  if (!op.getAccumulate())
    return sums;
  for (auto [number, sum] : llvm::enumerate(sums)) {
    auto [row, column] = getPlace(number);
    SmallVector<Value> at(ivs);
    at[*loops.row] = row;
    at[loops.column] = column;
    sum = ifInside(row, column, type, [&] {
            return Sums{loadAt(2 + op.getOthers().size(), at)};
          }).front();
  }
  return sums;
}

void TiledContraction::storeSums(ValueRange sums) {
  unsigned numOthers = op.getOthers().size();
  Block &body = op.getBody().front();
  for (auto [number, sum] : llvm::enumerate(sums)) {
    auto [row, column] = getPlace(number);
    SmallVector<Value> at(ivs);
    at[*loops.row] = row;
    at[loops.column] = column;
    ifInside(row, column, {}, [&, sum = Value(sum)]() -> Sums {
      IRMapping mapping;
      mapping.map(body.getArgument(0), sum);
      for (unsigned i = 0; i < numOthers; ++i)
        mapping.map(body.getArgument(1 + i), loadAt(2 + i, at));
      for (Operation &inner : body.without_terminator())
        builder.clone(inner, mapping);
      SmallVector<Value> place = llvm::map_to_vector(
          op.getInitMap().getResults(), [&](AffineExpr expr) {
            return at[cast<AffineDimExpr>(expr).getPosition()];
          });
      memref::StoreOp::create(
          builder, loc,
          mapping.lookupOrDefault(body.getTerminator()->getOperand(0)),
          op.getInit(), place);
      return {};
    });
  }
}

void TiledContraction::form(StringRef name) {
  builder.setInsertionPoint(op);
  findSizes();
  gpu::LaunchOp launch =
      beginKernel(builder, loc, name, countBlocks(), threads);
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({steps, pitch}, op.getSumType(),
                              MemRefLayoutAttrInterface(), space);
  sharedA = launch.addWorkgroupAttribution(type, loc);
  sharedB = launch.addWorkgroupAttribution(type, loc);
  thread = launch.getThreadIds().x;
  enterBlock(launch.getBlockIds().x);
  SmallVector<OpFoldResult> outer;
  ArrayRef<unsigned> outerTerms = ArrayRef(loops.reductions).drop_back();
  for (unsigned loop : outerTerms)
    outer.push_back(sizes[loop]);
  scf::ValueVector sums = makePositionLoops(
      builder, loc, outer, startSums(),
      [&](ValueRange position, ValueRange carried) -> scf::ValueVector {
        for (auto [loop, iv] : llvm::zip(outerTerms, position))
          ivs[loop] = iv;
        Sums next = addParts(carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  storeSums(sums);
  op.erase();
}

LogicalResult mlir::symshape::formTiledContraction(OpBuilder &builder,
                                                   ContractOp op,
                                                   StringRef name) {
  auto loops = assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  if (failed(loops) || !loops->row || loops->reductions.empty() ||
      !op.getSumType().isF32() || op.isPacked())
    return failure();
  // A term that only one operand has would be read past the other one's map.
  TiledContraction(builder, op, *loops).form(name);
  return success();
}
