/* SPDX-License-Identifier: GPL-3.0-or-later
 * program.c - what the session of a programmer (geany.script) works in: the window and the cat of the slides, counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visit {
	char who[16];
	int hour;
	int minutes;
};

struct diary {
	struct visit *visits;
	size_t count;
	size_t room;
};

static int add_visit(struct diary *diary, const char *who, int hour, int minutes)
{
	struct visit *more;
	struct visit *visit;

	if (diary->count == diary->room) {
		more = realloc(diary->visits, (2 * diary->room + 8) * sizeof(*more));
		if (!more)
			return -1;
		diary->visits = more;
		diary->room = 2 * diary->room + 8;
	}
	visit = &diary->visits[diary->count++];
	snprintf(visit->who, sizeof(visit->who), "%s", who);
	visit->hour = hour;
	visit->minutes = minutes;
	return 0;
}

static int total_minutes(const struct diary *diary, const char *who)
{
	int total = 0;

	for (size_t i = 0; i < diary->count; i++) {
		if (strcmp(diary->visits[i].who, who) == 0)
			total += diary->visits[i].minutes;
	}
	return total;
}

static int longest_visit(const struct diary *diary)
{
	int longest = 0;

	for (size_t i = 0; i < diary->count; i++) {
		if (diary->visits[i].minutes > longest)
			longest = diary->visits[i].minutes;
	}
	return longest;
}

int main(void)
{
	static const int hours[] = { 7, 9, 12, 15, 18, 21 };
	struct diary diary = { 0 };
	int failed = 0;

	for (size_t i = 0; i < sizeof(hours) / sizeof(hours[0]); i++) {
		failed |= add_visit(&diary, "cat", hours[i], 5 * (int)i + 10);
		failed |= add_visit(&diary, "neighbour", hours[i], 3);
	}
	if (!failed)
		printf("the cat sat on the sill for %d minutes, at most %d\n", total_minutes(&diary, "cat"), longest_visit(&diary));
	free(diary.visits);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
