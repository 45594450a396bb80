//===- LowerWinograd.cpp - Convolutions by patches ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each contraction with transformed weights: a test of its extents, and for
// those at which Winograd's algorithm pays, loops over blocks of rows of
// patches. In a block: rows of the image are copied and transformed, one
// function multiplies all its patches, rows of the result are transformed
// back and get what is fused. Not for: what the
// functions do (WinogradFunctions).
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/Passes.h"

#include "Arithmetic.h"
#include "ContractionKernel.h"
#include "Structure/Loops.h"
#include "Winograd.h"
#include "WinogradFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_LOWERWINOGRADPASS
#include "symshape/Conversion/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::winograd;

/// Blocks of patches of which each thread gets some.
static constexpr int64_t leastShared = 4;

namespace {
class WinogradLowering : Arithmetic {
public:
  WinogradLowering(IRRewriter &rewriter, ContractOp op, int64_t cacheBytes,
                   bool parallel)
      : Arithmetic(rewriter, op.getLoc()), rewriter(rewriter), op(op),
        module(op->getParentOfType<ModuleOp>()), cacheBytes(cacheBytes),
        parallel(parallel) {
    auto weights = cast<MemRefType>(op.getTransformed().getType());
    channels = weights.getDimSize(3);
    features = cast<MemRefType>(op.getInit().getType()).getDimSize(3);
  }
  void lower();

private:
  /// Buffers of a block of patches.
  struct Buffers {
    Value rows;     ///< [6, columns, channels] of the image
    Value patches;  ///< [6, 6, patches, channels]
    Value products; ///< [6, 6, patches, features]
    Value results;  ///< [4, columns, features]
  };

  Value findIfFaster();
  void lowerBlocks();
  Buffers allocate();
  void lowerBlock(const Buffers &buffers, Value firstRow);
  void gather(const Buffers &buffers, Value row, Value slot);
  void multiplyPatches(const Buffers &buffers, Value rows);
  void scatter(const Buffers &buffers, Value row, Value slot);
  void applyRegion(Value results, Value image, Value first, Value rows);
  void loop(Value end, function_ref<void(Value)> body) {
    makeLoop(rewriter, loc, index(0), end, index(1), {},
             [&](Value position, ValueRange) {
               body(position);
               return SmallVector<Value>();
             });
  }
  /// The image of a row of patches, and the first row of its results there.
  std::pair<Value, Value> locate(Value row) {
    Value image = arith::DivUIOp::create(rewriter, loc, row, down);
    Value inImage = arith::RemUIOp::create(rewriter, loc, row, down);
    return {image, multiplyIndices(inImage, index(outputSize))};
  }
  Value times(Value number, int64_t factor) {
    return multiply(number, index(factor));
  }
  Value allocateFloats(ArrayRef<int64_t> shape, ValueRange sizes) {
    return memref::AllocOp::create(
        rewriter, loc, MemRefType::get(shape, rewriter.getF32Type()), sizes,
        rewriter.getI64IntegerAttr(64));
  }
  /// A part of `buffer` without its dimensions of which `sizes` says 1.
  Value view(Value buffer, ArrayRef<OpFoldResult> offsets,
             ArrayRef<OpFoldResult> sizes);
  /// The patches of the row of patches at `slot` in a block.
  Value viewSlot(Value buffer, Value slot, int64_t last);
  /// Buffers are cast to the types that the function takes.
  void call(func::FuncOp function, ArrayRef<Value> arguments) {
    SmallVector<Value> operands;
    for (auto [type, value] :
         llvm::zip_equal(function.getArgumentTypes(), arguments))
      operands.push_back(
          type == value.getType()
              ? value
              : memref::CastOp::create(rewriter, loc, type, value).getResult());
    func::CallOp::create(rewriter, loc, function, operands);
  }
  OpFoldResult number(int64_t value) { return rewriter.getIndexAttr(value); }

  IRRewriter &rewriter;
  ContractOp op;
  ModuleOp module;
  int64_t cacheBytes;
  bool parallel;
  int64_t channels, features;
  Value images, height, width; ///< of the result
  Value down, across;          ///< patches of an image
  Value blockRows;             ///< rows of patches in a block
};
} // namespace

