# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a comparison of two variants: its verdict in words, its page in Markdown, its figure, its test cases. Pure."""
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from analysis import decided, draw
from analysis.compare_words import json_word
from analysis.decided import Decision, number_text
from analysis.draw import Axis, Curve, Drawing, Look, Mark, Panel, Place
from analysis.escape import markdown, markdown_cell

LONGEST = 'over 10,000'  # starts
HOW = '''Both variants had their sessions up at once and were measured in turns; after {pairs} of blocks both were started anew.
The intervals hold however often one looks: of comparisons of a variant with itself, at most {alpha} % call any \
metric better or worse.
The order of the variants alternates from start to start, so that what only the order makes cancels.
A pair in which other programs took more than 3 % of the server's CPUs, or 10 % of the client's, is left out (here \
{left_out}){noise}.'''


class Disturbed(NamedTuple):
    """A block beside other programs. used: in the verdict, all the same."""
    start: Any
    block: str
    why: str
    used: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """ab: the settings of the comparison; verdict: of judge; a, b: run.json of both; failed: starts of each variant that failed."""
    ab: Mapping[str, Any]
    verdict: Mapping[str, Any]
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    failed: Mapping[str, int]
    disturbed: Sequence[Disturbed]

    def metrics(self, verdict: str = '') -> list[Decision]:
        return [row for row in self.verdict['metrics_decided'] if verdict in ('', row['verdict'])]

    def lacking(self) -> list[Decision]:
        """Metrics of which B has no values, or too few."""
        return [row for row in self.verdict.get('one_sided') or [] if row['only'] == 'a'] + list(self.verdict.get('too_few') or [])

    def setting(self, name: str) -> Any:
        return self.ab['settings'].get(name)

    def noise(self) -> float:
        return self.setting('noise_percent') or 0

    def minutes(self, starts: float | None) -> str:
        if starts is None or not self.ab['starts']:
            return f'{LONGEST} starts'
        value = starts * self.ab['measured_s'] / self.ab['starts'] / 60
        return number_text(decided.rounded(value * 10) / 10 if value < 10 else decided.rounded(value))


# --- the verdict --------------------------------------------------------------------------------------------------

def changes(rows: Sequence[Decision]) -> str:
    return '; '.join(f'{decided.name(row)} {decided.change(row)} ({decided.interval(row)})' for row in rows)


def names(rows: Sequence[Decision]) -> str:
    return ', '.join(map(decided.name, rows))


def too_noisy(of: Compared) -> str:
    noise = [one for one in of.disturbed if not one.used]
    blocks = [one.block for one in noise]
    if len(blocks) > 8:
        blocks = [*blocks[:7], f'and {len(blocks) - 7} more']
    first = f' ({noise[0].block}: {noise[0].why}).' if noise else ''
    return f'Too noisy: {len(noise)} of {of.verdict["blocks"]} blocks were disturbed by other programs: {" ".join(blocks)}{first}'


def what_would_decide(of: Compared, rows: Sequence[Decision]) -> str:
    """Of metrics that are not decided."""
    if of.failed:
        return ''
    more, other = of.verdict.get('more_starts'), of.verdict.get('disturbed_more')
    if other:
        return f"; {other.upper()}'s blocks were disturbed more than the other's (a quiet machine would decide)"
    if more is not None:
        return f'; about {number_text(more)} more starts ({of.minutes(more)} minutes) would decide'
    lacking = sorted((row for row in rows if row.get('lacks_values')), key=lambda row: str(row['lacks_values']))
    said = [f'{v.upper()} has no value in more blocks than the other of {names(list(group))}'
            for v, group in groupby(lacking, key=lambda row: str(row['lacks_values']))]
    if said:
        return f'; {", ".join(said)} (overloaded, or keys without an answer), so nothing speaks for it'
    ranges = [f'{decided.name(row)} is a range in {row["pairs_ranged"]} of {row["pairs"]} pairs' for row in rows
              if (row.get('pairs_ranged') or 0) > 0]
    return '; no number of starts below 10,000 would decide' + (f' ({", ".join(ranges)})' if ranges else '')


def not_decided(of: Compared) -> str:
    better, rows, lacking = of.metrics('better'), of.metrics('not decided'), of.lacking()
    parts = []
    if of.verdict.get('open') or 0:
        named = [decided.name(row) for row in rows]
        named = [*named[:3], f'and {len(named) - 3} more'] if len(named) > 4 else named
        parts.append(', '.join(named) + what_would_decide(of, rows))
    if lacking:
        parts.append(f'B lacks values of {names(lacking)}')
    return (f'Better: {changes(better)}. ' if better else '') + f'Not decided: {"; ".join(parts)}.'


def answer(of: Compared) -> str:
    word, better = of.verdict['verdict'], of.metrics('better')
    rest = of.metrics('not decided')
    still = f' Not decided: {names(rest)}.' if rest else ''
    if word == 'too noisy':
        said = too_noisy(of)
    elif word == 'worse':
        said = f'B is worse: {changes(of.metrics("worse"))}.' + (f' Better: {changes(better)}.' if better else '') + still
    elif word == 'better':
        said = f'B is better: {changes(better)}.{still}'
    elif word == 'no difference of that size':
        said = f'No difference of {of.setting("effect")} or more.'
    else:
        said = not_decided(of)
    failed = ''.join(f' {v.upper()} failed in {n} more start{"s" if n > 1 else ""}.' for v, n in of.failed.items())
    return ('Provisional: ' if of.verdict.get('provisional') and word != 'too noisy' else '') + said + failed


