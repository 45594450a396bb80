//===- AdaptiveEvents.cpp - What adaptive programs log --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words for code, dims and reasons. Not for: deciding what to compile.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"

using namespace mlir;
using namespace mlir::symshape;

std::string AdaptiveProgram::nameDim(size_t dim) const {
  const DynamicDim &place = source.dims[dim];
  return source.signature.arguments[place.argument].name + " dim " +
         std::to_string(place.dim);
}

std::string AdaptiveProgram::describe(const ProgramVariant &variant) const {
  std::string text = describe(variant.extents);
  if (!variant.isQuick)
    return text;
  return text.empty() ? "(quick)" : text + " (quick)";
}

std::string AdaptiveProgram::describe(llvm::ArrayRef<int64_t> extents) const {
  std::string text;
  size_t next = 0;
  for (auto [i, argument] : llvm::enumerate(source.signature.arguments)) {
    llvm::SmallVector<int64_t, 4> shape(argument.shape);
    bool isDynamic = false;
    for (; next < source.dims.size() && source.dims[next].argument == i;
         ++next) {
      shape[source.dims[next].dim] = extents[next];
      isDynamic = true;
    }
    if (!isDynamic || argument.weight)
      continue;
    text += (text.empty() ? "" : ", ") + argument.name + ": " +
            tensorTypeToString(argument.type, shape);
  }
  return text;
}

std::string AdaptiveProgram::explain(llvm::ArrayRef<int64_t> dims) {
  if (profile.isEmpty())
    return "the first call";
  std::string changes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    ShapeProfile::Range seen = profile.getRanges()[i];
    if (seen.min != seen.max || seen.min == dim)
      continue;
    std::string why = "was " + std::to_string(seen.min) +
                      " in all calls before, is " + std::to_string(dim);
    changes += (changes.empty() ? "" : "; ") + nameDim(i) + " " + why;
    options.log->tell(EventLog::Symbols, "varied",
                      llvm::json::Object{{"dim", nameDim(i)}, {"why", why}});
  }
  if (!changes.empty() && options.dynamic == DynamicMode::Auto)
    return changes;
  if (!hasCounted)
    return "the first call of this process, after calls of others";
  return "no call of these extents before";
}

void AdaptiveProgram::tellServed(const ServedCall &served,
                                 llvm::ArrayRef<TensorView> inputs) const {
  if (!wants(EventLog::Dispatch))
    return;
  const ProgramVariant &variant = *served.variant;
  EntryChoice choice = variant.program->choose(variant.weights.front(), inputs);
  options.log->tell(EventLog::Dispatch, "served",
                    llvm::json::Object{{"code", describe(variant)},
                                       {"isNew", served.isNew},
                                       {"version", choice.version}});
}

void AdaptiveProgram::tellRefused(const ServedCall &served,
                                  llvm::StringRef message) const {
  if (wants(EventLog::Dispatch))
    options.log->tell(EventLog::Dispatch, "refused",
                      llvm::json::Object{{"code", describe(*served.variant)},
                                         {"message", message}});
}
