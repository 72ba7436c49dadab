// SPDX-License-Identifier: GPL-3.0-or-later
/* Waiting for a snapshot, with a clock of our own. */
#include "vncplay/play/play.h"

#include "clock.h"
#include "../../../../../tests/unit/unit.h"

#define MS NS_PER_MS
#define W 64
#define H 48

static uint32_t pixels[W * H], shot_pixels[11 * 11];
static struct screen screen = { W, H, pixels };
static struct trace_event shot = { .kind = TRACE_SNAPSHOT, .box = { 20, 20, 11, 11 }, .pixels = shot_pixels };
static const struct snapshot_wait_cfg plain = { .match = { .tolerance = 8, .share = 3 },
						.timeout_ns = 5000 * MS,
						.settle_ns = 50 * MS,
						.patience_ns = 1000 * MS,
						.wiggle_ns = 300 * MS,
						.wiggle_each_ns = 1000 * MS };

static struct snapshot_wait a;
static bool drawn; /* the server may draw the pointer, at 25,25 */

static void blank(void)
{
	memset(pixels, 0, sizeof(pixels));
}

/* A button with a cross on it. */
static uint32_t button(int i, int j)
{
	return i == j || i + j == 10 || (j < 2 && i < 7) ? 0xffffff : 0x606060;
}

static void show(int x, int y)
{
	for (int j = 0; j < 11; j++)
		for (int i = 0; i < 11; i++)
			pixels[(y + j) * W + x + i] = button(i, j);
}

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 121; i++)
		shot_pixels[i] = button(i % 11, i / 11);
	blank();
	drawn = false;
	return 0;
}

static void begin(const struct snapshot_wait_cfg *cfg, bool may_wiggle)
{
	snapshot_wait_begin(&a, cfg, &shot, false, 0, 0);
	a.may_wiggle = may_wiggle;
}

/* Does what the words say, one after the other, times in ms:
 *	due:MS		show:X,Y	draw:X,Y, paint		(the same, painted unseen, and said)	blank
 *	MS=WORD		at that time it says this
 *	MS=WORD>MS	and when it wants to be asked again		MS=WORD@X,Y	with this displacement */
static void plays(const char *script)
{
	static const char *const words[] = { "wait", "ok", "out", "back", "there", "timeout" };
	char text[400], *rest = text;

	strcpy(text, script);
	for (char *word; (word = strtok_r(rest, " ", &rest));) {
		long ms, wake_ms, x, y;
		char says[20], mark = ' ';
		int64_t wake;

		if (sscanf(word, "due:%ld", &ms) == 1) {
			snapshot_wait_set_due(&a, ms * MS);
		} else if (sscanf(word, "%*4[showdra]:%ld,%ld", &x, &y) == 2) {
			show((int)x, (int)y);
		} else if (!strcmp(word, "blank")) {
			blank();
		} else if (strcmp(word, "paint") != 0) {
			assert_in_range(sscanf(word, "%ld=%19[a-z]%c", &ms, says, &mark), 2, 3);
			assert_string_equal(words[snapshot_wait_step(&a, &screen, ms * MS, 25, 25, drawn, &wake)], says);
			if (mark == '>' && sscanf(strchr(word, '>'), ">%ld", &wake_ms) == 1)
				assert_int_equal(wake, wake_ms * MS);
			if (mark == '@' && sscanf(strchr(word, '@'), "@%ld,%ld", &x, &y) == 2)
				assert_true(a.dx == x && a.dy == y);
		}
		if (strchr("spb", *word))
			snapshot_wait_note_painted(&a, (struct pixel_area){ 0, 0, W, H });
	}
}

TEST_WITH(set_up, NULL, test_there_before_it_is_due)
{
	begin(&plain, true);
	plays("show:20,20 1000=wait due:2000 2000=ok");
	assert_int_equal(a.seen.mismatched, 0);
	assert_int_equal(a.seen.of, 121);
}

/* Nobody says at 1100 that something was painted; at 1140 there is a picture in between. */
TEST_WITH(set_up, NULL, test_late_and_settled)
{
	begin(&plain, true);
	plays("due:1000 1000=wait>1300 draw:20,20 1100=wait paint 1100=wait>1150 blank 1140=wait>1300 show:20,20 1200=wait 1249=wait "
	      "1250=ok");
}

TEST_WITH(set_up, NULL, test_wiggles_and_gives_up)
{
	begin(&plain, true);
	plays("due:1000 1000=wait>1300 1300=out 1300=wait>1320 1320=back 1320=wait>2320 2320=out 2340=back 3340=out 3360=back "
	      "4360=out 4380=back 5380=out 5400=back 5400=wait>6000 6000=timeout");
}

/* Back first, and what the pointer's way back changes on the screen is waited for. */
TEST_WITH(set_up, NULL, test_matches_while_the_pointer_is_out)
{
	begin(&plain, true);
	plays("due:0 300=out show:20,20 305=back 305=wait>355 355=ok");
}

/* Found after patience; when there are two of them, its own place is the better one. */
TEST_WITH(set_up, NULL, test_moved)
{
	struct snapshot_wait_cfg cfg = plain;

	cfg.radius = 24;
	begin(&cfg, false);
	plays("show:35,12 due:0 0=wait>1000 1000=there@15,-8 1001=wait 1050=ok@15,-8 show:20,20 1060=wait 1110=ok@0,0");
}

/* A drag of what had moved: only where it was found can its end be seen. */
TEST_WITH(set_up, NULL, test_held)
{
	snapshot_wait_begin(&a, &plain, &shot, true, 15, -8);
	plays("show:20,20 due:0 0=wait 60=wait show:35,12 100=wait 150=ok@15,-8");
}

TEST_WITH(set_up, NULL, test_pointer_in_the_picture)
{
	struct snapshot_wait_cfg cfg = plain;

	show(20, 20);
	for (int j = 25; j < 31; j++) /* drawn by the server, right of and below the spot at 25,25 */
		for (int i = 25; i < 25 + (31 - j); i++)
			pixels[j * W + i] = 0x00ff00;
	drawn = true;
	begin(&cfg, false);
	plays("due:0 900=wait>1000 1000=wait 1050=ok");
	assert_true(a.pointer_masked);
	assert_true(a.seen.of >= 121 / 2); /* the rest still has to be right */
	drawn = false;			   /* a server that sends a shape does not draw it */
	begin(&cfg, false);
	plays("due:0 1000=wait 4000=wait");
	drawn = true;
	cfg.pointer = AWAIT_POINTER_NEVER;
	begin(&cfg, false);
	plays("due:0 4000=wait");
}
