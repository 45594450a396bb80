# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a page of symshape-report without a browser.

    check_page.py PAGE PROGRAM

The page holds the JSON of the report, as it is and once; it needs no other file; each
element that its scripts ask for by name is there; names of symbols or files that look
like markup stay text.
"""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.open, self.references, self.scripts = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.references += [attributes[key] for key in ("src", "href", "action") if key in attributes]
        if tag not in ("meta", "input", "link", "br"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append([attributes.get("type"), ""])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data


def main():
    page = Path(sys.argv[1]).read_text()
    done = subprocess.run(["symshape-report", sys.argv[2], "--format=json"], capture_output=True, text=True, check=True)
    elements = Elements()
    elements.feed(page)
    assert not elements.open and not elements.references, elements.references
    assert len(set(elements.ids)) == len(elements.ids)
    (_, data), (kind, code) = elements.scripts
    assert kind is None and json.loads(data) == json.loads(done.stdout)
    asked = set(re.findall(r"\$\(\"([\w-]+)\"\)", code))
    made = set(re.findall(r"id: \"([\w-]+)\"", code))
    assert asked <= {*elements.ids, *made}, asked - {*elements.ids}
    for word in "http://", "https://", "import(", "fetch(", "XMLHttpRequest", "@import", "url(":
        outside = page.replace(data, "").replace("http://www.w3.org/2000/svg", "")
        assert word not in outside, f"the page has {word}"
    print(f"{len(elements.ids)} elements, {len(page.encode())} bytes")


if __name__ == "__main__":
    main()
