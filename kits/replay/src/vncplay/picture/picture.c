// SPDX-License-Identifier: GPL-3.0-or-later
/* picture - the command: the screen of a replay at a moment, with a frame around what has changed since an earlier one. */
#include "area.h"
#include "clock.h"
#include "cli.h"
#include "rec.h"
#include "vncplay/commands.h"
#include "vncplay/common/fbs.h"
#include "vncplay/common/replay.h"

#include <errno.h>
#include <string.h>

#define FRAME_SIDE 2 /* pixels */
#define FRAME_COLOUR 0xff0000
#define LONGEST_NS (30 * 86400 * 1e9)

static int64_t at_ns = -1, since_ns = -1;

static const struct cli_opt options[] = {
	{ CLI_NS, 0, "at", &at_ns, 0, LONGEST_NS, .help = "time since the log began (the end)" },
	{ CLI_NS, 0, "since", &since_ns, 0, LONGEST_NS, .help = "frame all that differs from the screen at this time (none)" },
	{ .type = CLI_END },
};

struct shown_moment {
	int64_t ms;
	struct screen screen; /* as it was then; without pixels until it is known */
};

struct shown_moments {
	struct shown_moment now, before;
	bool at_end; /* `now` is of the log's end */
	int err;
};

static int keep_moment(struct shown_moment *m, const struct screen *s, uint32_t next_ms)
{
	int err;

	if (m->ms < 0 || m->screen.pixels || !s->pixels || next_ms <= m->ms)
		return 0;
	err = screen_resize(&m->screen, s->width, s->height);
	if (!err)
		memcpy(m->screen.pixels, s->pixels, (size_t)s->width * (size_t)s->height * sizeof(*s->pixels));
	return err;
}

static void on_block(void *whose, const struct screen *s, uint32_t next_ms)
{
	struct shown_moments *m = whose;

	if (!m->err)
		m->err = keep_moment(&m->before, s, next_ms);
	m->at_end = next_ms == UINT32_MAX && !m->now.screen.pixels;
	if (!m->err)
		m->err = keep_moment(&m->now, s, next_ms);
}

static void frame_changes(struct screen *s, const struct screen *before)
{
	struct pixel_area inner = { 0 }, all = { 0, 0, s->width, s->height }, outer;

	for (int y = 0; y < s->height; y++)
		for (int x = 0; x < s->width; x++)
			if (screen_pixel(s, x, y) != screen_pixel(before, x, y))
				area_include(&inner, &(struct pixel_area){ x, y, 1, 1 });
	if (area_is_empty(&inner))
		return;
	outer = (struct pixel_area){ inner.x - FRAME_SIDE, inner.y - FRAME_SIDE, inner.w + 2 * FRAME_SIDE,
				     inner.h + 2 * FRAME_SIDE };
	outer = area_intersect(&outer, &all);
	for (int y = outer.y; y < outer.y + outer.h; y++)
		for (int x = outer.x; x < outer.x + outer.w; x++)
			if (x < inner.x || x >= inner.x + inner.w || y < inner.y || y >= inner.y + inner.h)
				s->pixels[(size_t)y * (size_t)s->width + (size_t)x] = FRAME_COLOUR;
}

int vncplay_picture(int argc, char **argv)
{
	static const struct rfb_event_callbacks events = { 0 };
	int first = cli_parse(argc, argv, "vncplay picture LOG OUT.ppm [options]",
			      "Writes the screen of a replay at a given time as a picture.", options);
	struct shown_moments m = { .before.ms = -1 };
	struct fbs_reader *log;
	const char *why;
	bool cut;
	int err;

	if (argc - first < 2)
		die_usage("picture of what? LOG OUT.ppm");
	cli_refuse_operands(argc, argv, first + 2);
	rec_refuse_output_of_input(&(struct rec_output_path){ "OUT.ppm", argv[first + 1] }, 1, argv[first]);
	log = fbs_open(argv[first], &why);
	if (!log)
		die(EXIT_RUN, "%s: %s", argv[first], why ? why : strerror(errno));
	fbs_close(log);
	m.now.ms = at_ns < 0 ? UINT32_MAX - 1 : at_ns / NS_PER_MS;
	if (since_ns >= 0)
		m.before.ms = since_ns / NS_PER_MS;
	err = replay_decode(argv[first], &events, &m, on_block, &cut);
	err = err ? err : m.err;
	if (err)
		die(EXIT_RUN, "cannot decode %s: %s", argv[first], strerror(-err));
	if (!m.now.screen.pixels)
		die(EXIT_RUN, "%s: it ends before the server has shown a screen", argv[first]);
	if (m.before.screen.pixels)
		frame_changes(&m.now.screen, &m.before.screen);
	err = screen_write(&m.now.screen, argv[first + 1]);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", argv[first + 1], strerror(-err));
	screen_free(&m.now.screen);
	screen_free(&m.before.screen);
	if (cut && m.at_end)
		warn("%s breaks off before that moment: the picture is of its last one", argv[first]);
	return cut && m.at_end ? EXIT_LOSSY : EXIT_OK;
}
