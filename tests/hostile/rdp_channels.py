# SPDX-License-Identifier: GPL-3.0-or-later
# rdp_channels.py: what a server says on the clipboard's channel (MS-RDPECLIP) and in the graphics pipeline (MS-RDPEGFX, in a
# dynamic channel, MS-RDPEDYC), by behaviour: SAID, what the client answers to, and the rest, which may be false.
from struct import pack

WHOLE = 3  # CHANNEL_FLAG_FIRST | CHANNEL_FLAG_LAST
GRAPHICS = b"Microsoft::Windows::RDS::Graphics\0"
HUGE = 0xFFFFFFFF


def on(name, messages):  # a message: its bytes; or the flags of the channel, the length as it is claimed, its bytes
    return [(name, *m) if isinstance(m, tuple) else (name, WHOLE, len(m), m) for m in messages]


# --- clipboard ---


def clip(kind, body=b"", size=None):
    return pack("<HHI", kind, 0, len(body) if size is None else size) + body


def clip_caps(version=2, length=12, sets=1):
    return clip(7, pack("<HHHHII", sets, 0, 1, length, version, 2))


def formats(n):
    return b"".join(pack("<I", 0xC000 + k) + f"format {k}\0".encode("utf-16le") for k in range(n))


READY = [clip_caps(), clip(1)]
CLIPBOARD = {
    "true": [],
    "short": [b"\2\0\0"],
    "length": [clip(2, formats(3), HUGE)],
    "less": [clip(2, formats(3), 3)],
    "endless": [clip(2, formats(60))] * 300,
    "unended": [clip(2, b"\1\0\0\0" + b"A\0" * 700)],
    "part": [(1, HUGE, clip(2, formats(3)))] * 3,
    "version": [clip_caps(0xFFFFFFFF), clip(1)],
    "sets": [clip_caps(sets=0xFFFF)],
    "set": [clip_caps(length=0)] * 3,
    "ready": READY * 100,
    "asks": [clip(4, pack("<I", 13))] * 300 + [clip(4)],
    "files": [clip(8, b"\xff" * 28), clip(9, b"\xff" * 4), clip(10, b"\xff" * 4), clip(11)],
    "unknown": [clip(0xFFFF, b"\xff" * 100)],
}

# --- graphics pipeline ---


def gfx(kind, body=b"", size=None, channel=7):  # in a segment that is not compressed
    return b"\x30" + bytes([channel]) + b"\xe0\4" + pack("<HHI", kind, 0, 8 + len(body) if size is None else size) + body


def opened(channel=7):
    return b"\x10" + bytes([channel]) + GRAPHICS


def gfx_caps(version=0x80004, channel=7):
    return gfx(0x13, pack("<III", version, 4, 0), channel=channel)


def reset(w, h, monitors=0):
    return gfx(0xE, pack("<III", w, h, monitors).ljust(332, b"\0"))


def surface(number, w, h):
    return gfx(9, pack("<HHHB", number, w, h, 0x20))


def shown(number):
    return gfx(0xF, pack("<HHII", number, 0, 0, 0))


def fill(number, colour=0, rect=(0, 0, 16, 16), rects=1):
    return gfx(4, pack("<HIH4H", number, colour, rects, *rect))


def pixels(number, rect, data, codec=0, size=None):
    return gfx(1, pack("<HHB4HI", number, codec, 0x20, *rect, len(data) if size is None else size) + data)


def frame(draws, stamp=0, number=1):
    return [gfx(0xB, pack("<II", stamp, number)), *draws, gfx(0xC, pack("<I", number))]


