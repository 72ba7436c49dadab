# SPDX-License-Identifier: GPL-3.0-or-later
"""vncauth - the answer to a challenge of VNC authentication: DES under the password, the bits of each byte turned around
(RFC 6143, 7.2.2).

Done by openssl, as triple DES with three equal keys, which is DES: its own DES is not in every system's default provider."""
import subprocess


def answer(password, challenge):
    """What a client that knows the password says to a challenge of 16 bytes."""
    key = bytes(int("{:08b}".format(b)[::-1], 2) for b in password.encode()[:8].ljust(8, b"\0"))
    command = ["openssl", "enc", "-des-ede3", "-nopad", "-K", (key * 3).hex()]
    return subprocess.run(command, input=challenge, stdout=subprocess.PIPE, check=True).stdout
