# SPDX-License-Identifier: GPL-3.0-or-later
"""The discrete Fourier transform (Cooley & Tukey 1965) of counts. Pure."""
from cmath import exp
from itertools import cycle
from math import pi
from operator import add, mul, sub

PARTS = 8  # a long series is transformed in so many parts: less memory, and low frequencies need no more


def turns(n: int, many: int) -> list[complex]:
    """exp(-2 pi i k / n) for k < many."""
    return [exp(complex(0, -2 * pi * k / n)) for k in range(many)]


def transform(values: list[complex]) -> list[complex]:
    """Of a power of two of values. The steps of Pease (1968, JACM 15(2)): each pairs the halves, and shuffles them."""
    n = len(values)
    turn, order = turns(n, n // 2), [0]
    for level in range(n.bit_length() - 1):
        one, other = values[:n // 2], values[n // 2:]
        values[::2] = map(add, one, other)
        values[1::2] = map(mul, map(sub, one, other), (w for w in turn[::1 << level] for _ in range(1 << level)))
        order = [2 * k for k in order] + [2 * k + 1 for k in order]
    return [values[k] for k in order]


def powers(counts: list[int], most: int) -> list[float]:
    """|sum of count[j] exp(-2 pi i j k / n)|^2 for k from 0 to `most`, below n / 2; n: a power of two, at least 2 PARTS.

    Two parts, of every PARTS-th count, are the real and the imaginary part of one transform, and are taken apart by its
    symmetry."""
    turn = turns(len(counts), most + 1)
    whole = [0j] * (most + 1)
    for part in range(PARTS - 2, -1, -2):
        both = transform(list(map(complex, counts[part::PARTS], counts[part + 1::PARTS])))
        mirror = [v.conjugate() for v in (both[0], *reversed(both[1:]))]
        for values in ([(a - b) * -0.5j for a, b in zip(both, mirror)], [(a + b) / 2 for a, b in zip(both, mirror)]):
            whole = list(map(add, map(mul, turn, whole), cycle(values)))
    return [v.real * v.real + v.imag * v.imag for v in whole]
