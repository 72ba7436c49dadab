# SPDX-License-Identifier: GPL-3.0-or-later
# rdp_server.py BEHAVIOUR SERVER-PORT: an RDP server that lies, for one client. It stands before a real one (TLS at both sides, with
# cert.pem and key.pem), and changes what that sends. What the client says on virtual channels does not reach the real one. Prints
# its port, and "said" when it has lied on a channel. `list`: the behaviours, and when each begins: before there is a session, in
# it,
# or in it on a channel (rdp_channels.py).
import socket, ssl, struct, sys, threading, time

sys.dont_write_bytecode = True
from rdp_channels import SAID, screen, stamped

BEFORE = """closes silent noise endless-hello refuses wants-nla wants-unknown hello-closes hello-freezes no-tls tls-closes
tls-freezes chooses-no-tls knows-no-tls answer-closes answer-freezes answer-noise answer-short answer-zero answer-huge join-wrong
caps-closes caps-freezes caps-oversize caps-lengths caps-none licence-noise""".split()
WITHIN = """caps-endless picture-closes picture-freezes picture-outside picture-many picture-noise channel-endless channel-huge
redirect reactivates names flips""".split()


def exactly(s, n):
    got = b""
    while len(got) < n:
        more = s.recv(n - len(got))
        if not more:
            raise OSError("closed")
        got += more
    return got


def next_pdu(s):
    head = exactly(s, 2)
    if head[0] == 3:  # TPKT
        head += exactly(s, 2)
        return head + exactly(s, struct.unpack(">H", head[2:])[0] - 4)
    if head[1] & 0x80:  # fast path
        head += exactly(s, 1)
        return head + exactly(s, ((head[1] & 0x7F) << 8 | head[2]) - 3)
    return head + exactly(s, head[1] - 2)


def tpkt(body):
    return struct.pack(">BBH", 3, 0, len(body) + 4) + body


def send_data(channel, body):  # MCS SendDataIndication
    return tpkt(b"\x02\xf0\x80\x68\x00\x01" + struct.pack(">HBH", channel, 0x70, 0x8000 | len(body)) + body)


def share(kind, body):  # a share control PDU on the I/O channel
    return send_data(1003, struct.pack("<HHH", len(body) + 6, 0x10 | kind, 1002) + body)


def at_share(pdu):  # where the share control header of a SendDataIndication begins
    return 15 if pdu[13] & 0x80 else 14


def is_demand(pdu):
    at = at_share(pdu) if len(pdu) > 30 else 0
    return (at and pdu[0] == 3 and pdu[7] == 0x68 and struct.unpack("<H", pdu[at:at + 2])[0] == len(pdu) - at
            and pdu[at + 2] & 15 == 1)


def at_update(pdu):  # where a picture begins: type, number of rectangles, the first of them; 0: it is none
    at = at_share(pdu) if pdu[0] == 3 and len(pdu) > 50 else 0
    if at and pdu[7] == 0x68 and pdu[at + 2] & 15 == 7 and pdu[at + 14] == 2:
        return at + 18
    return 6 if pdu[0] & 3 == 0 and len(pdu) > 50 else 0


def change_demand(how, pdu):
    at = at_share(pdu) + 10
    source, = struct.unpack("<H", pdu[at:at + 2])
    caps = at + 4 + source
    pdu = bytearray(pdu)
    if how == "names":
        pdu[at + 4:caps] = (b"\x1b[2J\x07\r\n" * source)[:source]
    if how == "caps-none":
        pdu[caps:caps + 2] = b"\0\0"
    at = caps + 4
    while at + 4 <= len(pdu) and how.startswith("caps"):
        kind, size = struct.unpack("<HH", pdu[at:at + 4])
        if kind == 2 and how == "caps-oversize":
            pdu[at + 12:at + 16] = b"\xff\xff\xff\xff"
        if how == "caps-lengths":
            pdu[at + 2:at + 4] = b"\xff\xff"
        at += max(size, 4)
    return bytes(pdu)


def number_channels(connect):  # of each name that the client asks for (CS_NET), as xrdp numbers them
    at = connect.index(b"\x03\xc0") + 4
    names = [connect[k:k + 8].rstrip(b"\0").decode() for k in range(at + 4, at + 4 + 12 * connect[at], 12)]
    return {name: 1004 + k for k, name in enumerate(names)}


def say(seen, messages):  # each: channel, flags, length as it is claimed, bytes
    number = seen["channels"]
    return b"".join(send_data(number[name], struct.pack("<II", size, flags) + body) for name, flags, size, body in messages)


REDIRECT = share(10, struct.pack("<HHHIII", 0, 0x400, 38, 0, 1, 20) + "127.0.0.1\0".encode("utf-16le"))
CHANNEL = send_data(1004, struct.pack("<II", 0x7FFFFFFF, 1) + b"\x01" * 1600)
BELL = share(7, struct.pack("<IBBHBBHII", 0x103EA, 0, 1, 12, 0x22, 0, 0, 200, 1000))  # MS-RDPBCGR 2.2.9.1.1.5
POINTER = share(7, struct.pack("<IBBHBBHHHH", 0x103EA, 0, 1, 10, 0x1B, 0, 0, 7, 0, 20))  # 2.2.9.1.1.4, of a slot that has none
ONCE = {"bell": BELL, "pointer": POINTER}
HELLO = b"\x03\0\0\x13\x0e\xd0\0\0\x12\x34\0"
TYPING = 30  # updates: the first picture is there, and keys are typed


class Ends(Exception):
    pass


