//===- Passes.td - Transformation passes of symshape -------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_PASSES
#define SYMSHAPE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

// What is counted with --mlir-pass-statistics. Passes without an anchor run on a
// module or on one function, where they know what that function says alone.
class Questions {
  list<Statistic> asked = [
    Statistic<"numAsked", "num-asked", "Questions that facts were asked">,
    Statistic<"numNew", "num-new",
              "Questions that were not answered from memory">];
}
defvar questions = Questions<>.asked;

def InferShapesPass : Pass<"symshape-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Refines types where extents are proved constants";
  let description = [{
    Runs the shape analysis and gives each tensor whose dynamic extent is a proved
    constant a static type, by casts that the canonicalisation of `tensor` and
    `linalg` moves through the users. What ops require counts as a fact, and an op
    may disappear with what it requires: run `symshape-insert-guards` before,
    if a call that does not meet that must be refused.

    Guarantees:
    1. Only exact extents refine a type; an upper bound never does.
    2. With `annotate`, each op with a ranked result carries `symshape.extents`:
       `e` exact, `<= e` an upper bound, `?` unknown. An extent that only data
       determines is written as a bound, if it has one.
    3. With `report-unknown`, a remark for each unknown extent says why it is
       unknown and what to write.
    4. An op that is invalid on the refined types, as in the branch for another
       size, becomes a `symshape.assert` of a false relation; where it computes
       no element, as a convolution without channels, it becomes what it writes
       to.
    5. What the signature of a private function declares, which inlining would
       lose, becomes `symshape.bind_shape` and `symshape.assert` in its body; if
       they cannot say it, the function becomes `no_inline`; so does a public
       function that declares something and is called in the module.

    Refuses: an op that takes an upper bound for an extent, such as a reshape to
    7 of at most 7 elements. An op without a rule has unknown extents.
  }];
  let options = [
    Option<"annotate", "annotate", "bool", /*default=*/"false",
           "Write each extent as an attribute (default: no)">,
    Option<"reportUnknown", "report-unknown", "bool", /*default=*/"false",
           "Emit a remark for each unknown extent (default: no)">,
    Option<"ifChanged", "if-changed", "bool", /*default=*/"false",
           "Do nothing if no pass has changed the module since "
           "symshape-discharge has run (default: no)">,
    Option<"assumeNoWrap", "assume-no-wrap", "bool", /*default=*/"false",
           "Take index arithmetic to be that of integers: wrong where it wraps "
           "(default: only where that is proved or the op says so)">];
  let dependentDialects = ["arith::ArithDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
  let statistics = questions # [
    Statistic<"numRefined", "num-refined", "Extents that became static">];
}

