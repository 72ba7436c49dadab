# SPDX-License-Identifier: GPL-3.0-or-later
"""What COLUMNS say, and one line for each thing that is wrong in it."""
import pytest

from analysis import table_file
from analysis.columns import TEXT, Json, Parameter
from analysis.command import Stop


def read(tmp_path, text):
    file = tmp_path / 'analysis.py'
    file.write_text(f"COLUMNS = '''\n{text}'''\n")
    return table_file.read_tables(str(file))


def test_columns(tmp_path):
    t = read(tmp_path, 'counts trains\nrepeats found\ntable summary cells schema=users/1\t# of users\npart Part - param:kind - '
             'text -\n\nlost "Packets lost" % stall/cell.json!:link.lost/link.packets share+ci 3 lower\n'
             'p50_ms Median ms keys:low.p50\n  ends+above 3 lower\ntable slope rows:slope optional\nslope Slope - - ends 4 -\n')
    summary, slope = t.tables
    assert t.counts == 'trains' and t.skip_missing and summary.schema == 'users/1' and not summary.rows
    assert slope.schema == 'slope/1' and slope.optional and slope.extractor and not slope.column('part')
    part, lost, p50 = summary.columns
    assert part.source == Parameter('kind') and part.decimals == TEXT and part.estimator == '-' and part.unit == ''
    assert lost.source == Json('cell.json', 'link.lost', 'link.packets', 'stall', True) and lost.heading == 'Packets lost'
    assert (lost.decimals, lost.estimator, lost.better) == (3, 'share+ci', 'lower')
    assert p50.source.figure == 'low.p50' and p50.ends() == ['p50_ms', 'p50_ms_low', 'p50_ms_high', 'p50_ms_both', 'p50_ms_above']


def test_a_change_may_be_negative(tmp_path):
    t = read(tmp_path, 'table t cells\na A ms x.json:y mean +-3 -\nb B ms x.json:y change+ci 3 -\nc C ms x.json:y mean 3 -\n')
    assert [c.negative for c in t.tables[0].columns] == [True, True, False]


@pytest.mark.parametrize('text, said', [
    ('', 'no table'), ('a A - param - 0 -\n', ':2: a column before the first table: a'), ('table summary\n', ':2: table wants'),
    ('table ../x cells\n', ':2: table wants'), ('table t cells\ntable t cells\n', ':3: a second table of that name: t'),
    ('table t rows:nothing\n', ':2: no extractor of rows: nothing'), ('table t rows:../x\n', ':2: no extractor of rows: ../x'),
    ('table t cells often\n', ':2: neither schema=WORD, optional nor raw: often'),
    ('table t cells\na A - param - 0\n', ':3: a column wants'),
    ('table t cells\na "A - param - 0 -\n', ':3: a quote without its end'),
    ('table t cells\na "A"B - param - 0 -\n', ':3: no blank after a quote'),
    ('table t cells\na/b A - param - 0 -\n', ':3: no name for a column: a/b'),
    ('table t cells\na A - param - 0 -\na A - param - 0 -\n', ':4: a second column of that name: a'),
    ('table t cells\na_low A - param - 0 -\na A - x.json:y mean+ci 0 -\n', ':4: a second column of that name: a_low'),
    ('table schema cells\n', ":2: a name that a run's own files have: schema"),
    ('table t cells\na A - x.json:y often 0 -\n', ':3: no such estimator: often'),
    ('table t cells\na A - x.json:y mean many -\n', ':3: decimals are text or 0 to 9, not: many'),
    ('table t cells\na A - x.json:y mean 0 best\n', ':3: better is lower, higher or -, not: best'),
    ('table t cells\na A - x.json:y - 0 -\n', ':3: a number of repeats wants an estimator: a'),
    ('table t cells\na A - x.json:y share+ci 0 -\n', ':3: share+ci, and it alone, wants FILE:PATH/PATH: a'),
    ('table t cells\na A - x.json:y/z mean 0 -\n', ':3: share+ci, and it alone, wants FILE:PATH/PATH: a'),
    ('table t cells\na A - count:sheep - 0 -\n', ':3: no such count: sheep'),
    ('table t cells\na A - nothing:x - 0 -\n', ':3: no such extractor: nothing'),
    ('table t cells\na A - what - 0 -\n', ':3: a source is'),
    ('table t cells\na A - - - 0 -\n', ':3: a table of cells wants a source: a'),
    ('table t rows:slope\na A - count:state - 0 -\n', ':3: of rows that others write the source is - or param: a'),
    ('include nothing.table\n', 'nothing.table: No such file'), ('include analysis.py\n', 'include wants one FILE'),
])
def test_mistakes(tmp_path, text, said):
    with pytest.raises(Stop) as stop:
        read(tmp_path, text)
    assert said in str(stop.value) and '\n' not in str(stop.value)
