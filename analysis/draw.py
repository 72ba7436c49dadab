# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as data, and their rows for plots/draw.gp: ends of axes, tics, legends, intervals that are cut, and where panels stand.
Pure.

An experiment's analysis.py makes Drawings; colours are those that every kind of colour vision tells apart (Okabe & Ito)."""
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, fabs, floor, inf, log, log10
from typing import Any

from analysis import words
from analysis.amounts import Row

LIGHT, HEAVY, LINE, MARK, PALE = '#0072B2', '#D55E00', '#555555', '#999999', '#dddddd'
COLOURS = (LIGHT, HEAVY, '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#8c564b')
SHAPES = (7, 5, 9, 13, 11, 6, 4, 8, 12, 10)
LOADS = ('#a8c957', '#5ab56f', '#2a9b82', '#2a7f8e', '#33608d', '#443a83', '#440154')  # from light to dark
KINDS = ('band', 'box', 'segment', 'line', 'steps', 'impulse', 'level', 'bars', 'stems', 'spans', 'arrow', 'bound', 'points',
         'hover', 'label', 'beside', 'entry')


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a curve: a point, with its interval; a box or a segment to a second one; text that a pointer shows."""
    x: float | None = None
    y: float | None = None
    low: float | None = None
    high: float | None = None
    x2: float | None = None
    y2: float | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    colour: str | None = None
    shape: int | None = None
    dash: int | None = None
    width: float | None = None
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """draw: words of KINDS; title: in the legend; at: the height of a level."""
    draw: str
    rows: Sequence[Place]
    look: Look = Look()
    title: str = ''
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """start, end: by the data where there is none; log, unit: of a logarithmic axis, "ms"; names: words from 1 on; tics: places, or
    places with a text; step: between tics; is_bare: without tics."""
    label: str = ''
    start: float | None = None
    end: float | None = None
    log: bool = False
    unit: str = ''
    names: Sequence[str] = ()
    tics: Sequence[tuple[float, str]] = ()
    step: float | None = None
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A line at x or y, or a strip up to `to`; text above it."""
    x: float | None = None
    y: float | None = None
    to: float | None = None
    text: str | None = None
    colour: str = LINE
    dash: int = 1


@dataclass(frozen=True, slots=True)
class Panel:
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    title: str = ''
    marks: Sequence[Mark] = ()
    grid: str = 'y'  # axes with lines at their tics


@dataclass(frozen=True, slots=True)
class Drawing:
    """across: panels side by side; high: pixels of a panel; stacked: one x axis below all of them; legend: curves that it names
    before those that are drawn; papers: draw what papers report, too."""
    name: str
    title: str
    panels: Sequence[Panel]
    across: int = 3
    high: float | None = None
    stacked: bool = False
    legend: Sequence[Curve] = ()
    papers: bool = True


# --- looks, and places of figures ---------------------------------------------------------------------------------

def look(i: int) -> Look:
    """Of the curve number i, from 0 on."""
    return Look(COLOURS[i % len(COLOURS)], SHAPES[i % len(SHAPES)])


def load_look(i: int, n: int) -> Look:
    return Look(LOADS[floor(6 * i / (n - 1) + 0.5) if n > 1 else 6], dash=4 if n > 7 and i % 2 == 1 else 1)


DASHED, DOTTED = Look(LINE, dash=2), Look(MARK, dash=3)


def digits(value: float | None, n: int = 4) -> str:
    """As the pointer shows a number."""
    if value is None:
        return '?'
    return words.trimmed(words.fixed(value, max(0, n - 1 - floor(log10(fabs(value)))))) if value else '0'


def hover(row: Row, c: str, name: str) -> str:
    y, low, high, both = (row.get(c + end) for end in ('', '_low', '_high', '_both'))
    if y is None:
        return f'{name}: {digits(row.get(c + "_from"))} to {digits(row.get(c + "_to"))}'
    if low is not None:
        return f'{name}: {digits(y)} ({digits(low)} to {digits(high)})'
    return f'{name}: {digits(y)}' + (f' (two repeats: {" ".join(digits(float(v)) for v in both.split(" "))})' if both else '')


