//===- TMTensorOps.td - What exports of torch-mlir hold ----*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_TMTENSOROPS
#define SYMSHAPE_CONVERSION_TMTENSOROPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::mlir::symshape::tm_tensor";
  let summary = "What torch-mlir leaves in programs of linalg on tensors";
  let description = [{
    The ops that an export of torch-mlir with the output type
    `linalg-on-tensors` has besides those of upstream's dialects, in the syntax
    of that project, on tensors. They are read, and become other ops at once
    (`symshape-lower-tm-tensor`), which also says what is refused.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::symshape::SymShapeDialect", "::mlir::tensor::TensorDialect"];
}

/// An op whose results are what becomes of its `outs`.
class TMTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMTensor_Dialect, mnemonic, traits # [
        AttrSizedOperandSegments, DestinationStyleOpInterface, NoMemoryEffect]> {
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
  let hasVerifier = 1;
}

/// One with a function of scalars.
class TMTensor_RegionOp<string mnemonic>
    : TMTensor_Op<mnemonic, [
        SingleBlockImplicitTerminator<"::mlir::symshape::tm_tensor::YieldOp">]>;

def TMTensor_TMScanOp : TMTensor_RegionOp<"scan"> {
  let summary = "A combination of all elements so far along an axis";
  let description = [{
    With the function `f` of the region, along `dimension`: inclusive,
    `output[0] = input[0]` and `output[i] = f(output[i - 1], input[i])`;
    exclusive, `output[0]` is the accumulator and
    `output[i] = f(output[i - 1], input[i - 1])`. The second result is the last
    value of `f`, or the accumulator if there is none.

    - There is one input; its type is that of the output.
    - The outputs are that of the scan and an accumulator, which lacks the
      axis.
    - The axis is one of the input.
    - The region takes the last value and an element, and yields one.

    ```mlir
    %r:2 = tm_tensor.scan dimension(1) inclusive(true)
        ins(%x : tensor<?x?xf32>) outs(%o, %a : tensor<?x?xf32>, tensor<?xf32>) {
    ^bb0(%last: f32, %element: f32):
      %s = arith.addf %last, %element : f32
      tm_tensor.yield %s : f32
    } -> tensor<?x?xf32>, tensor<?xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TMScatterOp : TMTensor_RegionOp<"scatter"> {
  let summary = "Combines windows of updates into a tensor";
  let description = [{
    For each row of the second input, in order, combines a window of the first,
    the updates, with the one of the output that begins where the row says along
    the axes of `dimension_map`. The region takes the update and what is there.
    Windows extend along the last axes of the output, as many as the updates
    have besides their first.

    - The inputs are updates and rows of as many integers as
      `dimension_map` has axes; there is one output.
    - Those axes are axes of the output, each once; an axis along which
      windows do not extend is one of them.
    - Updates have the element type of the output, and at most one axis
      more.
    - The region takes the update and the element, and yields one.

    ```mlir
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
        ins(%updates, %rows : tensor<?x4xf32>, tensor<?x1xi64>)
        outs(%x : tensor<?x4xf32>) {
    ^bb0(%update: f32, %element: f32):
      %s = arith.addf %update, %element : f32
      tm_tensor.yield %s : f32
    } -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TMSortOp : TMTensor_RegionOp<"sort"> {
  let summary = "Sorts tensors along an axis by one of them";
  let description = [{
    The region takes two elements of each output, and says whether the first of
    them may stay before the second.

    - There are no inputs, and at least one output; outputs have one rank.
    - The axis is one of theirs.
    - The region takes two elements of each output, in order, and yields a
      bit.

    ```mlir
    %r:2 = tm_tensor.sort dimension(0)
        outs(%keys, %values : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%a: f32, %b: f32, %v: i64, %w: i64):
      %c = arith.cmpf ole, %a, %b : f32
      tm_tensor.yield %c : i1
    } -> tensor<?xf32>, tensor<?xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TMTopKOp : TMTensor_RegionOp<"topk"> {
  let summary = "The first elements along an axis in an order, and their places";
  let description = [{
    As many as the outputs have along `dimension`. The region says whether its
    first argument comes before its second. What the outputs held before takes
    part, and is the last in that order.

    - There is one input, and one that may give other places; the outputs
      are values and places.
    - The axis is one of the input; outputs have its rank, values its
      element type, and places are i32 or i64.
    - The region takes two elements, and yields a bit.

    ```mlir
    %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<?x?xf32>)
        outs(%v, %p : tensor<?x3xf32>, tensor<?x3xi64>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf ogt, %a, %b : f32
      tm_tensor.yield %c : i1
    } -> tensor<?x3xf32>, tensor<?x3xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TMAttentionOp : TMTensor_Op<"attention"> {
  let summary = "Scaled dot-product attention";
  let description = [{
    `softmax(scale * query * transpose(key) + mask) * value`, where `scale` is the
    attribute of that name, else one by the root of the last extent of the query.
    An element of a mask of bits says whether a key takes part.

    - The inputs are query, key, value and perhaps a mask, of one rank of at
      least 2; there is one output.
    - All but the mask have one element type, a float; the mask has it, or
      bits.

    ```mlir
    %r = tm_tensor.attention
        ins(%q, %k, %v : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>)
        outs(%o : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` (`->` type($results)^)?
  }];
}

def TMTensor_YieldOp
    : Op<TMTensor_Dialect, "yield", [Pure, ReturnLike, Terminator]> {
  let summary = "What the function of an op returns";
  let description = [{
    ```mlir
    tm_tensor.yield %s : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ /* no operands */ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // SYMSHAPE_CONVERSION_TMTENSOROPS
