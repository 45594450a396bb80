//===- symshape-onnx.cpp - What an ONNX model is --------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verbs on models; the work is done in Import.
//
//===----------------------------------------------------------------------===//

#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "../WordOption.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/GivenResults.h"
#include "symshape/Import/Extents/Show.h"
#include "symshape/Import/Extents/Verbs.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

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

static Expected<std::shared_ptr<const onnx::Model>> read(StringRef path) {
  Expected<onnx::Model> model = onnx::Model::read(path);
  if (!model)
    return model.takeError();
  return std::make_shared<const onnx::Model>(std::move(*model));
}

/// Returns the exit status.
static int report(Error error, int status = 1) {
  errs() << "error: " << toString(std::move(error)) << '\n';
  return status;
}

static int runImport() {
  auto model = read(input);
  if (!model)
    return report(model.takeError());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto imported = onnx::importModel(*model, &context);
  if (!imported)
    return report(imported.takeError());
  mlir::ModuleOp module = *imported->module;
  bool isDone = true;
  Error error = mlir::symshape::writeOutput(output, [&](raw_ostream &os) {
    if (bytecode)
      isDone = mlir::succeeded(mlir::writeBytecodeToFile(module, os));
    else
      module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
    if (!bytecode)
      os << '\n';
  });
  if (error)
    return report(std::move(error), 2);
  return isDone ? 0 : 1;
}

