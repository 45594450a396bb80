// RUN: symshape-opt %s --symshape-outline-kernels --split-input-file --verify-diagnostics

// Negative: threads along y have numbers that are not passed.
func.func @plane(%a: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected a launch along x alone, as symshape-form-kernels makes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %c1) {
    %v = memref.load %a[%ty] : memref<?xf32>
    memref.store %v, %a[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}

// -----

// Negative: the size of an element is not known.
func.func @vectors(%a: memref<?xvector<4xf32>>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected buffers of numbers in a kernel, but got 'memref<?xvector<4xf32>>'}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %v = memref.load %a[%bx] : memref<?xvector<4xf32>>
    memref.store %v, %a[%tx] : memref<?xvector<4xf32>>
    gpu.terminator
  }
  return
}

// -----

// Negative: a buffer without a rank has no strides, nor has one of another layout.
func.func @unranked(%a: memref<*xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected buffers with strides in a kernel, but got 'memref<*xf32>'}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %v = memref.cast %a : memref<*xf32> to memref<?xf32>
    %x = memref.load %v[%bx] : memref<?xf32>
    memref.store %x, %v[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}

// -----

// Negative: what is on the host's stack.
func.func @stack(%n: index) {
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  // expected-error@+1 {{expected buffers on the device in a kernel, but got one on the host's stack}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %v = memref.load %a[%bx] : memref<4xf32>
    memref.store %v, %a[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}

// -----

// Negative: the module's name is taken.
module attributes {gpu.container_module} {
  // expected-error@+1 {{expected '@kernels' to be free for kernels}}
  gpu.module @kernels {
  }
  func.func @clash(%a: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
      %v = memref.load %a[%bx] : memref<?xf32>
      memref.store %v, %a[%tx] : memref<?xf32>
      gpu.terminator
    }
    return
  }
}

// -----

// Negative: a constant of the host.
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
func.func @constant(%a: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expected kernels to use nothing outside by its name}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
    %t = memref.get_global @table : memref<4xf32>
    %v = memref.load %t[%bx] : memref<4xf32>
    memref.store %v, %a[%tx] : memref<?xf32>
    gpu.terminator
  }
  return
}
