"""Random textures, normal maps and environments."""

from __future__ import annotations

import struct
import zlib

import numpy as np

Rng = np.random.Generator


def png(image: np.ndarray) -> bytes:
    """Encodes an RGB image with values in [0, 1] as an 8-bit PNG, without a change of the values."""
    height, width, _ = image.shape
    pixels = (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8).reshape(height, -1)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels], 1).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def fractal_noise(rng: Rng, height: int, width: int, octaves: int = 5, first: int = 4) -> np.ndarray:
    """Returns tileable fractal value noise with values in [0, 1]."""
    total = np.zeros((height, width))
    for octave in range(octaves):
        cells = first << octave
        if cells > min(height, width):
            break
        lattice = rng.random((cells, cells))
        y, x = np.arange(height) * cells / height, np.arange(width) * cells / width
        fy, fx = (y % 1)[:, None], (x % 1)[None, :]
        fy, fx = fy * fy * (3 - 2 * fy), fx * fx * (3 - 2 * fx)
        y0, x0 = y.astype(int), x.astype(int)
        y1, x1 = (y0 + 1) % cells, (x0 + 1) % cells
        rows0 = lattice[y0][:, x0] * (1 - fx) + lattice[y0][:, x1] * fx
        rows1 = lattice[y1][:, x0] * (1 - fx) + lattice[y1][:, x1] * fx
        total += (rows0 * (1 - fy) + rows1 * fy) * 0.5**octave
    low, high = total.min(), total.max()
    return (total - low) / max(high - low, 1e-9)


def pattern(rng: Rng, size: int) -> np.ndarray:
    """Returns a random scalar pattern with values in [0, 1]."""
    y, x = np.mgrid[0:size, 0:size] / size
    kind = rng.integers(8)
    count = int(rng.choice([2, 4, 8, 16, 32]))
    if kind == 0:
        return ((x * count).astype(int) + (y * count).astype(int)) % 2 * 1.0
    if kind == 1:
        return (x * count % 1 < rng.uniform(0.1, 0.9)) * 1.0
    if kind == 2:
        row = (y * 2 * count).astype(int)
        inside = ((x * count + row % 2 * 0.5) % 1 > 0.06) & (y * 2 * count % 1 > 0.12)
        return inside * (0.5 + 0.5 * fractal_noise(rng, size, size))
    if kind == 3:
        rings = fractal_noise(rng, size, size, 3) * rng.uniform(3, 20)
        return rings % 1
    if kind == 4:
        points = rng.random((count * 2, 2))
        offsets = np.abs(np.stack([y, x], -1)[:, :, None] - points)
        distances = np.sort(np.linalg.norm(np.minimum(offsets, 1 - offsets), axis=-1), axis=-1)
        return np.clip((distances[..., 1] - distances[..., 0]) * count, 0, 1)
    if kind == 5:
        glyphs = rng.random((count * 2, count * 4)) < 0.45
        glyphs[::3] = False
        return np.kron(glyphs, np.ones((size // (count * 2), size // (count * 4))))[:size, :size] * 1.0
    if kind == 6:
        return (fractal_noise(rng, size, size) > rng.uniform(0.3, 0.7)) * 1.0
    return fractal_noise(rng, size, size, int(rng.integers(2, 8)), int(rng.choice([2, 4, 16])))


def random_color(rng: Rng, low: float = 0.03, high: float = 0.9) -> np.ndarray:
    """Returns a colour whose channels are correlated, so that most colours are not saturated."""
    saturation = rng.random() ** 2
    grey = rng.uniform(low, high)
    return np.clip(grey * (1 - saturation) + rng.uniform(low, high, 3) * saturation, 0, 1)


def color_texture(rng: Rng, size: int = 256) -> np.ndarray:
    """Returns an sRGB texture that mixes random colours by random patterns."""
    image = np.broadcast_to(random_color(rng), (size, size, 3))
    for _ in range(int(rng.integers(1, 4))):
        weight = _fit(pattern(rng, size), size)[..., None] * rng.uniform(0.3, 1)
        image = image * (1 - weight) + random_color(rng) * weight
    return image


def scalar_texture(rng: Rng, size: int = 256) -> np.ndarray:
    """Returns a pattern between two random values."""
    low, high = np.sort(rng.random(2))
    return low + (high - low) * _fit(pattern(rng, size), size)


def normal_map(rng: Rng, size: int = 256) -> np.ndarray:
    """Returns a tangent-space normal map of a random height pattern."""
    height = _fit(pattern(rng, size), size) * rng.uniform(0.5, 4) + fractal_noise(rng, size, size, 6)
    slope_x = np.roll(height, -1, 1) - np.roll(height, 1, 1)
    slope_y = np.roll(height, -1, 0) - np.roll(height, 1, 0)
    normal = np.stack([-slope_x * 2, slope_y * 2, np.ones_like(height)], -1)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True) * 0.5 + 0.5


def _fit(image: np.ndarray, size: int) -> np.ndarray:
    return np.pad(image, ((0, size - image.shape[0]), (0, size - image.shape[1])), "wrap")


def sky(rng: Rng, height: int = 256) -> np.ndarray:
    """Returns a latitude-longitude map of a sky with clouds and, in most cases, a sun disc of a few texels."""
    width = 2 * height
    elevation = (0.5 - (np.arange(height) + 0.5) / height) * np.pi
    up = np.sin(elevation)[:, None, None]
    zenith = np.array([0.15, 0.3, 0.8]) * rng.uniform(0.3, 1.2) + rng.uniform(0, 0.15, 3)
    horizon = np.array([0.8, 0.85, 0.9]) * rng.uniform(0.4, 1.2) + rng.uniform(0, 0.3, 3) * [1, 0.6, 0.3]
    gradient = np.clip(up, 0, 1) ** rng.uniform(0.3, 0.9)
    radiance = np.where(up > 0, horizon + (zenith - horizon) * gradient, random_color(rng, 0.02, 0.4))
    radiance = np.broadcast_to(radiance, (height, width, 3)).copy()
    cover = np.clip((fractal_noise(rng, height, width, 6) - rng.uniform(0.2, 0.9)) * 3, 0, 1)[..., None]
    radiance += np.where(up > 0.02, cover * (rng.uniform(0.5, 1.5) - radiance), 0)
    if rng.random() < 0.8:
        row = int(height * (0.5 - rng.uniform(0.03, 0.45)))
        column, size = int(rng.integers(width - 4)), int(rng.choice([1, 2, 3]))
        brightness = rng.uniform(2, 40) * 20000 / (size * size) / (height / 256) ** 2 / 8
        radiance[row : row + size, column : column + size] = brightness * (1 - rng.uniform(0, 0.5, 3) * [0, 0.5, 1])
    return radiance * np.exp(rng.normal() * 0.5)


def studio(rng: Rng, height: int = 128) -> np.ndarray:
    """Returns a latitude-longitude map of a dim surround with a few soft boxes."""
    width = 2 * height
    radiance = np.ones((height, width, 3)) * random_color(rng, 0.01, 0.3)
    for _ in range(int(rng.integers(1, 6))):
        h, w = int(rng.integers(2, height // 3)), int(rng.integers(2, width // 5))
        top, left = int(rng.integers(height * 2 // 3 - h)), int(rng.integers(width - w))
        radiance[top : top + h, left : left + w] = random_color(rng, 0.5, 1) * np.exp(rng.uniform(0.5, 4))
    return radiance
