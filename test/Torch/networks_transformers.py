# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks of Hugging Face, of random weights."""

import dataclasses
import re

import torch
import transformers as hf
from networks import Network, ids

WORDS = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
             max_position_embeddings=64)
TEXTS = [(0, 5), (1, 1), (1, 5), (2, 7), (3, 33), (5, 64), (33, 2), (2, 0)]
IMAGES = [(0, 32, 32), (1, 32, 32), (2, 33, 47), (1, 1, 1), (1, 64, 40), (3, 31, 31), (1, 96, 65), (5, 32, 50)]


class Pick(torch.nn.Module):
    """Results of a network, by name, of arguments by name."""

    def __init__(self, network, arguments, results, **options):
        super().__init__()
        self.network, self.arguments, self.results, self.options = network, arguments.split(), results.split(), options

    def forward(self, *inputs):
        made = self.network(**dict(zip(self.arguments, inputs, strict=True)), **self.options)
        return [getattr(made, one) for one in self.results]


def masked(batch, length):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[:1, length // 2 + 1:] = 0
    return ids(batch, length), mask


def text(name, results="last_hidden_state", arguments="input_ids attention_mask", sizes=None, config="", call=(), **options):
    """A network of words with a mask."""
    def make():
        made = getattr(hf, (config or re.sub("(Model|LMHeadModel|ForCausalLM)$", "", name)) + "Config")(**WORDS | options)
        return Pick(getattr(hf, name)(made), arguments, results, **dict(call))
    return Network(make, masked if "mask" in arguments else lambda *sizes: (ids(*sizes),), (2, 7), (3, 9), sizes or TEXTS)


def decoder(name, **options):
    return text(name, "logits", call={"use_cache": False}, **options)


def seq2seq(name, **options):
    """Words, and a decoder of other words."""
    def make():
        made = getattr(hf, re.sub("ForConditionalGeneration|MTModel", "", name) + "Config")(**options)
        return Pick(getattr(hf, name)(made), "input_ids decoder_input_ids", "logits", use_cache=False)
    return Network(make, lambda batch, length, steps: (ids(batch, length), ids(batch, steps)), (2, 7, 5), (3, 9, 4),
                   [(0, 3, 2), (1, 1, 1), (1, 5, 2), (2, 7, 9), (3, 1, 33), (4, 63, 1), (5, 33, 12), (2, 4, 0)])


def image(name, config, results="last_hidden_state", sizes=None, fixed=False, size=32, call=(), **options):
    """A network of images, of open height and width unless its positions are learned."""
    def make():
        return Pick(getattr(hf, name)(getattr(hf, config + "Config")(**options)), "pixel_values", results, **dict(call))
    if fixed:
        return Network(make, lambda batch, height=size, width=size: (torch.randn(batch, 3, height, width),), (2,), (3,),
                       [(0,), (1,), (2,), (3,), (7,), (16,), (33,), (2, size + 1)])
    return Network(make, lambda batch, height, width: (torch.randn(batch, 3, height, width),), (2, size, size),
                   (3, size + 32, size + 64), sizes or IMAGES)


def audio(name, config, results="last_hidden_state", **options):
    """A network of samples of sound."""
    def make():
        return Pick(getattr(hf, name)(getattr(hf, config + "Config")(**options)), "input_values", results)
    return Network(make, lambda batch, length: (torch.randn(batch, length),), (2, 400), (3, 500),
                   [(0, 400), (1, 1), (1, 100), (2, 399), (3, 401), (1, 1600), (5, 777), (2, 0)])


class Step(torch.nn.Module):
    """A step of a decoder whose cache grows: keys and values in, longer ones out."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, words, pairs):
        cache = hf.DynamicCache()
        for layer, (keys, values) in enumerate(pairs):
            cache.update(keys, values, layer)
        made = self.network(words, past_key_values=cache, use_cache=True)
        return made.logits, [(one.keys, one.values) for one in made.past_key_values.layers]


def growing(name, heads, width, layers=2, **options):
    def make():
        config = getattr(hf, name.removesuffix("ForCausalLM").removesuffix("LMHeadModel") + "Config")(**WORDS | options)
        return Step(getattr(hf, name)(config))

    def inputs(batch, steps, past):
        return ids(batch, steps), [tuple(torch.randn(batch, heads, past, width) for _ in "kv") for _ in range(layers)]
    return Network(make, inputs, (2, 3, 5), (3, 4, 7),
                   [(0, 1, 3), (1, 1, 0), (1, 1, 1), (2, 1, 7), (1, 7, 33), (3, 1, 62), (5, 2, 9), (2, 0, 4)])


class Static(torch.nn.Module):
    """A decoder whose cache has room for all words, and is a state."""

    def __init__(self, network, room, batch):
        super().__init__()
        self.network, config = network, network.config
        self.cache = hf.StaticCache(config=config, max_cache_len=room)
        self.cache.early_initialization(batch, config.num_key_value_heads, config.head_dim, torch.float32, torch.device("cpu"))
        self.names = []
        for number, layer in enumerate(self.cache.layers):
            for name in [name for name, value in vars(layer).items() if isinstance(value, torch.Tensor)]:
                self.register_buffer(f"{name}{number}", getattr(layer, name).clone())
                self.names.append((number, name))

    def forward(self, words, places):
        for number, name in self.names:  # the exporter replaces what is registered only
            setattr(self.cache.layers[number], name, getattr(self, f"{name}{number}"))
        return self.network(words, past_key_values=self.cache, position_ids=places[None], cache_position=places,
                            use_cache=True).logits


def static(name, **options):
    def make():
        config = getattr(hf, name.removesuffix("ForCausalLM") + "Config")(**WORDS | options)
        return Static(getattr(hf, name)(config), 32, 2)

    def inputs(steps, start=0):
        return ids(2, steps), torch.arange(start, start + steps)
    return Network(make, inputs, (3,), (5,), [(7,), (1, 7), (1, 8), (3, 9), (0, 12), (12, 12), (1, 24), (32,)])


VIT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8)
SPEECH = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=(16, 16), conv_stride=(5, 2),
              conv_kernel=(10, 3), num_conv_pos_embeddings=15, num_conv_pos_embedding_groups=4, num_feat_extract_layers=2)
PYRAMID = dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 32])
BART = dict(vocab_size=100, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64)
EXPERTS = dict(num_key_value_heads=2, num_experts=4, num_local_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, head_dim=8)
STATES = dict(state_size=8, num_hidden_layers=2, hidden_size=32, vocab_size=100)

NETWORKS = {
    # encoders
    "bert": text("BertModel"),
    "roberta": text("RobertaModel"),
    "albert": text("AlbertModel", embedding_size=16),
    "electra": text("ElectraModel", embedding_size=16),
    "distilbert": text("DistilBertModel", dim=32, hidden_dim=64, n_layers=2, n_heads=4),
    "mpnet": text("MPNetModel"),
    "deberta": text("DebertaV2Model", relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=16),
    "modernbert": text("ModernBertModel", local_attention=8, pad_token_id=0),
    "squeezebert": text("SqueezeBertModel", embedding_size=32),
    "roformer": text("RoFormerModel", embedding_size=32),
    "convbert": text("ConvBertModel", embedding_size=32),
    # decoders
    "gpt2": decoder("GPT2LMHeadModel", n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "gpt neox": decoder("GPTNeoXForCausalLM"),
    "llama": decoder("LlamaForCausalLM", num_key_value_heads=2),
    "qwen3": decoder("Qwen3ForCausalLM", num_key_value_heads=2, head_dim=8),
    "gemma3": decoder("Gemma3ForCausalLM", config="Gemma3Text", num_key_value_heads=2, head_dim=8, sliding_window=8),
    "opt": decoder("OPTForCausalLM", ffn_dim=64, word_embed_proj_dim=32),
    "bloom": decoder("BloomForCausalLM", n_layer=2, n_head=4),
    "falcon": decoder("FalconForCausalLM", alibi=True),
    "phi": decoder("PhiForCausalLM"),
    "mistral": decoder("MistralForCausalLM", num_key_value_heads=2, sliding_window=8, head_dim=8),
    "olmo2": decoder("Olmo2ForCausalLM"),
    # steps with caches
    "gpt2 growing": growing("GPT2LMHeadModel", 4, 8, n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "llama growing": growing("LlamaForCausalLM", 2, 8, num_key_value_heads=2),
    "qwen3 growing": growing("Qwen3ForCausalLM", 2, 8, num_key_value_heads=2, head_dim=8),
    "llama static": static("LlamaForCausalLM", num_key_value_heads=2, head_dim=8),
    # encoders with decoders
    "t5": seq2seq("T5ForConditionalGeneration", vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4),
    "bart": seq2seq("BartForConditionalGeneration", **BART),
    "marian": seq2seq("MarianMTModel", **BART, pad_token_id=0, decoder_start_token_id=0),
    # mixtures of experts
    "mixtral": decoder("MixtralForCausalLM", **EXPERTS),
    "qwen3 moe": decoder("Qwen3MoeForCausalLM", **EXPERTS),
    "olmoe": decoder("OlmoeForCausalLM", **EXPERTS | {"num_key_value_heads": 4}),
    "gpt oss": decoder("GptOssForCausalLM", **EXPERTS, sliding_window=8),
    # state spaces
    "mamba": dataclasses.replace(
        text("MambaForCausalLM", "logits", "input_ids", config="Mamba", call={"use_cache": False}, **STATES),
        inputs=lambda batch, length=5: (ids(batch, length),), example=(2,), other=(3,),
        sizes=[(0,), (1,), (2,), (3,), (7,), (16,), (33,), (2, 4)]),
    "mamba2": text("Mamba2ForCausalLM", "logits", "input_ids", config="Mamba2", call={"use_cache": False}, **STATES, num_heads=8, head_dim=8,
                   n_groups=2, chunk_size=8),
    # vision
    "vit": image("ViTModel", "ViT", fixed=True, **VIT),
    "deit": image("DeiTModel", "DeiT", fixed=True, **VIT),
    "dinov2": image("Dinov2Model", "Dinov2", fixed=True, **VIT | {"mlp_ratio": 2}),
    "beit": image("BeitModel", "Beit", fixed=True, **VIT),
    "swin": image("SwinModel", "Swin", fixed=True, image_size=32, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 2], window_size=4),
    "swinv2": image("Swinv2Model", "Swinv2", fixed=True, image_size=32, patch_size=4, embed_dim=16, depths=[2], num_heads=[2], window_size=4),
    "resnet": image("ResNetModel", "ResNet", "pooler_output", embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"),
    "convnext": image("ConvNextV2Model", "ConvNextV2", "pooler_output", num_stages=4, **PYRAMID),
    "clip": image("CLIPVisionModel", "CLIPVision", "pooler_output", fixed=True, **VIT),
    "siglip": image("SiglipVisionModel", "SiglipVision", "pooler_output", fixed=True, **VIT),
    # detection
    "yolos": image("YolosForObjectDetection", "Yolos", "logits pred_boxes", fixed=True, **VIT | {"image_size": [32, 32], "num_detection_tokens": 5}),
    # speech
    "wav2vec2": audio("Wav2Vec2Model", "Wav2Vec2", **SPEECH),
    "hubert": audio("HubertModel", "Hubert", **SPEECH),
    "wavlm": audio("WavLMModel", "WavLM", **SPEECH, num_buckets=16, max_bucket_distance=32),
    "ast": Network(lambda: Pick(hf.ASTModel(hf.ASTConfig(**VIT | {"patch_size": 16}, max_length=64, num_mel_bins=32)), "input_values",
                                "last_hidden_state"),
                   lambda batch, mels=32: (torch.randn(batch, 64, mels),), (2,), (3,), [(0,), (1,), (2,), (3,), (7,), (16,), (33,), (2, 31)]),
    "whisper": Network(lambda: Pick(hf.WhisperForConditionalGeneration(hf.WhisperConfig(
        **BART | {"max_position_embeddings": None}, num_mel_bins=8, max_source_positions=16, max_target_positions=64, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)), "input_features decoder_input_ids", "logits", use_cache=False),
        lambda batch, steps, length=32: (torch.randn(batch, 8, length), ids(batch, steps)), (2, 3), (3, 5),
        [(0, 3), (1, 1), (1, 5), (2, 7), (3, 33), (5, 64), (33, 2), (2, 0), (2, 3, 31)]),
}
