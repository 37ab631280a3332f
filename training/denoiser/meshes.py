"""Triangle meshes of random objects, in metres, y up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator
TAU = 2 * np.pi


@dataclass
class Mesh:
    """Triangles with a position, a normal and a texture coordinate per vertex."""

    positions: np.ndarray
    normals: np.ndarray
    uvs: np.ndarray
    triangles: np.ndarray


def merge(meshes: list[Mesh]) -> Mesh:
    """Returns one mesh with the triangles of all."""
    starts = np.cumsum([0] + [len(m.positions) for m in meshes[:-1]])
    return Mesh(
        np.concatenate([m.positions for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.uvs for m in meshes]),
        np.concatenate([m.triangles + start for m, start in zip(meshes, starts)]),
    )


def parallelogram(corner: np.ndarray, edge_u: np.ndarray, edge_v: np.ndarray) -> Mesh:
    """Returns two triangles whose normal is `edge_u × edge_v`."""
    positions = np.stack([corner, corner + edge_u, corner + edge_u + edge_v, corner + edge_v])
    normal = np.cross(edge_u, edge_v)
    normals = np.tile(normal / np.linalg.norm(normal), (4, 1))
    lengths = np.array([np.linalg.norm(edge_u), np.linalg.norm(edge_v)])
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * lengths
    return Mesh(positions, normals, uvs, np.array([[0, 1, 2], [0, 2, 3]]))


def box(low: np.ndarray, high: np.ndarray, inward: bool = False) -> Mesh:
    """Returns the six faces of a box; normals point outward, or inward for a room."""
    size = high - low
    faces = []
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3] * size, np.eye(3)[(axis + 2) % 3] * size
        far = low + np.eye(3)[axis] * size
        pairs = [(low, v, u), (far, u, v)]
        faces += [parallelogram(corner, b, a) if inward else parallelogram(corner, a, b) for corner, a, b in pairs]
    return merge(faces)


def parametric(surface: Callable[[np.ndarray, np.ndarray], np.ndarray], columns: int, rows: int) -> Mesh:
    """Returns a tessellated surface; `surface` maps u and v in [0, 1] to points. Normals point along dP/du × dP/dv."""
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    step = 1e-4
    along_u = surface(u + step, v) - surface(u - step, v)
    along_v = surface(u, v + step) - surface(u, v - step)
    normals = np.cross(along_u, along_v)
    lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
    normals = np.where(lengths > 1e-12, normals / np.maximum(lengths, 1e-12), [0.0, 1.0, 0.0])
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    above = first + columns + 1
    triangles = np.concatenate([np.stack([first, first + 1, above + 1], -1), np.stack([first, above + 1, above], -1)])
    uvs = np.stack([u, v], -1).reshape(-1, 2)
    return Mesh(surface(u, v).reshape(-1, 3), normals.reshape(-1, 3), uvs, triangles)


def _sphere_direction(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    polar, azimuth = np.pi * np.clip(v, 1e-3, 1 - 1e-3), TAU * u
    return np.stack([np.sin(polar) * np.cos(azimuth), -np.cos(polar), -np.sin(polar) * np.sin(azimuth)], -1)


def sphere(detail: int = 48) -> Mesh:
    """Returns a sphere of radius 1."""
    return parametric(_sphere_direction, detail, detail // 2)


def blob(rng: Rng, detail: int = 96) -> Mesh:
    """Returns a sphere displaced by a few waves."""
    waves = [(rng.normal(size=3) * rng.uniform(1, 6), rng.uniform(0, TAU), rng.uniform(0.02, 0.12)) for _ in range(6)]

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        direction = _sphere_direction(u, v)
        radius = 0.8 + sum(a * np.sin(direction @ k + phase) for k, phase, a in waves)
        return direction * radius[..., None]

    return parametric(surface, detail, detail // 2)


def torus(rng: Rng) -> Mesh:
    """Returns a torus, or a tube along a torus knot, within a radius of about 1."""
    tube = rng.uniform(0.08, 0.35)
    turns, knots = (1, 0) if rng.random() < 0.6 else (2, int(rng.choice([3, 5])))
    center = 0.95 - tube

    def spine(u: np.ndarray) -> np.ndarray:
        angle = TAU * u
        radius = center * (1 - 0.25 * (knots > 0) * (1 - np.cos(knots * angle)))
        height = 0.35 * np.sin(knots * angle)
        return np.stack([radius * np.cos(turns * angle), height, -radius * np.sin(turns * angle)], -1)

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        tangent = spine(u + 1e-3) - spine(u - 1e-3)
        tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)
        side = np.cross(tangent, [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side, axis=-1, keepdims=True)
        up = np.cross(side, tangent)
        angle = -TAU * v[..., None]
        return spine(u) + tube * (0.6 if knots else 1.0) * (np.cos(angle) * side + np.sin(angle) * up)

    return parametric(surface, 160 if knots else 64, 24)


def lathe(rng: Rng) -> Mesh:
    """Returns a vase, column or lamp base: a random profile of height 2 turned about the y axis."""
    radii = rng.uniform(0.15, 0.6, 7)
    radii[[0, -1]] = rng.uniform(0.1, 0.5), rng.uniform(0.0, 0.4)
    flutes = int(rng.choice([0, 0, 0, 8, 16]))

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        v = np.clip(v, 0, 1)
        smooth = (np.sin((v * 6 % 1 - 0.5) * np.pi) + 1) / 2
        lower = np.clip(np.floor(v * 6).astype(int), 0, 5)
        radius = radii[lower] * (1 - smooth) + radii[lower + 1] * smooth
        radius = radius * (1 + 0.05 * np.cos(flutes * TAU * u) * (flutes > 0))
        return np.stack([radius * np.cos(TAU * u), 2 * v - 1, -radius * np.sin(TAU * u)], -1)

    return parametric(surface, 64 if flutes == 0 else 128, 60)


def curtain(rng: Rng) -> Mesh:
    """Returns a folded sheet of about 2 × 2 m in the plane z = 0."""
    folds, depth, phase = rng.integers(3, 12), rng.uniform(0.02, 0.15), rng.uniform(0, TAU)

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        wave = depth * np.sin(TAU * folds * u + phase + np.sin(3 * v)) * (0.4 + 0.6 * (1 - v))
        return np.stack([2 * u - 1, 2 * v - 1, wave], -1)

    return parametric(surface, 160, 8)


def terrain(rng: Rng, size: float, height: float) -> Mesh:
    """Returns a square heightfield around the origin."""
    waves = [(rng.normal(size=2) * TAU * f / size, rng.uniform(0, TAU), height / f) for f in (1, 1.5, 3, 5, 9, 16)]

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        x, z = (u - 0.5) * size, (0.5 - v) * size
        y = sum(a * np.sin(k[0] * x + k[1] * z + phase) for k, phase, a in waves)
        return np.stack([x, y * np.ones_like(x), z], -1)

    return parametric(surface, 128, 128)


def leaves(rng: Rng, count: int) -> Mesh:
    """Returns small parallelograms with random orientations inside a ball of radius 1."""
    centers = rng.normal(size=(count, 3))
    centers *= (rng.random((count, 1)) ** 0.4) / np.linalg.norm(centers, axis=1, keepdims=True)
    scale = rng.uniform(0.04, 0.2)
    along, across = rng.normal(size=(2, count, 3))
    across = np.cross(along, across)
    along *= scale / np.linalg.norm(along, axis=1, keepdims=True)
    across *= scale * 0.5 / np.linalg.norm(across, axis=1, keepdims=True)
    return merge([parallelogram(c - (a + b) / 2, a, b) for c, a, b in zip(centers, along, across)])


def bars(rng: Rng) -> Mesh:
    """Returns a grating, fence or shelf: a row of thin boxes within ±1."""
    count, thickness = int(rng.integers(4, 24)), rng.uniform(0.01, 0.05)
    rods = [
        box(np.array([x - thickness, -1, -thickness]), np.array([x + thickness, 1, thickness]))
        for x in np.linspace(-1, 1, count)
    ]
    rails = [
        box(np.array([-1, y - thickness, -1.5 * thickness]), np.array([1, y + thickness, 1.5 * thickness]))
        for y in (-0.9, 0.9)
    ]
    return merge(rods + rails)


def clutter(rng: Rng) -> Mesh:
    """Returns a pile of boxes on a common floor within ±1, such as books and crates."""
    boxes = []
    for _ in range(int(rng.integers(3, 12))):
        half = rng.uniform(0.05, 0.35, 3)
        center = rng.uniform(-0.7, 0.7, 3)
        center[1] = half[1] - 1
        boxes.append(box(center - half, center + half))
    return merge(boxes)


def random_object(rng: Rng) -> Mesh:
    """Returns a random object within about ±1 of the origin."""
    unit = np.ones(3)
    makers: list[Callable[[], Mesh]] = [
        lambda: box(-unit, unit),
        lambda: box(-unit * [1, rng.uniform(0.1, 1), 0.5], unit * [1, rng.uniform(0.1, 1), 0.5]),
        sphere,
        sphere,
        lambda: blob(rng),
        lambda: blob(rng),
        lambda: torus(rng),
        lambda: lathe(rng),
        lambda: lathe(rng),
        lambda: bars(rng),
        lambda: clutter(rng),
        lambda: leaves(rng, int(rng.integers(50, 600))),
        lambda: curtain(rng),
    ]
    return makers[rng.integers(len(makers))]()
