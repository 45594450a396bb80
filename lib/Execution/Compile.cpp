//===- Compile.cpp - From a file to a Program -----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases of a compilation: parse, lower, compile; and what a caller needs
// to know of the code.
//
//===----------------------------------------------------------------------===//

#include "CompileRecord.h"
#include "ProgramBytes.h"
#include "ProgressLine.h"
#include "SourceFile.h"
#include "symshape/Execution/ObjectCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "symshape/IR/PassAttributes.h"
#include "symshape/IR/SymShape.h"
#include "symshape/Process/Files.h"
#include <chrono>
#include <cstdlib>

using namespace mlir;
using namespace mlir::symshape;

llvm::Expected<int64_t> symshape::getDefaultThreads() {
  const char *variable = std::getenv("SYMSHAPE_THREADS");
  int32_t threads = 1;
  if (variable &&
      (StringRef(variable).getAsInteger(10, threads) || threads < 1))
    return makeInputError(
        "expected SYMSHAPE_THREADS to be a number from 1 on, but got '" +
        Twine(variable) + "'");
  return threads;
}

/// Seconds since `begin`, which becomes now.
static double lap(std::chrono::steady_clock::time_point &begin) {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - begin).count();
  begin = now;
  return seconds;
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

/// The ranks of what `prepare` returns.
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

/// What a function is called by.
static std::string getInterfaceName(StringRef function) {
  return ("_mlir_ciface_" + function).str();
}

/// The function of a lowered module that answers for `entry`; null if there is
/// none.
static LLVM::LLVMFuncOp findFunctionOf(LLVM::LLVMFuncOp entry,
                                       StringRef attribute) {
  auto name = entry->getAttrOfType<FlatSymbolRefAttr>(attribute);
  return name ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(entry,
                                                                       name)
              : LLVM::LLVMFuncOp();
}

/// What those call who have the code of `@entry`, in the order of
/// EntryFunctions: functions with a C interface, and what prepares something.
static std::vector<std::string> getExports(ModuleOp module, StringRef entry) {
  std::vector<std::string> exports{getInterfaceName(entry)};
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!function)
    return exports;
  for (StringRef each : {kPrepareFunction, kGuardFunction, kVersionFunction}) {
    LLVM::LLVMFuncOp found = findFunctionOf(function, each);
    if (!found ||
        (each == kPrepareFunction &&
         isa<LLVM::LLVMVoidType>(found.getFunctionType().getReturnType())))
      continue;
    std::string name = getInterfaceName(found.getName());
    if (module.lookupSymbol(name))
      exports.push_back(std::move(name));
  }
  return exports;
}

/// Whether `function` does anything with an argument but pass it on to those
/// that do nothing with it.
static bool isUsed(LLVM::LLVMFuncOp function, unsigned argument,
                   llvm::DenseSet<std::pair<Operation *, unsigned>> &seen) {
  if (function.isExternal() || argument >= function.getNumArguments())
    return true;
  if (!seen.insert({function, argument}).second)
    return false;
  return llvm::any_of(
      function.getArgument(argument).getUses(), [&](OpOperand &use) {
        auto call = dyn_cast<LLVM::CallOp>(use.getOwner());
        auto callee =
            call && call.getCallee()
                ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
                      call, call.getCalleeAttr())
                : LLVM::LLVMFuncOp();
        return !callee || isUsed(callee, use.getOperandNumber(), seen);
      });
}

/// How many arguments of a lowered function a tensor of this rank becomes: two
/// pointers, an offset, extents and strides.
static unsigned countParts(unsigned rank) { return 3 + 2 * rank; }

/// The weights of a lowered entry whose elements it does not read, if it takes
/// what was prepared of them.
static std::vector<unsigned>
findOnlyPrepared(LLVM::LLVMFuncOp entry, const FunctionSignature &signature,
                 ArrayRef<unsigned> prepared) {
  unsigned part = 0;
  std::vector<unsigned> found;
  llvm::DenseSet<std::pair<Operation *, unsigned>> seen;
  for (auto [i, argument] : llvm::enumerate(signature.arguments)) {
    if (argument.weight && argument.isTensor && !prepared.empty() &&
        !isUsed(entry, part, seen) && !isUsed(entry, part + 1, seen))
      found.push_back(i);
    part += argument.isTensor ? countParts(argument.getRank()) : 1;
  }
  for (unsigned rank : prepared)
    part += countParts(rank);
  if (part != entry.getNumArguments())
    return {}; // it is called in another way
  return found;
}

