# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays of one recorded session, from RUN/analysis.json (vncplay analyze of all replays together) and their cell.json. A cell is
a setting: an element of settings.rows in run.json (setting, value: position on an axis, says); settings.base names the setting that
others are compared with.
    value, text says                    of settings.rows
    p25 p50 p75 p90 max responses       response times of all replays of the setting (ms), and their number
    late                                percent of them over the threshold
    total_ratio ratio pairs p missing ratio_p25 ratio_p75 ratio_max points slower faster    relative to the base; p after Holm
    text verdict
Rows: points (a response at a setting), runs (a replay), cdf (the share of responses within a time).

A ratio pairs two replays of the same repeat: for each response, its latency at the setting over that at the base. The ratio of a
pair is the median over responses; that of a setting the geometric mean over its pairs, with Student's t interval of the logarithms.
ratio_p25 to faster count responses, each by its geometric mean over pairs. A response that was not found in a replay has no ratio;
it is missing where the base of the same repeat has it."""
from collections.abc import Iterator, Sequence
from math import isfinite, isnan, nan
from typing import NamedTuple

from analysis import estimates, spreads
from analysis.columns import Extractor, Kept, Value, Values, Written, copied
from analysis.estimates import Pool
from analysis.figures import Figure
from analysis.numbers import exp, log, nearest, over, total
from analysis.samples import Cell, Repeat, Run, at, elements, number, text

SURE = 0.5  # responses that were matched with less confidence are left out, unless the run sets settings.confidence
SLOWER = 1.5  # ratio from which on a response counts as slower (faster: its inverse)
US = 1000.0  # pools hold whole numbers: microseconds
QUANTILES = {'p25': 0.25, 'p50': 0.5, 'p75': 0.75, 'p90': 0.9, 'max': 1.0}
SAME = ('server_busy_percent', 'caches')
OF_CELL = {
    'total_s': 'play.total_s', 'inputs': 'play.inputs', 'inputs_of_trace': 'play.inputs_of_trace',
    'waited': 'play.snapshots.waited', **{name: f'facts.{name}' for name in ('throttled_s', 'load_reads_per_s', 'load_read_p50_ms',
                                                                             'in_device_p90', 'waiting_mean', 'tau',
                                                                             'passed_percent', 'delay_ms')},
    'disk_reads': 'disk.reads', 'disk_writes': 'disk.writes'}


class Replay(NamedTuple):
    """latency_ms: of each response from the press of key or button; NaN: not found. updates, bytes: screen updates."""
    repeat: Repeat
    total_s: float
    latency_ms: list[float]
    updates: float
    bytes: float


def analysis_of(run: Run) -> object:
    """None: the run has none."""
    return run.document('analysis.json')


def responses_of(run: Run) -> list[int]:
    """Indices of the used responses in the analysis."""
    sure, out = number(run.json, 'settings.confidence', SURE), []
    for i, one in enumerate(elements(analysis_of(run), 'result.responses')):
        if isnan(number(one, 'input')):
            break
        if not number(one, 'confidence') < sure:
            out.append(i)
    return out


def base_of(run: Run) -> Cell:
    name = text(run.json, 'settings.base')
    return next((cell for cell in reversed(run.cells) if cell.name == name), run.cells[0])


def read(repeat: Repeat) -> Replay:
    run = repeat.cell.run
    analysis, file = analysis_of(run), f'cells/{repeat.cell.name}/{repeat.number}/replay.rfb'
    files = [text(one, 'file') for one in elements(analysis, 'result.runs')]
    i = files.index(file) if file in files else len(files)
    responses = elements(analysis, 'result.responses')
    return Replay(repeat, number(repeat.json, 'play.total_s'),
                  [number(responses[k], f'latency_from_press_ms.{i}') for k in responses_of(run)],
                  number(analysis, f'result.runs.{i}.updates'), number(analysis, f'result.runs.{i}.bytes'))


# --- beside the base ----------------------------------------------------------------------------------------------

def pairs_of(cell: Cell, kept: Kept) -> list[tuple[Replay, Replay]]:
    """Each replay with the base's of the same repeat."""
    base = {replay.repeat.number: replay for replay in kept[base_of(cell.run).index]}
    return [(one, base[one.repeat.number]) for one in kept[cell.index] if one.repeat.number in base]


class Response(NamedTuple):
    """Geometric means over the n pairs of replays that both have it."""
    ms: float
    base_ms: float
    ratio: float
    n: int


def mean_responses(cell: Cell, kept: Kept) -> list[Response]:
    pairs, out = pairs_of(cell, kept), []
    for k in range(len(responses_of(cell.run))):
        both = [(one.latency_ms[k], base.latency_ms[k]) for one, base in pairs if one.latency_ms[k] > 0 and base.latency_ms[k] > 0]
        ms, base_ms = (exp(over(total(log(pair[i]) for pair in both), len(both))) for i in (0, 1))
        out.append(Response(ms, base_ms, over(ms, base_ms), len(both)))
    return out


