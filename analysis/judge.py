# SPDX-License-Identifier: GPL-3.0-or-later
"""judge - is B better than A? A verdict for each metric from paired blocks of both, at a stated rate of false alarms. With --drift:
does a session get slower? With --criteria: how many users fit, and which number is measured next? With --limits and --claims: do
figures keep to limits, and is what a page says of figures so?

The rules are in verdicts.py and sequential.py, drift.py, search.py and decide.py. This file reads options and tables, and reports."""
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import expm1, inf, isfinite, isnan, log1p, nan
from operator import attrgetter
from typing import Any, BinaryIO

from analysis import blocks, decide, drift, report, search, sequential, tables, verdicts, words
from analysis.blocks import VARIANTS, Blocks, Effect, SecondRow, Series, said_change
from analysis.command import LOSSY, OK, WORSE, Given, Option, Stop, Usage, open_input, parse
from analysis.decide import Asked, Claim, Ends, Limit
from analysis.ieee import exp_less_1, ln
from analysis.report import Report, real, reals
from analysis.tables import BadLine
from analysis.verdicts import Question, Verdict

BLOCKS_MOST = 1000000
PAIRED = 'blocks, runs'  # (blocks: measured in turns)
OPTIONS = (
    Option('effect', 'text', 'smallest difference of interest, such as 5ms (10%)', of=f'{PAIRED}, drift, starts', meta='SIZE'),
    Option('points', 'percent', 'smallest difference of interest between shares, in percentage points (1)', low=0.001, high=100,
           of=f'{PAIRED}, drift'),
    Option('alpha', 'percent', 'chance of any false alarm, at any look (5%)', low=0.001, high=50, of=f'{PAIRED}, drift, starts'),
    Option('metrics', 'text', 'judge only these metrics (all); with --drift, let these decide (the first)', of=f'{PAIRED}, drift',
           meta='NAME,...'),
    Option('runs', 'flag', 'compare the repeats of two runs, A and B, not measured in turns'),
    Option('pooled', 'text', 'figures of all repeats, where single repeats lack them', of='runs', meta='FILE'),
    Option('doubt', 'text', 'reason why nothing is decided, or no limit holds', of='runs, limits', meta='WHY'),
    Option('drift', 'time', 'decide whether one session gets slower; its blocks have this length', low=1e6, high=86400e9),
    Option('warmup', 'int', 'leave out the first N blocks (5)', low=0, high=100000, of='drift'),
    Option('criteria', 'text', 'find how many users meet these criteria, such as p95:100ms,apdex:0.85', meta='LIST'),
    Option('most', 'int', 'most users to try (64)', low=1, high=10000, of='criteria'),
    Option('limits', 'flag', 'decide whether figures keep to limits; BLOCKS is a table of limits/1'),
    Option('range-breaks', 'flag', 'a range or bound that may break a limit breaks it', of='limits'),
    Option('claims', 'flag', 'decide claims about figures; BLOCKS is a table of claims/1'),
    Option('starts', 'int', 'without BLOCKS: report what this many starts can decide', low=1, high=10000),
    Option('conditions', 'int', 'number of conditions (1)', low=1, high=10000, of='starts'),
    *report.OPTIONS,
)
LIMIT_VERDICTS = {decide.KEEPS: 'holds', decide.BROKEN: 'broken', decide.OPEN: 'not decided'}


@dataclass(frozen=True, slots=True)
class Task:
    """What the command line asks."""
    given: Given
    file: str
    effect: Effect
    effect_text: str
    alpha: float
    metrics: tuple[str, ...]
    warmup: int

    def report(self) -> Report:
        return Report('judge', self.given)


def parse_effect(text: str, points: float) -> Effect:
    found = re.fullmatch(r'\s*\+?([\d.]+(?:[eE][+-]?\d+)?)(%|ms)', text, re.ASCII)
    try:
        value = float(found[1]) if found else 0.0
    except ValueError:
        value = 0.0
    if not found or not 0 < value < inf:
        raise Usage(f'--effect {text}: a share such as 10%, or a time such as 5ms')
    return Effect(value / 100, 0.0, points) if found[2] == '%' else Effect(0.0, value, points)


