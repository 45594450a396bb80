//===- AdaptiveProgram.h - Code for the shapes that occur -------*- C++ -*-===//
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

#include "symshape/Execution/BackgroundWork.h"
#include "symshape/Execution/EventLog.h"
#include "symshape/Execution/Program.h"
#include "symshape/Execution/ProgramSource.h"
#include "symshape/Execution/StateFolder.h"
#include <atomic>
#include <future>
#include <map>
#include <mutex>

namespace mlir::symshape {

/// Which dims are symbols in the code.
enum class DynamicMode {
  Always, ///< all of them: one compilation
  Auto,   ///< those that have differed between calls
  Never   ///< none: a compilation for each shape
};

/// Whether calls wait for the code that the mode says; as
/// symshape_compile_when.
enum class CompileWhen {
  Sync, ///< they do
  /// The first call is served by code for all shapes that is made quickly (on a
  /// GPU, by code as good as any); better code for all shapes, then what the
  /// mode says, is compiled in the background, and serves calls once it is
  /// ready. If all code is to be quick, this changes nothing about that.
  Async,
  Auto ///< as Async for a program that takes about a second or more, else Sync
};

struct AdaptiveOptions {
  CompileOptions compile; ///< without `extents`
  DynamicMode dynamic = DynamicMode::Always;
  CompileWhen when = CompileWhen::Sync;
  std::string stateFolder; ///< empty: nothing is kept
  uint64_t stateLimit = 0; ///< bytes of code that are kept; 0: all
  /// Keeps machine code if `stateFolder` is empty, and nothing is said if it
  /// cannot; empty: nothing is kept.
  std::string cacheFolder;
  EventLog *log = nullptr; ///< logs what happens; null: nothing is logged
  /// The calls of a variant may run under each of these.
  std::vector<symshape_rt_guard_mode> guardModes = {SYMSHAPE_RT_GUARD_NONE};
};

/// Code for some shapes, ready for calls. Used by several threads.
struct ProgramVariant {
  std::unique_ptr<Program> program;
  std::vector<BoundWeights> weights; ///< one per guard mode
  double bindSeconds = 0;            ///< that binding the weights took
  /// Per dim, what calls must pass; negative: they may pass anything.
  std::vector<int64_t> extents;
  bool isLoaded = false; ///< from the state folder
  bool isQuick = false;  ///< made quickly, to be replaced
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
/// one variant replaces those that it makes superfluous. Calls whose
/// extents the program refuses do not count; code for all shapes says
/// why, once any code exists to tell them. Several threads may call
/// it; each variant is compiled once, and calls for others go on
/// meanwhile.
class AdaptiveProgram {
public:
  /// Reads the program; in mode Always also compiles it. `weights`, which may
  /// be null, must outlive it.
  static llvm::Expected<std::unique_ptr<AdaptiveProgram>>
  open(llvm::StringRef path, AdaptiveOptions options,
       const WeightFile *weights = nullptr);
  /// The same for a program that has been read, with its entry.
  static llvm::Expected<std::unique_ptr<AdaptiveProgram>>
  open(ProgramSource source, AdaptiveOptions options,
       const WeightFile *weights = nullptr);

  /// Gives up what is compiled in the background, and keeps the profile.
  ~AdaptiveProgram();

  const FunctionSignature &getSignature() const { return source.signature; }
  const ProgramSource &getSource() const { return source; }
  /// The code that serves all calls; null where it depends on the call.
  const ProgramVariant *getGeneral() const { return general.get(); }
  /// What `open` has compiled or loaded; null if that waits for a call.
  const ProgramVariant *getOpened() const { return opened.get(); }

  /// The dynamic dims of all arguments, in order; negative for those of
  /// weights. `inputs` agree with the signature.
  std::vector<int64_t> getDims(llvm::ArrayRef<TensorView> inputs) const {
    return source.getDims(inputs);
  }

  /// The code for inputs of these types and extents.
  llvm::Expected<ServedCall> serve(llvm::ArrayRef<TensorView> inputs);

  /// Calls the function, under the first guard mode.
  llvm::Expected<CallResults> call(llvm::ArrayRef<TensorBuffer> inputs);

  /// Waits for what is compiled in the background.
  void finish() { background.wait(); }

  /// How many variants have been compiled.
  unsigned getNumCompilations() const { return numCompilations; }

  /// `%ids: ?x128, %mask: ?x128`, for the arguments that have dynamic dims;
  /// `(quick)` follows if the code is.
  std::string describe(const ProgramVariant &variant) const;

