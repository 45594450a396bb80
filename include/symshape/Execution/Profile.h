//===- Profile.h - Where the time of a call goes ----------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the kernels of a call, and says which ops of the user's program they
// come from, what these compute and move, and how near that is to what the
// machine can do. Not for: what compiling takes (CompileReport.h).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_PROFILE_H
#define SYMSHAPE_EXECUTION_PROFILE_H

#include "symshape/Execution/Compile.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/Execution/TensorBuffer.h"

namespace mlir::symshape {

/// Compiles the program for the CPU once more, with timers, and calls it, once
/// to warm up and then `repeat` >= 1 times. `weights` may be null.
///
///   function
///   calls:    how many were timed
///   seconds:  of one of them, on average
///   rest:     of these, outside of all kernels
///   peak:     flopPerSecond of a product of matrices of f32, and
///             bytesPerSecond of a sum of 64 MiB, that our own code reaches on
///             this machine with as many threads
///   nodes:    places in the program from which kernels come, the costliest
///             first:
///     place:    a node of a model, or file:line:column
///     name:     both in short
///     op:       the op there; without one it is a kernel of the compiler's own
///     with:     other places of the same kernels, that have none of their own
///     kernels:  how many ran in a call
///     seconds:  of a call
///     bytes, flop:  of the ops as written, with `with`, each tensor in full;
///               null where that is not known, as in a loop
///     share:    the time that bytes and flop take at peak, whichever takes
///               longer, by the time taken; above 1 where data comes from a
///               cache, null if nothing is known
///   events:   of the last call: node (its number in `nodes`), begin and end in
///             seconds since the first began
llvm::Expected<llvm::json::Object>
profileProgram(const ProgramSource &source, const CompileOptions &options,
               const WeightFile *weights, llvm::ArrayRef<TensorBuffer> inputs,
               unsigned repeat);

/// A profile that was written as JSON. An error unless the file has its fields.
llvm::Expected<llvm::json::Object> readProfile(llvm::StringRef path);

/// As a table, the `most` costliest nodes.
void printProfile(llvm::raw_ostream &os, const llvm::json::Object &profile,
                  size_t most = 30);

/// The events as Chrome's and Perfetto's trace format has them.
llvm::json::Object makeTrace(const llvm::json::Object &profile);

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_PROFILE_H
