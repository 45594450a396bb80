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

#include "Options.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "symshape/Extensions/AllExtensions.h"
#include "symshape/Import/Extents/Check.h"
#include "symshape/Import/Extents/Show.h"
#include "symshape/Import/Extents/Verbs.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace onnx = mlir::symshape::onnx;

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

static int runImport(const OnnxOptions &asked) {
  auto model = read(asked.input);
  if (!model)
    return report(model.takeError());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto imported = onnx::importModel(*model, &context);
  if (!imported)
    return report(imported.takeError());
  mlir::ModuleOp module = *imported->module;
  bool isDone = true;
  Error error = mlir::symshape::writeOutput(asked.output, [&](raw_ostream &os) {
    if (asked.bytecode)
      isDone = mlir::succeeded(mlir::writeBytecodeToFile(module, os));
    else
      module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
    if (!asked.bytecode)
      os << '\n';
  });
  if (error)
    return report(std::move(error), 2);
  return isDone ? 0 : 1;
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
static int write(const OnnxOptions &asked, const onnx::Model &model,
                 const onnx::ModelChanges &changes) {
  if (model.hasExternalData && asked.output != "-" &&
      folderOf(asked.output) != folderOf(asked.input)) {
    errs() << "error: expected to write into the folder of the model, in which "
              "its data lies, but got '"
           << asked.output << "'\n";
    return 2;
  }
  Error error = mlir::symshape::writeOutput(asked.output, [&](raw_ostream &os) {
    onnx::writeModel(model, changes, os);
  });
  return error ? report(std::move(error), 2) : 0;
}

/// Prints fields with the keys in order. Returns the exit status.
static int print(json::Object fields, onnx::Outcome outcome) {
  outs() << formatv("{0:2}\n", json::Value(std::move(fields)));
  return static_cast<int>(outcome);
}

static int check(const OnnxOptions &asked, onnx::ModelExtents &extents) {
  if (!asked.isJson) {
    onnx::Outcome outcome = onnx::checkModel(extents, asked.all, outs());
    outs().flush(); // the list comes first
    if (outcome == onnx::Outcome::Incomplete)
      errs() << "error: '" << asked.input
             << "' has nodes that no call can pass: the list says which\n";
    return static_cast<int>(outcome);
  }
  auto [outcome, fields] = onnx::describeCheck(extents);
  return print(std::move(fields), outcome);
}

static int show(const OnnxOptions &asked, onnx::ModelExtents &extents) {
  if (asked.isJson)
    return print(onnx::describeModel(extents, asked.all), onnx::Outcome::Done);
  onnx::showModel(extents, asked.all, outs());
  return 0;
}

static int explain(const OnnxOptions &asked, onnx::ModelExtents &extents) {
  json::Array values;
  auto outcome = asked.isJson
                     ? onnx::explainFields(extents, asked.value, values)
                     : onnx::explainModel(extents, asked.value, outs());
  if (!outcome)
    return report(outcome.takeError());
  return asked.isJson
             ? print(json::Object{{"values", std::move(values)}}, *outcome)
             : static_cast<int>(*outcome);
}

/// Infers or fixes. With --json, one object says what it tells otherwise, and
/// what is written where.
static int writeExtents(const OnnxOptions &asked, onnx::ModelExtents &extents) {
  bool isFixed = asked.verb == Verb::Fix;
  onnx::ModelChanges changes;
  std::string told;
  raw_string_ostream lines(told);
  raw_ostream &os = asked.isJson ? lines : asked.isQuiet ? nulls() : errs();
  onnx::WrittenExtents found =
      isFixed ? onnx::fixModel(extents, changes, os)
              : onnx::inferModel(extents, asked.policy, changes, os);
  bool isWritten = found.outcome == onnx::Outcome::Done ||
                   (!isFixed && found.outcome == onnx::Outcome::Incomplete);
  if (int status = isWritten ? write(asked, extents.model(), changes) : 0)
    return status;
  if (!asked.isJson)
    return static_cast<int>(found.outcome);
  json::Object fields{{"output", nullptr},
                      {"numNumbers", found.numNumbers},
                      {"numByInputs", found.numOverInputs},
                      {"numByData", found.numOfData},
                      {"numUnknownValues", found.numUnknownValues}};
  if (isWritten)
    fields["output"] = json::fixUTF8(asked.output);
  if (isFixed)
    fields["numFoldedNodes"] = found.numFoldedNodes;
  json::Array said;
  for (StringRef line : split(StringRef(told).rtrim('\n'), '\n'))
    said.push_back(json::fixUTF8(line));
  fields["lines"] = std::move(said);
  onnx::addValidity(extents, fields);
  return print(std::move(fields), found.outcome);
}

/// Shows, infers, checks, explains or fixes.
static int runExtents(const OnnxOptions &asked) {
  auto options = readExtentOptions();
  if (!options)
    return report(options.takeError(), 2);
  auto extents = infer(asked.input, *options);
  if (!extents)
    return report(extents.takeError());
  switch (asked.verb) {
  case Verb::Show:
    return show(asked, **extents);
  case Verb::Check:
    return check(asked, **extents);
  case Verb::Explain:
    return explain(asked, **extents);
  default:
    return writeExtents(asked, **extents);
  }
}

static int runDiff(const OnnxOptions &asked) {
  auto left = infer(asked.input, {});
  if (!left)
    return report(left.takeError());
  auto right = infer(asked.other, {});
  if (!right)
    return report(right.takeError());
  if (!asked.isJson)
    return static_cast<int>(onnx::diffModels(**left, **right, outs()));
  std::vector<std::string> differences = onnx::diffLines(**left, **right);
  bool isSame = differences.empty();
  return print(json::Object{{"isSame", isSame},
                            {"differences", json::Array(differences)}},
               isSame ? onnx::Outcome::Done : onnx::Outcome::Refused);
}

static int runOps(const OnnxOptions &asked) {
  json::Array ops;
  for (StringRef name : onnx::Registry::standard().getNames()) {
    name.consume_front(".");
    if (asked.isJson)
      ops.push_back(name.str());
    else
      outs() << name << '\n';
  }
  return asked.isJson
             ? print(json::Object{{"ops", std::move(ops)}}, onnx::Outcome::Done)
             : 0;
}

static int run(int argc, char **argv) {
  auto options = parseCommandLine(argc, argv);
  if (!options)
    return 2;
  if (options->isQuiet)
    mlir::symshape::Tool::silence();
  switch (options->verb) {
  case Verb::Import:
    return runImport(*options);
  case Verb::Ops:
    return runOps(*options);
  case Verb::Diff:
    return runDiff(*options);
  default:
    return runExtents(*options);
  }
}

int main(int argc, char **argv) {
  mlir::symshape::Tool tool(argc, argv);
  return tool.finish(run(argc, argv));
}
