# SPDX-License-Identifier: GPL-3.0-or-later
"""What score reads is of others: whatever a table holds, it is latencies, or one reason with its line."""
import io
import random

from analysis import score
from analysis.command import parse
from analysis.tables import BadLine

SEEDS = [
    b'due_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tearliest_ns\tusers\n'
    b'1000\t1001\t5000\t\t\t0\t\t1\n2000\t2001\t\t\t900000\t0\t\t1\n3000\t3001\t9000\t9900\t\t1\t3500\t2\n',
    b'timeStamp,elapsed,success,allThreads,responseMessage\n'
    b'1,100,true,1,"a, ""b"""\n2,50,false,2,Number of samples in transaction : 3\n',
    b'latency_ms\n1\n2.5\n1e3\n',
]
OPTIONS = ([], [], [], ['--column', 'latency_ms'], ['--unit', 's'], ['--users', 'users'], ['--from', '1500'])


def mutated(draw, data):
    data = bytearray(data)
    for _ in range(draw.randint(1, 2)):
        at = draw.randrange(len(data) + 1)
        piece = draw.choice([b'\t', b',', b'"', b'\n', b'\r', b'-', b'9' * 20, b'e', b'nan', b'\xff', b'\x00', b'',
                             data[:draw.randint(0, 40)]])
        data[at:at + draw.randint(0, 4)] = piece
    return bytes(data)


def test_mutants_are_read_or_refused_with_a_reason():
    draw, read = random.Random(1), 0
    for _ in range(4000):
        given = parse(draw.choice(OPTIONS), 'score SAMPLES', '', score.OPTIONS)
        data = mutated(draw, draw.choice(SEEDS))
        try:
            samples = score.read_samples(io.BytesIO(data), given)
        except BadLine as bad:
            assert str(bad), data
            continue
        read += 1
        assert all(0 <= a.early_ms <= a.late_ms or a.later for a in samples.answers), data
        for name in score.MODELS if samples.answers else ():
            score.RULES[name](samples, {constant: 1.0 for constant in score.models.CONSTANTS})
    assert 400 < read < 3600


def test_transactions_are_known_by_the_words_of_their_message():
    table = ('timeStamp,elapsed,responseMessage\n1,5,"Number of samples in transaction : 3, number of failing samples : 0"\n'
             '2,5,Number of samples in transaction : 0\n3,5,OK\n')
    samples = score.read_samples(io.BytesIO(table.encode()), parse([], 'score SAMPLES', '', score.OPTIONS))
    assert (len(samples.answers), samples.transactions) == (3, 1)
