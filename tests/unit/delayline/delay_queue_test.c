// SPDX-License-Identifier: GPL-3.0-or-later
/* shelf - packets come off in the order of their times, whole, and their memory is used again. */
#include "random.h"
#include "delayline/delayline.h"
#include "../unit.h"

static void put(struct delay_queue *s, int64_t due, const char *text, int way)
{
	unsigned char *slot = delay_queue_slot(s);

	assert_non_null(slot);
	memcpy(slot, text, strlen(text) + 1);
	delay_queue_push(s, due, strlen(text) + 1, way);
}

static void take(struct delay_queue *s, int64_t due, const char *text, int way)
{
	int64_t is_due;
	size_t bytes;
	int is_way;
	const unsigned char *got;

	assert_int_equal(delay_queue_due_ns(s), due);
	got = delay_queue_pop(s, &is_due, &bytes, &is_way);
	assert_non_null(got);
	assert_string_equal((const char *)got, text);
	assert_int_equal(is_due, due);
	assert_int_equal(bytes, strlen(text) + 1);
	assert_int_equal(is_way, way);
}

TEST(by_time_then_by_arrival)
{
	struct delay_queue *s = delay_queue_new(8);

	assert_int_equal(delay_queue_due_ns(s), INT64_MAX);
	put(s, 30, "late", 0);
	put(s, 10, "first", 1);
	put(s, 20, "a", 0);
	put(s, 20, "b", 1);
	put(s, 20, "c", 0);
	take(s, 10, "first", 1);
	take(s, 20, "a", 0);
	put(s, 5, "earlier", 1);
	take(s, 5, "earlier", 1);
	take(s, 20, "b", 1);
	take(s, 20, "c", 0);
	take(s, 30, "late", 0);
	assert_null(delay_queue_pop(s, &(int64_t){ 0 }, &(size_t){ 0 }, &(int){ 0 }));
	assert_int_equal(s->most, 5);
	delay_queue_free(s);
}

TEST(full_is_full_and_a_slot_not_put_is_still_free)
{
	struct delay_queue *s = delay_queue_new(3);
	unsigned char *slot;

	slot = delay_queue_slot(s);
	assert_ptr_equal(delay_queue_slot(s), slot);
	put(s, 3, "x", 0);
	put(s, 2, "y", 0);
	put(s, 1, "z", 0);
	assert_null(delay_queue_slot(s));
	assert_int_equal(s->n, 3);
	take(s, 1, "z", 0);
	put(s, 9, "w", 1);
	assert_null(delay_queue_slot(s));
	take(s, 2, "y", 0);
	take(s, 3, "x", 0);
	take(s, 9, "w", 1);
	delay_queue_free(s);
}

/* Against a list that is searched from end to end. */
TEST(as_a_plain_search_would_have_it)
{
	enum { ROOM = 200, TURNS = 20000 };
	struct {
		int64_t due;
		uint32_t number;
	} list[ROOM];
	struct delay_queue *s = delay_queue_new(ROOM);
	uint64_t random = 4;
	uint32_t number = 0;
	size_t n = 0;

	for (int i = 0; i < TURNS; i++) {
		size_t best = 0, bytes;
		int64_t due;
		int way;
		const unsigned char *got;

		if (n < ROOM && (n == 0 || random_fraction(&random) < 0.5)) {
			unsigned char *slot = delay_queue_slot(s);

			list[n].due = (int64_t)(random_fraction(&random) * 50);
			list[n].number = number;
			memcpy(slot, &number, sizeof(number));
			delay_queue_push(s, list[n].due, sizeof(number), 0);
			n++;
			number++;
			continue;
		}
		for (size_t k = 1; k < n; k++)
			if (list[k].due < list[best].due || (list[k].due == list[best].due && list[k].number < list[best].number))
				best = k;
		got = delay_queue_pop(s, &due, &bytes, &way);
		assert_int_equal(due, list[best].due);
		assert_memory_equal(got, &list[best].number, sizeof(list[best].number));
		list[best] = list[--n];
	}
	assert_int_equal(s->n, n);
	delay_queue_free(s);
}
