//===- Passes.h - Conversion passes of symshape -----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps from tensor-level dialects towards the LLVM dialect, one pass each, and
// their registration. Not for: the order in which they run (Pipelines).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_CONVERSION_PASSES_H
#define SYMSHAPE_CONVERSION_PASSES_H

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
namespace bufferization {
class BufferizationDialect;
} // namespace bufferization
namespace linalg {
class LinalgDialect;
} // namespace linalg
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
namespace tensor {
class TensorDialect;
} // namespace tensor
namespace vector {
class VectorDialect;
} // namespace vector

namespace symshape {
class SymShapeCPUDialect;
class SymShapeKernelDialect;

#define GEN_PASS_DECL
#include "symshape/Conversion/Passes.h.inc"
} // namespace symshape
} // namespace mlir

#endif // SYMSHAPE_CONVERSION_PASSES_H
