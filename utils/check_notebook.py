#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at what a notebook shows of programs in headless Chromium, at two widths and in two themes.

    check_notebook.py MODEL... [--out=FOLDER] [--screenshots=FOLDER]

For each model, and one of many weights, a page as JupyterLab has it: the program and its report, each below the line
that made it. No page scrolls sideways, cuts a table or has too little contrast (check_site.py). Of
a program: its verdict stands above all tables, conditions above inputs, inputs above results; all of these are within
the first screen of a desk where there are few; weights are folded, and a click shows as many as there are. Prints a
line for each page; exits 1 when one is wrong, or none had weights to fold.

Needs the package symshape in this Python, and Chromium.
"""

import argparse
import html
import re
import sys
from pathlib import Path

import numpy as np

import browser
import symshape
from check_site import LOOK, THEMES, WIDTHS
from onnx_file import FLOAT, model, node

# Of JupyterLab 4: what surrounds an output, and its tables.
STYLE = """:root { color-scheme: light dark } body { margin: 8px; background: light-dark(#fff, #111); color: light-dark(#000c, #fffc);
  font: 14px/1.5 system-ui, sans-serif } pre { font: 13px/1.3 monospace; overflow-x: auto }
.in { background: light-dark(#f5f5f5, #212121); border: 1px solid #8888; padding: 5px } .out { overflow-x: auto; padding: 5px }
.out table { border-collapse: collapse; border-spacing: 0; font-size: 12px; table-layout: fixed; margin: 0 auto 1em }
.out td, .out th { text-align: right; vertical-align: middle; padding: .5em; line-height: normal; max-width: none }
.out thead { border-bottom: 1px solid } .out h4 { margin: 1em 0 .2em }"""

ORDER = """(() => {
  const cell = document.querySelector(".out"), top = (one) => one ? one.getBoundingClientRect().top + scrollY : null;
  const shown = [...cell.querySelectorAll("table")].filter((one) => one.offsetParent && !one.closest("details"));
  const fold = cell.querySelector("details"), last = shown.at(-1)?.getBoundingClientRect();
  return {verdict: cell.querySelector("p")?.textContent, verdictTop: top(cell.querySelector("p")),
          tables: shown.map((one) => [one.caption.textContent, top(one), one.rows.length - 1]),
          bottom: last ? last.bottom + scrollY : 0, isOpen: fold?.open ?? null,
          weights: fold ? fold.querySelectorAll("tbody tr").length : 0, seesWeights: !!fold?.querySelector("td")?.checkVisibility()};
})()"""
TITLES = ["checked in each call", "checked where data is known", "inputs", "results"]


def with_weights(count=40):
    """A chain of products, each with a weight."""
    names = [f"encoder.layers.{layer}.feed_forward.dense.weight" for layer in range(count)]
    nodes = [node("MatMul", f"{'x' if layer == 0 else f't{layer - 1}'} {name}", f"t{layer}") for layer, name in enumerate(names)]
    weights = {name: np.full((24, 24), layer, np.float32) for layer, name in enumerate(names)}
    return model(nodes, {"x": (FLOAT, ["batch", "sequence_length", 24])}, [f"t{count - 1}"], weights)


def write(path, program):
    cells = [("program", program._repr_html_()), ("program.report()", program.report()._repr_html_())]
    body = "".join(f'<pre class="in">{html.escape(code)}</pre><div class="out">{shown}</div>' for code, shown in cells)
    path.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>notebook</title><style>{STYLE}</style><article>{body}</article>',
                    encoding="utf-8")


def judge(found, program):
    """What is wrong with the cell of a program on a desk, by what a person sees first."""
    titles = [title for title, _, _ in found["tables"]]
    if not str(found["verdict"]).startswith("valid for"):
        yield f"no verdict: {found['verdict']}"
    if any(top <= found["verdictTop"] for _, top, _ in found["tables"]) or titles != [one for one in TITLES if one in titles]:
        yield f"the order is {titles}"
    if not {"inputs", "results"} <= set(titles):
        yield f"only {titles}"
    if sum(rows for _, _, rows in found["tables"]) <= 10 and found["bottom"] > WIDTHS["desk"][1]:
        yield f"what is told ends at {found['bottom']:.0f}"
    if found["isOpen"] or found["seesWeights"]:
        yield "weights are not folded"
    told = re.search(r"^(\d+) weights?, ", str(program), re.M)
    if found["weights"] != int(told[1] if told else 0):
        yield f"{found['weights']} weights beside {told and told[0]}"


def look(page, path, program, screenshots):
    wrong = []
    page.ask("Page.navigate", url=path.resolve().as_uri())
    page.wait("Page.loadEventFired")
    for width, (across, down) in WIDTHS.items():
        page.ask("Emulation.setDeviceMetricsOverride", width=across, height=down, deviceScaleFactor=1, mobile=False)
        for theme in THEMES:
            page.emulate("prefers-color-scheme", theme)
            wrong += [f"{width}, {theme}: {one}" for one in page.value(LOOK)]
            if screenshots:
                page.screenshot(screenshots / f"{path.stem}-{width}-{theme}.png")
    found = page.value(ORDER)
    wrong += judge(found, program)
    if found["weights"]:
        page.click(".out details summary")
        if not page.value(ORDER)["seesWeights"]:
            wrong.append("a click does not show the weights")
    return wrong, found["weights"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("notebook"), metavar="FOLDER")
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if not browser.find():
        sys.exit("expected Chromium; ./bootstrap docs --browser installs it")
    for folder in args.out, args.screenshots:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    count = folded = 0
    blank = args.out / "blank.html"
    blank.write_text("<!doctype html>")
    with browser.Page(blank) as page:
        programs = [*((path.stem, symshape.load(path)) for path in args.models), ("weights", symshape.loads(with_weights(), format="onnx"))]
        for name, program in programs:
            path = args.out / f"{name}.html"
            write(path, program)
            wrong, weights = look(page, path, program, args.screenshots)
            count += bool(wrong)
            folded += weights
            print(f"{name}: @{program.name}, {weights} weights folded", *(f"  wrong: {one}" for one in wrong), sep="\n", flush=True)
    print(f"{len(programs)} programs in a notebook at {len(WIDTHS)} widths and {len(THEMES)} themes, {folded} weights folded, {count} wrong")
    return 1 if count or not folded else 0


if __name__ == "__main__":
    sys.exit(main())
