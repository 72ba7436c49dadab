#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""inside.py - a measured program: looks at what it has, notes what it must not have, and becomes the program whose name it bears.

In place of a program of the emulated hosts (a link of that name in a folder in front of PATH). In the folder INSIDE_NOTES below, it
makes a file for each start: "looked NAME", then a line for each thing of the driver's, the caller's or the machine's that it has.
"""
import ctypes
import fcntl
import os
import platform
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
NOTES = os.path.join(HERE, "notes")
# what door.c leaves, what enter.sh and the shell set, and what plug-ins say themselves (env NAME=VALUE)
KNOWN = re.compile(r"(PATH|USER|LOGNAME|TERM|LANG|LANGUAGE|TZ|LC_.*|LAB_.*|TP_.*|HOME|XDG_RUNTIME_DIR|TMPDIR|PWD|OLDPWD|SHLVL|_|"
                   r"SHELL|DISPLAY|XAUTHORITY|WINDOWID|XTERM_.*|COLUMNS|LINES)")
KEYCTL = {"x86_64": 250, "aarch64": 219}.get(platform.machine())
OWN = ("/tmp", "/dev/shm", "/dev/mqueue", NOTES)


def private():
    """Places of file systems that the host has for itself alone."""
    with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
        return [line.split()[1] for line in file if line.startswith("thinprobe ")]


def variables():
    return [f"variable {name}" for name in os.environ if not KNOWN.fullmatch(name)]


def descriptors():
    for name in os.listdir("/proc/self/fd"):
        try:
            link = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue    # the one of this list
        if int(name) > 2 and not link.startswith("/proc/"):
            yield f"descriptor {name} {link}"
        elif int(name) < 3 and os.isatty(int(name)) and os.fstat(int(name)).st_rdev == callers_terminal():
            yield f"terminal at {name} {link}"


def callers_terminal():
    with open(os.path.join(HERE, "terminal"), encoding="ascii") as file:
        return os.makedev(*map(int, file.read().split()))


def terminal():
    """The caller's, and that of a session that is not in its own processes' namespace (a terminal emulator has one for it)."""
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return []
    number = fcntl.ioctl(fd, 0x80045432, b"\0\0\0\0")    # TIOCGDEV
    os.close(fd)
    if os.getsid(0) == 0 or int.from_bytes(number, sys.byteorder) == callers_terminal():
        return ["terminal /dev/tty"]
    return []


def keys():
    """Keys of the name that the test gives to its caller, in the keyrings of session, user and user's session."""
    call = ctypes.CDLL(None).syscall
    return [f"key in keyring {ring}" for ring in (-3, -4, -5)
            if KEYCTL and call(KEYCTL, 10, ctypes.c_int(ring), b"user", b"thinprobe-inside", 0) > 0]


def rights():
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        if int(status[name], 16):
            yield f"capabilities {name} {status[name]}"
    with open("/proc/self/uid_map", encoding="ascii") as file:
        outside = int(file.read().split()[1])
    if outside < 1000:
        yield f"user {outside}"
    if os.getuid() == 0:
        yield "user root"


def folders():
    """Folders outside of its own that it may write to."""
    own = ("/proc", "/sys", *OWN, *private())
    for top, below, _ in os.walk("/"):
        below[:] = [name for name in below if os.path.join(top, name) not in own
                    and not os.path.islink(os.path.join(top, name))]
        if top.count("/") > 2:
            below[:] = []
        for name in below:
            path = os.path.join(top, name)
            if os.access(path, os.W_OK) and not NOTES.startswith(path + "/"):
                yield f"folder {path}"


def processes():
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if name.isdigit() and b"INSIDE_SECRET=" in file.read():
                    yield f"environment of process {name}"
        except OSError:
            pass


def main():
    name = os.path.basename(sys.argv[0])
    found = [line for look in (variables, descriptors, terminal, keys, rights, folders, processes) for line in look()]
    with tempfile.NamedTemporaryFile("w", dir=NOTES, prefix=name + ".", delete=False) as file:
        os.fchmod(file.fileno(), 0o644)
        file.write("\n".join([f"looked {name}", *found]) + "\n")
    if name == "inside.py":
        return
    for folder in os.environ.get("PATH", "/usr/bin").split(":"):
        program = os.path.join(folder, name)
        if os.path.realpath(folder) != os.path.realpath(HERE) and os.access(program, os.X_OK):
            os.execv(program, sys.argv)
    sys.exit(127)


main()
