//===- Optimize.cpp - LLVM's part of a compilation ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Optimize.h.
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "CallSequences.h"
#include "QuickCode.h"
#include "SplitLoads.h"
#include "symshape/Execution/Status.h"
#include "symshape/Process/Progress.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::symshape;

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
      isLeftOut = options.isStopping();
    return !isLeftOut;
  }

private:
  const ObjectOptions &options;
  mutable FunctionCounter counter;
  mutable bool isLeftOut = false; ///< the function that passes run on
};

/// What LLVM's passes need, in the order of destruction.
class Passes {
public:
  Passes(llvm::Module &module, llvm::TargetMachine &machine,
         const ObjectOptions &options)
      : counter(module, "optimization"),
        builder(&machine, makeTuning(), std::nullopt, &callbacks) {
    // Sums are in registers already, and nothing else is carried through memory
    // from turn to turn; checks on extents have a function of their own;
    // functions are called by name. Looking for what there is none of takes two
    // fifths of the time here, and of a decoder as much again.
    callbacks.registerShouldRunOptionalPassCallback(
        [&](llvm::StringRef pass, llvm::Any unit) {
          if (auto **function = llvm::any_cast<const llvm::Function *>(&unit))
            counter.visit((*function)->getName());
          return pass != "LoopLoadEliminationPass" &&
                 pass != "ConstraintEliminationPass" &&
                 pass != "CalledValuePropagationPass" && !options.isStopping();
        });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

private:
  static llvm::PipelineTuningOptions makeTuning() {
    llvm::PipelineTuningOptions tuning;
    tuning.LoopUnrolling = false;
    tuning.SLPVectorization = false;
    tuning.LoopVectorization = true;
    return tuning;
  }

  FunctionCounter counter;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::PassInstrumentationCallbacks callbacks;

public:
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};
} // namespace

void mlir::symshape::optimizeModule(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    const ObjectOptions &options) {
  Passes passes(module, machine, options);
  passes.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, passes.modules);
  splitBFloatLoads(module);
  // Long code that runs once: a store for each word of each result.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(runsOnceAttribute))
      leaveAsItIs(function);
}

void mlir::symshape::optimizeCalls(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   const ObjectOptions &options) {
  Passes passes(module, machine, options);
  llvm::ModulePassManager manager;
  llvm::cantFail(passes.builder.parsePassPipeline(
      manager, "inferattrs,function(simplifycfg,sroa,early-cse),ipsccp,"
               "globalopt,deadargelim,cgscc(function-attrs),globaldce"));
  manager.run(module, passes.modules);
}

void mlir::symshape::optimizeQuickly(llvm::Module &module,
                                     llvm::TargetMachine &machine, bool fma,
                                     const ObjectOptions &options) {
  Passes passes(module, machine, options);
  optimizeQuickly(module, passes.builder, passes.modules, fma);
  splitBFloatLoads(module);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                             const ObjectOptions &options) {
  PassGate gate(options, module);
  module.getContext().setOptPassGate(gate);
  auto object = llvm::orc::SimpleCompiler(machine)(module);
  module.getContext().setOptPassGate(llvm::getGlobalPassGate());
  if (!options.isStopping())
    return object;
  llvm::consumeError(object.takeError());
  return makeRunError(RunStatus::CannotCompile, "compilation cancelled");
}
