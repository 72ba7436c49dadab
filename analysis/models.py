# SPDX-License-Identifier: GPL-3.0-or-later
"""Published models of how users judge latencies; their constants come from a table (data/thresholds.tsv). Times in ms. Pure."""
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, nan
from typing import NamedTuple

from analysis.command import real
from analysis.tables import BadLine

TOLIA = ('crisp', 'noticeable', 'annoying', 'unacceptable', 'unusable')
NEVER = 1e300  # ms: no answer; finite, so that it has a class


@dataclass(frozen=True, slots=True)
class Answer:
    """One latency: the ends of what is known of it, equal unless it is a range."""
    early_ms: float
    late_ms: float
    later: bool = False  # late_ms is a lower bound: there was no answer
    failed: bool = False  # answered with an error
    users: float = nan  # active users at that time

    def end(self, late: bool) -> float:
        """By its early end, or by its late one: without an answer, never."""
        return self.early_ms if not late else NEVER if self.later else self.late_ms


# name in the table -> the model it belongs to
CONSTANTS = {
    'perception': 'perception', 'crisp': 'tolia', 'noticeable': 'tolia', 'annoying': 'tolia', 'unacceptable': 'tolia',
    'apdex_tolerating': 'apdex', 'apdex_target': 'apdex', 'apdex_excellent': 'apdex', 'apdex_good': 'apdex', 'apdex_fair': 'apdex',
    'apdex_poor': 'apdex', 'apdex_few': 'apdex', 'wu_beta': 'wu', 'wu_expected': 'wu', 'vsimax_margin': 'vsimax',
    'vsimax_base_samples': 'vsimax', 'vsimax_base_dropped': 'vsimax', 'vsimax_samples': 'vsimax', 'vsimax_per_user': 'vsimax',
    'vsimax_trim': 'vsimax',
}


class Limits(NamedTuple):
    """The constants by name, and the source of each model's first one."""
    value: dict[str, float]
    source: dict[str, str]


def read_limits(rows: Iterable[tuple[int, Sequence[str | None]]]) -> Limits:
    """From rows (name, value, source)."""
    limits = Limits({}, {})
    try:
        for _, (name, text, source) in rows:
            if name not in CONSTANTS:
                continue
            try:
                value = real(text or '')
            except (ValueError, OverflowError):
                value = nan
            if not 0 <= value <= 1e9:
                raise BadLine(f'{name}: the value is not a number from 0 to 1e9')
            limits.value[name or ''] = value
            limits.source.setdefault(CONSTANTS[name or ''], source or '')
    except BadLine as bad:
        raise bad if str(bad) else BadLine(f'line {bad.line} is not of schema thresholds/1') from None
    for name in CONSTANTS:
        if name not in limits.value:
            raise BadLine(f'{name} is missing')
    return limits


def late_share(answers: Sequence[Answer], late: bool, threshold: float) -> float:
    """Share of latencies over the threshold."""
    return sum(a.end(late) > threshold for a in answers) / len(answers) if answers else nan


def tolia_class(ms: float, l: dict[str, float]) -> int:
    """A latency equal to the upper end of a class belongs to the next class (Tolia, Andersen & Satyanarayanan 2006)."""
    return sum(ms >= l[name] for name in TOLIA[:4])


def tolia(answers: Sequence[Answer], l: dict[str, float]) -> list[tuple[float, float]]:
    """For each class its share: least of the latencies that are surely in it, most of those that may be."""
    ends = [(tolia_class(a.end(False), l), tolia_class(a.end(True), l)) for a in answers]
    n = len(answers)
    return [(sum(a == c == b for a, b in ends) / n, sum(a <= c <= b for a, b in ends) / n) if n else (nan, nan)
            for c in range(len(TOLIA))]


class Apdex(NamedTuple):
    satisfied: int
    tolerating: int
    frustrated: int
    score: float