def number_from(text: str | None) -> float:
    """A cell's number, NaN where it is empty. ValueError: something else."""
    if not text:
        return nan
    return float(text) if re.fullmatch(r'\s*[+-]?([\d.]+([eE][+-]?\d+)?|inf(inity)?|nan)', text, re.ASCII | re.IGNORECASE) else blocks.finite(text)


def load(file: str, read: Callable[[BinaryIO], Any], wrong: str) -> Any:
    """A table of ours; `wrong`: what is said of one that is not."""
    with open_input(file) as stream:
        try:
            return read(stream)
        except SecondRow as second:
            raise Stop(f'{file}, line {second.line}: a second row of this block and metric; are these tables of two measurements?'
                       ) from None
        except BadLine as bad:
            raise BadLine(str(bad) or wrong, bad.line).stop(file) from None
        except OSError as e:
            raise Stop(f'cannot read {file}: {e.strerror}') from None


# --- A and B ------------------------------------------------------------------------------------------------------

def metric_text(s: Series) -> str:
    return s.metric.replace('_', ' ')


def name_of(s: Series) -> str:
    return f'{s.cell} {metric_text(s)}' if s.cell else metric_text(s)


def as_limit(word: str, overall: str) -> str:
    """What is said of a metric as the limit that B is not worse: of a better B no metric may be worse, however open it is."""
    is_open = word in (verdicts.NOT_DECIDED, verdicts.TOO_NOISY)
    return 'broken' if word == verdicts.WORSE else 'not decided' if is_open and overall != verdicts.BETTER else 'holds'


def change_unit(s: Series) -> str:
    return '%' if s.relative else 'points' if s.unit == '%' else s.unit


def series_tree(s: Series, word: str, overall: str) -> dict[str, Any]:
    d = s.difference
    assert d
    n, mean = d.count(), d.all.mean
    low, high = mean - sequential.reach(d, s.decision.level, -1), mean + sequential.reach(d, s.decision.level, 1)
    return {
        'cell': s.cell, 'metric': s.metric, 'unit': s.unit, 'verdict': word,
        **reals(4, a=s.typical['a'], b=s.typical['b'], change=said_change(s, mean) if n else nan,
                low=said_change(s, low) if isfinite(low) else nan, high=said_change(s, high) if isfinite(high) else nan),
        'change_unit': change_unit(s), 'effect': real(said_change(s, d.effect), 4), 'p': real(s.decision.p, 6),
        'starts': n, 'pairs': s.pairs, 'pairs_lost': s.lost, 'pairs_ranged': s.ranged, 'pairs_disturbed': s.disturbed,
        'lacks_values': blocks.poorer(s), 'more_starts': s.more, 'iqr': real(s.iqr, 4), 'sd_of_starts': real(d.all.sd(), 6),
        'as_limit': as_limit(word, overall), 'differences': [real(said_change(s, v), 4) for v in d.values],
    }


def plan(q: Question, family: Sequence[Series]) -> Iterator[dict[str, Any]]:
    """Starts needed until a difference of each of these sizes, in IQRs of A's blocks, is decided; first: the size that was asked for."""
    alpha = q.alpha / (len(family) or 1)
    for s in family:
        d = s.difference
        assert d
        iqr = s.iqr / s.typical['a'] if s.relative else s.iqr
        sd, asked = d.all.sd(), exp_less_1(d.effect) if s.relative else d.effect
        if q.runs or not (iqr > 0 and sd > 0):
            continue
        for k, size in enumerate((asked / iqr, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0)):
            yield {'cell': s.cell, 'metric': s.metric, 'effect_iqr': real(size, 1), 'effect': real(size * s.iqr, 4), 'asked': not k,
                   'starts': sequential.starts_needed(size * iqr, sd, size * iqr, alpha)}


# key: begins an array of the result
LEFT_OUT: tuple[tuple[verdicts.Test, str, str, str], ...] = (
    (verdicts.only_in_a, 'one_sided', 'only A has a value', 'metric'), (verdicts.only_in_b, 'one_sided', 'only B has a value', 'metric'),
    (verdicts.overloaded, 'overloaded', '', ''), (verdicts.aside, 'not_judged', '', ''),
    (verdicts.too_few, 'too_few', 'B has too few values', 'metric'),
    (verdicts.not_compared, 'not_compared', 'there is no number, or no interval,', 'metric'),
    (verdicts.copied, 'copied', 'A and B have the same values in all repeats', 'condition'), (verdicts.the_same, 'the_same', '', ''),
)


