/* figures - the commands that turn an analysis into figures. */
#include "cli.h"
#include "commands.h"

int vncplay_cdf(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "cdf: not there yet");
}

int vncplay_ratio(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "ratio: not there yet");
}

int vncplay_percentiles(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "percentiles: not there yet");
}

int vncplay_table(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_RUN, "table: not there yet");
}

