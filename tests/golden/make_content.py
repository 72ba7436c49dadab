#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes captures of connections whose content is known, and beside each what it holds. usage: make_content.py FOLDER

NAME.json is counted while the bytes are written: {"rfb": {"client": {name: [count, bytes]}, "server": ..., "rectangles": ...}} and
the like. Bytes are cut into segments wherever it hurts, a segment comes twice, two change places.
"""
import json
import os
import struct
import sys

from exchanges import make_acks, make_connections, make_lossy, make_paper
from packets import ACK, FIN, PSH, Capture


class Talk:
    """A connection of which both ends keep count. Side 0 is the client, 1 the server."""

    def __init__(self, protocol, piece=7, **how):
        self.capture, self.protocol, self.piece, self.ms = Capture(**how).start(), protocol, piece, 10
        self.count, self.sent = {}, [0, 0]

    def tally(self, what, name, n, messages=1):
        cell = self.count.setdefault(what, {}).setdefault(name, [0, 0])
        cell[0] += messages
        cell[1] += n

    def say(self, side, data, what=None, name=None):
        """In pieces; every third is sent twice, and of each five the third comes after the fourth."""
        if what:
            self.tally(what, name, len(data))
        pieces = [data[i:i + self.piece] for i in range(0, len(data), self.piece)]
        at, order = self.sent[side], list(range(len(pieces)))
        for i in range(2, len(pieces) - 1, 5):
            order[i], order[i + 1] = order[i + 1], order[i]
        for i in order:
            for _ in range(2 if i % 3 == 2 else 1):
                self.ms += 0.01
                self.capture.send(self.ms, side, pieces[i], ACK | (PSH if i == len(pieces) - 1 else 0), seq=at + i * self.piece)
        self.sent[side] += len(data)
        self.capture.seq[side] = self.capture.base[side] + self.sent[side]

    def write(self, folder, name, close=True):
        if close:
            for side in (0, 1):
                self.capture.send(self.ms + 1 + side, side, flags=ACK | FIN)
        self.capture.pcap(os.path.join(folder, name + ".pcap"))
        with open(os.path.join(folder, name + ".json"), "w") as out:
            json.dump({self.protocol: self.count}, out, indent=1, sort_keys=True)


# --- RFB ---

FORMAT = struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
FORMAT_16 = struct.pack(">BBBBHHHBBB3x", 16, 16, 0, 1, 31, 63, 31, 11, 5, 0)


class Rfb(Talk):
    def __init__(self, minor=8, security=1, ways=None, **how):
        """ways: TightVNC's security type with so many ways to authenticate, of which `security` is chosen."""
        super().__init__("rfb", **how)
        server, client = [b"RFB 003.008\n"], [b"RFB 003.%03d\n" % minor]
        self.say(1, server[0])
        self.say(0, client[0])
        if minor == 3:
            server.append(struct.pack(">I", security))
            self.say(1, server[-1])
        else:
            server.append(bytes([2, 1, security if ways is None else 16]))
            self.say(1, server[-1])
            client.append(bytes([server[-1][2]]))
            self.say(0, client[-1])
        if ways is not None:        # no tunnel
            server.append(struct.pack(">II", 0, ways) + b"w" * 16 * ways)
            self.say(1, server[-1])
        if ways:
            client.append(struct.pack(">I", security))
            self.say(0, client[-1])
        if security == 2:
            server.append(b"c" * 16)
            self.say(1, server[-1])
            client.append(b"r" * 16)
            self.say(0, client[-1])
        if security == 2 or (minor in (8, 889) and security == 1):
            server.append(struct.pack(">I", 0))
            self.say(1, server[-1])
        if security in (1, 2):
            client.append(b"\1")
            self.say(0, client[-1])
            server.append(struct.pack(">HH", 64, 48) + FORMAT + struct.pack(">I", 4) + b"test")
            if ways is not None:
                server[-1] += struct.pack(">HHHH", 1, 2, 3, 0) + b"c" * 16 * 6
            self.say(1, server[-1])
        self.tally("client", "handshake", sum(map(len, client)))
        self.tally("server", "handshake", sum(map(len, server)))

    def client(self, name, data):
        self.say(0, data, "client", name)

    def server(self, name, data):
        self.say(1, data, "server", name)

    def update(self, *rectangles, announced=None):
        data = b""
        for name, encoding, w, h, body in rectangles:
            data += struct.pack(">HHHHi", 0, 0, w, h, encoding) + body
            self.tally("rectangles", name, 12 + len(body))
        self.server("FramebufferUpdate", struct.pack(">BxH", 0, len(rectangles) if announced is None else announced) + data)