/// Reads from a lowered module what its callers need; `numParameters` is how
/// many the entry had before.
static llvm::Expected<CodeInterface>
readInterface(ModuleOp module, StringRef entry, unsigned numParameters) {
  CodeInterface interface;
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  auto wrapper = module.lookupSymbol<LLVM::LLVMFuncOp>(getInterfaceName(entry));
  if (!function || !wrapper)
    return cannotCompile("@" + entry + " has no C interface after lowering");
  if (auto prepare = findFunctionOf(function, kPrepareFunction)) {
    auto ranks = preparedResultRanks(prepare);
    if (!ranks)
      return ranks.takeError();
    interface.preparedRanks = std::move(*ranks);
  }
  if (auto version = findFunctionOf(function, kVersionFunction))
    if (auto names =
            version->getAttrOfType<ArrayAttr>(SymShapeDialect::kVersionNames))
      for (auto name : names.getAsRange<StringAttr>())
        interface.versionNames.push_back(name.str());
  unsigned expected = numParameters + interface.preparedRanks.size();
  if (wrapper.getNumArguments() != expected)
    return cannotCompile(
        "expected @" + entry + " to keep its signature, but it has " +
        llvm::Twine(wrapper.getNumArguments()) + " parameters instead of " +
        llvm::Twine(expected) + " after lowering");
  interface.functions = getExports(module, entry);
  return interface;
}

static std::vector<std::string>
recordValues(llvm::ArrayRef<ValueSignature> values) {
  std::vector<std::string> records;
  for (const ValueSignature &value : values)
    records.push_back(value.getRecord());
  return records;
}

/// The PTX of a lowered module, if it is for a GPU.
static std::optional<StringRef> findKernels(ModuleOp module) {
  auto code = module.lookupSymbol<LLVM::GlobalOp>("symshape_gpu.code");
  if (!code)
    return std::nullopt;
  // A 0 follows, for the driver.
  return cast<StringAttr>(code.getValueAttr()).getValue().drop_back();
}

/// Parses, lowers and compiles a program, whose signature it reads.
static llvm::Expected<CompiledCode>
compileBytes(const llvm::MemoryBuffer &bytes, const CompileOptions &options,
             FunctionSignature &signature) {
  CompiledCode code;
  auto begin = std::chrono::steady_clock::now();
  auto compile = [&]() -> llvm::Error {
    CompileRecord record(options.timeReport);
    ProgressLine progress(options.showProgress);
    SourceFile file(options.diagnostics, &progress);
    TimingScope parsing = record.measure("parse");
    progress.enter("reading");
    if (llvm::Error error = file.parse(bytes, options.entry))
      return error;
    parsing.stop();
    auto read = file.readSignature();
    if (!read)
      return read.takeError();
    signature = std::move(*read);
    code.times.parse = lap(begin);
    if (llvm::Error error = file.lower(options, record.measure("passes")))
      return error;
    code.times.passes = lap(begin);
    // Results other than a single scalar are written through a pointer.
    llvm::ArrayRef<ValueSignature> results = signature.results;
    bool returnsStruct =
        results.size() > 1 || (results.size() == 1 && results.front().isTensor);
    auto interface = readInterface(file.getModule(), signature.name,
                                   signature.arguments.size() + returnsStruct);
    if (!interface)
      return interface.takeError();
    interface->arguments = recordValues(signature.arguments);
    interface->results = recordValues(signature.results);
    if (!options.forLinkers && !options.gpu)
      interface->onlyPrepared = findOnlyPrepared(
          file.getModule().lookupSymbol<LLVM::LLVMFuncOp>(signature.name),
          signature, interface->preparedRanks);
    record.countCode(file.getModule());
    auto object =
        compileToObject(file.getModule(), *interface, options.target,
                        {options.forLinkers, options.quick, options.stop,
                         &record.getWhole(), options.parts});
    if (!object)
      return object.takeError();
    code.object = std::move(*object);
    code.interface = std::move(*interface);
    code.kernels = findKernels(file.getModule()).value_or("").str();
    code.hasDiagnostics = file.hasDiagnostics();
    code.times.jit = lap(begin);
    code.times.report = record.finish(signature.name);
    return llvm::Error::success();
  };
  if (llvm::Error error = runRecovering(bytes.getBufferIdentifier(), compile))
    return std::move(error);
  return code;
}

