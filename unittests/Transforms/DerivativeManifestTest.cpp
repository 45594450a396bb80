//===- DerivativeManifestTest.cpp - Which ops have derivatives ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of the dialects that programs are written in is in the manifest; a
// missing entry fails, as does one that says something else than the op does.
//
//===----------------------------------------------------------------------===//

#include "DerivativeManifest.h"

#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/Extensions/AllExtensions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
/// The interfaces that an op has, as the manifest says.
struct Rules {
  bool jvp, transpose;
};

llvm::StringMap<Rules> readManifest() {
  llvm::StringMap<Rules> rules;
  auto add = [&](StringRef name, bool jvp, bool transpose) {
    EXPECT_TRUE(rules.try_emplace(name, Rules{jvp, transpose}).second)
        << name.str() << " is listed twice";
  };
  for (StringRef name : manifest::kLinear)
    add(name, true, true);
  for (StringRef name : manifest::kForward)
    add(name, true, false);
  for (StringRef name : manifest::kNone)
    add(name, false, false);
  for (auto [name, reason] : manifest::kUnsupported) {
    add(name, false, false);
    EXPECT_FALSE(reason.empty()) << name.str();
  }
  for (StringRef name : manifest::kOfIntegers)
    add(name, false, false);
  return rules;
}

TEST(DerivativeManifestTest, EachOpIsListed) {
  DialectRegistry registry;
  registry.insert<SymShapeDialect, arith::ArithDialect, linalg::LinalgDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerDerivativeExternalModels(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::StringMap<Rules> rules = readManifest();
  llvm::StringSet<> dialects;
  for (auto &entry : rules)
    dialects.insert(entry.getKey().split('.').first);
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    bool hasJvp = op.hasInterface<JvpOpInterface>();
    bool hasTranspose = op.hasInterface<LinearTransposeOpInterface>();
    std::string name = op.getStringRef().str();
    auto entry = rules.find(name);
    if (entry == rules.end()) {
      EXPECT_FALSE(dialects.contains(op.getDialectNamespace()))
          << name << " is not in the manifest";
      EXPECT_FALSE(hasJvp || hasTranspose) << name << " is not in the manifest";
      continue;
    }
    EXPECT_EQ(hasJvp, entry->second.jvp) << name;
    EXPECT_EQ(hasTranspose, entry->second.transpose) << name;
    rules.erase(entry);
  }
  for (auto &entry : rules)
    ADD_FAILURE() << entry.getKey().str() << " is no op";
}
} // namespace
