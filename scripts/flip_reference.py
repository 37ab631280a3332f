"""Prints the errors that the FLIP authors' implementation computes for the two test images of
crates/image/src/metrics/flip/tests.rs.

    pip install flip-evaluator==1.7 numpy
    python scripts/flip_reference.py

The images are computed with integers only, so that the Rust test generates the same bytes. Changes must be made in
both files.
"""

import flip_evaluator
import numpy

WIDTH, HEIGHT = 96, 64
PROBES = [(3, 2), (20, 17), (44, 29), (50, 5), (71, 12), (93, 30), (2, 40), (25, 50), (47, 62), (60, 45), (80, 48), (95, 63)]


def noise(x, y, c):
    """Returns a pseudorandom byte."""
    h = (x * 0x9E3779B1 ^ y * 0x85EBCA77 ^ c * 0xC2B2AE3D) & 0xFFFFFFFF
    h ^= h >> 15
    h = h * 0x2C1B3C6D & 0xFFFFFFFF
    return (h ^ h >> 12) >> 24 & 0xFF


def reference(x, y):
    """Returns a pixel of the reference image: gradients on the left, a checkerboard on the right."""
    if x >= 48 and (x // 8 + y // 8) % 2 == 0:
        return [200, 180, 160]
    return [x * 255 // 95, y * 255 // 63, (x + y) * 255 // 158]


def test(x, y):
    """Returns a pixel of the test image: in four quarters noise, a shift, swapped colours, and a bright dot."""
    if x < 48 and y < 32:
        return [min(max(v + noise(x, y, c) % 33 - 16, 0), 255) for c, v in enumerate(reference(x, y))]
    if y < 32:
        return reference(min(x + 1, 95), y)
    if x < 48:
        return reference(x, y)[::-1]
    return [255, 250, 240] if 79 <= x <= 81 and 47 <= y <= 49 else reference(x, y)


def picture(value):
    """Returns the image of the pixels `value(x, y)`, sRGB in [0, 1]."""
    rows = [[value(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    return numpy.asarray(rows, dtype=numpy.float32) / numpy.float32(255)


def main():
    for ppd in (None, 30.0):
        parameters = {} if ppd is None else {"ppd": ppd}
        errors, mean, used = flip_evaluator.evaluate(
            picture(reference), picture(test), "LDR", inputsRGB=True, applyMagma=False, parameters=parameters
        )
        print("ppd", used["ppd"], "mean", f"{mean:.7f}")
        for x, y in PROBES:
            print(f"    ({x}, {y}, {float(errors[y, x].flat[0]):.6f}),")


if __name__ == "__main__":
    main()
