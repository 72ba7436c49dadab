// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay - records a session once, replays it anywhere, and finds the response time of every input.
 *
 * Each command is in a folder of its own and reads its options, runs and reports. This file calls the command. */
#include "cli.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *wants, *does;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", "SERVER TRACE", "a session, by hand, by a script, or through a proxy", vncplay_record },
	{ "play", "SERVER TRACE LOG", "what was recorded, once the screen shows what it showed", vncplay_play },
	{ "learn", "TRACE LOG...", "which changes of the screen come before which input", vncplay_learn },
	{ "analyze", "LOG...", "the response time of every input, over all replays", vncplay_analyze },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *to)
{
	fputs("usage: thinprobe vncplay COMMAND [options]\nRecords a session once, replays it reliably, "
	      "and tells the response time of every input.\n\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-11s %-16s %s\n", commands[i].word, commands[i].wants, commands[i].does);
	fputs("\n  -h, --help                   print this and exit; thinprobe vncplay COMMAND --help: its options\n"
	      "  -V, --version                print the version and exit\n\nManual: man thinprobe-vncplay\n", to);
}

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return EXIT_OK;
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("vncplay (thinprobe) " THINPROBE_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].word))
			return commands[i].run(argc - 1, argv + 1);
	if (argc > 1)
		fprintf(stderr, "vncplay: no command %s (see thinprobe vncplay --help)\n", argv[1]);
	else
		fputs("vncplay: which command? (see thinprobe vncplay --help)\n", stderr);
	return EXIT_USAGE;
}
