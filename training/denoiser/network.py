"""The denoising network: features of a noisy image, a U-Net that predicts kernels, and the filters that apply them.

Images are tensors of shape (batch, channels, height, width). Radiance is linear Rec.709.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ALBEDO_OFFSET = 0.02
KERNEL = 5
TAPS = KERNEL * KERNEL
FEATURES = 11
LEVELS = 5
MULTIPLE = 32
"""Width and height that the network accepts are multiples of this number."""


@dataclass(frozen=True)
class Size:
    """Widths of the four encoder levels, and the number of convolutions in each block."""

    widths: tuple[int, int, int, int]
    convolutions: int


SIZES = {"final": Size((64, 96, 128, 128), 2), "interactive": Size((32, 48, 64, 64), 1)}


@dataclass
class Frame:
    """Noisy image with its auxiliary channels.

    `depth` is 0 or infinite for a miss. `sigma` is the standard deviation of the mean radiance of a pixel, per colour
    channel; 0 where it is unknown.
    """

    radiance: Tensor
    albedo: Tensor
    normal: Tensor
    depth: Tensor
    sigma: Tensor


def luminance(color: Tensor) -> Tensor:
    """Returns the luminance as one channel."""
    r, g, b = color.unbind(1)
    return (0.2126 * r + 0.7152 * g + 0.0722 * b)[:, None]


def exposure_scale(radiance: Tensor) -> Tensor:
    """Returns the factor that maps the geometric mean of the luminances of 16 × 16 blocks to 0.18, per image."""
    blocks = F.avg_pool2d(luminance(radiance), 16, ceil_mode=True, count_include_pad=False).flatten(1)
    is_lit = blocks > 1e-8
    logs = torch.where(is_lit, blocks.clamp(min=1e-8).log(), 0.0)
    count = is_lit.sum(1)
    scale = 0.18 / (logs.sum(1) / count.clamp(min=1)).exp()
    return torch.where(count > 0, scale, 1.0).view(-1, 1, 1, 1)


def mean_depth(depth: Tensor) -> Tensor:
    """Returns the mean of the finite positive depths, 1 if there are none, per image."""
    is_hit = torch.isfinite(depth) & (depth > 0)
    total = torch.where(is_hit, depth, 0.0).flatten(1).sum(1)
    count = is_hit.flatten(1).sum(1)
    return torch.where(count > 0, total / count.clamp(min=1), 1.0).view(-1, 1, 1, 1)


def features(frame: Frame, exposure: Tensor, depth_mean: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the input channels of the network, and the first three of them: the logarithmic demodulated radiance."""
    log_radiance = torch.log1p(exposure * frame.radiance.clamp(min=0) / (frame.albedo + ALBEDO_OFFSET))
    is_hit = torch.isfinite(frame.depth) & (frame.depth > 0)
    depth = torch.where(is_hit, 1 / (1 + torch.where(is_hit, frame.depth, 1.0) / depth_mean), 0.0)
    noise = torch.log1p(exposure * luminance(frame.sigma) / (luminance(frame.albedo) + ALBEDO_OFFSET))
    noise = noise / (1 + luminance(log_radiance))
    return torch.cat([log_radiance, frame.albedo, frame.normal, depth, noise], 1), log_radiance


def remodulate(log_radiance: Tensor, albedo: Tensor) -> Tensor:
    """Returns the radiance, times the exposure scale, of a logarithmic demodulated radiance."""
    return torch.expm1(log_radiance) * (albedo + ALBEDO_OFFSET)


def filter_level(image: Tensor, log_weight: Tensor, logits: Tensor) -> Tensor:
    """Returns the weighted mean of the 5 × 5 pixels around each pixel.

    The weights are the softmax of the sums of the kernel `logits` of the pixel and the `log_weight` of its neighbours.
    """
    height, width = image.shape[-2:]
    padded = F.pad(torch.cat([image, log_weight], 1), (2, 2, 2, 2), "replicate")
    windows = F.unfold(padded, KERNEL).unflatten(2, (height, width)).unflatten(1, (4, TAPS))
    weights = torch.softmax(logits + windows[:, 3], 1)
    return (windows[:, :3] * weights[:, None]).sum(2)


