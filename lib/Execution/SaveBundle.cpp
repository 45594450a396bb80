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
#include "symshape/Process/Files.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"
#include <map>

using namespace mlir::symshape;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

/// What lib/Bundle/Bundle.h calls bundleVersion.
static constexpr int bundleVersion = 2;
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
/// The folder, and new files for it. They take their places when all are whole:
/// an old bundle stays if one of them cannot be written.
class Writer {
public:
  explicit Writer(StringRef folder) : folder(folder) {}
  ~Writer() {
    files.clear();
    if (isNewFolder)
      (void)fs::remove(folder); // fails unless it is empty
  }

  /// Makes the folder if need be.
  llvm::Error begin();
  /// Makes an empty file, and says where it lies as yet.
  llvm::Expected<std::string> make(StringRef name);
  llvm::Error write(StringRef name,
                    llvm::function_ref<void(llvm::raw_ostream &)> write);
  llvm::Error write(StringRef name, StringRef bytes) {
    return write(name, [&](llvm::raw_ostream &os) { os << bytes; });
  }
  llvm::Error finish(json::Object manifest);

private:
  std::string getPath(StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  llvm::Expected<json::Object> list() const;

  std::string folder;
  bool isNewFolder = false;
  std::vector<std::string> old; ///< names of what is in the folder
  std::map<std::string, NewFile> files;
};
} // namespace

/// Whether a bundle may have a file of this name.
static bool isOfBundle(StringRef name) {
  return name == manifestName || name == "program.o" || name == "program.h" ||
         name == "signature.json" || name == "weights.safetensors" ||
         name.starts_with("kernels.");
}

llvm::Error Writer::begin() {
  isNewFolder = !fs::exists(folder);
  if (std::error_code problem =
          fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all))
    return cannotWrite(folder, problem);
  std::error_code problem;
  for (fs::directory_iterator file(folder, problem), end;
       !problem && file != end; file.increment(problem))
    old.push_back(llvm::sys::path::filename(file->path()).str());
  if (problem)
    return cannotWrite(folder, problem);
  if (!old.empty() && !llvm::is_contained(old, manifestName))
    return makeInputError("expected a new or empty folder, or one that holds a "
                          "bundle, but '" +
                          folder + "' holds something else");
  return llvm::Error::success();
}

llvm::Expected<std::string> Writer::make(StringRef name) {
  auto file = NewFile::create(getPath(name));
  if (!file)
    return toInputError(file.takeError());
  return files.emplace(name, std::move(*file))
      .first->second.getTemporaryPath()
      .str();
}

llvm::Error Writer::write(StringRef name,
                          llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (!files.count(name.str()))
    if (llvm::Error error = make(name).takeError())
      return error;
  return toInputError(files.at(name.str()).write(write));
}

/// What the manifest says of the files.
llvm::Expected<json::Object> Writer::list() const {
  json::Object listed;
  for (const auto &[name, file] : files) {
    StringRef path = file.getTemporaryPath();
    auto read = readPlainFile(path);
    if (!read)
      return makeInputError("cannot read '" + path +
                            "': " + llvm::toString(read.takeError()));
    StringRef bytes = (*read)->getBuffer();
    listed[name] = json::Object{
        {"bytes", static_cast<int64_t>(bytes.size())},
        {"xxh64", llvm::formatv("{0:x-16}", llvm::xxHash64(bytes)).str()}};
  }
  return listed;
}

llvm::Error Writer::finish(json::Object manifest) {
  auto listed = list();
  if (!listed)
    return listed.takeError();
  manifest["files"] = std::move(*listed);
  if (llvm::Error error = write(
          manifestName,
          llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str()))
    return error;
  // The manifest comes last: until then it does not fit what there is.
  for (auto &[name, file] : files)
    if (name != manifestName)
      if (llvm::Error error = file.keep())
        return toInputError(std::move(error));
  if (llvm::Error error = files.at(manifestName.str()).keep())
    return toInputError(std::move(error));
  for (StringRef name : old)
    if (isOfBundle(name) && !files.count(name.str()))
      if (std::error_code problem = fs::remove(getPath(name)))
        return cannotWrite(getPath(name), problem);
  return llvm::Error::success();
}

/// Adds what checks of a caller's tensors need.
static void addChecks(llvm::ArrayRef<ValueSignature> values,
                      json::Array *list) {
  for (auto [value, described] : llvm::zip(values, *list)) {
    json::Object &object = *described.getAsObject();
    object["isTensor"] = value.isTensor;
    object["isSignless"] = value.isSignless;
    object["shape"] = json::Array(value.shape);
    if (!value.declared.empty())
      object["declared"] = json::Array(value.declared);
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
  return writer.write("weights.safetensors", [&](llvm::raw_ostream &os) {
    printSafeTensors(os, tensors);
  });
}

/// Assembles the kernels of the bundle for one GPU.
static llvm::Error writeCubin(const GPUTarget &target, StringRef kernels,
                              Writer &writer) {
  auto assembler = llvm::sys::findProgramByName("ptxas");
  if (!assembler)
    return makeInputError(
        "expected 'ptxas' in the PATH with --cubin, but there "
        "is none");
  auto output = writer.make("kernels." + target.chip + ".cubin");
  if (!output)
    return output.takeError();
  std::string log = *output + ".log";
  std::string chip = "-arch=" + target.chip;
  std::optional<StringRef> redirects[] = {"", StringRef(log), StringRef(log)};
  int status = llvm::sys::ExecuteAndWait(
      *assembler, {*assembler, chip, kernels, "-o", *output}, std::nullopt,
      redirects);
  auto said = llvm::MemoryBuffer::getFile(log);
  StringRef text = said ? (*said)->getBuffer().split('\n').first : "";
  fs::remove(log);
  if (status != 0)
    return makeRunError(RunStatus::CannotCompile,
                        "ptxas cannot assemble the kernels for " + target.chip +
                            ": " + text);
  return llvm::Error::success();
}

static llvm::Error writeBundledKernels(const CompiledCode &code,
                                       const BundleContents &contents,
                                       Writer &writer) {
  auto kernels = writer.make("kernels.ptx");
  if (!kernels)
    return kernels.takeError();
  if (llvm::Error error = writer.write("kernels.ptx", code.kernels))
    return error;
  for (const GPUTarget &target : contents.cubins)
    if (llvm::Error error = writeCubin(target, *kernels, writer))
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
              ("+" + feature).str()) ||
          // which single functions may use
          (feature == "avx512bf16" && target.bfloatProducts))
        features.push_back(feature);
  return json::Object{{"architecture", target.triple.getArchName()},
                      {"name", target.cpu},
                      {"features", std::move(features)}};
}

llvm::Error mlir::symshape::saveBundle(const ProgramSource &source,
                                       const CompileOptions &options,
                                       const BundleContents &contents,
                                       StringRef folder) {
  // What can be known is told before the program is compiled; this writer
  // removes the folder that it makes.
  if (llvm::Error error = Writer(folder).begin())
    return error;
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
