// SPDX-License-Identifier: GPL-3.0-or-later
#include "observations.h"
#include "apart.h"
#include "memory.h"

void observations_init(struct observations *s, int64_t longest_ns, size_t update_room, size_t shown_room, size_t step_room)
{
	memset(s, 0, sizeof(*s));
	s->longest_ns = longest_ns;
	s->update = apart_new(update_room, sizeof(*s->update));
	s->shown = apart_new(shown_room, sizeof(*s->shown));
	s->step = apart_new(step_room, sizeof(*s->step));
	s->number = -1;
	s->update_room = update_room;
	s->shown_room = shown_room;
	s->step_room = step_room;
	/* written to now, so that no page fault delays an update of the run */
	memset(s->update, 1, update_room * sizeof(*s->update));
	memset(s->shown, 1, shown_room * sizeof(*s->shown));
	memset(s->step, 1, step_room * sizeof(*s->step));
}

void observations_keep_stamps(struct observations *s, size_t room)
{
	s->stamp = apart_new(room, sizeof(*s->stamp));
	s->stamp_room = room;
	memset(s->stamp, 1, room * sizeof(*s->stamp));
}

void observations_free(struct observations *s)
{
	apart_delete(s->stamp);
	apart_delete(s->update);
	apart_delete(s->shown);
	apart_delete(s->step);
	blank_free(&s->blank);
}

void observations_clear(struct observations *s)
{
	s->updates = s->shows = s->steps = s->stamps = s->lost = 0;
	s->steps_lost = false;
	s->unreadable = s->unread = 0;
	s->merge = (struct pair_merger){ 0 };
	s->blank.n = 0;
}

void observations_add_update(struct observations *s, int64_t at_ns)
{
	size_t n = atomic_load_explicit(&s->updates, memory_order_relaxed);

	if (pair_merge_change(&s->merge, at_ns, OBSERVATIONS_GAP_NS, s->longest_ns)) {
		if (n < s->update_room) {
			s->update[n] = (struct pair_update){ at_ns, at_ns, false };
			atomic_store_explicit(&s->updates, n + 1, memory_order_release);
		} else {
			atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
		}
	} else if (n && !atomic_load_explicit(&s->lost, memory_order_relaxed)) {
		s->update[n - 1].last_ns = at_ns;
	}
	atomic_store_explicit(&s->last_change_ns, at_ns, memory_order_release);
}

static void add_step(struct observations *s, const struct caret_step *step)
{
	size_t n = atomic_load_explicit(&s->steps, memory_order_relaxed);

	if (n < s->step_room) {
		s->step[n] = *step;
		atomic_store_explicit(&s->steps, n + 1, memory_order_release);
	} else {
		s->steps_lost = true;
	}
}

/* True if the change is where one was recorded that was taken for an echo. */
static bool repeats_echo(const struct observations *s, const struct caret_step *step)
{
	for (size_t i = atomic_load(&s->steps); i-- > 0;)
		if (blink_steps_match(&s->step[i], step))
			return true;
	return false;
}

/* True if the change meets one that was recorded in the last second: a redraw of an echo. */
static bool is_redraw(const struct observations *s, const struct caret_step *step)
{
	for (size_t i = atomic_load(&s->steps); i-- > 0 && step->at_ns - s->step[i].at_ns < BLINK_REDRAW_NS;)
		if (blink_steps_meet(&s->step[i], step))
			return true;
	return false;
}

static bool is_own_change(struct observations *s, const struct caret_step *step)
{
	int phase = atomic_load(&s->phase);

	if (phase != PHASE_KEYS && !is_redraw(s, step))
		blink_learn_change(&s->filter, step, repeats_echo(s, step));
	if (phase == PHASE_BEFORE)
		return true;
	if (blink_judge_change(&s->filter, step) == CHANGE_WITHOUT_KEY) {
		atomic_fetch_add(&s->own, 1);
		return true;
	}
	if (phase == PHASE_KEYS)
		blink_keep_echo(&s->filter, step);
	return false;
}

void observations_add_change(struct observations *s, const struct caret_step *step)
{
	if (s->filters && is_own_change(s, step))
		return;
	observations_add_update(s, step->at_ns);
	add_step(s, step);
}

