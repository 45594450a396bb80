#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at every page of the site in headless Chromium, at two widths and in two themes.

    check_site.py HTML [--filter=REGEX] [--screenshots=FOLDER]

On no page is anything wider than the window (a block of code or a table may scroll by itself), is a table cut, does the
colouring of a program mark an error of its lexer, or has text too little contrast to its ground: less than 3, for
colours of programs, which WCAG asks of large text, and 4.5 for words. No page asks for a file that is not there, or
for anything of the network. Prints a line for each page that is wrong and one that counts; exits 1 when one is.
"""

import argparse
import re
import sys
import urllib.parse
from pathlib import Path

import browser

WIDTHS = {"phone": (390, 844), "desk": (1280, 900)}
THEMES = ["light", "dark"]
LEAST_PAGES = 80

LOOK = """(() => {
  const wrong = [], wide = document.documentElement;
  const say = (what, one) => wrong.length < 6 && wrong.push(`${what}: ${one.tagName.toLowerCase()} ${one.className} "${one.textContent.trim().slice(0, 60)}"`);
  if (wide.scrollWidth > window.innerWidth) {
    wrong.push(`scrolls sideways: ${wide.scrollWidth} of ${window.innerWidth}`);
    for (const one of document.querySelectorAll("main *, article *"))
      if (one.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(one)) { say("too wide", one); break; }
  }
  function scrolls(one) {
    for (let up = one; up; up = up.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  }
  for (const table of document.querySelectorAll("article table")) {
    for (let up = table.parentElement; up && up.tagName !== "BODY"; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (["hidden", "clip"].includes(style.overflowX) && up.scrollWidth > up.clientWidth + 1) { say("a table that is cut", table); break; }
      if (["auto", "scroll"].includes(style.overflowX)) break;
    }
  }
  for (const one of document.querySelectorAll(".highlight .err")) say("not lexed", one.parentElement);
  const numbers = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
  const ground = (one) => {
    const layers = [];
    for (let up = one; up; up = up.parentElement) layers.push(numbers(getComputedStyle(up).backgroundColor));
    return layers.reverse().reduce((below, top) => top.length < 3 || top[3] === 0 ? below : over(top, below), [255, 255, 255]);
  };
  const seen = new Set();
  const walk = document.createTreeWalker(document.querySelector("article") ?? document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const one = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !one.offsetParent) continue;
    const style = getComputedStyle(one), isCode = !!one.closest(".highlight");
    if (style.opacity === "0" || style.visibility === "hidden" || one.closest(".headerlink, .copybtn, .visually-hidden")) continue;
    const below = ground(one), key = `${style.color} ${below} ${isCode}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const a = light(over(numbers(style.color), below)), b = light(below);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < (isCode ? 3 : 4.5)) say(`contrast ${contrast.toFixed(2)}`, one);
  }
  return wrong;
})()"""


class Site:
    def __init__(self, html):
        self.html = html
        self.page = browser.Page(html / "index.html")
        self.looks = 0

    def open(self, path):
        self.page.requests.clear()
        self.page.ask("Page.navigate", url=path.resolve().as_uri())
        self.page.wait("Page.loadEventFired")
        missing = []
        for url in self.page.requests:
            parts = urllib.parse.urlsplit(url)
            if parts.scheme == "data":
                continue
            if parts.scheme != "file" or not Path(urllib.parse.unquote(parts.path)).is_file():
                missing.append(f"asks for {url}")
        return missing

    def set(self, width, theme):
        size = WIDTHS[width]
        self.page.ask("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)  # which would zoom out
        self.page.emulate("prefers-color-scheme", theme)

    def look(self, path):
        """What is wrong with a page."""
        wrong = self.open(path)
        for width in WIDTHS:
            for theme in THEMES:
                self.set(width, theme)
                wrong += [f"{width}, {theme}: {one}" for one in self.page.value(LOOK)]
                self.looks += 1
        return wrong


def take_screenshots(site, folder):
    """The pictures of docs/HowTo/Images that are of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in ("site-front", "index.html"), ("site-onnx", "docs/HowTo/RunAnOnnxModel.html"):
        site.open(site.html / page)
        site.set("desk", "light")
        site.page.ask("Emulation.setDeviceMetricsOverride", width=1000, height=640, deviceScaleFactor=1, mobile=False)
        site.page.value("0")
        site.page.screenshot(folder / f"{name}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("html", type=Path)
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if not browser.find():
        sys.exit("expected Chromium; ./bootstrap docs --browser installs it")
    paths = [path for path in sorted(args.html.rglob("*.html")) if "_static" not in path.parts and re.search(args.filter, str(path))]
    site, count = Site(args.html), 0
    with site.page:
        for path in paths:
            wrong = site.look(path)
            count += bool(wrong)
            for one in wrong:
                print(f"{path.relative_to(args.html)}: {one}", flush=True)
        if args.screenshots:
            take_screenshots(site, args.screenshots)
    print(f"{len(paths)} pages, {site.looks} looks at {len(WIDTHS)} widths and {len(THEMES)} themes, {count} pages wrong")
    few = not args.filter and len(paths) < LEAST_PAGES
    return 1 if count or few or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
