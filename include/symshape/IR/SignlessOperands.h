//===- SignlessOperands.h - Integers that arith takes -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on tensors that are lowered to arith, which takes no integers that say
// whether they have a sign.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SIGNLESSOPERANDS_H
#define SYMSHAPE_IR_SIGNLESSOPERANDS_H

#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::symshape {

/// `signless integers, but got TYPE` where `op` computes with others; empty
/// elsewhere.
std::string describeSignlessOperands(Operation *op);

} // namespace mlir::symshape

#endif // SYMSHAPE_IR_SIGNLESSOPERANDS_H
