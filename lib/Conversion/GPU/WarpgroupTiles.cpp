//===- WarpgroupTiles.cpp - Contractions of bf16 and f16 by four warps ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums by wgmma, which only sm_90a has: four warps compute 64 rows, and read
// both operands from shared memory, asynchronous to what they do meanwhile. An
// operand lies in rows of 128 bytes whose chunks are swizzled, so that
// neighbours in memory stay neighbours: 64 terms of a row or column, or 64 rows
// or columns of a term. Layouts, descriptors, and which thread has which sum:
// PTX ISA 8.8, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Operation".
//
// The products of a step, and the wait for them, are written as assembly, with
// all sums as operands that are read and written: no code can touch a sum, and
// none is moved to another register, while products are under way.
//
//===----------------------------------------------------------------------===//

#include "GPU/ContractionBlock.h"
#include "GPU/Kernels.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr int64_t groupWarps = 4, groupRows = 64;
static constexpr int64_t productTerms = 16; ///< of an instruction
static constexpr int64_t stepTerms = 64;    ///< 128 bytes
static constexpr int64_t bytesOfElement = 2;
/// Rows of 128 bytes: eight of them are a pattern.
static constexpr int64_t patternRowBytes = 128, patternBytes = 1024;

namespace {
/// How a block's sums are shared out.
struct GroupShape {
  int64_t rows, columns; ///< of a block, and columns of a group of warps
  int64_t stages;        ///< in shared memory
  int64_t lag;           ///< steps whose products run behind
  int64_t blocks;        ///< of a multiprocessor
};

/// A multiprocessor has 227 KB of shared memory for its blocks: two with 96 KB,
/// of which one computes while the other one waits or stores, or one with 192
/// KB, which reads less of it for a product.
constexpr GroupShape groupShape = {128, 128, 3, 0, 2};
constexpr GroupShape wideGroupShape = {128, 256, 4, 1, 1};

class WarpgroupTiles : public ContractionBlock {
public:
  WarpgroupTiles(OpBuilder &builder, ContractOp op,
                 const ContractionLoops &loops, Type type, GroupShape shape)
      : ContractionBlock(builder, op, loops, makeTiling(type, shape)),
        shape(shape) {}

private:
  static Tiling makeTiling(Type type, GroupShape shape) {
    Tiling tiling = {
        shape.rows,          shape.columns,
        stepTerms,           shape.stages,
        /*slices=*/1,        shape.rows / groupRows * groupWarps * warpThreads,
        shape.blocks,
        /*isSwizzled=*/true, type};
    tiling.panel = patternRowBytes / bytesOfElement;
    tiling.lag = shape.lag;
    return tiling;
  }
  bool keepsTerms(unsigned operand) override { return hasTermsLast(operand); }
  int64_t countSums() override { return shape.columns / 2; }
  std::pair<Value, Value> getPlace(int64_t number) override;
  Value getTileRow(Value pass, Value row) override;
  void arrive() override;
  Values beginStep(ValueRange sums, Value stage) override;
  Values endStep(ValueRange sums, Value) override {
    return wait(sums, shape.lag);
  }
  Values finish(ValueRange sums) override;
  Values wait(ValueRange sums, int64_t rest);
  Values assemble(const std::string &text, ValueRange sums, ValueRange others);
  Value makeDescriptor(const Tile &tile, Value stage);
  std::string writeProduct(int64_t number);

  Value getGroup() { return divide(thread, index(groupWarps * warpThreads)); }
  /// The register of sum `number`. A thread has sums of two rows; a pass stores
  /// those of one, so they come one after the other.
  int64_t getRegister(int64_t number) {
    int64_t ofPass = countSums() / 2, inPass = number % ofPass;
    return inPass / 2 * 4 + number / ofPass * 2 + inPass % 2;
  }

  GroupShape shape;
};
} // namespace

/// Rows of a warp in a pass: a thread has two, eight apart, one in each.
static constexpr int64_t warpPassRows = 8;

std::pair<Value, Value> WarpgroupTiles::getPlace(int64_t number) {
  int64_t inPass = number % (countSums() / 2);
  Value lane = remainder(thread, index(warpThreads));
  Value row =
      add(multiply(divide(thread, index(warpThreads)), index(warpPassRows)),
          divide(lane, index(4)));
  Value column = add(multiply(remainder(lane, index(4)), index(2)),
                     index(inPass / 2 * 8 + inPass % 2));
  return {row, column};
}

Value WarpgroupTiles::getTileRow(Value pass, Value row) {
  Value warp = divide(row, index(warpPassRows));
  return add(add(multiply(warp, index(2 * warpPassRows)),
                 multiply(pass, index(warpPassRows))),
             remainder(row, index(warpPassRows)));
}

