// SPDX-License-Identifier: GPL-3.0-or-later
/* ring - order, fullness, wrap-around of its counters; and one writer against one reader. */
#include <pthread.h>
#include <sched.h>

#include "idleprofile/ring.h"
#include "../unit.h"

static struct span_ring *ring_new(uint32_t at)
{
	struct span_ring *r = aligned_alloc(64, sizeof(*r));

	assert_non_null(r);
	*r = (struct span_ring){ 0 };
	atomic_store(&r->head, at);
	atomic_store(&r->tail, at);
	return r;
}

TEST(what_does_not_fit_is_dropped_and_counted)
{
	struct span_ring *r = ring_new(UINT32_MAX - 10); /* the counters run over on the way */
	struct time_span s;

	assert_false(ring_peek(r, &s));
	for (int64_t i = 0; i < RING_ROOM + 5; i++)
		ring_push(r, i, i + 1);
	assert_int_equal(atomic_load(&r->overflowed), 5);
	for (int64_t i = 0; i < RING_ROOM; i++) {
		assert_true(ring_peek(r, &s));
		assert_int_equal(s.from, i);
		assert_int_equal(s.to, i + 1);
		ring_drop(r);
	}
	assert_false(ring_peek(r, &s));
	ring_push(r, 77, 78);
	assert_true(ring_peek(r, &s));
	assert_int_equal(s.from, 77);
	free(r);
}

#define SPANS 300000

static void *writer(void *arg)
{
	for (int64_t i = 1; i <= SPANS; i++)
		ring_push(arg, i, -i);
	return NULL;
}

TEST(a_reader_meanwhile_sees_whole_spans_in_order)
{
	struct span_ring *r = ring_new(0);
	struct time_span s;
	int64_t last = 0, got = 0;
	bool over = false;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, writer, r), 0);
	while (!over) {
		over = pthread_tryjoin_np(thread, NULL) == 0;
		for (; ring_peek(r, &s); ring_drop(r)) {
			assert_int_equal(s.to, -s.from);
			assert_true(s.from > last);
			last = s.from;
			got++;
		}
		sched_yield();
	}
	assert_int_equal(got + atomic_load(&r->overflowed), SPANS);
	free(r);
}
