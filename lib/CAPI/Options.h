//===- Options.h - Options of C callers -------------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to CAPI.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_LIB_CAPI_OPTIONS_H
#define SYMSHAPE_LIB_CAPI_OPTIONS_H

#include "Errors.h"
#include "symshape/Execution/AdaptiveProgram.h"
#include "symshape/Execution/EditProgram.h"
#include <cstring>

namespace mlir::symshape::capi {

/// Tensors of the caller, then those of another file.
class GivenWeights : public WeightFile {
public:
  GivenWeights(llvm::StringMap<TensorBuffer> tensors,
               std::shared_ptr<const WeightFile> rest)
      : tensors(std::move(tensors)), rest(std::move(rest)) {}
  llvm::Expected<TensorBuffer> get(llvm::StringRef name) const override;
  llvm::Expected<TensorBuffer> describe(llvm::StringRef name) const override;
  void releasePages() const override;

private:
  llvm::StringMap<TensorBuffer> tensors;
  std::shared_ptr<const WeightFile> rest; ///< may be null
};

/// Options as the layers below take them.
struct ReadOptions {
  AdaptiveOptions adaptive;
  EntryAdditions additions;
  std::shared_ptr<Diagnostics> diagnostics;
  std::shared_ptr<const WeightFile> weights; ///< null: those of the program
  llvm::StringMap<TensorBuffer> tensors;     ///< go before `weights`
};

/// The fields that the library knows of options whose caller may know fewer or
/// more; an error if it sets one that the library does not know. `name` is for
/// messages.
template <typename Options>
llvm::Expected<Options> copySized(const Options &options,
                                  llvm::StringRef name) {
  Options known = {};
  auto *bytes = reinterpret_cast<const char *>(&options);
  if (options.size < sizeof(size_t))
    return makeInputError("expected the size of " + name +
                          " in its field 'size', but got " +
                          llvm::Twine(options.size));
  for (size_t i = sizeof(Options); i < options.size; ++i)
    if (bytes[i])
      return makeInputError("expected fields of " + name + " that version " +
                            llvm::Twine(SYMSHAPE_VERSION) +
                            " of the library knows, but got others");
  std::memcpy(&known, &options, std::min(options.size, sizeof(Options)));
  return known;
}

/// The options of a caller, or those of one that passes none.
llvm::Expected<symshape_options> copyOptions(const symshape_options *options);

llvm::Expected<ReadOptions> readOptions(const symshape_options &options);

} // namespace mlir::symshape::capi

#endif // SYMSHAPE_LIB_CAPI_OPTIONS_H