/* A caret that goes to the next line makes two changes if the server sends each line by itself, as an RDP server may. Joined, they
 * go on from the line before. */
static struct caret_step join_lines(const struct caret_step *from, const struct caret_step *to)
{
	struct caret_step joined = *to;

	if (to->at_ns - from->at_ns < OBSERVATIONS_GAP_NS && to->top > from->bottom &&
	    to->top - from->bottom <= to->bottom - to->top + 1 && to->all_left < from->all_left) {
		joined.top = from->top;
		joined.all_right = to->all_right > from->all_right ? to->all_right : from->all_right;
	}
	return joined;
}

#define MINOR_PART 4 /* a place that changed once without a key echoes none, if it has less than this part of all changes */

void observations_drop_own(struct observations *s)
{
	size_t n = s->steps, kept = 0, unknown = 0, inside[BLINK_PLACES] = { 0 };
	struct blink_filter f = { 0 }; /* all others as answers: most are of one place, which moves on as a caret does */
	const struct blink_place **of = memory_new(n, sizeof(*of)), *most = f.answers.at;

	if (!s->filters || s->steps_lost || s->lost)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct caret_step step = i ? join_lines(&s->step[i - 1], &s->step[i]) : s->step[0];

		if (blink_find_place(&s->filter, &s->step[i], 2))
			continue;
		of[i] = blink_add_answer(&f, &step, step.at_ns);
		most = of[i]->times > most->times ? of[i] : most;
		unknown++;
	}
	for (size_t i = 0; i < n; i++) {
		struct blink_place *place = blink_find_place(&s->filter, &s->step[i], 1);

		if (place && of[i] && of[i] != most)
			inside[place - s->filter.alone.at]++;
	}
	for (size_t i = 0; i < s->filter.alone.n; i++)
		s->filter.alone.at[i].times += inside[i] && inside[i] * MINOR_PART < unknown;
	if (n)
		s->updates = 0;
	s->merge = (struct pair_merger){ 0 };
	for (size_t i = 0; i < n; i++) {
		size_t before = s->updates;
		bool stray = 2 * (size_t)most->times > unknown && of[i] != most;

		if (!of[i] || (of[i] != most && blink_find_place(&s->filter, &s->step[i], 2)))
			continue;
		s->step[kept++] = s->step[i];
		observations_add_update(s, s->step[i].at_ns);
		s->update[s->updates - 1].stray = stray && (s->updates > before || s->update[before - 1].stray);
	}
	if (n) {
		s->own += n - kept;
		s->steps = kept;
	}
	free(of);
}

void observations_begin_picture(struct observations *s, size_t pixels, size_t watched)
{
	s->filter.pixels = (int64_t)watched;
	if (s->erases)
		blank_alloc(&s->blank, pixels);
}

/* An update is what shows the character that was typed, or takes the last of it away. */
static void record_erasing(struct observations *s, int64_t at_ns, const uint32_t *before, const uint32_t *now, size_t stride,
			   const struct pixel_area *in)
{
	bool held = blank_holds(&s->blank);

	blank_follow(&s->blank, before, now, stride, in, atomic_load(&s->phase) == PHASE_BEFORE);
	if (blank_holds(&s->blank) != held)
		observations_add_update(s, at_ns);
}

void observations_record_changes(struct observations *s, int64_t at_ns, uint32_t *before, const uint32_t *now, size_t stride,
				 const struct pixel_area *in)
{
	struct caret_step step = { .at_ns = at_ns };
	int y = in->y, end = in->y + in->h;

	if (s->erases)
		record_erasing(s, at_ns, before, now, stride, in);
	for (; !s->erases && caret_find_change(before, now, stride, in->x, y, in->w, end - y, &step); y = step.bottom + 1)
		observations_add_change(s, &step);
	y = s->erases ? end : y;
	while (y-- > in->y) { /* below, nothing changed */
		size_t first = (size_t)y * stride + (size_t)in->x;

		memcpy(before + first, now + first, (size_t)in->w * sizeof(*now));
	}
}

