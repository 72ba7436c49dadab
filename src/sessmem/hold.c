// SPDX-License-Identifier: GPL-3.0-or-later
#include "hold.h"
#include "clock.h"
#include "files.h"
#include "proc.h"
#include "procs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const hold_ways[] = { "auto", "signal", "freezer", "none", NULL };

#define HELD_MAX 32768
#define PATH_ROOM 4096
#define NAP_NS (NS_PER_MS)

/* What the child has to undo: shared with it, and noted before it is done. */
struct held_group {
	pid_t pid;
	uint64_t start;
	char from[256];		/* its group in the freezer's hierarchy */
};

struct store {
	char freeze[PATH_ROOM];		/* the file that freezes a group; "": none is frozen */
	char own[PATH_ROOM];		/* a group of ours, to be emptied and removed; "": none */
	char root[1024];		/* where the freezer's hierarchy is mounted */
	atomic_size_t n;
	struct held_group held[HELD_MAX];
};

struct hold {
	enum hold_way way;
	int version;		/* of the freezer */
	pid_t child;
	int line;		/* the child waits for its end */
	struct store *store;
};

static bool holds(const char *path, const char *text)
{
	char line[256] = "";
	FILE *in = fopen(path, "re");
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in))
		found = !strncmp(line, text, strlen(text));
	if (in)
		fclose(in);
	return found;
}

static void join_folder(char *to, const char *folder, const char *name)
{
	if (snprintf(to, PATH_ROOM, "%s/%s", folder, name) >= PATH_ROOM)
		to[0] = '\0';
}

/* ---- letting go: of the child, and of us should it be gone ---- */

static const struct held_group *of_pid(const struct store *s, pid_t pid)
{
	size_t n = atomic_load(&s->n);

	for (size_t i = 0; i < n; i++)
		if (s->held[i].pid == pid)
			return &s->held[i];
	return n ? &s->held[0] : NULL;	/* born in our group between thawing and moving: where the others came from */
}

static int empty_own(struct store *s)
{
	for (int turns = 0; turns < 2000; turns++) {
		pid_t *pid = NULL;
		size_t n = 0;

		files_group(s->own, &pid, &n);
		for (size_t i = 0; i < n; i++) {
			const struct held_group *h = of_pid(s, pid[i]);
			char to[2 * PATH_ROOM];

			snprintf(to, sizeof(to), "%s%s/cgroup.procs", s->root, h ? h->from : "");
			files_write_number(to, pid[i]);
		}
		free(pid);
		if (!rmdir(s->own) || errno == ENOENT) {
			s->own[0] = '\0';
			return 0;
		}
		clock_sleep_until(clock_now() + NAP_NS);
	}
	return -EBUSY;
}

static int release_group(struct store *s)
{
	size_t n = atomic_load(&s->n);
	int err = 0;

	if (s->freeze[0])
		err = files_write(s->freeze, strstr(s->freeze, "cgroup.freeze") ? "0" : "THAWED");
	if (s->own[0])
		err = empty_own(s) ? -EBUSY : err;
	if (s->freeze[0] || s->own[0])
		return err;
	for (size_t i = 0; i < n; i++) {
		struct member now;

		if (!procs_look(s->held[i].pid, &now) && now.start == s->held[i].start && kill(s->held[i].pid, SIGCONT) && errno != ESRCH)
			err = -errno;
	}
	return err;
}

static void wait_and_let_go(struct store *s, int line)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();	/* what ends our parent's group does not end us */
	for (int fd = 0; fd < 3; fd++)
		close(fd);	/* who waits for our parent's output does not wait for us */
	while (read(line, &c, 1) < 0 && errno == EINTR)
		;
	_exit(release_group(s) ? 1 : 0);
}

/* Our child; it stays to be waited for. */
static bool has_ended(pid_t child)
{
	siginfo_t is = { 0 };

	return waitid(P_PID, (id_t)child, &is, WEXITED | WNOHANG | WNOWAIT) || is.si_pid;
}

/* ---- holding ---- */

