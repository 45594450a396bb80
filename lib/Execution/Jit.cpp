//===- Jit.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over mlir::ExecutionEngine and LLVM's code generator.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Jit.h"
#include "JitMemory.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"
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

/// What LLVM calls to narrow a bf16 that it has widened to move it; libraries of
/// older compilers lack it. A bf16 is returned where a float is, in the lower
/// half of its bits.
static float roundToBFloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  uint32_t quiet = bits >> 16 | 0x40;
  return llvm::bit_cast<float>(std::isnan(value) ? quiet : rounded);
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
  add("__truncsfbf2", &roundToBFloat);
  add("_mlir_memref_to_llvm_alloc", &_mlir_memref_to_llvm_alloc);
  add("_mlir_memref_to_llvm_aligned_alloc",
      &_mlir_memref_to_llvm_aligned_alloc);
  add("_mlir_memref_to_llvm_free", &_mlir_memref_to_llvm_free);
  return map;
}

llvm::Expected<std::unique_ptr<JitModule>>
JitModule::compile(ModuleOp module, llvm::ArrayRef<std::string> exports,
                   const CPUTarget &target) {
  auto optimizerMachine = target.createMachine();
  if (!optimizerMachine)
    return optimizerMachine.takeError();
  auto codeMachine = target.createMachine();
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
  options.enableObjectDump = false;
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

llvm::Error mlir::symshape::writeCode(ModuleOp module,
                                      llvm::ArrayRef<std::string> exports,
                                      const CPUTarget &target, StringRef path,
                                      llvm::CodeGenFileType type) {
  auto machine = target.createMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return makeRunError(RunStatus::CannotCompile,
                        "cannot translate to LLVM IR");
  ExecutionEngine::setupTargetTripleAndDataLayout(code.get(), machine->get());
  llvm::StringSet<> names;
  names.insert_range(exports);
  optimizeModule(*code, **machine, names);
  std::error_code problem;
  llvm::ToolOutputFile file(path, problem, llvm::sys::fs::OF_None);
  if (problem)
    return makeInputError("cannot write '" + path + "': " + problem.message());
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, file.os(), nullptr, type))
    return makeRunError(RunStatus::CannotCompile,
                        "no such file can be written for '" +
                            target.triple.str() + "'");
  passes.run(*code);
  file.keep();
  return llvm::Error::success();
}
