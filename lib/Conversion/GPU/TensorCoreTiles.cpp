//===- TensorCoreTiles.cpp - Contractions of bf16 and f16 -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes 64 x 64 sums by four warps, a warp 32 x 32 of them by
// mma.sync on 16 x 8 x 16. The operands of an mma are read from shared memory
// by ldmatrix, 8 x 8 elements at a time, transposed where neighbours in memory
// are rows or columns. Which thread has which element: PTX ISA 8.8, sections
// "Matrix Fragments for mma.m16n8k16" and "ldmatrix".
//
//===----------------------------------------------------------------------===//

#include "GPU/ContractionBlock.h"
#include "GPU/Kernels.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaTerms = 16;
static constexpr int64_t matrixSize = 8;  ///< of ldmatrix
static constexpr int64_t sumsPerTile = 4; ///< of a thread

namespace {
/// How a block's sums are shared out.
struct CoreShape {
  int64_t rows, columns;         ///< of a block
  int64_t warpRows, warpColumns; ///< of a warp
  int64_t slices;                ///< groups of warps that share the terms
  int64_t terms;                 ///< of a slice in a step
  int64_t stages;                ///< in shared memory
  int64_t blocks; ///< of a multiprocessor, which limits registers

  int64_t getWarpsAlong() const { return columns / warpColumns; }
  int64_t countWarps() const { return rows / warpRows * getWarpsAlong(); }
};

constexpr CoreShape fewCoreShape = {16, 32, 16, 32, 8, 16, 3, 2};
constexpr CoreShape smallCoreShape = {64, 64, 32, 32, 1, 32, 4, 2};
constexpr CoreShape largeCoreShape = {128, 128, 64, 32, 1, 32, 3, 2};

class TensorCoreTiles : public ContractionBlock {
public:
  TensorCoreTiles(OpBuilder &builder, ContractOp op,
                  const ContractionLoops &loops, Type type, CoreShape shape)
      : ContractionBlock(builder, op, loops,
                         {shape.rows, shape.columns, shape.slices * shape.terms,
                          shape.stages, shape.slices,
                          shape.slices * shape.countWarps() * warpThreads,
                          shape.blocks,
                          /*isSwizzled=*/true, type}),
        shape(shape), rowTiles(shape.warpRows / mmaRows),
        columnTiles(shape.warpColumns / mmaColumns) {}

private:
  bool keepsTerms(unsigned operand) override { return hasTermsLast(operand); }
  int64_t countSums() override { return rowTiles * columnTiles * sumsPerTile; }
  std::pair<Value, Value> getPlace(int64_t number) override;
  Value getTileRow(Value pass, Value row) override;
  Values endStep(ValueRange sums, Value stage) override;
  Values readMatrices(const Tile &tile, Value stage, int64_t across,
                      int64_t term);
  Values multiplyAdd(ValueRange a, ValueRange b, ValueRange sums);

  Value getLane() { return remainder(thread, index(warpThreads)); }
  Value getSlice() {
    return divide(thread, index(shape.countWarps() * warpThreads));
  }
  /// The number of the warp in its slice, along rows or columns.
  Value getWarpAlong(bool isRow) {
    Value warp = remainder(divide(thread, index(warpThreads)),
                           index(shape.countWarps()));
    Value along = index(shape.getWarpsAlong());
    return isRow ? divide(warp, along) : remainder(warp, along);
  }
  /// Rows of a warp in a pass.
  int64_t getWarpPassRows() { return shape.warpRows / countPasses(); }

  CoreShape shape;
  int64_t rowTiles, columnTiles; ///< of a warp
};
} // namespace

std::pair<Value, Value> TensorCoreTiles::getPlace(int64_t number) {
  int64_t tile = number / sumsPerTile, part = number % sumsPerTile;
  // Four threads have a row of eight columns, two each; and the row 8 further.
  int64_t row =
      tile / columnTiles * mmaRows % getWarpPassRows() + part / 2 * matrixSize;
  int64_t column = tile % columnTiles * mmaColumns + part % 2;
  Value lane = getLane();
  Value firstRow =
      add(multiply(getSlice(), index(getPassRows())),
          multiply(getWarpAlong(/*isRow=*/true), index(getWarpPassRows())));
  Value firstColumn =
      multiply(getWarpAlong(/*isRow=*/false), index(shape.warpColumns));
  return {add(add(firstRow, divide(lane, index(4))), index(row)),
          add(add(firstColumn, multiply(remainder(lane, index(4)), index(2))),
              index(column))};
}

