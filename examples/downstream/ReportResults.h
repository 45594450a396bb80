//===- ReportResults.h - Remarks on the extents of results ------*- C++ -*-===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of a downstream project. For: showing how a pass asks symshape for an
// extent, and for a proof.
//
//===----------------------------------------------------------------------===//

#ifndef DOWNSTREAM_REPORTRESULTS_H
#define DOWNSTREAM_REPORTRESULTS_H

namespace downstream {

/// Makes `--downstream-report-results` known to the pass registry.
void registerReportResultsPass();

} // namespace downstream

#endif // DOWNSTREAM_REPORTRESULTS_H
