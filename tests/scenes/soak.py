#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# soak: judges a session after every block of keys. *Scatter*: how much response times differ from block to block.
"""Said: the verdict of the session, the figures of `floor`, `median` and `late` that grow, and "alarm" if growth was told at any
block, whether it came back or not."""
import sys
from math import exp, fmod, log, nan, pi, sin, sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
import starts  # noqa: E402
from analysis import drift  # noqa: E402

KEYS = 20


def draw_noise(s, i, before, rng):
    """Noise of block i with a standard deviation of 1, and what the next one goes on from."""
    z, ar, noise = rng.normal(), s.number('ar', 0), s.word('noise', '')
    if noise == 'heavy':
        return starts.shaped('heavy', rng), before
    if noise == 'spikes':  # one block in 20 is up to 20 times as slow
        return z + (3 / s.number('scatter', 5) * 100 * rng.fraction() if rng.fraction() < 0.05 else 0), before
    if noise == 'levels':  # two, each for `dwell` blocks in the mean
        if not i or rng.fraction() < 1 / s.number('dwell', 10):
            before = -1 if rng.fraction() < 0.5 else 1
        return before + z / 10, before
    before = ar * before + sqrt(1 - ar * ar) * z if i else z
    return before, before


def growth_at(s, i, blocks, phase):
    """By how much block i is slower than the first, as a share."""
    start, by, shape = s.number('from', 0), s.number('by', 0) / 100, s.word('shape', '')
    span = s.number('span', blocks - start)
    if shape == 'wave':
        return by * sin(2 * pi * (phase + i / span))
    if shape == 'saw':
        return by * fmod(i, span) / span
    if not start <= i < start + span:
        return 0
    return by * (i - start) / (blocks - start) if shape == 'slope' else by


def draw_keys(share, level, rng):
    """The figures of a block of which a share of the keys, in percent, takes 150 in place of 15 ms."""
    keys = sorted((150 if 100 * rng.fraction() < share else 15) * level * exp(0.05 * rng.normal()) for _ in range(KEYS))
    return [log(keys[KEYS // 10 - 1]), log((keys[KEYS // 2 - 1] + keys[KEYS // 2]) / 2), 100 * sum(k > 100 for k in keys) / KEYS]


def draw_block(s, i, blocks, phase, noise, rng):
    level = (1 + growth_at(s, i, blocks, phase)) * exp(s.number('scatter', 5) / 100 * noise)
    digit, slow = s.number('digit', 0), s.number('slow', -1)
    if digit > 0:  # values are given with so many percent as their last digit
        level = max(1, int(100 * level / digit + 0.5)) * digit / 100
    if slow < 0:
        return [log(level)]
    return draw_keys(s.number('slow-before', 0) if i < int(s.number('slow-from', 0)) else slow, level, rng)


def draw(s, rng):
    phase, before, blocks = rng.fraction(), 0, int(s.number('blocks', 240))
    mute, values = int(s.number('mute-from', blocks)), []
    for i in range(blocks):
        noise, before = draw_noise(s, i, before, rng)
        of = draw_block(s, i, blocks, phase, noise, rng)
        values.append(of if i < mute else [nan] * len(of))
    figures = [drift.Figure(list(of), log(1.1) if k < 2 else 10) for k, of in enumerate(zip(*values))]
    drift.decide(figures, 0.05)
    said = [('open', 'not-slower', 'slower', 'returns')[drift.combine(figures)]]
    for f, name in zip(figures, ('floor', 'median', 'late')):
        said += (['alarm'] if f.told or f.returned else []) + ([name] if f.word == drift.GROWS else [])
    return ' '.join(said)


if __name__ == '__main__':
    scene.main(draw)
