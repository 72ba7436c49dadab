# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a command writes: whole or not at all."""
import os
from pathlib import Path

from analysis.command import Stop
from analysis.foreign import full_disk


def put_file(path: str, data: bytes) -> None:
    """The data become the file; a device, a pipe or a link (/dev/stdout) stays what it is. (In a folder for all, another login
    could have put a link in the place of the new file.)"""
    new = f'{path}.new'
    is_direct = os.path.islink(path) or (os.path.exists(path) and not os.path.isfile(path))
    try:
        if not is_direct:
            Path(new).unlink(missing_ok=True)
        with open(path if is_direct else new, 'wb' if is_direct else 'xb') as file:
            file.write(data)
        if not is_direct:
            os.rename(new, path)
    except OSError as e:
        if not is_direct:
            Path(new).unlink(missing_ok=True)
        raise Stop(full_disk(os.path.dirname(path) or '.') or f'cannot write {path}: {e.strerror}') from None
