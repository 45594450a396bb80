//===- GPUDevice.h - The GPU that programs run on ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hold of a device, and the kernels of a program on it, over the runtime
// (symshape-c/RuntimeGPU.h). Not for: compiling them.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_GPUDEVICE_H
#define SYMSHAPE_EXECUTION_GPUDEVICE_H

#include "symshape-c/RuntimeGPU.h"
#include "symshape/Execution/Status.h"
#include "symshape/Pipelines/GPUTarget.h"
#include <memory>

namespace mlir::symshape {

/// Keeps a device open while it lives.
class GPUDevice {
public:
  /// Loads the driver if need be; an error of status CannotCompile if there is
  /// no such device.
  static llvm::Expected<std::shared_ptr<GPUDevice>> open(int64_t number);

  GPUDevice(const GPUDevice &) = delete;
  ~GPUDevice();

  /// What to compile for.
  llvm::Expected<GPUTarget> getTarget() const;

private:
  GPUDevice() = default;
};

/// Keeps the kernels of a program loaded while it lives, and the device open.
class LoadedKernels {
public:
  static llvm::Expected<std::unique_ptr<LoadedKernels>>
  load(symshape_gpu_program &program, std::shared_ptr<GPUDevice> device);

  LoadedKernels(const LoadedKernels &) = delete;
  ~LoadedKernels();

private:
  LoadedKernels(symshape_gpu_program &program,
                std::shared_ptr<GPUDevice> device)
      : program(program), device(std::move(device)) {}

  symshape_gpu_program &program;
  std::shared_ptr<GPUDevice> device;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_GPUDEVICE_H
