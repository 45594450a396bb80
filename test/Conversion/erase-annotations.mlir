// RUN: symshape-opt %s --symshape-erase-annotations | FileCheck %s

// CHECK: func.func @f(%{{.*}}: tensor<?xf32> {bufferization.writable = false}) -> tensor<?xf32> {
func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>, bufferization.writable = false})
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}) {
  return %t : tensor<?xf32>
}
