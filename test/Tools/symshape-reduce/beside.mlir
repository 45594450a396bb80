// RUN: symshape-reduce %s --allow-unregistered-dialect --symshape-reduce=test=/bin/false | FileCheck %s --allow-empty

// Ops beside functions may use one another: a user goes before what it uses.
// CHECK-NOT: test.
%0 = "test.value"() : () -> i32
%1:2 = "test.both"(%0, %0) : (i32, i32) -> (i32, i32)
"test.use"(%1#0) : (i32) -> ()
func.func @f() {
  return
}
"test.again"(%0, %1#1) : (i32, i32) -> ()
