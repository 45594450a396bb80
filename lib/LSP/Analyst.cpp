//===- Analyst.cpp - Analyses in a process of their own -------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analyst.h"
#include "Corrections.h"
#include "symshape/LSP/Server.h"
#include "symshape/Process/Threads.h"

#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;
namespace lsp = llvm::lsp;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Notes as messages
//===----------------------------------------------------------------------===//

static json::Value toJSON(const Problem &problem) {
  json::Array related;
  for (const auto &[range, message] : problem.related)
    related.push_back(
        json::Object{{"range", range}, {"message", json::fixUTF8(message)}});
  return json::Object{{"range", problem.range},
                      {"isWarning", problem.isWarning},
                      {"kind", problem.kind},
                      {"message", json::fixUTF8(problem.message)},
                      {"related", std::move(related)},
                      {"correction", json::fixUTF8(problem.correction)}};
}

/// A text that many places share is written once.
static json::Value toJSON(const Notes &notes) {
  json::Array hovers, words, hints, problems;
  llvm::DenseMap<const std::string *, int64_t> numbers;
  for (const HoverNote &hover : notes.hovers) {
    auto [it, isNew] =
        numbers.try_emplace(hover.markdown.get(), int64_t(words.size()));
    if (isNew)
      words.push_back(json::fixUTF8(*hover.markdown));
    hovers.push_back(
        json::Object{{"range", hover.range}, {"words", it->second}});
  }
  for (const lsp::InlayHint &hint : notes.hints) {
    lsp::Range at(hint.position);
    hints.push_back(json::Object{{"at", at},
                                 {"label", json::fixUTF8(hint.label)},
                                 {"kind", static_cast<int>(hint.kind)},
                                 {"left", hint.paddingLeft},
                                 {"right", hint.paddingRight}});
  }
  for (const Problem &problem : notes.problems)
    problems.push_back(toJSON(problem));
  return json::Object{{"parses", notes.parses},
                      {"words", std::move(words)},
                      {"hovers", std::move(hovers)},
                      {"hints", std::move(hints)},
                      {"problems", std::move(problems)}};
}

static lsp::Range rangeIn(const json::Object &object, StringRef key) {
  lsp::Range range;
  json::Path::Root root;
  if (const json::Value *value = object.get(key))
    (void)fromJSON(*value, range, root);
  return range;
}

static std::string textIn(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("").str();
}

static Problem readProblem(const json::Object &object) {
  Problem problem;
  problem.range = rangeIn(object, "range");
  problem.isWarning = object.getBoolean("isWarning").value_or(false);
  problem.kind = textIn(object, "kind");
  problem.message = textIn(object, "message");
  problem.correction = textIn(object, "correction");
  for (const json::Value &related : *object.getArray("related"))
    problem.related.emplace_back(rangeIn(*related.getAsObject(), "range"),
                                 textIn(*related.getAsObject(), "message"));
  return problem;
}

/// Of what a child of ours has written.
static Notes readNotes(const json::Value &answer) {
  Notes notes;
  const json::Object *object = answer.getAsObject();
  if (!object)
    return notes;
  notes.parses = object->getBoolean("parses").value_or(false);
  std::vector<std::shared_ptr<const std::string>> words;
  for (const json::Value &text : *object->getArray("words"))
    words.push_back(
        std::make_shared<const std::string>(text.getAsString()->str()));
  for (const json::Value &value : *object->getArray("hovers")) {
    const json::Object &hover = *value.getAsObject();
    notes.hovers.push_back(
        {rangeIn(hover, "range"), words[*hover.getInteger("words")]});
  }
  for (const json::Value &value : *object->getArray("hints")) {
    const json::Object &from = *value.getAsObject();
    lsp::InlayHint hint(lsp::InlayHintKind(*from.getInteger("kind")),
                        rangeIn(from, "at").start);
    hint.label = textIn(from, "label");
    hint.paddingLeft = *from.getBoolean("left");
    hint.paddingRight = *from.getBoolean("right");
    notes.hints.push_back(std::move(hint));
  }
  for (const json::Value &value : *object->getArray("problems"))
    notes.problems.push_back(readProblem(*value.getAsObject()));
  return notes;
}

//===----------------------------------------------------------------------===//
// Who asks
//===----------------------------------------------------------------------===//

json::Value Analyst::ask(StringRef uri, json::Object question) {
  auto hasEnded = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    return !answers.empty(); // to the last question, all has been taken
  };
  if (child && hasEnded())
    child.reset();
  if (!child) {
    answers.clear();
    child = std::make_unique<Child>(command, [&](std::string text, bool isEnd) {
      std::lock_guard<std::mutex> lock(mutex);
      if (isEnd)
        answers.emplace_back();
      else
        answers.emplace_back(std::move(text));
      hasAnswer.notify_one();
    });
  }
  std::string words, problem = "has crashed";
  llvm::raw_string_ostream(words) << json::Value(std::move(question));
  std::optional<std::string> answer;
  if (child->send(words)) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!hasAnswer.wait_for(lock, limit, [&] { return !answers.empty(); })) {
      problem = "takes more than " + std::to_string(limit.count()) + " s";
    } else {
      answer = std::move(answers.front());
      answers.pop_front();
    }
  }
  if (answer) {
    llvm::Expected<json::Value> value = json::parse(*answer);
    if (value)
      return std::move(*value);
    llvm::consumeError(value.takeError());
  }
  llvm::errs() << "symshape-lsp-server: the analysis of '" << uri << "' "
               << problem << "; it is left out\n";
  child.reset();
  return nullptr;
}

Notes Analyst::makeNotes(StringRef uri, StringRef text, StringRef name) {
  return readNotes(ask(uri, json::Object{{"text", json::fixUTF8(text)},
                                         {"name", json::fixUTF8(name)}}));
}

std::optional<std::string> Analyst::correct(StringRef uri, StringRef text,
                                            std::optional<size_t> index) {
  json::Value answer =
      ask(uri, json::Object{{"text", json::fixUTF8(text)},
                            {"index", index ? static_cast<int64_t>(*index)
                                            : int64_t(-1)}});
  if (std::optional<StringRef> corrected = answer.getAsString())
    return corrected->str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Who answers
//===----------------------------------------------------------------------===//

static json::Value answerOne(const json::Object &question,
                             const DialectRegistry &registry) {
  StringRef text = question.getString("text").value_or("");
  std::optional<int64_t> index = question.getInteger("index");
  if (!index)
    return toJSON(
        makeNotes(text, question.getString("name").value_or(""), registry));
  std::optional<std::string> corrected =
      correctText(text, registry,
                  *index < 0 ? std::nullopt : std::optional<size_t>(*index));
  return corrected ? json::Value(json::fixUTF8(*corrected)) : nullptr;
}

int mlir::symshape::runAnalyst(const DialectRegistry &registry) {
  lsp::JSONTransportInputOverFile input(stdin);
  while (!input.isEndOfInput() && !input.hasError()) {
    std::string message;
    if (failed(input.readMessage(message)))
      continue;
    llvm::Expected<json::Value> question = json::parse(message);
    if (!question || !question->getAsObject())
      return 2;
    std::string answer;
    llvm::Error problem = runOnDeepStack([&] {
      llvm::raw_string_ostream(answer)
          << answerOne(*question->getAsObject(), registry);
    });
    if (problem) {
      llvm::errs() << "symshape-lsp-server: " << std::move(problem) << "\n";
      return 1;
    }
    if (!writeMessage(STDOUT_FILENO, answer))
      return 0;
  }
  return 0;
}
