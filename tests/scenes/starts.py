# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up starts of two variants that differ by a known shift, and by what disturbs comparisons: scatter of several shapes, levels
of starts, correlated blocks, places in a start that are slower, other programs. Shares in percent; blocks as logarithms."""
from dataclasses import dataclass
from math import exp, expm1, log, log1p, sqrt

PAIRS = 2


def shaped(shape, rng):
    """Mean 0, and standard deviation 1 where there is one."""
    if shape == 'heavy':  # Student's t of 3 degrees
        squares = [rng.normal() ** 2 for _ in range(3)]
        return rng.normal() / sqrt(sum(squares))
    if shape == 'skewed':  # differences of log-normal values: symmetric
        return (exp(0.75 * rng.normal()) - exp(0.75 * rng.normal())) / sqrt(2 * exp(0.75 * 0.75) * expm1(0.75 * 0.75))
    if shape == 'two':  # -1 or 1
        return -1 if rng.fraction() < 0.5 else 1
    if shape == 'exponential':  # not symmetric
        return -log(1 - rng.fraction()) - 1
    if shape == 'lognormal':  # sigma 1: not symmetric
        return (exp(rng.normal()) - exp(0.5)) / sqrt(expm1(1) * exp(1))
    return rng.normal()


@dataclass(frozen=True, slots=True)
class Law:
    shape: str = 'normal'
    spread: float = 0  # of what a start adds to B
    scatter: float = 0  # of blocks
    correlation: float = 0  # of a block with the one before
    level: float = 0  # of what a start adds to each variant
    position: tuple[float, ...] = ()  # by which the first, second, ... block of a start is slower
    sometimes: float = 0  # so is only this share of starts (0: all)
    noise: float = 0  # of other programs: each block is slower by an exponential share of this mean
    shift: float = 0  # by which B is slower in truth


def draw(law, start, rng):
    """The blocks of A and B in a start, of which A B B A is the order of odd numbers, B A A B of even ones."""
    before = rng.normal()
    moved = not law.sometimes > 0 or rng.fraction() < law.sometimes / 100
    level = [law.level / 100 * rng.normal() for _ in range(2)]
    level[1] += log1p(law.shift / 100) + law.spread / 100 * shaped(law.shape, rng)
    block = [[0.0] * PAIRS, [0.0] * PAIRS]
    position = law.position + (0.0,) * (2 * PAIRS - len(law.position))
    for i in range(2 * PAIRS):
        v = ((i + 1) // 2 + start + 1) % 2
        before = law.correlation * before + sqrt(1 - law.correlation * law.correlation) * rng.normal()
        block[v][i // 2] = level[v] + law.scatter / 100 * before + (log1p(position[i] / 100) if moved else 0)
        if law.noise > 0:
            block[v][i // 2] += log1p(-law.noise / 100 * log(1 - rng.fraction()))
    return block
