// RUN: symshape-opt %s --symshape-fixate="function=f bind='s0 = 4'" | FileCheck %s --check-prefix=FIRST
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s1 = 4'" | FileCheck %s --check-prefix=SECOND
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s0 = 4'" --symshape-fixate="function=f bind='s1 = 5'" | FileCheck %s --check-prefix=BOTH
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s1 = 5, s0 = 4'" | FileCheck %s --check-prefix=BOTH
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='s2 = 4'" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --symshape-specialize="function=f versions='one: s1 == 1; small: s0 <= 4'" | FileCheck %s --check-prefix=VERSIONS
// RUN: symshape-opt %s --symshape-fixate="function=g bind='s1 = 0'" | FileCheck %s --check-prefix=TAKEN

// A dim without a name has the one that symshape-report says. Who binds it means
// that dim, and none that has the name once the first is static.

// FIRST:    func.func @f(%{{.*}}: tensor<4x?xf32> {symshape.shape = #symshape.shape<[s0, ?]>}, %{{.*}}: tensor<?x?xf32> {symshape.shape = #symshape.shape<["<= 8", N]>})
// SECOND:   func.func @f(%{{.*}}: tensor<?x4xf32> {symshape.shape = #symshape.shape<[?, s1]>}
// BOTH:     func.func @f(%{{.*}}: tensor<4x5xf32>
// NONE:     error: expected a symbol of the dims of arguments, but got 's2'
// VERSIONS: func.func private @f.one(%{{.*}}: tensor<?x?xf32> {symshape.shape = #symshape.shape<[s0, s1]>}
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<["<= 8", N]>}) -> tensor<?x?xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A name that is taken is passed over.
// TAKEN: func.func @g(%{{.*}}: tensor<?xf32> {symshape.shape = #symshape.shape<[s0]>}, %{{.*}}: tensor<0xf32> {symshape.shape = #symshape.shape<[s1]>})
func.func @g(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[s0]>}, %b: tensor<?xf32>) {
  return
}
