#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
"""NAME.py TABLE [--draws N] [--rates] [SCENE...] - the scenes of a decider in Python: what scene.h says, by a function draw(scene,
rng) that gives what the decider says of one draw. Results as TAP, or counts for tests/deciders.sh. N draws of all scenes
together."""
import re
import sys
from functools import cache
from math import cos, log, pi, sqrt
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parent)]
from analysis import special, tables  # noqa: E402

CHANCE = 1e-4
FOUND, PASSED = 0.95, 0.01  # chances that all draws find a rate that is too high, and that fewer let it pass
COLUMNS = ('scene', 'happens', 'say', 'never', 'least', 'most', 'draws')
WORD = 2 ** 64 - 1


def mix(z):
    """The output function of SplitMix64 (Steele, Lea, Flood 2014): the same numbers as src/lib/random.h."""
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & WORD
    z = (z ^ z >> 27) * 0x94d049bb133111eb & WORD
    return z ^ z >> 31


class Rng:
    def __init__(self, state):
        self.state = state

    def fraction(self):
        self.state = z = self.state + 0x9e3779b97f4a7c15 & WORD
        return (mix(z) >> 11) * 2.0 ** -53

    def normal(self):
        u, v = 1 - self.fraction(), self.fraction()
        return sqrt(-2 * log(u)) * cos(2 * pi * v)


class Scene:
    """name, and the KEY=VALUE words of what happens."""

    def __init__(self, name, happens):
        self.name = name
        self.of = dict(reversed([word.split('=', 1) for word in happens.split() if '=' in word]))

    def word(self, key, otherwise):
        return self.of.get(key, otherwise)

    def number(self, key, otherwise):
        if key not in self.of:
            return otherwise
        value = self.of[key] = float(self.of[key])  # ValueError: no number
        return value


def is_likely(hits, n, p):
    """Are so many hits of n no surprise, if each comes with probability p?"""
    return hits <= p * n or (p > 0 and special.binomial_at_most(n - hits, n, 1 - p) >= CHANCE)


@cache
def weigh(draws, p):
    """By how much a hit, and a miss, speak for the least rate that so many draws find to be too high, against p, the highest
    allowed one; None: there is no such rate."""
    few = next((k for k in range(draws + 1) if not is_likely(k, draws, p)), None)
    if few is None:
        return None
    low, high = p, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if special.binomial_at_most(few - 1, draws, middle) <= 1 - FOUND else (middle, high)
    return log(high / p) if p > 0 else 0, log((1 - high) / (1 - p))


def is_settled(hits, n, draws, p):
    """After n draws, is it settled that the rate is not above p? (Wald's sequential probability ratio test, 1945.)"""
    weights = weigh(draws, p)
    return not weights or (hits * weights[0] + (n - hits) * weights[1] <= log(PASSED) and (p > 0 or not hits))


def has_word(said, words):
    return any(f' {word} ' in f' {said} ' for word in words.split('|') if word)


def run_scene(draw, row, draws, rates):
    """Whether its rates are as they must be. draws: 0: at most the row's, until it is settled."""
    name, happens, say, never, least, most, short = row
    limits, all_draws = (float(most) / 100, 1 - float(least) / 100), draws or int(short)
    right = wrong = missed = n = 0
    other = bad = ''
    while n < all_draws and not (n and not draws and is_settled(wrong, n, all_draws, limits[0])
                                 and is_settled(n - right, n, all_draws, limits[1])):
        n += 1
        said = draw(Scene(name, happens), Rng(mix(n)))
        miss, hit = has_word(said, never), has_word(said, say)
        right, wrong, missed = right + hit, wrong + miss, missed + (bool(say) and not hit and not miss)
        bad = bad or (said if miss else '')
        other = other or ('' if hit else said)
    if rates:
        print(name, say, n, missed, wrong, sep='\t', flush=True)
        return True
    well = is_likely(wrong, n, limits[0]) and is_likely(n - right, n, limits[1])
    print(f'{"" if well else "not "}ok - {name}: {right} of {n} right, {wrong} wrong', flush=True)
    if not well:
        print(f'# must say {say} (least {least} %), never {never} (most {most} %)\n# said once in place of it: {other}\n'
              f'# wrong once: {bad}', flush=True)
    return well


def spread(row):
    """A scene for each value of a list: KEY=A|B."""
    found = re.search(r'=([^ |]*\|[^ ]*)', row[1])
    if not found:
        return [row]
    ends = found.span(1)
    return [one for value in found[1].split('|')
            for one in spread([f'{value}: {row[0]}', row[1][:ends[0]] + value + row[1][ends[1]:], *row[2:]])]


def read(file):
    with open(file, 'rb') as stream:
        rows = [one for _, cells in tables.read_schema(stream, 'scenes/1', COLUMNS, len(COLUMNS)) for one in spread(cells)]
    names = [row[0] for row in rows]
    if len(names) != len(set(names)) or not all(row[0] and int(row[6]) > 0 and (row[2] or not float(row[4]) > 0) for row in rows):
        sys.exit(f'{file}: not a row of scenes/1, or a name that is there already')
    return rows


def main(draw):
    words, draws, rates = sys.argv[1:], 0, '--rates' in sys.argv
    if '--draws' in words:
        at = words.index('--draws')
        draws = int(words[at + 1])
        del words[at:at + 2]
    table, *names = [word for word in words if word != '--rates']
    rows = read(table)
    if not rates:
        print(f'1..{len(rows)}')
    wanted = [row for row in rows if not names or row[0] in names]
    well = [run_scene(draw, row, -(-draws // len(rows)) if draws else int(row[6]) if rates else 0, rates) for row in wanted]
    sys.exit(0 if all(well) else 1)
