//===- AdaptiveProgram.h - Code for the shapes that there are ---*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program when it is called: for all shapes, for the dims that have
// varied so far, or for each shape. Not for: versions that the program
// declares, which each of these holds (Specialize).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_ADAPTIVEPROGRAM_H
#define SYMSHAPE_EXECUTION_ADAPTIVEPROGRAM_H

#include "symshape/Execution/Program.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/Execution/StateFolder.h"
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace mlir::symshape {

/// Which dims are symbols in the code.
enum class DynamicMode {
  Always, ///< all of them: one compilation
  Auto,   ///< those that have differed between calls
  Never   ///< none: a compilation for each shape
};

struct AdaptiveOptions {
  CompileOptions compile; ///< without `extents`
  DynamicMode dynamic = DynamicMode::Always;
  /// Compiles for all shapes first, which serves each call, and for what the
  /// mode says in the background, which serves calls once it is there.
  bool async = false;
  std::string stateFolder; ///< empty: nothing is kept
  /// The calls of a variant may run under each of these.
  std::vector<symshape_rt_guard_mode> guardModes = {SYMSHAPE_RT_GUARD_NONE};
};

/// Code for some shapes, ready for calls. Used by several threads.
struct ProgramVariant {
  std::unique_ptr<Program> program;
  std::vector<BoundWeights> weights; ///< one per guard mode
  double bindSeconds = 0;            ///< that binding the weights took
  /// Of the dims: what calls must pass, negative where they may pass anything.
  std::vector<int64_t> extents;
  bool isLoaded = false; ///< from the state folder
  mutable std::atomic<bool> hasServed{false};

  bool admits(llvm::ArrayRef<int64_t> dims) const;
};

/// A variant for one call, which keeps it alive.
struct ServedCall {
  /// Whether it serves no call before this one.
  bool isNew = false;
  std::shared_ptr<const ProgramVariant> variant;
};

/// A program that is compiled for the shapes of its calls. A declared policy of
/// a dim goes before the mode: `dynamic` is a symbol, `static` never one. In
/// mode Auto, there are at most 1 + (number of dims that vary) compilations:
/// one variant replaces those that it makes superfluous. Several threads may
/// call it; each variant is compiled once, and calls for others go on
/// meanwhile.
class AdaptiveProgram {
public:
  /// Reads the program; in mode Always also compiles it. `weights`, which may
  /// be null, must outlive it.
  static llvm::Expected<std::unique_ptr<AdaptiveProgram>>
  open(llvm::StringRef path, AdaptiveOptions options,
       const SafeTensors *weights = nullptr);

  /// Keeps the profile, after `finish`.
  ~AdaptiveProgram();

  const FunctionSignature &getSignature() const { return source.signature; }

  /// The code for inputs of these types and extents.
  llvm::Expected<ServedCall> serve(llvm::ArrayRef<TensorView> inputs);

  /// Calls the function, under the first guard mode.
  llvm::Expected<CallResults> call(llvm::ArrayRef<TensorBuffer> inputs);

  /// Waits for what is compiled in the background.
  void finish();

  /// How many variants have been compiled.
  unsigned getNumCompilations() const { return numCompilations; }

  /// `%ids: ?x128, %mask: ?x128`, for an argument each that has dynamic dims.
  std::string describe(const ProgramVariant &variant) const;

private:
  using Extents = std::vector<int64_t>;
  /// What became of a compilation.
  struct Outcome {
    std::shared_ptr<const ProgramVariant> variant; ///< null after an error
    RunStatus status = RunStatus::CannotCompile;
    std::string message; ///< of the error
  };

  AdaptiveProgram(ProgramSource source, AdaptiveOptions options,
                  const SafeTensors *weights);

  Extents getDims(llvm::ArrayRef<TensorView> inputs) const;
  Extents chooseExtents(llvm::ArrayRef<int64_t> dims, DynamicMode mode) const;
  std::shared_ptr<const ProgramVariant> findAtHand(llvm::ArrayRef<int64_t> dims,
                                                   const Extents &wanted) const;
  llvm::Expected<std::shared_ptr<const ProgramVariant>>
  makeVariant(const Extents &extents);
  /// Compiles, or waits for who does; `mutex` is not held.
  llvm::Expected<std::shared_ptr<const ProgramVariant>>
  waitFor(const Extents &extents);
  void compileInBackground(const Extents &extents);
  void dropSuperfluous(const ProgramVariant &variant);

  ProgramSource source;
  AdaptiveOptions options;
  const SafeTensors *weights;
  std::optional<StateFolder> state;
  std::atomic<unsigned> numCompilations{0};

  std::mutex mutex; ///< of what follows
  ShapeProfile profile;
  std::map<Extents, std::shared_future<Outcome>> variants;
  std::thread background;
  bool isBackgroundBusy = false;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_ADAPTIVEPROGRAM_H
