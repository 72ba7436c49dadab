# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of launches found: is vamp worth having against doing nothing, against autogroups, and against nice by hand?"""
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import median
from typing import Any

from analysis import notes, words
from analysis.amounts import Amount, Row, Rows, amount, exceeds, in_words, interval_words, level, number, span
from analysis.draw import DOTTED, Axis, Curve, Drawing, Look, Mark, Panel, Place
from analysis.draw import level as level_curve
from analysis.notes import NO_BASELINE, NOTHING_MEASURED
from analysis.page import Finding, Labels, View
from analysis.run import Run, distinct
from experiments.families import favour
from experiments.families.favour import VAMPS, fixed2, job_words, jobs
from experiments.families.schemes import bars_of, beside, job_title, place_of, quanta, scheme_bars

COLUMNS = '''
table summary cells schema=launch/1
# column            heading                unit  source                                          estimator   decimals better
app                 Application            -     param                                           -           text     -
scheme              Scheme                 -     param                                           -           text     -
job                 Job                    -     param                                           -           text     -
include ../../../../experiments/families/state.py
launch_ms           Launch                 ms    cell.json:launch.launch_ms                      geomean+ci  3        lower
launch_rel          "To the baseline's"    -     cell.json:relative.launch                       geomean+ci  4        lower
mapped_ms           Window                 ms    cell.json:launch.mapped_ms                      mean        3        lower
paint_ms            "First paint"          ms    cell.json:launch.paint_ms                       mean        3        lower
p50_ms              "Key, median"          ms    keyrepeat.json:result.latency_from_due_ms.p50   range       3        lower
p75_ms              "Key, 75 %"            ms    keyrepeat.json:result.latency_from_due_ms.p75   range       3        lower
keys                Keys                   -     keyrepeat.json:result.latency_from_due_ms.n     sum         0        -
late_percent        Late                   %     keyrepeat.json:result.late_share_percent        range       2        lower
irq_first_percent   "Disk interrupts on CPU 0" %  cell.json:disk_irqs.first_percent               mean        1        -
decided_ms          "Throttled after"      ms    cell.json:launch.decided_ms                     median+ci   3        lower
job_bytes_per_s     "Job reads"            B/s   cell.json:job.bytes_per_s                       logmean+ci  0        higher
job_rel             "Job's time per unit"  -     cell.json:relative.job                          logmean+ci  4        lower
held_up_ms_max      "Watcher stood still, at most" ms  cell.json:held_up_ms             max         3        lower
client_percent_max  "Client took, at most" %     cell.json:client_percent                         max         3        lower
foreign_percent_max "Interference, at most" %    cell.json:foreign_percent                       max         3        lower
'''
TOO_FEW = 'Too few repeats to compare schemes (three are needed)'
MUCH = 1.2  # times as long as in the baseline that the job takes, of which it is bad to take more


def title(run: Run) -> str:
    return 'Launch of applications beside a job in the background'


def setup(run: Run) -> str:
    apps, beside_ = words.and_list(run.setting('apps', [])), words.and_list(list(map(job_words, run.setting('jobs', []))))
    threads = words.plural(run.setting('threads', 0), 'thread')
    return notes.sentence([f'{apps} beside {beside_} ({threads})', notes.repeats_words(run), notes.run_words(run)])


def scheme_words(scheme: str) -> str:
    return f'vamp {scheme}' if scheme in VAMPS else 'nice 19' if scheme == 'nice' else scheme


def with_scheme(scheme: str) -> str:
    return 'in the baseline' if scheme == 'baseline' else f'with {scheme_words(scheme)}'


def labels(run: Run) -> Labels:
    return Labels(value={'scheme': {scheme: scheme_words(scheme) for scheme in run.facts.get('schemes') or {}},
                         'job': {'none': '-'},
                         'app': {'keys': f'keys ({words.plain(run.setting("cost_ms", 0))} ms each)'}})


def launches(run: Run) -> Rows:
    return [row for row in run.measured() if row.get('launch_ms') is not None]


# --- two schemes, by the applications that both of them started -----------------------------------------------------

