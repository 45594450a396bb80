// What goes wrong, the message, and the exit status that tells which.

// RUN: sh -c "symshape-run; echo exit $?" 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: exit 2
// RUN: sh -c "symshape-run %s --repeat=0 --entry=f; echo exit $?" 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: expected --repeat to be at least 1, but got 0
// REPEAT-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --target=cuda; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: for the --target option: expected one of cpu, nvvm, but got 'cuda'
// WORD-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=2xf31=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=SPEC
// SPEC: error: input '2xf31=iota': expected an element type such as f32, i64, i1 or index, but got 'f31'
// SPEC-NEXT: exit 2
// RUN: sh -c "symshape-run %t.none; echo exit $?" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read '{{.*}}none'
// FILE-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=@%t.none.npy --input=i64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: cannot read '{{.*}}none.npy'
// INPUT-NEXT: exit 2

// RUN: sh -c "symshape-run %s --entry=g; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: expected a function @g with a body, but there is none
// ENTRY-NEXT: exit 1
// RUN: echo 'func.func @only(%%x: i64) -> i64 { return %%x : i64 } func.func private @other() { return }' | symshape-run - --input=i64=7 | FileCheck %s --check-prefix=ONLY
// ONLY: i64: 7
// RUN: echo 'func.func @b() { return } func.func @a() { return } func.func private @c() { return }' | not symshape-run - 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: expected a function @main with a body, but there is none; public: @b, @a
// RUN: not symshape-run %s --entry=f --input=y=1x4xf32=iota --input=i64=1 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: expected the name of an input (x, n), but got 'y'
// A type alone is no input, but what stands before it is a name.
// RUN: not symshape-run %s --entry=f --input=y=1x4xf32 --input=i64=1 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not symshape-run %s --entry=f --input=x=1x4xf32 --input=i64=1 2>&1 | FileCheck %s --check-prefix=NO-RULE
// NO-RULE: error: input '1x4xf32': expected @FILE.npy, or a type and what it holds, such as 2x3xf32=iota
// RUN: symshape-run %s --entry=given --input=step=i64=2 --input=ids=3xi64=iota | FileCheck %s --check-prefix=GIVEN
// GIVEN: 3xi64: [0, 1, 2]
// RUN: not symshape-run %s --entry=given --input=id=3xi64=iota --input=step=i64=2 2>&1 | FileCheck %s --check-prefix=GIVEN-NAMES
// GIVEN-NAMES: error: expected the name of an input (ids, step), but got 'id'
// RUN: not symshape-run - --entry=f --input=x=1x4xf32=iota --input=i64=1 < %s 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: error: expected inputs without names, in order, but got 'x='
// RUN: sh -c "symshape-run %s --entry=declared; echo exit $?" 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: error: expected a function @declared with a body, but there is none
// DECLARED-NEXT: exit 1
// RUN: sh -c "symshape-run %s --entry=unsupported; echo exit $?" 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: error: @unsupported: expected %z to be a ranked tensor or a scalar of type {{.*}}, but got tensor<?xcomplex<f32>>
// COMPLEX-NEXT: exit 1
// RUN: sh -c "echo 'func.func @main() { return %%x }' | symshape-run -; echo exit $?" 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: <stdin>:1:{{[0-9]+}}: error:
// PARSE: error: cannot parse '<stdin>'
// PARSE-NEXT: exit 1
// RUN: sh -c "echo 'func.func @_mlir_ciface_main() { return } func.func @main() { return }' | symshape-run -; echo exit $?" 2>&1 | FileCheck %s --check-prefix=RESERVED
// RESERVED: error: expected no definition of @_mlir_ciface_main: the name is reserved for the runtime
// RESERVED-NEXT: exit 1

// RUN: sh -c "symshape-run %s --entry=f --input=4xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: @f: expected 2 inputs, but got 1: %x: [?, 4] f32; %{{.*}}: i64
// COUNT-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=4xf32=iota --input=i64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: @f: expected ?x4xf32 for %x, but got 4xf32
// RANK-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=2x4xf64=iota --input=i64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: @f: expected ?x4xf32 for %x, but got 2x4xf64
// DTYPE-NEXT: exit 2
// All that is wrong is reported, types before extents.
// RUN: sh -c "symshape-run %s --entry=f --input=2x5xf32=iota --input=f64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: @f: expected i64 for %n, but got f64
// ORDER-NEXT: error: symshape: @f: expected extent 4 of %x dim 1 (tensor<?x4xf32>), but got 5
// ORDER-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=2x5xf32=iota --input=i64=1; echo exit $?" 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: symshape: @f: expected extent 4 of %x dim 1 (tensor<?x4xf32>), but got 5
// EXTENT-NEXT: exit 3

// RUN: sh -c "symshape-run %s --entry=f --input=2x4xf32=iota --input=i64=1 --output=%t.npy --output=%t2.npy --output=%t3.npy; echo exit $?" 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: @f: expected at most 2 outputs, but got 3
// OUTPUTS-NEXT: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=2x4xf32=iota --input=i64=1 --output=%t.none/x.npy; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: cannot write '{{.*}}none/x.npy'
// WRITE: exit 2
// RUN: sh -c "symshape-run %s --entry=f --input=2x4xf32=iota --input=i64=1 > /dev/null; echo exit $?" 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD: exit 0

func.func @f(%x: tensor<?x4xf32>, %n: i64) -> (tensor<?x4xf32>, i64) {
  return %x, %n : tensor<?x4xf32>, i64
}
func.func private @declared(%x: tensor<?x4xf32>)
func.func private @unsupported(%z: tensor<?xcomplex<f32>>) {
  return
}

func.func @given(%arg: tensor<?xi64> {symshape.name = "ids"}, %n: i64 {symshape.name = "step"}) -> tensor<?xi64> {
  return %arg : tensor<?xi64>
}
