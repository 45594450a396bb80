//===- GivenResults.cpp - What others say of results ----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/Extents/GivenResults.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::onnx;

static llvm::Error expected(const Twine &what, StringRef got) {
  return llvm::createStringError("expected " + what + ", but got " + got);
}

static llvm::Expected<GivenResult> readResult(StringRef name,
                                              const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  auto type = object ? object->getInteger("type") : std::nullopt;
  const llvm::json::Array *dims = object ? object->getArray("dims") : nullptr;
  if (!type || !dims)
    return expected("a type and dims of result '" + name + "'",
                    llvm::formatv("{0}", value).str());
  GivenResult result{static_cast<DataType>(*type), {}};
  for (const llvm::json::Value &dim : *dims) {
    std::optional<int64_t> number = dim.getAsInteger();
    std::optional<StringRef> text = dim.getAsString();
    if (number && *number >= 0)
      result.dims.push_back(std::to_string(*number));
    else if (text)
      result.dims.push_back(text->str());
    else if (dim.getAsNull())
      result.dims.emplace_back();
    else
      return expected("extents of result '" + name +
                          "' that are numbers from 0, texts or null",
                      llvm::formatv("{0}", dim).str());
  }
  return result;
}

llvm::Expected<llvm::StringMap<GivenResult>>
mlir::symshape::onnx::parseGivenResults(StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return expected("a JSON object, with what is known of each result",
                    "something else");
  llvm::StringMap<GivenResult> results;
  for (const auto &[name, each] : *object) {
    auto result = readResult(name, each);
    if (!result)
      return result.takeError();
    results[StringRef(name)] = std::move(*result);
  }
  return results;
}

/// Forgets what the model declares of results, which is often wrong.
static constexpr const char *kScript = R"(import json, sys
import onnx
model = onnx.load(sys.argv[1], load_external_data=False)
del model.graph.value_info[:]
for output in model.graph.output:
    output.type.tensor_type.ClearField("shape")
model = onnx.shape_inference.infer_shapes(model, data_prop=True)
values = {}
for value in [*model.graph.value_info, *model.graph.output]:
    if value.type.WhichOneof("value") == "tensor_type" and value.type.tensor_type.HasField("shape"):
        tensor = value.type.tensor_type
        dims = [getattr(dim, dim.WhichOneof("value") or "dim_param") or
                (0 if dim.HasField("dim_value") else None) for dim in tensor.shape.dim]
        values[value.name] = {"type": tensor.elem_type, "dims": dims}
json.dump(values, open(sys.argv[2], "w"))
)";

llvm::Expected<llvm::StringMap<GivenResult>>
mlir::symshape::onnx::inferGivenResults(StringRef model) {
  std::string name =
      llvm::sys::Process::GetEnv("SYMSHAPE_PYTHON").value_or("python3");
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName(name);
  if (!python)
    return expected("'" + name +
                        "' with the package onnx, for ONNX's own "
                        "inference",
                    python.getError().message());
  SmallString<128> out, errors;
  if (llvm::sys::fs::createTemporaryFile("symshape-onnx", "json", out) ||
      llvm::sys::fs::createTemporaryFile("symshape-onnx", "txt", errors))
    return expected("a folder for temporary files", "none");
  auto remove = llvm::scope_exit([&] {
    llvm::sys::fs::remove(out);
    llvm::sys::fs::remove(errors);
  });
  std::optional<StringRef> redirects[] = {StringRef(), std::nullopt,
                                          StringRef(errors)};
  int status = llvm::sys::ExecuteAndWait(
      *python, {*python, "-c", kScript, model, out}, std::nullopt, redirects);
  auto said = llvm::MemoryBuffer::getFile(status == 0 ? out : errors);
  if (!said)
    return expected("what '" + name + "' has written",
                    said.getError().message());
  StringRef text = (*said)->getBuffer();
  if (status == 0)
    return parseGivenResults(text);
  // The last line of a traceback is the error.
  text = text.rtrim();
  text = text.substr(text.rfind('\n') + 1);
  return expected("'" + name +
                      "' to infer extents with the package onnx "
                      "(pip install onnx)",
                  "'" + text.str() + "'");
}
