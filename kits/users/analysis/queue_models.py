# SPDX-License-Identifier: GPL-3.0-or-later
"""Queueing models. Times in s, rates in 1/s. Pure.

A closed network of queues: N users who think for Z between a response and their next request, K stations that each serve one
request at a time. Solved by exact mean value analysis (MVA; Reiser & Lavenberg 1980, JACM 27(2)), or by Schweitzer's approximation
(1979; Bard 1979), which takes the queue found by an arrival as (N-1)/N of the mean queue. Service is exponential (or processor
sharing of any kind); a demand is the service time of one request at a station, over all its visits.

Single queues in closed form: M/M/1, M/M/m with Erlang's B and C (1917), M/M/1/N/N (machine repairman). Arrivals and service are
memoryless. Figures of a queue without a steady state (overload) are infinite."""
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import exp, expm1, inf, isfinite, isinf, nan
from typing import NamedTuple

METHODS = ('exact', 'schweitzer')
STATIONS = 32  # most of a network
TURNS = 1000000
STILL = 1e-14  # convergence threshold relative to N: a double has no more digits


class Network(NamedTuple):
    demands_s: Sequence[float]  # each >= 0, at least one > 0
    delay_s: float = 0  # time of a request outside the stations, without queueing; part of the response time
    tolerance: float = 0  # Schweitzer: convergence threshold for the change of any queue in one iteration; 0: machine precision

    def longest_s(self) -> float:
        return max(self.demands_s, default=0.0)

    def most_rate(self) -> float:
        """The highest throughput, which no method can exceed (Denning & Buzen 1978)."""
        return 1 / self.longest_s() if self.longest_s() else inf

    def least_s(self) -> float:
        """The response time without queueing."""
        return sum(self.demands_s, self.delay_s)

    def bound_rate(self, n: float, z_s: float) -> float:
        """Upper bound of throughput."""
        return least(self.most_rate(), ratio(n, self.least_s() + z_s))

    def bound_s(self, n: float, z_s: float) -> float:
        """Lower bound of response time."""
        return max(self.least_s(), n * self.longest_s() - z_s)


class Solution(NamedTuple):
    rate: float  # throughput
    r_s: float  # response time, including delay_s
    queues: Sequence[float]  # requests at each station, waiting or in service
    used: Sequence[float]  # utilization of each station

    def queue(self) -> float:
        """Requests in the system (Little's law)."""
        return self.rate * self.r_s


def ratio(a: float, b: float) -> float:
    """a / b as IEEE 754 has it."""
    return a / b if b else nan if not a or a != a else inf if a > 0 else -inf


def least(a: float, b: float) -> float:
    """The smaller; of a number and none, the number."""
    return a if b != b or a <= b else b


def solution(net: Network, rate: float, r_s: float, queues: Sequence[float]) -> Solution:
    return Solution(rate, r_s, queues, [rate * demand for demand in net.demands_s])


def solve_exact(net: Network, loads: Iterable[float], z_s: float) -> dict[float, Solution]:
    """For each number of users, rounded down; in time proportional to the largest times the stations."""
    demands, delay_s = net.demands_s, net.delay_s
    queues: list[float] = [0.0] * len(demands)
    rate, r_s, at = 0.0, net.least_s(), 0
    out = {}
    for load in sorted(set(loads)):
        for n in range(at + 1, int(load) + 1):  # rate and response time from the queues that an arrival finds
            waits = [demand * (1 + queue) for demand, queue in zip(demands, queues)]
            r_s = sum(waits, delay_s)
            rate = n / (r_s + z_s) if r_s + z_s else ratio(n, 0.0)
            queues = [rate * wait for wait in waits]
        at = max(at, int(load))
        out[load] = solution(net, rate, r_s, queues)
    return out


def last_within(net: Network, z_s: float, r_s: float, most: int) -> int:
    """The largest number of users, up to `most`, whose response time is at most r_s, by the exact method; 0: not even one."""
    demands = net.demands_s
    queues = [0.0] * len(demands)
    for n in range(1, most + 1):
        waits = [demand * (1 + queue) for demand, queue in zip(demands, queues)]
        r = sum(waits, net.delay_s)
        if r > r_s:
            return n - 1
        rate = ratio(n, r + z_s)
        queues = [rate * wait for wait in waits]
    return most


def solve_schweitzer(net: Network, n: float, z_s: float) -> Solution:
    stations = len(net.demands_s)
    if not n > 0:
        return solution(net, 0.0, net.least_s(), [0.0] * stations)
    still, share = max(net.tolerance, STILL * n), (n - 1 if n > 1 else 0)
    queues = [n / stations] * stations
    rate, r_s = 0.0, 0.0
    for _ in range(TURNS):
        last = queues
        waits = [demand * (1 + queue * share / n) for demand, queue in zip(net.demands_s, last)]
        r_s = sum(waits, net.delay_s)
        rate = ratio(n, r_s + z_s)
        queues = [rate * wait for wait in waits]
        if not max([abs(a - b) for a, b in zip(queues, last)], default=0.0) >= still:
            break
    return solution(net, rate, r_s, queues)


