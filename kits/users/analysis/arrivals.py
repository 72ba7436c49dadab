# SPDX-License-Identifier: GPL-3.0-or-later
"""arrivals - do requests arrive like those of many independent users? Tests the coefficient of variation of the times between them,
and four other properties. logs.py reads logs, poisson.py tests and makes rows for a plot."""
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import nan, sqrt
from typing import Any

from analysis import logs, poisson, report, tables, words
from analysis.command import OK, Given, Option, Stop, Usage, nanoseconds, open_input, parse
from analysis.gap_nulls import simulate, spread_of
from analysis.logs import Log
from analysis.poisson import BAND, FEWEST, LEVEL, Tick, Verdict, plot_row
from analysis.report import Report, reals
from analysis.splitmix import fractions
from analysis.tables import UNITS, BadLine

WHERE = 8  # most conditions
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # of numbers of sources, times powers of ten


def read_warmup(text: str) -> tuple[int, int]:
    """2m,3m: time to cut off at the beginning and at the end; 2m: only at the beginning."""
    head, _, tail = text.partition(',')
    if len(text.encode(errors='surrogateescape')) >= 64:
        raise ValueError
    after = nanoseconds(tail) if ',' in text else 0
    return nanoseconds(head), after


def read_where(text: str) -> tuple[str, str]:
    name, equals, value = text.partition('=')
    if not name or not equals:
        raise ValueError
    return name, value


OPTIONS = (
    Option('input-format', 'word', 'format of the log (auto)', of='log', words=logs.KINDS),
    Option('column', 'text', 'column of the arrival time (timeStamp, start_ns, sent_ns, ...)', of='log', meta='NAME'),
    Option('unit', 'word', 'unit of this column (by the end of its name)', of='log', words=tuple(UNITS)),
    Option('where', 'call', 'only rows with this value; may be repeated', of='log', read=read_where, meta='COLUMN=VALUE',
           many=WHERE),
    Option('warmup', 'call', 'leave out these times at the beginning and at the end (0,0)', of='log', read=read_warmup,
           meta='TIME[,TIME], such as 2m,3m'),
    Option('interval', 'time', 'count arrivals in intervals of this length (ten arrivals on average)', low=1, high=1e18),
    Option('tick', 'time', "resolution of the log's times (inferred from the times)", low=1, high=1e12, of='log'),
    Option('sources', 'text', "column of the requests' sources, for the coefficient of variation by number of sources", of='log',
           meta='NAME'),
    Option('sample', 'int', 'instead of a log: this many random arrivals within a second', low=2, high=1e7, meta='N'),
    Option('rows', 'file', 'write rows for a plot'),
    Option('seed', 'int', 'seed of --sample and of random places within a tick (1)', low=0, high=9e18),
    *report.OPTIONS,
)


# --- arrivals -----------------------------------------------------------------------------------------------------

def load_log(file: str, given: Given) -> Log:
    asked = logs.Question(given['input-format'] or 'auto', given['column'], UNITS.get(given['unit'] or '', 0), given['sources'],
                          given['where'] or ())
    with open_input(file) as stream:
        try:
            log = logs.read_log(stream, asked)
        except BadLine as bad:
            raise bad.stop(file) from None
        except OSError as e:
            raise Stop(f'cannot read {file}: {e.strerror}') from None
    if log.kind == 'clf' and (given['column'] or given['unit'] or given['where']):
        raise Usage('the Common Log Format has no columns: no --column, --unit, --where')
    if len(log.times_ns) < 2:
        raise Stop(f'{file}: {len(log.times_ns)} arrivals; at least two are needed')
    return log


def draw_sample(n: int, seed: int) -> Log:
    """Arrivals of a Poisson process: given their number, they are independent and uniformly distributed."""
    return Log('', times_ns=array('q', (int(share * 1e9) for share in islice(fractions(seed), n))))