BEGIN = [b"\x50\0\1\0", opened()]
SCREEN = BEGIN + [gfx_caps(), reset(320, 240), surface(1, 320, 240), shown(1)]
SQUARE = pixels(1, (0, 0, 16, 16), b"\x55" * 1024)
OUTSIDE = (0xFFF0, 0xFFF0, 0xFFFF, 0xFFFF)
NOISE = bytes(range(255, -1, -1)) * 4
PIPELINE = {
    "true": SCREEN + frame([SQUARE]),
    "version": BEGIN + [gfx_caps(0xFFFFFFFF)] + SCREEN[3:] + frame([SQUARE]),
    "caps": BEGIN + [gfx(0x13, b"\4\0\x08")],
    "uncapped": BEGIN + SCREEN[3:] + frame([SQUARE]),
    "name": [BEGIN[0], b"\x10\7" + b"A" * 1000],
    "twice": SCREEN + [opened(8), gfx_caps(channel=8), b"\x40\7", gfx(0xB, b"\0" * 8, channel=8), gfx_caps(channel=8),
                       gfx(1, SQUARE[12:], channel=8), gfx(0xC, b"\0" * 4, channel=8)],
    "closed": SCREEN + [b"\x40\7"] + frame([SQUARE]),
    "part": SCREEN + [b"\x28\7" + pack("<I", HUGE) + b"A" * 100] + [b"\x30\7" + b"A" * 1000] * 20,
    "chunk": SCREEN + [(1, HUGE, SQUARE)] * 3,
    "segments": SCREEN + [b"\x30\7\xe1" + pack("<HI", 0xFFFF, HUGE) + b"A" * 100],
    "compressed": SCREEN + [b"\x30\7\xe0\x24" + NOISE],
    "length": SCREEN + [gfx(0xA, pack("<H", 1), HUGE)],
    "nothing": SCREEN + [gfx(0xB, b"\0" * 8, 0)],
    "short": SCREEN + [gfx(kind) for kind in range(1, 0x19)],
    "unknown": SCREEN + [gfx(0xFFFF, NOISE)],
    "unended": SCREEN + frame([SQUARE])[:2] * 100,
    "unbegun": SCREEN + frame([])[1:] * 100,
    "absurd": SCREEN + [surface(2, 0xFFFF, 0xFFFF), shown(2)] + frame([fill(2, 1, (0, 0, 0xFFFF, 0xFFFF))]),
    "many": SCREEN + [surface(2 + k, 8192, 8192) for k in range(50)],
    "empty": SCREEN + [surface(2, 0, 0), shown(2)] + frame([fill(2)]),
    "deleted": SCREEN + [gfx(0xA, pack("<H", 1))] + frame([fill(1), SQUARE]),
    "again": SCREEN + [surface(1, 16, 16)] + frame([fill(1, 1, (0, 0, 320, 240)), SQUARE]),
    "none": SCREEN + [shown(99)] + frame([fill(99), pixels(99, (0, 0, 1, 1), b"1234")]),
    "zero": SCREEN + [reset(0, 0)] + frame([SQUARE]),
    "screen": SCREEN + [reset(0xFFFFFFFF, 0xFFFFFFFF), reset(0xFFFF, 0xFFFF)] + frame([SQUARE]),
    "monitors": SCREEN + [reset(320, 240, 0x10000000), reset(320, 240, 0xFFFFFFFF)],
    "outside": SCREEN + frame([pixels(1, OUTSIDE, b"1" * 900), fill(1, 1, OUTSIDE)]),
    "backwards": SCREEN + frame([pixels(1, (16, 16, 0, 0), b"1" * 1024), fill(1, 1, (16, 16, 0, 0))]),
    "less": SCREEN + frame([pixels(1, (0, 0, 320, 240), b"1" * 16), pixels(1, (0, 0, 16, 16), b"1" * 16, size=HUGE)]),
    "rects": SCREEN + frame([fill(1, 1, rects=0xFFFF)]),
    "codecs": SCREEN + frame([pixels(1, (0, 0, 64, 64), NOISE, codec) for codec in (3, 8, 9, 10, 11, 12, 14, 15, 16, 0xFFFF)]),
    "copies": SCREEN + frame([gfx(5, pack("<HH4HH2H", 99, 1, 0, 0, 9, 9, 1, 0, 0)), gfx(7, pack("<HHH2H", 0xFFFF, 1, 1, 0, 0)),
                              gfx(6, pack("<HQH4H", 1, 1, 0xFFFF, 0, 0, 0xFFFF, 0xFFFF)), gfx(8, pack("<H", 0xFFFF))]),
}
SAID = {f"clipboard-{how}": (on("cliprdr", READY), on("cliprdr", said)) for how, said in CLIPBOARD.items()}
SAID |= {f"graphics-{how}": (on("drdynvc", said[:1]), on("drdynvc", said[1:])) for how, said in PIPELINE.items()}


def screen():
    return on("drdynvc", SCREEN)


def stamped(number):  # a frame that changes a square where none did lately, of the time 12:34:56 and so many milliseconds
    x, y = number % 20 * 16, number // 20 % 15 * 16
    square = fill(1, number * 0x40000 % 0xFFFFFF + 1, (x, y, x + 16, y + 16))
    return on("drdynvc", frame([square], 12 << 22 | 34 << 16 | 56 << 10 | number % 1000, number))
