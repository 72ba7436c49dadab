/* learn - the command. */
#include "cli.h"
#include "commands.h"

int vncplay_learn(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "learn: not there yet");
}
