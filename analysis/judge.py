# SPDX-License-Identifier: GPL-3.0-or-later
"""judge - is B better than A? A verdict for each metric from paired blocks of both, at a stated rate of false alarms. With
--drift: does a session get slower? With --criteria: how many users fit, and which number is measured next?

The rules are in sequential.py, drift.py, search.py, limits.py and decide.py. This file reads options and reports.
"""
from collections.abc import Callable, Sequence
from itertools import groupby
from math import inf, isfinite, isnan, log1p, nan
from typing import Any, BinaryIO, NamedTuple, TypeVar

from analysis import blocks, decide, drift, limits, numbers, pooled, report, search, sequential, tables, verdict, words
from analysis.blocks import A, B, NEITHER, Effect, Series, Table
from analysis.command import LOSSY, OK, WORSE, Given, Option, Stop, Usage, open_input, parse
from analysis.report import Report, real, reals
from analysis.sequential import OPEN
from analysis.tables import BadLine
from analysis.verdict import Question, Verdict

BLOCKS_MOST = 1000000
NAMES_MOST = 3
METRIC_MOST = 79  # characters of a name, as a person reads it
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
DEFAULTS = {'effect': '10%', 'points': 1.0, 'alpha': 5.0, 'warmup': 5, 'most': 64, 'conditions': 1}
LIMIT_VERDICTS = {limits.HOLDS: 'holds', limits.BROKEN: 'broken', limits.OPEN: 'not decided'}
Read = TypeVar('Read')


def read_input(file: str, read: Callable[[BinaryIO], Read], wrong: str) -> Read:
    with open_input(file) as stream:
        try:
            return read(stream)
        except BadLine as bad:
            raise BadLine(str(bad) or wrong, bad.line).stop(file) from None
        except OSError as e:
            raise Stop(f'cannot read {file}: {e.strerror}') from None


def parse_effect(text: str, points: float) -> Effect:
    value, stem = 0.0, text.removesuffix('%').removesuffix('ms')
    try:
        value = tables.strtod(stem)
    except ValueError:
        pass
    if 0 < value < inf and text == f'{stem}%':
        return Effect(relative=value / 100, points=points)
    if 0 < value < inf and text == f'{stem}ms':
        return Effect(time_ms=value, points=points)
    raise Usage(f'--effect {text}: a share such as 10%, or a time such as 5ms')


def require_metrics(t: Table, names: str | None, file: str) -> None:
    """A name that the table lacks was not measured: no verdict is without it."""
    for name in names.removeprefix(',').split(',') if names else ():
        if not any(s.metric == name for s in t.series):
            raise Stop(f'{file}: no metric {name}')


# --- is B better than A? ------------------------------------------------------------------------------------------

class Gap(NamedTuple):
    """Metrics that cannot be compared, or of which all values are the same: where they are listed, of which variant alone there
    is a value, and what is said of them."""
    key: str
    test: verdict.Test
    only: str | None = None
    words: str = ''
    noun: str = 'metric'


GAPS = (
    Gap('one_sided', verdict.only_in_a, 'a', 'only A has a value'),
    Gap('one_sided', verdict.only_in_b, 'b', 'only B has a value'),
    Gap('overloaded', verdict.overloaded),
    Gap('not_judged', verdict.is_aside),
    Gap('too_few', verdict.too_few, words='B has too few values'),
    Gap('not_compared', verdict.not_compared, words='there is no number, or no interval,'),
    Gap('copied', verdict.copied, words='A and B have the same values in all repeats', noun='condition'),
    Gap('the_same', verdict.the_same),
)


def gap_row(s: Series, gap: Gap) -> dict[str, Any]:
    row: dict[str, Any] = {'cell': s.cell, 'metric': s.metric}
    if gap.only:
        row['only'] = gap.only
    if gap.test is verdict.not_compared:
        row |= {'why': s.why, 'of': None if s.lacks == NEITHER else 'ab'[s.lacks]}
    return row


def warn_left_out(out: Report, t: Table, q: Question) -> None:
    for gap in GAPS:
        n = verdict.count(t, q, gap.test)
        if n and gap.words:
            out.warn(f'{gap.words} of {words.counted(n, gap.noun)}, so these cannot be compared')


