// SPDX-License-Identifier: GPL-3.0-or-later
#include "tasks.h"
#include "memory.h"
#include "clock.h"
#include "files.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int read_proc_file(const struct process_history *p, const struct thread_history *t, const char *name, char *text,
			  size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)p->pid, (int)t->tid, name);
	return files_read_all(path, text, size);
}

/* Reads whether the thread wants a CPU, and how often it has gone to sleep. */
static void read_status(const struct process_history *p, struct thread_history *t, size_t slot)
{
	static const char state[] = "\nState:\t", sleeps[] = "\nvoluntary_ctxt_switches:\t";
	char text[8192];
	const char *at;

	if (read_proc_file(p, t, "status", text, sizeof(text)))
		return;
	at = strstr(text, state);
	t->at[slot].wants = at && at[sizeof(state) - 1] == 'R';
	at = strstr(text, sleeps);
	if (at)
		t->at[slot].sleeps = strtoll(at + sizeof(sleeps) - 1, NULL, 10);
}

/* False: the thread has ended. */
static bool sample_thread(const struct process_history *p, struct thread_history *thread, const struct sample_times *m,
			  double active_ns)
{
	size_t slot = history_slot(m->last), before = history_slot(m->last - 1);
	bool known = thread->first < m->last;
	char text[128];
	long long run, wait;

	thread->at[slot].sleeps = -1;
	thread->at[slot].wants = false;
	if (read_proc_file(p, thread, "schedstat", text, sizeof(text)) || sscanf(text, "%lld %lld", &run, &wait) != 2)
		return false;
	thread->at[slot].run_ns = run;
	thread->at[slot].wait_ns = wait;
	if (!known || thread->at[before].wants ||
	    (double)(run + wait - thread->at[before].run_ns - thread->at[before].wait_ns) > active_ns)
		read_status(p, thread, slot);
	return true;
}

/* Whether the list has a thread with this id. `guess`: its probable index. */
static bool has_thread(const struct process_history *p, pid_t tid, size_t guess)
{
	bool found = guess < p->n && p->thread[guess].tid == tid;

	for (size_t i = 0; i < p->n && !found; i++)
		found = p->thread[i].tid == tid;
	return found;
}

static int add_threads(struct process_history *p, const struct sample_times *m)
{
	bool first = !p->n, born = !first || history_is_new(p, m);
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	files_list_numeric_names(path, &tid, &n);
	for (size_t i = 0; i < n && !err; i++) {
		if (!first && has_thread(p, tid[i], i))
			continue;
		err = array_room(&p->thread, p->n);
		if (!err)
			p->thread[p->n++] = (struct thread_history){ .tid = tid[i], .first = m->last, .born = born };
	}
	free(tid);
	return err;
}

/* Samples the threads of a process into the slot of the last sample. The status is read only of threads that ran or waited for
 * `active_ns` since the sample before, or wanted a CPU then; and where all threads together ran or waited for `much_ns`, also of
 * others until one wants a CPU: a wait that still lasts is in no counter. *wants: a thread wants a CPU now. 0 or -ENOMEM. */
static int sample_threads(struct process_history *p, const struct sample_times *m, double active_ns, double much_ns, bool *wants)
{
	size_t slot = history_slot(m->last), before = history_slot(m->last - 1);
	int64_t awake = 0;

	*wants = false;
	if (add_threads(p, m))
		return -ENOMEM;
	for (size_t i = 0; i < p->n;) {
		if (sample_thread(p, &p->thread[i], m, active_ns)) {
			const struct thread_history *t = &p->thread[i++];

			*wants = *wants || t->at[slot].wants;
			if (t->first < m->last)
				awake += t->at[slot].run_ns + t->at[slot].wait_ns - t->at[before].run_ns - t->at[before].wait_ns;
		} else
			p->thread[i] = p->thread[--p->n];
	}
	for (size_t i = 0; i < p->n && !*wants && (double)awake > much_ns; i++) {
		if (p->thread[i].at[slot].sleeps < 0)
			read_status(p, &p->thread[i], slot);
		*wants = p->thread[i].at[slot].wants;
	}
	return 0;
}

#define ACTIVE 0.01	/* share of a CPU; threads of processes below it are not read */
#define MUCH 0.25	/* share of a CPU; above it, find out whether some thread wants a CPU */
#define TICKS_PER_S 100 /* USER_HZ of the kernel */

struct sampled_process {
	struct process_history past; /* first member: tasks_next() returns its address */
	clockid_t clock;	     /* clock of the process's CPU time */
	bool in_scope, gone;
	int64_t ran; /* number of the last sample in which it ran */
	int64_t met; /* number of the first sample that has it */
};

struct task_sampler {
	const struct process_scope *scope;
	int64_t sub_ns, boot_ns; /* boot_ns: CLOCK_BOOTTIME, the clock of process start times, minus CLOCK_MONOTONIC */
	struct sample_times moments;
	struct sampled_process *process; /* processes sorted by pid */
	size_t n, in_scope;
};

static void update_scope(const struct task_sampler *t, struct sampled_process *p)
{
	struct scope_process is = { 0 };

	p->in_scope = scope_find_process(t->scope, p->past.pid, &is);
	p->past.first = t->moments.last;
	p->past.start = is.start;
	memcpy(p->past.comm, is.comm, sizeof(is.comm));
	p->past.born_ns = (int64_t)is.start * (NS_PER_S / TICKS_PER_S) - t->boot_ns;
}

