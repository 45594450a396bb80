/*===- RuntimeGPU.h - What code for a GPU calls at run time ---------*- C
-*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Device memory, launches and copies, over the CUDA driver library, which is *|
|* loaded when it is first needed. For: the host code that `symshape-nvvm`    *|
|* generates, and whoever calls it. It needs no header of CUDA and no LLVM.   *|
|*                                                                            *|
|* Addresses of device memory are integers. Blocks of device memory belong to *|
|* calls as host memory does: `_mlir_memref_to_llvm_free` frees both, and a   *|
|* call that fails frees both.                                                *|
|*                                                                            *|
|* Each thread has a stream of its own, in which everything of its calls runs *|
|* in order. A failing driver is a failure of the call (`symshape_rt_fail`).  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_C_RUNTIMEGPU_H
#define SYMSHAPE_C_RUNTIMEGPU_H

#include "symshape-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Device ------------------------------------------------------------===*/

/** Loads the driver library, named by the environment variable
    SYMSHAPE_CUDA_LIBRARY (default: libcuda.so.1), and takes hold of a device, a
    number from 0. Returns 0, or 1 with `symshape_gpu_error`. Calls count: as
    many of `symshape_gpu_close` let go of the device. All calls that are open
    at a time name the same device. */
int symshape_gpu_open(int64_t device);

/** Undoes one `symshape_gpu_open`. With the last one, what the calling thread
    keeps on the device is freed; other threads must have ended. */
void symshape_gpu_close(void);

/** Why `symshape_gpu_open` failed, for the calling thread. */
const char *symshape_gpu_error(void);

/** What the open device is, as 10 * major + minor of its compute capability:
    80 is sm_80. */
int64_t symshape_gpu_capability(void);

/*===-- Programs ----------------------------------------------------------===*/

/** The kernels of a program and what belongs to them. Generated code defines
    one, named `symshape_gpu.program`. */
typedef struct symshape_gpu_program {
  void *state;          /**< the runtime's; NULL while nothing is loaded */
  const char *code;     /**< PTX, which ends in a 0, or a cubin */
  const char *kernels;  /**< their names, each followed by a 0 */
  const char *messages; /**< of failed checks, likewise */
  int64_t numKernels;
  int64_t numMessages;
} symshape_gpu_program;

/** Loads the kernels. Returns 0, or 1 with `symshape_gpu_error`. */
int symshape_gpu_load(symshape_gpu_program *program);

/** Unloads the kernels and frees the program's constants. */
void symshape_gpu_unload(symshape_gpu_program *program);

/** Launches kernel number `kernel` of a loaded program on `blocks` blocks of
    `threads` threads; nothing if there are no blocks. `parameters` points at
    each of its parameters. */
void symshape_gpu_launch(symshape_gpu_program *program, int64_t kernel,
                         int64_t blocks, int64_t threads, void **parameters);

/** The same with `sharedBytes` bytes of shared memory for each block, besides
    those that the kernel names; it may be more than the 48 KB of other launches. */
void symshape_gpu_launch_shared(symshape_gpu_program *program, int64_t kernel,
                                int64_t blocks, int64_t threads,
                                int64_t sharedBytes, void **parameters);

/** The device copy of `bytes` bytes of constant host memory: made once for each
    address, kept until the program is unloaded. */
int64_t symshape_gpu_constant(symshape_gpu_program *program, const void *data,
                              int64_t bytes);

/*===-- Memory ------------------------------------------------------------===*/

/** Device memory of `bytes` >= 0 bytes, aligned to 256 bytes; for 0 bytes an
    address of its own. To be freed by `_mlir_memref_to_llvm_free`. */
void *symshape_gpu_alloc(int64_t bytes);

/** Whether device memory that the calling thread takes from now on begins with
    all bits set, which is a NaN of every type: what is read before it is written
    shows. */
void symshape_gpu_poison(int isOn);

/** Frees device memory, unless that has been done: results may share a block.
 */
void symshape_gpu_drop(int64_t address);

/** Device memory that holds a copy of host memory. */
int64_t symshape_gpu_send(const void *data, int64_t bytes);

/** Host memory that will hold a copy of device memory once the call has passed
    `symshape_gpu_finish`. To be freed by `_mlir_memref_to_llvm_free`. */
void *symshape_gpu_fetch(int64_t address, int64_t bytes);

/** Waits for everything that the calling thread has launched; fails if a check
    on the device has failed. `program` has its messages. */
void symshape_gpu_finish(const symshape_gpu_program *program);

/** Reads a few bytes in the middle of a call; waits like
    `symshape_gpu_finish`. */
void symshape_gpu_read(const symshape_gpu_program *program, int64_t address,
                       void *data, int64_t bytes);

/** Writes a few bytes, in the order of launches. */
void symshape_gpu_write(int64_t address, const void *data, int64_t bytes);

/** The words in which kernels leave the first check that failed: its number,
    which is -1 if none has, then `SYMSHAPE_GPU_STATUS_VALUES` values for its
    message. */
int64_t symshape_gpu_status(void);
enum { SYMSHAPE_GPU_STATUS_VALUES = 15 };

/** How often the calling thread has read device memory in the middle of a
    call, and how many kernels it has launched. */
int64_t symshape_gpu_num_reads(void);
int64_t symshape_gpu_num_launches(void);

/** Whether the calling thread's calls are timed from now on. */
void symshape_gpu_time_kernels(int isOn);

/** Seconds of the device from the first launch of the calling thread's last
    call until its results were there to be copied; 0 if it has launched none,
    or was not timed. To be asked once after each call. */
double symshape_gpu_kernel_seconds(void);

#ifdef __cplusplus
}
#endif

#endif /* SYMSHAPE_C_RUNTIMEGPU_H */