def ratios_of_pairs(cell: Cell, kept: Kept) -> list[float]:
    medians = [spreads.quantile([a / b for a, b in zip(one.latency_ms, base.latency_ms) if a > 0 and b > 0], 0.5)
               for one, base in pairs_of(cell, kept)]
    return [m for m in medians if m > 0]


def p_values(run: Run, kept: Kept) -> list[float]:
    """Of a ratio of 1 for each cell, after Holm."""
    base = base_of(run)
    return spreads.adjust_holm([nan if cell is base else spreads.paired_ratio(ratios_of_pairs(cell, kept))[1]
                                for cell in run.cells])


def compared(cell: Cell, kept: Kept, p: float) -> dict[str, Value]:
    pairs, ratios = pairs_of(cell, kept), ratios_of_pairs(cell, kept)
    looked = bool(pairs) and analysis_of(cell.run) is not None  # without a base nothing is known
    of_responses = [r.ratio for r in mean_responses(cell, kept) if isfinite(r.ratio)]
    missing = sum(b > 0 and not a > 0 for one, base in pairs for a, b in zip(one.latency_ms, base.latency_ms))
    median, _ = spreads.paired_ratio(ratios)
    counts = {'missing': missing, 'slower': sum(r >= SLOWER for r in of_responses),
              'faster': sum(r <= 1 / SLOWER for r in of_responses), 'points': len(of_responses)}
    return {
        'total_ratio': spreads.paired_ratio([one.total_s / base.total_s for one, base in pairs if one.total_s > 0
                                             and base.total_s > 0])[0],
        'pairs': float(len(ratios)), **{name: float(n) if looked else nan for name, n in counts.items()},
        'ratio_p25': spreads.quantile(of_responses, 0.25), 'ratio_p75': spreads.quantile(of_responses, 0.75),
        'ratio_max': spreads.quantile(of_responses, 1), 'ratio': median, 'verdict': spreads.ratio_word(median, p)}


BASE: dict[str, Value] = {
    **dict.fromkeys(('pairs', 'missing', 'points', 'slower', 'faster'), 0.0),
    **dict.fromkeys(('total_ratio', 'ratio', 'ratio_p25', 'ratio_p75', 'ratio_max'), nan)}


def pool_of(replays: Sequence[Replay]) -> Pool:
    runs = [[nearest(ms * US) for ms in replay.latency_ms if ms > 0] for replay in replays]
    return Pool([run for run in runs if run], kind='replays')


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    run, pool = cell.run, pool_of(kept[cell.index])
    values, known = pool.all.values, analysis_of(run) is not None
    p = p_values(run, kept)[cell.index]
    row = next((one for one in elements(run.json, 'settings.rows') if text(one, 'setting') == cell.name), None)
    quantiles: dict[str, Figure] = {name: estimates.pool_quantile(pool, q, US)[0] for name, q in QUANTILES.items()}
    return {
        **quantiles, 'responses': float(len(values)) if known else nan,
        'late': over(100.0 * sum(v > run.threshold_ms * US for v in values), len(values)),
        **(BASE if cell is base_of(run) else compared(cell, kept, p)), 'p': p, 'value': number(row, 'value'),
        'says': text(row, 'says') if row is not None else cell.name}


# --- rows ---------------------------------------------------------------------------------------------------------

def write_responses(run: Run, kept: Kept) -> Iterator[Written]:
    indices = responses_of(run)
    for cell in run.cells:
        for i, r in zip(indices, mean_responses(cell, kept)):
            if r.n:
                yield Written(cell, {**copied(at(analysis_of(run), f'result.responses.{i}'), ('input', 'kind', 'at_s')),
                                     'n': float(r.n), 'latency_ms': r.ms, 'base_ms': r.base_ms, 'ratio': r.ratio})


def write_replays(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for one in kept[cell.index]:
            yield Written(cell, {
                'repeat': float(one.repeat.number), **copied(one.repeat.json, SAME,
                                                             {name: (path, 1.0) for name, path in OF_CELL.items()}),
                'updates': one.updates, 'bytes': one.bytes, 'responses': float(sum(ms > 0 for ms in one.latency_ms))})


def write_cdf(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        values = pool_of(kept[cell.index]).all.values
        for k, value in enumerate(values, 1):
            yield Written(cell, {'latency_ms': value / US, 'share': k / len(values)})


EXTRACTOR = Extractor(read=read, figures=cell_figures, tables={'points': write_responses, 'runs': write_replays, 'cdf': write_cdf})
