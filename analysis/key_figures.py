# SPDX-License-Identifier: GPL-3.0-or-later
"""Latencies of the keys of a cell's repeats, and figures of them. Percentiles are exact and pooled over the repeats; intervals:
estimates.pool_quantile(). Largest values have none."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from operator import sub

from analysis import estimates, figures, spreads
from analysis.estimates import Pool, of_run
from analysis.figures import Figure, Sample, Statistic
from analysis.numbers import nearest, over
from analysis.samples import Keys, Repeat, Run, truth
from analysis.spreads import ShareRuns

NS_PER_MS = 1e6
STALL_NS = 500e6  # length of a stall that may have been missed


@dataclass(slots=True)
class Train:
    """The keys of one repeat."""
    keys: Keys
    overloaded: bool
    repeat: int


def read_train(repeat: Repeat) -> Train:
    """samples.tsv of a repeat, and from keyrepeat.json, if there is one, whether it was overloaded."""
    document = repeat.document('keyrepeat.json')
    return Train(repeat.keys(), truth(document, 'result.overloaded'), repeat.number)


# --- latencies ----------------------------------------------------------------------------------------------------

def answers(keys: Keys, late: bool, sent: bool = False) -> Sequence[int]:
    """When each key was answered: by the earliest possible time, or the latest one; 0: not known."""
    if late or sent or not any(keys.earliest):
        return keys.high if late else keys.answer
    return [e or a for e, a in zip(keys.earliest, keys.answer)]


def bounded_latencies(keys: Keys, late: bool, sent: bool = False) -> list[int]:
    """ns from the due time, or (`sent`) from when the key was sent: the lower bounds of the keys of which nothing else is known; at
    least 0, as a key may be due after the end of a capture."""
    start = keys.sent if sent else keys.due
    return [max(0, c - s) for a, c, s in zip(answers(keys, late, sent), keys.censored, start)
            if c and not a and (s or not sent)] if any(keys.censored) else []


def latencies(keys: Keys, late: bool, sent: bool = False) -> list[int]:
    """All that are known, in the order of the keys."""
    start, ends = keys.sent if sent else keys.due, answers(keys, late, sent)
    if 0 not in ends and 0 not in start:
        return list(map(sub, ends, start))
    return [a - s if a else max(0, c - s) for a, c, s in zip(ends, keys.censored, start) if (a or c) and (s or not sent)]


def lateness(keys: Keys) -> list[int]:
    """ns that keys were sent after their due time."""
    return [s - d for s, d in zip(keys.sent, keys.due) if s]


def sample(keys: Keys, late: bool) -> Sample:
    return Sample(sorted(latencies(keys, late)), min(bounded_latencies(keys, late), default=inf))


def median_ns(train: Train) -> Figure:
    """Median latency; absent if the train was overloaded."""
    if train.overloaded:
        return figures.absent('overloaded')
    early, late = (figures.quantile(sample(train.keys, end), 0.5) for end in (False, True))
    return figures.between(early, late)


def late_flags(keys: Keys, late: bool, threshold_ns: int) -> bytes:
    """1 for each key that came later than the threshold after its due time, 0 for each other whose latency is known. A latency that
    is only known to exceed a time below the threshold may be late: it counts as late by the late end."""
    if not any(keys.censored):
        return bytes(map(threshold_ns.__lt__, latencies(keys, late)))
    return bytes((a - s > threshold_ns if a else late or max(0, c - s) >= threshold_ns)
                 for a, c, s in zip(answers(keys, late), keys.censored, keys.due) if a or c)


def stall_keys(trains: Sequence[Train]) -> float:
    """How many keys are due in STALL_NS; 1 where no due times are known."""
    long = [t.keys for t in trains if len(t.keys) > 1]
    ns = float(sum(k.due[-1] - k.due[0] for k in long))
    return max(1.0, STALL_NS * sum(len(k) - 1 for k in long) / ns) if ns > 0 else 1.0


# --- figures of a cell --------------------------------------------------------------------------------------------

# name -> what is pooled, the percentile (1: the largest value), and the unit in ns
QUANTILES = {
    'p50': ('due', 0.5, 1e6), 'p90': ('due', 0.9, 1e6), 'p95': ('due', 0.95, 1e6), 'p99': ('due', 0.99, 1e6),
    'max': ('due', 1.0, 1e6), 'sent.p50': ('sent', 0.5, 1e6), 'lateness.p99': ('lateness', 0.99, 1e3),
    'lateness.max': ('lateness', 1.0, 1e3),
}


@dataclass(slots=True)
class KeyFigures:
    """late: percent of keys later than the threshold; ms from the due time to the echo; us that keys were sent late."""
    of: dict[str, Figure]  # a range where keys are ranges
    late_end: dict[str, Figure]  # the same by the late ends alone; absent where those are not needed
    keys: int = 0  # of which something is known
    unknown: int = 0  # of which nothing is known: left out
    skipped: int = 0  # warm-up keys, left out
    censored: int = 0
    ranged_keys: int = 0  # with an answer of which only a range is known
    overloaded: int = 0  # repeats
    ranged: bool = False
    interval: str = 'none'  # method of the interval of the median: none, t or exact
    late_interval: str = 'none'  # and of that of the share of late keys


def pool_of(trains: Sequence[Train], measure: str, late: bool) -> Pool:
    """Of the repeats with at least one value. late: by the late ends of ranges, otherwise by the early ends."""
    sent = measure == 'sent'
    values = [lateness(t.keys) if measure == 'lateness' else latencies(t.keys, late, sent) for t in trains]
    bounds: list[list[int]] = [[] if measure == 'lateness' else bounded_latencies(t.keys, late, sent) for t in trains]
    there = [i for i, v in enumerate(values) if v]
    return Pool([values[i] for i in there], [bounds[i] for i in there], stall_keys(trains),
                'plain' if measure == 'lateness' else 'keys')


def late_share(trains: Sequence[Train], threshold_ns: int, late: bool) -> tuple[Figure, str]:
    """The share of late keys, in percent. Its interval takes stalls, not keys, as independent: one stall makes many keys late."""
    share = ShareRuns(stall_keys(trains))
    for train in trains:
        flags = late_flags(train.keys, late, threshold_ns)
        if flags:
            share.add_repeat(flags)
    n = sum(share.n)
    interval, apart = spreads.clustered_share(share)
    low, high = (100 * interval[0], 100 * interval[1]) if interval else spreads.NONE
    both = tuple(100 * h / m for h, m in zip(share.hits, share.n)) if len(share.n) == 2 else (nan, nan)
    f = figures.exact(100 * sum(share.hits) / n if n > 0 else nan)
    return (replace(f, low=low, high=high, repeats=len(share.n), both=(both[0], both[1])),
            'none' if not interval else 't' if apart else 'exact')


def count_keys(trains: Sequence[Train]) -> KeyFigures:
    out = KeyFigures({'late': Figure()} | {name: Figure() for name in QUANTILES},
                     {'late': Figure()} | {n: Figure() for n in QUANTILES})
    for train in trains:
        keys = train.keys
        early = answers(keys, False)
        out.overloaded += train.overloaded
        out.ranged = out.ranged or keys.ranged
        out.skipped += keys.skipped
        unanswered, unknown = sum(not a for a in early) if 0 in early else 0, 0
        if unanswered:
            unknown = sum(not a and not c for a, c in zip(early, keys.censored))
        out.keys += len(keys) - unknown
        out.unknown += unknown
        out.censored += unanswered - unknown
        if early != keys.high:
            out.ranged_keys += sum(1 for a, h, c in zip(early, keys.high, keys.censored) if a and (h != a if h else c))
    return out


def set_quantiles(out: KeyFigures, trains: Sequence[Train], names: Sequence[str], late: bool, into: dict[str, Figure]) -> None:
    """Of names that have one pool."""
    pool = pool_of(trains, QUANTILES[names[0]][0], late)
    for name in names:
        measure, p, unit = QUANTILES[name]
        if measure != 'lateness' and out.overloaded:
            into[name] = figures.absent('overloaded')
            continue
        into[name], apart = estimates.pool_quantile(pool, p, unit)
        if name == 'p50' and not late and isfinite(into[name].low):
            out.interval = 't' if apart else 'exact'


def estimate(trains: Sequence[Train], threshold_ns: int, asked: Sequence[str] = tuple(QUANTILES)) -> KeyFigures:
    """A key with a longer latency than the threshold is late. If a train is overloaded, latency percentiles stay unknown: pooling
    it would measure the length of the run, leaving it out would drop exactly the slow keys. By late ends only where they may
    differ: a key without an echo is late by its late end."""
    out = count_keys(trains)
    for measure in ('due', 'sent', 'lateness'):
        names = [name for name in asked if QUANTILES[name][0] == measure]
        for late in (False, True) if out.ranged and measure != 'lateness' else (False,):
            if names:
                set_quantiles(out, trains, names, late, out.late_end if late else out.of)
    out.of['late'], out.late_interval = late_share(trains, threshold_ns, False)
    if out.ranged or out.censored:
        out.late_end['late'], _ = late_share(trains, threshold_ns, True)
    for name, end in out.late_end.items():
        if end.is_known():
            out.of[name] = figures.joined(out.of[name], end)
    return out


def curve(trains: Sequence[Train], late: bool, most: int) -> Iterator[tuple[float, float]]:
    """Points (ms, share of all keys whose echo is known to be there by then) of the pooled distribution, at most so many, with the
    first and the last. Keys without an echo never count; none if a train is overloaded."""
    if any(t.overloaded for t in trains):
        return
    exact = sorted(a - s for t in trains for a, s in zip(answers(t.keys, late), t.keys.due) if a)
    n = len(exact) + sum(len(bounded_latencies(t.keys, late)) for t in trains)
    points = min(len(exact), most)
    for i in range(points):
        at = i * (len(exact) - 1) // (points - 1) if points > 1 else 0
        yield exact[at] / NS_PER_MS, (at + 1) / n


# --- figures by name, for columns ---------------------------------------------------------------------------------

STATISTICS = {'mean': figures.mean, 'min': figures.minimum, 'sd': figures.deviation, 'variance': figures.deviation}


def combined(run: Run, trains: Sequence[Train], e: KeyFigures, name: str) -> Figure:
    """Mean or least over the repeats of a statistic of each. A lower bound has no interval; deviations of ranges are not known."""
    if e.overloaded and name != 'min':
        return figures.absent('overloaded')
    if e.ranged and name in ('sd', 'variance'):
        return figures.absent('range')
    ends = []
    for late in (False, True):
        found = [STATISTICS[name](sample(t.keys, late)) for t in trains]
        values = [s.value ** 2 / (NS_PER_MS * NS_PER_MS) if name == 'variance' else s.value / NS_PER_MS for s in found]
        known = name in ('mean', 'min') or not any(bounded_latencies(t.keys, late) for t in trains)
        f = of_run(run, 'min' if name == 'min' else 'mean+ci', values) if known else Figure()
        if any(s.above for s in found):
            f = replace(figures.bounded(Statistic(f.value, True)), repeats=len(trains))
        ends.append(f)
    return figures.joined(*ends)


def counted(count: int, of: int) -> float:
    """A count of such keys; none of no keys is not known."""
    return float(count) if count or of else nan


def updates_per_answer(trains: Sequence[Train]) -> float:
    """Different answer times per answered key: one update may answer several."""
    times = [[a for a in t.keys.answer if a] for t in trains]
    updates = sum(1 for one in times for a, before in zip(one, [0, *one]) if a != before)
    return over(updates, sum(map(len, times)))


def by_name(run: Run, trains: Sequence[Train], e: KeyFigures, names: Sequence[str]) -> dict[str, Figure | float | str | None]:
    """Figures of a cell's keys (keys_columns.py lists them)."""
    n, all_keys = e.keys, e.keys + e.unknown
    out: dict[str, Figure | float | str | None] = {
        **e.of, **{f'{name}.high' if name == 'late' else f'high.{name}': f for name, f in e.late_end.items()},
        'end.p50': (e.late_end if e.ranged else e.of)['p50'], 'end.p90': (e.late_end if e.ranged else e.of)['p90'],
        'bound': float(e.of['max'].above), 'keys': float(n), 'asked': float(all_keys), 'unknown': counted(e.unknown, all_keys),
        'unknown_percent': over(100.0 * e.unknown, all_keys), 'skipped': float(e.skipped), 'censored': counted(e.censored, n),
        'ranged': counted(e.ranged_keys, n), 'overloaded': counted(e.overloaded, n), 'interval': e.interval,
        'late_interval': e.late_interval}
    if 'updates_per_answer' in names:
        out['updates_per_answer'] = updates_per_answer(trains)
    return out | {name: combined(run, trains, e, name) for name in names if name in STATISTICS}


def threshold_ns(run: Run) -> int:
    return nearest(run.threshold_ms * NS_PER_MS)
