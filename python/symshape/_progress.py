# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bar in a notebook while a program compiles; on terminals the library itself writes a line."""

from __future__ import annotations

import sys
import threading
import time

PATIENCE, INTERVAL = 1.0, 0.5  # seconds: what takes less needs no bar


def notebook_display():
    """The function of IPython that shows objects in a notebook, or None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display


class _Bar:
    def __init__(self, seconds=None):
        self.seconds = seconds

    def __repr__(self):
        return "" if self.seconds is None else f"compiling, {self.seconds:.0f} s"

    def _repr_html_(self):
        return "" if self.seconds is None else f"<progress></progress> compiling, {self.seconds:.0f} s"


class NotebookBar:
    """Shows a bar, with seconds, while the block of `with` takes more than one; it is gone at the end."""

    def __init__(self, display):
        self._display = display
        self._end = threading.Event()
        self._handle = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        begin = time.monotonic()
        wait = PATIENCE
        while not self._end.wait(wait):
            wait = INTERVAL
            bar = _Bar(time.monotonic() - begin)
            if self._handle is None:
                self._handle = self._display(bar, display_id=True)
            else:
                self._handle.update(bar)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        if self._handle is not None:
            self._handle.update(_Bar())
