#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of the protocols experiment made by hand: make_protocols.py FOLDER. Three repeats; every figure follows from a rule.

All work together over x11, rdp and nx is the table of Wong & Seltzer (2000, section 6), nx in the place of LBX: its bytes are
our IP bytes, its packets are those that its savings tell (20 bytes each). A quarter of it is text, a quarter drawing, the rest
pages; the second repeat has 900 bytes more on the wire in the display channel of each work, the third 900 fewer. ssh is a
terminal: keys only. xpra: text failed once, drawing was another work once, pages always. A key takes 2 + 1 packets: of x11 64
bytes in and 60 out. Its latency stands in `session`, and is 1 ms more in the second repeat and 1 ms less in the third."""
import json, os, sys

run = sys.argv[1]
REPEATS, KEYS, IDLE_S = 3, 50, 20
#           IP bytes in, out         messages         packets: of the savings
PAPER = {'x11': (2749328, 14183842, 19345, 20797, 41819), 'rdp': (196343, 2049132, 1155, 2422, 3802),
         'nx': (1478341, 8137445, 18888, 74618, 93506)}


def write(path, what):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        json.dump(what, f)


def channel(ip, packets, messages, payload, more=0):
    wire = ip + 14 * packets + more
    return {'packets': packets, 'ip_bytes': ip, 'wire_bytes': wire, 'payload_bytes': payload, 'messages': messages}


def tap(inp, out, seconds, tls=0, acks=(0, 0)):
    total = {k: inp[k] + out[k] for k in inp}
    return {'schema': 'thinprobe.prototap/1', 'result': {
        'channels': {'input': inp, 'display': out, 'total': total},
        'headers': {'ethernet_header_bytes': 14 * total['packets'], 'ip_header_bytes': 20 * total['packets'],
                    'tcp_header_bytes': 32 * total['packets'], 'udp_header_bytes': 0},
        'acks': {'pure': sum(acks), 'input': {'pure': acks[0]}, 'display': {'pure': acks[1]}},
        'tls': {'header_bytes': tls, 'seal_bytes': 0}, 'capture': {'duration_s': seconds}}}


cells = []


def cell(protocol, part):
    name = f"{protocol.replace(':', '-')}-{part}"
    cells.append({'name': name, 'parameters': {'protocol': protocol, 'part': part}, 'state': 'complete', 'complete': REPEATS,
                  'flags': []})
    return [f'{run}/cells/{name}/{n}' for n in range(1, REPEATS + 1)]


def end(folder, n, state='complete', picture=None, marked='', restless=False):
    what = {'schema': 'thinprobe.cell/1', 'parameters': {}, 'repeat': n, 'state': state,
            'reason': '' if state == 'complete' else 'it broke', 'restless': restless, 'marked': marked}
    if picture is not None:
        what['picture'] = {'reference': 'x11', 'differs_percent': picture, 'same': picture <= 0.1}
    write(f'{folder}/cell.json', what)


def session(protocol, setup, window, idle, key, latency, tls=0):
    for n, folder in enumerate(cell(protocol, 'session'), 1):
        write(f'{folder}/setup.json', tap(channel(setup, 10, 5, setup // 2), channel(3 * setup, 20, 10, setup), 1.0))
        if window:
            write(f'{folder}/window.json', tap(channel(window, 5, 5, 0), channel(window, 5, 5, 0), 1.0))
        write(f'{folder}/idle.json', tap(channel(idle, 2 if idle else 0, 0, 0), channel(0, 0, 0, 0), 1.0))
        inp = channel(KEYS * (2 * 52 + key[0]), KEYS * 2, KEYS * 2, KEYS * key[0])
        out = channel(KEYS * (2 * 52 + key[1]), KEYS * 2, KEYS, KEYS * key[1])
        write(f'{folder}/keys.json', tap(inp, out, 2.5, tls=tls * KEYS, acks=(0, KEYS)))
        ms = {1: 0, 2: 1, 3: -1}[n] + latency
        write(f'{folder}/keyrepeat.json', {'schema': 'thinprobe.keyrepeat/1', 'result': {
            'latency_from_due_ms': {'p50': ms, 'p95': 2 * ms}, 'late_share_percent': 10.0 if latency > 40 else 0.0}})
        end(folder, n)


def part_of(whole, work):
    """A quarter, a quarter, the rest, in whole numbers."""
    return whole // 4 if work != 'browse' else whole - 2 * (whole // 4)


def works(protocol, table, share=1):
    ip_in, ip_out, m_in, m_out, packets = (v // share for v in table)
    for work in ('text', 'draw', 'browse'):
        for n, folder in enumerate(cell(protocol, work), 1):
            p = part_of(packets, work)
            inp = channel(part_of(ip_in, work), p // 3, part_of(m_in, work), part_of(ip_in, work) // 2)
            out = channel(part_of(ip_out, work), p - p // 3, part_of(m_out, work), part_of(ip_out, work) // 2,
                          {1: 0, 2: 900, 3: -900}[n])
            write(f'{folder}/prototap.json', tap(inp, out, 20.0))
            if protocol != 'xpra':
                marked = 'others had it' if (protocol, work, n) == ('nx', 'draw', 1) else ''
                end(folder, n, picture=0.0 if protocol == 'x11' else 0.02, marked=marked)
            elif work == 'text':
                end(folder, n, state='failed' if n == 1 else 'complete', picture=None if n == 1 else 0.01)
            else:
                end(folder, n, picture=3.5 if work == 'browse' or n == 2 else 0.03, restless=n == 3)


session('x11', 1000, 50000, 0, (64, 60), 30)
works('x11', PAPER['x11'])
session('rdp', 5000, 2000, 0, (54, 98), 10, tls=15)
works('rdp', PAPER['rdp'])
session('nx', 2000, 10000, 0, (16, 8), 31)
works('nx', PAPER['nx'])
session('xpra', 20000, 3000, 500, (65, 330), 60)
works('xpra', PAPER['x11'], share=2)
session('ssh', 3000, 0, 0, (36, 52), 20)

write(f'{run}/run.json', {
    'schema': 'thinprobe.run/1', 'experiment': 'protocols', 'version': '0', 'state': 'complete', 'command': 'by hand',
    'started': '2026-01-01T00:00:00Z', 'ended': '2026-01-01T01:00:00Z',
    'settings': {'protocol': 'x11', 'protocols': ['x11', 'rdp', 'nx', 'xpra', 'ssh'], 'works': ['text', 'draw', 'browse'],
                 'keys': KEYS, 'rate_per_s': 20, 'idle_seconds': IDLE_S, 'repeats': REPEATS, 'seed': 1,
                 'link': '100Mbit', 'quick': False,
                 'picture': {'differs_percent': 0.1, 'steps': 48}, 'on': 'lab'},
    'axes': ['protocol', 'part'], 'cells': cells,
    'protocols': {'x11': {'says': 'remote X', 'compression': 'none', 'encryption': 'none'}},
    'lab': {'shared_cpus': False, 'cpus_server': '0', 'cpus_client': '1', 'missing': ['spice: Xspice is missing']},
    'host': {}, 'counts': {'total': REPEATS * len(cells), 'complete': REPEATS * len(cells) - 1}})
