//===- CPUTile.cpp - Register tiles of CPUs -------------------------------===//
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

#include "symshape/Conversion/CPUTile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::symshape;

#include "symshape/Conversion/CPUDialect.cpp.inc"
#include "symshape/Conversion/CPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "symshape/Conversion/CPUAttrs.cpp.inc"

void SymShapeCPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "symshape/Conversion/CPUAttrs.cpp.inc"
      >();
}

bool TileAttr::isPacked() const {
  return getPacking() != Packing::ByPanel && getPacking() != Packing::InPlace;
}

int64_t symshape::getTileRows(int64_t registers, int64_t vectors, bool fma) {
  int64_t rows = (registers - vectors - (fma ? 1 : 2)) / vectors;
  return std::clamp<int64_t>(rows, 1, 14);
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, int64_t lanes,
                               int64_t streams, Packing packing,
                               int64_t group) {
  // C1
  if (rows < 1 || streams < 1 || lanes < 1 || columns < 1 || columns % lanes)
    return emitError() << "expected a tile of whole vectors, but got " << rows
                       << " rows of " << columns << " columns in vectors of "
                       << lanes << ", and " << streams << " streams";
  if (group != 1 && group != 2 && (group != 4 || packing == Packing::ByPanel))
    return emitError()
           << "expected groups of 1 or 2 terms, or of 4 of a packed "
              "operand, but got "
           << group;
  return success();
}
