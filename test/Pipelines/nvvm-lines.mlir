// On a GPU, no op along an axis is left to a kernel of one thread; each pair of passes is one kernel.

// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=order --assembly=%t.order.ptx
// RUN: FileCheck %s --check-prefix=ORDER --implicit-check-not='.entry' < %t.order.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=running --assembly=%t.running.ptx
// RUN: FileCheck %s --check-prefix=RUNNING --implicit-check-not='.entry' < %t.running.ptx
// RUN: symshape-run %s --target=nvvm --chip=sm_80 --entry=places --assembly=%t.places.ptx
// RUN: FileCheck %s --check-prefix=PLACES --implicit-check-not='.entry' < %t.places.ptx
// RUN: symshape-opt %s --symshape-nvvm=chip=sm_80 --mlir-print-ir-after=symshape-form-kernels -o %t.mlir 2> %t.formed.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t.formed.mlir

// Memory is allocated before the loop.
// HOST-LABEL: func.func @order(
// HOST:         gpu.launch
// HOST:         scf.for
// HOST-NOT:       memref.alloc
// HOST-NOT:       memref.copy
// HOST:           gpu.launch
// HOST-NOT:       memref.alloc
// HOST:           gpu.launch
// HOST-NOT:     scf.for
// HOST-LABEL: func.func @running.guard(

// ORDER: .entry order_generic_0
// ORDER: .maxntid 256
// ORDER: .entry order_generic_1
// ORDER: .maxntid 256
// ORDER: .entry order_generic_2
// ORDER: .maxntid 256
func.func @order(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %v, %p = symshape.sort %x axis 1 : tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %p : tensor<?x?xf32>, tensor<?x?xi64>
}

// RUNNING: .entry running_generic_0
// RUNNING: .maxntid 256
// RUNNING: .entry running_generic_1
// RUNNING: .maxntid 256
// RUNNING: .entry running_generic_2
// RUNNING: .maxntid 256
func.func @running(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = symshape.cumsum %x axis 1 : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// PLACES: .entry places_generic_0
// PLACES: .maxntid 256
// PLACES: .entry places_generic_1
// PLACES: .maxntid 256
// PLACES: .entry places_generic_2
// PLACES: .maxntid 256
func.func @places(%x: tensor<?x?xf32>) -> tensor<?x2xindex> {
  %p = symshape.nonzero %x : tensor<?x?xf32> to tensor<?x2xindex>
  return %p : tensor<?x2xindex>
}
