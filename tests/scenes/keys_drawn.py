# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up repeats of keys whose latencies have a known law."""
from array import array

from analysis.key_figures import Train
from analysis.samples import Keys


def train(answers, period_ns, range_ns=0, lost_ns=0, overloaded=False, repeat=1):
    """A key each period_ns. answers: ns from when it was due to its echo, which came up to range_ns later; None: no echo within
    lost_ns."""
    due = array('q', range(period_ns, period_ns * (len(answers) + 1), period_ns))
    answer = array('q', [0 if ns is None else d + ns for d, ns in zip(due, answers)])
    return Train(Keys(due=due, sent=due, answer=answer, high=array('q', [a and a + range_ns for a in answer]),
                      censored=array('q', [0 if a else d + lost_ns for a, d in zip(answer, due)]),
                      earliest=array('q', bytes(8 * len(due))), ranged=range_ns > 0), overloaded, repeat)