void observations_add_number(struct observations *s, int64_t at_ns, uint32_t number)
{
	size_t n = atomic_load_explicit(&s->shows, memory_order_relaxed);

	atomic_store(&s->unread, 0);
	if (atomic_load_explicit(&s->number, memory_order_relaxed) == (int64_t)number)
		return;
	if (n < s->shown_room) {
		s->shown[n] = (struct shown_number){ at_ns, number };
		atomic_store_explicit(&s->shows, n + 1, memory_order_release);
	} else {
		atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&s->number, (int64_t)number, memory_order_release);
}

int64_t observations_add_unreadable(struct observations *s)
{
	atomic_fetch_add(&s->unreadable, 1);
	return atomic_fetch_add(&s->unread, 1) + 1;
}

void observations_add_stamp(struct observations *s, int64_t at_ns, int64_t ms)
{
	size_t n = atomic_load_explicit(&s->stamps, memory_order_relaxed);

	if (!ms || n >= s->stamp_room)
		return;
	s->stamp[n] = (struct frame_stamp){ at_ns, ms };
	atomic_store_explicit(&s->stamps, n + 1, memory_order_release);
}

static int compare_time(const void *at_ns, const void *stamp)
{
	int64_t wanted = *(const int64_t *)at_ns, seen = ((const struct frame_stamp *)stamp)->at_ns;

	return (wanted > seen) - (wanted < seen);
}

int64_t observations_find_stamp(const struct observations *s, int64_t at_ns)
{
	size_t n = s->stamps;
	const struct frame_stamp *stamp = n ? bsearch(&at_ns, s->stamp, n, sizeof(*s->stamp), compare_time) : NULL;

	return stamp ? stamp->ms : 0;
}

void blank_alloc(struct blank *b, size_t pixels)
{
	blank_free(b);
	b->pixels = pixels;
	b->changes = memory_new(pixels, sizeof(*b->changes));
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		b->picture[k] = memory_new(pixels, sizeof(*b->picture[k]));
}

static void keep_first(struct blank *b, const uint32_t *picture)
{
	memset(b->changes, 0, b->pixels * sizeof(*b->changes));
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		memcpy(b->picture[k], picture, b->pixels * sizeof(*picture));
	b->differing[0] = 0;
	b->n = 1;
}

bool blank_holds(const struct blank *b)
{
	bool holds = !b->n;

	for (size_t k = 0; k < b->n; k++)
		holds |= !b->differing[k];
	return holds;
}

/* Counts the pixel in which pictures are different now, and were before. */
static void count_pixel(struct blank *b, size_t i, uint32_t before, uint32_t now)
{
	for (size_t k = 0; k < b->n && !b->changes[i]; k++) {
		b->differing[k] += now != b->picture[k][i];
		b->differing[k] -= before != b->picture[k][i];
	}
}

/* What has just changed is what another picture is to have, or what is not to be compared. */
static void learn_pixel(struct blank *b, size_t i, uint32_t now)
{
	if (b->n < BLANK_PICTURES) {
		b->picture[b->n][i] = now;
		return;
	}
	for (size_t k = 0; k < b->n && !b->changes[i]; k++)
		b->differing[k] -= now != b->picture[k][i];
	b->changes[i] = true;
}

static void visit_pixels(struct blank *b, const uint32_t *before, const uint32_t *now, size_t stride, const struct pixel_area *in,
			 bool learn)
{
	for (int y = in->y; y < in->y + in->h; y++) {
		size_t first = (size_t)y * stride + (size_t)in->x, end = first + (size_t)in->w;

		if (!memcmp(before + first, now + first, (end - first) * sizeof(*now)))
			continue;
		for (size_t i = first; i < end; i++) {
			if (before[i] == now[i])
				continue;
			if (learn)
				learn_pixel(b, i, now[i]);
			else
				count_pixel(b, i, before[i], now[i]);
		}
	}
}

void blank_follow(struct blank *b, const uint32_t *before, const uint32_t *now, size_t stride, const struct pixel_area *in,
		  bool learn)
{
	if (!b->n)
		keep_first(b, before);
	visit_pixels(b, before, now, stride, in, false);
	if (!learn || blank_holds(b))
		return;
	visit_pixels(b, before, now, stride, in, true);
	if (b->n < BLANK_PICTURES)
		b->differing[b->n++] = 0;
}

void blank_free(struct blank *b)
{
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		free(b->picture[k]);
	free(b->changes);
	*b = (struct blank){ 0 };
}
