# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports of schemes beside several kinds of job share."""
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis import words
from analysis.amounts import Amount, Row, Rows, Text, amount, exceeds, interval_words, span
from analysis.page import Finding
from analysis.run import Run, distinct

JOBS = {'parallel': 'the parallel job', 'quanta': 'the job of short CPU bursts', 'bursts': 'the job of bursts',
        'pipes': 'pipelines'}
VAMPS = tuple(f'{place}{ratio}{isolated}' for isolated in ('', '+iso', '+iso-irq') for ratio in 'LMH'
              for place in ('', 'host', 'vm'))
ORDINARY = ('baseline', 'alone', 'autogroup', 'nice')  # without vamp


def job_words(job: str) -> str:
    return JOBS.get(job, job)


def scheme_names(alone: str) -> dict[str, str]:
    vamps = {name: f'vamp {name}' for name in VAMPS}
    return {'alone': alone, 'baseline': 'baseline', 'autogroup': 'autogroups', 'nice': 'nice 19', **vamps}


# --- several kinds of job: each stands by itself, as what is true beside one need not be beside another -------------

def jobs(run: Run) -> list[str]:
    return [job for job in distinct(row.get('job') for row in run.table('summary')) if job != 'none']


def first_job(run: Run) -> str | None:
    return next(iter(jobs(run)), None)


def only(run: Run, job: str) -> Run:
    return replace(run, tables={**run.tables, 'summary': [row for row in run.table('summary') if row.get('job') in (job, 'none')]})


def verdicts(run: Run, one: Callable[[Run], str]) -> str:
    found = jobs(run)
    return one(run) if len(found) < 2 else ' '.join(f'Beside {job_words(job)}: {one(only(run, job))}' for job in found)


def of_jobs(run: Run, some: Callable[[Run], list[Finding]]) -> list[Finding]:
    found = jobs(run)
    return some(run) if len(found) < 2 else [
        replace(f, id=f'{f.id}-{job}' if i else f.id, text=f'Beside {job_words(job)}: {f.text}')
        for i, job in enumerate(found) for f in some(only(run, job))]


def no_figure(run: Run, columns: Sequence[str], text: Callable[[Row], str]) -> str:
    """The conditions without any of these figures, such as those that failed."""
    rows = run.table('summary')
    absent = [text(row) for row in rows if all(row.get(c) is None for c in columns)]
    return f' No figure for {words.and_list(absent)}.' if 0 < len(absent) < len(rows) else ''


# --- schemes beside the same job ------------------------------------------------------------------------------------

def scheme(rows: Rows, name: str) -> dict[str, Any] | None:
    return next((row for row in rows if row.get('scheme') == name), None)


def has_interval(row: Row, name: str) -> bool:
    """Comparing takes three repeats: two have no interval."""
    return (row.get('repeats') or 0) >= 3 and row.get(f'{name}_low') is not None


def fixed2(value: float | None) -> str:
    return words.fixed(value, 2)


def ends_words(row: Row, name: str, text: Text = fixed2) -> str:
    """ (95 % CI 0.99 to 1.11)"""
    return interval_words(row.get(f'{name}_low'), row.get(f'{name}_high'), '', text)


def compare(row: Row, other: Row | None, name: str, more: str, less: str) -> str:
    """more: the row's whole interval is above that of the other one; less: below; or "none", "unsure"."""
    if other is None or not has_interval(row, name) or not has_interval(other, name):
        return 'unsure'
    a, b = (span(figure.low, figure.high) for figure in (amount(row, name), amount(other, name)))
    return more if exceeds(a, b) is True else less if exceeds(b, a) is True else 'none'


def episodes(run: Run) -> Sequence[Mapping[str, Any]]:
    """What vamp said of itself in each session with any waiting."""
    return [one for one in run.facts.get('vamp') or [] if (one.get('episodes') or 0) > 0]


def vamp_found(run: Run, vamp: str, more: str = '') -> Finding | None:
    """Over all sessions but those of a host's schemes, whose reports name no programs. more: what else, of its reports."""
    found = episodes(run)
    if not found:
        return None
    host = distinct(row['scheme'] for row in run.measured() if row['scheme'].startswith('host'))
    waits, hits = (sum(one.get(name) or 0 for one in found) for name in ('episodes', 'found'))
    names = [name for one in found for name in one['others']]
    others = [f'{name} ({names.count(name)})' for name in sorted(set(names))]
    text = (f'**{vamp} found the background job in {words.plain(hits)} of {words.plural(waits, "episode")} of waiting**'
            + (f' (all figures here without {words.and_list(host)}, for which they are not known)' if host else '')
            + (f', and throttled {words.and_list(others)} as well' if others else ' and throttled nothing else'))
    cpu = max((one['daemon_cpu_percent'] for one in found if one.get('daemon_cpu_percent') is not None), default=None)
    return Finding('vamp', f'{text}{more}. Vamp itself used at most {words.with_unit(cpu, "%")} of a CPU.',
                   Amount(100 * hits / waits, unit='%'), 'good' if hits == waits and not others else 'unsure')
