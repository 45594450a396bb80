#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the site of the documentation; `./bootstrap docs` runs it.

The pages are those of the source tree, at the same places, so that links between them work in both; and
what is generated: ops and passes (the target symshape-doc has written them), tools as they describe
themselves, headers of the C API, names and docstrings of the Python package. A link to nothing is an error.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import man_page
import python_reference

SOURCE = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md"]
LINK = re.compile(r"`[^`\n]+`|!?\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s#]+)(#[^)]*)?\)")  # or code in a line
FENCE = re.compile(r"^(```.*?^```$)", re.M | re.S)

REFERENCE = {  # the pages that mlir-tblgen writes, by title
    "SymShapeDialect": "The dialect symshape", "SymShapeOps": "Ops of symshape",
    "WindowOps": "Ops of symshape: windows", "ResampleOps": "Ops of symshape: resampling",
    "SymShapeAttrs": "Attributes of symshape",
    "ShapeFactsInterface": "Interface: shapes and facts", "DerivativeInterfaces": "Interfaces: derivatives",
    "SymShapeCPUTile": "The dialect symshape_cpu",
    "SymShapeKernelOps": "The dialect symshape_kernel",
    "SymShapeTransformsPasses": "Passes: Transforms",
    "SymShapeConversionPasses": "Passes: Conversion", "SymShapeGPUPasses": "Passes: Conversion to a GPU",
    "SymShapePipelinesPasses": "Passes: Pipelines"}
END_OF_FRONT = "## The demo\n"
TOOLS = "run opt report onnx prove bundle-run ptx-run lsp-server reduce".split()


def prose(text, change):
    """The text with what is outside of code blocks changed."""
    parts = FENCE.split(text)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.broken = []
        self.links = 0

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def page(self, file):
        """A page of the source tree, with the files that it names; folders have no page."""
        def link(match):
            text, target, _ = match.groups()
            if not target or "://" in target:
                return match[0]
            self.links += 1
            found = (file.parent / target).resolve()
            if not found.exists() or not found.is_relative_to(SOURCE):
                self.broken.append(f"{file.relative_to(SOURCE)}: {target}")
                return match[0]
            if found.is_dir():
                return text
            if found.suffix != ".md":
                place = self.folder / found.relative_to(SOURCE)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(found, place)
            return match[0]

        def change(part):  # anchors in HTML are targets of Sphinx
            return re.sub(r'^<a id="([\w-]+)"></a>$', r"(\1)=", LINK.sub(link, part), flags=re.M)
        self.write(file.relative_to(SOURCE), prose(file.read_text(), change))

    def generated(self, folder):
        """Titles come first, then headings without a gap between levels."""
        for stem, title in REFERENCE.items():
            text = (folder / f"{stem}.md").read_text()
            levels = [len(each) for part in FENCE.split(text) if not part.startswith("```")
                      for each in re.findall(r"^(#+) ", part, re.M)]
            shift = 2 - min(levels)
            present = sorted({level + shift for level in levels})
            place = {level: 2 + number for number, level in enumerate(present)}
            text = prose(text, lambda part: re.sub(
                r"^(#+) ", lambda m: "#" * place[len(m[1]) + shift] + " ", part, flags=re.M))
            self.write(f"reference/{stem}.md", f"# {title}\n\n{text}")

    def tools(self, binaries):
        def block(*command):
            done = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True)
            text = (done.stdout + done.stderr).strip()
            assert len(text.splitlines()) > 3 and "```" not in text, command
            return f"\n\n```text\n{text}\n```\n"

        for tool in TOOLS:
            program = binaries / f"symshape-{tool}"
            page = f"# symshape-{tool}" + block(program)
            for verb in man_page.verbs_of(page):
                page += f"\n## {verb}" + block(program, verb)
            self.write(f"reference/symshape-{tool}.md", page)

    def sources(self):
        headers = sorted((SOURCE / "include/symshape-c").glob("*.h"))
        parts = [f"## {file.relative_to(SOURCE)}\n\n```c\n{file.read_text()}```\n" for file in headers]
        self.write("reference/c-api.md", "# The C API\n\n" + "\n".join(parts))
        self.write("reference/python-api.md", python_reference.reference()[0])

    def index(self):
        def tree(caption, pages):
            return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"

        def pages(pattern):
            return [str(file.relative_to(self.folder).with_suffix("")) for file in sorted(self.folder.glob(pattern))]
        start = ["README", "docs/GettingStarted"]
        more = [page for page in pages("docs/*.md") if page not in start]
        # The front page is the beginning of README; behind it stands the list of all pages.
        front = (self.folder / "README.md").read_text().split(END_OF_FRONT)[0]
        picture = "![The report of a model](docs/HowTo/Images/report-minilm.png)\n\n## An ONNX model\n"
        self.write("index.md", front.replace("## An ONNX model\n", picture, 1) + "\n## All pages\n\n"
                   + tree("Start", start + more + ["CONTRIBUTING"]) + tree("How to", pages("docs/HowTo/*.md"))
                   + tree("Examples", pages("examples/**/*.md"))
                   + tree("Ops and passes", [f"reference/{stem}" for stem in REFERENCE])
                   + tree("Tools", [f"reference/symshape-{tool}" for tool in TOOLS])
                   + tree("C and Python", ["reference/c-api", "reference/python-api"])
                   + tree("Rationale", pages("docs/Rationale/*.md"))
                   + tree("Reports for upstream", ["docs/Upstream/README"] + [
                       page for page in pages("docs/Upstream/*.md") if not page.endswith("README")]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("out", type=Path, help="the folder for the site: html/ and its source/")
    parser.add_argument("--sphinx", type=Path, help="sphinx-build; without it, source/ is made and links are checked")
    args = parser.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    site = Site(args.out.resolve() / "source")
    count = 0
    for pattern in PAGES:
        for file in sorted(SOURCE.glob(pattern)):
            site.page(file)
            count += 1
    readme = (SOURCE / "README.md").read_text()
    for file in sorted(SOURCE.glob("docs/HowTo/*.md")):
        if f"(docs/HowTo/{file.name}" not in readme:
            site.broken.append(f"README.md: none to docs/HowTo/{file.name}")
    if site.broken:
        print("\n".join(f"error: a link to nothing: {each}" for each in site.broken))
        return 1
    site.generated(args.build / "docs" / "symshape")
    site.tools(args.build / "bin")
    site.sources()
    site.index()
    shutil.copy(SOURCE / "utils/site/conf.py", site.folder)
    print(f"{count} pages, {len(REFERENCE) + len(TOOLS) + 2} generated, {site.links} links", flush=True)
    if args.sphinx:
        return subprocess.run([args.sphinx, "-W", "--keep-going", "-q", "-b", "html", site.folder, args.out / "html"],
                              check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
