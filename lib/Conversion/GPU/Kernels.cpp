//===- Kernels.cpp - Kernels while they are formed ------------------------===//
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

#include "GPU/Kernels.h"

#include "Loops.h"

using namespace mlir;
using namespace mlir::symshape;

gpu::LaunchOp mlir::symshape::beginKernel(OpBuilder &builder, Location loc,
                                          StringRef name, Value blocks,
                                          int64_t threads) {
  Value one = makeIndex(builder, loc, 1);
  auto launch =
      gpu::LaunchOp::create(builder, loc, blocks, one, one,
                            makeIndex(builder, loc, threads), one, one);
  launch->setAttr(kernelNameAttr, builder.getStringAttr(name));
  builder.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}
