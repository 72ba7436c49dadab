# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures whose packets matter, not their content: several connections, acknowledgements, losses, a published table in small."""
import os

from packets import ACK, FIN, PSH, SERVER, SYN, Capture, ethernet, ipv6, quad, tcp


def make_connections(folder):
    """SPICE in small: three connections to one port, from two client ports on, over IPv4 and IPv6."""
    all_packets = []
    for i in range(3):
        c = Capture(("10.0.0.1", 40000 + i), ("10.0.0.2", 5900), seq=(1000 * i, 9000 + i)).start(10 * i)
        for k in range(4):
            c.send(100 + 300 * k + i, 0, b"k" * (5 + i), ACK | PSH)
            c.send(110 + 300 * k + i, 1, b"e" * (50 * (i + 1)), ACK | PSH)
            c.send(111 + 300 * k + i, 0)
        all_packets += c.packets
    ends = ("", 40010), ("", 5900)
    for i, (side, flags, payload) in enumerate(((0, SYN, b""), (1, SYN | ACK, b""), (0, ACK, b""), (0, ACK | PSH, b"k" * 9),
                                                (1, ACK | PSH, b"e" * 700))):
        seq, ack = (1 + (i > 2) - (i == 0), 1) if side == 0 else (1 if i > 1 else 0, 1)
        body = tcp(ends[side], ends[1 - side], seq, ack, flags, payload)
        frame = ethernet(ipv6(1 + side, 2 - side, body), 0x86DD)
        all_packets.append((round((20 + 50 * i) * 10**6), frame, len(frame)))
    c = Capture()
    c.packets = sorted(all_packets, key=lambda p: p[0])
    c.pcap(os.path.join(folder, "several.pcap"))


def make_acks(folder):
    """The client answers data after 0.2 ms, twice held back for 40 ms, once for 29; and once after 3 s, which nobody holds back
    for."""
    c = Capture().start()       # the SYN is answered in 1 ms, and so is the SYN of the server
    for ms, wait in ((100, 0.2), (200, 40.2), (300, 29), (400, 40.2), (500, 3000), (4000, 0.2)):
        c.send(ms, 1, b"d" * 100, ACK | PSH)
        c.send(ms + wait, 0)
    c.send(4100, 0)             # a window update: pure, but it acknowledges nothing new
    c.send(4200, 0, b"k" * 8, ACK | PSH)
    c.send(4250, 1, b"e" * 50, ACK | PSH)     # carries data: not pure, however late
    c.pcap(os.path.join(folder, "acks.pcap"))


def make_lossy(folder):
    """What tshark calls retransmissions: a timeout's, a fast one, one of data that had not come by; and a keep-alive, which is
    none."""
    c = Capture().start()
    for i in range(12):
        c.send(10 + i, 1, bytes([65 + i]) * 500, ACK | PSH)
        c.send(10.5 + i, 0)
    c.send(300, 1, b"K" * 500, ACK | PSH, seq=5000)          # the last but one again, after 280 ms
    c.send(301, 0)
    c.send(400, 0, b"k" * 8, ACK | PSH)
    c.send(700, 0, b"k" * 8, ACK | PSH, seq=0)               # the key again
    c.send(701, 1)
    c.send(800, 1, b"M" * 500, ACK | PSH)
    c.send(1100, 1, b"M" * 500, ACK | PSH, seq=6000)
    c.send(1101, 0)
    c.send(1200, 1, b"M", ACK, seq=6499)
    c.pcap(os.path.join(folder, "lossy.pcap"))


def of_server(packets):
    return [p for p in packets if p[1][26:30] == quad(SERVER[0])]


def updates(c, ms, n, lost=(), ack=True):
    """Adds n updates of 500 bytes, one each 50 ms; of `lost` the packets are not in the capture."""
    for i in range(n):
        c.send(ms + 50 * i, 1, b"u" * 500, ACK | PSH)
        if i in lost:
            c.packets.pop()
        elif ack:
            c.send(ms + 50 * i + 0.1, 0)
    return c


