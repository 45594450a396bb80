//===- ObjectCode.cpp - Machine code from the LLVM dialect ----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ObjectCode.h"
#include "CallSequences.h"
#include "CodeNames.h"
#include "CompileParts.h"
#include "Optimize.h"
#include "TargetFeatures.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "symshape/Execution/Status.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/Process/Files.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::symshape;

void mlir::symshape::registerJitTranslations(DialectRegistry &registry) {
  registerAllToLLVMIRTranslations(registry);
}

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

/// Keeps of `module` what `exports` need.
static void dropUnused(llvm::Module &module, const llvm::StringSet<> &exports,
                       const ObjectOptions &options) {
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
    return value.isDeclaration() || exports.contains(value.getName());
  });
  if (!options.quick)
    leaveCallSequences(module, exports);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeMachine(const CPUTarget &target, const ObjectOptions &options) {
  return target.createMachine(options.quick
                                  ? llvm::CodeGenOptLevel::None
                                  : llvm::CodeGenOptLevel::Aggressive);
}

static TimingScope measure(const ObjectOptions &options, StringRef stage) {
  return options.timing ? options.timing->nest(stage) : TimingScope();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::compileToObject(ModuleOp module, const CodeInterface &interface,
                                const CPUTarget &target,
                                const ObjectOptions &options) {
  auto machine = makeMachine(target, options);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  TimingScope timing = measure(options, "to LLVM IR");
  auto code = translate(module, context, target, **machine);
  if (!code)
    return code.takeError();
  timing = measure(options, "LLVM's optimization");
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
  dropUnused(**code, names, options);
  if (options.quick) {
    optimizeQuickly(**code, **machine, target.fma, options);
  } else {
    if (!options.forLinkers && isLong(**code)) {
      optimizeCalls(**code, **machine, options);
      auto parts = splitIntoParts(**code);
      code->reset();
      return compileParts(parts, target, options, timing);
    }
    optimizeModule(**code, **machine, options);
  }
  timing = measure(options, "LLVM's code generation");
  return generateCode(**code, **machine, options);
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
  dropUnused(**code, names, {});
  optimizeModule(**code, **machine, {});
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
