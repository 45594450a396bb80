//===- SaveBundle.cpp - Programs that run without a compiler --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. The code is a relocatable object file, which the runner loads
// by itself: saving needs no linker, and calling no library.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/SaveBundle.h"
#include "BundleHeader.h"
#include "symshape/Execution/ProgramInspector.h"
#include "symshape/Execution/SaveSafeTensors.h"
#include "symshape/Execution/Status.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::symshape;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

/// What lib/Bundle/Bundle.h calls bundleVersion.
static constexpr int bundleVersion = 1;
static constexpr StringRef manifestName = "manifest.json";

/// Features of x86-64 that lib/Bundle/Processor.c can look for.
static constexpr StringRef knownFeatures[] = {
    "sse3",        "ssse3",      "sse4.1",
    "sse4.2",      "popcnt",     "avx",
    "avx2",        "fma",        "f16c",
    "bmi",         "bmi2",       "lzcnt",
    "movbe",       "aes",        "pclmul",
    "gfni",        "vaes",       "vpclmulqdq",
    "adx",         "sha",        "avx512f",
    "avx512vl",    "avx512bw",   "avx512dq",
    "avx512cd",    "avx512ifma", "avx512vbmi",
    "avx512vbmi2", "avx512vnni", "avx512bitalg",
    "avx512bf16",  "avx512fp16", "avx512vpopcntdq",
    "avxvnni",     "amx-tile",   "amx-bf16",
    "amx-int8"};

static llvm::Error cannotWrite(StringRef path, std::error_code problem) {
  return makeInputError("cannot write '" + path + "': " + problem.message());
}

namespace {
/// The folder, and what the manifest says of its files.
class Writer {
public:
  explicit Writer(StringRef folder) : folder(folder) {}

  std::string getPath(StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  /// Makes the folder if need be, and removes what a bundle there has; the
  /// manifest says that it is not finished.
  llvm::Error begin();
  llvm::Error write(StringRef name, StringRef bytes);
  /// Lists a file that is there.
  llvm::Error list(StringRef name);
  llvm::Error finish(json::Object manifest);

private:
  std::string folder;
  json::Object files;
};
} // namespace

/// Whether a bundle may have a file of this name.
static bool isOfBundle(StringRef name) {
  return name == manifestName || name == "program.o" || name == "program.h" ||
         name == "signature.json" || name == "weights.safetensors" ||
         name.starts_with("kernels.");
}

llvm::Error Writer::begin() {
  if (std::error_code problem =
          fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all))
    return cannotWrite(folder, problem);
  bool isBundle = fs::exists(getPath(manifestName));
  std::error_code problem;
  std::vector<std::string> old;
  for (fs::directory_iterator file(folder, problem), end;
       !problem && file != end; file.increment(problem))
    old.push_back(file->path());
  if (problem)
    return cannotWrite(folder, problem);
  if (!old.empty() && !isBundle)
    return makeInputError("expected a new or empty folder, or one that holds a "
                          "bundle, but '" +
                          folder + "' holds something else");
  if (llvm::Error error = write(
          manifestName, R"({"format": "symshape-bundle", "unfinished": true})"))
    return error;
  for (StringRef path : old) {
    StringRef name = llvm::sys::path::filename(path);
    if (isOfBundle(name) && name != manifestName)
      if ((problem = fs::remove(path)))
        return cannotWrite(path, problem);
  }
  return llvm::Error::success();
}

llvm::Error Writer::write(StringRef name, StringRef bytes) {
  std::string path = getPath(name);
  std::error_code problem;
  {
    llvm::raw_fd_ostream os(path, problem);
    if (!problem) {
      os << bytes;
      os.close();
      problem = os.error();
      os.clear_error();
    }
  }
  if (problem)
    return cannotWrite(path, problem);
  return name == manifestName ? llvm::Error::success() : list(name);
}

llvm::Error Writer::list(StringRef name) {
  std::string path = getPath(name);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  files[name.str()] = json::Object{
      {"bytes", static_cast<int64_t>(bytes.size())},
      {"xxh64", llvm::formatv("{0:x-16}", llvm::xxHash64(bytes)).str()}};
  return llvm::Error::success();
}

llvm::Error Writer::finish(json::Object manifest) {
  manifest["files"] = std::move(files);
  return write(
      manifestName,
      llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str());
}

/// Adds what checks of a caller's tensors need.
static void addChecks(llvm::ArrayRef<ValueSignature> values,
                      json::Array *list) {
  for (auto [value, described] : llvm::zip(values, *list)) {
    json::Object &object = *described.getAsObject();
    object["isTensor"] = value.isTensor;
    object["isSignless"] = value.isSignless;
    object["shape"] = json::Array(value.shape);
    if (value.valueBits)
      object["valueBits"] = *value.valueBits;
  }
}

