// RUN: symshape-opt %s --symshape-specialize="function=f versions='decode: L == 1; wide: 16 | L, min(L, 64) <= 32'" | FileCheck %s
// RUN: not symshape-opt %s --symshape-specialize="function=g versions='decode: L == 1'" 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION
// RUN: not symshape-opt %s --symshape-specialize="function=f versions='decode: L === 1'" 2>&1 | FileCheck %s --check-prefix=NO-RELATION
// RUN: not symshape-opt %s --symshape-specialize="function=f versions='guard: L == 1'" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not symshape-opt %s --symshape-specialize="function=f versions='v: M == 1'" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK:       symshape.version_names = ["decode", "wide", "default"]
// CHECK:       func.func private @f.wide({{.*}}symshape.assume = [#symshape.fact<"16 | L">, #symshape.fact<"min(L, 64) <= 32">]
// NO-FUNCTION: error: expected a function of this module, but got 'g'
// NO-RELATION: error: versions: {{.*}} in 'L === 1'
// TAKEN:       error: versions: expected a name of a version that is not taken, but got 'guard'
// UNKNOWN:     error: 'func.func' op expected a symbol of the signature (L), but got unknown symbol 'M' in condition 'M == 1'
func.func @f(%x: tensor<?xf32> {symshape.shape = #symshape.shape<[L]>}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
