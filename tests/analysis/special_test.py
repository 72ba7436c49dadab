# SPDX-License-Identifier: GPL-3.0-or-later
"""Distributions against SciPy, from the middle far into the tails."""
import pytest

from analysis import special

scipy = pytest.importorskip('scipy', reason='scipy is not installed')
stats = pytest.importorskip('scipy.stats', reason='scipy is not installed')

FREEDOMS = (1, 1.5, 2, 3, 4.7, 9, 30, 99.5, 1000, 123456)
TAILS = (1e-9, 1e-5, 0.001, 0.025, 0.05, 0.3, 0.5, 0.7, 0.975, 0.999, 0.9999999)


def near(value, relative=1e-11):
    return pytest.approx(value, rel=relative, abs=1e-14)


@pytest.mark.parametrize('p', TAILS)
def test_normal(p):
    assert special.normal_quantile(p) == near(stats.norm.ppf(p))
    assert special.normal_upper(stats.norm.isf(p)) == near(p, 1e-9)


@pytest.mark.parametrize('freedom', FREEDOMS)
def test_student(freedom):
    for p in TAILS:
        assert special.t_quantile(freedom, p) == near(stats.t.ppf(p, freedom), 1e-8)
    for t in (-40, -3.3, -0.2, 0, 1e-6, 0.7, 2.1, 12, 300):
        assert special.t_upper(freedom, t) == near(stats.t.sf(t, freedom), 1e-9)


@pytest.mark.parametrize('freedom', FREEDOMS)
def test_chi_squared(freedom):
    for p in TAILS:
        assert special.chi_squared_quantile(freedom, p) == near(stats.chi2.ppf(p, freedom), 1e-7)
    for x in (0, 0.01, 0.5, 3, 40, freedom, 2 * freedom):
        assert special.chi_squared_upper(freedom, x) == near(stats.chi2.sf(x, freedom), 1e-9)


@pytest.mark.parametrize('a, b', [(1, 1), (0.5, 0.5), (3, 7), (1, 200), (200, 1), (5000, 3), (12345, 6789), (0.5, 61728)])
def test_beta(a, b):
    for x in (1e-9, 0.001, 0.2, 0.5, 0.64, 0.99, 0.99999):
        assert special.beta_share(x, a, b) == near(stats.beta.cdf(x, a, b), 1e-9)
    for p in TAILS:
        assert special.beta_quantile(p, a, b) == near(stats.beta.ppf(p, a, b), 1e-9)


@pytest.mark.parametrize('n', (1, 2, 20, 1000, 100000))
def test_binomial(n):
    for hits in {0, 1, n // 3, n - 1, n}:
        for p in (1e-6, 0.01, 0.3, 0.9):
            assert special.binomial_at_most(hits, n, p) == near(stats.binom.cdf(hits, n, p), 1e-8)
