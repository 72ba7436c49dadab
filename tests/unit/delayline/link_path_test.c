// SPDX-License-Identifier: GPL-3.0-or-later
/* path - rate, queue, delay, loss and jitter against closed formulas; and the words that change a link. */
#include "../unit.h"
#include "delayline/delayline.h"

#include <errno.h>
#include <math.h>

#define MS 1000000LL
#define S 1000000000LL

static int64_t due_of(struct link_path *p, int64_t now, int64_t bytes)
{
	int64_t due = -1;

	assert_int_equal(link_path_schedule(p, now, bytes, &due), LINK_PASSES);
	return due;
}

TEST(a_delay_is_added_and_counts_from_now_on)
{
	struct link_settings cfg = { .delay_ns = 40 * MS };
	struct link_path p;

	link_path_init(&p, &cfg, 1);
	assert_int_equal(due_of(&p, 0, 100), 40 * MS);
	cfg.delay_ns = 100 * MS;
	link_path_configure(&p, &cfg);
	assert_int_equal(due_of(&p, 1 * MS, 100), 101 * MS);
	/* shorter again: the order is kept, behind the one that is still on its way */
	cfg.delay_ns = 10 * MS;
	link_path_configure(&p, &cfg);
	assert_int_equal(due_of(&p, 2 * MS, 100), 101 * MS);
	assert_int_equal(due_of(&p, 95 * MS, 100), 105 * MS);
	/* unless they may overtake */
	cfg.delay_ns = 50 * MS;
	link_path_configure(&p, &cfg);
	due_of(&p, 100 * MS, 100);
	cfg.delay_ns = 0;
	cfg.reorder = true;
	link_path_configure(&p, &cfg);
	assert_int_equal(due_of(&p, 101 * MS, 100), 101 * MS);
}

/* n packets of b bytes back to back are through after floor(8 b n / rate) seconds, not n times a rounded one. */
TEST(a_rate_is_exact_over_many_packets)
{
	static const int64_t rates[] = { 1000, 56000, 3333333, 10000000, 999999937, 10000000000 };
	static const int64_t sizes[] = { 60, 64, 98, 1514 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		for (size_t b = 0; b < sizeof(sizes) / sizeof(*sizes); b++) {
			struct link_settings cfg = { .rate_bits = rates[r], .queue_ns = INT64_MAX / 4 };
			struct link_path p;
			int64_t due = 0;

			link_path_init(&p, &cfg, 1);
			for (int i = 0; i < 1000; i++)
				due = due_of(&p, 0, sizes[b]);
			assert_int_equal(due, sizes[b] * 8 * 1000 * S / rates[r]);
		}
	}
}

/* At an arrival every a, served in s > a, with room for q of waiting: the wait grows by s - a a
 * packet, and the first one dropped is the first k with k (s - a) > q. From then on as many pass as
 * are served. */
TEST(a_full_queue_drops_the_tail)
{
	struct link_settings cfg = { .rate_bits = 8000000, .queue_ns = 10 * MS }; /* 1000 bytes: 1 ms */
	int64_t due, passed = 0;
	struct link_path p;
	int first = -1;

	link_path_init(&p, &cfg, 1);
	for (int i = 0; i < 10000; i++) {
		enum link_fate fate = link_path_schedule(&p, i * MS / 2, 1000, &due);

		if (fate == LINK_QUEUE_FULL && first < 0)
			first = i;
		passed += fate == LINK_PASSES;
		if (fate == LINK_PASSES) /* at most the queue, and its own turn */
			assert_true(due - i * MS / 2 <= 11 * MS);
	}
	assert_int_equal(first, 21);		       /* 20 x 0.5 ms is 10 ms, and not more than that */
	assert_in_range(passed, 5000 + 10, 5000 + 11); /* 5 s of service, and what the queue held */
	/* idle for a while: as new */
	assert_int_equal(due_of(&p, 20 * S, 1000), 20 * S + MS);
}

TEST(what_the_queue_drops_takes_no_turn)
{
	struct link_settings cfg = { .rate_bits = 8000000, .queue_ns = 0 };
	struct link_path p;
	int64_t due;

	link_path_init(&p, &cfg, 1);
	assert_int_equal(due_of(&p, 0, 1000), MS);
	assert_int_equal(link_path_schedule(&p, 0, 1000, &due), LINK_QUEUE_FULL);
	assert_int_equal(due_of(&p, MS, 1000), 2 * MS);
}

