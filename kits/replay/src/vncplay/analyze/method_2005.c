// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>

#define SLACK_MS 500
#define SYNCS 2		/* snapshots before and after a frame between which a run is searched for it */
#define SET 0xff000000u /* bits of painted pixels; a pixel that was never painted is 0 */

struct searched_frame { /* a frame of the first run, to be found in all runs */
	uint32_t ms;
	int32_t low, centre, high; /* snapshots so far: 500 ms before the frame, at the frame, 500 ms after it */
	uint32_t *pixels;
};

struct best_match { /* the best match of a frame in one run */
	int64_t low_ms, centre_ms, high_ms;
	int64_t equal; /* pixels of the present screen that equal the frame; -1: not counted yet */
	int64_t best;
	uint32_t best_ms;
};

struct frame_scan {
	const struct method_2005_cfg *cfg;
	const struct screen *screen; /* so far */
	uint32_t ms;
	int width, height;	  /* of the reduced screen */
	uint32_t *now, *analysed; /* pixels */
	uint32_t shown_ms;	  /* when the screen last changed, ms since the log began */
	bool changed;
	struct searched_frame *frame;
	size_t n;
	const struct replay *first;
	struct best_match *found; /* NULL: the first pass, which collects frames */
};

/* --- times of snapshots: number 0 is before all, one more than their number is after all --- */

static int32_t count_snapshots(const struct replay *r, int64_t ms)
{
	int32_t i = 0;

	if (ms < 0)
		return -1;
	while ((size_t)i < r->inputs.n_syncs && (int64_t)r->inputs.sync_ms[i] <= ms)
		i++;
	return i;
}

static int64_t snapshot_time_ms(const struct replay *r, int32_t n)
{
	if (n <= 0)
		return 0;
	return (size_t)n > r->inputs.n_syncs ? INT32_MAX : (int64_t)r->inputs.sync_ms[n - 1];
}

static size_t count_pixels(const struct frame_scan *s)
{
	return (size_t)s->width * (size_t)s->height;
}

static void add_changed_frame(struct frame_scan *s)
{
	size_t equal = 0, all = count_pixels(s);
	struct searched_frame *f;

	if (s->n) {
		for (size_t i = 0; i < all; i++)
			equal += s->now[i] == s->analysed[i];
		if (100 * (double)equal / (double)all >= 100 - s->cfg->differ_percent)
			return;
	}
	memory_more(s->frame, s->n);
	f = &s->frame[s->n++];
	*f = (struct searched_frame){ s->shown_ms, count_snapshots(s->first, (int64_t)s->shown_ms - SLACK_MS),
				      count_snapshots(s->first, s->shown_ms),
				      count_snapshots(s->first, (int64_t)s->shown_ms + SLACK_MS),
				      memory_new(all, sizeof(*f->pixels)) };
	memcpy(f->pixels, s->now, all * sizeof(*f->pixels));
	memcpy(s->analysed, s->now, all * sizeof(*s->analysed));
}

static void compare_frame(struct frame_scan *s, size_t i)
{
	struct best_match *f = &s->found[i];

	if (s->ms < f->low_ms || s->ms > f->high_ms)
		return;
	if (f->equal < 0) {
		f->equal = 0;
		for (size_t p = 0; p < count_pixels(s); p++)
			f->equal += s->now[p] == s->frame[i].pixels[p];
	}
	/* of equal matches the nearest to the centre wins; at the centre itself none counts, as in the analyzer of 2005 */
	if ((s->ms > f->centre_ms && f->equal > f->best) || (s->ms < f->centre_ms && f->equal >= f->best)) {
		f->best = f->equal;
		f->best_ms = s->ms;
	}
}

static void set_pixel(struct frame_scan *s, size_t at, uint32_t colour)
{
	uint32_t old = s->now[at];

	if (old == colour)
		return;
	s->now[at] = colour;
	for (size_t i = 0; s->found && i < s->n; i++) {
		if (s->found[i].equal < 0)
			continue;
		s->found[i].equal += (s->frame[i].pixels[at] == colour) - (s->frame[i].pixels[at] == old);
	}
}

static void on_painted(void *whose, struct pixel_area b)
{
	struct frame_scan *s = whose;
	int scale = (int)s->cfg->scale;

	if (!s->found && s->changed && (s->ms - s->shown_ms) * NS_PER_MS >= s->cfg->join_ns)
		add_changed_frame(s);
	for (int y = b.y / scale; y < (b.y + b.h) / scale && y < s->height; y++)
		for (int x = b.x / scale; x < (b.x + b.w) / scale && x < s->width; x++)
			set_pixel(s, (size_t)y * (size_t)s->width + (size_t)x,
				  s->screen->pixels[(ptrdiff_t)y * scale * s->screen->width + x * scale] | SET);
	s->shown_ms = s->ms;
	s->changed = true;
	for (size_t i = 0; s->found && i < s->n; i++)
		compare_frame(s, i);
}

static void on_block(void *whose, const struct screen *screen, uint32_t ms)
{
	struct frame_scan *s = whose;

	s->screen = screen;
	s->ms = ms;
}

static int scan_log(struct frame_scan *s, const struct replay *r)
{
	static const struct rfb_event_callbacks events = { .painted = on_painted };
	int err;

	s->changed = false;
	err = replay_decode(r->file, &events, s, on_block, NULL);
	if (!err && !s->found && s->changed)
		add_changed_frame(s);
	return err;
}