def CanonicalizePass : Pass<"symshape-canonicalize"> {
  let summary = "Canonicalizes without upstream's unsound rewrites";
  let description = [{
    Does what `canonicalize` does, except where a pattern or folder of MLIR 22
    changes what the program computes or an extent that the shape analysis has
    found: `docs/Rationale/UpstreamPatterns.md` lists these. Use it between
    passes of symshape instead of `canonicalize`.

    Guarantees:
    1. Every value, and every extent, is what it was before, for each run whose
       behaviour is defined.
    2. A cast from `index` to a narrower integer becomes two, so that a later
       `canonicalize` does not undo it.
    3. A slice that keeps some dimensions of size 1 and drops others drops them
       all, and a reshape adds those that are kept: later passes do not have to
       guess which they are.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def DischargePass : Pass<"symshape-discharge"> {
  let summary = "Removes what the facts decide";
  let description = [{
    Erases asserts that are proved, replaces decided comparisons by constants, and
    integer scalars (dims, selects, clamps, arithmetic) by a constant or by a
    value that dominates them and is provably equal. A `tensor.reshape` whose
    element count is proved becomes `tensor.collapse_shape` and
    `tensor.expand_shape`.

    Guarantees:
    1. An assert is proved by facts that hold before it, never by itself; of two
       that imply each other the first stays.
    2. The answer Unknown changes nothing, and an op that requires what is not
       proved stays.
    3. A `missed` remark names each assert and reshape that is left; a `passed`
       remark counts what was resolved.

    Refuses: nothing.
  }];
  let options = [
    Option<"ifChanged", "if-changed", "bool", /*default=*/"false",
           "Do nothing if no pass has changed the module since "
           "symshape-discharge has run (default: no)">,
    Option<"assumeNoWrap", "assume-no-wrap", "bool", /*default=*/"false",
           "Take index arithmetic to be that of integers: wrong where it wraps "
           "(default: only where that is proved or the op says so)">];
  let dependentDialects = ["arith::ArithDialect", "tensor::TensorDialect"];
  let statistics = questions # [
    Statistic<"numAsserts", "num-asserts", "Asserts removed">,
    Statistic<"numScalars", "num-scalars",
              "Comparisons, clamps and dims replaced">,
    Statistic<"numReshapes", "num-reshapes", "Reshapes rewritten">];
}

def DeclarePass : Pass<"symshape-declare", "::mlir::ModuleOp"> {
  let summary = "Declares symbols for dims of arguments";
  let description = [{
    The same as `symshape.shape` and `symshape.symbols`, for programs whose text
    cannot be edited: `spec='f: arg 0 dim 0 = B dynamic [1, 64]; %mask dim 1 static'`.
    An entry names a function (by default that of the entry before it), an
    argument by number or spelling, and a dynamic dim; then what holds: a name, a
    policy, a range, `multiple_of` a number.

    Guarantees:
    1. A dim that is a symbol already keeps its name; what the entry does not say
       of the symbol stays as it was.

    Refuses: a dim that is static, or an expression; a second name.
  }];
  let options = [
    Option<"spec", "spec", "std::string", /*default=*/"",
           "Entries, separated by semicolons">];
  let dependentDialects = ["symshape::SymShapeDialect"];
}

def CheckPoliciesPass : Pass<"symshape-check-policies"> {
  let summary = "Checks what symbols are against their policies";
  let description = [{
    Nothing changes.

    Refuses: a symbol with the policy `static` to which facts of the signature do
    not give one value; one with the policy `dynamic` to which they do, such as
    `a <= b`, `b <= a` and `a + b == 10`. Meant to run after
    `symshape-insert-guards`, whose guards are such facts.
  }];
}

def InsertGuardsPass : Pass<"symshape-insert-guards", "::mlir::ModuleOp"> {
  let summary = "Checks at run time what is required and not proved";
  let description = [{
    Collects what every op needs to be valid. What is a function of the arguments'
    dims becomes an entry guard: `@f.guard` takes the dynamic dims of the
    arguments of `@f` and returns -1, or the number of a guard that fails, where
    those that divide or take integers of more than 64 bits wait for the others;
    `@f` calls it before anything else. Number 0 is the common bound of extents,
    2^48 - 1. `symshape.guard_function` of `@f` says its name, which has a number
    where another function is called so. Where one fails, `@f` calls `@f.guard.tell` on the same dims: it
    reports all guards that fail, with the values that were observed, and ends the
    call. What depends on data is checked where all that decides it is known, and
    before the op that needs it; for the elements that a structured op reads, by
    one reduction. An assert that is checked earlier becomes a `symshape.assume`.

    Guarantees:
    1. No guard is proved from the others and the ranges of dims.
    2. Requirements of a private function that is only called move to its
       callers.
    3. No check overflows, whatever the arguments.
    4. Guards are added to `symshape.assume` of the function, which gets the
       attribute `symshape.guarded`; running the pass again changes nothing.
    5. A `passed` remark counts requirements proved, guards and checks.
    6. A check fails only in a call that reaches an op that needs it. In its block
       it stands after every effect that precedes the op; guards, and checks that
       leave a loop or branch, refuse a call before what is inside is done.

    Refuses: a requirement that can never be met; one that cannot be checked
    before its op; one that is not declared and rules out values of a symbol with
    the policy `dynamic`, or, with `frozen`, any that is not declared. One error
    lists these, each with the op that needs it and what to declare.
  }];
  let options = [
    Option<"frozen", "frozen", "bool", /*default=*/"false",
           "Refuse requirements that are neither proved nor declared (default: "
           "check them)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
  let statistics = questions # [
    Statistic<"numProved", "num-proved", "Requirements proved">,
    Statistic<"numGuards", "num-guards", "Entry guards inserted">,
    Statistic<"numChecks", "num-checks", "Checks inserted before ops">];
}

def AssumeExtentsPass
    : Pass<"symshape-assume-extents", "::mlir::ModuleOp"> {
  let summary = "Tells a function with which extents it is called";
  let description = [{
    Adds to `symshape.assume` of a function that dims of its arguments have these
    extents: for code that is compiled once a call has come. Callers must see to
    it. Meant to run after `symshape-insert-guards`, so that what the program
    requires is checked as in code for all shapes.

    Guarantees:
    1. Types do not change, nor do existing guards.
    2. Extents that contradict each other or what is assumed change nothing: no
       such call passes the guards.

    Refuses: another number of extents than the arguments have dynamic dims.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    ListOption<"extents", "extents", "int64_t",
               "One per dynamic dim of an argument, in order, negative where "
               "nothing is known (default: nothing is known)">];
  let dependentDialects = ["symshape::SymShapeDialect"];
}

def SpecializePass : Pass<"symshape-specialize", "::mlir::ModuleOp"> {
  let summary = "Builds the declared versions of functions, and their choice";
  let description = [{
    For each version in `symshape.versions` of a function `@f`, makes a private
    clone `@f.NAME` that assumes its condition, beside `@f.default`. `@f` becomes
    a dispatcher: a decision tree over the dims of its arguments, and one call
    for each version. The public `@f.version` takes the dynamic dims of the
    arguments of `@f` and returns the number of the version, by its attribute
    `symshape.version_names`; `symshape.version_function` of `@f` says its name.

    Guarantees:
    1. The most specific version whose condition holds is chosen: one whose
       condition implies that of another comes first; else the order of
       declaration decides.
    2. What the clone requires is checked when it is chosen; a failure never
       leads to the choice of another one.
    3. No path tests what declared facts or earlier outcomes decide.
    4. There is no default if the other versions provably admit all arguments.
    5. A warning for each version that is never chosen says why: its condition
       cannot hold, equals that of another, or is covered by others.

    Refuses: a condition over anything but dims of arguments.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "Function that gets the versions of `versions` (default: none)">,
    Option<"versions", "versions", "std::string", /*default=*/"",
           "Further versions, as 'decode: L == 1; wide: 64 | S, B <= 8' "
           "(default: those that functions declare)">,
    Option<"warn", "warn", "bool", /*default=*/"true",
           "Warn about versions that are never chosen (default: yes)">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
  let statistics = questions;
}

def SpecializeCallsPass
    : Pass<"symshape-specialize-calls", "::mlir::ModuleOp"> {
  let summary = "Carries facts about extents across calls of private functions";
  let description = [{
    Carries types into private functions that are only called, and back into the
    types of their results, and refines them as `symshape-infer-shapes` does. Run
    that pass before: without such functions on tensors this one changes nothing.
    If a signature declares what divides an extent, as in a version for `16 | L`,
    such functions also learn the numbers, from 8 up, that divide what calls pass.

    Guarantees:
    1. A function whose calls pass different static types, or other divisors, is
       cloned, once for each of these; without any to pass, no function changes.
    2. Public and recursive functions keep their types.
    3. Running the pass twice is the same as running it once.

    Refuses: nothing.
  }];
  let dependentDialects = ["arith::ArithDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def FixatePass : Pass<"symshape-fixate", "::mlir::ModuleOp"> {
  let summary = "Binds symbols of a function to values, callees included";
  let description = [{
    Gives the arguments of a function the types that follow from these values of
    symbols and dims, and carries them through its body and its callees: the program for
    all shapes becomes one for some of them. A scalar argument that is bound, by
    its `symshape.name`, becomes a constant wherever the body or a callee uses it.

    Guarantees:
    1. Where all dims of arguments are bound, and all scalars that sizes come
       from, and no data-dependent one is left, no extent is dynamic, and nothing
       names or checks one.
    2. What is not bound stays as it was, and its requirements with it.
    3. A scalar that is bound stays an argument; a call that passes another value
       fails an assert before anything runs.

    Refuses: a value that contradicts declared facts or another value, or that
    rules out something that is always required; the values and the chain of facts
    are in the notes.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    Option<"bind", "bind", "std::string", /*default=*/"",
           "Symbols, or scalar arguments, and their values, as 'B = 4, s = 2'">,
    Option<"shapes", "shapes", "std::string", /*default=*/"\"\"",
           "Shape of each argument, as '4x?, -, 128': '?' leaves a dim open, "
           "'-' an argument; for a scalar, its value">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "symshape::SymShapeDialect", "tensor::TensorDialect"];
}

def ExpandOpsPass : Pass<"symshape-expand-ops", "::mlir::ModuleOp"> {
  let summary = "Rewrites ops of the dialect to arith and scf";
  let description = [{
    Replaces `symshape.size` by arithmetic, `symshape.assert` and `cf.assert` by a
    branch with `symshape.fail`, and erases `symshape.bind_shape`,
    `symshape.assume` and `llvm.intr.assume`: for pipelines, once no later pass needs facts.

    Guarantees:
    1. No arithmetic of a check overflows.
    2. Of the ops of the dialect, only `symshape.fail` and those on tensors are
       left.

    Refuses: a symbol that has no value; an op outside of functions of `func`.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def LiftLoopsPass : Pass<"symshape-lift-loops"> {
  let summary = "Makes ops of loops that are made of blocks";
  let description = [{
    In each function in which a branch of `cf` goes back, all blocks become
    `scf.while`, `scf.if` and `scf.index_switch`, as upstream's `lift-cf-to-scf`
    does it: bufferization and the analysis of extents know loops as ops. Then the
    function is canonicalised. Run it first.

    Guarantees:
    1. A function without such a loop is unchanged.
    2. No `ub.poison` of a tensor is left of what was lifted: what a loop carries
       out of its last iteration unread is the tensor of that iteration, or an empty one.
    3. Results and the order of effects are the same.
    4. Running the pass twice is the same as running it once.

    Refuses: a loop that no branch leaves; branches of another dialect.
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "scf::SCFDialect", "tensor::TensorDialect",
                           "ub::UBDialect"];
  let statistics = [
    Statistic<"numLifted", "num-lifted", "Functions whose loops were lifted">];
}

def HoistInvariantsPass
    : Pass<"symshape-hoist-invariants"> {
  let summary = "Moves what does not change out of loops, where that is sound";
  let description = [{
    Moves each op without effects that a loop runs again and again with the same
    operands in front of the loop, as upstream's `loop-invariant-code-motion` does.
    That pass takes tensor ops to be defined wherever their operands are; here, one
    moves only if what it requires (an index in bounds, a padding that is not
    negative, equal extents) is proved to hold before the loop, which may run zero
    times.

    Guarantees:
    1. An op that moves is defined at its new place.
    2. Where the loop is not proved to run, a tensor that is made before it is
       small, no larger than an operand of its op, or packed from one; and what
       moves has no loop inside, as that could take long.

    Refuses: nothing. `tensor.empty` moves only with an op that fills it, and ops
    of this dialect stay.
  }];
  let options = [
    Option<"onBuffers", "on-buffers", "bool", /*default=*/"false",
           "Move what upstream moves, but loops: for functions without tensors">,
  ];
  let dependentDialects = ["tensor::TensorDialect"];
  let statistics = questions # [
    Statistic<"numMoved", "num-moved", "Ops moved out of a loop">];
}

def HoistWeightsPass : Pass<"symshape-hoist-weights", "::mlir::ModuleOp"> {
  let summary = "Computes once what depends on weights alone";
  let description = [{
    Moves tensors that are computed from constants and from arguments with
    `symshape.weight` alone out of each public function `@f`, and out of the
    private functions that it calls, into a new public function `@f.prepare`, or of
    a name that is free, which `symshape.prepare_function` of `@f` says. It
    takes the weights of `@f`, in order, and returns the tensors; `@f` takes these
    as further arguments at its end. A caller calls `@f.prepare` once, keeps the
    results, and passes them to each call of `@f`.

    Guarantees:
    1. The first arguments of `@f`, their order and attributes, and its results
       are unchanged. Without anything to move, nothing changes.
    2. Only ops without side effects move, and only from the top level of a
       function of one block; views, constants and fills do not move alone.
    3. A value moves out of a private function only if it is computed from
       weights at each of its calls; out of branches and loops as well where it
       ends up in `@f.prepare`. What several calls need is computed once.
    4. The new arguments are never written to.

    Refuses: nothing. A function that is called from inside the module, or is
    recursive, keeps what it computes.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def HoistAllocationsPass
    : Pass<"symshape-hoist-allocations"> {
  let summary = "Allocates buffers of bounded size before the loop";
  let description = [{
    Moves each `memref.alloc` and `memref.alloca` that a sequential loop
    (`scf.for`, `scf.while`, `affine.for`) runs in each iteration in front of the
    loop, and its `memref.dealloc` after it. Where the size is dynamic, one array
    that is large enough for all iterations is allocated, and each iteration takes
    a `memref.reinterpret_cast` of it with the old type, so that no use changes.

    The size of the array is a constant that is proved to bound all of them, and
    then it leaves all loops; or the size in the first or the last iteration, if
    it is proved that none is larger.

    Guarantees:
    1. A buffer moves only if no iteration can see the buffer of another: it is
       not yielded, returned, stored, or used by an unknown op.
    2. An array of constant size has at most `max-bytes` (`max-stack-bytes` on the
       stack); one of another size is not larger than what an iteration asks for.
    3. A `passed` remark names the size of each array; a `missed` remark at each
       allocation in a loop that is left names the fact that is missing, or the op
       that prevents it.

    Refuses: nothing. Iterations of parallel loops keep buffers of their own, and
    so do buffers with a layout.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"64 << 20",
           "Largest array of constant size, in bytes (default: 64 MiB)">,
    Option<"maxStackBytes", "max-stack-bytes", "int64_t",
           /*default=*/"64 << 10",
           "The same for memref.alloca (default: 64 KiB)">,
    Option<"staticOnly", "static-only", "bool", /*default=*/"false",
           "Leave buffers of dynamic size, and ask no facts (default: false)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect"];
  let statistics = questions # [
    Statistic<"numMoved", "num-moved", "Allocations moved out of a loop">];
}

def PadToStaticPass : Pass<"symshape-pad-to-static"> {
  let summary = "Pads structured ops in loops to static shapes";
  let description = [{
    Gives each structured op on tensors that stands in a loop, as tiling leaves
    them there, static shapes: where each dynamic extent is proved to be at most
    some constant, the operands are padded to these constants, and the results cut
    back to their size.

    Guarantees:
    1. The elements of the results are the same. An operand is padded along a
       reduced loop only with values for which the body folds to the neutral
       value of the reduction.
    2. The ops that are padded have static shapes; an op of which one extent has no
       bound is left as it is.
    3. A `passed` remark names the extents of the loops; a `missed` remark at each
       op in a loop that stays dynamic names the fact that is missing, or what
       prevents it.

    Operands that are padded to one extent need not agree any more: so
    `symshape-insert-guards` runs before; where it has not, a remark `facts` says so.

    Refuses: nothing. Bodies that may be undefined for the added elements stay:
    divisions of integers, reads of tensors.
  }];
  let options = [
    Option<"maxExtent", "max-extent", "int64_t", /*default=*/"256",
           "Largest extent to pad to (default: 256)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "tensor::TensorDialect"];
  let statistics = questions # [
    Statistic<"numPadded", "num-padded", "Structured ops padded">];
}

def RemoveMasksPass : Pass<"symshape-remove-masks"> {
  let summary = "Removes vector masks and bounds checks that are proved";
  let description = [{
    Replaces each `vector.create_mask` whose operands are proved to be at least the
    sizes of the vector by a constant, and unmasks what uses it: masked loads,
    stores and transfers, `vector.mask`. A transfer becomes `in_bounds` along each
    dimension where its elements are proved to lie inside.

    Guarantees:
    1. What is proved rests on facts that hold before the mask or the transfer.
    2. A `missed` remark at each mask and transfer that is left names the fact that
       is missing, unless it is known to be false; a `passed` remark counts what
       was removed.

    Refuses: nothing; masks of scalable vectors stay.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
  let statistics = questions # [
    Statistic<"numMasks", "num-masks", "Masks removed">,
    Statistic<"numTransfers", "num-transfers",
              "Transfers that became in bounds">];
}

def PrintBoundsPass : Pass<"symshape-print-bounds"> {
  let summary = "Prints the bounds of values, for tests";
  let description = [{
    For each index and each open extent that an op gives, or that a branch or a
    loop carries, a remark says what it is in terms of the arguments of the
    function, or what it is at least and at most: compare it with
    `--verify-diagnostics`, which wants all of them, or with
    `--verify-diagnostics=only-expected`.

    ```mlir
    // expected-remark@below {{result #0 dim 0 is A + B}}
    %r = tensor.concat dim(0) %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```

    Guarantees:
    1. Each bound holds wherever the next op is reached; none that is printed
       follows from another. That a number fits its type is no bound.
    2. Without `reify`, the program is as it was.
    3. With `reify`, each bound is computed from the arguments by new ops right
       after the value, and a `cf.assert` compares both, so that a run judges
       what is printed.

    Refuses: nothing. A bound that cannot be computed in 64 bits is printed and
    not asserted; bodies of structured ops are not looked into.
  }];
  let options = [
    Option<"reify", "reify", "bool", /*default=*/"false",
           "Compute each bound, and assert it (default: no)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "memref::MemRefDialect",
                           "tensor::TensorDialect"];
}

def ResultsToArgumentsPass
    : Pass<"symshape-results-to-arguments", "::mlir::ModuleOp"> {
  let summary = "Lets callers allocate the buffers that functions return";
  let description = [{
    Where a private function returns a memref that it allocates, its callers
    allocate it instead and pass it as a further argument, after the others, in
    the order of the results. So the buffer can have a place in the plan of the
    caller, which knows for how long it is used.

    Guarantees:
    1. Only functions whose calls are all known change; public functions keep
       their type.
    2. A result moves only if the extents that each caller sees are known before
       the call, and every return gives the same allocation, or the whole of it
       reshaped. Two results never share one.

    Refuses: nothing; other results stay.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect"];
}

def PlanMemoryPass : Pass<"symshape-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Gives the temporary buffers of a function one arena";
  let description = [{
    Replaces each `memref.alloc` that does not leave its function by a view of
    one array of bytes. Its size, and the place of each buffer in it, are
    expressions over what is known at entry of the function, and are computed
    once. A private function all of whose calls are known takes its arena, a part
    of the caller's, as its last argument; any other allocates it before the
    first op that needs it, as a buffer to be freed like any other. Best after
    `symshape-results-to-arguments`, and before buffers are deallocated.

    Guarantees:
    1. Buffers in use at the same time do not overlap; each begins at a multiple
       of 64 bytes.
    2. In a sequential loop, a buffer has one place for all iterations. It may be
       sized by an upper bound of its extents.
    3. A total that does not fit the address space is refused by the allocator.
    4. A `passed` remark at each buffer gives its size and place; a `missed`
       remark says why an allocation stays.

    Refuses: nothing. What is returned, stored, carried by a loop or allocated by
    iterations that run at the same time stays, and so does what has no bound at
    entry.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
  let statistics = questions;
}

def JvpPass : Pass<"symshape-jvp", "::mlir::ModuleOp"> {
  let summary = "Adds the forward derivative of a function";
  let description = [{
    Adds `@f.jvp`, which takes the arguments of `@f` and a tangent for each
    argument of `wrt`, and returns the results of `@f` and a tangent for each
    result of floats. Calls are inlined.

    Guarantees:
    1. Ops that compute tangents are linear in them.
    2. Integer, index and i1 values have no tangents. A result that does not
       depend on `wrt` has zeros of its run-time extents.
    3. Other functions are unchanged; on failure, so is the whole module.

    Refuses: an op without a rule on a path of floats from `wrt` to a result;
    memrefs; a body of several blocks.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    ListOption<"wrt", "wrt", "int64_t",
               "Numbers of the arguments to differentiate by (default: all of "
               "floats)">,
    ListOption<"results", "results", "int64_t",
               "Numbers of the results to differentiate (default: all of "
               "floats)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def LinearizePass : Pass<"symshape-linearize", "::mlir::ModuleOp"> {
  let summary = "Splits the forward derivative of a function in two";
  let description = [{
    Adds `@f.fwd`, which takes the arguments of `@f` and returns its results and
    residuals, and `@f.lin`, which takes the residuals and a tangent for each
    argument of `wrt`, and returns the tangents of results.

    Guarantees:
    1. `@f.lin` is linear in the tangents.
    2. No tensor is a residual only for its extents: extents are residual
       indices. Constants and tensors filled with them are made again.

    Refuses: what `symshape-jvp` refuses.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    ListOption<"wrt", "wrt", "int64_t",
               "Numbers of the arguments to differentiate by (default: all of "
               "floats)">,
    ListOption<"results", "results", "int64_t",
               "Numbers of the results to differentiate (default: all of "
               "floats)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def TransposePass : Pass<"symshape-transpose", "::mlir::ModuleOp"> {
  let summary = "Transposes what linearization gives";
  let description = [{
    Adds `@f.transpose` for the `@f.lin` that `symshape-linearize` made. It takes
    the residuals and a cotangent for each result of `@f.lin`, and returns one for
    each tangent.

    Guarantees:
    1. The cotangent of a value has the value's extents at run time; it is zeros
       where no result depends on the value.

    Refuses: an op without a transpose.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def VjpPass : Pass<"symshape-vjp", "::mlir::ModuleOp"> {
  let summary = "Adds the reverse derivative of a function";
  let description = [{
    Linearizes `@f` and transposes the linear part; adds `@f.vjp`, which takes the
    arguments of `@f` and a cotangent for each result of floats, and returns the
    results of `@f` and a cotangent for each argument of `wrt`, and the private
    functions that it calls, `@f.fwd` and `@f.transpose`. Running an AD pass on
    `@f.vjp` gives derivatives of higher order.

    Guarantees: those of `symshape-linearize` and `symshape-transpose`.

    Refuses: what these refuse.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    ListOption<"wrt", "wrt", "int64_t",
               "Numbers of the arguments to differentiate by (default: all of "
               "floats)">,
    ListOption<"results", "results", "int64_t",
               "Numbers of the results to differentiate (default: all of "
               "floats)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

def GradPass : Pass<"symshape-grad", "::mlir::ModuleOp"> {
  let summary = "Adds the gradient of a function";
  let description = [{
    Adds `@f.grad`, which takes the arguments of `@f` and returns its result and
    the result's gradient by each argument of `wrt`: `symshape-vjp` with the
    cotangent 1.

    Guarantees: those of `symshape-vjp`.

    Refuses: a function with more than one result, or one that is not a float or a
    tensor of rank 0; and what `symshape-vjp` refuses.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "Name of the function (default: main)">,
    ListOption<"wrt", "wrt", "int64_t",
               "Numbers of the arguments to differentiate by (default: all of "
               "floats)">,
    ListOption<"results", "results", "int64_t",
               "Numbers of the results to differentiate (default: all of "
               "floats)">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "symshape::SymShapeDialect",
                           "tensor::TensorDialect"];
}

#endif // SYMSHAPE_TRANSFORMS_PASSES
