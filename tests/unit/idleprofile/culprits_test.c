// SPDX-License-Identifier: GPL-3.0-or-later
/* culprit - shares added up by hand. */
#include "idleprofile/events.h"
#include "../unit.h"

static struct culprit_share task(int pid, const char *name, int64_t start, int64_t end, int64_t ns)
{
	struct culprit_share s = { .kind = CULPRIT_TASK, .pid = pid, .ns = ns, .start_ns = start, .end_ns = end };

	snprintf(s.name, sizeof(s.name), "%s", name);
	return s;
}

static struct culprit_share other(enum culprit_kind kind, const char *name, int64_t start, int64_t ns)
{
	struct culprit_share s = task(0, name, start, start + ns, ns);

	s.kind = kind;
	return s;
}

/* A burst that the scheduler cut in two, with a device in between: one row of it. */
TEST(an_event)
{
	struct culprit_share first[] = { task(7, "sh", 0, 600, 590), other(CULPRIT_IRQ, "disk", 100, 10) };
	struct culprit_share second[] = { task(7, "cc1", 620, 900, 275), other(CULPRIT_IRQ, "disk", 700, 5) };
	struct event_culprits e = { 0 };

	assert_null(event_culprits_largest(&e));
	event_culprits_add(&e, first, 2);
	event_culprits_add(&e, second, 2);
	assert_int_equal(e.n, 2);
	assert_int_equal(e.at[0].ns, 865);
	assert_int_equal(e.at[0].start_ns, 0);
	assert_int_equal(e.at[0].end_ns, 900);
	assert_string_equal(e.at[0].name, "cc1");
	assert_int_equal(e.at[1].ns, 15);
	assert_int_equal(e.at[1].end_ns, 705);
	assert_ptr_equal(event_culprits_largest(&e), &e.at[0]);
}

TEST(kinds_and_threads_apart)
{
	struct culprit_share all[] = {
		task(7, "x", 0, 10, 10),
		task(8, "x", 10, 30, 20),
		task(-7, "x", 30, 35, 5),
		task(0, "swapper/1", 35, 36, 1),
		task(0, "others", 36, 38, 2),
		other(CULPRIT_TIMER, "x", 38, 1),
		other(CULPRIT_SOFTIRQ, "x", 39, 1),
	};
	struct event_culprits e = { 0 };

	event_culprits_add(&e, all, 7);
	event_culprits_add(&e, all, 7);
	assert_int_equal(e.n, 7);
	assert_int_equal(event_culprits_largest(&e)->pid, 8);
	assert_int_equal(event_culprits_largest(&e)->ns, 40);
}

TEST(too_many)
{
	struct event_culprits e = { 0 };
	int64_t sum = 0;

	for (int i = 1; i <= 400; i++)
		for (int twice = 0; twice < 2; twice++) {
			struct culprit_share s = task(i, "t", i * 10, i * 10 + 5, 5);

			event_culprits_add(&e, &s, 1);
		}
	assert_int_equal(e.n, CULPRITS);
	for (size_t i = 0; i < e.n; i++)
		sum += e.at[i].ns;
	assert_int_equal(sum, 4000);
	assert_string_equal(e.at[CULPRITS - 1].name, "others");
	assert_true(e.at[CULPRITS - 1].end_ns >= 3990);
	/* One that had most of the time keeps its name. */
	event_culprits_add(&e, &(struct culprit_share){ .kind = CULPRIT_TASK, .pid = 999, .name = "late", .ns = 10000 }, 1);
	for (int i = 1; i <= 400; i++) {
		struct culprit_share s = task(i, "t", i * 10, i * 10 + 5, 5);

		event_culprits_add(&e, &s, 1);
	}
	assert_int_equal(event_culprits_largest(&e)->pid, 999);
}

TEST(over_the_run)
{
	struct culprit_share one[] = { task(7, "xterm", 0, 10, 10), task(8, "xterm", 10, 30, 20) };
	struct culprit_share two[] = { task(7, "xterm", 50, 75, 25), other(CULPRIT_IRQ, "disk", 75, 100) };
	struct culprit_table *t = culprit_table_new(100);
	const struct culprit_total *line;
	struct event_culprits e = { 0 };
	size_t n;

	event_culprits_add(&e, one, 2);
	culprit_table_add(t, &e);
	memset(&e, 0, sizeof(e));
	event_culprits_add(&e, two, 2);
	culprit_table_add(t, &e);
	line = culprit_table_sort(t, &n);
	assert_int_equal(n, 2);
	assert_string_equal(line[0].name, "disk");
	assert_int_equal(line[0].ns, 100);
	assert_int_equal(line[0].events, 1);
	assert_int_equal(line[1].ns, 55);
	assert_int_equal(line[1].events, 2); /* two of them in one event are one event */
	assert_int_equal(line[1].longest_ns, 30);
	culprit_table_free(t);
}

TEST(a_full_table)
{
	struct culprit_table *t = culprit_table_new(10);
	const struct culprit_total *line;
	int64_t sum = 0;
	size_t n;

	for (int i = 0; i < 1000; i++) {
		struct event_culprits e = { 0 };
		struct culprit_share s = task(i + 1, "", 0, 3, 3);

		snprintf(s.name, sizeof(s.name), "job%d", i);
		s.kind = (enum culprit_kind)(i % (CULPRIT_UNEXPLAINED + 1));
		event_culprits_add(&e, &s, 1);
		culprit_table_add(t, &e);
	}
	line = culprit_table_sort(t, &n);
	assert_int_equal(n, 10 + CULPRIT_UNEXPLAINED + 1);
	for (size_t i = 0; i < n; i++)
		sum += line[i].ns;
	assert_int_equal(sum, 3000);
	culprit_table_free(t);
}
