# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims, against scipy.stats (t.ppf, beta.ppf, norm.ppf, binom.cdf), or by hand; lines, of Anscombe (1973)."""
from math import inf, isnan, nan

import pytest

from analysis import decide
from analysis.decide import FAILS, HOLDS, UNTOLD, Claim, Figure, number

ABSENT = Figure()


def judge(kind, share, a, b=ABSENT):
    return decide.judge(Claim(kind, share, a, b))


@pytest.mark.parametrize('kind, a, b', [
    ('differs', Figure(5, 5, 4, 6, 5), ABSENT), ('differs', number(9, 5), Figure(5, 5, 4, 6, 5)),
    ('differs', Figure(5, 5, 4, 6, 5), Figure(9, 9, 8, 10, 1)), ('none', number(9, 5), ABSENT),
    ('none', Figure(0, 0, 0, nan, 5), ABSENT), ('none', Figure(0, 2, 0, 3, 5), ABSENT), ('none', Figure(0, 0, 0, 101, 5), ABSENT),
    ('rate', Figure(repeats=9), Figure(5, 5, 4, 6, 5)), ('off 10', Figure(5, 5, 4, 6, 5), ABSENT),
    ('off 10', ABSENT, Figure(5, 5, 4, 6, 5)), ('whole', Figure(1, 1.5, 0.9, 1.1, 5), ABSENT),
    ('whole', number(9, 5), ABSENT), ('percentile', ABSENT, ABSENT), ('above', Figure(7, 7, 8, 6, 5), number(7)),
    ('above', Figure(8, 6, repeats=5), number(5)), ('within', number(5), Figure(8, 6)),
    ('times', Figure(1, 2), Figure(3, 3, 2.5, 3.5, 3)),
])
def test_what_lacks_its_needs_is_not_told(kind, a, b):
    assert judge(kind, 1, a, b).word == UNTOLD


@pytest.mark.parametrize('kind', ['other', '', 'off', 'off ', 'off x', 'off 10x', 'off -1', 'off inf', 'above 5', 'lines 1'])
def test_a_claim_of_no_known_kind(kind):
    with pytest.raises(ValueError):
        judge(kind, 1, ABSENT)


@pytest.mark.parametrize('figure, above, within', [
    (number(5, 1), FAILS, HOLDS), (number(5.1, 1), HOLDS, HOLDS), (number(6.1, 1), HOLDS, FAILS),
    (Figure(5.5, 5.5, 5.1, 6, 3), HOLDS, HOLDS), (Figure(5.5, 5.5, 5, 6.1, 3), UNTOLD, UNTOLD),
    (Figure(3, 3, 2, 3.9, 3), FAILS, FAILS), (Figure(3, 3, 2, 4, 3), FAILS, UNTOLD),
    (Figure(9, 9, 3, 15, 3), UNTOLD, UNTOLD), (Figure(4, 5), FAILS, HOLDS), (Figure(5.2, 8, 4.5, 8.8, 3), UNTOLD, UNTOLD),
    (Figure(7, 8, 6.5, 8.8, 3), HOLDS, FAILS), (Figure(4, inf), UNTOLD, UNTOLD), (Figure(7, inf, 6.5, 7.5, 3), HOLDS, FAILS),
    (ABSENT, UNTOLD, UNTOLD), (Figure(5.5, 5.5, 5.4, 5.6, 2), UNTOLD, UNTOLD), (Figure(5.5, 5.5, 5.47, 5.53, 2), HOLDS, HOLDS),
])
def test_a_figure_against_a_limit_and_a_range(figure, above, within):
    assert judge('above', 1, figure, number(5)).word == above and judge('within', 1, figure, Figure(4, 6)).word == within


def test_a_multiple():
    assert judge('times', 1, Figure(3, 3, 2.5, 3.5, 3), Figure(2, 2, 1, 2.5, 3)) == (HOLDS, 1.5, 1, 3.5)
    assert judge('times', 1, Figure(-1, -1, -2, 1, 3), Figure(2, 2, 1, 2.5, 3)) == (HOLDS, -0.5, -2, 1)


@pytest.mark.parametrize('share, hits, n, stated, word', [
    (1, 40, 2000, 1.432, HOLDS), (1, 40, 2000, 1.434, FAILS), (1, 40, 2000, 2.713, FAILS), (1, 40, 2000, 2.715, HOLDS),
    (7, 40, 2000, 1.432, FAILS), (1, 1000000, 1000000, 1, HOLDS), (1, 0, 1000000, 1, HOLDS), (1, 1, 1, 5, FAILS),
    (1, 0, 5, 0, FAILS), (1, 1, 5, 0, HOLDS), (1, 5, 5, 100, FAILS), (1, 0, 0, 5, UNTOLD), (1, nan, 5, 5, UNTOLD),
    (1, 6, 5, 5, UNTOLD), (1, 1, 5, nan, UNTOLD)])
