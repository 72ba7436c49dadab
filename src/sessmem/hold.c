// SPDX-License-Identifier: GPL-3.0-or-later
#include "hold.h"
#include "account.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const hold_ways[] = { "auto", "signal", "freezer", "none", NULL };

#define HELD_MAX 32768
#define PATH_ROOM 4096
#define POLL_NS NS_PER_MS

/* A process that was stopped, and must be resumed. */
struct stopped_process {
	pid_t pid;
	uint64_t start;		/* clock ticks after the boot */
	char from[256];		/* the cgroup in the freezer's hierarchy in which it was before */
};

/* Changes to be undone: in memory shared with the child that undoes them, and noted before each change is made. */
struct process_stops_to_undo {
	int version;			/* cgroup version of the freezer: 1 or 2 */
	char frozen[PATH_ROOM];		/* folder of the cgroup that was frozen; "": none */
	char own[PATH_ROOM];		/* folder of the cgroup that was made for the stopped processes; "": none */
	char root[1024];		/* where the freezer's hierarchy is mounted */
	atomic_size_t n;
	struct stopped_process held[HELD_MAX];
};

struct process_stopper {
	enum hold_stop_method way;
	pid_t child;		/* resumes the processes once the pipe is closed; 0: none */
	int pipe;
	struct process_stops_to_undo *list;
};

/* Freezes or thaws the cgroup s->frozen. 0 or -errno. */
static int hold_set_cgroup_frozen(const struct process_stops_to_undo *s, bool frozen)
{
	char path[PATH_ROOM + 16];

	snprintf(path, sizeof(path), "%s/%s", s->frozen, s->version == 1 ? "freezer.state" : "cgroup.freeze");
	return files_write_text(path, s->version == 1 ? (frozen ? "FROZEN" : "THAWED") : frozen ? "1" : "0");
}

static bool hold_cgroup_is_frozen(const struct process_stops_to_undo *s)
{
	char path[PATH_ROOM + 16], state[16];

	if (!s->frozen[0])
		return true;
	if (s->version == 2)
		return account_read_number_behind_key(s->frozen, "cgroup.events", "frozen") == 1;
	snprintf(path, sizeof(path), "%s/freezer.state", s->frozen);
	return !files_read_first_line(path, state, sizeof(state)) && !strcmp(state, "FROZEN");
}

/* The note of a process in our cgroup. A process born there between thawing and moving has none: the first note stands in. */
static const struct stopped_process *stopped_process_of_pid(const struct process_stops_to_undo *s, pid_t pid)
{
	size_t n = atomic_load(&s->n);

	for (size_t i = 0; i < n; i++)
		if (s->held[i].pid == pid)
			return &s->held[i];
	return n ? &s->held[0] : NULL;
}

/* Moves all processes of our cgroup back, and removes it. */
static int hold_empty_and_remove_cgroup(struct process_stops_to_undo *s)
{
	for (int turns = 0; turns < 2000; turns++) {
		pid_t *pid = NULL;
		size_t n = 0;

		files_list_processes_of_cgroup(s->own, &pid, &n);
		for (size_t i = 0; i < n; i++) {
			const struct stopped_process *h = stopped_process_of_pid(s, pid[i]);
			char to[PATH_ROOM];

			snprintf(to, sizeof(to), "%s%s/cgroup.procs", s->root, h ? h->from : "");
			files_write_number(to, pid[i]);
		}
		free(pid);
		if (!rmdir(s->own) || errno == ENOENT) {
			s->own[0] = '\0';
			return 0;
		}
		clock_sleep_until(clock_now() + POLL_NS);
	}
	return -EBUSY;
}

static int hold_resume_processes(struct process_stops_to_undo *s)
{
	size_t n = atomic_load(&s->n);
	int err = s->frozen[0] ? hold_set_cgroup_frozen(s, false) : 0;

	if (s->own[0])
		err = hold_empty_and_remove_cgroup(s) ? -EBUSY : err;
	if (s->frozen[0] || s->own[0])
		return err;
	for (size_t i = 0; i < n; i++) {
		const struct stopped_process *h = &s->held[i];
		struct process_table_entry now;

		if (!members_read_process(h->pid, &now) && now.is.start == h->start && kill(h->pid, SIGCONT) && errno != ESRCH)
			err = -errno;
	}
	return err;
}

