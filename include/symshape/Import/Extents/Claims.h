//===- Claims.h - Declared extents beside inferred ones ---------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model declares of its outputs and of values between is a claim: it is
// proved or reported; nothing rests on it. Not for: what inputs declare, which
// binds names.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_EXTENTS_CLAIMS_H
#define SYMSHAPE_IMPORT_EXTENTS_CLAIMS_H

#include "symshape/Import/Extents/ModelExtents.h"

namespace mlir::symshape::onnx {

/// How a declared extent compares with the inferred one.
enum class Standing {
  Anonymous,   ///< nothing is declared
  Unknown,     ///< nothing is inferred
  Proved,      ///< they are equal in every call
  Definition,  ///< a name that is defined by this claim
  Undecided,   ///< neither proved nor refuted
  Contradicted ///< they are different in every call
};
StringRef nameOf(Standing standing);
constexpr Standing allStandings[] = {
    Standing::Anonymous,  Standing::Unknown,   Standing::Proved,
    Standing::Definition, Standing::Undecided, Standing::Contradicted};

/// An extent that is declared, and what was inferred; null if there is none.
struct ExtentClaim {
  Standing standing = Standing::Anonymous;
  Expr declared, inferred;
  std::string reason; ///< of Undecided: what is missing
};

/// What one entry of `output` or `value_info` says, or one of `input` that has
/// an initializer.
struct ShapeClaim {
  enum Kind { Output, Between, Input };
  const ValueInfo *info = nullptr;
  const Graph *graph = nullptr; ///< that it is inside; null: the main one
  Kind kind = Output;
  const KnownValue *value = nullptr; ///< null: the graph has no such value
  bool hasOtherType = false, hasOtherRank = false;
  std::vector<ExtentClaim> extents; ///< none if ranks differ or are unknown

  /// `output 'y' (byte 123)`
  std::string describe() const;
};

/// As a file calls it: `output`, `value_info`, `input`.
StringRef nameOf(ShapeClaim::Kind kind);

/// What a value comes from, for a message: the node, `the initializer`, or `an
/// input`.
std::string describeSource(const Model &model, const KnownValue &value);

/// All claims of the main graph, outputs first. Names that no input binds are
/// used from now on for the extents that data decides.
std::vector<ShapeClaim> judgeClaims(ModelExtents &extents);

/// What becomes of a declared shape.
///
///   Skip      keeps what is declared
///   Override  takes what is inferred
///   Refine    takes what is known better, and what is proved over what is not
///   Strict    as Refine, and refuses claims that are not proved
enum class MergePolicy { Skip, Override, Refine, Strict };

/// The extent that is written; null: none. `isOverInputs` says whether the
/// inferred one holds no name that data decides.
Expr mergeExtent(MergePolicy policy, const ExtentClaim &claim,
                 bool isOverInputs);

/// Whether a policy refuses a claim of that standing.
inline bool isRefused(MergePolicy policy, Standing standing) {
  return policy == MergePolicy::Strict && (standing == Standing::Undecided ||
                                           standing == Standing::Contradicted);
}
inline bool isRefused(MergePolicy policy, const ShapeClaim &claim) {
  return claim.hasOtherType ||
         (policy == MergePolicy::Strict && claim.hasOtherRank);
}

/// Reports the claims that are not proved, each with both places and both
/// expressions. Without `all`, definitions are left out, and what is not
/// decided of intermediate values is only counted. Returns how many there are
/// of each standing.
std::vector<unsigned> tellClaims(ModelExtents &extents,
                                 ArrayRef<ShapeClaim> claims, bool all,
                                 raw_ostream &os);

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_EXTENTS_CLAIMS_H
