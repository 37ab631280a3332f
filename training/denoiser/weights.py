"""Files of weights: half floats in the order of `Denoiser.convolutions`."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import torch

from network import SIZES, Denoiser

_MAGIC, _VERSION = b"SFDN", 1


def write_weights(network: Denoiser, path: Path) -> None:
    """Writes the weights of a network as 16-bit floats."""
    layers = list(network.convolutions())
    with path.open("wb") as file:
        file.write(_MAGIC + struct.pack("<II", _VERSION, len(layers)))
        for layer in layers:
            file.write(struct.pack("<III", layer.out_channels, layer.in_channels, layer.kernel_size[0]))
            for values in (layer.bias, layer.weight):
                file.write(values.detach().cpu().numpy().astype("<f2").tobytes())


def read_weights(name: str, path: Path) -> Denoiser:
    """Returns the network of a size, `final` or `interactive`, with the weights of a file in single precision."""
    network = Denoiser(SIZES[name])
    layers = list(network.convolutions())
    data = path.read_bytes()
    if data[:4] != _MAGIC or struct.unpack_from("<II", data, 4) != (_VERSION, len(layers)):
        raise ValueError(f"{path}: not a file of weights of the network '{name}'")
    offset = 12
    for layer in layers:
        shape = struct.unpack_from("<III", data, offset)
        if shape != (layer.out_channels, layer.in_channels, layer.kernel_size[0]):
            raise ValueError(f"{path}: a layer has the shape {shape}, which is not that of the network '{name}'")
        offset += 12
        for values in (layer.bias, layer.weight):
            count = values.numel()
            half = np.frombuffer(data, "<f2", count, offset).astype(np.float32)
            values.data.copy_(torch.from_numpy(half).view_as(values))
            offset += 2 * count
    return network