def place(x: float | None, row: Row, c: str, name: str) -> Place | None:
    """The figure of a row in a column, as a place of a curve called so. None: there is none."""
    y = row.get(c)
    if x is None or (y is None and row.get(f'{c}_from') is None):
        return None
    return Place(x, y, row.get(f'{c}_low'), row.get(f'{c}_high'), text=hover(row, c, name))


def over(points: Iterable[tuple[float | None, Row]], c: str, at: Look, title: str = '', name: str = '',
         draw: str = 'line bars hover'
         ) -> list[Curve]:
    """A column of rows over x: points in the order of x, their intervals, both values of two repeats as circles, what is only known
    as a range as a thick bar, and an arrow where the value is a lower bound."""
    found = sorted(((p, row) for x, row in points if (p := place(x, row, c, name or title or c))),
                   key=lambda pair: float(pair[0].x or 0))
    both = [Place(p.x, float(v)) for p, row in found if row.get(f'{c}_both') for v in row[f'{c}_both'].split(' ')]
    ranges = [Place(p.x, row[f'{c}_from'], x2=p.x, y2=row.get(f'{c}_to'), text=p.text) for p, row in found if p.y is None]
    bounds = [p for p, row in found if row.get(f'{c}_above') == 1 and p.y is not None]
    return [Curve(draw, [p for p, _ in found if p.y is not None], at, title), Curve('points', both, Look(at.colour, 6, size=0.5)),
            Curve('segment hover', ranges, Look(at.colour, 0, width=4), 'thick bar: the figure is only known as a range'),
            Curve('bound', bounds, Look(at.colour), 'later than that')]


def bars(points: Iterable[tuple[float, Row]], c: str, wide: float, at: Look, title: str = '', name: str = '') -> list[Curve]:
    """Bars that stand on 0, with their intervals in front."""
    found = [p for x, row in points if (p := place(x, row, c, name or title or c))]
    return [Curve('box', [Place((p.x or 0) - wide / 2, 0, x2=(p.x or 0) + wide / 2, y2=p.y) for p in found], at, title),
            Curve('stems hover', found, Look('#222222', 0))]  # (an error bar has a gap around its value)


def level(y: float, at: Look = DASHED, title: str = '') -> Curve:
    return Curve('level', [Place()], at, title, y)


def row_of(word: str, names: Sequence[str]) -> int | None:
    """Its place on an axis of rows, from the top."""
    return len(names) - list(names).index(word) if word in names else None


def rows_axis(names: Sequence[str], label: str = '') -> Axis:
    return Axis(label, names=list(reversed(names)))


def stripes(names: Sequence[str]) -> list[Mark]:
    """Behind every second row."""
    return [Mark(y=y - 0.5, to=y + 0.5, colour='#f5f5f5') for y in range(2, len(names) + 1, 2)]


# --- ends of axes, and tics ---------------------------------------------------------------------------------------

