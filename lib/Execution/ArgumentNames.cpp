//===- ArgumentNames.cpp - Names of arguments in messages -----------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser's state holds the place of each argument in the text; the name is
// read from there.
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/ArgumentNames.h"
#include "TosaFixups.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "symshape/IR/SymShape.h"
#include "symshape/IR/WrittenNames.h"
#include "symshape/Process/Crashes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::symshape;

/// The module that `block` holds, or one made of its operations.
static OwningOpRef<ModuleOp> takeModule(Block &block, Location loc) {
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(&block.front())) {
      module->remove();
      return module;
    }
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  Block *body = module->getBody();
  body->getOperations().splice(body->end(), block.getOperations());
  return module;
}

/// Names the op that a verifier refuses without a message, as upstream's does a
/// `tosa.pad` by numbers that are computed.
static LogicalResult verifyAloud(ModuleOp module) {
  bool isTold = false;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
      isTold |= diag.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // and to the next handler
    });
    if (succeeded(verify(module)))
      return success();
  }
  if (isTold)
    return failure();
  module->walk([&](Operation *op) {
    if (succeeded(verify(op, /*verifyRecursively=*/false)))
      return WalkResult::advance();
    op->emitOpError("is refused by its verifier, which does not say why");
    return WalkResult::interrupt();
  });
  return failure();
}

/// The text of a source range if it is a value's name, else empty.
static StringRef readName(SMRange range) {
  if (!range.isValid())
    return {};
  const char *begin = range.Start.getPointer();
  StringRef text(begin, range.End.getPointer() - begin);
  return text.size() > 1 && text.front() == '%' ? text : StringRef();
}

/// Names of results and of arguments of blocks inside of functions.
static void keepWrittenNames(ModuleOp module, const AsmParserState &state) {
  module.walk([&](Operation *op) {
    const auto *definition = state.getOpDef(op);
    if (!definition)
      return;
    SmallVector<std::string> names(op->getNumResults());
    ArrayRef groups = definition->resultGroups;
    for (auto [i, group] : llvm::enumerate(groups)) {
      unsigned end =
          i + 1 < groups.size() ? groups[i + 1].startIndex : names.size();
      StringRef name = readName(group.definition.loc);
      for (unsigned k = group.startIndex; k < end && !name.empty(); ++k)
        names[k] = (end - group.startIndex == 1
                        ? name
                        : name + "#" + Twine(k - group.startIndex))
                       .str();
    }
    if (!names.empty())
      setWrittenNames(op, names);
    if (isa<FunctionOpInterface>(op))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (const auto *place = state.getBlockDef(&block))
          for (auto [argument, text] :
               llvm::zip(block.getArguments(), place->arguments))
            if (StringRef name = readName(text.loc); !name.empty())
              setWrittenName(argument, name);
  });
}

OwningOpRef<ModuleOp> mlir::symshape::parseWithArgumentNames(
    llvm::SourceMgr &sourceMgr, MLIRContext *context, AsmParserState *places) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  ReadingLimit limit(*buffer);
  if (isBytecode(*buffer))
    return parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(context));
  Block block;
  AsmParserState ownState;
  AsmParserState &state = places ? *places : ownState;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sourceMgr, &block, config, &state)))
    return nullptr;
  fixTosaOps(block);
  Location loc =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 1, 1);
  OwningOpRef<ModuleOp> module = takeModule(block, loc);
  if (failed(verifyAloud(*module)))
    return nullptr;
  annotateArgumentNames(*module, state);
  keepWrittenNames(*module, state);
  return module;
}

void mlir::symshape::annotateArgumentNames(ModuleOp module,
                                           const AsmParserState &state) {
  module.walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    const auto *definition = state.getBlockDef(&function.front());
    if (!definition)
      return;
    unsigned count = std::min<unsigned>(function.getNumArguments(),
                                        definition->arguments.size());
    for (unsigned i = 0; i < count; ++i) {
      StringRef name = readName(definition->arguments[i].loc);
      if (name.empty() || isa<NameLoc>(function.getArgument(i).getLoc()) ||
          function.getArgAttr(i, SymShapeDialect::kName))
        continue;
      function.setArgAttr(i, SymShapeDialect::kName,
                          StringAttr::get(function.getContext(), name));
    }
  });
}

std::string mlir::symshape::getArgumentName(FunctionOpInterface function,
                                            unsigned index) {
  if (!function.isExternal())
    if (auto loc = dyn_cast<NameLoc>(function.getArgument(index).getLoc()))
      return loc.getName().str();
  if (auto name =
          function.getArgAttrOfType<StringAttr>(index, SymShapeDialect::kName))
    return name.str();
  return "argument #" + std::to_string(index);
}

void mlir::symshape::printWithArgumentNames(llvm::raw_ostream &os,
                                            ModuleOp module) {
  module.walk([&](func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        SymShapeDialect::kName);
      if (!name || !name.getValue().starts_with("%"))
        continue; // a symbol's name
      function.removeArgAttr(argument.getArgNumber(), SymShapeDialect::kName);
      argument.setLoc(NameLoc::get(
          StringAttr::get(module.getContext(), name.getValue().drop_front()),
          argument.getLoc()));
    }
  });
  module.print(os, OpPrintingFlags().printNameLocAsPrefix());
}
