// SPDX-License-Identifier: GPL-3.0-or-later
/* timeline: samples from files written by hand, and what a thread of its own makes of a process that is there. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "clock.h"
#include "pagein/pagein.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

static void put_below(const char *path, const char *words)
{
	for (const char *p = path; (p = strchr(p, '/')); p++) {
		char above[100];

		snprintf(above, sizeof(above), "%.*s", (int)(p - path), path);
		mkdir(in_folder(above), 0700);
	}
	put(path, words);
}

TEST(sums_of_processes_and_a_group)
{
	static const pid_t pid[] = { 7, 8, 9 };
	char group[512], proc[512];
	struct timeline_cfg cfg = { .pid = pid, .pids = 3, .group = group };
	struct timeline_sample s;

	put_below("proc/7/status", "Name:\tVmSwap:\nVmRSS:\t    1000 kB\nRssAnon:\t 1 kB\nRssFile:\t 300 kB\nVmSwap:\t 20 kB\n");
	put_below("proc/7/stat", "7 (a) b) S 1 2 3 4 5 6 70 8 90 10 0 0 0 0 20 0 1 0 99 0\n"); /* minflt 70, majflt 90 */
	put_below("proc/8/status", "VmRSS:\t2000 kB\nRssFile:\t0 kB\nVmSwap:\t4000 kB\n");
	put_below("proc/8/stat", "8 (x) S 1 2 3 4 -1 6 1 8 2 10 0 0 0 0 20 0 1 0 99 0\n");
	put_below("v1/memory.usage_in_bytes", "123456\n");
	put_below("v1/memory.stat", "cache 5\nswap 3\ntotal_cache 5\ntotal_swap 777\npgmajfault 1\ntotal_pgmajfault 55\n");
	snprintf(group, sizeof(group), "%s/v1", folder);
	snprintf(proc, sizeof(proc), "%s/proc", folder);
	timeline_take_sample(&cfg, proc, &s);
	assert_int_equal(s.resident, 3000 * 1024);
	assert_int_equal(s.file, 300 * 1024);
	assert_int_equal(s.swap, 4020 * 1024);
	assert_int_equal(s.minor, 71);
	assert_int_equal(s.major, 92);
	assert_int_equal(s.group, 123456);
	assert_int_equal(s.group_swap, 777);
	assert_int_equal(s.group_major, 55);
	put_below("v2/memory.current", "999\n");
	put_below("v2/memory.swap.current", "0\n");
	put_below("v2/memory.stat", "anon 4\npgmajfault 66\n");
	snprintf(group, sizeof(group), "%s/v2", folder);
	timeline_take_sample(&cfg, proc, &s);
	assert_int_equal(s.group, 999);
	assert_int_equal(s.group_swap, 0);
	assert_int_equal(s.group_major, 66);
	snprintf(group, sizeof(group), "%s/none", folder);
	timeline_take_sample(&cfg, proc, &s);
	assert_int_equal(s.group, -1);
	assert_int_equal(s.group_swap, -1);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

/* Until the sampler has written a row that it began after now. Rows come to the file many at a time, when the buffer is full: the
 * first row of one such lot may be older, the last of the next one is not. */
static void wait_for_a_row(const char *path)
{
	for (int lots = 0; lots < 2; lots++)
		for (off_t before = size_of(path); size_of(path) == before;)
			clock_sleep(clock_now() + NS_PER_MS);
}

/* 8 MB are taken meanwhile: the last row has them, the first has not. */
TEST(a_table_over_time)
{
	char path[512], line[512];
	long long at, resident = 0, from = 0, before = 0, rows = 0;
	pid_t self = getpid();
	struct timeline_cfg cfg = { .path = path, .pid = &self, .pids = 1, .period_ns = NS_PER_MS };
	struct timeline *t;
	char *memory;
	FILE *f;

	snprintf(path, sizeof(path), "%s/table.tsv", folder);
	t = timeline_start(&cfg);
	assert_non_null(t);
	wait_for_a_row(path);
	memory = malloc(8 << 20);
	assert_non_null(memory);
	memset(memory, 1, 8 << 20);
	wait_for_a_row(path);
	assert_int_equal(timeline_stop(t), 0);
	assert_int_equal(memory[4096], 1);
	free(memory);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "schema\ttime_ns\tresident_bytes\tfile_bytes\tswap_bytes\tmajor_faults\tminor_faults\t"
				  "group_bytes\tgroup_swap_bytes\tgroup_major_faults\n");
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "timeline/1\t%lld\t%lld\t", &at, &resident), 2);
		assert_true(at > before);
		before = at;
		if (!rows++)
			from = resident;
	}
	fclose(f);
	assert_true(rows >= 2);
	assert_true(resident - from > 6 << 20);
}

static atomic_int heard;

static void hear(int signal)
{
	(void)signal;
	atomic_store(&heard, 1);
}

/* A signal that came just before a wait would not end it, had the sampler taken it. */
TEST(signals_are_left_to_who_waits_for_them)
{
	char path[512];
	pid_t self = getpid();
	struct timeline_cfg cfg = { .path = path, .pid = &self, .pids = 1, .period_ns = NS_PER_MS };
	struct timeline *t;
	sigset_t term;

	snprintf(path, sizeof(path), "%s/signals.tsv", folder);
	signal(SIGTERM, hear);
	t = timeline_start(&cfg);
	assert_non_null(t);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &term, NULL), 0);
	assert_int_equal(kill(self, SIGTERM), 0);
	clock_sleep(clock_now() + 30 * NS_PER_MS);
	assert_int_equal(atomic_load(&heard), 0);
	assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &term, NULL), 0);
	assert_int_equal(atomic_load(&heard), 1);
	signal(SIGTERM, SIG_DFL);
	assert_int_equal(timeline_stop(t), 0);
}

TEST(a_path_that_cannot_be_written)
{
	struct timeline_cfg cfg = { .path = "/nowhere/table.tsv", .period_ns = NS_PER_MS };

	assert_null(timeline_start(&cfg));
	assert_int_equal(timeline_stop(NULL), 0);
}
