//===- StockRuns.cpp - Our results beside those of stock lowering ---------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers a function by our pipeline and by upstream's passes, calls both with
// the same arguments, and compares results and what was written to arguments.
// Not for: functions whose arguments or results are no numbers, or arrays of
// them that are laid out row by row.
//
//===----------------------------------------------------------------------===//

#include "RunFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Pass/PassRegistry.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/ElementType.h"
#include "symshape/Execution/Jit.h"
#include "symshape/Execution/ObjectCode.h"
#include "symshape/Pipelines/CPU.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <csignal>
#include <cstring>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::test;

static constexpr llvm::StringLiteral stockPipeline =
    "convert-elementwise-to-linalg,"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
    "convert-linalg-to-loops,lower-affine,convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,convert-math-to-llvm,"
    "convert-math-to-libm,convert-vector-to-llvm,finalize-memref-to-llvm,"
    "convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts";

namespace {
/// A number, or an array of numbers, of a signature.
struct Slot {
  ElementType element;
  std::optional<SmallVector<int64_t>> shape; ///< of an array; may be dynamic
};

/// An argument or result of one call.
struct Operand {
  SmallVector<int64_t> shape;
  std::vector<char> bytes;
  std::vector<int64_t> words; ///< of an array, its descriptor
};

using Operands = std::vector<Operand>;
} // namespace

static std::optional<Slot> readSlot(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (isa<VectorType>(type) || (shaped && !shaped.hasRank()))
    return std::nullopt;
  Type elementType = shaped ? shaped.getElementType() : type;
  auto element = ElementType::get(elementType);
  if (!element)
    return std::nullopt;
  // What the other bits of a byte hold is not said.
  if (elementType.isIntOrFloat() && !elementType.isInteger(1) &&
      elementType.getIntOrFloatBitWidth() != 8 * element->getBytes())
    return std::nullopt;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (!memref.getLayout().isIdentity() || memref.getMemorySpace())
      return std::nullopt;
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return std::nullopt;
  Slot slot{*element, std::nullopt};
  if (shaped)
    slot.shape = SmallVector<int64_t>(shaped.getShape());
  return slot;
}

static std::optional<SmallVector<Slot>> readSlots(TypeRange types) {
  SmallVector<Slot> slots;
  for (Type type : types) {
    auto slot = readSlot(type);
    if (!slot)
      return std::nullopt;
    slots.push_back(*slot);
  }
  return slots;
}

/// Arguments for the round `seed`: dynamic extents are all the same but in the
/// last rounds, integers small, so that they may be positions.
static Operands makeArguments(ArrayRef<Slot> slots, unsigned seed) {
  static constexpr int64_t extents[] = {4, 8, 1, 16};
  uint64_t state = seed * 77 + 5;
  auto next = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % below);
  };
  Operands operands;
  for (const Slot &slot : slots) {
    Operand operand;
    if (slot.shape)
      for (int64_t extent : *slot.shape)
        operand.shape.push_back(
            ShapedType::isDynamic(extent) ? extents[seed % 4] : extent);
    int64_t bytes = slot.element.getBytes();
    int64_t count = ShapedType::getNumElements(operand.shape);
    operand.bytes.resize(count * bytes + 8);
    for (int64_t i : llvm::seq<int64_t>(0, count)) {
      char *data = operand.bytes.data() + i * bytes;
      if (slot.element.isFloat())
        writeFloat(slot.element, (next(65) - 32) / 16.0, data);
      else
        writeInteger(slot.element, next(3), data);
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

/// The words of a descriptor of `shape` over `data`.
static std::vector<int64_t> describe(ArrayRef<int64_t> shape, void *data) {
  auto address = reinterpret_cast<intptr_t>(data);
  std::vector<int64_t> words{address, address, 0};
  words.insert(words.end(), shape.begin(), shape.end());
  llvm::append_range(words, computeSuffixProduct(shape));
  return words;
}

/// A row-major copy of what a descriptor describes; nullopt where that is too
/// much to be true.
static std::optional<Operand> readArray(const Slot &slot, const char *field) {
  size_t rank = slot.shape->size();
  std::vector<int64_t> words(3 + 2 * rank);
  std::memcpy(words.data(), field, words.size() * 8);
  Operand operand;
  operand.shape.assign(words.begin() + 3, words.begin() + 3 + rank);
  for (int64_t extent : operand.shape)
    if (extent < 0 || extent > 1 << 20)
      return std::nullopt;
  int64_t bytes = slot.element.getBytes(),
          count = ShapedType::getNumElements(operand.shape);
  if (count > 1 << 24)
    return std::nullopt;
  operand.bytes.resize(count * bytes);
  auto *data = reinterpret_cast<const char *>(words[1]) + words[2] * bytes;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t d = rank; d-- > 0; rest /= operand.shape[d])
      offset += rest % operand.shape[d] * words[3 + rank + d];
    std::memcpy(&operand.bytes[i * bytes], data + offset * bytes, bytes);
  }
  return operand;
}

