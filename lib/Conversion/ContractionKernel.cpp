//===- ContractionKernel.cpp - One register tile --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch over the number of rows; in each case a loop over blocks of terms,
// and in it the loop over terms, which carries the sums in vectors. With few
// rows, several sets of sums hide the latency of the additions.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

#include "Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::symshape;

/// Terms that are added up before the sum is added to those of other blocks:
/// bounds the growth of rounding errors.
static constexpr int64_t blockTerms = 128;
/// How many terms ahead of its use B is fetched into the first-level cache.
static constexpr int64_t prefetchTerms = 16;
static constexpr int64_t cacheLineBytes = 64;
/// Sums that must be under way to keep two units of latency 4 busy.
static constexpr int64_t sumsInFlight = 8;

TileKernel::TileKernel(ContractOp op, int64_t vectorBits, int64_t registers,
                       bool fma)
    : lhs(getElementTypeOrSelf(op.getLhs().getType())),
      rhs(getElementTypeOrSelf(op.getRhs().getType())), sum(op.getSumType()),
      lanes(std::max<int64_t>(2, vectorBits / sum.getIntOrFloatBitWidth())),
      width(op.getPanelWidth().value_or(2 * lanes)), registers(registers),
      fma(fma) {}

int64_t TileKernel::getMaxRows() const {
  int64_t vectors = width / lanes;
  int64_t rows = (registers - vectors - (fma ? 1 : 2)) / vectors;
  return std::clamp<int64_t>(rows, 1, 14);
}

TileKernel TileKernel::widened() const {
  TileKernel wide = *this;
  while (wide.getMaxRows() > 2)
    wide.width *= 2;
  if (wide.getMaxRows() < 2)
    wide.width /= 2;
  return wide;
}

std::optional<TileKernel>
mlir::symshape::getTileForFewRows(ContractOp op, const TileKernel &kernel) {
  TileKernel wide = kernel.widened();
  auto type = cast<ShapedType>(op.getInit().getType());
  if (op.getPanelWidth() || wide.width == kernel.width ||
      type.getElementType() != kernel.sum)
    return std::nullopt;
  ContractionLoops loops =
      *assignLoops(op.getMap(0), op.getMap(1), op.getInitMap());
  int64_t least = 1;
  for (auto [extent, expr] :
       llvm::zip_equal(type.getShape(), op.getInitMap().getResults()))
    if (loops.isRow(cast<AffineDimExpr>(expr).getPosition()))
      least *= ShapedType::isDynamic(extent) ? 0 : extent;
  return least <= wide.getMaxRows() ? std::make_optional(wide) : std::nullopt;
}

namespace {
enum Argument {
  Rows,
  A,
  ARow,
  ATerm,
  B,
  BTerm,
  Terms,
  C,
  CRow,
  Columns,
  Accumulate
};

class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, Location loc, const TileKernel &kernel,
              ValueRange arguments)
      : builder(builder), loc(loc), kernel(kernel), arguments(arguments),
        vectors(kernel.width / kernel.lanes),
        sumType(VectorType::get({kernel.lanes}, kernel.sum)),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  /// Everything for `rows` rows.
  void emit(int64_t rows);

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  Value advance(Value base, Type type, Value elements) {
    return LLVM::GEPOp::create(builder, loc, pointer, type, base,
                               ArrayRef<LLVM::GEPArg>{elements});
  }
  Value advance(Value base, Type type, int64_t elements) {
    return LLVM::GEPOp::create(
        builder, loc, pointer, type, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
  }
  Value load(Type type, Value address);
  Value multiplyAdd(Value factor, Value row, Value sum);
  SmallVector<Value> addTerm(int64_t rows, Value a, Value b, ValueRange sums);
  SmallVector<Value> addTerms(int64_t rows, int64_t unroll, Value a, Value b,
                              Value count);
  void prefetchRow(Value address);
  void store(int64_t rows, ValueRange sums, Value accumulate);
  void forEachVector(
      int64_t rows,
      function_ref<void(int64_t number, int64_t vector, Value address)> body);

  OpBuilder &builder;
  Location loc;
  const TileKernel &kernel;
  ValueRange arguments;
  int64_t vectors; ///< per row
  VectorType sumType;
  Type pointer;
};
} // namespace

Value TileEmitter::load(Type type, Value address) {
  Type element = getElementTypeOrSelf(type);
  return LLVM::LoadOp::create(builder, loc, type, address,
                              element.getIntOrFloatBitWidth() / 8);
}

