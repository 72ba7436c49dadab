#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# gate: compares a run with a baseline, by each repeat's figures, or those of all keys if a repeat has too few.
"""Draws the keys of two runs. Said: METRIC=WORD for each that is compared, then what gate says of all, and of limits."""
import sys
from math import ceil, exp, inf, nan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
from keys_drawn import train  # noqa: E402
from analysis import blocks, key_figures, limits, pooled, verdict  # noqa: E402
from analysis.blocks import Block, Effect, Pooled, Series, Table  # noqa: E402
from analysis.numbers import nearest  # noqa: E402

NAMES = ('late', 'p50', 'p90', 'p95', 'p99')
SAID = {'worse': 'broken', 'not decided': 'open', 'too noisy': 'open'}
EFFECT = Effect(relative=0.1, points=1)
LATE_NS = 100000000
PERIOD_NS = 200000000
LOST_NS = 5000000000


def number_of(s, run, key, otherwise):
    """KEY of a run: B's b.KEY, if there is one."""
    otherwise = s.number(key, otherwise)
    return s.number(f'b.{key}', otherwise) if run else otherwise


def draw_repeat(s, run, rng):
    """A repeat has a level; a share of `tail` keys, in bursts, takes `times` as long."""
    level = number_of(s, run, 'median', 30) * exp(number_of(s, run, 'levels', 2) / 100 * rng.normal())
    scatter, pareto, frame, burst = s.number('scatter', 5) / 100, s.number('pareto', 0), s.number('frame', 0), s.number('burst', 1)
    tail, lost = number_of(s, run, 'tail', 0) / 100, number_of(s, run, 'unanswered', 0) / 100
    overloaded = rng.fraction() < number_of(s, run, 'overloaded', 0) / 100
    left, answers = 0, []
    for _ in range(int(s.number('keys', 95))):
        ms = level * ((1 - rng.fraction()) ** (-1 / pareto) if pareto > 0 else exp(scatter * rng.normal()))
        if left <= 0 and rng.fraction() < tail / burst:
            left = burst
        ms *= s.number('times', 2.5) if left > 0 else 1
        left -= 1
        ms = frame * ceil(ms / frame) if frame > 0 else ms
        answers.append(None if rng.fraction() < lost else nearest(1e6 * ms))
    return train(answers, PERIOD_NS, nearest(1e6 * number_of(s, run, 'range', 0)), LOST_NS, overloaded)


def add_run(table, v, s, rng):
    trains = [draw_repeat(s, v, rng) for _ in range(int(number_of(s, v, 'repeats', 5)))]
    table.of[v], table.disturbed_of[v] = len(trains), int(number_of(s, v, 'disturbed', 0))
    each = [key_figures.estimate([one], LATE_NS, NAMES[1:]).of for one in trains]
    together = key_figures.estimate(trains, LATE_NS, NAMES[1:]).of
    for series in table.series:
        for r, of in enumerate(each):
            value = nan if of[series.metric].above else of[series.metric].value
            series.values.append(Block(1, r, v, value, value, False, r < table.disturbed_of[v], False, 0))
        f = together[series.metric]
        series.pooled[v] = Pooled(f.start, inf if f.above else f.end, f.low, f.high, f.repeats,
                                  f.why or ('' if trains else 'failed'))


def limit_word(s, series):
    """A limit on B alone, by all its repeats."""
    limit = limits.Limit('<=', s.number(f'limit.{series.metric}', nan))
    limit.add(limits.Figure(*series.pooled[blocks.B][:4]))
    return ('holds', 'broken', 'open')[limit.conclude()]


def draw(s, rng):
    table = Table([Series('', name, '%' if name == 'late' else 'ms') for name in NAMES])
    copy = scene.Rng(rng.state)
    add_run(table, blocks.A, s, rng)
    add_run(table, blocks.B, s, copy if s.number('copy', 0) > 0 else rng)
    blocks.compare_runs(table, EFFECT)
    pooled.compare(table, EFFECT)
    v = verdict.reach(table, verdict.Question(s.word('metrics', None), runs=True))
    said = [f'{one.metric}={("open", "lower", "higher", "same")[one.figure.word]}' for one in (v.family if v else ())]
    said.append(SAID.get(v.word, 'holds') if v else 'open')
    return ' '.join(said + [f'limit-{limit_word(s, one)}' for one in table.series if f'limit.{one.metric}' in s.of])


if __name__ == '__main__':
    scene.main(draw)
