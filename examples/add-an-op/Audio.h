//===- Audio.h - The dialect of the example ---------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AUDIO_H
#define AUDIO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "symshape/IR/SymShape.h" // the interfaces that the ops implement

#include "AudioDialect.h.inc"
#define GET_OP_CLASSES
#include "AudioOps.h.inc"

namespace audio {

/// Registers `audio-to-linalg`: both ops as slices and loops on tensors, which
/// is what the pipelines of symshape lower.
void registerAudioToLinalgPass();

} // namespace audio

#endif // AUDIO_H
