# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of the encoder: as written, with another number of layers, or static.

minilm.mlir is written by hand but for its entry function, whose 101 arguments
are a list: `python program.py` prints the file with that function made anew (the
test test/Integration/minilm-program.test compares). Not for running anything.
"""

import re
import sys
from pathlib import Path

FILE = Path(__file__).with_name("minilm.mlir")
ENTRY = "// The entry: "

EMBEDDING_WEIGHTS = [
    ("word", "tensor<30522x384xf32>", "embeddings.word_embeddings.weight"),
    ("position", "tensor<512x384xf32>", "embeddings.position_embeddings.weight"),
    ("type", "tensor<2x384xf32>", "embeddings.token_type_embeddings.weight"),
    ("norm_w", "tensor<384xf32>", "embeddings.LayerNorm.weight"),
    ("norm_b", "tensor<384xf32>", "embeddings.LayerNorm.bias"),
]

# What each layer is given, in the order of the arguments of @layer.
LAYER_WEIGHTS = [
    ("query_w", "tensor<384x384xf32>", "attention.self.query.weight"),
    ("query_b", "tensor<384xf32>", "attention.self.query.bias"),
    ("key_w", "tensor<384x384xf32>", "attention.self.key.weight"),
    ("key_b", "tensor<384xf32>", "attention.self.key.bias"),
    ("value_w", "tensor<384x384xf32>", "attention.self.value.weight"),
    ("value_b", "tensor<384xf32>", "attention.self.value.bias"),
    ("out_w", "tensor<384x384xf32>", "attention.output.dense.weight"),
    ("out_b", "tensor<384xf32>", "attention.output.dense.bias"),
    ("norm1_w", "tensor<384xf32>", "attention.output.LayerNorm.weight"),
    ("norm1_b", "tensor<384xf32>", "attention.output.LayerNorm.bias"),
    ("up_w", "tensor<1536x384xf32>", "intermediate.dense.weight"),
    ("up_b", "tensor<1536xf32>", "intermediate.dense.bias"),
    ("down_w", "tensor<384x1536xf32>", "output.dense.weight"),
    ("down_b", "tensor<384xf32>", "output.dense.bias"),
    ("norm2_w", "tensor<384xf32>", "output.LayerNorm.weight"),
    ("norm2_b", "tensor<384xf32>", "output.LayerNorm.bias"),
]


def shape_of(type_):
    """The extents of a static type of a list above."""
    return tuple(int(extent) for extent in type_.removeprefix("tensor<").split("x")[:-1])


def functions():
    """The text of all functions but the entry."""
    return FILE.read_text().split(ENTRY)[0]


def entry_function(layers):
    """The text of @encode with `layers` layers, numbered from 0."""
    arguments = [f'    %{name}: {type_} {{symshape.weight = "{weight}"}}'
                 for name, type_, weight in EMBEDDING_WEIGHTS]
    for i in range(layers):
        arguments += [f'    %l{i}_{name}: {type_} {{symshape.weight = "encoder.layer.{i}.{weight}"}}'
                      for name, type_, weight in LAYER_WEIGHTS]
    types = ", ".join(type_ for _, type_, _ in LAYER_WEIGHTS)
    lines = [
        ENTRY + "token ids and mask in, one unit vector per sentence out.",
        "func.func @encode(",
        "    %ids: !ids {symshape.shape = #symshape.shape<[B, L]>},",
        "    %mask: !ids {symshape.shape = #symshape.shape<[B, L]>},",
        ",\n".join(arguments) + ")",
        "    -> (!sentences {symshape.shape = #symshape.shape<[B, 384]>}) {",
        "  %h0 = call @embeddings(%ids, %word, %position, %type, %norm_w, %norm_b)",
        "      : (!ids, tensor<30522x384xf32>, tensor<512x384xf32>, tensor<2x384xf32>,"
        " tensor<384xf32>, tensor<384xf32>) -> !hidden",
        "  %bias = call @mask_bias(%mask) : (!ids) -> !bias",
    ]
    for i in range(layers):
        names = [f"%l{i}_{name}" for name, _, _ in LAYER_WEIGHTS]
        lines += [
            f"  %h{i + 1} = call @layer(%h{i}, %bias,",
            "      " + ", ".join(names[:8]) + ",",
            "      " + ", ".join(names[8:]) + ")",
            f"      : (!hidden, !bias, {types}) -> !hidden",
        ]
    lines += [
        f"  %sentences = call @pooling(%h{layers}, %mask) : (!hidden, !ids) -> !sentences",
        "  return %sentences : !sentences",
        "}",
    ]
    return "\n".join(lines) + "\n"


def program(layers=6):
    """The whole program with `layers` layers."""
    return functions() + entry_function(layers)


def static_program(batch, length, layers=6):
    """The program for one shape only: every extent is a number in the text.

    The types are aliases at the head of the file, each with its extents in a
    comment; they get numbers, and the operands that gave dynamic extents go.
    """
    value = {"B": batch, "L": length}
    text = re.sub(r"(#symshape\.shape<\[)([^\]]*)(\]>)", "", program(layers))
    text = re.sub(r" \{symshape\.shape = \}", "", text)

    def alias(match):
        extents = [eval(extent, {}, dict(value)) for extent in match["extents"].split(",")]
        return f"{match['name']} = tensor<{'x'.join(map(str, extents))}x{match['element']}>"

    text = re.sub(r"^(?P<name>!\w+) += tensor<[?x0-9]*x(?P<element>\w+)> +// \[(?P<extents>.*)\]$",
                  alias, text, flags=re.M)
    text = re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)

    def numbers(match):
        return re.sub(r"%([BL])\b", lambda name: str(value[name[1]]), match[0])

    text = re.sub(r"output_shape \[[^\]]*\]", numbers, text)
    return re.sub(r"tensor\.extract_slice .*", numbers, text)


if __name__ == "__main__":
    sys.stdout.write(program())
