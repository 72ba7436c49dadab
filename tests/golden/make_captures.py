#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the hand-made captures that prototap is held against, byte by byte. usage: make_captures.py FOLDER

What prototap must say of each stands in prototap.expected, and why, here. Client 10.0.0.1:40000, server 10.0.0.2:5900 unless
said otherwise; times in ms from 1,700,000,000 s. A TCP/IPv4 frame is 14 + 20 + 20 = 54 bytes and its payload.
"""
import bz2
import gzip
import lzma
import os
import struct
import sys

from exchanges import make_holes
from link_captures import make_datagrams, make_fragments, make_links
from packets import (ACK, CLIENT, PSH, RST, SERVER, FIN, Capture, block, cooked, cooked2, ethernet, ipv4, ipv6, pcapng,
                     quad, session, tcp)


def make(folder):
    def at(name):
        return os.path.join(folder, name)

    plain = session()
    for name, how in (("ns", {}), ("us", {"nano": False}), ("big_endian", {"order": ">"})):
        plain.pcap(at(f"plain_{name}.pcap"), **how)
    # Two interfaces of the same link type, one in microseconds, one in nanoseconds; the packets go to both in turn. Nothing else
    # changes.
    pcapng(at("plain.pcapng"), [(1, None), (1, 9)], [(i % 2, ns, f, o) for i, (ns, f, o) in enumerate(plain.packets)])
    # Interface statistics at the end, as dumpcap writes them: isb_ifdrop (5) of 7 on interface 0 and of 5 on interface 1.
    def statistics(interface, drops):
        return block(5, struct.pack("<III", interface, 0, 0) + struct.pack("<HHQ", 5, 8, drops) + struct.pack("<HH", 0, 0))
    pcapng(at("drops.pcapng"), [(1, None), (1, 9)], [(0, *p) for p in plain.packets], statistics(0, 7) + statistics(1, 5))
    # Interfaces of several link types and snap lengths, all packets of the fourth: as plain. The session in two sections of
    # different byte order, 7 and
    # 5 packets lost in the first; and in simple packet blocks, which have no time.
    pcapng(at("interfaces.pcapng"), [(1, 9, 262144), (113, 9), (0, 9, 96), (1, None, 128)], [(3, *p) for p in plain.packets])
    pcapng(at("sections.pcapng"), [(1, None), (1, 9)], [(0, *p) for p in plain.packets[:5]], statistics(0, 7) + statistics(1, 5))
    pcapng(at("sections.pcapng"), [(1, 9)], [(0, *p) for p in plain.packets[5:]], order=">", mode="ab")
    pcapng(at("untimed.pcapng"), [(1, None)], [], b"".join(block(3, struct.pack("<I", o) + f) for _, f, o in plain.packets))
    # The same session in two files, one for each direction: merged by time it is the same session again.
    for side in (0, 1):
        half = Capture()
        half.packets = [p for p in plain.packets if (p[1][26:30] == quad(CLIENT[0])) == (side == 0)]
        half.pcap(at(f"half_{side}.pcap"))
    # Not in the order of time: the session's second half first; the echo behind all others. And four keys from 10 to 40 ms, where
    # the
    # clock was set back by 25 ms before the third: TCP's order tells that, so that no packet is moved; 0 to 20 ms.
    def put(name, packets):
        c = Capture()
        c.packets = packets
        c.pcap(at(name))
    put("second_half_first.pcap", plain.packets[5:] + plain.packets[:5])
    pcapng(at("written_late.pcapng"), [(1, 9), (1, 9)], [(0, *p) for p in plain.packets[:4] + plain.packets[5:]]
           + [(1, *plain.packets[4])])
    keys = Capture().start()
    for ms in (10, 20, 5, 15):
        keys.send(ms, 0, b"k")
    keys.pcap(at("set_back.pcap"))
    # Keys at 10 to 100 ms, one of them stamped 3 s late, another one 3 s early: the clock was not set.
    stray = Capture().start()
    for ms in (10, 20, 3030, 40, 50, 60, 70 - 3000, 80, 90, 100):
        stray.send(ms + 3000, 0, b"k")
    stray.pcap(at("stray.pcap"))
    # One packet belongs before 18 MB of others: it cannot be put there.
    far = Capture().start()
    far.send(10, 1, b"e" * 1000)
    for i in range(300):
        far.send(20 + i, 1, b"e" * 60_000)
    put("far.pcap", far.packets[:3] + far.packets[4:] + far.packets[3:4])
    # The last record says 54 bytes, 20 of them are gone: 8 packets (input 5: 280 wire), then the damage.
    plain.pcap(at("damaged.pcap"), cut=20)

    # Cooked: no Ethernet header in the file, 16 or 20 bytes instead, but an Ethernet device (1) had one: all figures as in plain.
    session(wrap=cooked).pcap(at("cooked.pcap"), link=113)
    session(wrap=cooked2).pcap(at("cooked2.pcap"), link=276)
    # A tunnel (ARPHRD_NONE, 65534) has none: wire bytes are IP bytes, 470 in all.
    session(wrap=lambda body: cooked(body, 65534)).pcap(at("cooked_tunnel.pcap"), link=113)

    # Cut to 48 bytes (14 of TCP are kept): lengths are the original ones, so all is as in plain; 9 packets truncated.
    cut = session()
    cut.packets = [(ns, f[:48], o) for ns, f, o in cut.packets]
    cut.pcap(at("snap48.pcap"), snaplen=48)
    # To 47: the TCP flags are gone. 9 packets too short, none selected.
    cut.packets = [(ns, f[:47], o) for ns, f, o in cut.packets]
    cut.pcap(at("snap47.pcap"), snaplen=47)

    # IPv6: a key of 10 behind a hop-by-hop header of 8, an echo of 100 behind a destination header of 16 and an atomic fragment
    # header of 8.
    # Input 14 + 40 + 8 + 20 + 10 = 92 wire, 78 IP. Display 14 + 40 + 24 + 20 + 100 = 198 wire, 184 IP. No IPv4: no vip_saving.
    six = Capture()
    ends = ("", 40000), ("", 5900)
    six.raw(0, ethernet(ipv6(1, 2, bytes([6, 0, 1, 4, 0, 0, 0, 0]) + tcp(*ends, 1, 1, ACK | PSH, b"k" * 10), 0), 0x86DD))
    six.raw(9, ethernet(ipv6(2, 1, bytes([44, 1] + [0] * 14) + bytes([6, 0, 0, 0, 0, 0, 0, 1])
                             + tcp(ends[1], ends[0], 1, 11, ACK | PSH, b"e" * 100), 60), 0x86DD))
    six.pcap(at("ipv6.pcap"))

    # Retransmission: the echo (bytes 0-99) comes twice, and then bytes 50-149 of which 50 are new. Display: payload 150 in 2
    # messages
    # (the new part ends in PSH again), retransmitted 2 packets, 100 + 50 bytes. Packets: 1 + 3; wire 54 + 3 x 154 = 516.
    c = Capture().start()
    c.send(10, 1, b"a" * 100, ACK | PSH)
    c.send(210, 1, b"a" * 100, ACK | PSH, seq=0)
    c.send(220, 1, b"a" * 100, ACK | PSH, seq=50)
    c.pcap(at("retransmitted.pcap"))

    # Out of order: bytes 100-199 (PSH), 200-299 (no PSH) come before 0-99 (PSH), then 300-399 (PSH). In order: three messages:
    # 0-99, 100-199, 200-399. One packet came late. All that waited counts at 30 ms: updates at 30 (it joins 35).
    c = Capture().start()
    c.send(10, 1, b"b" * 100, ACK | PSH, seq=100)
    c.send(20, 1, b"c" * 100, ACK, seq=200)
    c.send(30, 1, b"a" * 100, ACK | PSH, seq=0)
    c.send(35, 1, b"d" * 100, ACK | PSH, seq=300)
    c.pcap(at("out_of_order.pcap"))

    # A hole: 0-99 never was captured, but the client acknowledges 200 at 30 ms. 100 bytes are missing, 100 + 50 counted: two
    # messages.
    c = Capture().start()
    c.send(10, 1, b"b" * 100, ACK | PSH, seq=100)
    c.send(30, 0, ack=200)
    c.send(31, 1, b"c" * 50, ACK | PSH, seq=200)
    c.pcap(at("missing.pcap"))

    # A hole until the end: 0-99 at 10 ms, 200-299 waits from 15 ms on, since nobody acknowledges it. It is counted with the
    # connection's last
    # packet, at 70 ms: updates at 10 and 70, one gap of 60.
    c = Capture().start()
    c.send(10, 1, b"a" * 100, ACK | PSH)
    c.send(15, 1, b"c" * 100, ACK | PSH, seq=200)
    c.send(70, 0, ack=100)
    c.pcap(at("never_closed.pcap"))

    # The sequence number wraps inside the second of three segments: 300 bytes, three messages, nothing repeated, nothing missing;
    # then a retransmission from before the wrap (100 bytes old).
    c = Capture(seq=(1000, 2**32 - 151)).start()
    for i in range(3):
        c.send(10 + i, 1, b"w" * 100, ACK | PSH)
    c.send(20, 1, b"w" * 100, ACK | PSH, seq=0)
    c.pcap(at("wrap.pcap"))

    # Messages. Display: [10: 100 no PSH][11: 100 PSH] one; [20: 100 no PSH] ended by [21: input 5 no PSH]; [30: 100 no PSH] is a
    # new one
    # (direction changed), pause of exactly 200 ms, [230: 100 no PSH] still the same, then a pause of 200.001: [430.001: 100 no PSH]
    # new.
    # Display 4 messages of 600 bytes, mean 150. Input: the one at 21 and one at 500 (no PSH either): 2 messages of 10.
    c = Capture().start()
    for ms, side, flags in ((10, 1, 0), (11, 1, PSH), (20, 1, 0), (21, 0, 0), (30, 1, 0), (230, 1, 0),
                            (430.001, 1, 0), (500, 0, 0)):
        c.send(ms, side, b"m" * (100 if side else 5), ACK | flags)
    c.pcap(at("messages.pcap"))

    # Updates (merge 10 ms, period 50 ms), each message one packet with PSH:
    #   100, 109.999 (linked)                   update at 100
    #   119.999 (exactly 10: not below)         update at 119.999
    #   170, 175, 182, ... every 7 ms to 231    170 and all up to 220 = 170 + 50 join (170 175 182 189 196 203 210 217); 224 begins
    # one:
    #                                           224, 231                   updates at 170 and 224
    #   300                                     update at 300
    # 5 updates at 100 119.999 170 224 300: gaps 19.999 50.001 54 76: sum 200, mean 50, mean stall 0; stalls over 0: 0.001 4 26:
    # three, mean
    # 10.000333, max 26. Deviations from 50: -30.001 0.001 4 26: squares 900.060001 + 0.000001 + 16 + 676 = 1592.060002 / 3 =
    # 530.686667, sd 23.037.
    # With a period of 20: 100 109.999 | 119.999 | 170 .. 189 | 196 .. 210 | 217 .. 231 | 300: 6; merge 20 as well: 100 .. 119.999
    # is one: 5.
    # Merge 5: 9.999, 5 and 7 are not below 5: every message its own: 2 + 1 + 10 + 1 = 14. Merge 20: 100 109.999 119.999 | 170.. 217
    # | 224 231 | 300: 4.
    c = Capture().start(0)
    for ms in (100, 109.999, 119.999, 170, 175, 182, 189, 196, 203, 210, 217, 224, 231, 300):
        c.send(ms, 1, b"u" * 50, ACK | PSH)
    c.pcap(at("updates.pcap"))

    # One message of four packets without PSH until the last, 0 30 60 90 ms after its first at 100; the next one at 195 links to its
    # last
    # packet (190 + 5 < 10) but begins 95 > 50 ms after its first: a second update.
    c = Capture().start(0)
    for ms, flags in ((100, 0), (130, 0), (160, 0), (190, PSH), (195, PSH)):
        c.send(ms, 1, b"l" * 50, ACK | flags)
    c.pcap(at("long_message.pcap"))

    # Updates at 100 and 200, and none any more: keys at 300 and 400, the latter again at 1400. The open gap is at least 1300 - 100
    # = 1200 long.
    # With a connection that is closed 0.1 s after its one key, there is none.
    c = Capture().start(0)
    for ms, side in ((100, 1), (200, 1), (300, 0), (400, 0)):
        c.send(ms, side, b"u" * 50, ACK | PSH)
    closed = list(c.packets[:-1])
    c.send(1400, 0, b"u" * 50, ACK | PSH, seq=50)
    c.pcap(at("frozen.pcap"))
    c.packets = closed
    c.send(400, 0, flags=ACK | FIN)
    c.pcap(at("left.pcap"))

    # A container's published port, with "any": the session before and after the translation of 10.0.0.2 to 172.17.0.2.
    translated = Capture()
    for ns, frame, original in plain.packets:
        away = 26 if frame[26:30] == quad(SERVER[0]) else 30
        both_ways = [(ns, frame, original), (ns + 9000, frame[:away] + quad("172.17.0.2") + frame[away + 4:], original)]
        if away == 26:
            both_ways = [(ns, both_ways[1][1], original), (ns + 9000, frame, original)]
        translated.packets += both_ways
    translated.pcap(at("translated.pcap"))

    # What holds a sender up. 10 times 20 kB, which are acknowledged 100 ms later, and 0.1 ms behind that the next 20 kB. 5 times
    # 100 bytes that are
    # acknowledged 40 ms later, and the rest at once; but not where it comes 20 ms later, or behind a key. A window that is closed
    # for 2 s, until the end 1.
    c = Capture().start()
    for i in range(11):
        for part in range(20):
            c.send(100 + 100.1 * i + part / 1000, 1, b"w" * 1000)
        c.send(200 + 100.1 * i, 0)
    for i, (wait, key) in enumerate(((0.1, False),) * 5 + ((20, False), (0.1, True))):
        c.send(2000 + 300 * i, 1, b"n" * 100, ACK | PSH)
        c.send(2040 + 300 * i, 0)
        if key:
            c.send(2040 + 300 * i, 0, b"k", ACK | PSH)
        c.send(2040 + 300 * i + wait, 1, b"n" * 100, ACK | PSH)
        c.send(2060.1 + 300 * i, 0)
    for ms, window in ((5000, 0), (6000, 0), (7000, 9), (8000, 0), (9000, 0)):
        c.send(ms, 0, window=window)
    c.pcap(at("held.pcap"))

    # Remote X: the application (the server's side, 10.0.0.9) connects to display :1 (10.0.0.8:6001). What it sends is the display
    # channel:
    # 6 packets, 10 payload; 3 packets and 100 of payload are input.
    session(client=("10.0.0.9", 40000), server=("10.0.0.8", 6001)).pcap(at("x11.pcap"))
    # A display number over 63 must be named: x11:6091.
    session(client=("10.0.0.9", 40000), server=("10.0.0.8", 6091)).pcap(at("x11_91.pcap"))

    # A RST may say why, in words that are no data (RFC 9293, 3.5.3): 10 + 100 bytes in two messages, 54 and 24 of the last frame.
    c = session()
    del c.packets[-3:]
    c.send(40, 1, b"no such screen, sorry!!!", ACK | RST)
    c.pcap(at("reset_words.pcap"))

    # The same four numbers used twice: two connections. The second one's numbers begin anew, nothing is repeated or missing.
    again = session(seq=(90000, 70000))
    both = session()
    both.packets += [(ns + 10**9, f, o) for ns, f, o in again.packets]
    # In between both a SYN that is sent twice is one connection (another packet, so with another identification).
    both.packets.insert(0, Capture().start().packets[0])
    both.pcap(at("reused.pcap"))
    # A replay: the same numbers after both ends, so two connections as well.
    both = session()
    both.packets += [(ns + 10**9, f, o) for ns, f, o in both.packets]
    both.pcap(at("replayed.pcap"))

    # No handshake captured, no port asked for: the lower port is the server's. Here the server is 443 and sends first.
    c = Capture(("10.0.0.1", 40000), ("10.0.0.3", 443))
    c.base = [1001, 5001]
    c.send(0, 1, b"s" * 20, ACK | PSH)
    c.send(5, 0, b"c" * 30, ACK | PSH)
    c.pcap(at("midstream.pcap"))

    # What is no segment of ours: ICMP, ARP, a later fragment, another port; behind an MPLS label, an acknowledgement that is (58);
    # and malformed: an IP header of 16 bytes, a total length beyond the frame,
    # a TCP header of 16 bytes, one beyond the packet, an Ethernet frame of 10 bytes, IPv6 ending inside an extension header. One
    # good packet of 54 + 1.
    c = Capture()
    c.base = [1001, 5001]
    c.send(0, 0, b"k", ACK | PSH)
    good = tcp(CLIENT, SERVER, 1, 1, ACK)
    c.raw(1, ethernet(ipv4(CLIENT, SERVER, bytes(8), protocol=1)))
    c.raw(2, ethernet(bytes(28), 0x0806))
    c.raw(3, ethernet(ipv4(CLIENT, SERVER, good, fragment=100)))
    c.raw(4, ethernet(b"\0\0\x01\x40" + ipv4(CLIENT, SERVER, good), 0x8847))
    c.raw(5, ethernet(ipv4(CLIENT, ("10.0.0.2", 22), tcp(CLIENT, ("10.0.0.2", 22), 1, 1, ACK))))
    c.raw(6, ethernet(ipv4(CLIENT, SERVER, good, first=0x44)))
    c.raw(7, ethernet(ipv4(CLIENT, SERVER, good, length=1000)))
    c.raw(8, ethernet(ipv4(CLIENT, SERVER, good[:12] + b"\x40" + good[13:])))
    c.raw(9, ethernet(ipv4(CLIENT, SERVER, good[:12] + b"\xf0" + good[13:])))
    c.raw(10, ethernet(b"")[:10])
    c.raw(11, ethernet(ipv6(1, 2, bytes([6, 9, 0, 0, 0, 0, 0, 0]), 0), 0x86DD))
    c.pcap(at("odd.pcap"))

    # Padded to 60 bytes by the sender's card: wire 60, IP 40, padding 6. Segmentation offload leaves IP length 0: 54 + 3000 of
    # payload.
    c = Capture()
    c.base = [1001, 5001]
    c.raw(0, ethernet(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1001, 5001, ACK))) + bytes(6))
    c.raw(1, ethernet(ipv4(SERVER, CLIENT, tcp(SERVER, CLIENT, 5001, 1001, ACK | PSH, b"o" * 3000), length=0)))
    c.pcap(at("padded.pcap"))

    make_links(at)
    make_datagrams(at)
    make_fragments(at)

    # Refused: a link type that nobody asked for (105: 802.11), link types mixed within a file, or between two; no capture at all;
    # one that is empty.
    c.pcap(at("wireless.pcap"), link=105)
    frame = plain.packets[0][1]
    pcapng(at("mixed.pcapng"), [(1, None), (113, None)], [(0, 0, frame, len(frame)), (1, 5, frame, len(frame))])
    open(at("text.pcap"), "w").write("This is no capture.\n" * 10)
    open(at("empty.pcap"), "w").close()
    # Compressed, each in its way (of zstd and lz4 the first bytes).
    data = open(at("plain_ns.pcap"), "rb").read()
    for kind, packed in (("gz", gzip.compress(data, mtime=0)), ("bz2", bz2.compress(data)), ("xz", lzma.compress(data)),
                         ("zst", b"\x28\xb5\x2f\xfd" + bytes(60)), ("lz4", b"\x04\x22\x4d\x18" + bytes(60))):
        open(at("packed.pcap." + kind), "wb").write(packed)
    # No packet at all. Cut: inside the header of the second record (one packet of 54 was read), inside the file header,
    # and pcapng inside its fourth packet (three of 54 were read).
    Capture().pcap(at("none_in_it.pcap"))
    open(at("cut_record.pcap"), "wb").write(data[:24 + 16 + 54 + 7])
    open(at("cut_header.pcap"), "wb").write(data[:20])
    data = open(at("plain.pcapng"), "rb").read()
    open(at("cut.pcapng"), "wb").write(data[:data.index(plain.packets[3][1]) + 11])

    # 3,000 connections of one packet each; number i carries i bytes: 3000 x 54 + 2999 x 3000 / 2 = 4,660,500 on the wire, 2,999
    # messages. The
    # most bytes have 2999 (port 22999), 2998 ... In a table of 100 all but the last 100 had to make room, and none is counted less.
    c = Capture()
    for i in range(3000):
        client = (f"10.1.{i // 250}.{i % 250}", 20000 + i)
        c.raw(i / 10, ethernet(ipv4(client, SERVER, tcp(client, SERVER, 1, 1, ACK | PSH, b"f" * i))))
    c.pcap(at("many.pcap"))
    make_holes(folder)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    make(sys.argv[1])
