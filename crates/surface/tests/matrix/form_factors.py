"""Writes form factors of random polygons by pyviewfactor (https://pypi.org/project/pyviewfactor).

Usage: pip install numpy pyviewfactor==1.1.0; python form_factors.py > pyviewfactor.txt
Each line: number of corners and their coordinates, of both polygons; the form factor from the first to the second.
"""

import numpy as np
import pyvista as pv
from pyviewfactor import compute_viewfactor

rng = np.random.default_rng(52)


def polygon(center, normal, size):
    count = int(rng.integers(3, 5))
    angles = np.sort(rng.uniform(0, 2 * np.pi / count, count) * 0.8 + np.arange(count) * 2 * np.pi / count)
    x = np.cross(normal, [0.3, 0.5, 0.8])
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    return np.array([center + size * (np.cos(a) * x + np.sin(a) * y) for a in angles])


def normal_of(p):
    n = np.cross(p[1] - p[0], p[2] - p[0])
    return n / np.linalg.norm(n)


def cell(p):
    return pv.PolyData(p, np.array([len(p), *range(len(p))]))


def faces(p, q):
    return bool(np.all((q - p[0]) @ normal_of(p) > 0.01))


def write(p, q):
    factor = compute_viewfactor(cell(q), cell(p))
    numbers = [f"{len(r)} " + " ".join(f"{x:.9f}" for x in r.ravel()) for r in (p, q)]
    print(" ".join(numbers), f"{factor:.9f}")


def unit(v):
    return v / np.linalg.norm(v)


rows = 0
while rows < 40:
    size = rng.uniform(0.2, 1.0, 2)
    offset = unit(rng.normal(size=3)) * rng.uniform(0.3, 4.0)
    p = polygon(np.zeros(3), unit(offset + 0.3 * rng.normal(size=3)), size[0]).round(9)
    q = polygon(offset, unit(-offset + 0.3 * rng.normal(size=3)), size[1]).round(9)
    if faces(p, q) and faces(q, p):
        write(p, q)
        rows += 1

# Two rectangles that share an edge, at several angles
for angle in np.radians([30, 60, 90, 120, 150]):
    length = 1.3
    p = np.array([[0, 0, 0], [1, 0, 0], [1, length, 0], [0, length, 0]], float)
    c, s = 0.7 * np.cos(angle), 0.7 * np.sin(angle)
    q = np.array([[0, 0, 0], [0, length, 0], [c, length, s], [c, 0, s]], float)
    write(p, q)
