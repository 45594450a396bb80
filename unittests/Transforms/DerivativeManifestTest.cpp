//===- DerivativeManifestTest.cpp - Which ops have derivatives ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of the dialect, and each upstream op with a rule, is in this table; a
// missing entry fails. Linear: forward and transposed. Forward: its tangents
// are made of other ops. None: its results have no tangents, or it has no
// results. Unsupported: of programs that are past differentiation.
//
//===----------------------------------------------------------------------===//

#include "../Analysis/ModuleFixture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "symshape/Extensions/AllExtensions.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::symshape;

namespace {
enum class Kind { Linear, Forward, None, Unsupported };

const std::pair<StringRef, Kind> kManifest[] = {
    {"symshape.assert", Kind::None},
    {"symshape.assume", Kind::None},
    {"symshape.bind_shape", Kind::Unsupported}, // name dims before the path
    {"symshape.broadcast", Kind::Linear},
    {"symshape.contract", Kind::Unsupported}, // internal to the lowering
    {"symshape.cumsum", Kind::Linear},
    {"symshape.dynamic_slice", Kind::Linear},
    {"symshape.dynamic_truncate", Kind::Linear},
    {"symshape.dynamic_update_slice", Kind::Linear},
    {"symshape.fail", Kind::None},
    {"symshape.gather", Kind::Linear},
    {"symshape.iota", Kind::None},
    {"symshape.nonzero", Kind::None},
    {"symshape.pad", Kind::Linear},
    {"symshape.pad_to_match", Kind::Linear},
    {"symshape.reshape", Kind::Linear},
    {"symshape.reverse", Kind::Linear},
    {"symshape.scatter", Kind::Linear},
    {"symshape.size", Kind::None},
    {"symshape.sort", Kind::Forward},
    {"symshape.top_k", Kind::Forward},
    {"symshape.truncate_size", Kind::None},
    {"symshape.with_extents", Kind::Linear},
    {"symshape.yield", Kind::Unsupported}, // the end of a contract
    {"scf.for", Kind::Linear},
    {"scf.if", Kind::Linear},
    {"scf.while", Kind::Forward}, // a loop that is counted is a scf.for
};

TEST(DerivativeManifestTest, EachOpIsListed) {
  DialectRegistry registry;
  registry.insert<SymShapeDialect, scf::SCFDialect>();
  registerDerivativeExternalModels(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::StringMap<Kind> manifest;
  for (auto [name, kind] : kManifest)
    EXPECT_TRUE(manifest.try_emplace(name, kind).second) << name.str();
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    bool hasJvp = op.hasInterface<JvpOpInterface>();
    bool hasTranspose = op.hasInterface<LinearTransposeOpInterface>();
    std::string name = op.getStringRef().str();
    StringRef dialect = op.getDialectNamespace();
    auto entry = manifest.find(name);
    if (entry == manifest.end()) {
      EXPECT_NE(dialect, "symshape") << name << " is not in the manifest";
      EXPECT_TRUE(dialect != "scf" || !hasJvp) << name;
      // A linear op whose tangents are made of itself.
      EXPECT_TRUE(hasJvp || !hasTranspose) << name;
      continue;
    }
    Kind kind = entry->second;
    EXPECT_EQ(hasJvp, kind == Kind::Linear || kind == Kind::Forward) << name;
    EXPECT_EQ(hasTranspose, kind == Kind::Linear) << name;
    manifest.erase(entry);
  }
  for (auto &entry : manifest)
    ADD_FAILURE() << entry.getKey().str() << " is no op";
}
} // namespace
