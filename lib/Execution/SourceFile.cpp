//===- SourceFile.cpp - A file on its way to the LLVM dialect -------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceFile.h"
#include "BufferArguments.h"
#include "ProgressLine.h"
#include "symshape/Execution/ObjectCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "symshape/Conversion/TMTensorOps.h"
#include "symshape/Execution/ArgumentNames.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/IR/Donation.h"
#include "symshape/IR/Precision.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WindowOps.h"
#include "symshape/Pipelines/CPU.h"
#include "symshape/Pipelines/NVVM.h"
#include "symshape/Process/Crashes.h"
#include "symshape/Process/Threads.h"
#include "symshape/Transforms/KeepReached.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::symshape;

llvm::Error mlir::symshape::cannotCompile(const llvm::Twine &message) {
  return makeRunError(RunStatus::CannotCompile, message);
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<SymShapeDialect, tm_tensor::TMTensorDialect>();
  registerShapeFactsExternalModels(registry);
  registerDerivativeExternalModels(registry);
  registerAllExtensions(registry);
  registerJitTranslations(registry);
  return registry;
}

SourceFile::SourceFile(const DiagnosticSink &sink, ProgressLine *progress)
    : context(makeRegistry(), MLIRContext::Threading::DISABLED),
      progress(progress) {
  // Its attributes are added to programs whose text has none.
  context.loadDialect<SymShapeDialect>();
  if (sink)
    handler = std::make_shared<SinkDiagnosticHandler>(&context, sink);
  else
    handler = std::make_shared<SourceMgrDiagnosticHandler>(sourceMgr, &context);
  context.getDiagEngine().registerHandler([this](Diagnostic &) {
    diagnosed = true;
    if (this->progress)
      this->progress->erase();
    return failure(); // the handler before this one reports it
  });
  // An op may hold a whole function; its name and place are enough.
  context.printOpOnDiagnostic(false);
}

/// The function of this name; without one, @main, or else the only public one.
static llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  StringRef wanted = name.empty() ? "main" : name;
  if (name.starts_with("@"))
    return cannotCompile("expected the name of a function without @, as in " +
                         name.drop_front() + ", but got " + name);
  SmallVector<func::FuncOp> open;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getName() == wanted)
      return function;
    if (function.isPublic())
      open.push_back(function);
  }
  if (name.empty() && open.size() == 1)
    return open.front();
  std::string others;
  for (func::FuncOp function : open)
    others += (others.empty() ? "@" : ", @") + function.getName().str();
  return cannotCompile("expected a function @" + wanted +
                       " with a body, but there is none" +
                       (open.empty() ? "" : "; public: " + others));
}

/// Whether what is made of a module defines a symbol of this name.
static bool isOurs(StringRef name) {
  static constexpr StringRef prefixes[] = {"symshape.", "symshape_gpu.",
                                           "packed."};
  return llvm::any_of(prefixes,
                      [&](StringRef p) { return name.starts_with(p); });
}

/// Renames what has such a name, or one that is found in the process, which
/// lowering may call; messages keep it.
static void renameTaken(ModuleOp module, StringRef entry) {
  SymbolTable table(module);
  for (auto symbol : module.getOps<SymbolOpInterface>()) {
    StringAttr name = symbol.getNameAttr();
    bool isTaken =
        isOurs(name) || llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr)
                            .getAddressOfSymbol(name.str().c_str());
    if (name == entry || symbol.isDeclaration() || !isTaken ||
        failed(table.renameToUnique(symbol, {})))
      continue;
    if (isa<func::FuncOp>(symbol) && !symbol->hasAttr(SymShapeDialect::kName))
      symbol->setAttr(SymShapeDialect::kName, name);
  }
}

/// Finds the entry and makes it callable from outside: public, with a C
/// interface, and its arguments never written to but those that are donated.
static llvm::Expected<FunctionOpInterface> prepareEntry(ModuleOp module,
                                                        StringRef name) {
  auto found = findEntry(module, name);
  if (!found)
    return found.takeError();
  func::FuncOp entry = *found;
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(&op);
    if (!symbol || symbol.isDeclaration())
      continue;
    StringRef symbolName = symbol.getName();
    if (symbolName.starts_with("_mlir_") ||
        symbolName.starts_with("symshape_rt_") ||
        (symbol == entry && isOurs(symbolName)))
      return cannotCompile("expected no definition of @" + symbolName +
                           ": the name is reserved for the runtime");
  }
  MLIRContext *context = module.getContext();
  entry.setPublic();
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                 UnitAttr::get(context));
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (isa<TensorType>(entry.getArgumentTypes()[i]))
      entry.setArgAttr(
          i, "bufferization.writable",
          BoolAttr::get(context, entry.getArgAttr(i, kDonated) != nullptr));
  return cast<FunctionOpInterface>(entry.getOperation());
}

/// What is said of a file whose name says that it is something else, as
/// `notes.txt`.
static StringRef adviceOnEnding(StringRef path) {
  StringRef ending = llvm::sys::path::extension(path);
  bool isOfMLIR = ending.empty() || ending.starts_with(".mlir");
  return isOfMLIR ? ""
                  : ": expected text or bytecode of MLIR, or a model that ends "
                    "in .onnx or .pt2";
}

