// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay.h"
#include "fbs.h"
#include "memory.h"

#include <errno.h>

static void on_resized(void *whose, int width, int height)
{
	struct replay *r = whose;

	r->width = width;
	r->height = height;
	r->resizes++;
	tilelog_resize(&r->tiles, width, height);
}

static void on_painted(void *whose, struct pixel_area box)
{
	struct replay *r = whose;

	tilelog_mark_dirty(&r->tiles, area_clip(box, r->width, r->height));
}

static void mark_cut(struct replay *r, const char *why)
{
	if (!r->cut)
		why_say(&r->why, "%s", why);
	r->cut = true;
}

struct block_clock {
	uint64_t bytes; /* of the log so far */
	size_t arrival; /* the one of the last block */
	size_t presses; /* stimuli until the last block */
};

/* When the block arrived, in us: its arrival by the side file, or its own time, rounded down to ms. */
static int64_t block_time(struct replay *r, struct block_clock *c, const struct fbs_block *block)
{
	const struct sent_inputs *in = &r->inputs;

	c->bytes += block->n;
	while (c->arrival < in->n_arrivals && in->arrival[c->arrival].end < c->bytes)
		c->arrival++;
	/* (a side file that was cut, or of another log) */
	r->exact = r->exact && c->arrival < in->n_arrivals && in->arrival[c->arrival].at_us / 1000 == block->ms;
	return r->exact ? in->arrival[c->arrival].at_us : block->ms * INT64_C(1000);
}

/* Whether an input was sent after the block before and before this one, which came at `us`. */
static bool follows_press(const struct replay *r, struct block_clock *c, int64_t us)
{
	size_t before = c->presses;

	while (c->presses < r->stimuli && r->stimulus[c->presses].press_us <= us)
		c->presses++;
	return c->presses > before;
}

/* Feeds the log to the decoder; all blocks of one millisecond, unless an input was sent meanwhile, are compared once. */
static int decode_blocks(struct replay *r, struct fbs_reader *log, struct rfb_decoder *rfb)
{
	struct block_clock clock = { 0 };
	struct fbs_block block;
	int64_t us = 0, at;
	bool pressed;
	int more, err = 0;

	r->exact = r->inputs.n_arrivals > 0;
	while ((more = fbs_next_block(log, &block)) > 0 && !err) {
		at = block_time(r, &clock, &block);
		pressed = follows_press(r, &clock, at);
		if ((at / 1000 > us / 1000 || pressed) && at > us) {
			if (rfb_state(rfb)->greeted)
				tilelog_compare(&r->tiles, &rfb_state(rfb)->screen, us);
			us = at; /* times never decrease, even if the clock was set back */
		}
		err = rfb_decode_bytes(rfb, block.bytes, block.n);
	}
	if (more < 0 && !err && rfb_state(rfb)->greeted)
		mark_cut(r, "the log ends inside of a block");
	if (rfb_state(rfb)->greeted)
		tilelog_compare(&r->tiles, &rfb_state(rfb)->screen, us);
	if (r->total_ms < us / 1000)
		r->total_ms = (uint32_t)(us / 1000);
	if (err == -EPROTO && rfb_state(rfb)->greeted) {
		mark_cut(r, rfb_state(rfb)->why);
		err = 0;
	}
	return err;
}

static int read_fbs_log(struct replay *r, struct fbs_reader *log)
{
	static const struct rfb_event_callbacks events = { .resized = on_resized, .painted = on_painted };
	struct rfb_decoder *rfb = rfb_decoder_open(&events, r, NULL, 0, 0);
	int err = rfb ? decode_blocks(r, log, rfb) : -ENOMEM;

	r->bytes = fbs_file_size(log);
	if (!err && !rfb_state(rfb)->greeted)
		err = -EPROTO;
	if (err)
		why_say(&r->why, "%s",
			err != -EPROTO	       ? strerror(-err)
			: *rfb_state(rfb)->why ? rfb_state(rfb)->why
					       : "it ends before the server has said how large its screen is");
	if (rfb)
		r->updates = rfb_state(rfb)->updates;
	rfb_decoder_free(rfb);
	return err;
}