def hextile(pixel):
    """20 x 17: four tiles of 16x16, 4x16, 16x1, 4x1: raw; both colours and two pieces; coloured pieces; nothing at all."""
    return (bytes([1]) + b"r" * (16 * 16 * pixel) + bytes([2 | 4 | 8]) + b"b" * pixel + b"f" * pixel + bytes([2]) + b"ps" * 2 +
            bytes([8 | 16, 3]) + (b"c" * pixel + b"ps") * 3 + bytes([0]))


def compact(n):
    if n < 128:
        return bytes([n])
    if n < 16384:
        return bytes([n & 127 | 128, n >> 7])
    return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14])


def tight(pixel, large=20000):
    """Each way of it that there is. TPIXEL has 3 bytes of 4."""
    t = 3 if pixel == 4 else pixel
    return [("Tight", 7, 9, 9, bytes([0x80]) + b"f" * t),
            ("Tight", 7, 9, 9, bytes([0x90]) + compact(200) + b"j" * 200),
            ("Tight", 7, 40, 40, bytes([0x00]) + compact(large) + b"z" * large),
            ("Tight", 7, 1, 1, bytes([0x10]) + b"p" * t),                            # short: as it is
            ("Tight", 7, 9, 5, bytes([0x50, 1, 1]) + b"c" * 2 * t + b"m" * 10),      # two colours: 2 x 5 bytes of bits
            ("Tight", 7, 9, 5, bytes([0x60, 1, 3]) + b"c" * 4 * t + compact(30) + b"z" * 30),
            ("Tight", 7, 5, 5, bytes([0x70, 2]) + compact(17) + b"g" * 17),
            ("Tight", 7, 5, 5, bytes([0x4f, 0]) + compact(18) + b"g" * 18)]