def so_far(verdict: Mapping[str, Any]) -> str:
    """And how many starts would decide more (unless they would be disturbed, as the others)."""
    metrics, undecided, more, word = (verdict.get(key) for key in ('metrics', 'open', 'more_starts', 'verdict'))
    said = (f'{"provisional: " if verdict.get("provisional") else ""}{word}, {(metrics or 0) - (undecided or 0)} of {metrics} '
            'metrics decided')
    return said + (f'; about {number_text(more)} more starts' if undecided and more is not None and word != 'too noisy' else '')


# --- the page -----------------------------------------------------------------------------------------------------

def row(*cells: Any) -> str:
    texts = ('' if cell is None or cell is False else number_text(cell) if isinstance(cell, float) else str(cell) for cell in cells)
    return f'| {" | ".join(map(markdown_cell, texts))} |'


def many(n: float, word: str) -> str:
    return f'{number_text(n)} {word}{"" if n == 1 else "s"}'


def programs(of: Mapping[str, Any]) -> str:
    return ', '.join(f'{name} {decided.in_tree(json_word(file))}' for name, file in (of.get('programs') or {}).items())


def versions(of: Mapping[str, Any]) -> str:
    def version(one: Mapping[str, Any]) -> Any:
        return next((value for value in (one.get('version'), one.get('server')) if value is not None), '?')

    return ', '.join(f'{name} {version(one)}' for name, one in (of.get('protocols') or {}).items())


def part(of: Mapping[str, Any], *keys: str) -> Any:
    for key in keys:
        of = (of or {}).get(key)  # type: ignore[assignment]
    return of


def unlike(of: Compared) -> Iterator[Sequence[Any]]:
    """(name, A, B): what differs in what both runs record."""
    both, settings = (of.a, of.b), [one.get('settings') or {} for one in (of.a, of.b)]
    rows: list[Sequence[Any]] = [
        ('versions of the display servers', versions(of.a), versions(of.b)),
        ('release of the server', *(part(one, 'lab', 'server_system') or 'that of the machine' for one in both)),
        *((name, *(part(one, 'host', 'tools', name) or 'none' for one in both)) for name in ('xterm', 'vim.tiny')),
        ('kernel', *(part(one, 'host', 'kernel') for one in both)), ('CPU', *(part(one, 'host', 'cpu', 'model') for one in both)),
        *((key, *(json_word(one.get(key)) for one in settings))
          for key in sorted({*settings[0], *settings[1]} - {'seed', 'repeats'}))]
    yield from (one for one in rows if one[1] != one[2])


def variant_lines(of: Compared) -> Iterator[str]:
    yield from ('| | options and programs |', '|---|---|', row('A', decided.variant(of.ab['a'])),
                row('B', decided.variant(of.ab['b'])))
    for name, said in (('servers that ran in A', programs(of.a)), ('in B', programs(of.b)), ('both', of.ab.get('both')),
                       ('chosen for both, to fit the budget', of.ab.get('chosen'))):
        if said:
            yield row(name, said)
    yield ''
    if any(part(one, 'lab', 'shared_cpus') for one in (of.a, of.b)):
        yield from ('The CPUs were shared with another lab, or by server and client.', '')


def metric_lines(of: Compared) -> Iterator[str]:
    yield from ('## Each metric', '', '| metric | A | B | change | interval | verdict | pairs |',
                '|---|---:|---:|---:|---|---|---:|')
    for one in of.metrics():
        more = one.get('more_starts')
        said = f': about {number_text(more)} more starts' if one['verdict'] == 'not decided' and more is not None else ''
        yield row(decided.name(one), *(decided.with_unit(decided.plain(one[v]), one['unit']) for v in 'ab'), decided.change(one),
                  decided.interval(one),
                  one['verdict'] + said, one['pairs'])
    yield from ('', 'A and B are medians of the blocks of these pairs (of a range, the middle counts). The change is a mean over '
                'the starts (of logarithms if it is in %), so it may differ from B/A, and one start that others disturbed can move '
                'it.', '')


def planned(of: Compared, one: Decision) -> list[Mapping[str, Any]]:
    rows = [row for row in of.verdict.get('plan') or [] if (row['metric'], row['cell']) == (one['metric'], one['cell'])]
    return sorted(rows, key=lambda row: float(row['effect'] or 0))


