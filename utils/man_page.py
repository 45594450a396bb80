# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manual pages of tools, from what their option --help prints."""

import re

ITEM = re.compile(r"( +)(-\S.*?|=\S+|[a-z]+)(?: +- +|  +|$)(\S.*)?$")
TITLE = re.compile(r" {0,4}\S.*(:|[rR]un)$")


def parts_of(text):
    """What --help prints, by titles: `OVERVIEW`, `USAGE`, `OPTIONS`."""
    parts = re.split(r"^([A-Z]+)(?: '.*')?:[ \n]", text, flags=re.M)
    return {title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2])}


def verbs_of(text):
    """The verbs of a tool that has some."""
    return re.findall(r"^  ([a-z]+) +- ", parts_of(text).get("SUBCOMMANDS", ""), re.M)


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def items(body):
    """Options, each with its words, under the titles of their groups; values, and options of passes, further in."""
    lines, nested = [], False
    for line in body.splitlines():
        item = ITEM.match(line)
        if not item or len(item[1]) > 10:  # a title, or more of the words before
            if TITLE.match(line):
                lines += [".RE"] * nested + [f".SS {escaped(line.strip().rstrip(':'))}"]
                nested = False
            elif line.strip() and not line.strip().startswith("Type "):
                lines.append(escaped(line.strip()))
            continue
        within = item[2].startswith("=") or len(item[1]) == 8
        if within != nested:
            lines.append(".RS" if within else ".RE")
        nested = within
        words = (item[3] or "").removeprefix("- ").strip()
        lines += [".TP", f".B {escaped(item[2])}", *[escaped(words)] * bool(words)]
    return lines + [".RE"] * nested


def prose(body):
    """Paragraphs; what is indented stays as it is."""
    lines = []
    for paragraph in body.split("\n\n"):
        kept = paragraph.startswith("  ")
        lines += [".PP", *[".nf"] * kept, *map(escaped, paragraph.splitlines()), *[".fi"] * kept]
    return lines[1:]


def man_page(tool, release, text, verbs):
    """The page of a tool; `verbs` has by name what --help prints of each."""
    titled = parts_of(text)
    overview, _, statuses = titled.pop("OVERVIEW").partition("exit status: ")
    sentence = " ".join(re.split(r"(?<=[^.])[.;:](?=\s|$)|\n", overview.strip())[0].split())
    lines = [f'.TH {tool.upper()} 1 "" "symshape {release}" "User Commands"', ".nh", ".ad l"]
    lines += [".SH NAME", f"{escaped(tool)} \\- {escaped(sentence)}"]
    lines += [".SH SYNOPSIS", f".B {escaped(tool)}", escaped(titled.pop("USAGE").split(" ", 1)[1])]
    lines += [".SH DESCRIPTION", *prose(overview.strip("\n"))]
    for title, body in titled.items():
        lines += [f".SH {'COMMANDS' if title == 'SUBCOMMANDS' else title}", *items(body)]
    for verb, shown in verbs.items():
        own = parts_of(shown)
        groups = re.split(r"\n(?=\S.* options:$)", own["OPTIONS"], flags=re.I | re.M)
        lines += [f".SH OPTIONS OF {verb.upper()}", f".B {escaped(own['USAGE'])}", ".PP", escaped(own["SUBCOMMAND"]),
                  *items(groups[-1].split("\n", 1)[1])]
    if statuses:
        lines.append(".SH EXIT STATUS")
        for status, meaning in re.findall(r"(\d+) ([^;]+)", " ".join(statuses.split())):
            lines += [".TP", f".B {status}", escaped(meaning)]
    lines += [".SH SEE ALSO", "The pages in /usr/share/doc/symshape\\-tools."]
    return "\n".join(lines) + "\n"
