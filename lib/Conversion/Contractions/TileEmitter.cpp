//===- TileEmitter.cpp - Bodies of tile functions -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::symshape;

/// About so many terms are added up before the sum is added to those of other
/// blocks: bounds the growth of rounding errors.
static constexpr int64_t blockTerms = 128;
/// There is no block for less than half of that: its sums would be added to
/// those of others as often as those of a whole one.
static constexpr int64_t maxBlockTerms = blockTerms * 3 / 2;
/// Blocks have a multiple of so many terms, but for the last one.
static constexpr int64_t termUnit = 16;
/// How many terms ahead of its use B is fetched into the first-level cache.
static constexpr int64_t prefetchTerms = 16;
static constexpr int64_t cacheLineBytes = 64;
/// Lines of memory that are a multiple of this apart share a set of the
/// first-level cache, which holds 8 to 12 of them.
static constexpr int64_t setStrideBytes = 4096;
static constexpr int64_t linesPerSet = 8;

/// Rows of A that have a pointer of their own. Each other row of a tile of 14
/// is 1, 2, 4 or 8 rows from one of them: an x86 address without arithmetic.
static constexpr int64_t baseRows[] = {0, 3, 5, 10};

/// The base of `row`, by position, and how many rows there are between them.
static std::pair<size_t, int64_t> findBase(int64_t row) {
  for (auto [position, base] : llvm::enumerate(baseRows))
    if (row == base || llvm::is_contained({1, 2, 4, 8}, row - base))
      return {position, row - base};
  return {0, row};
}

//===----------------------------------------------------------------------===//
// Steps of a few ops
//===----------------------------------------------------------------------===//

static unsigned getBytes(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

Value TileEmitter::load(Type type, Value address, Value mask) {
  if (!mask)
    return LLVM::LoadOp::create(b, type, address, getBytes(type));
  return LLVM::MaskedLoadOp::create(b, type, address, mask, zeroOf(type),
                                    getBytes(type));
}

void TileEmitter::store(Value value, Value address, Value mask) {
  unsigned alignment = getBytes(value.getType());
  if (mask)
    LLVM::MaskedStoreOp::create(b, value, address, mask, alignment);
  else
    LLVM::StoreOp::create(b, value, address, alignment);
}

Value TileEmitter::extend(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(kernel.sum))
    return arith::ExtFOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

Value TileEmitter::spread(Value unit) {
  Value factors = vector::BroadcastOp::create(b, sumType, unit);
  auto type = VectorType::get({kernel.lanes * kernel.group}, kernel.lhs);
  return vector::BitCastOp::create(b, type, factors);
}

Value TileEmitter::loadLastFactor(Value address, Value rest) {
  Value last = subtract(rest, constant(1)), unit;
  Type type = b.getIntegerType(8 * getBytes(kernel.sum));
  Type part = b.getIntegerType(8 * getBytes(kernel.lhs));
  for (int64_t number = 0; number + 1 < kernel.group; ++number) {
    Value offset = minimum(constant(number), last);
    Value element = load(part, advance(address, kernel.lhs, offset));
    Value wide = arith::ExtUIOp::create(b, type, element);
    Value shift = arith::ConstantIntOp::create(
        b, type, 8 * getBytes(kernel.lhs) * number);
    wide = arith::ShLIOp::create(b, wide, shift);
    unit = unit ? arith::OrIOp::create(b, unit, wide).getResult() : wide;
  }
  if (type != kernel.sum)
    unit = arith::BitcastOp::create(b, kernel.sum, unit);
  return spread(unit);
}

Value TileEmitter::loadFactor(Value address) {
  if (kernel.group > 1)
    return spread(LLVM::LoadOp::create(b, kernel.sum, address, /*align=*/1));
  Value element = extend(load(factorType, address), kernel.sum);
  return vector::BroadcastOp::create(b, sumType, element);
}

Value TileEmitter::multiplyAdd(Value factor, Value row, Value sum) {
  if (kernel.group > 1) {
    if (!isRounded() && !kernel.isLhsUnsigned)
      std::swap(factor, row);
    auto name = b.getStringAttr((isRounded() ? "llvm.x86.avx512bf16.dpbf16ps."
                                             : "llvm.x86.avx512.vpdpbusd.") +
                                std::to_string(32 * kernel.lanes));
    return LLVM::CallIntrinsicOp::create(b, sumType, name,
                                         ValueRange{sum, factor, row})
        .getResult(0);
  }
  if (isa<FloatType>(kernel.sum) && kernel.fma)
    return vector::FMAOp::create(b, factor, row, sum);
  return add(sum, multiply(factor, row));
}

Value TileEmitter::createMask(Value count, int64_t lanes) {
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), count);
  return vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), index);
}