/* 3.9 standard deviations: one in ten thousand seeds would fail, and the seed is fixed. */
TEST(losses_are_as_many_as_asked_for)
{
	static const double shares[] = { 0, 0.001, 0.02, 0.5, 0.97, 1 };
	const int N = 100000;

	for (size_t k = 0; k < sizeof(shares) / sizeof(*shares); k++) {
		struct link_settings cfg = { .loss = shares[k] };
		struct link_path p;
		int lost = 0;
		int64_t due;

		link_path_init(&p, &cfg, 7);
		for (int i = 0; i < N; i++)
			lost += link_path_schedule(&p, i, 100, &due) == LINK_LOSES;
		assert_true(fabs(lost - N * shares[k]) <= 3.9 * sqrt(N * shares[k] * (1 - shares[k])));
	}
}

/* Whatever the delay, the jitter, the sizes and the rate: the n-th packet's fate is the seed's. Another seed, another sequence. */
TEST(the_same_seed_loses_the_same_packets)
{
	struct link_settings plain = { .loss = 0.1 }, other = { .loss = 0.1,
								.delay_ns = 300 * MS,
								.jitter_ns = 20 * MS,
								.shape = JITTER_NORMAL,
								.rate_bits = 1000000000,
								.queue_ns = S };
	struct link_path a, b, c;
	int64_t due;
	int differ = 0;

	link_path_init(&a, &plain, 42);
	link_path_init(&b, &other, 42);
	link_path_init(&c, &plain, 43);
	for (int i = 0; i < 5000; i++) {
		enum link_fate fate = link_path_schedule(&a, i * MS, 100, &due);

		assert_int_equal(link_path_schedule(&b, i * MS, 60 + i % 1400, &due), fate);
		differ += link_path_schedule(&c, i * MS, 100, &due) != fate;
	}
	assert_true(differ > 500); /* 2 x 0.1 x 0.9 of them */
	link_path_set_seed(&a, 9);
	link_path_init(&b, &plain, 9);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(link_path_schedule(&a, 6000 * MS + i, 100, &due), link_path_schedule(&b, i, 100, &due));
}

TEST(jitter_has_the_spread_that_was_asked_for)
{
	const int N = 50000;

	for (int shape = JITTER_UNIFORM; shape <= JITTER_NORMAL; shape++) {
		struct link_settings cfg = { .delay_ns = 100 * MS, .jitter_ns = 10 * MS, .shape = shape, .reorder = true };
		/* uniform in +-a: a / sqrt 3; normal cut at 3 sd: sqrt(1 - 6 phi(3)) of it, and what is cut lies at 3 */
		double sum = 0, squares = 0, sd = shape == JITTER_UNIFORM ? 10 / sqrt(3) : 9.98,
		       most = shape == JITTER_UNIFORM ? 10 : 30;
		struct link_path p;

		link_path_init(&p, &cfg, 5);
		for (int i = 0; i < N; i++) {
			double d = (double)(due_of(&p, i * MS, 100) - i * MS) / MS - 100;

			assert_true(fabs(d) <= most + 1e-6);
			sum += d;
			squares += d * d;
		}
		assert_true(fabs(sum / N) < 4 * sd / sqrt(N));
		assert_true(fabs(sqrt(squares / N) / sd - 1) < 0.015);
	}
}

TEST(jitter_never_reorders_nor_goes_before_the_packet)
{
	struct link_settings cfg = { .delay_ns = 5 * MS, .jitter_ns = 10 * MS, .shape = JITTER_NORMAL };
	int64_t before = 0;
	struct link_path p;

	link_path_init(&p, &cfg, 11);
	for (int i = 0; i < 20000; i++) {
		int64_t due = due_of(&p, i * 100000, 100);

		assert_true(due >= i * 100000 && due >= before);
		before = due;
	}
}

/* --- the words that change a link --- */

