/* play - the command. */
#include "cli.h"
#include "commands.h"

int vncplay_play(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "play: not there yet");
}
