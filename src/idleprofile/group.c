// SPDX-License-Identifier: GPL-3.0-or-later
#include "group.h"
#include "clock.h"
#include "files.h"
#include "proc.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_group_file(const char *folder, const char *file, const char *word)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return files_write_text(path, word);
}

int group_find_mount(const char *root, struct cgroup_mount *out, struct why *why)
{
	char path[PATH_MAX], list[512];

	out->root[0] = '\0';
	out->version = proc_find_cgroup_mount(root, "cpu", out->root, sizeof(out->root));
	if (!out->version)
		return why_fail(-ENOENT, why, "no cpu cgroups are mounted");
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", out->root);
	if (out->version == 1)
		return 0;
	files_read_line(path, list, sizeof(list));
	for (char *rest, *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, "cpu"))
			return 0;
	out->version = 0;
	return why_fail(-ENOENT, why, "the cpu controller is not in %.80s", path);
}

int group_set_idle(const char *path)
{
	return write_group_file(path, "cpu.idle", "1");
}

int group_join(const char *path)
{
	return write_group_file(path, "cgroup.procs", "0");
}

/* Removes the cgroup, retrying: it can stay busy for a moment after its last process has left, and longer if that process is
 * stuck. */
static int remove_group_retrying(const char *path, int64_t within_ns)
{
	int64_t end = clock_now() + within_ns;

	do {
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		clock_sleep(clock_now() + 5 * NS_PER_MS);
	} while (clock_now() < end);
	return -EBUSY;
}

/* Runs in the guard process after this program was killed. */
static void remove_after_kill(void *path)
{
	remove_group_retrying(path, 60 * NS_PER_S);
}

/* Chooses the path before the cgroup is made, so that the guard knows it from the start. */
static int choose_group_path(struct idle_cgroup *g)
{
	struct stat st;
	unsigned bits;

	do {
		if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
			return -EAGAIN;
		snprintf(g->path, sizeof(g->path), "%s/thinprobe-%06x", g->place.root, bits & 0xffffff);
	} while (!lstat(g->path, &st));
	return 0;
}

void group_make(struct idle_cgroup *g)
{
	const char *step = "name";
	int err;

	*g = (struct idle_cgroup){ 0 };
	if (group_find_mount("", &g->place, &g->why))
		return;
	if (access(g->place.root, W_OK)) { /* no cgroup can be made: no guard is needed */
		why_say(&g->why, "%.100s: %s", g->place.root, strerror(errno));
		return;
	}
	err = choose_group_path(g);
	if (!err) {
		step = "janitor";
		err = guard_start(&g->guard, remove_after_kill, g->path);
	}
	if (!err) {
		step = "mkdir";
		err = mkdir(g->path, 0755) ? -errno : 0;
	}
	if (!err) {
		step = "cpu.idle";
		err = group_set_idle(g->path);
	}
	if (err) {
		why_say(&g->why, "%s in %.100s: %s", step, g->place.root, strerror(-err));
		group_remove(g);
		g->path[0] = '\0';
	}
}

void group_remove(struct idle_cgroup *g)
{
	if (!g->path[0] || !g->guard.pid)
		return;
	if (remove_group_retrying(g->path, 2 * NS_PER_S))
		guard_undo_now(&g->guard); /* the guard goes on trying */
	else
		guard_end(&g->guard);
}

/* The kernel uses an autogroup only for tasks in the top cpu cgroup. */
static bool is_in_top_group(void)
{
	char path[PATH_MAX];

	proc_read_cgroup(getpid(), "cpu", path, sizeof(path));
	return !path[0] || !strcmp(path, "/");
}

static bool is_autogroup_on(void)
{
	char on[4];

	return !files_read_line("/proc/sys/kernel/sched_autogroup_enabled", on, sizeof(on)) && !strcmp(on, "1");
}

static bool set_autogroup_nice(void)
{
	for (int i = 0; i < 20; i++) { /* the kernel accepts ten changes a second from an ordinary user */
		int err = write_group_file("/proc/self", "autogroup", "19");

		if (!err)
			return is_autogroup_on() && is_in_top_group();
		if (err != -EAGAIN)
			break;
		clock_sleep(clock_now() + 50 * NS_PER_MS);
	}
	return false;
}

bool group_is_container(const char *ns)
{
	return strcmp(ns, "cgroup:[4026531835]") != 0; /* PROC_CGROUP_INIT_INO in the kernel's proc_ns.h */
}

static const char *container_note(void)
{
	char ns[64];
	ssize_t n = readlink("/proc/self/ns/cgroup", ns, sizeof(ns) - 1);

	if (n <= 0)
		return ""; /* the kernel has no cgroup namespaces */
	ns[n] = '\0';
	return group_is_container(ns) ? ", within this container only" : "";
}

void group_enter(void *group, char *said, size_t size)
{
	struct idle_cgroup *g = group;

	if (g->guard.pid)
		close(g->guard.fd); /* the guard must wait for the end of the parent process, not of this one */
	setsid();
	if (g->path[0] && !group_join(g->path))
		snprintf(said, size, "cgroup v%d cpu.idle%s", g->place.version, container_note());
	else
		snprintf(said, size, "%s", set_autogroup_nice() ? "autogroup nice 19" : "SCHED_IDLE alone");
}