Value WinogradLowering::view(Value buffer, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> steps(offsets.size(), number(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    if (!isOneInteger(size))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, sizes, steps));
  return memref::SubViewOp::create(rewriter, loc, type, buffer, offsets, sizes,
                                   steps);
}

Value WinogradLowering::viewSlot(Value buffer, Value slot, int64_t last) {
  return view(buffer,
              {number(0), number(0), multiplyIndices(slot, across), number(0)},
              {number(patchSize), number(patchSize), across, number(last)});
}

Value WinogradLowering::findIfFaster() {
  Costs costs(channels, features, findTile(op).getRows());
  Value rows = multiply(images, height);
  Value patches = multiply(multiply(images, down), across);
  Value tiles =
      multiply(rows, ceilDivide(width, index(findTile(op).getRows())));
  return compare(arith::CmpIPredicate::ult,
                 add(times(patches, costs.perPatch), index(costs.perCall)),
                 times(tiles, costs.perTile));
}

WinogradLowering::Buffers WinogradLowering::allocate() {
  Value columns = times(across, outputSize);
  Value patches = multiply(blockRows, across);
  constexpr int64_t any = ShapedType::kDynamic;
  Buffers buffers;
  buffers.rows = allocateFloats({patchSize, any, channels},
                                add(columns, index(patchSize - outputSize)));
  buffers.patches =
      allocateFloats({patchSize, patchSize, any, channels}, patches);
  buffers.products =
      allocateFloats({patchSize, patchSize, any, features}, patches);
  buffers.results = allocateFloats({outputSize, any, features}, columns);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
  // Columns past the image stay zero.
  linalg::FillOp::create(rewriter, loc, zero, buffers.rows);
  return buffers;
}

/// A row of patches.
void WinogradLowering::gather(const Buffers &buffers, Value row, Value slot) {
  auto [image, first] = locate(row);
  constexpr int64_t border = kernelSize - 1;
  Value rows =
      minimum(index(patchSize), subtract(add(height, index(border)), first));
  Value length = times(add(width, index(border)), channels);
  Value source =
      view(op.getLhs(), {image, first, number(0)}, {number(1), rows, length});
  call(getInputFunction(module),
       {source, buffers.rows, viewSlot(buffers.patches, slot, channels)});
}

/// All products of a block of `rows` rows of patches.
void WinogradLowering::multiplyPatches(const Buffers &buffers, Value rows) {
  Value patches = multiplyIndices(rows, across);
  auto part = [&](Value buffer, int64_t last) {
    return view(buffer, SmallVector<OpFoldResult>(4, number(0)),
                {number(patchSize), number(patchSize), patches, number(last)});
  };
  call(getProductFunction(module, findTile(op)),
       {part(buffers.patches, channels), op.getTransformed(),
        part(buffers.products, features), rows, across, index(channels),
        index(features)});
}

/// Transforms a row of products back, and writes what is inside the result.
void WinogradLowering::scatter(const Buffers &buffers, Value row, Value slot) {
  call(getOutputFunction(module),
       {viewSlot(buffers.products, slot, features), buffers.results});
  auto [image, first] = locate(row);
  Value rows = minimum(index(outputSize), subtract(height, first));
  applyRegion(buffers.results, image, first, rows);
}