static void hold_resumer_main(struct process_stops_to_undo *s, int pipe)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();	/* a signal for the parent's process group must not end the child */
	for (int fd = 0; fd < 3; fd++)
		close(fd);	/* a reader of the parent's output must not wait for the child */
	while (read(pipe, &c, 1) < 0 && errno == EINTR)
		;
	_exit(hold_resume_processes(s) ? 1 : 0);
}

/* Has the child ended? It stays a zombie until hold_resume_processes_and_free() waits for it. */
static bool hold_resumer_has_ended(pid_t child)
{
	siginfo_t is = { 0 };

	return waitid(P_PID, (id_t)child, &is, WEXITED | WNOHANG | WNOWAIT) || is.si_pid;
}

/* Notes the measured cgroup as the one to freeze, if it can be frozen as it is: this process is not in it, and no other program
 * has frozen it (then its processes stand already, and are not ours to thaw). */
static bool hold_choose_cgroup_to_freeze(struct process_stops_to_undo *s, const char *cgroup)
{
	char path[PATH_ROOM];
	pid_t *pid = NULL;
	bool usable;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/cgroup.freeze", cgroup);
	s->version = access(path, W_OK) ? 1 : 2;
	if (s->version == 1)
		snprintf(path, sizeof(path), "%s/freezer.state", cgroup);
	usable = !access(path, W_OK) && !files_list_processes_of_cgroup(cgroup, &pid, &n) &&
		 snprintf(s->frozen, sizeof(s->frozen), "%s", cgroup) < (int)sizeof(s->frozen) &&
		 !(s->version == 2 ? account_read_number_behind_key(cgroup, "cgroup.freeze", NULL) == 1 : hold_cgroup_is_frozen(s));
	for (size_t i = 0; i < n; i++)
		usable = usable && pid[i] != getpid();
	free(pid);
	if (!usable)
		s->frozen[0] = '\0';
	return usable;
}

/* Makes a frozen cgroup below our own: processes that are moved there freeze. */
static int hold_make_frozen_cgroup(struct process_stops_to_undo *s, struct why *why)
{
	char mine[256];
	int err;

	if (proc_find_cgroup_mount_point("", "freezer", s->root, sizeof(s->root)) != 1 || proc_cgroup_of_process(getpid(), "freezer", mine,
												      sizeof(mine)) != 1)
		return fail_with_reason(-ENOENT, why,
					  "there is no freezer of cgroup version 1 for single processes here; take --freeze signal");
	snprintf(s->own, sizeof(s->own), "%s%s%sthinprobe-sessmem-%d", s->root, mine, mine[1] ? "/" : "", (int)getpid());
	if (mkdir(s->own, 0755)) {
		err = -errno;
		s->own[0] = '\0';
		return fail_with_reason(err, why,
					"no group may be made in the freezer (%s); as root it may, or take --freeze signal",
					strerror(-err));
	}
	s->version = 1;
	strcpy(s->frozen, s->own);
	err = hold_set_cgroup_frozen(s, true);
	if (err) {
		rmdir(s->own);
		s->own[0] = s->frozen[0] = '\0';
		return fail_with_reason(err, why, "the freezer refuses to freeze (%s); take --freeze signal", strerror(-err));
	}
	return 0;
}

/* Chooses the way, and freezes the measured cgroup where that is the way. 0 or -errno with the reason in `why`. */
static int hold_choose_stop_method_and_freeze(struct process_stopper *h, enum hold_stop_method way, const char *cgroup,
					      struct why *why)
{
	int err;

	h->way = way == HOLD_SIGNAL ? way : HOLD_FREEZER;
	if (way == HOLD_SIGNAL)
		return 0;
	if (cgroup && hold_choose_cgroup_to_freeze(h->list, cgroup)) {
		err = hold_set_cgroup_frozen(h->list, true);
		return !err ? 0 : fail_with_reason(err, why, "the group cannot be frozen (%s); take --freeze signal",
						   strerror(-err));
	}
	err = hold_make_frozen_cgroup(h->list, why);
	if (!err || way == HOLD_FREEZER)
		return err;
	h->way = HOLD_SIGNAL;
	return 0;
}

