// RUN: symshape-report %s | FileCheck %s
// RUN: symshape-report %s --shape="B=2 N=10" | FileCheck %s --check-prefix=SHAPE
// RUN: symshape-report %s --shape="B=2 N=10" --format=json | FileCheck %s --check-prefix=JSON
// RUN: sh -c "symshape-report %s --shape=B=x; echo exit $?" 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: sh -c "symshape-report %s --shape='B=2 Q=10'; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected values for symbols of the program ({{.*}}B{{.*}}), but got one for 'Q'
// NAME: exit 1
// RUN: sh -c "symshape-report %t.missing; echo exit $?" 2>&1 | FileCheck %s --check-prefix=FILE

// WORD: error: expected NAME=NUMBER in --shape, but got 'B=x'
// WORD-NEXT: exit 2
// FILE: error: cannot read '{{.*}}.missing': No such file or directory
// FILE-NEXT: exit 2

// The first line of a function is what fits, and how much is checked.
// CHECK:      @rows: (N,16) index; 3 proved, 0 guards, 0 checks, 2 left to its callers
// CHECK:        %x: tensor<?x16xf32>  [N, 16]
// CHECK-NOT:    guard:
// CHECK:        arena: [[SIZE:64\*\(\(max\(0, %n\) \+ 15\) floordiv 16\)]] bytes
// CHECK-NEXT:     memref.alloc at {{.*}}report.mlir:[[#@LINE+5]]:8: [[SIZE]] bytes at offset 0
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
func.func private @rows(%x: tensor<?x16xf32> {symshape.shape = #symshape.shape<[N, 16]>}, %n: index) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?x16xf32>
  // By index, so that the sums are not computed row by row with the quotients.
  %r = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%v: f32, %out: f32):
    %i = linalg.index 0 : index
    %sum = tensor.extract %s[%i] : tensor<?xf32>
    %0 = arith.divf %v, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// What is called twice has one place for both calls; a result is no temporary.
// CHECK:      @main: (B,16) (B,16); 7 proved, 1 guard, 0 checks
// CHECK-NEXT:   symbol B: %x dim 0{{$}}
// CHECK-NEXT:   %x: tensor<?x16xf32>  [B, 16]
// CHECK-NEXT:   %y: tensor<?x16xf32>  [B, 16]
// CHECK-NEXT:   result #0: tensor<?x16xf32>  [B, 16]
// CHECK-NEXT:   guard: extent of %y dim 0 must equal extent of %x dim 0 (B)
// CHECK-NEXT:     needed by the signature at {{.*}} (declared shape)
// CHECK:        arena: 128*B + 64*((B + 15) floordiv 16) bytes
// CHECK:        memref.alloc at {{.*}}: not in the arena: 'func.return' may keep it
// SHAPE:      @main
// SHAPE:        here arena: 320 bytes
// SHAPE-NEXT:   here most in use at once: 320 bytes
// SHAPE-NEXT:   here sum of all buffers: 384 bytes
// JSON:       "name": "main"
// JSON:       "symbols": [
// JSON:         "name": "B"
func.func @main(%x: tensor<?x16xf32> {symshape.shape = #symshape.shape<[B, 16]>},
                %y: tensor<?x16xf32> {symshape.shape = #symshape.shape<[B, 16]>}) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %a = call @rows(%x, %n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %b = call @rows(%a, %n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %r = arith.addf %b, %y : tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
