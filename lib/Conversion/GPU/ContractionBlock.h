//===- ContractionBlock.h - A contraction in tiles of blocks ----*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels for contractions share, whatever computes the products. Private
// to Conversion.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONBLOCK_H
#define SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONBLOCK_H

#include "Arithmetic.h"
#include "GPU/Kernels.h"
#include "Structure/Contraction.h"
#include "symshape/Conversion/KernelOps.h"

namespace mlir::symshape {

/// A kernel whose blocks compute a tile of the result each. Terms of both
/// operands go through shared memory, a step of some of them at a time, with
/// zeros past their ends, so that no extent is tested in the loop over terms.
/// They are copied while earlier ones are multiplied.
class ContractionBlock : protected Arithmetic {
public:
  virtual ~ContractionBlock() = default;

  /// How many elements of `operand` fit in a copy of 16 bytes, if neighbours in
  /// memory stay neighbours in shared memory; 1 if they do not.
  int64_t getWidth(unsigned operand);

  /// Makes the kernel, in place of the op. `isWide` says of each operand
  /// whether 16 bytes of it are copied at once: all of its rows in memory are a
  /// multiple of that, and begin at one.
  void form(StringRef name, std::array<bool, 2> isWide);

protected:
  using Values = SmallVector<Value>;
  struct Tiling {
    int64_t rows, columns; ///< of the result, per block
    int64_t terms;         ///< per step
    int64_t stages;        ///< steps in shared memory, one less on their way
    int64_t slices; ///< groups of threads, each with its share of the terms
    int64_t threads;
    int64_t blocks;    ///< that a multiprocessor should run at once
    bool isSwizzled;   ///< chunks of a row in shared memory change places, so
                       ///< that those of neighbouring rows are in other banks
    Type type;         ///< of elements in shared memory
    int64_t panel = 0; ///< elements of a row, of which longer ones are cut into
                       ///< panels, one after the other; 0: rows are not cut
    int64_t lag = 0;   ///< steps whose products may not be there when they end
  };

  /// An operand's part of a step in shared memory.
  struct Tile {
    unsigned operand;   ///< its number
    unsigned across;    ///< its loop that is no term: rows or columns
    bool keepsTerms;    ///< a row in shared memory holds neighbouring terms
    int64_t width;      ///< elements that are copied at once
    int64_t acrossSize; ///< rows or columns of the block
    Value origin;       ///< the first of them
    /// Stages x terms x across, or stages x across x terms; with panels, stages
    /// x panels * rows x elements of a panel.
    SmallVector<int64_t> shape;
    Value shared; ///< the memory
  };

  ContractionBlock(OpBuilder &builder, ContractOp op,
                   const ContractionLoops &loops, Tiling tiling)
      : Arithmetic(builder, op.getLoc()), builder(builder), op(op),
        loops(loops), tiling(tiling) {}
  /// Whether terms are next to each other in shared memory.
  virtual bool keepsTerms(unsigned operand) = 0;
  /// Called when what this thread has copied for a step is there, before all
  /// wait for each other.
  virtual void arrive() {}
  /// Begin to add, and add, the products of the step in `stage`; in between,
  /// further steps are sent for.
  virtual Values beginStep(ValueRange sums, Value) { return Values(sums); }
  virtual Values endStep(ValueRange sums, Value stage) = 0;
  /// The sums in their order, after the last step.
  virtual Values finish(ValueRange sums) { return Values(sums); }
  virtual int64_t countSums() = 0;
  /// Sums leave in passes of `getPassRows()` rows, each of as many sums of a
  /// thread, in their order. The row in its pass, and the column in the tile,
  /// of sum `number` of the thread; rows of further slices follow.
  virtual std::pair<Value, Value> getPlace(int64_t number) = 0;
  /// The row in the tile of `row` of a pass.
  virtual Value getTileRow(Value pass, Value row) {
    return add(multiply(pass, index(getPassRows())), row);
  }
  int64_t getPassRows() { return std::min(tiling.rows, mostPassRows); }
  int64_t countPasses() { return tiling.rows / getPassRows(); }
  /// After how many steps sums start again; 0: never.
  virtual int64_t getPartSteps() { return 0; }

  /// True if the terms of `operand` are next to each other in memory.
  bool hasTermsLast(unsigned operand) {
    return isLastDim(operand, loops.reductions.back());
  }

  /// The place of `column`, or of the chunk of 16 bytes that begins there, in
  /// `row` of a tile in shared memory, which is no panel.
  Value getColumn(const Tile &tile, Value row, Value column);

  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
  Value remainder(Value lhs, Value rhs) {
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  }

  OpBuilder &builder;
  ContractOp op;
  const ContractionLoops &loops;
  Tiling tiling;
  Value thread;
  SmallVector<Tile> tiles; ///< of both operands

private:
  static constexpr int64_t mostPassRows = 64;

  bool isLastDim(unsigned operand, unsigned loop);
  Value countTiles(Value size, int64_t tile);
  Value countBlocks();
  void enterBlock(Value block);
  /// Sets the outer terms of a step; returns the first inner one.
  Value enterStep(Value step);
  Value countSteps();
  Tile makeTile(unsigned operand, bool isWide);
  void makeShared(gpu::LaunchOp launch);
  void copyStep(Value step, Value stage);
  SmallVector<Value> getSharedPlace(const Tile &tile, Value stage, Value place,
                                    Value term);
  void copyTile(const Tile &tile, Value stage, Value firstTerm);
  Values addSteps(Value begin, Value end, ValueRange sums);
  Values addAll();
  void storeSums(ValueRange sums);
  void storePass(Value pass);
  Value isBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::ult, lhs, rhs);
  }

  SmallVector<Value> sizes, ivs; ///< per loop
  Value firstRow, firstColumn;
  Value staging; ///< of a pass
};

/// How many sums a block has: for few rows, or few results in all; for many;
/// for so many that whole multiprocessors are filled several times.
enum class TileSize { Few, Small, Large, Wide };

/// For sums of `f32`, of any two types of floats. `isWide` is as in `form`.
std::unique_ptr<ContractionBlock> makeFloatTiles(OpBuilder &builder,
                                                 ContractOp op,
                                                 const ContractionLoops &loops,
                                                 TileSize size, bool isWide);

/// For products of two `bf16` or two `f16`, by tensor cores, added up in `f32`.
std::unique_ptr<ContractionBlock>
makeTensorCoreTiles(OpBuilder &builder, ContractOp op,
                    const ContractionLoops &loops, TileSize size);

/// The same for GPUs with `wgmma`, of sizes `Large` and `Wide`, if both
/// operands are copied 16 bytes at a time.
std::unique_ptr<ContractionBlock>
makeWarpgroupTiles(OpBuilder &builder, ContractOp op,
                   const ContractionLoops &loops, TileSize size);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_CONVERSION_GPU_CONTRACTIONBLOCK_H