@dataclass(frozen=True, slots=True)
class Pair:
    """Rows of a scheme and of another one, of the same application and job. ratio: of their times; low and high: with the near
    and the far ends of their intervals."""
    app: str
    job: str
    x: Row
    y: Row
    ratio: float
    low: float | None = None
    high: float | None = None

    def key(self) -> tuple[str, str]:
        return self.app, self.job


@dataclass(frozen=True, slots=True)
class Together:
    """Of pairs the geometric means. shown: sooner, later, untold, or few (repeats); without: what the pairs lack."""
    ratio: float
    low: float | None
    high: float | None
    shown: str
    without: str

    def verdict(self) -> str:
        return {'sooner': 'good', 'later': 'bad'}.get(self.shown, 'unsure')

    def times_long(self) -> str:
        return f'{fixed2(self.ratio)} times as long (95 % CI {fixed2(self.low)} to {fixed2(self.high)})'

    def figure(self) -> Amount:
        return Amount(self.ratio, low=self.low, high=self.high)


@dataclass(frozen=True, slots=True)
class Best:
    """The ratio of vamp that starts applications soonest, isolated or not. of: how many it is the best of."""
    scheme: str
    of: int

    def words(self) -> str:
        return scheme_words(self.scheme) + (f' (the best of {self.of}, chosen by these launch times)' if self.of > 1 else '')


@dataclass(frozen=True, slots=True)
class Against:
    """Vamp's best against another scheme."""
    best: Best
    other: str
    all: Together

    def shown_words(self) -> str:
        how = {'sooner': 'launches sooner than', 'later': 'launches later than', 'untold': 'cannot be told from'}[self.all.shown]
        return f'{how} {"the baseline" if self.other == "baseline" else scheme_words(self.other)}{self.all.without}'

    def words(self) -> str:
        return f'{self.all.times_long()} as {with_scheme(self.other)}'


def geomean(values: Sequence[float | None]) -> float | None:
    known = [log(v) for v in values if v is not None]
    return exp(sum(known) / len(known)) if known and len(known) == len(values) else None


def make_pair(x: Row, y: Row) -> Pair:
    pair = Pair(x['app'], x['job'], x, y, x['launch_ms'] / y['launch_ms'])
    return replace(pair, low=x['launch_ms_low'] / y['launch_ms_high'], high=x['launch_ms_high'] / y['launch_ms_low']) if (
        favour.has_interval(x, 'launch_ms') and favour.has_interval(y, 'launch_ms')) else pair


def pairs(run: Run, a: str, b: str) -> list[Pair]:
    rows = launches(run)
    found = ((x, next((y for y in rows if y['scheme'] == b and y['app'] == x['app'] and y['job'] in (x['job'], 'none')), None))
             for x in rows if x['scheme'] == a)
    return [make_pair(x, y) for x, y in found if y]


def lacking(run: Run, found: Iterable[Pair]) -> str:
    """Of the run's launches beside a job those that the pairs lack: " (without writer)"."""
    rows = [row for row in run.table('summary') if row['app'] != 'keys' and row['job'] != 'none']
    absent = sorted({(row['app'], row['job']) for row in rows} - {pair.key() for pair in found})
    names = [f'{app} beside {job_words(job)}' if len(jobs(run)) > 1 else app for app, job in absent]
    return f' (without {words.and_list(names)})' if names else ''


def together(run: Run, found: Sequence[Pair]) -> Together:
    ratio, low, high = geomean([p.ratio for p in found]), geomean([p.low for p in found]), geomean([p.high for p in found])
    ends, same = span(low, high), number(1)
    shown = ('few' if low is None else 'sooner' if exceeds(same, ends) is True else 'later' if exceeds(ends, same) is True else
             'untold')
    return Together(ratio or 0, low, high, shown, lacking(run, found))


def best(run: Run) -> Best | None:
    """By the applications that all of them started. If there are none, no best is known: the one with the most applications."""
    tried = [(scheme, found) for scheme in VAMPS if (found := pairs(run, scheme, 'baseline'))]
    if not tried:
        return None
    common = set.intersection(*({pair.key() for pair in found} for _, found in tried))

    def rank(one: tuple[str, list[Pair]]) -> tuple[float, int]:
        return geomean([pair.ratio for pair in one[1] if pair.key() in common]) or 0, -len(one[1])

    return Best(min(tried, key=rank)[0], len(tried) if common else 1)


