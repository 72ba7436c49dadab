# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stranger's run may hold is refused in one line, or is text (tests/hostile/mutants.py has found these)."""
import os
import sqlite3

import pytest

from analysis import export_samples, run
from analysis.command import Stop


def facts_of(tmp_path, text):
    file = tmp_path / 'run.json'
    file.write_text(text)
    return run.read_facts(file)


@pytest.mark.parametrize('text', ['{"a": ' + '[' * 64 + ']' * 64 + '}', '{"a": ' * 900 + '1' + '}' * 900, '{"a": NaN}',
                                  '{"a": 1e999}', '{"a": 1' + '0' * 400 + '}', '{"a": 1, "a": 2}'])
def test_json_on_which_a_later_step_could_fail(tmp_path, text):
    with pytest.raises(Stop, match='run.json: cannot be read'):
        facts_of(tmp_path, text)


def test_json_as_runs_have_it(tmp_path):
    assert facts_of(tmp_path, '{"a": ' + '[' * 40 + ']' * 40 + '}')
    assert facts_of(tmp_path, r'{"a\ud800": "b\udfff\n"}') == {'a?': 'b? '}


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'run.json')
    with pytest.raises(Stop, match='not a regular file'):
        run.read_facts(tmp_path / 'run.json')


def test_a_database_of_rows_of_other_lengths():
    db = sqlite3.connect(':memory:')
    db.deserialize(export_samples.sqlite({}, [['a', 'b'], ['1'], ['2', '3', '4']], None))
    assert list(db.execute('select * from figures')) == [(1, None), (2, 3)]
