// RUN: symshape-opt %s --symshape-fixate="function=f bind='s0 = 4'" | FileCheck %s --check-prefix=FIRST
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s1 = 4'" | FileCheck %s --check-prefix=SECOND
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s0 = 4'" --symshape-fixate="function=f bind='s1 = 5'" | FileCheck %s --check-prefix=BOTH
// RUN: symshape-opt %s --symshape-fixate="function=f bind='s1 = 5, s0 = 4'" | FileCheck %s --check-prefix=BOTH
// RUN: not symshape-opt %s --symshape-fixate="function=f bind='s2 = 4'" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: symshape-opt %s --symshape-specialize="function=f versions='one: s1 == 1; small: s0 <= 4'" | FileCheck %s --check-prefix=VERSIONS
// RUN: symshape-opt %s --symshape-fixate="function=g bind='s1 = 0'" | FileCheck %s --check-prefix=TAKEN
// RUN: symshape-opt %s --symshape-fixate="function=caller bind='s0 = 4'" --symshape-fixate="function=callee bind='s1 = 5'" | FileCheck %s --check-prefix=CALLEE
// RUN: not symshape-opt %s --symshape-fixate="function=caller bind='s0 = 4'" --symshape-fixate="function=callee bind='s0 = 5'" 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: symshape-opt %s --symshape-fixate="function=expression bind='s1 = 4'" | FileCheck %s --check-prefix=EXPRESSION
// RUN: symshape-opt %s --symshape-fixate="function=expression bind='s0 = 4'" | FileCheck %s --check-prefix=HALF
// RUN: not symshape-opt %s --symshape-fixate="function=inner bind='s2 = 4'" 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: symshape-opt %s --symshape-fixate="function=buffers bind='s1 = 4'" | FileCheck %s --check-prefix=BUFFERS
// RUN: symshape-opt %s --symshape-specialize="function=expression versions='one: s1 == 1, s2 <= 4'" | FileCheck %s --check-prefix=SECOND-VERSION
// RUN: symshape-opt %s --symshape-specialize="function=buffers versions='one: s2 == 1'" | FileCheck %s --check-prefix=BUFFER-VERSION

// A dim without a name has the one that symshape-report says. Who binds it means
// that dim, and none that has the name once the first is static.

// FIRST:    func.func @f(%{{.*}}: tensor<4x?xf32> {symshape.shape = #symshape.shape<[s0, ?]>}, %{{.*}}: tensor<?x?xf32> {symshape.shape = #symshape.shape<["<= 8", N]>})
// SECOND:   func.func @f(%{{.*}}: tensor<?x4xf32> {symshape.shape = #symshape.shape<[?, s1]>}
// BOTH:     func.func @f(%{{.*}}: tensor<4x5xf32>
// NONE:     error: expected a symbol of the dims of arguments{{( \(.*\))?}}, or a scalar argument, but got 's2'
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

// What a caller passes makes a dim of the callee static; its other dim goes on to
// be s1.
// CALLEE: func.func private @callee(%{{.*}}: tensor<4xf32>{{.*}}, %{{.*}}: tensor<5xf32>{{.*}})
// GONE:   error: expected a symbol of the dims of arguments{{( \(.*\))?}}, or a scalar argument, but got 's0'
func.func @caller(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @callee(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @callee(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  return %b : tensor<?xf32>
}

// s0 is a name that the user gave to a half.
// EXPRESSION:     func.func @expression(%{{.*}}: tensor<?x4xf32> {symshape.shape = #symshape.shape<[2*s0, s1]>}, %{{.*}}: tensor<?xf32>)
// HALF:           func.func @expression(%{{.*}}: tensor<8x?xf32> {symshape.shape = #symshape.shape<[2*s0, ?]>}, %{{.*}}: tensor<?xf32>)
// SECOND-VERSION: func.func private @expression.one(%{{.*}}: tensor<?x?xf32> {symshape.shape = #symshape.shape<[2*s0, s1]>}, %{{.*}}: tensor<?xf32> {symshape.shape = #symshape.shape<[s2]>})
func.func @expression(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<["2*s0", ?]>}, %b: tensor<?xf32>) {
  return
}

// A name that the body binds is none of the signature.
// INNER: error: expected a symbol of the dims of arguments{{( \(.*\))?}}, or a scalar argument, but got 's2'
func.func @inner(%a: tensor<?xf32>) {
  symshape.bind_shape %a [s2] : tensor<?xf32>
  return
}

// Scalars have no dims, and memrefs have.
// BUFFERS:        func.func @buffers(%{{.*}}: index, %{{.*}}: tensor<?xf32>, %{{.*}}: memref<4x4xf32> {symshape.shape = #symshape.shape<[s1, 4]>}, %{{.*}}: tensor<?xf32>)
// BUFFER-VERSION: func.func private @buffers.one(%{{.*}}: index, %{{.*}}: tensor<?xf32>, %{{.*}}: memref<?x4xf32>, %{{.*}}: tensor<?xf32> {symshape.shape = #symshape.shape<[s2]>})
func.func @buffers(%n: index, %a: tensor<?xf32>, %b: memref<?x4xf32>, %c: tensor<?xf32>) {
  return
}