def cut_warmup(log: Log, file: str | None, head_ns: int, tail_ns: int) -> int:
    """Leaves out arrivals within the times of --warmup; the first time of the log before the cut."""
    first, last = min(log.times_ns), max(log.times_ns)
    if head_ns > 0 or tail_ns > 0:
        inside = [time - first >= head_ns and last - time >= tail_ns for time in log.times_ns]
        if log.sources:
            log.sources = array('I', (source for source, keep in zip(log.sources, inside) if keep))
        log.times_ns = array('q', (time for time, keep in zip(log.times_ns, inside) if keep))
    if len(log.times_ns) < 2:
        raise Stop(f'{file}: only {len(log.times_ns)} arrivals left after --warmup; at least two are needed: skip less')
    return first


# --- the report ---------------------------------------------------------------------------------------------------

def from_zero(low: float) -> float:
    """An end of a range of coefficients of variation, which are never below 0; NaN stays."""
    return 0.0 if low < 0 else low


def test_figures(log: Log, v: Verdict, tick_ns: int) -> dict[str, Any]:
    band = BAND / sqrt(v.n) if v.n else nan
    p = {name: v.p.get(name, nan) for name in poisson.TESTS}
    return {
        'arrivals': len(log.times_ns), 'n': v.n, 'passed_over': log.passed, 'transactions': log.transactions,
        **reals(6, span_s=v.span_s, rate_per_s=1 / v.mean_s, tick_ms=tick_ns / 1e6), 'ties': v.ties,
        **reals(3, ties_expected=v.ties_expected), 'gaps_told': v.gaps_told,
        **reals(6, mean_ms=v.mean_s * 1000, sd_ms=v.sd_s * 1000, cov=v.cov, cov_low=from_zero(v.cov - band), cov_high=v.cov + band,
                band=band, cov_p=p['cov'], ks=v.ks, ks_p=p['ks'], interval_ms=v.interval_s * 1000), 'intervals': v.intervals,
        **reals(6, dispersion=v.dispersion, dispersion_p=p['dispersion'], lag1=v.lag1, lag1_p=p['lag1'], periodogram_peak=v.peak,
                periodogram_period_s=v.peak_period_s, periodogram_p=p['periodogram']), 'frequencies': v.frequencies,
        'tests': len(v.p), **reals(6, p=v.p_joint), 'rejected_by': list(v.rejected), 'poisson': v.poisson if v.told else None,
        'verdict': poisson.verdict_text(v), 'hint': poisson.hint(v)}


def say_verdict(out: Report, log: Log, v: Verdict, tick_ns: int) -> None:
    hint = poisson.hint(v)
    if hint:
        out.warn(hint)
    if not v.told:
        out.warn(poisson.verdict_text(v))
    if log.untimed:
        out.warn(f'left out: {words.counted(log.untimed, "row")} without a time')
    if log.transactions:
        out.warn(f'left out: {words.counted(log.transactions, "row")} of transactions, whose samples have rows, too')
    requests = f'{words.count(len(log.times_ns))} requests'
    if not v.mean_s > 0:
        out.say(f'{requests}, all at the same time')
        return
    band = BAND / sqrt(v.n)
    rate = f'{requests} in {words.time(v.span_s * 1e9)} ({words.number(1 / v.mean_s)}/s)'
    if not v.told:  # a CoV of a few gaps tells nothing
        out.say(rate)
        return
    out.say(f'{rate}; CoV of the gaps {v.cov:.2f} (random: {from_zero(1 - band):.2f} to {1 + band:.2f})' if v.gaps_told
            else f'{rate}; times in steps of {words.time(tick_ns)}: too coarse for gaps')
    out.say(f'Random arrivals (Poisson): plausible. None of {len(v.p)} tests rejects it at {100 * LEVEL:g} %.' if v.poisson
            else f'Random arrivals (Poisson): rejected at {100 * LEVEL:g} % by {", ".join(v.rejected)}.')
    if out.given['sample'] and not v.poisson:
        out.say('This is chance: the arrivals were drawn at random, and one in twenty such samples is rejected. Try another '
                '--seed.')


