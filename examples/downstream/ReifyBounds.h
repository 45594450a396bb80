//===- ReifyBounds.h - Bounds of extents as values --------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DOWNSTREAM_REIFYBOUNDS_H
#define DOWNSTREAM_REIFYBOUNDS_H

namespace downstream {
void registerReifyBoundsPass();
} // namespace downstream

#endif // DOWNSTREAM_REIFYBOUNDS_H
