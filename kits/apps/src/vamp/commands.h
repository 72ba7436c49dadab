/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands - the commands of vamp, a file each. Each function reads its options and returns an exit status. */
#pragma once

int run_command(int argc, char **argv);
int status_command(int argc, char **argv);
int trace_command(int argc, char **argv);
int vm_command(int argc, char **argv);
