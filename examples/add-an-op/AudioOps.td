//===- AudioOps.td - An op of somebody else, and its transpose --*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AUDIO_OPS
#define AUDIO_OPS

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "symshape/IR/DerivativeInterfaces.td"
include "symshape/IR/ShapeFactsInterface.td"

def AudioDialect : Dialect {
  let name = "audio";
  let cppNamespace = "::audio";
}

/// What symshape asks of an op: a rule for shapes; and for derivatives the extents
/// of results as values, which is an interface of MLIR, and two rules.
class AudioOp<string mnemonic> : Op<AudioDialect, mnemonic, [
    Pure,
    DeclareOpInterfaceMethods<ShapeFactsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<JvpOpInterface>,
    DeclareOpInterfaceMethods<LinearTransposeOpInterface>]>;

def PositiveAttr : ConfinedAttr<I64Attr, [IntPositive]>;

def FramesOp : AudioOp<"frames"> {
  let summary = "overlapping windows of a signal";
  let description = [{
    Row `i` of the result is `signal[i * hop : i * hop + window]`; there are
    `(length - window) floordiv hop + 1` rows. The signal must be at least as long as
    a window.
  }];
  let arguments = (ins 1DTensorOf<[AnyFloat]>:$signal, PositiveAttr:$window,
                       PositiveAttr:$hop);
  let results = (outs 2DTensorOf<[AnyFloat]>:$frames);
  let assemblyFormat = [{
    $signal `window` $window `hop` $hop attr-dict `:` type($signal) `to` type($frames)
  }];
}

def OverlapAddOp : AudioOp<"overlap_add"> {
  let summary = "the sum of windows where they come from";
  let description = [{
    The transpose of `audio.frames`: a signal of `length` elements, zero but for row
    `i` of `frames` added at `i * hop`, for each `i`. All rows must fit.
  }];
  let arguments = (ins 2DTensorOf<[AnyFloat]>:$frames, Index:$length,
                       PositiveAttr:$hop);
  let results = (outs 1DTensorOf<[AnyFloat]>:$signal);
  let assemblyFormat = [{
    $frames `length` $length `hop` $hop attr-dict `:` type($frames) `to` type($signal)
  }];
}

#endif // AUDIO_OPS
