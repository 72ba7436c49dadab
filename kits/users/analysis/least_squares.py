# SPDX-License-Identifier: GPL-3.0-or-later
"""Nonlinear least squares by Levenberg and Marquardt's method. Pure; matrices are lists of columns.

Steps are scaled as by More (1978, Lecture Notes in Mathematics 630) and damped as by Nielsen (Madsen, Nielsen & Tingleff 2004,
Methods for non-linear least squares problems); derivatives are forward differences. The GNU Scientific Library's
gsl_multifit_nlinear takes the same steps by default."""
from collections.abc import Callable, Sequence
from math import fabs, hypot, sqrt
from operator import mul
from typing import NamedTuple

Column = list[float]

TOLERANCE = 1e-10
TRIES = 16  # rejected steps, one after the other, before the point is left as it is
DIFFERENCE = 2.0 ** -26  # relative step of derivatives: half of a double's digits
DAMPING = 1e-3  # at first
ALIKE = 1e-6  # share of a column that is no more than the error of derivatives


class Fit(NamedTuple):
    values: Column
    residuals: Column
    slopes: list[Column]  # of the residuals, for each value


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return float(sum(map(mul, a, b)))


def derive(residuals: Callable[[Column], Column], values: Column, here: Column) -> list[Column]:
    columns = []
    for i, value in enumerate(values):
        by = DIFFERENCE * fabs(value) or DIFFERENCE
        there = residuals([*values[:i], value + by, *values[i + 1:]])
        columns.append([(b - a) * (1 / by) for a, b in zip(here, there)])
    return columns


def solve_linear(columns: list[Column], right: Column) -> Column:
    """Least squares of columns x = right, by modified Gram-Schmidt orthogonalization; the columns are independent."""
    left, right, triangle, along = [list(c) for c in columns], list(right), [], []
    for k, column in enumerate(left):
        norm = hypot(*column)
        unit = [v / norm for v in column]
        shares = [dot(unit, other) for other in left[k + 1:]]
        for other, share in zip(left[k + 1:], shares):
            other[:] = [v - share * u for v, u in zip(other, unit)]
        along.append(dot(unit, right))
        right = [v - along[k] * u for v, u in zip(right, unit)]
        triangle.append([norm, *shares])
    out: Column = []
    for row, value in zip(reversed(triangle), reversed(along)):
        out.insert(0, (value - dot(row[1:], out)) / row[0])
    return out


def minimize(residuals: Callable[[Column], Column], start: Column, turns: int) -> Fit:
    """The values near `start` with the least sum of squared residuals, or the best found in so many steps."""
    values, f = list(start), residuals(start)
    slopes = derive(residuals, values, f)
    scale = [hypot(*column) or 1.0 for column in slopes]
    damping, faster = DAMPING * max(hypot(*c) / s for c, s in zip(slopes, scale)) ** 2, 2.0
    for turn in range(turns):
        for _ in range(TRIES):
            zeros = [0.0] * len(values)
            damped = [c + [*zeros[:i], sqrt(damping) * scale[i], *zeros[i + 1:]] for i, c in enumerate(slopes)]
            step = [-v for v in solve_linear(damped, f + zeros)]
            trial = [a + b for a, b in zip(values, step)]
            there = residuals(trial)
            gain = compare_gain(f, there, slopes, scale, step, damping)
            if gain > 0:
                values, f = trial, there
                slopes = derive(residuals, values, f)
                scale = [max(s, hypot(*column) or 1.0) for s, column in zip(scale, slopes)]
                damping, faster = damping * max(0.333333333333333, 1 - (2 * gain - 1) ** 3), 2.0
                break
            damping, faster = damping * faster, 2 * faster
        else:
            if not turn:
                break
        if has_converged(values, step, f, slopes):
            break
    return Fit(values, f, slopes)


def compare_gain(f: Column, there: Column, slopes: list[Column], scale: Column, step: Column, damping: float) -> float:
    """How much a step reduces the residuals, as a share of what their slopes promised; -1: it does not."""
    before, after = hypot(*f), hypot(*there)
    if not after < before:
        return -1.0
    along = hypot(*(dot(row, step) for row in zip(*slopes))) / before
    across = hypot(*map(mul, scale, step)) / before
    promised = along * along + 2 * damping * across * across
    return (1 - (after / before) ** 2) / promised if promised > 0 else -1.0


def has_converged(values: Column, step: Column, f: Column, slopes: list[Column]) -> bool:
    if all(fabs(s) < TOLERANCE * TOLERANCE + TOLERANCE * fabs(v) for s, v in zip(step, values)):
        return True
    steepest = max(fabs(max(v, 1.0) * dot(column, f)) for v, column in zip(values, slopes))
    return steepest <= TOLERANCE * max(dot(f, f) / 2, 1.0)


def invert_gram(columns: list[Column]) -> list[Column] | None:
    """(J'J)^-1, by orthogonalization of the longest column left at each step; None: the columns do not tell all values apart."""
    left = [(list(column), [float(i == j) for j in range(len(columns))]) for i, column in enumerate(columns)]
    first, done = 0.0, []
    while left:
        column, made = left.pop(max(range(len(left)), key=lambda i: hypot(*left[i][0])))
        norm = hypot(*column)
        first = first or norm
        if not norm > ALIKE * first:
            return None
        unit, made = [v / norm for v in column], [v / norm for v in made]
        for other, of in left:
            share = dot(unit, other)
            other[:] = [v - share * u for v, u in zip(other, unit)]
            of[:] = [v - share * u for v, u in zip(of, made)]
        done.append(made)
    return [[sum(made[a] * made[b] for made in done) for b in range(len(columns))] for a in range(len(columns))]
