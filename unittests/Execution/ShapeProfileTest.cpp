//===- ShapeProfileTest.cpp - Which dims have varied ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ShapeProfile.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::symshape;

namespace {

ShapeProfile makeProfile(std::initializer_list<std::vector<int64_t>> calls) {
  ShapeProfile profile;
  for (const std::vector<int64_t> &dims : calls)
    profile.add(dims);
  return profile;
}

std::string print(const ShapeProfile &profile) {
  std::string text;
  llvm::raw_string_ostream(text) << profile.toJSON();
  return text;
}

TEST(ShapeProfileTest, ADimThatDiffersHasVaried) {
  ShapeProfile profile = makeProfile({{2, 3}});
  EXPECT_EQ(profile.countVaried(), 0u);
  profile.add({2, 3});
  EXPECT_EQ(profile.countVaried(), 0u);
  profile.add({0, 3});
  EXPECT_TRUE(profile.hasVaried(0));
  EXPECT_FALSE(profile.hasVaried(1));
  profile.add({2, 3});
  EXPECT_TRUE(profile.hasVaried(0));
  EXPECT_EQ(print(profile), "[[0,2],[3,3]]");
}

TEST(ShapeProfileTest, ContainsWhatIsInEachRange) {
  EXPECT_FALSE(ShapeProfile().contains({2, 3}));
  ShapeProfile profile = makeProfile({{2, 3}, {5, 3}});
  EXPECT_TRUE(profile.contains({4, 3}));
  EXPECT_FALSE(profile.contains({4, 2}));
  EXPECT_FALSE(profile.contains({6, 3}));
}

TEST(ShapeProfileTest, AddingAProfileIsAddingItsCalls) {
  ShapeProfile first = makeProfile({{2, 3}, {4, 3}});
  ShapeProfile second = makeProfile({{1, 5}});
  first.add(second);
  EXPECT_EQ(first, makeProfile({{2, 3}, {4, 3}, {1, 5}}));
  first.add(ShapeProfile());
  EXPECT_EQ(print(first), "[[1,4],[3,5]]");
  ShapeProfile none;
  none.add(second);
  EXPECT_EQ(none, second);
}

TEST(ShapeProfileTest, ReadsWhatItPrints) {
  for (const ShapeProfile &profile :
       {makeProfile({}), makeProfile({{2, 3}, {4, 3}}),
        makeProfile({{0, -1}, {(int64_t(1) << 48) - 1, -1}})}) {
    auto read = ShapeProfile::fromJSON(profile.toJSON(), 2);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, profile);
  }
}

TEST(ShapeProfileTest, RefusesWhatIsNoProfile) {
  for (llvm::StringRef text :
       {"{}", "3", "[[1,2]]", "[[1,2],[3,4],[5,6]]", "[[2,1],[3,4]]",
        "[[1,2],[3]]", "[[1,2],3]", "[[1,2],[3,\"4\"]]", "[[1,2],[3,4.5]]"})
    EXPECT_FALSE(ShapeProfile::fromJSON(cantFail(llvm::json::parse(text)), 2)
                     .has_value())
        << text.str();
}

} // namespace