/// The region of the contraction on `rows` rows of one image.
void WinogradLowering::applyRegion(Value results, Value image, Value first,
                                   Value rows) {
  // Where the loops of the contraction are, and how far they go.
  AffineMap map = op.getInitMap();
  DenseMap<unsigned, unsigned> positionOf;
  for (unsigned position = 0; position < 4; ++position)
    positionOf[map.getDimPosition(position)] = position;
  OpFoldResult offsets[] = {image, first, number(0), number(0)};
  OpFoldResult sizes[] = {number(1), rows, width, number(features)};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto part = [&](Value buffer, AffineMap map) {
    SmallVector<OpFoldResult> begin, size;
    SmallVector<AffineExpr> read;
    for (AffineExpr expr : map.getResults()) {
      unsigned position =
          positionOf.lookup(cast<AffineDimExpr>(expr).getPosition());
      begin.push_back(offsets[position]);
      size.push_back(sizes[position]);
      if (position > 0)
        read.push_back(rewriter.getAffineDimExpr(position - 1));
    }
    maps.push_back(AffineMap::get(3, 0, read, op.getContext()));
    return begin.empty() ? buffer : view(buffer, begin, size);
  };
  for (auto [number, other] : llvm::enumerate(op.getOthers()))
    inputs.push_back(part(other, op.getMap(2 + number)));
  inputs.push_back(view(results, SmallVector<OpFoldResult>(3, number(0)),
                        {rows, width, number(features)}));
  maps.push_back(rewriter.getMultiDimIdentityMap(3));
  Value target = part(op.getInit(), map);
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      rewriter, loc, TypeRange(), inputs, target, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        unsigned numOthers = op.getOthers().size();
        Value result = cloneContractionRegion(builder, op, arguments[numOthers],
                                              arguments.take_front(numOthers));
        linalg::YieldOp::create(builder, loc, result);
      });
}

void WinogradLowering::lowerBlock(const Buffers &buffers, Value firstRow) {
  Value all = multiply(images, down);
  Value rows = minimum(blockRows, subtract(all, firstRow));
  auto forEachRow = [&](auto visit) {
    loop(rows, [&](Value slot) {
      (this->*visit)(buffers, addIndices(firstRow, slot), slot);
    });
  };
  forEachRow(&WinogradLowering::gather);
  multiplyPatches(buffers, rows);
  forEachRow(&WinogradLowering::scatter);
}

void WinogradLowering::lowerBlocks() {
  // Patches that fill some tiles, and stay in the cache with their products.
  int64_t tileRows = findTile(op).getRows();
  int64_t perPatch = patchSize * patchSize * 4 * (channels + features);
  int64_t patches =
      std::clamp(cacheBytes / 2 / perPatch, 2 * tileRows, 16 * tileRows);
  Value all = multiply(images, down);
  blockRows = minimum(ceilDivide(index(patches), across), all);
  Value blocks = ceilDivide(all, blockRows);
  if (!parallel) {
    Buffers buffers = allocate();
    return loop(blocks, [&](Value block) {
      lowerBlock(buffers, multiplyIndices(block, blockRows));
    });
  }
  // A few blocks are too coarse to share: they come one after the other, and
  // threads share the products of each.
  Value isFew = compare(arith::CmpIPredicate::ult, blocks, index(leastShared));
  Value perPiece = select(isFew, blocks, index(1));
  auto loop = scf::ParallelOp::create(rewriter, loc, ValueRange{index(0)},
                                      ValueRange{ceilDivide(blocks, perPiece)},
                                      ValueRange{index(1)});
  rewriter.setInsertionPointToStart(loop.getBody());
  Buffers buffers = allocate();
  Value first = multiplyIndices(loop.getInductionVars().front(), perPiece);
  this->loop(perPiece, [&](Value block) {
    lowerBlock(buffers, multiplyIndices(addIndices(first, block), blockRows));
  });
}

void WinogradLowering::lower() {
  rewriter.setInsertionPoint(op);
  auto getSize = [&](unsigned position) -> Value {
    return memref::DimOp::create(rewriter, loc, op.getInit(), position);
  };
  images = getSize(0);
  height = getSize(1);
  width = getSize(2);
  down = ceilDivide(height, index(outputSize));
  across = ceilDivide(width, index(outputSize));
  auto branch = scf::IfOp::create(rewriter, loc, findIfFaster(),
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  lowerBlocks();
  rewriter.moveOpBefore(op, branch.elseBlock(), branch.elseBlock()->begin());
  op.getTransformedMutable().clear();
}

namespace {
struct LowerWinogradPass
    : symshape::impl::LowerWinogradPassBase<LowerWinogradPass> {
  using LowerWinogradPassBase::LowerWinogradPassBase;

  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      if (op.getTransformed() && findTile(op) && op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (ContractOp op : ops)
      WinogradLowering(rewriter, op, cacheBytes, parallel).lower();
  }
};
} // namespace
