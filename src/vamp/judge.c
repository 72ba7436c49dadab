// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const spared_words[] = { "", "plays sound", "light before others took the CPUs" };

/* Its name now: a process may have changed it by exec. */
static void read_comm(pid_t pid, char *comm, size_t size)
{
	char path[64], text[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	in = fopen(path, "re");
	if (in && fgets(text, sizeof(text), in))
		snprintf(comm, size, "%.*s", (int)strcspn(text, "\n"), text);
	if (in)
		fclose(in);
}

static int add(struct judged *j, const struct tag *tag, enum spared why)
{
	if (!(j->n & (j->n - 1))) {	/* full at each power of two */
		size_t room = j->n ? j->n * 2 : 1;
		struct tag *tags = reallocarray(j->tag, room, sizeof(*tags));
		enum spared *whys = tags ? reallocarray(j->why, room, sizeof(*whys)) : NULL;

		j->tag = tags ? tags : j->tag;
		if (!whys)
			return -ENOMEM;
		j->why = whys;
	}
	j->tag[j->n] = *tag;
	j->why[j->n++] = why;
	if (why == SPARED_NOT) {	/* before those that are spared */
		j->tag[j->n - 1] = j->tag[j->background];
		j->why[j->n - 1] = j->why[j->background];
		j->tag[j->background] = *tag;
		j->why[j->background++] = why;
	}
	return 0;
}

int judge(const struct tasks *tasks, int64_t sub_ns, double threshold, const struct audio *audio, struct judged *out)
{
	const struct moments *m = tasks_moments(tasks);
	const struct past *p;
	int err = 0;

	*out = (struct judged){ 0 };
	for (size_t i = 0; !err && (p = tasks_next(tasks, &i));) {
		struct load load = past_load(p, m, sub_ns);
		enum verdict verdict = past_judge(p, &load, threshold);
		struct tag tag = { .pid = p->pid, .start = p->start, .load_percent = 100 * load.load, .run_percent = 100 * load.run };

		if (verdict == VERDICT_LOW)
			continue;
		memcpy(tag.comm, p->comm, sizeof(tag.comm));
		read_comm(p->pid, tag.comm, sizeof(tag.comm));
		err = add(out, &tag, audio && audio_is(audio, p->pid) ? SPARED_SOUND : verdict == VERDICT_KNOWN ? SPARED_LIGHT : SPARED_NOT);
	}
	if (err)
		judged_free(out);
	return err;
}

void judged_free(struct judged *j)
{
	free(j->tag);
	free(j->why);
	*j = (struct judged){ 0 };
}

bool judged_same(const struct judged *a, const struct judged *b)
{
	bool same = a->background == b->background;

	for (size_t i = 0; same && i < a->background; i++)	/* both in the order of pids */
		same = a->tag[i].pid == b->tag[i].pid && a->tag[i].start == b->tag[i].start;
	return same;
}
