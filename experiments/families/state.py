# SPDX-License-Identifier: GPL-3.0-or-later
"""How many repeats of a cell there are."""

COLUMNS = '''
state   State   - count:measured - text -
repeats Repeats - count:complete - 0    -
failed  Failed  - count:failed   - 0    lower
marked  Flagged - count:flagged  - 0    lower
'''
