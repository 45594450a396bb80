//===- PassedRanges.h - What branches pass to blocks -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of the scalar arguments of blocks. Private to Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_ANALYSIS_PASSEDRANGES_H
#define SYMSHAPE_LIB_ANALYSIS_PASSEDRANGES_H

#include "mlir/IR/Block.h"
#include "symshape/Constraints/ConstraintSet.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::symshape {

/// What branches pass to the arguments of blocks, of blocks that were visited.
class PassedRanges {
public:
  /// Notes what the branches of a block pass on; `infoOf` is what is known of a
  /// scalar there.
  void note(Block &block, llvm::function_ref<SymbolInfo(Value)> infoOf);
  /// What holds of the argument; nullopt unless all branches to its block were
  /// noted.
  std::optional<SymbolInfo> infoOf(BlockArgument argument) const;

private:
  struct Passed {
    SymbolInfo info;
    unsigned count = 0;     ///< branches
    bool isReached = false; ///< by one of them; `info` is of those
  };
  static void join(Passed &known, const SymbolInfo &info);

  llvm::DenseMap<Value, Passed> passed;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_LIB_ANALYSIS_PASSEDRANGES_H