static Expected<onnx::ExtentOptions> readOptions() {
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

using Extents = std::unique_ptr<onnx::ModelExtents>;

static Expected<Extents> infer(StringRef path,
                               const onnx::ExtentOptions &options) {
  auto model = read(path);
  if (!model)
    return model.takeError();
  return onnx::ModelExtents::infer(*model, options);
}

/// The folder of a file, as the system sees it.
static SmallString<128> folderOf(StringRef path) {
  SmallString<128> folder(path), real;
  sys::fs::make_absolute(folder);
  sys::path::remove_filename(folder);
  return sys::fs::real_path(folder, real) ? folder : real;
}

/// Writes the model with changes. Returns the exit status.
static int write(const onnx::Model &model, const onnx::ModelChanges &changes) {
  if (model.hasExternalData && modelOutput != "-" &&
      folderOf(modelOutput) != folderOf(input)) {
    errs() << "error: expected to write into the folder of the model, in which "
              "its data lies, but got '"
           << modelOutput << "'\n";
    return 2;
  }
  Error error = mlir::symshape::writeOutput(modelOutput, [&](raw_ostream &os) {
    onnx::writeModel(model, changes, os);
  });
  return error ? report(std::move(error), 2) : 0;
}

/// Prints fields with the keys in order. Returns the exit status.
static int print(json::Object fields, onnx::Outcome outcome) {
  outs() << formatv("{0:2}\n", json::Value(std::move(fields)));
  return static_cast<int>(outcome);
}

static int check(onnx::ModelExtents &extents) {
  if (!isJson) {
    onnx::Outcome outcome = onnx::checkModel(extents, all, outs());
    outs().flush(); // the list comes first
    if (outcome == onnx::Outcome::Incomplete)
      errs() << "error: '" << input
             << "' has nodes that no call can pass: the list says which\n";
    return static_cast<int>(outcome);
  }
  auto [outcome, fields] = onnx::describeCheck(extents);
  return print(std::move(fields), outcome);
}

static int show(onnx::ModelExtents &extents) {
  if (isJson)
    return print(onnx::describeModel(extents, allValues), onnx::Outcome::Done);
  onnx::showModel(extents, allValues, outs());
  return 0;
}

static int explain(onnx::ModelExtents &extents) {
  json::Array values;
  auto outcome = isJson ? onnx::explainFields(extents, value, values)
                        : onnx::explainModel(extents, value, outs());
  if (!outcome)
    return report(outcome.takeError());
  return isJson ? print(json::Object{{"values", std::move(values)}}, *outcome)
                : static_cast<int>(*outcome);
}

/// Infers or fixes. With --json, one object says what it tells otherwise, and
/// what is written where.
static int writeExtents(onnx::ModelExtents &extents) {
  onnx::ModelChanges changes;
  std::string told;
  raw_string_ostream lines(told);
  raw_ostream &os = isJson ? lines : quiet ? nulls() : errs();
  onnx::WrittenExtents found =
      fixVerb ? onnx::fixModel(extents, changes, os)
              : onnx::inferModel(extents, policy, changes, os);
  bool isWritten = found.outcome == onnx::Outcome::Done ||
                   (inferVerb && found.outcome == onnx::Outcome::Incomplete);
  if (int status = isWritten ? write(extents.model(), changes) : 0)
    return status;
  if (!isJson)
    return static_cast<int>(found.outcome);
  json::Object fields{{"output", nullptr},
                      {"numNumbers", found.numNumbers},
                      {"numByInputs", found.numOverInputs},
                      {"numByData", found.numOfData},
                      {"numUnknownValues", found.numUnknownValues}};
  if (isWritten)
    fields["output"] = json::fixUTF8(modelOutput);
  if (fixVerb)
    fields["numFoldedNodes"] = found.numFoldedNodes;
  json::Array said;
  for (StringRef line : split(StringRef(told).rtrim('\n'), '\n'))
    said.push_back(json::fixUTF8(line));
  fields["lines"] = std::move(said);
  onnx::addValidity(extents, fields);
  return print(std::move(fields), found.outcome);
}

/// Shows, infers, checks, explains or fixes.
static int runExtents() {
  auto options = readOptions();
  if (!options)
    return report(options.takeError(), 2);
  auto extents = infer(input, *options);
  if (!extents)
    return report(extents.takeError());
  if (showVerb)
    return show(**extents);
  if (checkVerb)
    return check(**extents);
  if (explainVerb)
    return explain(**extents);
  return writeExtents(**extents);
}

static int runDiff() {
  auto left = infer(input, {});
  if (!left)
    return report(left.takeError());
  auto right = infer(other, {});
  if (!right)
    return report(right.takeError());
  if (!isJson)
    return static_cast<int>(onnx::diffModels(**left, **right, outs()));
  std::vector<std::string> differences = onnx::diffLines(**left, **right);
  bool isSame = differences.empty();
  return print(json::Object{{"isSame", isSame},
                            {"differences", json::Array(differences)}},
               isSame ? onnx::Outcome::Done : onnx::Outcome::Refused);
}

static int runOps() {
  json::Array ops;
  for (StringRef name : onnx::Registry::standard().getNames()) {
    name.consume_front(".");
    if (isJson)
      ops.push_back(name.str());
    else
      outs() << name << '\n';
  }
  return isJson
             ? print(json::Object{{"ops", std::move(ops)}}, onnx::Outcome::Done)
             : 0;
}

/// Why the file that a verb is to write cannot be, before it does anything.
static Error checkOutput() {
  StringRef path = importVerb ? output : modelOutput;
  if (isJson && (inferVerb || fixVerb) && path == "-")
    return createStringError("expected the file of a model for -o with --json, "
                             "which prints to standard output, but got '-'");
  bool isWritten = importVerb || inferVerb || fixVerb;
  return isWritten && path != "-" ? mlir::symshape::checkWritable(path)
                                  : Error::success();
}

static int run(int argc, char **argv) {
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
    return 2;
  }
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Looks at ONNX models, and makes programs of them.\n\n"
          "exit status: 0 done; 1 the model cannot be read or imported; 2 "
          "usage, or a file that cannot be written; 3 an op has no definition, "
          "a "
          "declared extent is contradicted or refused, no size is valid, or "
          "two models differ; 70 internal error\n",
          &errs()))
    return 2;
  if (quiet)
    mlir::symshape::Tool::silence();
  if (Error error = checkOutput())
    return report(std::move(error), 2);
  if (importVerb)
    return runImport();
  if (opsVerb)
    return runOps();
  if (diffVerb)
    return runDiff();
  if (showVerb || inferVerb || checkVerb || explainVerb || fixVerb)
    return runExtents();
  cl::PrintHelpMessage();
  return 2;
}

int main(int argc, char **argv) {
  mlir::symshape::Tool tool(argc, argv);
  return tool.finish(run(argc, argv));
}
