// SPDX-License-Identifier: GPL-3.0-or-later
/* members - tables of processes made by hand: which of them belong to a login; and a real one: this process. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "sessmem/members.h"
#include "../unit.h"

/* A login as they are: a door (10) starts a display server (11) and a terminal (12), whose shell
 * (13) leads a session of its own and runs an editor (14); a daemon (15) of that session lost its
 * parent; another (16) made a session for itself first. 20 is somebody else's. */
static const struct member table[] = {
	{ .pid = 1, .is.ppid = 0, .is.session = 1 },	{ .pid = 2, .is.ppid = 0, .is.session = 0, .is.flags = PROC_KTHREAD },
	{ .pid = 10, .is.ppid = 1, .is.session = 5 },	{ .pid = 11, .is.ppid = 10, .is.session = 5 },
	{ .pid = 14, .is.ppid = 13, .is.session = 13 }, /* before its parent */
	{ .pid = 13, .is.ppid = 12, .is.session = 13 }, { .pid = 12, .is.ppid = 10, .is.session = 5 },
	{ .pid = 15, .is.ppid = 1, .is.session = 13 },	{ .pid = 16, .is.ppid = 1, .is.session = 16 },
	{ .pid = 20, .is.ppid = 1, .is.session = 20 },	{ .pid = 21, .is.ppid = 2, .is.session = 0, .is.flags = PROC_KTHREAD },
};
#define N (sizeof(table) / sizeof(*table))

static uint64_t marked_by(const pid_t *root, size_t roots)
{
	struct member m[N];
	uint64_t set = 0;

	memcpy(m, table, sizeof(m));
	members_mark_login(m, N, root, roots);
	for (size_t i = 0; i < N; i++)
		set |= m[i].in ? UINT64_C(1) << m[i].pid : 0;
	return set;
}

#define BIT(pid) (UINT64_C(1) << (pid))

TEST(test_descendants)
{
	assert_true(marked_by((pid_t[]){ 10 }, 1) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14)));
	assert_true(marked_by((pid_t[]){ 12 }, 1) == (BIT(12) | BIT(13) | BIT(14)));
	assert_true(marked_by((pid_t[]){ 20 }, 1) == BIT(20));
}

/* The daemon is still of the session that 13 leads; not so who left it. A session that 10 is merely
 * in does not pull in its others. */
TEST(test_session)
{
	assert_true(marked_by((pid_t[]){ 13 }, 1) == (BIT(13) | BIT(14) | BIT(15)));
	assert_true(marked_by((pid_t[]){ 10, 13 }, 2) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14) | BIT(15)));
	/* the leader has gone, its session is still there */
	assert_true(marked_by((pid_t[]){ 5 }, 1) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14)));
}

TEST(test_nobody)
{
	assert_true(marked_by((pid_t[]){ 99 }, 1) == 0);
	assert_true(marked_by(NULL, 0) == 0);
	assert_true(marked_by((pid_t[]){ 2 }, 1) == 0);
}

TEST(test_read)
{
	struct member m;

	assert_int_equal(members_read_process(getpid(), &m), 0);
	assert_int_equal(m.pid, getpid());
	assert_int_equal(m.is.ppid, getppid());
	assert_int_equal(m.is.session, getsid(0));
	assert_false(member_is_kernel(&m));
	assert_int_equal(members_read_process(INT_MAX, &m), -ESRCH);
}

TEST(test_scan)
{
	struct member *m;
	size_t n;

	assert_int_equal(members_read_all(&m, &n), 0);
	assert_non_null(members_find(m, n, getpid()));
	free(m);
}

TEST(test_command)
{
	char text[16];
	int64_t bytes = proc_read_status(getpid(), "VmPTE:");

	members_read_command(getpid(), text, sizeof(text));
	assert_true(strlen(text) > 0 && strlen(text) < sizeof(text));
	assert_true(bytes > 0 && bytes % 1024 == 0);
	members_read_command(INT_MAX, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(proc_read_status(INT_MAX, "VmPTE:"), -1);
}
