//===- TMTensorOps.h - What exports of torch-mlir hold ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect `tm_tensor`, which is read so that programs of torch-mlir are,
// and becomes other ops before anything looks at it. Not for: making such
// programs.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_TMTENSOROPS_H
#define SYMSHAPE_CONVERSION_TMTENSOROPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "symshape/Conversion/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "symshape/Conversion/TMTensorOps.h.inc"

namespace mlir::symshape {

/// Replaces the ops of `tm_tensor` in `root` by others, and asserts what they
/// require of extents. An error where one cannot be replaced. Costs nothing if
/// there are none.
LogicalResult lowerTMTensor(Operation *root);

} // namespace mlir::symshape

#endif // SYMSHAPE_CONVERSION_TMTENSOROPS_H
