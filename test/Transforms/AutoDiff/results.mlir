// RUN: symshape-opt %s --symshape-jvp="function=f results=1" | FileCheck %s --check-prefix=JVP
// RUN: symshape-opt %s --symshape-vjp="function=f results=2,1 wrt=0" | FileCheck %s --check-prefix=VJP
// RUN: symshape-opt %s --symshape-grad="function=f results=2 wrt=0" | FileCheck %s --check-prefix=GRAD
// RUN: not symshape-opt %s --symshape-jvp="function=f results=4" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not symshape-opt %s --symshape-jvp="function=f results=0" 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not symshape-opt %s --symshape-grad="function=f results=1" 2>&1 | FileCheck %s --check-prefix=RANK

// RANGE: 'func.func' op expected 'results' to number results, each once, but got 4
// INTEGER: 'func.func' op expected field 'element_type' of result #0 to be a float to differentiate, but got i64
// INTEGER: note: {primitive = func.func, field = element_type, observed = i64}
// RANK: 'func.func' op expected one result, a float or a tensor of rank 0, for a gradient

// The op without a rule is not on the path to these results.
func.func @f(%x: tensor<?xf64>) -> (tensor<?xi64>, tensor<?xf64>, f64, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %i = arith.fptosi %x : tensor<?xf64> to tensor<?xi64>
  %s = math.sin %x : tensor<?xf64>
  %e = tensor.extract %x[%c0] : tensor<?xf64>
  %l = arith.mulf %e, %e : f64
  %j = arith.trunci %i : tensor<?xi64> to tensor<?xi32>
  %a = math.fpowi %x, %j : tensor<?xf64>, tensor<?xi32>
  return %i, %s, %l, %a : tensor<?xi64>, tensor<?xf64>, f64, tensor<?xf64>
}
// JVP-LABEL: func.func @f.jvp(
// JVP-SAME:    %{{.*}}: tensor<?xf64>, %{{.*}}: tensor<?xf64>) -> (tensor<?xi64>, tensor<?xf64>, f64, tensor<?xf64>, tensor<?xf64>)
// VJP-LABEL: func.func @f.vjp(
// VJP-SAME:    %{{.*}}: tensor<?xf64>, %{{.*}}: f64, %{{.*}}: tensor<?xf64>) -> (tensor<?xi64>, tensor<?xf64>, f64, tensor<?xf64>, tensor<?xf64>)
// GRAD-LABEL: func.func @f.grad(
// GRAD-SAME:    %[[X:.*]]: tensor<?xf64>) -> (tensor<?xi64>, tensor<?xf64>, f64, tensor<?xf64>, tensor<?xf64>)
// GRAD:         %[[FORWARD:.*]]:{{[0-9]+}} = call @f.fwd(%[[X]])
// GRAD:         %[[SEED:.*]] = arith.constant 1.0
// GRAD:         %[[GRADIENT:.*]] = call @f.transpose({{.*}}%[[SEED]])
// GRAD:         return %[[FORWARD]]#0, %[[FORWARD]]#1, %[[FORWARD]]#2, %[[FORWARD]]#3, %[[GRADIENT]]
