#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes captures that lie: malformed, cut, contradictory, endless, or no captures at all; always the same ones. usage: make_hostile.py FOLDER

Every kind of lie comes in every link type that can be read and, where it is one of the file, in every form of file. Prints how many.
"""
import bz2
import gzip
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
from packets import (ACK, CLIENT, FIN, PSH, RST, SERVER, SYN, block, cooked, cooked2, ethernet, ipv4, ipv6, loopback, tagged, tcp, udp)  # noqa: E402

ENDS = ("", 40000), ("", 5900)
# Name, number in the file, what goes around an IPv4 and an IPv6 packet.
LINKS = [
    ("ethernet", 1, ethernet, lambda b: ethernet(b, 0x86DD)),
    ("vlan", 1, tagged((0x88A8, 7), (0x8100, 5)), lambda b: ethernet(b"\0\5\x86\xdd" + b, 0x8100)),
    ("cooked", 113, cooked, lambda b: cooked(b, kind=0x86DD)),
    ("cooked2", 276, cooked2, lambda b: cooked2(b, kind=0x86DD)),
    ("null", 0, loopback, lambda b: loopback(b, 30)),
    ("loop", 108, lambda b: loopback(b, 2, ">"), lambda b: loopback(b, 24, ">")),
    ("raw", 101, bytes, bytes),
    ("only4", 228, bytes, bytes),
    ("only6", 229, bytes, bytes),
]
EDGES = (0, 1, 0x7F, 0x80, 0xFF)
dice = random.Random(20260101)


def pcap(packets, link=1, order="<", magic=0xA1B2C3D4, version=(2, 4), snaplen=65535):
    """packets: frames, or (frame, changes to the record's four numbers)."""
    data = struct.pack(order + "IHHiII", magic, *version, 0, 0, snaplen) + struct.pack(order + "I", link)
    for i, packet in enumerate(packets):
        frame, lies = packet if isinstance(packet, tuple) else (packet, {})
        head = {"s": 1700000000 + i, "us": i, "captured": len(frame), "original": len(frame), **lies}
        data += struct.pack(order + "IIII", *(head[k] % 2**32 for k in ("s", "us", "captured", "original"))) + frame
    return data


def section(order="<", magic=0x1A2B3C4D, version=1, length=-1, total=None):
    body = struct.pack(order + "IHHq", magic, version, 0, length)
    total = 12 + len(body) if total is None else total
    return b"\x0a\x0d\x0d\x0a" + struct.pack(order + "I", total) + body + struct.pack(order + "I", total)


def interface(link=1, options=b"", snaplen=65535):
    return block(1, struct.pack("<HHI", link, 0, snaplen) + options)


def enhanced(frame, number=0, captured=None, original=None, ticks=0, options=b""):
    captured = len(frame) if captured is None else captured
    return block(6, struct.pack("<IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, captured, len(frame) if original is None else original) +
                 frame + bytes(-len(frame) % 4) + options)


def conversation():
    """IPv4 and IPv6 packets, TCP and UDP, that make sense together."""
    four = [ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 999, 0, SYN)), ipv4(SERVER, CLIENT, tcp(SERVER, CLIENT, 4999, 1000, SYN | ACK)),
            ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1000, 5000, ACK | PSH, b"k" * 10)),
            ipv4(SERVER, CLIENT, tcp(SERVER, CLIENT, 5000, 1010, ACK | PSH, b"e" * 100)),
            ipv4(CLIENT, SERVER, udp(CLIENT, SERVER, b"u" * 20), 17),
            ipv4(CLIENT, SERVER, udp(CLIENT, SERVER, b"u" * 24, length=3008), 17, fragment=0x2000),
            ipv4(CLIENT, SERVER, b"u" * 40, 17, fragment=4)]
    six = [ipv6(1, 2, tcp(*ENDS, 1, 1, ACK | PSH, b"k" * 10)), ipv6(2, 1, udp(ENDS[1], ENDS[0], b"u" * 20), 17),
           ipv6(1, 2, bytes([43, 0, 1, 4, 0, 0, 0, 0, 60, 1]) + bytes(14) + bytes([6, 0, 0, 0, 0, 0, 0, 0]) + tcp(*ENDS, 11, 1, ACK | PSH, b"k"), 0),
           ipv6(1, 2, bytes([17, 0, 0, 1, 0, 0, 0, 9]) + udp(*ENDS, b"u" * 8, length=2008), 44)]
    return four, six


