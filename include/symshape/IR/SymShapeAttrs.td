//===- SymShapeAttrs.td - Attributes of symshape ----------*- tablegen -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_IR_SYMSHAPEATTRS
#define SYMSHAPE_IR_SYMSHAPEATTRS

include "mlir/IR/AttrTypeBase.td"
include "symshape/IR/SymShapeDialect.td"

class SymShape_Attr<string name, string attrMnemonic>
    : AttrDef<SymShape_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SymShape_ShapeAttr : SymShape_Attr<"Shape", "shape"> {
  let summary = "The extents of a tensor or memref, one per dimension";
  let description = [{
    Each extent is an expression `e` (the extent is exactly e), `<= e` (at most
    e) or `?` (nothing is known). Expressions are integers, names, `+ - *`,
    `floordiv`, `ceildiv`, `mod`, `min(..)`, `max(..)`, `bc(a, b)`. An extent may
    be put in quotes; a bound must be, since MLIR pairs the angle brackets of an
    attribute before it is read, and so must a name that is not a plain
    identifier. Held and printed in canonical form.

    ```mlir
    #symshape.shape<[B, 2 * L + 1, 64, "<= S", ?]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "text of each extent">:$texts);
  let extraClassDeclaration = [{
    /// The attribute that prints these extents.
    static ShapeAttr get(::mlir::MLIRContext *context,
                         ::llvm::ArrayRef<Extent> extents);
    /// Parses `[e, <= e, ?]`, brackets included.
    static ::mlir::FailureOr<ShapeAttr> parseList(::mlir::AsmParser &parser);
    /// Prints `[e, <= e, ?]`; in an attribute, `"<= e"` in quotes.
    void printList(::mlir::AsmPrinter &printer, bool inAttribute) const;

    int64_t getRank() const { return getTexts().size(); }
    /// The extent of a dimension, its expression in `arena`.
    Extent getExtent(int64_t dim, ExprArena &arena) const;
    ::llvm::SmallVector<Extent> getExtents(ExprArena &arena) const;
  }];
}

def SymShape_SymbolAttr : SymShape_Attr<"Symbol", "symbol"> {
  let summary = "The declaration of a symbol: range, residue, policy, likely values";
  let description = [{
    `range = [min, max]` bounds the symbol, ends included; an end `-inf` or `inf`
    is no bound; without `range`, a symbol is >= 0. `multiple_of = d`, or
    `residue = [r, d]`, says that it is r modulo d. `policy` says whether it may
    become a constant: with `dynamic`, nothing may require that it is one; with
    `static`, each of its values gets code of its own if code is compiled for
    shapes met at run time; `auto`, the default, leaves that open. `likely` lists
    values at which the sliders of a report begin, and never enters a proof.

    ```mlir
    #symshape.symbol<"S", range = [0, 4096], multiple_of = 8, likely = [128, 1024]>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    "std::optional<int64_t>":$min,
    "std::optional<int64_t>":$max,
    "int64_t":$modulus,
    "int64_t":$remainder,
    "SymbolPolicy":$policy,
    ArrayRefParameter<"int64_t", "likely values">:$likely);
  let extraClassDeclaration = [{
    /// What a ConstraintSet is told about the symbol.
    SymbolInfo getInfo() const;
  }];
}

def SymShape_FactAttr : SymShape_Attr<"Fact", "fact"> {
  let summary = "A relation between expressions over symbols, or several";
  let description = [{
    `a == b`, `a != b`, `a <= b` (also written with `<`, `>=`, `>`) or `d | e`
    (e is a multiple of d); or relations under `and`, `or` and `not`, as guards
    are. Held and printed in canonical form.

    ```mlir
    #symshape.fact<"L <= S">
    #symshape.fact<"L == 1 or L == S">
    ```
  }];
  let parameters = (ins StringRefParameter<"formula">:$text);
  let extraClassDeclaration = [{
    Formula getFormula(ExprArena &arena) const;
  }];
}

def SymShape_VersionAttr : SymShape_Attr<"Version", "version"> {
  let summary = "A version of a function: its name and its condition";
  let description = [{
    All the relations together are the condition under which a clone of the
    function is compiled and chosen. The name becomes part of the clone's name,
    `@f.decode`, so it is a plain identifier; `default`, `guard`, `prepare` and
    `version` are taken.

    ```mlir
    #symshape.version<"decode", ["L == 1", "B <= 8"]>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    ArrayRefParameter<"FactAttr", "the condition, at least one">:$facts);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<Relation> getCondition(ExprArena &arena) const;
  }];
}

#endif // SYMSHAPE_IR_SYMSHAPEATTRS
