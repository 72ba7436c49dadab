#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts packets, bytes and messages of a pcap file with a reader of its own. usage: count_alone.py CAPTURE SERVER_PORT

Neither libpcap nor tshark nor anything of prototap's: the file, Ethernet, IPv4, IPv6 and TCP are taken apart here, in as few lines as
the rules need (docs/method.md has the words). Prints rows "key<TAB>value" with the keys of prototap's result.
"""
import struct
import sys

PSH, SYN, FIN, ACK = 8, 2, 1, 16


def frames(data):
    order = "<" if data[0] in (0x4D, 0xD4) else ">"
    nano = struct.unpack_from(order + "I", data)[0] == 0xA1B23C4D
    at = 24
    while at + 16 <= len(data):
        s, part, captured, original = struct.unpack_from(order + "IIII", data, at)
        yield s * 10**9 + part * (1 if nano else 1000), data[at + 16:at + 16 + captured], original
        at += 16 + captured


def segment(frame, original):
    """(source, destination, seq, ack, flags, payload length, IP length), or None for what is no TCP."""
    kind, ip = frame[12:14], frame[14:]
    if kind == b"\x08\x00" and ip[9] == 6:
        header, length, a, b = (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0], ip[12:16], ip[16:20]
    elif kind == b"\x86\xdd" and ip[6] == 6:
        header, length, a, b = 40, 40 + struct.unpack_from(">H", ip, 4)[0], ip[8:24], ip[24:40]
    else:
        return None
    tcp = ip[header:]
    sport, dport, seq, ack = struct.unpack_from(">HHII", tcp)
    return (a, sport), (b, dport), seq, ack, tcp[13], length - header - (tcp[12] >> 4) * 4, length


class Direction:
    def __init__(self):
        self.next, self.waiting = None, []      # in order until here; (start, end, push) beyond it

    def take(self, start, end, push):
        """Gives the parts that are in order now: (bytes, push)."""
        if self.next is None:
            self.next = start
        self.waiting.append((start, end, push))
        return self.release(self.next)

    def release(self, upto):
        """What waits, while it begins before `upto`, or touches what is in order."""
        out = []
        while True:
            ready = [w for w in self.waiting if w[0] <= max(self.next, upto)]
            if not ready:
                return out
            start, end, push = min(ready)
            self.waiting.remove((start, end, push))
            if end > self.next:
                out.append((end - max(start, self.next), push))
                self.next = end


class Connection:
    def __init__(self):
        self.way, self.open, self.last, self.time = {0: Direction(), 1: Direction()}, None, 0, 0

    def emit(self, count, side, parts, now):
        for n, push in parts:
            if self.open != side or now - self.last > 200 * 10**6:
                count[side]["messages"] += 1
            count[side]["payload_bytes"] += n
            self.open, self.last = (None if push else side), now


def main():
    path, port = sys.argv[1], int(sys.argv[2])
    count = [dict.fromkeys(("packets", "wire_bytes", "ip_bytes", "payload_bytes", "messages"), 0) for _ in (0, 1)]
    connections = {}
    for now, frame, original in frames(open(path, "rb").read()):
        s = segment(frame, original)
        if not s or port not in (s[0][1], s[1][1]):
            continue
        side = int(s[0][1] == port)
        c = connections.setdefault(s[1] + s[0] if side else s[0] + s[1], Connection())
        count[side]["packets"] += 1
        count[side]["wire_bytes"] += original
        count[side]["ip_bytes"] += s[6]
        c.time = now
        mine, other = c.way[side], c.way[1 - side]
        if s[4] & SYN:
            mine.next = s[2] + 1
        if s[4] & ACK and any(w[0] <= s[3] for w in other.waiting):     # it has come, whatever the capture has
            c.emit(count, 1 - side, other.release(s[3]), now)
        if s[5]:
            c.emit(count, side, mine.take(s[2], s[2] + s[5], bool(s[4] & PSH)), now)
    for c in connections.values():
        for side in (0, 1):
            if c.way[side].waiting:
                c.emit(count, side, c.way[side].release(2**62), c.time)
    for side, name in enumerate(("input", "display")):
        for key, value in count[side].items():
            print(f"channels.{name}.{key}\t{value}")


if __name__ == "__main__":
    main()
