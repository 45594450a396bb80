//===- Jit.cpp - Machine code from the LLVM dialect -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over LLVM's code generator and LLJIT. mlir::ExecutionEngine is
// not used: it cannot run an existing object file.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Jit.h"
#include "CallSequences.h"
#include "JitMemory.h"
#include "QuickCode.h"
#include "SplitLoads.h"
#include "TargetFeatures.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/Status.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Progress.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::symshape;

JitModule::JitModule(std::unique_ptr<NearMemory> memory,
                     std::unique_ptr<llvm::orc::LLJIT> jit)
    : memory(std::move(memory)), jit(std::move(jit)) {}

JitModule::~JitModule() = default;

void mlir::symshape::registerJitTranslations(DialectRegistry &registry) {
  registerAllToLLVMIRTranslations(registry);
}

static bool isStopping(const ObjectOptions &options) {
  return options.stop && *options.stop;
}

namespace {
/// Counts functions as LLVM's passes come to them, for those who watch. Each
/// group of passes begins with the first one again.
class FunctionCounter {
public:
  FunctionCounter(const llvm::Module &module, const Twine &stage)
      : progress(Progress::current()) {
    if (!progress)
      return;
    progress->enter(stage.str());
    numFunctions = llvm::count_if(module, [](const llvm::Function &function) {
      return !function.isDeclaration();
    });
  }
  /// Whether this is another function than that of the visit before.
  bool visit(StringRef function) {
    if (function == last)
      return false;
    last = function.str();
    if (!progress)
      return true;
    if (seen.empty() || !seen.insert(function).second) {
      seen.clear();
      seen.insert(function);
      progress->expect(numFunctions, "functions");
    }
    progress->step();
    return true;
  }

private:
  Progress *progress; ///< null: nobody watches
  size_t numFunctions = 0;
  std::string last;
  llvm::StringSet<> seen;
};

/// Leaves out what code generation can do without once it is cancelled: from
/// the next function on, of which it leaves out all, as of one with `optnone`.
/// Passes in the middle of a function rely on those before them.
class PassGate : public llvm::OptPassGate {
public:
  PassGate(const ObjectOptions &options, const llvm::Module &module)
      : options(options), counter(module, "code generation") {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef, StringRef unit) const override {
    // Which is `function (name)`, part of one, or a module.
    if (unit.consume_front("function (") && unit.consume_back(")") &&
        counter.visit(unit))
      isLeftOut = isStopping(options);
    return !isLeftOut;
  }

private:
  const ObjectOptions &options;
  mutable FunctionCounter counter;
  mutable bool isLeftOut = false; ///< the function that passes run on
};
} // namespace

/// Marks what is called once, and what calls it.
static void markPrepareFunctions(ModuleOp module, llvm::Module &code) {
  for (auto entry : module.getOps<LLVM::LLVMFuncOp>()) {
    auto name = entry->getAttrOfType<FlatSymbolRefAttr>(kPrepareFunction);
    llvm::Function *function =
        name ? code.getFunction(name.getValue()) : nullptr;
    if (!function)
      continue;
    function->addFnAttr(runsOnceAttribute);
    for (llvm::User *user : function->users())
      if (auto *call = dyn_cast<llvm::CallBase>(user))
        call->getFunction()->addFnAttr(runsOnceAttribute);
  }
}

/// Runs LLVM's optimisations. Our pipeline has tiled and vectorised what is
/// worth it: unrolling and SLP on top of that double the time to compile the
/// sentence encoder and gain nothing at run time, so they are off, and level 3
/// gains nothing over 2. Loops that are still scalar may be vectorised.
static void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                           const llvm::StringSet<> &exports, bool fma,
                           const ObjectOptions &options) {
  // What nobody looks up is dropped, and functions are compiled for their
  // actual calls.
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
  // Sums are in registers already, and nothing else is carried through memory
  // from turn to turn; checks on extents have a function of their own;
  // functions are called by name. Looking for what there is none of takes two
  // fifths of the time here, and of a decoder as much again.
  llvm::PassInstrumentationCallbacks callbacks;
  FunctionCounter counter(module, "optimization");
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef pass, llvm::Any unit) {
        if (auto **function = llvm::any_cast<const llvm::Function *>(&unit))
          counter.visit((*function)->getName());
        return pass != "LoopLoadEliminationPass" &&
               pass != "ConstraintEliminationPass" &&
               pass != "CalledValuePropagationPass" && !isStopping(options);
      });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (options.quick) {
    optimizeQuickly(module, builder, modules, fma);
  } else {
    leaveCallSequences(module, exports);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
        .run(module, modules);
  }
  splitBFloatLoads(module);
  // Long code that runs once: a store for each word of each result.
  for (llvm::Function &function : module)
    if (!options.quick && !function.isDeclaration() &&
        function.hasFnAttribute(runsOnceAttribute))
      leaveAsItIs(function);
}

