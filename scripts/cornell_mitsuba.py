#!/usr/bin/env python3
"""Renders the Cornell box with Mitsuba 3, as an independent reference for the integrator `path`.

    pip install mitsuba numpy
    python3 scripts/cornell_mitsuba.py --white R G B --red R G B --green R G B --light R G B \
        > crates/integrators/tests/light/data/cornell_mitsuba.csv

The geometry is the published one and was entered independently of the crate `models`. The linear Rec. 709 colours are
those that `models` derives from the published spectra (crates/models/src/cornell). The image is divided into 8 x 8
regions; each line of the output contains row, column, and the mean radiance of the region in red, green and blue.
"""

import argparse
import sys

import mitsuba as mi
import numpy as np

mi.set_variant("scalar_rgb")
from mitsuba import ScalarTransform4f as T  # noqa: E402  (the import needs the variant)

parser = argparse.ArgumentParser()
parser.add_argument("--spp", type=int, default=16384)
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--white", type=float, nargs=3, required=True)
parser.add_argument("--red", type=float, nargs=3, required=True)
parser.add_argument("--green", type=float, nargs=3, required=True)
parser.add_argument("--light", type=float, nargs=3, required=True, help="radiance of the lamp, linear Rec. 709")
parser.add_argument("--lamp", type=float, nargs=3, default=[0.78, 0.78, 0.78], help="reflectance of the lamp")
options = parser.parse_args()

# Vertices of the quads in millimetres: https://www.graphics.cornell.edu/online/box/data.html
FLOOR = [(552.8, 0, 0), (0, 0, 0), (0, 0, 559.2), (549.6, 0, 559.2)]
LIGHT = [(343, 548.79, 227), (343, 548.79, 332), (213, 548.79, 332), (213, 548.79, 227)]
CEILING = [(556, 548.8, 0), (556, 548.8, 559.2), (0, 548.8, 559.2), (0, 548.8, 0)]
BACK = [(549.6, 0, 559.2), (0, 0, 559.2), (0, 548.8, 559.2), (556, 548.8, 559.2)]
RIGHT = [(0, 0, 559.2), (0, 0, 0), (0, 548.8, 0), (0, 548.8, 559.2)]
LEFT = [(552.8, 0, 0), (549.6, 0, 559.2), (556, 548.8, 559.2), (556, 548.8, 0)]
SHORT = [
    [(130, 165, 65), (82, 165, 225), (240, 165, 272), (290, 165, 114)],
    [(290, 0, 114), (290, 165, 114), (240, 165, 272), (240, 0, 272)],
    [(130, 0, 65), (130, 165, 65), (290, 165, 114), (290, 0, 114)],
    [(82, 0, 225), (82, 165, 225), (130, 165, 65), (130, 0, 65)],
    [(240, 0, 272), (240, 165, 272), (82, 165, 225), (82, 0, 225)],
]
TALL = [
    [(423, 330, 247), (265, 330, 296), (314, 330, 456), (472, 330, 406)],
    [(423, 0, 247), (423, 330, 247), (472, 330, 406), (472, 0, 406)],
    [(472, 0, 406), (472, 330, 406), (314, 330, 456), (314, 0, 456)],
    [(314, 0, 456), (314, 330, 456), (265, 330, 296), (265, 0, 296)],
    [(265, 0, 296), (265, 330, 296), (423, 330, 247), (423, 0, 247)],
]


def mesh(name, quads, reflectance, radiance=None):
    vertices = np.array([corner for quad in quads for corner in quad], dtype=np.float32)
    faces = np.array([t for i in range(len(quads)) for t in ((4 * i, 4 * i + 1, 4 * i + 2), (4 * i, 4 * i + 2, 4 * i + 3))])
    properties = mi.Properties()
    bsdf = mi.load_dict({"type": "twosided", "b": {"type": "diffuse", "reflectance": {"type": "rgb", "value": reflectance}}})
    properties["bsdf"] = bsdf
    if radiance is not None:
        properties["emitter"] = mi.load_dict({"type": "area", "radiance": {"type": "rgb", "value": radiance}})
    result = mi.Mesh(name, len(vertices), len(faces), props=properties)
    parameters = mi.traverse(result)
    parameters["vertex_positions"] = vertices.ravel()
    parameters["faces"] = faces.ravel().astype(np.uint32)
    parameters.update()
    return result


scene = mi.load_dict({
    "type": "scene",
    "integrator": {"type": "path", "max_depth": -1, "rr_depth": 8},
    "sensor": {
        "type": "perspective",
        "fov": float(np.degrees(2 * np.arctan(0.025 / 2 / 0.035))),
        "to_world": T().look_at(origin=[278, 273, -800], target=[278, 273, 0], up=[0, 1, 0]),
        "film": {"type": "hdrfilm", "width": options.size, "height": options.size, "rfilter": {"type": "box"}},
        "sampler": {"type": "multijitter"},
    },
    "white": mesh("white", [FLOOR, CEILING, BACK, *SHORT, *TALL], options.white),
    "red": mesh("red", [LEFT], options.red),
    "green": mesh("green", [RIGHT], options.green),
    "lamp": mesh("lamp", [LIGHT], options.lamp, options.light),
})
mean = np.zeros((options.size, options.size, 3))
rounds = max(options.spp // 1024, 1)
for seed in range(rounds):
    mean += np.array(mi.render(scene, spp=min(options.spp, 1024), seed=seed))[..., :3] / rounds
    print(f"{seed + 1} of {rounds}", file=sys.stderr)
edge = options.size // 8
for row in range(8):
    for column in range(8):
        region = mean[row * edge:(row + 1) * edge, column * edge:(column + 1) * edge].mean(axis=(0, 1))
        print(f"{row},{column}," + ",".join(f"{c:.6g}" for c in region))
