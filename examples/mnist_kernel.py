"""Ten kernel Perceptrons learn to tell handwritten digits apart, in one pass.

    python examples/mnist_kernel.py FOLDER [--plain]

FOLDER holds MNIST: `train-images-idx3-ubyte.gz` and `train-labels-idx1-ubyte.gz`. The
first 10,000 digits are played in the order of the file. Each digit has a learner that
says "it is mine" or not; the one with the largest score decides, and before it is told
the truth. The kernel is the polynomial (x . z)^4.

Each image is prepared on its own: sheared until it stands upright, smoothed, its mean
subtracted, scaled to length 1. With --plain it is only scaled to length 1.
"""

import argparse
import gzip
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.linear import KernelPerceptron

Images = NDArray[np.float64]
DIGITS = 10


def read(path: Path) -> NDArray[np.uint8]:
    """Read a file of MNIST's format."""
    content = gzip.decompress(path.read_bytes())
    sizes = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(sizes)


def upright(images: Images) -> Images:
    """Shear each image along its rows until its pixels do not lean to a side."""
    width = images.shape[2]
    row, column = np.mgrid[: images.shape[1], :width].astype(float)
    mass = images.sum((1, 2))
    above = row - ((images * row).sum((1, 2)) / mass)[:, None, None]
    lean = (images * above * column).sum((1, 2)) / (images * above**2).sum((1, 2))
    source = column + lean[:, None, None] * above
    left = np.floor(source).astype(int)
    part = source - left
    padded = np.pad(images, ((0, 0), (0, 0), (width, width)))

    def pixels(at: NDArray[np.int_]) -> Images:
        inside = np.clip(at + width, 0, 3 * width - 1)
        return np.take_along_axis(padded, inside, axis=2)

    return (1 - part) * pixels(left) + part * pixels(left + 1)


def smooth(images: Images) -> Images:
    """Average each pixel with its neighbours, weights 1 2 1 in each direction."""
    for axis in (1, 2):
        beside = np.roll(images, 1, axis) + np.roll(images, -1, axis)
        images = images / 2 + beside / 4
    return images


def prepare(images: NDArray[np.uint8], *, plain: bool) -> Images:
    """Return a row of length 1 for each image."""
    pixels = images / 255
    if not plain:
        pixels = smooth(upright(pixels))
        pixels -= pixels.mean((1, 2), keepdims=True)
    rows = pixels.reshape(len(pixels), -1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def play(rows: Images, labels: NDArray[Any]) -> tuple[NDArray[np.bool_], list[int]]:
    """Return which rounds the largest score got wrong, and each learner's mistakes."""
    learners = [
        KernelPerceptron("polynomial", degree=4, gamma=1.0, offset=0.0)
        for _ in range(DIGITS)
    ]
    wrong = np.zeros(len(labels), dtype=np.bool_)
    for t, (row, label) in enumerate(zip(rows, labels, strict=True)):
        scores = [learner.score_one(row) for learner in learners]
        wrong[t] = np.argmax(scores) != label
        for digit, learner in enumerate(learners):
            # A kernel Perceptron that is right learns nothing: no need to tell it.
            if (scores[digit] >= 0) != (digit == label):
                learner.learn_one(row, digit == label)
        if t % 1000 == 999:
            print(f"\r{t + 1} digits, {wrong.sum()} wrong", end="", file=sys.stderr)
    print(file=sys.stderr)
    return wrong, [learner.updates_ for learner in learners]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    images = read(asked.folder / "train-images-idx3-ubyte.gz")[:10_000]
    labels = read(asked.folder / "train-labels-idx1-ubyte.gz")[:10_000]
    rows = prepare(images, plain=asked.plain)
    began = time.process_time()
    wrong, mistakes = play(rows, labels)
    spent = time.process_time() - began
    print(f"wrong: {wrong.mean():.2%}, of the last 5,000 {wrong[5000:].mean():.2%}")
    print("each learner:", ", ".join(f"{m / len(wrong):.2%}" for m in mistakes))
    print(f"{sum(mistakes):,} mistakes kept, {spent:.1f} s of CPU")


if __name__ == "__main__":
    main()
