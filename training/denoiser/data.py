"""Training views on the GPU, and random augmented crops of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from network import Frame, exposure_scale, mean_depth

HELD_OUT = 16
"""One of this number of scene variants is held out for validation."""


def to_frame(channels: Tensor) -> Frame:
    """Splits 13 channels in the last dimension, as `views.pack_input` orders them, into a frame."""
    planes = channels.float().movedim(-1, 1)
    return Frame(*planes.split([3, 3, 3, 1, 3], 1))


@dataclass
class Views:
    """Views with several noisy inputs each, as half floats on one device.

    `inputs` has the shape (views, inputs per view, height, width, 13), `references` (views, height, width, 3).
    `exposures` and `depth_means` are those of the whole inputs.
    """

    names: list[str]
    inputs: Tensor
    references: Tensor
    exposures: Tensor
    depth_means: Tensor

    @classmethod
    def load(cls, paths: list[Path], device: str) -> Views:
        """Reads the files of `views.py`; views with values that are not finite are left out."""

        def read(path: Path) -> tuple[str, np.ndarray, np.ndarray] | None:
            with np.load(path) as arrays:
                reference, inputs = arrays["reference"], arrays["inputs"]
            radiance = inputs[..., [0, 1, 2, 10, 11, 12]]
            is_finite = np.isfinite(reference).all() and np.isfinite(radiance).all()
            return (path.stem, inputs, reference) if is_finite else None

        with ThreadPoolExecutor(16) as pool:
            views = [view for view in pool.map(read, paths) if view is not None]
        inputs = torch.stack([torch.from_numpy(view[1]).to(device) for view in views])
        references = torch.stack([torch.from_numpy(view[2]).to(device) for view in views])
        exposures, depth_means = [], []
        for view in inputs:
            frame = to_frame(view)
            exposures.append(exposure_scale(frame.radiance).flatten())
            depth_means.append(mean_depth(frame.depth).flatten())
        names = [view[0] for view in views]
        return cls(names, inputs, references, torch.stack(exposures), torch.stack(depth_means))


def split(folder: Path) -> tuple[list[Path], list[Path]]:
    """Returns the files for training and for validation; all views of one scene variant are on the same side."""
    paths = sorted(folder.glob("*.npz"))
    held_out = [path for path in paths if int(path.stem.split("-")[0]) % HELD_OUT == 0]
    return [path for path in paths if path not in set(held_out)], held_out


@dataclass
class Batch:
    """Crops: noisy frames, the exposure scale and mean depth of their images, and the reference radiance."""

    frame: Frame
    exposure: Tensor
    depth_mean: Tensor
    reference: Tensor


class Sampler:
    """Draws crops with random flips, transpositions, permutations of colours and axes, exposures and bright samples."""

    def __init__(self, views: Views, crop: int, seed: int) -> None:
        self.views, self.crop = views, crop
        self.device = views.inputs.device
        self.random = torch.Generator(self.device).manual_seed(seed)

    def _uniform(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.random, device=self.device)

    def _integers(self, high: int, count: int) -> Tensor:
        return torch.randint(high, (count,), generator=self.random, device=self.device)

    def _pixels(self, count: int) -> Tensor:
        """Returns indices of the pixels of random crops in flattened images, flipped and transposed at random."""
        height, width = self.views.references.shape[1:3]
        steps = torch.arange(self.crop, device=self.device)
        reverse = self._uniform(2, count, 1) < 0.5
        top, left = self._integers(height - self.crop + 1, count), self._integers(width - self.crop + 1, count)
        rows = top[:, None] + torch.where(reverse[0], self.crop - 1 - steps, steps)
        columns = left[:, None] + torch.where(reverse[1], self.crop - 1 - steps, steps)
        transpose = self._uniform(count, 1, 1) < 0.5
        rows = torch.where(transpose, rows[:, None, :], rows[:, :, None])
        columns = torch.where(transpose, columns[:, :, None], columns[:, None, :])
        return rows * width + columns

    def _axes(self, count: int) -> Tensor:
        """Returns random matrices that permute and negate the axes of space."""
        order = self._uniform(count, 3).argsort(1)
        signs = (self._uniform(count, 3, 1) < 0.5) * 2.0 - 1
        return torch.nn.functional.one_hot(order, 3) * signs

    def _add_fireflies(self, frame: Frame, exposure: Tensor) -> None:
        """Adds isolated bright samples to a quarter of the crops."""
        count, _, height, width = frame.radiance.shape
        density = 10 ** (-2 - 2 * self._uniform(count, 1, 1, 1)) * (self._uniform(count, 1, 1, 1) < 0.25)
        is_bright = self._uniform(count, 1, height, width) < density
        color = 0.5 + self._uniform(count, 3, 1, 1)
        brightness = torch.exp(1 + 5 * self._uniform(count, 1, height, width)) * 0.18 / exposure
        added = is_bright * brightness * color
        is_known = (frame.sigma.flatten(1).amax(1) > 0).view(-1, 1, 1, 1)
        frame.radiance = frame.radiance + added
        frame.sigma = frame.sigma + added * is_known

    def display_factors(self, count: int) -> Tensor:
        """Returns random factors from exposed radiance to display values, around 1.35."""
        normal = torch.randn((count, 1, 1, 1), generator=self.random, device=self.device)
        return torch.exp(0.3 + 0.5 * normal)

    def draw(self, count: int) -> Batch:
        """Returns a batch of crops."""
        views = self.views
        view, index = self._integers(len(views.inputs), count), self._integers(views.inputs.shape[1], count)
        pixels = self._pixels(count)
        samples = views.inputs.flatten(2, 3)[view[:, None, None], index[:, None, None], pixels]
        reference = views.references.flatten(1, 2)[view[:, None, None], pixels].float().movedim(-1, 1)
        frame = to_frame(samples)
        colors = self._uniform(count, 3).argsort(1).view(count, 3, 1, 1).expand_as(reference)
        reference = reference.gather(1, colors)
        frame.radiance, frame.albedo = frame.radiance.gather(1, colors), frame.albedo.gather(1, colors)
        frame.sigma = frame.sigma.gather(1, colors) * (self._uniform(count, 1, 1, 1) > 0.1)
        frame.normal = torch.einsum("bij,bjhw->bihw", self._axes(count), frame.normal)
        normal = torch.randn(count, generator=self.random, device=self.device)
        exposure = (views.exposures[view, index] * torch.exp(0.4 * normal)).view(-1, 1, 1, 1)
        self._add_fireflies(frame, exposure)
        return Batch(frame, exposure, views.depth_means[view, index].view(-1, 1, 1, 1), reference)
