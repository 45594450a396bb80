//===- ResampleOps.td - Sums of elements at places ---------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_RESAMPLEOPS
#define SYMSHAPE_IR_RESAMPLEOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_ResampleOp : SymShape_TensorOp<"resample", [
    AttrSizedOperandSegments, SymShape_InferType]> {
  let summary = "Weighted sums of elements at places along axes";
  let description = [{
    Gives the axes `axes` of the source other numbers of elements, as the resize
    of an image does. Along axis `axes[i]`, element `o` of the result is the sum,
    over taps `k`, of the element of the source at place `places[i][k, o]` times
    `weights[i][k, o]`. Without weights there is one tap, and elements are
    copied. A place that is outside of the source is moved to the nearest one
    that is inside, so the source has at least one element along an axis of a
    result that has any. Other axes stay.

    An element of the sum along the first axis is a sum along the second, and so
    on. Sums are formed in the order of taps, in the element type of the result,
    which is that of the weights.

    Tables of places and weights say all of nearest neighbours, linear and cubic
    interpolation, and kernels that are longer the more an image shrinks. Who
    makes the op makes them, as its format counts places: by half pixels, from
    corner to corner, or in fractions.

    - (C1) The axes are at least one, and distinct axes of the source.
    - (C2) Places and weights are tensors of rank 2, places of i32, i64 or index,
      by ODS.
    - (C3) There are places for each axis, and if there are weights, weights of
      their shape.
    - (C4) There is a static number of taps, at least 1, or one axis: 1 without
      weights.
    - (C5) The result has the element type of the weights, and the source has it or
      a narrower one, all of them floats or signless integers; without weights,
      the same one.
    - (C6) The result has the rank of the source, its static extents along other
      axes, and along an axis of places their static number.
    - (C7) Along an axis of places a static extent of the source is at least 1,
      unless that of the result is 0 or dynamic.

    ```mlir
    %r = symshape.resample %x along [1] at %places weights %weights
        : tensor<?x?xf32> at tensor<2x?xi64> weights tensor<2x?xf32>
        to tensor<?x?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       Variadic<2DTensorOf<[I32, I64, Index]>>:$places,
                       Variadic<2DTensorOf<[AnySignlessInteger, AnyFloat]>>:$weights,
                       DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `along` $axes `at` $places (`weights` $weights^)? attr-dict `:`
    type($source) `at` type($places) (`weights` type($weights)^)? `to`
    type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The places of the axis of this number, and its weights, if any.
    ::llvm::SmallVector<::mlir::Value, 2> getTables(unsigned axis) {
      ::llvm::SmallVector<::mlir::Value, 2> tables{getPlaces()[axis]};
      if (!getWeights().empty())
        tables.push_back(getWeights()[axis]);
      return tables;
    }
    /// The number of elements to add up along it; dynamic: known later.
    int64_t getNumTaps(unsigned axis) {
      return ::llvm::cast<::mlir::RankedTensorType>(getPlaces()[axis].getType())
          .getDimSize(0);
    }
  }];
}

#endif // SYMSHAPE_IR_RESAMPLEOPS