/* Like glibc's clock_getcpuclockid, without its check that the process exists. */
static clockid_t cpu_clock_id(pid_t pid)
{
	return (clockid_t)((~(unsigned)pid << 3) | 2);
}

static struct sampled_process make_process(const struct task_sampler *t, pid_t pid)
{
	struct sampled_process p = {
		.past = { .pid = pid, .known = -1 }, .ran = INT64_MIN / 2, .met = t->moments.last, .clock = cpu_clock_id(pid)
	};

	update_scope(t, &p);
	return p;
}

/* Merges the sorted list of all pids with the known processes. */
static int merge_new_processes(struct task_sampler *t)
{
	struct sampled_process *merged, *old = t->process, *end = old + t->n;
	size_t n;
	pid_t *pid;
	int err = scope_list_pids(t->scope, &pid, &n);

	if (err)
		return err == -ENOENT ? -ENODEV : err;
	merged = reallocarray(NULL, n + 1, sizeof(*merged));
	if (!merged) {
		free(pid);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		while (old < end && (old->past.pid < pid[i] || old->gone))
			free(old++->past.thread);
		merged[i] = old < end && old->past.pid == pid[i] ? *old++ : make_process(t, pid[i]);
	}
	while (old < end)
		free(old++->past.thread);
	free(pid);
	free(t->process);
	t->process = merged;
	t->n = n;
	return 0;
}

/* 0; -ESRCH: the process has ended, or another one has its pid. */
static int sample_process(struct task_sampler *t, struct sampled_process *p)
{
	size_t slot = history_slot(t->moments.last), before = history_slot(t->moments.last - 1);
	bool active = t->moments.last - p->ran <= HISTORY_SUBS + 1, known = p->past.first < t->moments.last;
	struct timespec ts;
	int64_t ran;
	bool wants;
	int err;

	if (clock_gettime(p->clock, &ts))
		return -ESRCH;
	p->past.run_ns[slot] = ts.tv_sec * NS_PER_S + ts.tv_nsec;
	ran = known				      ? p->past.run_ns[slot] - p->past.run_ns[before]
	      : history_is_new(&p->past, &t->moments) ? p->past.run_ns[slot]
						      : 0;
	if (ran < 0)
		return -ESRCH;
	if ((double)ran > ACTIVE * (double)t->sub_ns)
		p->ran = t->moments.last;
	else if (!active) {
		p->past.n = 0;
		return 0;
	}
	err = sample_threads(&p->past, &t->moments, ACTIVE * (double)t->sub_ns, MUCH * (double)t->sub_ns, &wants);
	if (wants) /* a starved process stays active */
		p->ran = t->moments.last;
	return err;
}

/* Should the user of the process be checked again? A process may change its user after its start: at samples 1, 2, 4, 8, ... of
 * its life. */
static bool is_recheck_due(const struct task_sampler *t, const struct sampled_process *p)
{
	int64_t age = t->moments.last - p->met;

	return !p->gone && !t->moments.fresh && age > 0 && !(age & (age - 1));
}

int tasks_sample(struct task_sampler *t, int64_t now_ns, bool fresh)
{
	int err;

	history_begin_sample(&t->moments, now_ns, fresh);
	err = merge_new_processes(t);
	t->in_scope = 0;
	for (size_t i = 0; !err && i < t->n; i++) {
		struct sampled_process *p = &t->process[i];

		if (!p->in_scope && t->scope->by_user && is_recheck_due(t, p))
			update_scope(t, p);
		if (!p->in_scope)
			continue;
		err = sample_process(t, p);
		if (err == -ESRCH) {
			p->in_scope = false;
			p->gone = true;
			err = 0;
			continue;
		}
		if (!fresh)
			history_update_known_load(&p->past, &t->moments);
		t->in_scope++;
	}
	return err;
}

int tasks_open(struct task_sampler **out, const struct process_scope *scope, int64_t sub_ns)
{
	struct task_sampler *t = calloc(1, sizeof(*t));
	struct proc_schedstat own;
	struct timespec boot;

	if (!t)
		return -ENOMEM;
	if (proc_read_schedstat(getpid(), &own)) {
		free(t);
		return -ENOSYS;
	}
	clock_gettime(CLOCK_BOOTTIME, &boot);
	t->boot_ns = boot.tv_sec * NS_PER_S + boot.tv_nsec - clock_now();
	t->scope = scope;
	t->sub_ns = sub_ns;
	t->moments.last = -1;
	*out = t;
	return 0;
}

void tasks_close(struct task_sampler *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->process[i].past.thread);
	free(t->process);
	free(t);
}

size_t tasks_count(const struct task_sampler *t)
{
	return t->in_scope;
}

const struct sample_times *tasks_times(const struct task_sampler *t)
{
	return &t->moments;
}

const struct process_history *tasks_next(const struct task_sampler *t, size_t *i)
{
	while (*i < t->n) {
		const struct sampled_process *p = &t->process[(*i)++];

		if (p->in_scope)
			return &p->past;
	}
	return NULL;
}
