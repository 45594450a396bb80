//===- Jit.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over mlir::ExecutionEngine.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Jit.h"
#include "JitMemory.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <cmath>

using namespace mlir;
using namespace mlir::symshape;

JitModule::JitModule(std::unique_ptr<NearMemory> memory,
                     std::unique_ptr<ExecutionEngine> engine)
    : memory(std::move(memory)), engine(std::move(engine)) {}

JitModule::~JitModule() = default;

void mlir::symshape::registerJitTranslations(DialectRegistry &registry) {
  registerAllToLLVMIRTranslations(registry);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine() {
  static const bool initialized = !llvm::InitializeNativeTarget() &&
                                  !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialized)
    return makeRunError(RunStatus::CannotCompile,
                        "no code generator for this machine");
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  // By default each constant is reached through a register of its own that
  // holds 64 bits of address. NearMemory keeps distances within 32 bits.
  builder->setCodeModel(llvm::CodeModel::Small);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  return builder->createTargetMachine();
}

/// Runs LLVM's optimisations. Our pipeline has tiled and vectorised what is
/// worth it: unrolling and SLP on top of that double the time to compile the
/// sentence encoder and gain nothing at run time, so they are off, and level 3
/// gains nothing over 2. Loops that are still scalar may be vectorised.
static void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                           const llvm::StringSet<> &exports) {
  // What nobody looks up is dropped, and functions are compiled for the calls
  // that there are.
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
    return value.isDeclaration() || exports.contains(value.getName());
  });
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.SLPVectorization = false;
  tuning.LoopVectorization = true;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
  // Code that runs once and is long: a store for each word of each result.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getName().ends_with(".prepare")) {
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      function.addFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::OptimizeNone);
    }
}

/// What math.rsqrt calls when it is lowered to a library function; the C
/// library has none.
template <typename T>
static T reciprocalRoot(T value) {
  return T(1) / std::sqrt(value);
}

/// The runtime functions that generated code may call.
static llvm::orc::SymbolMap
makeRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap map;
  auto add = [&](StringRef name, auto *function) {
    map[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                           llvm::JITSymbolFlags::Exported |
                               llvm::JITSymbolFlags::Callable};
  };
  add("symshape_rt_fail", &symshape_rt_fail);
  add("symshape_rt_parallel", &symshape_rt_parallel);
  add("memrefCopy", &symshape_rt_copy);
  add("rsqrt", &reciprocalRoot<double>);
  add("rsqrtf", &reciprocalRoot<float>);
  add("_mlir_memref_to_llvm_alloc", &_mlir_memref_to_llvm_alloc);
  add("_mlir_memref_to_llvm_aligned_alloc",
      &_mlir_memref_to_llvm_aligned_alloc);
  add("_mlir_memref_to_llvm_free", &_mlir_memref_to_llvm_free);
  return map;
}

llvm::Expected<std::unique_ptr<JitModule>>
JitModule::compile(ModuleOp module, llvm::ArrayRef<std::string> exports,
                   bool keepObject) {
  auto optimizerMachine = makeHostMachine();
  if (!optimizerMachine)
    return optimizerMachine.takeError();
  auto codeMachine = makeHostMachine();
  if (!codeMachine)
    return codeMachine.takeError();
  llvm::StringSet<> names;
  for (const std::string &name : exports)
    names.insert("_mlir_" + name); // the engine's wrapper
  // The options hold a reference to the callable.
  auto optimize = [&](llvm::Module *code) {
    optimizeModule(*code, **optimizerMachine, names);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = optimize;
  auto memory = std::make_unique<NearMemory>();
  options.sectionMemoryMapper = memory.get();
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  options.enableObjectDump = keepObject;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine =
      ExecutionEngine::create(module, options, std::move(*codeMachine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(makeRuntimeSymbols);
  return std::unique_ptr<JitModule>(
      new JitModule(std::move(memory), std::move(*engine)));
}

llvm::Expected<JitModule::PackedFunction>
JitModule::lookup(llvm::StringRef name) const {
  return engine->lookupPacked(name);
}

llvm::Error JitModule::writeObject(llvm::StringRef path) const {
  // The engine prints what goes wrong and returns nothing.
  (void)llvm::sys::fs::remove(path);
  engine->dumpToObjectFile(path);
  if (!llvm::sys::fs::exists(path))
    return makeInputError("cannot write '" + path + "'");
  return llvm::Error::success();
}
