// RUN: symshape-opt %s --symshape-lower-structured-ops=masked-bits=8 | FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: symshape-opt %s --symshape-lower-structured-ops=masked-bits=32 | FileCheck %s --check-prefixes=CHECK,WORDS
// RUN: symshape-opt %s --symshape-lower-structured-ops=masked-bits=0 | FileCheck %s --check-prefixes=CHECK,NONE

#id = affine_map<(i) -> (i)>

// A part of a vector where the target has it; else one element after the other.
// CHECK-LABEL: func.func @words(
// CHECK:         vector.store
// BYTES:         vector.maskedstore
// WORDS:         vector.maskedstore
// NONE-NOT:      vector.masked
// NONE:          memref.store
// CHECK:         return
func.func @words(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// The smallest elements decide, those of an input as well.
// CHECK-LABEL: func.func @halves(
// CHECK:         vector.store
// BYTES:         vector.maskedstore
// WORDS-NOT:     vector.masked
// WORDS:         memref.store
// NONE-NOT:      vector.masked
// NONE:          memref.store
// CHECK:         return
func.func @halves(%a: memref<?xbf16>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<?xbf16>) outs(%b : memref<?xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %0 = arith.extf %x : bf16 to f32
    linalg.yield %0 : f32
  }
  return
}
