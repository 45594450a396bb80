// DEFINE: %{spec} =
// DEFINE: %{run} = not symshape-opt %s --symshape-declare="spec='%{spec}'" 2>&1
// REDEFINE: %{spec} = h: arg 0 dim 0 auto
// RUN: %{run} | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: spec: expected a function of this module, but got 'h' in 'h: arg 0 dim 0 auto'
// REDEFINE: %{spec} = arg 0 dim 0 auto
// RUN: %{run} | FileCheck %s --check-prefix=FIRST
// FIRST: error: spec: expected a function before the first argument in 'arg 0 dim 0 auto'
// REDEFINE: %{spec} = f: arg 7 dim 0
// RUN: %{run} | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: spec: expected the number of an argument of @f in
// REDEFINE: %{spec} = f: z dim 0
// RUN: %{run} | FileCheck %s --check-prefix=SPELLING
// SPELLING: error: spec: expected arg N, or the spelling of an argument of @f, but got 'z' in
// REDEFINE: %{spec} = f: arg 0 dim 2
// RUN: %{run} | FileCheck %s --check-prefix=STATIC
// REDEFINE: %{spec} = f: arg 1 dim 0
// RUN: %{run} | FileCheck %s --check-prefix=STATIC
// STATIC: error: spec: expected dim and the number of a dynamic dim in
// REDEFINE: %{spec} = f: arg 0 dim 0 = C
// RUN: %{run} | FileCheck %s --check-prefix=NAMED
// NAMED: error: spec: expected a dim without a name, but that one is 'B' in
// REDEFINE: %{spec} = f: arg 0 dim 1
// RUN: %{run} | FileCheck %s --check-prefix=EXPRESSION
// EXPRESSION: error: spec: expected a dim without a name, but that one is '2*B' in
// REDEFINE: %{spec} = f: arg 0 dim 0 dynamically
// RUN: %{run} | FileCheck %s --check-prefix=POLICY
// POLICY: error: spec: expected auto, dynamic, static, a range or multiple_of, but got 'dynamically' in
// REDEFINE: %{spec} = f: arg 0 dim 0 [1; 2]
// RUN: %{run} | FileCheck %s --check-prefix=RANGE
// RANGE: error: spec: expected ',' between the ends of a range in
// REDEFINE: %{spec} = f: arg 0 dim 0 [4, 2]
// RUN: %{run} | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: spec: in 'f: arg 0 dim 0 [4, 2]': expected a range with min <= max, but got [4, 2]

func.func @f(%x: tensor<?x?x4xf32> {symshape.shape = #symshape.shape<[B, 2*B, 4]>}, %y: tensor<4xf32>) {
  return
}
