//===- BundleHeader.cpp - What callers in C include -----------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of generated code, as Invoke.cpp calls it, in words of C.
//
//===----------------------------------------------------------------------===//

#include "BundleHeader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::symshape;
using llvm::StringRef;
using Kind = ElementType::Kind;

/// An identifier that ends like the function's name.
static std::string makeIdentifier(StringRef name) {
  std::string identifier = "symshape_";
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  return identifier;
}

/// The type of elements in memory.
static std::string getElementName(ElementType type) {
  if (type.kind == Kind::Bool)
    return "uint8_t";
  if (type.kind == Kind::Float && type.width >= 32)
    return type.width == 64 ? "double" : "float";
  bool isSigned = type.kind == Kind::Signed || type.kind == Kind::Index;
  return llvm::formatv("{0}int{1}_t", isSigned ? "" : "u", type.width);
}

/// The type of a scalar that is passed by value.
static std::string getScalarName(ElementType type) {
  if (type.kind == Kind::Bool)
    return "bool";
  if (type.kind == Kind::BFloat)
    return "__bf16";
  if (type.kind == Kind::Float && type.width == 16)
    return "_Float16";
  return getElementName(type);
}

/// Text in a comment.
static std::string inComment(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '*' || !llvm::isPrint(c) ? '?' : c;
  return result;
}

/// Declares a memref descriptor.
static void declareTensor(llvm::raw_ostream &os, StringRef name,
                          StringRef element, unsigned rank) {
  os << "typedef struct " << name << " {\n  " << element
     << " *allocated, *data;\n  int64_t offset;\n";
  if (rank)
    os << "  int64_t extents[" << rank << "], strides[" << rank << "];\n";
  os << "} " << name << ";\n";
}

/// Declares the type of each value that is a tensor, and says what it is.
static void declareTensors(llvm::raw_ostream &os, const std::string &prefix,
                           llvm::ArrayRef<ValueSignature> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    os << "/* " << inComment(value.name) << ": " << inComment(value.typeText);
    if (value.weight)
      os << ", the weight " << inComment(*value.weight);
    os << " */\n";
    if (value.isTensor)
      declareTensor(os, prefix + std::to_string(i), getElementName(value.type),
                    value.getRank());
  }
}

/// Parameters for values: tensors by pointer, scalars by value.
static void addParameters(llvm::SmallVectorImpl<std::string> &parameters,
                          const std::string &prefix,
                          llvm::ArrayRef<ValueSignature> values,
                          bool weightsOnly) {
  for (auto [i, value] : llvm::enumerate(values)) {
    if (weightsOnly && !value.weight)
      continue;
    std::string name = "argument" + std::to_string(i);
    parameters.push_back(value.isTensor || weightsOnly
                             ? prefix + std::to_string(i) + " *" + name
                             : getScalarName(value.type) + " " + name);
  }
}

static void declareFunction(llvm::raw_ostream &os, StringRef result,
                            StringRef name,
                            llvm::ArrayRef<std::string> parameters,
                            const llvm::Twine &symbol) {
  os << result << " " << name << "("
     << (parameters.empty() ? "void" : llvm::join(parameters, ", "))
     << ")\n    __asm__(\"" << symbol << "\");\n\n";
}

static constexpr StringRef introduction =
    R"(/* @{0}, compiled ahead of time. Link with program.o and the library
   SymShapeRuntime, and with -lm -lpthread -ldl.

   Call within symshape_rt_call (symshape-c/Runtime.h): a guard or an assert that
   fails ends that call. Tensors are in row-major order: the stride of the last
   dimension is 1; `offset` is 0 and `allocated` is not looked at. A result whose
   `allocated` is a block of the runtime (symshape_rt_owns) is freed by
   _mlir_memref_to_llvm_free(allocated); its data begin at data + offset. */
)";

static constexpr StringRef aboutDevice = R"(
/* For a GPU: symshape_gpu_open(0), then symshape_gpu_load of this, come before
   any call. Inputs and results are in the memory of the host; the data of weights
   are addresses that symshape_gpu_send has returned. */
extern symshape_gpu_program {0}_kernels __asm__("symshape_gpu.program");
)";

/// Declares what computes values from weights alone, and its results.
static void declarePrepare(llvm::raw_ostream &os, const std::string &id,
                           const FunctionSignature &signature,
                           const CodeInterface &interface) {
  for (auto [i, rank] : llvm::enumerate(interface.preparedRanks))
    declareTensor(os, id + "_prepared" + std::to_string(i), "void", rank);
  os << "\n/* What depends on weights alone: to be computed once, and passed to"
        " each call. */\ntypedef struct "
     << id << "_prepared {\n";
  for (size_t i = 0; i < interface.preparedRanks.size(); ++i)
    os << "  " << id << "_prepared" << i << " prepared" << i << ";\n";
  os << "} " << id << "_prepared;\n\n";
  llvm::SmallVector<std::string> parameters{id + "_prepared *results"};
  addParameters(parameters, id + "_argument", signature.arguments,
                /*weightsOnly=*/true);
  declareFunction(os, "void", id + "_prepare", parameters,
                  interface.getEntryFunctions()->prepare);
}

std::string mlir::symshape::makeBundleHeader(const FunctionSignature &signature,
                                             const CodeInterface &interface,
                                             bool isForGPU) {
  std::string text, id = makeIdentifier(signature.name);
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(introduction.data(), inComment(signature.name));
  std::string guard = StringRef(id).upper() + "_BUNDLE_H";
  os << "#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdbool.h>\n#include <stdint.h>\n#include "
        "\"symshape-c/Runtime"
     << (isForGPU ? "GPU" : "")
     << ".h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  if (isForGPU)
    os << llvm::formatv(aboutDevice.data(), id);
  os << "\n";
  declareTensors(os, id + "_argument", signature.arguments);
  declareTensors(os, id + "_result", signature.results);
  if (!interface.preparedRanks.empty())
    declarePrepare(os, id, signature, interface);
  llvm::ArrayRef<ValueSignature> results = signature.results;
  bool isStruct =
      results.size() > 1 || (results.size() == 1 && results.front().isTensor);
  llvm::SmallVector<std::string> parameters;
  if (isStruct) {
    os << "\ntypedef struct " << id << "_results {\n";
    for (auto [i, value] : llvm::enumerate(results))
      os << "  "
         << (value.isTensor ? id + "_result" + std::to_string(i)
                            : getElementName(value.type))
         << " result" << i << ";\n";
    os << "} " << id << "_results;\n";
    parameters.push_back(id + "_results *results");
  }
  addParameters(parameters, id + "_argument", signature.arguments,
                /*weightsOnly=*/false);
  for (size_t i = 0; i < interface.preparedRanks.size(); ++i)
    parameters.push_back(llvm::formatv("{0}_prepared{1} *prepared{1}", id, i));
  os << "\n";
  declareFunction(os,
                  isStruct || results.empty()
                      ? "void"
                      : getScalarName(results.front().type),
                  id, parameters, "_mlir_ciface_" + signature.name);
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}
