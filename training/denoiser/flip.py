"""FLIP, the perceived difference of two images (Andersson et al. 2020), as a differentiable function.

Images are linear Rec.709 with values in [0, 1], of shape (batch, 3, height, width). The viewer sees 67 pixels per
degree.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

PIXELS_PER_DEGREE = 3840 * math.pi / 180
"""Resolution of a screen 0.7 m wide, of 3,840 pixels, seen from 0.7 m."""
_EPSILON = 1e-5
"""Added below square roots, so that their derivatives are bounded."""
_COLOR_EXPONENT, _COLOR_KNEE, _COLOR_AT_KNEE = 0.7, 0.4, 0.95
_FEATURE_WIDTH = 0.082


def _to_relative_xyz() -> Tensor:
    """Returns the matrix from linear Rec.709 to XYZ divided by that of white."""
    to_xyz = torch.tensor(
        [
            [10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794],
            [2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897],
            [1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382],
        ]
    )
    return to_xyz / to_xyz.sum(1, keepdim=True)


def _contrast_sensitivity() -> tuple[Tensor, Tensor]:
    """Returns the normalised Gaussians of Y, Cx and the two of Cz, and the weights of the last two."""
    radius = math.ceil(3 * math.sqrt(0.04 / (2 * math.pi**2)) * PIXELS_PER_DEGREE)
    squares = (torch.arange(-radius, radius + 1) / PIXELS_PER_DEGREE) ** 2
    widths = torch.tensor([0.0047, 0.0053, 0.04, 0.025])
    gaussians = torch.exp(-(math.pi**2) * squares / widths[:, None])
    sums = gaussians.sum(1)
    weights = torch.tensor([34.1, 13.5]) * (math.pi / widths[2:]).sqrt() * sums[2:] ** 2
    return gaussians / sums[:, None], weights / weights.sum()


def _feature_kernels() -> tuple[Tensor, Tensor]:
    """Returns kernels along x and y of the edges and the points along both axes."""
    deviation = 0.5 * _FEATURE_WIDTH * PIXELS_PER_DEGREE
    radius = math.ceil(3 * deviation)
    x = torch.arange(-radius, radius + 1).float()
    gaussian = torch.exp(-(x**2) / (2 * deviation**2))
    edge, point = -x * gaussian, (x**2 / deviation**2 - 1) * gaussian
    gaussian = gaussian / gaussian.sum()
    edge, point = (k / torch.where(k > 0, k.clamp(min=0).sum(), (-k).clamp(min=0).sum()) for k in (edge, point))
    return torch.stack([edge, gaussian, point, gaussian]), torch.stack([gaussian, edge, gaussian, point])


def _band_matrices(kernels: Tensor, size: int) -> Tensor:
    """Returns matrices that filter rows of `size` pixels by each kernel; pixels outside repeat the border."""
    taps = kernels.shape[1]
    output = torch.arange(size, device=kernels.device)[:, None]
    source = (output + torch.arange(taps, device=kernels.device) - taps // 2).clamp(0, size - 1)
    matrices = torch.zeros(len(kernels), size, size, device=kernels.device)
    return matrices.scatter_add_(2, source.expand(len(kernels), -1, -1), kernels[:, None].expand(-1, size, -1))


def _separable(image: Tensor, along_x: Tensor, along_y: Tensor) -> Tensor:
    """Filters each channel by the product of two kernels, one row of `along_x` and `along_y` per channel."""
    height, width = image.shape[-2:]
    return _band_matrices(along_y, height) @ image @ _band_matrices(along_x, width).mT


def _hyab(a: Tensor, b: Tensor) -> Tensor:
    difference = a - b
    return difference[:, 0].abs() + (difference[:, 1:].square().sum(1) + _EPSILON).sqrt()


class Flip(nn.Module):
    """FLIP error of each pixel."""

    to_xyz: Tensor
    from_xyz: Tensor
    gaussians: Tensor
    blue_yellow: Tensor
    features_x: Tensor
    features_y: Tensor

    def __init__(self) -> None:
        super().__init__()
        to_xyz = _to_relative_xyz()
        self.register_buffer("to_xyz", to_xyz)
        self.register_buffer("from_xyz", torch.linalg.inv(to_xyz))
        for name, value in zip(("gaussians", "blue_yellow"), _contrast_sensitivity()):
            self.register_buffer(name, value)
        for name, value in zip(("features_x", "features_y"), _feature_kernels()):
            self.register_buffer(name, value)
        green, blue = torch.eye(3)[1:].view(2, 1, 3, 1, 1)
        self.largest = float(_hyab(self._to_hunt_lab(green), self._to_hunt_lab(blue))) ** _COLOR_EXPONENT

    def forward(self, test: Tensor, reference: Tensor) -> Tensor:
        """Returns the errors of linear images with values in [0, 1]."""
        test, reference = self._to_opponent(test), self._to_opponent(reference)
        color = self._color_error(test, reference).clamp(min=_EPSILON)
        return color ** (1 - self._feature_error(test, reference))

    def _to_opponent(self, linear: Tensor) -> Tensor:
        x, y, z = torch.einsum("ij,bjhw->bihw", self.to_xyz, linear).unbind(1)
        return torch.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], 1)

    def _to_hunt_lab(self, linear: Tensor) -> Tensor:
        """Returns CIELab with chroma scaled by lightness (Hunt effect)."""
        ratios = torch.einsum("ij,bjhw->bihw", self.to_xyz, linear)
        delta = 6 / 29
        roots = ratios.clamp(min=delta**3) ** (1 / 3)
        x, y, z = torch.where(ratios > delta**3, roots, ratios / (3 * delta**2) + 4 / 29).unbind(1)
        lightness = 116 * y - 16
        return torch.stack([lightness, 5 * lightness * (x - y), 2 * lightness * (y - z)], 1)

    def _perceived(self, opponent: Tensor) -> Tensor:
        """Returns the colours after the blur of the eye."""
        luma, red_green, broad, narrow = _separable(opponent[:, [0, 1, 2, 2]], self.gaussians, self.gaussians).unbind(1)
        y = (luma + 16) / 116
        z = y - (self.blue_yellow[0] * broad + self.blue_yellow[1] * narrow) / 200
        linear = torch.einsum("ij,bjhw->bihw", self.from_xyz, torch.stack([y + red_green / 500, y, z], 1))
        return self._to_hunt_lab(linear.clamp(0, 1))

    def _color_error(self, test: Tensor, reference: Tensor) -> Tensor:
        knee = _COLOR_KNEE * self.largest
        error = _hyab(self._perceived(test), self._perceived(reference)) ** _COLOR_EXPONENT
        above = _COLOR_AT_KNEE + (error - knee) / (self.largest - knee) * (1 - _COLOR_AT_KNEE)
        return torch.where(error < knee, _COLOR_AT_KNEE / knee * error, above)

    def _feature_error(self, test: Tensor, reference: Tensor) -> Tensor:
        edges, points = zip(*(self._features(image) for image in (test, reference)))
        largest = torch.maximum((edges[0] - edges[1]).abs(), (points[0] - points[1]).abs())
        return (largest / math.sqrt(2) + _EPSILON).sqrt()

    def _features(self, opponent: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the magnitudes of edges and of points."""
        luma = (opponent[:, :1] + 16) / 116
        responses = _separable(luma.expand(-1, 4, -1, -1), self.features_x, self.features_y)
        squares = responses.square() + _EPSILON / 2
        return (squares[:, 0] + squares[:, 1]).sqrt(), (squares[:, 2] + squares[:, 3]).sqrt()
