//===- Import.cpp - From a portable artifact to a program -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads bytecode in a context of its own diagnostics: what is wrong with it is
// one message.
//
//===----------------------------------------------------------------------===//

#include "symshape/Import/StableHLO/Import.h"
#include "Importer.h"
#include "Reader.h"
#include "Text.h"
#include "Vhlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "symshape/IR/SymShape.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::symshape;
using namespace mlir::symshape::stablehlo;

/// The name of what wrote the bytecode; empty if it is none.
static StringRef producerOf(StringRef bytes) {
  if (!bytes.consume_front("ML\xEFR"))
    return "";
  // The version is a number of one byte so far; its end is marked by a bit.
  bytes = bytes.drop_front(std::min<size_t>(bytes.size(), 1));
  size_t end = bytes.find('\0');
  return end == StringRef::npos ? "" : bytes.take_front(end);
}

/// Artifacts of early 2023 name MLIR as what wrote them, as any bytecode may.
static bool isArtifact(StringRef bytes) {
  StringRef producer = producerOf(bytes);
  return producer.starts_with("StableHLO_v") ||
         (producer.starts_with("MLIR") &&
          bytes.contains(StringRef("\0vhlo\0", 6)));
}

StringRef mlir::symshape::stablehlo::findArtifact(StringRef bytes) {
  if (isArtifact(bytes))
    return bytes;
  // In a flatbuffer, the length of a vector stands before it. What is written
  // first comes last: the program itself, behind its derivatives.
  constexpr size_t lengthBytes = 4;
  StringRef last;
  for (size_t at = bytes.find("ML\xEFR", lengthBytes); at != StringRef::npos;) {
    StringRef rest = bytes.drop_front(at);
    size_t length =
        llvm::support::endian::read32le(bytes.data() + at - lengthBytes);
    bool isOne = length <= rest.size() && isArtifact(rest.take_front(length));
    if (isOne)
      last = rest.take_front(length);
    at = bytes.find("ML\xEFR", at + (isOne ? length : 1));
  }
  return last;
}

bool mlir::symshape::stablehlo::isText(StringRef bytes) {
  if (bytes.starts_with("ML\xEFR"))
    return false;
  while (!bytes.empty()) {
    auto [line, rest] = bytes.split('\n');
    line = line.take_front(line.find("//"));
    size_t at = std::min(line.find("stablehlo."), line.find("chlo."));
    // The name of an op: after a blank, or between quotes before operands.
    if (at != StringRef::npos) {
      StringRef before = line.take_front(at).rtrim('"');
      bool isQuoted = before.size() < at;
      StringRef after = line.drop_front(at).drop_while(
          [](char c) { return c != '"' && c != ' ' && c != '('; });
      if ((before.empty() || before.ends_with(" ") || before.ends_with("\t")) &&
          (!isQuoted || after.starts_with("\"(")))
        return true;
    }
    bytes = rest;
  }
  return false;
}

llvm::Expected<OwningOpRef<ModuleOp>>
mlir::symshape::stablehlo::importArtifact(llvm::MemoryBufferRef bytes,
                                          MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       complex::ComplexDialect, func::FuncDialect,
                       linalg::LinalgDialect, math::MathDialect,
                       quant::QuantDialect, scf::SCFDialect, SymShapeDialect,
                       tensor::TensorDialect, VhloDialect>();
  std::string messages;
  OwningOpRef<ModuleOp> source;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (messages.empty())
        messages = diagnostic.str();
    });
    source = isText(bytes.getBuffer()) ? readText(bytes, context)
                                       : readArtifact(bytes, context);
  }
  if (!source) {
    StringRef producer = producerOf(bytes.getBuffer());
    return llvm::createStringError(
        (producer.empty()
             ? "cannot parse the text of StableHLO"
             : "cannot read the portable artifact of " + producer.str()) +
        (messages.empty() ? "" : ": " + messages));
  }
  messages.clear();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (messages.empty())
      messages = diagnostic.str();
  });
  auto module = Importer(*source, context).run();
  if (!module && !messages.empty())
    return llvm::joinErrors(module.takeError(),
                            llvm::createStringError(messages));
  return module;
}