  /// Logs how a call was served by code from `serve`; `call` does so
  /// itself.
  void tellServed(const ServedCall &served,
                  llvm::ArrayRef<TensorView> inputs) const;
  void tellRefused(const ServedCall &served, llvm::StringRef message) const;

private:
  using Extents = std::vector<int64_t>;
  /// What became of a compilation.
  struct Outcome {
    std::shared_ptr<const ProgramVariant> variant; ///< null after an error
    RunStatus status = RunStatus::CannotCompile;
    std::string message;                        ///< of the error
    std::vector<ProgramDiagnostic> diagnostics; ///< that came with it
  };

  AdaptiveProgram(ProgramSource source, AdaptiveOptions options,
                  const WeightFile *weights);

  Extents chooseExtents(llvm::ArrayRef<int64_t> dims, DynamicMode mode) const;
  std::shared_ptr<const ProgramVariant> findAtHand(llvm::ArrayRef<int64_t> dims,
                                                   const Extents &wanted) const;
  /// What code for a call may rely on, why such code is compiled, and existing
  /// code that serves the call.
  struct Wish {
    Extents extents;
    std::string reason;
    std::shared_ptr<const ProgramVariant> found;
    bool isFirst = false; ///< no call has been counted before
  };
  /// Counts the call.
  Wish count(const Extents &dims);
  void uncountFirst();
  std::shared_ptr<const ProgramVariant> findKnown(llvm::ArrayRef<int64_t> dims);
  bool isRefused(llvm::ArrayRef<TensorView> inputs);
  /// For a call that does not count.
  llvm::Expected<ServedCall> serveRefused();
  using Variant = std::shared_ptr<const ProgramVariant>;
  using Variants = std::map<Extents, std::shared_future<Outcome>>;
  CompileOptions makeOptions(const Extents &extents) const;
  llvm::Expected<Variant> makeVariant(const CompileOptions &compile,
                                      const Extents &extents,
                                      llvm::StringRef reason);
  /// Calls `make`, or waits for the thread that does; `mutex` is not held. Says
  /// whether it was this one. An error comes with what was diagnosed, however
  /// often it is asked for.
  llvm::Expected<std::pair<Variant, bool>> makeOnce(
      Variants &all, const Extents &extents,
      llvm::function_ref<llvm::Expected<Variant>(const DiagnosticSink &)> make);
  /// How a thread wants code.
  struct Manner {
    bool replaces = true; ///< code whose calls the new code serves is forgotten
    bool mayStop = false; ///< it is given up where the program goes
  };
  /// Compiles, or waits for the thread that does.
  llvm::Expected<Variant> waitFor(const Extents &extents,
                                  llvm::StringRef reason, Manner manner);
  llvm::Expected<Variant> waitFor(const Extents &extents,
                                  llvm::StringRef reason) {
    return waitFor(extents, reason, Manner());
  }
  /// Code for all calls that `extents` admit, whose quick form will do.
  llvm::Expected<Variant> getSoon(const Extents &extents);
  llvm::Expected<Variant> makeQuickly(const Extents &extents);
  /// As `serve`, if `isAsync`.
  llvm::Expected<Variant> serveSoon(llvm::ArrayRef<int64_t> dims,
                                    const Wish &wish);
  /// Whether better code than `variant` is to serve the same calls.
  bool isReplaced(const ProgramVariant &variant) const {
    return variant.isQuick && !options.compile.quick;
  }
  /// Forgets the quick code for which `full` stands.
  void dropQuick(const ProgramVariant &full);
  void compileInBackground(const Extents &extents, std::string reason);
  void dropSuperfluous(const ProgramVariant &variant);
  bool wants(EventLog::Category category) const {
    return options.log && options.log->wants(category);
  }
  bool keepsProfile() const { return !options.stateFolder.empty(); }
  std::string nameDim(size_t dim) const;
  std::string describe(llvm::ArrayRef<int64_t> extents) const;
  /// Why code is wanted for a call of `dims`, which `profile` does not count
  /// yet; logs the dims that it makes symbols. `mutex` is held.
  std::string explain(llvm::ArrayRef<int64_t> dims);

  ProgramSource source;
  AdaptiveOptions options;
  bool isAsync; ///< what `options.when` comes to
  const WeightFile *weights;
  std::optional<StateFolder> state; ///< or the cache
  std::atomic<unsigned> numCompilations{0};
  std::shared_ptr<const ProgramVariant> general, opened;

  std::mutex mutex; ///< guards what follows
  ShapeProfile profile;
  bool hasCounted = false; ///< a call of this process
  Variants variants;
  Variants quickVariants; ///< serve what none of `variants` does yet

  BackgroundWork background; ///< uses what is above
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_ADAPTIVEPROGRAM_H
