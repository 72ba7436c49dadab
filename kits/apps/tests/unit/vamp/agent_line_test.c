// SPDX-License-Identifier: GPL-3.0-or-later
/* agent_line - lines of the agent: known ones, bad ones, and thousands that are nearly right. */
#include <errno.h>

#include "../../../../../tests/unit/unit.h"
#include "../../../../../tests/unit/seeds.h"
#include "vamp/agent.h"

TEST(lines_mean_what_the_header_says)
{
	static const struct {
		const char *text;
		struct agent_line line;
	} good[] = {
		{ "vamp/1 1 begin", { 1, AGENT_BEGIN, 0, 0 } },
		{ "vamp/1 7 end", { 7, AGENT_END, 0, 0 } },
		{ "vamp/1 1000000000000000 alive", { 1000000000000000, AGENT_ALIVE, 0, 0 } },
		{ "vamp/1 20 cpu 0 0", { 20, AGENT_CPU, 0, 0 } },
		{ "vamp/1 21 cpu 511 100", { 21, AGENT_CPU, 511, 100 } },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct agent_line line;
		char text[AGENT_LINE];
		size_t n;

		assert_int_equal(agent_parse(good[i].text, &line), 0);
		assert_int_equal(line.sequence, good[i].line.sequence);
		assert_int_equal(line.word, good[i].line.word);
		assert_int_equal(line.cpu, good[i].line.cpu);
		assert_int_equal(line.percent, good[i].line.percent);
		n = agent_format(&good[i].line, text);
		assert_int_equal(n, strlen(good[i].text) + 1);
		assert_memory_equal(text, good[i].text, n - 1);
		assert_int_equal(text[n - 1], '\n');
	}
}

TEST(what_is_no_line_is_refused)
{
	static const char *const bad[] = {
		"",
		"vamp",
		"vamp/",
		"vamp/1",
		"vamp/1 ",
		"vamp/1 1",
		"vamp/1 1 ",
		"vamp/1 0 begin",
		"vamp/1 01 begin",
		"vamp/1 -1 begin",
		"vamp/1 +1 begin",
		"vamp/1 1 begin ",
		"vamp/1  1 begin",
		" vamp/1 1 begin",
		"vamp/1 1 Begin",
		"vamp/1 1 beginning",
		"vamp/1 1 cpu",
		"vamp/1 1 cpu 0",
		"vamp/1 1 cpu 0 ",
		"vamp/1 1 cpu 0 101",
		"vamp/1 1 cpu 512 0",
		"vamp/1 1 cpu -1 0",
		"vamp/1 1 cpu 0 1 2",
		"vamp/1 1 cpu 0 0x1",
		"vamp/1 1 cpu 0 1.5",
		"vamp/1 1000000000000001 begin",
		"vamp/1 99999999999999999999999999999999999999 begin",
		"vamp/1 1 cpu 99999999999999999999 1",
		"vamp/99999999999 1 begin",
		"vamp/1\t1 begin",
		"vamp/1 1 begin\r",
	};
	struct agent_line line;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (agent_parse(bad[i], &line) != -EPROTO)
			fail_msg("taken: \"%s\"", bad[i]);
	assert_int_equal(agent_parse("vamp/2 1 whatever comes", &line), -EPROTONOSUPPORT);
	assert_int_equal(agent_parse("vamp/0 1 begin", &line), -EPROTONOSUPPORT);
}

/* There is one way to write a line: what is taken and written again is the same. */
TEST(lines_that_are_nearly_right_are_taken_only_where_they_are_right)
{
	static const char letters[] = "vamp/1 0123456789 begincpualivend -+.\t\r\x80\xff";
	static const char *const seeds[] = { "vamp/1 12 begin", "vamp/1 3 cpu 1 50", "vamp/1 90 end", "vamp/1 4 alive" };
	uint32_t die = 1;
	int taken = 0;

	for (int round = 0; round < 200000; round++) {
		char text[48], again[AGENT_LINE];
		struct agent_line line;
		size_t n = strlen(strcpy(text, seeds[seeds_draw(&die, 4)]));

		for (size_t changes = 1 + seeds_draw(&die, 3); changes; changes--) {
			size_t at = seeds_draw(&die, n);

			if (seeds_draw(&die, 2) && n < sizeof(text) - 1)
				memmove(text + at + 1, text + at, ++n - at);
			text[at] = letters[seeds_draw(&die, sizeof(letters) - 1)];
		}
		if (agent_parse(text, &line))
			continue;
		taken++;
		assert_in_range(line.cpu, 0, AGENT_CPUS - 1);
		assert_in_range(line.percent, 0, 100);
		again[agent_format(&line, again) - 1] = '\0';
		assert_string_equal(again, text);
	}
	assert_in_range(taken, 1000, 199000); /* else nothing was tried */
}

TEST(a_share_is_of_the_time_that_the_vcpu_ran)
{
	assert_int_equal(agent_background_percent(0, 40, 0, 0, 10), 0);
	assert_int_equal(agent_background_percent(-3, 40, 0, 0, 10), 0);
	assert_int_equal(agent_background_percent(30, 40, 0, 0, 10), 75);   /* other processes took the rest */
	assert_int_equal(agent_background_percent(10, 40, 30, 0, 10), 100); /* the rest was idle */
	assert_int_equal(agent_background_percent(5, 40, 30, 0, 10), 50);
	assert_int_equal(agent_background_percent(42, 40, 0, 0, 10), 100); /* counted a little late */
	/* stolen: between 30 and 40, so it may have run for no more */
	assert_int_equal(agent_background_percent(3, 40, 0, 30, 10), 100);
	assert_int_equal(agent_background_percent(5, 40, 0, 20, 10), 50);
	assert_int_equal(agent_background_percent(5, 40, 50, 0, 10), 100);
}
