// RUN: symshape-opt %s --symshape-mark-entry-points | FileCheck %s

// CHECK: func.func @entry(%{{.*}}: tensor<?xf32> {bufferization.writable = false}, %{{.*}}: index) attributes {llvm.emit_c_interface}
func.func @entry(%t: tensor<?xf32>, %i: index) { return }

// CHECK: func.func private @helper(%{{.*}}: tensor<?xf32>) {
func.func private @helper(%t: tensor<?xf32>) { return }

// CHECK: func.func private @outside()
// CHECK-NOT: llvm.emit_c_interface
func.func private @outside()
