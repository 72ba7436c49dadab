/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands - the commands of vncplay. Each reads its own options (argv[0] is the command's name) and returns an exit status. */
#pragma once

int vncplay_record(int argc, char **argv);
int vncplay_play(int argc, char **argv);
int vncplay_analyze(int argc, char **argv);
int vncplay_picture(int argc, char **argv);
