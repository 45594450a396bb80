//===- OpRanges.h - Ranges of integers, op by op ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What single ops make of ranges, where upstream's model is wrong or missing.
// Private to Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_OPRANGES_H
#define SYMSHAPE_LIB_ANALYSIS_OPRANGES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "symshape/Constraints/Range.h"

namespace mlir::symshape {

/// The range of an operand.
using RangeLookup = llvm::function_ref<ConstantIntRanges(Value)>;

/// Whether the range of such a value is kept: a scalar, or the elements of a
/// vector, of at most 64 bits.
bool hasIntegerRange(Value value);

/// All that the type of `value` can hold.
ConstantIntRanges wholeRange(Value value);

/// The range as signed numbers. The unsigned ends say more where both are
/// numbers of one sign.
Range signedRange(const ConstantIntRanges &range);

/// Those numbers of `range` that fit the type of `value`; all that it can hold
/// if none do.
ConstantIntRanges typedRange(Value value, Range range);

/// Whether upstream's model of the op gives ranges that are wrong for some
/// operands: of signed divisions that round up or down, MLIR 22 has -32768
/// ceildivsi 11 as 2978; of maps, it takes each sum inside for one that does
/// not wrap, though the map is the same function without that sum.
bool isRangeWrong(Operation *op);

/// Of the result of such an op, and of the least or largest of several maps;
/// nullopt for others.
std::optional<ConstantIntRanges> exactRange(Operation *op, RangeLookup of);

/// Of a counter from the largest of the results of `lower` on, below the least
/// of those of `upper`, which fit 64 bits. May be empty.
Range counterRange(AffineMap lower, ValueRange lowerOperands, AffineMap upper,
                   ValueRange upperOperands, RangeLookup of);

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_OPRANGES_H
