# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of try: what the 90 % value and the share of late keys decide, alone and beside each other."""
import pytest

from analysis import try_words

ROWS = {'interval': {'latency_p90_ms': 1.0, 'latency_p90_ms_low': 1.0}, 'value': {'latency_p90_ms': 1.0},
        'range': {'latency_p90_ms_from': 1.0, 'latency_p90_ms_to': 2.0}, '': {'keys': 1.0}}


@pytest.mark.parametrize('kind, by_value, by_share, has_interval, wanted', [
    ('interval', True, False, True, True),
    ('interval', False, True, True, False),
    ('interval', None, True, True, True),
    ('interval', None, False, True, False),
    ('interval', None, None, True, None),
    ('interval', None, True, False, None),
    ('value', None, True, True, True),
    ('value', None, False, True, False),
    ('value', None, True, False, None),
    ('range', None, True, True, None),
    ('range', False, True, True, False),
    ('', None, True, True, True),
    ('', None, False, True, False),
    ('', None, True, False, None),
])
def test_what_the_value_does_not_decide_the_share_of_keys_over_the_limit_does_neither_without_an_interval(
        kind, by_value, by_share, has_interval, wanted):
    assert try_words.p90_kind(ROWS[kind]) == kind
    word = by_value if try_words.held_by_value(kind, by_value) else try_words.held_by_share(by_share, has_interval)
    assert word is wanted


@pytest.mark.parametrize('at, wanted', [
    ((None, True, None), (None, True, True)),
    ((True, None, None), (True, True, True)),
    ((None, None, None), (None, None, None)),
    ((None, False, None), (False, False, None)),
    ((None, None, False), (False, False, False)),
    ((False, None, True), (False, None, True)),
])
def test_what_holds_within_a_time_holds_within_a_longer_one_and_what_does_not_not_within_a_shorter_one(at, wanted):
    said = try_words.in_turn([('middle', 150.0, at[1]), ('short', 100.0, at[0]), ('long', 1000.0, at[2])])
    assert tuple(word for _, _, word in sorted(said, key=lambda one: one[1])) == wanted
