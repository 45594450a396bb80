//===- GPUPasses.h - Conversion passes for GPUs -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps from buffers to kernels and the host code around them. Not for: the
// order in which they run (Pipelines).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_GPUPASSES_H
#define SYMSHAPE_CONVERSION_GPUPASSES_H

#include "symshape/Conversion/WgmmaUse.h"

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class ModuleOp;

namespace affine {
class AffineDialect;
} // namespace affine
namespace arith {
class ArithDialect;
} // namespace arith
namespace cf {
class ControlFlowDialect;
} // namespace cf
namespace gpu {
class GPUDialect;
class GPUModuleOp;
} // namespace gpu
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace math {
class MathDialect;
} // namespace math
namespace memref {
class MemRefDialect;
} // namespace memref
namespace scf {
class SCFDialect;
} // namespace scf

namespace symshape {
/// The most bytes of shared memory that code can name. A larger array is that
/// of the launch, of which a kernel has one: `symshape-outline-kernels` asks
/// for it, and the code that is compiled declares it
/// (symshape/Pipelines/Passes.td, `symshape-compile-kernels`).
constexpr int64_t mostStaticSharedBytes = 48 * 1024;

#define GEN_PASS_DECL
#include "symshape/Conversion/GPUPasses.h.inc"
} // namespace symshape
} // namespace mlir

#endif // SYMSHAPE_CONVERSION_GPUPASSES_H
