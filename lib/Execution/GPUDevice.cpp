//===- GPUDevice.cpp - The GPU that programs run on -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/GPUDevice.h"

using namespace mlir::symshape;

llvm::Expected<std::shared_ptr<GPUDevice>> GPUDevice::open(int64_t number) {
  if (symshape_gpu_open(number))
    return makeRunError(RunStatus::CannotCompile, symshape_gpu_error());
  return std::shared_ptr<GPUDevice>(new GPUDevice());
}

GPUDevice::~GPUDevice() { symshape_gpu_close(); }

llvm::Expected<GPUTarget> GPUDevice::getTarget() const {
  auto target = GPUTarget::getForCapability(symshape_gpu_capability());
  if (!target)
    return makeRunError(RunStatus::CannotCompile,
                        llvm::toString(target.takeError()));
  return target;
}

llvm::Expected<std::unique_ptr<LoadedKernels>>
LoadedKernels::load(symshape_gpu_program &program,
                    std::shared_ptr<GPUDevice> device) {
  if (symshape_gpu_load(&program))
    return makeRunError(RunStatus::CannotCompile, symshape_gpu_error());
  return std::unique_ptr<LoadedKernels>(
      new LoadedKernels(program, std::move(device)));
}

LoadedKernels::~LoadedKernels() { symshape_gpu_unload(&program); }
