# SPDX-License-Identifier: GPL-3.0-or-later
LIBS_vncplay = -lvncserver -lvncclient -ljpeg -lz -lgcrypt -lxkbcommon
USES_vncplay = rfb
