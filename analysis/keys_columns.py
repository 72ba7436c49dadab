# SPDX-License-Identifier: GPL-3.0-or-later
"""Latencies of the keys (or pings) of each repeat, from samples.tsv, and whether the repeat was overloaded, from keyrepeat.json.

Numbers of a repeat:
    coalesced_percent               of the answered keys, those that a later key's echo answered too
Figures of a cell (those in ms are absent where a repeat is overloaded; a range where keys are ranges):
    p50 p90 p95 p99 max             ms, over the keys of all repeats
    high.p50 ... high.max           the same by the late ends of ranges; absent where all keys are exact
    end.p50, end.p90                high.*, or where all keys are exact, p50 and p90
    sent.p50                        median in ms from when the key was sent
    mean, sd, variance              means over the repeats, in ms (variance: ms2); where a key has no echo the mean is a lower
    bound;
                                    there, and where keys are ranges, sd and variance are absent
    min                             ms: the least of all keys
    bound                           1 if the largest latency is a lower bound
    lateness.p99, lateness.max      us that keys were sent late
    late, late.high                 percent over the threshold; the same by the late ends alone
    keys, asked, unknown, unknown_percent   keys of which something is known, all keys, keys of which nothing is known
    skipped, censored, ranged, overloaded   numbers of warm-up keys, keys without an echo, keys known as a range; overloaded repeats
    updates_per_answer              screen updates per key with an echo
Texts: interval, late_interval (methods of the intervals). Rows: cdf (curve of each cell: latency_ms, share, bound, parameters),
compare (settings compared with the default). In the report: cells_overloaded and idle_noise."""
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from typing import Any

from analysis import figures, key_figures, report, spreads
from analysis.columns import Extractor, Kept, Values, Written
from analysis.figures import Figure
from analysis.key_figures import Train
from analysis.numbers import nearest, over
from analysis.samples import Cell, Repeat, Run, number, text
from analysis.sure import count_open

POINTS = 1000  # most of a curve
APPS = ('light', 'grouped', 'heavy', 'own')
BASE = 'default'  # the setting that others are compared with


def numbers(repeat: Repeat, train: Train, names: Sequence[str]) -> dict[str, float]:
    document = repeat.document('keyrepeat.json')
    return {'coalesced_percent': over(100 * number(document, 'result.coalesced'), number(document, 'result.keys_answered'))}


def estimate(run: Run, trains: Sequence[Train]) -> key_figures.KeyFigures:
    return key_figures.estimate(trains, key_figures.threshold_ns(run))


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    trains = kept[cell.index]
    return key_figures.by_name(cell.run, trains, estimate(cell.run, trains), names)


