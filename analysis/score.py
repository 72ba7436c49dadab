# SPDX-License-Identifier: GPL-3.0-or-later
"""score - how users judge latencies: published models (models.py) side by side, from one file of samples."""
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import Any, BinaryIO

from analysis import figures, models, report, tables, words
from analysis.command import Given, Option, Stop, Usage, open_input, parse, real
from analysis.figures import Figure, Sample, Statistic
from analysis.models import Answer
from analysis.report import Report
from analysis.tables import KEY_COLUMNS, BadLine

MODELS = ('perception', 'tolia', 'apdex', 'wu', 'vsimax')
UNIT_MS = {'ns': 1e-6, 'us': 1e-3, 'ms': 1.0, 's': 1e3}
USUAL = ('answer_ns', 'elapsed', 'latency_ms', 'response_ms', 'r_ms', 'latency_ns')  # columns of latencies
LONGEST_MS = 1e12  # 64 bits hold so many nanoseconds
HELD_WORDS = 'Number of samples in transaction : '  # JMeter's; a number follows
HELD = re.compile(HELD_WORDS + r'\s*[+-]?0*[1-9]')
OPTIONS = (
    Option('model', 'word', 'rule to apply (all)', words=('all', *MODELS)),
    Option('column', 'text', 'column of the latency (answer_ns - due_ns, elapsed, latency_ms, ...)', meta='NAME'),
    Option('unit', 'word', 'unit of this column (by the end of its name)', words=tuple(UNIT_MS)),
    Option('users', 'text', 'column of active users (allThreads or users)', of='vsimax', meta='NAME'),
    Option('from', 'int', "only keys due from this time on, by the log's clock", low=0, high=9e18, meta='NS'),
    Option('to', 'int', 'only keys due until this time', low=0, high=9e18, meta='NS'),
    Option('thresholds', 'file', "table of the rules' numbers (data/thresholds.tsv)"),
    Option('threshold', 'time', 'samples longer than this are late (from --thresholds)', low=1, high=1e15, of='perception'),
    Option('target', 'time', 'T of Apdex (from --thresholds)', low=1, high=1e15, of='apdex'),
    Option('expected', 'time', "T of Wu's rule (from --thresholds)", low=0, high=1e15, of='wu'),
    Option('beta', 'real', "exponent of Wu's rule (from --thresholds)", low=0, high=100, of='wu'),
    *report.OPTIONS,
)