def changed(how, i, pdu, seen):
    """What to send in the place of message i of the server."""
    part, _, what = how.partition("-")
    demand, picture = is_demand(pdu), at_update(pdu)
    seen["pictures"] += picture > 0
    seen["first"] = seen["first"] or (picture and time.monotonic())
    here = {"tls": i == 0, "answer": i == 0, "join": i == 2, "caps": demand, "picture": seen["pictures"] > TYPING}.get(part)
    if here and what == "closes":
        raise Ends
    if here and what == "freezes":
        time.sleep(60)
    if part == "answer" and here:
        return ({"noise": bytes(range(256)) * 4, "short": pdu[:-20], "zero": b"\3\0\0\0",
                 "huge": b"\3\0\xff\xff" + b"A" * 65531}[what])
    if how == "join-wrong" and here:
        return pdu[:-2] + b"\xff\xff"
    if picture and how == "stamps":
        return say(seen, screen() + stamped(0)) if seen["pictures"] == 1 else b""
    if picture and how in SAID and seen["pictures"] == TYPING:
        return say(seen, SAID[how][0]) + pdu
    if picture and how in SAID and seen["answered"] and not seen["said"]:
        seen["said"] = True
        print("said", flush=True)
        return say(seen, SAID[how][1]) + pdu
    if how == "licence-noise" and not demand and pdu[0] == 3 and pdu[7] == 0x68:
        return pdu[:at_share(pdu)] + b"\xff" * (len(pdu) - at_share(pdu))
    if demand and how == "caps-endless":
        return pdu * 500
    if demand:
        seen["demand"] = change_demand(how, pdu)
        return seen["demand"]
    if picture and seen["pictures"] > TYPING:
        if how == "picture-outside":
            return pdu[:picture + 4] + b"\xf0\xff" * 6 + pdu[picture + 16:]
        if how == "picture-many":
            return pdu[:picture + 2] + b"\xff\xff" + pdu[picture + 4:]
        if how == "picture-noise":
            return pdu[:picture] + b"\xff" * (len(pdu) - picture)
        if how.startswith("channel"):
            return CHANNEL * (1 if what == "huge" else 20) + (b"" if what == "huge" else pdu)
        if how in ONCE:
            return ONCE[how] + pdu
        if how == "redirect":
            return REDIRECT
        if how == "reactivates":
            return (share(6, b"\0\0\0\0\1\0\0\0\0") + seen["demand"]) * 3
        if how == "flips" and seen["pictures"] % 7 == 0:
            return bytes(b ^ (0x55 if (k + i) % 31 == 30 else 0) for k, b in enumerate(pdu))
    return pdu


def lie(how, client, port):
    if how == "closes":
        return
    if how in ("silent", "noise", "endless-hello"):
        client.sendall({"silent": b"", "noise": b"\xa5" * 5000, "endless-hello": b"\3\0\xff\xff"}[how])
        for _ in range(6000):
            client.sendall(b"\0" if how == "endless-hello" else b"")
            time.sleep(0.01)
    server = socket.create_connection(("127.0.0.1", port))
    server.sendall(next_pdu(client))
    hello = next_pdu(server)
    without = {"chooses-no-tls": HELLO + b"\2\0\x08\0\0\0\0\0", "knows-no-tls": b"\3\0\0\x0b\6\xd0\0\0\x12\x34\0"}
    if how in without:
        client.sendall(without[how])
        client.settimeout(30)
        print(f"heard {len(client.recv(100))} bytes", flush=True)
        return
    chosen = {"refuses": b"\3\0\x08\0\5\0\0\0", "wants-nla": b"\2\0\x08\0\2\0\0\0", "wants-unknown": b"\2\0\x08\0\xf0\0\0\0"}
    client.sendall(HELLO + chosen[how] if how in chosen else hello)
    if how in chosen or how == "hello-closes":
        time.sleep(0.2)
        return
    if how == "hello-freezes":
        time.sleep(60)
    if how == "no-tls":
        client.sendall(tpkt(b"\x02\xf0\x80" + b"\x7f" * 500))
        time.sleep(60)
    ours, theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ours.load_cert_chain("cert.pem", "key.pem")
    theirs.check_hostname, theirs.verify_mode = False, ssl.CERT_NONE
    client, server = ours.wrap_socket(client, server_side=True), theirs.wrap_socket(server)

    connect = next_pdu(client)
    server.sendall(connect)
    seen, i = {"pictures": 0, "channels": number_channels(connect), "answered": False, "said": False, "first": 0}, 0
    channels, keys, sending = set(seen["channels"].values()), 0, threading.Lock()

    def send(pdu):
        with sending:
            client.sendall(pdu)

    def forward():
        nonlocal keys
        try:
            while (pdu := next_pdu(client)):
                pressed = len(pdu) == 49 and pdu[29] == 28 and pdu[44] == 0x40  # 2.2.8.1.1.3
                keys += pressed
                if how == "stamps" and pressed:
                    send(say(seen, stamped(keys)))
                elif how == "wakes-late" and pressed and keys == 1:
                    pass
                elif how == "wakes-late" and pressed and time.monotonic() - seen["first"] < 0.8:
                    print("early", flush=True)
                elif pdu[0] == 3 and pdu[7] == 0x64 and struct.unpack(">H", pdu[10:12])[0] in channels:
                    seen["answered"] = True
                else:
                    server.sendall(pdu)
        except OSError:
            pass

    threading.Thread(target=forward, daemon=True).start()
    while True:
        send(changed(how, i, next_pdu(server), seen))
        i += 1


if sys.argv[1] == "list":
    print("\n".join(["before " + b for b in BEFORE] + ["within " + b for b in WITHIN] + [b.split("-")[0] + " " + b for b in SAID]))
    sys.exit()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
try:
    lie(sys.argv[1], listener.accept()[0], int(sys.argv[2]))
except (OSError, Ends):
    pass
