# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page in headless Chromium, driven over a pipe by its own protocol, without a driver.

For tests of pages: load a file, click, type, ask. Not for: anything with a network.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium"]


def find():
    """The path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Page:
    """A page; errors of its scripts fail the next question."""

    def __init__(self, path, width=1280, height=900, dark=False):
        self.number = 0
        self.errors = []
        self.pending = b""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.sends = os.pipe()
        self.receives, from_browser = os.pipe()
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-dev-shm-usage",
                   f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"]

        def use_pipes():  # the protocol wants descriptors 3 and 4
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(command, preexec_fn=use_pipes, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network":
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark:
            self.emulate("prefers-color-scheme", "dark")
        self.requests = []
        start = time.perf_counter()
        self.ask("Page.navigate", url=f"file://{os.path.abspath(path)}")
        self.wait("Page.loadEventFired")
        self.load_seconds = time.perf_counter() - start

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.sends)
        os.close(self.receives)
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.pending:
            part = os.read(self.receives, 1 << 20)
            assert part, "the browser has ended"
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sends, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def wait(self, method):
        while self.read().get("method") != method:
            pass

    def value(self, expression):
        """What JavaScript gives for an expression, after what is drawn is drawn."""
        wrapped = f"new Promise(done => requestAnimationFrame(() => setTimeout(() => done({expression}), 0)))"
        answer = self.ask("Runtime.evaluate", expression=wrapped, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        assert not self.errors, self.errors
        return answer["result"].get("value")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def texts(self, selector):
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)")

    def click(self, selector, count=1):
        """Clicks the middle of an element, as a mouse does: what lies above it gets the click."""
        where = self.value(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (!found) return null;
            found.scrollIntoView({{block: "center", inline: "center"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        assert where, f"nothing is {selector}"
        for kind in "mousePressed", "mouseReleased":
            self.ask("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=count)
        if count == 2:
            return
        self.value("0")

    def key(self, key):
        """Presses a key: a character, or a name such as `Enter`, `ArrowDown`."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)
        self.value("0")

    def type(self, selector, text):
        """Replaces what an input holds."""
        self.click(selector)
        self.value(f"document.querySelector({json.dumps(selector)}).select()")
        self.ask("Input.insertText", text=text)
        self.value("0")

    def emulate(self, feature, value):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": feature, "value": value}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
