/* analyze - the command. */
#include "cli.h"
#include "commands.h"

int vncplay_analyze(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "analyze: not there yet");
}
