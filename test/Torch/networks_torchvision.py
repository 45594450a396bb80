# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each family of torchvision, small and of random weights."""

import functools

import torch
import torchvision.models as tv
from networks import Network
from torchvision.models import convnext, densenet, efficientnet, mobilenetv3, regnet, swin_transformer, vgg
from torchvision.ops.misc import FrozenBatchNorm2d

#: Sizes of images for networks that divide them by 32.
SMALL = [(0, 64, 64), (1, 64, 64), (2, 65, 97), (1, 32, 33), (3, 31, 64), (1, 1, 1), (1, 128, 95), (5, 47, 48)]


class Out(torch.nn.Module):
    """The result of a network by name, where it has several."""

    def __init__(self, network, name):
        super().__init__()
        self.network, self.name = network, name

    def forward(self, x):
        return self.network(x)[self.name]


def image(make, sizes=None, example=(2, 64, 64), **options):
    options = {"num_classes": 10, **options}
    return Network(lambda: make(**options), lambda batch, height, width: (torch.randn(batch, 3, height, width),),
                   example, (3, 160, 128), sizes or SMALL)


def fixed(make, size, **options):
    options = {"num_classes": 10, **options}
    return Network(lambda: make(**options), lambda batch, height=size: (torch.randn(batch, 3, height, size),), (2,), (3,),
                   [(0,), (1,), (2,), (3,), (5,), (8,), (17,), (2, size + 1)])


def narrow_vgg():
    made = vgg.VGG(vgg.make_layers([8, "M", 8, "M", 16, "M", 16, 16, "M"], batch_norm=True), num_classes=10)
    made.classifier[0] = torch.nn.Linear(16 * 7 * 7, 4096)
    return made


def segments(name, **options):
    def make():
        return Out(getattr(tv.segmentation, name)(weights=None, weights_backbone=None, num_classes=4, **options), "out")
    return Network(make, lambda batch, height, width: (torch.randn(batch, 3, height, width),), (2, 64, 64), (3, 96, 128), SMALL)


NETWORKS = {
    "alexnet": fixed(tv.AlexNet, 64),
    "vgg": image(lambda num_classes: narrow_vgg()),
    "resnet": image(tv.resnet.ResNet, block=tv.resnet.BasicBlock, layers=[1, 1, 1, 1]),
    "resnext": image(tv.resnet.ResNet, block=tv.resnet.Bottleneck, layers=[1, 1, 1, 1], groups=8, width_per_group=2),
    "wide resnet": image(tv.resnet.ResNet, block=tv.resnet.Bottleneck, layers=[1, 1, 1, 1], width_per_group=16,
                         norm_layer=FrozenBatchNorm2d),
    "squeezenet": image(tv.squeezenet1_1),
    "densenet": image(densenet.DenseNet, growth_rate=4, block_config=(2, 2, 2, 2), num_init_features=8),
    "inception": image(tv.Inception3, [(0, 96, 96), (1, 96, 96), (1, 75, 75), (2, 101, 83), (1, 74, 75), (1, 1, 1), (1, 128, 95), (3, 79, 80)],
                       example=(2, 96, 96), transform_input=True, init_weights=False),
    "googlenet": image(tv.GoogLeNet, transform_input=True, init_weights=False),
    "mobilenet v2": image(tv.MobileNetV2, width_mult=0.25),
    "mobilenet v3": image(lambda num_classes: mobilenetv3.MobileNetV3(
        *mobilenetv3._mobilenet_v3_conf("mobilenet_v3_small", width_mult=0.25), num_classes=num_classes)),
    "shufflenet": image(tv.ShuffleNetV2, stages_repeats=[2, 2, 2], stages_out_channels=[8, 16, 32, 64, 128]),
    "mnasnet": image(tv.MNASNet, alpha=0.25),
    "efficientnet": image(lambda num_classes: efficientnet.EfficientNet(
        [efficientnet.MBConvConfig(1, 3, 1, 8, 8, 1), efficientnet.MBConvConfig(4, 5, 2, 8, 16, 2)], 0.2, 0.2, num_classes=num_classes)),
    "efficientnet v2": image(lambda num_classes: efficientnet.EfficientNet(
        [efficientnet.FusedMBConvConfig(1, 3, 1, 8, 8, 1), efficientnet.FusedMBConvConfig(4, 3, 2, 8, 16, 1),
         efficientnet.MBConvConfig(4, 3, 2, 16, 24, 2)], 0.2, 0.2, num_classes=num_classes)),
    "regnet": image(lambda num_classes: regnet.RegNet(regnet.BlockParams.from_init_params(
        depth=4, w_0=16, w_a=16.0, w_m=2.0, group_width=8, se_ratio=0.25), num_classes=num_classes)),
    "convnext": image(convnext.ConvNeXt, block_setting=[convnext.CNBlockConfig(8, 16, 1), convnext.CNBlockConfig(16, 32, 2),
                                                        convnext.CNBlockConfig(32, None, 1)]),
    "vit": fixed(tv.VisionTransformer, 32, image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64),
    "swin": fixed(swin_transformer.SwinTransformer, 32, patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4]),
    "swin v2": image(functools.partial(swin_transformer.SwinTransformer, block=swin_transformer.SwinTransformerBlockV2,
                                       downsample_layer=swin_transformer.PatchMergingV2),
                     [*SMALL, (1, 128, 128), (2, 40, 72), (1, 16, 16)], patch_size=[4, 4], embed_dim=16, depths=[2],
                     num_heads=[2], window_size=[4, 4]),
    "maxvit": fixed(tv.MaxVit, 64, input_size=(64, 64), stem_channels=8, partition_size=4, block_channels=[8, 16], block_layers=[1, 1],
                    head_dim=8, stochastic_depth_prob=0.1),
    "fcn": segments("fcn_resnet50"),
    "lraspp": segments("lraspp_mobilenet_v3_large"),
}
