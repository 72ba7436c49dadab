# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of every link type, of UDP and of IP fragments: the second half of make_captures.py."""
import struct

from packets import (ACK, CLIENT, PSH, SERVER, Capture, cooked, cooked2, ethernet, ipv4, ipv6, loopback, session, tagged, tcp, udp)


def make_links(at):
    """One session in every coat. Raw IP and BSD loopback have nothing around the packet: wire bytes are IP bytes, 250 in, 220
    back."""
    for name, link in (("raw", 101), ("raw12", 12), ("raw14", 14), ("raw_ipv4", 228)):
        session(wrap=bytes).pcap(at(name + ".pcap"), link=link)
    session(wrap=loopback).pcap(at("null.pcap"), link=0)
    session(wrap=lambda body: loopback(body, order=">")).pcap(at("null_big.pcap"), link=0, order=">")
    session(wrap=lambda body: loopback(body, order=">")).pcap(at("loop.pcap"), link=108)
    # One tag of 4 bytes: 358 in, 274 back, link headers 9 x 18 = 162. Two: 382 in, 286 back, 198; the same with the older number
    # 0x9100.
    session(wrap=tagged((0x8100, 5))).pcap(at("vlan.pcap"))
    session(wrap=tagged((0x88A8, 7), (0x8100, 5))).pcap(at("qinq.pcap"))
    session(wrap=tagged((0x9100, 7), (0x8100, 5))).pcap(at("qinq_old.pcap"))
    session(wrap=lambda body: cooked(struct.pack(">HH", 5, 0x0800) + body, kind=0x8100)).pcap(at("cooked_vlan.pcap"), link=113)
    session(wrap=lambda body: cooked2(struct.pack(">HH", 5, 0x0800) + body, kind=0x8100)).pcap(at("cooked2_vlan.pcap"), link=276)
    # Tags without end, and one that the frame ends in: malformed. A netlink device, whose protocol 0x0800 is no EtherType: other.
    c = Capture()
    c.raw(0, tagged(*[(0x8100, i) for i in range(9)])(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1, 1, ACK))))
    c.raw(1, ethernet(b"\0\5\x08", 0x8100))
    c.pcap(at("tags.pcap"))
    c = Capture()
    c.raw(0, cooked(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1, 1, ACK)), 824))
    c.pcap(at("netlink.pcap"), link=113)

    # The session inside of tunnels: 9 frames, each longer by 20 of IP (and 8 of UDP), the tunnel's own bytes, and where it carries
    # frames 14.
    def over(protocol, head, frames=False, port=0):
        ends = ("192.0.2.1", 40000), ("192.0.2.2", port)
        around = (lambda body: udp(*ends, body)) if port else bytes
        return lambda body: ethernet(ipv4(*ends, around(head + (ethernet(body) if frames else body)), protocol))
    vxlan = over(17, struct.pack(">II", 0x08000000, 42 << 8), True, 4789)
    for name, wrap in (("vxlan", vxlan), ("geneve", over(17, struct.pack(">BBHI8x", 2, 0, 0x6558, 42 << 8), True, 6081)),
                       ("ipip", over(4, b"")), ("gre", over(47, struct.pack(">HHI", 0x2000, 0x0800, 7))),
                       ("erspan", over(47, struct.pack(">HHIII", 0x1000, 0x88BE, 1, 0, 0), True)),
                       ("erspan3", over(47, struct.pack(">HHIIII8x", 0x1000, 0x22EB, 1, 0, 0, 1), True)),
                       ("pppoe", lambda body: ethernet(struct.pack(">HHHH", 0x1100, 7, len(body) + 2, 0x21) + body, 0x8864)),
                       ("mpls", lambda body: ethernet(struct.pack(">II", 100 << 12 | 64, 200 << 12 | 0x140) + body, 0x8847)),
                       ("tunnels", lambda body: vxlan(over(4, b"")(body)[14:]))):
        session(wrap=wrap).pcap(at(name + ".pcap"))

    # IPv6, 40 + 20 + payload: a key of 10 and an echo of 100 make 70 and 160 bytes. In a loopback file each system has a number of
    # its own for it.
    ends = ("", 40000), ("", 5900)
    key, echo = ipv6(1, 2, tcp(*ends, 1, 1, ACK | PSH, b"k" * 10)), ipv6(2, 1, tcp(ends[1], ends[0], 1, 11, ACK | PSH, b"e" * 100))
    for name, link, wrap in (("raw_v6", 101, bytes), ("raw_ipv6", 229, bytes), ("null_24", 0, lambda b: loopback(b, 24)),
                             ("null_28", 0, lambda b: loopback(b, 28)), ("null_30", 0, lambda b: loopback(b, 30)),
                             ("loop_30", 108, lambda b: loopback(b, 30, ">")), ("ethernet_v6", 1, lambda b: ethernet(b, 0x86DD)),
                             ("vlan_v6", 1, lambda b: ethernet(b"\0\5\x86\xdd" + b, 0x8100))):
        c = Capture()
        c.raw(0, wrap(key))
        c.raw(9, wrap(echo))
        c.pcap(at(name + ".pcap"), link=link)
    # IPv4 in a file of IPv6, version 5, a frame of nothing: malformed. A loopback of another family (7): other.
    c = Capture()
    c.raw(0, ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1, 1, ACK)))
    c.raw(1, b"\x55" + key[1:])
    c.raw(2, b"")
    c.pcap(at("raw_odd.pcap"), link=229)
    c.packets = [(0, loopback(key, 7), 74)]
    c.pcap(at("null_odd.pcap"), link=0)

    # Extension headers (RFC 8200): authentication (24 bytes: words 4), mobility, host identity, shim6 and destination (8 each) are
    # walked over: 96 + 20 + 10
    # bytes of IP, 10 of payload. The hop-by-hop header anywhere but first is malformed. ESP and no next header: other.
    # Inside of IPv6 an acknowledgement of IPv4 (40 bytes), and the same key twice more: copies.
    c = Capture()
    chain = (bytes([135, 4]) + bytes(22) + bytes([139, 0]) + bytes(6) + bytes([140, 0]) + bytes(6) + bytes([60, 0]) + bytes(6)
             + bytes([6, 0]) + bytes(6))
    c.raw(0, ethernet(ipv6(1, 2, chain + tcp(*ends, 1, 1, ACK | PSH, b"k" * 10), 51), 0x86DD))
    c.raw(1, ethernet(ipv6(1, 2, bytes([0, 0]) + bytes(6) + bytes([6, 0]) + bytes(6) + tcp(*ends, 1, 1, ACK), 60), 0x86DD))
    for following, inside in ((50, bytes(40)), (59, b""), (4, ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 1, 1, ACK))), (41, key)):
        c.raw(2, ethernet(ipv6(1, 2, inside, following), 0x86DD))
    # What says IPv4 and GRE, and is IPv6, and authentication in IPv4: other. IPv6 in IPv4: the key a third time.
    for protocol in (4, 41, 47, 51):
        c.raw(3, ethernet(ipv4(CLIENT, SERVER, key, protocol)))
    c.pcap(at("inside.pcap"))