Value TileEmitter::allocate(Type type, int64_t elements) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(cast<BlockArgument>(arguments[Rows]).getOwner());
  return LLVM::AllocaOp::create(b, pointer, type, constant(elements),
                                /*alignment=*/64);
}

void TileEmitter::branch(Value condition, function_ref<void(bool)> body) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool holds : {true, false}) {
    b.setInsertionPointToStart(holds ? op.thenBlock() : op.elseBlock());
    body(holds);
  }
}

void TileEmitter::forEachBlock(
    function_ref<void(const TermBlock &block)> body) {
  using Predicate = arith::CmpIPredicate;
  Value steps = arguments[Terms];
  if (kernel.getTermsPerStep() > 1)
    steps =
        arith::DivUIOp::create(b, steps, constant(kernel.getTermsPerStep()));
  // No steps at all are one empty block.
  Value end = arith::MaxSIOp::create(b, steps, constant(1));
  Value size = end;
  if (kernel.group == 1 || isRounded()) {
    int64_t ofBlock = countSteps(blockTerms);
    int64_t unit = countSteps(kernel.codeBits ? getChunkTerms() : termUnit);
    Value blocks = arith::DivUIOp::create(b, add(end, constant(ofBlock / 2)),
                                          constant(ofBlock));
    blocks = arith::MaxUIOp::create(b, blocks, constant(1));
    size = arith::CeilDivUIOp::create(b, end, blocks);
    size = arith::CeilDivUIOp::create(b, size, constant(unit));
    size = multiply(size, constant(unit));
  }
  Value aStep = getStepOfA(arguments[ATerm]);
  SmallVector<Value> start{arguments[A], arguments[B], arguments[Accumulate]};
  loop(constant(0), end, size, start, [&](Value begin, ValueRange carried) {
    Value left = subtract(steps, begin);
    Value count = arith::MinSIOp::create(b, left, size);
    body({carried[0], arguments[ARow], carried[1], count, carried[2],
          compare(Predicate::eq, begin, constant(0)),
          compare(Predicate::sle, left, size), begin});
    Value yes = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
    return SmallVector<Value>{
        advance(carried[0], kernel.lhs, size, aStep),
        advance(carried[1], kernel.rhs, size, arguments[BTerm]), yes};
  });
}

//===----------------------------------------------------------------------===//
// Sums in registers
//===----------------------------------------------------------------------===//

/// Where the factor of row `number` is, `term` terms from where the base rows
/// point to.
Value TileEmitter::getFactor(ValueRange bases, Value aRow, int64_t number,
                             int64_t term) {
  auto [base, distance] = findBase(number);
  Value address = advance(bases[base], factorType, constant(distance), aRow);
  return term == 0 ? address
                   : advance(address, factorType, constant(term), factorStep);
}

/// One step for the whole tile; `bases` points into the base rows of A. With
/// `rest`, the last one of so many terms.
SmallVector<Value> TileEmitter::addTerm(ValueRange bases, Value aRow, Value row,
                                        ValueRange sums, Value rest) {
  if (kernel.codeBits)
    return addCodes(bases, aRow, row, sums);
  SmallVector<Value> columns, next;
  for (int64_t vector = 0; vector < vectors; ++vector)
    columns.push_back(loadRow(
        advance(row, kernel.rhs, vector * kernel.lanes * kernel.group)));
  for (int64_t number = 0; number < rows; ++number) {
    Value address = getFactor(bases, aRow, number);
    Value factor = rest ? loadLastFactor(address, rest) : loadFactor(address);
    for (Value column : columns)
      next.push_back(multiplyAdd(factor, column, sums[next.size()]));
  }
  return next;
}

