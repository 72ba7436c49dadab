// SPDX-License-Identifier: GPL-3.0-or-later
/* orders - the words that change a link, and what is none of them. */
#include <errno.h>
#include <math.h>

#include "delayline/tap_port.h"
#include "delayline/link_commands.h"
#include "../unit.h"

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
