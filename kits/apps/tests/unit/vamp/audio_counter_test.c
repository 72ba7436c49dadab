// SPDX-License-Identifier: GPL-3.0-or-later
/* audio - wake-ups by hand, averages computed by hand; and lists as pactl 16.1 prints them, shortened. */
#include <errno.h>

#include "../../../../../tests/unit/folder.h"
#include "vamp/audio.h"

#define SERVER 50 /* the process; its threads are 150, 151 */
static struct audio_counts c;

static int clear(void **state)
{
	(void)state;
	memset(&c, 0, sizeof(c));
	return 0;
}

static void wake(int waker_pid, int waker_tid, int woken_tid, bool interrupt)
{
	audio_add_wakeup(&c, SERVER,
			 &(struct audio_wakeup){
				 .waker_pid = waker_pid, .waker_tid = waker_tid, .woken_tid = woken_tid, .interrupt = interrupt });
}

static const struct audio_counter *of(int pid)
{
	for (size_t i = 0; i < c.n; i++)
		if (c.process[i].pid == pid)
			return &c.process[i];
	return NULL;
}

TEST_WITH(clear, NULL, who_woke)
{
	wake(7, 107, 150, false);
	wake(7, 108, 150, false); /* another thread of the same process */
	wake(9, 109, 150, true);  /* an interrupt while 9 ran */
	wake(0, 999, 150, false); /* somebody we cannot see */
	assert_int_equal(of(7)->wakeups, 2);
	assert_null(of(9));
	assert_int_equal(c.n, 1);
}

/* Figure 3: what the server's threads do among themselves is on behalf of who woke the first. */
TEST_WITH(clear, NULL, the_source_is_passed_on)
{
	wake(SERVER, 150, 151, false); /* nobody woke it yet */
	assert_int_equal(c.n, 0);
	wake(7, 107, 150, false);      /* 7: 1 */
	wake(SERVER, 150, 151, false); /* 7: 2 */
	wake(SERVER, 151, 150, false); /* 7: 3 */
	assert_int_equal(of(7)->wakeups, 3);
	wake(9, 109, 150, true); /* from now on on nobody's behalf */
	wake(SERVER, 150, 151, false);
	assert_int_equal(of(7)->wakeups, 3);
	wake(8, 108, 151, false);      /* 8: 1 */
	wake(SERVER, 151, 150, false); /* 8: 2 */
	assert_int_equal(of(8)->wakeups, 2);
	assert_null(of(SERVER));
	/* more threads than there is room for */
	for (int tid = 1000; tid < 1000 + 2 * AUDIO_THREADS; tid++)
		wake(8, 108, tid, false);
	assert_int_equal(of(8)->wakeups, 2 + 2 * AUDIO_THREADS);
}

static void burst(int pid, int n)
{
	while (n-- > 0)
		wake(pid, pid + 100, 150, false);
}

TEST_WITH(clear, NULL, averages)
{
	const int tagged[] = { 8 };

	assert_int_equal(audio_top_waker(&c), 0);
	burst(7, 10);
	burst(8, 24);
	audio_average_counts(&c, NULL, 0);
	assert_near(of(7)->average, 5, 1e-9);
	assert_near(of(8)->average, 12, 1e-9);
	assert_int_equal(of(7)->wakeups, 0);
	assert_int_equal(audio_top_waker(&c), 8);
	/* 8 is tagged twice: first / 1, then / 2 */
	burst(7, 10);
	burst(8, 24);
	audio_average_counts(&c, tagged, 1); /* 7: (5 + 10) / 2, 8: (12 + 24) / 2 */
	assert_near(of(7)->average, 7.5, 1e-9);
	assert_near(of(8)->average, 18, 1e-9);
	burst(7, 10);
	burst(8, 24);
	audio_average_counts(&c, tagged, 1); /* 8: (18 + 24 / 2) / 2 */
	assert_near(of(8)->average, 15, 1e-9);
	assert_int_equal(of(8)->confidence, 2);
	for (int i = 0; i < 20; i++) {
		burst(7, 10);
		burst(8, 24);
		audio_average_counts(&c, tagged, 1);
	}
	assert_int_equal(of(8)->confidence, AUDIO_CONFIDENCE);
	assert_near(of(8)->average, 2.4, 0.01); /* 24 / 10 */
	assert_near(of(7)->average, 10, 0.01);
	assert_int_equal(audio_top_waker(&c), 7);
	/* no longer tagged: the confidence goes as it came */
	for (int i = 0; i < 4; i++)
		audio_average_counts(&c, NULL, 0);
	assert_int_equal(of(8)->confidence, AUDIO_CONFIDENCE - 4);
}

