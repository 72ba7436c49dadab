// SPDX-License-Identifier: GPL-3.0-or-later
/* shares_group - on a tree that plays the kernel's cgroups: a write to cgroup.procs moves a process, a folder gets its files, and
 * version 2 refuses what it refuses (Documentation/admin-guide/cgroup-v2.rst, "No Internal Process Constraint"). */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "vamp/groups.h"
#include "../../../../../tests/unit/folder.h"
#include "stage.h"

static char mount[64];
static int version;
static struct undo_recorder *undo;

/* ---- the kernel ---- */

static bool holds(const char *group, const char *file, const char *word)
{
	char path[1024], text[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	f = fopen(path, "r");
	while (f && fscanf(f, "%255s", text) == 1)
		found = found || !strcmp(text, word) || !*word;
	if (f)
		fclose(f);
	return found;
}

static const char *leaver;

static int leave(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char left[1024] = "";
	int pid;
	FILE *f;

	(void)st;
	if (type != FTW_F || strcmp(path + at->base, "cgroup.procs"))
		return 0;
	f = fopen(path, "r");
	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid != atoi(leaver))
			snprintf(left + strlen(left), sizeof(left) - strlen(left), "%d\n", pid);
	if (f)
		fclose(f);
	write_to(left, "%s", path);
	return 0;
}

/* /proc/PID/cgroup of the tree */
static void tell_group(const char *who, const char *group)
{
	char path[128], line[1024];

	snprintf(path, sizeof(path), "%s/proc/%s", folder, who);
	mkdir(path, 0755);
	group += strlen(mount);
	snprintf(line, sizeof(line), "%s%s\n", version == 1 ? "4:cpu,cpuacct:" : "0::", *group ? group : "/");
	write_to(line, "%s/cgroup", path);
}

int __real_files_write_text(const char *path, const char *text);
int __wrap_files_write_text(const char *path, const char *text)
{
	char group[1024], text_of[1024];
	const char *file = strrchr(path, '/') + 1;

	snprintf(group, sizeof(group), "%.*s", (int)(file - path - 1), path);
	if (access(path, F_OK))
		return -ENOENT;
	if (!strcmp(file, "cgroup.procs")) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", atoi(text));
		if (version == 2 && holds(group, "cgroup.subtree_control", "cpu") && holds(group, "cgroup.events", ""))
			return -EBUSY;
		leaver = pid;
		nftw(mount, leave, 8, FTW_PHYS);
		files_read_line(path, text_of, sizeof(text_of));
		FILE *f = fopen(path, "a");
		fprintf(f, "%s\n", pid);
		fclose(f);
		tell_group(pid, group);
		return 0;
	}
	if (!strcmp(file, "cgroup.subtree_control")) {
		if (*text == '+' && holds(group, "cgroup.events", "") && holds(group, "cgroup.procs", ""))
			return -EBUSY;
		write_to(*text == '+' ? "cpu memory\n" : "memory\n", "%s", path);
		return 0;
	}
	return __real_files_write_text(path, text);
}

int __wrap_files_write_number(const char *path, long number);
int __wrap_files_write_number(const char *path, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld\n", number);
	return __wrap_files_write_text(path, text);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
	char above[1024];

	if (__real_mkdir(path, mode))
		return -1;
	if (strncmp(path, mount, strlen(mount)))
		return 0;
	write_to("", "%s/cgroup.procs", path);
	if (version == 1) {
		write_to("1024\n", "%s/cpu.shares", path);
		return 0;
	}
	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(path, '/') - path), path);
	write_to("populated 0\n", "%s/cgroup.events", path);
	write_to("\n", "%s/cgroup.subtree_control", path);
	write_to(holds(above, "cgroup.subtree_control", "cpu") ? "cpu memory\n" : "memory\n", "%s/cgroup.controllers", path);
	if (holds(above, "cgroup.subtree_control", "cpu"))
		write_to("100\n", "%s/cpu.weight", path);
	return 0;
}

int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path)
{
	static const char *const files[] = { "cgroup.procs",	   "cgroup.events", "cgroup.subtree_control",
					     "cgroup.controllers", "cpu.weight",    "cpu.shares" };
	char file[1024];

	if (holds(path, "cgroup.procs", "")) {
		errno = EBUSY;
		return -1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, files[i]);
		unlink(file);
	}
	return __real_rmdir(path);
}

/* ---- */

static pid_t first, second; /* of the session; the second one is background */

/* A machine with a session /s that holds two processes. */
static void play(int which, char session[128])
{
	char line[256], path[64];

	assert_int_equal(make_folder(NULL), 0);
	version = 0;
	snprintf(path, sizeof(path), "%s/proc", folder);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/self", folder);
	mkdir(path, 0755);
	snprintf(mount, sizeof(mount), "%s/cg", folder);
	__real_mkdir(mount, 0755);
	version = which;
	snprintf(line, sizeof(line), "tmpfs /tmp tmpfs rw 0 0\n%s\n",
		 which == 1 ? "cgroup2 /unified cgroup2 rw 0 0\ncgroup /cg cgroup rw,cpu,cpuacct 0 0"
			    : "cgroup2 /cg cgroup2 rw,nsdelegate 0 0");
	write_to(line, "%s/proc/self/mounts", folder);
	write_to("", "%s/cgroup.procs", mount);
	if (which == 2) {
		write_to("cpu memory\n", "%s/cgroup.controllers", mount);
		write_to("cpu memory\n", "%s/cgroup.subtree_control", mount);
	}
	snprintf(session, 128, "%s/s", mount);
	mkdir(session, 0755);
	first = sleeper();
	second = sleeper();
	snprintf(line, sizeof(line), "%s/cgroup.procs", session);
	assert_int_equal(files_write_number(line, first), 0);
	assert_int_equal(files_write_number(line, second), 0);
	tell_group("self", session);
	assert_int_equal(undo_open(&undo, 100), 0);
}

