//===- TosaBroadcast.h - The rule by which tosa broadcasts ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a rule from outside of the text of a program. What the rules
// are: docs/Rationale/TOSA.md.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_TOSABROADCAST_H
#define SYMSHAPE_TRANSFORMS_TOSABROADCAST_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace mlir::symshape {

/// Which extents expand: under Strict those whose type says 1; under NumPy also
/// those that turn out to be 1.
enum class TosaBroadcast { Strict, NumPy };

/// The rule called `strict` or `numpy`; none for another name.
std::optional<TosaBroadcast> parseTosaBroadcast(StringRef name);

/// Makes `rule` that of `module` and of the modules in it, whatever they say.
void setTosaBroadcast(ModuleOp module, TosaBroadcast rule);

/// Registers the pass `symshape-tosa-broadcast`, which does that. Its options
/// are the name of the rule: `symshape-tosa-broadcast{numpy}`.
void registerTosaBroadcastPass();

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_TOSABROADCAST_H