/// The functions that generated code may call. Any other symbol is looked for
/// in the process.
static llvm::orc::SymbolMap
makeRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap map;
  int64_t count = 0;
  const symshape_rt_function *functions = symshape_rt_functions(&count);
  for (const symshape_rt_function &function : llvm::ArrayRef(functions, count))
    map[interner(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return map;
}

/// The name of the wrapper of a function.
static std::string getWrapperName(StringRef name) {
  return ("packed." + name).str();
}

/// Defines the wrapper of `function`: takes an array of pointers to its
/// arguments, then to its result.
static void defineWrapper(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  llvm::IRBuilder<> builder(module.getContext());
  auto *type =
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  auto *wrapper =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                             getWrapperName(function.getName()), module);
  if (function.hasFnAttribute(runsOnceAttribute))
    wrapper->addFnAttr(runsOnceAttribute);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", wrapper));
  auto pointerTo = [&](unsigned i) {
    llvm::Value *place = builder.CreateConstInBoundsGEP1_64(
        builder.getPtrTy(), wrapper->getArg(0), i);
    return builder.CreateLoad(builder.getPtrTy(), place);
  };
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : function.args())
    arguments.push_back(
        builder.CreateLoad(argument.getType(), pointerTo(argument.getArgNo())));
  llvm::Value *result = builder.CreateCall(&function, arguments);
  if (!result->getType()->isVoidTy())
    builder.CreateStore(result, pointerTo(function.arg_size()));
  builder.CreateRetVoid();
}

static constexpr llvm::StringLiteral interfaceName = "symshape.interface";
/// What `symshape-nvvm` calls it.
static constexpr llvm::StringLiteral kernelsName = "symshape_gpu.program";

static void defineInterface(llvm::Module &module,
                            const CodeInterface &interface) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(
      module.getContext(), interface.serialize(), /*AddNull=*/false);
  new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, bytes,
                           interfaceName);
}

/// An op of `module`, in the LLVM dialect, whose vectors are
/// scalable.
static Operation *findScalable(ModuleOp module) {
  auto isScalable = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.isScalable();
  };
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<LLVM::vscale>(op) &&
        llvm::none_of(op->getOperandTypes(), isScalable) &&
        llvm::none_of(op->getResultTypes(), isScalable))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// `module` as LLVM IR for `machine`.
