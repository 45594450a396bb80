// Functions of complex numbers become functions of their parts; sums and products stay.

// RUN: symshape-opt %s --symshape-lower-complex --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @functions
// CHECK-NOT: complex.{{exp|sin|abs|div}}
// CHECK: math.sinh
// CHECK-NOT: complex.{{exp|sin|abs|div}}
// CHECK: return
func.func @functions(%x: complex<f32>) -> (complex<f32>, complex<f32>, f32, complex<f32>) {
  %s = complex.sin %x : complex<f32>
  %e = complex.exp %x : complex<f32>
  %a = complex.abs %x : complex<f32>
  %d = complex.div %s, %e : complex<f32>
  return %s, %e, %a, %d : complex<f32>, complex<f32>, f32, complex<f32>
}

// CHECK-LABEL: @untouched
// CHECK-NEXT: complex.add
// CHECK-NEXT: complex.mul
// CHECK-NEXT: return
func.func @untouched(%x: complex<f32>) -> complex<f32> {
  %s = complex.add %x, %x : complex<f32>
  %p = complex.mul %s, %x : complex<f32>
  return %p : complex<f32>
}

// Ops of no dialect are left alone.
// CHECK-LABEL: @unknown
// CHECK-NEXT: "unknown.op"
func.func @unknown() {
  "unknown.op"() : () -> ()
  return
}
