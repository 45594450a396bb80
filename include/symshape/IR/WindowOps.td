//===- WindowOps.td - Windows over a tensor ----------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_WINDOWOPS
#define SYMSHAPE_IR_WINDOWOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_WindowsOp : SymShape_TensorOp<"windows", [
    AttrSizedOperandSegments, SymShape_InferType,
    TypesMatchWith<"the value has the element type of the source", "source", "value",
                   "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "What the windows of a convolution see";
  let description = [{
    The source is an image, (batch, n places, channel); the result is (batch, n
    places of a window, n places in it, channel). `spread[i]` is the distance of
    neighbours of the image along axis `i`, with `value` between them; then come
    `low[i]` copies of `value` before and `high[i]` after them, where negative
    ones crop. Windows begin every `stride[i]` elements, and have `kernel[i]`
    elements at a distance of `dilation[i]`. So with
    `room = low + (extent - 1) * spread + 1 + high - ((kernel - 1) * dilation + 1)`
    there are `room / stride + 1` windows along an axis. The room is at least 0,
    the division exact. Kernel, stride, dilation and spread are at least 1, and
    so is an extent beside a spread that is not the constant 1.

    A product of the windows with weights is a convolution; their maximum, a
    pool. Each of the six lists may have values that are known at run time only.

    - (C1) The image has n + 2 axes and the result 2n + 2, for lists of n >= 1
      entries.
    - (C2) Constants among kernel, stride, dilation and spread are at least 1.
    - (C3) The result has the element type of the source, its static batch and
      channels, and the static extents of the kernel.
    - (C4) Where all else is constant, the windows fit, and a static number of
      them is what the rule above gives.

    ```mlir
    %r = symshape.windows %x, %zero kernel [3] low [1] high [%h] stride [%s]
        dilation [1] spread [1] : tensor<?x?x4xf32> to tensor<?x?x3x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyType:$value,
                       Variadic<Index>:$kernel, Variadic<Index>:$low,
                       Variadic<Index>:$high, Variadic<Index>:$stride,
                       Variadic<Index>:$dilation, Variadic<Index>:$spread,
                       DenseI64ArrayAttr:$static_kernel,
                       DenseI64ArrayAttr:$static_low,
                       DenseI64ArrayAttr:$static_high,
                       DenseI64ArrayAttr:$static_stride,
                       DenseI64ArrayAttr:$static_dilation,
                       DenseI64ArrayAttr:$static_spread);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `,` $value `kernel` custom<DynamicIndexList>($kernel, $static_kernel)
    `low` custom<DynamicIndexList>($low, $static_low)
    `high` custom<DynamicIndexList>($high, $static_high)
    `stride` custom<DynamicIndexList>($stride, $static_stride)
    `dilation` custom<DynamicIndexList>($dilation, $static_dilation)
    `spread` custom<DynamicIndexList>($spread, $static_spread)
    attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// What is said of one axis with windows.
    struct Axis {
      ::mlir::OpFoldResult kernel, low, high, stride, dilation, spread;
    };
    ::llvm::SmallVector<Axis> getAxes();
  }];
}

#endif // SYMSHAPE_IR_WINDOWOPS
