# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows: the largest number of users for whom a criterion holds, from samples.tsv (capacity-user/1), machine.tsv
(capacity-machine/1) and the limits in cell.json of each repeat. Tables:
    summary     a row for each cell and number of users, with means over the repeats that measured it
    points      a row for each cell and criterion: the largest number of users over the repeats, which resources were full at the
    first
                number for which the criterion did not hold, fairness, and the forecast from the first third of the curve
                (headcount_forecast.py)
    compare     for each criterion, repeat and rule of settings.limits: the rule's figure on both sides of the limit
    slope       what a key takes of each resource according to the first third, and the number of users that fill it"""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf, isnan, nan

from analysis import headcount, headcount_forecast
from analysis.columns import Extractor, Kept, Value, Written
from analysis.estimates import of_run
from analysis.figures import Figure
from analysis.headcount import ALONE, FIGURES, OF_ALL, OF_USER, Limit, Rule, Search, Step, search_of
from analysis.numbers import over
from analysis.samples import Cell, Run

ESTIMATORS = {'p95_ms': 'logmean+ci', 'apdex': 'unit+ci', 'server_busy_percent': 'percent+ci'}  # of others mean+ci


# --- what is full -------------------------------------------------------------------------------------------------

def rule_value(s: Search, limit: Limit, rule: Rule, users: float) -> float:
    """The figure of a rule with so many users."""
    step = s.step(1 if rule.figure == ALONE else users, limit.repeat)
    if not step or isnan(users):
        return nan
    if rule.figure != ALONE:
        return step.of[rule.figure]
    wanted = headcount.criterion(limit.criterion)
    if not wanted:
        return nan
    apdex, value = wanted
    return 100 * (over(value, step.of['apdex']) if apdex else step.of['p95_ms'] / value)


def is_met(s: Search, limit: Limit, rule: Rule) -> bool:
    return rule_value(s, limit, rule, limit.beyond) >= rule.at_least


def is_full(s: Search, limit: Limit, rule: Rule) -> bool:
    """Is the rule fulfilled with the first number of users for which the criterion did not hold? Pages are read back either because
    the users' memory no longer fits, or by other programs on the machine, whose reads are counted too; where at least half of the
    memory that was available with one user still is, it was other programs."""
    if not is_met(s, limit, rule):
        return False
    left, one = (step.of['available_bytes'] if step else nan for step in (s.step(limit.beyond, limit.repeat),
                                                                          s.step(1, limit.repeat)))
    if rule.figure == 'faults_percent' and left > 0 and left >= one / 2:
        return False
    return not any(other is not rule and other.name == rule.unless and is_met(s, limit, other) for other in s.rules)


@dataclass(slots=True)
class Tally:
    """How often a resource was full, over the repeats, each of which counts once; and the sum of value over threshold."""
    repeats: list[int]
    fullness: float


def full_resources(s: Search, limits: Sequence[Limit]) -> str:
    """The fullest first, such as "CPU, memory (1 of 3)"."""
    tallies: dict[str, Tally] = {}
    reached = [limit for limit in limits if not isnan(limit.beyond)]
    for limit in reached:
        # a user who could not be added could not be measured: the resource counts as completely full
        found = [(limit.resource, inf)] if limit.ended else []
        found += [(rule.name, rule_value(s, limit, rule, limit.beyond) / rule.at_least) for rule in s.rules
                  if rule.name != limit.resource and is_full(s, limit, rule)]
        for name, fullness in found or [('unexplained', 0.0)]:
            tally = tallies.setdefault(name, Tally([], 0.0))
            if limit.repeat not in tally.repeats[-1:]:
                tally.repeats.append(limit.repeat)
                tally.fullness += fullness
    order = sorted(tallies.items(), key=lambda item: (-len(item[1].repeats), -item[1].fullness))
    return ', '.join(name + (f' ({len(t.repeats)} of {len(reached)})' if len(t.repeats) < len(reached) else '')
                     for name, t in order)


# --- rows ---------------------------------------------------------------------------------------------------------

def system(cell: Cell) -> dict[str, Value]:
    named = cell.text('system')
    return {'system': named if named is not None else f'{cell.text("protocol") or ""}.{cell.text("app") or ""}'}


def searches(run: Run, kept: Kept) -> Iterator[Search]:
    return (search_of(cell, kept[cell.index]) for cell in run.cells)


def of_steps(cell: Cell, steps: Sequence[Step], name: str) -> Figure:
    """Of users, the searches that know a figure would be the better ones: those without an answer do not."""
    values = [step.of[name] for step in steps]
    known = sum(not isnan(v) for v in values)
    f = of_run(cell.run, ESTIMATORS.get(name, 'mean+ci'), values)
    return replace(Figure(), why='not answered') if 0 < known < len(values) and name in (*OF_USER, *OF_ALL) else f


def write_summary(run: Run, kept: Kept) -> Iterator[Written]:
    """A cell of which nothing was measured has a row, too."""
    for s in searches(run, kept):
        groups = [(float(users), list(steps)) for users, steps in groupby(s.steps, key=lambda step: step.users)]
        for users, steps in groups or [(nan, [])]:
            yield Written(s.cell, {
                **system(s.cell), 'state': 'measured' if steps else s.cell.absence(), 'users': float(users),
                'repeats': float(len(steps)), 'failed': float(s.cell.failed), 'marked': float(s.cell.flagged),
                **({name: of_steps(s.cell, steps, name) for name in FIGURES} if steps else {})})


def fairness(s: Search, limits: Sequence[Limit]) -> dict[str, Value]:
    """On both sides of the limit, means over the repeats; of all users: the searches that know it would be the better ones."""
    out: dict[str, Value] = {}
    for column, figure in (('jain', 'jain'), ('worst', 'worst_over_median')):
        for side in ('good', 'bad'):
            steps = [s.step(limit.beyond if side == 'bad' else limit.users, limit.repeat) for limit in limits]
            if not any(step and isnan(step.of[figure]) for step in steps):
                out[f'{column}_{side}'] = of_run(s.cell.run, 'mean', [step.of[figure] if step else nan for step in steps]).value
    return out


def write_points(run: Run, kept: Kept) -> Iterator[Written]:
    for s in searches(run, kept):
        for limits in s.criteria():
            users = [limit.users for limit in limits]
            plan = [limit.users_all for limit in limits]  # the least; not known where one is not
            ended = [limit.ended for limit in limits if limit.ended]
            f = headcount_forecast.forecast(s, limits)
            yield Written(s.cell, {
                **system(s.cell), 'criterion': limits[0].criterion, 'repeats': float(len(limits)),
                'reached': float(sum(not isnan(limit.beyond) for limit in limits)),
                'users': of_run(run, 'mean', users),  # users_min to users_max say how searches differ
                'users_min': of_run(run, 'min', users).value, 'users_max': of_run(run, 'max', users).value,
                'plan': nan if any(map(isnan, plan)) else min(plan), 'untold': float(sum(limit.untold for limit in limits)),
                'limit': full_resources(s, limits), 'ended': ended[-1] if ended else '', **fairness(s, limits),
                'forecast_from': f.most, 'forecast': f.users, 'forecast_of': f.of, 'forecast_why': f.why})


def write_slopes(run: Run, kept: Kept) -> Iterator[Written]:
    for s in searches(run, kept):
        for limits in s.criteria():
            for one in headcount_forecast.fit_slopes(s, limits):
                yield Written(s.cell, {**system(s.cell), 'criterion': limits[0].criterion, 'name': one.name,
                                       'points': float(one.points), 'none': one.none, 'slope': one.slope, 'users': one.users})


def write_rules(run: Run, kept: Kept) -> Iterator[Written]:
    for s in searches(run, kept):
        for repeat in s.cell.repeats:
            for limit in (limit for limits in s.criteria() for limit in limits if limit.repeat == repeat.number):
                for rule in s.rules:
                    yield Written(s.cell, {
                        **system(s.cell), 'criterion': limit.criterion, 'repeat': float(limit.repeat), 'name': rule.name,
                        'unit': rule.unit, 'at_least': rule.at_least, 'users_good': limit.users,
                        'good': rule_value(s, limit, rule, limit.users), 'users_bad': limit.beyond,
                        'bad': rule_value(s, limit, rule, limit.beyond), 'full': float(is_full(s, limit, rule))})


def check(run: Run) -> None:
    headcount.rules_of(run)


EXTRACTOR = Extractor(check=check, read=headcount.read, tables={'summary': write_summary, 'points': write_points,
                                                                'compare': write_rules, 'slope': write_slopes})
