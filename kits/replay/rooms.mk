# SPDX-License-Identifier: GPL-3.0-or-later
LIBS_vncplay = -lcap-ng -lseccomp -lvncserver -lvncclient -ljpeg -lz -lgcrypt
USES_vncplay = rfb
# Loops over pixels: vectorised they take half the time.
$(BUILD)/kits/replay/src/vncplay/%.o: CFLAGS += -O3
EXTRA_vncplay/fuzz_test = -Wl,--wrap=screen_resize
