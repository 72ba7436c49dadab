// SPDX-License-Identifier: GPL-3.0-or-later
/* talk - what two ends of netload say to each other: back as it was, and nothing else taken. */
#include <errno.h>

#include "netload/ctl.h"
#include "../unit.h"

#define LOAD \
	"netload 1 load rate=9600000 time_ns=60000000000 lanes=2 size=1448 seed=7 burst_ns=500000 " \
	"catch_up_ns=50000000 udp=0 both=1 payload_bits=0 random=0"

TEST(a_load_comes_back_as_it_was)
{
	struct load_cfg load;
	char line[CTL_LINE_MAX];

	memset(&load, 0x55, sizeof(load));
	assert_int_equal(ctl_parse_load(LOAD, &load), 0);
	assert_int_equal(load.rate, 9600000);
	assert_int_equal(load.time_ns, 60000000000);
	assert_int_equal(load.lanes, 2);
	assert_int_equal(load.size, 1448);
	assert_true(load.both && !load.udp && !load.payload_bits);
	assert_int_equal(ctl_format_load(line, sizeof(line), &load), 0);
	assert_string_equal(line, LOAD);
	assert_int_equal(ctl_format_load(line, 40, &load), -ENOBUFS);
}

/* Each of these in place of a part of the line; nothing is changed by a line that is refused. */
TEST(a_line_that_is_not_ours_is_refused)
{
	static const struct {
		const char *from, *to;
		int err;
	} bad[] = {
		{ "netload 1", "netload 2", -EPROTONOSUPPORT },
		{ "netload 1", "netload 10", -EPROTONOSUPPORT },
		{ "netload 1", "netload 0", -EPROTO },
		{ "netload 1", "netload", -EPROTO },
		{ "netload 1 load", "netload 1 loads", -EPROTO },
		{ "netload 1 ", "GET / HTTP/1.1 ", -EPROTO },
		{ "rate=9600000", "rate=-1", -ERANGE },
		{ "rate=9600000", "rate=999", -ERANGE },
		{ "rate=9600000", "rate=1e6", -EPROTO },
		{ "rate=9600000", "rate=", -EPROTO },
		{ "rate=9600000", "rate=99999999999999999999999", -EPROTO },
		{ "rate=9600000", "rate=1000000000001", -ERANGE },
		{ "lanes=2", "lanes=0", -ERANGE },
		{ "lanes=2", "lanes=65", -ERANGE },
		{ "size=1448", "size=0", -ERANGE },
		{ "size=1448", "size=65001", -ERANGE },
		{ "size=1448 ", "", -EPROTO },
		{ "size=1448", "size=1448 size=1448", -EPROTO },
		{ "udp=0", "udp=2", -ERANGE },
		{ "udp=0", "udp=yes", -EPROTO },
		{ "random=0", "random=0 more=1", -EPROTO },
		{ "random=0", "random=0 ", -EPROTO },
		{ " time_ns", "  time_ns", -EPROTO },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct load_cfg load = { .rate = 4711 };
		const char *at = strstr(LOAD, bad[i].from);
		char line[CTL_LINE_MAX];

		snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - LOAD), LOAD, bad[i].to, at + strlen(bad[i].from));
		assert_int_equal(ctl_parse_load(line, &load), bad[i].err);
		assert_int_equal(load.rate, 4711);
	}
}

TEST(a_datagram_needs_room_for_its_mark)
{
	struct load_cfg load;

	assert_int_equal(ctl_parse_load("netload 1 load rate=0 time_ns=0 lanes=1 size=31 seed=0 burst_ns=1 "
					"catch_up_ns=0 udp=1 both=0 payload_bits=0 random=1",
					&load),
			 -ERANGE);
	assert_int_equal(ctl_parse_load("netload 1 load rate=0 time_ns=0 lanes=1 size=32 seed=0 burst_ns=1 "
					"catch_up_ns=0 udp=1 both=0 payload_bits=0 random=1",
					&load),
			 0);
}

