// SPDX-License-Identifier: GPL-3.0-or-later
/* viewing - updates of a screen of four pixels: which of them answer a request, and which no request awaited. */
#include "clock.h"
#include "vusers/viewing.h"

#include <sys/socket.h>
#include <unistd.h>
#include "../../../../../tests/unit/unit.h"

#define MS NS_PER_MS
#define ANSWERED (1000 * MS)

static uint32_t pixels[4];
static struct viewer_seen seen;

static void draw(struct viewer *v, int64_t at_ns)
{
	pixels[0]++;
	viewing_note_pixels(v, 0, 0, 2, 2);
	viewing_end_update(v, at_ns);
}

/* A viewer whose first picture has come. */
static struct viewer begin(int talk[static 2])
{
	static const struct viewer_kind kind;
	struct viewer v = { .cfg.kind = &kind, .seen = &seen, .picture = { .at = pixels }, .width = 2, .height = 2 };

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, talk), 0);
	memset(&seen, 0, sizeof(seen));
	v.talk = talk[0];
	draw(&v, MS);
	return v;
}

static void end(struct viewer *v, const int talk[static 2])
{
	free(v->before);
	close(talk[0]);
	close(talk[1]);
}

TEST(a_change_that_no_request_awaited_is_counted_once)
{
	int talk[2];
	struct viewer v = begin(talk);

	viewer_expect_answer(&v);
	draw(&v, ANSWERED);
	assert_int_equal(viewer_take_unasked(&v), 0);
	for (int i = 1; i <= 5; i++) /* another client types every 100 ms */
		draw(&v, ANSWERED + i * 100 * MS);
	assert_int_equal(viewer_take_unasked(&v), 5);
	assert_int_equal(viewer_take_unasked(&v), 0);
	viewer_expect_answer(&v);
	draw(&v, ANSWERED + 600 * MS); /* awaited */
	assert_int_equal(viewer_take_unasked(&v), 0);
	end(&v, talk);
}

TEST(the_rest_of_an_answer_and_the_begin_of_a_session_do_not_count)
{
	int talk[2];
	struct viewer v = begin(talk);

	for (int i = 2; i < 900; i += 100) /* a desktop that starts */
		draw(&v, i * MS);
	viewer_expect_answer(&v);
	draw(&v, ANSWERED);
	draw(&v, ANSWERED + 10 * MS); /* the caret after the letter */
	draw(&v, ANSWERED + 40 * MS);
	assert_int_equal(viewer_take_unasked(&v), 0);
	end(&v, talk);
}

TEST(unchanged_pixels_do_not_count)
{
	int talk[2];
	struct viewer v = begin(talk);

	viewer_expect_answer(&v);
	draw(&v, ANSWERED);
	viewing_note_pixels(&v, 0, 0, 2, 2);
	viewing_end_update(&v, ANSWERED + 300 * MS);
	assert_int_equal(viewer_take_unasked(&v), 0);
	end(&v, talk);
}
