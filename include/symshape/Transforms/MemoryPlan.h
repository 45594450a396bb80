//===- MemoryPlan.h - One arena per function --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the temporary buffers of each function of a module lie: offsets into
// one arena, and how large it is, as expressions. For: symshape-plan-memory,
// and reports. Not for: changing IR.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TRANSFORMS_MEMORYPLAN_H
#define SYMSHAPE_TRANSFORMS_MEMORYPLAN_H

#include "symshape/Analysis/ShapeAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::symshape {

/// Every buffer of an arena begins at a multiple of this many bytes.
constexpr int64_t kBufferAlignment = 64;

/// Whether a call reaches a region, as far as it is known where the arena is
/// made.
struct Reach {
  Formula condition = Formula::truth(true);
  /// Conditions of branches: an i1 each, and what it must be.
  SmallVector<std::pair<Value, bool>, 2> branches;

  bool isAlways() const { return condition.isTrue() && branches.empty(); }
};

/// A `memref.alloc`, or a `func.call` with the arena of its callee.
struct PlannedBuffer {
  Operation *op = nullptr;
  /// How large it is at most, a multiple of the alignment; never negative.
  Expr bytes;
  /// Where this does not hold, the call does not use the buffer and reserves
  /// nothing: its extents may then be anything.
  Reach reach;
  /// The largest end of those `below`; 0 if there are none.
  Expr offset;
  /// The buffers that it stands on, as indices into the plan.
  SmallVector<unsigned, 2> below;
  /// The mere bounds of extents that its size rests on, with the dim of each;
  /// of a call, a bound of what the callee needs. Empty if the size is exact.
  SmallVector<std::pair<int64_t, Expr>, 1> bounds;
  /// The ops that use it lie between these positions (closed) in the order of
  /// the program; none do if `first > last`. It overlaps no other buffer that
  /// is used there.
  unsigned first = 0, last = 0;

  /// Whether both may be in use at once: not in two branches of one op.
  bool isLiveWith(const PlannedBuffer &other) const;
};

/// A buffer that stays an allocation of its own, and why.
struct UnplannedBuffer {
  Operation *op = nullptr;
  std::string reason;
};

/// The arena of one function. Expressions are over what has a value at `place`,
/// and hold where it is reached.
struct MemoryPlan {
  std::vector<PlannedBuffer> buffers; ///< in the order of the program
  /// All buffers, each after those that it stands on.
  SmallVector<unsigned> upwards;
  /// Those whose ends are compared for the size of the arena.
  SmallVector<unsigned> top;
  std::vector<UnplannedBuffer> heap;
  /// The op of the entry block before which the arena must exist.
  Operation *place = nullptr;
  /// Scalar ops without effects, in order, that come after `place` and compute
  /// what sizes are made of: they move before it.
  llvm::SetVector<Operation *> early;
  /// Size of the arena in bytes; zero if it has no buffers.
  Expr bytes;
  /// Whether callers provide the arena: every call is known. All symbols then
  /// stand for arguments.
  bool isFromCaller = false;
};

/// The plans of a module: callees before callers.
class ModuleMemoryPlan {
public:
  /// `analysis` must outlive the plan.
  ModuleMemoryPlan(ModuleOp module, ShapeAnalysis &analysis);

  /// Null for functions without a body.
  const MemoryPlan *lookup(func::FuncOp function) const;
  ArrayRef<std::pair<func::FuncOp, MemoryPlan>> all() const {
    return plans.getArrayRef();
  }

  /// The most bytes in use at once, and the sum over all buffers, as if each
  /// had its own place; calls included.
  Expr mostInUse(func::FuncOp function) const;
  Expr sumOfAll(func::FuncOp function) const;

private:
  using Sizes =
      llvm::function_ref<Expr(ArrayRef<PlannedBuffer>, ArrayRef<Expr> bytes)>;
  Expr combine(func::FuncOp function, Sizes sizes) const;

  ShapeAnalysis &analysis;
  llvm::MapVector<func::FuncOp, MemoryPlan> plans;
};

/// `e`, over arguments of the callee, in the symbols of the caller.
Expr instantiate(FunctionShapes &caller, FunctionShapes &callee,
                 func::CallOp call, Expr e);

/// `e` as text, with `%q.dim0` for the first dim of an argument `%q`.
std::string spellOverArguments(FunctionShapes &shapes, Expr e);

/// Such text of any expression is cut after this many of its parts.
constexpr unsigned kMaxShownSize = 120;

/// `reserved, as dim 0 is at most B`, with `spell` for the bounds of `buffer`;
/// empty if its size is exact.
std::string describeReserved(const PlannedBuffer &buffer,
                             llvm::function_ref<std::string(Expr)> spell);

/// Rewrites the module accordingly. The analysis and the plan are stale
/// afterwards.
void applyMemoryPlan(const ModuleMemoryPlan &plan, ShapeAnalysis &analysis);

} // namespace mlir::symshape

#endif // SYMSHAPE_TRANSFORMS_MEMORYPLAN_H
