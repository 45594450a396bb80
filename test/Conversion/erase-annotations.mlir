// RUN: symshape-opt %s --symshape-erase-annotations | FileCheck %s

// CHECK: func.func @f(%{{.*}}: tensor<?xf32> {bufferization.writable = false}) -> tensor<?xf32> {
func.func @f(%t: tensor<?xf32> {symshape.shape = #symshape.shape<[B]>, bufferization.writable = false})
    -> (tensor<?xf32> {symshape.shape = #symshape.shape<[B]>}) {
  return %t : tensor<?xf32>
}

// Must not fire: the names of versions are for who runs the program.
// CHECK: func.func @f.version({{.*}} attributes {symshape.version_names = ["a", "default"]}
func.func @f.version(%b: index) -> i32 attributes {symshape.version_names = ["a", "default"], symshape.guarded} {
  %n = arith.constant 0 : i32
  return %n : i32
}

// Names of tensors that other tools give, which LLVM's translation would warn of.
// CHECK: func.func @named(%{{.*}}: tensor<?xf32>) -> tensor<?xf32> {
func.func @named(%t: tensor<?xf32> {tosa.tensor_name = "a", ml_program.identifier = "b"}) -> (tensor<?xf32> {tosa.tensor_name = "c"}) {
  return %t : tensor<?xf32>
}