Value TileEmitter::multiplyAdd(Value factor, Value row, Value sum) {
  if (isa<FloatType>(kernel.sum) && kernel.fma)
    return vector::FMAOp::create(builder, loc, factor, row, sum);
  return addNumbers(builder, loc, sum,
                    multiplyNumbers(builder, loc, factor, row));
}

/// One term for the whole tile.
SmallVector<Value> TileEmitter::addTerm(int64_t rows, Value a, Value b,
                                        ValueRange sums) {
  SmallVector<Value> columns;
  auto rowType = VectorType::get({kernel.lanes}, kernel.rhs);
  for (int64_t vector = 0; vector < vectors; ++vector)
    columns.push_back(extendNumber(
        builder, loc,
        load(rowType, advance(b, kernel.rhs, vector * kernel.lanes)), sumType));
  SmallVector<Value> next;
  for (int64_t row = 0; row < rows; ++row) {
    Value offset = multiply(constant(row), arguments[ARow]);
    Value element = extendNumber(
        builder, loc, load(kernel.lhs, advance(a, kernel.lhs, offset)),
        kernel.sum);
    Value factor = vector::BroadcastOp::create(builder, loc, sumType, element);
    for (Value column : columns)
      next.push_back(multiplyAdd(factor, column, sums[next.size()]));
  }
  return next;
}

void TileEmitter::prefetchRow(Value address) {
  int64_t bytes = kernel.width * kernel.rhs.getIntOrFloatBitWidth() / 8;
  for (int64_t at = 0; at < bytes; at += cacheLineBytes)
    LLVM::Prefetch::create(builder, loc,
                           advance(address, builder.getI8Type(), at), /*rw=*/0,
                           /*hint=*/3, /*cache=*/1);
}

