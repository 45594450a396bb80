// Events: which, where to, and what they say.

// RUN: printf '2x4xf32=iota\n5x4xf32=iota\n1x4xf32=iota\n' > %t.calls
// RUN: symshape-run %s --calls=%t.calls --dynamic=auto --log=symbols,guards,versions,compiles,dispatch 2>&1 > /dev/null | FileCheck %s
// CHECK:      symshape: symbols: symbol name="L" policy="auto" range="[0, 64]" why="%x dim 0, which its type leaves open"
// CHECK-NEXT: symshape: symbols: symbol name="M" policy="auto" why="%x dim 1, which its type leaves open"
// CHECK-NEXT: symshape: guards: guard condition="extent of %x dim 0 (L) must be at most 64"{{.*}} reasons=["the signature at {{.*}} (declared range)"]
// CHECK-NEXT: symshape: guards: guard condition="4 must divide extent of %x dim 1 (M)" formula="4 | M"
// CHECK-NEXT: symshape: guards: dropped condition="2 must divide extent of %x dim 1 (M)" formula="2 | M" impliedBy=["4 | M"] reasons=["symshape.assert at
// CHECK-NEXT: symshape: versions: version condition="L == 1" name="one" serves="where L == 1"
// CHECK-NEXT: symshape: versions: version condition="" name="default" serves="all other shapes"
// CHECK-NEXT: symshape: versions: unused why="version 'none' is never chosen: '65 <= L' cannot hold"
// CHECK:      symshape: compiles: compiled code="%x: 2x4xf32" reason="the first call" totalMs=
// CHECK-NEXT: symshape: dispatch: served code="%x: 2x4xf32" isNew=true version="default"
// CHECK-NEXT: symshape: symbols: varied dim="%x dim 0" why="was 2 in all calls before, is 5"
// CHECK:      symshape: compiles: compiled code="%x: ?x4xf32" reason="%x dim 0 was 2 in all calls before, is 5" totalMs=
// CHECK-NEXT: symshape: compiles: replaced by="%x: ?x4xf32" code="%x: 2x4xf32"
// CHECK-NEXT: symshape: dispatch: served code="%x: ?x4xf32" isNew=true version="default"
// CHECK-NEXT: symshape: dispatch: served code="%x: ?x4xf32" isNew=false version="one"

// The variable, which the option goes before; nothing else is printed.
// RUN: env SYMSHAPE_LOG=dispatch symshape-run %s --input=1x4xf32=iota 2>&1 > /dev/null | FileCheck %s --check-prefix=ONE
// ONE:     symshape: dispatch: served code="%x: ?x?xf32" isNew=true version="one"
// ONE-NOT: symshape:
// RUN: env SYMSHAPE_LOG=dispatch symshape-run %s --input=1x4xf32=iota --log= 2>&1 > /dev/null | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: symshape:

// A file has JSON, all of it where nothing is named, and is explained.
// RUN: not symshape-run %s --input=1x3xf32=iota --log-file=%t.events
// RUN: FileCheck %s --check-prefix=JSON < %t.events
// JSON: {"category":"symbols","event":"symbol","name":"L",
// JSON: {"category":"compiles","code":"%x: ?x?xf32","event":"compiled","reason":"code for all shapes",
// JSON: {"category":"dispatch","code":"%x: ?x?xf32","event":"refused","message":"@main: guard failed: 2 must divide extent of %x dim 1 (M = 3)\n
// RUN: symshape-run %s --calls=%t.calls --dynamic=auto --log-file=%t.events --log=symbols,compiles > /dev/null
// RUN: symshape-report %s --events=%t.events 2> /dev/null | FileCheck %s --check-prefix=WHY
// WHY:      compiled code for %x: 2x4xf32: the first call
// WHY-NEXT: %x dim 0 became a symbol: was 2 in all calls before, is 5
// WHY-NEXT: compiled code for %x: ?x4xf32: %x dim 0 was 2 in all calls before, is 5
// WHY-NEXT: code for %x: 2x4xf32 is not needed any more: %x: ?x4xf32 serves its calls

// A folder of states says which dims have varied.
// RUN: rm -rf %t.state
// RUN: symshape-run %s --calls=%t.calls --dynamic=auto --state=%t.state > /dev/null 2>&1
// RUN: symshape-report %s --state=%t.state 2> /dev/null | FileCheck %s --check-prefix=STATE
// STATE:      calls of @main:
// STATE-NEXT: %x dim 0 was from 1 to 5: a symbol in the code
// STATE-NEXT: %x dim 1 was 4 in all calls: a number in the code
// STATE-NOT:  calls of

// Both for programs, beside what the report says anyway; and of every function.
// RUN: symshape-run %s --entry=other --input=3xf32=iota --state=%t.state > /dev/null 2>&1
// RUN: symshape-report %s --events=%t.events --state=%t.state --format=json 2> /dev/null > %t.json
// RUN: %python -c "import json, sys; r = json.load(open(sys.argv[1])); print([f['name'] for f in r['functions']], r['profiles'], *r['events'], sep='\n')" %t.json | FileCheck %s --check-prefix=OBJECT
// OBJECT:      ['main', 'other']
// OBJECT-NEXT: [{'dims': [{'dim': '%x dim 0', 'max': 5, 'min': 1, 'says': '%x dim 0 was from 1 to 5: a symbol in the code'},
// OBJECT-SAME: {'dims': [{'dim': '%y dim 0', 'max': 3, 'min': 3, {{.*}}'function': 'other'}]
// OBJECT:      'event': 'varied', 'says': '%x dim 0 became a symbol: was 2 in all calls before, is 5'

// Negative: what is no event, and what is no file of events.
// RUN: sh -c "symshape-run %s --input=1x4xf32=iota --log=symbols,all; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected events of symbols, guards, versions, compiles, dispatch, but got 'all'
// NAME-NEXT: exit 2
// RUN: sh -c "symshape-report %s --events=%s; echo exit $?" 2>&1 | FileCheck %s --check-prefix=EVENTS
// EVENTS: error: {{.*}}log.mlir:1: expected an event, but
// EVENTS: exit 2
// RUN: %python -c "print('[' * 200000); print('{\"a\":' * 200000)" > %t.nested
// RUN: sh -c "symshape-report %s --events=%t.nested; echo exit $?" 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: {{.*}}nested:1: expected an event, but nested too deep
// NESTED: exit 2

func.func @main(%x: tensor<?x?xf32> {symshape.shape = #symshape.shape<[L, M]>}) -> tensor<?x?xf32>
    attributes {symshape.symbols = [#symshape.symbol<"L", range = [0, 64]>],
                symshape.versions = [#symshape.version<"one", ["L == 1"]>, #symshape.version<"none", ["L > 64"]>]} {
  symshape.assert "2 | M", "whole pairs"
  symshape.assert "4 | M", "whole groups"
  %r = linalg.add ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @other(%y: tensor<?xf32>) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}