def against(run: Run, *others: str) -> list[Against]:
    one = best(run)
    return [] if one is None else [
        Against(one, other, together(run, found)) for other in others if (found := pairs(run, one.scheme, other))]


def compared(run: Run, *others: str) -> list[Against]:
    return [one for one in against(run, *others) if one.all.shown != 'few']


def plain_times(run: Run, schemes: Iterable[str]) -> str:
    """Mean times of the schemes' applications, as they are: nothing is compared."""
    rows = launches(run)
    return ', '.join(f'{row["app"]} {words.with_unit(row["launch_ms"], "ms")} {with_scheme(row["scheme"])}'
                     for scheme in schemes for row in rows if row['scheme'] == scheme)


def verdict_of(run: Run) -> str:
    one = best(run)
    if not launches(run):
        return NOTHING_MEASURED
    if favour.scheme(launches(run), 'baseline') is None:
        return NO_BASELINE
    if one is None:
        return 'No scheme with vamp was measured.'
    found = compared(run, 'baseline', 'autogroup', 'nice')
    if not found:
        return f'{TOO_FEW}. A launch took: {plain_times(run, ["baseline", "autogroup", "nice", one.scheme])}.'
    each = [f'{a.words()}{a.all.without}{", which cannot be told apart" if a.all.shown == "untold" else ""}' for a in found]
    return f'{words.upper_first(one.words())}: a launch takes {"; ".join(each)}.'


def verdict(run: Run) -> str:
    return verdict_of(run) + favour.no_figure(run, ['launch_ms', 'p50_ms'],
                                              lambda row: f'{row["app"]} {with_scheme(row["scheme"])}')


# --- findings -------------------------------------------------------------------------------------------------------

def beside_job(run: Run) -> tuple[Together, str] | None:
    """What the job does to launches without a scheme."""
    found = pairs(run, 'baseline', 'alone')
    if not found:
        return None
    t, worst = together(run, found), max(reversed(found), key=lambda pair: pair.ratio)
    return None if t.shown == 'few' else (
        t, f'With the background job, a launch takes {t.times_long()} as without it{t.without}; the longest is {worst.app} with '
        f'{level(worst.x, "launch_ms")} instead of {level(worst.y, "launch_ms")}.')


def baseline(run: Run) -> Finding | None:
    without, a = beside_job(run), next(iter(against(run, 'baseline')), None)
    if a is None:
        return None if without is None else Finding('baseline', f'**Baseline.** {without[1]}', verdict=without[0].verdict(),
                                                    figure='launch')
    if a.all.shown == 'few':
        return Finding('baseline', f'**{TOO_FEW}**. A launch took: {plain_times(run, ["alone", "baseline", a.best.scheme])}.',
                       verdict='unsure', figure='launch')
    text = f'**{words.upper_first(a.best.words())} {a.shown_words()}**: a launch takes {a.words()}.'
    return Finding('baseline', f'{text} {without[1]}' if without else text, a.all.figure(), a.all.verdict(), 'launch')


def today(run: Run) -> Finding | None:
    """What an administrator has already: the kernel's autogroups, and nice."""
    found = compared(run, 'autogroup', 'nice')
    if not found:
        return None
    return Finding('today', f'**{words.upper_first(found[0].best.words())} {words.and_list([a.shown_words() for a in found])}**: a '
                   f'launch takes {words.and_list([a.words() for a in found])}.', found[-1].all.figure(), found[-1].all.verdict(),
                   'launch')


