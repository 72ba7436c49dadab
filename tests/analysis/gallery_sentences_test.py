# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of the gallery: of which rows of a kept run they are said."""
import pytest

from analysis.gallery_facts import Kept, make_fact, make_table
from analysis.gallery_rules import World, sentences
from analysis.run import Column

HEAD = ['protocol', 'sinks', 'ms', 'ms_low', 'ms_high', 'rtt_ms', 'repeats']
NUMBERS = [['x', '0', '10', '9', '11', '40', '5'], ['near', '0', '12', '11.5', '12.5', '40', '5'],
           ['wide', '0', '12', '8', '16', '40', '5'], ['far', '0', '90', '89', '91', '40', '5'],
           ['farther', '0', '95', '94', '96', '40', '5']]
KINDS = {name: Column('summary', name, *cells, '', '', name)
         for name, *cells in (('protocol', 'text', ''), ('ms', 'real', 'ms'), ('rtt_ms', 'real', 'ms'))}


def said(text, rule, where='', rows=NUMBERS):
    kept = Kept('one', facts={'settings': {}}, tables={'summary': make_table([HEAD, *rows])}, columns={'summary': KINDS})
    return sentences([make_fact(1, 'file:1', ['', 'Fig', 'answer', text, 'one/summary', where, rule])], World([kept]))


@pytest.mark.parametrize('rule, words', [
    ('some ms > 2 rtt_ms', 'far and farther: 90 to 95 ms'),
    ('some ms < 20', 'near, wide and x: 10 to 12 ms'),
    ('some ms > 92', 'farther: 95.0 ms (94.0 to 96.0 ms)'),
    ('some ms > 20 and some ms < 92', 'far: 90.0 ms (89.0 to 91.0 ms)'),
    ('some ms > 2 rtt_ms and ms > 5', 'far and farther: 90 to 95 ms'),
    ('ms < 100', 'far, farther, near, wide and x: 10 to 95 ms'),
    ('some ms > 100', '')])
def test_a_sentence_is_said_of_the_rows_for_which_its_rule_holds(rule, words):
    assert said('{protocol}: {ms}', rule) == words


@pytest.mark.parametrize('where, rule, words', [
    ('protocol=far', 'ms > 1 ms protocol=x', '90.0 ms (89.0 to 91.0 ms), not 10.0 ms (9.0 to 11.0 ms)'),
    ('protocol=far|farther', 'ms > 1 ms protocol=x', '90 to 95 ms, not 10.0 ms (9.0 to 11.0 ms)'),
    ('protocol=far', 'ms > 1 ms protocol!=far protocol=x|near', '90.0 ms (89.0 to 91.0 ms), not 10 to 12 ms'),
    ('protocol!=x', 'some ms > 2 rtt_ms', '90 to 95 ms, not 40 ms')])
def test_a_sentence_names_what_its_rows_are_compared_with(where, rule, words):
    assert said('{ms}, not {than}', rule, where) == words


def test_rows_that_may_hold_by_chance_alone_are_not_named():
    """(of five rows each has a fifth of the 5 %)"""
    rows = [*NUMBERS[:3], ['just', '0', '22', '20.5', '23.5', '40', '5'], NUMBERS[4]]
    assert said('{protocol}', 'some ms > 20', rows=rows) == 'farther'
    assert said('{protocol}', 'ms > 20', 'protocol=just', rows) == 'just'