void TileEmitter::prefetchRow(Value address, int64_t bytes, bool isWritten) {
  for (int64_t at = 0; at < bytes; at += cacheLineBytes)
    LLVM::Prefetch::create(b, advance(address, b.getI8Type(), at), isWritten,
                           /*hint=*/3, /*cache=*/1);
}

SmallVector<Value> TileEmitter::getBases(Value a, Value aRow) {
  SmallVector<Value> bases;
  for (int64_t row : baseRows)
    if (row < rows)
      bases.push_back(LLVM::LaunderInvariantGroupOp::create(
          b, advance(a, factorType, constant(row), aRow)));
  return bases;
}

/// Whether rows of A are so far apart that they push each other out of the
/// cache, though each line is read again for the next terms; null where no
/// tile has so many rows.
Value TileEmitter::areRowsInOneSet() {
  if (rows < linesPerSet || widensRows() || (kernel.group > 1 && !isRounded()))
    return nullptr;
  Value bytes = multiply(arguments[ARow], constant(getBytes(kernel.lhs)));
  Value isMultiple =
      compare(arith::CmpIPredicate::eq,
              remainder(bytes, constant(setStrideBytes)), constant(0));
  Value isContiguous =
      compare(arith::CmpIPredicate::eq, arguments[ATerm], constant(1));
  return arith::AndIOp::create(b, isMultiple, isContiguous);
}

/// Copies `terms` neighbours, in vectors as long as there are enough, as
/// numbers of the type of the sums if rows are widened.
void TileEmitter::copyRow(Value from, Value to, Value terms) {
  Type made = widensRows() ? kernel.sum : kernel.lhs;
  auto copy = [&](auto typeOf) {
    return [&, typeOf](Value at, ValueRange) {
      Value value = load(typeOf(kernel.lhs), advance(from, kernel.lhs, at));
      if (made != kernel.lhs)
        value = extend(value, typeOf(made));
      store(value, advance(to, made, at));
      return SmallVector<Value>();
    };
  };
  Value whole = subtract(terms, remainder(terms, constant(kernel.lanes)));
  loop(constant(0), whole, constant(kernel.lanes), {}, copy([&](Type type) {
         return Type(VectorType::get({kernel.lanes}, type));
       }));
  loop(whole, terms, constant(1), {}, copy([](Type type) { return type; }));
}

/// `block` with its part of A as numbers of the type of the sums, in `copies`.
void TileEmitter::widenRows(TermBlock &block, Value copies) {
  Value step = constant(maxBlockTerms + kernel.lanes), one = constant(1);
  Value areNeighbours =
      compare(arith::CmpIPredicate::eq, arguments[ATerm], one);
  loop(constant(0), constant(rows), one, {}, [&](Value row, ValueRange) {
    Value from = advance(block.a, kernel.lhs, row, arguments[ARow]);
    Value to = advance(copies, kernel.sum, row, step);
    branch(areNeighbours, [&](bool holds) {
      if (holds)
        return copyRow(from, to, block.count);
      loop(constant(0), block.count, one, {}, [&](Value term, ValueRange) {
        Value place = advance(from, kernel.lhs, term, arguments[ATerm]);
        store(extend(load(kernel.lhs, place), kernel.sum),
              advance(to, kernel.sum, term));
        return SmallVector<Value>();
      });
    });
    return SmallVector<Value>();
  });
  block.a = copies;
  block.aRow = step;
}

/// `block` with its part of A copied to `copies`, row by row, if `isCopied`.
void TileEmitter::copyRows(TermBlock &block, Value isCopied, Value copies) {
  Value step = constant(maxBlockTerms + kernel.lanes);
  auto choice = scf::IfOp::create(b, isCopied, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value zero = constant(0), one = constant(1), terms = block.count;
    if (kernel.getTermsPerStep() > 1)
      terms = multiply(terms, constant(kernel.getTermsPerStep()));
    if (kernel.group > 1) { // and those behind the last whole group
      Value rest = remainder(arguments[Terms], constant(kernel.group));
      terms = add(terms, arith::SelectOp::create(b, block.isLast, rest, zero));
    }
    loop(zero, constant(rows), one, {}, [&](Value row, ValueRange) {
      copyRow(advance(block.a, kernel.lhs, row, arguments[ARow]),
              advance(copies, kernel.lhs, row, step), terms);
      return SmallVector<Value>();
    });
  }
  block.a = arith::SelectOp::create(b, isCopied, copies, block.a);
  block.aRow = arith::SelectOp::create(b, isCopied, step, block.aRow);
}