def job(run: Run) -> Finding | None:
    rows = [row for row in launches(run) if row.get('job_rel') is not None and row['scheme'] != 'baseline']
    paid: list[tuple[str, float, float | None, float | None]] = []
    for scheme in sorted({row['scheme'] for row in rows}):
        mine = [row for row in rows if row['scheme'] == scheme]
        low, high = (geomean([row.get(c) if favour.has_interval(row, 'launch_ms') else None for row in mine])
                     for c in ('job_rel_low', 'job_rel_high'))
        paid.append((scheme, geomean([row['job_rel'] for row in mine]) or 0, low, high))
    if not paid:
        return None
    paid.sort(key=lambda one: one[1])
    _, most, low, high = paid[-1]
    each = ', '.join(f'{scheme_words(scheme)} {fixed2(rel)}{interval_words(a, b, "", fixed2)}' for scheme, rel, a, b in paid)
    much = exceeds(span(low, high), number(MUCH))
    return Finding('job', f"**Time of the background job per unit of work, in multiples of the baseline's mean**: {each}, while "
                   'applications are launched, each 1.5 s after the last one was closed. Intervals leave out the '
                   f"baseline's scatter.{f' {TOO_FEW}.' if low is None else ''}", Amount(most, low=low, high=high),
                   'unsure' if much is None else 'bad' if much else 'good', 'job')


def keys(run: Run) -> Finding | None:
    rows = [row for row in run.measured() if row['app'] == 'keys'
            and (amount(row, 'p50_ms').is_known() or amount(row, 'p50_ms').why is not None)]
    base = favour.scheme(rows, 'baseline')
    if base is None:
        return None
    others = [f', {level(row, "p50_ms")} with {scheme_words(row["scheme"])}' for row in beside(rows, base['job'])
              if row['scheme'] != 'baseline']
    return Finding('keys', f'**The median response to a key is {level(base, "p50_ms")} in the baseline**{"".join(others)}; '
                   f'{in_words(amount(base, "late_percent"))} of the keys take longer than {words.plain(run.threshold_ms())} ms in '
                   f'the baseline. The keys were typed right after a Return, beside {job_words(base["job"])}.',
                   amount(base, 'p50_ms'), 'none', 'keys')


def itself(run: Run) -> Finding | None:
    """A session's report counts from when vamp read the key; decided_ms is from the press, a median of each condition."""
    decided = [us for one in favour.episodes(run) for us in one['decided_us']]
    if not decided:
        return favour.vamp_found(run, 'vamp')
    pressed = [row['decided_ms'] for row in run.measured() if row.get('decided_ms') is not None]
    ends = distinct(words.with_unit(value, 'ms') for value in (min(pressed), max(pressed))) if pressed else []
    after = f', and {" to ".join(ends)} after the press (medians by condition)' if ends else ''
    middle, latest = (words.with_unit(us / 1000, 'ms') for us in (median(decided), max(decided)))
    return favour.vamp_found(run, 'vamp', f'; vamp throttled the job {middle} after the key (median; at most {latest}), counted '
                             f'from when vamp read it{after}')


def findings(run: Run) -> list[Finding]:
    return [f for make in (baseline, today, job, keys, itself) if (f := make(run))]


def views(run: Run) -> list[View]:
    return [View('main', 'summary', 'Launch, keys and what the job pays',
                 'scheme job launch_ms launch_rel job_rel p50_ms irq_first_percent? decided_ms', by='app')]


# --- figures --------------------------------------------------------------------------------------------------------

def most(rows: Rows, c: str) -> float:
    """The axis is for the values: it cuts intervals of few repeats."""
    return 1.35 * max((float(row[c]) for row in rows if row.get(c) is not None), default=1.0)


def baseline_marks(rows: Rows, apps: Sequence[str], schemes: Sequence[str]) -> list[Mark]:
    """The baseline's own time above its bar."""
    n = len(schemes)
    return [Mark(x=(place_of(row['app'], apps) or 0) + ((place_of('baseline', schemes) or 0) - (n + 1) / 2) * 0.86 / n, dash=0,
                 text=f'{fixed2(row["launch_ms"] / 1000)} s') for row in rows if row['scheme'] == 'baseline']


