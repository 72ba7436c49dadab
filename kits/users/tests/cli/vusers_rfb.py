# SPDX-License-Identifier: GPL-3.0-or-later
"""A VNC server with a script, for vusers to be held against: prints its port. A key pressed turns a square of the connection's own,
black or white.

--die N: closes each connection at its Nth key. --mute N: answers none from the Nth key of each connection on. --half N: sends half
of the answer to the Nth key of each connection, and nothing after. --outside N: answers the Nth key of libvncclient (which asks for
ExtendedDesktopSize) with a gradient of tight without width, which 0.9.14 draws behind the picture. --same N: every Nth key is first
answered by an update that changes no pixel, and 50 ms later by the one that does. --greet: says nothing at all. --refuse-after N:
closes every connection after the first N at once, and counts them in the file --refused. --drop-first MS: closes the first
connection so long after its first picture. Keys are counted in the file --keys."""
import argparse
import asyncio
import struct

options = argparse.ArgumentParser()
for name in ("die", "mute", "half", "outside", "same", "refuse-after", "drop-first"):
    options.add_argument("--" + name, type=int, default=0)
options.add_argument("--greet", action="store_true")
options.add_argument("--host", default="127.0.0.1")
options.add_argument("--keys")
options.add_argument("--refused")
options = options.parse_args()
connections = keys = 0


def update(colour, x=0, width=16, height=16):
    return struct.pack(">BxHHHHHi", 0, 1, x, 0, width, height, 0) + bytes([colour, colour, colour, 0]) * width * height


async def talk(reader, writer):
    global connections, keys
    connections += 1
    first = connections == 1
    if options.refuse_after and connections > options.refuse_after:
        if options.refused:
            with open(options.refused, "w") as out:
                print(connections - options.refuse_after, file=out)
        writer.close()
        return
    if options.greet:
        await asyncio.sleep(3600)
    pressed = library = 0
    try:
        writer.write(b"RFB 003.008\n")
        await reader.readexactly(12)
        writer.write(b"\1\1")
        await reader.readexactly(1)
        writer.write(b"\0\0\0\0")
        await reader.readexactly(1)
        writer.write(struct.pack(">HHBBBBHHHBBBxxxI", 64, 48, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0, 4) + b"test")
        told = False
        while True:
            kind = (await reader.readexactly(1))[0]
            if kind == 0:
                await reader.readexactly(19)
            elif kind == 2:
                count = struct.unpack(">xH", await reader.readexactly(3))[0]
                library = -308 in struct.unpack(">%di" % count, await reader.readexactly(4 * count))
            elif kind == 3:
                await reader.readexactly(9)
                if not told:
                    told = True
                    if first and options.drop_first:
                        asyncio.get_running_loop().call_later(options.drop_first / 1000, writer.close)
                    writer.write(update(128, 0, 64, 48))
            elif kind == 5:
                await reader.readexactly(5)
            elif kind == 4:
                if not (await reader.readexactly(7))[0]:
                    continue
                pressed += 1
                keys += 1
                if options.keys:
                    with open(options.keys, "w") as out:
                        print(keys, file=out)
                if options.die and pressed == options.die:
                    break
                if options.mute and pressed >= options.mute:
                    continue
                if options.half and pressed >= options.half:
                    if pressed == options.half:
                        writer.write(update(0)[:500])
                    continue
                if options.outside and pressed == options.outside and library:
                    writer.write(struct.pack(">BxHHHHHi", 0, 1, 64, 0, 0, 48, 7) + b"\x60\2")
                    continue
                if options.same and pressed % options.same == 0:
                    writer.write(update(128, 32))
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(update(0 if pressed % 2 else 255))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(talk, options.host, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