def plan_lines(of: Compared) -> Iterator[str]:
    metrics = of.metrics()
    first = next((one for one in metrics if planned(of, one)), metrics[0])
    yield from ('## How long would other differences take?', '',
                "A difference of so many interquartile ranges of A's blocks is decided after so many starts, if the spread stays. "
                "Sizes that take "
                'over 10,000 starts have no row, but for the size asked for.', '')
    if not planned(of, first):
        yield from ('The blocks of A do not differ, so there is no such table.', '')
        return
    yield from (f'{markdown(decided.name(first))}:', '', '| difference in IQRs | difference | starts | blocks | minutes |',
                '|---:|---:|---:|---:|---:|')
    for one in planned(of, first):
        starts = one.get('starts')
        if starts is not None or one.get('asked'):
            size = decided.with_unit(decided.plain(one['effect']), first['unit']) + (', as asked' if one.get('asked') else '')
            yield row(one.get('effect_iqr'), size, LONGEST if starts is None else starts,
                      '' if starts is None else starts * of.setting('pairs') * 2, of.minutes(starts))
    yield ''


def how_lines(of: Compared) -> Iterator[str]:
    left_out = max((n for one in of.metrics() if (n := one.get('pairs_disturbed')) is not None), default=None)
    if left_out is None:
        left_out = len({one['pair'] for one in of.verdict.get('disturbed') or [] if not one.get('used')})
    noise = f', unless they took at most {number_text(of.noise())} % (`--noise`)' if of.noise() > 0 else ''
    if of.verdict.get('provisional'):
        noise += ('. In simulated comparisons whose blocks others delay by 25 %, no more are called wrongly, but a difference of '
                  '10 % is missed more often')
    pairs = of.setting('pairs')
    yield from HOW.format(pairs='a pair' if pairs == 1 else f'{number_text(pairs)} pairs',
                          alpha=number_text(of.setting('alpha_percent')),
                          left_out=left_out, noise=f'{noise} (docs/ab-error-rates.md)').split('\n')


def page(of: Compared, figures: Sequence[str], pages: Sequence[str]) -> Iterator[str]:
    """Lines of Markdown. figures, pages: files that there are."""
    minutes = decided.rounded(of.ab['measured_s'] / 60 * 10) / 10
    yield from (f'# {markdown(str(of.ab["experiment"]))}: is B better than A?', '')
    yield markdown(f'{many(of.ab["starts"], "start")}, {many(of.verdict["blocks"], "block")} in {many(minutes, "minute")}, '
                   f'{of.a["started"][:10]}')
    yield from ('', f'> {markdown(answer(of))}', '', *variant_lines(of))
    if of.metrics():
        yield from metric_lines(of)
        for file in figures:
            yield from (f'![Differences of each start]({file})', '')
        yield from ('The dots are starts of both variants: B less A. The band is the interval, the dashed lines are the smallest '
                    'difference of interest.', '', *plan_lines(of))
    else:
        yield from ('No pair of blocks was undisturbed, so no metric has a value.', '')
    rows = list(unlike(of))
    yield from ('## What was not alike', '')
    yield from ['| | A | B |', '|---|---|---|', *(row(*one) for one in rows)] if rows else ['Nothing that the two runs record.']
    yield ''
    if of.disturbed:
        yield from ('## Disturbed blocks', '', 'A block is named by its pair and its variant.', '',
                    '| start | block | what others did |', '|---:|---|---|',
                    *(row(one.start, one.block, one.why + (' (used)' if one.used else '')) for one in of.disturbed), '')
    yield from ('## How this is decided', '', *how_lines(of))
    links = ', '.join(f'[{file[:1].upper()}]({file})' for file in pages)
    yield (f'The runs by themselves: {links}. ' if links else '') + 'The method: `thinprobe help judge`.'


# --- the figure, and test cases -----------------------------------------------------------------------------------

def panel(of: Compared, one: Decision) -> Panel:
    """Differences of each start."""
    starts, effect = of.ab['starts'], one.get('effect')
    effects = [draw.level(size) for size in (effect, -effect)] if isinstance(effect, int | float) else []
    points = [Place(float(i), float(value)) for i, value in enumerate(one.get('differences') or [], 1) if value is not None]
    band = [Mark(y=one['low'], to=one['high'], colour='#d9eaf5')] if one['low'] is not None else []
    return Panel(Axis(start=0.5, end=starts + 0.5, step=float(starts // 12 + 1)), Axis(one['change_unit']),
                 [draw.level(0, draw.DOTTED), *effects, Curve('points', points, Look(draw.LIGHT))], decided.name(one), band)


def drawings(of: Compared) -> list[Drawing]:
    """A panel for each of the first metrics."""
    return [Drawing('differences', 'Differences of each start', [panel(of, one) for one in of.metrics()[:6]], across=1, high=210)]


def test_cases(of: Compared) -> list[dict[str, str]]:
    """As junit.py takes them."""
    out = [{'name': decided.name(one), 'verdict': one.get('as_limit') or 'not decided',
            'why': ('' if one['verdict'] == 'not decided' else f'{one["verdict"]}: ')
            + f'{decided.change(one)} (interval: {decided.interval(one)})'}
           for one in of.metrics()]
    out += [{'name': decided.name(one), 'verdict': 'not decided', 'why': 'B lacks values'} for one in of.lacking()]
    if not of.metrics():
        out.append({'name': 'all', 'verdict': 'not decided', 'why': answer(of).removeprefix('Not decided: ')})
    return out