def frames_of(link):
    four, six = conversation()
    return [link[2](p) for p in four] + [link[3](p) for p in six]


def with_field(packet, at, value):
    return packet[:at] + value + packet[at + len(value):]


def lies_of_records(frames, link):
    """What the header of a packet in the file may say against the truth."""
    for name, lies in (("captured_huge", {"captured": 2**32 - 1}), ("captured_2g", {"captured": 2**31 - 1}), ("captured_negative", {"captured": 2**31}),
                       ("captured_over_limit", {"captured": 262145}), ("captured_none", {"captured": 0}), ("original_less", {"original": 20}),
                       ("original_none", {"original": 0}), ("original_huge", {"original": 2**32 - 1}), ("past", {"s": 2**31, "us": 2**32 - 1}),
                       ("no_time", {"s": 0, "us": 0})):
        yield name, pcap([frames[0], (frames[2], lies)] + frames[3:], link)
    # Every second one goes back in time; all at once.
    yield "to_and_fro", pcap([(f, {"s": 1700000000 - 1000 * (i % 2)}) for i, f in enumerate(frames)], link)


def lies_of_packets(link):
    """What the headers inside a packet may say against the truth; each of these packets stands among good ones."""
    four, six = conversation()
    bad = {
        "ihl": [with_field(four[2], 0, bytes([0x40 | i])) for i in range(16)],
        "version": [with_field(p, 0, bytes([v << 4 | p[0] & 15])) for p in (four[2], six[0]) for v in range(16)],
        "total": [with_field(p, 2, struct.pack(">H", n)) for p in four for n in (0, 1, 19, 20, 21, 27, 28, 39, 41, 2000, 65535)],
        "fragment": [with_field(p, 6, struct.pack(">H", n)) for p in four for n in (1, 0x1FFF, 0x2000, 0x3FFF, 0x4000, 0x8000, 0xFFFF)],
        "protocol": [with_field(p, 9, bytes([n])) for p in (four[2], four[4]) for n in range(256)],
        "tcp_header": [with_field(four[2], 32, bytes([n << 4])) for n in range(16)],
        "flags": [with_field(four[2], 33, bytes([n])) for n in range(256)],
        "udp_length": [with_field(four[4], 24, struct.pack(">H", n)) for n in (0, 1, 7, 8, 9, 27, 28, 29, 30, 65535)],
        "v6_length": [with_field(p, 4, struct.pack(">H", n)) for p in six for n in (0, 1, 7, 8, 19, 20, 31, 65535)],
        "v6_next": [with_field(p, 6, bytes([n])) for p in six for n in range(256)],
        "v6_words": [with_field(six[2], 41, bytes([n])) for n in range(256)],
        "chain": [ipv6(1, 2, bytes([kind, 0, 0, 0, 0, 0, 0, 0]) * 40 + tcp(*ENDS, 1, 1, ACK), kind) for kind in (0, 43, 44, 51, 60, 135, 139, 140)],
        "same_ends": [ipv4(CLIENT, CLIENT, tcp(CLIENT, CLIENT, 1, 1, ACK | PSH, b"x")), ipv4(("0.0.0.0", 0), ("0.0.0.0", 0), udp(("", 0), ("", 0)), 17),
                      ipv4(("255.255.255.255", 0), ("255.255.255.255", 65535), tcp(("", 0), ("", 65535), 1, 1, SYN | FIN | RST))],
        "sequence": [ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, n, 2**32 - n, ACK, b"s" * 7)) for n in (0, 2**31 - 1, 2**31, 2**32 - 1, 5, 2**30, 2**30 + 1)],
        "short": [p[:n] for p in (four[2], four[4], six[0], six[2]) for n in range(len(p))],
        "empty": [b""],
    }
    good = frames_of(link)
    for name, packets in bad.items():
        wrapped = [link[3 if p[:1] and p[0] >> 4 == 6 else 2](p) for p in packets]
        yield name, pcap(good[:3] + wrapped + good[3:], link[1])
    # The same, kept to its first bytes only.
    everything = [link[2](p) for p in sum(bad.values(), [])]
    for kept in (0, 1, 3, 4, 13, 15, 17, 20, 33, 40, 47, 53):
        yield f"kept_{kept}", pcap([(f[:kept], {"original": len(f)}) for f in everything], link[1], snaplen=max(kept, 1))
    yield "link_header", pcap([bytes([n]) + good[0][1:] for n in EDGES] + [good[0][:at] + bytes([n]) + good[0][at + 1:] for at in range(24) for n in EDGES], link[1])


