//===- DerivativePrograms.h - Programs of one op with a derivative -*- C++
//-*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each op of the manifest that has a rule, functions @f of this op alone,
// all extents open.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_UNITTESTS_TRANSFORMS_DERIVATIVEPROGRAMS_H
#define SYMSHAPE_UNITTESTS_TRANSFORMS_DERIVATIVEPROGRAMS_H

#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::symshape {

/// By the name of the op.
llvm::StringMap<std::vector<std::string>> makeDerivativePrograms();

} // namespace mlir::symshape

#endif // SYMSHAPE_UNITTESTS_TRANSFORMS_DERIVATIVEPROGRAMS_H
