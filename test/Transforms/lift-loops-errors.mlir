// RUN: symshape-opt %s --symshape-lift-loops --verify-diagnostics

func.func @endless(%x: tensor<?xf32>) -> tensor<?xf32> {
  cf.br ^head
^head:
  // expected-error @+1 {{expected a branch that leaves the loop, but got none}}
  cf.br ^head
}
