# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server with a script, for vusers to be held against: prints its port; answers at once, but for what it is told.

--delay S: each answer comes so long after its request, on each connection for itself. --pause-at S --pause S: from S after the
first request nobody is answered for so long. --refuse: every 5th request is answered 503. --fail: so it is, and every 7th is
broken off, every 11th never answered. /count says how many connections and requests (its own not) there were, and to which
hosts."""
import argparse
import asyncio
import time

options = argparse.ArgumentParser()
options.add_argument("--delay", type=float, default=0)
options.add_argument("--pause-at", type=float, default=0)
options.add_argument("--pause", type=float, default=0)
options.add_argument("--fail", action="store_true")
options.add_argument("--refuse", action="store_true")
options = options.parse_args()
connections = requests = 0
hosts = set()
first = None


def answer(status, body):
    return f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\nConnection: keep-alive\r\n\r\n".encode() + body


async def talk(reader, writer):
    global connections, requests, first
    connections += 1
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if head.startswith("GET /count "):
                writer.write(answer(200, f"{connections} {requests} {' '.join(sorted(hosts))}".encode()))
                continue
            hosts.update(line[6:] for line in head.split("\r\n") if line.startswith("Host: "))
            requests += 1
            now = time.monotonic()
            first = first or now
            if options.pause and now < first + options.pause_at + options.pause and now >= first + options.pause_at:
                await asyncio.sleep(first + options.pause_at + options.pause - now)
            await asyncio.sleep(options.delay)
            if options.fail and requests % 11 == 0:
                await asyncio.sleep(3600)
            if options.fail and requests % 7 == 0:
                break
            writer.write(answer(503 if (options.fail or options.refuse) and requests % 5 == 0 else 200, b"x" * 500))
            await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
