# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How Sphinx reads the folder that utils/make_site.py fills."""

from pygments.lexer import RegexLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashSessionLexer
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

project = "symshape"
author = "the authors of symshape"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "symshape"
html_copy_source = False
html_show_copyright = html_show_sphinx = False
html_show_search_summary = False  # needs a server: a browser fetches no file
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]
nitpicky = True
highlight_language = "none"  # what tools print is no program


class MlirLexer(RegexLexer):
    """What makes the text of a program readable."""

    name = "MLIR"
    tokens = {"root": [
        (r"//.*?$", Comment.Single),
        (r'"[^"\n]*"', String),
        (r"%[\w$.#-]+|@[\w$.-]+|\^\w+", Name.Variable),
        (r"[#!][A-Za-z_][\w.]*", Name.Attribute),
        (r"\b[a-z_]\w*(?:\.\w+)+", Keyword),
        (r"\b(?:tensor|memref|vector|index|[iuf]\d+|bf16)\b", Keyword.Type),
        (r"\b\d+(?:\.\d+)?\b", Number),
        (r"\w+|\s+|.", Text),
    ]}


class ShellLexer(RegexLexer):
    """Commands: their options are no programs."""

    name = "Commands"
    tokens = {"root": [
        (r"(?<![^\s])#.*?$", Comment.Single),
        (r"'[^']*'|\"[^\"\n]*\"", String),
        (r"\$\{?\w+\}?", Name.Variable),
        (r"[^\s'\"$#]+|\s+|.", Text),
    ]}


def setup(app):
    for name, lexer in [("mlir", MlirLexer), ("mlir-tail", MlirLexer), ("sh", ShellLexer), ("sh-session", BashSessionLexer),
                        ("console", BashSessionLexer),
                        ("python-torch", PythonLexer), ("python-jax", PythonLexer), ("patterns", TextLexer),
                        ("folders", TextLexer)]:
        app.add_lexer(name, lexer)
