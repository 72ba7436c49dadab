# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a run's tables: a column NAME of a row, with NAME_low, _high, _both, _above, _from, _to, _least and _why beside it.
Their words; and what is claimed of them, which decide.py decides. Pure. None: not known."""
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fabs, inf, nan
from typing import Any

from analysis import decide, words
from analysis.decide import Answer, Claim, Figure

Row = Mapping[str, Any]  # column -> number (float), text, or None
Rows = list[dict[str, Any]]
WHY = {'overloaded': 'overloaded', 'too few': 'too few keys', 'failed': 'failed', 'range': 'only a range',
       'resolution': "below the probe's error"}


@dataclass(frozen=True, slots=True)
class Amount:
    """value: the one number, None for a range; start and end: the ends of a range, end None where no late end is known; low and
    high: the interval; both: the values of two repeats, which have no interval; above: only a lower bound, which has no high end;
    least: below it the probe cannot tell; why: the reason of absence."""
    value: float | None = None
    start: float | None = None
    end: float | None = None
    low: float | None = None
    high: float | None = None
    both: tuple[float, ...] | None = None
    above: bool = False
    least: float | None = None
    why: str | None = None
    repeats: float | None = None
    unit: str = ''

    def at_least(self) -> float | None:
        """The least that the true figure can be; None: absent."""
        return self.value if self.value is not None else self.start

    def at_most(self) -> float | None:
        """The most: of a lower bound infinite."""
        if self.at_least() is None:
            return None
        return inf if self.above else self.value if self.value is not None else self.end

    def is_known(self) -> bool:
        return self.at_least() is not None

    def is_range(self) -> bool:
        return self.value is None and self.end is not None

    def is_unresolved(self) -> bool:
        most = self.at_most()
        return self.least is not None and most is not None and fabs(most) < self.least


def amount(row: Row, name: str) -> Amount:
    """The figure of a column of the row."""
    both = row.get(f'{name}_both')
    above = row.get(f'{name}_above') == 1
    return Amount(
        row.get(name), row.get(f'{name}_from'), row.get(f'{name}_to'), row.get(f'{name}_low'), None if above
        else row.get(f'{name}_high'), tuple(map(float, both.split(' '))) if both is not None else None, above,
        row.get(f'{name}_least'), row.get(f'{name}_why') or ('not measured' if row.get('repeats') == 0 else None),
        row.get('repeats'), words.unit_of(name))


# --- words --------------------------------------------------------------------------------------------------------

def why_words(why: str | None) -> str:
    return WHY.get(why or '', why or 'n/a')


Text = Any  # a function of a number


def range_words(low: float, high: float, unit: str, text: Text = words.short) -> str:
    if unit == 'ms' and fabs(high) >= 9950:
        return range_words(low / 1000, high / 1000, 's', text)
    ends = [words.percent(end) if unit == '%' else text(end) for end in (low, high)]
    more = ([words.fixed(end, decimals) for end in (low, high)] for decimals in range(1, 5))  # as many as tell them apart
    ends = ends if ends[0] != ends[1] or low == high else next((two for two in more if two[0] != two[1]), ends)
    return f'{ends[0]} to {ends[1]}' + (unit if unit in ('', '/s') else f' {unit}')


def interval_words(low: float | None, high: float | None, unit: str, text: Text = words.short) -> str:
    return '' if low is None or high is None else f' (95 % CI {range_words(low, high, unit, text)})'


def in_words(a: Amount) -> str:
    """19.1 ms, 12.5 to 201 ms, more than 812 ms, less than 0.4 ms"""
    least = a.at_least()
    if least is None:
        return f'unknown ({why_words(a.why)})' if a.why else 'unknown'
    if a.is_unresolved():
        return f'less than {words.with_unit(a.least, a.unit)}'
    if a.above:
        return f'more than {words.with_unit(least, a.unit)}'
    if a.value is None and a.start is not None and a.end is not None:
        return re.sub(r'^([^ ]+) to \1(?= |/|$)', r'\1', range_words(a.start, a.end, a.unit))
    return words.with_unit(a.value, a.unit)


def with_interval(a: Amount) -> str:
    """Its interval, with as many decimals as the value has. Two repeats give no interval: both values instead."""
    if a.is_unresolved():
        return ''
    value = a.at_least() or 0.0
    top = a.high if a.high is not None else a.both[1] if a.both and len(a.both) > 1 else 0.0
    decimals = len(words.short(value / 1000 if a.unit == 'ms' and fabs(top) >= 9950 else value).partition('.')[2])

    def text(number: float) -> str:
        return words.short(number) if not value else words.fixed(number, decimals)

    if a.both:
        return f' (two repeats: {range_words(a.both[0], a.both[1], a.unit, text).replace(" to ", " and ", 1)})'
    return interval_words(a.low, a.high, a.unit, text)


def lacks_interval(row: Row, name: str) -> bool:
    """Two repeats of which only ranges are known. A largest value never has an interval."""
    a = amount(row, name)
    return (row.get('repeats') == 2 and f'{name}_low' in row and row[f'{name}_low'] is None and 'max' not in name and a.is_known()
            and a.both is None)


def level(row: Row, name: str) -> str:
    """19.1 ms (95 % CI 18.8 to 19.3 ms)"""
    a = amount(row, name)
    return in_words(a) + with_interval(a) + (' (2 repeats: no interval)' if lacks_interval(row, name) else '')


def unanswered_words(row: Row) -> str:
    """, 20 % without a response"""
    unanswered, keys = row.get('unanswered') or 0, row.get('keys') or 0
    return f', {words.percent(100 * unanswered / keys)} % without a response' if unanswered > 0 and keys > 0 else ''


# --- requests of a row that failed --------------------------------------------------------------------------------

def failed_requests(row: Row) -> float:
    return sum(row.get(name) or 0 for name in ('errors', 'timeouts', 'unanswered'))


def is_mostly_answered(row: Row) -> bool:
    """Where more than one request in twenty failed, the mean of the others says nothing of a response."""
    return 19 * failed_requests(row) <= (row.get('requests') or 0)


def is_of_answered(row: Row, name: str) -> bool:
    """A figure that is only known of answered keys and requests, where more than one in twenty had no answer."""
    requests, keys = row.get('requests'), row.get('keys') or 0
    failed = row['unanswered'] if row.get('unanswered') is not None else row.get('censored') or 0
    failed, of = (failed, keys) if requests is None else (failed_requests(row), requests + failed_requests(row))
    pattern = 'stall|_gap|jitter|updates_per' if requests is None else '^((response|p[0-9]+|max)_ms|late_percent)$'
    return bool(20 * failed > of and re.search(pattern, name))


def failed_words(row: Row) -> str:
    failed = failed_requests(row)
    return f'{words.thousands(failed)} of {words.plural((row.get("requests") or 0) + failed, "request")} failed'


# --- claims -------------------------------------------------------------------------------------------------------

def number(value: float | None) -> Amount:
    return Amount(value)


def span(start: float | None, end: float | None) -> Amount:
    return Amount(start=start, end=end)


def interval_alone(row: Row, name: str) -> Amount:
    """Of a figure only what its interval says."""
    a = amount(row, name)
    return span(a.low, a.high)


def ends(a: Amount) -> Figure:
    """As decide.py takes it."""
    def known(value: float | None) -> float:
        return nan if value is None else value

    least = known(a.at_least())
    most = inf if a.above or (a.is_known() and a.at_most() is None) else known(a.at_most())
    return Figure(least, most if least == least else nan, known(a.low), known(a.high), int(a.repeats or 0))


def with_both(a: Amount) -> Amount:
    """Of two repeats both values count, of which decide.py makes an interval; of other figures of two repeats, such as a median of
    many starts, the interval stays as it is."""
    if a.both:
        return replace(a, low=min(a.both) if a.low is None else a.low, high=max(a.both) if a.high is None else a.high, repeats=2.0)
    return replace(a, repeats=None) if a.repeats == 2 else a


def rounded(answer: Answer) -> Answer:
    """Its numbers with nine decimals, as judge prints them."""
    return Answer(answer.word, *(round(value, 9) for value in answer[1:]))


def ask(kind: str, a: Amount, b: Amount, share: int = 1) -> Answer:
    """What is decided of a claim of this kind; of as many claims together, with 95 % confidence."""
    return rounded(decide.judge(Claim(kind, share, ends(a), ends(b))))


def yes_or_no(answer: Answer) -> bool | None:
    """None: cannot tell."""
    return {decide.HOLDS: True, decide.FAILS: False}.get(answer.word)


def exceeds(a: Amount, b: Amount) -> bool | None:
    """Is the first surely more than the second?"""
    return yes_or_no(ask('above', with_both(a), with_both(b)))


def above(row: Row, name: str, limit: float) -> bool | None:
    return exceeds(amount(row, name), number(limit))


def within(a: Amount, start: float, end: float) -> bool | None:
    return yes_or_no(ask('within', with_both(a), span(start, end)))


def near(row: Row, name: str, value: float | None, share: float, more: float) -> bool | None:
    """Is it within this share of the value, and so much more?"""
    if value is None:
        return None
    by = fabs(value) * share + more
    return within(amount(row, name), value - by, value + by)


def off(a: Amount, b: Amount, percent: float) -> Answer:
    """By at most so many percent?"""
    return ask(f'off {percent:g}', with_both(a), with_both(b))


def scaled(a: Amount, by: float) -> Amount:
    def one(value: float | None) -> float | None:
        return None if value is None else value * by

    return replace(a, value=one(a.value), start=one(a.start), end=one(a.end), low=one(a.low), high=one(a.high),
                   both=None if a.both is None else tuple(v * by for v in a.both))


OVER_ALL = re.compile(r'(^|_)p[0-9]{2,3}(_|$)|^late_(share_)?percent|^(startup|event|t0_(warm|cold)|used|left)_ms')


def differ(a: Row, b: Row, name: str, share: int = 1) -> Answer:
    """Is the second row's figure another one, of so many claims together? (The interval of a percentile, a share of keys or a
    median of starts is of the keys or starts of all repeats together, not of Student's t over the repeats.)"""
    def one(row: Row) -> Amount:
        figure = amount(row, name)
        return replace(figure, repeats=None) if (figure.repeats or 0) > 2 and OVER_ALL.search(name) else figure

    return ask('differs', one(a), one(b), share)


def multiple(a: Amount, b: Amount) -> Answer:
    """How many times the second one is the first?"""
    return ask('times', a, b)


def is_floor(ms: float, share: float, floor: float) -> bool | None:
    """Is a known floor of a value at least this share of it, and no more than it?"""
    return within(number(floor), ms * share, ms * 1.1)