llvm::Error SourceFile::parse(llvm::MemoryBufferRef bytes,
                              StringRef entryName) {
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(bytes,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  module = parseWithArgumentNames(sourceMgr, &context);
  if (!module)
    return cannotCompile("cannot parse '" + bytes.getBufferIdentifier() + "'" +
                         adviceOnEnding(bytes.getBufferIdentifier()));
  auto prepared = prepareEntry(*module, entryName);
  if (!prepared)
    return prepared.takeError();
  entry = *prepared;
  StringRef name = entry.getName();
  // A function that nothing calls here might not compile.
  keepReached(*module, name);
  renameTaken(*module, name);
  if (failed(lowerTMTensor(*module)))
    return cannotCompile("cannot lower '" + bytes.getBufferIdentifier() + "'");
  return checkBufferArguments(cast<func::FuncOp>(entry.getOperation()));
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
      // If a dim is an expression, its symbols decide elsewhere.
      StringRef name = shape ? shape.getTexts()[d].getValue() : "";
      dims.push_back({static_cast<unsigned>(i), static_cast<unsigned>(d),
                      policies.lookup(name)});
    }
  }
  return dims;
}

/// Whether the code of `op` is long: tiles with their edges, and packing.
static bool isProductOrWindow(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return linalg::isaContractionOpInterface(structured) ||
           linalg::isaConvolutionOpInterface(structured);
  return isa<WindowsOp, tosa::MatMulOp, tosa::Conv2DOp, tosa::Conv3DOp,
             tosa::DepthwiseConv2DOp, tosa::TransposeConv2DOp,
             tosa::AvgPool2dOp, tosa::MaxPool2dOp>(op);
}

unsigned SourceFile::estimateWork() {
  constexpr unsigned workOfLongCode = 18;
  unsigned work = 0;
  module->walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::ConstantLike>() &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      work += isProductOrWindow(op) ? workOfLongCode : 1;
  });
  return work;
}

llvm::Error SourceFile::lower(const CompileOptions &options,
                              TimingScope timing) {
  if (options.tosaBroadcast)
    setTosaBroadcast(*module, *options.tosaBroadcast);
  if (!options.precision.empty())
    setPrecision(*module, options.precision);
  PassManager manager(&context);
  if (timing)
    manager.enableTiming(timing);
#ifdef NDEBUG
  // The pipelines do so in two places; after each pass it takes a third of the
  // time.
  manager.enableVerifier(false);
#endif
  auto set = [&](auto &pipeline) {
    pipeline.guards = options.guards;
    pipeline.planMemory = options.planMemory;
    pipeline.entry = options.entry;
    pipeline.extents = options.extents;
  };
  bool hasBuffers =
      llvm::any_of(entry.getArgumentTypes(), llvm::IsaPred<BaseMemRefType>);
  if (hasBuffers && (options.gpu || options.forLinkers))
    return cannotCompile("@" + entry.getName() +
                         ": expected tensors and scalars as arguments for a " +
                         (options.gpu ? "GPU" : "bundle") +
                         ", but got a memref");
  if (options.gpu) {
    NVVMPipelineOptions pipeline;
    set(pipeline);
    buildNVVMPipeline(manager, *options.gpu, pipeline);
  } else {
    CPUPipelineOptions pipeline;
    set(pipeline);
    pipeline.parallel = options.threads > 1;
    pipeline.quick = options.quick;
    pipeline.timers = options.timers;
    buildCPUPipeline(manager, options.target, pipeline);
  }
  if (progress)
    progress->follow(manager);
  if (options.stop)
    context.registerActionHandler(
        [&](llvm::function_ref<void()> act, const tracing::Action &action) {
          if (!isa<PassExecutionAction>(action) || !options.isStopping())
            act();
        });
  bool isLowered = succeeded(manager.run(*module));
  if (options.isStopping())
    return cannotCompile("told to stop");
  if (isLowered)
    return llvm::Error::success();
  llvm::StringRef name = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())
                             ->getBufferIdentifier();
  return cannotCompile("cannot lower '" + name + "'");
}

llvm::Error
mlir::symshape::runRecovering(StringRef name,
                              llvm::function_ref<llvm::Error()> work) {
  llvm::Error result = llvm::Error::success();
  llvm::consumeError(std::move(result));
  std::string crash =
      ("internal error: the compiler crashed on '" + name + "'").str();
  bool isFinished = false;
  llvm::Error problem = runOnDeepStack([&]() {
    CrashNote note(crash.c_str());
    // For a process that links the libraries, if it has enabled it.
    llvm::CrashRecoveryContext recovery;
    isFinished = recovery.RunSafely([&]() { result = work(); });
  });
  if (problem)
    return cannotCompile(llvm::toString(std::move(problem)));
  if (isFinished)
    return result;
  return makeRunError(RunStatus::Internal, crash);
}