/// The sums of `count` terms: `unroll` terms at a time, each added to a set of
/// sums of its own, and what is left added to the first set.
SmallVector<Value> TileEmitter::addTerms(int64_t rows, int64_t unroll, Value a,
                                         Value b, Value count) {
  Value zero = constant(0), step = constant(unroll);
  Value ahead = multiply(constant(prefetchTerms), arguments[BTerm]);
  size_t setSize = rows * vectors;
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  auto emitLoop = [&](Value begin, Value end, int64_t terms,
                      ValueRange carried) {
    auto loop =
        scf::ForOp::create(builder, loc, begin, end, constant(terms), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange args = loop.getRegionIterArgs();
    Value aNow = args[args.size() - 2], bNow = args.back();
    SmallVector<Value> next;
    for (int64_t term = 0; term < terms; ++term) {
      prefetchRow(advance(bNow, kernel.rhs, ahead));
      next.append(
          addTerm(rows, aNow, bNow, args.slice(term * setSize, setSize)));
      aNow = advance(aNow, kernel.lhs, arguments[ATerm]);
      bNow = advance(bNow, kernel.rhs, arguments[BTerm]);
    }
    next.append({aNow, bNow});
    scf::YieldOp::create(builder, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  SmallVector<Value> sums(setSize * unroll, none);
  sums.append({a, b});
  if (unroll == 1) {
    sums = emitLoop(zero, count, 1, sums);
    sums.truncate(setSize);
    return sums;
  }
  Value rest = arith::RemUIOp::create(builder, loc, count, step);
  Value main = arith::SubIOp::create(builder, loc, count, rest);
  SmallVector<Value> done = emitLoop(zero, main, unroll, sums);
  SmallVector<Value> first(done.begin(), done.begin() + setSize);
  first.append({done[done.size() - 2], done.back()});
  sums = emitLoop(main, count, 1, first);
  sums.truncate(setSize);
  for (int64_t set = 1; set < unroll; ++set)
    for (size_t i = 0; i < setSize; ++i)
      sums[i] = addNumbers(builder, loc, sums[i], done[set * setSize + i]);
  return sums;
}

void TileEmitter::forEachVector(
    int64_t rows,
    function_ref<void(int64_t number, int64_t vector, Value address)> body) {
  for (int64_t row = 0; row < rows; ++row) {
    Value begin = advance(arguments[C], kernel.sum,
                          multiply(constant(row), arguments[CRow]));
    for (int64_t vector = 0; vector < vectors; ++vector)
      body(row * vectors + vector, vector,
           advance(begin, kernel.sum, vector * kernel.lanes));
  }
}

/// Writes a tile; the one at the end of the columns through masks.
void TileEmitter::store(int64_t rows, ValueRange sums, Value accumulate) {
  unsigned alignment = kernel.sum.getIntOrFloatBitWidth() / 8;
  auto emitStores = [&](bool isFull, bool adds) {
    SmallVector<Value> masks;
    for (int64_t vector = 0; vector < vectors && !isFull; ++vector) {
      Value count = arith::SubIOp::create(builder, loc, arguments[Columns],
                                          constant(vector * kernel.lanes));
      Value index = arith::IndexCastOp::create(builder, loc,
                                               builder.getIndexType(), count);
      masks.push_back(vector::CreateMaskOp::create(
          builder, loc, VectorType::get({kernel.lanes}, builder.getI1Type()),
          index));
    }
    forEachVector(rows, [&](int64_t number, int64_t vector, Value address) {
      Value sum = sums[number];
      if (isFull) {
        if (adds)
          sum = addNumbers(builder, loc, sum, load(sumType, address));
        LLVM::StoreOp::create(builder, loc, sum, address, alignment);
        return;
      }
      if (adds) {
        Value none = arith::ConstantOp::create(builder, loc,
                                               builder.getZeroAttr(sumType));
        sum = addNumbers(builder, loc, sum,
                         LLVM::MaskedLoadOp::create(builder, loc, sumType,
                                                    address, masks[vector],
                                                    none, alignment));
      }
      LLVM::MaskedStoreOp::create(builder, loc, sum, address, masks[vector],
                                  alignment);
    });
  };
  auto branch = [&](Value condition, function_ref<void(bool)> body) {
    auto op = scf::IfOp::create(builder, loc, condition,
                                /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    for (bool holds : {true, false}) {
      builder.setInsertionPointToStart(holds ? op.thenBlock() : op.elseBlock());
      body(holds);
    }
  };
  Value isFull =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            arguments[Columns], constant(kernel.width));
  branch(isFull, [&](bool full) {
    branch(accumulate, [&](bool adds) { emitStores(full, adds); });
  });
}

void TileEmitter::emit(int64_t rows) {
  int64_t unroll =
      llvm::divideCeil(sumsInFlight, static_cast<uint64_t>(rows * vectors));
  Value one = constant(1), block = constant(blockTerms);
  // No terms at all are one empty block.
  Value end = arith::MaxSIOp::create(builder, loc, arguments[Terms], one);
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), end, block,
      ValueRange{arguments[A], arguments[B], arguments[Accumulate]});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value a = loop.getRegionIterArg(0), b = loop.getRegionIterArg(1);
  Value left = arith::SubIOp::create(builder, loc, arguments[Terms],
                                     loop.getInductionVar());
  Value count = arith::MinSIOp::create(builder, loc, left, block);
  SmallVector<Value> sums = addTerms(rows, unroll, a, b, count);
  store(rows, sums, loop.getRegionIterArg(2));
  a = advance(a, kernel.lhs, multiply(block, arguments[ATerm]));
  b = advance(b, kernel.rhs, multiply(block, arguments[BTerm]));
  Value yes =
      arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  scf::YieldOp::create(builder, loc, ValueRange{a, b, yes});
}

func::FuncOp TileKernel::getOrCreate(Operation *module) const {
  std::string name;
  llvm::raw_string_ostream(name)
      << "symshape.tile." << lhs << "." << rhs << "." << sum << "." << width;
  if (auto found = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, name)))
    return found;
  OpBuilder builder(module->getContext());
  builder.setInsertionPointToEnd(&module->getRegion(0).front());
  Location loc = module->getLoc();
  Type i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type flag = builder.getI1Type();
  auto type = builder.getFunctionType(
      {i64, pointer, i64, i64, pointer, i64, i64, pointer, i64, i64, flag}, {});
  auto function = func::FuncOp::create(builder, loc, name, type);
  function.setPrivate();
  function->setAttr("no_inline", builder.getUnitAttr());
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value rows = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          function.getArgument(Rows));
  int64_t maxRows = getMaxRows();
  SmallVector<int64_t> cases;
  for (int64_t number = 1; number < maxRows; ++number)
    cases.push_back(number);
  auto choice = scf::IndexSwitchOp::create(builder, loc, TypeRange(), rows,
                                           cases, cases.size());
  func::ReturnOp::create(builder, loc);
  TileEmitter emitter(builder, loc, *this, function.getArguments());
  auto fill = [&](Region &region, int64_t number) {
    builder.createBlock(&region);
    emitter.emit(number);
    scf::YieldOp::create(builder, loc);
  };
  for (auto [region, number] : llvm::zip(choice.getCaseRegions(), cases))
    fill(region, number);
  fill(choice.getDefaultRegion(), maxRows);
  return function;
}

SmallVector<int64_t> TileKernel::getCallCost() const {
  return {width / lanes, Rows, Terms};
}
