# SPDX-License-Identifier: GPL-3.0-or-later
"""Every table of a page shows columns that its experiment makes."""
import pytest

from analysis import table_file
from analysis.page import View
from analysis.run import Run
from analysis.trees import analysis_of, in_trees

FOLDERS = [path.parent for path in in_trees('experiments/*/plan')]


def shown(view: View):
    names = [view.by, view.only, view.rank, view.floor, *(view.breaks or ())[:2], *view.at, *view.names()]
    for name in filter(None, names):
        table, colon, column = name.rstrip('?').partition(':')
        yield (table, column) if colon else (view.table, table)


@pytest.mark.parametrize('folder', FOLDERS, ids=lambda folder: folder.name)
def test_views_show_only_tables_and_columns_of_their_experiment(folder):
    tables = table_file.read_tables(str(folder / 'analysis.py')).tables
    made = {(table.name, column.name) for table in tables for column in table.columns}
    used = {name for view in analysis_of(folder.name).views(Run({}, [], {})) for name in shown(view)}
    assert used and not used - made
