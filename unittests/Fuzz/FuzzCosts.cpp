//===- FuzzCosts.cpp - Small problem files that cost much -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes write a problem file of at most 500 characters: declarations, facts
// of all operators about few symbols, chains of facts of one pattern,
// questions. None may take more than a second of the processor; with sanitizers
// ten, which slow everything down about tenfold. Memory: by -rss_limit_mb.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/ProblemFile.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <ctime>

using namespace mlir::symshape;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SYMSHAPE_SLOW 1
#endif
#endif
#ifdef SYMSHAPE_SLOW
static constexpr double maxSeconds = 10;
#else
static constexpr double maxSeconds = 1;
#endif
static constexpr size_t maxText = 500;

namespace {
/// Text by a grammar: so most inputs get far.
class Writer {
public:
  Writer(const uint8_t *data, size_t size) : data(data), left(size) {}

  std::string write() {
    while (left && text.size() < maxText) {
      std::string line = statement();
      if (text.size() + line.size() + 1 > maxText)
        break;
      text += line + "\n";
    }
    return text;
  }

private:
  unsigned choose(unsigned count) {
    if (left == 0)
      return 0;
    --left;
    return *data++ % count;
  }

  /// Of few names, and with the number of the fact, so that facts of one
  /// pattern make a chain.
  std::string symbol() {
    unsigned kind = choose(8);
    if (kind < 3)
      return std::string("x") + std::to_string(number + kind % 2);
    if (kind < 5)
      return "y" + std::to_string(number);
    return std::string(1, "abc"[kind - 5]);
  }

  std::string expression(unsigned depth) {
    static const char *const numbers[] = {"1", "2", "3", "7", "64", "99999999"};
    auto part = [&] { return expression(depth - 1); };
    switch (depth == 0 ? choose(3) : choose(12)) {
    case 0:
    case 1:
      return symbol();
    case 2:
      return numbers[choose(6)];
    case 3:
    case 4:
      return "(" + part() + " + " + part() + ")";
    case 5:
      return "(" + part() + " - " + part() + ")";
    case 6:
    case 7:
      return part() + "*" + part();
    case 8:
      return "(" + part() + " floordiv " + part() + ")";
    case 9:
      return "(" + part() + " mod " + part() + ")";
    case 10:
      return (choose(2) ? "min(" : "max(") + part() + ", " + part() + ")";
    default:
      return "bc(" + part() + ", " + part() + ")";
    }
  }

  std::string relation() {
    static const char *const relations[] = {" == ", " <= ", " != ", " | "};
    const char *middle = relations[choose(4)];
    return expression(1) + middle + expression(3);
  }

  std::string statement() {
    switch (choose(8)) {
    case 0:
      return "push";
    case 1:
      return "prove " + relation();
    case 2:
      return "bounds " + expression(3);
    case 3:
      return "simplify " + expression(3);
    case 4: {
      // The same bytes again, for other symbols.
      std::string lines;
      unsigned count = 2 + choose(20);
      const uint8_t *pattern = data;
      size_t patternLeft = left;
      for (unsigned i = 0; i < count && lines.size() < maxText / 2; ++i) {
        data = pattern;
        left = patternLeft;
        number = i;
        lines += (i ? "\nassume " : "assume ") + relation();
      }
      number = 0;
      return lines;
    }
    default:
      return "assume " + relation();
    }
  }

  const uint8_t *data;
  size_t left;
  unsigned number = 0;
  std::string text;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text = Writer(data, size).write();
  ProblemOptions options;
  std::clock_t start = std::clock();
  runProblem(text, "fuzz", options, llvm::nulls(), llvm::nulls());
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds <= maxSeconds)
    return 0;
  llvm::errs() << text << "# took " << seconds << " s\n";
  std::abort();
}