/* The group that is measured, if its own kind can be frozen in place, and we are not in it. */
static bool in_place(struct hold *h, const char *cgroup)
{
	char state[PATH_ROOM];
	pid_t *pid = NULL;
	bool inside = false;
	size_t n = 0;

	join_folder(h->store->freeze, cgroup, "cgroup.freeze");
	join_folder(state, cgroup, "cgroup.events");
	h->version = 2;
	if (access(h->store->freeze, W_OK)) {
		join_folder(h->store->freeze, cgroup, "freezer.state");
		join_folder(state, cgroup, "freezer.state");
		h->version = 1;
	}
	if (access(h->store->freeze, W_OK) || files_group(cgroup, &pid, &n)) {
		h->store->freeze[0] = '\0';
		free(pid);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		inside = inside || pid[i] == getpid();
	free(pid);
	/* Frozen by somebody else: it stands, and is not ours to thaw. */
	if (inside || holds(h->store->freeze, h->version == 2 ? "1" : "FROZEN"))
		h->store->freeze[0] = '\0';
	return h->store->freeze[0];
}

/* A group of ours, below the one that we are in. */
static bool own_group(struct hold *h, char *why, size_t size)
{
	struct store *s = h->store;
	char mine[256];
	int err;

	if (proc_cgroup_mount("", "freezer", s->root, sizeof(s->root)) != 1 || proc_cgroup(getpid(), "freezer", mine, sizeof(mine)) != 1) {
		snprintf(why, size, "there is no freezer of cgroup version 1 for single processes here; take --freeze signal");
		return false;
	}
	snprintf(s->own, sizeof(s->own), "%s%s%sthinprobe-sessmem-%d", s->root, mine, mine[1] ? "/" : "", (int)getpid());
	if (mkdir(s->own, 0755)) {
		err = errno;
		s->own[0] = '\0';
		snprintf(why, size, "no group may be made in the freezer (%s); as root it may, or take --freeze signal", strerror(err));
		return false;
	}
	h->version = 1;
	join_folder(s->freeze, s->own, "freezer.state");
	if (files_write(s->freeze, "FROZEN")) {	/* what comes in freezes */
		rmdir(s->own);
		s->own[0] = s->freeze[0] = '\0';
		snprintf(why, size, "the freezer does not take orders here; take --freeze signal");
		return false;
	}
	return true;
}

static bool choose(struct hold *h, enum hold_way way, const char *cgroup, char *why, size_t size)
{
	h->way = way;
	if (way == HOLD_SIGNAL || way == HOLD_NONE)
		return true;
	h->way = HOLD_FREEZER;
	if ((cgroup && in_place(h, cgroup)) || own_group(h, why, size))
		return true;
	h->way = HOLD_SIGNAL;
	return way == HOLD_AUTO;
}

struct hold *hold_begin(enum hold_way way, const char *cgroup, char *why, size_t size)
{
	struct hold *h = calloc(1, sizeof(*h));
	int line[2] = { -1, -1 };

	if (!h)
		return NULL;
	h->line = -1;
	h->store = mmap(NULL, sizeof(*h->store), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h->store == MAP_FAILED) {
		snprintf(why, size, "out of memory");
		free(h);
		return NULL;
	}
	if (way == HOLD_NONE) {
		h->way = way;
		return h;
	}
	if (!pipe2(line, O_CLOEXEC))
		h->child = fork();
	if (line[0] < 0 || h->child < 0) {
		snprintf(why, size, "cannot start the process that lets the others go on: %s", strerror(errno));
		munmap(h->store, sizeof(*h->store));
		free(h);
		return NULL;
	}
	if (!h->child) {
		close(line[1]);
		wait_and_let_go(h->store, line[0]);
	}
	close(line[0]);
	h->line = line[1];
	while (getsid(h->child) != h->child && !has_ended(h->child))	/* from here on what ends our group does not end it */
		clock_sleep_until(clock_now() + NAP_NS / 10);
	/* Only now, so that a group of ours cannot outlive us. */
	if (!choose(h, way, cgroup, why, size)) {
		hold_end(h);
		return NULL;
	}
	if (h->way == HOLD_FREEZER && !h->store->own[0] && files_write(h->store->freeze, h->version == 2 ? "1" : "FROZEN")) {
		snprintf(why, size, "the group cannot be frozen (%s); take --freeze signal", strerror(errno));
		hold_end(h);
		return NULL;
	}
	return h;
}

enum hold_way hold_way(const struct hold *h)
{
	return h->way;
}

pid_t hold_child(const struct hold *h)
{
	return h->child;
}

int hold_add(struct hold *h, const struct member *m)
{
	struct store *s = h->store;
	size_t n = atomic_load(&s->n);
	struct held_group *held = &s->held[n];
	char path[2 * PATH_ROOM];
	int err;

	if (h->way == HOLD_NONE || (h->way == HOLD_FREEZER && !s->own[0]))
		return 0;
	if (n == HELD_MAX)
		return -E2BIG;
	if (h->way == HOLD_SIGNAL && procs_stands(m->pid))
		return 0;
	*held = (struct held_group){ .pid = m->pid, .start = m->start };
	if (h->way == HOLD_SIGNAL) {
		atomic_store(&s->n, n + 1);
		err = kill(m->pid, SIGSTOP) ? -errno : 0;
	} else {
		if (proc_cgroup(m->pid, "freezer", held->from, sizeof(held->from)) != 1)
			return -ESRCH;
		atomic_store(&s->n, n + 1);
		join_folder(path, s->own, "cgroup.procs");
		err = files_write_number(path, m->pid);
	}
	if (err)	/* nothing was done to it */
		atomic_store(&s->n, n);
	return err;
}

static bool frozen(const struct hold *h)
{
	char path[PATH_ROOM];

	if (!h->store->freeze[0])
		return true;
	if (h->version == 1)
		return holds(h->store->freeze, "FROZEN");
	snprintf(path, sizeof(path), "%.*sevents", (int)(strlen(h->store->freeze) - strlen("freeze")), h->store->freeze);
	return holds(path, "frozen 1");
}

size_t hold_settle(struct hold *h, int64_t until_ns)
{
	const struct store *s = h->store;
	size_t left = 0, n = atomic_load(&s->n);

	if (h->way == HOLD_NONE)
		return 0;
	do {
		left = 0;
		if (h->way == HOLD_FREEZER)
			left = frozen(h) ? 0 : 1;
		else
			for (size_t i = 0; i < n; i++)
				left += !procs_stands(s->held[i].pid);
		if (!left)
			return 0;
		clock_sleep_until(clock_now() + NAP_NS);
	} while (clock_now() < until_ns);
	return left;
}

int hold_end(struct hold *h)
{
	int status = 0, err = 0;

	if (h->child > 0) {
		close(h->line);
		while (waitpid(h->child, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status))		/* somebody has killed it */
			err = release_group(h->store);
		else if (WEXITSTATUS(status))
			err = -EBUSY;
	}
	munmap(h->store, sizeof(*h->store));
	free(h);
	return err;
}