static void collect_moves(struct replay *r)
{
	r->move = memory_new(r->inputs.n, sizeof(*r->move));
	for (size_t i = 0; i < r->inputs.n; i++)
		if (r->inputs.input[i].kind == TRACE_MOVE)
			r->move[r->moves++] = r->inputs.input[i];
}

/* When the pointer moves before the first press, inserts a stimulus for that movement, so that changes before the press have a
 * cause. */
static void insert_first_move(struct replay *r)
{
	if (!r->moves || (r->stimuli && r->stimulus[0].press_us <= r->move[0].at_us))
		return;
	r->stimulus = must_alloc(reallocarray(r->stimulus, r->stimuli + 1, sizeof(*r->stimulus)));
	memmove(r->stimulus + 1, r->stimulus, r->stimuli++ * sizeof(*r->stimulus));
	r->stimulus[0] = (struct stimulus){ STIMULUS_MOVE, r->move[0].n, r->move[0].at_us, -1 };
}

static int read_side_file(struct replay *r)
{
	char path[4096];
	FILE *in;
	int err;

	if (snprintf(path, sizeof(path), "%s%s", r->aux ? r->aux : r->file, r->aux ? "" : ".aux") >= (int)sizeof(path))
		return -ENAMETOOLONG;
	in = fopen(path, "re");
	if (!in)
		return why_fail(-errno, &r->why, "cannot read the side file %.120s: %s; it lies beside its log", path,
				strerror(errno));
	err = sent_inputs_read(in, &r->inputs);
	fclose(in);
	if (err)
		return why_fail(err, &r->why, "%.150s: %s", path, err == -EPROTO ? "no line of a side file in it" : strerror(-err));
	r->stimulus = stimuli_make(&r->inputs, &r->stimuli);
	collect_moves(r);
	insert_first_move(r);
	if (r->inputs.end_us / 1000 > r->total_ms && r->inputs.end_us / 1000 < UINT32_MAX)
		r->total_ms = (uint32_t)(r->inputs.end_us / 1000);
	if (r->inputs.cut)
		mark_cut(r, "the side file ends inside of a line, or its times go back");
	return 0;
}

int replay_read(struct replay *r)
{
	const char *why;
	/* opened first: if this is no log, a missing side file is not the error to report */
	struct fbs_reader *log = fbs_open(r->file, &why);
	int err;

	if (!log)
		return why_fail(why ? -EPROTO : -errno, &r->why, "%s", why ? why : strerror(errno));
	err = read_side_file(r);
	if (!err)
		err = read_fbs_log(r, log);
	fbs_close(log);
	return err;
}

bool replay_is_partial(const struct replay *r)
{
	/* (in 2005, side files had no status) */
	return r->inputs.status[0] ? strcmp(r->inputs.status, "complete") != 0 : !r->inputs.old;
}

void replay_free(struct replay *r)
{
	tilelog_free(&r->tiles);
	sent_inputs_free(&r->inputs);
	free(r->stimulus);
	free(r->move);
	r->stimulus = NULL;
	r->move = NULL;
}

int replay_decode(const char *file, const struct rfb_event_callbacks *events, void *whose,
		  void (*before)(void *whose, const struct screen *s, uint32_t ms), bool *cut)
{
	struct rfb_decoder *rfb = rfb_decoder_open(events, whose, NULL, 0, 0);
	const char *why;
	struct fbs_reader *log = rfb ? fbs_open(file, &why) : NULL;
	int err = log ? 0 : errno ? -errno : -EIO, more = 0;
	struct fbs_block block;

	while (log && !err && (more = fbs_next_block(log, &block)) > 0) {
		before(whose, &rfb_state(rfb)->screen, block.ms);
		err = rfb_decode_bytes(rfb, block.bytes, block.n);
	}
	if (cut)
		*cut = err || more != 0;
	if (err == -EPROTO && log) /* what could be decoded is there */
		err = 0;
	if (log) {
		before(whose, &rfb_state(rfb)->screen, UINT32_MAX);
		fbs_close(log);
	}
	rfb_decoder_free(rfb);
	return err;
}