def lies_of_pcapng(link, frames):
    start, one = section() + interface(link), b"".join(enhanced(f) for f in frames)
    resolution = struct.pack("<HHB3x", 9, 1, 0)
    yield "no_interface", section() + one
    yield "other_interface", start + enhanced(frames[0], 7) + one
    yield "captured_more", start + enhanced(frames[0], captured=5000) + one
    yield "captured_huge", start + enhanced(frames[0], captured=2**32 - 1) + one
    yield "original_less", start + enhanced(frames[0], original=3) + one
    yield "ticks", start + enhanced(frames[0], ticks=2**64 - 1) + enhanced(frames[1], ticks=2**63) + one
    for n in (0, 1, 10, 19, 20, 63, 64, 127, 128, 191, 192, 255):
        yield f"resolution_{n}", section() + interface(link, resolution[:4] + bytes([n]) + bytes(3)) + enhanced(frames[0], ticks=2**62) + one
    yield "offset", section() + interface(link, struct.pack("<HHq", 14, 8, 2**63 - 1)) + one
    yield "option_long", section() + interface(link, struct.pack("<HH", 9, 60000)) + one
    yield "option_odd", section() + interface(link, struct.pack("<HHH", 9, 1, 0)[:5]) + one
    yield "simple", start + block(3, struct.pack("<I", len(frames[0])) + frames[0]) + block(3, struct.pack("<I", 2**32 - 1)) + one
    yield "old", start + block(2, struct.pack("<HHIIII", 0, 9, 0, 0, len(frames[0]), len(frames[0])) + frames[0]) + one
    yield "old_other", start + block(2, struct.pack("<HHIIII", 9, 9, 0, 0, 4000, 4000)) + one
    yield "statistics", start + one + block(5, struct.pack("<III", 0, 0, 0) + struct.pack("<HHQ", 5, 8, 2**64 - 1)) + block(5, b"")
    yield "unknown", start + block(0x7FFFFFFF, bytes(40)) + block(0xBAD, bytes(4)) + one
    yield "nothing", section()
    yield "only_interface", start
    yield "many_interfaces", section() + interface(link) * 3000 + enhanced(frames[0], 2999) + one
    yield "other_link", start + interface(147) + one
    yield "other_section", start + one + section(">") + one
    yield "section_again", start + one + section() + one
    yield "version", section(version=2) + interface(link) + one
    yield "section_length", section(length=2**62) + interface(link) + one
    for total in (0, 1, 11, 12, 13, 28, 27, 2**31, 2**32 - 1):
        yield f"section_total_{total}", section(total=total) + interface(link) + one
        yield f"block_total_{total}", start + struct.pack("<II", 6, total) + bytes(40) + one
    yield "trailer", start + enhanced(frames[0])[:-4] + b"\0\0\0\0" + one
    yield "byte_order", section(magic=0x1B2A3C4D) + interface(link) + one


def files_that_lie(frames):
    for magic in (0xA1B2CD34, 0xA1B23C4D, 0xA1B2C3D4, 0xD4C3B2A1, 0xA1E2CB12, 0, 0xFFFFFFFF):
        for order in "<>":
            yield f"magic_{magic:x}_{'little' if order == '<' else 'big'}", pcap(frames, order=order, magic=magic)
    for version in ((1, 0), (2, 3), (2, 2), (3, 0), (543, 0), (65535, 65535)):
        yield f"version_{version[0]}_{version[1]}", pcap(frames, version=version)
    for snaplen in (0, 1, 53, 2**31 - 1, 2**31, 2**32 - 1):
        yield f"snaplen_{snaplen}", pcap(frames, snaplen=snaplen)
    for link in (2, 9, 14, 105, 127, 147, 195, 220, 253, 999, 65535, 0x04000001, 0xF0000001, 2**32 - 1):
        yield f"link_{link}", pcap(frames, link)
    good = pcap(frames)
    for name, data in (("nothing", b""), ("one_byte", b"\xd4"), ("text", b"No capture at all.\n" * 50), ("zeros", bytes(100000)), ("ones", b"\xff" * 100000),
                       ("noise", dice.randbytes(50000)), ("magic_and_noise", good[:24] + dice.randbytes(50000)), ("gz", gzip.compress(good, mtime=0)),
                       ("bz2", bz2.compress(good)), ("elf", b"\x7fELF" + bytes(2000)), ("magic_only", good[:4]), ("header_only", good[:24]),
                       ("json", b'{"packets": []}'), ("twice", good + good), ("ng_in_pcap", good + section() + interface()), ("cut_gz", b"\x1f\x8b")):
        yield name, data


