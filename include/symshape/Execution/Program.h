//===- Program.h - Compile once, call at many shapes ------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program from file to numbers: parses, lowers and compiles a function, binds
// its weights, and calls it. Not for: options and printing
// (tools/symshape-run).
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_EXECUTION_PROGRAM_H
#define SYMSHAPE_EXECUTION_PROGRAM_H

#include "symshape/Execution/Compile.h"
#include "symshape/Execution/GPUDevice.h"
#include "symshape/Execution/Jit.h"
#include "symshape/Execution/Signature.h"
#include "symshape/Execution/Status.h"
#include "symshape/Execution/WeightFile.h"

namespace mlir::symshape {

/// A memref descriptor as generated code lays it out: allocated pointer,
/// aligned pointer, offset, extents, strides (in elements).
struct MemRefDescriptor {
  explicit MemRefDescriptor(unsigned rank) : words(3 + 2 * rank, 0) {}
  explicit MemRefDescriptor(TensorView tensor);
  /// Moves the base back, so that the first element is the one at `offset`.
  void startAt(int64_t offset, ElementType type);

  unsigned getRank() const { return (words.size() - 3) / 2; }
  void *getAllocated() const { return reinterpret_cast<void *>(words[0]); }
  const char *getAligned() const {
    return reinterpret_cast<const char *>(words[1]);
  }
  int64_t getOffset() const { return words[2]; }
  llvm::ArrayRef<int64_t> getShape() const {
    return llvm::ArrayRef<int64_t>(words).slice(3, getRank());
  }
  llvm::ArrayRef<int64_t> getStrides() const {
    return llvm::ArrayRef<int64_t>(words).take_back(getRank());
  }

  llvm::SmallVector<int64_t, 11> words;
};

/// Checks that `file`, which may be null, has the weights that `signature`
/// names, of fitting types; an error for each one missing or unfit.
llvm::Error checkWeights(const FunctionSignature &signature,
                         const WeightFile *file);

/// The weights of one program, ready for calls: the tensors bound to its weight
/// arguments, and what `@ENTRY.prepare` made of them, which is computed once.
/// Owns the latter; must not outlive the Program.
class BoundWeights {
public:
  BoundWeights() = default;
  BoundWeights(BoundWeights &&other);
  BoundWeights &operator=(BoundWeights &&) = delete;
  ~BoundWeights();

private:
  friend class Program;
  std::vector<TensorBuffer> tensors; ///< in the order of the weight arguments
  std::vector<MemRefDescriptor> descriptors;        ///< of `tensors`
  std::vector<MemRefDescriptor> prepared, onDevice; ///< owned
  /// One per parameter of the compiled entry, then pointers to these: what a
  /// call passes. Null where an input belongs.
  std::vector<const int64_t *> parameters;
  std::vector<void *> packed;
  symshape_rt_guard_mode guardMode = SYMSHAPE_RT_GUARD_NONE;
};

/// The results of a call and the seconds that each repetition took.
struct CallResults {
  std::vector<TensorBuffer> tensors;
  std::vector<double> seconds;
};

/// What the entry decides before it runs, for the extents of one call.
struct EntryChoice {
  llvm::StringRef version; ///< lives as long as the program
  double checkSeconds = 0; ///< of one evaluation of guards and choice
};

/// A compiled function. Several threads may call it at a time.
class Program {
public:
  /// Compiles the entry function of a file (text or bytecode; `-` is standard
  /// input), for a target that this machine can run. Diagnostics about the IR
  /// go to standard error. The error says which phase failed. A crash of a pass
  /// is an error as well where llvm::CrashRecoveryContext is enabled; the
  /// process should then end soon.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(llvm::StringRef path, const CompileOptions &options);

  /// Loads the code that `compileCode` has made of `source`.
  static llvm::Expected<std::unique_ptr<Program>>
  load(const ProgramSource &source, CompiledCode code,
       const CompileOptions &options);

  const FunctionSignature &getSignature() const { return signature; }
  const CompileTimes &getTimes() const { return times; }

  /// Binds the arguments that carry `symshape.weight`; `file` may be null if
  /// there are none, or if they are those of an imported model. Runs
  /// `@ENTRY.prepare` if the program has it, and then releases the pages of
  /// `file`.
  llvm::Expected<BoundWeights>
  bindWeights(const WeightFile *file,
              symshape_rt_guard_mode mode = SYMSHAPE_RT_GUARD_NONE) const;

