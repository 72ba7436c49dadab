# SPDX-License-Identifier: GPL-3.0-or-later
LIBS_startup = -lXRes -lXtst -lXdamage -lXfixes -lXext -lX11
LIBS_vamp = -ljansson -lXi -lX11 -lxkbcommon
USES_startup = x11
USES_vamp = x11

EXTRA_vamp/shares_group_test = -Wl,--wrap=files_write_text,--wrap=files_write_number,--wrap=mkdir,--wrap=rmdir
EXTRA_vamp/episodes = -Wl,--wrap=scope_list

# A program for bats files that use a room directly.
TEST_PROGRAMS += $(BUILD)/tests/vamp/episodes
