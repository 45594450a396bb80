//===- ProblemFile.cpp - Questions and facts as text ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a statement, runs it, forgets it. What a declaration says is a fact of
// its line like any other, so that explanations can name it.
//
//===----------------------------------------------------------------------===//

#include "symshape/Constraints/ProblemFile.h"
#include "Declaration.h"

#include "symshape/Constraints/ConstraintSet.h"
#include "symshape/Expr/ExprParser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {
class ProblemRunner {
public:
  ProblemRunner(StringRef name, const ProblemOptions &options,
                llvm::raw_ostream &out, llvm::raw_ostream &err)
      : name(name), options(options), answers(out),
        out(options.json ? asText : out), err(err) {}

  bool run(StringRef text);

private:
  bool runStatement(StringRef statement);
  bool runDeclaration(ExprParser &parser);
  bool runAssume(ExprParser &parser);
  bool runPop();
  bool runProve(ExprParser &parser);
  bool runSimplify(ExprParser &parser, StringRef statement);
  bool runBounds(ExprParser &parser);
  bool runSolve(ExprParser &parser);

  bool finish(ExprParser &parser);
  bool error(size_t offset, const Twine &message);
  bool parseError(ExprParser &parser);
  bool contradiction(ArrayRef<FactId> facts);
  bool isConsistent(Expr around = Expr());
  void fact(const Relation &relation);
  void know(ExprParser &parser);
  bool isKnown(StringRef symbol) const;
  void printFacts(ArrayRef<FactId> facts);
  void printReasons(const Relation &relation);
  void printStats(StringRef tier, uint64_t steps);
  void printAsJSON(StringRef statement);
  /// Steps of the statement so far.
  uint64_t stepsTaken() const { return set.steps() - stepsBefore; }

  StringRef name;
  const ProblemOptions &options;
  llvm::raw_ostream &answers;
  std::string said; ///< of a statement, where its answer is written as JSON
  llvm::raw_string_ostream asText{said};
  llvm::raw_ostream &out, &err;
  ExprArena arena;
  ConstraintSet set{arena};
  unsigned line = 0;
  size_t statementStart = 0; ///< in its line
  uint64_t stepsBefore = 0;  ///< before the statement
  SmallVector<unsigned> lineOfFact;
  SmallVector<llvm::StringSet<>, 4> known{1};
};
} // namespace

//===----------------------------------------------------------------------===//
// Errors, and what is known
//===----------------------------------------------------------------------===//

bool ProblemRunner::error(size_t offset, const Twine &message) {
  answers.flush();
  err << name << ':' << line << ':' << offset + 1 << ": error: " << message
      << '\n';
  return false;
}

bool ProblemRunner::parseError(ExprParser &parser) {
  return error(parser.error().offset, parser.error().message);
}

/// Nothing may follow the statement.
bool ProblemRunner::finish(ExprParser &parser) {
  parser.skipBlanks();
  if (!parser.atEnd()) {
    parser.expected("an operator or the end of the line");
    return parseError(parser);
  }
  know(parser);
  return true;
}

bool ProblemRunner::isKnown(StringRef symbol) const {
  return llvm::any_of(
      known, [&](const auto &names) { return names.contains(symbol); });
}

void ProblemRunner::know(ExprParser &parser) {
  for (StringRef symbol : parser.namesRead())
    if (!isKnown(symbol))
      known.back().insert(symbol);
}

void ProblemRunner::fact(const Relation &relation) {
  FactId id = set.assume(relation);
  lineOfFact.resize(id + 1);
  lineOfFact[id] = line;
}

bool ProblemRunner::contradiction(ArrayRef<FactId> facts) {
  llvm::SmallSetVector<unsigned, 4> lines;
  for (FactId id : facts)
    lines.insert(lineOfFact[id]);
  SmallVector<unsigned> sorted(lines.begin(), lines.end());
  llvm::sort(sorted);
  std::string text;
  for (size_t i = 0; i < sorted.size(); ++i)
    text += (i == 0                   ? ""
             : i + 1 == sorted.size() ? " and "
                                      : ", ") +
            std::to_string(sorted[i]);
  if (sorted.size() < 2)
    return error(statementStart,
                 "expected facts that can hold, but got a contradiction in "
                 "line " +
                     text);
  return error(statementStart,
               "expected facts that can hold, but got a contradiction "
               "between lines " +
                   text);
}

/// Whether no contradiction is found, including in the linear facts connected
/// with `around`.
bool ProblemRunner::isConsistent(Expr around) {
  std::vector<FactId> core = set.conflictCore(around);
  return core.empty() || contradiction(core);
}

