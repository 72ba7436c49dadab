// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay - records a session once, replays it anywhere, and finds the response time of every input.
 *
 * Each command is in a folder of its own and reads its options, runs and reports. This file calls the command. */
#include "cli.h"
#include "commands.h"

static const struct cli_command commands[] = {
	{ "record", "SERVER TRACE", "record a session of a viewer or a script", vncplay_record },
	{ "play", "SERVER TRACE LOG", "replay it; inputs wait for the recorded screen", vncplay_play },
	{ "learn", "", "an input waits for the snapshots of its trace: vncplay play SERVER TRACE LOG", NULL },
	{ "analyze", "LOG...", "find each input's response time in all replays", vncplay_analyze },
	{ "picture", "LOG OUT.ppm", "write the screen of a replay at a moment", vncplay_picture },
	{ NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	return cli_run_command(argc, argv, "vncplay",
			       "Records a session once, replays it reliably, and times the response to inputs.", commands);
}