def floods():
    """Not wrong, but meant to fill what remembers: connections, holes, updates, tags, time."""
    def client(i):
        return f"10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}", 1024 + i % 60000

    syns = [ipv4(client(i), SERVER, tcp(client(i), SERVER, i * 7919, 0, SYN)) for i in range(3000)]
    yield "connections", pcap([ethernet(p) for p in syns])
    yield "datagrams", pcap([ethernet(ipv4(client(i), SERVER, udp(client(i), SERVER, b"x"), 17)) for i in range(3000)])
    yield "holes", pcap([ethernet(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1000 + 20 * (i * 7919 % 2999), 1, ACK | PSH, b"h" * 9))) for i in range(3000)])
    yield "holes_of_many", pcap([ethernet(ipv4(client(i % 300), SERVER, tcp(client(i % 300), SERVER, 1000 + 20 * i, 1, ACK, b"h"))) for i in range(3000)])
    yield "jumps", pcap([ethernet(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, i * 0x50000001, i * 0x70000001, ACK, b"j" * 5))) for i in range(3000)])
    yield "anew", pcap([ethernet(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, i, 0, SYN))) for i in range(3000)])
    yield "fragments", pcap([ethernet(ipv4(CLIENT, SERVER, b"f" * 8, 17, fragment=0x2000 | i % 8192)) for i in range(3000)])
    yield "tags", pcap([b"\2" * 12 + b"\x81\0\0\1" * n for n in (1, 7, 8, 9, 100, 16000)])
    yield "years", pcap([(ethernet(ipv4(SERVER, CLIENT, udp(SERVER, CLIENT, b"y"), 17)), {"s": i * 0x10000000}) for i in range(16)])
    yield "large", pcap([(ethernet(ipv4(CLIENT, SERVER, udp(CLIENT, SERVER, bytes(65500)), 17)), {}) for _ in range(20)], snaplen=262144)


def damage(data):
    """Some bytes changed, moved, repeated or cut, as a bad disk or a bad mind would."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 40))):
        if not data:
            break
        at = dice.randrange(len(data))
        way = dice.randrange(6)
        if way < 3:
            data[at] = dice.choice(EDGES + (dice.randrange(256),))
        elif way == 3:
            data[at:at + 4] = struct.pack("<I", dice.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, dice.randrange(2**32))))
        elif way == 4:
            del data[at:at + dice.randrange(20)]
        else:
            data[at:at] = data[at:at + dice.randrange(60)]
    return bytes(data[:dice.randrange(len(data) + 1)]) if dice.random() < 0.2 else bytes(data)


def hostile():
    whole = []
    for link in LINKS:
        frames = frames_of(link)
        whole += [(link[0], pcap(frames, link[1])), (link[0] + "_ng", section() + interface(link[1]) + b"".join(enhanced(f) for f in frames))]
        for name, data in list(lies_of_records(frames, link[1])) + list(lies_of_packets(link)):
            yield f"{link[0]}-{name}.pcap", data
    for name, data in lies_of_pcapng(1, frames_of(LINKS[0])):
        yield f"ng-{name}.pcapng", data
    for name, data in files_that_lie(frames_of(LINKS[0])):
        yield f"file-{name}.pcap", data
    for name, data in floods():
        yield f"flood-{name}.pcap", data
    for name, data in whole:
        for i in range(4):
            yield f"cut-{name}-{i}.pcap", data[:dice.randrange(len(data))]
        for i in range(6):
            yield f"damaged-{name}-{i}.pcap", damage(data)


def main():
    folder, n = sys.argv[1], 0
    os.makedirs(folder, exist_ok=True)
    for name, data in hostile():
        open(os.path.join(folder, name), "xb").write(data)
        n += 1
    print(n)


if __name__ == "__main__":
    main()