def apdex(answers: Sequence[Answer], late: bool, l: dict[str, float]) -> Apdex:
    """(satisfied + tolerating / 2) / n (Apdex Alliance 2007). A latency of exactly T or 4 T is within the class; a failed sample is
    frustrated, however fast."""
    target = l['apdex_target']
    times = [NEVER if a.failed else a.end(late) for a in answers]
    satisfied = sum(ms <= target for ms in times)
    within = sum(ms <= target * l['apdex_tolerating'] for ms in times)
    n = len(times)
    return Apdex(satisfied, within - satisfied, n - within, (satisfied + (within - satisfied) / 2) / n if n else nan)


def round_apdex(score: float) -> float:
    """The specification rates whole hundredths (0.93 is good, 0.94 excellent): the score as it is printed, halves up."""
    return floor(score * 100 + 0.5 + 1e-9) / 100 if isfinite(score) else score  # 0.285 is a little less in binary


def apdex_word(l: dict[str, float], score: float) -> str | None:
    score = round_apdex(score)
    if not isfinite(score):
        return None
    return next((word for word in ('excellent', 'good', 'fair', 'poor') if score >= l[f'apdex_{word}']), 'unacceptable')


def felt_delay(answers: Sequence[Answer], late: bool, l: dict[str, float]) -> tuple[float, float]:
    """Sum, in s^beta, and mean of the delays that a user feels: 0 up to T, (T_total - T)^beta beyond (Wu, Zhang, Gu & Sun 2005)."""
    total = 0.0
    for a in answers:
        ms = a.end(late)
        total += power((ms - l['wu_expected']) / 1000, l['wu_beta']) if ms > l['wu_expected'] else 0
    return (total, total / len(answers)) if answers else (nan, nan)


def power(base: float, exponent: float) -> float:
    try:
        return float(base ** exponent)
    except OverflowError:
        return inf


class Vsimax(NamedTuple):
    base: float = nan  # ms
    limit: float = nan  # of the average
    last: float = nan  # the last average; NaN: none
    known: bool = False  # users are known, and samples are enough
    reached: bool = False  # an average was over the limit
    users: float = nan  # largest number of active users before the limit was reached, or of all


def half_away(value: float) -> float:
    """Rounded as C's round(): halves away from 0."""
    if not isfinite(value):
        return value
    whole = floor(abs(value))
    return (whole + (abs(value) - whole >= 0.5)) * (-1.0 if value < 0 else 1.0)


def vsimax(answers: Sequence[Answer], late: bool, l: dict[str, float]) -> Vsimax:
    """Login VSI 4.1. The baseline is the mean of the 15 shortest samples that did not fail, without the two shortest. At each
    sample, the last 5 + 40 % of the active users' samples are averaged, without 5 % at either end (at least one). The first average
    over the baseline plus one second means too many users. A sample without an answer, or that failed, counts with the time that
    is known of it, or (`late`) with never."""
    times = [NEVER if late and (a.failed or a.later) else a.late_ms for a in answers]
    good = sorted(ms for ms, a in zip(times, answers) if not a.failed)
    base_samples, dropped = int(l['vsimax_base_samples']), int(l['vsimax_base_dropped'])
    if not len(good) >= base_samples > dropped:
        return Vsimax()
    base = added(good[dropped:base_samples]) / (base_samples - dropped)
    limit, last, most, known, reached = base + l['vsimax_margin'], nan, 0.0, False, False
    for i, a in enumerate(answers, 1):
        wanted = l['vsimax_samples'] + half_away(l['vsimax_per_user'] * a.users)
        if not wanted <= i:
            continue
        n, trim = int(wanted), max(1.0, half_away(l['vsimax_trim'] * wanted))
        if 2 * trim >= wanted:
            continue
        window = sorted(times[i - n:i])[int(trim):n - int(trim)]
        known, last = True, added(window) / len(window)
        reached = last > limit
        if reached:
            break
        most = max(most, a.users)
    return Vsimax(base, limit, last, known, reached, most if known else nan)


def added(values: Sequence[float]) -> float:
    """Their plain sum, from the first on."""
    total = 0.0
    for value in values:
        total += value
    return total