def nice(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return next((s * power for s in (0.2, 0.5, 1.0) if value / power <= 10 * s), power)


def has_word(curve: Curve, pattern: str) -> bool:
    return re.search(pattern, curve.draw) is not None


def with_ends(panel: Panel, axis: Axis, interval: str, values: Sequence[float]) -> Axis:
    """Those that are given, else what the curves reach, on to the next tic. On an axis from 0 an interval of more than twice and a
    half the values is cut."""
    spans = [v for c in panel.curves if has_word(c, interval) for row in c.rows for v in (row.low, row.high) if v is not None]
    if axis.names:
        start, end = 0.4, len(axis.names) + 0.6
    elif axis.log:
        known = [v for v in (*values, *spans) if v > 0] or [1.0, 10.0]
        start, end = min(known) / 1.3, max(known) * 1.3
    else:
        known = [*values, *spans, *([] if axis.start is None else [axis.start])]
        top = max(values, default=1.0)
        most = max(known, default=1.0)
        to = 2.5 * top if axis.start == 0 and top > 0 and most > 2.5 * top else most
        low = min(known, default=0.0)
        step = nice(to - low) if to > low else 1.0
        start = -0.02 * to if -0.03 * to < low <= 0.1 * to else floor(low / step + 1e-9) * step
        end = ceil(to / step - 1e-9) * step
        end += end == start
    return replace(axis, start=start if axis.start is None else axis.start, end=end if axis.end is None else axis.end)


def along(axis: Axis, p: float) -> float:
    """The part p of the way from one end of an axis to the other."""
    start, end = axis.start or 0.0, axis.end or 0.0
    return exp(log(start) * (1 - p) + log(end) * p) if axis.log else start * (1 - p) + end * p


def cut(curve: Curve, y: Axis) -> list[Curve]:
    """Intervals that go on beyond the axis end at its edge, with an arrow."""
    if not has_word(curve, 'bars|stems'):
        return [curve]
    start, end = y.start or 0.0, y.end or 0.0
    above = [Place(r.x, along(y, 0.94), x2=r.x, y2=end) for r in curve.rows if r.high is not None and r.high > end]
    below = [Place(r.x, along(y, 0.06), x2=r.x, y2=start) for r in curve.rows if r.low is not None and y.log and r.low < start]
    rows = [replace(r, high=end if r.high is not None and r.high > end else r.high,
                    low=start if r.low is not None and y.log and r.low < start else r.low) for r in curve.rows]
    return [replace(curve, rows=rows), Curve('arrow', above + below, Look(curve.look.colour))]


def tic_words(value: float, unit: str) -> str:
    if unit == 'ms' and value >= 1000:
        return f'{words.plain(value / 1000)} s'
    if 0.001 <= value < 100000:
        return words.fixed(value, 3) if value < 0.01 else words.plain(value)
    power = floor(log10(value) + 1e-9)
    times = round(value / 10.0 ** power)
    small = str(power).translate({45: 8315,
                                  **{48 + i: c for i, c in enumerate((8304, 185, 178, 179, 8308, 8309, 8310, 8311, 8312, 8313))}})
    return f'{"" if times == 1 else f"{times}·"}10{small}'


Tic = tuple[float, str]


def fits_beside(tics: Sequence[Tic], pixels: float, axis: Axis | None = None) -> bool:
    """Do they, beside each other? On a logarithmic axis they are not equally far apart."""
    if axis is None:
        return sum(max(map(len, text.split('|'))) * 7.2 + 14 for _, text in tics) <= pixels
    start, end = axis.start or 1.0, axis.end or 10.0
    spans = sorted((log(at / start) / log(end / start) * pixels - half, log(at / start) / log(end / start) * pixels + half)
                   for at, text in tics for half in [len(text) * 3.6 + 3])
    return all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))


def find_tics(axis: Axis, fits: Any) -> list[Tic]:
    """Of a logarithmic axis as many as fit."""
    if axis.names:
        return [(float(i), name) for i, name in enumerate(axis.names, 1)]
    if axis.tics or not axis.log:
        return list(axis.tics)
    start, end = sorted((axis.start or 1.0, axis.end or 1.0))

    def steps(*of: int) -> list[Tic]:
        return [(at, tic_words(at, axis.unit)) for d in range(floor(log10(start)), ceil(log10(end)) + 1) for s in of
                for at in [s * 10.0 ** d] if start * 0.999 <= at <= end * 1.001]

    return next((tics for tics in (steps(1, 2, 5), steps(1, 3), steps(1)) if fits(tics)),
                [tic for tic in steps(1) if round(log10(tic[0])) % 2 == 0])


def longest(tics: Iterable[Tic]) -> int:
    return max((len(part) for _, text in tics for part in text.split('|')), default=0)


def folded(text: str, most: int) -> str:
    """Lines of a title, joined by |."""
    lines, last = '', ''
    for word in text.split(' '):
        if last and len(last + word) >= most:
            lines, last = f'{lines}{last}|', word
        else:
            last = f'{last} {word}' if last else word
    return lines + last


# --- legends ------------------------------------------------------------------------------------------------------

def legend_entries(curves: Iterable[Curve]) -> list[Curve]:
    """Each title once; in grey where curves of several colours have it."""
    found: dict[str, Curve] = {}
    for c in curves:
        old = found.get(c.title)
        found[c.title] = c if old is None else old if old.look.colour == c.look.colour else replace(old,
                                                                                                    look=replace(old.look,
                                                                                                                 colour=LINE))
    return list(found.values())


