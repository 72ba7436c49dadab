# SPDX-License-Identifier: GPL-3.0-or-later
"""Pseudo-random numbers from a seed, the same on every machine: SplitMix64 (Steele, Lea & Flood 2014). Pure.

Many numbers are made at once, as lanes of 128 bits of one large integer: Python then needs few steps for them all."""
from collections.abc import Iterator

GOLDEN = 0x9e3779b97f4a7c15
WORD = 2 ** 64 - 1
LANES = 4096  # numbers at once
LANE = 128  # bits: a product of two words fits, and what a shift brings in from the next lane is masked
DIGITS = 53  # of a double


def spread(value: int) -> int:
    """The value in each lane."""
    return int.from_bytes(value.to_bytes(LANE // 8, 'little') * LANES, 'little')


def steps() -> int:
    """What the state has grown by in each lane."""
    return int.from_bytes(b''.join((GOLDEN * (i + 1) & WORD).to_bytes(LANE // 8, 'little') for i in range(LANES)), 'little')


def blocks(seed: int) -> Iterator[memoryview]:
    """Numbers below 2^53, LANES at a time, without end."""
    mask, low = spread(WORD), spread(2 ** DIGITS - 1)
    state, grown = spread(seed & WORD) + steps() & mask, spread(GOLDEN * LANES & WORD)
    while True:
        z = state
        z = ((z ^ z >> 30) & mask) * 0xbf58476d1ce4e5b9 & mask
        z = ((z ^ z >> 27) & mask) * 0x94d049bb133111eb & mask
        z = (z ^ z >> 31) & mask
        yield memoryview((z >> 64 - DIGITS & low).to_bytes(LANES * LANE // 8, 'little')).cast('Q')[::2]
        state = state + grown & mask


def numbers(seed: int) -> Iterator[int]:
    """Numbers from 0 to 2^53 - 1, without end; times 2^-53 they are uniform from 0 to 1."""
    for block in blocks(seed):
        yield from block


def fractions(seed: int) -> Iterator[float]:
    """0 <= value < 1, with all 53 bits of a double."""
    return map((2.0 ** -DIGITS).__mul__, numbers(seed))
