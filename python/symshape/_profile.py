# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a call goes."""

from __future__ import annotations

import dataclasses
import html
import json
import os

from ._report import save_as


@dataclasses.dataclass(frozen=True)
class ProfileNode:
    """A place in the program, and the kernels that compute it.

    `place` is a node of a model or file:line:column, `op` the op there ("": a kernel of
    the compiler's own), `others` are places that the same kernels compute; `kernels` and
    `seconds` are of one call. `bytes` and `flop` are of the ops as written, and None
    where that is not known; `share` is what the machine's peak would take, as a part of
    `seconds`: above 1 where data comes from a cache.
    """

    place: str
    op: str
    others: tuple[str, ...]
    kernels: float
    seconds: float
    bytes: float | None
    flop: float | None
    share: float | None


class Profile:
    """What `Program.profile` measures: `str(profile)` is a table, `profile.nodes` the same as objects."""

    def __init__(self, fields: dict):
        self.text: str = fields.pop("text").rstrip("\n")
        self.trace: dict = fields.pop("trace")
        self.json: dict = fields

    @property
    def seconds(self) -> float:
        """What a call takes, on average."""
        return self.json["seconds"]

    @property
    def nodes(self) -> list[ProfileNode]:
        """The places that kernels come from, the costliest first."""
        return [ProfileNode(one["place"], one["op"], tuple(one["with"]), one["kernels"], one["seconds"], one["bytes"],
                     one["flop"], one["share"]) for one in self.json["nodes"]]

    def save(self, path: str | os.PathLike) -> None:
        """Writes a trace for Chrome or Perfetto, `.json`, or the table, `.txt`."""
        save_as(path, {".json": lambda: json.dumps(self.trace) + "\n", ".txt": lambda: self.text + "\n"})

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<symshape.Profile of @{self.json['function']}: {1e3 * self.seconds:.3f} ms, {len(self.nodes)} nodes>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"
