"""Where the camera and named objects of the BART scenes are at given times, by numpy from the files alone.

    python3 bart.py FOLDER_OF_SCENES

prints the tables of `bart.rs`. A spline is evaluated as the animation code of the benchmark does: the first segment that
ends after the time, with the fraction of the time in it. Axes of rotations are normalised.
"""

import os
import re
import sys

import numpy as np


def words(path):
    with open(path, encoding="latin1") as file:
        for line in file:
            line = re.split("[#%]", line)[0]
            yield from line.replace("{", " { ").replace("}", " } ").split()


def quaternion(axis, degrees):
    """w, x, y, z"""
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis)
    half = np.radians(degrees) / 2
    return np.array([np.cos(half), *(np.sin(half) * axis / length if length else axis)])


def multiply(p, q):
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def conjugate(q):
    return q * [1, -1, -1, -1]


def log(q):
    sine = np.linalg.norm(q[1:])
    return q[1:] / sine * np.arctan2(sine, q[0]) if sine > 0 else q[1:]


def exp(v):
    angle = np.linalg.norm(v)
    return np.array([np.cos(angle), *(v * np.sinc(angle / np.pi))])


def slerp(p, q, t):
    angle = np.arccos(np.clip(p @ q, -1, 1))
    if angle < 1e-9:
        return p
    return (np.sin((1 - t) * angle) * p + np.sin(t * angle) * q) / np.sin(angle)


def matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def segment(rows, time):
    """The index of the segment's first keyframe, and the fraction of the time in it."""
    last = len(rows) - 3
    if time <= rows[1][0]:
        return 1, 0.0
    if time >= rows[last + 1][0]:
        return last, 1.0
    i = next(i for i in range(1, last + 1) if time < rows[i + 1][0])
    return i, (time - rows[i][0]) / (rows[i + 1][0] - rows[i][0])


def tangents(rows, i):
    """Factors of the differences before and after both keyframes of a segment, in its two tangents."""
    t0, t1, t2, t3 = (rows[i + k][0] for k in (-1, 0, 1, 2))
    tension, continuity, bias = rows[i][-3:]
    share = (t2 - t1) / (t2 - t0) * (1 - tension)
    out = share * (1 + continuity) * (1 + bias), share * (1 - continuity) * (1 - bias)
    tension, continuity, bias = rows[i + 1][-3:]
    share = (t2 - t1) / (t3 - t1) * (1 - tension)
    return out, (share * (1 - continuity) * (1 + bias), share * (1 + continuity) * (1 - bias))


def vector(rows, time):
    i, u = segment(rows, time)
    p0, p1, p2, p3 = (np.array(rows[i + k][1:4]) for k in (-1, 0, 1, 2))
    if u in (0.0, 1.0):
        return p2 if u else p1
    (a, b), (c, d) = tangents(rows, i)
    out, into = a * (p1 - p0) + b * (p2 - p1), c * (p2 - p1) + d * (p3 - p2)
    hermite = [[1, 0, 0, 0], [0, 0, 1, 0], [-3, 3, -2, -1], [2, -2, 1, 1]]
    return np.array([1, u, u * u, u**3]) @ hermite @ np.array([p1, p2, out, into])


def rotation(rows, time):
    i, u = segment(rows, time)
    given = [quaternion(row[1:4], row[4]) for row in rows]
    near = list(given)
    for k in range(1, i + 1):
        if near[k] @ near[k + 1] < 0:
            near[k + 1] = -near[k + 1]
    q0, q1, q2, q3 = near[i - 1], near[i], near[i + 1], given[i + 2]
    if u in (0.0, 1.0):
        return matrix(q2 if u else q1)
    (a, b), (c, d) = tangents(rows, i)
    difference = log(multiply(conjugate(q1), q2))
    out = a * log(multiply(conjugate(q0), q1)) + b * difference
    into = c * difference + d * log(multiply(conjugate(q2), q3))
    first = multiply(q1, exp((out - difference) / 2))
    second = multiply(q2, exp((difference - into) / 2))
    return matrix(slerp(slerp(q1, q2, u), slerp(first, second, u), 2 * u * (1 - u)))


def affine(linear, translation):
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = linear, translation
    return m


class Scene:
    """Chains of transforms of named objects, and keyframes."""

    def __init__(self, root):
        self.folder = os.path.dirname(root)
        self.chains, self.keys = {}, {}
        self.read(root, ())

    def read(self, path, chain):
        w, i, stack = list(words(path)), 0, []
        while i < len(w):
            if w[i] == "i":
                self.read(os.path.join(self.folder, w[i + 2]), chain)
                i += 3
            elif w[i] == "xs":
                n = np.array(w[i + 1 : i + 11], float)
                stack.append(chain)
                chain += (affine(matrix(quaternion(n[3:6], n[6])) * n[:3], n[7:]),)
                i += 12
            elif w[i] == "x":
                stack.append(chain)
                chain += (w[i + 1],)
                self.chains.setdefault(w[i + 1], chain)
                i += 3
            elif w[i] == "}":
                chain = stack.pop()
                i += 1
            elif w[i] == "k":
                name, keys, i = w[i + 1], {}, i + 3
                while w[i] != "}":
                    width, count = (8 if w[i] == "rot" else 7), int(w[i + 1])
                    numbers = np.array(w[i + 2 : i + 2 + width * count], float)
                    keys[w[i]] = numbers.reshape(count, width)
                    i += 2 + width * count
                self.keys[name] = keys
                i += 1
            else:
                i += 1

    def transform(self, name, time):
        keys = self.keys.get(name, {})
        linear = rotation(keys["rot"], time) if "rot" in keys else np.eye(3)
        if "scale" in keys:
            linear = linear * vector(keys["scale"], time)
        return affine(linear, vector(keys["transl"], time) if "transl" in keys else np.zeros(3))

    def place(self, name, point, time):
        m = np.eye(4)
        for link in self.chains[name]:
            m = m @ (self.transform(link, time) if isinstance(link, str) else link)
        return (m @ [*point, 1])[:3]


def main(scenes):
    table = [
        ("kitchen", "kitchen.aff", 0.0, [0.0, 3.3, 8.9, 12.7, 16.2, 19.9], ["toycar", "rotating_wheel_left"]),
        ("museum", "museum5.aff", -1.0, [-1.0, -0.2, 1.0, 2.2, 3.7, 4.9], []),
        (
            "robots",
            "Robot.aff",
            0.0,
            [0.0, 3.1, 10.0, 16.6, 27.5, 42.3, 49.0],
            ["l_toes_rot1", "grip_rot2", "gun_rot1", "head_rot10", "r_toes_rot7"],
        ),
    ]
    for folder, file, start, times, names in table:
        scene = Scene(os.path.join(scenes, "bart", folder, "aff", file))
        for time in times:
            shown = lambda v: ", ".join(f"{x:.4f}" for x in v)
            m = scene.transform("camera", time)
            print(f'("camera", {time - start:.3f}, [{shown(m[:3, 3])}], [{shown(m[:3, 3] - m[:3, 2])}]),')
            for name in names:
                places = [shown(scene.place(name, point, time)) for point in ((0, 0, 0), (1, 2, 3))]
                print(f'("{name}", {time - start:.3f}, [{places[0]}], [{places[1]}]),')
        print()


main(sys.argv[1])
