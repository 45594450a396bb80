//===- Options.cpp - The command line of symshape-onnx --------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "../WordOption.h"

#include "symshape/Import/Extents/GivenResults.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
namespace onnx = mlir::symshape::onnx;

static cl::OptionCategory category("symshape-onnx options");
static cl::SubCommand
    showVerb("show", "print inputs, outputs and size of a model, and for which "
                     "sizes it is valid");
static cl::SubCommand importVerb("import", "write the program of a model");
static cl::SubCommand inferVerb("infer",
                                "write all extents that follow into a model");
static cl::SubCommand
    checkVerb("check",
              "compare declared extents with inferred ones, and list guards");
static cl::SubCommand explainVerb("explain", "tell where extents come from");
static cl::SubCommand fixVerb("fix", "bind names of extents to numbers");
static cl::SubCommand diffVerb("diff", "compare the interfaces of two models");
static cl::SubCommand opsVerb("ops", "list the ops that have a definition");

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("FILE.onnx"), cl::sub(showVerb),
                                  cl::sub(importVerb), cl::sub(inferVerb),
                                  cl::sub(checkVerb), cl::sub(explainVerb),
                                  cl::sub(fixVerb), cl::sub(diffVerb),
                                  cl::cat(category));
static cl::opt<std::string> value(cl::Positional, cl::desc("[VALUE]"),
                                  cl::sub(explainVerb), cl::cat(category));
static cl::opt<std::string> other(cl::Positional, cl::Required,
                                  cl::desc("OTHER.onnx"), cl::sub(diffVerb),
                                  cl::cat(category));
