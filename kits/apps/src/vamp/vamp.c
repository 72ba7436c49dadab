// SPDX-License-Identifier: GPL-3.0-or-later
/* vamp - favours the tasks that a user waits for: throttles background tasks from an input until the episode ends.
 *
 * Each command is a file of its own (run.c, status.c, ...). This file finds the command. */
#include "cli.h"
#include "commands.h"

static const struct cli_command commands[] = {
	{ "run", "", "throttle background tasks from an input until the episode ends", run_command },
	{ "status", "", "print which processes are throttled now, and why", status_command },
	{ "trace", "", "record which task ran on which CPU and for how long", trace_command },
	{ "vm", "", "slow the virtual CPUs of a QEMU while they run background tasks", vm_command },
	{ NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	return cli_run_command(argc, argv, "vamp", "Finds background tasks when the user acts, and throttles them for an episode.",
			       commands);
}