namespace {
/// A compiled function.
class Compiled {
public:
  static llvm::Expected<Compiled> make(ModuleOp module, StringRef name);
  /// Results, then what arrays that were passed hold after the call; nullopt
  /// where it refuses.
  std::optional<Operands> call(ArrayRef<Slot> parameters,
                               ArrayRef<Slot> results, Operands arguments);

private:
  std::unique_ptr<JitModule> jit;
  JitModule::PackedFunction function;
};
} // namespace

llvm::Expected<Compiled> Compiled::make(ModuleOp module, StringRef name) {
  CPUTarget target = CPUTarget::getHost();
  std::string exported = ("_mlir_ciface_" + name).str();
  CodeInterface interface;
  interface.functions = {exported};
  auto object = compileToObject(module, interface, target);
  if (!object)
    return object.takeError();
  auto jit = JitModule::load(std::move(*object), target);
  if (!jit)
    return jit.takeError();
  auto function = (*jit)->lookup(exported);
  if (!function)
    return function.takeError();
  Compiled compiled;
  compiled.jit = std::move(*jit);
  compiled.function = *function;
  return compiled;
}

std::optional<Operands> Compiled::call(ArrayRef<Slot> parameters,
                                       ArrayRef<Slot> results,
                                       Operands arguments) {
  std::vector<size_t> offsets;
  size_t size = 0;
  for (const Slot &slot : results) {
    size_t bytes =
        slot.shape ? 8 * (3 + 2 * slot.shape->size()) : slot.element.getBytes();
    size_t alignment = slot.shape ? 8 : bytes;
    offsets.push_back(llvm::alignTo(size, alignment));
    size = offsets.back() + bytes;
  }
  std::vector<uint64_t> storage(size / 8 + 2);
  char *memory = reinterpret_cast<char *>(storage.data());
  bool isStruct =
      results.size() > 1 || (results.size() == 1 && results.front().shape);
  std::vector<void *> pointers(arguments.size()), packed;
  if (isStruct)
    packed.push_back(&memory);
  for (auto [i, slot] : llvm::enumerate(parameters)) {
    Operand &argument = arguments[i];
    if (slot.shape)
      argument.words = describe(argument.shape, argument.bytes.data());
    pointers[i] = argument.words.data();
    packed.push_back(slot.shape ? static_cast<void *>(&pointers[i])
                                : argument.bytes.data());
  }
  if (!isStruct && !results.empty())
    packed.push_back(memory);
  std::pair<JitModule::PackedFunction, void **> request{function,
                                                        packed.data()};
  auto run = [](void *argument) {
    auto *pair =
        static_cast<std::pair<JitModule::PackedFunction, void **> *>(argument);
    pair->first(pair->second);
  };
  if (symshape_rt_call(run, &request) != 0)
    return std::nullopt;
  Operands all;
  for (auto [slot, offset] : llvm::zip(results, offsets)) {
    if (slot.shape) {
      auto array = readArray(slot, memory + offset);
      if (!array)
        return std::nullopt;
      all.push_back(std::move(*array));
      continue;
    }
    Operand number;
    number.bytes.assign(memory + offset,
                        memory + offset + slot.element.getBytes());
    all.push_back(std::move(number));
  }
  for (auto [slot, argument] : llvm::zip(parameters, arguments))
    if (slot.shape)
      all.push_back(std::move(argument));
  return all;
}

