//===- CodePartsTest.cpp - How code is divided ----------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Execution/CodeParts.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::symshape;

namespace {
/// `@name`, which stores that many numbers from `first` on, and does `more`.
std::string makeFunction(const std::string &name, unsigned numStores,
                         unsigned first = 0, const std::string &more = "",
                         const std::string &linkage = "internal") {
  std::string text = "define " + linkage + " void @" + name + "(ptr %p) {\n";
  for (unsigned i = 0; i < numStores; ++i)
    text += "  store i64 " + std::to_string(first + i) + ", ptr %p\n";
  return text + more + "  ret void\n}\n";
}

/// Two calls: the only call of a function is replaced by what it does.
std::string call(const std::string &name) {
  std::string once = "  call void @" + name + "(ptr %p)\n";
  return once + once;
}

/// The parts of a module, and which functions each defines.
struct Divided {
  explicit Divided(const std::string &text) {
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    parts = splitIntoParts(*module);
    for (auto [i, part] : llvm::enumerate(parts)) {
      auto bytes = llvm::StringRef(part.bitcode.data(), part.bitcode.size());
      auto read = llvm::parseBitcodeFile({bytes, ""}, context);
      EXPECT_TRUE(static_cast<bool>(read));
      EXPECT_FALSE(llvm::verifyModule(**read, &llvm::errs()));
      for (llvm::Function &function : **read)
        if (!function.isDeclaration()) {
          EXPECT_TRUE(places.try_emplace(function.getName().str(), i).second)
              << function.getName().str() << " is defined twice";
        } else {
          EXPECT_FALSE(function.use_empty());
        }
      modules.push_back(std::move(*read));
    }
  }

  /// Of functions that other programs may have.
  std::vector<std::string> getContents() const {
    std::vector<std::string> found;
    for (const CodePart &part : parts)
      if (!part.content.empty())
        found.push_back(part.content);
    return found;
  }

