#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# gate: compares a run with a baseline, by each repeat's figures, or those of all keys if a repeat has too few.
"""gate_runs draws the runs. Said: METRIC=WORD for each that is compared, then what gate says of all, and of limits."""
import subprocess
import sys
from math import nan
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import scene  # noqa: E402
from analysis import blocks, limits, pooled, verdict  # noqa: E402
from analysis.blocks import Block, Effect, Pooled, Series, Table  # noqa: E402

NAMES = ('late', 'p50', 'p90', 'p95', 'p99')
SAID = {'worse': 'broken', 'not decided': 'open', 'too noisy': 'open'}
EFFECT = Effect(relative=0.1, points=1)


def add_run(table, v, words):
    n, disturbed = int(float(next(words))), int(float(next(words)))
    table.of[v], table.disturbed_of[v] = n, disturbed
    for s in table.series:
        for r in range(n):
            value = float(next(words))
            s.values.append(Block(1, r, v, value, value, False, r < disturbed, False, 0))
        start, end, low, high, repeats = (float(next(words)) for _ in range(5))
        why = next(words).replace('_', ' ')
        s.pooled[v] = Pooled(start, end, low, high, int(repeats), '' if why == '-' else why)


def limit_word(s, series):
    """A limit on B alone, by all its repeats."""
    limit = limits.Limit('<=', s.number(f'limit.{series.metric}', nan))
    limit.add(limits.Figure(*series.pooled[blocks.B][:4]))
    return ('holds', 'broken', 'open')[limit.conclude()]


def judge(s, line):
    table = Table([Series('', name, '%' if name == 'late' else 'ms') for name in NAMES])
    words = iter(line.split())
    add_run(table, blocks.A, words)
    add_run(table, blocks.B, words)
    blocks.compare_runs(table, EFFECT)
    pooled.compare(table, EFFECT)
    v = verdict.reach(table, verdict.Question(s.word('metrics', None), runs=True))
    said = [f'{one.metric}={("open", "lower", "higher", "same")[one.figure.word]}' for one in (v.family if v else ())]
    said.append(SAID.get(v.word, 'holds') if v else 'open')
    return ' '.join(said + [f'limit-{limit_word(s, one)}' for one in table.series if f'limit.{one.metric}' in s.of])


if __name__ == '__main__':
    options = [word for word in sys.argv[1:] if word != '--rates']
    with subprocess.Popen([HERE.parents[1] / 'build/scenes/gate_runs', '--said', *options], stdout=subprocess.PIPE, text=True) as runs:
        scene.main(lambda s, rng: judge(s, runs.stdout.readline()))
