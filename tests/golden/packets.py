# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets and capture files written byte by byte: what make_captures.py and the hostile files are made of."""
import itertools
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
EPOCH = 1_700_000_000
CLIENT, SERVER = ("10.0.0.1", 40000), ("10.0.0.2", 5900)
identification = itertools.count(1)	# each IPv4 packet has another one: a packet with the same one is a copy


def tcp(source, to, seq, ack, flags, payload=b"", options=b"", window=65535):
    return (struct.pack(">HHIIBBHHH", source[1], to[1], seq % 2**32, ack % 2**32, (20 + len(options)) // 4 << 4, flags, window, 0,
                        0) + options + payload)


def udp(source, to, payload=b"", length=None):
    return struct.pack(">HHHH", source[1], to[1], 8 + len(payload) if length is None else length, 0) + payload


def quad(address):
    return bytes(int(part) for part in address.split("."))


def ipv4(source, to, body, protocol=6, length=None, fragment=0, first=0x45):
    return struct.pack(">BBHHHBBH4s4s", first, 0, 20 + len(body) if length is None else length,
                       next(identification) % 65535 + 1, fragment, 64, protocol, 0,
                       quad(source[0]), quad(to[0])) + body


def ipv6(source, to, body, following=6):
    return struct.pack(">IHBB", 6 << 28, len(body), following, 64) + bytes(15) + bytes([source]) + bytes(15) + bytes([to]) + body


def ethernet(body, kind=0x0800):
    return b"\x02" * 6 + b"\x04" * 6 + struct.pack(">H", kind) + body


def tagged(*tags):
    """Ethernet with VLAN tags, the outer one first: each (TPID, number)."""
    kinds = [kind for kind, _ in tags] + [0x0800]
    return lambda body: ethernet(b"".join(struct.pack(">HH", number, kinds[i + 1]) for i, (_, number) in enumerate(tags)) + body,
                                 kinds[0])


def loopback(body, family=2, order="<"):
    return struct.pack(order + "I", family) + body


def cooked(body, device=1, kind=0x0800):
    return struct.pack(">HHH8sH", 0, device, 6, b"\x04" * 8, kind) + body


def cooked2(body, device=1, kind=0x0800):
    return struct.pack(">HHIHBB8s", kind, 0, 1, device, 0, 6, b"\x04" * 8) + body


class Capture:
    """One connection, most of the time. Sequence numbers of the client begin at 1000, of the server at 5000."""

    def __init__(self, client=CLIENT, server=SERVER, wrap=ethernet, seq=(1000, 5000)):
        self.ends, self.wrap, self.seq, self.packets = (client, server), wrap, list(seq), []

    def raw(self, ms, frame, original=None):
        self.packets.append((round(ms * 10**6), frame, len(frame) if original is None else original))

    def send(self, ms, side, payload=b"", flags=ACK, seq=None, ack=None, keep=None, window=65535):
        """A segment from side 0 (client) or 1 (server); `seq` relative to the stream's first byte, None: the next one."""
        base = self.seq[side] if seq is None else self.base[side] + seq
        if not hasattr(self, "base"):
            self.base = [s + 1 for s in self.seq]
        number = self.seq[1 - side] if ack is None else self.base[1 - side] + ack
        frame = self.wrap(ipv4(self.ends[side], self.ends[1 - side], tcp(self.ends[side], self.ends[1 - side], base, number, flags,
                                                                         payload, window=window)))
        self.raw(ms, frame[:keep], len(frame))
        if seq is None:
            self.seq[side] += len(payload) + bool(flags & (SYN | FIN))

    def start(self, ms=0):
        self.base = [s + 1 for s in self.seq]
        self.send(ms, 0, flags=SYN)
        self.send(ms + 1, 1, flags=SYN | ACK)
        self.send(ms + 2, 0)
        return self

    def pcap(self, path, link=1, order="<", nano=True, snaplen=65535, cut=0):
        data = bytearray(struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link))
        for ns, frame, original in self.packets:
            data += (struct.pack(order + "IIII", EPOCH + ns // 10**9, ns % 10**9 // (1 if nano else 1000), len(frame), original)
                     + frame)
        open(path, "wb").write(data[:len(data) - cut])


def block(kind, body, order="<"):
    body += bytes(-len(body) % 4)
    return struct.pack(order + "II", kind, 12 + len(body)) + body + struct.pack(order + "I", 12 + len(body))


def pcapng(path, interfaces, packets, tail=b"", order="<", mode="wb"):
    """interfaces: (link, digits of a second or None for the default of microseconds, snap length if not 65535); packets:
    (interface, ns, frame, original). Mode "ab": another section."""
    data = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    for link, digits, *snaplen in interfaces:
        options = struct.pack(order + "HHB3xHH", 9, 1, digits, 0, 0) if digits else b""
        data += block(1, struct.pack(order + "HHI", link, 0, *(snaplen or [65535])) + options, order)
    for interface, ns, frame, original in packets:
        ticks = (EPOCH * 10**9 + ns) // 10**(9 - (interfaces[interface][1] or 6)) if interface < len(interfaces) else 0
        data += block(6, struct.pack(order + "IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), original) + frame,
                      order)
    open(path, mode).write(data + tail)


def session(**how):
    """A whole session: three packets of handshake, a key of 10 bytes (PSH), an echo of 100 (PSH), one pure ACK, FIN both ways, last
    ACK. Input: SYN, ACK, key, ACK, FIN, ACK = 6 packets, 6 x 54 + 10 = 334 wire, 250 IP, 10 payload, 1 message.
    Display: SYN/ACK, echo, FIN = 3 packets, 262 wire, 220 IP, 100 payload, 1 message. Total 596 wire, 470 IP.
    vip_saving: 20 x 9 / 470 = 38.298 %. Headers: Ethernet 126 / 596 = 21.141 %, IP and TCP 180 / 596 = 30.201 %, payload 18.456
    %."""
    c = Capture(**how).start()
    c.send(10, 0, b"k" * 10, ACK | PSH)
    c.send(20, 1, b"e" * 100, ACK | PSH)
    c.send(30, 0)
    c.send(40, 0, flags=ACK | FIN)
    c.send(50, 1, flags=ACK | FIN)
    c.send(51, 0)
    return c
