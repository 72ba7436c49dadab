/* record - the command. */
#include "cli.h"
#include "commands.h"

int vncplay_record(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "record: not there yet");
}
