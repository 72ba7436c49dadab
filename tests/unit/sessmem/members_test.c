// SPDX-License-Identifier: GPL-3.0-or-later
/* members - tables of processes made by hand: who belongs to a login, and lines of /proc/PID/stat
 * with names that want to be something else. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <cmocka.h>

#include "sessmem/members.h"

/* A login as they are: a door (10) starts a display server (11) and a terminal (12), whose shell
 * (13) leads a session of its own and runs an editor (14); a daemon (15) of that session lost its
 * parent; another (16) made a session for itself first. 20 is somebody else's. */
static const struct member table[] = {
	{ .pid = 1, .ppid = 0, .session = 1 },
	{ .pid = 2, .ppid = 0, .session = 0, .kernel = true },
	{ .pid = 10, .ppid = 1, .session = 5 },
	{ .pid = 11, .ppid = 10, .session = 5 },
	{ .pid = 14, .ppid = 13, .session = 13 },	/* before its parent */
	{ .pid = 13, .ppid = 12, .session = 13 },
	{ .pid = 12, .ppid = 10, .session = 5 },
	{ .pid = 15, .ppid = 1, .session = 13 },
	{ .pid = 16, .ppid = 1, .session = 16 },
	{ .pid = 20, .ppid = 1, .session = 20 },
	{ .pid = 21, .ppid = 2, .session = 0, .kernel = true },
};
#define N (sizeof(table) / sizeof(*table))

static uint64_t marked_by(const pid_t *root, size_t roots)
{
	struct member m[N];
	uint64_t set = 0;
	size_t n = 0;

	for (size_t i = 0; i < N; i++)
		m[i] = table[i];
	n = members_mark(m, N, root, roots);
	for (size_t i = 0; i < N; i++) {
		set |= m[i].in ? UINT64_C(1) << m[i].pid : 0;
		n -= m[i].in;
	}
	assert_int_equal(n, 0);
	return set;
}

#define BIT(pid) (UINT64_C(1) << (pid))

static void test_descendants(void **state)
{
	(void)state;
	assert_true(marked_by((pid_t[]){ 10 }, 1) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14)));
	assert_true(marked_by((pid_t[]){ 12 }, 1) == (BIT(12) | BIT(13) | BIT(14)));
	assert_true(marked_by((pid_t[]){ 20 }, 1) == BIT(20));
}

/* The daemon is still of the session that 13 leads; not so who left it. A session that 10 is merely
 * in does not pull in its others. */
static void test_session(void **state)
{
	(void)state;
	assert_true(marked_by((pid_t[]){ 13 }, 1) == (BIT(13) | BIT(14) | BIT(15)));
	assert_true(marked_by((pid_t[]){ 10, 13 }, 2) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14) | BIT(15)));
	/* the leader has gone, its session is still there */
	assert_true(marked_by((pid_t[]){ 5 }, 1) == (BIT(10) | BIT(11) | BIT(12) | BIT(13) | BIT(14)));
}

static void test_nobody(void **state)
{
	(void)state;
	assert_true(marked_by((pid_t[]){ 99 }, 1) == 0);
	assert_true(marked_by(NULL, 0) == 0);
	assert_true(marked_by((pid_t[]){ 2 }, 1) == 0);
}

static void test_above(void **state)
{
	struct member m[N], loop[] = { { .pid = 3, .ppid = 4 }, { .pid = 4, .ppid = 3 } };

	(void)state;
	for (size_t i = 0; i < N; i++)
		m[i] = table[i];
	assert_true(members_above(m, N, 10, 14));
	assert_true(members_above(m, N, 14, 14));
	assert_false(members_above(m, N, 14, 10));
	assert_false(members_above(m, N, 11, 14));
	assert_false(members_above(loop, 2, 7, 3));
}

static void test_stat(void **state)
{
	struct member m;

	(void)state;
	/* fields as in proc(5); the name holds a closing parenthesis, a blank and a state */
	assert_int_equal(member_read("812 (a) S 3 (b)) T 700 811 699 34817 812 4194304 10 0 0 0 5 6 7 8 20 0 3 0 123456 0 0\n", &m), 0);
	assert_int_equal(m.pid, 812);
	assert_string_equal(m.name, "a) S 3 (b)");
	assert_int_equal(m.state, 'T');
	assert_int_equal(m.ppid, 700);
	assert_int_equal(m.session, 699);
	assert_int_equal(m.threads, 3);
	assert_true(m.start == 123456);
	assert_false(m.kernel);
	assert_int_equal(member_read("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 2 0 0\n", &m), 0);
	assert_true(m.kernel);
	assert_int_equal(member_read("", &m), -EPROTO);
	assert_int_equal(member_read("12 (cut) S 1 2", &m), -EPROTO);
	assert_int_equal(member_read("no parentheses at all", &m), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descendants), cmocka_unit_test(test_session), cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_above), cmocka_unit_test(test_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
