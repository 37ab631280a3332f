#!/usr/bin/env python3
"""Derives the polynomial coefficients of crates/math/src/elementary. Needs mpmath; takes about twenty seconds.

Each function is written as  f = base + scale * P(t)  with a polynomial P. The Remez exchange algorithm finds the
coefficients of P that minimise the largest *relative* error of f. Coefficients are then rounded to the target format
from the lowest order upward, and those of higher order are fitted again after each rounding.

Usage: minimax.py [NAME ...]
"""

import struct
import sys

from mpmath import mp, mpf

mp.prec = 120
GRID = 600


def round_to(bits, c):
    """Returns `c` rounded to a float of 32 or 64 bits."""
    fmt = "f" if bits == 32 else "d"
    return mpf(struct.unpack(fmt, struct.pack(fmt, float(c)))[0])


def shortest(bits, c):
    """Returns the shortest decimal string that parses to the same number."""
    if bits == 64:
        return repr(float(c))
    return next(s for n in range(1, 10) if round_to(32, mpf(s := f"{float(c):.{n}g}")) == c)


def grid(a, b):
    """Returns Chebyshev points of the interval, which are denser near its ends."""
    return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mpf(1) / 2) / GRID) for i in range(GRID)]


def value(coefficients, t):
    """Returns the value of a polynomial, coefficients of the lowest order first."""
    return mp.polyval(list(coefficients)[::-1], t)


def remez(ts, target, weight, start):
    """Improves the coefficients `start` of P so that the maximum of |weight * (P - target)| is minimal.

    Returns (this maximum, coefficients). Weights are positive.
    """
    n = len(start)
    coefficients, best, least = start, start, mp.inf
    for _ in range(15):
        error = [w * (value(coefficients, t) - g) for t, w, g in zip(ts, weight, target)]
        if (worst := max(map(abs, error))) < least:
            best, least = coefficients, worst
        # Find one extremum per run of equal signs; keep n + 1 consecutive ones that include the largest error.
        picks = []
        for i, e in enumerate(error):
            if picks and (error[picks[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[picks[-1]]):
                    picks[-1] = i
            else:
                picks.append(i)
        while len(picks) > n + 1:
            picks.pop(0 if abs(error[picks[0]]) < abs(error[picks[-1]]) else -1)
        # Solve for the polynomial whose weighted error has equal magnitude and alternating signs at these points.
        if len(picks) < n + 1:
            break
        rows = [[ts[p] ** i for i in range(n)] + [(-1) ** j / weight[p]] for j, p in enumerate(picks)]
        coefficients = list(mp.lu_solve(mp.matrix(rows), mp.matrix([target[p] for p in picks])))[:n]
    return least, best


def interpolate(ts, target, n):
    """Returns the polynomial through n Chebyshev points, around which lie the n + 1 extrema of the first exchange."""
    nodes = [round((i + 0.5) * GRID / n) for i in range(n)]
    rows = [[ts[p] ** i for i in range(n)] for p in nodes]
    return list(mp.lu_solve(mp.matrix(rows), mp.matrix([target[p] for p in nodes])))


def fit(name, n, bits, lo, hi, target, weight):
    """Prints the n coefficients, rounded to `bits` bits, and the largest weighted error on [lo, hi]."""
    ts = grid(mpf(lo), mpf(hi))
    g = [target(t) for t in ts]
    w = [abs(weight(t)) for t in ts]
    rounded, free = [], interpolate(ts, g, n)
    while free:
        # Residual of the rounded coefficients, divided by its lowest power of t.
        k = len(rounded)
        rest = [(gi - value(rounded, t)) / t**k for t, gi in zip(ts, g)]
        rest_weight = [wi * abs(t) ** k for t, wi in zip(ts, w)]
        # Try two initial polynomials, since the exchange can get stuck when a weight vanishes at t = 0.
        starts = free, interpolate(ts, rest, n - k)
        _, free = min(remez(ts, rest, rest_weight, start) for start in starts)
        rounded.append(round_to(bits, free.pop(0)))
    worst = max(wi * abs(value(rounded, t) - gi) for t, wi, gi in zip(ts, w, g))
    print(f"{name}: largest relative error 2^{float(mp.log(worst, 2)):.1f}")
    print("    [" + ", ".join(shortest(bits, c) for c in rounded) + "]")


def odd(f):
    """Returns target and weight of P in f(x) = x + x³ P(x²), as functions of t = x²."""
    return (lambda t: (f(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3, lambda t: mp.sqrt(t) ** 3 / f(mp.sqrt(t)))


def log2_of_square(z):
    """Returns log2(m) / s with s = (m - 1) / (m + 1), as a function of z = s²."""
    s = mp.sqrt(z)
    return mp.log((1 + s) / (1 - s), 2) / s


TINY = mpf(2) ** -20
TASKS = {
    # sin r = r + r³ P(r²), tan likewise; |r| ≤ 0.87
    "sin": lambda name: fit(name, 4, 32, TINY, 0.76, *odd(mp.sin)),
    "tan": lambda name: fit(name, 8, 32, TINY, 0.76, *odd(mp.tan)),
    # cos r = 1 - r²/2 + r⁴ P(r²)
    "cos": lambda name: fit(
        name, 3, 32, TINY, 0.76, lambda s: (mp.cos(mp.sqrt(s)) - 1 + s / 2) / s**2, lambda s: s**2 / mp.cos(mp.sqrt(s))
    ),
    # asin x = x + x³ P(x²), |x| ≤ 1/2; atan likewise, |x| ≤ 1; tanh likewise, |x| ≤ 5/8
    "asin": lambda name: fit(name, 5, 32, TINY, 0.25, *odd(mp.asin)),
    "atan": lambda name: fit(name, 9, 32, TINY, 1, *odd(mp.atan)),
    "tanh": lambda name: fit(name, 5, 32, TINY, 0.390625, *odd(mp.tanh)),
    # e^r = 1 + r + r² P(r), |r| ≤ ln 2 / 2 with a small margin
    "exp": lambda name: fit(
        name, 5, 32, -0.3475, 0.3475, lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: r**2 / mp.exp(r)
    ),
    # 2^r = 1 + r P(r), |r| ≤ 1/2
    "exp2": lambda name: fit(name, 6, 32, -0.5, 0.5, lambda r: (mp.power(2, r) - 1) / r, lambda r: r / mp.power(2, r)),
    # log(1 + f) = f - f²/2 + f³ P(f), 2/3 ≤ 1 + f < 4/3
    "log": lambda name: fit(
        name,
        8,
        32,
        -mpf(1) / 3,
        mpf(1) / 3,
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3,
        lambda f: f**3 / mp.log1p(f),
    ),
    # log2(1 + f) = f / ln 2 + f² P(f)
    "log2": lambda name: fit(
        name,
        9,
        32,
        -mpf(1) / 3,
        mpf(1) / 3,
        lambda f: (mp.log1p(f) - f) / mp.log(2) / f**2,
        lambda f: f**2 * mp.log(2) / mp.log1p(f),
    ),
    # log2 m = s P(s²), s = (m - 1) / (m + 1), 2/3 ≤ m < 4/3; in f64, for pow
    "pow_log2": lambda name: fit(
        name, 6, 64, TINY, 0.0401, log2_of_square, lambda z: 1 / log2_of_square(z)
    ),
    # 2^r = 1 + r P(r), |r| ≤ 1/2; in f64, for pow
    "pow_exp2": lambda name: fit(
        name, 7, 64, -0.5, 0.5, lambda r: (mp.power(2, r) - 1) / r, lambda r: r / mp.power(2, r)
    ),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or TASKS:
        TASKS[name](name)
