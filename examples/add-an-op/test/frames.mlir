// RUN: audio-opt %s --symshape-infer-shapes=annotate | FileCheck %s
// RUN: audio-opt %s --symshape-insert-guards --audio-to-linalg -o %t.mlir
// RUN: symshape-run %t.mlir --entry=frames --input=11xf32=iota | FileCheck %s --check-prefix=THREE
// RUN: symshape-run %t.mlir --entry=frames --input=4xf32=iota | FileCheck %s --check-prefix=ONE
// RUN: not symshape-run %t.mlir --entry=frames --input=3xf32=iota 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: symshape-run %t.mlir --entry=overlap_add --input=3x4xf32=iota --input=index=11 | FileCheck %s --check-prefix=SUM
// RUN: symshape-run %t.mlir --entry=overlap_add --input=0x4xf32=iota --input=index=2 | FileCheck %s --check-prefix=NOTHING
// RUN: not symshape-run %t.mlir --entry=overlap_add --input=3x4xf32=iota --input=index=9 2>&1 | FileCheck %s --check-prefix=TOO-SHORT
// RUN: symshape-report %t.mlir | FileCheck %s --check-prefix=REPORT

// Extents are known as expressions of those of the operands.
// CHECK-LABEL: func.func @frames(
// CHECK:         audio.frames {{.*}}symshape.extents = [#symshape.shape<[(s0 + 2) floordiv 3 - 1, 4]>]
// THREE: 3x4xf32: {{\[\[}}0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]
// ONE: 1x4xf32: {{\[\[}}0, 1, 2, 3]]
// SHORT: @frames: guard failed: extent of argument #0 dim 0 (s0 = 3) must be at least 4
// SHORT: needed by audio.frames at {{.*}} (length of the signal)
func.func @frames(%signal: tensor<?xf32>) -> tensor<?x4xf32> {
  %0 = audio.frames %signal window 4 hop 3 : tensor<?xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Two rows overlap where their window is longer than the hop.
// SUM: 11xf32: [0, 1, 2, 7, 5, 6, 15, 9, 10, 11, 0]
// NOTHING: 2xf32: [0, 0]
// TOO-SHORT: needed by audio.overlap_add at {{.*}} (length)
func.func @overlap_add(%frames: tensor<?x4xf32>, %length: index) -> tensor<?xf32> {
  %0 = audio.overlap_add %frames length %length hop 3 : tensor<?x4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The slices of the lowering are proved to be inside; nothing is checked in the loop.
// REPORT-LABEL: @frames: (s0); {{.*}}, 0 checks
// REPORT-NOT:     checked at run time
// REPORT:         holds: 3*%i + 4 <= s0
