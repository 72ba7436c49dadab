# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader of pcap files that shares nothing with libpcap, tshark or prototap: the file, Ethernet, IPv4, IPv6 and TCP are taken
apart here."""
import struct


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
