//===- FramesOp.h - An ONNX op of a domain of its own -----------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_ADDANONNXOP_FRAMESOP_H
#define EXAMPLES_ADDANONNXOP_FRAMESOP_H

#include "symshape/Import/ONNX/Node.h"

namespace audio {

/// Adds `Frames` of the domain `my.audio`.
void addFramesOp(mlir::symshape::onnx::Registry &registry);

} // namespace audio

#endif // EXAMPLES_ADDANONNXOP_FRAMESOP_H
