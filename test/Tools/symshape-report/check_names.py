# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a page calls extents whose names a tool has made up: as its sentence does, wherever it shows them.

    check_names.py PAGE
"""

import sys

import browser


def main():
    with browser.Page(sys.argv[1]) as page:
        sentence, verdict = page.text("#sentence"), page.text("#verdict")
        assert "%x.dim0 == rows" in sentence and "%x.dim1 == %y.dim1" in sentence, sentence
        assert all(f"{name} = " in verdict for name in ("%x.dim0", "%x.dim1", "rows", "%y.dim1")), verdict
        boxes = page.texts("#graph .shape")
        assert "[%x.dim0, %x.dim1, 4]" in boxes, boxes
        inputs = page.value("[...document.querySelectorAll('#sizes input[type=number]')].map(one => one.ariaLabel)")
        assert len(inputs) == 4, inputs
        page.type("#sizes input[type=number]", "5")
        page.key("Enter")
        refusals = page.texts("#refusals li")
        assert page.text("#verdict").startswith("\u2717") and refusals and "%x dim 0" in refusals[0], refusals
        # What one writes has the names of the program.
        written = page.texts("code.write")
        assert any("unk__7" in line for line in written) and not any(".dim" in line for line in written), written
        shown = page.value("""[...document.querySelectorAll("body *:not(script)")].filter(one => !one.closest("code, pre, #source, script"))
            .flatMap(one => [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data)).join("\\n")""")
        assert "unk__" not in shown and "p2o." not in shown and len(shown) > 500, shown
        print(f"{len(shown)} characters in the words of the sentence")


if __name__ == "__main__":
    main()
