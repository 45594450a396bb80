// RUN: symshape-opt %s --symshape-move-small-floats | FileCheck %s

// LLVM has one instruction for 16-bit integers under a mask, and a branch for
// each lane of bf16.

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: (%[[FROM:.*]]: !llvm.ptr, %[[TO:.*]]: !llvm.ptr, %[[MASK:.*]]: vector<16xi1>, %[[ELSE:.*]]: vector<16xbf16>)
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[ELSE]] : vector<16xbf16> to vector<16xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %[[FROM]], %[[MASK]], %[[BITS]] {alignment = 2 : i32} : {{.*}} -> vector<16xi16>
// CHECK: llvm.intr.masked.store %[[LOADED]], %[[TO]], %[[MASK]] {alignment = 2 : i32} : vector<16xi16>
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<16xi1>, %else: vector<16xbf16>) {
  %numbers = llvm.intr.masked.load %from, %mask, %else {alignment = 2 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xbf16>) -> vector<16xbf16>
  llvm.intr.masked.store %numbers, %to, %mask {alignment = 2 : i32} : vector<16xbf16>, vector<16xi1> into !llvm.ptr
  llvm.return
}

// Vectors that go from block to block, are shuffled, chosen, and taken apart.
// CHECK-LABEL: llvm.func @shuffle
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %{{.*}}: i1) -> bf16
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xi16>
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[FIRST]] : vector<4xi16>), ^bb2
// CHECK: ^bb1(%[[IN:.*]]: vector<4xi16>):
// CHECK: %[[SHUFFLED:.*]] = llvm.shufflevector %[[IN]], %[[FIRST]] [0, 4, 1, 5] : vector<4xi16>
// CHECK: %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[SHUFFLED]], %[[IN]] : i1, vector<4xi16>
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[CHOSEN]] : vector<4xi16>), ^bb2
// CHECK: ^bb2:
// CHECK: %[[LANE:.*]] = llvm.extractelement %[[FIRST]]{{.*}} : vector<4xi16>
// CHECK: %[[NUMBER:.*]] = llvm.bitcast %[[LANE]] : i16 to bf16
// CHECK: llvm.return %[[NUMBER]] : bf16
llvm.func @shuffle(%from: !llvm.ptr, %more: i1) -> bf16 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %first = llvm.load %from : !llvm.ptr -> vector<4xbf16>
  llvm.cond_br %more, ^bb1(%first : vector<4xbf16>), ^bb2
^bb1(%in: vector<4xbf16>):
  %shuffled = llvm.shufflevector %in, %first [0, 4, 1, 5] : vector<4xbf16>
  %chosen = llvm.select %more, %shuffled, %in : i1, vector<4xbf16>
  llvm.cond_br %more, ^bb1(%chosen : vector<4xbf16>), ^bb2
^bb2:
  %lane = llvm.extractelement %first[%zero : i32] : vector<4xbf16>
  llvm.return %lane : bf16
}

// Must not fire: calls, arithmetic and other types.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT: bitcast
// CHECK-NOT: i16
// CHECK: llvm.return
llvm.func @others(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<8xi1>, %else: vector<8xf16>, %x: vector<8xbf16>) -> vector<8xbf16> {
  %numbers = llvm.intr.masked.load %from, %mask, %else {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf16>) -> vector<8xf16>
  llvm.intr.masked.store %numbers, %to, %mask {alignment = 2 : i32} : vector<8xf16>, vector<8xi1> into !llvm.ptr
  %sum = llvm.fadd %x, %x : vector<8xbf16>
  %called = llvm.call @called(%sum) : (vector<8xbf16>) -> vector<8xbf16>
  llvm.return %called : vector<8xbf16>
}
llvm.func @called(vector<8xbf16>) -> vector<8xbf16>
