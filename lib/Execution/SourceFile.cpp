//===- SourceFile.cpp - A file on its way to the LLVM dialect -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceFile.h"

#include "ImportedWeights.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Transforms/KeepReached.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::symshape;

static constexpr unsigned stackBytes = 512 << 20;

static llvm::Error cannotCompile(const llvm::Twine &message) {
  return makeRunError(RunStatus::CannotCompile, message);
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<SymShapeDialect>();
  registerShapeFactsExternalModels(registry);
  registerAllExtensions(registry);
  registerJitTranslations(registry);
  return registry;
}

SourceFile::SourceFile()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  // An op may hold a whole function; its name and place are enough.
  context.printOpOnDiagnostic(false);
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

llvm::Error SourceFile::parse(llvm::MemoryBufferRef bytes,
                              StringRef entryName) {
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(bytes,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  module = parseWithArgumentNames(sourceMgr, &context);
  if (!module)
    return cannotCompile("cannot parse '" + bytes.getBufferIdentifier() + "'");
  auto prepared = prepareEntry(*module, entryName);
  if (!prepared)
    return prepared.takeError();
  entry = *prepared;
  // A function that nothing calls here may be one that cannot be compiled.
  keepReached(*module, entryName);
  return llvm::Error::success();
}

llvm::Expected<FunctionSignature> SourceFile::readSignature() {
  return FunctionSignature::read(entry);
}

/// The policies that `function` declares, by symbol.
static llvm::StringMap<SymbolPolicy>
readPolicies(FunctionOpInterface function) {
  llvm::StringMap<SymbolPolicy> policies;
  if (auto symbols =
          function->getAttrOfType<ArrayAttr>(SymShapeDialect::kSymbols))
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      policies[symbol.getName()] = symbol.getPolicy();
  return policies;
}

std::vector<DynamicDim> SourceFile::readDims() {
  llvm::StringMap<SymbolPolicy> policies = readPolicies(entry);
  std::vector<DynamicDim> dims;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      continue;
    auto shape = entry.getArgAttrOfType<ShapeAttr>(i, SymShapeDialect::kShape);
    for (auto [d, extent] : llvm::enumerate(shaped.getShape())) {
      if (!ShapedType::isDynamic(extent))
        continue;
      // Of a dim that is an expression its symbols decide elsewhere.
      StringRef name = shape ? shape.getTexts()[d].getValue() : "";
      dims.push_back({static_cast<unsigned>(i), static_cast<unsigned>(d),
                      policies.lookup(name)});
    }
  }
  return dims;
}

llvm::Error SourceFile::lower(const CompileOptions &options) {
  PassManager manager(&context);
  CPUPipelineOptions pipeline;
  pipeline.guards = options.guards;
  pipeline.planMemory = options.planMemory;
  pipeline.parallel = options.threads > 1;
  pipeline.entry = options.entry;
  pipeline.extents = options.extents;
  buildCPUPipeline(manager, options.target, pipeline);
  if (succeeded(manager.run(*module)))
    return llvm::Error::success();
  llvm::StringRef name = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())
                             ->getBufferIdentifier();
  return cannotCompile("cannot lower '" + name + "'");
}

/// Imports a model; its program as bytecode, which holds no weights.
static llvm::Expected<ProgramBytes>
importProgram(StringRef path, const FirstInputs &firstInputs) {
  auto model = onnx::Model::read(path);
  if (!model) {
    // Only a file that cannot be read has an error code.
    bool isRead = false;
    std::string message;
    llvm::handleAllErrors(
        model.takeError(), [&](const llvm::StringError &error) {
          isRead = error.convertToErrorCode() == llvm::inconvertibleErrorCode();
          message = error.getMessage();
        });
    return isRead ? cannotCompile(message) : makeInputError(message);
  }
  auto shared = std::make_shared<const onnx::Model>(std::move(*model));
  ProgramBytes program;
  llvm::Error error = runRecovering(path, [&]() -> llvm::Error {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    auto imported = onnx::importModel(shared, &context);
    if (!imported && imported.errorIsA<onnx::NeedsValues>() && firstInputs) {
      llvm::consumeError(imported.takeError());
      auto inputs = firstInputs();
      if (!inputs)
        return inputs.takeError();
      onnx::ImportOptions options;
      options.values = toImportedValues(*inputs);
      imported = onnx::importModel(shared, &context, options);
    }
    if (!imported)
      return cannotCompile(llvm::toString(imported.takeError()));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecodeToFile(*imported->module, os)))
      return cannotCompile("cannot write the program of '" + path + "'");
    program.bytes = llvm::MemoryBuffer::getMemBufferCopy(bytes, path);
    program.weights =
        std::make_shared<ImportedWeights>(shared, std::move(imported->weights));
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return program;
}

llvm::Expected<ProgramBytes>
mlir::symshape::readProgram(StringRef path, const FirstInputs &firstInputs) {
  if (onnx::isModelPath(path))
    return importProgram(path, firstInputs);
  std::string message;
  if (auto file = openInputFile(path, &message))
    return ProgramBytes{std::move(file), nullptr};
  return makeInputError(message);
}

std::vector<std::string> mlir::symshape::readInputNames(StringRef path) {
  std::vector<std::string> names;
  if (!onnx::isModelPath(path))
    return names;
  auto model = onnx::Model::read(path);
  if (!model) {
    llvm::consumeError(model.takeError()); // told when it is read to be run
    return names;
  }
  for (const onnx::ValueInfo *input : model->getInputs())
    names.push_back(input->name.str());
  return names;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::symshape::readProgramBytes(StringRef path) {
  auto program = readProgram(path, nullptr);
  if (!program)
    return program.takeError();
  return std::move(program->bytes);
}

llvm::Error
mlir::symshape::runRecovering(StringRef name,
                              llvm::function_ref<llvm::Error()> work) {
  llvm::Error result = llvm::Error::success();
  llvm::consumeError(std::move(result));
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafelyOnThread([&]() { result = work(); }, stackBytes))
    return result;
  return makeRunError(RunStatus::Internal,
                      "internal error: the compiler crashed on '" + name + "'");
}

llvm::Expected<ProgramSource>
ProgramSource::read(StringRef path, StringRef entry,
                    const FirstInputs &firstInputs) {
  auto program = readProgram(path, firstInputs);
  if (!program)
    return program.takeError();
  ProgramSource source;
  source.bytes = std::move(program->bytes);
  source.weights = std::move(program->weights);
  llvm::Error error = runRecovering(path, [&]() -> llvm::Error {
    SourceFile file;
    if (llvm::Error error = file.parse(*source.bytes, entry))
      return error;
    auto signature = file.readSignature();
    if (!signature)
      return signature.takeError();
    source.signature = std::move(*signature);
    source.dims = file.readDims();
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  return source;
}
