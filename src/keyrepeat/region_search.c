// SPDX-License-Identifier: GPL-3.0-or-later
#include "region_search.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_KEYS_NS (2500 * NS_PER_MS) /* watching without keys: the caret of any system blinks within it */
#define REPAINTS_NS (10 * NS_PER_S)   /* in this time, it begins anew each time the picture is painted anew */
#define ECHO_NS (400 * NS_PER_MS)     /* shortest wait for the changes after a key; on a busy machine the first may come later */
#define QUIET_NS (250 * NS_PER_MS)    /* after a change the wait goes on until nothing changed for this long ... */
#define ECHO_MAX_NS (3 * NS_PER_S)    /* ... but ends here, where something changes all the time, or nothing does */
#define SHOW_MAX_NS (10 * NS_PER_S)   /* a key that BackSpace will follow gets so long to show, and so does BackSpace */
#define READ_NS (25 * NS_PER_MS)      /* between two readings of the screen */
#define DOWN_NS (5 * NS_PER_MS)	      /* how long a key is held down */
#define BESIDE 40		      /* pixels beside a letter in which its caret is */
#define PAIRS 2			      /* of a key and BackSpace */

#define NOT_SHOWN "no place follows the keys typed"
#define NOT_TAKEN "no place shows the key typed until BackSpace takes it away"

struct search_state {
	const struct region_search *cfg;
	int key, back; /* the target's numbers; back -1: keys stay */
	struct change_marks marks;
	uint32_t *last, *now, *before; /* pixels of the last reading, of this one, and before the key */
	int64_t took_ns;	       /* until the last key showed */
};

/* Marks the pixels that changed since the last call. True when some did. */
static bool mark_new_changes(struct search_state *s, uint8_t bit)
{
	uint32_t *swap = s->last;
	bool changed;

	if (!s->cfg->read(s->cfg->self, s->now, s->cfg->w, s->cfg->h))
		return false;
	changed = region_mark_changes(&s->marks, s->last, s->now, bit);
	s->last = s->now;
	s->now = swap;
	return changed;
}

/* Before the first key, begins anew while much of the picture is painted anew, as when a session follows its login, until nothing
 * was for a while: what comes last of it may be little. */
static void mark_keyless_changes(struct search_state *s, uint8_t bit)
{
	int64_t now = clock_now(), until = now + NO_KEYS_NS, last = now + REPAINTS_NS, pixels = (int64_t)s->marks.w * s->marks.h;
	int64_t painted = 0, painted_ns = now, n;

	for (; now < until && !proc_stop; now = clock_now()) {
		mark_new_changes(s, bit);
		n = s->cfg->painted ? atomic_exchange(s->cfg->painted, 0) : 0;
		painted += n;
		painted_ns = n ? now : painted_ns;
		if (bit == REGION_BEFORE && now < last && 16 * painted >= pixels) {
			memset(s->marks.bits, 0, (size_t)pixels);
			until = now + NO_KEYS_NS;
			painted = now - painted_ns < QUIET_NS ? painted : 0;
		}
		proc_sleep(clock_now() + READ_NS);
	}
}

/* The area of what the key changed, and of a caret beside it. */
static struct pixel_area find_typed_area(const struct search_state *s, uint8_t bit)
{
	struct pixel_area out = { 0 };

	for (int y = 0; y < s->marks.h; y++)
		for (int x = 0; x < s->marks.w; x++) {
			uint8_t bits = s->marks.bits[(size_t)y * (size_t)s->marks.w + (size_t)x];

			if (bits & bit && !(bits & REGION_BEFORE))
				area_include(&out, &(struct pixel_area){ x - BESIDE, y, 2 * BESIDE + 1, 1 });
		}
	return area_clip(out, s->marks.w, s->marks.h);
}

/* True if all that the key changed, or that changes without keys beside it, as a caret does, is as it was before. */
static bool is_taken_away(const struct search_state *s, const struct pixel_area *at, uint8_t bit)
{
	for (int y = at->y; y < at->y + at->h; y++)
		for (int x = at->x; x < at->x + at->w; x++) {
			size_t i = (size_t)y * (size_t)s->marks.w + (size_t)x;

			if (s->marks.bits[i] & (bit | REGION_BEFORE) &&
			    region_pixel_change(s->before[i], s->last[i]) > region_same(&s->marks))
				return false;
		}
	return true;
}

/* Types BackSpace and waits until what the key before it (of the bit `typed`) changed is as it was, or something else changes all
 * the time. A caret may blink meanwhile. */
static bool erase_and_mark(struct search_state *s, uint8_t typed, uint8_t bit)
{
	struct pixel_area at = find_typed_area(s, typed);
	int64_t begin, until;

	if (!s->cfg->type(s->cfg->self, s->back, true))
		return false;
	proc_sleep(clock_now() + DOWN_NS);
	s->cfg->type(s->cfg->self, s->back, false);
	begin = clock_now();
	until = begin + (3 * s->took_ns > ECHO_MAX_NS ? 3 * s->took_ns : ECHO_MAX_NS);
	while (!proc_stop && clock_now() < until) {
		mark_new_changes(s, bit);
		if (is_taken_away(s, &at, (uint8_t)(typed | bit))) {
			for (size_t i = 0; i < (size_t)s->marks.w * (size_t)s->marks.h; i++)
				s->marks.bits[i] |= s->marks.bits[i] & typed ? bit : 0; /* also a caret that had just blinked */
			break;
		}
		proc_sleep(clock_now() + READ_NS);
	}
	return true;
}

