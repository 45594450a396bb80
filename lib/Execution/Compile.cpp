//===- Compile.cpp - From a file to a Program -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases of a compilation: parse, lower, compile. They run on a thread of
// their own with a large stack, so that deeply nested input does not exhaust
// it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Execution/Program.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Pipelines/CPU.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace mlir;
using namespace mlir::symshape;

static constexpr unsigned stackBytes = 512 << 20;

static llvm::Error cannotCompile(const llvm::Twine &message) {
  return makeRunError(RunStatus::CannotCompile, message);
}

/// Seconds since `begin`, which becomes now.
static double lap(std::chrono::steady_clock::time_point &begin) {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - begin).count();
  begin = now;
  return seconds;
}

/// Finds the entry and makes it callable from outside: public, with a C
/// interface, and its arguments never written to.
static llvm::Expected<FunctionOpInterface> prepareEntry(ModuleOp module,
                                                        StringRef name) {
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (!entry || entry.isExternal())
    return cannotCompile("expected a function @" + name +
                         " with a body, but there is none");
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(&op);
    if (!symbol || symbol.isDeclaration())
      continue;
    StringRef symbolName = symbol.getName();
    if (symbolName.starts_with("_mlir_") ||
        symbolName.starts_with("symshape_rt_"))
      return cannotCompile("expected no definition of @" + symbolName +
                           ": the name is reserved for the runtime");
  }
  MLIRContext *context = module.getContext();
  entry.setPublic();
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                 UnitAttr::get(context));
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (isa<TensorType>(entry.getArgumentTypes()[i]))
      entry.setArgAttr(i, "bufferization.writable",
                       BoolAttr::get(context, false));
  return cast<FunctionOpInterface>(entry.getOperation());
}

static LogicalResult runPasses(ModuleOp module, const CompileOptions &options) {
  PassManager pm(module.getContext());
  CPUPipelineOptions pipeline;
  pipeline.guards = options.guards;
  pipeline.planMemory = options.planMemory;
  pipeline.parallel = options.threads > 1;
  buildCPUPipeline(pm, options.target, pipeline);
  return pm.run(module);
}

/// The rank of a memref descriptor's type, or none if it is something else.
static std::optional<unsigned> descriptorRank(Type type) {
  auto structType = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structType || structType.isOpaque())
    return std::nullopt;
  ArrayRef<Type> body = structType.getBody();
  if (body.size() != 3 && body.size() != 5)
    return std::nullopt;
  if (!isa<LLVM::LLVMPointerType>(body[0]) ||
      !isa<LLVM::LLVMPointerType>(body[1]) || !body[2].isInteger(64))
    return std::nullopt;
  if (body.size() == 3)
    return 0;
  auto extents = dyn_cast<LLVM::LLVMArrayType>(body[3]);
  if (!extents || body[4] != body[3] || !extents.getElementType().isInteger(64))
    return std::nullopt;
  return extents.getNumElements();
}

/// The ranks of what `@ENTRY.prepare` returns.
static llvm::Expected<std::vector<unsigned>>
preparedResultRanks(LLVM::LLVMFuncOp prepare) {
  Type result = prepare.getFunctionType().getReturnType();
  std::vector<unsigned> ranks;
  if (isa<LLVM::LLVMVoidType>(result))
    return ranks;
  SmallVector<Type> types{result};
  if (!descriptorRank(result))
    if (auto structType = dyn_cast<LLVM::LLVMStructType>(result))
      types.assign(structType.getBody().begin(), structType.getBody().end());
  for (Type type : types) {
    std::optional<unsigned> rank = descriptorRank(type);
    if (!rank)
      return cannotCompile("expected @" + prepare.getName() +
                           " to return tensors only");
    ranks.push_back(*rank);
  }
  return ranks;
}

llvm::Error Program::readCompiledSignatures(ModuleOp module) {
  std::string prepareName = signature.name + ".prepare";
  auto find = [&](const std::string &name) {
    return module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  };
  if (auto prepare = find(prepareName)) {
    auto ranks = preparedResultRanks(prepare);
    if (!ranks)
      return ranks.takeError();
    preparedRanks = std::move(*ranks);
  }
  if (auto version = find(signature.name + ".version"))
    if (auto names =
            version->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersionNames))
      for (auto name : names.getAsRange<StringAttr>())
        versionNames.push_back(name.str());
  auto wrapper = find("_mlir_ciface_" + signature.name);
  if (!wrapper)
    return cannotCompile("@" + signature.name +
                         " has no C interface after lowering");
  unsigned expected =
      signature.arguments.size() + preparedRanks.size() + resultLayout.isStruct;
  if (wrapper.getNumArguments() != expected)
    return cannotCompile(
        "expected @" + signature.name + " to keep its signature, but it has " +
        llvm::Twine(wrapper.getNumArguments()) + " parameters instead of " +
        llvm::Twine(expected) + " after lowering");
  return llvm::Error::success();
}

