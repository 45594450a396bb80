# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clicks through the page of Inputs/page.mlir in headless Chromium, as a reader would.

    check_clicks.py PAGE PROGRAM

What is shown for sizes is compared with symshape-report --shape.
"""

import json
import subprocess
import sys

import browser
import numpy as np
import onnx_file


def arena(program, **sizes):
    shape = " ".join(f"{name}={value}" for name, value in sizes.items())
    done = subprocess.run(["symshape-report", program, "--format=json", f"--shape={shape}"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["functions"][0]["memory"]["evaluated"]


def number(page, selector):
    return int(page.text(selector).replace("\u202f", ""))


def box(title):
    return f'.box[data-title="{title}"]'


def check_start(page, program):
    text = subprocess.run(["symshape-report", program], capture_output=True, text=True, check=True).stdout
    assert page.text("#summary") == text.split("\n")[0]
    assert page.requests == page.requests[:1], page.requests
    assert page.texts("#legend span")[:2] == ["\u2014 static", "\u2014 L"], page.texts("#legend span")
    sizes = page.texts("#sizes small")
    assert sizes == ["%x dim 0, 0 to 4096", "%y dim 0", "%y dim 1", "%n", "%places dim 0, 0 to 4096 (known when it runs)",
                     "%flags dim 0, 0 to 4096"], sizes
    assert "[L, 8]" in page.texts("#graph .shape") and not page.texts("#graph .extent"), page.texts("#graph .extent")


def check_boxes(page):
    """Calls and loops open and close, by the mouse and by keys."""
    assert page.text(box("linalg.matmul")) is None
    page.click(f"{box('@product')} .sign")
    assert page.value(f"document.querySelector('{box('@product')}').getAttribute('aria-expanded')") == "true"
    assert page.text(box("linalg.matmul")) is not None
    assert page.texts("#graph .extent") == ["[L, 16]"], page.texts("#graph .extent")  # an open box has no text for it
    page.key("o")  # the box has the focus
    assert page.text(box("linalg.matmul")) is None
    page.click(box("scf.for"))
    assert page.text("#details h3") == "scf.for"
    page.click("#toggle")
    assert "arith.addf" in page.texts("#graph .box .title"), page.texts("#graph .box .title")
    page.click("#close-all")
    page.click(box("%x"))
    page.key("ArrowDown")
    assert page.value("document.activeElement.dataset.title") == "arith.addf"
    page.key("Enter")
    assert page.text("#details h3") == "arith.addf"
    page.click("#show-minor")
    assert "arith.constant" in page.texts("#graph .box .title")
    page.click("#show-minor")
    width = page.value("Number(document.getElementById('graph').getAttribute('width'))")
    page.click("#zoom-in")
    assert page.value("Number(document.getElementById('graph').getAttribute('width'))") > width
    page.click("#zoom-out")


def set_size(page, name, value):
    page.type(f'input[aria-label="value of {name}"]', str(value))


def check_sizes(page, program):
    """The arena, versions and guards at the sizes that are typed or slid to."""
    for size, version in (1, "one"), (16, "blocks"), (5, "default"), (0, "blocks"), (4000, "blocks"):
        set_size(page, "L", size)
        expected = arena(program, L=size, s0=8, s1=8)
        assert number(page, "#arena-bytes") == expected["arena"], f"arena at L = {size}"
        assert number(page, "#most-bytes") == expected["mostInUse"] and number(page, "#sum-bytes") == expected["sumOfAll"]
        assert page.text("#versions tr.serving td:nth-child(2)") == version, f"version at L = {size}"
    page.value("""(slider => { slider.value = 500; slider.dispatchEvent(new Event('input')); })(
        document.querySelector('input[aria-label="slider of L"]'))""")
    slid = int(page.value("""document.querySelector('input[aria-label="value of L"]').value"""))
    assert 0 < slid < 4096 and number(page, "#arena-bytes") == arena(program, L=slid)["arena"]
    verdicts = lambda: page.texts("#guards td.verdict")
    assert all("holds" in one for one in verdicts()), verdicts()
    set_size(page, "%flags.dim0", slid + 1)
    assert "fails" in verdicts()[0], verdicts()
    set_size(page, "L", 4097)
    assert "fails" in verdicts()[1], verdicts()
    set_size(page, "s1", 7)
    assert "fails" in verdicts()[2], verdicts()


def check_verdict(page):
    """The page opens with whether a call is accepted, and with what it gives."""
    set_size(page, "L", 16)
    set_size(page, "s0", 8)
    set_size(page, "s1", 8)
    set_size(page, "%flags.dim0", 16)
    assert page.text("#verdict").startswith("\u2713 A call with L = 16"), page.text("#verdict")
    assert "The program is valid" in page.text("#sentence")
    gives = page.texts("#gives li")
    assert gives and "16" in gives[0], gives
    assert "FLOP" in page.text("#takes")
    set_size(page, "L", 4097)
    assert "is refused" in page.text("#verdict") and page.texts("#refusals li"), page.text("#verdict")
    assert "L = 4097" in page.text("#sizes-now")
    set_size(page, "L", 16)
    page.click("#sizes-bar summary")
    assert page.value("document.getElementById('sizes-bar').open") is False
    page.click("#sizes-bar summary")


def check_costs(page):
    set_size(page, "L", 10)
    total = page.texts("#total td")
    # Two additions, one of them in a loop, and a product.
    assert total[3].replace("\u202f", "") == f"at least {10 * 8 + 2 * 10 * 8 * 16 + 8 * 8}", total
    assert page.value("document.querySelector('#costs span.bytes').title") == "64*L", "bytes of the first op"
    page.click("#costs th.number button")
    assert "\u25be" in page.texts("#costs th")[2]


def check_guards(page):
    """Guards lead to the ops that need them; proofs give reasons when asked."""
    page.click("#guards tbody tr:nth-child(3) details summary")
    page.click("#guards tbody tr:nth-child(3) details .link")
    assert page.value("document.activeElement.dataset.title") == "tensor.extract_slice"
    assert page.text(".box.chosen .title") == "tensor.extract_slice"
    assert "1 guard" in page.text("#details") and "2 checks" in page.text("#details"), page.text("#details")
    assert 'symshape.assume = [#symshape.fact<"8 <= s1">]' in page.texts("#guards .write"), page.texts("#guards .write")
    assert page.value("document.querySelectorAll('.box.needs').length") == 1
    page.click("#proved summary")
    page.click("#proved li summary")
    reason = page.text("#proved li details div")
    assert reason.startswith(("because ", "by types and ranges alone")), reason
    page.value("document.querySelectorAll('#proved details').forEach((one) => one.open = true)")
    shown = page.texts("#proved li")
    assert len(shown) > 4 and "<= 281474976710655" not in "".join(shown), shown


def check_source(page):
    assert "symshape.nonzero" in page.text("#unknown") and "symshape.bind_shape" in page.text("#unknown code")
    text = page.texts("#source .line")
    line = next(i for i, one in enumerate(text, 1) if "symshape.nonzero" in one)
    assert page.text(f"#line-{line} .margin").strip() == "[<= L, 1]"
    page.click(f"#line-{line}")
    assert page.text(".box.chosen .title") == "symshape.nonzero"
    assert "chosen" in page.value(f"document.getElementById('line-{line}').className")
    page.click("h1")
    page.key("/")
    assert page.value("document.activeElement.id") == "search"
    page.ask("Input.insertText", text="nonzero")
    assert page.value("document.querySelectorAll('.box.found').length") == 1
    page.key("Escape")
    assert page.value("document.querySelectorAll('.box.found').length") == 0
    page.click(".arena .buffer")
    assert page.text("#details h3") is not None


def check_looks(page):
    """Dark and narrow screens, and paper."""
    back = "getComputedStyle(document.body).backgroundColor"
    light = page.value(back)
    page.emulate("prefers-color-scheme", "dark")
    assert page.value(back) != light
    page.ask("Emulation.setEmulatedMedia", media="print")
    assert page.value("getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert page.value("getComputedStyle(document.getElementById('sizes-bar')).position") == "static"
    page.ask("Emulation.setEmulatedMedia", media="screen")
    page.ask("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    wide = page.value("document.documentElement.scrollWidth")
    assert wide <= 400, f"the page is {wide} pixels wide on a screen of 400"


def check_functions(page):
    page.value("(list => { list.value = 'product'; list.dispatchEvent(new Event('change')); })(document.getElementById('functions'))")
    assert page.text("#summary").startswith("@product: (s0,8) (8,16)")
    assert "callers" in page.text("#memory") and "callers" in page.text("#guards")
    assert page.value("document.getElementById('versions-section').hidden") is True


def page_of_model(path, *parts):
    model = path.replace(".html", ".model.onnx")
    with open(model, "wb") as file:
        file.write(onnx_file.model(*parts))
    subprocess.run(["symshape-report", model, "--format=html", "-o", f"{model}.html"], check=True)
    return browser.Page(f"{model}.html")


def check_model(path):
    """What declares a guard of a model is an argument of what loads it; sizes begin where guards hold."""
    to = np.array([-1, 32], np.int64)
    with page_of_model(path, [onnx_file.node("Reshape", "x to", "z"), onnx_file.node("Reshape", "y to", "v")],
                       {"x": (onnx_file.FLOAT, ["N"]), "y": (onnx_file.FLOAT, ["M"])}, ["z", "v"], {"to": to}) as page:
        assert page.text("#verdict") == "\u2713 A call with N = 32, M = 32 is accepted", page.text("#verdict")
    with page_of_model(path, [onnx_file.node("MatMul", "x y", "z")],
                       {"x": (onnx_file.FLOAT, [4, "K"]), "y": (onnx_file.FLOAT, ["L", 5])}, ["z"]) as page:
        assert page.texts("#guards .write") == ['facts=["K == L"]'], page.texts("#guards .write")
        assert "to declare it, load it with" in page.text("#guards")


def main():
    path, program = sys.argv[1:]
    with browser.Page(path) as page:
        check_start(page, program)
        check_boxes(page)
        check_sizes(page, program)
        check_verdict(page)
        check_costs(page)
        check_guards(page)
        check_source(page)
        check_functions(page)
        check_looks(page)
        assert len(page.requests) == 1, f"the page asks for {page.requests}"
    check_model(path)
    print("clicked")


if __name__ == "__main__":
    main()
