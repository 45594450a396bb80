# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds lines of text in images of any size with a detector such as PP-OCR's: a box for each.

    detect_text.py MODEL IMAGE.npy...

MODEL takes images as batch x 3 x height x width f32, of multiples of 32, and gives the probability of text for each
pixel; an image is height x width x 3 u8. A box is left, top, right and bottom in pixels. One program serves all sizes.
"""

import argparse
import collections

import numpy as np
import symshape

MEAN, DEVIATION = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])  # of ImageNet


def find_boxes(isText):
    """The bounding boxes of what touches, from the top."""
    left, boxes = set(zip(*map(np.ndarray.tolist, np.nonzero(isText)))), []
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        seen, queue = [start], collections.deque([start])
        while queue:
            y, x = queue.popleft()
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if near in left:
                    left.discard(near)
                    seen.append(near)
                    queue.append(near)
        rows, columns = zip(*seen)
        boxes.append((min(columns), min(rows), max(columns) + 1, max(rows) + 1))
    return boxes


def detect(program, image, least=0.3):
    """The boxes of an image, which is padded with its last row and column to what the model takes."""
    height, width, _ = image.shape
    padded = np.pad(image, ((0, -height % 32), (0, -width % 32), (0, 0)), mode="edge")
    pixels = ((np.float32(padded) / 255 - MEAN) / DEVIATION).transpose(2, 0, 1)
    (shares,) = program(pixels[None])
    return find_boxes(shares[0, 0, :height, :width] > least)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("images", nargs="+")
    args = parser.parse_args()
    program = symshape.load(args.model)
    for path in args.images:
        print(f"{path}: {detect(program, np.load(path))}")


if __name__ == "__main__":
    main()
