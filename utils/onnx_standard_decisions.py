# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where run_onnx_standard.py finds a difference that the text of ONNX decides for us, or leaves open.

Triples of what the model must match (as `Add-7 T=float #0`), what the answer must match, and the reason.
"""

DECISIONS = [
    ("", r"refused: .*(first call|for one value of input|for one extent of input)",
     "a value that the program was made for, in another call"),
    (r"^AveragePool-1 ", r"wrong: evaluator", "the evaluator counts the border in opset 1, whose text leaves it out"),
    (r"^(Add|Sub|Mul|Div|Pow|And|Or|Xor|Equal|Less|Greater)-[16] ", r"wrong: evaluator: expected \[",
     "before opset 7 the second operand alone broadcasts, from the axis given; the evaluator broadcasts as later versions do"),
    (r"^Global(Max|Average)Pool-", r"wrong: evaluator: expected", "the evaluator adds axes where there are three in space"),
    (r"^MaxPool-", r"wrong: evaluator: expected \[", "the evaluator has other extents for SAME, and for batches of 0"),
    (r"^MeanVarianceNormalization-.*float16", r"ONNX Runtime: .* for nan", "1e-9 is 0 as a float16, so 0 / 0 in ONNX Runtime"),
    (r"^ReduceLogSumExp-", r"wrong: ONNX Runtime: \S+ for -?\d", "ONNX Runtime has exponentials and logarithms as integers"),
    (r"^Pow-.*T=u?int", r"wrong: ONNX Runtime: \S+ for \S*(9223372036854775|214748364)", "a power beyond the integers has no value"),
    (r"^Pow-.*u?int", r"wrong: evaluator", "the evaluator has powers of integers in doubles, which end at 2^53"),
    (r"^Shrink-.*int", r"wrong", "integers near the ends overflow; the text does not say"),
    (r"^Resize-.*int", r"wrong: (ONNX Runtime|evaluator): -?\d+ for",
     "the text has no rounding of integers: truncated, or with antialias and cubic rounded, as ONNX Runtime"),
    (r"^GridSample-.*int", r"wrong: evaluator", "integers are truncated once; the evaluator has steps in the type itself"),
    (r"^Gather(Elements|ND)?-", r"wrong: evaluator: expected \[0\]", "the evaluator forgets the extents of what is empty"),
    (r"^BatchNormalization-", r"wrong: evaluator", "the evaluator has the statistics of the batch in opsets 7 and 9"),
    (r"^ConvTranspose-", r"wrong: evaluator", "the evaluator takes groups for one"),
    (r"^LRN-", r"wrong: evaluator", "the evaluator's window of size 1 is empty"),
    (r"^LpNormalization-", r"wrong: evaluator", "the evaluator has no absolute values for p = 1"),
    (r"^LpPool-", r"wrong: evaluator", "the evaluator leaves out the border, or the last window of ceil_mode"),
    (r"^QuantizeLinear-.*float16", r"wrong: (evaluator|ONNX Runtime)", "the type of the scale is that of the division; the evaluator has the wider one"),
    (r"^(Mean|Sum)-", r"wrong: NumPy: (-?inf|nan) for", "sums of floats are floats, which end where doubles do not"),
    (r"^SplitToSequence-", "refused: .*expected output 'y0' to be a tensor", "no output of a model is a sequence"),
    (r"^Scan-8 ", r"refused: .*expected Scan without lengths of sequences", "lengths of sequences, which opset 9 took away, are not read"),
    (r"^SwiGLU-28|-28 ", "refused: .*that have a definition", "of a later opset than those that are read"),
]
