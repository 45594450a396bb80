//===- CompileKernels.cpp - From a gpu.module to PTX ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's code generator for GPUs of NVIDIA is part of libLLVM, so that PTX is
// written without a toolkit; the driver compiles it for the device at hand.
//
//===----------------------------------------------------------------------===//

#include "symshape/Conversion/GPUPasses.h"
#include "symshape/Pipelines/GPUTarget.h"
#include "symshape/Pipelines/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::symshape {
#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "symshape/Pipelines/Passes.h.inc"
} // namespace mlir::symshape

using namespace mlir;
using namespace mlir::symshape;

/// The address space of shared memory.
static constexpr unsigned sharedSpace = 3;

/// The name of a function that a kernel calls and nobody defines, or "".
static StringRef findUndefined(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return function.getName();
  return "";
}

/// Makes larger arrays that of the launch, whose size the launch gives.
static void makeSharedDynamic(llvm::Module &module) {
  for (llvm::GlobalVariable &array :
       llvm::make_early_inc_range(module.globals())) {
    int64_t bytes =
        module.getDataLayout().getTypeAllocSize(array.getValueType());
    if (array.getAddressSpace() != sharedSpace ||
        bytes <= mostStaticSharedBytes)
      continue;
    auto *type =
        llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
    auto *dynamic = new llvm::GlobalVariable(
        module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
        /*Initializer=*/nullptr, array.getName() + "_dynamic",
        /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal,
        sharedSpace);
    dynamic->setAlignment(array.getAlign());
    array.replaceAllUsesWith(dynamic);
    array.eraseFromParent();
  }
}

/// Assembly of a kernel is for all threads of a warp together: no pass may copy
/// it to the two sides of a branch.
static void markAssemblyConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->isInlineAsm())
        call->setConvergent();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

namespace {
struct CompileKernelsPass
    : symshape::impl::CompileKernelsPassBase<CompileKernelsPass> {
  using CompileKernelsPassBase::CompileKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllGPUToLLVMIRTranslations(registry);
  }

  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>("kernels");
    if (!kernels)
      return;
    auto fail = [&](const llvm::Twine &message) {
      kernels.emitError(message);
      signalPassFailure();
    };
    llvm::Expected<GPUTarget> target = GPUTarget::get(chip);
    if (!target)
      return fail(llvm::toString(target.takeError()));
    auto machine = target->createMachine();
    if (!machine)
      return fail(llvm::toString(machine.takeError()));
    llvm::LLVMContext context;
    // Translation takes the alignment of accesses from it.
    kernels->setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        StringAttr::get(
            &getContext(),
            (*machine)->createDataLayout().getStringRepresentation()));
    std::unique_ptr<llvm::Module> code =
        translateModuleToLLVMIR(kernels, context, "kernels");
    if (!code)
      return fail("cannot translate kernels to LLVM IR");
    code->setTargetTriple((*machine)->getTargetTriple());
    if (StringRef name = findUndefined(*code); !name.empty())
      return fail("expected kernels to call nothing outside, but got a call of "
                  "'" +
                  name + "'");
    makeSharedDynamic(*code);
    markAssemblyConvergent(*code);
    optimize(*code, **machine);
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                        llvm::CodeGenFileType::AssemblyFile))
      return fail("cannot write PTX for '" + chip + "'");
    passes.run(*code);
    kernels->setAttr("code", StringAttr::get(&getContext(), text));
  }
};
} // namespace