/// A loop over steps, `unroll` at a time, each added to a set of sums of its
/// own. Carries these sets, the base rows of A, and B.
SmallVector<Value> TileEmitter::addGroups(int64_t unroll, Value aRow,
                                          Value begin, Value end,
                                          ValueRange carried) {
  size_t setSize = rows * vectors;
  int64_t rowBytes = kernel.width * kernel.group * getBytes(kernel.rhs);
  return loop(
      begin, end, constant(unroll), carried, [&](Value, ValueRange values) {
        ValueRange sums = values.take_front(setSize * unroll);
        SmallVector<Value> next,
            bases(values.drop_front(sums.size()).drop_back());
        Value row = values.back();
        Value aStep = getStepOfA(factorStep);
        Value ahead = multiply(constant(prefetchTerms), arguments[BTerm]);
        for (int64_t term = 0; term < unroll; ++term) {
          if (!kernel.codeBits) // which whole chunks are fetched of
            prefetchRow(advance(row, kernel.rhs, ahead), rowBytes,
                        /*isWritten=*/false);
          next.append(
              addTerm(bases, aRow, row, sums.slice(term * setSize, setSize)));
          for (Value &base : bases)
            base = advance(base, factorType, aStep);
          row = advance(row, kernel.rhs, arguments[BTerm]);
        }
        next.append(bases);
        next.push_back(row);
        return next;
      });
}

/// The sums of `count` steps: whole groups of `unroll` terms, and what is left
/// added to the first set. Carries the sums, the base rows of A, and B.
SmallVector<Value> TileEmitter::addSets(int64_t unroll, Value aRow, Value count,
                                        SmallVector<Value> carried) {
  size_t setSize = rows * vectors;
  SmallVector<Value> more(setSize * (unroll - 1), zeroOf(sumType));
  carried.insert(carried.begin() + setSize, more.begin(), more.end());
  Value whole = constant(0);
  if (unroll > 1) {
    whole = subtract(count, remainder(count, constant(unroll)));
    carried = addGroups(unroll, aRow, constant(0), whole, carried);
  }
  auto others =
      llvm::map_to_vector(llvm::seq<size_t>(setSize, setSize * unroll),
                          [&](size_t position) { return carried[position]; });
  carried.erase(carried.begin() + setSize, carried.begin() + setSize * unroll);
  carried = addGroups(1, aRow, whole, count, carried);
  for (auto [position, other] : llvm::enumerate(others)) {
    Value &sum = carried[position % setSize];
    sum = add(sum, other);
  }
  return carried;
}

SmallVector<Value> TileEmitter::addTerms(int64_t unroll,
                                         const TermBlock &block) {
  if (kernel.codeBits)
    return addChunks(unroll, block);
  SmallVector<Value> carried(rows * vectors, zeroOf(sumType));
  carried.append(getBases(block.a, block.aRow));
  carried.push_back(block.b);
  carried = addSets(unroll, block.aRow, block.count, carried);
  carried.truncate(rows * vectors);
  return carried;
}

