// SPDX-License-Identifier: GPL-3.0-or-later
/* pace - orders to a disk, in one piece and in many. */

#include <errno.h>

#include "control.h"
#include "slowdisk/pace.h"
#include "../unit.h"

TEST(orders_change_what_they_name)
{
	struct disk_delays pace = { 1, 2, 0, 0 };

	assert_int_equal(pace_apply_command(&pace, "read-delay 2.5ms"), 0);
	assert_int_equal(pace.read_ns, 2500000);
	assert_int_equal(pace.write_ns, 2);
	assert_int_equal(pace_apply_command(&pace, "write-delay 40us"), 0);
	assert_int_equal(pace.read_ns, 2500000);
	assert_int_equal(pace.write_ns, 40000);
	assert_int_equal(pace_apply_command(&pace, "delay 0"), 0);
	assert_int_equal(pace.read_ns, 0);
	assert_int_equal(pace.write_ns, 0);
	assert_int_equal(pace_apply_command(&pace, "delay 60s"), 0);
	assert_int_equal(pace_apply_command(&pace, ""), 0);
	assert_int_equal(pace.read_ns, 60000000000);
}

TEST(what_is_no_order_changes_nothing)
{
	static const struct {
		const char *line;
		int err;
	} bad[] = {
		{ "read-delay", -EINVAL },	{ "read-delay ", -EINVAL },   { "read-dela 1ms", -EINVAL },
		{ "read-delays 1ms", -EINVAL }, { "delay 1ms 2ms", -EINVAL }, { " delay 1ms", -EINVAL },
		{ "delay 1ms ", -EINVAL },	{ "delay 1parsec", -EINVAL }, { "delay -1ms", -ERANGE },
		{ "delay 61s", -ERANGE },	{ "quit", -EINVAL },	      { "delay\t1ms", -EINVAL },
		{ "rate 1parsec", -EINVAL },	{ "rate 100", -EINVAL },      { "read-rate 149Kbit", -ERANGE },
		{ "write-rate", -EINVAL },	{ "rates 1Mbit", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct disk_delays pace = { 11, 12, 13, 14 };

		assert_int_equal(pace_apply_command(&pace, bad[i].line), bad[i].err);
		assert_int_equal(pace.read_ns, 11);
		assert_int_equal(pace.write_ns, 12);
		assert_int_equal(pace.read_bits, 13);
		assert_int_equal(pace.write_bits, 14);
	}
}

/* 32 KiB at 1.5 Mbit/s are 262144 / 1500000 s, at 384 Kbit/s 262144 / 384000 s. */
TEST(data_takes_its_bits_at_the_rate)
{
	struct disk_delays pace = { .read_ns = 40000000, .write_ns = 40000000 };

	assert_int_equal(pace_delay_ns(&pace, false, 32768), 40000000);
	assert_int_equal(pace_apply_command(&pace, "read-rate 1500Kbit"), 0);
	assert_int_equal(pace_delay_ns(&pace, false, 32768), 40000000 + 174762666);
	assert_int_equal(pace_delay_ns(&pace, true, 32768), 40000000);
	assert_int_equal(pace_apply_command(&pace, "write-rate 384Kbit"), 0);
	assert_int_equal(pace_delay_ns(&pace, true, 32768), 40000000 + 682666666);
	assert_int_equal(pace_apply_command(&pace, "rate 1Gbit"), 0);
	assert_int_equal(pace_delay_ns(&pace, false, 1 << 20), 40000000 + 8388608);
	assert_int_equal(pace_delay_ns(&pace, true, 1 << 20), 40000000 + 8388608);
	assert_int_equal(pace_apply_command(&pace, "rate none"), 0);
	assert_int_equal(pace_delay_ns(&pace, true, 1 << 20), 40000000);
}

/* Every way to cut the same text in two gives the same lines. */
TEST(lines_come_whole_however_they_are_cut)
{
	static const char text[] = "delay 0\n\nread-delay 5ms\nwrite";
	static const char *const lines[] = { "delay 0", "", "read-delay 5ms" };

	for (size_t cut = 0; cut < sizeof(text); cut++) {
		struct line_assembler in = { 0 };
		size_t at = 0, found = 0;

		while (at < sizeof(text) - 1) {
			size_t end = at < cut ? cut : sizeof(text) - 1;
			const char *line;

			at += line_assemble(&in, text + at, end - at, &line);
			assert_true(at <= end);
			if (line)
				assert_string_equal(line, lines[found++]);
		}
		assert_int_equal(found, 3);
		assert_int_equal(in.n, strlen("write"));
	}
}

TEST(a_line_too_long_is_not_understood_and_the_next_one_is)
{
	struct line_assembler in = { 0 };
	struct disk_delays pace = { 7, 7, 0, 0 };
	char text[1000];
	const char *line;
	size_t at;

	memset(text, 'x', sizeof(text));
	memcpy(text, "delay 5ms ", 10);
	memcpy(text + 900, "\ndelay 1ms\n", 11);
	at = line_assemble(&in, text, sizeof(text), &line);
	assert_int_equal(at, 901);
	assert_int_equal(pace_apply_command(&pace, line), -EINVAL);
	at = line_assemble(&in, text + at, sizeof(text) - at, &line);
	assert_int_equal(pace_apply_command(&pace, line), 0);
	assert_int_equal(pace.read_ns, 1000000);
	/* a zero byte does not cut a line short either */
	assert_int_equal(line_assemble(&in, "delay 0\0\n", 9, &line), 9);
	assert_int_equal(pace_apply_command(&pace, line), -EINVAL);
}
