// RUN: symshape-run %s --entry=indices --input=3xi64=iota | FileCheck %s --check-prefix=INDICES
// RUN: symshape-run %s --entry=indices --input=0xi64=iota | FileCheck %s --check-prefix=NONE
// RUN: symshape-run %s --entry=generated --input=index=11 | FileCheck %s --check-prefix=GENERATED
// RUN: symshape-run %s --entry=resources | FileCheck %s --check-prefix=RESOURCES

// Elements of unusual kinds: indices in vector loops, and resources without
// dims, which upstream's lowering of globals cannot read.

// INDICES: 3xi64: [0, 3, 6]
// NONE: 0xi64: []
func.func @indices(%x: tensor<?xi64>) -> tensor<?xi64> {
  %i = arith.index_cast %x : tensor<?xi64> to tensor<?xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xindex>) outs(%i : tensor<?xindex>) {
  ^bb0(%a: index, %b: index):
    %k = linalg.index 0 : index
    %s = arith.addi %a, %k : index
    %t = arith.addi %s, %b : index
    linalg.yield %t : index
  } -> tensor<?xindex>
  %o = arith.index_cast %r : tensor<?xindex> to tensor<?xi64>
  return %o : tensor<?xi64>
}

// GENERATED: 11xi64: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
func.func @generated(%n: index) -> tensor<?xi64> {
  %g = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex>
  %o = arith.index_cast %g : tensor<?xindex> to tensor<?xi64>
  return %o : tensor<?xi64>
}

// RESOURCES: i16: -2
// RESOURCES: i8: 7
// RESOURCES: f32: 1
// RESOURCES: 2xi16: [1, -2]
func.func @resources() -> (tensor<i16>, tensor<i8>, tensor<f32>, tensor<2xi16>) {
  %0 = arith.constant dense_resource<short> : tensor<i16>
  %1 = arith.constant dense_resource<byte> : tensor<i8>
  %2 = arith.constant dense_resource<float> : tensor<f32>
  %3 = arith.constant dense_resource<shorts> : tensor<2xi16>
  return %0, %1, %2, %3 : tensor<i16>, tensor<i8>, tensor<f32>, tensor<2xi16>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x02000000FEFF",
      byte: "0x0100000007",
      float: "0x040000000000803F",
      shorts: "0x020000000100FEFF"
    }
  }
#-}