static llvm::Expected<std::unique_ptr<llvm::Module>>
translate(ModuleOp module, llvm::LLVMContext &context, const CPUTarget &target,
          llvm::TargetMachine &machine) {
  // LLVM would end the process.
  if (!machine.getTargetFeatureString().contains("+sve"))
    if (Operation *op = findScalable(module))
      return makeRunError(
          RunStatus::CannotCompile,
          "@" + op->getParentOfType<LLVM::LLVMFuncOp>().getName() +
              ": scalable vectors, as of '" + op->getName().getStringRef() +
              "', need a processor with SVE");
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return makeRunError(RunStatus::CannotCompile,
                        "cannot translate to LLVM IR");
  markPrepareFunctions(module, *code);
  code->setDataLayout(machine.createDataLayout());
  code->setTargetTriple(machine.getTargetTriple());
  if (llvm::Error error = grantFeatures(*code, target, machine))
    return std::move(error);
  return std::move(code);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::compileToObject(ModuleOp module, const CodeInterface &interface,
                                const CPUTarget &target,
                                const ObjectOptions &options) {
  auto machine =
      target.createMachine(options.quick ? llvm::CodeGenOptLevel::None
                                         : llvm::CodeGenOptLevel::Aggressive);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto measure = [&](llvm::StringRef stage) {
    return options.timing ? options.timing->nest(stage) : TimingScope();
  };
  TimingScope timing = measure("to LLVM IR");
  auto code = translate(module, context, target, **machine);
  if (!code)
    return code.takeError();
  timing = measure("LLVM's optimization");
  llvm::StringSet<> names;
  for (const std::string &name : interface.functions) {
    defineWrapper(*(*code)->getFunction(name));
    names.insert(getWrapperName(name));
    if (options.forLinkers)
      names.insert(name);
  }
  defineInterface(**code, interface);
  names.insert(interfaceName);
  names.insert(kernelsName);
  optimizeModule(**code, **machine, names, target.fma, options);
  timing = measure("LLVM's code generation");
  PassGate gate(options, **code);
  context.setOptPassGate(gate);
  auto object = llvm::orc::SimpleCompiler(**machine)(**code);
  if (!isStopping(options))
    return object;
  llvm::consumeError(object.takeError());
  return makeRunError(RunStatus::CannotCompile, "compilation cancelled");
}

/// LLVM's errors may refer to strings of the JIT, which may go first.
static llvm::Error detach(llvm::Error error) {
  return makeRunError(RunStatus::CannotCompile,
                      llvm::toString(std::move(error)));
}

/// Fails if the code calls a function that neither the runtime nor the process
/// has: one that the program only declares.
static llvm::Error checkSymbols(const llvm::MemoryBuffer &code) {
  auto object =
      llvm::object::ObjectFile::createObjectFile(code.getMemBufferRef());
  if (!object)
    return detach(object.takeError());
  int64_t count = 0;
  const symshape_rt_function *functions = symshape_rt_functions(&count);
  for (llvm::object::SymbolRef symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    bool isKnown =
        !(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() ||
        name->starts_with("_GLOBAL_OFFSET_TABLE_") ||
        llvm::any_of(llvm::ArrayRef(functions, count),
                     [&](const auto &known) { return *name == known.name; }) ||
        llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name->str());
    if (!isKnown)
      return makeRunError(RunStatus::CannotCompile,
                          "expected a body of function '" + *name +
                              "', which the program calls and only declares");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<JitModule>>
JitModule::load(std::unique_ptr<llvm::MemoryBuffer> object,
                const CPUTarget &target) {
  auto machine = target.createMachine();
  if (!machine)
    return machine.takeError();
  auto memory = std::make_unique<NearMemory>();
  auto jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(
              llvm::orc::JITTargetMachineBuilder(target.triple))
          .setDataLayout((*machine)->createDataLayout())
          .setObjectLinkingLayerCreator(
              [&](llvm::orc::ExecutionSession &session) {
                return std::make_unique<llvm::orc::RTDyldObjectLinkingLayer>(
                    session,
                    [mapper = memory.get(),
                     // Keeps code near enough to its table of addresses.
                     reserve = target.triple.isAArch64()](
                        const llvm::MemoryBuffer &) {
                      return std::make_unique<llvm::SectionMemoryManager>(
                          mapper, reserve);
                    });
              })
          .create();
  if (!jit)
    return detach(jit.takeError());
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return detach(process.takeError());
  library.addGenerator(std::move(*process));
  if (llvm::Error error = checkSymbols(*object))
    return std::move(error);
  llvm::orc::MangleAndInterner interner((*jit)->getExecutionSession(),
                                        (*jit)->getDataLayout());
  if (llvm::Error error = library.define(
          llvm::orc::absoluteSymbols(makeRuntimeSymbols(interner))))
    return detach(std::move(error));
  if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
    return detach(std::move(error));
  return std::unique_ptr<JitModule>(
      new JitModule(std::move(memory), std::move(*jit)));
}

llvm::Expected<JitModule::PackedFunction>
JitModule::lookup(llvm::StringRef name) const {
  auto address = jit->lookup(getWrapperName(name));
  if (!address)
    return detach(address.takeError());
  return address->toPtr<PackedFunction>();
}

llvm::Expected<CodeInterface> JitModule::readInterface() const {
  auto address = jit->lookup(interfaceName);
  if (!address)
    return detach(address.takeError());
  memory->trim(); // what was looked up first has loaded all
  llvm::StringRef bytes = memory->getBytesFrom(address->toPtr<const char *>());
  std::optional<CodeInterface> interface = CodeInterface::parse(bytes);
  if (!interface)
    return makeRunError(RunStatus::CannotCompile,
                        "the code does not say how it is called");
  return std::move(*interface);
}

llvm::Expected<symshape_gpu_program *> JitModule::lookupKernels() const {
  auto address = jit->lookup(kernelsName);
  if (!address)
    return detach(address.takeError());
  return address->toPtr<symshape_gpu_program *>();
}

llvm::Error mlir::symshape::writeCode(ModuleOp module,
                                      llvm::ArrayRef<std::string> exports,
                                      const CPUTarget &target, StringRef path,
                                      llvm::CodeGenFileType type) {
  auto machine = target.createMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto code = translate(module, context, target, **machine);
  if (!code)
    return code.takeError();
  llvm::StringSet<> names;
  names.insert_range(exports);
  names.insert(kernelsName);
  optimizeModule(**code, **machine, names, target.fma, {});
  auto file = NewFile::create(path);
  if (!file)
    return toInputError(file.takeError());
  bool isKnown = true;
  llvm::Error error = file->write([&](llvm::raw_pwrite_stream &os) {
    llvm::legacy::PassManager passes; // which writes until it is destroyed
    isKnown = !(*machine)->addPassesToEmitFile(passes, os, nullptr, type);
    if (isKnown)
      passes.run(**code);
  });
  if (error)
    return toInputError(std::move(error));
  if (!isKnown)
    return makeRunError(RunStatus::CannotCompile,
                        "no such file can be written for '" +
                            target.triple.str() + "'");
  return toInputError(file->keep());
}