def said_change(s: Series, difference: float) -> float:
    """A difference as it is said: of logarithms as a change in percent."""
    return 100 * numbers.expm1(difference) if s.relative else difference


def metric_text(s: Series) -> str:
    """The metric's name as a person reads it."""
    return f'{s.cell}{" " if s.cell else ""}{s.metric[:METRIC_MOST].replace("_", " ")}'


def limit_verdict(word: str, together: str) -> str:
    """What is said of a metric as the limit that B is not worse: of a better B no metric may be worse, however open it is."""
    if word == 'worse':
        return 'broken'
    return 'not decided' if word in ('not decided', 'too noisy') and together != 'better' else 'holds'


def series_row(s: Series, word: str, together: str) -> dict[str, Any]:
    f, poorer = s.figure, blocks.poorer(s)
    low, high = f.mean - sequential.reach(f, -1), f.mean + sequential.reach(f, 1)
    return {
        'cell': s.cell, 'metric': s.metric, 'unit': s.unit, 'verdict': word,
        **reals(4, a=s.typical[A], b=s.typical[B], change=said_change(s, f.mean) if f.n else nan,
                low=said_change(s, low) if isfinite(low) else nan, high=said_change(s, high) if isfinite(high) else nan),
        'change_unit': change_unit(s), 'effect': real(said_change(s, f.effect), 4), 'p': real(f.p, 6),
        'starts': f.n, 'pairs': s.pairs, 'pairs_lost': s.lost, 'pairs_ranged': s.ranged, 'pairs_disturbed': s.disturbed,
        'lacks_values': None if poorer == NEITHER else 'ab'[poorer], 'more_starts': verdict.more_needed(s),
        'iqr': real(s.iqr, 4), 'sd_of_starts': real(f.sd(), 6), 'as_limit': limit_verdict(word, together),
        'differences': [real(said_change(s, value), 4) for value in f.values]}


def change_unit(s: Series) -> str:
    return '%' if s.relative else 'points' if s.unit == '%' else s.unit


def report_series(out: Report, v: Verdict, doubt: bool) -> None:
    table = out.table('lrrrl', '  metric', 'A', 'B', 'change', '')
    for s in v.family:
        word, f = said_word(s, v, doubt), s.figure
        change = words.number(said_change(s, f.mean)) if f.n else '-'
        table.row(f'  {metric_text(s)}', words.number(s.typical[A]), words.number(s.typical[B]), f'{change} {change_unit(s)}', word,
                  rank=3 if word == 'worse' else 2 if word == 'better' else f.word == OPEN)


def said_word(s: Series, v: Verdict, doubt: bool) -> str:
    return 'not decided' if doubt and not v.noisy else verdict.word_of(s, v.noisy)


def plan_of(s: Series, alpha: float) -> list[dict[str, Any]]:
    """Starts needed until a difference of each of these sizes, in IQRs of A's blocks, is decided; first the size that was asked
    for."""
    iqr = numbers.over(s.iqr, s.typical[A]) if s.relative else s.iqr
    sd, asked = s.figure.sd(), numbers.expm1(s.figure.effect) if s.relative else s.figure.effect
    if not (iqr > 0 and sd > 0):
        return []
    return [{'cell': s.cell, 'metric': s.metric, **reals(1, effect_iqr=size), **reals(4, effect=size * s.iqr), 'asked': not k,
             'starts': sequential.starts_needed(size * iqr, sd, size * iqr, alpha)}
            for k, size in enumerate((asked / iqr, 0.3, 0.5, 0.8, 1, 1.5, 2, 3))]


def names_of(v: Verdict) -> str:
    """worse: NAME, NAME; better: NAME; at most three of each word."""
    said = []
    for word in ('worse', 'better', 'not decided'):
        names = [metric_text(s) for s in v.family if verdict.word_of(s, False) == word]
        more = f' and {len(names) - NAMES_MOST} more' if len(names) > NAMES_MOST else ''
        if names:
            said.append(f'{word}: {", ".join(names[:NAMES_MOST])}{more}')
    return '; '.join(said)