def report_left_out(out: Report, t: Blocks, q: Question) -> None:
    """Metrics that cannot be compared, and those of which all values are the same."""
    for test, key, said, noun in LEFT_OUT:
        found = [s for s in t.series if test(s, q)]
        rows = out.result.setdefault(key, [])
        for s in found:
            row: dict[str, Any] = {'cell': s.cell, 'metric': s.metric}
            if key == 'one_sided':
                row['only'] = 'a' if test is verdicts.only_in_a else 'b'
            if test is verdicts.not_compared:
                row |= {'why': s.why, 'of': s.lacks}
            rows.append(row)
        if found and said:
            out.warn(f'{said} of {words.counted(len(found), noun)}, so these cannot be compared')


def names_by_verdict(v: Verdict) -> str:
    """worse: NAME, NAME; better: NAME: of each verdict three at most."""
    parts = []
    for word in (verdicts.WORSE, verdicts.BETTER, verdicts.NOT_DECIDED):
        names = [name_of(s) for s in v.family if verdicts.word_of(s) == word]
        if names:
            parts.append(f'{word}: {", ".join(names[:3])}' + (f' and {len(names) - 3} more' if len(names) > 3 else ''))
    return '; '.join(parts)


def answer(out: Report, v: Verdict, provisional: bool, doubt: bool) -> None:
    mark = 'provisional: ' if provisional else ''
    text = '' if v.noisy or doubt else names_by_verdict(v)
    out.summary = mark + (text if v.word == verdicts.NOT_DECIDED and text else v.word)
    if text and len(v.family) > 1:
        out.say(mark + text)


def blocks_tree(t: Blocks, q: Question, v: Verdict, doubt: str | None) -> dict[str, Any]:
    calmer, runs = blocks.calmer(t), {}
    if q.runs:
        runs = {f'{key}_{variant}': n for variant in VARIANTS
                for key, n in (('blocks', t.count(variant)), ('disturbed', t.disturbed(variant)))}
    return {'verdict': v.word, 'provisional': t.allowed() > 0, **({'disturbed_more': 'b' if calmer == 'a' else 'a'} if calmer else {}),
            'disturbed_throughout': t.throughout, 'doubt': doubt, **runs, 'blocks': len(t.blocks),
            'blocks_disturbed': t.disturbed() + t.allowed(), 'metrics': len(v.family), 'open': v.open,
            'more_starts': v.more if v.open else None}


def report_blocks(task: Task, t: Blocks) -> int:
    given, doubt = task.given, task.given['doubt']
    q = Question(task.metrics, task.alpha, bool(given['runs']), bool(doubt))
    out = task.report()
    v = verdicts.reach(t, q)
    if not v:
        raise Stop(f'{task.file}: no metric{" of --metrics" if given["metrics"] else ""} has a value of both variants in an undisturbed '
                   'pair, or in two repeats, or none changes')
    out.settings = {'file': task.file, 'effect': task.effect_text, **reals(3, points=task.effect.points, alpha_percent=100 * task.alpha)}
    out.result = blocks_tree(t, q, v, doubt)
    answer(out, v, t.allowed() > 0, bool(doubt))
    if doubt:
        out.warn(f'nothing is decided: {doubt}')
    if v.noisy:
        out.warn(f'{words.counted(t.disturbed(), "block")} of {words.count(len(t.blocks))} were disturbed by other programs: '
                 'B and A cannot be compared here')
    table = out.table('lrrrl', '  metric', 'A', 'B', 'change', '')
    out.main_table = 'metrics_decided'
    rows = out.result['metrics_decided'] = []
    for s in v.family:
        word = verdicts.NOT_DECIDED if doubt and not v.noisy else verdicts.word_of(s, v.noisy)
        rows.append(series_tree(s, word, v.word))
        assert s.difference
        change = words.number(said_change(s, s.difference.all.mean)) if s.difference.count() else '-'
        table.row(f'  {name_of(s)}', words.number(s.typical['a']), words.number(s.typical['b']), f'{change} {change_unit(s)}', word,
                  rank={verdicts.WORSE: 3, verdicts.BETTER: 2}.get(word, int(s.decision.word == sequential.OPEN)))
    out.result['plan'] = list(plan(q, v.family))
    out.result['disturbed'] = [{'start': b.start, 'pair': b.pair, 'variant': b.variant, 'used': b.allowed} for b in t.blocks
                               if b.disturbed or b.allowed]
    report_left_out(out, t, q)
    out.close()
    return LOSSY if v.noisy or v.word == verdicts.NOT_DECIDED else WORSE if v.word == verdicts.WORSE else OK


