# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of all metrics of a table of blocks together, and of those that cannot be compared. Pure.

B is worse if it is in one metric. It is better if it is in one, and in no other one may it be worse by the effect."""
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from analysis import blocks, sequential
from analysis.blocks import VARIANTS, Blocks, Series
from analysis.sequential import HIGHER, LOWER, OPEN, REPEATS_LEAST, SAME

NOISY_SHARE = 1 / 3  # of disturbed blocks: more say nothing
BETTER, WORSE, NO_DIFFERENCE, NOT_DECIDED, TOO_NOISY = ('better', 'worse', 'no difference of that size', 'not decided', 'too noisy')


@dataclass(frozen=True, slots=True)
class Question:
    """metrics: only these; (): all. runs: two runs that were not measured in turns. doubt: something else than A and B may make a
    difference: nothing is decided."""
    metrics: Sequence[str]
    alpha: float
    runs: bool
    doubt: bool

    def wants(self, s: Series) -> bool:
        return not self.metrics or s.metric in self.metrics


Test = Callable[[Series, Question], bool]


def is_twin(s: Series, q: Question) -> bool:
    return s.same_as is not None and q.wants(s.same_as)


def is_one_value(s: Series, q: Question) -> bool:
    """Of two runs, and asked for: all values are the same. Of metrics that are not asked for it is no news."""
    return q.runs and bool(q.metrics) and q.wants(s) and s.constant and not is_twin(s, q)


def the_same(s: Series, q: Question) -> bool:
    """As before, and of so many keys of all repeats that the two hold the value."""
    return is_one_value(s, q) and blocks.pooled_hold_share(s)


def count_values(s: Series) -> int:
    return s.difference.count() if s.difference else 0


def overloaded(s: Series, q: Question) -> bool:
    """Of two runs: repeats of A have values, and none of as many of B, which was overloaded: worse."""
    return (q.runs and q.wants(s) and s.pooled['b'].why == 'overloaded' and s.known['a'] >= REPEATS_LEAST and not s.known['b']
            and s.unknown['b'] >= REPEATS_LEAST)


def only_in_a(s: Series, q: Question) -> bool:
    """The other variant has no value."""
    return q.wants(s) and s.known['a'] > 0 and not s.known['b'] and not overloaded(s, q)


def only_in_b(s: Series, q: Question) -> bool:
    return q.wants(s) and s.known['b'] > 0 and not s.known['a']


def too_few(s: Series, q: Question) -> bool:
    """A has values, and B too few to compare, or none of the same pair."""
    few = blocks.poorer(s) == 'b' and not the_same(s, q) if s.constant else not count_values(s)
    return q.wants(s) and s.known['a'] > int(q.runs) and s.known['b'] > 0 and few


def aside(s: Series, q: Question) -> bool:
    """Of two runs, not asked for: there is no interval, and by the numbers alone B is not worse."""
    return q.runs and not q.metrics and s.aside and not count_values(s)


def not_compared(s: Series, q: Question) -> bool:
    """Of two runs: one has it of all repeats, or should have it, but it cannot be compared."""
    return (q.wants(s) and s.why is not None and not count_values(s)
            and not any(test(s, q) for test in (only_in_a, overloaded, too_few, aside)))


def copied(s: Series, q: Question) -> bool:
    """Of two runs: of its cell all values of B are those of A: one measurement; its first metric."""
    return q.runs and s.copied


def is_not_told(s: Series, q: Question) -> bool:
    return any(test(s, q) for test in (only_in_a, too_few, not_compared, copied))


def find_main(family: Sequence[Series], cell: str) -> Series:
    """The metric of a condition that one mostly asks for: the median, or else the first one."""
    of_cell = [s for s in family if s.cell == cell]
    return next((s for s in of_cell if '_p50' in s.metric), of_cell[0])


def weigh_family(family: Sequence[Series]) -> None:
    """The main metrics have half of alpha: they are decided sooner."""
    mains = sum(find_main(family, s.cell) is s for s in family)
    for s in family:
        assert s.difference
        s.difference.weight = 1.0 / (mains if find_main(family, s.cell) is s else len(family) - mains)


def is_told(word: str, against_b: str, only: str | None) -> bool:
    """Is a decision told where only what speaks against this variant is?"""
    return only is None or (word in (LOWER, HIGHER) and (word == against_b) == (only == 'b'))


def decide_family(family: Sequence[Series], alpha: float, calmer: str | None) -> None:
    for s, decision in zip(family, sequential.decide_all([s.difference for s in family if s.difference], alpha)):
        against_b = LOWER if s.higher_is_better else HIGHER
        assert s.difference
        s.more = sequential.more_needed(s.difference, decision.each) if decision.word == OPEN and not s.constant else None
        s.decision = decision
        # only what speaks against a variant of which values are missing, or which was disturbed less, is told; of equal values,
        # nothing
        if s.constant or not all(is_told(decision.word, against_b, only) for only in (blocks.poorer(s), calmer)):
            s.decision = replace(decision, word=OPEN, not_less=False, not_more=False)
            s.more = None


def word_of(s: Series, noisy: bool = False) -> str:
    """The verdict of one metric."""
    if noisy:
        return TOO_NOISY
    lower, higher = (WORSE, BETTER) if s.higher_is_better else (BETTER, WORSE)
    return {SAME: NO_DIFFERENCE, LOWER: lower, HIGHER: higher, OPEN: NOT_DECIDED}[s.decision.word]


def may_be_worse(s: Series) -> bool:
    """By the effect, as far as is known?"""
    return s.decision.word == OPEN and not (s.decision.not_less if s.higher_is_better else s.decision.not_more)


def combine(family: Sequence[Series], noisy: bool) -> str:
    """The verdict of all metrics together: the worst that was told. Better is B only where no other metric may be worse by the
    effect."""
    if noisy or not family:
        return TOO_NOISY if noisy else NOT_DECIDED
    words = [word_of(s) for s in family]
    if WORSE in words:
        return WORSE
    if BETTER in words and not any(map(may_be_worse, family)):
        return BETTER
    return NOT_DECIDED if any(s.decision.word == OPEN for s in family) else NO_DIFFERENCE


def is_noisy(t: Blocks, q: Question) -> bool:
    """More than a third of the blocks were disturbed, or all of one of two runs."""
    if q.runs and any(t.count(v) and t.disturbed(v) == t.count(v) for v in VARIANTS):
        return True
    return t.disturbed() > NOISY_SHARE * t.count()


@dataclass(frozen=True, slots=True)
class Verdict:
    """family: the metrics that are decided; more: starts until all are decided, if mean and sd stay (0: none is open; None: over
    sequential.VALUES_MOST)."""
    word: str
    family: list[Series]
    noisy: bool
    open: int
    more: int | None


def reach(t: Blocks, q: Question) -> Verdict | None:
    """Of a table that was compared. None: it has nothing that could be decided."""
    noisy = is_noisy(t, q)

    def some(test: Test) -> bool:
        return any(test(s, q) for s in t.series)

    # asked for, measured, not the same in all blocks, and not another metric under a second name: none of this depends on which
    # blocks are of A
    family = [s for s in t.series if q.wants(s) and count_values(s) and not is_twin(s, q)
              and (not s.constant or (is_one_value(s, q) and not the_same(s, q)))]
    if q.metrics and not q.runs and not family:
        family = [s for s in t.series if q.wants(s) and s.constant]  # nothing that was asked for ever changed: it is only shown
    if not family and not noisy and not (q.runs and any(map(some, (the_same, is_not_told, overloaded, aside)))):
        return None
    if not q.runs and family:
        weigh_family(family)
    decide_family(family, q.alpha, blocks.calmer(t))
    word = combine(family, noisy) if family or noisy or not some(the_same) else NO_DIFFERENCE
    if not noisy and some(overloaded):
        word = WORSE
    if not noisy and (q.doubt or (some(is_not_told) and word != WORSE)):
        word = NOT_DECIDED
    opened = [s for s in family if s.decision.word == OPEN]
    more = None if any(s.more is None for s in opened) else max((s.more or 0 for s in opened), default=0)
    return Verdict(word, family, noisy, len(opened), more)