/// The terms behind the last whole group; what B has beside them is zero.
SmallVector<Value> TileEmitter::addLastTerms(const TermBlock &block,
                                             ValueRange sums) {
  Value rest = remainder(arguments[Terms], constant(kernel.group));
  Value isAny = compare(arith::CmpIPredicate::ne, rest, constant(0));
  if (isRounded()) // in blocks
    isAny = arith::AndIOp::create(b, isAny, block.isLast);
  auto last = scf::IfOp::create(b, sums.getTypes(), isAny,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(last.thenBlock());
  Value a = advance(block.a, kernel.lhs, block.count, constant(kernel.group));
  Value row = advance(block.b, kernel.rhs, block.count, arguments[BTerm]);
  scf::YieldOp::create(
      b, addTerm(getBases(a, block.aRow), block.aRow, row, sums, rest));
  return llvm::to_vector(ValueRange(last.getResults()));
}

TileEmitter::Place TileEmitter::choose(Value condition, Place yes, Place no) {
  return {
      arith::SelectOp::create(b, condition, yes.pointer, no.pointer),
      arith::SelectOp::create(b, condition, yes.rowStep, no.rowStep),
  };
}

/// Writes the columns that there are one by one, by way of memory.
void TileEmitter::storeColumns(ValueRange sums, Place from, Place to,
                               bool adds) {
  for (auto [number, sum] : llvm::enumerate(sums))
    store(sum, advance(staged, kernel.sum, number * kernel.lanes));
  Value zero = constant(0), one = constant(1);
  loop(zero, constant(rows), one, {}, [&](Value row, ValueRange) {
    loop(zero, arguments[Columns], one, {}, [&](Value column, ValueRange) {
      auto at = [&](Place place) {
        return advance(getRow(place, row), kernel.sum, column);
      };
      Value sum = load(kernel.sum, at({staged, constant(kernel.width)}));
      if (adds)
        sum = add(sum, load(kernel.sum, at(from)));
      store(sum, at(to));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

void TileEmitter::storeVectors(ValueRange sums, Place from, Place to, bool adds,
                               bool isFull) {
  SmallVector<Value> masks(vectors);
  for (int64_t vector = 0; vector < vectors && !isFull; ++vector)
    masks[vector] = createMask(
        subtract(arguments[Columns], constant(vector * kernel.lanes)),
        kernel.lanes);
  for (auto [number, sum] : llvm::enumerate(sums)) {
    Value row = constant(number / vectors), mask = masks[number % vectors];
    int64_t column = number % vectors * kernel.lanes;
    auto at = [&](Place place) {
      return advance(getRow(place, row), kernel.sum, column);
    };
    Value total = adds ? add(sum, load(sumType, at(from), mask)) : sum;
    store(total, at(to), mask);
  }
}

/// Writes a tile, added to the sums at `from` if `accumulate`; the one at the
/// end of the columns through masks, if there are any.
void TileEmitter::storeTile(ValueRange sums, Place from, Place to,
                            Value accumulate) {
  Value isFull = compare(arith::CmpIPredicate::eq, arguments[Columns],
                         constant(kernel.width));
  branch(isFull, [&](bool full) {
    branch(accumulate, [&](bool adds) {
      if (full || kernel.masks)
        storeVectors(sums, from, to, adds, full);
      else
        storeColumns(sums, from, to, adds);
    });
  });
}

void TileEmitter::emitRegisters() {
  int64_t unroll =
      llvm::divideCeil(kernel.codeBits ? codeSumsInFlight : sumsInFlight,
                       static_cast<uint64_t>(rows * vectors));
  if (!kernel.masks)
    staged = allocateSums();
  // Sums of parts of the terms stay close together: rows of the result may be
  // far apart, and then share few sets of the first-level cache.
  Place result{arguments[C], arguments[CRow]};
  Place parts{allocateSums(), constant(kernel.width)};
  // Rows of the result arrive while the terms are added.
  for (int64_t row = 0; row < rows; ++row)
    prefetchRow(getRow(result, constant(row)),
                kernel.width * getBytes(kernel.sum), /*isWritten=*/true);
  Value isCopied = areRowsInOneSet(), copies;
  if (isCopied || widensRows())
    copies = allocate(widensRows() ? kernel.sum : kernel.lhs,
                      rows * (maxBlockTerms + kernel.lanes));
  if (widensRows()) {
    factorType = kernel.sum;
    factorStep = constant(1);
  }
  forEachBlock([&](TermBlock block) {
    if (widensRows())
      widenRows(block, copies);
    else if (isCopied)
      copyRows(block, isCopied, copies);
    SmallVector<Value> sums = addTerms(unroll, block);
    if (kernel.group > 1)
      sums = addLastTerms(block, sums);
    storeTile(sums, choose(block.isFirst, result, parts),
              choose(block.isLast, result, parts), block.accumulate);
  });
}