def write_curves(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        trains: Sequence[Train] = kept[cell.index]
        ranged = any(t.keys.ranged for t in trains)
        for late, bound in ((False, 'low'), (True, 'high')) if ranged else ((False, 'exact'),):
            for ms, share in key_figures.curve(trains, late, POINTS):
                yield Written(cell, {'latency_ms': ms, 'share': share, 'bound': bound})


# --- in the report ------------------------------------------------------------------------------------------------

def noise(run: Run, app: str) -> dict[str, Any]:
    """Screen updates without input, of one session."""
    updates, seconds = number(run.json, f'idle.{app}.updates'), number(run.json, f'idle.{app}.seconds')
    if not isfinite(updates) or not seconds > 0:
        return {}
    return {app: {'updates': nearest(updates), 'seconds': report.real(seconds, 3),
                  **report.reals(4, unsolicited_per_s=updates / seconds,
                                 unsolicited_high_per_s=spreads.poisson_high(updates) / seconds)}}


def idle_noise(run: Run) -> dict[str, Any]:
    """Of each application, and of each session, which run.json names PROTOCOL-APP."""
    sessions = [(cell.text('protocol'), cell.text('app')) for cell in run.cells]
    names = [f'{protocol}-{app}'.replace(':', '-') for protocol, app in dict.fromkeys(sessions) if protocol is not None
             and app is not None]
    return {key: value for name in (*APPS, *names) for key, value in noise(run, name).items()}


def sure(run: Run, kept: Kept) -> dict[str, Any]:
    """For a run with --until-sure: settings.until_sure is PERCENTILE,WIDTH%,TIME."""
    asked = re.match(r'([^,]{1,7}),\s*([0-9.]+)', text(run.json, 'settings.until_sure') or '')
    if text(run.json, 'settings.until_sure') is None:
        return {}
    name = asked[1] if asked and asked[1] in ('late', *key_figures.QUANTILES) else 'p50'
    now = [estimate(run, trains).of[name] for trains in kept]
    before = [estimate(run, trains[:-1]).of[name] for trains in kept]
    return {'sure': count_open(now, before, float(asked[2]) / 100 if asked else nan)}


def add_to_report(run: Run, kept: Kept) -> dict[str, Any]:
    return {'cells_overloaded': sum(any(t.overloaded for t in trains) for trains in kept), **sure(run, kept),
            'idle_noise': idle_noise(run)}


# --- settings compared with the default ---------------------------------------------------------------------------

@dataclass(slots=True)
class Setting:
    """A setting compared with the default: how many pairs of repeats, and of how many a side was overloaded, unanswered, failed
    (not measured on one side) or ranged. ratio: of the medians; below 1 the setting is faster. p: of a ratio of 1; NaN: too few
    pairs."""
    cell: Cell
    pairs: int = 0
    overloaded: int = 0
    unanswered: int = 0
    failed: int = 0
    ranged: int = 0
    ratio: Figure = Figure()
    p: float = nan

    def why(self) -> str:
        """Which pairs stand in the way of a ratio, as "overloaded in 5 of 10, failed in 1 of 10"."""
        counts = {'overloaded': self.overloaded, 'unanswered': self.unanswered, 'a range': self.ranged, 'failed': self.failed}
        return ', '.join(f'{word} in {n} of {self.cell.run.repeats}' for word, n in counts.items() if n)


def is_alike(a: Cell, b: Cell, key: str) -> bool:
    """The same parameter."""
    x, y = a.text(key), b.text(key)
    if x is not None or y is not None:
        return x == y
    v, w = a.number(key), b.number(key)
    return isnan(w) if isnan(v) else abs(v - w) < 1e-6


def default_of(cell: Cell) -> Cell | None:
    """The default's cell that differs only in the setting."""
    axes = [axis for axis in cell.run.axes() if axis != 'setting']
    return next((c for c in cell.run.cells if c.text('setting') == BASE and all(is_alike(cell, c, axis) for axis in axes)), None)


def add_pair(out: Setting, train: Train | None, base: Train | None, least: list[float], most: list[float]) -> None:
    x, y = (key_figures.median_ns(t) if t else Figure() for t in (train, base))
    if not train or not base or any(not f.is_known() and not f.why for f in (x, y)):
        out.failed += 1
        return
    least.append(over(x.at_least(), y.at_most()))
    most.append(over(x.at_most(), y.at_least()))
    if train.overloaded or base.overloaded:
        out.overloaded += 1
    else:
        out.unanswered += x.above or y.above or not (least[-1] > 0 and isfinite(most[-1]))
    out.ranged += x.is_range() or y.is_range()
    out.pairs += 1


def compare(cell: Cell, kept: Kept) -> Setting:
    """By the medians of the same repeat. A ratio of ranges is a range, and decides only where both ends say the same. Where one
    side of a pair was overloaded, or its median has no echo, there is no ratio: without that pair it would leave out the slow keys.
    Its interval stays unknown where the p-value is."""
    out, base = Setting(cell), default_of(cell)
    own, others = ({t.repeat: t for t in kept[c.index]} if c else {} for c in (cell, base))
    least: list[float] = []
    most: list[float] = []
    for repeat in range(1, cell.run.repeats + 1):
        add_pair(out, own.get(repeat), others.get(repeat), least, most)
    if out.overloaded or out.unanswered:
        out.ratio = figures.absent('overloaded' if out.overloaded else 'range')
    else:
        (early, p), (late, q) = spreads.paired_ratio(least), spreads.paired_ratio(most)
        out.ratio = figures.joined(early, late)
        out.p = nan if isnan(p) else max(p, q) if (early.value < 1) == (late.value < 1) else 1.0
    if not isfinite(out.p):
        out.ratio = replace(out.ratio, low=nan, high=nan)
    return out


def write_comparison(run: Run, kept: Kept) -> Iterator[Written]:
    """p-values are adjusted by Holm (1979) over the settings of the same `part`."""
    settings = [compare(cell, kept) for cell in run.cells if cell.text('setting') not in (None, '', BASE)]
    for i, one in enumerate(settings):
        p = spreads.adjust_holm([s.p if is_alike(s.cell, one.cell, 'part') else nan for s in settings])[i]
        verdict = spreads.NOT_COMPARABLE if one.overloaded or one.unanswered else spreads.ratio_word(one.ratio, p)
        yield Written(one.cell, {'pairs': float(one.pairs), 'ratio': one.ratio, 'p': p, 'verdict': verdict, 'pairs_why': one.why()})


EXTRACTOR = Extractor(read=key_figures.read_train, numbers=numbers, figures=cell_figures,
                      tables={'cdf': write_curves, 'compare': write_comparison}, report=add_to_report)
