// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const spared_words[] = { "", "plays sound", "light before others took the CPUs" };

static int judged_by_place(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	bool spared_x = x->why != SPARED_NOT, spared_y = y->why != SPARED_NOT;

	return spared_x != spared_y ? spared_x - spared_y : (x->pid > y->pid) - (x->pid < y->pid);
}

int judge(const struct tasks *tasks, int64_t sub_ns, double threshold, const struct audio *audio, struct judged *out)
{
	const struct moments *m = tasks_moments(tasks);
	const struct past *p;
	struct tag *shrunk;

	*out = (struct judged){ .tag = calloc(tasks_count(tasks) + 1, sizeof(*out->tag)) };
	if (!out->tag)
		return -ENOMEM;
	for (size_t i = 0; (p = tasks_next(tasks, &i));) {
		struct history_load load = past_load(p, m, sub_ns);
		enum verdict verdict = past_judge(p, &load, threshold);
		struct tag *tag = &out->tag[out->n];

		if (verdict == VERDICT_LOW)
			continue;
		*tag = (struct tag){ .pid = p->pid, .start = p->start, .load_percent = 100 * load.load, .run_percent = 100 * load.run };
		proc_line(p->pid, "comm", tag->comm, sizeof(tag->comm));	/* now: exec may have changed it */
		if (!*tag->comm)
			memcpy(tag->comm, p->comm, sizeof(tag->comm));
		tag->why = audio && audio_is(audio, p->pid) ? SPARED_SOUND : verdict == VERDICT_KNOWN ? SPARED_LIGHT : SPARED_NOT;
		out->background += tag->why == SPARED_NOT;
		out->n++;
	}
	shrunk = reallocarray(out->tag, out->n + 1, sizeof(*shrunk));	/* it is kept */
	out->tag = shrunk ? shrunk : out->tag;
	qsort(out->tag, out->n, sizeof(*out->tag), judged_by_place);
	return 0;
}

void judged_free(struct judged *j)
{
	free(j->tag);
	*j = (struct judged){ 0 };
}

bool judged_same(const struct judged *a, const struct judged *b)
{
	bool same = a->background == b->background;

	for (size_t i = 0; same && i < a->background; i++)
		same = a->tag[i].pid == b->tag[i].pid && a->tag[i].start == b->tag[i].start;
	return same;
}