/// Whether two elements are the same up to the order of sums.
static bool isClose(const Slot &slot, const char *a, const char *b) {
  if (std::memcmp(a, b, slot.element.getBytes()) == 0)
    return true;
  if (!slot.element.isFloat())
    return false;
  double x = readAsDouble(slot.element, a), y = readAsDouble(slot.element, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  double unit = slot.element.width == 64   ? 1e-10
                : slot.element.width == 32 ? 1e-4
                                           : 5e-2;
  return x == y || std::abs(x - y) <= unit * (1 + std::abs(x) + std::abs(y));
}

static bool areClose(ArrayRef<Slot> slots, const Operands &a,
                     const Operands &b) {
  for (auto [slot, x, y] : llvm::zip_equal(slots, a, b)) {
    if (x.shape != y.shape)
      return false;
    int64_t bytes = slot.element.getBytes();
    for (int64_t i = 0, n = ShapedType::getNumElements(x.shape); i < n; ++i)
      if (!isClose(slot, &x.bytes[i * bytes], &y.bytes[i * bytes]))
        return false;
  }
  return true;
}

static LogicalResult lowerStock(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(module.getContext()));
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (isa<TensorType>(function.getArgumentTypes()[i]))
      function.setArgAttr(i, "bufferization.writable",
                          BoolAttr::get(module.getContext(), false));
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(stockPipeline, manager)))
    return failure();
  return manager.run(module);
}

/// Whether a process of its own gets through `call`, in a few seconds and
/// without the memory of the whole machine.
static bool endsAlone(llvm::function_ref<void()> call) {
  pid_t child = fork();
  if (child == 0) {
    rlimit time{3, 4}, space{rlim_t(4) << 30, rlim_t(4) << 30};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_AS, &space);
    signal(SIGXCPU, SIG_DFL); // LLVM's handler walks the stack first
    call();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status);
}

/// Calls both; says how often the results were compared, and how they relate.
static StringRef compareCalls(ModeRun &run, Compiled &ours, Compiled &stock,
                              ArrayRef<Slot> parameters,
                              ArrayRef<Slot> results) {
  SmallVector<Slot> all(results);
  for (const Slot &slot : parameters)
    if (slot.shape)
      all.push_back(slot);
  int64_t compared = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    Operands arguments = makeArguments(parameters, seed);
    // A program that runs without end, or off an array, is none of ours.
    bool ends = endsAlone([&] { stock.call(parameters, results, arguments); });
    run.setPhase(ends ? "ours" : "stock as well as ours");
    auto mine = ours.call(parameters, results, arguments);
    if (!mine)
      continue;
    // What depends on memory that nobody wrote shows in memory of other
    // contents.
    run.setPhase("stock");
    mallopt(M_PERTURB, 0x55);
    auto theirs = stock.call(parameters, results, arguments);
    mallopt(M_PERTURB, 0x2a);
    auto again = stock.call(parameters, results, arguments);
    mallopt(M_PERTURB, 0);
    if (!theirs || !again || !areClose(all, *theirs, *again))
      return "undefined";
    if (!areClose(all, *mine, *theirs)) {
      run.details["round"] = seed;
      return "differs";
    }
    ++compared;
  }
  run.details["compared"] = compared;
  return compared ? "same" : "refuses";
}

LogicalResult test::runStock(ModeRun &run) {
  auto function = run.module.lookupSymbol<func::FuncOp>(run.function);
  auto parameters = readSlots(function.getArgumentTypes());
  auto results = readSlots(function.getResultTypes());
  auto say = [&](StringRef how) {
    run.details["stock"] = how.str();
    return success();
  };
  bool isBare = function->hasAttr("llvm.bareptr"); // has no C interface
  if (!parameters || !results || isBare)
    return say("no numbers");
  OwningOpRef<ModuleOp> other = run.module.clone();
  ScopedDiagnosticHandler quiet(run.module.getContext(), [](Diagnostic &) {});
  function.setPublic();
  PassManager manager(run.module.getContext());
  CPUPipelineOptions options;
  options.hoistWeights = false; // what is hoisted becomes another argument
  buildCPUPipeline(manager, CPUTarget::getHost(), options);
  if (failed(manager.run(run.module)))
    return say("not lowered");
  run.setPhase("stock lowering");
  if (failed(lowerStock(*other, run.function)))
    return say("stock cannot");
  run.setPhase("ours");
  auto ours = Compiled::make(run.module, run.function);
  run.setPhase("stock lowering");
  auto stock = Compiled::make(*other, run.function);
  if (!ours || !stock) {
    bool isOurs = !ours;
    llvm::consumeError(ours.takeError());
    llvm::consumeError(stock.takeError());
    return say(isOurs ? "not linked" : "stock not linked");
  }
  return say(compareCalls(run, *ours, *stock, *parameters, *results));
}