def report_answer(out: Report, v: Verdict, provisional: bool, doubt: str | None) -> None:
    mark, text = 'provisional: ' if provisional else '', '' if v.noisy or doubt else names_of(v)
    out.summary = mark + (text if v.word == 'not decided' and text else v.word)
    if text and len(v.family) > 1:
        out.say(mark + text)


def verdict_tree(t: Table, v: Verdict, q: Question, doubt: str | None) -> dict[str, Any]:
    calm = blocks.calmer(t)
    return {
        'verdict': v.word, 'provisional': t.allowed > 0, **({} if calm == NEITHER else {'disturbed_more': 'ab'[1 - calm]}),
        'disturbed_throughout': t.throughout, 'doubt': doubt,
        **({'blocks_a': t.of[A], 'disturbed_a': t.disturbed_of[A], 'blocks_b': t.of[B], 'disturbed_b': t.disturbed_of[B]}
           if q.runs else {}),
        'blocks': len(t.blocks), 'blocks_disturbed': t.disturbed + t.allowed, 'metrics': len(v.family), 'open': len(v.open()),
        'more_starts': v.more()}


def reached(t: Table, q: Question) -> Verdict:
    v = verdict.reach(t, q)
    if not v:
        raise Stop(f'no metric{" of --metrics" if q.metrics else ""} has a value of both variants in an undisturbed pair, '
                   'or in two repeats, or none changes')
    return v


def verdict_result(t: Table, v: Verdict, q: Question, doubt: str | None) -> dict[str, Any]:
    """All that is decided, as the report has it."""
    out = verdict_tree(t, v, q, doubt)
    out['metrics_decided'] = [series_row(s, said_word(s, v, bool(doubt)), v.word) for s in v.family]
    out['plan'] = [row for s in v.family for row in ([] if q.runs else plan_of(s, q.alpha / len(v.family)))]
    out['disturbed'] = [{'start': b.start, 'pair': b.pair, 'variant': 'ab'[b.variant], 'used': b.allowed}
                        for b in t.blocks if b.disturbed or b.allowed]
    for gap in GAPS:
        out.setdefault(gap.key, []).extend(gap_row(s, gap) for s in t.series if gap.test(s, q))
    return out


def status_of(v: Verdict) -> int:
    return LOSSY if v.noisy or v.word == 'not decided' else WORSE if v.word == 'worse' else OK


def report_verdict(t: Table, file: str, given: Given) -> int:
    alpha, doubt = given['alpha'] / 100, given['doubt']
    q = Question(given['metrics'], alpha, bool(given['runs']), bool(doubt))
    out = Report('judge', given)
    try:
        v = reached(t, q)
    except Stop as stop:
        raise Stop(f'{file}: {stop}') from None
    out.settings = {'file': file, 'effect': given['effect'], **reals(3, points=given['points'], alpha_percent=given['alpha'])}
    out.result = verdict_result(t, v, q, doubt)
    report_answer(out, v, t.allowed > 0, doubt)
    if doubt:
        out.warn(f'nothing is decided: {doubt}')
    if v.noisy:
        out.warn(f'{words.counted(t.disturbed, "block")} of {words.count(len(t.blocks))} were disturbed by other programs: '
                 'B and A cannot be compared here')
    out.main_table = 'metrics_decided'
    report_series(out, v, bool(doubt))
    warn_left_out(out, t, q)
    out.close()
    return status_of(v)


def judge_blocks(file: str, given: Given, effect: Effect) -> int:
    t = read_input(file, blocks.read, blocks.WRONG)
    require_metrics(t, given['metrics'], file)
    if given['drift']:
        return judge_session(t, file, given, effect)
    if not given['runs']:
        blocks.compare(t, effect)
    else:
        blocks.compare_runs(t, effect)
        if given['pooled']:
            read_input(given['pooled'], lambda stream: pooled.read(stream, t), 'not a table of pooled/1')
            pooled.compare(t, effect)
    return report_verdict(t, file, given)


