# SPDX-License-Identifier: GPL-3.0-or-later
"""vamp_qemu - stands in for a QEMU: answers on a QMP socket, and has two threads that work as its vCPUs, both on one CPU.

usage: vamp_qemu.py CPU QMP AGENT TELL
What comes on the fifo TELL goes out on the socket AGENT, "spent" aside: then a line with the run time of each vCPU and of the
other thread, in ns, is appended to the file TELL.spent. TELL.cr3 has the page-table register of each vCPU."""
import contextlib
import hashlib
import json
import os
import socket
import sys
import threading
import time

cpu, qmp_path, agent_path, tell_path = int(sys.argv[1]), *sys.argv[2:5]
tids = {}


def work(index):
    tids[index] = threading.get_native_id()
    os.sched_setaffinity(0, {cpu})
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 100000)  # without the interpreter's lock


def listen(path):
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(4)
    return s


def qmp(server):
    while True:
        client, _ = server.accept()
        with client, client.makefile("rw") as f:

            def say(message):
                f.write(json.dumps(message) + "\r\n")
                f.flush()

            say({"QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}, "package": ""}, "capabilities": ["oob"]}})
            for line in f:
                command = json.loads(line)["execute"]
                say({"timestamp": {"seconds": 1, "microseconds": 2}, "event": "RESUME"})
                if command == "query-cpus-fast":
                    say({"return": [{"cpu-index": i, "thread-id": int(os.environ.get("WRONG_THREAD", tids[i])), "target": "x86_64",
                                     "qom-path": f"/machine/unattached/device[{i}]", "props": {"core-id": i}} for i in (1, 0)]})
                elif command == "human-monitor-command":
                    with open(tell_path + ".cr3") as registers:
                        say({"return": "".join(f"CPU#{i}\r\nCR3={r} \r\n" for i, r in enumerate(registers.read().split()))})
                else:
                    say({"return": {}})


def spent():
    names = [tids[0], tids[1], tids[2]]
    return " ".join(open(f"/proc/self/task/{tid}/schedstat").read().split()[0] for tid in names)


for i in (0, 1, 2):  # the third is no vCPU
    threading.Thread(target=work, args=(i,), daemon=True).start()
while len(tids) < 3:
    time.sleep(0.01)
threading.Thread(target=qmp, args=(listen(qmp_path),), daemon=True).start()
agent = listen(agent_path)
print(*[tids[i] for i in range(3)], flush=True)
client, _ = agent.accept()
while True:
    with open(tell_path) as tell:
        for line in tell:
            if line == "spent\n":
                with open(tell_path + ".spent", "a") as out:
                    out.write(spent() + "\n")
            elif line == "close\n":
                client.close()
            else:
                with contextlib.suppress(BrokenPipeError):  # a QEMU lives on when vamp has been killed
                    client.sendall(line.encode())
