# SPDX-License-Identifier: GPL-3.0-or-later
"""How many frames of an animation a protocol caches, and its eviction policy, from the steps of a search.

cell.json has search{low, high, most} and points[], one for each step: miss (new frames), hit (a loop of two frames), search, scan,
fits (the longest loop that hits, once more), over (a loop that does not fit), random, hot. The hit ratio follows from bytes: a new
frame costs `miss` bytes, a frame of a loop of two `hit` bytes, so frames of b bytes hit at a ratio of (miss - b) / (miss - hit). If
a frame of a loop of two still costs NONE of a new frame, there is no cache. Figures are POINT.FIGURE (steps.py; hits_percent,
frames) or figures of the search: low, high, most, places, random_places, sent_bytes, picture_bytes, scan_points, scan_agree. Texts:
policy, verdict."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from analysis import eviction, steps
from analysis.columns import Extractor, Kept, Values, Written
from analysis.command import Stop
from analysis.eviction import ORDERS, Trial
from analysis.numbers import least, most, over
from analysis.samples import Cell, Repeat, Run, elements, number, text

NONE = 0.5
CLIFF_OFF = 0.05  # tolerance of a cache size found by loops: the search skips some lengths
PLACES_OFF = 0.2  # tolerance between cache sizes found by loops and by random order
FRAMES_MOST = 100000
NUMBER_MOST = 1e15


@dataclass(slots=True)
class Point:
    name: str
    folder: str | None  # of its step
    json: Any
    trial: Trial
    hits: float = nan  # hit ratio, 0 to 1

    def value(self, figure: str) -> float:
        return steps.value(self.json, figure)


@dataclass(slots=True)
class Cache:
    """What was found in a repeat. low, high: frames of the longest loop that hits, and of the shortest that does not; miss, hit:
    bytes of a frame on the wire; places: cached frames, by loops, or by random order if that gives another size."""
    repeat: Repeat
    points: list[Point]
    low: float
    high: float
    miss: float = nan
    hit: float = nan
    places: float = nan
    random_places: float = nan
    policy: str | None = None

    def point(self, name: str) -> Point | None:
        """The last of that name, as it was measured again for confirmation."""
        return next((p for p in reversed(self.points) if p.name == name), None)

    def value(self, name: str, figure: str) -> float:
        point = self.point(name)
        return point.value(figure) if point else nan

    def is_there(self) -> bool:
        return self.hit < NONE * self.miss

    def hit_ratio(self, bytes_: float) -> float:
        if not self.is_there() or isnan(bytes_):
            return nan
        return min(max((self.miss - bytes_) / (self.miss - self.hit), 0.0), 1.0)


def whole_of(point: Any, key: str) -> int:
    """0: there is none."""
    value = number(point, key)
    return int(value) if 0 <= value <= NUMBER_MOST else 0


def is_simulable(t: Trial) -> bool:
    """Whether the simulation can play it in reasonable time."""
    frames = t.order == 'fresh' or 2 <= t.frames <= FRAMES_MOST
    return (t.order in ORDERS and frames and (t.order != 'hot' or 1 <= t.hot < t.frames) and t.warm <= FRAMES_MOST
            and 1 <= t.count <= FRAMES_MOST)


def read_points(repeat: Repeat) -> list[Point]:
    out = []
    for one in elements(repeat.json, 'points'):
        name, folder = text(one, 'name'), text(one, 'step')
        if name is None:
            break
        trial = Trial(text(one, 'order') or '', *(whole_of(one, key) for key in ('frames', 'hot', 'warm', 'count', 'seed')))
        out.append(Point(name, folder, one, trial))
        if not is_simulable(trial) or (folder and ('/' in folder or folder[0] == '.')) or isnan(out[-1].value('seconds')):
            raise Stop(f'{repeat.folder}/cell.json: points[] has an element without valid order, frames, count or seconds')
    return out


def find_places(cache: Cache) -> None:
    """A cache with random eviction has no sharp limit: a loop that hits half of the time is longer than the cache. Random order
    gives its size all the same."""
    random = cache.point('random')
    by_random = cache.random_places = eviction.capacity(random.hits, random.trial.frames) if random else nan
    cache.places = nan if isnan(cache.high) or not cache.is_there() else cache.low
    if abs(by_random - cache.places) > PLACES_OFF * cache.low:
        cache.places = by_random


def find_policy(cache: Cache) -> str | None:
    points = [p for p in map(cache.point, ('over', 'random', 'hot')) if p and not isnan(p.hits)]
    if not points or not cache.places >= 1:
        return None
    slack = CLIFF_OFF if cache.places == cache.low else PLACES_OFF
    return eviction.find_policy(cache.places, slack, [p.trial for p in points], [p.hits for p in points])


def read(repeat: Repeat) -> Cache:
    cache = Cache(repeat, read_points(repeat), number(repeat.json, 'search.low'), number(repeat.json, 'search.high'))
    cache.miss, cache.hit = cache.value('miss', 'bytes_per_frame'), cache.value('hit', 'bytes_per_frame')
    for point in cache.points:
        point.hits = cache.hit_ratio(point.value('bytes_per_frame'))
    find_places(cache)
    cache.policy = find_policy(cache)
    return cache


def point_figure(cache: Cache, path: str) -> float | None:
    """POINT.FIGURE; None: no such figure."""
    name, _, figure = path.partition('.')
    point = cache.point(name)
    if figure == 'frames':
        return float(point.trial.frames) if point else nan
    if figure == 'hits_percent':
        return 100 * point.hits if point else nan
    return steps.figure(point.json if point else None, figure)


def numbers(repeat: Repeat, cache: Cache, names: Sequence[str]) -> dict[str, float]:
    scans = [p for p in cache.points if p.name == 'scan' and not isnan(p.hits)]
    agree = sum((p.trial.frames <= cache.low) == (p.hits >= 0.5) for p in scans)
    found = {name: value for name in names if '.' in name and (value := point_figure(cache, name)) is not None}
    return found | {
        'random_places': cache.random_places, 'low': cache.low, 'high': cache.high, 'most': number(repeat.json, 'search.most'),
        'places': cache.places, 'sent_bytes': cache.places * cache.miss,
        'picture_bytes': cache.places * cache.value('miss', 'frame_bytes'), 'scan_points': float(len(scans)),
        'scan_agree': float(agree)}


def verdict(found: Sequence[Cache]) -> str | None:
    there = [cache for cache in found if cache.is_there()]
    beyond = sum(isnan(cache.high) for cache in there)
    places = [cache.places for cache in found]
    if not found:
        return None
    if not there:
        return 'none'
    if len(there) < len(found) or 0 < beyond < len(found) or most(places, 0.0) > (1 + PLACES_OFF) * least(places, float('inf')):
        return 'unclear'
    return 'beyond' if beyond else 'size'


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    """Repeats that disagree give no policy, and no size."""
    policies = {cache.policy for cache in kept[cell.index]}
    return {'policy': policies.pop() if len(policies) == 1 else None, 'verdict': verdict(kept[cell.index])}


# --- rows ---------------------------------------------------------------------------------------------------------

def write_points(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for cache in kept[cell.index]:
            for p in cache.points:
                yield Written(cell, {
                    'repeat': float(cache.repeat.number), 'name': p.name, 'order': p.trial.order,
                    'frames': float(p.trial.frames) if p.trial.frames > 0 else nan, 'frame_wire_bytes': p.value('bytes_per_frame'),
                    'hits_percent': 100 * p.hits,
                    **{name: p.value(name) for name in ('mbit_per_s', 'cpu_percent', 'shown_per_s', 'seen_per_s')}})


def loop_rows(cell: Cell, cache: Cache, part: str) -> Iterator[Written]:
    """A loop over time. The hit ratio is cumulative from the beginning on, as in the paper."""
    point = cache.point(part)
    from_ns, seconds = cache.value(part, 'from_ns'), cache.value(part, 'seconds')
    if not point or not point.folder or not from_ns > 0:
        return
    period = seconds / point.trial.count
    warm_s, sent = point.trial.warm * period, 0.0
    series = steps.read_series(cache.repeat, point.folder, from_ns - warm_s * 1e9)
    for i, (size, cpu) in enumerate(zip(series.bytes, series.cpu_percent)):
        end_s = (series.first + i + 1) * steps.BIN_S
        if series.first + i < 0 or end_s > seconds + warm_s:
            continue  # before the first or after the last frame
        sent += size
        yield Written(cell, {
            'part': part, 'frames': float(point.trial.frames), 'time_s': end_s, 'mbit_per_s': size * steps.BIN_MBIT_PER_S,
            'cpu_percent': cpu, 'hits_percent': 100 * cache.hit_ratio(over(sent, over(end_s, period)))})


def write_series(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for cache in kept[cell.index][:1]:
            for part in ('fits', 'over'):
                yield from loop_rows(cell, cache, part)


EXTRACTOR = Extractor(read=read, numbers=numbers, figures=cell_figures, tables={'points': write_points, 'overtime': write_series})
