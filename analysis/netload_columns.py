# SPDX-License-Identifier: GPL-3.0-or-later
"""Load on a link, from netload.json (if missing: no load) and link_bit_s, queue_bytes, bucket_bytes of cell.json; and what theory
says of frames of one length: those that come at random (M/D/1), and those at even distances, of which none waits for another, so
that a ping waits only for the frame that is being sent.

Numbers of a repeat: sent_percent, received_percent (of the link's rate, in bits of frames), queue_ms (the queue's length as a
time). Figures: frame_ms; md1_wait_ms, md1_variance_ms2, even_wait_ms, even_variance_ms2, at the mean of received_percent. Rows:
link, load_percent, wait_ms, variance_ms2, even_wait_ms, even_variance_ms2: both at all loads, for each value of the parameter
`link` that has a repeat."""
from collections.abc import Iterator, Sequence
from math import exp, isfinite, isnan, nan
from typing import NamedTuple

from analysis.columns import Extractor, Kept, Values, Written
from analysis.command import Stop
from analysis.numbers import over, total
from analysis.samples import Cell, Repeat, Run, number

FRAME_BITS = 1514 * 8
PING_BYTES = 98  # of a ping with its Ethernet header
STEPS = 2000
CREDIT_MOST = 12
LOADS = (*range(0, 900, 10), *range(900, 980, 5), *range(980, 996))  # per mille


class Moments(NamedTuple):
    """Of a wait, in units of the time that one frame takes on the link."""
    mean: float
    variance: float


UNKNOWN = Moments(nan, nan)


class Link(NamedTuple):
    sent: float  # percent
    received: float
    queue_ms: float
    frame_ms: float  # that one frame takes
    credit: float  # queued work that the token bucket lets a ping overtake, in frames


def work_share(load: float, x: float) -> float:
    """The chance that at most the work x is queued ahead (M/D/1; load: utilization). Terms alternate in sign; with x up to
    CREDIT_MOST at most ten of sixteen digits are lost."""
    result = 0.0
    for k in range(int(x) + 1):
        term = exp(load * (x - k))
        for i in range(1, k + 1):
            term *= load * (k - x) / i
        result += term
    return (1 - load) * result


def md1(load: float, credit: float) -> Moments:
    """Of the work ahead of an arrival in an M/D/1 queue, the rest of the frame being sent included, that exceeds `credit` (the work
    that a token bucket lets through at once). Credit 0: Pollaczek and Khinchine; above 0 from the distribution (Crommelin 1932;
    Erlang 1909). NaN: `load` of 1 or more, or a credit above CREDIT_MOST."""
    if not (0 <= load < 1 and 0 <= credit <= CREDIT_MOST):
        return UNKNOWN
    mean, h = load / (2 * (1 - load)), credit / STEPS
    square = 2 * mean * mean + load / (3 * (1 - load)) - 2 * credit * mean
    # max(0, V - c) by subtracting the part of P(V > x) below c (midpoint rule: the kinks are at whole numbers)
    for i in range(STEPS if credit else 0):
        x = (i + 0.5) * h
        longer = 1 - work_share(load, x)
        mean -= longer * h
        square += 2 * (credit - x) * longer * h
    mean = max(0.0, mean)
    return Moments(mean, max(0.0, square - mean * mean))


def even(load: float, credit: float) -> Moments:
    """The same beside frames at even distances, for an arrival at a random time: of the time a share `load` is that of a frame
    being sent, whose rest is uniform between 0 and 1."""
    if not 0 <= load < 1:
        return UNKNOWN
    left = max(0.0, 1 - credit) if not isnan(credit) else 0.0
    mean = load * left * left / 2
    return Moments(mean, load * left * left * left / 3 - mean * mean)


def waits(load: float, link: Link) -> dict[str, float]:
    at_random, at_even = md1(load, link.credit), even(load, link.credit)
    frame = link.frame_ms
    return {'wait_ms': at_random.mean * frame, 'variance_ms2': at_random.variance * frame * frame,
            'even_wait_ms': at_even.mean * frame, 'even_variance_ms2': at_even.variance * frame * frame}


def read(repeat: Repeat) -> Link:
    rate, bucket = number(repeat.json, 'link_bit_s'), number(repeat.json, 'bucket_bytes')
    document = repeat.document('netload.json')
    sent, received = ((number(document, f'result.{way}_mbit_s') if document is not None else 0.0) for way in ('sent', 'received'))
    if not rate > 0:
        raise Stop(f'{repeat.folder}/cell.json: no link_bit_s, the rate of the link')
    if isnan(sent):
        raise Stop(f'{repeat.folder}/netload.json: no result.sent_mbit_s')
    percent = 100 / (rate / 1e6)
    return Link(sent * percent, received * percent, number(repeat.json, 'queue_bytes') * 8000 / rate, FRAME_BITS / rate * 1000,
                (bucket - PING_BYTES) * 8 / FRAME_BITS if bucket > PING_BYTES else 0.0)


def numbers(repeat: Repeat, link: Link, names: Sequence[str]) -> dict[str, float]:
    return {'sent_percent': link.sent, 'received_percent': link.received, 'queue_ms': link.queue_ms}


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    links: Sequence[Link] = kept[cell.index]
    known = [link.received for link in links if isfinite(link.received)]
    last = links[-1] if links else Link(nan, nan, nan, 0.0, 0.0)
    found = waits(over(total(known), len(known)) / 100, last)
    return {'frame_ms': last.frame_ms, 'md1_wait_ms': found['wait_ms'], 'md1_variance_ms2': found['variance_ms2'], **found}


def write(run: Run, kept: Kept) -> Iterator[Written]:
    seen: set[str] = set()
    for cell in run.cells:
        name = cell.need('link')
        if not kept[cell.index] or name in seen:
            continue
        seen.add(name)
        for load in LOADS:
            yield Written(cell, {'link': name, 'load_percent': load / 10, **waits(load / 1000, kept[cell.index][-1])}, False)


EXTRACTOR = Extractor(read=read, numbers=numbers, figures=cell_figures, tables={'': write})