def downsample(image: Tensor, log_weight: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the weighted means of 2 × 2 blocks, and the logarithms of the mean weights."""
    values = F.pixel_unshuffle(image, 2).unflatten(1, (3, 4))
    logs = F.pixel_unshuffle(log_weight, 2)
    mean = (values * torch.softmax(logs, 1)[:, None]).sum(2)
    return mean, torch.logsumexp(logs, 1, keepdim=True) - math.log(4)


def _block(inputs: int, outputs: int, convolutions: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for index in range(convolutions):
        layers += [nn.Conv2d(inputs if index == 0 else outputs, outputs, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*layers)


class Denoiser(nn.Module):
    """U-Net at half resolution. Its heads predict kernels, blend factors and confidences of a pyramid of filters."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        c0, c1, c2, c3 = size.widths
        count = size.convolutions
        self.encoders = nn.ModuleList(
            _block(a, b, count) for a, b in [(4 * FEATURES, c0), (c0, c1), (c1, c2), (c2, c3)]
        )
        self.decoders = nn.ModuleList(_block(a, b, count) for a, b in [(c3 + c2, c2), (c2 + c1, c1), (c1 + c0, c0)])
        outputs = [(c0, 4 * (TAPS + 2)), (c0, TAPS + 1), (c1, TAPS + 1), (c2, TAPS + 1), (c3, TAPS)]
        self.heads = nn.ModuleList(nn.Conv2d(a, b, 1) for a, b in outputs)
        for head in self.heads:
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)

    def convolutions(self) -> Iterator[nn.Conv2d]:
        """Iterates over the convolutions in the order of the file of weights."""
        for block in [*self.encoders, *self.decoders]:
            yield from (layer for layer in block if isinstance(layer, nn.Conv2d))
        yield from self.heads

    def predict(self, inputs: Tensor, mixed: bool) -> list[Tensor]:
        """Returns the outputs of the heads, from full resolution to 1/16. `mixed` runs the blocks in bfloat16."""
        with torch.autocast(inputs.device.type, torch.bfloat16, enabled=mixed):
            x = F.pixel_unshuffle(inputs, 2)
            skips: list[Tensor] = []
            for index, encoder in enumerate(self.encoders):
                x = encoder(F.avg_pool2d(x, 2) if index > 0 else x)
                skips.append(x)
            decoded = [x]
            for decoder, skip in zip(self.decoders, reversed(skips[:-1])):
                x = decoder(torch.cat([F.interpolate(x, scale_factor=2, mode="nearest"), skip], 1))
                decoded.append(x)
        e3, d2, d1, d0 = (value.float() for value in decoded)
        h0, h1, h2, h3, h4 = (head(value) for head, value in zip(self.heads, (d0, d0, d1, d2, e3)))
        return [F.pixel_shuffle(h0, 2), h1, h2, h3, h4]

    def forward(self, inputs: Tensor, log_radiance: Tensor, mixed: bool = False) -> Tensor:
        """Returns the denoised logarithmic demodulated radiance; width and height are multiples of 32."""
        heads = self.predict(inputs, mixed)
        image, log_weight = log_radiance, heads[0][:, TAPS + 1 :].clamp(-12, 4)
        filtered = []
        for level, head in enumerate(heads):
            if level > 0:
                image, log_weight = downsample(image, log_weight)
            filtered.append(filter_level(image, log_weight, head[:, :TAPS]))
        result = filtered[-1]
        for level in reversed(range(LEVELS - 1)):
            blend = torch.sigmoid(heads[level][:, TAPS : TAPS + 1])
            coarser = F.interpolate(result, scale_factor=2, mode="bilinear", align_corners=False)
            result = blend * filtered[level] + (1 - blend) * coarser
        return result


def reflected(size: int) -> Tensor:
    """Returns the pixels of a row that is continued by reflection to a multiple of what the network needs."""
    period = max(2 * (size - 1), 1)
    at = torch.arange(size + -size % MULTIPLE) % period
    return torch.where(at < size, at, period - at)


def denoise(network: Denoiser, frame: Frame, mixed: bool = False) -> Tensor:
    """Returns the denoised radiance of images of any size."""
    height, width = frame.radiance.shape[-2:]
    exposure = exposure_scale(frame.radiance)
    inputs, log_radiance = features(frame, exposure, mean_depth(frame.depth))
    rows, columns = (reflected(size).to(inputs.device) for size in (height, width))
    inputs, log_radiance = (x[..., rows[:, None], columns] for x in (inputs, log_radiance))
    result = network(inputs, log_radiance, mixed)[..., :height, :width]
    return remodulate(result, frame.albedo) / exposure