/// What the program exchanges, and what it requires of it.
static llvm::Expected<std::string>
describeSignature(const ProgramSource &source, const BundleContents &contents) {
  // What is to be said of the program was said when it was compiled.
  auto inspector = ProgramInspector::open(source, [](const auto &) {});
  if (!inspector)
    return inspector.takeError();
  json::Object object = (*inspector)->describe();
  object["schemaVersion"] = 1;
  object["function"] = source.signature.name;
  object["inputNames"] = json::Array(contents.inputNames);
  addChecks(source.signature.arguments, object.getArray("arguments"));
  addChecks(source.signature.results, object.getArray("results"));
  return llvm::formatv("{0:2}\n", json::Value(std::move(object))).str();
}

/// Copies the weights that the program names.
static llvm::Error writeWeights(const ProgramSource &source,
                                const BundleContents &contents,
                                Writer &writer) {
  std::vector<NamedTensor> tensors;
  llvm::StringSet<> names;
  for (const ValueSignature &argument : source.signature.arguments) {
    if (!contents.weights || !argument.weight ||
        !names.insert(*argument.weight).second)
      continue;
    auto tensor = contents.weights->get(*argument.weight);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({*argument.weight, std::move(*tensor)});
  }
  if (tensors.empty())
    return llvm::Error::success();
  StringRef name = "weights.safetensors";
  if (llvm::Error error =
          saveSafeTensors(writer.getPath(name), std::move(tensors)))
    return error;
  return writer.list(name);
}

/// Assembles the kernels of the bundle for one GPU.
static llvm::Error writeCubin(const GPUTarget &target, Writer &writer) {
  auto assembler = llvm::sys::findProgramByName("ptxas");
  if (!assembler)
    return makeInputError(
        "expected 'ptxas' in the PATH with --cubin, but there "
        "is none");
  std::string name = "kernels." + target.chip + ".cubin";
  std::string input = writer.getPath("kernels.ptx");
  std::string output = writer.getPath(name), log = output + ".log";
  std::string chip = "-arch=" + target.chip;
  std::optional<StringRef> redirects[] = {"", StringRef(log), StringRef(log)};
  int status = llvm::sys::ExecuteAndWait(
      *assembler, {*assembler, chip, input, "-o", output}, std::nullopt,
      redirects);
  auto said = llvm::MemoryBuffer::getFile(log);
  StringRef text = said ? (*said)->getBuffer().split('\n').first : "";
  fs::remove(log);
  if (status != 0)
    return makeRunError(RunStatus::CannotCompile,
                        "ptxas cannot assemble the kernels for " + target.chip +
                            ": " + text);
  return writer.list(name);
}

static llvm::Error writeBundledKernels(const CompiledCode &code,
                                       const BundleContents &contents,
                                       Writer &writer) {
  if (llvm::Error error = writer.write("kernels.ptx", code.kernels))
    return error;
  for (const GPUTarget &target : contents.cubins)
    if (llvm::Error error = writeCubin(target, writer))
      return error;
  return llvm::Error::success();
}

/// What a machine needs to run the code.
static llvm::Expected<json::Object> describeCPU(const CPUTarget &target) {
  auto machine = target.createMachine();
  if (!machine)
    return machine.takeError();
  json::Array features;
  if (target.triple.getArch() == llvm::Triple::x86_64)
    for (StringRef feature : knownFeatures)
      if ((*machine)->getMCSubtargetInfo()->checkFeatures(
              ("+" + feature).str()))
        features.push_back(feature);
  return json::Object{{"architecture", target.triple.getArchName()},
                      {"name", target.cpu},
                      {"features", std::move(features)}};
}

llvm::Error mlir::symshape::saveBundle(const ProgramSource &source,
                                       const CompileOptions &options,
                                       const BundleContents &contents,
                                       StringRef folder) {
  CompileOptions linked = options;
  linked.forLinkers = true;
  auto code = compileCode(source, linked);
  if (!code)
    return code.takeError();
  auto signature = describeSignature(source, contents);
  if (!signature)
    return signature.takeError();
  auto cpu = describeCPU(options.target);
  if (!cpu)
    return cpu.takeError();
  bool isForGPU = options.gpu.has_value();
  json::Object manifest{{"format", "symshape-bundle"},
                        {"version", bundleVersion},
                        {"target", isForGPU ? "nvvm" : "cpu"},
                        {"cpu", std::move(*cpu)},
                        {"guards", options.guards},
                        {"parallel", !isForGPU && options.threads > 1}};
  if (isForGPU) {
    manifest["ptx"] = options.gpu->chip;
    json::Array cubins;
    for (const GPUTarget &target : contents.cubins)
      cubins.push_back(target.chip);
    manifest["cubins"] = std::move(cubins);
  }
  Writer writer(folder);
  if (llvm::Error error = writer.begin())
    return error;
  if (llvm::Error error = writer.write("program.o", code->object->getBuffer()))
    return error;
  if (llvm::Error error = writer.write(
          "program.h",
          makeBundleHeader(source.signature, code->interface, isForGPU)))
    return error;
  if (llvm::Error error = writer.write("signature.json", *signature))
    return error;
  if (isForGPU)
    if (llvm::Error error = writeBundledKernels(*code, contents, writer))
      return error;
  if (llvm::Error error = writeWeights(source, contents, writer))
    return error;
  return writer.finish(std::move(manifest));
}
