#!/usr/bin/env python3
"""Prints values of Mitsuba's principled bsdf for crates/shading/tests/shading/data/mitsuba_principled.txt.

    pip install mitsuba numpy
    python3 scripts/mitsuba_principled.py \
        > crates/shading/tests/shading/data/mitsuba_principled.txt

A line is: base colour, parameters in the order of NAMES, direction to the viewer, direction to the light, f cos in red,
green and blue, density of sampling the light.
"""

import math

import mitsuba as mi

mi.set_variant("scalar_rgb")

NAMES = [
    "metallic", "roughness", "anisotropic", "spec_trans", "eta", "spec_tint", "sheen", "sheen_tint", "flatness",
    "clearcoat", "clearcoat_gloss",
]
PLAIN = dict(zip(NAMES, [0.0, 0.5, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
# Each parameter by itself, and mixtures
CASES = [
    {},
    {"roughness": 0.15},
    {"roughness": 1.0, "eta": 1.8},
    {"metallic": 1.0, "roughness": 0.3},
    {"metallic": 0.4, "anisotropic": 0.8, "roughness": 0.6},
    {"metallic": 1.0, "anisotropic": 1.0, "roughness": 0.9},
    {"spec_tint": 0.7},
    {"sheen": 0.8},
    {"sheen": 1.0, "sheen_tint": 0.6, "metallic": 0.2},
    {"flatness": 1.0},
    {"flatness": 0.4, "roughness": 0.8},
    {"clearcoat": 1.0},
    {"clearcoat": 0.6, "clearcoat_gloss": 0.7, "metallic": 0.5},
    {"spec_trans": 1.0, "roughness": 0.4},
    {"spec_trans": 0.5, "anisotropic": 0.6, "roughness": 0.7, "eta": 1.3},
    {
        "metallic": 0.3, "roughness": 0.45, "anisotropic": 0.5, "spec_trans": 0.6, "eta": 1.7, "spec_tint": 0.4,
        "sheen": 0.5, "sheen_tint": 0.8, "flatness": 0.3, "clearcoat": 0.9, "clearcoat_gloss": 0.4,
    },
]
BASE = [0.8, 0.4, 0.1]


def direction(cos, azimuth):
    sin = math.sqrt(1 - cos * cos)
    return [sin * math.cos(azimuth), sin * math.sin(azimuth), cos]


VIEWERS = [direction(0.95, 0.4), direction(0.6, 1.1), direction(0.2, 2.4)]
LIGHTS = [direction(0.9, 3.2), direction(0.5, 4.1), direction(0.15, 5.5), direction(0.7, 0.9)]
BELOW = [direction(-0.9, 3.3), direction(-0.7, 4.4), direction(-0.4, 5.6)]

for case in CASES:
    parameters = {**PLAIN, **case}
    bsdf = {"type": "principled", "base_color": {"type": "rgb", "value": BASE}, **parameters}
    bsdf = mi.load_dict(bsdf)
    pairs = [(viewer, light) for viewer in VIEWERS for light in LIGHTS]
    if parameters["spec_trans"] > 0:
        pairs += [(viewer, light) for viewer in VIEWERS for light in BELOW]
        pairs += [(viewer, light) for viewer in BELOW for light in LIGHTS[:2] + BELOW]
    for viewer, light in pairs:
        at = mi.SurfaceInteraction3f()
        at.wi = viewer
        value = bsdf.eval(mi.BSDFContext(), at, light)
        pdf = bsdf.pdf(mi.BSDFContext(), at, light)
        numbers = [*BASE, *(parameters[name] for name in NAMES), *viewer, *light, *value, pdf]
        print(*(f"{number:.9g}" for number in numbers))
