# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of all metrics of a table together, and of those that cannot be compared. Pure.

B is worse if it is in one metric. It is better if it is in one, and in no other one may it be worse by the effect.
"""
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analysis import pooled, sequential
from analysis.blocks import A, B, NEITHER, Series, Table, calmer, poorer
from analysis.sequential import HIGHER, LOWER, OPEN, REPEATS_LEAST, SAME

NOISY_SHARE = 1 / 3  # of disturbed blocks: more say nothing
FAR_TAIL = re.compile('(^|_)(p99|p999|max)(_|$)')
NO_DIFFERENCE = 'no difference of that size'


class Question(NamedTuple):
    metrics: str | None = None  # only these, separated by commas; None: all
    alpha: float = 0.05
    runs: bool = False  # two runs that were not measured in turns
    doubt: bool = False  # something else than A and B may make a difference: nothing is decided


@dataclass(slots=True)
class Verdict:
    word: str  # worse, better, no difference of that size, not decided, too noisy
    family: list[Series] = field(default_factory=list)  # the metrics that are decided
    noisy: bool = False  # too many blocks were disturbed, or all of one run

    def open(self) -> list[Series]:
        return [s for s in self.family if s.figure.word == OPEN]

    def more(self) -> int | None:
        """Starts until all are decided, if mean and sd stay. None: none is open, or over 10,000."""
        needed = [more_needed(s) for s in self.open()]
        return None if None in needed else max((n for n in needed if n is not None), default=None)


Test = Callable[[Series, Question], bool]


def more_needed(s: Series) -> int | None:
    """Starts, or repeats of each run, until it is decided. None: it is, or would not be, or over 10,000."""
    return None if s.hopeless or s.figure.word != OPEN else sequential.more_needed(s.figure)


def wanted(s: Series, q: Question) -> bool:
    return q.metrics is None or f',{s.metric},' in f',{q.metrics},'


def is_twin(s: Series, q: Question) -> bool:
    return s.same_as is not None and wanted(s.same_as, q)


def is_one_value(s: Series, q: Question) -> bool:
    """Of two runs, and asked for: all values are the same. Of metrics that are not asked for it is no news."""
    return q.runs and q.metrics is not None and wanted(s, q) and s.constant and not is_twin(s, q)


def the_same(s: Series, q: Question) -> bool:
    """As before, and of so many keys of all repeats that the two hold the value."""
    return is_one_value(s, q) and pooled.hold_share(s)


def overloaded(s: Series, q: Question) -> bool:
    """Of two runs: repeats of A have values, and none of as many of B, which was overloaded: worse."""
    return (q.runs and wanted(s, q) and s.pooled[B].why == 'overloaded' and s.known[A] >= REPEATS_LEAST and not s.known[B]
            and s.unknown[B] >= REPEATS_LEAST)


def only_in_a(s: Series, q: Question) -> bool:
    return wanted(s, q) and s.known[A] > 0 and not s.known[B] and not overloaded(s, q)


def only_in_b(s: Series, q: Question) -> bool:
    return wanted(s, q) and s.known[B] > 0 and not s.known[A]


def too_few(s: Series, q: Question) -> bool:
    """A has values, and B too few to compare, or none of the same pair."""
    few = poorer(s) == B and not the_same(s, q) if s.constant else not s.figure.n
    return wanted(s, q) and s.known[A] > q.runs and s.known[B] > 0 and few


def is_aside(s: Series, q: Question) -> bool:
    """Of two runs, not asked for: there is no interval, and by the numbers alone B is not worse."""
    return q.runs and q.metrics is None and s.aside and not s.figure.n


def not_compared(s: Series, q: Question) -> bool:
    """Of two runs: one has it of all repeats, or should have it, but it cannot be compared."""
    return (wanted(s, q) and bool(s.why) and not s.figure.n and not only_in_a(s, q) and not overloaded(s, q) and not too_few(s, q)
            and not is_aside(s, q))


def copied(s: Series, q: Question) -> bool:
    """Of two runs: of its cell all values of B are those of A: one measurement; its first metric."""
    return q.runs and s.copied


def is_not_told(s: Series, q: Question) -> bool:
    """The 99 % value and the largest, which mostly have no interval, are only judged where they have one."""
    is_open = is_aside(s, q) and not FAR_TAIL.search(s.metric)
    return only_in_a(s, q) or too_few(s, q) or not_compared(s, q) or is_open or copied(s, q)


def count(t: Table, q: Question, test: Test) -> int:
    return sum(test(s, q) for s in t.series)


def find_family(t: Table, q: Question) -> list[Series]:
    """What can be decided: it is asked for, was measured, is not the same in all blocks, and is not another metric under a second
    name. None of this depends on which blocks are of A."""
    family = [s for s in t.series if wanted(s, q) and s.figure.n and not is_twin(s, q)
              and (not s.constant or (is_one_value(s, q) and not the_same(s, q)))]
    if not q.runs and q.metrics is not None and (not family or family[0].constant):
        # nothing that was asked for ever changed: it is shown, and not decided
        family += [s for s in t.series if wanted(s, q) and s.constant]
    return family


def weigh(family: Sequence[Series]) -> None:
    """The main metric of each condition, the median or else the first one, is decided sooner: these have half of alpha."""
    mains: dict[str, Series] = {}
    for s in family:
        if s.cell not in mains or ('_p50' in s.metric and '_p50' not in mains[s.cell].metric):
            mains[s.cell] = s
    for s in family:
        s.figure.weight = 1 / (len(mains) if mains[s.cell] is s else len(family) - len(mains))


def is_told(word: int, against_b: int, only: int) -> bool:
    """Is a decision told where only what speaks against this variant is?"""
    return only == NEITHER or (word in (LOWER, HIGHER) and (word == against_b) == (only == B))


def decide_family(family: Sequence[Series], alpha: float, calm: int) -> None:
    """Only what speaks against a variant of which values are missing, or which was disturbed less, is told; of equal values,
    nothing."""
    sequential.decide([s.figure for s in family], alpha)
    for s in family:
        f, against_b = s.figure, LOWER if s.higher_is_better else HIGHER
        if s.constant or not is_told(f.word, against_b, poorer(s)) or not is_told(f.word, against_b, calm):
            s.hopeless, f.word, f.not_less, f.not_more = True, OPEN, False, False


def word_of(s: Series, noisy: bool) -> str:
    """The verdict of one metric."""
    word = s.figure.word
    if noisy or word == OPEN:
        return 'too noisy' if noisy else 'not decided'
    return NO_DIFFERENCE if word == SAME else 'better' if (word == HIGHER) == s.higher_is_better else 'worse'


def may_be_worse(s: Series) -> bool:
    """May B be worse by the effect, as far as is known?"""
    return s.figure.word == OPEN and not (s.figure.not_less if s.higher_is_better else s.figure.not_more)


def combine(family: Sequence[Series], noisy: bool) -> str:
    """The verdict of all metrics together: the worst that was told. Better is B only where no other metric may be worse by the
    effect."""
    words = [word_of(s, False) for s in family]
    if noisy or not family:
        return 'too noisy' if noisy else 'not decided'
    if 'worse' in words:
        return 'worse'
    if 'better' in words and not any(map(may_be_worse, family)):
        return 'better'
    return 'not decided' if 'not decided' in words else NO_DIFFERENCE


def is_noisy(t: Table, q: Question) -> bool:
    """More than a third of the blocks, or all of one of two runs."""
    if q.runs and any(n and n == disturbed for n, disturbed in zip(t.of, t.disturbed_of)):
        return True
    return t.disturbed > NOISY_SHARE * sum(t.of)


def reach(t: Table, q: Question) -> Verdict | None:
    """Of a table that was compared. None: it has nothing that could be decided."""
    noisy, family = is_noisy(t, q), find_family(t, q)
    held, untold, lost = (count(t, q, test) for test in (the_same, is_not_told, overloaded))
    if not family and not noisy and not (q.runs and (held or untold or lost)):
        return None
    if not q.runs:
        weigh(family)
    decide_family(family, q.alpha, calmer(t))
    word = combine(family, noisy) if family or noisy or not held else NO_DIFFERENCE
    if not noisy and lost:
        word = 'worse'
    if not noisy and (q.doubt or (untold and word != 'worse')):
        word = 'not decided'
    return Verdict(word, family, noisy)
