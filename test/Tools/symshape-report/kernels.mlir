// What a program launches on a GPU, and what the host reads back meanwhile.
// RUN: symshape-report %s --target=nvvm | FileCheck %s
// RUN: symshape-report %s | FileCheck %s --check-prefix=CPU
// CPU-NOT: kernel {{[a-z]}}

// Expressions and conditions, beside the blocks that the simulated driver counts:
// RUN: env SYMSHAPE_CUDA_LIBRARY=%build/lib/libsymshape_ptxsim.so %python %S/check_launches.py %s \
// RUN:   whole:3x8 whole:70x132 open:3x8 open:3x7 open:70x131 product:65x8x8 product:65x7x8 product:70x24x72 \
// RUN:   | FileCheck %s --check-prefix=LAUNCHES
// LAUNCHES: 8 calls, 11 launches, 0 with other numbers of blocks

// Rows are whole chunks of 16 bytes: one kernel.
// CHECK-LABEL: @whole:
// CHECK:      kernel whole_generic at {{.*}}kernels.mlir:[[#@LINE+4]]:8: blocks (M*N + 255) floordiv 256, threads 256, 16 bytes at a time{{$}}
// CHECK-NOT:  kernel
func.func @whole(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, "4*N"]>},
                 %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, "4*N"]>}) -> tensor<?x?xf32> {
  %r = arith.addf %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Equal arrays are lines, whatever N is.
// CHECK-LABEL: @open:
// CHECK:      kernel open_generic {{.*}}: blocks (M*N + 1023) floordiv 1024, threads 256, 16 bytes at a time{{$}}
// CHECK-NOT:  kernel
func.func @open(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32> {
  %r = arith.addf %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Which of two kernels runs depends on N.
// CHECK-LABEL: @scaled:
// CHECK:      kernel scaled_generic {{.*}}: blocks (M*(N floordiv 4) + 255) floordiv 256, threads 256, 16 bytes at a time; if 4 | N{{$}}
// CHECK-NEXT: kernel scaled_generic {{.*}}: blocks (M*N + 255) floordiv 256, threads 256; if not 4 | N{{$}}
// CHECK-NOT:  kernel
func.func @scaled(%a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
                  %b: tensor<?xf32> {symshape.shape = #symshape.shape<[M]>}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Tiles of three sizes, by M and N; 16 bytes at a time by K and N.
// CHECK-LABEL: @product:
// CHECK:      kernel product_contract {{.*}}: blocks ((M + 127) floordiv 128)*((N + 127) floordiv 128), threads 256, tensor cores, 16 bytes at a time; if 96 <= M and 96 <= N and 100 <= {{.*}}; if 8 | K and 8 | N
// CHECK-NEXT: kernel product_contract {{.*}}: blocks ((M + 63) floordiv 64)*((N + 63) floordiv 64), threads 128, tensor cores, 16 bytes at a time; if 49 <= M and 49 <= N
// CHECK-NEXT: kernel product_contract {{.*}}: blocks ((M + 15) floordiv 16)*((N + 31) floordiv 32), threads 256, tensor cores, 16 bytes at a time; if M <= 48 or N <= 48
// CHECK-NEXT: kernel product_contract {{.*}}, tensor cores; {{.*}}; if not 8 | K or not 8 | N
// CHECK-COUNT-2: kernel product_contract
// CHECK-NOT:  kernel product_contract
func.func @product(%a: tensor<?x?xbf16> {symshape.shape = #symshape.shape<[M, K]>},
                   %b: tensor<?x?xbf16> {symshape.shape = #symshape.shape<[K, N]>},
                   %c: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>}) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: @counted:
// CHECK:      read back at {{.*}}kernels.mlir:[[#@LINE+4]]:8: the size of a buffer depends on it
// CHECK-NOT:  read back
func.func @counted(%n: tensor<i64>) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %i = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %i : i64 to index
  %empty = tensor.empty(%size) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @repeated:
// CHECK:      kernel repeated_generic {{.*}}; in a loop
// CHECK:      read back at {{.*}}: how often a loop runs depends on it
func.func @repeated(%x: tensor<?xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tensor.extract %n[] : tensor<i64>
  %turns = arith.index_cast %i : i64 to index
  %r = scf.for %k = %c0 to %turns step %c1 iter_args(%y = %x) -> tensor<?xf32> {
    %z = math.exp %y : tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