def make_datagrams(at):
    """UDP/IPv4: 14 + 20 + 8 = 42 bytes and the payload.
    Input: 10, 0, 10 again the same: 3 messages, 20 payload, 146 wire, 104 IP. Display: 100 at 10 and 12, 200 at 60 ms: 3 messages,
    400 payload, 526 wire, 484 IP; two updates 50 ms apart, then for 240 ms none until the last input. 672 wire: 84 Ethernet 12.5 %,
    120 IP 17.857 %, 48 UDP 7.143 %, 420 payload 62.5 %."""
    def datagram(source, to, n, **how):
        return ethernet(ipv4(source, to, udp(source, to, b"u" * n, **how), 17))

    c = Capture()
    for ms, n in ((0, 10), (5, 0), (300, 10)):
        c.raw(ms, datagram(CLIENT, SERVER, n))
    for ms, n in ((10, 100), (12, 100), (60, 200)):
        c.raw(ms, datagram(SERVER, CLIENT, n))
    c.packets.sort()
    c.pcap(at("udp.pcap"))
    # TCP between the same four numbers is another connection: 596 + 672 wire, 10 + 20 and 100 + 400 payload, TCP headers 9 x 20.
    c.packets = sorted(c.packets + session().packets)
    c.pcap(at("udp_and_tcp.pcap"))
    # UDP has no X display: port 6001 is the server's, and so is the lower one.
    c = Capture()
    c.raw(0, datagram(CLIENT, ("10.0.0.8", 6001), 10))
    c.pcap(at("udp_6001.pcap"))
    # IPv6, 40 + 8: 10 in (72 wire, 58 IP), 100 back (162, 148), and behind a hop-by-hop header of 8 another 100 (170, 156).
    c, ends = Capture(), (("", 40000), ("", 5900))
    c.raw(0, ethernet(ipv6(1, 2, udp(*ends, b"u" * 10), 17), 0x86DD))
    c.raw(10, ethernet(ipv6(2, 1, udp(ends[1], ends[0], b"u" * 100), 17), 0x86DD))
    c.raw(20, ethernet(ipv6(2, 1, bytes([17, 0, 1, 4, 0, 0, 0, 0]) + udp(ends[1], ends[0], b"u" * 100), 0), 0x86DD))
    c.pcap(at("udp_v6.pcap"))
    # Padding of a short frame (wire 60, IP 38, padding 8) and 12 bytes behind the datagram but inside the IP packet (RFC 9868:
    # options of UDP):
    # 10 payload each, wire 60 + 64, IP 38 + 50, UDP headers 8 + 20. Length 0 (IPv6: all there is, RFC 2675) of 10 payload: 72 wire,
    # 58 IP.
    c = Capture()
    c.raw(0, datagram(CLIENT, SERVER, 10) + bytes(8))
    c.raw(1, ethernet(ipv4(CLIENT, SERVER, udp(CLIENT, SERVER, b"u" * 10) + bytes(12), 17)))
    c.raw(2, ethernet(ipv6(1, 2, udp(*ends, b"u" * 10, length=0), 17), 0x86DD))
    # Malformed: lengths 0 (IPv4), 7, one more than there is; an IP packet of 7 bytes.
    for length in (0, 7, 19):
        c.raw(3, datagram(CLIENT, SERVER, 10, length=length))
    c.raw(4, ethernet(ipv4(CLIENT, SERVER, bytes(7), 17)))
    c.pcap(at("udp_odd.pcap"))
    # Six bytes of the UDP header (kept: 40) are enough; of five nothing can be told.
    c = Capture()
    for keep in (40, 39):
        frame = datagram(CLIENT, SERVER, 30)
        c.raw(keep, frame[:keep], len(frame))
    c.pcap(at("udp_short.pcap"), snaplen=40)


