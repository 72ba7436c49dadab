// SPDX-License-Identifier: GPL-3.0-or-later
#include "itself.h"
#include "clock.h"
#include "files.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void itself_note(struct itself *w, int64_t from, int64_t to, int64_t cpu_ns)
{
	uint32_t at;

	if (w->n == ITSELF_NOTES) {
		w->first++;
		w->n--;
	}
	at = (w->first + w->n++) % ITSELF_NOTES;
	w->note[at].from = from;
	w->note[at].to = to;
	w->note[at].cpu_ns = cpu_ns;
}

struct itself_found itself_in_time(struct itself *w, int64_t from, int64_t to)
{
	struct itself_found found = { false, 0 };

	/* Notes come in two orders (woken tasks, this thread), each ascending: an early end behind a late one waits there. */
	while (w->n && w->note[w->first % ITSELF_NOTES].to < from) {
		w->first++;
		w->n--;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t at = (w->first + i) % ITSELF_NOTES;
		int64_t begin = w->note[at].from > from ? w->note[at].from : from;
		int64_t end = w->note[at].to < to ? w->note[at].to : to;

		if (begin > end)
			continue;
		found.there = true;
		found.ns += end - begin < w->note[at].cpu_ns ? end - begin : w->note[at].cpu_ns;
	}
	return found;
}

void itself_begin(struct itself_work *w)
{
	w->cpu = sched_getcpu();
	w->from = clock_now();
	w->cpu_ns = clock_thread_cpu();
}

void itself_end(struct itself_work *w)
{
	w->cpu_ns = clock_thread_cpu() - w->cpu_ns;
	w->to = clock_now();
	if (sched_getcpu() != w->cpu)
		w->cpu = -1;
}

void itself_tids_add(struct itself_tids *t, int tid)
{
	if (t->own < ITSELF_TIDS) {
		t->tid[t->own++] = tid;
		t->n = t->own;		/* what was behind is found again */
		t->refreshed_ns = 0;
	}
}

static void add_threads(struct itself_tids *t, int64_t pid)
{
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	files_numbered(path, &tid, &n);
	for (size_t i = 0; i < n && t->n < ITSELF_TIDS; i++)
		t->tid[t->n++] = tid[i];
	free(tid);
}

void itself_tids_refresh(struct itself_tids *t)
{
	int64_t now = clock_now();

	if (!t->ignores || (t->refreshed_ns && now - t->refreshed_ns < NS_PER_S))
		return;
	t->refreshed_ns = now;
	t->n = t->own;
	for (int i = 0; i < t->ignores; i++)
		add_threads(t, t->ignore[i]);
}

void itself_tids_init(struct itself_tids *t, const int64_t *ignore, int ignores)
{
	*t = (struct itself_tids){ .ignore = ignore, .ignores = ignores };
	itself_tids_add(t, (int)gettid());
	itself_tids_refresh(t);
}

static bool is_own(const struct itself_tids *t, int tid)
{
	for (int i = 0; i < t->n; i++)
		if (t->tid[i] == tid)
			return true;
	return false;
}

struct itself_found itself_in_shares(const struct itself_tids *t, struct who_share *share, size_t *n)
{
	struct itself_found found = { false, 0 };
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (share[i].kind == WHO_TASK && is_own(t, share[i].pid)) {
			found.there = true;
			found.ns += share[i].ns;
		} else
			share[kept++] = share[i];
	}
	*n = kept;
	return found;
}
