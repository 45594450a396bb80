//===- StateFolderTest.cpp - Damaged and foreign state folders ------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every field of every file of a folder is damaged: the result of a call stays
// what it is, and what cannot be used is made anew. Sequences of processes are
// in test/Integration/automatic.test.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/AdaptiveProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::symshape;

namespace {

constexpr llvm::StringLiteral programText = R"(
  func.func @main(
      %x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[M, N]>},
      %w: tensor<?xf32>) -> tensor<?x?xf32>
      attributes {symshape.versions = [#symshape.version<"even", ["2 | M"]>]} {
    %r = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
)";

std::string readText(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

void writeText(const std::string &path, llvm::StringRef text) {
  std::error_code problem;
  llvm::raw_fd_ostream(path, problem) << text;
  ASSERT_FALSE(problem) << path;
}

class StateFolderTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("state", path));
    root = path.str().str();
    folder = root + "/kept";
    writeText(root + "/m.mlir", programText);
    run(); // fills the folder
    run();
    code = findFile(".code");
    profile = findFile(".profile.json");
    ASSERT_EQ(numCompilations, 0u);
    ASSERT_FALSE(code.empty() || profile.empty());
    goodCode = readText(code);
    goodProfile = readText(profile);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  std::string findFile(llvm::StringRef suffix) const {
    std::error_code problem;
    for (llvm::sys::fs::directory_iterator it(folder, problem), end;
         !problem && it != end; it.increment(problem))
      if (llvm::StringRef(it->path()).ends_with(suffix))
        return it->path();
    return "";
  }

  /// One process: a call, whose result is checked. Returns what was told.
  int run() {
    AdaptiveOptions options;
    options.stateFolder = folder;
    testing::internal::CaptureStderr();
    numCompilations = ~0u;
    if (auto program = AdaptiveProgram::open(root + "/m.mlir", options)) {
      call(**program);
      numCompilations = (*program)->getNumCompilations();
    } else {
      ADD_FAILURE() << llvm::toString(program.takeError());
    }
    told = testing::internal::GetCapturedStderr();
    return ++numRuns;
  }

  static void call(AdaptiveProgram &program) {
    ElementType f32 = *ElementType::parse("f32");
    TensorBuffer x = cantFail(TensorBuffer::allocate(f32, {2, 3}));
    TensorBuffer w = cantFail(TensorBuffer::allocate(f32, {3}));
    auto *data = reinterpret_cast<float *>(x.getData());
    for (int i = 0; i < 6; ++i)
      data[i] = i;
    auto results = program.call({x, w});
    if (!results) {
      ADD_FAILURE() << llvm::toString(results.takeError());
      return;
    }
    const auto *sums =
        reinterpret_cast<const float *>(results->tensors[0].getData());
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(sums[i], 2.f * i);
  }

  /// A run with another code file compiles, tells why, and stores what is good.
  void expectCompiledAgain(llvm::StringRef bytes, const std::string &what) {
    writeText(code, bytes);
    run();
    EXPECT_EQ(numCompilations, 1u) << what;
    EXPECT_NE(told.find("is not used: "), std::string::npos) << what << told;
    EXPECT_EQ(readText(code).size(), goodCode.size()) << what;
    ++numDamaged;
  }

  /// Nothing is kept, which is told; nothing is written.
  void expectRefused(llvm::StringRef why) {
    run();
    EXPECT_EQ(numCompilations, 1u);
    EXPECT_NE(told.find("warning: no state is kept in '" + folder +
                        "': " + why.str()),
              std::string::npos)
        << told;
  }

  std::string root, folder, code, profile, goodCode, goodProfile, told;
  unsigned numCompilations = 0;
  int numRuns = 0, numDamaged = 0;
};

