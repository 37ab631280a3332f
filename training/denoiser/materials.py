"""Random glTF materials, and random changes of the materials of an existing scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from glb import EXTENSION, Glb
from textures import Rng, color_texture, normal_map, png, random_color, scalar_texture


def _extension(material: dict[str, Any]) -> dict[str, Any]:
    return material.setdefault("extensions", {}).setdefault(EXTENSION, {})


def _texture_info(rng: Rng, index: int) -> dict[str, Any]:
    scale = float(np.exp(rng.uniform(-1, 1.5)))
    return {"index": index, "extensions": {"KHR_texture_transform": {"scale": [scale, scale]}}}


def set_surface(rng: Rng, material: dict[str, Any], kind: str) -> None:
    """Makes a material one of a kind; its base colour and textures are kept where the kind has them."""
    pbr = material.setdefault("pbrMetallicRoughness", {})
    pbr["metallicFactor"], pbr["roughnessFactor"] = 0.0, 1.0
    extension = _extension(material)
    extension.clear()
    if kind == "glossy":
        pbr["roughnessFactor"] = float(rng.uniform(0.05, 0.8))
    elif kind == "rough metal":
        pbr["metallicFactor"], pbr["roughnessFactor"] = 1.0, float(rng.uniform(0.15, 0.6))
    elif kind == "smooth metal":
        pbr["metallicFactor"], pbr["roughnessFactor"] = 1.0, float(rng.uniform(0.02, 0.15))
    else:
        extension["surface"] = kind
    if kind in ("rough metal", "smooth metal", "mirror"):
        color = random_color(rng, 0.5, 0.97)
        pbr["baseColorFactor"] = [*color.tolist(), 1.0]
    if kind == "oren-nayar":
        extension["roughness"] = float(rng.random())
    if kind == "dielectric":
        extension["ior"] = float(rng.choice([1.33, 1.5, 1.5, 1.7]))
        tint = np.ones(3) if rng.random() < 0.6 else rng.uniform(0.5, 1, 3)
        pbr["baseColorFactor"] = [*tint.tolist(), 1.0]
    if not extension:
        del material["extensions"][EXTENSION]


def random_kind(rng: Rng) -> str:
    """Returns the kind of a random material; diffuse and glossy ones are frequent."""
    kinds = ["lambert", "oren-nayar", "glossy", "rough metal", "smooth metal", "mirror", "dielectric"]
    return str(rng.choice(kinds, p=[0.28, 0.1, 0.3, 0.12, 0.06, 0.06, 0.08]))


def emitter(glb: Glb, radiance: np.ndarray) -> int:
    """Adds a black material that emits."""
    strength = max(float(radiance.max()), 1e-6)
    return glb.add(
        "materials",
        {
            "emissiveFactor": (radiance / strength).tolist(),
            "extensions": {
                "KHR_materials_emissive_strength": {"emissiveStrength": strength},
                EXTENSION: {"surface": "lambert"},
            },
            "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]},
        },
    )


def random_material(rng: Rng, glb: Glb, kind: str | None = None) -> int:
    """Adds a random material, with textures in half of the cases, and returns its index."""
    material: dict[str, Any] = {
        "doubleSided": True,
        "pbrMetallicRoughness": {"baseColorFactor": [*random_color(rng).tolist(), 1.0]},
    }
    kind = kind or random_kind(rng)
    set_surface(rng, material, kind)
    pbr = material["pbrMetallicRoughness"]
    if kind == "dielectric":
        material["doubleSided"] = False
    if kind in ("lambert", "oren-nayar", "glossy", "rough metal") and rng.random() < 0.5:
        pbr["baseColorFactor"] = [1.0, 1.0, 1.0, 1.0]
        pbr["baseColorTexture"] = _texture_info(rng, glb.add_image(png(color_texture(rng)), "srgb"))
    if kind in ("glossy", "rough metal") and rng.random() < 0.3:
        values = np.stack([np.zeros((256, 256)), scalar_texture(rng), np.ones((256, 256))], -1)
        pbr["metallicRoughnessTexture"] = _texture_info(rng, glb.add_image(png(values), "linear"))
        pbr["roughnessFactor"] = 1.0
    if kind not in ("dielectric", "mirror") and rng.random() < 0.25:
        material["normalTexture"] = _texture_info(rng, glb.add_image(png(normal_map(rng)), "linear"))
        material["normalTexture"]["scale"] = float(rng.uniform(0.2, 1))
    return glb.add("materials", material)


def vary_materials(rng: Rng, glb: Glb) -> None:
    """Changes kinds, colours and emission of the materials of a scene at random."""
    fraction = rng.choice([0.0, 0.2, 0.5])
    tint_lamps = rng.random() < 0.3
    for material in glb.root["materials"]:
        if any(material.get("emissiveFactor", [0])):
            strength = material.setdefault("extensions", {}).setdefault("KHR_materials_emissive_strength", {})
            factor = np.exp(rng.normal() * 0.7) * (rng.random() > 0.1)
            strength["emissiveStrength"] = strength.get("emissiveStrength", 1.0) * float(factor)
            if tint_lamps:
                color = np.array(material["emissiveFactor"]) * rng.uniform(0.3, 1, 3)
                material["emissiveFactor"] = color.tolist()
            continue
        if rng.random() >= fraction:
            continue
        pbr = material.setdefault("pbrMetallicRoughness", {})
        if "baseColorTexture" not in pbr:
            pbr["baseColorFactor"] = [*random_color(rng).tolist(), 1.0]
        if "procedural" not in material.get("extensions", {}).get(EXTENSION, {}):
            kind = random_kind(rng)
            is_textured = "baseColorTexture" in pbr
            set_surface(rng, material, "glossy" if is_textured and kind in ("mirror", "dielectric") else kind)
