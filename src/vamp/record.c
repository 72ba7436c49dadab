// SPDX-License-Identifier: GPL-3.0-or-later
#include "told.h"
#include "array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ended_words[] = { "", "input", "time", "stop" };

struct told_episode *told_add(struct told *t)
{
	if (t->n == TOLD_MOST) {
		judged_free(&t->episode[0].judged);
		memmove(t->episode, t->episode + 1, --t->n * sizeof(*t->episode));
		t->left_out++;
	} else if (array_room(&t->episode, t->n)) {
		return NULL;
	}
	t->episode[t->n] = (struct told_episode){ 0 };
	return &t->episode[t->n++];
}

struct told_episode *told_lasting(const struct told *t)
{
	return t->n && !t->episode[t->n - 1].ended ? &t->episode[t->n - 1] : NULL;
}

double told_cpu_percent(const struct told *t)
{
	return t->now_ns > t->began_ns ? 100 * (double)t->cpu_ns / (double)(t->now_ns - t->began_ns) : NAN;
}

void told_free(struct told *t)
{
	for (size_t i = 0; i < t->n; i++)
		judged_free(&t->episode[i].judged);
	free(t->episode);
	sample_free(&t->decision_ns);
}
