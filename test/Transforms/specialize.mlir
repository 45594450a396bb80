// RUN: symshape-opt %s --symshape-specialize --split-input-file | FileCheck %s
// RUN: symshape-opt %s --symshape-insert-guards --symshape-specialize --split-input-file | FileCheck %s --check-prefix=GUARDED

// The most specific version first, then the order of declaration; one call of
// each clone, which assumes its condition.
// CHECK-LABEL: func.func @f.version(
// CHECK-SAME:    %[[L:[a-z0-9]+]]: index, %{{.*}}: index) -> i32
// CHECK-SAME:    symshape.version_names = ["decode", "block", "wide", "default"]
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32> {{[^%]*}}, %[[Y:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NOT:     symshape.versions
// CHECK:         arith.cmpi eq, %{{.*}}, %c1_i64
// CHECK:         scf.if
// CHECK:           arith.cmpi eq, %{{.*}}, %c32_i64
// CHECK:           arith.remsi %{{.*}}, %c16_i64
// CHECK:         %[[R:.*]] = scf.index_switch
// CHECK:         case 0 {
// CHECK-NEXT:      func.call @f.decode(%[[X]], %[[Y]])
// CHECK:         case 1 {
// CHECK-NEXT:      func.call @f.block(%[[X]], %[[Y]])
// CHECK:         case 2 {
// CHECK-NEXT:      func.call @f.wide(%[[X]], %[[Y]])
// CHECK:         default {
// CHECK-NEXT:      func.call @f.default(%[[X]], %[[Y]])
// CHECK:         return %[[R]]
// CHECK:       func.func private @f.decode({{.*}}no_inline, symshape.assume = [#symshape.fact<"L == 1">]
// CHECK:       func.func private @f.block({{.*}}symshape.assume = [#symshape.fact<"L == 32">]
// CHECK:       func.func private @f.wide({{.*}}symshape.assume = [#symshape.fact<"16 | L">]
// CHECK:       func.func private @f.default(
// CHECK-NOT:     symshape.assume
// CHECK:         tensor.collapse_shape

// Guards stay before the choice, and are no part of the clones.
// GUARDED-LABEL: func.func @f(
// GUARDED:         call @f.guard(
// GUARDED:         symshape.fail
// GUARDED:         scf.index_switch
// GUARDED:       func.func private @f.decode(
// GUARDED-SAME:    symshape.assume = [#symshape.fact<"8*L == N">, #symshape.fact<"L == 1">]
// GUARDED-NOT:     {{guard\(|symshape.fail}}
// GUARDED-LABEL: func.func private @f.block(
func.func @f(%x: tensor<?x8xf32> {symshape.shape = #symshape.shape<[L, 8]>},
             %y: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?xf32>
    attributes {symshape.versions = [#symshape.version<"decode", ["L == 1"]>,
                                     #symshape.version<"wide", ["16 | L"]>,
                                     #symshape.version<"block", ["L == 32"]>]} {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  %r = linalg.add ins(%c, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Values of one expression are halved, and tests are shared: at most three on
// any path to one of eight.
// CHECK-LABEL: func.func @eight.version(
// CHECK:         arith.cmpi sle, %{{.*}}, %c4_i64
// CHECK:         scf.if
// CHECK:           arith.cmpi eq, %{{.*}}, %c1_i64
// CHECK:           else
// CHECK:             arith.cmpi eq, %{{.*}}, %c2_i64
// CHECK:         arith.cmpi eq, %{{.*}}, %c8_i64
func.func @eight(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.versions = [
        #symshape.version<"a", ["L == 1"]>, #symshape.version<"b", ["L == 2"]>, #symshape.version<"c", ["L == 3"]>,
        #symshape.version<"d", ["L == 4"]>, #symshape.version<"e", ["L == 8"]>, #symshape.version<"f", ["L == 16"]>,
        #symshape.version<"g", ["L == 32"]>, #symshape.version<"h", ["L == 64"]>]} {
  return %x : tensor<?xf32>
}

// -----

// Versions that admit everything need no default.
// CHECK-LABEL: func.func @all.version(
// CHECK-SAME:    symshape.version_names = ["small", "large"]
// CHECK:       func.func @all(
// CHECK:         case 0 {
// CHECK-NEXT:      func.call @all.small
// CHECK:         default {
// CHECK-NEXT:      func.call @all.large
// CHECK-NOT:   @all.default
func.func @all(%x: memref<?xf32> {symshape.shape = #symshape.shape<[L]>})
    attributes {symshape.versions = [#symshape.version<"small", ["L <= 64"]>, #symshape.version<"large", ["L >= 65"]>]} {
  return
}

// -----

// Must not fire: without a version, nothing changes.
// CHECK-LABEL: func.func @none(
// CHECK-NEXT:    return
// CHECK-NOT:   func.func
func.func @none(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32>
    attributes {symshape.versions = []} {
  return %x : tensor<?xf32>
}
