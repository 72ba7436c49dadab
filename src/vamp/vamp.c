// SPDX-License-Identifier: GPL-3.0-or-later
/* vamp - favours the tasks that a user waits for: throttles background tasks from an input until the episode ends.
 *
 * Each command is a file of its own (run.c, status.c, ...). This file finds the command. */
#include "cli.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *does;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "run", "throttle background tasks of this system from an input until the episode ends", vamp_run_command },
	{ "status", "print which processes are throttled now, and why", vamp_status_command },
	{ "trace", "record which task ran on which CPU and for how long", vamp_trace_command },
	{ "vm", "slow down the virtual CPUs of a QEMU that run background tasks, as its guest reports", vamp_vm_command },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void vamp_usage(FILE *to)
{
	fputs("usage: thinprobe vamp COMMAND [options]\n"
	      "Finds the background tasks when the user acts and throttles them until the episode ends.\n\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].word, commands[i].does);
	fputs("\n  -h, --help     print this and exit; thinprobe vamp COMMAND --help: its options\n"
	      "  -V, --version  print the version and exit\n\nManual: man thinprobe-vamp\n", to);
}

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		vamp_usage(stdout);
		return EXIT_OK;
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("vamp (thinprobe) " THINPROBE_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].word))
			return commands[i].run(argc - 1, argv + 1);
	if (argc > 1)
		fprintf(stderr, "vamp: no command %s (see thinprobe vamp --help)\n", argv[1]);
	else
		fputs("vamp: which command? (see thinprobe vamp --help)\n", stderr);
	return EXIT_USAGE;
}
