# SPDX-License-Identifier: GPL-3.0-or-later
"""Hit ratio of a cache with C places for frames shown in a given order, and which eviction policy fits measured hit ratios. Pure.

For n frames of one size, once the cache is full (h: share of frames shown that hit):
    loop, n <= C    all policies: 1
    loop, n > C     LRU, FIFO: 0. Random replacement: h = exp(-(n - 1)(1 - h) / C) about (the root below 1), exactly 1 - 2 / (C + 1)
    for
                    n = C + 1. MRU: (C - 1) / (n - 1)
    random, n > C   all policies that keep the frame shown last: (C - 1) / (n - 1), as the next frame is one of n - 1 others, all
                    equally likely, C - 1 of them cached. So h gives C whatever the policy.
    hot, h of n     with 2h <= C and n - h > C: LRU 1/2 (all hot frames and no other); FIFO less, since a hit does not keep a frame
Between these cases, simulation gives the hit ratio."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

from analysis.numbers import most, nearest, total

POLICIES = ('LRU', 'FIFO', 'random', 'MRU')
ORDERS = ('loop', 'random', 'hot', 'fresh')  # src/animate/sequence.h
CHANCES = 5  # repetitions of the simulation of random eviction, whose mean hit ratio counts
SIZES = 8  # cache sizes tried where the size is not known
NEAR = 0.12  # largest error of the policy that is found
APART = 0.05  # by which that of the next one must be larger
WORD = 2 ** 64 - 1


@dataclass(frozen=True, slots=True)
class Trial:
    """A sequence of frames shown in some order; the last `count` of them are counted."""
    order: str
    frames: int
    hot: int
    warm: int
    count: int
    seed: int


def random_fractions(seed: int) -> Iterator[float]:
    """0 <= value < 1, the same on every machine (SplitMix64; Steele, Lea, Flood 2014)."""
    while True:
        seed = seed + 0x9e3779b97f4a7c15 & WORD
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 & WORD
        z = (z ^ z >> 27) * 0x94d049bb133111eb & WORD
        yield ((z ^ z >> 31) >> 11) * 2.0 ** -53


def sequence(t: Trial) -> Iterator[int]:
    """The frames in the order in which the animation shows them."""
    source, last, step = random_fractions(t.seed), -1, 0
    while True:
        if t.order == 'random':
            frame = int(next(source) * (t.frames if last < 0 else t.frames - 1))
            frame += last >= 0 and frame >= last
        elif t.order == 'hot':
            frame = t.hot + step // 2 % (t.frames - t.hot) if step % 2 else step // 2 % t.hot
        else:
            frame = step % t.frames if t.order == 'loop' else step
        yield frame
        last, step = frame, step + 1


def simulate(policy: str, capacity: int, t: Trial, seed: int) -> float:
    """Hit ratio of a cache that is empty at first; NaN: nothing is shown. seed: of random eviction."""
    if capacity <= 0 or t.count < 1:
        return nan
    places: list[int] = []  # frames by place; `order`: of the frames, by when they were stored, or (LRU, MRU) last used
    place_of: dict[int, int] = {}
    order: dict[int, None] = {}
    hits, source = 0, random_fractions(seed)
    for now, frame in zip(range(t.warm + t.count), sequence(t)):
        if frame in place_of:
            hits += now >= t.warm
            if policy in ('LRU', 'MRU'):
                order[frame] = order.pop(frame)
            continue
        if len(places) < capacity:
            place_of[frame] = len(places)
            places.append(frame)
        else:
            oldest, latest = next(iter(order)), next(reversed(order))
            place = int(next(source) * capacity) if policy == 'random' else place_of[latest if policy == 'MRU' else oldest]
            del place_of[places[place]], order[places[place]]
            places[place], place_of[frame] = frame, place
        order[frame] = None
    return hits / t.count


def hit_ratio(policy: str, capacity: int, t: Trial) -> float:
    chances = CHANCES if policy == 'random' else 1
    return total(simulate(policy, capacity, t, t.seed + 1 + i) for i in range(chances)) / chances


def capacity(hits: float, frames: float) -> float:
    """The number of places that follows from a hit ratio in random order."""
    return 1 + hits * (frames - 1)


def find_policy(size: float, slack: float, trials: Sequence[Trial], hits: Sequence[float]) -> str | None:
    """The policy whose simulated hit ratios are nearest to the measured ones (NaN: not measured); the error of a policy is its
    largest difference in any trial, at the best size within `slack` (a share; 0: exact). None: the smallest error is above NEAR, or
    the second smallest is less than APART larger."""
    low, high = nearest(size * (1 - slack)), nearest(size * (1 + slack))
    sizes = range(low, high + 1, (high - low) // SIZES + 1)
    measured = [(t, h) for t, h in zip(trials, hits) if not isnan(h)]
    errors = {}
    for policy in POLICIES:
        found = [most(abs(hit_ratio(policy, c, t) - h) for t, h in measured) for c in sizes]
        errors[policy] = min((e for e in found if not isnan(e)), default=nan)
        if isnan(errors[policy]):
            return None
    best, second = sorted(errors.values())[:2]
    return min(errors, key=lambda p: errors[p]) if best <= NEAR and second - best >= APART else None
