"""Binary glTF: reading, writing, and adding arrays, textures and cameras."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

EXTENSION = "SUNFLECK_scene"
_MAGIC, _JSON_CHUNK, _BIN_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
_COMPONENT_TYPES = {np.dtype(np.float32): 5126, np.dtype(np.uint32): 5125}
_SHAPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


class Glb:
    """Scene as glTF JSON with one buffer."""

    def __init__(self, root: dict[str, Any] | None = None, buffer: bytes = b"") -> None:
        self.root: dict[str, Any] = root or {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            "extensions": {EXTENSION: {"version": 1, "exposure": 0.0}},
            "extensionsUsed": [EXTENSION, "KHR_lights_punctual", "KHR_materials_emissive_strength"],
        }
        self.buffer = bytearray(buffer)

    @classmethod
    def read(cls, path: Path) -> Glb:
        """Reads a .glb file."""
        data = path.read_bytes()
        json_length = struct.unpack_from("<I", data, 12)[0]
        root = json.loads(data[20 : 20 + json_length])
        return cls(root, data[28 + json_length :])

    def write(self, path: Path) -> None:
        """Writes a .glb file."""
        self.root["buffers"] = [{"byteLength": len(self.buffer)}]
        text = json.dumps(self.root).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.buffer) + b"\0" * (-len(self.buffer) % 4)
        with path.open("wb") as file:
            file.write(struct.pack("<III", _MAGIC, 2, 28 + len(text) + len(binary)))
            file.write(struct.pack("<II", len(text), _JSON_CHUNK) + text)
            file.write(struct.pack("<II", len(binary), _BIN_CHUNK) + binary)

    def add(self, kind: str, item: dict[str, Any]) -> int:
        """Appends an item to a top-level array and returns its index."""
        items = self.root.setdefault(kind, [])
        items.append(item)
        return len(items) - 1

    def add_bytes(self, data: bytes) -> int:
        """Appends data to the buffer and returns the index of its buffer view."""
        self.buffer.extend(b"\0" * (-len(self.buffer) % 4))
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        self.buffer.extend(data)
        return self.add("bufferViews", view)

    def add_array(self, array: np.ndarray) -> int:
        """Appends an array of scalars or vectors and returns the index of its accessor."""
        rows = array.reshape(len(array), -1)
        return self.add(
            "accessors",
            {
                "bufferView": self.add_bytes(np.ascontiguousarray(array).tobytes()),
                "componentType": _COMPONENT_TYPES[array.dtype],
                "count": len(array),
                "type": _SHAPES[rows.shape[1]],
                "min": rows.min(0).tolist(),
                "max": rows.max(0).tolist(),
            },
        )

    def add_node(self, node: dict[str, Any]) -> int:
        """Appends a node at the root of the scene and returns its index."""
        index = self.add("nodes", node)
        self.root["scenes"][0]["nodes"].append(index)
        return index

    def add_image(self, png: bytes, encoding: str) -> int:
        """Appends a texture, with `encoding` either `srgb` or `linear`, and returns its index."""
        image = self.add("images", {"bufferView": self.add_bytes(png), "mimeType": "image/png"})
        return self.add("textures", {"source": image, "extensions": {EXTENSION: {"encoding": encoding}}})

    def set_environment(self, radiance: np.ndarray) -> None:
        """Sets a latitude-longitude map of linear RGB radiance as the environment."""
        height, width, _ = radiance.shape
        texels = np.concatenate([radiance, np.ones((height, width, 1))], -1).astype(np.float32)
        texture = {"encoding": "float", "texels": self.add_bytes(texels.tobytes()), "size": [width, height]}
        index = self.add("textures", {"extensions": {EXTENSION: texture}})
        self.root["extensions"][EXTENSION]["environment"] = {"texture": index}

    def add_light(self, light: dict[str, Any], node: dict[str, Any]) -> None:
        """Appends a punctual light and its node."""
        lights = self.root["extensions"].setdefault("KHR_lights_punctual", {"lights": []})["lights"]
        lights.append(light)
        self.add_node(node | {"extensions": {"KHR_lights_punctual": {"light": len(lights) - 1}}})

    def set_cameras(self, name: str, camera: dict[str, Any], poses: np.ndarray) -> None:
        """Adds a camera and an animation of the same name that shows one pose per second, without interpolation.

        `poses` holds a position and a rotation (quaternion x, y, z, w) in each row.
        """
        node = self.add_node({"name": name, "camera": self.add("cameras", camera | {"name": name})})
        times = self.add_array(np.arange(len(poses), dtype=np.float32))
        rows = poses.astype(np.float32)
        outputs = {"translation": rows[:, :3].copy(), "rotation": rows[:, 3:].copy()}
        samplers = [
            {"input": times, "output": self.add_array(values), "interpolation": "STEP"} for values in outputs.values()
        ]
        channels = [{"sampler": i, "target": {"node": node, "path": path}} for i, path in enumerate(outputs)]
        self.add("animations", {"name": name, "samplers": samplers, "channels": channels})
