# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a program, to look at."""

from __future__ import annotations

import functools
import html
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path


class Report:
    """A report: `str(report)` is text, `report.json` the same as objects; notebooks show tables."""

    def __init__(self, make: Callable[[str], str]):
        self._make = make
        self.text = make("text")

    @functools.cached_property
    def json(self) -> dict:
        """All that is known, with the fields that `symshape-report --format=json` writes."""
        return json.loads(self._make("json"))

    @functools.cached_property
    def html(self) -> str:
        """A page to look at and click, which needs no other file and no network."""
        return self._make("html")

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page, or JSON or text where the name ends in .json or .txt."""
        save_as(path, {".html": lambda: self.html, ".json": lambda: json.dumps(self.json, indent=2) + "\n",
                       ".txt": lambda: self.text})

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<symshape.Report of {len(self.json['functions'])} functions>"

    def _repr_html_(self):
        return "".join(map(_function, self.json["functions"])) or "<p>no function</p>"


def save_as(path, forms):
    """Writes what the form of the ending of its name makes."""
    path = Path(path)
    if path.suffix not in forms:
        raise ValueError(f"expected a name that ends in {', '.join(forms)}, but got '{path}'")
    replace_file(path.resolve(), forms[path.suffix]())


def replace_file(path, text):
    """Writes a file beside that at `path`, and puts it in its place; a device or a pipe is written to at once."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    temporary = path.with_name(f"{path.name}.temp-stream-{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _function(one):
    parts = [f"<h4>@{html.escape(one['name'])}</h4>"]
    for title, key, columns in [
            ("symbols", "symbols", ("name", "limits", "why")),
            ("arguments", "arguments", ("name", "extents", "type")),
            ("results", "results", ("name", "extents", "type")),
            ("guards", "guards", ("condition", "formula", "reasons")),
            ("checks of data", "checks", ("condition", "before", "reasons")),
            ("versions", "versions", ("name", "condition", "serves"))]:
        if one.get(key):
            parts.append(_table(title, columns, one[key]))
    return "".join(parts)


def show_program(one: dict) -> str:
    """A program in a notebook: for which sizes it is valid, then guards, inputs and results; weights folded."""
    weights = [row for row in one["arguments"] if "weight" in row]
    inputs = [row for row in one["arguments"] if "weight" not in row]
    guards = [{"condition": row["plain"], "in words": row["condition"]} for row in one.get("guards", ()) if not row["isBound"]]
    tables = [("checked in each call", ("condition", "in words"), guards),
              ("checked where data is known", ("condition", "before"), one.get("checks", ())),
              ("inputs", ("name", "extents", "element"), inputs), ("results", ("name", "extents", "element"), one["results"])]
    parts = [f"<h4>@{html.escape(one['name'])}</h4>", f"<p>{html.escape(one.get('sentence', ''))}</p>"]
    parts += [_table(title, columns, rows) for title, columns, rows in tables if rows]
    if weights:
        parts.append(f"<details><summary>{len(weights)} weights</summary>"
                     f"{_table('weights', ('name', 'extents', 'element'), weights)}</details>")
    return "".join(parts)


def _table(title, columns, rows):
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(column, ''))}</td>" for column in columns) + "</tr>"
                   for row in rows)
    return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value):
    if isinstance(value, list):
        return "<br>".join(html.escape(str(one)) for one in value) if any(" " in str(one) for one in value) \
            else html.escape(f"[{', '.join(map(str, value))}]")
    return html.escape(str(value)).replace("\n", "<br>")
