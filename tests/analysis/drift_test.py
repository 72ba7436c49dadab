# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a session at which block, and where growth begins. Verdicts and their rates: tests/scenes/soak.tsv."""
from math import isnan, log, nan

import pytest

from analysis import drift
from analysis.drift import Figure


def decide(values):
    f = Figure(values, log(1.1))
    drift.decide([f], 0.05)
    return f


def test_nothing_is_decided_before_the_first_look():
    values = [0.01 * i for i in range(480)]
    assert decide(values[:47]).word == drift.OPEN and isnan(decide(values[:47]).change)
    for blocks in (48, 55, 63):
        f = decide(values[:blocks])
        assert f.word == drift.GROWS and f.told == 48 and f.change == pytest.approx(0.24, abs=1e-12)


def test_a_step_after_the_last_look_leaves_it_open():
    values = [0.01 * (i % 3) + (0 if i < 448 else log(2)) for i in range(475)]
    assert [decide(values[:n]).word for n in (448, 475, 458)] == [drift.NONE, drift.OPEN, drift.OPEN]


def test_blocks_without_a_value_are_left_out_of_their_batch():
    f = decide([nan if i % 5 == 2 else 1.0 if i < 48 else 2.0 for i in range(96)])
    assert f.word == drift.GROWS and f.change == pytest.approx(1, abs=1e-12)


def test_the_begin_of_growth_is_a_bend_or_a_step():
    bend = drift.find_begin([nan if i in (3, 60) else 5 if i < 40 else 5 + 0.5 * (i - 39) for i in range(100)])
    assert not bend.step and bend.block == 40 and bend.growth == pytest.approx(0.5, abs=1e-9)
    step = drift.find_begin([5 if i < 70 else 9 for i in range(100)])
    assert step.step and step.block == 70 and step.growth == pytest.approx(4, abs=1e-9)
