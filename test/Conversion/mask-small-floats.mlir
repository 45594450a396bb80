// RUN: symshape-opt %s --symshape-mask-small-floats | FileCheck %s

// LLVM has one instruction for 16-bit integers under a mask, and a branch for
// each lane of bf16.

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: (%[[FROM:.*]]: !llvm.ptr, %[[TO:.*]]: !llvm.ptr, %[[MASK:.*]]: vector<16xi1>, %[[ELSE:.*]]: vector<16xbf16>)
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[ELSE]] : vector<16xbf16> to vector<16xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %[[FROM]], %[[MASK]], %[[BITS]] {alignment = 2 : i32} : {{.*}} -> vector<16xi16>
// CHECK: %[[NUMBERS:.*]] = llvm.bitcast %[[LOADED]] : vector<16xi16> to vector<16xbf16>
// CHECK: %[[STORED:.*]] = llvm.bitcast %[[NUMBERS]] : vector<16xbf16> to vector<16xi16>
// CHECK: llvm.intr.masked.store %[[STORED]], %[[TO]], %[[MASK]] {alignment = 2 : i32} : vector<16xi16>
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<16xi1>, %else: vector<16xbf16>) {
  %numbers = llvm.intr.masked.load %from, %mask, %else {alignment = 2 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xbf16>) -> vector<16xbf16>
  llvm.intr.masked.store %numbers, %to, %mask {alignment = 2 : i32} : vector<16xbf16>, vector<16xi1> into !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @others
// CHECK-NOT: bitcast
llvm.func @others(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<8xi1>, %else: vector<8xf16>) {
  %numbers = llvm.intr.masked.load %from, %mask, %else {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf16>) -> vector<8xf16>
  llvm.intr.masked.store %numbers, %to, %mask {alignment = 2 : i32} : vector<8xf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}
