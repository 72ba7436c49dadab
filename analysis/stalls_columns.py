# SPDX-License-Identifier: GPL-3.0-or-later
"""Stalls of screen updates during trains in folder `stall` (in cells without such trains: the repeats themselves): as the probe saw
them (keyrepeat.json), which knows where the train begins and ends; otherwise from the capture (prototap.json).

Numbers of a repeat: trains (1), mean_ms, mean_positive_ms, count, gap_ms (largest), jitter_sd_ms, jitter_variance_ms2,
updates_per_s, wire_bytes_per_key, schedule_jitter_ms (standard deviation of the intervals between keys due to their schedule
alone), updates_10ms, updates_5ms, updates_20ms (updates in the capture if packets up to so many ms apart are merged),
depends_on_merge (1: these differ by more than prototap tolerates); of a train in folder `hold`, with a key held down, held_mean_ms,
held_jitter_sd_ms, and the same of its capture, held_wire_mean_ms, held_wire_jitter_sd_ms."""
from collections.abc import Sequence
from math import isfinite, isnan, nan, sqrt
from typing import Any

from analysis.columns import Extractor
from analysis.numbers import over
from analysis.samples import Repeat, number, text, truth

PLAIN = ('mean_ms', 'mean_positive_ms', 'count', 'jitter_sd_ms', 'jitter_variance_ms2')


def schedule_sd(probe: Any) -> float:
    """Two neighbours are each moved by U(0, period/3): their difference has a standard deviation of period/3 / sqrt(12) *
    sqrt(2)."""
    schedule, period = text(probe, 'settings.schedule'), number(probe, 'result.stalls.period_ms')
    period = period if isfinite(period) else number(probe, 'settings.period_ms')
    return {'jittered': period / 3 / sqrt(12) * sqrt(2), 'periodic': 0.0}.get(schedule or '', nan)


def updates(capture: Any, gap_ms: float) -> float:
    """Updates in the capture for a merge gap; NaN: not counted for this gap."""
    for path in ('', '.other_merges.0', '.other_merges.1'):
        if abs(number(capture, f'result.updates{path}.merge_ms') - gap_ms) < 1e-6:
            return number(capture, f'result.updates{path}.count')
    return nan


def held(train: Repeat | None) -> dict[str, float]:
    files = {'held': 'keyrepeat.json', 'held_wire': 'prototap.json'}
    return {f'{name}_{figure}': number(train.document(file) if train else None, f'result.stalls.{figure}')
            for name, file in files.items() for figure in ('mean_ms', 'jitter_sd_ms')}


def numbers(repeat: Repeat, kept: None, names: Sequence[str]) -> dict[str, float]:
    train = repeat.pick('stall')
    probe, capture = (train.document(file) if train else None for file in ('keyrepeat.json', 'prototap.json'))
    watched = isfinite(number(probe, 'result.stalls.mean_ms'))
    seen = probe if watched else capture
    period, mean = number(seen, 'result.stalls.period_ms'), number(seen, 'result.stalls.mean_ms')
    keys = len(train.keys()) + train.keys().skipped if train and capture is not None else 0
    gap = number(probe, 'result.largest_gap_ms') if watched else number(seen, 'result.stalls.max_ms') + period
    counts = {f'updates_{ms}ms': updates(capture, ms) for ms in (10, 5, 20)}
    return {
        **{name: number(seen, f'result.stalls.{name}') for name in PLAIN}, 'trains': 1.0 if train else nan, 'gap_ms': gap,
        'updates_per_s': over(1000, mean + period),  # on average one update per mean stall plus period
        'wire_bytes_per_key': number(capture, 'result.channels.total.wire_bytes') / keys if keys else nan,
        'schedule_jitter_ms': schedule_sd(probe), **counts, **held(repeat.train('hold')),
        'depends_on_merge': nan if isnan(counts['updates_10ms']) else float(truth(capture, 'result.updates.depends_on_merge'))}


EXTRACTOR = Extractor(numbers=numbers)
