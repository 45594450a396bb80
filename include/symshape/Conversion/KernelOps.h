//===- KernelOps.h - Kernels before a target is chosen ----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect in which all lowerings write down the contractions they form.
// Not for: programs; a consumer of the dialect `symshape` needs none of it.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_KERNELOPS_H
#define SYMSHAPE_CONVERSION_KERNELOPS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "symshape/IR/SymShape.h"

#include "symshape/Conversion/KernelDialect.h.inc"
#include "symshape/Conversion/KernelInterfaces.h.inc"

#define GET_OP_CLASSES
#include "symshape/Conversion/KernelOps.h.inc"

#endif // SYMSHAPE_CONVERSION_KERNELOPS_H