static int find_frames(struct frame_scan *s, const struct replay *r, int run, struct frame_matches *out)
{
	int err;

	memset(s->now, 0, count_pixels(s) * sizeof(*s->now));
	for (size_t i = 0; i < s->n; i++) {
		const struct searched_frame *f = &s->frame[i];

		s->found[i] = (struct best_match){ snapshot_time_ms(r, f->low - SYNCS) - SLACK_MS,
						   snapshot_time_ms(r, f->centre),
						   snapshot_time_ms(r, f->high + SYNCS) + SLACK_MS,
						   -1,
						   -1,
						   ALIGN_NONE };
	}
	err = scan_log(s, r);
	for (size_t i = 0; i < s->n; i++) {
		out->match[i].found_ms[run] = s->found[i].best_ms;
		out->match[i].equal[run] = s->found[i].best < 0 ? 0 : (uint32_t)s->found[i].best;
	}
	return err;
}

static void allocate_matches(struct frame_scan *s, int runs, struct frame_matches *out)
{
	out->n = s->n;
	out->match = memory_new(s->n, sizeof(*out->match));
	out->numbers = memory_new(2 * s->n * (size_t)runs, sizeof(*out->numbers));
	s->found = memory_new(s->n, sizeof(*s->found));
	for (size_t i = 0; i < s->n; i++)
		out->match[i] = (struct frame_match){ s->frame[i].ms, out->numbers + 2 * i * (size_t)runs,
						      out->numbers + (2 * i + 1) * (size_t)runs };
}

int method_2005_find(const struct method_2005_cfg *cfg, const struct replay *replay, int runs, struct frame_matches *out,
		     struct why *why)
{
	int scale = (int)cfg->scale, err;
	struct frame_scan s = {
		.cfg = cfg, .first = &replay[0], .width = replay[0].width / scale, .height = replay[0].height / scale
	};

	*out = (struct frame_matches){ .cfg = *cfg, .runs = runs, .pixels = (uint32_t)count_pixels(&s) };
	for (int r = 1; r < runs; r++) {
		if (replay[r].inputs.n_syncs == replay[0].inputs.n_syncs)
			continue;
		return why_fail(-EPROTO, why,
				"%s has %zu snapshots, %s %zu: the paper's method needs as many in each; --method tiles does not",
				replay[r].file, replay[r].inputs.n_syncs, replay[0].file, replay[0].inputs.n_syncs);
	}
	if (!count_pixels(&s))
		return why_fail(-EPROTO, why, "%s has a screen of %d x %d pixels: nothing is left of it with --scale %d",
				replay[0].file, replay[0].width, replay[0].height, scale);
	s.now = memory_new(count_pixels(&s), sizeof(*s.now));
	s.analysed = memory_new(count_pixels(&s), sizeof(*s.analysed));
	err = scan_log(&s, &replay[0]);
	allocate_matches(&s, runs, out);
	for (int r = 0; r < runs && !err; r++)
		err = find_frames(&s, &replay[r], r, out);
	for (size_t i = 0; i < s.n; i++)
		free(s.frame[i].pixels);
	free(s.frame);
	free(s.found);
	free(s.now);
	free(s.analysed);
	if (err)
		method_2005_free(out);
	return err;
}

void method_2005_free(struct frame_matches *p)
{
	free(p->match);
	free(p->numbers);
	*p = (struct frame_matches){ 0 };
}

/* Index of the last input line in the form of 2005 before `ms`; -1: none. */
static int64_t find_last_input(const struct replay *r, uint32_t ms)
{
	int64_t found = -1;

	for (size_t i = 0; i < r->inputs.n_old && r->inputs.old_ms[i] < ms; i++)
		found = (int64_t)i;
	return found;
}

static enum stimulus_kind find_stimulus_kind(const struct replay *r, int64_t old)
{
	int64_t i = 0;

	for (size_t k = 0; k < r->inputs.n; k++) {
		if (r->inputs.input[k].kind == TRACE_MOVE)
			continue;
		if (i++ == old)
			return r->inputs.input[k].kind == TRACE_KEY_DOWN || r->inputs.input[k].kind == TRACE_KEY_UP
				       ? STIMULUS_KEY
				       : STIMULUS_CLICK;
	}
	return STIMULUS_CLICK;
}

void method_2005_make_responses(const struct replay *replay, int runs, const struct frame_matches *p, struct responses *out)
{
	*out = (struct responses){ 0 };
	for (size_t i = 0; i < p->n; i++) {
		struct response *a;
		int64_t cause = INT64_MAX;
		double equal = 0;

		for (int r = 0; r < runs; r++) {
			int64_t b =
				p->match[i].found_ms[r] == ALIGN_NONE ? -1 : find_last_input(&replay[r], p->match[i].found_ms[r]);

			cause = b < cause ? b : cause;
			equal += (double)p->match[i].equal[r] / p->pixels / runs;
		}
		if (cause < 0)
			continue;
		a = responses_add(out, runs);
		a->kind = find_stimulus_kind(&replay[0], cause);
		a->input = (int)cause;
		a->at_us = (int64_t)replay[0].inputs.old_ms[cause] * 1000;
		a->confidence = equal;
		for (int r = 0; r < runs; r++) {
			a->shown_us[r] = p->match[i].found_ms[r] * INT64_C(1000);
			a->press_us[r] = ((int64_t)p->match[i].found_ms[r] - replay[r].inputs.old_ms[cause]) * 1000;
		}
	}
}

void method_2005_write(FILE *out, const struct frame_matches *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (int r = 0; r < p->runs; r++)
			if (p->match[i].found_ms[r] != ALIGN_NONE)
				fprintf(out, "== %u@0 matches with %u@%d (%u/%u)\n", p->match[i].ms, p->match[i].found_ms[r], r,
					p->match[i].equal[r], p->pixels);
}
