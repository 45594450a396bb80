// RUN: symshape-opt %s --symshape-lower-launches --split-input-file --verify-diagnostics

// Negative: kernels that nobody has outlined have no messages of checks.
module attributes {gpu.container_module} {
  // expected-error@+1 {{expected kernels of symshape-outline-kernels in '@kernels'}}
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @launch(%n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

// Negative: a kernel of another module has no number.
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {messages = []} {
  }
  gpu.module @others {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @launch(%n: index) {
    // expected-error@+1 {{expected a kernel of symshape-outline-kernels, but got @others::@k}}
    gpu.launch_func @others::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

// Negative: elements without a size.
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {messages = []} {
  }
  func.func @vectors(%n: index) {
    // expected-error@+1 {{expected buffers of numbers with strides on the device, but got 'memref<?xvector<4xf32>>'}}
    %a = memref.alloc(%n) : memref<?xvector<4xf32>>
    memref.dealloc %a : memref<?xvector<4xf32>>
    return
  }
}
