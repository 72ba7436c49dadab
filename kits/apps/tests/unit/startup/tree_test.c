// SPDX-License-Identifier: GPL-3.0-or-later
/* memory: of processes that are there, that have ended, and that are somebody else's. */
#include <sys/wait.h>
#include <unistd.h>

#include "startup/tree.h"
#include "../../../../../tests/unit/unit.h"

#define SIZE ((size_t)8 << 20)

static struct tree tree;

TEST(ours_and_what_has_ended)
{
	struct tree_memory before, after;
	pid_t ended = fork();
	char *room;

	if (!ended)
		_exit(0);
	assert_int_equal(waitpid(ended, NULL, 0), ended);
	tree.n = 2;
	tree.pid[0] = ended;
	tree.pid[1] = getpid();
	tree_read_memory(&tree, &before);
	room = malloc(SIZE);
	assert_non_null(room);
	memset(room, 1, SIZE);
	tree_read_memory(&tree, &after);
	assert_int_equal(room[SIZE / 2], 1);
	free(room);
	assert_true(before.resident_bytes > 0);
	assert_true(after.private_bytes - before.private_bytes >= (int64_t)SIZE * 9 / 10);
	assert_true(after.proportional_bytes - before.proportional_bytes >= (int64_t)(SIZE / 2));
}

/* A part is not told as if it were all. */
TEST(somebody_elses)
{
	pid_t pid;
	int status;

	if (geteuid())
		skip(); /* process 1 may be ours, where we are not root */
	pid = fork();
	if (!pid) {
		struct tree_memory m;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		tree.n = 2;
		tree.pid[0] = getppid();
		tree.pid[1] = 1;
		tree_read_memory(&tree, &m);
		_exit(m.resident_bytes != -1 || m.proportional_bytes != -1 || m.private_bytes != -1 || m.swapped_bytes != -1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
