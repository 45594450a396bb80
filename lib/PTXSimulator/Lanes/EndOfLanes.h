//===- EndOfLanes.h - Ends what Lanes.h begins ------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last include of each source that includes Lanes.h; so it has no guard.
//
//===----------------------------------------------------------------------===//

#ifdef SYMSHAPE_PTX_AVX2
#pragma clang attribute pop
#endif
