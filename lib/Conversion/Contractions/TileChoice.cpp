//===- TileChoice.cpp - How a contraction is to run -----------------------===//
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

#include "TileChoice.h"

#include "ContractionKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::symshape;

Operation *symshape::findPlaceOutside(Operation *op, Value value) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(value))
      break;
    op = loop;
  }
  return op;
}

/// Two vectors of columns; three if that is known to leave less of the last
/// panel empty, by a sixteenth of the work or more.
static int64_t choosePackedColumns(int64_t columns, int64_t columnsDivisor,
                                   int64_t lanes) {
  if (ShapedType::isDynamic(columns)) {
    bool isThrice = columnsDivisor % (3 * lanes) == 0;
    return columnsDivisor % (2 * lanes) != 0 && isThrice ? 3 * lanes
                                                         : 2 * lanes;
  }
  if (columns <= lanes)
    return lanes;
  int64_t inTwo = llvm::alignTo(columns, 2 * lanes);
  int64_t inThree = llvm::alignTo(columns, 3 * lanes);
  return 16 * inThree <= 15 * inTwo ? 3 * lanes : 2 * lanes;
}

static Packing choosePacking(const ContractionMatch &match, Operation *place,
                             bool isPrepared) {
  if (isPrepared && isa<func::FuncOp>(place->getParentOp()))
    return Packing::BeforeCall;
  if (place != match.op)
    return Packing::BeforeLoop;
  // A block of rows that a thread computes. In order, the operand would be
  // packed before the loop over blocks; the same tiles give the same sums.
  if (match.op->getParentOfType<scf::ForallOp>())
    return Packing::InCall;
  unsigned last = match.bMap.getDimPosition(match.bMap.getNumResults() - 1);
  return last == match.loops.column ? Packing::ByPanel : Packing::InCall;
}

/// Half of the registers hold a factor for each of two rows and a stream.
static int64_t countStreams(const TileRegisters &registers) {
  return std::max<int64_t>(registers.registers / 4, 1);
}

TileAttr symshape::chooseUniformTile(const ContractionMatch &match,
                                     const TileRegisters &registers) {
  int64_t lanes = registers.getLanes(match.sumType);
  return TileAttr::get(match.op->getContext(),
                       getTileRows(registers.registers, 2, registers.fma),
                       2 * lanes, lanes, countStreams(registers),
                       Packing::ByPanel, /*group=*/1);
}

/// How many terms an instruction takes. Where panels are copied as they are
/// needed, only neighbours along the innermost sum can be grouped.
static int64_t chooseGroup(const ContractionMatch &match,
                           const TileRegisters &registers, Packing packing) {
  if (registers.dotProducts && match.isDotProduct)
    return 4;
  bool isPair = registers.bfloatProducts && match.isBFloatProduct &&
                (packing != Packing::ByPanel ||
                 findGroupedLoop(match) == match.loops.reductions.back());
  return isPair ? 2 : 1;
}

/// Whether the only sum runs along the last dimension of both operands.
static bool areTermsNeighbours(const ContractionMatch &match) {
  if (match.loops.reductions.size() != 1)
    return false;
  AffineExpr sum =
      getAffineDimExpr(match.loops.reductions.front(), match.op->getContext());
  auto endsWith = [&](AffineMap map) {
    return map.getNumResults() > 0 && map.getResults().back() == sum;
  };
  return match.aMap.isProjectedPermutation() && endsWith(match.aMap) &&
         endsWith(match.bMap);
}

/// As many rows as there are registers for, beside a vector of each column of a
/// group and one of a row.
static TileAttr chooseTileInPlace(const ContractionMatch &match,
                                  const TileRegisters &registers, int64_t lanes,
                                  int64_t group) {
  int64_t rows = registers.registers / dotColumns - 2;
  return TileAttr::get(match.op->getContext(),
                       std::clamp<int64_t>(rows, 1, maxDotRows), 2 * lanes,
                       lanes, countStreams(registers), Packing::InPlace, group);
}

TileChoice symshape::chooseTile(const ContractionMatch &match,
                                const TileRegisters &registers, bool isPrepared,
                                int64_t columnsDivisor) {
  Operation *place = findPlaceOutside(match.op, match.b);
  Packing packing = choosePacking(match, place, isPrepared);
  int64_t group = chooseGroup(match, registers, packing);
  if (group == 4 && packing == Packing::ByPanel)
    packing = Packing::InCall;
  int64_t lanes = registers.getLanes(match.sumType);
  int64_t columns = 2 * lanes;
  if (packing != Packing::ByPanel) {
    auto position = match.bMap.getResultPosition(
        getAffineDimExpr(match.loops.column, match.op->getContext()));
    columns = choosePackedColumns(
        cast<ShapedType>(match.b.getType()).getDimSize(*position),
        columnsDivisor, lanes);
  }
  int64_t rows = getTileRows(registers.registers, columns / lanes,
                             registers.fma || group > 1);
  TileChoice choice{TileAttr::get(match.op->getContext(), rows, columns, lanes,
                                  countStreams(registers), packing, group),
                    place};
  bool isAlone =
      packing == Packing::InCall && !match.op->getParentOfType<scf::ForallOp>();
  if ((isAlone || packing == Packing::BeforeLoop) && areTermsNeighbours(match))
    choice.inPlace = chooseTileInPlace(match, registers, lanes, group);
  return choice;
}