TEST(ports_are_as_many_as_asked_for)
{
	static const char *const bad[] = {
		"netload 1 ok key=0123456789abcdef ports=1,2",
		"netload 1 ok key=0123456789abcdef ports=1,2,3,4",
		"netload 1 ok key=0123456789abcdef ports=1,,3",
		"netload 1 ok key=0123456789abcdef ports=1,2,65536",
		"netload 1 ok key=0123456789abcdef ports=0,2,3",
		"netload 1 ok key=123 ports=1,2,3",
		"netload 1 ok key=0123456789abcdeg ports=1,2,3",
		"netload 1 ok key=-123456789abcdef ports=1,2,3",
		"netload 1 ok",
		"netload 1 no reason",
		"netload 1 ok key=0123456789abcdef ports=",
	};
	int port[LOAD_STREAMS] = { 1234, 80, 65535 }, read[LOAD_STREAMS] = { 0 };
	uint64_t key = 5;
	char line[CTL_LINE_MAX];

	assert_int_equal(ctl_format_ok(line, sizeof(line), 0xfedcba9876543210u, port, 3), 0);
	assert_string_equal(line, "netload 1 ok key=fedcba9876543210 ports=1234,80,65535");
	assert_int_equal(ctl_parse_ok(line, &key, read, 3), 0);
	assert_true(key == 0xfedcba9876543210u);
	assert_memory_equal(port, read, 3 * sizeof(int));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		key = 5;
		assert_true(ctl_parse_ok(bad[i], &key, read, 3) < 0);
		assert_true(key == 5);
	}
	/* the longest there can be has room */
	for (int i = 0; i < LOAD_STREAMS; i++)
		port[i] = 65535;
	assert_int_equal(ctl_format_ok(line, sizeof(line), UINT64_MAX, port, LOAD_STREAMS), 0);
	assert_int_equal(ctl_parse_ok(line, &key, read, LOAD_STREAMS), 0);
}

TEST(what_one_end_counted_comes_back)
{
	struct load_counts a = { .sent_ns = 5, .sent_low = -1, .got_high = INT64_MAX, .cpu_ns = 9 }, b = { 0 };
	char line[CTL_LINE_MAX];

	a.lane[1] = (struct stream_counts){ 1, 2, 3, 4, 5, 6, 7, 8, INT64_MAX / LOAD_STREAMS };
	assert_int_equal(ctl_format_stream(line, sizeof(line), 1, &a.lane[1]), 0);
	assert_int_equal(ctl_parse_stream(line, &b, 2), 0);
	assert_memory_equal(&a.lane[1], &b.lane[1], sizeof(a.lane[1]));
	assert_int_equal(ctl_parse_stream(line, &b, 1), -ERANGE);
	/* more than a sum over all streams holds: no end counts so far */
	a.lane[0].got_wire = INT64_MAX / LOAD_STREAMS + 1;
	assert_int_equal(ctl_format_stream(line, sizeof(line), 0, &a.lane[0]), 0);
	assert_int_equal(ctl_parse_stream(line, &b, 2), -ERANGE);
	assert_int_equal(ctl_parse_stream("netload 1 lane -1 sent_frames=0", &b, 2), -ERANGE);
	assert_int_equal(ctl_format_total(line, sizeof(line), &a), 0);
	assert_int_equal(ctl_parse_total(line, &b), 0);
	assert_int_equal(b.sent_low, -1);
	assert_int_equal(b.cpu_ns, 9);
	assert_memory_equal(&a.lane[1], &b.lane[1], sizeof(a.lane[1]));
	/* the longest there can be has room */
	a = (struct load_counts){ 0 };
	memset(&a.sent_ns, 0x7f, sizeof(a) - offsetof(struct load_counts, sent_ns));
	assert_int_equal(ctl_format_total(line, sizeof(line), &a), 0);
}

TEST(a_refusal_is_printed_and_nothing_else_of_it)
{
	char words[16];

	assert_string_equal(ctl_refusal_text("netload 1 no room\x1b[31m", words, sizeof(words)), "room?[31m");
	assert_string_equal(ctl_refusal_text("netload 1 no words that are too long for it", words, sizeof(words)),
			    "words that are ");
	assert_null(ctl_refusal_text("netload 1 now", words, sizeof(words)));
	assert_null(ctl_refusal_text("netload 1 ok", words, sizeof(words)));
	assert_int_equal(ctl_parse_go("netload 1 go"), 0);
	assert_int_equal(ctl_parse_go("netload 1 gone"), -EPROTO);
	assert_int_equal(ctl_parse_go("netload 1 go on"), -EPROTO);
}

TEST(only_who_knows_the_key_is_let_in)
{
	unsigned char mark[CTL_MARK_BYTES];
	uint64_t number = 0;

	ctl_format_mark(mark, 0x1122334455667788u, 3, 0xa1b2c3d4e5f60718u);
	assert_memory_equal(mark, "TPNL\0\1\0\3\x11\x22\x33\x44\x55\x66\x77\x88\xa1\xb2\xc3\xd4\xe5\xf6\x07\x18", 24);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 4, &number), 3);
	assert_true(number == 0xa1b2c3d4e5f60718u);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667789u, 4, &number), -EPROTO);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 3, &number), -EPROTO);
	mark[5] = 2;
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 4, &number), -EPROTO);
}