def relative_figure(run: Run, what: str, name: str) -> Drawing:
    """A figure of interrupts is another one than that of the papers' launches."""
    rows, c = run.measured(), f'{what}_rel'
    apps = distinct(row['app'] for row in rows if row.get('launch_rel') is not None)
    panels = []
    for job_ in jobs(run):
        these = beside(rows, job_)
        shown = [row for row in these if row['app'] in apps and row.get(c) is not None]
        if shown:
            marks = baseline_marks(shown, apps, distinct(row['scheme'] for row in these)) if what == 'launch' else []
            curves = [*scheme_bars(shown, 'app', apps, c), level_curve(1, DOTTED)]
            panels.append(Panel(Axis(names=apps), Axis('', 0, most(these, c)), curves, job_title(job_), marks))
    return Drawing(what, name, panels, across=1, high=260, papers=not any(row['scheme'].endswith('-irq') for row in rows))


def keys_figure(run: Run) -> Drawing:
    limit, panels = run.threshold_ms(), []
    for job_ in jobs(run):
        these = [row for row in beside(run.measured(), job_) if row['app'] == 'keys' and row.get('p50_ms') is not None]
        if not these:
            continue
        names = distinct(row['scheme'] for row in these)
        at = [place_of(row['scheme'], names) or 0 for row in these]
        curves = [curve for name in names for curve in bars_of(these, at, name, 'p50_ms', 0.7)]
        curves.append(level_curve(limit, DOTTED, f'{words.plain(limit)} ms'))
        panels.append(Panel(Axis(names=[name.replace('+', '|+').replace('-', '|-').replace('group', '|group') for name in names]),
                            Axis('', 0, most(these, 'p50_ms')), curves, job_title(job_)))
    return Drawing('keys', 'Latency of a key, ms: median of the keys after a Return', panels, across=1, high=220)


def touching(boxes: Iterable[Place], gap: float) -> list[Place]:
    """Boxes of one row each that follow each other closer than the gap are one."""
    out: list[Place] = []
    for box in boxes:
        if out and out[-1].y == box.y and (box.x or 0) - (out[-1].x2 or 0) < gap:
            out[-1] = replace(out[-1], x2=max(out[-1].x2 or 0, box.x2 or 0))
        else:
            out.append(box)
    return out


TASKS = (('job', 'the job', '#c0c0c0'), ('other', 'all else of the session', '#000000'))


def trace_figure(run: Run) -> Drawing | None:
    """Which task ran when."""
    rows = [row for row in run.table('trace') if row.get('from_ms') is not None and row.get('to_ms') is not None]
    if not rows:
        return None
    last, cpus = max(row['to_ms'] for row in rows), distinct(row['cpu'] for row in rows)
    panels = []
    for lane in distinct((row['app'], row['scheme'], row['job']) for row in rows):
        these = [row for row in rows if (row['app'], row['scheme'], row['job']) == lane]
        away = sum(row['to_ms'] - row['from_ms'] for row in these if row.get('kind') == 'away')
        percent = 100 * away / (max(row['to_ms'] for row in these) * len(cpus))
        boxes = [(row.get('kind'), Place(row['from_ms'], y - 0.4, x2=row['to_ms'], y2=y + 0.4)) for row in these
                 for y in [cpus.index(row['cpu']) + 1]]
        curves = [Curve('box', touching((box for of, box in boxes if of == kind), last / 2000), Look(colour), name)
                  for kind, name, colour in TASKS]
        panels.append(Panel(Axis('ms after the key', 0, last * 1.02), Axis(names=[f'CPU {cpu_words(cpu)}' for cpu in cpus]), curves,
                            f'{lane[0]}, {lane[1]}{f", job {lane[2]}" if len(jobs(run)) > 1 else ""}: others had '
                            f'{words.fixed(percent, 0)} % of the CPU time'))
    return Drawing('trace', 'Which task ran when, by CPU (blank: not scheduled)', panels, across=1, stacked=True,
                   high=66 + 22 * len(cpus))


def cpu_words(cpu: Any) -> str:
    return cpu if isinstance(cpu, str) else words.plain(cpu)


def drawings(run: Run) -> list[Drawing]:
    return [d for d in (relative_figure(run, 'launch', "Launch time, the baseline's is 1"),
                        relative_figure(run, 'job', "Time that a unit of the job's work takes, the baseline's is 1"),
                        keys_figure(run), trace_figure(run), quanta(run)) if d]