# --- samples ------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Samples:
    """The latencies of a table, in the order of the file, and what was passed over."""
    name: str
    answers: list[Answer] = field(default_factory=list)
    passed: int = 0  # rows left out: without a latency, of a warm-up, or due outside --from and --to
    empty: int = 0  # those of them without a latency, the first in line empty_line
    empty_line: int = 0
    ranged: int = 0
    transactions: int = 0  # rows of JMeter's transactions
    unwatched: int = 0  # sent, and nothing else is known
    disordered: bool = False  # a row ended before an earlier row of the table began
    began: float = 0  # latest begin so far


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a row has what; -1: nowhere."""
    at: int
    unit_ms: float
    keys: tuple[int, ...]  # of the times of a key; (): the column at `at` is the latency
    success: int
    users: int
    stamp: int


def find_columns(header: Sequence[str], given: Given) -> Columns:
    column, users_name = given['column'], given['users']
    names = [column] if column else USUAL
    name = next((n for n in names if n in header), None)
    if name is None:
        raise BadLine('the header has no such --column' if column else
                      'no column of the header is known to be a latency; --column NAME', 1)
    if not column and name == 'answer_ns' and 'due_ns' not in header:
        raise BadLine('answer_ns is a time of the clock where due_ns is missing; --column answer_ns, '
                      'if it is the latency itself', 1)
    keys = tuple(tables.find(header, c) for c in KEY_COLUMNS) if name == 'answer_ns' and 'due_ns' in header else ()
    unit = UNIT_MS[given['unit']] if given['unit'] else 1.0 if name == 'elapsed' else tables.time_unit(name) / 1e6
    if not keys and (given['from'] or (given['to'] or 0) > 0):
        raise BadLine('--from and --to select keys by due_ns, which the header lacks', 1)
    if not unit > 0:
        raise BadLine("no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit", 1)
    users = tables.find(header, users_name or 'allThreads')
    if users < 0 and not users_name:
        users = tables.find(header, 'users')
    if users < 0 and users_name:
        raise BadLine('the header has no such --users', 1)
    success = tables.find(header, 'success')
    try:
        tables.refuse_repeated(header, (tables.find(header, name), success, users, *keys))
    except BadLine as bad:
        raise BadLine(str(bad), 1) from None
    stamp = tables.find(header, 'due_ns' if keys else 'timeStamp') if keys or name == 'elapsed' else -1
    return Columns(tables.find(header, name), unit, keys, success, users, stamp)


def number(cell: str) -> float:
    """NaN: not a number."""
    try:
        return real(cell)
    except (ValueError, OverflowError):
        return nan


def read_key_row(cells: Sequence[str], c: Columns, span: tuple[int, float], s: Samples) -> tuple[float, float, bool] | None:
    """(early, late, later) in ns. None: passed over."""
    try:
        key = tables.read_key([cells[i] if i >= 0 else None for i in c.keys])
        unwatched = bool(not key.answer_ns and not key.censored_ns and key.sent_ns)
        if unwatched:  # answered no earlier than it was sent
            key = key._replace(censored_ns=key.sent_ns)
        early, late = tables.latency(key, False), tables.latency(key, True)
        if early and late and late.ns < early.ns:
            raise ValueError
    except ValueError:
        raise BadLine('not the times of a key') from None
    skipped = bool(key.skipped) or not span[0] <= key.due_ns <= span[1]
    if not early or not late or skipped:
        s.passed += 1
        s.empty += not skipped
        return None
    s.unwatched += unwatched
    return early.ns, late.ns, late.bound


def read_plain_row(cells: Sequence[str], c: Columns, s: Samples) -> tuple[float, float, bool] | None:
    text = cells[c.at]
    if not text:
        s.passed += 1
        s.empty += 1
        return None
    value = number(text)
    if not value >= 0:
        raise BadLine('not a latency')
    return value, value, False


def read_row(cells: Sequence[str], c: Columns, span: tuple[int, float], s: Samples) -> None:
    got = read_key_row(cells, c, span, s) if c.keys else read_plain_row(cells, c, s)
    if not got:
        return
    early, late, later = got
    began = number(cells[c.stamp]) if c.stamp >= 0 else nan
    if isfinite(began):
        s.disordered = s.disordered or began + late < s.began
        s.began = max(s.began, began)
    if late * c.unit_ms > LONGEST_MS:
        raise BadLine('a latency of more than 30 years: is --unit right?')
    success = cells[c.success].lower() if c.success >= 0 else 'true'
    if success not in ('true', 'false'):
        raise BadLine('success is neither true nor false')
    users = number(cells[c.users]) if c.users >= 0 and cells[c.users] else nan
    if c.users >= 0 and cells[c.users] and not users >= 0:
        raise BadLine('not a number of users')
    # rounded to whole ns: a latency exactly at a threshold stays there, whatever its unit
    early_ms, late_ms = (models.half_away(v * c.unit_ms * 1e6) / 1e6 for v in (early, late))
    s.answers.append(Answer(early_ms, late_ms, later, success == 'false', users))
    s.transactions += bool(HELD.match(next((cell for cell in cells if cell.startswith(HELD_WORDS)), '')))
    s.ranged += late > early


def read_samples(stream: BinaryIO, given: Given) -> Samples:
    table = tables.read_table(stream)
    columns = find_columns(table.header, given)
    s = Samples(table.header[columns.at] + (' - due_ns' if columns.keys else ''))
    span = (given['from'] or 0, inf if given['to'] is None else given['to'])
    for line, cells in table.rows:
        empty = s.empty
        try:
            read_row(cells, columns, span, s)
        except BadLine as bad:
            raise BadLine(str(bad), line) from None
        if s.empty and not empty:
            s.empty_line = line
    return s


def load_samples(file: str, given: Given) -> Samples:
    with open_input(file) as stream:
        try:
            s = read_samples(stream, given)
        except BadLine as bad:
            raise bad.stop(file) from None
        except OSError as e:
            raise Stop(f'cannot read {file}: {e.strerror}') from None
    if len(s.answers) == s.unwatched:
        raise Stop(f'{file}: no latencies')
    return s


def load_limits(given: Given) -> models.Limits:
    path = given['thresholds'] or os.path.join(os.path.dirname(__file__), '../data/thresholds.tsv')
    try:
        with open(path, 'rb') as stream:
            limits = models.read_limits(tables.read_schema(stream, 'thresholds/1', ('name', 'value', 'source'), 3))
    except OSError as e:
        raise Stop(f'cannot read {path}: {e.strerror}; --thresholds FILE') from None
    except BadLine as bad:
        raise Stop(f'{path}: {bad}') from None
    for key, name in (('threshold', 'perception'), ('target', 'apdex_target'), ('expected', 'wu_expected')):
        if given[key] is not None:
            limits.value[name] = given[key] / 1e6
    if given['beta'] is not None:
        limits.value['wu_beta'] = given['beta']
    return limits


# --- one rule: into the tree, and as a row of the table for people ------------------------------------------------

Said = tuple[dict[str, Any], tuple[str, str, str]]


def late_share(s: Samples, l: dict[str, float]) -> Said:
    limit = l['perception']
    late = figures.between_ends(*(100 * models.late_share(s.answers, end, limit) for end in (False, True)))
    return ({'threshold_ms': report.real(limit, 3), **report.figures({'late_percent': late}, 4)},
            (f'  later than {words.number(limit)} ms', f'{words.figure(late)} %', 'perception'))


def tolia(s: Samples, l: dict[str, float]) -> Said:
    shares = models.tolia(s.answers, l)
    row = {f'{word}_percent': figures.between_ends(100 * least, 100 * most) for word, (least, most) in zip(models.TOLIA, shares)}
    likely = max(range(len(shares)), key=lambda c: (shares[c][0], -c))
    # which classes may be the largest
    possible = [c for c, (_, most) in enumerate(shares) if most > (0 if c == likely else shares[likely][0])]
    if len(possible) == 1:
        said = f'{words.figure(list(row.values())[likely])} %', models.TOLIA[likely]
    else:
        said = '-', f'cannot tell: mostly {models.TOLIA[possible[0]]} to {models.TOLIA[possible[-1]]}'
    return report.figures(row, 4), ('  Tolia', *said)


def apdex(s: Samples, l: dict[str, float]) -> Said:
    """Counts are by the late ends, which decide. Where the two ends have different words, the samples do not tell."""
    early, late = (models.apdex(s.answers, end, l) for end in (False, True))
    score = figures.between_ends(late.score, early.score)
    rating = models.apdex_word(l, late.score)
    if rating != models.apdex_word(l, early.score):
        rating = 'cannot tell'
    out = {'target_ms': report.real(l['apdex_target'], 3), 'satisfied': late.satisfied, 'tolerating': late.tolerating,
           'frustrated': late.frustrated, 'score': report.real(score.value, 4), 'rating': rating,
           'few_samples': len(s.answers) < l['apdex_few'], **report.bounds({'score': score})}
    name = f'  Apdex, T = {words.number(l["apdex_target"])} ms'
    if score.is_range():
        return out, (name, f'{models.round_apdex(score.start):.2f} to {models.round_apdex(score.end):.2f}',
                     f'{rating}: at least {late.satisfied} satisfied, at most {late.frustrated} frustrated')
    return out, (name, f'{models.round_apdex(late.score):.2f}',
                 f'{rating}: {late.satisfied} satisfied, {late.frustrated} frustrated')


def felt_delay(s: Samples, l: dict[str, float]) -> Said:
    early, late = (models.felt_delay(s.answers, end, l) for end in (False, True))
    is_open = any(a.later for a in s.answers)
    total, each = (figures.between(Statistic(a), Statistic(a if is_open else b, is_open)) for a, b in zip(early, late))
    row = {'felt_s': total, 'felt_mean_s': each}
    out = {'expected_ms': report.real(l['wu_expected'], 3), 'beta': report.real(l['wu_beta'], 3),
           'felt_s': report.figures({'felt_s': total}, 6)['felt_s'],
           'felt_mean_s': report.figures({'felt_mean_s': each}, 9)['felt_mean_s'], **report.bounds(row)}
    return out, (f'  Wu, T = {words.number(l["wu_expected"])} ms', f'{words.figure(total)} s', 'felt in total')


def vsimax(s: Samples, l: dict[str, float]) -> Said:
    v, late = (models.vsimax(s.answers, end, l) for end in (False, True))
    # samples without an answer, or that failed, may change the baseline or reach the limit
    unsure = v.known and (s.disordered or late.base > models.NEVER / 100 or late.reached != v.reached
                          or (v.reached and late.users != v.users))
    users = nan if unsure else v.users
    out = {'base_ms': report.real(v.base, 3), 'limit_ms': report.real(v.limit, 3), 'average_ms': report.real(v.last, 3),
           'reached': v.reached if v.known and not unsure else None, 'users': report.real(users, 0)}
    if unsure:
        return out, ('  VSImax', '-', 'cannot tell: samples '
                     + ('are not in the order of time' if s.disordered else 'failed, or were not answered'))
    if v.known:
        return out, ('  VSImax', words.count(int(models.half_away(min(users, 1e15)))) if v.reached else 'not reached',
                     f'{words.number(v.base)} ms without load, limit {words.number(v.limit)} ms')
    return out, ('  VSImax', '-', 'needs a column of users, and more samples')


RULES = {'perception': late_share, 'tolia': tolia, 'apdex': apdex, 'wu': felt_delay, 'vsimax': vsimax}


# --- the report ---------------------------------------------------------------------------------------------------

def quantiles(s: Samples) -> dict[str, Figure]:
    """Whatever the number of samples; the number stands beside them."""
    early, late = (sorted(int(models.half_away(v * 1e6)) for v in ends)
                   for ends in ([a.early_ms for a in s.answers], [a.late_ms for a in s.answers]))
    first = min((models.half_away(a.late_ms * 1e6) for a in s.answers if a.later), default=inf)
    ends = Sample(early), Sample(late, first)
    unsorted = [Sample([int(models.half_away(v * 1e6)) for v in values], c) for values, c in
                (([a.early_ms for a in s.answers], inf), ([a.late_ms for a in s.answers], first))]
    return {'mean': figures.between(figures.mean(unsorted[0]), figures.mean(unsorted[1])),
            **{name: figures.between(figures.quantile(ends[0], p), figures.quantile(ends[1], p))
               for name, p in (('p50', 0.5), ('p95', 0.95))},
            'max': figures.between(figures.maximum(ends[0]), figures.maximum(ends[1]))}


def warnings(s: Samples, few: float) -> Iterator[str]:
    n, later, failed = len(s.answers), sum(a.later for a in s.answers), sum(a.failed for a in s.answers)
    if s.ranged:
        yield (f'{words.count(s.ranged)} of {words.count(n)} samples are ranges: limits are judged by their late ends; '
               'keyrepeat without --schedule types keys so that each answer can be told')
    if later:
        yield f'{words.count(later)} of {words.count(n)} samples were not answered: what rests on them is a lower bound'
    if failed:
        yield (f'{words.count(failed)} of {words.count(n)} samples failed: but for Apdex and VSImax, their times count as those of '
               'answers')
    if 0 < s.transactions < n:
        yield f'{words.counted(s.transactions, "row")} of transactions count beside those of their samples: leave one of both out'
    if s.empty:
        yield f'{words.counted(s.empty, "row")} without a latency left out, the first in line {s.empty_line}'
    if n < few:
        yield f'only {n} samples: too few for a score (Apdex asks for {few:.0f})'


def main(argv: list[str]) -> int:
    given = parse(argv, 'score SAMPLES [options]', 'Rates latencies in a file of samples by published rules.', OPTIONS)
    if not given.operands:
        raise Usage('which samples? a file, or - for standard input')
    given.refuse_operands(1)
    model = given['model'] or 'all'
    foreign = None if model == 'all' else given.foreign(model)
    if foreign:
        raise Usage(f'--{foreign.name} is not of model {model}')
    if given['to'] is not None and (given['from'] or 0) > given['to']:
        raise Usage('--from is later than --to')
    limits = load_limits(given)
    s = load_samples(given.operands[0], given)
    out = Report('score', given)
    out.settings = {'file': given.operands[0], 'column': s.name}
    row = quantiles(s)
    out.result = {'samples': len(s.answers), 'passed_over': s.passed, 'later_than': sum(a.later for a in s.answers),
                  'failed': sum(a.failed for a in s.answers), 'ranged': s.ranged, 'latency_ms': report.figures(row, 3, 1e6)}
    out.say(f'{words.counted(len(s.answers), "sample")}: median {words.figure(row["p50"], 1e6)} ms, '
            f'95 % within {words.figure(row["p95"], 1e6)} ms, longest {words.figure(row["max"], 1e6)} ms')
    for text in warnings(s, limits.value['apdex_few']):
        out.warn(text)
    table = out.table('lrl', '  rule', 'score', '')
    for name in MODELS if model == 'all' else (model,):
        tree, cells = RULES[name](s, limits.value)
        out.result[name] = {**tree, 'source': limits.source[name]}
        table.row(*cells)
    out.close()
    return 0