namespace {
/// A file on its way to the LLVM dialect.
class SourceFile {
public:
  SourceFile() : context(getRegistry(), MLIRContext::Threading::DISABLED) {
    // An op may hold a whole function; its name and place are enough.
    context.printOpOnDiagnostic(false);
  }

  /// Parses, and returns the function `entryName`.
  llvm::Expected<FunctionOpInterface> parse(StringRef path,
                                            StringRef entryName);
  llvm::Error lower(const CompileOptions &options);
  ModuleOp getModule() { return *module; }

private:
  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SymShapeDialect>();
    registerShapeFactsExternalModels(registry);
    registerAllExtensions(registry);
    registerJitTranslations(registry);
    return registry;
  }

  // One thread: a crash on another one could not be recovered from.
  MLIRContext context;
  llvm::SourceMgr sourceMgr;
  SourceMgrDiagnosticHandler handler{sourceMgr, &context};
  OwningOpRef<ModuleOp> module;
  std::string path;
};
} // namespace

llvm::Expected<FunctionOpInterface> SourceFile::parse(StringRef from,
                                                      StringRef entryName) {
  path = from;
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return makeInputError(message);
  sourceMgr.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  module = parseWithArgumentNames(sourceMgr, &context);
  if (!module)
    return cannotCompile("cannot parse '" + path + "'");
  return prepareEntry(*module, entryName);
}

llvm::Error SourceFile::lower(const CompileOptions &options) {
  if (failed(runPasses(*module, options)))
    return cannotCompile("cannot lower '" + path + "'");
  return llvm::Error::success();
}

/// What can be called of a lowered entry: itself, what it was prepared by, and
/// what it asks before it runs.
static std::vector<std::string> getExports(StringRef entry) {
  std::string name = ("_mlir_ciface_" + entry).str();
  return {name, name + ".prepare", name + ".guard", name + ".version"};
}

/// Finds the exported functions that `module` has; the entry is one of them.
llvm::Error Program::lookUp(ModuleOp module,
                            llvm::ArrayRef<std::string> exports) {
  JitModule::PackedFunction *functions[] = {&entryFunction, &prepareFunction,
                                            &guardFunction, &versionFunction};
  for (auto [name, function] : llvm::zip_equal(exports, functions)) {
    if (!module.lookupSymbol(name))
      continue;
    auto code = jit->lookup(name);
    if (!code)
      return cannotCompile(llvm::toString(code.takeError()));
    *function = *code;
  }
  return llvm::Error::success();
}

llvm::Error Program::compileFile(StringRef path,
                                 const CompileOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  if (llvm::Error error = options.target.checkRunsHere())
    return makeInputError(llvm::toString(std::move(error)));
  threads = options.threads;
  SourceFile source;
  auto entry = source.parse(path, options.entry);
  if (!entry)
    return entry.takeError();
  auto read = FunctionSignature::read(*entry);
  if (!read)
    return read.takeError();
  signature = std::move(*read);
  layOutCalls();
  times.parse = lap(begin);

  if (llvm::Error error = source.lower(options))
    return error;
  times.passes = lap(begin);

  if (llvm::Error error = readCompiledSignatures(source.getModule()))
    return error;
  std::vector<std::string> exports = getExports(signature.name);
  auto compiled =
      JitModule::compile(source.getModule(), exports, options.target);
  if (!compiled)
    return cannotCompile(llvm::toString(compiled.takeError()));
  jit = std::move(*compiled);
  if (llvm::Error error = lookUp(source.getModule(), exports))
    return error;
  times.jit = lap(begin);
  return llvm::Error::success();
}

/// Runs `compile` with a large stack; an error if it crashes.
static llvm::Error runRecovering(StringRef path,
                                 llvm::function_ref<llvm::Error()> compile) {
  llvm::Error result = llvm::Error::success();
  llvm::consumeError(std::move(result));
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafelyOnThread([&]() { result = compile(); }, stackBytes))
    return result;
  return makeRunError(RunStatus::Internal,
                      "internal error: the compiler crashed on '" + path + "'");
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(StringRef path, const CompileOptions &options) {
  std::unique_ptr<Program> program(new Program());
  bool finished = false;
  llvm::Error error = runRecovering(path, [&] {
    llvm::Error result = program->compileFile(path, options);
    finished = true;
    return result;
  });
  // What a crash left behind is in no state to be destroyed.
  if (!finished)
    (void)program.release();
  if (error)
    return std::move(error);
  return std::move(program);
}

llvm::Error mlir::symshape::writeCode(StringRef path,
                                      const CompileOptions &options,
                                      StringRef output,
                                      llvm::CodeGenFileType type) {
  return runRecovering(path, [&]() -> llvm::Error {
    SourceFile source;
    auto entry = source.parse(path, options.entry);
    if (!entry)
      return entry.takeError();
    std::vector<std::string> exports = getExports(options.entry);
    if (llvm::Error error = source.lower(options))
      return error;
    return writeCode(source.getModule(), exports, options.target, output, type);
  });
}
