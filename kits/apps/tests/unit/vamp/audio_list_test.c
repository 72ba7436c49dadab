// SPDX-License-Identifier: GPL-3.0-or-later
/* audio_list - lists as pactl 16.1 prints them, shortened. */
#include <errno.h>

#include "vamp/audio.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"

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

TEST(those_that_play)
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

TEST(more_than_there_is_room_for)
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
