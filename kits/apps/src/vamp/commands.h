/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands - the commands of vamp, a file each. Each function reads its options and returns an exit status. */
#pragma once

int vamp_run_command(int argc, char **argv);
int vamp_status_command(int argc, char **argv);
int vamp_trace_command(int argc, char **argv);
int vamp_vm_command(int argc, char **argv);
