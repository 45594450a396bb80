// Options for a GPU, on a machine without one and on the simulated driver.

// RUN: sh -c "symshape-run %s --chip=sm_80 --input=2xf32=iota; echo exit $?" 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected --target=nvvm with --chip, --device or --wgmma
// TARGET-NEXT: exit 2
// RUN: sh -c "symshape-run %s --target=nvvm --chip=sm_70 --assembly=%t.ptx; echo exit $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected the chip to be sm_80 or a later one that LLVM knows, such as sm_90a, but got 'sm_70'
// CHIP-NEXT: exit 2

// RUN: env SYMSHAPE_CUDA_LIBRARY=%t.none.so sh -c "symshape-run %s --target=nvvm --input=2xf32=iota; echo exit $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DRIVER
// DRIVER: error: no GPU: cannot load the CUDA driver: {{.*}}.none.so: cannot open shared object file
// DRIVER-NEXT: exit 1
// A library, but not a driver.
// RUN: env SYMSHAPE_CUDA_LIBRARY=libm.so.6 sh -c "symshape-run %s --target=nvvm --input=2xf32=iota; echo exit $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: no GPU: the CUDA driver has no function: cu
// LIBRARY-NEXT: exit 1

// RUN: env SYMSHAPE_CUDA_LIBRARY=%build/lib/libsymshape_ptxsim.so \
// RUN:   sh -c "symshape-run %s --target=nvvm --device=9 --input=2xf32=iota; echo exit $?" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: no GPU: expected a device from 0 to 0, but got 9
// DEVICE-NEXT: exit 1
// RUN: env SYMSHAPE_CUDA_LIBRARY=%build/lib/libsymshape_ptxsim.so symshape-run %s --target=nvvm --input=2xf32=iota \
// RUN:   | FileCheck %s --check-prefix=RUNS
// RUNS: 2xf32: [0, 2]

func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %a : tensor<?xf32>
  return %r : tensor<?xf32>
}