TEST(rates)
{
	static const struct {
		const char *text;
		int err;
		int64_t bits;
	} of[] = {
		{ "10Mbit", 0, 10000000 }, { "2.5Gbit/s", 0, 2500000000 }, { "64kbit", 0, 64000 },
		{ "64Kbit", 0, 64000 },	   { "1000bit", 0, 1000 },	   { "none", 0, 0 },
		{ "999bit", -ERANGE, 0 },  { "101Gbit", -ERANGE, 0 },	   { "10", -EINVAL, 0 },
		{ "10M", -ENOTUNIQ, 0 },   { "Mbit", -EINVAL, 0 },	   { "", -EINVAL, 0 },
		{ "10Mbits", -EINVAL, 0 }, { "1.2.3Mbit", -EINVAL, 0 },	   { "-1Mbit", -EINVAL, 0 },
		{ "10Mbit ", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		int64_t bits = -7;

		assert_int_equal(parse_link_rate(of[i].text, &bits), of[i].err);
		assert_int_equal(bits, of[i].err ? -7 : of[i].bits);
	}
}

TEST(losses)
{
	double part = -1;

	assert_int_equal(parse_link_loss("0.5%", &part), 0);
	assert_true(fabs(part - 0.005) < 1e-12);
	assert_int_equal(parse_link_loss("100", &part), 0);
	assert_true(fabs(part - 1) < 1e-12);
	for (size_t i = 0; i < 6; i++)
		assert_true(parse_link_loss((const char *[]){ "", "%", "1%%", "101", "-1", "x" }[i], &part) < 0);
	assert_true(fabs(part - 1) < 1e-12);
}

TEST(orders_change_what_they_name_in_the_way_they_name)
{
	struct link_changes o = { 0 };

	assert_int_equal(parse_link_command(&o, "delay 40ms"), 0);
	assert_int_equal(o.cfg[0].delay_ns, 40000000);
	assert_int_equal(o.cfg[1].delay_ns, 40000000);
	assert_int_equal(o.changed, LINK_FORTH | LINK_BACK);
	o.changed = 0;
	assert_int_equal(parse_link_command(&o, "back rate 1Mbit"), 0);
	assert_int_equal(o.cfg[0].rate_bits, 0);
	assert_int_equal(o.cfg[1].rate_bits, 1000000);
	assert_int_equal(o.changed, LINK_BACK);
	assert_int_equal(parse_link_command(&o, "forth loss 2%"), 0);
	assert_true(fabs(o.cfg[0].loss - 0.02) < 1e-12 && o.cfg[1].loss == 0);
	assert_int_equal(parse_link_command(&o, "jitter 5ms"), 0);
	assert_int_equal(parse_link_command(&o, "queue 20ms"), 0);
	assert_int_equal(parse_link_command(&o, "shape normal"), 0);
	assert_int_equal(parse_link_command(&o, "order free"), 0);
	assert_int_equal(o.cfg[1].jitter_ns, 5000000);
	assert_int_equal(o.cfg[0].queue_ns, 20000000);
	assert_int_equal(o.cfg[0].shape, JITTER_NORMAL);
	assert_true(o.cfg[1].reorder && !o.seeded && !o.report);
	assert_int_equal(parse_link_command(&o, "order kept"), 0);
	assert_false(o.cfg[0].reorder);
	assert_int_equal(parse_link_command(&o, "seed 7"), 0);
	assert_true(o.seeded && o.seed == 7);
	assert_int_equal(parse_link_command(&o, "report"), 0);
	assert_true(o.report);
	assert_int_equal(parse_link_command(&o, ""), 0);
}

TEST(what_is_no_order_changes_nothing)
{
	static const struct {
		const char *line;
		int err;
	} bad[] = {
		{ "delay", -EINVAL },	      { "delay ", -EINVAL },	 { "delay 1ms 2ms", -EINVAL },
		{ "delay 1parsec", -EINVAL }, { "delays 1ms", -EINVAL }, { "delay -1ms", -ERANGE },
		{ "delay 61s", -ERANGE },     { "loss 101%", -ERANGE },	 { "rate fast", -EINVAL },
		{ "shape square", -EINVAL },  { "order", -EINVAL },	 { "seed -1", -ERANGE },
		{ "seed x", -EINVAL },	      { "forth", -EINVAL },	 { "sideways delay 1ms", -EINVAL },
		{ "report now", -EINVAL },    { "quit", -EINVAL },	 { "forth seed x", -EINVAL },
		{ "forth seed 7", -EINVAL },
	};
	struct link_changes o = { .cfg = { { .delay_ns = 3 }, { .delay_ns = 4 } } };
	const struct link_changes before = o;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse_link_command(&o, bad[i].line), bad[i].err);
		assert_memory_equal(&o, &before, sizeof(o));
	}
}

/* The text is Linux's, 6.1. */
TEST(drops_of_an_interface)
{
	static const char text[] =
		"Inter-|   Receive                                                |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
		"    lo:    1296      16    0    0    0     0          0         0     1296      16    0    0    0     0       0          0\n"
		"tap0: 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26\n"
		"  tap: 1 2 3\n";

	assert_int_equal(tap_port_parse_drops(text, "tap0"), 22);
	assert_int_equal(tap_port_parse_drops(text, "lo"), 0);
	assert_int_equal(tap_port_parse_drops(text, "tap"), -1);
	assert_int_equal(tap_port_parse_drops(text, "ap0"), -1);
	assert_int_equal(tap_port_parse_drops("", "lo"), -1);
}
