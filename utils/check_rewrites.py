#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that patterns and folders of upstream are used where they are sound.

Looks at every C++ file under lib, test/lib and tools. What is refused:

  driver   a driver of MLIR that asks all folders, or takes patterns as they are:
           applySoundPatterns and applySoundConversion put conditions in front;
  fold     `createOrFold` of an op whose folder has a condition (mayFold in
           lib/Transforms/Upstream*.cpp), and `tryFold`, which asks any;
  fusion   upstream's fusion of elementwise ops in a file that does not ask mayFuse;
  alone    a function of upstream that rewrites, or gives patterns that do, and is in
           no set of test/lib/ApplyPatterns.cpp, which check_patterns.py compares by
           value, nor among the exceptions below.

Prints one line per breach, `file:line: rule: message`, and exits 1; prints nothing
and exits 0 when all is well.
"""

import argparse
import re
import sys
from pathlib import Path

CONDITIONS = "lib/Transforms/Upstream*.cpp"
SOUND = Path("lib/Transforms/Canonicalizer.cpp")
# Patterns of our own alone, by a driver that asks no folder.
OWN_PATTERNS = {Path("lib/Conversion/Math/ExpandSmallFloats.cpp")}

DRIVER = re.compile(r"\b(apply(?:Op)?PatternsGreedily|apply(?:Partial|Full)Conversion|walkAndApplyPatterns"
                    r"|create(?:Canonicalizer|SCCP)Pass)\(")
FOLD = re.compile(r"\bcreateOrFold<(\w+)::(\w+?)(?:Op)?>|\b(tryFold)\(")
APPLIED = Path("test/lib/ApplyPatterns.cpp")
UPSTREAM = r"affine|arith|bufferization|linalg|memref|scf|tensor|tosa|vector"
# What asks, and what is a pass: utils/run_passes.py runs those.
ASKS = r"are|can|create\w+Pass|get|infer|is|preserves|symbolize"
REWRITE = re.compile(rf"\b(?:{UPSTREAM})::(?!(?:{ASKS}))([a-z]\w*)\(|\b(populate\w+Patterns)\(")
OWN = re.compile(r"\bsymshape::(populate\w+)\(")
NOT_ALONE = {
    "buildLoopNest": "makes loops for a body of ours",
    "computeStridesIRBlock": "multiplies extents",
    "createPadHighOp": "makes one op",
    "expandAffineExpr": "part of affine-to-std",
    "fuseElementwiseOps": "what the patterns of fuse-elementwise call",
    "generalizeNamedOp": "what the patterns of generalize call",
    "makeArithReduction": "makes one op",
    "makeComposedFoldedAffineApply": "makes one op, of maps of ours",
    "makeComposedFoldedAffineMax": "makes one op, of maps of ours",
    "makeComposedFoldedAffineMin": "makes one op, of maps of ours",
    "makeMemRefCopyOp": "makes one op",
    "offsetIndices": "adds to linalg.index",
    "populateComplexToStandardConversionPatterns": "functions of floats: test/Integration/complex-functions.test",
    "populateTosaTypeConversion": "types alone",
    "replaceOpWithBufferizedValues": "replaces by values of ours",
}
FUSION = re.compile(r"\b(populateElementwiseOpsFusionPatterns|areElementwiseOpsFusable)\(")
COMMENT = re.compile(r"//.*")


def conditioned(root):
    """The ops whose folders have conditions, as `dialect.name` without underscores."""
    tables = [table for path in root.glob(CONDITIONS)
              for table in re.findall(r"conditions\.folders,(.*?);", path.read_text(encoding="utf-8"), re.DOTALL)]
    return {name.replace("_", "") for table in tables for name in re.findall(r'\{"(\w+\.\w+)",', table)}


def breaches(path, text, folders, known):
    for number, line in enumerate(text.splitlines(), 1):
        code = COMMENT.sub("", line)
        driver = DRIVER.search(code)
        if driver and not (driver.group(1) == "walkAndApplyPatterns" and path in OWN_PATTERNS):
            yield f"{path}:{number}: driver: use applySoundPatterns or applySoundConversion, not {driver.group(1)}"
        for dialect, op, tries in FOLD.findall(code):
            if tries:
                yield f"{path}:{number}: fold: tryFold asks folders that may be unsound"
            elif f"{dialect}.{op.lower()}" in folders:
                yield f"{path}:{number}: fold: the folder of {dialect}.{op.lower()} has a condition: create the op"
        for names in REWRITE.findall(code) if path.parts[0] == "lib" else ():
            if not {*names} & known:
                yield f"{path}:{number}: alone: {''.join(names)} is in no set of {APPLIED}"
        if FUSION.search(code) and "mayFuse(" not in text:
            yield f"{path}:{number}: fusion: ask mayFuse whether upstream's fusion is right"


def check(root):
    """Returns the breaches under `root`, sorted, as printable lines."""
    folders = conditioned(root)
    assert folders, "no table of conditions"
    texts = [path.read_text(encoding="utf-8") for path in (root / "lib").rglob("*.cpp")]
    known = {*NOT_ALONE, *re.findall(r"\b[a-z]\w+", (root / APPLIED).read_text(encoding="utf-8"))}
    known.update(name for text in texts for name in OWN.findall(text))
    found = []
    for folder in ("lib", "test/lib", "tools"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix in (".h", ".cpp") and name != SOUND:
                found += breaches(name, path.read_text(encoding="utf-8"), folders, known)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=".", help="project root (default: .)")
    found = check(Path(parser.parse_args().root).resolve())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
