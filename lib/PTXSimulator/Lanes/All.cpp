//===- All.cpp - All that the lanes of a warp can do ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of families.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace mlir::symshape::ptx;

void SYMSHAPE_PTX_LANES::addAll(HandlerTable &table) {
  addIntegers(table);
  addBits(table);
  addFloats(table);
  addRoundedFloats(table);
  addApproximations(table);
  addHalves(table);
  addComparisons(table);
  addConversions(table);
  addMoves(table);
  addAccesses(table);
  addAtomics(table);
  addExchanges(table);
  addMatrices(table);
  addCopies(table);
  addWarpgroups(table);
}

#include "EndOfLanes.h"
