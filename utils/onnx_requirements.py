# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What definitions of ONNX ops require, read from their sources: for onnx_op_table.py.

An op requires what its function, and the functions that it calls by name, give to `require`, `requireBroadcast`, `fail`
and `refuse`: the messages of what is refused statically or checked at run time. A message that says what is there
instead ends before that.
"""

import re
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "lib" / "Import" / "ONNX"
#: What every op may say, and what is said of a file, not of an op.
GENERAL = {"GraphImporter.cpp", "Node.cpp", "Model.cpp", "Import.cpp", "Emitter.cpp", "EmitMovement.cpp", "EmitLoops.cpp",
           "Signature.cpp", "DimText.cpp", "ExternalData.cpp", "Trace.cpp", "WireReader.cpp"}
FUNCTION = re.compile(r"^(?:template <[^\n]*>\n)?(?:static |[\w:<>, ]+\n?)[^\n;=(]*?\b(\w+)\((?:[^;{}]|\{\})*\)[\w\s]*\{$", re.M)
MESSAGE = re.compile(r"\b(require|requireBroadcast|fail|refuse)\(")
#: Of a function that is no method: that name may be one of a definition, too.
CALL = re.compile(r"(?<![.>\w:])(\w+)(?:<\w+>)?\(")
STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def enclosed(text, at, open_="(", close=")"):
    """The text from the bracket at `at` to its partner; strings are skipped."""
    depth, i = 0, at
    while i < len(text):
        if text[i] == '"':
            i = STRINGS.match(text, i).end()
            continue
        if text[i] == "'":
            i += 3 if text[i + 1] != "\\" else 4
            continue
        depth += (text[i] == open_) - (text[i] == close)
        i += 1
        if depth == 0:
            break
    return text[at:i]


def messages(body):
    """The last argument of each call that refuses, as words."""
    for call in MESSAGE.finditer(body):
        strings = re.findall(r'((?:"(?:[^"\\]|\\.)*"\s*(?:\+\s*Twine\([^"]*?\)\s*\+\s*)?)+)', enclosed(body, call.end() - 1))
        words = "".join(s[1:-1] for s in STRINGS.findall(strings[-1] if call[1].startswith("require") else strings[0])) if strings \
            else ""
        words = re.sub(r",? but (got|an|its|there).*", "", words.replace('\\"', '"')).strip().rstrip(",")
        if len(words) > 8 and not words.endswith(" that") and not words.startswith("must "):  # a whole one
            yield words.removeprefix("expected ")


def read():
    """Messages by op."""
    local, shared, named = {}, {}, {}
    for path in sorted(SOURCES.glob("*.cpp")):
        if path.name in GENERAL:
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for match in FUNCTION.finditer(text):
            body = enclosed(text, match.end() - 1, "{", "}")
            for table, name in ((local, (path.name, match[1])), (shared, match[1])):
                if table is local or not match[0].lstrip().startswith("static"):
                    table[name] = (path.name, table.get(name, ("", ""))[1] + body)
        for op, function in re.findall(r'registry\.add\(\s*"(\w+)",\s*\d+,\s*(\w+)', text):
            named[op] = (path.name, function)
    required = defaultdict(list)
    for op, first in named.items():
        seen, waiting = set(), [first]
        while waiting:
            place = waiting.pop(0)
            found = local.get(place) or shared.get(place[1])
            if found is None or (found[0], place[1]) in seen:
                continue
            seen.add((found[0], place[1]))
            required[op] += [m for m in messages(found[1]) if m not in required[op]]
            waiting += [(found[0], called) for called in CALL.findall(found[1])]
    return required
