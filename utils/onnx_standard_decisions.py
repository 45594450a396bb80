# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where run_onnx_standard.py finds a difference that the text of ONNX decides for us, or leaves open.

Triples of what the model must match (as `Add-7 T=float #0`), what the answer must match, and the reason.
"""

DECISIONS = [
    ("", r"refused: .*(first call|for one value of input|for one extent of input)",
     "a value that the program was made for, in another call"),
    (r"^Resize-.*int", r"wrong: (ONNX Runtime|evaluator): -?\d+ for",
     "the text has no rounding of integers: truncated, or with antialias and cubic rounded, as ONNX Runtime"),
    (r"^GridSample-.*(int|T2=b?float16)", r"wrong: evaluator",
     "integers are truncated once, places are computed in f32 at least; the evaluator has steps in the type itself"),
    (r"^GatherND-", r"wrong: evaluator: expected \[0\]", "the evaluator forgets the extents of what is empty"),
    (r"^QuantizeLinear-.*float16", r"wrong: (evaluator|ONNX Runtime)", "the type of the scale is that of the division; the evaluator has the wider one"),
    (r"^(Add|Sub|Mul|Div|Pow)-[16] ", r"wrong: evaluator: expected \[",
     "before opset 7 the axes of the second operand are some of the first's, and it alone is repeated; the evaluator repeats both"),
    (r"^(Mean|Sum)-", r"wrong: NumPy: (-?inf|nan) for", "sums of floats are floats, which end where doubles do not"),
    (r"^SequenceInsert-", r"wrong: evaluator: expected \[",
     "the evaluator takes the place behind the last tensor, which is one to insert at, for the first"),
    (r"^LayerNormalization-17 T=b?float16,", r"wrong: evaluator", "the mean and deviation are of the type of stage one; the evaluator rounds them to that of the input"),
    (r"^InstanceNormalization-.*T=b?float16 ", r"wrong: evaluator: -?[\d.e-]+ for",
     "mean and variance are computed in f32, and the result is rounded once; the evaluator has steps in the type itself"),
    (r"^Hardmax-(1|11) ", r"wrong: evaluator", "before opset 13 all axes from that one on are one row; the evaluator takes the axis alone"),
    (r"^Selu-1 ", r"wrong: evaluator", "the numbers of Selu-1 have four places; the evaluator has those of opset 6"),
    (r"^RoiAlign-10 ", r"wrong: evaluator", "places of regions are moved by half a pixel from opset 16 on; the evaluator always moves them"),
    (r"^Scan-8 ", r"refused: .*expected Scan without lengths of sequences", "lengths of sequences, which opset 9 took away, are not read"),
    (r"-28 ", "refused: ", "of a later opset than those that are read"),
]
