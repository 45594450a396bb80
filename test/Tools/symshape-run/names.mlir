// How an argument is called: its location, its attribute, the source text, or
// its number.

// RUN: not symshape-run %s --entry=text --input=2x1xf32=iota 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: expected extent 3 of %query dim 1
func.func @text(%query: tensor<?x3xf32>) { return }

// RUN: not symshape-run %s --entry=attribute --input=2x1xf32=iota 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: expected extent 3 of the query dim 1
func.func @attribute(%q: tensor<?x3xf32> {symshape.name = "the query"}) { return }

// RUN: not symshape-run %s --entry=location --input=2x1xf32=iota 2>&1 | FileCheck %s --check-prefix=LOCATION
// LOCATION: expected extent 3 of located dim 1
func.func @location(%q: tensor<?x3xf32> loc("located")) { return }

// RUN: symshape-opt %s --strip-debuginfo -emit-bytecode -o %t.mlirbc
// RUN: not symshape-run %t.mlirbc --entry=text --input=2x1xf32=iota 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: expected extent 3 of argument #0 dim 1
