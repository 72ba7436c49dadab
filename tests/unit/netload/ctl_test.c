// SPDX-License-Identifier: GPL-3.0-or-later
/* ctl - what two ends of netload say to each other: back as it was, and nothing else taken. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netload/ctl.h"
#include "../unit.h"

#define HEAD "TPNL\0\2\0"

static int ours, theirs; /* both ends of a connection */

static int join(void **state)
{
	int end[2];
	int err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, end);

	ours = end[0];
	theirs = end[1];
	return err;
}

static int part(void **state)
{
	return close(ours) | close(theirs);
}

static const struct load_cfg sent = { 9600000, 60 * NS_PER_S, 2, 1448, 7, 500000, 50000000, .both = true };

static int receive_load(struct load_cfg *load)
{
	return ctl_receive_load(theirs, load, clock_now() + 50 * NS_PER_MS);
}

TEST_WITH(join, part, a_load_comes_back_as_it_was)
{
	struct load_cfg load;

	memset(&load, 0x55, sizeof(load));
	assert_int_equal(ctl_send_load(ours, &sent), 0);
	assert_int_equal(receive_load(&load), 0);
	assert_memory_equal(&load, &sent, offsetof(struct load_cfg, random) + sizeof(load.random));
	assert_int_equal(receive_load(&load), -ETIMEDOUT);
	close(ours);
	assert_int_equal(receive_load(&load), -ECONNRESET);
	ours = dup(theirs);
}

/* Nothing is changed by a message that is refused. */
TEST_WITH(join, part, a_message_that_is_not_ours_is_refused)
{
	static const struct {
		const char *bytes;
		size_t n;
		int err;
	} bad[] = {
		{ "GET / HTTP/1.1\r\n\r\n", 18, -EPROTO },
		{ "T\0\0\0", 4, -EPROTO },
		{ "TPNK", 4, -EPROTO },
		{ "TPNL\0\1\0\0", 8, -EPROTONOSUPPORT },
		{ "TPNL\0\3\0\0", 8, -EPROTONOSUPPORT },
		{ "TPNL\2\0\0\0", 8, -EPROTONOSUPPORT },
		{ HEAD "\1", 8, -EPROTO },
		{ HEAD "\6", 8, -EPROTO },
		{ "TPNL\0\2\377\377", 8, -EPROTO },
		{ HEAD "\0", 8, -ETIMEDOUT },
		{ "TPN", 3, -ETIMEDOUT },
		{ HEAD "\5", 8, -ETIMEDOUT },
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct load_cfg load = { .rate = 4711 };

		assert_int_equal(write(ours, bad[i].bytes, bad[i].n), bad[i].n);
		assert_int_equal(receive_load(&load), bad[i].err);
		assert_int_equal(load.rate, 4711);
		part(NULL);
		join(NULL);
	}
}

TEST_WITH(join, part, values_out_of_range_are_refused)
{
	static const struct {
		struct load_cfg load;
		int err;
	} loads[] = {
		{ { .rate = -1, .lanes = 1, .size = 1 }, -ERANGE },
		{ { .rate = LOAD_RATE_LEAST - 1, .lanes = 1, .size = 1 }, -ERANGE },
		{ { .rate = LOAD_RATE_MOST + 1, .lanes = 1, .size = 1 }, -ERANGE },
		{ { .lanes = 0, .size = 1 }, -ERANGE },
		{ { .lanes = LOAD_STREAMS + 1, .size = 1 }, -ERANGE },
		{ { .lanes = 1, .size = 0 }, -ERANGE },
		{ { .lanes = 1, .size = LOAD_SIZE_MOST + 1 }, -ERANGE },
		{ { .lanes = 1, .size = 1, .time_ns = LOAD_TIME_MOST + 1 }, -ERANGE },
		{ { .lanes = 1, .size = 1, .burst_ns = NS_PER_S + 1 }, -ERANGE },
		{ { .lanes = 1, .size = 1, .catch_up_ns = 10 * NS_PER_S + 1 }, -ERANGE },
		{ { .lanes = 1, .size = 1, .seed = -1 }, -ERANGE },
		{ { .lanes = 1, .size = CTL_MARK_BYTES - 1, .udp = true }, -ERANGE }, /* no room for the mark */
		{ { .lanes = 1, .size = CTL_MARK_BYTES, .udp = true, .random = true }, 0 },
		{ { .lanes = LOAD_STREAMS, .size = 1 }, 0 },
	};
	struct load_cfg load;

	for (size_t i = 0; i < COUNT(loads); i++) {
		assert_int_equal(ctl_send_load(ours, &loads[i].load), 0);
		assert_int_equal(receive_load(&load), loads[i].err);
	}
}

