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

from ._errors import in_python


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
    """All that is known of a function, its verdict first; weights folded."""
    weights = [row for row in one.get("arguments", ()) if "weight" in row]
    rows = {**one, "arguments": _in_python(row for row in one.get("arguments", ()) if "weight" not in row),
            "results": _in_python(one.get("results", ())), "guards": _in_python(one.get("guards", ()))}
    parts = [f"<h4>@{html.escape(one['name'])}</h4>", f"<p>{html.escape(one.get('sentence', ''))}</p>"]
    for title, key, columns in [
            ("guards", "guards", ("condition", "formula", "reasons")),
            ("checks of data", "checks", ("condition", "before", "reasons")),
            ("arguments", "arguments", ("name", "extents", "type")),
            ("results", "results", ("name", "extents", "type")),
            ("symbols", "symbols", ("name", "limits", "why")),
            ("versions", "versions", ("name", "condition", "serves"))]:
        if rows.get(key):
            parts.append(_table(title, columns, rows[key]))
    return "".join(parts) + _folded(weights, ("name", "extents", "type"))


def _in_python(rows):
    """Rows whose extents are one text, and whose conditions are in the syntax of Python."""
    made = []
    for row in rows:
        told = {key: in_python(row[key]) for key in ("condition", "formula") if isinstance(row.get(key), str)}
        if isinstance(row.get("extents"), list):
            told["extents"] = in_python(f"[{', '.join(map(str, row['extents']))}]")
        made.append({**row, **told})
    return made


def _folded(weights, columns):
    if not weights:
        return ""
    count = f"{len(weights)} weight{'s' * (len(weights) != 1)}"
    return f"<details><summary>{count}</summary>{_table('weights', columns, _in_python(weights))}</details>"


def show_program(one: dict) -> str:
    """A program in a notebook: for which sizes it is valid, then guards, inputs and results; weights folded."""
    weights = [row for row in one["arguments"] if "weight" in row]
    inputs = [row for row in one["arguments"] if "weight" not in row]
    guards = [{"condition": row["plain"], "in words": in_python(row["condition"])} for row in one.get("guards", ()) if not row["isBound"]]
    tables = [("checked in each call", ("condition", "in words"), guards),
              ("checked where data is known", ("condition", "before"), one.get("checks", ())),
              ("inputs", ("name", "extents", "element"), _in_python(inputs)),
              ("results", ("name", "extents", "element"), _in_python(one["results"]))]
    parts = [f"<h4>@{html.escape(one['name'])}</h4>", f"<p>{html.escape(one.get('sentence', ''))}</p>"]
    parts += [_table(title, columns, rows) for title, columns, rows in tables if rows]
    return "".join(parts) + _folded(weights, ("name", "extents", "element"))


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
