# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a session replayed at several settings: total (time by setting), percentiles (of response times by setting), cdf (a
curve for each setting) and ratio (each response by itself at the base, for the setting furthest from it)."""
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, log2
from typing import Any

from analysis import words
from analysis.amounts import Row
from analysis.draw import MARK, Axis, Curve, Drawing, Look, Mark, Panel, Place, bars, load_look, look, over
from analysis.run import Run
from experiments.families.replays import base_row, farthest, known, says


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings on an axis: where each stands, and the least distance of two."""
    places: Mapping[Any, float]
    gap: float
    axis: Axis


def settings_axis(run: Run, label: str, is_numeric: bool) -> Settings:
    """is_numeric: settings have a place on the axis."""
    rows = run.measured()
    spots = [(float(row['value'] if is_numeric and row.get('value') is not None else i), row) for i, row in enumerate(rows, 1)]
    xs = sorted(x for x, _ in spots)
    gap = min((b - a for a, b in zip(xs, xs[1:]) if b > a), default=1.0)
    pad = (xs[-1] - xs[0]) * (0.1 if len(xs) > 2 else 0.4) or 1.0
    tics = [(x, str(row.get('setting')) if is_numeric else says(row)) for x, row in spots]
    return Settings({row.get('setting'): x for x, row in spots}, gap, Axis(label, xs[0] - pad, xs[-1] + pad, tics=tics))


def setting_bars(run: Run, name: str, title: str, column: str, y: Axis, settings: Settings) -> list[Drawing]:
    rows = run.measured()
    if not known(rows, column):
        return []
    points = [(settings.places[row.get('setting')], row) for row in rows]
    curves = bars(points, column, 0.5 * settings.gap, Look('#a6cce4'), name=y.label)
    return [Drawing(name, title, [Panel(settings.axis, y, curves)], high=330)]


def percentiles(run: Run, settings: Settings, end_ms: float) -> Drawing:
    points = [(settings.places[row.get('setting')], row) for row in run.measured()]
    curves = [*over(points, 'p75_ms', replace(look(4), shape=13), '75 % of the responses are faster'),
              *over(points, 'p50_ms', look(0), 'median'), *over(points, 'p25_ms', replace(look(2), shape=5), '25 % are faster')]
    return Drawing('percentiles', 'Response times by setting', [Panel(settings.axis, Axis('response time, ms', 0, end_ms), curves)])


def cdf(run: Run) -> Drawing:
    rows, limit = run.measured(), run.threshold_ms()

    def curve(i: int, row: Row) -> Curve:
        points = [point for point in run.table('cdf') if point.get('setting') == row.get('setting')]
        return Curve('steps', [Place(point['latency_ms'], point['share']) for point in points],
                     replace(load_look(i, len(rows)), width=1.6), says(row))

    return Drawing('cdf', 'Share of responses within a time', [Panel(
        Axis('response time, ms', log=True, unit='ms'), Axis('share of the responses', 0, 1),
        [curve(i, row) for i, row in enumerate(rows)], marks=[Mark(x=limit, text=f'{words.plain(limit)} ms', dash=2)])])


def times_text(octaves: int) -> str:
    return f'1/{words.plain(2.0 ** -octaves)}' if octaves < 0 else words.plain(2.0 ** octaves)


def ratio(run: Run) -> list[Drawing]:
    """In half octaves."""
    far = farthest(run)
    halves = Counter(floor(log2(point['ratio']) * 2 + 0.5) / 2 for point in run.table('points')
                     if far and point.get('setting') == far.get('setting') and (point.get('ratio') or 0) > 0)
    if not far or not halves:
        return []
    start, end = min([*halves, 0]), max([*halves, 2])
    x = Axis(f'times as long with {says(far)} as with {says(base_row(run))}', start - 0.6, end + 0.6,
             tics=[(float(n), times_text(n)) for n in range(ceil(start), ceil(end + 1))])
    boxes = [Place(at - 0.21, 0, x2=at + 0.21, y2=n) for at, n in sorted(halves.items())]
    return [Drawing('ratio', 'How many times as long each response takes', [Panel(
        x, Axis('responses', 0), [Curve('box', boxes, Look('#eaae80'))], marks=[Mark(x=0, dash=3, colour=MARK)])], high=350)]


def drawings(run: Run, label: str, is_numeric: bool) -> list[Drawing]:
    if not run.measured():
        return []
    settings, p75_ms = settings_axis(run, label, is_numeric), max(known(run.measured(), 'p75_ms'), default=0)
    total = setting_bars(run, 'total', 'Total time of the session by setting', 'total_s', Axis('total time, s', 0), settings)
    return total + ([percentiles(run, settings, p75_ms * 1.3), cdf(run), *ratio(run)] if p75_ms > 0 else [])
