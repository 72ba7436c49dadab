// SPDX-License-Identifier: GPL-3.0-or-later
/* traffic, replay, drop_cache, tree - texts of the kernel as its documentation has them, and sizes of requests by hand;
 * and memory of processes that are there, that have ended, and that are somebody else's. */
#include <sys/wait.h>
#include <unistd.h>

#include "startup/drop_cache.h"
#include "startup/replay.h"
#include "startup/traffic.h"
#include "startup/tree.h"
#include "../../../../../tests/unit/folder.h"

TEST(a_device_counts_sectors_of_512_bytes)
{
	struct traffic_counts c;

	/* read I/Os, read merges, read sectors, read ticks, write I/Os, write merges, write sectors, ... */
	assert_true(traffic_parse_device(
		"   446216   784926  9550688  4382310   893317  1023  10246592  9200  0  2447750 6885290\n", &c));
	assert_int_equal(c.reads, 446216);
	assert_int_equal(c.read_bytes, 9550688LL * 512);
	assert_int_equal(c.writes, 893317);
	assert_int_equal(c.write_bytes, 10246592LL * 512);
	assert_false(traffic_parse_device("12 13\n", &c));
}

TEST_WITH(make_folder, remove_folder, the_total_of_all_groups_below_counts_where_there_is_one)
{
	struct traffic_total t[] = { { "total_pswpin", 0 }, { "total_pswpout", 7 }, { "total_swap", 7 } };

	put("memory.stat", "pswpinx 3\npswpin 17\npswpout 0\ntotal_pswpin 29\n");
	traffic_read_totals(in_folder("memory.stat"), t, 3);
	assert_int_equal(t[0].value, 29);
	assert_int_equal(t[1].value, 0);
	assert_int_equal(t[2].value, -1);
}

TEST(what_moved_counts_until_a_time)
{
	struct traffic_step step[] = {
		{ 10, { 2, 8192, 0, 0 } },
		{ 20, { 1, 4096, 3, 30000 } },
		{ 30, { 5, 50000, 0, 0 } },
	};
	struct traffic t = { .step = step, .n = 3 };
	struct traffic_counts c;

	traffic_sum(&t, 20, &c);
	assert_int_equal(c.reads, 3);
	assert_int_equal(c.read_bytes, 12288);
	assert_int_equal(c.writes, 3);
	assert_int_equal(c.write_bytes, 30000);
	t.begin.reads = t.begin.writes = -1; /* pages only */
	traffic_sum(&t, 30, &c);
	assert_int_equal(c.reads, -1);
	assert_int_equal(c.read_bytes, 62288);
}

TEST(sizes_are_whole_blocks_and_add_up)
{
	int64_t sum = 0;

	assert_int_equal(replay_request_bytes(0, 1, 4096), 4096);
	assert_int_equal(replay_request_bytes(0, 1, 5000), 8192);
	/* 10 blocks in 4 requests */
	assert_int_equal(replay_request_bytes(0, 4, 40960), 12288);
	assert_int_equal(replay_request_bytes(1, 4, 40960), 12288);
	assert_int_equal(replay_request_bytes(2, 4, 40960), 8192);
	assert_int_equal(replay_request_bytes(3, 4, 40960), 8192);
	for (int64_t i = 0; i < 7; i++)
		sum += replay_request_bytes(i, 7, 123456);
	assert_int_equal(sum, (123456 + 4095) / 4096 * 4096);
}

TEST(pages_alone_make_requests_of_eight)
{
	assert_int_equal(replay_count_requests(5, 40960), 5);
	assert_int_equal(replay_count_requests(-1, 65536), 2);
	assert_int_equal(replay_count_requests(-1, 65537), 3);
	assert_int_equal(replay_count_requests(-1, 4096), 1);
	assert_int_equal(replay_count_requests(7, 0), 0);
	assert_int_equal(replay_count_requests(0, 4096), 1);
}

TEST(only_files_that_can_be_dropped)
{
	char library[] = "7f00-7f01 r-xp 00000000 fe:01 1234                       /usr/lib/a b.so\n";
	char stack[] = "7ffc-7ffd rw-p 00000000 00:00 0                          [stack]\n";
	char none[] = "7ffc-7ffd rw-p 00000000 00:00 0 \n";
	char shared[] = "7ffc-7ffd rw-s 00000000 00:01 5                          /SYSV00000000 (deleted)\n";
	char gone[] = "7f00-7f01 r-xp 00000000 fe:01 1234                       /tmp/x (deleted)\n";
	char device[] = "7f00-7f01 rw-s 00000000 00:06 12                         /dev/zero\n";

	assert_string_equal(file_set_mapped_path(library), "/usr/lib/a b.so");
	assert_null(file_set_mapped_path(stack));
	assert_null(file_set_mapped_path(none));
	assert_null(file_set_mapped_path(shared));
	assert_null(file_set_mapped_path(gone));
	assert_null(file_set_mapped_path(device));
}

/* --- memory --- */

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
