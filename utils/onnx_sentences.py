# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentences of the standard that may restrict something, from the texts of `onnx.defs`.

A sentence may restrict if it has one of WORDS. It is of the description of an op, of one of its attributes or of an
operand; a table of test/Import/Inputs says, of each, which models it allows and forbids, or why it forbids none.
"""

import re

#: One of these stands in each sentence that says what is allowed.
WORDS = re.compile(
    r"\b(must|only|should|shall|has to|have to|needs? to|required?|requires|cannot|can't|not allowed|not be|invalid|error|undefined"
    r"|at least|at most|in the range|range of|range is|range \[|accepted range|allowed range|supports?|supported|valid|expected|one of"
    r"|non-negative|positive|same (shape|type|size|number)|equal to|unspecified|non-?zero|less than|greater than|within|exceed|limited"
    r"|exactly|either|both|divisible|multiple of|broadcastable|scalar|1-D|rank|not both|even)\b", re.I)
END = re.compile(r"(?<=[.;!?])\s+(?=[A-Z`\"'(*\-])")


def split(text):
    """The sentences of a text, without listings of code."""
    text = re.sub(r"```.*?```", " ", text or "", flags=re.S)
    return [part.strip() for part in END.split(re.sub(r"\s+", " ", text)) if part.strip()]


def of(schema):
    """(place, sentence) of those of a version of an op that may restrict something."""
    texts = [("", schema.doc)] + [(each.name, each.description) for each in schema.attributes.values()]
    texts += [(each.name, each.description) for each in [*schema.inputs, *schema.outputs]]
    return [(place, sentence) for place, text in texts for sentence in split(text) if WORDS.search(sentence)]
