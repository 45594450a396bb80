# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports that others have written, with calls and what JAX gave or refused, where they lie beside this tree."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("SYMSHAPE_JAX_EXPORTS", ROOT.parent / "shared" / "stablehlo" / "jax"))
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "Import" / "StableHLO" / "Inputs")]
import check_exports

# Not compared number by number: variances are negative there, so that there are NaNs. Eager JAX has them, as
# we do; the program that XLA compiles as a whole, whose numbers the file has, has not. It compiles, and refuses
# what JAX refuses.
WITH_NANS = ("flax_cnn",)
PATHS = check_exports.find_paths(FOLDER) if FOLDER.is_dir() else []


@pytest.mark.skipif(not PATHS, reason=f"no exports in {FOLDER}")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_given_export(path, count):
    name = path.name.partition(".")[0]
    library = str(ROOT / "build" / "lib" / "libSymShapeC.so")
    results, refusals = check_exports.check_export(path, library, compares=name not in WITH_NANS)
    count("given exports")
    count("given results", results)
    count("given refusals", refusals)
