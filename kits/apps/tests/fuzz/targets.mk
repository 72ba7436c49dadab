# SPDX-License-Identifier: GPL-3.0-or-later
SOURCES_guest = $(filter-out %/vamp.c,$(wildcard $(ROOT)/kits/apps/src/vamp/*.c $(ROOT)/src/lib/*.c)) $(ROOT)/src/x11/connection.c
WRAP_guest = -Wl,--wrap=dial_unix
LIBS_guest = $(shell sed -n "s/^LIBS_vamp = //p" $(ROOT)/kits/apps/rooms.mk) -lgcrypt -lcap-ng -lseccomp
