//===- Jit.cpp - Machine code in memory -----------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over LLJIT. mlir::ExecutionEngine is not used: it cannot run an
// existing object file.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Jit.h"
#include "CodeNames.h"
#include "JitMemory.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::symshape;

JitModule::JitModule(std::unique_ptr<llvm::MemoryBuffer> objects,
                     std::unique_ptr<NearMemory> memory,
                     std::unique_ptr<llvm::orc::LLJIT> jit)
    : objects(std::move(objects)), memory(std::move(memory)),
      jit(std::move(jit)) {}

JitModule::~JitModule() = default;

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

/// LLVM's errors may refer to strings of the JIT, which may go first.
static llvm::Error detach(llvm::Error error) {
  return makeRunError(RunStatus::CannotCompile,
                      llvm::toString(std::move(error)));
}

/// The object files that `code` holds, or is one of.
static llvm::Expected<llvm::SmallVector<llvm::MemoryBufferRef>>
findObjects(llvm::MemoryBufferRef code) {
  if (llvm::identify_magic(code.getBuffer()) != llvm::file_magic::archive)
    return llvm::SmallVector<llvm::MemoryBufferRef>{code};
  auto archive = llvm::object::Archive::create(code);
  if (!archive)
    return archive.takeError();
  llvm::SmallVector<llvm::MemoryBufferRef> found;
  llvm::Error problem = llvm::Error::success();
  for (const llvm::object::Archive::Child &child :
       (*archive)->children(problem)) {
    auto bytes = child.getMemoryBufferRef();
    if (!bytes)
      return llvm::joinErrors(std::move(problem), bytes.takeError());
    found.push_back(*bytes);
  }
  if (problem)
    return std::move(problem);
  return found;
}

/// The symbols that `object` defines, and those that it uses of others.
static llvm::Error findSymbols(llvm::MemoryBufferRef object,
                               llvm::StringSet<> &defined,
                               llvm::StringSet<> &used) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  for (llvm::object::SymbolRef symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name)
      (*flags & llvm::object::SymbolRef::SF_Undefined ? used : defined)
          .insert(*name);
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return llvm::Error::success();
}

/// Fails if the code calls a function that neither the runtime nor the process
/// has: one that the program only declares.
static llvm::Error checkSymbols(llvm::ArrayRef<llvm::MemoryBufferRef> objects) {
  llvm::StringSet<> known, used;
  for (llvm::MemoryBufferRef object : objects)
    if (llvm::Error error = findSymbols(object, known, used))
      return error;
  int64_t count = 0;
  const symshape_rt_function *functions = symshape_rt_functions(&count);
  for (const symshape_rt_function &function : llvm::ArrayRef(functions, count))
    known.insert(function.name);
  for (llvm::StringRef name : used.keys())
    if (!name.empty() && !name.starts_with("_GLOBAL_OFFSET_TABLE_") &&
        !known.contains(name) &&
        !llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str()))
      return makeRunError(RunStatus::CannotCompile,
                          "expected a body of function '" + name +
                              "', which the program calls and only declares");
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
  auto objects = findObjects(object->getMemBufferRef());
  if (!objects)
    return detach(objects.takeError());
  if (llvm::Error error = checkSymbols(*objects))
    return std::move(error);
  llvm::orc::MangleAndInterner interner((*jit)->getExecutionSession(),
                                        (*jit)->getDataLayout());
  if (llvm::Error error = library.define(
          llvm::orc::absoluteSymbols(makeRuntimeSymbols(interner))))
    return detach(std::move(error));
  for (llvm::MemoryBufferRef each : *objects)
    if (llvm::Error error =
            (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBuffer(
                each, /*RequiresNullTerminator=*/false)))
      return detach(std::move(error));
  return std::unique_ptr<JitModule>(
      new JitModule(std::move(object), std::move(memory), std::move(*jit)));
}

llvm::Expected<JitModule::PackedFunction>
JitModule::lookup(llvm::StringRef name) const {
  auto address = jit->lookup(getWrapperName(name));
  if (!address)
    return detach(address.takeError());
  return address->toPtr<PackedFunction>();
}

llvm::Expected<CodeInterface> JitModule::readInterface() {
  auto address = jit->lookup(interfaceName);
  if (!address)
    return detach(address.takeError());
  memory->trim(); // what was looked up first has loaded all
  objects.reset();
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
