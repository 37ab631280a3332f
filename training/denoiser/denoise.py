"""Denoises an image of `sunfleck render --filter box --aovs features,variance` with PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import OpenEXR
import torch

from network import SIZES, Frame, denoise
from views import read_layers
from weights import read_weights


def read_frame(path: Path) -> Frame:
    """Reads a noisy image with its auxiliary channels."""
    layers = read_layers(path)

    def plane(name: str) -> torch.Tensor:
        values = layers[name]
        return torch.from_numpy(values.reshape(*values.shape[:2], -1)).permute(2, 0, 1)[None]

    return Frame(*(plane(name) for name in ("radiance", "albedo", "normal", "depth", "sigma")))


def main() -> None:
    """Denoises one image."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", choices=sorted(SIZES), help="size of the network")
    parser.add_argument("weights", type=Path, help="file of weights")
    parser.add_argument("input", type=Path, help="EXR image with the layers features and variance")
    parser.add_argument("output", type=Path, help="EXR image to write")
    arguments = parser.parse_args()
    network = read_weights(arguments.size, arguments.weights)
    with torch.inference_mode():
        result = denoise(network, read_frame(arguments.input))[0].permute(1, 2, 0).numpy()
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, {"RGB": np.ascontiguousarray(result)}).write(str(arguments.output))


if __name__ == "__main__":
    main()