def make_rfb(folder):
    for name, how, pixel in (("rfb", {}, 4), ("rfb_7", {"minor": 7}, 4), ("rfb_33", {"minor": 3, "security": 2}, 4),
                             ("rfb_apple", {"minor": 889}, 4), ("rfb_tight", {"ways": 0}, 4),
                             ("rfb_tight_vnc", {"ways": 3, "security": 2}, 4), ("rfb_16", {"piece": 1000}, 2),
                             ("rfb_bytes", {"piece": 1}, 4), ("rfb_small", {"piece": 300}, 4)):
        r = Rfb(**how)
        if pixel == 2:
            r.client("SetPixelFormat", struct.pack(">B3x", 0) + FORMAT_16)
        r.client("SetEncodings", struct.pack(">BxHiii", 2, 3, 7, 16, -239))
        r.client("FramebufferUpdateRequest", struct.pack(">BBHHHH", 3, 0, 0, 0, 64, 48))
        r.update(("Raw", 0, 4, 2, b"x" * 8 * pixel), ("CopyRect", 1, 9, 9, b"\0\1\0\2"),
                 ("RRE", 2, 9, 9, struct.pack(">I", 3) + b"b" * pixel + (b"c" * pixel + b"geometry") * 3),
                 ("CoRRE", 4, 9, 9, struct.pack(">I", 2) + b"b" * pixel + (b"c" * pixel + b"geom") * 2),
                 ("Hextile", 5, 20, 17, hextile(pixel)), ("Zlib", 6, 9, 9, struct.pack(">I", 33) + b"z" * 33),
                 ("ZRLE", 16, 9, 9, struct.pack(">I", 300) + b"z" * 300))
        r.client("KeyEvent", struct.pack(">BBxxI", 4, 1, 0x61))
        r.client("KeyEvent", struct.pack(">BBxxI", 4, 0, 0x61))
        r.client("FramebufferUpdateRequest", struct.pack(">BBHHHH", 3, 1, 0, 0, 64, 48))
        r.update(*tight(pixel, 200 if name in ("rfb_small", "rfb_bytes") else 20000), announced=8)
        r.server("Bell", b"\2")
        r.update(("Cursor", -239, 9, 3, b"c" * 27 * pixel + b"m" * 6), ("XCursor", -240, 9, 3, b"rgbrgb" + b"m" * 12),
                 ("DesktopSize", -223, 99, 99, b""), ("ExtendedDesktopSize", -308, 99, 99, bytes([2, 0, 0, 0]) + b"s" * 32),
                 ("DesktopName", -307, 0, 0, struct.pack(">I", 3) + b"new"),
                 ("CursorWithAlpha", -314, 3, 3, struct.pack(">i", 0) + b"a" * 36),
                 ("supported encodings", -0x1fffe, 8, 2, b"e" * 8), ("LastRect", -224, 0, 0, b""), announced=0xffff)
        r.server("SetColourMapEntries", struct.pack(">BxHH", 1, 0, 2) + b"c" * 12)
        r.server("ServerCutText", struct.pack(">B3xi", 3, 5) + b"hello")
        r.server("ServerCutText", struct.pack(">B3xi", 3, -8) + b"extended")
        r.server("ServerFence", struct.pack(">B3xIB", 248, 1, 3) + b"abc")
        r.server("EndOfContinuousUpdates", b"\x96")
        r.client("ClientFence", struct.pack(">B3xIB", 248, 1, 3) + b"abc")
        r.client("EnableContinuousUpdates", struct.pack(">BBHHHH", 150, 1, 0, 0, 64, 48))
        r.client("PointerEvent", struct.pack(">BBHH", 5, 0, 1, 2))
        r.client("ClientCutText", struct.pack(">B3xi", 6, 2) + b"hi")
        r.client("SetDesktopSize", struct.pack(">BxHHBx", 251, 9, 9, 1) + b"s" * 16)
        r.client("QEMU", struct.pack(">BBHII", 255, 0, 1, 0x61, 0x1e))
        r.update()
        r.write(folder, name)

    r = Rfb()      # an encoding that nobody knows: 12 bytes of its header are decoded as the update's, the rest is not
    r.update(("Raw", 0, 4, 2, b"x" * 32))
    r.say(1, struct.pack(">BxHHHHHi", 0, 1, 0, 0, 9, 9, 999) + b"?" * 500)
    r.tally("server", "FramebufferUpdate", 16)
    r.client("KeyEvent", struct.pack(">BBxxI", 4, 1, 0x61))
    r.write(folder, "rfb_unknown")

    r = Rfb(security=19)   # VeNCrypt
    r.say(1, b"\0\2" * 100)
    r.write(folder, "rfb_encrypted")

    r = Rfb()      # a viewer that changes its colours between updates, and, behind the first byte of one, for the next one
    for before, pixel, later in ((None, 4, None), (FORMAT_16, 2, FORMAT), (None, 4, None)):
        if before:
            r.client("SetPixelFormat", struct.pack(">B3x", 0) + before)
        r.client("FramebufferUpdateRequest", struct.pack(">BBHHHH", 3, 0, 0, 0, 64, 48))
        r.say(1, b"\0", "server", "FramebufferUpdate")
        if later:
            r.client("SetPixelFormat", struct.pack(">B3x", 0) + later)
        r.tally("rectangles", "Cursor", 12 + 27 * pixel + 6)
        r.tally("server", "FramebufferUpdate", 0, -1)
        r.server("FramebufferUpdate", struct.pack(">xHHHHHi", 1, 0, 0, 9, 3, -239) + b"c" * 27 * pixel + b"m" * 6)
    r.write(folder, "rfb_colours")

    r = Rfb()      # the format changes after an update was asked for: CopyRect needs none, Raw does
    for _ in range(2):
        r.client("FramebufferUpdateRequest", struct.pack(">BBHHHH", 3, 0, 0, 0, 64, 48))
    r.client("SetPixelFormat", struct.pack(">B3x", 0) + FORMAT_16)
    r.update(("CopyRect", 1, 9, 9, b"\0\1\0\2"))
    r.tally("server", "FramebufferUpdate", 16)
    r.tally("rectangles", "Raw", 12)
    r.say(1, struct.pack(">BxHHHHHi", 0, 1, 0, 0, 4, 2, 0) + b"?" * 32)
    r.write(folder, "rfb_format")

    r = Rfb(piece=100)      # a hole: 36 bytes of the update's 336 never come, and the client acknowledges them; then a bell
    r.update(("Raw", 0, 10, 8, b"x" * 320))
    del r.capture.packets[-3]       # the last 36 bytes
    r.count["server"]["FramebufferUpdate"], r.count["rectangles"]["Raw"] = [1, 300], [1, 296]
    r.capture.send(r.ms + 5, 0, ack=r.sent[1])
    r.say(1, b"\2")
    r.write(folder, "rfb_hole")