/// What this thread has copied becomes known to the unit that multiplies.
void WarpgroupTiles::arrive() {
  NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// Assembly that reads and writes the sums, its first operands; then `others`,
/// of 64 bits.
WarpgroupTiles::Values WarpgroupTiles::assemble(const std::string &text,
                                                ValueRange sums,
                                                ValueRange others) {
  std::string constraints;
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < others.size(); ++i)
    constraints += "l,";
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  SmallVector<Type> types(sums.size(), builder.getF32Type());
  auto all = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Values operands(others);
  llvm::append_range(operands, sums);
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, all, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  Values next;
  for (size_t i = 0; i < sums.size(); ++i)
    next.push_back(LLVM::ExtractValueOp::create(builder, loc, assembly.getRes(),
                                                static_cast<int64_t>(i)));
  return next;
}

/// An operand's part of a step, for this group of warps: the address, and how
/// far apart 64 rows or columns (if terms are not neighbours) and eight rows of
/// 128 bytes are, all in units of 16 bytes.
Value WarpgroupTiles::makeDescriptor(const Tile &tile, Value stage) {
  int64_t bytes = tile.acrossSize * stepTerms * bytesOfElement;
  static constexpr int64_t panelBytes = stepTerms * patternRowBytes;
  static_assert(panelBytes == groupRows * patternRowBytes,
                "a group's rows are a panel in either layout");
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, tile.shared);
  address = add(address, multiply(stage, index(bytes)));
  if (tile.operand == 0)
    address = add(address, multiply(getGroup(), index(panelBytes)));
  Value units = divide(address, index(chunkBytes));
  units = remainder(units, index(1 << 14));
  static constexpr int64_t swizzled128 = 1;
  int64_t leading = tile.keepsTerms ? chunkBytes : panelBytes; // or not read
  uint64_t rest = uint64_t(leading / chunkBytes) << 16 |
                  uint64_t(patternBytes / chunkBytes) << 32 |
                  uint64_t(swizzled128) << 62;
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(int64_t(rest)));
  units = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), units);
  return arith::OrIOp::create(builder, loc, units, constant);
}

/// Instruction `number` of a step. Its descriptors are operands after the sums.
std::string WarpgroupTiles::writeProduct(int64_t number) {
  int64_t sums = countSums();
  std::string type = tiling.type.isBF16() ? "bf16" : "f16", text;
  text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(shape.columns) +
         "k16.f32." + type + "." + type + " {";
  for (int64_t i = 0; i < sums; ++i)
    text += (i ? ", $" : "$") + std::to_string(i);
  text += "}";
  for (int64_t operand : {0, 1})
    text += ", $" + std::to_string(sums + 2 * number + operand);
  text += ", p, 1, 1";
  for (const Tile &tile : tiles)
    text += tile.keepsTerms ? ", 0" : ", 1";
  return text + ";\n";
}

WarpgroupTiles::Values WarpgroupTiles::beginStep(ValueRange sums, Value stage) {
  std::string text = "{\n.reg .pred p;\nsetp.eq.u32 p, 1, 1;\n"
                     "wgmma.fence.sync.aligned;\n";
  Values descriptors{makeDescriptor(tiles[0], stage),
                     makeDescriptor(tiles[1], stage)};
  Values all;
  for (int64_t term = 0; term < stepTerms; term += productTerms) {
    text += writeProduct(term / productTerms);
    for (auto [tile, descriptor] : llvm::zip(tiles, descriptors)) {
      int64_t bytes =
          term * (tile.keepsTerms ? bytesOfElement : patternRowBytes);
      Value further = arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(bytes / chunkBytes));
      all.push_back(arith::AddIOp::create(builder, loc, descriptor, further));
    }
  }
  return assemble(text + "wgmma.commit_group.sync.aligned;\n}", sums, all);
}

/// Waits for the products of all steps but the last `rest`.
WarpgroupTiles::Values WarpgroupTiles::wait(ValueRange sums, int64_t rest) {
  return assemble("wgmma.wait_group.sync.aligned " + std::to_string(rest) + ";",
                  sums, {});
}

WarpgroupTiles::Values WarpgroupTiles::finish(ValueRange sums) {
  Values done = shape.lag ? wait(sums, 0) : Values(sums), ordered;
  for (int64_t number = 0; number < countSums(); ++number)
    ordered.push_back(done[getRegister(number)]);
  return ordered;
}

std::unique_ptr<ContractionBlock>
mlir::symshape::makeWarpgroupTiles(OpBuilder &builder, ContractOp op,
                                   const ContractionLoops &loops,
                                   TileSize size) {
  Type type = cast<MemRefType>(op.getLhs().getType()).getElementType();
  return std::make_unique<WarpgroupTiles>(
      builder, op, loops, type,
      size == TileSize::Wide ? wideGroupShape : groupShape);
}