/// Text with the first of `from` replaced.
std::string replaced(std::string text, llvm::StringRef from,
                     llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

TEST_F(StateFolderTest, damagedFieldsOfCode) {
  auto [header, object] = llvm::StringRef(goodCode).split('\n');
  llvm::json::Object fields =
      *cantFail(llvm::json::parse(header)).getAsObject();
  ASSERT_EQ(fields.size(), 3u); // all are damaged below
  std::string nested(100000, '[');
  for (llvm::StringRef key : {"format", "subject", "hash"}) {
    for (llvm::json::Value value :
         {llvm::json::Value(nullptr), llvm::json::Value(-1),
          llvm::json::Value(INT64_MAX), llvm::json::Value(""),
          llvm::json::Value("0"), llvm::json::Value(std::string(32, 'f')),
          llvm::json::Value(llvm::json::Array{1, 2})}) {
      llvm::json::Object damaged = fields;
      damaged[key] = std::move(value);
      std::string text;
      llvm::raw_string_ostream(text)
          << llvm::json::Value(std::move(damaged)) << '\n'
          << object;
      expectCompiledAgain(text, key.str());
    }
    llvm::json::Object damaged = fields;
    damaged.erase(key);
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::json::Value(std::move(damaged)) << '\n'
        << object;
    expectCompiledAgain(text, "without " + key.str());
    expectCompiledAgain(replaced(goodCode, "\"" + key.str() + "\":",
                                 "\"" + key.str() + "\":" + nested + ",\"x\":"),
                        key.str() + " nested");
  }
  EXPECT_GE(numDamaged, 24);
}

TEST_F(StateFolderTest, damagedBytesOfCode) {
  // What changes nothing that is read: none in a header without blanks.
  size_t step = goodCode.size() / 40;
  for (size_t at = 0; at < goodCode.size(); at += at < 100 ? 7 : step) {
    std::string damaged = goodCode;
    damaged[at] ^= 1 << at % 7;
    expectCompiledAgain(damaged, "byte " + std::to_string(at));
  }
  for (size_t size :
       {size_t(0), size_t(1), size_t(50), goodCode.find('\n'),
        goodCode.find('\n') + 1, goodCode.size() / 2, goodCode.size() - 1})
    expectCompiledAgain(goodCode.substr(0, size),
                        "cut at " + std::to_string(size));
  expectCompiledAgain(goodCode + "x", "a byte more");
  EXPECT_GE(numDamaged, 50);
}

/// A file of code whose hash is right, whatever the object is.
std::string signCode(llvm::StringRef good, llvm::StringRef object) {
  auto header = cantFail(llvm::json::parse(good.split('\n').first));
  llvm::json::Object &fields = *header.getAsObject();
  llvm::BLAKE3 hasher;
  for (llvm::StringRef part : {*fields.getString("subject"), object}) {
    char size[8];
    llvm::support::endian::write64le(size, part.size());
    hasher.update(llvm::StringRef(size, 8));
    hasher.update(part);
  }
  fields["hash"] = llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
  std::string text;
  llvm::raw_string_ostream(text) << header << '\n' << object;
  return text;
}

TEST_F(StateFolderTest, codeThatDoesNotLoad) {
  llvm::StringRef object = llvm::StringRef(goodCode).split('\n').second;
  ASSERT_EQ(signCode(goodCode, object), goodCode);
  expectCompiledAgain(signCode(goodCode, ""), "no object");
  expectCompiledAgain(signCode(goodCode, "text"), "text");
  // Names that are looked up.
  for (llvm::StringRef name :
       {"symshape.interface", "packed._mlir_ciface_main"})
    expectCompiledAgain(
        signCode(goodCode,
                 replaced(object.str(), name, std::string(name.size(), 'x'))),
        name.str());
  // What the code says of itself: each count, the length of each text, and the
  // names of the functions.
  CodeInterface said;
  said.arguments = {"tensor ?x?xf32", "tensor ?xf32"};
  said.results = {"tensor ?x?xf32"};
  said.versionNames = {"even", "default"};
  said.functions = {"_mlir_ciface_main"};
  size_t at = llvm::StringRef::npos;
  for (llvm::StringRef guard : {"_mlir_ciface_main.guard", ""})
    for (llvm::StringRef version : {"_mlir_ciface_main.version", ""}) {
      CodeInterface tried = said;
      for (llvm::StringRef name : {guard, version})
        if (!name.empty())
          tried.functions.push_back(name.str());
      if (at == llvm::StringRef::npos)
        if (at = object.find(tried.serialize()); at != llvm::StringRef::npos)
          said = tried;
    }
  ASSERT_NE(at, llvm::StringRef::npos);
  size_t numNumbers = 0, size = said.serialize().size();
  for (size_t i = 0; i + 8 <= size; ++i) {
    uint64_t number = llvm::support::endian::read64le(object.data() + at + i);
    if (number > 255) // in a text, or no number
      continue;
    ++numNumbers;
    std::string damaged = object.str();
    llvm::support::endian::write64le(damaged.data() + at + i, UINT64_MAX / 2);
    expectCompiledAgain(signCode(goodCode, damaged),
                        "number at " + std::to_string(i));
  }
  EXPECT_GE(numNumbers, 8u);
  for (const std::string &name : said.functions) {
    std::string damaged = object.str();
    damaged[damaged.find(name, at)] = 'x';
    writeText(code, signCode(goodCode, damaged));
    run(); // a guard or version that is not there is not called
    EXPECT_LE(numCompilations, 1u);
  }
}

TEST_F(StateFolderTest, damagedFieldsOfProfiles) {
  std::string nested(100000, '[');
  for (llvm::StringRef text :
       {"", "{", "[]", "null", "{}", "{\"format\":1}", nested.c_str()})
    for (llvm::StringRef rest : {"", "\n", goodProfile.c_str()}) {
      writeText(profile, text.str() + rest.str());
      run();
      EXPECT_EQ(told.find("is not used: ") != std::string::npos,
                !(text.empty() && rest == goodProfile))
          << text.str() << told;
    }
  for (auto [from, to] :
       {std::pair("\"format\":1", "\"format\":-1"),
        std::pair("\"format\":1", "\"format\":\"1\""),
        std::pair("\"subject\":\"", "\"subject\":\"0"),
        std::pair("\"subject\":\"", "\"subject\":[],\"x\":\""),
        std::pair("\"dims\":", "\"dims\":{},\"x\":"),
        std::pair("\"dims\":", "\"dims\":[[[1,2]]],\"x\":"),
        std::pair("\"dims\":[", "\"dims\":[[0,1],"),
        std::pair("[2,2]", "[3,2]"), std::pair("[2,2]", "[2]"),
        std::pair("[2,2]", "[2,2,2]"), std::pair("[2,2]", "[-2,2]"),
        std::pair("[2,2]", "[2,9223372036854775808]"),
        std::pair("[2,2]", "[2,2.5]"), std::pair("[2,2]", "[null,2]"),
        std::pair("[2,2]", "[-9223372036854775808,9223372036854775807]")}) {
    writeText(profile, replaced(goodProfile, from, to));
    run();
    EXPECT_NE(told.find("is not used: "), std::string::npos) << to;
  }
  // Other extents are no damage: they make symbols.
  for (llvm::StringRef range : {"[0,9223372036854775807]", "[-1,-1]"}) {
    writeText(profile, replaced(goodProfile, "[2,2]", range));
    run();
    EXPECT_EQ(told, "");
  }
  EXPECT_GE(numRuns, 30);
}

TEST_F(StateFolderTest, filesThatAreNoFiles) {
  std::string elsewhere = root + "/elsewhere", lock = folder + "/lock";
  writeText(elsewhere, goodCode);
  for (const std::string &path : {code, profile, lock}) {
    // A link is neither read nor written through.
    std::remove(path.c_str());
    ASSERT_FALSE(llvm::sys::fs::create_link(elsewhere, path));
    run();
    EXPECT_NE(told.find("it is a link"), std::string::npos) << path << told;
    EXPECT_EQ(readText(elsewhere), goodCode);
    // Nobody waits for a pipe.
    std::remove(path.c_str());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    run();
    EXPECT_NE(told.find("it is no plain file"), std::string::npos) << told;
    std::remove(path.c_str());
    ASSERT_FALSE(llvm::sys::fs::create_directory(path));
    run();
    EXPECT_NE(told.find("warning"), std::string::npos) << path;
    std::remove(path.c_str());
    run();
    run();
    EXPECT_EQ(told, "") << path;
    EXPECT_EQ(numCompilations, 0u) << path;
  }
}

TEST_F(StateFolderTest, linksThatLeadNowhere) {
  std::string nowhere = root + "/nowhere";
  for (const std::string &path : {code, profile, folder + "/lock"}) {
    std::remove(path.c_str());
    ASSERT_FALSE(llvm::sys::fs::create_link(nowhere, path));
    run();
    EXPECT_FALSE(llvm::sys::fs::exists(nowhere)) << path;
    std::remove(path.c_str());
  }
}

TEST_F(StateFolderTest, filesThatOthersMayWrite) {
  ASSERT_EQ(chmod(code.c_str(), 0620), 0);
  run();
  EXPECT_NE(told.find("is not used: others may write to it"), std::string::npos)
      << told;
  EXPECT_EQ(numCompilations, 1u);
  run();
  EXPECT_EQ(numCompilations, 0u);
  ASSERT_EQ(chmod(profile.c_str(), 0602), 0);
  run();
  EXPECT_NE(told.find("is not used: others may write to it"),
            std::string::npos);
  if (geteuid() != 0)
    return;
  ASSERT_EQ(chown(code.c_str(), 65534, 65534), 0);
  run();
  EXPECT_NE(told.find("is not used: another user owns it"), std::string::npos);
}

TEST_F(StateFolderTest, foldersOfOthers) {
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u); // whatever the umask is
  ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
  expectRefused("others may write to it: run chmod go-w '" + folder + "'");
  ASSERT_EQ(chmod(folder.c_str(), 0702), 0);
  expectRefused("others may write to it");
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  run();
  EXPECT_EQ(numCompilations, 0u);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
    expectRefused("another user owns it: use a folder of your own");
    ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(readText(code), goodCode);
  EXPECT_EQ(readText(profile), goodProfile);
}

