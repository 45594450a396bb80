#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes report pages of programs and uses them in headless Chromium.

    check_report_pages.py PROGRAM... [--build=build] [--out=FOLDER] [--screenshots]

For each program: the page has at most 3 MB, loads and opens all boxes without an error,
follows a slider in a quarter of a second (the best of three), and shows the arena that symshape-report
--shape computes. Prints a line for each; the time to make the page is told, not checked.
With --screenshots, a picture of each stands beside its page: those of docs/HowTo/Images are made so. Exits 1 when one fails.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import browser

LARGEST, SLOWEST_LOAD, SLOWEST_SLIDE = 3_000_000, 3.0, 0.25


def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def arena(tool, program, sizes):
    shape = " ".join(f"{name}={value}" for name, value in sizes.items())
    done = subprocess.run([tool, program, "--format=json", f"--shape={shape}"], capture_output=True, text=True, check=True)
    functions = json.loads(done.stdout)["functions"]
    return next(one for one in reversed(functions) if one["isPublic"])["memory"].get("evaluated", {}).get("arena")


def check(tool, program, path, screenshot):
    """A line about the page of one program; AssertionError where it is not as it should be."""
    made = seconds_of(lambda: subprocess.run([tool, program, "--format=html", "-o", path], check=True))
    size = path.stat().st_size
    assert size <= LARGEST, f"the page has {size} bytes"
    with browser.Page(path, width=1180, height=800) as page:
        assert page.load_seconds <= SLOWEST_LOAD, f"it loads in {page.load_seconds:.1f} s"
        if screenshot:
            page.value("document.querySelector('.box.needs')?.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
            page.screenshot(path.with_suffix(".png"))
        boxes = page.value("document.querySelectorAll('.box').length")
        opened = seconds_of(lambda: page.click("#open-all"))
        all_boxes = page.value("document.querySelectorAll('.box').length")
        page.click("#close-all")
        # What is set is shown in the next frame, before the second answer.
        slide = """(slider => { slider.value = %d; slider.dispatchEvent(new Event('input')); })(
            document.querySelector('#sizes input[type=range]'))"""
        slid = min(seconds_of(lambda: (page.value(slide % x), page.value("0"))) for x in (200, 300, 250))
        assert slid <= SLOWEST_SLIDE, f"a slider takes {slid:.2f} s"
        names = page.texts("#sizes .name")
        values = page.value("[...document.querySelectorAll('#sizes input[type=number]')].map(one => one.value)")
        sizes = {name: value for name, value in zip(names, values) if value and not name.startswith("%")}
        expected, shown = arena(tool, program, sizes), page.text("#arena-bytes")
        assert shown.replace("\u202f", "") == str(expected), f"arena {shown} at {sizes}, but --shape says {expected}"
        assert len(page.requests) == 1, page.requests
    return (f"made in {made:.1f} s, {size} bytes; loads in {page.load_seconds:.1f} s, {boxes} boxes, {all_boxes} opened in "
            f"{opened:.1f} s; slider {slid * 1e3:.0f} ms; arena {expected} bytes at {sizes}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--out", type=Path, default=Path("build/report-pages"), help="where pages are written")
    parser.add_argument("--screenshots", action="store_true")
    args = parser.parse_args()
    if not browser.find():
        sys.exit("expected Chromium; ./bootstrap report-page installs it")
    args.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for program in args.programs:
        page = args.out / f"{program.stem}.html"
        try:
            line = check(args.build / "bin" / "symshape-report", program, page, args.screenshots)
        except AssertionError as error:
            failed += 1
            line = f"FAILED: {error}"
        print(f"{page}: {line}")
    print(f"{len(args.programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