# --- X11 ---



class X11(Talk):
    """Side 0 is the application here: it connects to the display."""

    def __init__(self, order="<", **how):
        super().__init__("x11", client=("10.0.0.9", 40000), server=("10.0.0.8", 6001), **how)
        self.order, self.sequence = order, 0
        self.say(0, struct.pack(order + "BxHHHHxx", ord("l" if order == "<" else "B"), 11, 0, 18, 16)
                 + b"MIT-MAGIC-COOKIE-1xx" + b"k" * 16)
        self.say(1, struct.pack(order + "BxHHH", 1, 11, 0, 25) + b"s" * 100)

    def request(self, name, opcode, data=0, body=b"", long=False):
        words = 1 + len(body) // 4
        head = struct.pack(self.order + "BBHI", opcode, data, 0, words + 1) if long else struct.pack(self.order + "BBH",
                                                                                                     opcode, data, words)
        self.sequence += 1
        self.say(0, head + body, "requests", name)

    def reply(self, name, body=b"", more=b"", sequence=None):
        data = (struct.pack(self.order + "BxHI", 1, (self.sequence if sequence is None else sequence) & 0xFFFF, len(more) // 4)
                + body)
        self.say(1, data + bytes(32 - len(data)) + more, "replies", name)

    def event(self, name, code, sent=0):
        self.say(1, bytes([code | sent]) + b"e" * 31, "events", name)

    def generic(self, name, major, more):
        self.say(1, struct.pack(self.order + "BBHI", 35, major, 0, len(more) // 4) + b"e" * 24 + more, "events", name)

    def error(self, name, code):
        self.say(1, struct.pack(self.order + "BBH", 0, code, self.sequence & 0xFFFF) + b"e" * 28, "errors", name)

    def extension(self, name, major, event, error):
        text = name.encode()
        self.request("QueryExtension", 98, 0, struct.pack(self.order + "Hxx", len(text)) + text + bytes(-len(text) % 4))
        self.reply("QueryExtension", bytes([1, major, event, error]))


def make_x11(folder):
    for name, order, piece in (("x11_little", "<", 7), ("x11_big", ">", 1000)):
        x = X11(order, piece=piece)
        x.extension("RENDER", 139, 0, 142)
        x.extension("MIT-SHM", 130, 65, 128)
        x.extension("UNHEARD-OF", 150, 90, 0)
        x.request("QueryExtension", 98, 0, struct.pack(order + "Hxx", 4) + b"NONE")
        x.reply("QueryExtension")
        x.request("CreateWindow", 1, 24, b"w" * 40)
        x.request("GetInputFocus", 43)
        asked = x.sequence
        for _ in range(3):
            x.request("PolyFillRectangle", 70, 0, b"r" * 16)
        x.reply("GetInputFocus", sequence=asked)
        x.request("RENDER FillRectangles", 139, 26, b"f" * 24)
        x.request("RENDER CompositeGlyphs8", 139, 23, b"g" * 36)
        x.request("MIT-SHM PutImage", 130, 3, b"p" * 36)
        x.request("UNHEARD-OF 7", 150, 7)
        x.request("PutImage", 72, 2, b"i" * 4000, long=order == ">")     # tshark wants BIG-REQUESTS asked for first
        x.request("extension? 3", 160, 3)
        x.error("Request", 1)
        x.error("RENDER 0", 142)
        x.event("Expose", 12)
        x.event("KeyPress", 2)
        x.event("ClientMessage", 33, sent=128)
        x.event("MIT-SHM 0", 65)
        x.event("UNHEARD-OF 2", 92)
        x.generic("UNHEARD-OF GenericEvent", 150, b"more" * 5)
        x.request("GetKeyboardMapping", 101, 0, b"m" * 4)
        x.reply("GetKeyboardMapping", more=b"k" * 28)
        x.write(folder, name)
    x = X11(piece=5000)       # over 65,536 requests: the number comes round
    x.say(0, struct.pack("<BBH", 127, 0, 1) * 70000)
    x.tally("requests", "NoOperation", 4 * 70000, 70000)
    x.sequence += 70000
    x.request("GetInputFocus", 43)
    x.reply("GetInputFocus")
    x.write(folder, "x11_long")


# --- TLS ---

def record(kind, body, version=0x0303):
    return struct.pack(">BHH", kind, version, len(body)) + body


def hello(kind, cipher, session=32):
    body = struct.pack(">H32sB", 0x0303, b"r" * 32, session) + b"s" * session + struct.pack(">HB", cipher, 0)
    return record(22, bytes([kind, 0]) + struct.pack(">H", len(body)) + body, 0x0301 if kind == 1 else 0x0303)


class Tls(Talk):
    def __init__(self, cipher=0x1301, before=b"", **how):
        super().__init__("tls", **how)
        if before:
            self.say(0, before)
            self.say(1, before)
        self.records(0, hello(1, 0))
        self.records(1, hello(2, cipher))
        for side in (1, 0):
            self.records(side, record(20, b"\1"))

    def records(self, side, *records, application=False):
        self.say(side, b"".join(records))
        for r in records:
            self.tally(("input", "display")[side], "application_records" if application else "records", len(r))


def make_tls(folder):
    # Two records of handshake and change of cipher on each side, then application data: 2 of 27 and 3 of 105, 16000 and 300 bytes,
    # each with
    # 5 of a header, and 17, 24, at least 37 of sealing. In pieces of 7 the ServerHello is in none whole: the cipher is not known.
    before = {"before": b"\3\0\0\x13" + b"x224 connection"}
    for name, cipher, how in (("tls_13", 0x1301, {"piece": 1400}), ("tls_12", 0xC02F, {"piece": 1400, **before}),
                              ("tls_cbc", 0x002F, {"piece": 900}), ("tls_pieces", 0x1301, {})):
        t = Tls(cipher, **how)
        for side, size in ((0, 27), (1, 105), (1, 16000), (0, 27), (1, 300)):
            t.records(side, record(23, b"d" * size), application=True)
        t.write(folder, name)
    t = Tls(piece=100)
    t.records(1, record(23, b"d" * 500), application=True)
    t.records(1, b"this is no record at all")
    t.write(folder, "tls_broken")


def make(folder):
    make_paper(folder)
    make_rfb(folder)
    make_x11(folder)
    make_tls(folder)
    make_connections(folder)
    make_acks(folder)
    make_lossy(folder)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    make(sys.argv[1])
