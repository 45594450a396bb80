// RUN: symshape-opt %S/../Transforms/reshapes-of-nothing.mlir --symshape-channels-last | FileCheck %S/../Transforms/reshapes-of-nothing.mlir
// RUN: symshape-opt %S/../Transforms/reshapes-of-nothing.mlir --symshape-approximate-math | FileCheck %S/../Transforms/reshapes-of-nothing.mlir
