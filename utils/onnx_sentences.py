# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentences of the standard that may restrict something, from the texts of `onnx.defs`.

A sentence may restrict if it has one of WORDS. It is of the description of an op, of one of its attributes or of an
operand; a table of test/Import/Inputs says, of each, which models it allows and forbids, or why it forbids none.
"""

import re

#: One of these stands in each sentence that says what is allowed.
WORDS = re.compile(
    r"\b(must|only|should|shall|has to|have to|needs to be|requires|required|cannot|not allowed|not possible|invalid|is an error|undefined"
    r"|at least|at most|in the range|in range of|accepted range|allowed range|value range|supported|valid|expected|one of|non-negative"
    r"|same (data )?(shape|type|size|number)|greater than or equal|exactly one|not both|divisible|broadcastable|multidirectional|to be honored)\b",
    re.I)
#: So do these where an operand is described.
OF_OPERANDS = re.compile(r"\b(scalar|1-D|1D|rank|shape|element)\b")
#: Why a sentence with such words forbids no model, in the order of asking.
REASONS = [
    ("what an implementation does, not what a model may be",
     r"^\(?Opset|Right now only|have the same shape\.$|to the same data type as|usually supported|custom implementation|[Ii]mplementations? (must|that)|User must|Users cannot|production MUST|accumulation may"
     r"|overflow if and only|in-place|Must be in-place|actual computation must|must be computed for each|must accommodate|comparison should"
     r"|legacy uses|[Ff]rontends should|more efficient|[Nn]ote that our|backend|Should not be used for testing|ONNX restriction"),
    ("the whole list of what is valid", r"of rank zero are valid|In general, the shape is|^1-D input tensor|of any (shape|rank)|any rank q|^Tensor of shape \[a_0|^The input element"
     r"|1D tensor of integers indicating the dimensions"),
    ("said of values that no implementation refuses", r"should not consider padding|must be non-negative integers|duplicate entries|two or more `updates`|L2-normalized|most values in the range"
     r"|quantized using scale|values in the 'indices' input tensor|only works correctly|needed so that"),
    ("what comes out", r"[Oo]utputs?\b|[Rr]esult|yields?|returned?\b|will be|should be (skip|mapped|transposed|broadcasted|flattened|ignored)"
     r"|should (skip|follow|consider)|rounds?|casting|clamped|limits|equivalent|defaults? (to|scalar)|is computed|[Rr]eplaced"),
    ("no code reads a value of that type here: strings and float8 are refused as types", r"string|FLOAT8|float ?8|saturate|OOR|Boolean may"),
    ("what an attribute or operand means", r"[Ww]hether|indicates?|[Ii]f set to|[Ww]hen |only (used|applies|takes|controls)|Used only|[Ii]t can be|The (key|order)"
     r"|describes?|represents?|[Ss]calar multiplier|are optional|means|is expected|VALID mean no padding|stash_type|smaller than 'split'|\+/-|-threshold|floating-point precision|zero based|indices are linear|understood to be|[Oo]nly used by|made non-negative|unpooled|contains? only the nonredundant|specif|Number of|only the first|axis dimension"),
]
END = re.compile(r"(?<=[.;!?])\s+(?=[A-Z`\"'(*\-])")


def split(text):
    """The sentences of a text, without listings of code."""
    text = re.sub(r"```.*?```", " ", text or "", flags=re.S)
    return [part.strip() for part in END.split(re.sub(r"\s+", " ", text)) if part.strip()]


def of(schema):
    """(place, sentence) of those of a version of an op that may restrict something: of its description, attributes and operands."""
    texts = [("", schema.doc, WORDS)] + [(each.name, each.description, WORDS) for each in schema.attributes.values()]
    words = re.compile(f"{WORDS.pattern}|{OF_OPERANDS.pattern}", re.I)
    texts += [(each.name, each.description, words) for each in schema.inputs]
    return [(place, sentence) for place, text, words in texts for sentence in split(text) if words.search(sentence)]


def reason(sentence):
    """Why it forbids nothing; None if that is not said."""
    return next((why for why, words in REASONS if re.search(words, sentence)), None)


def cases(op, sentence, groups):
    """The tests of a sentence."""
    return [case for ops, _, _, _, all_ in groups if op in ops.split() for case in all_ if re.search(case[0], sentence)]


def table(schemas, groups):
    """(op, sentence, tests, reason) of all sentences of versions of ops, each once, the newest version first."""
    seen = set()
    for schema in sorted(schemas, key=lambda each: (each.name, -each.since_version)):
        for _, sentence in of(schema):
            if (schema.name, sentence) not in seen:
                seen.add((schema.name, sentence))
                yield schema.name, sentence, cases(schema.name, sentence, groups), reason(sentence)
