//===- QuantizationOps.td - Numbers of few bits ------------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_QUANTIZATIONOPS
#define SYMSHAPE_IR_QUANTIZATIONOPS

include "symshape/IR/SymShapeBase.td"

def SymShape_DequantizeOp : SymShape_TensorOp<"dequantize"> {
  let summary = "Floats of codes of few bits, with a scale for each block";
  let description = [{
    Element `[n, k]` of the result is `(q - z) * s`: `q` is number `k` of those
    that row `n` of the codes holds, each of `bits` bits and not negative, the
    first one in the lowest bits of the first byte; `z` and `s` are the elements
    `[n, k / block]` of the zeros and the scales. Without zeros, `z` is
    `2^(bits - 1)`. Zeros are floats, or bytes without sign. Differences and
    products are formed in the element type of the result.

    It has derivatives by scales and by zeros that are floats.

    A product that has the result as its right operand, the codes being known
    before the calls, reads the codes and makes numbers of them in registers.

    - (C1) All operands have rank 2, and so has the result. Codes are i8, scales
      floats no wider than the elements of the result, and zeros i8 or of the type
      of the scales.
    - (C2) There are 2, 4 or 8 bits.
    - (C3) A block has a positive number of terms, a multiple of those in a byte.
    - (C4) The result has a static number of columns, the terms; the codes have
      bytes for so many, and scales and zeros elements for so many blocks.
    - (C5) All have the same number of rows.

    ```mlir
    %w = symshape.dequantize %codes scales %s zeros %z bits 4 block 32
        : tensor<?x64xi8>, tensor<?x4xf32>, tensor<?x4xi8> to tensor<?x128xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[I8]>:$codes, 2DTensorOf<[AnyFloat]>:$scales,
                       Optional<2DTensorOf<[I8, AnyFloat]>>:$zeros,
                       I64Attr:$bits, I64Attr:$block);
  let results = (outs 2DTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = [{
    $codes `scales` $scales (`zeros` $zeros^)? `bits` $bits `block` $block attr-dict
    `:` type($codes) `,` type($scales) (`,` type($zeros)^)? `to` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of this many terms, or a multiple, are blocks whose codes products read
    /// in registers.
    static constexpr int64_t blockMultiple = 16;
    /// How many numbers a byte holds.
    int64_t getTermsPerByte() { return 8 / getBits(); }
    int64_t getNumTerms() { return getResult().getType().getDimSize(1); }
  }];
}

#endif // SYMSHAPE_IR_QUANTIZATIONOPS
