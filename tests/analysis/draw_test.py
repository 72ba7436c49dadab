# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of drawing: rows for plots/draw.gp, and what it draws of them."""
import re
import shutil
import subprocess

import pytest

from analysis import draw, plot
from analysis.draw import Axis, Curve, Drawing, Look, Mark, Panel, Place


def line(*places, **more):
    return Curve('line', [Place(x, y) for x, y in places or ((1, 1),)], **more)


def panel(*curves, x=Axis(), y=Axis(), **more):
    return Panel(x, y, list(curves), **more)


def rows(*panels, papers=(), **more):
    return [[plot.cell_text(cell) for cell in row] for row in draw.drawn([Drawing('made', 'Made', list(panels), **more)], papers)]


def of(table, made, layout=None):
    """The rows of a table, by the names of its columns."""
    found = [row[1:] for row in made if row[0] == table]
    if table not in draw.HEADINGS:
        return found
    named = [dict(zip(draw.HEADINGS[table], row)) for row in found[1:]]
    return [row for row in named if layout in (None, row.get('layout')) and row.get('figure') != '0']


def tics(made, layout='wide'):
    return ' '.join(row['text'] for row in of('tics', made, layout) if row['axis'] == 'x')


def svgs(folder, *panels, **more):
    """The wide drawing and the one for phones."""
    if not shutil.which('gnuplot'):
        pytest.skip('gnuplot is not installed')
    (folder / 'run').mkdir()
    (folder / 'work').mkdir()
    plot.draw(folder / 'run', folder / 'work', rows(*panels, **more))
    return [(folder / 'run' / name).read_text() for name in ('figures/made.svg', 'figures/narrow/made.svg')]


def test_an_interval_that_goes_on_beyond_the_axis_ends_at_its_edge_with_an_arrow():
    made = rows(panel(Curve('bars', [Place(1, 5, 4, 30), Place(2, 5, 4, 6)]), y=Axis(start=0, end=10)))
    assert [row[:4] for row in of('curve-1-1', made)] == [['1', '5', '4', '10'], ['2', '5', '4', '6']]
    assert [float(cell) for row in of('curve-1-2', made) for cell in row if cell.strip()] == pytest.approx([1, 9.4, 1, 10])


@pytest.mark.parametrize('high, end', [(100, '10'), (9, '9')])
def test_an_axis_from_0_cuts_an_interval_of_over_two_and_a_half_times_as_much_and_no_shorter_one(high, end):
    made = rows(panel(Curve('bars', [Place(1, 4, 3, high)]), y=Axis(start=0)))
    assert of('panels', made, 'wide')[0]['y_to'] == end


def test_what_a_paper_reports_is_drawn_in_grey_in_its_panels_alone_and_an_axis_with_given_ends_reaches_as_far():
    papers = [{'figure': 'made', 'panel': 'a', 'title': 'then', 'x': 'm', 'y': '20'},
              {'figure': 'made', 'panel': 'a', 'title': 'limit', 'x': None, 'y': '0.01'},
              {'figure': 'other', 'title': 'unseen', 'y': '5'}]
    made = rows(*(panel(line((1, 0.5)), title=title, x=Axis(names=('l', 'm')), y=Axis(log=True, start=0.1, end=1))
                  for title in 'ab'), papers=papers)
    assert [(row['title'], float(row['y_from']), float(row['y_to']))
            for row in of('panels', made, 'wide')[:2]] == [('a', 0.008, 21), ('b', 0.1, 1)]
    assert of('curve-1-3', made)[0][:2] == ['2', '20']
    assert [(row['curve'], float(row['at'])) for row in of('curves', made) if row['colour'] == '#999999'][:2] == [('2', 0.01),
                                                                                                                  ('3', 1)]
    assert not any('unseen' in cell for row in made for cell in row)


def test_a_legend_names_each_curve_that_is_drawn_once_and_none_without_rows():
    made = rows(panel(line(title='a'), Curve('line', [], title='b')), panel(line(title='a')))
    assert sum('a' in row for row in made) == 2  # wide and narrow
    assert not any('b' in row for row in made)


@pytest.mark.parametrize('axis, wide', [
    (Axis(log=True, unit='ms', start=1, end=2000), '1 2 5 10 20 50 100 200 500 1 s 2 s'),
    (Axis(log=True, unit='ms', start=1, end=250000), '1 3 10 30 100 300 1 s 3 s 10 s 30 s 100 s'),  # none touch
    (Axis(log=True, start=1e-5, end=2e-3), '10⁻⁵ 2·10⁻⁵ 5·10⁻⁵ 10⁻⁴ 2·10⁻⁴ 5·10⁻⁴ 0.001 0.002')])
def test_tics_of_a_logarithmic_axis_are_as_many_as_fit(axis, wide):
    assert tics(rows(panel(line(), x=axis))) == wide


def test_tics_on_a_phone_are_fewer_and_beyond_plain_numbers_powers_of_ten():
    assert tics(rows(panel(line(), x=Axis(log=True, unit='ms', start=1, end=2000))), 'narrow') == '1 3 10 30 100 300 1 s'
    assert re.search('[23]·10⁶', tics(rows(panel(line(), x=Axis(log=True, start=1e4, end=3e6)))))


def test_panels_stand_side_by_side_on_a_page_and_one_below_the_other_on_a_phone():
    made = rows(*[panel(line())] * 4, across=2)
    assert [len({row['top'] for row in of('panels', made, layout)}) for layout in ('wide', 'narrow')] == [2, 4]


def test_a_figure_without_a_curve_is_not_drawn_but_a_panel_beside_others_keeps_its_place():
    assert not of('figures', rows(panel(Curve('line', []))))
    assert len(of('panels', rows(panel(Curve('line', [])), panel(line())), 'wide')) == 2


def test_an_axis_has_its_label_in_both_drawings_whole_and_however_long_its_tics_are(tmp_path):
    """Letters are up to 10 pixels high over their line."""
    for svg in svgs(tmp_path, panel(line((1, 1), (2, 12000)), y=Axis('of y', end=12000)),
                    panel(line(), y=Axis('of y', 0.001, 10, log=True)), across=1):
        lines = svg.split('\n')
        before = [lines[i - 1] for i, text in enumerate(lines) if '>of y<' in text]
        assert len(before) == 2 and all(float(re.search(r'translate\(([0-9.]+)', text)[1]) >= 10 for text in before)


def test_marks_that_differ_in_their_dashes_alone_are_drawn_with_both(tmp_path):
    svg = (svgs(tmp_path, panel(Curve('points', [Place(1, 1)]), x=Axis(start=0, end=3),
                                marks=[Mark(x=1, dash=2), Mark(x=2, dash=3)]))[0])
    assert len(set(re.findall("stroke-dasharray='[^']*'", svg))) == 2


def test_a_figure_is_drawn_whatever_its_text_says_and_nothing_of_it_is_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = svgs(tmp_path, panel(Curve('line bars hover', [Place(1, 1, 0, 2, text="'"), Place(2, 3)], Look(), 'a|b \\n'),
                                title='`touch ran` $(touch ran) {/Bold x}_2',
                                x=Axis(names=('"; system("touch ran") #', '50 % of'))))
    assert all('</svg>' in svg for svg in made)
    assert not subprocess.run(['find', tmp_path, '-name', 'ran'], capture_output=True).stdout
