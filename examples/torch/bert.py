# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A BERT of random weights, compiled once, at five shapes; and a call that it refuses."""
import symshape
import torch
from torch.export import Dim
from transformers import BertConfig, BertModel

config = BertConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=128)
batch, length = Dim("batch", max=64), Dim("length", min=1, max=128)
program = symshape.from_torch(BertModel(config, add_pooling_layer=False), (torch.zeros(2, 8, dtype=torch.long),),
                              dynamic_shapes={"input_ids": {0: batch, 1: length}}, name="bert.onnx")
for shape in [(1, 1), (2, 8), (4, 128), (1, 77), (64, 3)]:
    print(shape, "->", program(torch.randint(0, 1000, shape))[0].shape, "compilations:", program.compilations)
try:
    program(torch.zeros(65, 129, dtype=torch.long))
except symshape.GuardError as error:
    print("refused:", [(failure.relation, failure.values) for failure in error.failures])
