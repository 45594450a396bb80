//===- FuzzFacts.cpp - Random facts and questions, against enumeration ----===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes choose declarations, facts, levels and questions. No answer may be
// contradicted by an assignment of small values, none may change when it is
// asked again after levels that were left. A failure prints the problem as a
// file for symshape-prove. With SYMSHAPE_PRINT_PROBLEM set each statement is
// printed before it runs, so that a hang shows its problem, too.
//
//===----------------------------------------------------------------------===//

#include "../Constraints/RandomProblem.h"
#include <cstdlib>

using namespace mlir::symshape;
using namespace mlir::symshape::test;

namespace {
/// Choices from bytes; the lowest where none are left.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : data(data), left(size) {}

  bool atEnd() const { return left == 0; }
  int64_t choose(int64_t lo, int64_t hi) {
    uint64_t count = uint64_t(hi - lo) + 1;
    if (atEnd() || count == 1)
      return lo;
    --left;
    return lo + int64_t(*data++ % count);
  }

private:
  const uint8_t *data;
  size_t left;
};

/// A claim inside a level, asked again where the level has been left.
struct Remembered {
  Claim claim;
  Answer answer;
  /// A set that starts over may come to the same answer by another rule.
  bool startsOver = false;
};

struct Counts {
  uint64_t problems = 0;
  Score score;

  ~Counts() {
    llvm::errs() << "fuzz-facts: " << problems << " problems, " << score.queries
                 << " queries, decided " << score.decided << " of "
                 << score.decidable << "\n";
  }
};

class Session {
public:
  Session(const uint8_t *data, size_t size) : bytes(data, size) {
    print(p.str());
  }

  void run() {
    for (unsigned statements = 0; !bytes.atEnd() && statements < maxStatements;
         ++statements) {
      step();
      require(p.checkContradiction());
    }
    while (!remembered.empty())
      pop();
  }

  const Score &score() const { return p.score; }

private:
  // More take longer, not further: what a question rests on is a few facts.
  static constexpr unsigned maxStatements = 32;

  void step() {
    switch (p.random.uniform(0, 9)) {
    case 0:
      return push();
    case 1:
      return pop();
    case 2:
      return p.random.chance(25) ? declareAgain() : assume();
    case 3:
    case 4:
      return assume();
    case 5:
    case 6:
      return require(p.checkVerdict(shown("prove ", p.claim(2))));
    case 7:
      return aboutExpression();
    case 8:
      return require(
          p.checkIsolate(shown("# solve ", p.claim(1)),
                         unsigned(p.random.uniform(0, p.symbols.size() - 1))));
    case 9:
      return require(p.checkVerdict(shown("prove ", p.claim(1))));
    }
  }

  void push() {
    Claim claim = p.claim(2);
    remembered.push_back({claim, p.set.prove(claim.relation)});
    print("push\n");
    p.push();
  }

  void pop() {
    if (remembered.empty())
      return;
    print("pop\n");
    p.pop();
    Remembered last = remembered.back();
    remembered.pop_back();
    Answer answer = p.set.prove(last.claim.relation);
    if (answer.verdict != last.answer.verdict ||
        (!last.startsOver && answer.reason != last.answer.reason))
      require("prove " + last.claim.relation.str() + "  # " +
              last.answer.reason + " before push, " + answer.reason +
              " after pop");
  }

  void assume() {
    Claim fact = shown("assume ", p.claim(2));
    // Few facts hold by chance: take most of those that leave a model.
    bool holds = llvm::any_of(
        p.models, [&](const Assignment &model) { return fact.holds(model); });
    if (holds || p.random.chance(5))
      p.assume(fact);
  }

  void declareAgain() {
    print("# another declaration\n");
    if (!p.declareAgain())
      return;
    for (Remembered &open : remembered)
      open.startsOver = true;
  }

  void aboutExpression() {
    Tree tree = p.random.tree(3);
    print("bounds " + tree.build(p.arena, p.symbols).str() + "\n");
    require(p.checkBounds(tree));
    require(p.checkResidue(tree));
    require(p.checkSimplify(tree));
  }

  Claim shown(const char *word, const Claim &claim) {
    print(word + claim.relation.str() + "\n");
    return claim;
  }

  void print(const std::string &text) {
    static const bool wanted = std::getenv("SYMSHAPE_PRINT_PROBLEM");
    if (wanted)
      llvm::errs() << text;
  }

  void require(const std::string &wrong) {
    if (wrong.empty())
      return;
    llvm::errs() << p.str() << wrong << "\n";
    std::abort();
  }

  Bytes bytes;
  RandomProblem p{
      [this](int64_t lo, int64_t hi) { return bytes.choose(lo, hi); }};
  std::vector<Remembered> remembered;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Counts counts;
  Session session(data, size);
  session.run();
  ++counts.problems;
  counts.score.queries += session.score().queries;
  counts.score.decidable += session.score().decidable;
  counts.score.decided += session.score().decided;
  return 0;
}
