#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of the startup experiment made by hand: make_starts.py FOLDER. Two applications, two devices, two steps of each axis, three
repeats.

Times follow from a rule that the tests know: editor T0 1000, 1010, 990 and again 1000, 1010, 990 (median 1000); used on file: T0 +
20; on the slow device T0 + 400 (100 MB) and T0 + 420 (200 MB), of which T_IO 100; left on the slow device: 50 MB T0 + 9000 with
T_IO 3000, 25 MB one start at the ceiling; beside 1 and 4 sinks T0 x 2 and x 5; from a disk that others read from 3000 and 9000. A
file of the size in swap takes 4 ms a MB on the slow device. browser: twice as long, no cells under pressure but one failed."""
import json, os, sys

run = sys.argv[1]
CEILING_S = 30


def write(path, what):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        json.dump(what, f)


def one(ms, io=0.0, events=(), state='stable', swap_in=0):
    return {'state': state, 'mapped_ms': ms and ms / 2, 'first_paint_ms': ms and ms * 0.75, 'stable_ms': ms, 't_io_ms': io,
            'swap_in_bytes': swap_in, 'swap_out_bytes': 2 * swap_in, 'major_faults': 7,
            'minor_faults': 1000, 'read_requests': 3,
            'events': [{'name': n, 'state': 'stable' if t else 'no_change', 'first_change_ms': t and t / 2, 'stable_ms': t}
                       for n, t in events]}


cells = []


def cell(app, start, axis, step, swap, repeats, memory=None, **more):
    name = f"{app}-{start}-{axis}-{swap.replace(':', '-')}-{step}"
    complete = sum(1 for runs in repeats if runs)
    cells.append({'name': name, 'parameters': {'app': app, 'start': start, 'axis': axis, 'swap': swap, 'step': step},
                  'state': 'complete' if complete == len(repeats) else 'partial', 'complete': complete, 'flags': []})
    for number, runs in enumerate(repeats, 1):
        folder = f'{run}/cells/{name}/{number}'
        state = 'complete' if runs else 'failed'
        write(f'{folder}/cell.json', {'schema': 'thinprobe.cell/1', 'parameters': {}, 'repeat': number, 'state': state, 'reason': ''
                                      if runs else 'the hog was ended', 'memory': memory, **{k: v(number) for k, v in more.items()},
                                      'foreign_percent': 0.5, 'steal_percent': 0.0, 'marked': ''})
        if runs:
            write(f'{folder}/startup.json', {'result': {'runs': runs}})


jitter = (0, 10, -10)
used = {'swap_used_bytes': 100e6, 'left_bytes': 0}
cell('editor', 'warm', 'none', 0, 'none', [[one(1000 + j, events=[('File/Open', 100.0), ('-close', 5.0), ('a key', 10.0)])
                                            for _ in range(2)] for j in jitter])
for step in (100, 200):
    cell('editor', 'warm', 'used', step, 'file', [[one(1020 + j, io=5.0, swap_in=4e6)] for j in jitter],
         {'swap_used_bytes': step * 1e6, 'left_bytes': 0})
for step in (100, 200):
    cell('editor', 'warm', 'used', step, 'slow:2.5ms', [[one(1400 + step / 5 - 20 + j, io=100.0, swap_in=4e6)] for j in jitter],
         {'swap_used_bytes': step * 1e6, 'left_bytes': 0}, file_ms=lambda number: step * 4 + jitter[number - 1])
cell('editor', 'warm', 'left', 50, 'slow:2.5ms', [[one(10000 + j, io=3000.0)] for j in jitter],
     {'swap_used_bytes': 1e6, 'left_bytes': 50e6})
cell('editor', 'warm', 'left', 25, 'slow:2.5ms', [[one(20000, io=5000.0, events=[('File/Open', 700.0), ('a key', 0.0)])],
                                                  [one(None, state='ceiling')],
                                                  [one(25000, io=5000.0, events=[('File/Open', 900.0)])]],
     {'swap_used_bytes': 1e6, 'left_bytes': 25e6})
for step in (1, 4):
    cell('editor', 'warm', 'loads', step, 'none', [[one(1000 * (step + 1) + j)] for j in jitter])
for step, ms in (0, 3000), (100, 9000):
    cell('editor', 'cold', 'reads', step, 'none', [[one(ms + j)] for j in jitter],
         facts=lambda number: {'load_reads_per_s': step * 0.98})
cell('browser', 'warm', 'none', 0, 'none', [[one(2000 + j)] for j in jitter])
cell('browser', 'warm', 'used', 100, 'file', [[one(None, state='exited')], [], [one(2500)]])
cell('browser', 'cold', 'none', 0, 'none', [[one(6000 + j)] for j in jitter])

times = {'key': 0.28, 'point': 1.1, 'button': 0.1, 'home': 0.4, 'mental': 1.35}
event = lambda path, count, shortcut='': {'application': 'editor', 'path': path, 'count': count, 'shortcut': shortcut}
write(f'{run}/run.json', {
    'schema': 'thinprobe.run/1', 'experiment': 'startup', 'version': '0', 'started': '2026-01-01T00:00:00Z',
    'ended': '2026-01-01T01:00:00Z', 'state': 'complete', 'command': 'by hand',
    'settings': {'protocol': 'vnc', 'apps': ['editor', 'browser'], 'axes': ['used', 'left', 'loads', 'reads'],
                 'swaps': ['file', 'slow:2.5ms'], 'repeats': 3, 'threshold_ms': 1000, 'ceiling_s': CEILING_S,
                 'server_memory': '384M', 'swap_size': '1G', 'seed': 1, 'quick': False,
                 'model': {'times_s': times, 'tolerance_s': 1, 'beta': 2, 'classes': [
                     {'class': 'one', 'events': [event('start', 2), event('File/Open', 3, 'ctrl+o'), event('a key', 9)]},
                     {'class': 'two', 'events': [event('File/Open', 4, 'ctrl+o'), event('start', 1), event('Edit/Find', 1)]}]}},
    'applications': {'editor': {'kind': 'editor', 'program_bytes': 14568, 'files': 100, 'files_bytes': 90e6, 'rss_bytes': 42e6,
                                'pss_bytes': 20e6, 'anonymous_bytes': 12e6, 'version': '1.0'}},
    'lab': {'shared_cpus': False, 'cpus_server': '0', 'cpus_client': '1', 'missing': []}, 'host': {},
    'protocol': {'server': 'Xvnc', 'version': '1'}, 'axes': ['app', 'start', 'axis', 'swap', 'step'], 'cells': cells,
    'counts': {'total': 3 * len(cells), 'complete': 3 * len(cells) - 1, 'missing': 1, 'marked': 0}})