# --- does a session get slower? -----------------------------------------------------------------------------------

class Session(NamedTuple):
    """A metric of the blocks of one session: of each block after the warm-up, as the table has it; and as it is judged."""
    of: Series
    raw: list[float]
    figure: drift.Figure

    def said(self, growth: float) -> float:
        return said_change(self.of, growth)


def count_blocks(t: Table, warmup: int) -> int:
    most = max((block.start for s in t.series for block in s.values), default=0)
    if most > BLOCKS_MOST:
        raise Stop(f'block {most}: more than {BLOCKS_MOST} blocks')
    return max(0, most - warmup)


def place_values(s: Series, warmup: int, count: int, effect: Effect) -> Session:
    raw, last = [nan] * count, None
    for block in s.values:
        if block.start == last:
            raise Stop(f'block {last}: a second value of {s.metric}')
        last = block.start
        if last > warmup and not block.disturbed:
            raw[last - warmup - 1] = block.value()
    s.typical = [drift.mean(raw)] * 2
    blocks.choose_scale(s, effect, not any(value <= 0 for value in raw))
    return Session(s, raw, drift.Figure([numbers.log(value) for value in raw] if s.relative else raw, s.figure.effect))


def session_row(f: Session, seconds: Callable[[float], float]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The row of the result, and that for people. seconds: from the start of the run to the end of a block."""
    d, blocks_n, unit = f.figure, len(f.raw), '%' if f.of.relative else f.of.unit
    grows = d.word == drift.GROWS
    begin = drift.find_begin(f.raw) if grows else drift.Begin()
    before = after = max(1, blocks_n // 8)
    if grows:
        before = min(before, begin.block)
        after = min(after, blocks_n - begin.block) if begin.step else after
    first, last = drift.mean(f.raw[:before]), drift.mean(f.raw[blocks_n - after:])
    word = ('not decided', 'does not grow', 'grows', 'comes and goes')[d.word]
    row = {'figure': f.of.metric, 'unit': f.of.unit, 'verdict': word, 'told_by': d.told_by if grows else None,
           **reals(4, first=first, last=last, change=f.said(d.change), low=f.said(d.low), high=f.said(d.high), end=f.said(d.end)),
           'change_unit': unit, 'effect': real(f.said(d.effect), 4), 'p': real(d.p, 6),
           **reals(1, told_s=seconds(d.told) if d.told else nan, returned_s=seconds(d.returned) if d.returned else nan,
                   since_s=seconds(begin.block) if grows else nan),
           **reals(4, step=begin.growth if grows and begin.step else nan,
                   per_hour=begin.growth * 3600 / (seconds(1) - seconds(0)) if grows and not begin.step else nan)}
    change = '-' if isnan(d.change) else words.number(f.said(d.change))
    return row, (f'  {f.of.metric}', words.number(first), f'{words.number(last)} {f.of.unit}', f'{change} {unit}', word)


def judged(f: Session, place: int, metrics: str | None) -> bool:
    """The metrics of --metrics, or the first of the table, say what is said of the session."""
    return verdict.wanted(f.of, Question(metrics)) if metrics else not place


def judge_session(t: Table, file: str, given: Given, effect: Effect) -> int:
    warmup, block_ns = int(given['warmup']), int(given['drift'])
    count = count_blocks(t, warmup)
    if not count:
        raise Stop(f'{file}: no block after the warm-up has a metric')
    sessions = [place_values(s, warmup, count, effect) for s in t.series]
    drift.decide([f.figure for f in sessions], given['alpha'] / 100)
    word = drift.combine([f.figure for i, f in enumerate(sessions) if judged(f, i, given['metrics'])])
    out = Report('judge', given)

    def seconds(block: float) -> float:
        return (block + warmup) * block_ns / 1e9

    rows = [session_row(f, seconds) for f in sessions]
    grown = [(row['since_s'], f) for f, (row, _) in zip(sessions, rows) if f.figure.word == drift.GROWS]
    first = min(grown, key=lambda one: float(one[0]))[1] if grown else None
    out.settings = {'file': file, 'effect': given['effect'], 'alpha_percent': real(given['alpha'], 3), 'warmup': real(warmup, 0)}
    out.summary = ('not decided', 'not slower', 'slower', 'comes and goes')[word]
    out.result = {'verdict': out.summary, 'moved_first': first.of.metric if first else None, 'blocks': count,
                  'blocks_needed': drift.BLOCKS_LEAST, 'block_s': real(block_ns / 1e9, 3), 'seconds': real(seconds(count), 1),
                  'figures': [row for row, _ in rows]}
    if count < drift.BLOCKS_LEAST:
        out.warn(f'{words.counted(count, "block")} after the warm-up: nothing is decided with fewer than {drift.BLOCKS_LEAST}')
    out.main_table = 'figures'
    table = out.table('lrrrl', '  figure', 'at first', 'at last', 'second half', '')
    for f, (_, cells) in zip(sessions, rows):
        table.row(*cells, rank=2 if f.figure.word == drift.GROWS else f.figure.word == drift.RETURNS)
    out.close()
    return WORSE if word == drift.GROWS else OK if word == drift.NONE else LOSSY


# --- how many users? ----------------------------------------------------------------------------------------------

def criterion_row(s: search.Search, c: search.Criterion) -> dict[str, Any]:
    b, every = search.find_bounds(s, c, False), search.find_bounds(s, c, True)
    end = search.find_end(s, b.bad)
    return {'criterion': c.name, 'resource': end.resource if end else '', 'ended': end.ended if end else '',
            'reached': b.bad > 0 and not (end and end.resource == 'ssh connection'), 'users': b.good, 'beyond': b.bad,
            'users_all': min(every.good, b.good), 'untold': b.untold}


def judge_search(file: str, given: Given) -> int:
    try:
        criteria = search.parse_criteria(given['criteria'])
    except ValueError:
        raise Usage(f'--criteria {given["criteria"]}: such as p95:100ms,apdex:0.85') from None
    s = search.Search(criteria, given['most'], read_input(file, search.read, 'not a table of capacity-try/1'))
    out = Report('judge', given)
    users, unmeasured = search.choose_next(s), search.count_unmeasured(s)
    if unmeasured:
        out.warn(f'{words.counted(unmeasured, "measurement")} without a figure: not measured, so they do not count')
    if users:
        out.summary = f'measure {words.counted(users, "user")} next'
    out.settings = {'file': file, 'criteria': given['criteria'], 'most': given['most']}
    rows = [criterion_row(s, c) for c in criteria]
    out.result = {'next': users or None, 'not_measured': unmeasured, 'limits': rows}
    out.main_table = 'limits'
    table = out.table('lr', '  criterion', 'most users')
    for row in rows:
        table.row(f'  {row["criterion"]}', words.count(row['users']))
    out.close()
    return LOSSY if users or unmeasured else OK


# --- limits, and claims -------------------------------------------------------------------------------------------

def limit_row(l: limits.Limit, word: str) -> dict[str, Any]:
    counts = {name: l.words.count(w) for w, name in enumerate(('holds', 'broken', 'open', 'range', 'absent'))}
    return {'op': l.op, 'verdict': word, 'bound': real(l.bound, 6), **counts, 'worst': l.nearest(limits.ABSENT),
            'doubtful': l.doubtful(), 'leans_to_break': l.leans_to_break()}


def judge_limits(file: str, given: Given) -> int:
    doubt = given['doubt']
    found = read_input(file, lambda stream: limits.read(stream, bool(given['range-breaks']), bool(doubt)),
                       'not a table of limits (schema limits/1; see thinprobe help judge)')
    if not found:
        raise Stop(f'{file}: no limit')
    out = Report('judge', given)
    said = [l.conclude() for l in found]
    word = next((w for w in (limits.BROKEN, limits.OPEN) if w in said), limits.HOLDS)
    out.summary = LIMIT_VERDICTS[word]
    out.main_table = 'limits'
    out.result = {'limits': [limit_row(l, LIMIT_VERDICTS[w]) for l, w in zip(found, said)], 'verdict': out.summary, 'doubt': doubt}
    table = out.table('lrl', '  limit', 'figures', '')
    for l, w in zip(found, said):
        table.row(f'  {l.op} {words.number(l.bound)}', words.count(len(l.figures)), LIMIT_VERDICTS[w])
    out.close()
    return {limits.HOLDS: OK, limits.BROKEN: WORSE}.get(word, LOSSY)


def rule_rows(claims: Sequence[decide.Claim]) -> list[dict[str, Any]]:
    """Of each figure of a paper that the claims are about, the word of its rules."""
    said = ('as then', 'as then, smaller', 'no longer', 'cannot tell')
    groups = ((of, decide.rules(list(group))) for of, group in groupby(claims, key=lambda c: c.of) if of)
    return [{'of': of, 'verdict': said[word], 'by': said[by]} for of, (word, by) in groups]


def judge_claims(file: str, given: Given) -> int:
    decided = read_input(file, lambda stream: list(decide.read(stream)), 'not a table of claims/1, a figure that is no number, '
                         'a claim of no known kind, or one apart from others of its rule')
    claims = [c for c, _ in decided]
    lines = decide.lines(claims)
    answers = [lines.get(i, answer) for i, (_, answer) in enumerate(decided)]
    out = Report('judge', given)
    said = [('cannot tell', 'holds', 'fails')[a.word] for a in answers]
    out.main_table = 'claims'
    out.result = {'claims': [{'kind': c.kind, 'verdict': word, **reals(9, value=a.value, low=a.low, high=a.high)}
                             for c, a, word in zip(claims, answers, said)],
                  'figures': rule_rows(claims)}
    table = out.table('lrl', '  claim', 'value', '')
    for c, a, word in zip(claims, answers, said):
        table.row(f'  {c.kind}', '-' if isnan(a.value) else words.number(a.value), word)
    out.close()
    return OK


def report_starts(given: Given, effect: Effect) -> int:
    """Of the medians of all conditions, which share half of alpha."""
    out, starts = Report('judge', given), given['starts']
    size = log1p(effect.relative) if effect.relative > 0 else effect.time_ms
    scatter = sequential.scatter_most(starts, size, given['alpha'] / 200 / given['conditions'])
    said, unit = (100 * numbers.expm1(scatter), '%') if effect.relative > 0 else (scatter, 'ms')
    out.result = {'starts': starts, 'scatter_percent' if unit == '%' else 'scatter_ms': real(said, 2)}
    text = words.counted(starts, 'start')
    out.say(f'{text} decide nothing: too few' if isnan(scatter) else
            f'{text} decide {given["effect"]} in the median, if starts scatter by at most {words.number(said)} {unit}')
    out.close()
    return LOSSY if isnan(scatter) else OK


def refuse_foreign(given: Given) -> None:
    """Ends the program if two things are asked, or an option belongs to another."""
    modes = [mode for mode in ('claims', 'criteria', 'drift', 'limits', 'runs') if given[mode]]
    if len(modes) > 1:
        raise Usage('--claims, --criteria, --drift, --limits and --runs: choose one')
    asked = modes[0] if modes else 'starts' if given['starts'] else 'blocks'
    other = given.foreign(asked)
    if other:
        raise Usage(f'--{other.name} is for {other.of}, not for {asked}')


def main(argv: list[str]) -> int:
    given = parse(argv, 'judge BLOCKS [options]',
                  'Decides whether B is better than A, from paired blocks; with --drift, whether a session gets slower.', OPTIONS)
    given.values = DEFAULTS | given.values
    effect = parse_effect(given['effect'], given['points'])
    refuse_foreign(given)
    if given['starts'] and not given.operands:
        return report_starts(given, effect)
    if not given.operands:
        raise Usage('which blocks? a file, or - for standard input')
    given.refuse_operands(1)
    file = given.operands[0]
    if given['criteria']:
        return judge_search(file, given)
    if given['claims']:
        return judge_claims(file, given)
    if given['limits']:
        return judge_limits(file, given)
    if given['starts']:
        raise Usage('--starts needs no file: leave out the file, or --starts')
    return judge_blocks(file, given, effect)