static int receive_counts(struct load_counts *s)
{
	return ctl_receive_counts(theirs, s, 2, clock_now() + 50 * NS_PER_MS, true);
}

TEST_WITH(join, part, what_one_end_counted_comes_back)
{
	static struct load_counts a, b;
	int64_t *const bounds[] = { &a.lane[0].sent_frames, &a.lane[1].duplicate, &a.sent_ns, &a.cpu_ns };

	a = (struct load_counts){ .sent_ns = 5, .sent_low = -1, .got_high = INT64_MAX / LOAD_STREAMS, .cpu_ns = 9 };
	a.lane[1] = (struct stream_counts){ 1, 2, 3, 4, 5, 6, 7, 8, INT64_MAX / LOAD_STREAMS };
	assert_int_equal(ctl_send_counts(ours, &a, 2), 0);
	assert_int_equal(receive_counts(&b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	/* more than a sum over all streams holds, and less than nothing: no end counts so far */
	for (size_t i = 0; i < 2 * COUNT(bounds); i++) {
		int64_t before = *bounds[i / 2];

		*bounds[i / 2] = i % 2 ? INT64_MAX / LOAD_STREAMS + 1 : -2;
		assert_int_equal(ctl_send_counts(ours, &a, 2), 0);
		assert_int_equal(receive_counts(&b), -ERANGE);
		assert_int_equal(b.cpu_ns, 9);
		*bounds[i / 2] = before;
		part(NULL);
		join(NULL);
	}
}

TEST_WITH(join, part, a_refusal_is_printed_and_nothing_else_of_it)
{
	char words[CTL_REASON_BYTES] = "room\x1b[31m", reason[CTL_REASON_BYTES];
	int64_t numbers[CTL_OK_NUMBERS] = { 5 };

	assert_int_equal(ctl_send(ours, CTL_NO, words), 0);
	assert_int_equal(ctl_receive(theirs, CTL_OK, numbers, INT64_MAX, true, reason), -ECONNREFUSED);
	assert_string_equal(reason, "room?[31m");
	memset(words, 'x', sizeof(words)); /* without an end */
	assert_int_equal(ctl_send(ours, CTL_NO, words), 0);
	assert_int_equal(ctl_receive(theirs, CTL_GO, NULL, INT64_MAX, true, reason), -ECONNREFUSED);
	assert_int_equal(strlen(reason), CTL_REASON_BYTES - 1);
	assert_int_equal(ctl_send(ours, CTL_GO, NULL), 0);
	assert_int_equal(ctl_receive(theirs, CTL_GO, NULL, INT64_MAX, true, reason), 0);
	assert_int_equal(ctl_send(ours, CTL_OK, (int64_t[CTL_OK_NUMBERS]){ -2, 1234, 65535 }), 0);
	assert_int_equal(ctl_receive(theirs, CTL_OK, numbers, INT64_MAX, true, reason), 0);
	assert_true(numbers[0] == -2 && numbers[1] == 1234 && numbers[2] == 65535);
}

TEST(only_who_knows_the_key_is_let_in)
{
	unsigned char mark[CTL_MARK_BYTES];
	uint64_t number = 0;

	ctl_format_mark(mark, 0x1122334455667788u, 3, 0xa1b2c3d4e5f60718u);
	assert_memory_equal(mark, HEAD "\3\x11\x22\x33\x44\x55\x66\x77\x88\xa1\xb2\xc3\xd4\xe5\xf6\x07\x18", 24);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 4, &number), 3);
	assert_true(number == 0xa1b2c3d4e5f60718u);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667789u, 4, &number), -EPROTO);
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 3, &number), -EPROTO);
	mark[5] = 1;
	assert_int_equal(ctl_parse_mark(mark, 0x1122334455667788u, 4, &number), -EPROTO);
}
