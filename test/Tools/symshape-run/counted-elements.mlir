// The number of elements that data decides: asserted, sliced by, and branched on.

// At most the length of the mask: the slice needs no check.
// RUN: symshape-opt %s --canonicalize --symshape-insert-guards | FileCheck %s --check-prefix=CHECKS
// CHECKS-LABEL: func.func @first(
// CHECKS:         %[[PLACES:.*]] = symshape.nonzero
// CHECKS:         symshape.fail "@first: assert failed: something must be marked
// CHECKS:         %[[K:.*]] = tensor.dim %[[PLACES]], %{{.*}} : tensor<?x1xindex>
// CHECKS-NOT:     symshape.fail
// CHECKS:         tensor.extract_slice %{{.*}}[0] [%[[K]]] [1]
// CHECKS:         return

// RUN: symshape-run %s --entry=first --input=6xf32=iota --input=6xf32=iota | FileCheck %s --check-prefix=FIVE
// RUN: symshape-run %s --entry=chosen --input=6xf32=iota --input=6xf32=iota | FileCheck %s --check-prefixes=FIVE,COUNT
// FIVE: 5xf32: [0, 1, 2, 3, 4]
// COUNT: index: 5

// Nothing is marked, or there is nothing to mark.
// RUN: not symshape-run %s --entry=first --input=6xf32=iota --input=6xf32=zeros 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not symshape-run %s --entry=first --input=0xf32=iota --input=0xf32=iota 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: symshape: @first: assert failed: something must be marked: extent of %places dim 0 (0) must be at least 1
// RUN: symshape-run %s --entry=chosen --input=6xf32=iota --input=6xf32=zeros | FileCheck %s --check-prefix=ALL
// ALL: 6xf32: [0, 1, 2, 3, 4, 5]
// ALL: index: 0
// RUN: symshape-run %s --entry=chosen --input=0xf32=iota --input=0xf32=iota | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0xf32: []
// EMPTY: index: 0

func.func @first(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                 %mask: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %places = symshape.nonzero %mask : tensor<?xf32> to tensor<?x1xindex>
  %k = tensor.dim %places, %c0 : tensor<?x1xindex>
  symshape.assert "k >= 1" (k = %k), "something must be marked"
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @chosen(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>},
                  %mask: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %places = symshape.nonzero %mask : tensor<?xf32> to tensor<?x1xindex>
  %k = tensor.dim %places, %c0 : tensor<?x1xindex>
  %any = arith.cmpi sgt, %k, %c0 : index
  %r = scf.if %any -> tensor<?xf32> {
    %s = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r, %k : tensor<?xf32>, index
}
