# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated caches against closed formulas and cases worked by hand; and each policy recognised from what it hits."""
from dataclasses import replace
from math import isnan, nan

import pytest

from analysis import eviction
from analysis.eviction import POLICIES, Trial

TRIALS = [Trial('loop', 82, 0, 164, 164, 3), Trial('random', 130, 0, 260, 260, 4), Trial('hot', 162, 32, 260, 260, 5)]


def hits(policy, order, frames, hot, count):
    return eviction.hit_ratio(policy, 65, Trial(order, frames, hot, 20 * frames, count, 7))


@pytest.mark.parametrize('policy', POLICIES)
def test_a_loop_that_fits_always_hits(policy):
    assert hits(policy, 'loop', 65, 0, 650) == 1


def test_a_loop_of_one_more_defeats_lru_and_fifo_but_not_chance():
    """One frame is not there, and a miss puts another in its place, 1 to C showings further on, all as likely: one miss in (C + 1)
    / 2. Keeping the oldest, all but one place serve the same frames for ever."""
    assert hits('LRU', 'loop', 66, 0, 660) == hits('FIFO', 'loop', 66, 0, 660) == 0
    assert hits('random', 'loop', 66, 0, 20000) == pytest.approx(1 - 2 / 66, abs=0.01)
    assert hits('MRU', 'loop', 130, 0, 13000) == pytest.approx(64 / 129, abs=0.02)


def test_random_replacement_in_a_longer_loop_is_as_the_formula_says():
    """The root below 1 of h = exp(-89 (1 - h) / 65)."""
    assert hits('random', 'loop', 90, 0, 9000) == pytest.approx(0.514149, abs=0.03)


def test_random_order_tells_the_size_whatever_the_policy():
    for policy in ('LRU', 'FIFO', 'random'):
        assert hits(policy, 'random', 130, 0, 20000) == pytest.approx(64 / 129, abs=0.02)
    assert eviction.capacity(64 / 129, 130) == pytest.approx(65)


def test_being_shown_keeps_a_frame_under_lru_only():
    """32 hot ones in turn, every second time, beside a loop of 130 that does not fit."""
    assert hits('LRU', 'hot', 162, 32, 16200) == 0.5 and 0.2 < hits('FIFO', 'hot', 162, 32, 16200) < 0.35


@pytest.mark.parametrize('policy', POLICIES)
def test_each_policy_is_recognised(policy):
    """As long as in a run, by other chances."""
    measured = [eviction.hit_ratio(policy, 65, replace(t, seed=t.seed + 100)) + off for t, off in zip(TRIALS, (0.03, -0.03, 0.03))]
    assert eviction.find_policy(65, 0, TRIALS, measured) == policy


@pytest.mark.parametrize('size, slack, measured, policy', [
    (60, 0.15, [0, 0.5, 0.5], 'LRU'), (65, 0, [0.5, 0.9, 0.1], None), (65, 0, [nan, nan, nan], None),
    (65, 0, [0, 0.5, nan], None),  # the loop alone does not tell LRU from FIFO
])
def test_noise_is_not(size, slack, measured, policy):
    assert eviction.find_policy(size, slack, TRIALS, measured) == policy
    assert isnan(eviction.hit_ratio('LRU', 0, TRIALS[0]))
