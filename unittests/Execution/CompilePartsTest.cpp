//===- CompilePartsTest.cpp - Parts in several threads --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Execution/CompileParts.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// A cache in memory, which counts.
class CountedCache : public llvm::ObjectCache {
public:
  std::unique_ptr<llvm::MemoryBuffer>
  getObject(const llvm::Module *module) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(module->getModuleIdentifier());
    if (found == objects.end())
      return nullptr;
    ++numFound;
    return llvm::MemoryBuffer::getMemBufferCopy(found->second);
  }
  void notifyObjectCompiled(const llvm::Module *module,
                            llvm::MemoryBufferRef object) override {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(objects
                    .try_emplace(module->getModuleIdentifier(),
                                 object.getBuffer().str())
                    .second);
  }

  std::mutex mutex;
  std::map<std::string, std::string> objects;
  unsigned numFound = 0;
};

class CompilePartsTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  }

  /// Functions of 900 instructions, which other programs may have, and one that
  /// calls them.
  std::vector<CodePart> makeParts(unsigned number) {
    auto machine = llvm::cantFail(target.createMachine());
    std::string text, calls;
    for (unsigned i = 0; i < number; ++i) {
      std::string name = "@f" + std::to_string(i) + "(ptr %p)";
      text += "define internal void " + name + " {\n";
      for (unsigned j = 0; j < 900; ++j)
        text += "  store volatile i64 " + std::to_string(i + j) + ", ptr %p\n";
      text += "  ret void\n}\n";
      calls += "  call void " + name + "\n  call void " + name + "\n";
    }
    text += "define void @main(ptr %p) {\n" + calls + "  ret void\n}\n";
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    module->setDataLayout(machine->createDataLayout());
    module->setTargetTriple(machine->getTargetTriple());
    return splitIntoParts(*module);
  }

  llvm::Expected<std::string> compile(llvm::ArrayRef<CodePart> parts,
                                      const ObjectOptions &options) {
    TimingScope timing;
    auto archive = compileParts(parts, target, options, timing);
    if (!archive)
      return archive.takeError();
    return (*archive)->getBuffer().str();
  }

  CPUTarget target = CPUTarget::getHost();
};

TEST_F(CompilePartsTest, TheNumberOfThreadsChangesNoByte) {
  auto parts = makeParts(7);
  ASSERT_EQ(parts.size(), 8u);
  std::map<unsigned, std::string> archives;
  for (unsigned threads : {1, 2, 5}) {
    ObjectOptions options;
    options.threads = threads;
    archives[threads] = llvm::cantFail(compile(parts, options));
  }
  EXPECT_EQ(archives[1], archives[2]);
  EXPECT_EQ(archives[1], archives[5]);
  auto archive = llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(archives[1], "")));
  llvm::Error error = llvm::Error::success();
  unsigned numMembers = 0;
  for (const llvm::object::Archive::Child &child : archive->children(error))
    numMembers += llvm::cantFail(child.getName()).ends_with(".o");
  EXPECT_EQ(numMembers, 8u);
  EXPECT_FALSE(std::move(error));
}

// What the cache has is not compiled, and is the same.
TEST_F(CompilePartsTest, TheCacheHasWhatProgramsShare) {
  CountedCache cache;
  ObjectOptions options;
  options.cache = &cache;
  std::string cold = llvm::cantFail(compile(makeParts(5), options));
  EXPECT_EQ(cache.objects.size(), 5u);
  EXPECT_EQ(cache.numFound, 0u);
  EXPECT_EQ(llvm::cantFail(compile(makeParts(5), options)), cold);
  EXPECT_EQ(cache.numFound, 5u);
  llvm::cantFail(compile(makeParts(7), options));
  EXPECT_EQ(cache.objects.size(), 7u);
  EXPECT_EQ(cache.numFound, 10u);
}

// Nothing is kept of what was cancelled.
TEST_F(CompilePartsTest, Cancelled) {
  std::atomic<bool> stop{true};
  CountedCache cache;
  ObjectOptions options;
  options.stop = &stop;
  options.cache = &cache;
  auto code = compile(makeParts(5), options);
  ASSERT_FALSE(static_cast<bool>(code));
  EXPECT_EQ(llvm::toString(code.takeError()), "compilation cancelled");
  EXPECT_TRUE(cache.objects.empty());
}
} // namespace
