//===- ImportTest.cpp - Portable artifacts, whole and broken --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each artifact of the tests is imported as it is, cut off, and with bytes
// changed: a module that verifies, or an error with words.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/StableHLO/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
enum class Outcome { Imported, Refused };

const char *const names[] = {"while_loop",  "cond_switch", "sort_topk_argmax",
                             "rng",         "fft_linalg",  "random_bits",
                             "top_numbers", "sharded"};

std::string readArtifact(StringRef name) {
  auto file =
      llvm::MemoryBuffer::getFile(SYMSHAPE_ARTIFACTS "/" + name + ".mlirbc");
  EXPECT_TRUE(static_cast<bool>(file)) << name.str();
  return file ? (*file)->getBuffer().str() : "";
}

Outcome import(StringRef bytes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto module = importArtifact({bytes, "artifact.mlirbc"}, &context);
  if (module) {
    EXPECT_TRUE(succeeded(verify(**module)));
    return Outcome::Imported;
  }
  EXPECT_FALSE(llvm::toString(module.takeError()).empty());
  return Outcome::Refused;
}
} // namespace

TEST(StableHLOImport, FindArtifact) {
  std::string artifact = readArtifact("rng");
  EXPECT_EQ(findArtifact(artifact), artifact);
  // As a vector in a flatbuffer, whose length comes first.
  std::string length(4, '\0');
  llvm::support::endian::write32le(length.data(), artifact.size());
  EXPECT_EQ(findArtifact("table" + length + artifact + "rest"), artifact);
  // A derivative comes first, and what an artifact holds is none of its own.
  std::string outer = artifact + length + artifact, outerLength(4, '\0');
  llvm::support::endian::write32le(outerLength.data(), outer.size());
  EXPECT_EQ(findArtifact("t" + length + artifact + "u" + outerLength + outer),
            outer);
  length[3] = 1;
  EXPECT_EQ(findArtifact("table" + length + artifact + "rest"), "");
  EXPECT_EQ(findArtifact("module {}"), "");
  EXPECT_EQ(findArtifact(""), "");
  EXPECT_EQ(findArtifact("ML\xEFR"), "");
  EXPECT_EQ(findArtifact(StringRef("ML\xEFR\rMLIR22\0", 12)), "");
}

TEST(StableHLOImport, Whole) {
  for (const char *name : names)
    EXPECT_EQ(import(readArtifact(name)), Outcome::Imported) << name;
}

TEST(StableHLOImport, NamesMlirAsItsProducer) {
  std::string artifact = readArtifact("rng");
  size_t name = artifact.find("StableHLO_v"), end = artifact.find('\0', name);
  ASSERT_NE(end, std::string::npos);
  std::string producer(end - name, 'x');
  artifact.replace(name, producer.size(), producer.replace(0, 4, "MLIR"));
  EXPECT_EQ(findArtifact(artifact), artifact);
  EXPECT_EQ(import(artifact), Outcome::Imported);
  // Bytecode of other dialects is none.
  artifact.replace(artifact.find(StringRef("\0vhlo\0", 6).str()), 5,
                   StringRef("\0func", 5).str());
  EXPECT_EQ(findArtifact(artifact), "");
}

TEST(StableHLOImport, ListOfAnotherRankThanAnArgument) {
  std::string bytes = readArtifact("rng");
  constexpr size_t typeOfAnArgument = 2785;
  ASSERT_EQ(bytes[typeOfAnArgument], 3);
  bytes[typeOfAnArgument] = 1;
  EXPECT_EQ(import(bytes), Outcome::Refused);
}

TEST(StableHLOImport, CutOff) {
  for (const char *name : names) {
    std::string bytes = readArtifact(name);
    for (size_t size = 0; size < bytes.size(); size += 97)
      EXPECT_EQ(import(StringRef(bytes).take_front(size)), Outcome::Refused)
          << name << ", " << size << " bytes";
  }
}

/// The same in a process of its own: nullopt if it dies, or takes too long.
static std::optional<Outcome> importApart(StringRef bytes) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit{10, 10};
    setrlimit(RLIMIT_CPU, &limit);
    _exit(import(bytes) == Outcome::Imported ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return std::nullopt;
  return WEXITSTATUS(status) == 0 ? Outcome::Imported : Outcome::Refused;
}

// SYMSHAPE_MUTATIONS and SYMSHAPE_SEED: how many, and of which sequence.
TEST(StableHLOImport, Changed) {
  auto read = [](const char *name, unsigned otherwise) {
    const char *text = std::getenv(name);
    return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
  };
  unsigned count = read("SYMSHAPE_MUTATIONS", 200);
  unsigned seed = read("SYMSHAPE_SEED", std::random_device()());
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  unsigned imported = 0, died = 0;
  for (unsigned i = 0; i < count; ++i) {
    std::string bytes = readArtifact(names[random() % std::size(names)]);
    for (unsigned change = random() % 4 + 1; change > 0; --change) {
      size_t place = random() % bytes.size();
      bytes[place] = random() % 2 ? bytes[place] ^ (1 << (random() % 8))
                                  : static_cast<char>(random());
    }
    auto outcome = importApart(bytes);
    imported += outcome == Outcome::Imported;
    if (!outcome) {
      std::string path = ::testing::TempDir() + "artifact-" +
                         std::to_string(seed) + "-" + std::to_string(i) +
                         ".mlirbc";
      std::ofstream(path, std::ios::binary) << bytes;
      std::cout << path << " ends its process" << std::endl;
    }
    died += !outcome;
  }
  std::cout << count << " artifacts, of which " << imported
            << " are imported, and " << died << " end their process"
            << std::endl;
  EXPECT_LT(imported, count);
  EXPECT_EQ(died, 0u);
}