TEST_F(StateFolderTest, damagedLocks) {
  writeText(folder + "/lock", std::string(100, '\xff'));
  llvm::sys::fs::remove(profile);
  run();
  EXPECT_EQ(told, "");
  EXPECT_EQ(readText(profile), goodProfile);
}

TEST_F(StateFolderTest, trimsOwnFilesAlone) {
  std::vector<std::string> foreign = {
      "notes.code",
      "x.code.temp-stream-1",
      std::string(32, 'g') + ".code",
      std::string(31, 'a') + ".code",
      "notes.part",
      std::string(31, 'a') + ".part",
      std::string(33, 'a') + ".code",
      std::string(32, 'A') + ".code",
      std::string(32, 'a') + ".code.bak",
      std::string(32, 'a') + ".code.temp-stream-",
      std::string(32, 'a') + ".code.temp-stream-1.txt",
      "temp-stream-1",
      "my.temp-stream-2"};
  std::string mine = std::string(32, 'a') + ".code";
  std::string part = std::string(32, 'c') + ".part";
  std::string left = mine + ".temp-stream-12", linked = root + "/linked";
  std::string link = folder + "/" + std::string(32, 'b') + ".code";
  for (const std::string &name : foreign)
    writeText(folder + "/" + name, "old");
  writeText(folder + "/" + mine, std::string(100000, 'x'));
  writeText(folder + "/" + part, std::string(100000, 'x'));
  writeText(folder + "/" + left, "old");
  writeText(linked, "old");
  ASSERT_FALSE(llvm::sys::fs::create_link(linked, link));
  std::error_code problem;
  for (llvm::sys::fs::directory_iterator it(folder, problem), end;
       !problem && it != end; it.increment(problem)) {
    struct timespec times[2] = {{1000, 0}, {1000, 0}};
    utimensat(AT_FDCWD, it->path().c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  llvm::sys::fs::remove(code);
  AdaptiveOptions options;
  options.stateFolder = folder;
  options.stateLimit = 1;
  call(*cantFail(AdaptiveProgram::open(root + "/m.mlir", options)));
  for (const std::string &name : foreign)
    EXPECT_TRUE(llvm::sys::fs::exists(folder + "/" + name)) << name;
  EXPECT_FALSE(llvm::sys::fs::exists(folder + "/" + mine));
  EXPECT_FALSE(llvm::sys::fs::exists(folder + "/" + part));
  EXPECT_FALSE(llvm::sys::fs::exists(folder + "/" + left));
  EXPECT_TRUE(llvm::sys::fs::exists(linked));
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(link));
}

} // namespace
