# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifies images of any size with an ONNX model: the most likely classes of each.

    classify.py MODEL LABELS.txt IMAGE.npy... [--top=3]

MODEL takes images as batch x 3 x height x width f32 and gives a score for each class; an image is height x width x 3
u8, as Pillow or OpenCV read it. Images of one size are one batch; all are calls of one program.
"""

import argparse
import collections

import numpy as np
import symshape

MEAN, DEVIATION = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])  # of ImageNet


def prepare(image):
    """As the networks of torchvision were trained."""
    return ((np.float32(image) / 255 - MEAN) / DEVIATION).transpose(2, 0, 1)


def classify(program, images):
    """The probabilities of the classes, image by image, in order."""
    groups = collections.defaultdict(list)
    for number, image in enumerate(images):
        groups[image.shape].append(number)
    found = {}
    for numbers in groups.values():
        (scores,) = program(np.stack([prepare(images[n]) for n in numbers]))
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        found.update(zip(numbers, powers / powers.sum(axis=1, keepdims=True)))
    return [found[number] for number in range(len(images))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("labels")
    parser.add_argument("images", nargs="+")
    parser.add_argument("--top", type=int, default=3)
    args = parser.parse_args()
    program = symshape.load(args.model)
    with open(args.labels, encoding="utf-8") as file:
        labels = file.read().splitlines()
    for path, shares in zip(args.images, classify(program, [np.load(path) for path in args.images])):
        best = np.argsort(-shares)[:args.top]
        print(f"{path}: " + ", ".join(f"{labels[n]} {100 * shares[n]:.1f} %" for n in best))


if __name__ == "__main__":
    main()
