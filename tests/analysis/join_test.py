# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report of several runs calls them."""
from pathlib import Path

import pytest

from analysis.join import One, made_names


@pytest.mark.parametrize('started, names', [
    ('2026-01-03T03:04:05Z', ['2026-01-02', '2026-01-03']), ('2026-01-02T04:04:05Z', ['2026-01-02T03:04', '2026-01-02T04:04']),
    ('2026-01-02T03:04:15Z', ['alpha', 'beta'])])
def test_runs_of_one_machine_are_named_by_day_else_by_minute_else_by_folder(started, names):
    runs = [One(Path(name), {'started': at, 'host': {'hostname': 'alpha'}})
            for name, at in (('alpha', '2026-01-02T03:04:05Z'), ('beta', started))]
    assert made_names(runs) == names