TEST_WITH(clear, NULL, what_is_left_of_nobody)
{
	const int tagged[] = { 8 };

	burst(7, 1);
	audio_average_counts(&c, tagged, 1);
	assert_int_equal(of(8)->confidence, 1);	  /* tagged without a wake-up: remembered for later ones */
	assert_int_equal(audio_top_waker(&c), 0); /* 0.5: not one */
	audio_average_counts(&c, NULL, 0);
	assert_null(of(8));
	for (int i = 0; i < 10; i++)
		audio_average_counts(&c, NULL, 0);
	assert_int_equal(c.n, 0);
	for (int pid = 1; pid <= AUDIO_PROCESSES + 100; pid++)
		burst(pid + 1000, 1);
	assert_int_equal(c.n, AUDIO_PROCESSES);
}

/* --- lists --- */

static int read_text(const char *text, struct audio_streams *out)
{
	put("list", text);
	return audio_parse_streams(in_folder("list"), out);
}

static const char four[] =
	"[{\"index\":3,\"client\":\"2\",\"corked\":false,\"balance\":0.00,\"properties\":{\"application.name\":\"a\","
	"\"application.process.id\":\"14316\"}},"
	"{\"index\":4,\"corked\":true,\"properties\":{\"application.process.id\":\"77\"}},"
	"{\"index\":5,\"corked\":false,\"properties\":{\"media.name\":\"], \\\"application.process.id\\\": \\\"78\\\"\"}},"
	"{\"index\":6,\"corked\":false,\"properties\":{\"application.process.id\":\"-3\"}}]";

TEST_WITH(make_folder, remove_folder, those_that_play)
{
	struct audio_streams l;

	assert_int_equal(read_text(four, &l), 0);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.stream[0].index, 3);
	assert_int_equal(l.stream[0].pid, 14316);
	assert_int_equal(l.stream[1].pid, 0);
	assert_int_equal(l.stream[2].pid, 0);
	assert_true(audio_has_pid(&l, 14316));
	assert_false(audio_has_pid(&l, 77) || audio_has_pid(&l, 78));
	assert_int_equal(read_text("[]", &l), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(read_text("", &l), -EPROTO);
	assert_int_equal(read_text("Connection failure", &l), -EPROTO);
}

TEST_WITH(make_folder, remove_folder, more_than_there_is_room_for)
{
	static char text[8192] = "[";
	struct audio_streams l;

	for (int i = 0; i < 100; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s{\"index\":%d,\"corked\":false}", i ? "," : "", i);
	assert_int_equal(read_text(strcat(text, "]"), &l), 0);
	assert_int_equal(l.n, AUDIO_STREAMS);
}

TEST(a_start)
{
	struct audio_streams before = { .n = 2, .stream = { { 3, 10 }, { 5, 10 } } };
	struct audio_streams now = { .n = 1, .stream = { { 5, 10 } } };

	assert_false(audio_has_new(&before, &now));
	assert_true(audio_has_new(&now, &before));
	now.stream[0].index = 6; /* the same process, another stream */
	assert_true(audio_has_new(&before, &now));
	now.n = 0;
	assert_false(audio_has_new(&before, &now));
}
