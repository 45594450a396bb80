//===- TestPasses.h - Passes for tests alone --------------------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYMSHAPE_TEST_LIB_TESTPASSES_H
#define SYMSHAPE_TEST_LIB_TESTPASSES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::symshape::test {

void registerApplyPatternsPass();
void registerEraseExtentsPass();
void registerForeignDialect(DialectRegistry &registry);
void registerCompareBoundsPass();
void registerCompareRangesPass();
void registerPrintClaimsPass();
void registerPrintCostsPass();
void registerPrintExtentsPass();
void registerPrintOpsPass();
void registerPrintPatternsPass();

} // namespace mlir::symshape::test

#endif // SYMSHAPE_TEST_LIB_TESTPASSES_H
