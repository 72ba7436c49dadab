// SPDX-License-Identifier: GPL-3.0-or-later
#include "own_work.h"
#include "clock.h"
#include "files.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void own_work_note(struct own_work_notes *w, int64_t from, int64_t to, int64_t cpu_ns)
{
	uint32_t at;

	if (w->n == OWN_WORK_NOTES) {
		w->first++;
		w->n--;
	}
	at = (w->first + w->n++) % OWN_WORK_NOTES;
	w->note[at].from = from;
	w->note[at].to = to;
	w->note[at].cpu_ns = cpu_ns;
}

struct own_work_time own_work_find(struct own_work_notes *w, int64_t from, int64_t to)
{
	struct own_work_time found = { false, 0 };

	/* Notes come from two sources (woken tasks, this thread), each in ascending order: an early note behind a late one is dropped
	 * later. */
	while (w->n && w->note[w->first % OWN_WORK_NOTES].to < from) {
		w->first++;
		w->n--;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t at = (w->first + i) % OWN_WORK_NOTES;
		int64_t begin = w->note[at].from > from ? w->note[at].from : from;
		int64_t end = w->note[at].to < to ? w->note[at].to : to;

		if (begin > end)
			continue;
		found.there = true;
		end -= end - begin > w->note[at].cpu_ns ? end - begin - w->note[at].cpu_ns : 0;
		found.ns += end - begin;
		w->note[at].cpu_ns -= end - begin; /* each ns of it is in one gap */
	}
	return found;
}

void own_work_start(struct own_work_span *w)
{
	w->cpu = sched_getcpu();
	w->from = clock_now();
	w->cpu_ns = clock_thread_cpu();
}

void own_work_stop(struct own_work_span *w)
{
	w->cpu_ns = clock_thread_cpu() - w->cpu_ns;
	w->to = clock_now();
	if (sched_getcpu() != w->cpu)
		w->cpu = -1;
}

static void set_bit(uint64_t *bits, int tid)
{
	if (tid > 0 && tid < OWN_WORK_TIDS)
		bits[tid / 64] |= 1ULL << tid % 64;
}

void own_work_tids_add(struct own_work_tids *t, int tid)
{
	set_bit(t->own, tid);
}

static void add_process_threads(struct own_work_tids *t, pid_t ignored)
{
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)ignored);
	files_list_numeric_names(path, &tid, &n);
	for (size_t i = 0; i < n; i++)
		set_bit(t->ignored, tid[i]);
	free(tid);
}

void own_work_tids_refresh(struct own_work_tids *t)
{
	int64_t now = clock_now();

	if (!t->ignore || !t->ignore->n || (t->refreshed_ns && now - t->refreshed_ns < NS_PER_S))
		return;
	t->refreshed_ns = now;
	memset(t->ignored, 0, sizeof(t->ignored));
	for (size_t i = 0; i < t->ignore->n; i++)
		add_process_threads(t, t->ignore->pid[i]);
}

void own_work_tids_init(struct own_work_tids *t, const struct cli_pids *ignore)
{
	memset(t, 0, sizeof(*t));
	t->ignore = ignore;
	own_work_tids_add(t, (int)gettid());
	own_work_tids_refresh(t);
}

static bool has_tid(const struct own_work_tids *t, int tid)
{
	return tid > 0 && tid < OWN_WORK_TIDS && ((t->own[tid / 64] | t->ignored[tid / 64]) >> tid % 64 & 1);
}

struct own_work_time own_work_remove_shares(const struct own_work_tids *t, struct culprit_share *share, size_t *n)
{
	struct own_work_time found = { false, 0 };
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (share[i].kind == CULPRIT_TASK && has_tid(t, share[i].pid)) {
			found.there = true;
			found.ns += share[i].ns;
		} else
			share[kept++] = share[i];
	}
	*n = kept;
	return found;
}
