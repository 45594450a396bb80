//===- Import.h - From an ONNX model to a program ---------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model becomes a module with one function, `@main`, on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IMPORT_ONNX_IMPORT_H
#define SYMSHAPE_IMPORT_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "symshape/Import/ONNX/DimText.h"
#include "symshape/Import/ONNX/Node.h"

namespace mlir::symshape::onnx {

/// A tensor of the model that stayed there: what an argument with that
/// `symshape.weight` is bound to.
struct Weight {
  std::string name;
  std::shared_ptr<const TensorData> data;
};

/// An op without a definition: its name, with the domain where that is not the
/// standard's, and its nodes, `'name'` or, without a name, `#3`.
struct UnknownOp {
  std::string name;
  std::vector<std::string> nodes;
};

/// Why an op of the standard has no definition, and what to do instead; empty
/// for other ops.
StringRef whyUnknownOp(StringRef op);

/// In words, several lines; empty if there is none.
std::string describeUnknownOps(ArrayRef<UnknownOp> ops);

/// What became of each value of the graph, in the order of its nodes: for those
/// who ask what is known of it. Values inside functions are left out.
struct ImportTrace {
  struct Entry {
    StringRef name;
    /// The node that makes it; none for an input or initializer.
    std::optional<size_t> node;
    /// Its lists are of expressions in `arena`. Absent where nothing is known.
    Operand operand;
  };
  /// A value inside a branch or a loop, once for each time that this is
  /// imported.
  struct Inner {
    StringRef name;
    const Graph *graph;
    std::optional<size_t> node; ///< of `graph`; none for an input
    DataType type;
    /// Expressions in `arena`; null where an extent is known inside alone.
    SmallVector<Expr, 4> dims;
  };
  /// A node that could not be imported, and the reason.
  struct Skipped {
    enum Cause {
      NoDefinition, ///< of its op
      Follows,      ///< one of its inputs comes from another such node
      Asks,         ///< for a value or an extent that the first call gives
      Refused       ///< by the definition
    };
    size_t node;
    Cause cause;
    std::string reason;
  };
  std::shared_ptr<ExprArena> arena;
  std::vector<Entry> values;
  std::vector<Inner> inner;
  std::vector<Skipped> skipped;
  std::vector<UnknownOp> unknownOps; ///< all of them
  /// Nodes whose results have the type and rank that the model declares, since
  /// nothing else is known of them.
  llvm::DenseSet<size_t> declaredOnly;
  /// What a symbol of `arena` stands for in the program.
  llvm::StringMap<Value> symbolValues;
};

struct ImportedModel {
  OwningOpRef<ModuleOp> module;
  std::vector<Weight> weights;
  /// The symbols of the arguments.
  DimNames names;
  std::shared_ptr<ImportTrace> trace; ///< if it was asked for
  /// Some ranks were chosen for lack of the values of the first call, which
  /// would have said more.
  bool likesValues = false;
};

/// What somebody says of a result: its type, and its extents in the syntax of
/// `parseDimText`; empty where an extent is not known.
struct GivenResult {
  DataType type = DataType::Undefined;
  std::vector<std::string> dims;
};

struct ImportOptions {
  /// The values of the inputs in the first call, in order; empty where they are
  /// not known. Where an op needs to know one, the program is for that value,
  /// which it checks.
  std::vector<std::shared_ptr<const TensorData>> values;
  /// A constant of at least so many bytes is a weight.
  uint64_t weightBytes = 1024;
  /// Numbers that names in the extents of the inputs stand for.
  llvm::StringMap<int64_t> extents;
  /// The definitions of ops; null: those of the standard.
  std::shared_ptr<const Registry> ops;
  /// Keeps a trace, and goes on past nodes that cannot be imported. The program
  /// is then for looking at, not for running: it lacks outputs.
  bool trace = false;
  /// With a trace: what holds, without a proof, of results of nodes whose op
  /// has no definition. A node is not unknown if all its results are here.
  llvm::StringMap<GivenResult> results;
};

/// The program depends on values of inputs, which are not given.
class NeedsValues : public llvm::ErrorInfo<NeedsValues> {
public:
  static char ID;
  explicit NeedsValues(std::string message) : text(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
};

/// The dialects of an imported module.
void registerImportDialects(DialectRegistry &registry);

/// Imports the graph of a model. The arguments of `@main` are its inputs that
/// are not initializers, in order, then its weights; its results are the
/// outputs. An error says which node, or lists all ops that have no definition;
/// a NeedsValues says that values of inputs must be given. `context` has the
/// dialects of `registerImportDialects`.
llvm::Expected<ImportedModel> importModel(std::shared_ptr<const Model> model,
                                          MLIRContext *context,
                                          const ImportOptions &options = {});

} // namespace mlir::symshape::onnx

#endif // SYMSHAPE_IMPORT_ONNX_IMPORT_H
