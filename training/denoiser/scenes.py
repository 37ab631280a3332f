"""Random scenes, and random variants of the built-in ones, as glTF with a region for cameras."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import meshes
from glb import Glb
from materials import emitter, random_material, vary_materials
from meshes import Mesh, Rng
from textures import random_color, sky, studio


@dataclass
class CameraRegion:
    """Boxes in which positions of cameras and the points that they look at lie."""

    low: np.ndarray
    high: np.ndarray
    target_low: np.ndarray
    target_high: np.ndarray


@dataclass
class TrainingScene:
    """Scene with the region of its cameras."""

    name: str
    glb: Glb
    cameras: CameraRegion


def _vector(*values: float) -> np.ndarray:
    return np.array(values, float)


def _add_mesh(glb: Glb, mesh: Mesh, material: int) -> int:
    attributes = {
        "POSITION": glb.add_array(mesh.positions.astype(np.float32)),
        "NORMAL": glb.add_array(mesh.normals.astype(np.float32)),
        "TEXCOORD_0": glb.add_array(mesh.uvs.astype(np.float32)),
    }
    indices = glb.add_array(mesh.triangles.ravel().astype(np.uint32))
    return glb.add("meshes", {"primitives": [{"attributes": attributes, "indices": indices, "material": material}]})


def _add(glb: Glb, mesh: Mesh, material: int) -> None:
    glb.add_node({"mesh": _add_mesh(glb, mesh, material)})


def _rotation(rng: Rng, upright: bool) -> list[float]:
    quaternion = rng.normal(size=4)
    if upright:
        quaternion[[0, 2]] = 0
    return (quaternion / np.linalg.norm(quaternion)).tolist()


def _scatter(rng: Rng, glb: Glb, low: np.ndarray, high: np.ndarray, count: int, size: tuple[float, float]) -> None:
    """Adds random objects; most stand on the bottom of the box, others float."""
    for _ in range(count):
        radius = float(np.exp(rng.uniform(*np.log(size))))
        position = rng.uniform(low, high)
        upright = bool(rng.random() < 0.7)
        if rng.random() < 0.8:
            position[1] = low[1] + radius
        mesh = _add_mesh(glb, meshes.random_object(rng), random_material(rng, glb))
        node = {"mesh": mesh, "scale": [radius] * 3, "rotation": _rotation(rng, upright)}
        for _ in range(1 + int(rng.random() < 0.25) * int(rng.integers(1, 8))):
            glb.add_node(node | {"translation": position.tolist()})
            position = rng.uniform(low, high) * [1, 0, 1] + position * [0, 1, 0]


def _lamp_color(rng: Rng) -> np.ndarray:
    warm = _vector(1, 0.72, 0.45)
    color = 1 + (warm - 1) * rng.random()
    return color if rng.random() < 0.8 else random_color(rng, 0.05, 1)


def _add_lamps(rng: Rng, glb: Glb, low: np.ndarray, high: np.ndarray, power: float) -> None:
    """Adds lamps of one random type under the top of a box; `power` is the sum of radiance times area."""
    kind = rng.integers(5)
    if kind == 0:  # panels under the ceiling
        count, half = int(rng.integers(1, 10)), rng.uniform(0.1, 0.8)
        for _ in range(count):
            center = rng.uniform(low, high) * [1, 0, 1] + _vector(0, high[1] - 0.01, 0)
            corner = center - [half, 0, half]
            mesh = meshes.parallelogram(corner, _vector(2 * half, 0, 0), _vector(0, 0, 2 * half))
            _add(glb, mesh, emitter(glb, _lamp_color(rng) * power / count / (4 * half * half)))
    elif kind == 1:  # bulbs
        count, radius = int(rng.integers(1, 8)), float(np.exp(rng.uniform(-4.5, -1.5)))
        bulb = meshes.sphere(16)
        for _ in range(count):
            material = emitter(glb, _lamp_color(rng) * power / count / (np.pi * radius**2))
            position = rng.uniform(low * [1, 0, 1] + (low + high) / 2 * [0, 1, 0], high - [0, 0.1, 0])
            node = {"mesh": _add_mesh(glb, bulb, material), "scale": [radius] * 3}
            glb.add_node(node | {"translation": position.tolist()})
    elif kind == 2:  # many small lamps of a few colours
        count, half = int(rng.integers(30, 300)), float(np.exp(rng.uniform(-4.5, -2.5)))
        tile = meshes.box(_vector(-1, -0.2, -1), _vector(1, 0.2, 1))
        radiances = [_lamp_color(rng) * power / count / (4 * half**2) * np.exp(rng.normal()) for _ in range(4)]
        tiles = [_add_mesh(glb, tile, emitter(glb, radiance)) for radiance in radiances]
        for _ in range(count):
            node = {"mesh": int(rng.choice(tiles)), "scale": [half] * 3}
            glb.add_node(node | {"translation": rng.uniform((low * 2 + high) / 3, high).tolist()})
    elif kind == 3:  # emissive window in a wall
        height, width = rng.uniform(0.4, 0.8) * (high[1] - low[1]), rng.uniform(0.3, 0.9) * (high[2] - low[2])
        corner = _vector(low[0] + 0.02, rng.uniform(low[1], high[1] - height), rng.uniform(low[2], high[2] - width))
        mesh = meshes.parallelogram(corner, _vector(0, height, 0), _vector(0, 0, width))
        _add(glb, mesh, emitter(glb, _lamp_color(rng) * power / (height * width)))
    else:  # points and spots
        for _ in range(int(rng.integers(1, 6))):
            light: dict[str, Any] = {"type": "point", "color": _lamp_color(rng).tolist(), "intensity": power}
            if rng.random() < 0.5:
                light |= {"type": "spot", "spot": {"innerConeAngle": 0.3, "outerConeAngle": float(rng.uniform(0.4, 1))}}
            position = rng.uniform((low + high * 2) / 3, high)
            down = [-0.7071, 0.0, 0.0, 0.7071]
            glb.add_light(light, {"translation": position.tolist(), "rotation": down})


def _set_daylight(rng: Rng, glb: Glb) -> None:
    """Sets a random sky; in some cases the sun is a directional light instead of a disc."""
    glb.set_environment(sky(rng))
    if rng.random() < 0.25:
        light = {"type": "directional", "color": [1.0, 0.9, 0.75], "intensity": float(rng.uniform(1, 8))}
        pitch, yaw = rng.uniform(-1.4, -0.2), rng.uniform(0, np.pi)
        rotation = [
            np.sin(pitch / 2) * np.cos(yaw),
            np.cos(pitch / 2) * np.sin(yaw),
            -np.sin(pitch / 2) * np.sin(yaw),
            np.cos(pitch / 2) * np.cos(yaw),
        ]
        glb.add_light(light, {"rotation": [float(value) for value in rotation]})


def interior(rng: Rng) -> TrainingScene:
    """A closed room, or one with an opening to the sky, with objects and one or two types of lamps."""
    glb = Glb()
    size = _vector(rng.uniform(3, 9), rng.uniform(2.4, 4), rng.uniform(3, 9))
    low, high = size * [-0.5, 0, -0.5], size * [0.5, 1, 0.5]
    room = meshes.box(low, high, inward=True)
    materials = [random_material(rng, glb, str(rng.choice(["lambert", "glossy", "oren-nayar"]))) for _ in range(3)]
    is_open = rng.random() < 0.3
    for face in range(6):
        if is_open and face == 1:
            continue
        wall = Mesh(
            room.positions[4 * face : 4 * face + 4],
            room.normals[4 * face : 4 * face + 4],
            room.uvs[4 * face : 4 * face + 4],
            np.array([[0, 1, 2], [0, 2, 3]]),
        )
        _add(glb, wall, materials[2 if face == 2 else int(rng.integers(2))])
    inner = size * [0.42, 0, 0.42]
    _scatter(rng, glb, -inner, inner + [0, size[1], 0], int(rng.integers(10, 35)), (0.08, 0.7))
    if is_open:
        _set_daylight(rng, glb)
    for _ in range(int(rng.integers(0 if is_open else 1, 3))):
        _add_lamps(rng, glb, low, high, float(size[0] * size[2] * np.exp(rng.uniform(-2, 0.5))))
    region = CameraRegion(low * 0.9 + [0, 0.3, 0], high * 0.9, low * 0.8, high * [0.8, 0.6, 0.8])
    return TrainingScene("interior", glb, region)


def _wall(low: np.ndarray, high: np.ndarray, axis: int, opening: tuple[float, float, float, float] | None) -> Mesh:
    """Returns a wall along an axis (0 or 2) with an opening: its begin and end along the wall, its sill and its top."""
    if opening is None:
        return meshes.box(low, high)
    begin, end, sill, top = opening
    along = np.eye(3)[axis]
    parts = [
        (low, high * (1 - along) + begin * along),
        (low * (1 - along) + end * along, high),
        (low * (1 - along) + along * begin + _vector(0, top, 0), high * (1 - along) + along * end),
    ]
    if sill > 0:
        parts.append((low * (1 - along) + along * begin, high * [1, 0, 1] * (1 - along) + along * end + [0, sill, 0]))
    return meshes.merge([meshes.box(*part) for part in parts])


def apartment(rng: Rng) -> TrainingScene:
    """Rooms that are joined by doors. Some have lamps or windows; light reaches the others through doors only."""
    glb = Glb()
    rooms = rng.integers(2, 4, 2)
    room, thickness = _vector(rng.uniform(3, 5.5), rng.uniform(2.5, 3.2), rng.uniform(3, 5.5)), 0.1
    extent = _vector(rooms[0] * room[0], room[1], rooms[1] * room[2])
    kinds = ["lambert", "lambert", "glossy", "oren-nayar"]
    walls = [random_material(rng, glb, str(rng.choice(kinds))) for _ in range(4)]
    slab = _vector(thickness, 0, thickness)
    for bottom, material in ((-0.1, random_material(rng, glb)), (room[1], walls[0])):
        _add(glb, meshes.box(-slab + [0, bottom, 0], extent * [1, 0, 1] + slab + [0, bottom + 0.1, 0]), material)
    has_daylight = rng.random() < 0.6
    for axis, across in ((0, 2), (2, 0)):
        for line in range(rooms[across // 2] + 1):
            is_outer = line in (0, rooms[across // 2])
            for cell in range(rooms[axis // 2]):
                low, high = _vector(0, 0, 0), _vector(0, room[1], 0)
                low[axis], high[axis] = cell * room[axis], (cell + 1) * room[axis]
                low[across], high[across] = line * room[across] - thickness / 2, line * room[across] + thickness / 2
                width = rng.uniform(0.8, 1.4) if not is_outer else rng.uniform(0.8, 2.2)
                begin = low[axis] + rng.uniform(0.2, room[axis] - width - 0.2)
                sill, top = (rng.uniform(0, 1.1), rng.uniform(1.9, 2.4)) if is_outer else (0.0, rng.uniform(1.9, 2.3))
                is_open = rng.random() < (0.4 * has_daylight if is_outer else 0.75)
                opening = (begin, begin + width, sill, top) if is_open else None
                _add(glb, _wall(low, high, axis, opening), walls[int(rng.integers(4))])
    is_lit = rng.random(rooms) < 0.4
    if not has_daylight:
        is_lit.flat[int(rng.integers(is_lit.size))] = True
    for x, z in np.ndindex(*rooms):
        low = _vector(x, 0, z) * room + [0.4, 0, 0.4]
        high = low + room - [0.8, 0, 0.8]
        _scatter(rng, glb, low, high, int(rng.integers(3, 9)), (0.08, 0.5))
        if is_lit[x, z]:
            _add_lamps(rng, glb, low, high, float(room[0] * room[2] * np.exp(rng.uniform(-2, 0.5))))
    if has_daylight:
        _set_daylight(rng, glb)
    inner = _vector(0.3, 0.4, 0.3)
    region = CameraRegion(inner, extent - inner, inner * 0.5, extent - [0.2, 0.8, 0.2])
    return TrainingScene("apartment", glb, region)


def still_life(rng: Rng) -> TrainingScene:
    """Objects on a floor under a sky or in a studio."""
    glb = Glb()
    extent = rng.uniform(1, 3)
    half = extent * rng.uniform(1.2, 20)
    floor = meshes.parallelogram(_vector(-half, 0, half), _vector(2 * half, 0, 0), _vector(0, 0, -2 * half))
    if rng.random() < 0.85:
        _add(glb, floor, random_material(rng, glb))
    low, high = _vector(-extent, 0, -extent), _vector(extent, extent, extent)
    _scatter(rng, glb, low, high, int(rng.integers(1, 18)), (0.1 * extent, 0.5 * extent))
    if rng.random() < 0.65:
        _set_daylight(rng, glb)
    else:
        glb.set_environment(studio(rng))
    region = CameraRegion(low * 2 + [0, 0.2 * extent, 0], high * [2, 1.2, 2], low * 0.5, high * 0.5)
    return TrainingScene("still-life", glb, region)


def courtyard(rng: Rng) -> TrainingScene:
    """A street or courtyard between two rows of columns, lintels and walls, with curtains, under a sky."""
    glb = Glb()
    length, width, depth, height = rng.uniform(10, 24), rng.uniform(3, 8), rng.uniform(2, 5), rng.uniform(3, 5)
    stone, wall, paving = (
        random_material(rng, glb, str(rng.choice(["lambert", "oren-nayar", "glossy"]))) for _ in "abc"
    )
    half = width / 2 + depth
    floor = meshes.parallelogram(_vector(-half, 0, length / 2), _vector(2 * half, 0, 0), _vector(0, 0, -length))
    _add(glb, floor, paving)
    column = meshes.lathe(rng) if rng.random() < 0.6 else meshes.box(_vector(-0.6, -1, -0.6), _vector(0.6, 1, 0.6))
    column_mesh = _add_mesh(glb, column, stone)
    storeys, columns = int(rng.integers(1, 4)), int(rng.integers(4, 10))
    fabrics = [_add_mesh(glb, meshes.curtain(rng), random_material(rng, glb, "lambert")) for _ in range(3)]
    for side in (-1, 1):
        x = side * width / 2
        for storey in range(storeys):
            y = storey * height
            slab = sorted([x - side * 0.3, side * half])
            slab_low, slab_high = (
                _vector(slab[0], y + height * 0.9, -length / 2),
                _vector(slab[1], y + height, length / 2),
            )
            _add(glb, meshes.box(slab_low, slab_high), stone)
            for z in np.linspace(-length / 2 + 0.5, length / 2 - 0.5, columns):
                scale = [0.6, height * 0.45, 0.6]
                glb.add_node({"mesh": column_mesh, "scale": scale, "translation": [x, y + height * 0.45, float(z)]})
                if rng.random() < 0.25:
                    rotation = [0.0, 0.7071, 0.0, 0.7071]
                    position = [x - side * 0.1, y + height * 0.55, float(z) + length / columns / 2]
                    scale = [length / columns * 0.4, height * 0.35, 1.0]
                    node = {"mesh": int(rng.choice(fabrics)), "scale": scale, "rotation": rotation}
                    glb.add_node(node | {"translation": position})
        edge = side * half
        outer = sorted([edge, edge + side * 0.3])
        _add(glb, meshes.box(_vector(outer[0], 0, -length / 2), _vector(outer[1], storeys * height, length / 2)), wall)
    for z in (-length / 2, length / 2):
        if rng.random() < 0.7:
            _add(glb, meshes.box(_vector(-half, 0, z - 0.15), _vector(half, storeys * height, z + 0.15)), wall)
    low, high = _vector(-width / 2, 0, -length / 2), _vector(width / 2, height, length / 2)
    _scatter(rng, glb, low, high, int(rng.integers(3, 20)), (0.15, 0.8))
    _set_daylight(rng, glb)
    if rng.random() < 0.3:
        _add_lamps(rng, glb, low, high, 20.0)
    camera_high = _vector(half, storeys * height, length / 2) * 0.9
    region = CameraRegion(
        camera_high * [-1, 0, -1] + [0, 0.5, 0], camera_high, low, _vector(width / 2, storeys * height, length / 2)
    )
    return TrainingScene("courtyard", glb, region)


def garden(rng: Rng) -> TrainingScene:
    """Bushes, trees, fences and objects on a terrain under a sky."""
    glb = Glb()
    size, relief = rng.uniform(8, 20), rng.uniform(0.02, 0.8)
    _add(glb, meshes.terrain(rng, size, relief), random_material(rng, glb, "lambert"))
    for _ in range(int(rng.integers(2, 5))):
        crown = meshes.leaves(rng, int(rng.integers(300, 2500)))
        mesh = _add_mesh(glb, crown, random_material(rng, glb, str(rng.choice(["lambert", "glossy"]))))
        for _ in range(int(rng.integers(4, 30))):
            radius = float(np.exp(rng.uniform(-1.2, 0.6)))
            position = rng.uniform(-size / 2, size / 2, 3) * [1, 0, 1] + [0, radius * rng.uniform(0.5, 1.5), 0]
            node = {"mesh": mesh, "scale": [radius] * 3, "rotation": _rotation(rng, False)}
            glb.add_node(node | {"translation": position.tolist()})
    low, high = _vector(-size / 3, 0, -size / 3), _vector(size / 3, 2, size / 3)
    _scatter(rng, glb, low, high, int(rng.integers(4, 20)), (0.1, 0.7))
    _set_daylight(rng, glb)
    region = CameraRegion(low + [0, relief + 0.3, 0], high + [0, 1, 0], low, high * [1, 0.6, 1])
    return TrainingScene("garden", glb, region)


def _box_region(low: tuple[float, ...], high: tuple[float, ...]) -> CameraRegion:
    target_low, target_high = np.array(low) - [0.3, 0.5, 0.3], np.array(high) + [0.3, 0, 0.3]
    return CameraRegion(np.array(low), np.array(high), target_low, target_high)


def built_in(rng: Rng, sunfleck: str, folder: Path) -> TrainingScene:
    """A built-in scene with random parameters and, in most cases, other materials."""
    name = str(rng.choice(["office", "conference", "erw6", "plant", "sunflowers"], p=[0.36, 0.2, 0.14, 0.2, 0.1]))
    seed, lamps, daylight = (
        int(rng.integers(1000)),
        float(np.exp(rng.uniform(-2, 0.7))),
        float(np.exp(rng.uniform(-3, 0.7))),
    )
    parameters, region = {
        "office": (
            f"daylight={daylight:.3f},lamps={lamps:.3f},seed={seed}",
            _box_region((0.3, 0.9, 0.3), (6.7, 2.1, 7.3)),
        ),
        "conference": (f"lamps={lamps:.3f},seed={seed}", _box_region((0.6, 0.8, 0.4), (15.2, 2.6, 9.4))),
        "erw6": (
            f"daylight={daylight:.3f},lamp={lamps:.3f},procedural={'true' if rng.random() < 0.5 else 'false'}",
            _box_region((0.3, 0.7, 0.3), (4.3, 2.0, 4.3)),
        ),
        "plant": (
            f"bays=4,density={rng.uniform(0.3, 1):.2f},lamps={lamps:.3f},daylight={daylight:.3f},seed={seed}",
            _box_region((0.5, 0.8, 0.5), (22, 4.5, 16)),
        ),
        "sunflowers": (
            f"flowers=500,detail=0.05,trees=3,wind={rng.random():.2f},seed={seed}",
            CameraRegion(_vector(-6, 0.6, -12), _vector(6, 3, 2), _vector(-10, 0.3, -40), _vector(10, 2.5, -4)),
        ),
    }[name]
    path = folder / "built-in.glb"
    subprocess.run([sunfleck, "convert", "-q", f"{name}:{parameters}", path], check=True)
    glb = Glb.read(path)
    path.unlink()
    if rng.random() < 0.85:
        vary_materials(rng, glb)
    return TrainingScene(name, glb, region)


def random_scene(rng: Rng, sunfleck: str, folder: Path) -> TrainingScene:
    """Returns a scene of a random kind; `folder` holds temporary files."""
    kind = rng.random()
    if kind < 0.45:
        return built_in(rng, sunfleck, folder)
    makers = [interior, interior, apartment, apartment, apartment, still_life, still_life, courtyard, garden]
    return makers[int(rng.integers(len(makers)))](rng)