/* Types a key and marks the pixels that change. False: it does not get where it should. *shown: some changed. What BackSpace will
 * follow is waited for also after a stop signal: of a key that was lost, it would take what was there before. */
static bool type_and_mark(struct search_state *s, int key, uint8_t bit, bool *shown)
{
	int64_t begin, changed = 0, until;

	if (!s->cfg->type(s->cfg->self, key, true))
		return false;
	proc_sleep(clock_now() + DOWN_NS);
	s->cfg->type(s->cfg->self, key, false);
	begin = clock_now();
	until = begin + (s->back < 0 ? ECHO_MAX_NS : SHOW_MAX_NS);
	while ((!proc_stop || (s->back >= 0 && !changed)) && clock_now() < until &&
	       (!changed || clock_now() - begin < ECHO_NS || clock_now() - changed < QUIET_NS)) {
		if (mark_new_changes(s, bit)) {
			until = changed ? until : clock_now() + ECHO_MAX_NS;
			s->took_ns = changed ? s->took_ns : clock_now() - begin;
			changed = clock_now();
		}
		if (proc_stop)
			clock_sleep(clock_now() + READ_NS);
		else
			proc_sleep(clock_now() + READ_NS);
	}
	*shown = changed;
	return true;
}

static int type_keys(struct search_state *s)
{
	bool shown;

	for (int i = 0; i < REGION_KEYS && !proc_stop; i++)
		if (!type_and_mark(s, s->key, (uint8_t)REGION_KEY(i), &shown))
			return -EPIPE;
	return 0;
}

static int fail_search(const struct search_state *s, const char *what, struct why *why)
{
	return why_fail(-1, why, "%s: put the caret into a text field in sight%s%s", what,
			s->back < 0 ? ", or mark the place with --region" : "",
			s->cfg->hint && !strcmp(what, NOT_SHOWN) ? s->cfg->hint : "");
}

/* Types the key and BackSpace in turns. A key that was shown is followed by BackSpace also after a stop signal. The first key may
 * change the field for good, as a cell of a table becomes one: then its pair does not count, and one more is typed. */
static int type_pairs(struct search_state *s, struct why *why)
{
	size_t pixels = (size_t)s->marks.w * (size_t)s->marks.h;
	struct pixel_area found;
	bool shown, again = false;

	for (int i = 0; i < PAIRS && !proc_stop; i++) {
		memcpy(s->before, s->last, pixels * sizeof(*s->last));
		if (!type_and_mark(s, s->key, (uint8_t)REGION_KEY(2 * i), &shown))
			return -EPIPE;
		if (!shown)
			return proc_stop ? 0 : fail_search(s, i || again ? NOT_TAKEN : NOT_SHOWN, why);
		if (!erase_and_mark(s, (uint8_t)REGION_KEY(2 * i), (uint8_t)REGION_KEY(2 * i + 1)))
			return -EPIPE;
		region_mark_changes(&s->marks, s->before, s->last, REGION_LEFT);
		if (proc_stop || region_find_echoes(&s->marks, &found))
			continue;
		if (i || again)
			return fail_search(s, NOT_TAKEN, why);
		again = true;
		i--;
		s->marks.contrast = 0;
		for (size_t k = 0; k < pixels; k++)
			s->marks.bits[k] &= REGION_BEFORE | REGION_LEFT;
	}
	return 0;
}

static int search(struct search_state *s, struct pixel_area *out, struct why *why)
{
	const struct target_cfg *target = s->cfg->target;
	int err;

	s->key = s->cfg->act(s->cfg->self, target->first_key, why);
	s->back = s->key >= 0 && target->back ? s->cfg->act(s->cfg->self, target->back, why) : -1;
	if (s->key < 0 || (target->back && s->back < 0))
		return -1;
	mark_new_changes(s, 0); /* the first picture has no other to be compared with */
	mark_keyless_changes(s, REGION_BEFORE);
	if (proc_stop)
		return 0;
	err = s->back < 0 ? type_keys(s) : type_pairs(s, why);
	if (err)
		return err;
	mark_keyless_changes(s, REGION_AFTER);
	if (!proc_stop && !region_find_echoes(&s->marks, out))
		return fail_search(s, s->back < 0 ? NOT_SHOWN : NOT_TAKEN, why);
	return 0;
}

int region_search(const struct region_search *cfg, struct pixel_area *out, struct why *why)
{
	size_t pixels = (size_t)cfg->w * (size_t)cfg->h;
	struct search_state s = { .cfg = cfg,
				  .marks = { cfg->w, cfg->h, memory_new(pixels, 1), cfg->target->back },
				  .last = memory_new(pixels, sizeof(*s.last)),
				  .now = memory_new(pixels, sizeof(*s.now)),
				  .before = memory_new(pixels, sizeof(*s.before)) };
	int err = search(&s, out, why);

	free(s.marks.bits);
	free(s.last);
	free(s.now);
	free(s.before);
	return err;
}

int region_search_picture(struct region_search *cfg, struct picture *picture, struct why *why)
{
	int err;

	cfg->w = picture->width;
	cfg->h = picture->height;
	cfg->painted = &picture->painted;
	err = region_search(cfg, &picture->region, why);
	if (err || area_is_empty(&picture->region)) /* (a signal has ended it) */
		return err;
	picture->region_from = "found by typing";
	observations_begin_picture(picture->seen, &picture->region);
	return 0;
}