static cl::list<std::string> bindings(cl::Positional, cl::OneOrMore,
                                      cl::desc("NAME=NUMBER..."),
                                      cl::sub(fixVerb), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("file to write (default: -)"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::sub(importVerb), cl::cat(category));
static cl::opt<std::string> modelOutput("o", cl::desc("model to write"),
                                        cl::value_desc("file.onnx"),
                                        cl::Required, cl::sub(inferVerb),
                                        cl::sub(fixVerb), cl::cat(category));
static cl::opt<bool> bytecode("bytecode", cl::desc("write bytecode"),
                              cl::sub(importVerb), cl::cat(category));
static mlir::symshape::WordOption<onnx::MergePolicy> policy(
    "policy", cl::desc("what becomes of declared extents (default: refine)"),
    cl::values(
        clEnumValN(onnx::MergePolicy::Skip, "skip", "keep what is declared"),
        clEnumValN(onnx::MergePolicy::Override, "override",
                   "write what is inferred"),
        clEnumValN(onnx::MergePolicy::Refine, "refine",
                   "write what is known better, and proved over unproved"),
        clEnumValN(onnx::MergePolicy::Strict, "strict",
                   "as refine, and fail where a declaration is not proved")),
    cl::init(onnx::MergePolicy::Refine), cl::sub(inferVerb), cl::cat(category));
static cl::opt<std::string>
    assume("assume",
           cl::desc("file of facts about names of inputs, one a line, as "
                    "`past + seq <= 4096`"),
           cl::value_desc("file"), cl::sub(showVerb), cl::sub(inferVerb),
           cl::sub(checkVerb), cl::sub(explainVerb), cl::cat(category));
static cl::list<std::string>
    ranges("range", cl::desc("what a name of inputs is between"),
           cl::value_desc("NAME=MIN:MAX"), cl::sub(showVerb),
           cl::sub(inferVerb), cl::sub(checkVerb), cl::sub(explainVerb),
           cl::cat(category));
static cl::opt<std::string> results(
    "results",
    cl::desc("JSON file of what is taken for true of results of ops that have "
             "no definition: {\"NAME\": {\"type\": 1, \"dims\": [\"N\", 4]}}"),
    cl::value_desc("file"), cl::sub(showVerb), cl::sub(inferVerb),
    cl::sub(checkVerb), cl::sub(explainVerb), cl::cat(category));
enum class Fallback { None, Onnx };
static mlir::symshape::WordOption<Fallback> fallback(
    "fallback",
    cl::desc("whom to ask about results of ops that have no definition "
             "(default: none)"),
    cl::values(clEnumValN(Fallback::None, "none", "nobody"),
               clEnumValN(Fallback::Onnx, "onnx",
                          "the inference of the package onnx of python3")),
    cl::init(Fallback::None), cl::sub(showVerb), cl::sub(inferVerb),
    cl::sub(checkVerb), cl::sub(explainVerb), cl::cat(category));
static cl::opt<bool>
    all("all",
        cl::desc("tell of definitions, bounds of numbers of elements "
                 "and checks of data too"),
        cl::sub(checkVerb), cl::cat(category));
static cl::opt<bool>
    allValues("all",
              cl::desc("list all inputs and outputs; with --json, "
                       "also values and unknown nodes"),
              cl::sub(showVerb), cl::cat(category));
static cl::opt<bool> isJson("json",
                            cl::desc("print one JSON object, with all that is "
                                     "known, for programs"),
                            cl::sub(showVerb), cl::sub(checkVerb),
                            cl::sub(explainVerb), cl::sub(diffVerb),
                            cl::sub(opsVerb), cl::sub(inferVerb),
                            cl::sub(fixVerb), cl::cat(category));
static mlir::symshape::QuietOption quiet(category, cl::SubCommand::getAll());

Expected<onnx::ExtentOptions> readExtentOptions() {
  onnx::ExtentOptions options;
  for (StringRef text : ranges) {
    auto range = onnx::parseNameRange(text);
    if (!range)
      return range.takeError();
    options.ranges.push_back(std::move(*range));
  }
  if (!assume.empty()) {
    auto facts = onnx::readFacts(assume);
    if (!facts)
      return facts.takeError();
    options.facts = std::move(*facts);
  }
  if (fallback == Fallback::Onnx) {
    auto inferred = onnx::inferGivenResults(input);
    if (!inferred)
      return inferred.takeError();
    options.results = std::move(*inferred);
  }
  if (!results.empty()) {
    auto file = mlir::symshape::readPlainFileOrInput(results);
    if (!file)
      return createStringError("cannot read '" + results +
                               "': " + toString(file.takeError()));
    auto given = onnx::parseGivenResults((*file)->getBuffer());
    if (!given)
      return createStringError("'" + results +
                               "': " + toString(given.takeError()));
    for (auto &entry : *given)
      options.results[entry.getKey()] = std::move(entry.getValue());
  }
  for (StringRef text : bindings)
    if (Error error = onnx::parseNameValue(text, options.values))
      return std::move(error);
  return options;
}

/// Why the file that a verb is to write cannot be, before it does anything.
static Error checkOutput(const OnnxOptions &options) {
  StringRef path = options.output;
  bool isModel = options.verb == Verb::Infer || options.verb == Verb::Fix;
  if (options.isJson && isModel && path == "-")
    return createStringError("expected the file of a model for -o with --json, "
                             "which prints to standard output, but got '-'");
  bool isWritten = isModel || options.verb == Verb::Import;
  return isWritten && path != "-" ? mlir::symshape::checkWritable(path)
                                  : Error::success();
}

std::optional<OnnxOptions> parseCommandLine(int argc, char **argv) {
  // In the order of Verb.
  cl::SubCommand *verbs[] = {&showVerb,    &importVerb, &inferVerb, &checkVerb,
                             &explainVerb, &fixVerb,    &diffVerb,  &opsVerb};
  SmallVector<StringRef> names;
  mlir::symshape::hideOtherOptions(category, cl::SubCommand::getTopLevel());
  for (cl::SubCommand *verb : verbs) {
    mlir::symshape::hideOtherOptions(category, *verb);
    names.push_back(verb->getName());
  }
  StringRef first = argc > 1 ? argv[1] : "";
  if (!first.starts_with("-") && !is_contained(names, first)) {
    errs() << "error: expected one of " << join(names, ", ") << ", but got "
           << (first.empty() ? "none" : "'" + first.str() + "'") << '\n';
    return std::nullopt;
  }
  if (!mlir::symshape::parseOptions(
          argc, argv,
          "Looks at ONNX models, and makes programs of them.\n\n"
          "exit status: 0 done; 1 the model cannot be read or imported; 2 "
          "usage, or a file that cannot be written; 3 an op has no definition, "
          "a "
          "declared extent is contradicted or refused, no size is valid, or "
          "two models differ; 70 internal error\n"))
    return std::nullopt;
  const auto *found = llvm::find_if(
      verbs, [](cl::SubCommand *verb) { return static_cast<bool>(*verb); });
  if (found == std::end(verbs)) {
    cl::PrintHelpMessage();
    return std::nullopt;
  }
  OnnxOptions options{static_cast<Verb>(found - verbs),
                      input,
                      other,
                      value,
                      importVerb ? output : modelOutput,
                      bytecode,
                      all || allValues,
                      isJson,
                      quiet,
                      policy};
  if (Error error = checkOutput(options)) {
    errs() << "error: " << toString(std::move(error)) << '\n';
    return std::nullopt;
  }
  return options;
}