def source_counts(most: int) -> Iterator[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, ... and all."""
    counts = (int(step * 10 ** decade) for decade in range(11) for step in STEPS if step * 10 ** decade % 1 == 0)
    yield from (n for n in counts if n < most)
    if most:
        yield most


def add_sources(out: Report, log: Log, tick_ns: int, seed: int) -> Iterator[poisson.PlotRow]:
    """The coefficient of variation by number of sources: into the report, and as rows for a plot."""
    rows = out.result['by_sources'] = []
    table = None
    for s in source_counts(log.names):
        times = poisson.spread_times((t for t, source in zip(log.times_ns, log.sources) if source < s), tick_ns, seed)
        n = len(times) - 1
        if n < 2:
            continue
        if tick_ns > 1 and 2.0 * tick_ns * n > times[-1] - times[0]:
            break  # with more sources, gaps are shorter than half a tick
        f, band = spread_of([(b - a) / 1e9 for a, b in zip(times, times[1:])]), BAND / sqrt(n)
        rate = 1 / f.mean if f.mean else nan
        rows.append({'sources': s, 'n': n, **reals(6, rate_per_s=rate, cov=f.cov, cov_low=from_zero(f.cov - band),
                                                   cov_high=f.cov + band)})
        table = table or out.table('rrrl', '  sources', 'rate', 'CoV', 'random')
        table.row(str(s), f'{words.number(rate)}/s', words.number(f.cov), f'{from_zero(1 - band):.2f} to {1 + band:.2f}')
        yield plot_row('sources', s, f.cov, 1, from_zero(f.cov - band), f.cov + band)


def doubtful(v: Verdict, log: Log, tick: Tick, seed: int, nulls: Any) -> bool:
    """A rejection that may be the clock's: all times are whole multiples of a step longer than the tick, which may be the clock's
    resolution, and the tests do not reject with that step."""
    if not v.told or v.poisson or log.step_ns <= tick.ns:
        return False
    by_step = poisson.test_all(poisson.spread_times(log.times_ns, log.step_ns, seed), tick._replace(ns=log.step_ns), nulls)
    return not by_step.told or by_step.poisson


def settings(given: Given, file: str | None, log: Log, warmup: tuple[int, int], seed: int) -> dict[str, Any]:
    sample = given['sample']
    return {'file': file, 'sample': sample, 'input_format': None if sample else log.kind,
            'column': None if sample or log.kind == 'clf' else log.name,
            **reals(6, skip_head_s=warmup[0] / 1e9, skip_tail_s=warmup[1] / 1e9), 'sources': given['sources'], 'seed': seed}


def main(argv: list[str]) -> int:
    given = parse(argv, 'arrivals LOG | --sample N [options]',
                  'Tests whether requests arrive like those of many independent users.',
                  OPTIONS)
    sample, file = given['sample'], given.operands[0] if given.operands else None
    if file is None and not sample:
        raise Usage('which log? a file, or - for standard input')
    given.refuse_operands(not sample)
    foreign = given.foreign('sample') if sample else None
    if foreign:
        raise Usage(f'--{foreign.name} needs a log; --sample reads none')
    report.refuse_same_outputs(o=given['output'] or '-', rows=given['rows'])
    seed, warmup = 1 if given['seed'] is None else given['seed'], given['warmup'] or (0, 0)
    log = draw_sample(sample, seed) if sample else load_log(file or '', given)
    first = cut_warmup(log, file, *warmup)
    tick = Tick(given['tick'] or log.tick_ns, given['interval'] or 0)
    if given['tick']:
        log.step_ns = given['tick']
    # small numbers: spreading within a tick adds to them
    zero = first - first % tick.ns
    log.times_ns = array('q', (time - zero for time in log.times_ns))
    out = Report('arrivals', given)
    out.settings = settings(given, file, log, warmup, seed)
    plot = tables.open_rows(given['rows'])
    times = poisson.spread_times(log.times_ns, tick.ns, seed)
    nulls = simulate(len(times) - 1) if len(times) > FEWEST else None
    v = poisson.test_all(times, tick, nulls)
    if doubtful(v, log, tick, seed, nulls):
        v = poisson.withdrawn(v, log.step_ns)
    out.result = test_figures(log, v, tick.ns)
    say_verdict(out, log, v, tick.ns)
    rows: Iterable[poisson.PlotRow] = poisson.plot_rows(times, v)
    if given['sources']:
        out.main_table = 'by_sources'
        out.result['sources'] = log.names
        rows = chain(rows, list(add_sources(out, log, tick.ns, seed)))
    tables.write_rows(plot, given['rows'], 'arrivals/1', poisson.PLOT, rows)
    out.close()
    return OK