llvm::Expected<CompiledCode>
mlir::symshape::compileCode(const ProgramSource &source,
                            const CompileOptions &options) {
  FunctionSignature signature;
  return compileBytes(*source.bytes, options, signature);
}

llvm::Error Program::loadCode(CompiledCode code,
                              const CompileOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  threads = options.threads;
  times = code.times;
  auto loaded = JitModule::load(std::move(code.object), options.target);
  if (!loaded)
    return loaded.takeError();
  jit = std::move(*loaded);
  if (options.gpu) {
    auto program = jit->lookupKernels();
    if (!program)
      return program.takeError();
    auto loadedKernels = LoadedKernels::load(**program, options.device);
    if (!loadedKernels)
      return loadedKernels.takeError();
    kernels = std::move(*loadedKernels);
  }
  auto said = jit->readInterface();
  if (!said)
    return said.takeError();
  interface = std::move(*said);
  if (interface.arguments != recordValues(signature.arguments) ||
      interface.results != recordValues(signature.results))
    return cannotCompile("the code of @" + signature.name +
                         " has another signature");
  std::optional<EntryFunctions> names = interface.getEntryFunctions();
  if (!names || names->entry != getInterfaceName(signature.name))
    return cannotCompile("the code of @" + signature.name +
                         " lacks a function that it says it has");
  std::pair<StringRef, JitModule::PackedFunction *> functions[] = {
      {names->entry, &entryFunction},
      {names->prepare, &prepareFunction},
      {names->guard, &guardFunction},
      {names->version, &versionFunction}};
  for (auto [name, function] : functions) {
    if (name.empty())
      continue;
    auto address = jit->lookup(name);
    if (!address)
      return address.takeError();
    *function = *address;
  }
  layOutCalls();
  giveMemoryBack();
  times.jit += lap(begin);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
Program::load(const ProgramSource &source, CompiledCode code,
              const CompileOptions &options) {
  std::unique_ptr<Program> program(new Program());
  program->signature = source.signature;
  program->ownWeights = source.weights;
  if (llvm::Error error = program->loadCode(std::move(code), options))
    return std::move(error);
  return program;
}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(StringRef path, const CompileOptions &options) {
  if (llvm::Error error = options.target.checkRunsHere())
    return makeInputError(llvm::toString(std::move(error)));
  auto begin = std::chrono::steady_clock::now();
  auto read = readProgram(path, options.firstInputs, options.diagnostics,
                          options.onnxOps);
  if (!read)
    return read.takeError();
  double readSeconds = lap(begin);
  std::unique_ptr<Program> program(new Program());
  program->ownWeights = read->weights;
  auto code = compileBytes(*read->bytes, options, program->signature);
  if (!code)
    return code.takeError();
  code->times.parse += readSeconds;
  if (llvm::Error error = program->loadCode(std::move(*code), options))
    return std::move(error);
  return program;
}

/// Writes the PTX of a lowered module.
static llvm::Error writeKernels(ModuleOp module, StringRef output) {
  std::optional<StringRef> code = findKernels(module);
  if (!code)
    return cannotCompile("the program has no kernels");
  return toInputError(
      replaceFile(output, [&](llvm::raw_ostream &os) { os << *code; }));
}

llvm::Error mlir::symshape::writeCode(StringRef path,
                                      const CompileOptions &options,
                                      StringRef output,
                                      llvm::CodeGenFileType type) {
  auto read = readProgram(path, options.firstInputs, options.diagnostics,
                          options.onnxOps);
  if (!read)
    return read.takeError();
  return runRecovering(path, [&]() -> llvm::Error {
    SourceFile file(options.diagnostics);
    if (llvm::Error error = file.parse(*read->bytes, options.entry))
      return error;
    std::string entry = file.getEntry().getName().str(); // lowering erases it
    if (llvm::Error error = file.lower(options))
      return error;
    if (options.gpu && type == llvm::CodeGenFileType::AssemblyFile)
      return writeKernels(file.getModule(), output);
    return writeCode(file.getModule(), getExports(file.getModule(), entry),
                     options.target, output, type);
  });
}