  /// Calls the function `repeat` >= 1 times. `inputs` are the arguments without
  /// `symshape.weight`, in order. Nothing runs unless they agree with the
  /// signature. With the guard mode of `weights`, inputs and everything that
  /// the call allocates lie beside inaccessible pages. Donated inputs stay as
  /// they are: each call has copies.
  llvm::Expected<CallResults> call(const BoundWeights &weights,
                                   llvm::ArrayRef<TensorBuffer> inputs,
                                   unsigned repeat = 1) const;

  /// Calls the function once, without copying inputs or results, and appends
  /// the results to the empty list: row-major tensors, a scalar as one of rank
  /// 0, each in a block of its own that the caller frees
  /// (`_mlir_memref_to_llvm_free(getAllocated())`). None after an error. The
  /// memory of a donated input may be overwritten, also by a call that fails; a
  /// result that is returned there has no block (null).
  llvm::Error invoke(const BoundWeights &weights,
                     llvm::ArrayRef<TensorView> inputs,
                     llvm::SmallVectorImpl<MemRefDescriptor> &results) const;

  /// Whether the extents of `inputs`, which agree with the signature, meet what
  /// is required at entry.
  bool accepts(const BoundWeights &weights,
               llvm::ArrayRef<TensorView> inputs) const;

  /// The version that serves these inputs, which a call must accept, and how
  /// long it takes to check what is required and to choose. `default` if none
  /// is declared. Takes some microseconds.
  EntryChoice choose(const BoundWeights &weights,
                     llvm::ArrayRef<TensorView> inputs) const;

private:
  /// Where the C interface puts results: a struct of descriptors and scalars
  /// with C layout, or one scalar.
  struct ResultLayout {
    size_t addField(size_t bytes, size_t alignment);

    std::vector<size_t> offsets; ///< in bytes, one per result
    size_t size = 0;
    bool isStruct = false;
  };

  Program() = default;

  static void giveMemoryBack();
  llvm::Error loadCode(CompiledCode code, const CompileOptions &options);
  void layOutCalls();
  /// The dynamic dims of all arguments, in order.
  llvm::SmallVector<int64_t, 16>
  collectDims(const BoundWeights &weights,
              llvm::ArrayRef<TensorView> inputs) const;
  /// Fills in what every call passes for weights.
  void packWeights(BoundWeights &weights) const;
  llvm::Error prepareWeights(BoundWeights &weights) const;
  void dropPrepared(BoundWeights &weights) const;
  /// Makes the descriptors of weights those of copies on the device.
  llvm::Error sendWeights(BoundWeights &weights) const;
  llvm::Error run(JitModule::PackedFunction function, void **arguments,
                  symshape_rt_guard_mode mode) const;
  /// Makes every result begin a block of its own; see `invoke`.
  llvm::Error takeResults(const BoundWeights &weights,
                          llvm::ArrayRef<TensorView> given, const char *memory,
                          llvm::SmallVectorImpl<MemRefDescriptor> &taken) const;
  /// Copies, which take the places of donated inputs in `views`.
  llvm::Expected<std::vector<TensorBuffer>>
  copyDonated(llvm::ArrayRef<TensorBuffer> inputs,
              llvm::MutableArrayRef<TensorView> views,
              symshape_rt_guard_mode mode) const;
  /// Copies, which take the place of donated inputs whose memory is not theirs
  /// alone.
  llvm::Expected<std::vector<TensorBuffer>>
  separateDonated(const BoundWeights &weights,
                  llvm::MutableArrayRef<TensorView> inputs) const;
  /// Whether the memory of a result is that of the input donated to it.
  bool isDonated(llvm::ArrayRef<TensorView> given, size_t result,
                 const MemRefDescriptor &returned) const;

  /// The weights of the model that the program was imported from, or null.
  std::shared_ptr<const WeightFile> ownWeights;
  FunctionSignature signature;
  CompileTimes times;
  int64_t threads = 1;
  std::unique_ptr<JitModule> jit;
  std::unique_ptr<LoadedKernels> kernels; ///< of code for a GPU, in `jit`
  JitModule::PackedFunction entryFunction = nullptr;
  JitModule::PackedFunction prepareFunction =
      nullptr; ///< null if there is none
  /// Functions of the dynamic dims of the arguments; null if there are none.
  JitModule::PackedFunction guardFunction = nullptr, versionFunction = nullptr;
  CodeInterface interface;
  std::vector<unsigned> inputIndices; ///< of the arguments that are not weights
  ResultLayout resultLayout;
  bool hasDonations = false;
};

} // namespace mlir::symshape

#endif // SYMSHAPE_EXECUTION_PROGRAM_H
