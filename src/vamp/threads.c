// SPDX-License-Identifier: GPL-3.0-or-later
#include "threads.h"
#include "array.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCHEDSTAT, STATUS };

static void forget_thread(struct past *p, size_t i)
{
	for (int f = SCHEDSTAT; f <= STATUS; f++)
		if (p->thread[i].fd[f] >= 0)
			close(p->thread[i].fd[f]);
	p->thread[i] = p->thread[--p->n];
}

void threads_forget(struct past *p)
{
	while (p->n)
		forget_thread(p, p->n - 1);
}

static ssize_t read_of(const struct past *p, struct thread_past *t, int which, char *text, size_t size)
{
	static const char *const name[] = { "schedstat", "status" };
	char path[64];
	ssize_t n;

	if (t->fd[which] < 0) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)p->pid, (int)t->tid, name[which]);
		t->fd[which] = open(path, O_RDONLY | O_CLOEXEC);
	}
	n = t->fd[which] < 0 ? -1 : pread(t->fd[which], text, size - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* Does it want a CPU, and how often has it gone to sleep? */
static void read_status(const struct past *p, struct thread_past *t, size_t slot)
{
	static const char state[] = "\nState:\t", sleeps[] = "\nvoluntary_ctxt_switches:\t";
	char text[8192];
	const char *at;

	if (read_of(p, t, STATUS, text, sizeof(text)) <= 0)
		return;
	at = strstr(text, state);
	t->at[slot].wants = at && at[sizeof(state) - 1] == 'R';
	at = strstr(text, sleeps);
	if (at)
		t->at[slot].sleeps = strtoll(at + sizeof(sleeps) - 1, NULL, 10);
}

/* False: it has ended. */
static bool read_thread(const struct past *p, struct thread_past *thread, const struct moments *m, double active_ns)
{
	size_t slot = moments_slot(m->last), before = moments_slot(m->last - 1);
	bool known = thread->first < m->last;
	char text[128];
	long long run, wait;

	thread->at[slot].sleeps = -1;
	thread->at[slot].wants = false;
	if (read_of(p, thread, SCHEDSTAT, text, sizeof(text)) <= 0 || sscanf(text, "%lld %lld", &run, &wait) != 2)
		return false;
	thread->at[slot].run_ns = run;
	thread->at[slot].wait_ns = wait;
	if (!known || thread->at[before].wants ||
	    (double)(run + wait - thread->at[before].run_ns - thread->at[before].wait_ns) > active_ns)
		read_status(p, thread, slot);
	return true;
}

static struct thread_past *find_thread(struct past *p, pid_t tid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->thread[i].tid == tid)
			return &p->thread[i];
	return NULL;
}

static int add_thread(struct past *p, const struct moments *m, pid_t tid, bool born)
{
	if (array_room(&p->thread, p->n))
		return -ENOMEM;
	p->thread[p->n++] = (struct thread_past){ .tid = tid, .first = m->last, .born = born, .fd = { -1, -1 } };
	return 0;
}

static int list_threads(struct past *p, const struct moments *m)
{
	bool first = !p->n, born = !first || past_young(p, m);
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	files_numbered(path, &tid, &n);
	for (size_t i = 0; i < n && !err; i++)
		if (first || !find_thread(p, tid[i]))
			err = add_thread(p, m, tid[i], born);
	free(tid);
	return err;
}

int threads_read(struct past *p, const struct moments *m, double active_ns, double much_ns, bool look, bool *wants)
{
	size_t slot = moments_slot(m->last), before = moments_slot(m->last - 1);
	int64_t awake = 0;

	*wants = false;
	if ((look || !p->n) && list_threads(p, m))
		return -ENOMEM;
	for (size_t i = 0; i < p->n;) {
		if (read_thread(p, &p->thread[i], m, active_ns)) {
			const struct thread_past *t = &p->thread[i++];

			*wants = *wants || t->at[slot].wants;
			if (t->first < m->last)
				awake += t->at[slot].run_ns + t->at[slot].wait_ns - t->at[before].run_ns - t->at[before].wait_ns;
		} else
			forget_thread(p, i);
	}
	for (size_t i = 0; i < p->n && !*wants && (double)awake > much_ns; i++) {
		if (p->thread[i].at[slot].sleeps < 0)
			read_status(p, &p->thread[i], slot);
		*wants = p->thread[i].at[slot].wants;
	}
	return 0;
}
