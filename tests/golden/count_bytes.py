#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up what tshark says of a capture of any link type, TCP and UDP. usage: count_bytes.py CAPTURE SERVER_PORT

Prints rows "channels.input.packets<TAB>6" with the keys of prototap's result; payload_bytes are all that was carried, of a UDP datagram its
whole length. Fragments but the first carry no port and are left out.
"""
import subprocess
import sys

FIELDS = ["frame.len", "ip.len", "ipv6.plen", "tcp.srcport", "udp.srcport", "tcp.len", "udp.length", "frame.encap_type", "sll.hatype"]
# wtap encapsulations, and bytes before the packet that were never on a wire: SLL, SLL2, NULL, LOOP. A cooked one stands for an Ethernet header.
NEVER = {"25": 16, "210": 20, "15": 4, "174": 4}


def main():
    path, port = sys.argv[1], sys.argv[2]
    command = ["tshark", "-n", "-r", path, "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-Y", "(tcp || udp) && !icmp",
               "-T", "fields", "-E", "occurrence=f"]
    for field in FIELDS:
        command += ["-e", field]
    count = {name: dict.fromkeys(["packets", "wire_bytes", "ip_bytes", "payload_bytes"], 0) for name in ("input", "display")}
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        row = dict(zip(FIELDS, line.split("\t")))
        one = count["display" if port in (row["tcp.srcport"], row["udp.srcport"]) else "input"]
        device = 14 if row["sll.hatype"] in ("1", "772") else 0
        one["packets"] += 1
        one["wire_bytes"] += int(row["frame.len"]) - NEVER.get(row["frame.encap_type"], 0) + device
        one["ip_bytes"] += int(row["ip.len"]) if row["ip.len"] else 40 + int(row["ipv6.plen"])
        one["payload_bytes"] += int(row["tcp.len"]) if row["tcp.len"] else int(row["udp.length"]) - 8
    for name, one in count.items():
        for key, value in one.items():
            print(f"channels.{name}.{key}\t{value}")


if __name__ == "__main__":
    main()
