// RUN: symshape-opt %s --symshape-discharge --split-input-file | FileCheck %s

// Positive: the strides of an array in row-major order follow from its extents.
// CHECK-LABEL: func.func @row_major(
// CHECK-NOT:     symshape.assert
// CHECK:         return
func.func @row_major(%a: memref<?x?x4xf32> {symshape.shape = #symshape.shape<[N, M, 4]>}) {
  %base, %offset, %sizes:3, %strides:3 = memref.extract_strided_metadata %a
      : memref<?x?x4xf32> -> memref<f32>, index, index, index, index, index, index, index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c1 : memref<?x?x4xf32>
  symshape.assert "s == 4 * m" (s = %strides#0, m = %m), "rows are dense"
  symshape.assert "s == 4 + o" (s = %strides#1, o = %offset), "so are lines"
  return
}

// -----

// Positive: what is said of strides and offset of an argument holds wherever they
// are read.
// CHECK-LABEL: func.func @declared(
// CHECK-NOT:     symshape.assert
// CHECK:         return
func.func @declared(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
      : memref<?x?xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  symshape.assume %strides#0, %offset ["16 | s", "4 | o"] (s, o) : index, index
  %base2, %offset2, %sizes2:2, %strides2:2 = memref.extract_strided_metadata %a
      : memref<?x?xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  symshape.assert "8 | s" (s = %strides2#0), "rows begin at lines"
  symshape.assert "2 | o" (o = %offset2), "and so does the view"
  symshape.assert "s == 1" (s = %strides2#1), "elements are side by side"
  return
}

// -----

// Must not fire: two views may lie in memory in different ways, and nothing is said
// of rows beside that.
// CHECK-LABEL: func.func @other(
// CHECK:         symshape.assert "16 | s"
// CHECK:         symshape.assert "s == m"
// CHECK:         return
func.func @other(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>) {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
      : memref<?x?xf32, strided<[?, 1]>> -> memref<f32>, index, index, index, index, index
  symshape.assume %strides#0 ["16 | s"] (s) : index
  %base2, %offset2, %sizes2:2, %strides2:2 = memref.extract_strided_metadata %b
      : memref<?x?xf32, strided<[?, 1]>> -> memref<f32>, index, index, index, index, index
  symshape.assert "16 | s" (s = %strides2#0), "of the other"
  symshape.assert "s == m" (s = %strides#0, m = %sizes#1), "dense"
  return
}