  llvm::LLVMContext context;
  std::vector<CodePart> parts;
  std::vector<std::unique_ptr<llvm::Module>> modules;
  std::map<std::string, unsigned> places;
};

// Two programs with one function in common, under other names and beside
// others, have one part in common.
TEST(CodePartsTest, WhatProgramsShareIsCalledByItsContent) {
  Divided one(makeFunction("tile", 1000) + makeFunction("other", 900, 5) +
              makeFunction("main", 3, 0, call("tile") + call("other"), ""));
  Divided two(makeFunction("small", 300) + makeFunction("tile.7", 1000) +
              makeFunction("entry", 9, 2, call("tile.7") + call("small"), ""));
  ASSERT_EQ(one.getContents().size(), 2u);
  ASSERT_EQ(two.getContents().size(), 1u);
  EXPECT_EQ(one.getContents().front(), two.getContents().front());
  EXPECT_NE(one.getContents().front(), one.getContents().back());
  EXPECT_TRUE(two.places.count("symshape.kernel." + two.getContents().front()));
  EXPECT_FALSE(two.places.count("tile.7"));
}

// One number more, an attribute, or another constant is another function.
TEST(CodePartsTest, AllThatAFunctionIsMadeOfCounts) {
  auto contentOf = [](const std::string &text) {
    Divided divided(text + makeFunction("main", 3, 0, call("f"), ""));
    auto contents = divided.getContents();
    EXPECT_EQ(contents.size(), 1u);
    return contents.empty() ? "" : contents.front();
  };
  std::string load = "  %x = load i64, ptr @c\n  store i64 %x, ptr %p\n";
  auto withConstant = [&](const char *value) {
    return "@c = private constant i64 " + std::string(value) + "\n" +
           makeFunction("f", 1000, 0, load);
  };
  std::string withAttribute = makeFunction("f", 1000);
  withAttribute.insert(withAttribute.find(") {") + 1, " nounwind");
  std::vector<std::string> all{
      contentOf(makeFunction("f", 1000)),    contentOf(makeFunction("f", 1001)),
      contentOf(makeFunction("f", 1000, 1)), contentOf(withAttribute),
      contentOf(withConstant("3")),          contentOf(withConstant("4"))};
  llvm::sort(all);
  EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
}

// Functions that are equal are compiled once.
TEST(CodePartsTest, TwinsAreOne) {
  Divided divided(makeFunction("a", 1000) + makeFunction("b", 1000) +
                  makeFunction("main", 3, 0, call("a") + call("b"), ""));
  ASSERT_EQ(divided.parts.size(), 2u);
  ASSERT_EQ(divided.getContents().size(), 1u);
  llvm::Function *twin = divided.modules.back()->getFunction(
      "symshape.kernel." + divided.getContents().front());
  ASSERT_TRUE(twin);
  EXPECT_EQ(twin->getNumUses(), 4u);
}

// What is inlined, and what shares memory, is of one part; so is what an
// address is taken of, if the variable that holds it is.
TEST(CodePartsTest, WhatBelongsTogetherStays) {
  std::string count = "  %n = load i64, ptr @count\n"
                      "  store i64 %n, ptr %p\n";
  Divided divided("@count = internal global i64 0\n"
                  "@table = private constant ptr @far\n" +
                  makeFunction("helper", 20) +
                  makeFunction("counter", 3000, 1, count) +
                  makeFunction("far", 3000, 2) +
                  makeFunction("long", 5000, 3, call("helper")) +
                  makeFunction("other", 5000, 4, call("helper")) +
                  makeFunction("main", 9, 0,
                               call("long") + call("other") + call("counter") +
                                   call("far") + count +
                                   "  %f = load ptr, ptr @table\n"
                                   "  store ptr %f, ptr %p\n",
                               ""));
  EXPECT_EQ(divided.places.at("helper"), divided.places.at("long"));
  EXPECT_EQ(divided.places.at("helper"), divided.places.at("other"));
  EXPECT_EQ(divided.places.at("counter"), divided.places.at("main"));
  EXPECT_NE(divided.places.at("long"), divided.places.at("main"));
  unsigned place = divided.places.at("main");
  EXPECT_TRUE(divided.modules[place]->getNamedGlobal("table"));
  for (auto [i, module] : llvm::enumerate(divided.modules))
    EXPECT_EQ(module->getNamedGlobal("count") != nullptr, i == place);
}

// Large constants are not copied.
TEST(CodePartsTest, LargeConstantsAreOfOnePart) {
  std::string load = "  %x = load i64, ptr @c\n  store i64 %x, ptr %p\n";
  for (auto [bytes, isCopied] : {std::pair(1000, true), {100000, false}}) {
    Divided alone("@c = private constant [" + std::to_string(bytes) +
                  " x i8] zeroinitializer\n" +
                  makeFunction("a", 5000, 1, load) +
                  makeFunction("main", 3, 0, call("a"), ""));
    EXPECT_EQ(alone.getContents().size(), isCopied ? 1u : 0u);
    Divided divided("@c = private constant [" + std::to_string(bytes) +
                    " x i8] zeroinitializer\n" +
                    makeFunction("a", 5000, 1, load) +
                    makeFunction("b", 5000, 2, load) +
                    makeFunction("main", 3, 0, call("a") + call("b"), ""));
    EXPECT_EQ(divided.getContents().size(), isCopied ? 2u : 0u);
  }
}

// Parts of long modules are longer: each declares all that the module has.
TEST(CodePartsTest, ThereAreNotManyParts) {
  std::string text, calls;
  for (unsigned i = 0; i < 1000; ++i) {
    std::string name = "f" + std::to_string(i);
    text += makeFunction(name, 500, i);
    calls += call(name);
  }
  Divided divided(text + makeFunction("main", 3, 0, calls, ""));
  EXPECT_LE(divided.parts.size(), 65u);
  EXPECT_GE(divided.parts.size(), 60u);
  EXPECT_EQ(divided.places.size(), 1001u);
}
} // namespace