def make_fragments(at):
    """A datagram of 3,000 (UDP 3,008) in IPv4 fragments of 1480, 1480 and 48 bytes: the first is input, 1514 wire, 1500 IP, payload
    3,000, one message; the others are 2 fragments, 1514 + 82 wire, 1500 + 68 IP. Carried payload: 1,472."""
    c = Capture()
    whole = udp(CLIENT, SERVER, b"f" * 3000)
    for start, end, more in ((0, 1480, 0x2000), (1480, 2960, 0x2000), (2960, 3008, 0)):
        c.raw(start / 1000, ethernet(ipv4(CLIENT, SERVER, whole[start:end], 17, fragment=more | start // 8)))
    c.pcap(at("fragments.pcap"))
    # In IPv6 of 2,000 (UDP 2,008): 1,448 and 560 bytes, behind 40 + 8. First: 1510 wire, 1496 IP; the other: 622 wire, 608 IP.
    c, ends = Capture(), (("", 40000), ("", 5900))
    whole = udp(*ends, b"f" * 2000)
    for start, end, more in ((0, 1448, 1), (1448, 2008, 0)):
        c.raw(start / 1000, ethernet(ipv6(1, 2, bytes([17, 0]) + struct.pack(">HI", start | more, 9) + whole[start:end], 44),
                                     0x86DD))
    c.pcap(at("fragments_v6.pcap"))
    # TCP, 100 bytes of payload in fragments of 20 + 60 and 40: 60 are counted, 40 are missing once the other side says it has them
    # all.
    c = Capture().start()
    whole = tcp(CLIENT, SERVER, c.seq[0], c.seq[1], ACK | PSH, b"k" * 100)
    c.raw(5, ethernet(ipv4(CLIENT, SERVER, whole[:80], fragment=0x2000)))
    c.raw(6, ethernet(ipv4(CLIENT, SERVER, whole[80:], fragment=10)))
    c.seq[0] += 100
    c.send(7, 0, b"k" * 10, ACK | PSH)
    c.send(8, 1)
    c.pcap(at("fragments_tcp.pcap"))
    # First fragments too small for their header: 16 of 20 bytes of TCP, 20 of 24, and IPv6 that ends before its routing header:
    # fragments, nobody's.
    c = Capture()
    long = tcp(CLIENT, SERVER, 1, 1, ACK, b"", b"\1\1\1\1")
    c.raw(0, ethernet(ipv4(CLIENT, SERVER, long[:16], fragment=0x2000)))
    c.raw(1, ethernet(ipv4(CLIENT, SERVER, long[:20], fragment=0x2000)))
    c.raw(2, ethernet(ipv6(1, 2, bytes([43, 0, 0, 1]) + bytes(4), 44), 0x86DD))
    c.pcap(at("fragments_tiny.pcap"))