def in_lines(c: Curve) -> list[Curve]:
    """For phones a long title goes on in the line below."""
    first, *rest = folded(c.title, 44).split('|')
    return [replace(c, title=first), *(Curve('', [], title=line) for line in rest)]


def entry_curves(entries: Sequence[Curve], columns: int, wide: float, high: float) -> Iterator[Curve]:
    texts = []
    for i, c in enumerate(entries):
        x, y = 14 + (i % columns) * wide, high - 12 - 22 * (i // columns)
        if has_word(c, 'band|box'):
            yield Curve('box', [Place(x, y - 6, x2=x + 28, y2=y + 6)], Look(c.look.colour))
        if has_word(c, 'line|segment|steps|impulse|level|arrow'):
            yield Curve('segment', [Place(x, y, x2=x + 28, y2=y)], Look(c.look.colour, dash=c.look.dash, width=c.look.width))
        if has_word(c, 'points|hover') and c.look.shape != 0:
            yield Curve('points', [Place(x + 14, y)], Look(c.look.colour, c.look.shape))
        if has_word(c, 'bound'):
            yield Curve('bound', [Place(x + 14, y - 10)], Look(c.look.colour))
        texts.append(Place(x + 36, y, text=c.title))
    yield Curve('entry', texts)


# --- the rows for draw.gp -----------------------------------------------------------------------------------------

Cells = list[Any]


def has_kind(c: Curve, kind: str) -> bool:
    return kind in c.draw.split(' ') and (kind not in ('bars', 'stems', 'spans') or any(r.low is not None for r in c.rows))


def curve_rows(figure: int, number: int, c: Curve) -> Iterator[Cells]:
    """A curve as rows: of its looks, and of its places."""
    at = c.look
    yield ['curves', figure, number, at.colour or LINE, or_else(at.shape, 7), or_else(at.dash, 1), or_else(at.width, 1),
           or_else(at.size, 0.75), or_else(c.at, 1)]
    for r in c.rows:
        yield [f'curve-{figure}-{number}', r.x, r.y, r.low, r.high, r.x2, r.y2, or_else(r.text, ' ')]


def or_else(value: Any, other: Any) -> Any:
    return other if value is None else value


@dataclass(frozen=True, slots=True)
class Laid:
    """A panel with its place on a page of some layout."""
    panel: Panel
    first_curve: int
    place: tuple[float, float, float, float]
    x_tics: Sequence[Tic] = ()
    y_tics: Sequence[Tic] = ()
    turned: bool = False
    hidden: bool = False
    frame: int = 3
    label_at: float | None = None


def axis_cells(axis: Axis, tics: Sequence[Tic], turned: bool, hidden: bool) -> Cells:
    kind = ('hidden' if hidden else 'turned' if turned else 'list' if tics else 'none' if axis.names or axis.tics
            or axis.is_bare else 'auto')
    return [axis.start, axis.end, int(axis.log), axis.step, kind]


def panel_rows(layout: str, figure: int, number: int, p: Laid, is_legend: bool = False) -> Iterator[Cells]:
    key: Cells = [layout, figure, number]
    panel = p.panel
    numbered = list(enumerate(panel.curves, p.first_curve))
    x_cells, y_cells = axis_cells(panel.x, p.x_tics, p.turned, p.hidden), axis_cells(panel.y, p.y_tics, False, False)
    if is_legend:
        x_cells[-1] = y_cells[-1] = 'none'
    yield ['panels', *key, panel.title, panel.x.label, panel.y.label, panel.grid, p.frame, *p.place, *x_cells, *y_cells, p.label_at,
           *(' '.join(str(i) for i, c in numbered if has_kind(c, kind)) for kind in KINDS), '.']
    for axis, tics in (('x', p.x_tics), ('y', p.y_tics)):
        for at, text in tics:
            text = text.replace('%', '%%')
            yield ['tics', *key, axis, text.replace('|', ' ') if axis == 'x' and p.turned else text, at]
    for m in panel.marks:
        yield ['marks', *key, m.x, m.y, m.to, m.text or '', m.colour, m.dash]


def reached(axis: Axis, values: Sequence[float]) -> Axis:
    """An axis with given ends reaches as far as the values."""
    start, end = axis.start, axis.end
    if axis.log and start and values:
        start = min(start, 0.8 * min(values))
    if end and values:
        end = max(end, 1.05 * max(values))
    return replace(axis, start=start, end=end)


def with_papers(panel: Panel, marks: Sequence[Mapping[str, Any]]) -> Panel:
    """What papers report of the figure, in grey."""
    mine = [m for m in marks if m.get('panel') is None or m.get('panel') == panel.title]
    names = list(panel.x.names)

    def x_of(mark: Mapping[str, Any]) -> float | None:
        x = mark.get('x')
        return None if x is None else float(names.index(x) + 1) if names and x in names else None if names else float(x)

    curves = list(panel.curves)
    for i, title in enumerate(sorted({str(m.get('title') or '') for m in mine})):
        group = [m for m in mine if str(m.get('title') or '') == title]
        if x_of(group[0]) is None:
            curves.append(Curve('level', [Place()], Look(MARK, dash=(5, 3, 4)[i % 3]), title, float(group[0]['y'])))
        else:
            curves.append(Curve('line points', [Place(x_of(m), float(m['y'])) for m in group], Look(MARK, (2, 1, 6)[i % 3], 3),
                                title))
    xs = [x for m in mine if (x := x_of(m)) is not None]
    return replace(panel, curves=curves, y=reached(panel.y, [float(m['y']) for m in mine]), x=panel.x if names
                   else reached(panel.x, xs))


def ready(panel: Panel) -> Panel:
    """With ends of its axes; curves without rows, and levels beyond the axis, are not drawn, and no legend names them."""
    panel = replace(panel, curves=[c for c in panel.curves if c.rows])
    rows = [r for c in panel.curves for r in c.rows]
    x = with_ends(panel, panel.x, 'spans', [v for r in rows for v in (r.x, r.x2) if v is not None])
    y = with_ends(panel, panel.y, 'bars|stems|band', [v for r in rows for v in (r.y, r.y2) if v is not None])
    start, end = y.start or 0.0, y.end or 0.0
    curves = [c for one in panel.curves for c in cut(one, y) if c.rows and (c.at is None or (c.at - start) * (c.at - end) <= 0)]
    return replace(panel, x=x, y=y, curves=curves)


@dataclass(frozen=True, slots=True)
class Page:
    width: int
    left: int
    right: int
    letters: int


PAGES = {'wide': Page(760, 80, 24, 92), 'narrow': Page(380, 72, 22, 46)}


def figure_rows(layout: str, figure: int, d: Drawing, firsts: Sequence[int], after: int) -> Iterator[Cells]:
    """A figure as rows, on a page of this layout: its panels, and below them its legend as one more. firsts: number of the first
    curve of each panel; after: of the first curve of no panel."""
    page, n, first = PAGES[layout], len(d.panels), d.panels[0]
    across = min(n, d.across, 9 if layout == 'wide' else 1)
    down = ceil(n / across)
    entries = legend_entries(c for c in (*d.legend, *(c for p in d.panels for c in p.curves)) if c.title)
    if layout == 'narrow':
        entries = [line for c in entries for line in in_lines(c)]
    entry = max((len(c.title) for c in entries), default=0) * 7 + 58
    columns = max(page.width // entry, 1)
    strip = ceil(len(entries) / columns) * 22
    strip += 14 if strip > 0 else 0
    title = folded(d.title, page.letters)
    head = 26 + 18 * len(title.split('|'))

    def always(_: Any) -> bool:
        return True

    left = max(longest(find_tics(p.y, always)) * 7.2 + (52 if p.y.label else 18) if p.y.names or p.y.tics else page.left
               for p in d.panels)
    gap = 20 if first.y.names else 53
    wide = (page.width - left - page.right - gap * (across - 1)) / across
    high = d.high if d.high is not None else max(100 + 26 * len(first.y.names), 190) if first.y.names else 400 if n == 1 else 300
    high = min(high, 320 if layout == 'narrow' and not first.y.names else inf)
    turned = any(p.x.names and not fits_beside(find_tics(p.x, always), wide) for p in d.panels)
    foot = 24 if d.stacked else 50 + 4.8 * max(longest(find_tics(p.x, always)) for p in d.panels) if turned else 66
    if layout == 'narrow' and len({p.x.label for p in d.panels}) > 1:
        high, foot = high + 14, foot + 14  # (between the label of an axis and the title of the panel below it)
    below = head + down * high + (52 if d.stacked else 0)

    def spot(l: float, r: float, top: float, bottom: float) -> tuple[float, float, float, float]:
        return l / page.width, r / page.width, 1 - top / (below + strip), 1 - bottom / (below + strip)

    yield ['figures', layout, figure, d.name, page.width, below + strip, title, n + (strip > 0)]
    short = [replace(p, x=replace(p.x, label=re.sub(':.*', '', p.x.label))) if layout == 'narrow' and len(p.x.label) > 46 else p
             for p in d.panels]
    for i, (panel, number) in enumerate(zip(short, firsts)):
        column, row = i % across, i // across
        x, y = left + column * (wide + gap), head + row * high
        following = d.panels[i + across] if i + across < n else None
        x_tics = find_tics(panel.x, lambda tics: fits_beside(tics, wide, panel.x))
        y_tics = find_tics(panel.y, lambda tics: len(tics) * 20 <= high - 24 - foot)
        if following and following.x.label == panel.x.label:
            panel = replace(panel, x=replace(panel.x, label=''))
        if column > 0 and d.panels[i - 1].y.label == panel.y.label:
            panel = replace(panel, y=replace(panel.y, label=''))
        yield from panel_rows(layout, figure, i + 1, Laid(
            panel, number, spot(x, x + wide, y + (42 if any(m.text for m in panel.marks) else 24), y + high - foot), x_tics,
            [] if column > 0 and panel.y.names else y_tics, turned, bool(d.stacked and following), 1 if panel.y.names else 3,
            (10 if column == 0 else x - 50) / page.width))
    if strip > 0:
        curves = list(entry_curves(entries, columns, entry, strip))
        number = after if layout == 'wide' else after + 1 + 3 * len(entries)
        legend = Panel(Axis(start=0, end=page.width), Axis(start=0, end=strip), curves, grid='')
        yield from panel_rows(layout, figure, n + 1, Laid(legend, number, spot(0, page.width, below, below + strip), frame=0), True)
        for i, c in enumerate(curves, number):
            yield from curve_rows(figure, i, c)


HEADINGS: Mapping[str, Sequence[str]] = {
    'figures': ('layout', 'figure', 'name', 'width', 'height', 'title', 'panels'),
    'panels': ('layout', 'figure', 'panel', 'title', 'x_label', 'y_label', 'grid', 'frame', 'left', 'right', 'top', 'bottom',
               *(f'{axis}_{end}' for axis in 'xy' for end in ('from', 'to', 'log', 'step', 'tics')), 'label_at', *KINDS, 'end'),
    'tics': ('layout', 'figure', 'panel', 'axis', 'text', 'at'),
    'marks': ('layout', 'figure', 'panel', 'x', 'y', 'to', 'text', 'colour', 'dash'),
    'curves': ('figure', 'curve', 'colour', 'shape', 'dash', 'width', 'size', 'at'),
}


def drawn(drawings: Iterable[Drawing], papers: Sequence[Mapping[str, Any]] = ()) -> Iterator[Cells]:
    """Rows TABLE, fields. Each table begins with its heading and a row of no figure: gnuplot ends on a table without rows, and
    reads an empty last column wrongly."""
    for table, names in HEADINGS.items():
        yield [table, *names]
        yield [table, *(1 if name == 'curve' else 0 for name in names)]
    for i in (1, 2):
        yield ['curve-0-1', i, 1, 1, 2, 1, 1, '-']
    figure = 0
    for d in drawings:
        marks = [m for m in papers if m.get('figure') == d.name and d.papers]
        panels = [ready(with_papers(panel, marks)) for panel in d.panels]
        if not any(panel.curves for panel in panels):
            continue
        figure += 1
        firsts, after = [], 1
        for panel in panels:
            firsts.append(after)
            for i, c in enumerate(panel.curves, after):
                yield from curve_rows(figure, i, c)
            after += len(panel.curves)
        for layout in PAGES:
            yield from figure_rows(layout, figure, replace(d, panels=panels), firsts, after)
