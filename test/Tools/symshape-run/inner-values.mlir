// RUN: symshape-run %s --entry=region --input=3x5xf32=zeros --input=index=3 | FileCheck %s --check-prefix=IS3
// RUN: not symshape-run %s --entry=region --input=3x5xf32=zeros --input=index=7 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: symshape-run %s --entry=nested --input=5xf32=zeros --input=index=0 --input=9xindex=iota | FileCheck %s --check-prefix=IS0
// RUN: not symshape-run %s --entry=nested --input=5xf32=zeros --input=index=7 --input=9xindex=iota 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: symshape-run %s --entry=shape --input=5xf32=zeros --input=index=2 --input=9xindex=iota | FileCheck %s --check-prefix=IS3
// RUN: not symshape-run %s --entry=shape --input=5xf32=zeros --input=index=1 --input=9xindex=iota 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: symshape-run %s --entry=switch --input=5xf32=zeros --input=index=5 --input=9xindex=iota | FileCheck %s --check-prefix=IS5
// RUN: not symshape-run %s --entry=switch --input=5xf32=zeros --input=index=6 --input=9xindex=iota 2>&1 | FileCheck %s --check-prefix=SWITCH
// RUN: symshape-run %s --entry=loop --input=5xf32=zeros --input=index=3 --input=9xindex=iota | FileCheck %s --check-prefix=IS3
// RUN: not symshape-run %s --entry=loop --input=5xf32=zeros --input=index=6 --input=9xindex=iota 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: symshape-run %s --entry=product --input=index=3 | FileCheck %s --check-prefix=IS3
// RUN: not symshape-run %s --entry=product --input=index=1152921504606846976 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: symshape-run %s --entry=whiles --input=index=3 --input=index=2 --input=index=1 | FileCheck %s --check-prefix=WHILES
// RUN: not symshape-run %s --entry=whiles --input=index=3 --input=index=0 --input=index=1 2>&1 | FileCheck %s --check-prefix=EMPTY
// WHILES: index: 2
// EMPTY: %r#0 (0) must be at least 1

// A result that is a value computed inside of its op: a check outside names the
// result, since the value cannot be seen there.
// IS0: index: 0
// IS3: index: 3
// IS5: index: 5
// REGION: @region: %r (7) must be at most extent of %t dim 1 (s1 = 5)
// NESTED: @nested: %r (7) must be at most extent of %t dim 0 (s0 = 5)
// SHAPE: @shape: extent of %r dim 0 (2) must be at least 3
// SWITCH: @switch: %r (6) must be at most extent of %t dim 0 (s0 = 5)
// PRODUCT: @product: 8*%r (9223372036854775808) must be at most 9223372036854775807
// PRODUCT-NEXT: %r = 1152921504606846976
// LOOP: @loop: %r (6) must be at most extent of %t dim 0 (s0 = 5)

func.func @region(%t: tensor<?x?xf32>, %p: index) -> index {
  %r = scf.execute_region -> index {
    %a = index.casts %p : index to i32
    %b = index.castu %a : i32 to index
    scf.yield %b : index
  }
  %s = tensor.extract_slice %t[0, 0] [1, %r] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %i = arith.constant 1 : index
  %d = tensor.dim %s, %i : tensor<1x?xf32>
  return %d : index
}
func.func @nested(%t: tensor<?xf32>, %n: index, %m: tensor<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %yes = arith.cmpi uge, %c5, %c0 : index
  %r = scf.if %yes -> index {
    %c = arith.cmpi eq, %n, %n : index
    %q = scf.if %c -> index {
      %x = tensor.extract %m[%n] : tensor<?xindex>
      scf.yield %x : index
    } else {
      scf.yield %c5 : index
    }
    scf.yield %q : index
  } else {
    scf.yield %c0 : index
  }
  %s = tensor.extract_slice %t[0] [%r] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  return %d : index
}
func.func @shape(%t: tensor<?xf32>, %n: index, %m: tensor<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.cmpi eq, %n, %n : index
  %r = scf.if %yes -> tensor<?xf32> {
    %x = tensor.extract %m[%n] : tensor<?xindex>
    %y = arith.addi %x, %c1 : index
    %e = tensor.empty(%y) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  %s = tensor.extract_slice %r[0] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %d : index
}
func.func @switch(%t: tensor<?xf32>, %n: index, %m: tensor<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.index_switch %c1 -> index
  case 1 {
    %x = tensor.extract %m[%n] : tensor<?xindex>
    scf.yield %x : index
  }
  default {
    scf.yield %n : index
  }
  %s = tensor.extract_slice %t[0] [%r] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  return %d : index
}
func.func @loop(%t: tensor<?xf32>, %n: index, %m: tensor<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %n) -> index {
    %x = tensor.extract %m[%n] : tensor<?xindex>
    scf.yield %x : index
  }
  %s = tensor.extract_slice %t[0] [%r] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  return %d : index
}
// What is made of the result speaks of the result, too.
func.func @product(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %yes = arith.constant true
  %r = scf.if %yes -> (index) {
    %inner = scf.for %i = %c3 to %c4 step %c3 iter_args(%a = %n) -> (index) {
      %q = arith.divui %n, %c1 : index
      scf.yield %q : index
    }
    scf.yield %inner : index
  } else {
    scf.yield %c3 : index
  }
  %e = tensor.empty(%c8, %r) : tensor<?x?xf32>
  %flat = tensor.collapse_shape %e [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %r : index
}
// A loop that ends at once: its result equals what each of its regions is given.
func.func @whiles(%n: index, %m: index, %k: index) -> index {
  %r:2 = scf.while (%a = %m, %b = %m) : (index, index) -> (index, index) {
    %goes = arith.cmpi slt, %b, %b : index
    scf.condition(%goes) %b, %b : index, index
  } do {
  ^bb0(%c: index, %d: index):
    scf.yield %d, %c : index, index
  }
  %t = tensor.empty(%n, %r#1) : tensor<?x?xf32>
  %s:2 = scf.while (%a = %r#1, %b = %r#0) : (index, index) -> (index, index) {
    %part = tensor.extract_slice %t[0, 0] [%a, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %goes = arith.cmpi slt, %b, %a : index
    scf.condition(%goes) %b, %b : index, index
  } do {
  ^bb0(%c: index, %d: index):
    scf.yield %k, %d : index, index
  }
  return %s#0 : index
}