void ProblemRunner::printFacts(ArrayRef<FactId> facts) {
  for (FactId id : facts)
    out << "  line " << lineOfFact[id] << ": " << set.fact(id).str() << '\n';
}

void ProblemRunner::printStats(StringRef tier, uint64_t steps) {
  if (options.stats)
    out << "  tier: " << tier << ", steps: " << steps << '\n';
}

/// Why `relation` is implied, or not known to be.
void ProblemRunner::printReasons(const Relation &relation) {
  if (!options.explain)
    return;
  set.prove(relation, Effort::Exhaustive); // as it was asked
  std::vector<std::string> chain;
  Answer answer = set.explain(relation, chain);
  if (answer.verdict == Verdict::Unknown) {
    out << "  missing: " << answer.reason << '\n';
    return;
  }
  printFacts(answer.facts);
  out << "  " << (answer.isYes() ? "hence " : "hence not ") << relation.str()
      << " (" << answer.reason << ")\n";
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

bool ProblemRunner::runDeclaration(ExprParser &parser) {
  std::optional<Declaration> declaration = parseDeclaration(parser);
  if (!declaration)
    return parseError(parser);
  auto &[symbolName, offset, info, hasRange] = *declaration;
  if (isKnown(symbolName))
    return error(offset, "expected a name that no line before has, but got '" +
                             symbolName + "'");
  known.back().insert(symbolName);
  Expr symbol = arena.symbol(symbolName);
  SymbolInfo declared;
  declared.likely = info.likely;
  if (hasRange)
    declared.range = Range::all();
  set.declare(symbol, declared);
  if (!hasRange) // the default is not a fact of this line
    info.range = Range::all();
  for (const Relation &relation : relationsOf(symbol, info))
    fact(relation);
  return isConsistent();
}

//===----------------------------------------------------------------------===//
// Facts and questions
//===----------------------------------------------------------------------===//

bool ProblemRunner::runAssume(ExprParser &parser) {
  std::optional<Relation> relation = parser.parseRelation();
  if (!relation)
    return parseError(parser);
  if (!finish(parser))
    return false;
  fact(*relation);
  return isConsistent(relation->lhs - relation->rhs);
}

bool ProblemRunner::runPop() {
  if (known.size() == 1)
    return error(statementStart,
                 "expected a push before this pop, but there is none");
  known.pop_back();
  set.pop();
  lineOfFact.resize(set.numFacts());
  return true;
}

bool ProblemRunner::runProve(ExprParser &parser) {
  std::optional<Relation> relation = parser.parseRelation();
  if (!relation)
    return parseError(parser);
  if (!finish(parser))
    return false;
  Answer answer = set.prove(*relation, Effort::Exhaustive);
  // A contradiction that only a question brings out implies both.
  std::optional<Relation> negation = relation->negation();
  if (answer.isYes() && negation && set.prove(*negation).isYes()) {
    std::vector<std::string> chain;
    SmallVector<FactId, 4> facts = set.explain(*relation, chain).facts;
    llvm::append_range(facts, set.explain(*negation, chain).facts);
    return contradiction(facts);
  }
  uint64_t steps = stepsTaken();
  if (!isConsistent(relation->lhs - relation->rhs))
    return false;
  out << (answer.isYes() ? "yes" : answer.isNo() ? "no" : "unknown") << '\n';
  printStats(answer.verdict == Verdict::Unknown ? "none" : answer.reason,
             steps);
  printReasons(*relation);
  return true;
}

/// How many operators a text holds; a call of n operands counts as n - 1.
static unsigned countOperators(StringRef text) {
  unsigned count = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = text.find('"', i + 1);
      i = i == StringRef::npos ? text.size() : i + 1;
    } else if (llvm::isAlpha(text[i]) || text[i] == '_') {
      StringRef word = text.substr(i).take_while(
          [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
      count += word == "floordiv" || word == "ceildiv" || word == "mod";
      i += word.size();
    } else {
      count += StringRef("+-*,").contains(text[i]);
      ++i;
    }
  }
  return count;
}

bool ProblemRunner::runSimplify(ExprParser &parser, StringRef statement) {
  parser.skipBlanks();
  size_t start = parser.offset();
  Expr e = parser.parseSum();
  if (!e)
    return parseError(parser);
  if (!finish(parser))
    return false;
  Expr simple = set.simplify(e);
  uint64_t steps = stepsTaken();
  if (!isConsistent(e))
    return false;
  std::string text = simple.str();
  // Canonical forms are sums: products of sums, or a mod, may be longer.
  StringRef written = statement.substr(start).trim();
  if (countOperators(text) > countOperators(written))
    out << written << '\n';
  else
    out << text << '\n';
  printStats(simple == e ? "none" : "reduction", steps);
  printReasons(Relation::eq(e, simple));
  return true;
}

bool ProblemRunner::runBounds(ExprParser &parser) {
  Expr e = parser.parseSum();
  if (!e)
    return parseError(parser);
  if (!finish(parser))
    return false;
  Range quick = set.bounds(e, Effort::Quick);
  Range range = set.bounds(e, Effort::Exhaustive);
  uint64_t steps = stepsTaken();
  if (!isConsistent(e))
    return false;
  range.print(out);
  out << '\n';
  printStats(range == quick ? "ranges" : "linear facts", steps);
  if (range.min)
    printReasons(Relation::le(arena.constant(*range.min), e));
  if (range.max)
    printReasons(Relation::le(e, arena.constant(*range.max)));
  return true;
}

bool ProblemRunner::runSolve(ExprParser &parser) {
  std::optional<Relation> relation = parser.parseRelation();
  if (!relation)
    return parseError(parser);
  if (!parser.consumeWord("for")) {
    parser.expected("an operator or 'for'");
    return parseError(parser);
  }
  std::optional<StringRef> symbolName = parser.parseName();
  if (!symbolName) {
    parser.expected("the name of a symbol");
    return parseError(parser);
  }
  if (!finish(parser))
    return false;
  std::optional<Relation> solution =
      set.isolate(*relation, arena.symbol(*symbolName));
  uint64_t steps = stepsTaken();
  if (!solution)
    out << "none\n";
  else if (solution->kind == Relation::Eq)
    out << solution->rhs.str() << '\n';
  else if (solution->lhs == arena.symbol(*symbolName))
    out << solution->str() << '\n';
  else
    out << solution->rhs.str() << " >= " << solution->lhs.str() << '\n';
  printStats(solution ? "isolation" : "none", steps);
  if (options.explain && solution) {
    // The relation is a fact of this line while its consequence is explained.
    set.push();
    fact(*relation);
    printReasons(*solution);
    set.pop();
    lineOfFact.resize(set.numFacts());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool ProblemRunner::runStatement(StringRef statement) {
  ExprParser parser(arena, statement, /*inStatements=*/true);
  parser.skipBlanks();
  if (parser.atEnd())
    return true;
  statementStart = parser.offset();
  stepsBefore = set.steps();
  if (parser.consumeWord("symbol"))
    return runDeclaration(parser);
  if (parser.consumeWord("assume"))
    return runAssume(parser);
  if (parser.consumeWord("prove"))
    return runProve(parser);
  if (parser.consumeWord("simplify"))
    return runSimplify(parser, statement);
  if (parser.consumeWord("bounds"))
    return runBounds(parser);
  if (parser.consumeWord("solve"))
    return runSolve(parser);
  if (parser.consumeWord("push")) {
    if (!finish(parser))
      return false;
    set.push();
    known.emplace_back();
    return true;
  }
  if (parser.consumeWord("pop"))
    return finish(parser) && runPop();
  parser.expected(
      "symbol, assume, prove, simplify, bounds, solve, push or pop");
  return parseError(parser);
}

/// The line without its comment, which `#` begins outside of quotes.
static StringRef withoutComment(StringRef text) {
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      isQuoted = !isQuoted;
    else if (text[i] == '#' && !isQuoted)
      return text.take_front(i);
  }
  return text;
}

void ProblemRunner::printAsJSON(StringRef statement) {
  auto [answer, rest] = StringRef(said).split('\n');
  SmallVector<StringRef> lines;
  rest.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto text = [](StringRef part) { return llvm::json::fixUTF8(part.trim()); };
  llvm::json::OStream object(answers);
  object.object([&] {
    object.attribute("line", line);
    object.attribute("question", text(statement));
    object.attribute("answer", text(answer));
    object.attributeArray("because", [&] {
      for (StringRef each : lines)
        object.value(text(each));
    });
  });
  answers << '\n';
  said.clear();
}

bool ProblemRunner::run(StringRef text) {
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    text = rest;
    ++line;
    StringRef statement = withoutComment(first);
    if (!runStatement(statement))
      return false;
    if (!said.empty())
      printAsJSON(statement);
  }
  return true;
}

bool mlir::symshape::runProblem(StringRef text, StringRef name,
                                const ProblemOptions &options,
                                llvm::raw_ostream &out,
                                llvm::raw_ostream &err) {
  return ProblemRunner(name, options, out, err).run(text);
}