static void play_ends(void)
{
	assert_int_equal(undo_close(undo), 0);
	reap(first);
	reap(second);
	assert_int_equal(remove_folder(NULL), 0);
}

static bool is_in(pid_t pid, const char *group)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	return holds(group, "cgroup.procs", number);
}

static struct background_tag tag_of(pid_t pid)
{
	struct proc_stat task;

	assert_int_equal(proc_read_stat(pid, &task), 0);
	return (struct background_tag){ .pid = pid, .start = task.start };
}

static void assert_weight(const struct background_group *g, const char *file, const char *weight)
{
	assert_true(holds(g->ours, file, weight));
}

/* A process is taken into the group and comes back; afterwards the session is as before. */
static void take_and_return(struct background_group *g, const char *session, const char *between)
{
	struct background_tag tag = tag_of(second);
	size_t mark = undo_mark(undo);

	assert_int_equal(shares_move_process(g, undo, &tag), 0);
	assert_true(is_in(second, g->ours));
	assert_true(is_in(first, between));
	assert_int_equal(shares_move_process(g, undo, &tag), 0); /* it is there already */
	assert_int_equal(undo_revert(undo, mark), 0);
	assert_true(is_in(second, between));
	assert_int_equal(undo_revert(undo, 0), 0);
	assert_true(is_in(first, session));
	assert_true(is_in(second, session));
	assert_int_equal(access(g->ours, F_OK), -1);
}

TEST(version_1_weighs_by_shares)
{
	static const char *const weights[RATIOS] = { "341", "114", "57" }; /* 1024 / 3, 9, 18, rounded */
	struct background_group g;
	char session[128];
	struct why why;

	for (int ratio = 0; ratio < RATIOS; ratio++) {
		play(1, session);
		assert_int_equal(shares_open_group(&g, folder, NULL, (enum throttle_ratio)ratio, undo, &why), 0);
		assert_int_equal(g.groups.version, 1);
		assert_string_equal(g.above, session);
		assert_weight(&g, "cpu.shares", weights[ratio]);
		take_and_return(&g, session, session);
		play_ends();
	}
}

TEST(version_2_puts_the_others_into_a_group_of_their_own)
{
	static const char *const weights[RATIOS] = { "33", "11", "6" }; /* 100 / 3, 9, 18, rounded */
	struct background_group g;
	char session[128], rest[200];
	struct why why;

	for (int ratio = 0; ratio < RATIOS; ratio++) {
		play(2, session);
		assert_int_equal(shares_open_group(&g, folder, NULL, (enum throttle_ratio)ratio, undo, &why), 0);
		assert_int_equal(g.groups.version, 2);
		assert_weight(&g, "cpu.weight", weights[ratio]);
		assert_true(holds(session, "cgroup.subtree_control", "cpu"));
		snprintf(rest, sizeof(rest), "%s/thinprobe-vamp-%d-rest", session, (int)getpid());
		assert_false(holds(session, "cgroup.procs", ""));
		take_and_return(&g, session, rest);
		assert_false(holds(session, "cgroup.subtree_control", "cpu"));
		assert_int_equal(access(rest, F_OK), -1);
		play_ends();
	}
}

TEST(version_2_where_groups_below_have_weights_already)
{
	struct background_group g;
	char session[128], slice[64];
	struct why why;

	play(2, session);
	snprintf(slice, sizeof(slice), "%s", mount + strlen(folder));
	assert_int_equal(shares_open_group(&g, folder, slice, RATIO_M, undo, &why), 0);
	assert_weight(&g, "cpu.weight", "11");
	take_and_return(&g, session, session);
	assert_true(holds(mount, "cgroup.subtree_control", "cpu"));
	play_ends();
}

TEST(what_cannot_be_is_told_and_nothing_changes)
{
	struct background_group g;
	char session[128], inner[160];
	struct why why;
	struct background_tag tag;

	play(2, session);
	snprintf(inner, sizeof(inner), "%s/inner", session);
	assert_int_equal(mkdir(inner, 0755), 0); /* it would get the weight of all others together */
	*why.text = '\0';
	assert_int_equal(shares_open_group(&g, folder, NULL, RATIO_M, undo, &why), -EBUSY);
	assert_true(*why.text);
	assert_true(is_in(first, session));
	*why.text = '\0';
	assert_int_equal(shares_open_group(&g, folder, inner + strlen(folder), RATIO_M, undo, &why), -ENOTSUP);
	assert_true(*why.text);
	assert_int_equal(shares_open_group(&g, folder, "/elsewhere", RATIO_M, undo, &why), -ENOENT);
	assert_int_equal(undo_mark(undo), 0);
	rmdir(inner);
	/* a process of another session is not taken into this one's budget */
	snprintf(inner, sizeof(inner), "%s/other", mount);
	assert_int_equal(mkdir(inner, 0755), 0);
	why_say(&why, "%s/cgroup.procs", inner);
	files_write_number(why.text, second);
	tag = tag_of(second);
	assert_int_equal(shares_open_group(&g, folder, NULL, RATIO_M, undo, &why), 0);
	assert_int_equal(shares_move_process(&g, undo, &tag), -EXDEV);
	assert_true(is_in(second, inner));
	play_ends();
}
