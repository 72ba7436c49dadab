# SPDX-License-Identifier: GPL-3.0-or-later
"""The largest number of users for whom a criterion holds: what was measured in each repeat with each number of users.

Files of a repeat: samples.tsv (each user at each number of users; user 1 is the measured user at the screen), machine.tsv (the
machine at each number of users); cell.json has the limits that a search found. Tables: headcount_columns.py."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isnan, nan
from typing import Any, NamedTuple

from analysis import spreads
from analysis.command import Stop, decimal
from analysis.numbers import least, most, over, power, sqrt
from analysis.samples import Cell, Layout, Repeat, Run, elements, number, text, truth

USERS_MOST = 10000
MORE_LEAST = 1.0  # ms: smallest increase of a key's latency for which its causes are computed
SHARE_HALF = 50.0
RULES_MOST = 16
OF_USER = ('mean_ms', 'p50_ms', 'p95_ms', 'apdex', 'late_percent')  # of user 1, the measured user
OF_ALL = ('all_p95_ms', 'all_mean_ms', 'jain', 'worst_over_median', 'median_p95_ms')
OF_MACHINE = ('keys_per_s', 'server_busy_percent', 'client_busy_percent', 'foreign_percent', 'waiting', 'available_bytes',
              'swap_in_bytes_per_s', 'link_percent', 'own_percent', 'major_faults_per_s', 'drops_per_s', 'client_waiting',
              'memory_stall_ms_per_s')
# more_ms: by which a key takes longer than with one user; wait_ms: that a key waits for a CPU, in percent of more_ms, and over the
# wait in a queue with random arrivals, if that is at least half; major page faults and dropped packets per 100 keys
DERIVED = ('more_ms', 'wait_ms', 'wait_share_percent', 'wait_over_queue', 'viewers_share_percent', 'memory_share_percent',
           'faults_percent', 'drops_percent')
FIGURES = (*OF_USER, *OF_ALL, *OF_MACHINE, *DERIVED)
ALONE = 'alone_percent'  # of a rule: what one user alone takes of a criterion's limit
USERS = Layout('capacity-user/1', 'users user %mean_ms %p50_ms %p95_ms %apdex %late_percent | %keys')
MACHINE = Layout('capacity-machine/1', 'users %keys_per_s %server_busy_percent %client_busy_percent %foreign_percent %waiting '
                 '%available_bytes %swap_in_bytes_per_s %link_percent | %own_percent %major_faults_per_s %drops_per_s '
                 '%client_waiting %memory_stall_ms_per_s')


@dataclass(slots=True)
class Step:
    """What was measured with one number of users in one repeat. NaN: not known."""
    users: int
    repeat: int
    of: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FIGURES, nan))
    means: list[float] = field(default_factory=list)  # of the users' latencies
    p95: list[float] = field(default_factory=list)
    partial: bool = False  # the latency of a user whose keys were due is not known

    def mean(self) -> float:
        return over(sum(self.means), len(self.means))


class Limit(NamedTuple):
    """A limit that a search found. ended: why no user could be added; resource: what there was too little of; "" for neither.
    users: the largest number for which the criterion held; beyond: the smallest for which it did not (NaN: it always held);
    users_all: the largest measured number up to `users` with which each user met it. untold: a range at `beyond`, whose early end
    would have met the criterion, counted against it."""
    criterion: str
    ended: str
    resource: str
    repeat: int
    users: float
    beyond: float
    users_all: float
    untold: bool


class Rule(NamedTuple):
    """When a resource counts as full: an element of settings.limits in run.json (data/limits.tsv). unless: name of a rule that, if
    fulfilled, overrules this one."""
    name: str
    unless: str
    unit: str
    figure: str
    at_least: float


class Found(NamedTuple):
    """Of one repeat."""
    steps: list[Step]
    limits: list[Limit]
    servers: float  # CPUs of the server


@dataclass(slots=True)
class Search:
    """Of one cell: steps ascending by users, then by repeat; limits grouped by criterion, ascending by repeat."""
    cell: Cell
    steps: list[Step]
    limits: list[Limit]
    servers: float
    rules: list[Rule]

    def step(self, users: float, repeat: int) -> Step | None:
        return next((s for s in self.steps if s.users == users and s.repeat == repeat), None)

    def criteria(self) -> Iterator[list[Limit]]:
        """The limits of each."""
        for name in dict.fromkeys(limit.criterion for limit in self.limits):
            yield [limit for limit in self.limits if limit.criterion == name]


def criterion(words: str) -> tuple[bool, float] | None:
    """(of Apdex, value) of "p95:100ms" or "apdex:0.85"."""
    name, _, value = words.partition(':')
    if name not in ('apdex', 'p95'):
        return None
    try:
        number_, _ = decimal(value.lstrip())
    except (ValueError, OverflowError):
        return None
    return (name == 'apdex', number_) if number_ > 0 else None


# --- settings -----------------------------------------------------------------------------------------------------

def rate(run: Run) -> float:
    """Keys per second of user 1."""
    return number(run.json, 'settings.rate_per_s')


def typing(run: Run) -> float:
    """Keys per second of each other user."""
    return number(run.json, 'settings.typing_per_s')


def rules_of(run: Run) -> list[Rule]:
    out = []
    for one in elements(run.json, 'settings.limits')[:RULES_MOST]:
        name, unless, unit, figure = (text(one, key) or '' for key in ('name', 'unless', 'unit', 'figure'))
        if not name:
            break
        out.append(Rule(name, unless, unit, figure, number(one, 'at_least')))
        if figure not in (*FIGURES, ALONE) or not out[-1].at_least > 0:
            raise Stop(f'{run.folder}/run.json: settings.limits[] has an unknown figure, or no at_least above 0')
    return out


# --- reading ------------------------------------------------------------------------------------------------------

def read_limits(repeat: Repeat) -> list[Limit]:
    out = []
    for one in elements(repeat.json, 'limits'):
        name, ended, resource = (text(one, key) or '' for key in ('criterion', 'ended', 'resource'))
        if not name:
            break
        users, beyond, users_all = (number(one, key) for key in ('users', 'beyond', 'users_all'))
        reached = one.get('reached')
        if isnan(users) or not isinstance(reached, bool) or (reached and isnan(beyond)):
            raise Stop(f'{repeat.folder}/cell.json: limits[] needs users, reached and, if reached, beyond')
        out.append(Limit(name, ended, resource, repeat.number, users, beyond if reached else nan, users_all, truth(one, 'untold')))
    return out


def read_users(repeat: Repeat, steps: dict[int, Step]) -> None:
    for index, row in enumerate(zip(*repeat.table('samples.tsv', USERS) or []), 1):
        users, user, *of, keys = row
        if users is None or not 1 <= users <= USERS_MOST or user is None or not 1 <= user <= users:
            raise repeat.bad_row('samples.tsv', index)
        step = steps.setdefault(users, Step(users, repeat.number))
        if user == 1:
            step.of |= dict(zip(OF_USER, of))
        mean, p95 = of[0], of[2]
        if isfinite(mean) and isfinite(p95):
            step.means.append(mean)
            step.p95.append(p95)
        else:  # no key was due, or some had no answer that is known
            step.partial = step.partial or keys > 0


def read(repeat: Repeat) -> Found:
    steps: dict[int, Step] = {}
    limits = read_limits(repeat)
    read_users(repeat, steps)
    for index, (users, *of) in enumerate(zip(*repeat.table('machine.tsv', MACHINE) or []), 1):
        if users is None or not 1 <= users <= USERS_MOST:
            raise repeat.bad_row('machine.tsv', index)
        steps.setdefault(users, Step(users, repeat.number)).of.update(zip(OF_MACHINE, of))
    servers = number(repeat.json, 'server_cpus', 1.0)
    for step in steps.values():
        derive(step, steps.get(1), rate(repeat.cell.run), servers)
    return Found(list(steps.values()), limits, servers)


def queue_wait(of: dict[str, float], rate: float, servers: float) -> float:
    """Mean wait in ms of random arrivals with exponential service at so many servers; user 1 does not wait for its own keys
    (headcount_forecast.py)."""
    busy, own, keys = of['server_busy_percent'] / 100, of['own_percent'] / 100, of['keys_per_s']
    others = most([least([busy * (1 - rate / keys), 1.0]), 0.0])
    return power(others, sqrt(2 * (servers + 1)) - 1) * 1000 * own / keys / (1 - busy) if busy < 1 else inf


def derive(p: Step, one: Step | None, rate: float, servers: float) -> None:
    """Figures that follow from the step's users, or from two other figures. Jain's index (Jain, Chiu & Hawe 1984) of the users'
    mean latencies: 1 if all are equal, 1/n if one user has all of the latency."""
    of, keys = p.of, p.of['keys_per_s']
    if not p.partial:
        of['all_mean_ms'] = p.mean()
        of['jain'] = over(sum(p.means) ** 2, len(p.means) * sum(m * m for m in p.means))
        of['all_p95_ms'], of['median_p95_ms'] = most(p.p95), spreads.quantile(p.p95, 0.5)
        of['worst_over_median'] = over(of['all_p95_ms'], of['median_p95_ms'])
    if not isfinite(of['own_percent']):
        of['own_percent'] = of['server_busy_percent'] - of['foreign_percent']
    if not keys > 0:
        return
    of['faults_percent'] = 100 * of['major_faults_per_s'] / keys
    of['drops_percent'] = 100 * of['drops_per_s'] / keys
    of['wait_ms'] = 1000 * of['waiting'] / keys
    more = of['more_ms'] = of['all_mean_ms'] - one.mean() if one and not one.partial and p.users > 1 else nan
    if not more >= MORE_LEAST:
        return
    of['wait_share_percent'] = 100 * of['wait_ms'] / more
    of['viewers_share_percent'] = 100 * 1000 * of['client_waiting'] / keys / more
    of['memory_share_percent'] = 100 * of['memory_stall_ms_per_s'] / keys / more
    if of['wait_share_percent'] >= SHARE_HALF:
        of['wait_over_queue'] = over(of['wait_ms'], queue_wait(of, rate, servers))


def search_of(cell: Cell, found: Sequence[Any]) -> Search:
    steps = sorted((step for f in found for step in f.steps), key=lambda s: (s.users, s.repeat))
    return Search(cell, steps, [limit for f in found for limit in f.limits], found[-1].servers if found else 1.0,
                  rules_of(cell.run))