def load_blocks(task: Task) -> Blocks:
    t: Blocks = load(task.file, blocks.read, 'not a table of blocks/1, a value not finite, disturbed not 0, 1 or 2, better not lower or '
                     'higher, or a metric of two units')
    for name in (task.given['metrics'] or '').split(',') if task.given['metrics'] else ():
        if all(s.metric != name for s in t.series):  # it was not measured: no verdict is without it
            raise Stop(f'{task.file}: no metric {name}')
    return t


def judge_blocks(task: Task) -> int:
    t = load_blocks(task)
    if not task.given['runs']:
        blocks.compare(t, task.effect)
        return report_blocks(task, t)
    blocks.compare_runs(t, task.effect)
    if task.given['pooled']:
        load(task.given['pooled'], lambda stream: blocks.read_pooled(stream, t), 'not a table of pooled/1')
        blocks.compare_pooled(t, task.effect)
    return report_blocks(task, t)


# --- a session ----------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Session:
    """A metric of the blocks of one session: of each block after the warm-up, as the table has it, and as it is judged."""
    of: Series
    raw: list[float]
    growth: drift.Growth
    begin: drift.Begin = drift.Begin()


def place_values(s: Series, count: int, task: Task) -> Session:
    raw = [nan] * count
    for before, v in zip([None, *s.values], s.values):
        if before and before.start == v.start:
            raise Stop(f'block {v.start}: a second value of {s.metric}')
        if v.start > task.warmup and not v.disturbed:
            raw[v.start - task.warmup - 1] = v.number()
    mean = drift.known_mean(raw)
    s.typical = {'a': mean, 'b': mean}
    blocks.choose_scale(s, task.effect, not any(value <= 0 for value in raw))
    return Session(s, raw, drift.Growth([ln(v) if s.relative and not isnan(v) else v for v in raw], s.effect))


