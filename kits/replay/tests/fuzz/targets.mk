# SPDX-License-Identifier: GPL-3.0-or-later
SOURCES_vncplay = $(filter-out %/json_in.c,$(wildcard $(ROOT)/kits/replay/src/vncplay/*/*.c $(ROOT)/src/rfb/*.c $(ROOT)/src/lib/*.c))
LIBS_vncplay = $(shell sed -n "s/^LIBS_vncplay = //p" $(ROOT)/kits/replay/rooms.mk)
WRAP_vncplay = -Wl,--wrap=screen_resize
MUTATOR_vncplay = vncplay_mutator mutate