Value TensorCoreTiles::getTileRow(Value pass, Value row) {
  Value ofWarp = index(getWarpPassRows());
  Value first = add(multiply(divide(row, ofWarp), index(shape.warpRows)),
                    multiply(pass, ofWarp));
  return add(first, remainder(row, ofWarp));
}

TensorCoreTiles::Values TensorCoreTiles::readMatrices(const Tile &tile,
                                                      Value stage,
                                                      int64_t across,
                                                      int64_t term) {
  // Threads 8i to 8i + 7 name the rows of matrix i. The next matrix after the
  // first one has other rows of A, but other terms of B.
  Value lane = getLane(), size = index(matrixSize);
  Value inMatrix = remainder(lane, size);
  Value second = remainder(divide(lane, size), index(2));
  Value third = divide(lane, index(2 * matrixSize));
  Value acrossPart = tile.operand == 0 ? second : third;
  Value termPart = tile.operand == 0 ? third : second;
  bool isRow = tile.operand == 0;
  Value warp = multiply(getWarpAlong(isRow),
                        index(isRow ? shape.warpRows : shape.warpColumns));
  Value place = add(warp, add(multiply(acrossPart, size), index(across)));
  Value k = add(multiply(getSlice(), index(shape.terms)),
                add(multiply(termPart, size), index(term)));
  Value row = add(tile.keepsTerms ? place : k, inMatrix);
  SmallVector<Value> at{stage, row,
                        getColumn(tile, row, tile.keepsTerms ? k : place)};
  auto type = VectorType::get({4, 2}, tiling.type);
  Value matrices =
      nvgpu::LdMatrixOp::create(builder, loc, type, tile.shared, at,
                                /*transpose=*/!tile.keepsTerms, /*numTiles=*/4);
  Values registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value pair = vector::ExtractOp::create(builder, loc, matrices, i);
    if (tiling.type.isBF16()) { // mma takes pairs of bf16 as integers
      auto word = VectorType::get({1}, builder.getI32Type());
      pair = vector::BitCastOp::create(builder, loc, word, pair);
      pair = vector::ExtractOp::create(builder, loc, pair, 0);
    }
    registers.push_back(pair);
  }
  return registers;
}

TensorCoreTiles::Values TensorCoreTiles::multiplyAdd(ValueRange a, ValueRange b,
                                                     ValueRange sums) {
  Type f32 = builder.getF32Type();
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               {f32, f32, f32, f32});
  NVVM::MMATypes element =
      tiling.type.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value result = NVVM::MmaOp::create(
      builder, loc, type, a, b, sums,
      ArrayRef<int64_t>{mmaRows, mmaColumns, mmaTerms}, std::nullopt,
      std::nullopt, std::array{element, element},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  Values next;
  for (int64_t i = 0; i < sumsPerTile; ++i)
    next.push_back(LLVM::ExtractValueOp::create(builder, loc, result, i));
  return next;
}

TensorCoreTiles::Values TensorCoreTiles::endStep(ValueRange sums, Value stage) {
  Values all(sums);
  for (int64_t term = 0; term < shape.terms; term += mmaTerms) {
    SmallVector<Values> a, b;
    for (int64_t row = 0; row < shape.warpRows; row += mmaRows)
      a.push_back(readMatrices(tiles[0], stage, row, term));
    for (int64_t column = 0; column < shape.warpColumns;
         column += 2 * mmaColumns) {
      Values both = readMatrices(tiles[1], stage, column, term);
      b.push_back({both[0], both[1]});
      b.push_back({both[2], both[3]});
    }
    for (int64_t row = 0; row < rowTiles; ++row)
      for (int64_t column = 0; column < columnTiles; ++column) {
        auto part = MutableArrayRef(all).slice(
            (row * columnTiles + column) * sumsPerTile, sumsPerTile);
        llvm::copy(multiplyAdd(a[row], b[column], part), part.begin());
      }
  }
  return all;
}

std::unique_ptr<ContractionBlock>
mlir::symshape::makeTensorCoreTiles(OpBuilder &builder, ContractOp op,
                                    const ContractionLoops &loops,
                                    TileSize size) {
  Type type = cast<MemRefType>(op.getLhs().getType()).getElementType();
  CoreShape shape = largeCoreShape;
  if (size == TileSize::Few)
    shape = fewCoreShape;
  else if (size == TileSize::Small)
    shape = smallCoreShape;
  return std::make_unique<TensorCoreTiles>(builder, op, loops, type, shape);
}