def solve(net: Network, method: str, loads: Iterable[float], z_s: float) -> dict[float, Solution]:
    """The network with each of these numbers of users, who think for z_s; fractions only for Schweitzer."""
    return solve_exact(net, loads, z_s) if method == 'exact' else {n: solve_schweitzer(net, n, z_s) for n in set(loads)}


def solve_open(net: Network, rate: float) -> Solution:
    """An M/M/1 each, at a given rate of requests; infinite beyond saturation."""
    used = [rate * demand for demand in net.demands_s]
    r_s = net.delay_s
    for demand, u in zip(net.demands_s, used):
        r_s += demand / (1 - u) if u < 1 else inf
    return Solution(rate, r_s, [u / (1 - u) if u < 1 else inf for u in used], used)


# --- single queues ------------------------------------------------------------------------------------------------

class Queue(NamedTuple):
    """`waits`: the share of requests that have to wait (Erlang C; of a closed queue: that find the server busy)."""
    rate: float  # throughput
    used: float  # utilization of each server
    r_s: float  # response time
    w_s: float  # waiting time, which is part of it
    queue: float  # mean number of requests, waiting or in service
    waits: float
    blocked: float = nan  # Erlang B: share of requests lost if no request could wait
    steady: bool = True


@lru_cache(maxsize=64)
def erlang_b(servers: float, load: float) -> float:
    """By the usual recursion for 1/B, without factorials and overflow. load: rate times service time."""
    if not load > 0:
        return 0.0 if servers > 0 else 1.0
    inverse = 1.0
    for m in range(1, int(servers) + 1):
        inverse = 1 + inverse * m / load
        if isinf(inverse):
            break
    return 1 / inverse


def erlang_c(servers: float, load: float) -> float:
    b = erlang_b(servers, load)
    return 1.0 if load >= servers else b * servers / (servers - load * (1 - b))


def open_queue(rate: float, service_s: float, servers: float) -> Queue:
    load = rate * service_s
    steady, waits = load < servers, erlang_c(servers, load)
    x = rate if steady else servers / service_s
    w_s = waits * service_s / (servers - load) if steady else inf
    r_s = service_s + w_s
    return Queue(x, x * service_s / servers, r_s, w_s, rate * r_s if steady else inf, waits, erlang_b(servers, load), steady)


def tail(t: float, service_s: float, servers: float, load: float, waits: float) -> float:
    """P(R > t) of service alone, or of waiting (exponential, rate (m - a)/S) and then service: exp(-s) + C (exp(-left s) - exp(-s))
    / (1 - left), written without cancellation where both rates are nearly equal, and without overflow where they are not."""
    s, left = t / service_s, servers - load
    more = 1 - left
    if more > 0:
        return exp(-s) - waits * exp(-left * s) * expm1(-more * s) / more
    return exp(-s) * (1 + waits * (expm1(more * s) / more if more < 0 else s))


def open_quantile(rate: float, service_s: float, servers: float, p: float) -> float:
    """Response time that a share p (below 1) of the requests does not exceed, first come first served."""
    load, waits = rate * service_s, erlang_c(servers, rate * service_s)
    if load >= servers:
        return inf
    low, high = 0.0, service_s
    while tail(high, service_s, servers, load, waits) > 1 - p:
        high *= 2
    for _ in range(200):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        if tail(middle, service_s, servers, load, waits) > 1 - p:
            low = middle
        else:
            high = middle
    return high


def closed_queue(n: int, z_s: float, service_s: float) -> Queue:
    """One server and n users who think for an exponential time of mean z_s > 0. The server is idle if all think: Erlang's B of n
    servers with the load a = Z/S, as the odds (1 - B)/B, since 1 - B loses its digits where B is near 1: odds(N) = (1 + odds(N -
    1)) N/a. Response times come from the queue that an arrival finds, the one with n - 1 users (Sevcik & Mitrani 1981): N/X - Z
    loses its digits where Z is much longer than R."""
    odds = found = busy = waits = 0.0
    r_s = service_s
    for i in range(1, n + 1):
        waits = busy
        odds = (1 + odds) * i * service_s / z_s
        busy = odds / (1 + odds) if isfinite(odds) else 1.0
        r_s = service_s * (1 + found)
        found = i * r_s / (r_s + z_s)
    return Queue(busy / service_s, busy, r_s, r_s - service_s, found, waits)
