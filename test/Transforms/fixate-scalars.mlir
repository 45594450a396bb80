// RUN: symshape-opt %s --symshape-fixate="function=f bind='s = 2, %%n = 3' shapes='7, -, -, -'" | FileCheck %s --check-prefix=NAMED
// RUN: symshape-opt %s --symshape-fixate="function=f shapes='7, 2, 3, -'" | FileCheck %s --check-prefix=PLACED
// RUN: symshape-opt %s --symshape-fixate="function=f bind='argument #3 = -1'" | FileCheck %s --check-prefix=NUMBERED
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='s = 0'" 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='s = 2, s = 3'" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='argument #3 = 200'" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='z = 1'" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not symshape-opt %s --symshape-fixate="function=f shapes='7, 2x3, 3, -'" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not symshape-opt %s --symshape-fixate="function=g bind='v = 1'" 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: symshape-opt %s --symshape-fixate="function=h bind='s = 4'" | FileCheck %s --check-prefix=SYMBOL
// RUN: symshape-opt %s --symshape-fixate="function=h bind='%%s = 4'" | FileCheck %s --check-prefix=SCALAR

// A scalar stays an argument: a call that passes another value is refused. What
// it determines is static, also in a function that is called with it.
// NAMED-NOT:   ?
// NAMED:       func.func @f(%{{.*}}: tensor<7xf32>, %[[S:.*]]: index {symshape.name = "%s"}, %[[N:.*]]: index {symshape.name = "%n"}, %{{.*}}: i8) -> tensor<3x3xf32>
// NAMED-DAG:     symshape.assert "s == 2" (s = %[[S]]), "%s is bound to 2 by symshape-fixate"
// NAMED-DAG:     symshape.assert "n == 3" (n = %[[N]]), "%n is bound to 3 by symshape-fixate"
// NAMED:         call @windows({{.*}}) : (tensor<7xf32>, index, index) -> tensor<3x3xf32>
// NAMED:       func.func private @windows(
// NAMED:         stride [2]
// PLACED-NOT:  ?
// PLACED:      func.func @f(%{{.*}}: tensor<7xf32>, {{.*}} -> tensor<3x3xf32>
// Of a narrow type, by what messages call it.
// NUMBERED:    func.func @f(%{{.*}}: tensor<?xf32>, %{{.*}}, %{{.*}}, %[[V:.*]]: i8)
// NUMBERED:      %[[WIDE:.*]] = arith.index_cast %[[V]] : i8 to index
// NUMBERED:      symshape.assert "v == -1" (v = %[[WIDE]]), "argument #3 is bound to -1 by symshape-fixate"
// What the value rules out.
// STEP:        error: cannot hold at s = 0:
// STEP:        note: needed by symshape.windows
// STEP:        note: s is 0
// TWICE:       error: 's' cannot be 3
// TWICE:       note: s is 2
// LARGE:       error: 'argument #3' cannot be 200
// NONE:        error: expected a symbol of the dims of arguments{{( \(.*\))?}}, or a scalar argument, but got 'z'
// FORM:        error: shapes: expected an integer, or '-', for %s, but got '2x3'
func.func @f(%x: tensor<?xf32>, %s: index {symshape.name = "%s"}, %n: index {symshape.name = "%n"}, %v: i8) -> tensor<?x?xf32> {
  %r = call @windows(%x, %s, %n) : (tensor<?xf32>, index, index) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @windows(%x: tensor<?xf32>, %s: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %image = tensor.expand_shape %x [[0, 1, 2]] output_shape [1, %m, 1] : tensor<?xf32> into tensor<1x?x1xf32>
  %w = symshape.windows %image, %zero kernel [%n] low [0] high [0] stride [%s] dilation [1] spread [1] : tensor<1x?x1xf32> to tensor<1x?x?x1xf32>
  %r = tensor.collapse_shape %w [[0, 1], [2, 3]] : tensor<1x?x?x1xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// FLOAT: error: expected an index or an integer of at most 64 bits to bind, but 'v' is 'f32'
func.func @g(%v: f32 {symshape.name = "%v"}) {
  return
}

// A symbol comes before a scalar of its name; the scalar has a sign.
// SYMBOL: func.func @h(%{{.*}}: tensor<4xf32>
// SCALAR: func.func @h(%{{.*}}: tensor<?xf32>
// SCALAR: symshape.assert "s == 4"
func.func @h(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[s]>}, %s: index {symshape.name = "%s"}) -> index {
  return %s : index
}
