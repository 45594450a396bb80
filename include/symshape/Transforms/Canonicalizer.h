//===- Canonicalizer.h - Canonicalization that is sound ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some patterns and folders of MLIR 22 change what a program computes, or the
// extents that the analysis has found. Pipelines and passes of ours that use
// patterns of upstream apply them through these functions, which leave out what
// is wrong, op by op. docs/Rationale/UpstreamPatterns.md says what was
// examined.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_CANONICALIZER_H
#define SYMSHAPE_TRANSFORMS_CANONICALIZER_H

#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::symshape {

/// Applies `patterns`, and folders, where they are sound, until nothing
/// changes, in programs of any length.
void applySoundPatterns(Operation *op, RewritePatternSet &&patterns,
                        GreedyRewriteConfig config = {});

/// The same for `ops` alone, not for what is made of them.
void applySoundPatterns(ArrayRef<Operation *> ops,
                        RewritePatternSet &&patterns);

/// How often these have looked at an op, on this thread, so far.
uint64_t countRewriteSteps();

/// A partial conversion by `patterns` alone: the driver would ask folders
/// first.
LogicalResult applySoundConversion(Operation *op,
                                   const ConversionTarget &target,
                                   const FrozenRewritePatternSet &patterns);

/// Whether upstream's fusion of elementwise ops keeps what they compute if the
/// op that makes `fused` is computed inside the op that reads it. For every
/// caller of it to ask: it decides by operand, not by op.
bool mayFuse(OpOperand &fused);

/// The canonicalization patterns of all loaded dialects and their ops.
RewritePatternSet getCanonicalizationPatterns(MLIRContext *context);

/// The class of a pattern without namespaces and template arguments; empty for
/// one that is a function.
StringRef getClassName(const Pattern &pattern);

/// Cuts a narrowing `arith.index_cast` or `arith.index_castui` in two: upstream
/// takes a pair of such casts, there and back, for the first value, although
/// bits are lost between them. It leaves a `trunci` alone. Call this before
/// anything is decided from values; no later pass then undoes the casts.
/// Returns whether there were any.
bool splitNarrowingCasts(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_CANONICALIZER_H
