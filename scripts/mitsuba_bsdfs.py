#!/usr/bin/env python3
"""Prints values of Mitsuba's bsdfs for crates/shading/tests/shading/data/mitsuba_bsdfs.txt.

    pip install mitsuba numpy
    python3 scripts/mitsuba_bsdfs.py \
        > crates/shading/tests/shading/data/mitsuba_bsdfs.txt

A line is: model, its numbers, direction to the viewer, direction to the light, f cos in red, green and blue.
"""

import math

import mitsuba as mi

mi.set_variant("scalar_rgb")

ETA, K = [0.143119, 0.374957, 1.442479], [3.98316, 2.385721, 1.603215]
DIFFUSE, SPECULAR, TINT = [0.8, 0.4, 0.1], [1.0, 0.9, 0.5], [0.9, 1.0, 0.4]


def rgb(value):
    return {"type": "rgb", "value": value}


def direction(cos, azimuth):
    sin = math.sqrt(1 - cos * cos)
    return [sin * math.cos(azimuth), sin * math.sin(azimuth), cos]


def microfacets(roughness, beckmann):
    return {"alpha": roughness**2, "distribution": "beckmann" if beckmann else "ggx"}


def rows(model, numbers, bsdf, pairs):
    bsdf = mi.load_dict(bsdf)
    for viewer, light in pairs:
        at = mi.SurfaceInteraction3f()
        at.wi = viewer
        value = bsdf.eval(mi.BSDFContext(), at, light)
        print(model, *(f"{number:.9g}" for number in [*numbers, *viewer, *light, *value]))


VIEWERS = [direction(0.95, 0.4), direction(0.6, 0.4), direction(0.2, 0.4)]
LIGHTS = [direction(0.9, 3.2), direction(0.5, 3.9), direction(0.15, 3.4), direction(0.3, 0.6)]
REFLECTIONS = [(viewer, light) for viewer in VIEWERS for light in LIGHTS]


def transmissions(ior):
    """Pairs on both sides of an interface, near the refraction of a smooth one."""
    for viewer in VIEWERS + [direction(-0.97, 0.4), direction(-0.8, 0.4)]:
        eta = ior if viewer[2] > 0 else 1 / ior
        for cos, azimuth in [(1.0, 0.0), (0.93, 0.15), (0.8, -0.4)]:
            sin = math.sqrt(1 - viewer[2] ** 2) / eta
            turned = math.sqrt(max(0.0, 1 - (cos * sin) ** 2))
            light = direction(-math.copysign(turned, viewer[2]), 0.4 + math.pi + azimuth)
            yield viewer, light


for roughness, beckmann in [(0.15, 0), (0.4, 0), (0.8, 0), (0.2, 1), (0.6, 1)]:
    facets = microfacets(roughness, beckmann)
    metal = {"type": "roughconductor", "eta": rgb(ETA), "k": rgb(K), "specular_reflectance": rgb(SPECULAR), **facets}
    rows("conductor", [roughness, beckmann], metal, REFLECTIONS)
    for ior in [1.5, 1.9]:
        glass = {"type": "roughdielectric", "int_ior": ior, "ext_ior": 1.0, "specular_transmittance": rgb(TINT), **facets}
        inside = [tuple([x, y, -z] for x, y, z in pair) for pair in REFLECTIONS[4:6]]
        rows("glass", [roughness, beckmann, ior], glass, [*REFLECTIONS[:6], *inside, *transmissions(ior)])
for nonlinear in [0, 1]:
    for ior in [1.5, 1.9]:
        common = {"int_ior": ior, "ext_ior": 1.0, "nonlinear": bool(nonlinear)}
        common |= {"diffuse_reflectance": rgb(DIFFUSE), "specular_reflectance": rgb(SPECULAR)}
        rows("plastic", [0, 0, ior, nonlinear], {"type": "plastic", **common}, REFLECTIONS[::2])
        for roughness, beckmann in [(0.4, 0), (0.7, 1)]:
            plastic = {"type": "roughplastic", **common, **microfacets(roughness, beckmann)}
            rows("plastic", [roughness, beckmann, ior, nonlinear], plastic, REFLECTIONS[::2])
for alpha_u, alpha_v, beckmann in [(0.05, 0.3, 0), (0.6, 0.2, 0), (0.3, 0.07, 1), (0.25, 0.05, 1)]:
    facets = {"alpha_u": alpha_u, "alpha_v": alpha_v, "distribution": "beckmann" if beckmann else "ggx"}
    metal = {"type": "roughconductor", "eta": rgb(ETA), "k": rgb(K), "specular_reflectance": rgb(SPECULAR), **facets}
    rows("stretched-conductor", [alpha_u, alpha_v, beckmann], metal, REFLECTIONS)
    glass = {"type": "roughdielectric", "int_ior": 1.5, "ext_ior": 1.0, "specular_transmittance": rgb(TINT), **facets}
    rows("stretched-glass", [alpha_u, alpha_v, beckmann], glass, [*REFLECTIONS[:6], *transmissions(1.5)])
