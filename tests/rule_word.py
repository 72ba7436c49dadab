# SPDX-License-Identifier: GPL-3.0-or-later
"""rule_word.py FILE FIGURE: what rules of this figure in a papers.tsv say of the tables at standard input, {RUN: {TABLE: [ROW,
...]}}."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from analysis.gallery_facts import Kept, make_fact, make_table, tsv_lines  # noqa: E402
from analysis.gallery_rules import World, decided  # noqa: E402


def table(rows):
    head = sorted({name for row in rows for name in row})
    return make_table([head, *([str(row.get(name, '')) for name in head] for row in rows)])


file, figure = Path(sys.argv[1]), sys.argv[2]
runs = [Kept(name, facts={'settings': {}}, tables={of: table(rows) for of, rows in tables.items()}, planned=False)
        for name, tables in json.load(sys.stdin).items()]
rules = [make_fact(n, f'{file}:{n}', cells) for n, cells in tsv_lines(file) if cells[1:3] == [figure, 'verdict']]
found = [decided([rule for rule in rules if rule.paper == paper], World(runs), True)
         for paper in dict.fromkeys(rule.paper for rule in rules)]
print(next((one.word for one in found if one), 'nothing'))
