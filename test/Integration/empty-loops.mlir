// Many rows without columns take no time, and many turns no more of the stack than one.

// RUN: timeout 60 symshape-run %s --entry=exp --input=1099511627776x0xf32=zeros --output=/dev/null
// RUN: timeout 60 symshape-run %s --entry=exp --input=1099511627776x0xf32=zeros --output=/dev/null --compile=quick
// RUN: timeout 60 symshape-run %s --entry=exp --input=1099511627776x0xf32=zeros --output=/dev/null --threads=2
// RUN: timeout 60 symshape-run %s --entry=add --input=1048576x1048576x0xf32=zeros --output=/dev/null --compile=quick
// RUN: timeout 60 symshape-run %s --entry=pad --input=1099511627776x0xf32=zeros --input=index=0 --output=/dev/null
// RUN: timeout 60 symshape-run %s --entry=concat --input=1099511627776x0xf32=zeros --output=/dev/null --threads=2
// RUN: timeout 60 symshape-run %s --entry=softmax --input=1048576x1xf32=zeros --output=/dev/null --threads=2
// RUN: timeout 60 symshape-run %s --entry=stack --input=index=4000000 | FileCheck %s
// RUN: timeout 60 symshape-run %s --entry=stack --input=index=4000000 --compile=quick | FileCheck %s
// CHECK: f32: 4000000

func.func @exp(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = math.exp %a : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @add(%a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = arith.addf %a, %a : tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @pad(%a: tensor<?x?xf32>, %k: index) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.pad %a low[%k, 0] high[0, %k] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @concat(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @softmax(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @stack(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> f32 {
    %b = memref.alloca() : memref<64xf32>
    memref.store %x, %b[%c0] : memref<64xf32>
    %v = memref.load %b[%c0] : memref<64xf32>
    %w = arith.addf %v, %one : f32
    scf.yield %w : f32
  }
  return %r : f32
}