def joined(folder, name, *packets):
    c = Capture()
    c.packets = sorted((p for some in packets for p in some), key=lambda p: p[0])
    c.pcap(os.path.join(folder, name))


def make_holes(folder):
    """What a capture lost of connections whose other side it does not see, or which goes silent."""
    # One direction: of 400 updates the 41st is lost. 399, one gap of 100 ms. The same at a millisecond, 4,000 of them, the 41st and
    # 2,001st lost.
    joined(folder, "one_way.pcap", of_server(updates(Capture().start(), 1000, 400, [40]).packets))
    fast = Capture().start()
    for i in range(4000):
        fast.send(1000 + 20 * i, 1, b"u" * 500, ACK | PSH)
        if i in (40, 2000):
            fast.packets.pop()
    joined(folder, "one_way_fast.pcap", of_server(fast.packets))
    # Lost on the way, and sent again after 240 ms: 40 updates, one of what had waited for it (41 to 45), and 55 more.
    c = updates(Capture().start(), 1000, 100, [40])
    c.send(1000 + 50 * 40 + 240, 1, b"u" * 500, ACK | PSH, seq=500 * 40)
    joined(folder, "one_way_resent.pcap", of_server(c.packets))
    # Two connections with updates in turn, after 20 and 30 ms. The first has 20, of which the 19th is lost, goes silent, and is
    # there again at
    # 15 s with one: 400 + 19 + 1 updates.
    first = updates(Capture().start(), 1020, 18)
    updates(first, 1020 + 50 * 18, 2, [0], ack=False)
    again = updates(Capture(seq=(700000, 900000)).start(15000), 15020, 1)
    joined(folder, "late_hole.pcap", first.packets, updates(Capture(("10.0.0.1", 40001)).start(), 1000, 400).packets, again.packets)
    # The same four numbers twice, 50 updates each: of the server only, below and above the first one's numbers; without the second
    # SYN; and
    # where the first began before the capture and has no end.
    for name, seq in (("below", 2**32 - 90000000), ("above", 800000000)):
        both = []
        for ms, of in ((0, (1000, 5000)), (30000, (90000, seq))):
            c = updates(Capture(seq=of).start(ms), ms + 1000, 50)
            for side in (0, 1):
                c.send(ms + 9000 + side, side, flags=ACK | FIN)
            both.append(c.packets)
        joined(folder, f"one_way_{name}.pcap", of_server(both[0] + both[1]))
        joined(folder, f"no_syn_{name}.pcap", both[0], both[1][1:])
        joined(folder, f"no_handshake_{name}.pcap", both[0], both[1][3:])
        joined(folder, f"no_end_{name}.pcap", both[0][3:-2], both[1])


def spread(total, parts):
    """`total` in `parts` whole numbers that differ by one at most."""
    return [total // parts + (i < total % parts) for i in range(parts)]


def make_paper(folder):
    """The RDP column of Wong and Seltzer (2000), a seventh of it: 1,155 + 2,422 messages in 3,802 packets, 196,343 + 2,049,132
    bytes become 165 + 346 messages in 543 packets, 28,049 + 292,733 bytes, taken as bytes of IP packets of which 40 are headers.
    320,782 / 511 = 627.75 bytes a message; 20 x 543 / 320,782 = 3.385 %. (docs/protocol-bytes.md)"""
    c = Capture()
    c.base = [1001, 5001]
    c.seq = [1001, 5001]
    ms, packets = 0, {0: [[n] for n in spread(28049 - 165 * 40, 165)]}
    display = spread(292733 - 378 * 40, 378)
    packets[1] = [[display.pop(), display.pop()] for _ in range(32)]     # messages of two packets: the PSH is on the second
    packets[1] += [[n] for n in display]
    for i in range(511):
        side = 0 if (i % 3 == 0 and packets[0]) or not packets[1] else 1
        message = packets[side].pop()
        for j, n in enumerate(message):
            ms += 1
            c.send(ms, side, b"p" * n, ACK | (PSH if j == len(message) - 1 else 0))
    c.pcap(os.path.join(folder, "paper_rdp.pcap"))
