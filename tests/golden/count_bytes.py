#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up what tshark says of a capture of any link type, TCP and UDP. usage: count_bytes.py CAPTURE SERVER_PORT

Prints a row for each connection: transport, both ends, packets, bytes on the wire, of IP and of payload, to the server and from it.
Payload is all that was carried, also what was sent again; of a UDP datagram its whole length. Fragments but the first carry no port
and are left out. (tshark's decoder of VNC would begin a second conversation at the greeting of a server.)
"""
import subprocess
import sys

FIELDS = ("frame.len ip.len ipv6.plen tcp.srcport udp.srcport tcp.dstport udp.dstport tcp.len udp.length tcp.stream udp.stream "
          "ip.src ipv6.src ip.dst ipv6.dst frame.encap_type sll.hatype").split()
# wtap encapsulations, and bytes before the packet that were never on a wire: SLL, SLL2, NULL, LOOP. A cooked one stands for an
# Ethernet header.
NEVER = {"25": 16, "210": 20, "15": 4, "174": 4}


def main():
    path, port, connections = sys.argv[1], sys.argv[2], {}
    command = ["tshark", "-n", "--disable-protocol", "vnc", "-r", path, "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE",
               "-Y", "(tcp || udp) && !icmp", "-T", "fields", "-E", "occurrence=f"]
    for field in FIELDS:
        command += ["-e", field]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        row = dict(zip(FIELDS, line.split("\t")))
        kind = "tcp" if row["tcp.stream"] else "udp"
        source, to = [(row[f"ip.{end}"] or row[f"ipv6.{end}"], row[f"{kind}.{end}port"]) for end in ("src", "dst")]
        down = source[1] == port
        ends = to + source if down else source + to
        count = connections.setdefault((kind, row[kind + ".stream"], *ends), [0] * 8)
        wire = int(row["frame.len"]) - NEVER.get(row["frame.encap_type"], 0) + (14 if row["sll.hatype"] in ("1", "772") else 0)
        ip = int(row["ip.len"]) if row["ip.len"] else 40 + int(row["ipv6.plen"])
        payload = int(row["tcp.len"]) if row["tcp.len"] else int(row["udp.length"]) - 8
        for i, n in enumerate((1, wire, ip, payload)):
            count[4 * down + i] += n
    for (kind, _, *ends), count in connections.items():
        print(kind, *ends, *count, sep="\t")


if __name__ == "__main__":
    main()
