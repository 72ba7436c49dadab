// SPDX-License-Identifier: GPL-3.0-or-later
/* order - packets come out by time as far as they are held, and otherwise in the order in which they came. */
#include "wire/order.h"
#include "../unit.h"

#define MANY 2000

struct taken {
	int64_t time_ns[MANY];
	uint8_t first[MANY];
	int n;
};

static bool take(void *context, const struct packet *p)
{
	struct taken *t = context;

	t->time_ns[t->n] = p->time_ns;
	t->first[t->n++] = p->captured ? p->bytes[0] : 0;
	return true;
}

static void add(struct packet_order *o, int64_t time_ns, uint8_t first, uint32_t size, struct taken *t)
{
	static uint8_t bytes[200000];

	bytes[0] = first;
	order_add_packet(o, &(struct packet){ time_ns, bytes, size, size, 0 }, take, t);
	bytes[0] = 0xff; /* the caller's bytes are gone after the call */
}

TEST(packets_come_out_by_time_and_keep_their_order_at_equal_times)
{
	struct packet_order o;
	struct taken t = { .n = 0 };
	uint32_t random = 1;

	order_init(&o, 0);
	for (int i = 0; i < MANY; i++) {
		random = random * 1103515245 + 12345;
		add(&o, random >> 16 & 63, (uint8_t)(i / 8), (uint32_t)1 + (random & 3), &t);
	}
	assert_int_equal(t.n, 0);
	order_release_all(&o, take, &t);
	assert_int_equal(t.n, MANY);
	for (int i = 1; i < MANY; i++)
		assert_true(t.time_ns[i] > t.time_ns[i - 1] || (t.time_ns[i] == t.time_ns[i - 1] && t.first[i] >= t.first[i - 1]));
	assert_int_equal(o.bytes, 0);
	order_free(&o);
}

/* 17 MB of packets of 100 kB: the first ones have left before the last ones come. */
TEST(what_comes_too_late_begins_a_new_order)
{
	struct packet_order o;
	struct taken t = { .n = 0 };

	order_init(&o, 0);
	for (int i = 0; i < 170; i++)
		add(&o, 1000 + i, 1, 100000, &t);
	assert_in_range(t.n, 1, 10);
	add(&o, 5000, 2, 1, &t); /* held: nothing earlier was handed over */
	add(&o, 4000, 3, 1, &t);
	assert_int_equal(o.moved, 1);
	add(&o, 10, 4, 1, &t); /* too late: all that is held goes before it */
	assert_int_equal(t.n, 172);
	assert_int_equal(t.first[170], 3);
	assert_int_equal(t.first[171], 2);
	add(&o, 30, 6, 1, &t);
	add(&o, 20, 5, 1, &t); /* and order begins anew */
	order_release_all(&o, take, &t);
	assert_int_equal(t.first[172], 4);
	assert_int_equal(t.first[173], 5);
	assert_int_equal(t.first[174], 6);
	assert_int_equal(o.moved, 2);
	order_free(&o);
}

TEST(packets_of_a_pipe_are_held_for_a_span_of_time_only)
{
	struct packet_order o;
	struct taken t = { .n = 0 };

	order_init(&o, 100);
	add(&o, 1000, 1, 0, &t);
	add(&o, 1100, 2, 0, &t);
	assert_int_equal(t.n, 0);
	add(&o, 1050, 3, 0, &t);
	add(&o, 1151, 4, 0, &t);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.time_ns[1], 1050);
	order_free(&o); /* frees what is held */
}