struct process_stopper *hold_start_process_stopper(enum hold_stop_method way, const char *cgroup, struct why *why)
{
	struct process_stopper *h = calloc(1, sizeof(*h));
	int ends[2] = { -1, -1 };

	if (h)
		h->list = mmap(NULL, sizeof(*h->list), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!h || h->list == MAP_FAILED) {
		why_say(why, "out of memory");
		free(h);
		return NULL;
	}
	h->way = way;
	if (way == HOLD_NONE)
		return h;
	if (!pipe2(ends, O_CLOEXEC))
		h->child = fork();
	if (ends[0] < 0 || h->child < 0) {
		why_say(why, "cannot start the process that resumes the stopped ones: %s; stop other programs", strerror(errno));
		munmap(h->list, sizeof(*h->list));
		free(h);
		return NULL;
	}
	if (!h->child) {
		close(ends[1]);
		hold_resumer_main(h->list, ends[0]);
	}
	close(ends[0]);
	h->pipe = ends[1];
	/* Wait until the child has left our process group: from then on no signal for that group ends it. */
	while (getsid(h->child) != h->child && !hold_resumer_has_ended(h->child))
		clock_sleep_until(clock_now() + POLL_NS / 10);
	/* Change nothing before: the child must be there to undo it. */
	if (hold_choose_stop_method_and_freeze(h, way, cgroup, why)) {
		hold_resume_processes_and_free(h);
		return NULL;
	}
	return h;
}

enum hold_stop_method method_of_stopping_processes(const struct process_stopper *h)
{
	return h->way;
}

pid_t hold_resumer_pid(const struct process_stopper *h)
{
	return h->child;
}

int hold_stop_one_process(struct process_stopper *h, const struct process_table_entry *m)
{
	struct process_stops_to_undo *s = h->list;
	size_t n = atomic_load(&s->n);
	struct stopped_process *held = &s->held[n];
	char path[PATH_ROOM + 16];
	int err;

	if (h->way == HOLD_NONE || (h->way == HOLD_FREEZER && !s->own[0]))
		return 0;
	if (n == HELD_MAX)
		return -E2BIG;
	if (h->way == HOLD_SIGNAL && members_process_is_fully_stopped(m->pid))
		return 0;
	*held = (struct stopped_process){ .pid = m->pid, .start = m->is.start };
	if (h->way == HOLD_SIGNAL) {
		atomic_store(&s->n, n + 1);
		err = kill(m->pid, SIGSTOP) ? -errno : 0;
	} else {
		if (proc_cgroup_of_process(m->pid, "freezer", held->from, sizeof(held->from)) != 1)
			return -ESRCH;
		atomic_store(&s->n, n + 1);
		snprintf(path, sizeof(path), "%s/cgroup.procs", s->own);
		err = files_write_number(path, m->pid);
	}
	if (err)	/* the process was not stopped */
		atomic_store(&s->n, n);
	return err;
}

size_t hold_wait_until_stopped(struct process_stopper *h, int64_t until_ns)
{
	const struct process_stops_to_undo *s = h->list;
	size_t left = 0, n = atomic_load(&s->n);

	if (h->way == HOLD_NONE)
		return 0;
	do {
		left = 0;
		if (h->way == HOLD_FREEZER)
			left = hold_cgroup_is_frozen(s) ? 0 : 1;
		else
			for (size_t i = 0; i < n; i++)
				left += !members_process_is_fully_stopped(s->held[i].pid);
		if (!left)
			return 0;
		clock_sleep_until(clock_now() + POLL_NS);
	} while (clock_now() < until_ns);
	return left;
}

int hold_resume_processes_and_free(struct process_stopper *h)
{
	int status = 0, err = 0;

	if (h->child > 0) {
		close(h->pipe);
		while (waitpid(h->child, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status))		/* another program has killed it */
			err = hold_resume_processes(h->list);
		else if (WEXITSTATUS(status))
			err = -EBUSY;
	}
	munmap(h->list, sizeof(*h->list));
	free(h);
	return err;
}