def session_tree(s: Session, end_s: Callable[[int], float], block_s: float) -> tuple[dict[str, Any], float, float]:
    """What is said of a metric; and its means at first and at last."""
    g, count = s.growth, len(s.raw)
    grows, step = g.word == drift.GROWS, s.begin.step
    before = after = max(count // 8, 1)
    if grows and s.begin.block < before:
        before = s.begin.block
    if grows and step and count - s.begin.block < after:
        after = count - s.begin.block
    first, last = drift.known_mean(s.raw[:before]), drift.known_mean(s.raw[count - after:])

    def said(growth: float) -> float:
        return said_change(s.of, growth)

    tree = {
        'figure': s.of.metric, 'unit': s.of.unit, 'verdict': g.word, 'told_by': g.told_by if grows else None,
        **reals(4, first=first, last=last, change=said(g.change), low=said(g.low), high=said(g.high), end=said(g.end)),
        'change_unit': '%' if s.of.relative else s.of.unit, 'effect': real(said(g.effect), 4), 'p': real(g.p, 6),
        **reals(1, told_s=end_s(g.told) if g.told else nan, returned_s=end_s(g.returned) if g.returned else nan,
                since_s=end_s(s.begin.block) if grows else nan),
        **reals(4, step=s.begin.growth if grows and step else nan,
                per_hour=s.begin.growth * 3600 / block_s if grows and not step else nan),
    }
    return tree, first, last


def judge_session(task: Task) -> int:
    t = load_blocks(task)
    most = max((v.start for s in t.series for v in s.values), default=0)
    if most > BLOCKS_MOST:
        raise Stop(f'block {most}: more than {BLOCKS_MOST} blocks')
    count, block_s = max(0, most - task.warmup), float(task.given['drift']) / 1e9
    if not count:
        raise Stop(f'{task.file}: no block after the warm-up has a metric')
    sessions = [place_values(s, count, task) for s in t.series]
    drift.decide([s.growth for s in sessions], task.alpha)
    for s in sessions:
        if s.growth.word == drift.GROWS:
            s.begin = drift.find_begin(s.raw)
    judged = [s.growth for i, s in enumerate(sessions) if (s.of.metric in task.metrics if task.metrics else not i)]
    word = drift.combine(judged)
    said = {drift.OPEN: 'not decided', drift.NONE: 'not slower', drift.GROWS: 'slower', drift.RETURNS: 'comes and goes'}[word]
    growing = [s for s in sessions if s.growth.word == drift.GROWS]

    def end_s(block: int) -> float:
        """Seconds from the start of the run to the end of a block, of which the first after the warm-up is 1; 0: end of warm-up."""
        return (block + task.warmup) * block_s

    out = task.report()
    out.settings = {'file': task.file, 'effect': task.effect_text, 'alpha_percent': real(100 * task.alpha, 3),
                    'warmup': real(task.warmup, 0)}
    out.result = {'verdict': said, 'moved_first': min(growing, key=lambda s: s.begin.block).of.metric if growing else None,
                  'blocks': count, 'blocks_needed': drift.BLOCKS_LEAST, 'block_s': real(block_s, 3), 'seconds': real(end_s(count), 1)}
    out.summary = said
    if count < drift.BLOCKS_LEAST:
        out.warn(f'{words.counted(count, "block")} after the warm-up: nothing is decided with fewer than {drift.BLOCKS_LEAST}')
    table = out.table('lrrrl', '  figure', 'at first', 'at last', 'second half', '')
    out.main_table = 'figures'
    rows = out.result['figures'] = []
    for s in sessions:
        tree, first, last = session_tree(s, end_s, block_s)
        rows.append(tree)
        change = '-' if isnan(s.growth.change) else words.number(said_change(s.of, s.growth.change))
        table.row(f'  {s.of.metric}', words.number(first), f'{words.number(last)} {s.of.unit}', f'{change} {tree["change_unit"]}',
                  s.growth.word, rank=2 if s.growth.word == drift.GROWS else int(s.growth.word == drift.RETURNS))
    out.close()
    return WORSE if word == drift.GROWS else OK if word == drift.NONE else LOSSY


# --- users, limits, claims, starts --------------------------------------------------------------------------------

def judge_search(task: Task) -> int:
    text, most = task.given['criteria'], task.given['most'] or 64
    try:
        criteria = search.parse_criteria(text)
    except (ValueError, OverflowError):
        raise Usage(f'--criteria {text}: such as p95:100ms,apdex:0.85') from None

    def read(stream: BinaryIO) -> list[search.Try]:
        tries = []
        for line, cells in tables.read_schema(stream, 'capacity-try/1', search.COLUMNS, len(search.COLUMNS)):
            try:
                tables.count(cells[0])
                tries.append(search.read_try(cells))
            except (ValueError, OverflowError):
                raise BadLine('', line) from None
        return tries

    s = search.Search(load(task.file, read, 'not a table of capacity-try/1'), criteria, most)
    out = task.report()
    following, unmeasured = search.choose_next(s), search.count_unmeasured(s)
    if unmeasured:
        out.warn(f'{words.counted(unmeasured, "measurement")} without a figure: not measured, so they do not count')
    out.settings = {'file': task.file, 'criteria': text, 'most': most}
    if following:
        out.summary = f'measure {words.counted(following, "user")} next'
    table = out.table('lr', '  criterion', 'most users')
    out.main_table = 'limits'
    rows: list[dict[str, Any]] = []
    out.result = {'next': following or None, 'not_measured': unmeasured, 'limits': rows}
    for c in criteria:
        b, slowest = search.find_bounds(s, c, False), search.find_bounds(s, c, True)
        end = search.find_end(s, b.bad)
        rows.append({'criterion': c.name, 'resource': end.resource if end else '', 'ended': end.ended if end else '',
                     'reached': bool(b.bad) and (not end or end.resource != 'ssh connection'), 'users': b.good, 'beyond': b.bad,
                     'users_all': min(slowest.good, b.good), 'untold': b.untold})
        table.row(f'  {c.name}', words.count(b.good))
    out.close()
    return LOSSY if following or unmeasured else OK


def read_limits(stream: BinaryIO, task: Task) -> list[tuple[Limit, list[Ends]]]:
    limits: list[tuple[Limit, list[Ends]]] = []
    columns = ('limit', 'op', 'bound', 'from', 'to', 'low', 'high')
    for line, cells in tables.read_schema(stream, 'limits/1', columns, len(columns)):
        try:
            number, bound = tables.count(cells[0]), blocks.finite(cells[2] or '')
            start, end, low, high = map(number_from, cells[3:])
            if number is None or number > len(limits) or cells[1] not in ('<', '<=', '>', '>='):
                raise ValueError
        except ValueError:
            raise BadLine('', line) from None
        if number == len(limits):
            limits.append((Limit(cells[1], bound, bool(task.given['range-breaks']), bool(task.given['doubt'])), []))
        limits[number][1].append(Ends(start, inf if isnan(end) else end, low, high))
    return limits


def judge_limits(task: Task) -> int:
    limits = load(task.file, lambda stream: read_limits(stream, task),
                  'not a table of limits (schema limits/1; see thinprobe help judge)')
    if not limits:
        raise Stop(f'{task.file}: no limit')
    out = task.report()
    table = out.table('lrl', '  limit', 'figures', '')
    out.main_table = 'limits'
    rows: list[dict[str, Any]] = []
    found = []
    for limit, figures in limits:
        kept = decide.judge_limit(limit, figures)
        found.append(kept.verdict)
        verdict = LIMIT_VERDICTS[kept.verdict]
        rows.append({'op': limit.op, 'verdict': verdict, 'bound': real(limit.bound, 6),
                     **{word: kept.words.count(word) for word in decide.LIMIT_WORDS}, 'worst': kept.worst, 'doubtful': kept.doubtful,
                     'leans_to_break': kept.leans_to_break})
        table.row(f'  {limit.op} {words.number(limit.bound)}', words.count(len(figures)), verdict)
    word = next((w for w in (decide.BROKEN, decide.OPEN) if w in found), decide.KEEPS)
    out.result = {'limits': rows, 'verdict': LIMIT_VERDICTS[word], 'doubt': task.given['doubt']}
    out.summary = LIMIT_VERDICTS[word]
    out.close()
    return OK if word == decide.KEEPS else WORSE if word == decide.BROKEN else LOSSY


CLAIM_COLUMNS = ('kind', 'share', 'from', 'to', 'low', 'high', 'repeats', 'from_b', 'to_b', 'low_b', 'high_b', 'repeats_b', 'of', 'rule',
                 'part', 'says', 'some', 'whole')


def read_ends(cells: Sequence[str | None]) -> Ends:
    start, end, low, high = (blocks.finite(cell) if cell else nan for cell in cells[:4])
    return Ends(start, inf if isnan(end) and not isnan(start) else end, low, high, tables.count(cells[4]) or 0)


def read_claim(cells: Sequence[str | None]) -> Claim:
    """ValueError: it is none."""
    share = tables.count(cells[1])
    if not share:
        raise ValueError
    of = [tables.count(cell) for cell in cells[12:]]
    if any(number is None and cell is not None for number, cell in zip(of, cells[12:])):
        raise ValueError
    numbers = [number or 0 for number in of]
    claim = Claim(cells[0] or '', Asked(read_ends(cells[2:7]), read_ends(cells[7:12]), share), numbers[0], numbers[1],
                  numbers[2], numbers[3], bool(numbers[4]), bool(numbers[5]))
    decide.kind_of(claim.kind)
    if claim.says >= len(decide.WORDS):
        raise ValueError
    return claim


def is_in_order(before: Claim | None, c: Claim, seen: set[int]) -> bool:
    """Do the claims of a figure stand together, its rules and their parts in ascending order, with one word for each? Others would
    count as a rule of their own."""
    if c.of and before and before.of == c.of:
        return before.whole == c.whole and (before.rule < c.rule or (
            before.rule == c.rule and before.says == c.says and (before.part < c.part or (before.part == c.part and before.some == c.some))))
    return not c.of or c.of not in seen


def read_claims(stream: BinaryIO) -> list[Claim]:
    claims: list[Claim] = []
    seen: set[int] = set()
    for line, cells in tables.read_schema(stream, 'claims/1', CLAIM_COLUMNS, 12):
        try:
            claim = read_claim(cells)
            if not is_in_order(claims[-1] if claims else None, claim, seen):
                raise ValueError
        except ValueError:
            raise BadLine('', line) from None
        claims.append(claim)
        seen.add(claim.of)
    return claims


def judge_claims(task: Task) -> int:
    claims = load(task.file, read_claims, 'not a table of claims/1, a figure that is no number, a claim of no known kind, or one apart '
                  'from others of its rule')
    out = task.report()
    table = out.table('lrl', '  claim', 'value', '')
    out.main_table = 'claims'
    told = decide.decide_all(claims)
    out.result = {'claims': [{'kind': c.kind, 'verdict': t.word, **reals(9, value=t.value, low=t.low, high=t.high)}
                             for c, t in zip(claims, told)], 'figures': []}
    for c, t in zip(claims, told):
        table.row(f'  {c.kind}', '-' if isnan(t.value) else words.number(t.value), t.word)
    for of, group in groupby(claims, key=attrgetter('of')):
        if of:
            word, by = decide.decide_rules(list(group))
            out.result['figures'].append({'of': of, 'verdict': word, 'by': by})
    out.close()
    return OK


def judge_starts(task: Task) -> int:
    """Of the medians of all conditions, which share half of alpha."""
    starts, effect = task.given['starts'], task.effect
    size = log1p(effect.relative) if effect.relative else effect.time_ms
    scatter = sequential.scatter_most(starts, size, task.alpha / 2 / (task.given['conditions'] or 1))
    said = 100 * expm1(scatter) if effect.relative else scatter
    out = task.report()
    out.result = {'starts': starts, 'scatter_percent' if effect.relative else 'scatter_ms': real(said, 2)}
    if isnan(scatter):
        out.say(f'{words.counted(starts, "start")} decide nothing: too few')
    else:
        out.say(f'{words.counted(starts, "start")} decide {task.effect_text} in the median, if starts scatter by at most '
                f'{words.number(said)} {"%" if effect.relative else "ms"}')
    out.close()
    return LOSSY if isnan(scatter) else OK


MODES = {'claims': judge_claims, 'criteria': judge_search, 'drift': judge_session, 'limits': judge_limits, 'runs': judge_blocks}


def main(argv: list[str]) -> int:
    given = parse(argv, 'judge BLOCKS [options]', 'Decides whether B is better than A, from paired blocks; with --drift, whether a '
                  'session gets slower.', OPTIONS)
    effect_text = given['effect'] or '10%'
    effect = parse_effect(effect_text, 1.0 if given['points'] is None else given['points'])
    asked_for = [name for name in MODES if given[name] is not None]
    mode = asked_for[0] if asked_for else 'starts' if given['starts'] else 'blocks'
    if len(asked_for) > 1:
        raise Usage('--claims, --criteria, --drift, --limits and --runs: choose one')
    foreign = given.foreign(mode)
    if foreign:
        raise Usage(f'--{foreign.name} is for {foreign.of}, not for {mode}')
    metrics = tuple(name for name in (given['metrics'] or '').split(',') if name)
    task = Task(given, given.operands[0] if given.operands else '', effect, effect_text,
                   (5.0 if given['alpha'] is None else given['alpha']) / 100, metrics, 5 if given['warmup'] is None else given['warmup'])
    if given['starts'] and not given.operands:
        return judge_starts(task)
    if not given.operands:
        raise Usage('which blocks? a file, or - for standard input')
    given.refuse_operands(1)
    if given['starts'] and mode in ('starts', 'runs', 'drift'):
        raise Usage('--starts needs no file: leave out the file, or --starts')
    return MODES.get(mode, judge_blocks)(task)
