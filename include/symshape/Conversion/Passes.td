//===- Passes.td - Conversion passes of symshape -----------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_PASSES
#define SYMSHAPE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

// Options about the target and the pipeline that several passes have.
def VectorBitsOption : Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
    "Width of a vector register in bits (default: 512)">;
def VectorRegistersOption : Option<"vectorRegisters", "vector-registers", "int64_t",
    /*default=*/"32", "Number of vector registers (default: 32)">;
def FmaOption : Option<"fma", "fma", "bool", /*default=*/"true",
    "Multiply and add in one instruction (default: true)">;
def MaskedBitsOption : Option<"maskedBits", "masked-bits", "int64_t", /*default=*/"8",
    "Bits of the smallest elements of which a part of a vector "
    "is loaded and stored at once; 0: none (default: 8)">;
def DotProductsOption : Option<"dotProducts", "dot-products", "bool",
    /*default=*/"false", "Four products of unsigned and signed bytes are added "
    "by one instruction (default: false)">;
def ParallelOption : Option<"parallel", "parallel", "bool", /*default=*/"false",
    "Emit parallel loops (default: no)">;

def ConvertElementwisePass : Pass<"symshape-convert-elementwise"> {
  let summary = "Gives elementwise ops on tensors a body";
  let description = [{
    Rewrites elementwise ops on tensors, such as `arith.addf`, as `linalg.generic`.
    On numbers and vectors, `math.isinf` and `math.isnormal` become comparisons,
    and `math.sincos` becomes `math.sin` and `math.cos`.

    Guarantees:
    1. An `arith.select` between whole tensors stays: they may have different
       extents, which upstream's `convert-elementwise-to-linalg` overlooks.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect"];
}

def LowerTMTensorPass : Pass<"symshape-lower-tm-tensor", "ModuleOp"> {
  let summary = "Rewrites what torch-mlir leaves as ops of symshape and linalg";
  let description = [{
    Replaces the ops of `tm_tensor`, and asserts what they require of extents. Run
    it before what a program requires is collected.

    Guarantees:
    1. Scans of additions become `symshape.cumsum`, other ones loops; sorts become
       `symshape.sort` and `symshape.top_k`, whose ties stay in order; scatters
       become `symshape.scatter`, which checks indices and that they are unique
       where that is stated.

    Refuses: scans that do not add, multiply, or take the greatest or least;
    scatters that do not do one of these or replace; orders other than those of
    integers and floats from the least or from the greatest; a `topk` of
    outputs that do not begin as the last value of its order, or with other
    places.
  }];
}

def LowerTosaControlFlowPass : Pass<"symshape-lower-tosa-control-flow"> {
  let summary = "Rewrites branches and loops of tosa as scf";
  let description = [{
    Replaces `tosa.cond_if` and `tosa.while_loop`. Their ops stay: run it before
    what a program requires is collected.

    Guarantees:
    1. A condition may be a tensor of any rank with one element.

    Refuses: attributes and types, of any op of tosa, that the specification
    forbids and upstream's verifiers do not look at.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def LowerTosaPass : Pass<"symshape-lower-tosa", "ModuleOp"> {
  let summary = "Rewrites ops of tosa as linalg, tensor and symshape";
  let description = [{
    Replaces ops on tensors and on shape values, which become indices, and tensors
    of indices where a function gives them. Extents of images, weights and all else
    may be dynamic. Not for: what an op requires of extents, which
    `symshape-insert-guards` checks before.

    Guarantees:
    1. Where what ops require holds, results are those of the specification. With
       `checks`, an element that is divided by 0, or shifted by more bits than
       allowed, ends the call by `symshape.fail`.
    2. An extent expands if its type says that it is 1; in a module with the
       attribute `symshape.tosa_numpy_broadcast`, also if it turns out to be 1.

    Refuses: ops without a lowering, such as `tosa.custom`; shapes that a function
    takes, or that a branch or a loop carries.
  }];
  let options = [Option<"checks", "checks", "bool", /*default=*/"true",
                        "Check divisors and shifts (default: yes)">];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "SymShapeDialect"];
}

def WidenSumsPass : Pass<"symshape-widen-sums"> {
  let summary = "Forms sums of bf16 and f16 in f32";
  let description = [{
    `symshape.cumsum`, sums and products of `symshape.scatter`, sums of
    `symshape.resample`, `linalg.softmax`, and convolutions and poolings of `linalg`
    that have a name, on tensors of `bf16` or `f16`, compute in `f32`, and results
    are rounded once. So a sum of 3000 ones
    is 3000, along whatever axis. Not for: `linalg.generic` and other bodies that a
    program writes out, which stay as they are; products of matrices, whose sums are
    formed in `f32` by `symshape-form-contractions`; memrefs.

    Guarantees:
    1. Each element of a result is rounded once.
    2. Running the pass twice is the same as running it once.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def LowerTensorOpsPass : Pass<"symshape-lower-tensor-ops"> {
  let summary = "Rewrites the tensor ops of symshape as linalg, tensor and scf";
  let description = [{
    Replaces `symshape.dynamic_truncate`, `gather`, `scatter`, `pad`, `sort` and
    the other ops of the dialect on tensors. A truncation or a slice becomes a
    view; a gather or scatter, loops over its windows, each of which is a slice,
    so that bufferization works in place where the operand dies; a sort, a stable
    merge sort of each line.

    With `points`, `sort`, `top_k`, `cumsum` and `nonzero` become a few structured
    ops in loops, each point of which is computed by itself, for many threads. A
    sum of floats is then formed in another order, which the extent alone decides.

    Without `dequantize`, `symshape.dequantize` stays for
    `symshape-form-contractions`; then the pass runs a second time.

    Guarantees:
    1. The semantics of every mode are kept, for every index.
    2. With `checks`, a size that is not finite, or an index that breaks a promise,
       ends the call by `symshape.fail`.

    Refuses: nothing.
  }];
  let options = [Option<"checks", "checks", "bool", /*default=*/"true",
                        "Check what depends on data (default: yes)">,
                 Option<"points", "points", "bool", /*default=*/"false",
                        "Sort, sum up and find elements by many threads "
                        "(default: no)">,
                 Option<"dequantize", "dequantize", "bool", /*default=*/"true",
                        "Make floats of codes in memory (default: yes)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def WidenIntegersPass : Pass<"symshape-widen-integers", "ModuleOp"> {
  let summary = "Stores integers of odd widths in tensors in the next wider type";
  let description = [{
    Tensors of signless integers of 2 to 63 bits, such as i4 and i48, get elements
    of 8, 16, 32 or 64 bits, which hold the value with its sign; so do scalars that
    functions take and give. What is computed of elements keeps its width, and wraps
    as before: structured ops with a name become `linalg.generic`. Not for: memrefs,
    and tensors that pack several elements into a byte.

    Guarantees:
    1. Results are the same, for arguments in the range of their type before.

    Refuses: constants whose elements are in a file of their own; elementwise ops on
    whole tensors, which `symshape-convert-elementwise` gives a body.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect"];
}

def PrepareBufferizationPass : Pass<"symshape-prepare-bufferization"> {
  let summary = "Copies what one-shot bufferization of MLIR 22 would share wrongly";
  let description = [{
    One-shot bufferization lets two values that a loop carries share a buffer if
    both begin as one `tensor.empty`, and CSE merges two such ops into one. And it
    takes an initial value that a structured op does not read for overwritten,
    although a loop without iterations leaves it. Run it last before bufferization.
    The pass goes when bufferization asks each op what it may leave.

    Guarantees:
    1. A `tensor.empty` that a loop carries has no other use.
    2. What a structured op may leave as it was, without reading it, is a copy that
       has no other use, unless nothing is in it.
    3. A constant tensor of one value of 2^31 bytes or more, for which a program
       has no room, is filled when it runs.
    4. Where the type of an expansion is static, its size is a constant; that it
       is the right one is required before.
    5. An unranked tensor that an op outside of the tensor dialect takes is a copy
       that has no other use.
    6. A `tensor.empty` has at most 16 uses: bufferization compares those of one
       with each other.
    7. Running the pass twice is the same as running it once.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "complex::ComplexDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def StoreSlicesPass : Pass<"symshape-store-slices"> {
  let summary = "Copies many slices of one tensor into one buffer";
  let description = [{
    A chain of `tensor.insert_slice` that begins with a `tensor.empty`, in which
    nothing but the next op uses what an op leaves, becomes one `memref.alloc` and a
    `memref.copy` for each slice. One-shot bufferization takes a time that grows
    with the fourth power of the length of such a chain, as a concatenation of many
    parts is, to find that all of it may be in one buffer. Run it right before
    bufferization.

    Guarantees:
    1. Results are the same.
    2. Chains of less than `least` slices stay: bufferization can have the parts
       computed right where they belong.

    Refuses: nothing.
  }];
  let options = [Option<"least", "least", "int64_t", /*default=*/"65",
                        "The fewest slices of a chain (default: 65)">];
  let dependentDialects = ["bufferization::BufferizationDialect",
                           "memref::MemRefDialect", "tensor::TensorDialect"];
}

def HideDivisionsPass : Pass<"symshape-hide-divisions", "func::FuncOp"> {
  let summary = "Hides divisions from what compares slices";
  let description = [{
    Puts an `unrealized_conversion_cast` from `index` to `index` behind each
    `affine.apply`, `affine.min` and `affine.max` with a division, and behind each
    `arith.floordivsi`, in functions that have many, and behind every 16th or so of
    a chain of index computations and `tensor.dim`. One-shot bufferization follows
    offsets and sizes of slices back to the arguments, and takes a time that grows
    faster than exponentially with the divisions on that way, and with the third power
    of its length. Run it right before bufferization; `symshape-canonicalize` removes
    the casts.

    Guarantees:
    1. Results are the same. Equal values stay one value.
    2. Divisions stay as they are in functions with less than `least` of them: what
       sizes have to do with each other may save a copy.

    Refuses: nothing.
  }];
  let options = [Option<"least", "least", "int64_t", /*default=*/"17",
                        "The fewest divisions of a function (default: 17)">];
}

def ExpandDivisionsPass : Pass<"symshape-expand-divisions"> {
  let summary = "Replaces remainders by divisions, which stay in place";
  let description = [{
    Rewrites `arith.remsi`, `remui` and `floordivsi` of scalars in terms of `divsi` and
    `divui`. MLIR 22 takes these to be defined for every divisor, and moves them
    out of loops and branches that never run. Outside of structured ops, those whose
    divisor is a constant other than 0 and -1 stay: they cannot trap, and what
    computes an extent stays readable.

    In the maps of `affine.apply`, `min`, `max`, `for` and `if`, `a ceildiv b`
    becomes `a floordiv b + (a mod b + b - 1) floordiv b`: MLIR 22 lowers `ceildiv`
    by way of -a, which wraps for the least number. A dividend that is itself rounded
    up becomes an op of its own, as it would stand in the map twice.

    Guarantees:
    1. The result is the same wherever the op is defined.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def LowerAffineOpsPass : Pass<"symshape-lower-affine-ops"> {
  let summary = "Lowers affine ops to arithmetic that may wrap";
  let description = [{
    Does what `lower-affine` does. That pass marks products as `nsw`, which holds
    for maps as they were written, but not for what MLIR makes of them: `a mod 2 *
    -2` becomes `a * -2 + a floordiv 2 * 4`. Meant to run after
    `symshape-expand-divisions`.

    Guarantees:
    1. A map gives the right number wherever that and its quotients fit 64 bits.
    2. With `only-if-arrays`, functions without an `affine.for` or `affine.if` whose
       results hold a tensor or a memref keep their affine ops, from which later
       passes learn more. Bufferization and deallocation do not know the others.

    Refuses: nothing.
  }];
  let options = [
    Option<"onlyIfArrays", "only-if-arrays", "bool", /*default=*/"false",
           "Change only functions whose affine loops or branches carry arrays">,
  ];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def InlineSingleCallsPass : Pass<"symshape-inline-single-calls", "ModuleOp"> {
  let summary = "Moves private functions to their only call";
  let description = [{
    Inlines each private function that is mentioned once, by a call, so that ops on
    both sides of the call can be fused.

    Guarantees:
    1. No code is duplicated: a function with several calls stays.

    Refuses: nothing; a function that is marked `no_inline`, or whose ops do not
    allow it, stays.
  }];
}

def ExpandBatchesPass : Pass<"symshape-expand-batches"> {
  let summary = "Gives contractions the batch dimensions that reshapes merge";
  let description = [{
    Rewrites a contraction whose operands come from `tensor.collapse_shape`, or
    whose result goes to `tensor.expand_shape`, as a `linalg.generic` on the
    expanded shapes, if only batch dimensions are split. The reshapes of operands
    and result that do not cancel stay outside. Likewise, elementwise ops behind a
    convolution in groups take its shape, with groups and features apart, so that
    they can be its epilogue.

    Guarantees:
    1. Rows, columns and reductions of the contraction are unchanged.

    Refuses: nothing; an op that the rule does not apply to stays as it is.
  }];
  let dependentDialects = ["affine::AffineDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def FoldTransposesPass : Pass<"symshape-fold-transposes"> {
  let summary = "Lets contractions read what transposes copy";
  let description = [{
    Where an operand of a contraction is a transposed copy, made by
    `linalg.transpose` or a `linalg.generic` that only moves elements, lets it read
    the copy's source with the dimensions in that order. Where the only use of a
    contraction that starts from a `linalg.fill` is a transposed copy with other
    columns, computes the copy directly. Operands of structured ops that are not
    read are removed.

    Guarantees:
    1. The same products are added in the same order.

    Refuses: nothing; other operands and results stay.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def FuseElementwisePass : Pass<"symshape-fuse-elementwise"> {
  let summary = "Fuses chains of elementwise structured ops";
  let description = [{
    Rewrites structured ops other than contractions as `linalg.generic`, moves
    reshapes out of elementwise chains by collapsing dimensions, and fuses each
    elementwise producer into its consumer.

    Guarantees:
    1. A contraction keeps its form, rank and operands; nothing is fused into
       it: its operands would be computed again each time that they are read.
    2. A producer with several consumers is computed once, unless its body does
       no arithmetic.
    3. Ops that access memory at computed indices are not duplicated, nor is
       arithmetic on what a reduction reads for several of its results.
    4. An op with a loop whose extent is a static 0 is replaced by its initial
       value.
    5. No body grows beyond 256 ops: a longer chain becomes several loops, so that
       the cost is linear in its length.
    6. Arithmetic on weights and constants alone stays apart from what else there
       is: it is done before the calls.
    7. A copy that moves the last dimension, of elements of 8, 16 or 32 bits, stays
       apart from arithmetic on each element.

    What an op needs is checked where the op stands: one that is fused into a
    branch, or folds, takes its check along. So `symshape-insert-guards` runs
    before, as in the pipelines; where it has not, a remark `facts` says so.

    Refuses: nothing; an op that no rule applies to stays as it is.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect",
                           "affine::AffineDialect"];
}

def FuseRowsPass : Pass<"symshape-fuse-rows", "func::FuncOp"> {
  let summary = "Runs chains of structured ops row by row";
  let description = [{
    Finds structured ops of one block, at least one reduction among them, that
    compute rows from rows, such as the maximum, exponentials, sum and quotients of
    a softmax, or the moments and the result of a layer norm. Replaces them by a
    loop over the rows, in which the ops are those of one row.

    Where a group holds two contractions or more, such as the core of an attention,
    it is first run by blocks of rows, which become rows outside the contractions,
    so that the products in between exist for one block at a time.

    Guarantees:
    1. Each element is computed by the same operations in the same order, with
       one exception: in blocks around contractions, rows are divided by a number
       per row, such as the sum of a softmax, after the contraction that reads
       them.
    2. A result that only the group reads has the size of a row, or of a block.
    3. Rows are slices that are full along their last dimension.

    With `parallel`, rows, or blocks of rows, are iterations of an `scf.forall`.

    Refuses: nothing; an op that does not fit is left out, with what depends on it.
  }];
  let options = [Option<"blockRows", "block-rows", "int64_t", /*default=*/"32",
                        "Rows of a block around contractions; 1: no such blocks "
                        "(default: 32)">,
                 ParallelOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def FormDotProductsPass : Pass<"symshape-form-dot-products"> {
  let summary = "Multiplies bytes as bytes, and subtracts their zeros afterwards";
  let description = [{
    Rewrites each contraction and convolution in `i32` whose factors are bytes less
    a zero (`ext(q) - z`, in the op or as 32-bit tensors made before it, maybe with
    a border of 0, reshaped or transposed) as one of an unsigned and a signed byte,
    which `symshape-form-contractions` multiplies four terms at a time. What the
    zeros contribute is subtracted by an elementwise op behind it: the zero of the
    left factor times sums of the right one, which for weights leave the call, and
    the other way round. Two operands with the same sign get different ones by
    flipping the highest bit of one, which moves its zero by 128.

    Guarantees:
    1. Results are the same bits: all sums are modulo 2^32.
    2. A product that stays keeps its operands.

    Refuses: nothing. Products stay whose zeros differ along a sum, and
    convolutions that cannot have channels last.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def FormContractionsPass : Pass<"symshape-form-contractions", "ModuleOp"> {
  let summary = "Forms contractions with a packed operand and an epilogue";
  let description = [{
    Rewrites each contraction on tensors (`linalg.matmul`, `linalg.batch_matmul`,
    `linalg.contract`, and every `linalg.generic` of that form) as one
    `symshape_kernel.contract`, and an elementwise op that is the only user of the
    result as its region. Transpositions of operands become part of the maps. Its
    `tile` follows from the registers and from what is known of the columns.

    The operand that is read in vectors is packed, by `linalg.pack` into panels of
    the tile's columns, where its columns are not neighbours in memory, where that
    is done before a loop around the contraction, or, with `weights`, where the
    operand is of weights alone and `symshape-hoist-weights` moves the packing out
    of the call. Few rows read an operand whose terms are neighbours in place
    (`in_place`), under a branch where types do not say how many there are. The
    other operand is transposed first where its rows are
    neighbours in memory and many columns and steps (256, 64, or dynamic numbers of
    them) read it again. Where the columns of the tile are proved to divide a
    dynamic number of columns, that is written down as `columns_divisor`.

    With `dot-products`, a product of unsigned and signed bytes gets a tile with
    groups of four terms, and its right operand is always packed, into groups too.
    With `bfloat-products`, a product of `bf16` added up in `f32` gets a tile with
    groups of two; its right operand is packed as that of others is.

    Guarantees:
    1. Sums of `f32`, `f64` and `i32` are formed in their type; those of `bf16` and
       `f16` in `f32`, rounded once at the end.
    2. An epilogue that reads its own output, or columns with a stride, stays.

    With `winograd`, a convolution of 3 x 3 by weights, in f32 and with a stride of
    1, also gets its weights transformed for `symshape-lower-winograd`, if its
    numbers of channels repay that.

    Refuses: nothing; a contraction of other types, or whose result has no
    columns, stays as it is.
  }];
  let options = [VectorBitsOption, VectorRegistersOption, FmaOption,
                 Option<"weights", "weights", "bool", /*default=*/"true",
                        "What is of weights alone leaves the call (default: true)">,
                 Option<"tile", "tile", "bool", /*default=*/"true",
                        "Choose the tile of a CPU, and pack or transpose operands "
                        "for it where that pays (default: true)">,
                 Option<"winograd", "winograd", "bool", /*default=*/"false",
                        "Compute convolutions with fewer products (default: false)">,
                 DotProductsOption,
                 Option<"bfloatProducts", "bfloat-products", "bool",
                        /*default=*/"false", "Two products of bf16 are added "
                        "to an f32 by one instruction (default: false)">,
                 Option<"uniform", "uniform", "bool", /*default=*/"false",
                        "Give contractions of a type one tile, and leave their "
                        "operands as they are: less code (default: false)">];
  let dependentDialects = ["arith::ArithDialect", "bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect",
                           "symshape::SymShapeCPUDialect",
                           "symshape::SymShapeKernelDialect", "tensor::TensorDialect"];
}

def RoundProductsPass : Pass<"symshape-round-products", "ModuleOp"> {
  let summary = "Rounds the operands of products of f32 to bf16, where asked to";
  let description = [{
    Where `symshape.precision` says `bf16`, gives each contraction in `f32`, and each
    convolution that has become one, operands that are rounded to `bf16`, to nearest,
    ties to even. Sums stay `f32`, as does everything else. Borders, reshapes and
    transposed copies are made of rounded numbers, so that rounding is fused with what
    computes them, and that of weights leaves the call.

    Guarantees:
    1. Without the attribute, and for layers that it names, no op is changed.
    2. The results are those of the program on rounded operands, as other passes
       form sums.

    Refuses: nothing; a product whose terms are no neighbours stays. Warns of names of
    layers that no product has.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def FindCodesPass : Pass<"symshape-find-codes", "ModuleOp"> {
  let summary = "Weights of bytes that products widen become codes";
  let description = [{
    Where the right operand of a product of matrices in `f32` is made of a matrix of
    bytes that is known before the calls, as `(code - zero) * scale` with a zero and a
    scale for each column, replaces it by `symshape.dequantize`, whose codes
    `symshape-form-contractions` reads in registers. The number of terms is to be static.

    Guarantees:
    1. Numbers are those that were made before, to the bit.

    Refuses: nothing; what is made in another way stays.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect", "SymShapeDialect"];
}

def QuantizeWeightsPass : Pass<"symshape-quantize-weights", "ModuleOp"> {
  let summary = "Keeps weights of products of f32 in 8 or 4 bits, where asked to";
  let description = [{
    Where `symshape.precision` says `int8` or `int4`, replaces the right operand of each
    product of matrices in `f32` by `symshape.dequantize` of codes, if it is known before
    the calls. Blocks of 32 terms share a scale, with which the number of the largest
    magnitude becomes the code farthest from zero; codes are the nearest to numbers, ties
    to even. A block that holds a NaN is NaN, and one with an infinity has no finite
    number. Weights of one type share a function that makes their codes.

    Guarantees:
    1. Without the attribute, and for layers that it names, no op is changed.
    2. An element differs from that of the weight by at most the largest magnitude of its
       block divided by 2^bits, and by twice that much if it is near that magnitude and
       of the other sign.

    Refuses: nothing; a product by what is no matrix, has a dynamic number of terms or is
    computed in each call stays. Warns of names of layers that no product has.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect",
                           "SymShapeDialect"];
}

def LowerPacksPass : Pass<"symshape-lower-packs", "ModuleOp"> {
  let summary = "Emits packing into panels as vectorised loops";
  let description = [{
    Rewrites each `linalg.pack` on tensors as loops over vectors: of one dimension
    into tiles, and maybe of another into groups of four bytes. Packing of
    arguments of a function, and packing of a kind that occurs more than once, shares
    one private function for each kind.

    Guarantees:
    1. Every extent may be 0; no access is out of bounds.
    2. Past the last column, panels hold the padding value.

    Refuses: nothing. Without vectors, and for another kind of packing, upstream's
    patterns are used; a `linalg.pack` whose tiles have sizes that are values reads
    each element, or takes padding.
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
    "Width of a vector register in bits; 0: use no vectors (default: 512)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "func::FuncDialect", "linalg::LinalgDialect",
                           "scf::SCFDialect", "tensor::TensorDialect",
                           "vector::VectorDialect"];
}

def LowerWinogradPass : Pass<"symshape-lower-winograd", "ModuleOp"> {
  let summary = "Computes 3 x 3 convolutions by Winograd's algorithm F(4x4, 3x3)";
  let description = [{
    Puts each `symshape_kernel.contract` on memrefs with transformed weights into the
    branch of a test. The other branch, taken where that costs less, computes
    blocks of patches of 4 x 4 results by Winograd's algorithm: 36 products instead
    of 144. The transformations are two private functions of the module.

    Guarantees:
    1. Every extent may be 0; no access is out of bounds.
    2. The test depends on extents alone, and so do results.

    With `parallel`, blocks are one `scf.parallel`; results are the same as without.

    Refuses: nothing.
  }];
  let options = [Option<"cacheBytes", "cache-bytes", "int64_t",
                        /*default=*/"1048576",
                        "Bytes of second-level cache per core (default: 1 MiB)">,
                 ParallelOption];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def AllocateWorkspacesPass : Pass<"symshape-allocate-workspaces"> {
  let summary = "Gives contractions on buffers the memory that they work in";
  let description = [{
    Allocates, before each `symshape_kernel.contract` on memrefs that has none, the
    buffers that `symshape-lower-contractions` needs, and adds them to its
    operands: one panel of a right operand that is not packed, one tile of sums
    where these have another type than the result. A right operand, or a result,
    whose columns are not neighbours in memory is copied.

    With `parallel` there are copies alone: each thread has workspaces of its own.

    Guarantees:
    1. A contraction that needs none is unchanged.

    Refuses: nothing.
  }];
  let options = [Option<"parallel", "parallel", "bool", /*default=*/"false",
                        "Leave workspaces to each thread (default: no)">];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect"];
}

def LowerContractionsPass : Pass<"symshape-lower-contractions", "ModuleOp"> {
  let summary = "Lowers contractions on buffers to register-tiled kernels";
  let description = [{
    Replaces each `symshape_kernel.contract` on memrefs by loops over panels of columns
    and tiles of rows around calls of a private function that multiplies one tile.
    There is one such function for each combination of element types and tile
    in the module; it holds one loop for each number of rows, in which the
    sums stay in vector registers. The region becomes a structured op on each
    tile. Rows of several dimensions are one loop in calls in which all operands
    have them the same distance apart. So they are where windows of a packed `rhs`
    overlap, if there are fewer rows along the last dimension than a tile has, or
    few terms side by side: the terms of a block of rows are copied side by side
    first.

    Guarantees:
    1. The innermost loop neither stores nor masks nor calls, whatever is dynamic.
    2. Every extent may be 0; no access is out of bounds.
    3. Each element of the result is written once per tile, after everything
       that it depends on has been read: only its own tile is read again.
    4. A new partial sum starts after every 128 terms; the parts are added up in
       order. Groups of bytes, whose sums are exact, have one part.

    With `parallel`, batches, blocks of rows and panels are one `scf.parallel`;
    tiles are the same as without.

    Remarks say how each contraction is lowered, and which fact would help.

    Refuses: nothing; operands whose columns are not contiguous in memory are
    copied.
  }];
  let options = [FmaOption, MaskedBitsOption,
                 Option<"cacheBytes", "cache-bytes", "int64_t",
                        /*default=*/"1048576",
                        "Bytes of second-level cache per core (default: 1 MiB)">,
                 ParallelOption,
                 Option<"permutations", "permutations", "bool", /*default=*/"false",
                        "One instruction permutes 16 floats, as of AVX-512: codes of up "
                        "to 4 bits become numbers by it (default: false)">,
                 Option<"fewRows", "few-rows", "bool", /*default=*/"true",
                        "Run one or two rows in a loop of their own (default: "
                        "true)">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def LowerStructuredOpsPass : Pass<"symshape-lower-structured-ops"> {
  let summary = "Lowers structured ops on buffers to vectorised loops";
  let description = [{
    Replaces each structured op on memrefs by loops. One dimension, the one in
    which most operands are contiguous, runs in whole vectors, followed by one
    bounded vector, or by a scalar loop where lanes past the end could trap or
    read out of bounds, or where the target has no bounded vectors of its elements.
    Reductions are carried in registers. In a loop over rows of a tensor, the last
    op that reads the row prefetches the next one.

    Guarantees:
    1. Every extent may be 0; no access is out of bounds.
    2. Reductions that are not associative keep their order. Sums and products
       of floats along the vector dimension are reassociated, with partial
       results per lane of four vectors.
    3. NaN and infinity behave as the body says; but `maxnumf` and `minnumf` that
       start from NaN give an infinity where no element is a number.
    4. A vector of `f32` or `f64` divided by a value that is the same for all of
       the loop is multiplied by the reciprocal instead: within 1.5 ulp.

    With `parallel`, the outermost dimensions that index every result run in
    one `scf.parallel`; a single dimension runs in blocks of whole vectors.

    Refuses: nothing; an op whose body cannot be vectorised becomes scalar loops.
  }];
  let options = [VectorBitsOption, MaskedBitsOption, ParallelOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def ChannelsLastPass : Pass<"symshape-channels-last"> {
  let summary = "Stores the channels of images next to each other";
  let description = [{
    Rewrites each convolution of images whose channels are dimension 1 as one of
    images whose channels are the last dimension, between transposed copies: sums
    are then formed as those of a product, with rows of pixels and columns of
    channels. Copies behind it move on through elementwise ops, borders, pools, parts
    and concatenations, which then work on channels that are next to each other,
    until two of them cancel or something needs the order that the program has.

    Convolutions are ops of linalg with a name, or generic ones. Weights must be of
    a static type. A group of a convolution is all channels or one; or several, if
    the image comes from an expansion of its channels into groups, and a collapse of
    groups and features follows. All convolutions of a function must be such. Those
    with less than 8 channels of results, or of results of a group, stay as they are.

    Derivatives of convolutions by their weights, which are sums over images and
    places, get channels and features last in any function, unless features are in
    groups: with taps last, they would be products of as few columns as a window
    has taps. With less than 8 features, and less than such taps, they stay.

    Guarantees:
    1. The same products are added up, in another order.
    2. Extents may be 0.

    Refuses: nothing; functions with other convolutions stay as they are.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def LowerWindowsPass : Pass<"symshape-lower-windows"> {
  let summary = "Lowers convolutions and pooling on buffers to tiled loops";
  let description = [{
    Replaces each `linalg.generic` on memrefs that reduces over windows (some
    operand is read at a sum of two loop indices) by loops in which a tile of the
    result, rows of vectors along its innermost dimension, is held in registers.
    What several rows or positions of the window read alike is read once, and
    used by all of them before the next is read. A fill before the op gives its
    initial value, and an elementwise op after it is applied to the tile before
    that is stored; if it calls a math function, in a loop over rows, which wait
    on the stack. With `parallel`, the loops around the tiles are one
    `scf.parallel`.

    Guarantees:
    1. Every extent may be 0; no access is out of bounds.
    2. An op is absorbed only if nothing in between may access its buffers.
    3. The terms of a sum may be added in another order; with `fma`, products are
       added by fused multiply-add.

    Refuses: nothing. Ops that step over their input by more than 2 along the
    vectors, and those that no vector can hold, stay.
  }];
  let options = [VectorBitsOption, VectorRegistersOption, FmaOption, ParallelOption];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def ExpandSmallFloatsPass : Pass<"symshape-expand-small-floats"> {
  let summary = "Computes bf16 and f16 in f32, with conversions of its own";
  let description = [{
    Replaces arithmetic on `bf16` and `f16`, scalar or vector, by arithmetic on
    `f32` whose result is rounded; and conversions from and to `bf16`, those from
    `f64` to `f16`, and those that the target lacks, by integer operations.
    `math.fma` is computed in `f64`, where the product is exact and the sum is
    rounded to odd; `arith.maxnumf` and `minnumf` become a comparison and a choice
    of one operand.

    Guarantees:
    1. Results are those of IEEE 754, rounded once to nearest, ties to even, also
       where they or the operands are denormal; NaN stays NaN. `math.fma` is
       rounded once, like the C library's. Of zeros of both signs, `maxnumf` and
       `minnumf` give either one.
    2. No conversion is left out because another one undoes it.
    3. Without `half-conversions`, no conversion to or from `f16` is left.

    Refuses: nothing; conversions from integers of more than 64 bits and those
    with another rounding mode stay.
  }];
  let options = [Option<"halfConversions", "half-conversions", "bool",
                        /*default=*/"true",
                        "The target converts between f16 and f32 (default: yes)">,
                 Option<"keepsNaNs", "keeps-nans", "bool", /*default=*/"false",
                        "A NaN that arithmetic on f32 gives is that of an operand, made "
                        "quiet, or has a payload of 0 (default: no)">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
}

def ApproximateMathPass : Pass<"symshape-approximate-math"> {
  let summary = "Expands math functions into polynomials";
  let description = [{
    Replaces `math.exp`, `math.erf`, `math.tanh` and `math.log` on `f32`, scalar
    or vector, by polynomials without branches, so that a vector is computed at
    once; `math.powf` with a constant exponent of 0, 1, 2, 3, -1, -2, 0.5 or -0.5
    by products, quotients and roots; `math.fpowi` by these or by a power in `f64`;
    `math.expm1` and `math.log1p` by `exp` and `log` without cancellation; and
    `math.clampf` by a maximum and a minimum.

    Guarantees:
    1. The result of a polynomial is within 2 ulp of the exact value for every
       argument, that of others within 4, denormals included. NaN, infinities,
       signed zeros, overflow and underflow give what the C library gives.
    2. A scalar and a lane of a vector give the same bits for the same argument,
       with fused multiply-add as without, but not across the two.

    Refuses: nothing; other functions and types stay, and become library calls.
  }];
  let options = [Option<"scaleInstruction", "scale-instruction", "bool",
                        /*default=*/"false",
                        "The target is AVX-512 and scales by powers of two in one "
                        "instruction (default: no)">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "math::MathDialect"];
}

def ExpandPadsPass : Pass<"symshape-expand-pads"> {
  let summary = "Computes what is padded in the middle of the padded tensor";
  let description = [{
    Rewrites each `tensor.pad` with one padding value as an empty tensor whose
    border is filled, and into whose middle the source is inserted. Where a
    structured op computes the source for this use alone, that op computes it in
    place, so that nothing is copied. A filled tensor from which several
    structured ops start becomes one for each of them. Run this last before
    tensors become buffers.

    Guarantees:
    1. The elements of every tensor are the same.
    2. Each element of the result is written once.

    Refuses: nothing; padding that differs by position stays.
  }];
  let dependentDialects = ["affine::AffineDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def ExpandReshapesPass : Pass<"symshape-expand-reshapes"> {
  let summary = "Replaces memref.expand_shape by explicit sizes and strides";
  let description = [{
    Rewrites each `memref.expand_shape` as a `memref.reinterpret_cast` whose sizes
    are the `output_shape` of the op. Needed before `expand-strided-metadata`,
    which in MLIR 22 crashes on an expansion into two dynamic dimensions.

    Guarantees:
    1. Sizes, strides and offset of the result are those of the op.

    Refuses: nothing; an op on a buffer without strides stays as it is.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect"];
}

def LowerComplexPass : Pass<"symshape-lower-complex"> {
  let summary = "Computes functions of complex numbers from their parts";
  let description = [{
    Replaces functions of complex scalars, such as `complex.exp`, by functions of
    their real and imaginary parts, as upstream's `convert-complex-to-standard`
    does. Sums and products stay for the conversion to LLVM. That would form
    absolute values and quotients by way of squares, which overflow.

    Guarantees:
    1. A program without such functions is left as it is.

    Refuses: functions that upstream cannot lower.
  }];
  let dependentDialects = ["arith::ArithDialect", "complex::ComplexDialect",
                           "math::MathDialect"];
}

def LowerMasksPass : Pass<"symshape-lower-masks"> {
  let summary = "Turns ops inside of masks into ops with masks";
  let description = [{
    Replaces a `vector.mask` around a transfer or a gather by that op with the
    mask as an operand, and one around a reduction by the reduction of what the
    mask keeps, and neutral elements. Run it before bufferization, which cannot
    copy what is written to inside of a mask.

    Guarantees:
    1. Lanes that are masked off read, write and add nothing.

    Refuses: nothing. A `vector.mask` with a value for its other lanes stays, and
    so do those around other ops.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def LowerVectorOpsPass : Pass<"symshape-lower-vector-ops"> {
  let summary = "Lowers vectors that a program came with";
  let description = [{
    Replaces `vector.transfer_read` and `vector.transfer_write` on memrefs by
    loops over rows, also where they are masked, transposed, repeated or reach
    beyond the end; `vector.print` by loops over elements; and
    `vector.multi_reduction` and `vector.scan` by ops on rows. As upstream's
    `convert-vector-to-scf` and its patterns for the last two, without unsound
    folds.

    Guarantees:
    1. A program without such ops is left as it is.
    2. Nothing beyond the end of a memref is read or written.

    Refuses: nothing. Transfers of one contiguous row stay for the conversion to
    LLVM, and those on tensors as they are.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def LowerRuntimeChecksPass : Pass<"symshape-lower-runtime-checks", "ModuleOp"> {
  let summary = "Turns failed checks into calls of the runtime";
  let description = [{
    Rewrites `symshape.fail` as a call of `symshape_rt_fail(message, values,
    count)`, which does not return, and each `cf.assert` that is left as a branch
    to such a call instead of one to `abort`.

    Guarantees:
    1. Each distinct message is one private global.
    2. What follows a check runs only if the check has passed.

    Refuses: a module that defines `symshape_rt_fail` itself.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "scf::SCFDialect"];
}

def InsertTimersPass : Pass<"symshape-insert-timers", "ModuleOp"> {
  let summary = "Tells the runtime when each kernel runs";
  let description = [{
    Puts a call of `symshape_rt_enter` before each outermost structured op, loop
    and copy on buffers, and a call of `symshape_rt_leave` after it. The former
    takes the places in the user's program that the op comes from, as text: a
    line each, or without any the name of the op.

    Guarantees:
    1. Nothing else changes: no op is moved or replaced.
    2. A kernel that is part of another one, by a call as well, is timed with it
       (`lib/Runtime/Intervals.c`).

    Refuses: a module that defines one of the two functions itself.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def ParallelizeLoopsPass : Pass<"symshape-parallelize-loops", "ModuleOp"> {
  let summary = "Runs parallel loops on several threads";
  let description = [{
    Replaces each outermost `scf.parallel` on buffers, and each `scf.forall`, by
    a call of `symshape_rt_parallel` with a function that runs a range of its
    iterations, and with the least number of iterations that is worth a thread:
    `min-work` over the number of ops of one iteration, computed from the bounds
    of the loops inside. A parallel loop inside another one, and one with
    reductions, stays as it is and runs on one thread.

    Guarantees:
    1. Each iteration runs once and computes the same as before: results do not
       depend on the number of threads.
    2. A failure of the runtime inside a body becomes one of the caller.
    3. A loop without iterations calls no body.

    Refuses: a module that defines `symshape_rt_parallel` itself; a loop whose
    body uses a value that has no LLVM type stays as it is.
  }];
  let options = [Option<"minWork", "min-work", "int64_t", /*default=*/"16384",
                        "Ops that are worth a thread (default: 16384)">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "scf::SCFDialect"];
}

def ShareOpsPass : Pass<"symshape-share-ops", "ModuleOp"> {
  let summary = "Compiles equal ops on buffers once";
  let description = [{
    Moves each structured op on buffers, and each `scf.for`, `scf.parallel` and
    `scf.forall` without results, of which there are `least` or more that are
    equal but for the values that they use, into one private function that all
    places call. Constants are part of what is equal.

    Types of the buffers of a contraction with a packed operand lose their extents
    and strides first, so that layers of different widths share a function as well:
    of extents, its code uses only whether columns fill their panels, which an
    attribute then says. With `any-shape`, so do those of all structured ops: less
    code, which knows less. That neighbours along the last dimension are neighbours
    in memory stays known.

    With `whole-from`, a module of so many such ops or more has no other code than
    calls then, whatever `least` says: loops with results and branches that only
    fail become functions, too. A function for one op has the types of its buffers.

    Guarantees:
    1. The function does what the op does: the same order of additions, the same
       failures.
    2. What is inside a shared op, or inside a parallel loop, is shared with it.

    Refuses: nothing; ops with results stay otherwise.
  }];
  let options = [Option<"least", "least", "int64_t", /*default=*/"2",
                        "How many equal ops are worth a function (default: 2)">,
                 Option<"anyShape", "any-shape", "bool", /*default=*/"false",
                        "Take ops as equal whose buffers have different extents "
                        "(default: false)">,
                 Option<"wholeFrom", "whole-from", "int64_t", /*default=*/"0",
                        "Of modules with so many ops or more, give each op a "
                        "function (default: 0, of none)">];
  let dependentDialects = ["func::FuncDialect", "memref::MemRefDialect"];
}

def CheckAllocationsPass : Pass<"symshape-check-allocations"> {
  let summary = "Refuses allocations whose size does not fit";
  let description = [{
    Puts a check before each `memref.alloc` that may be too large: the call is
    refused where the bytes, computed without wrapping, are more than 2^47, the
    most that the runtime allocates. The lowering multiplies in 64 bits, where a
    product that wraps would give a buffer smaller than what is written to it.

    Guarantees:
    1. What follows an allocation runs only if the buffer is as large as its
       extents say.
    2. A `memref.alloca` of a dynamic size, or of more than 64 KiB, becomes a
       `memref.alloc`: the stack may have no room for it.
    3. No `memref.dealloc` is left: upstream's deallocation, which follows, takes
       programs without, and frees what they freed as well.

    Refuses: nothing; the arena of a function has no check, since the runtime checks
    the number of bytes itself.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect"];
}

def EraseAnnotationsPass : Pass<"symshape-erase-annotations", "ModuleOp"> {
  let summary = "Removes attributes about shapes and weights";
  let description = [{
    Removes each discardable attribute `symshape.NAME` of ops, and of arguments
    and results of functions, but those that callers need: `symshape.version_names`
    and the names of functions that answer for another; and `tosa.NAME` and `ml_program.NAME`, which name tensors.
    Needed before tensors become something that such an attribute cannot
    describe.

    Guarantees:
    1. Nothing else changes.

    Refuses: nothing.
  }];
}

def MarkEntryPointsPass : Pass<"symshape-mark-entry-points", "ModuleOp"> {
  let summary = "Gives public functions a C interface";
  let description = [{
    Sets `llvm.emit_c_interface` on each public function with a body, so that a
    function `_mlir_ciface_NAME` takes descriptors by pointer, and marks its
    tensors as not writable, so that bufferization copies what would be written.

    Guarantees:
    1. Private functions and declarations are unchanged.

    Refuses: nothing.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def MoveSmallFloatsPass : Pass<"symshape-move-small-floats"> {
  let summary = "Moves bf16 as integers";
  let description = [{
    Replaces the loads, stores, choices, shuffles and block arguments of `bf16`
    in the LLVM dialect, scalar or vector, by those of `i16`, with bitcasts: on
    x86 without AVX512-BF16, LLVM moves `bf16` lane by lane, partly by way of
    `f32`, and `i16` by one instruction.

    Guarantees:
    1. The bits that are moved, and where to, are the same.
    2. Functions keep their types, and calls theirs.

    Refuses: nothing; arithmetic on `bf16` stays.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def VerifyLoweredPass : Pass<"symshape-verify-lowered", "ModuleOp"> {
  let summary = "Names what could not be lowered";
  let description = [{
    Checks that nothing but the LLVM dialect is left, and runs MLIR's verifier,
    for pass managers that do not after each pass.

    Guarantees:
    1. Nothing changes.

    Refuses: a module with another op, with an error at the first such op of each
    function.
  }];
}

#endif // SYMSHAPE_CONVERSION_PASSES