def test_a_share_that_was_stated(share, hits, n, stated, word):
    assert judge('share', share, number(hits, n), number(stated)).word == word


def test_differences():
    one, two = Figure(16.7, 16.7, 16.7, 16.7, 3), Figure(33.3, 33.3, 33.3, 33.3, 3)
    assert judge('differs', 1, one, two).word == FAILS and judge('differs', 1, one, Figure(33.3, 33.3, 32, 34.6, 3)).word == HOLDS
    many = judge('differs', 45, Figure(5, 5, 4, 6), Figure(7.1, 7.1, 6.1, 8.1))
    assert many.word == FAILS and many.low == pytest.approx(2.1 - 2 * 1.663687452494562, abs=1e-9)


def test_bounds_of_none():
    assert judge('none', 7, Figure(0, 0, 0, 4.870291331009746, 5)).high == pytest.approx(7.90602906621772, abs=1e-9)
    assert judge('none', 7, Figure(0, 0, 0, 2.951304960703993, 5)).high == pytest.approx(4.821529904453532, abs=1e-9)


@pytest.mark.parametrize('rate, share, limit, word', [
    (number(20, 400), 1, 18.08, HOLDS), (number(20, 400), 1, 18.09, UNTOLD), (number(20, 400), 1, 22.05, UNTOLD),
    (number(20, 400), 1, 22.07, FAILS), (number(20, 400), 10, 17.3, HOLDS), (number(20, 400), 10, 17.31, UNTOLD),
    (number(1, 1), 1, 5.57, UNTOLD), (number(1, 1), 1, 5.58, FAILS), (number(20, 1000000), 1, 19.96, HOLDS),
    (number(20, 1000000), 1, 19.962, UNTOLD), (Figure(20, 20, 19, 21, 5), 10, 17.98, HOLDS),
    (Figure(20, 20, 19, 21, 5), 10, 17.99, UNTOLD)])
def test_rates(rate, share, limit, word):
    assert judge('rate', share, rate, number(limit)).word == word


def test_percentiles_need_values():
    said = [judge('percentile', 1, number(p)) for p in (0.5, 0.9, 0.95, 0.99, 0.999, 0.1)]
    assert [a.high for a in said] == [6, 36, 72, 368, 3688, 36] and [a.value for a in said] == [20, 100, 200, 1000, 10000, 12]


X = (10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5)


@pytest.mark.parametrize('y, reach, word', [
    ((8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68), (3.0000909, 0.6665425, 3.0000909 + 13 * 0.5000909 - 7.58),
     UNTOLD),
    ((9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74), (3.0009091, 0.6662420, 3.0009091 + 4 * 0.5 - 3.10),
     FAILS)])
def test_two_data_sets_of_anscombe(y, reach, word):
    """The first scatters about a line, the second bends; both have one R squared."""
    claims = [Claim('line a', 1, number(at), number(value)) for at, value in zip(X, y)] + [Claim('line a', 1, number(0), ABSENT)]
    said = decide.lines(claims)[11]
    assert said[1:] == pytest.approx(reach, abs=1e-5) and said.word == word
    assert isnan(decide.lines(claims[:2])[0].value)


def test_a_range_or_bound_is_no_point_of_a_line():
    claims = [Claim('line a', 1, number(1), number(10)), Claim('line a', 1, number(2), number(20)),
              Claim('line a', 1, number(3), Figure(30, inf))]
    assert decide.lines(claims)[0].word == UNTOLD


def test_points_of_a_line_belong_to_rules():
    line = [Claim('line a', 1, number(x), number(10 * x), of=1, rule=1, part=1, whole=1) for x in range(1, 5)]
    assert decide.rules(line) == (decide.SAME, decide.SAME)


def test_claims_of_which_some_must_hold_share_the_level():
    """t(4, 0.9875) / t(4, 0.975) * 4 = 5.04: the interval of one of two claims ends at 110.04."""
    two = [Claim('off 10', 1, Figure(105, 105, 101, 109, 5), number(100), 1, 1, 1, 0, 1, 1),
           Claim('off 10', 1, number(300), number(100), 1, 1, 1, 0, 1, 1)]
    assert decide.rules(two)[0] == decide.NOTHING and decide.judge(two[0]).word == HOLDS