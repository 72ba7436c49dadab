// SPDX-License-Identifier: GPL-3.0-or-later
#include "observations.h"
#include "apart.h"
#include "clock.h"
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
	field_forget(&s->erasing.field);
}

void observations_clear(struct observations *s)
{
	s->updates = s->shows = s->steps = s->stamps = s->lost = 0;
	s->steps_lost = false;
	s->unreadable = s->unread = 0;
	s->merge = (struct pair_merger){ 0 };
	field_forget(&s->erasing.field);
	s->erasing = (struct erasing){ .field = s->erasing.field };
	s->state = FIELD_EMPTY;
	s->rests = 0;
	s->blinks = false;
}

static void append_update(struct observations *s, int64_t first_ns, int64_t last_ns)
{
	size_t n = atomic_load_explicit(&s->updates, memory_order_relaxed);

	if (n < s->update_room) {
		s->update[n] = (struct pair_update){ first_ns, last_ns, false };
		atomic_store_explicit(&s->updates, n + 1, memory_order_release);
	} else {
		atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&s->last_change_ns, last_ns, memory_order_release);
}

void observations_add_update(struct observations *s, int64_t at_ns)
{
	size_t n = atomic_load_explicit(&s->updates, memory_order_relaxed);

	if (pair_merge_change(&s->merge, at_ns, OBSERVATIONS_GAP_NS, s->longest_ns)) {
		append_update(s, at_ns, at_ns);
		return;
	}
	if (n && !atomic_load_explicit(&s->lost, memory_order_relaxed))
		s->update[n - 1].last_ns = at_ns;
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

void observations_begin_picture(struct observations *s, const struct pixel_area *watched)
{
	s->filter.pixels = (int64_t)watched->w * watched->h;
	field_forget(&s->erasing.field);
	s->erasing.field.at = *watched;
	if (s->erases && s->rests && !s->left) /* the pictures learned of the field are of the old size */
		s->left = "the screen has changed its size";
}

#define FIRST_NS (30 * NS_PER_MS) /* what follows so soon still belongs to how a character looks at first */

/* Learns the picture at which the field came to rest after a key. Where something follows the character that goes with it, the
 * character counts, not that. */
static void learn_rest(struct observations *s, const uint32_t *picture, size_t stride, size_t rests)
{
	struct erasing *e = &s->erasing;

	if (rests % 2)
		field_learn(&e->field, FIELD_TYPED, picture, stride, rests > 1);
	if (rests == OBSERVATIONS_TAUGHT && e->completed == OBSERVATIONS_TAUGHT / 2)
		field_prefer_first(&e->field);
	if (rests % 2 || rests == OBSERVATIONS_TAUGHT)
		field_compare_states(&e->field);
	e->far = field_count_differing(&e->field, rests % 2 ? FIELD_EMPTY : FIELD_TYPED, picture, stride);
	e->learned = rests;
}

/* While the field is learned: what belongs to a character, and what follows it. *reached: BackSpace has taken it away. */
static void follow_teaching(struct observations *s, int64_t at_ns, const uint32_t *now, size_t stride, bool reached)
{
	struct erasing *e = &s->erasing;
	int64_t sent = atomic_load(&s->sent_ns), took;

	atomic_store(&s->last_change_ns, at_ns);
	if (atomic_load(&s->rests) % 2) {
		e->taking_ns = e->taking_ns ? e->taking_ns : at_ns;
		took = at_ns - sent;
		e->completed +=
			reached && at_ns - e->taking_ns <= FIRST_NS && e->last_ns > took && took - e->first_ns < e->last_ns - took;
		e->first_ns = reached ? 0 : e->first_ns;
		return;
	}
	e->first_ns = e->first_ns ? e->first_ns : at_ns - sent;
	e->last_ns = at_ns - sent;
	e->taking_ns = 0;
	if (e->last_ns - e->first_ns <= FIRST_NS)
		field_keep_first(&e->field, now, stride);
}

/* Follows the field to what the latest key is to show. An update is from when a part of it is shown until all of it is. */
static void follow_field(struct observations *s, int64_t at_ns, const uint32_t *now, size_t stride, bool taught)
{
	struct erasing *e = &s->erasing;
	enum field_state is = (enum field_state)atomic_load(&s->state), goal = is == FIELD_EMPTY ? FIELD_TYPED : FIELD_EMPTY;
	size_t from = field_count_differing(&e->field, is, now, stride), to = field_count_differing(&e->field, goal, now, stride);
	bool reached = !taught && goal == FIELD_TYPED ? from > e->field.slack : to <= e->field.slack;

	if (e->begun_ns < atomic_load(&s->sent_ns)) /* a change before the key was sent is no part of its answer */
		e->begun_ns = 0;
	if (!taught && (reached || (is == FIELD_EMPTY ? from : to) > e->field.slack))
		follow_teaching(s, at_ns, now, stride, reached);
	if (reached) {
		append_update(s, e->begun_ns ? e->begun_ns : at_ns, at_ns);
		e->far = from;
		e->begun_ns = 0;
		atomic_store(&s->state, (int)goal);
	} else if (from <= e->field.slack || atomic_load(&s->phase) != PHASE_KEYS) {
		e->far = to;
		e->begun_ns = 0;
	} else if (!e->begun_ns && to + e->field.slack < e->far) {
		e->begun_ns = at_ns;
	}
}

static void record_erasing(struct observations *s, int64_t at_ns, const uint32_t *before, const uint32_t *now, size_t stride)
{
	struct erasing *e = &s->erasing;
	int phase = atomic_load(&s->phase);
	size_t rests = atomic_load(&s->rests);

	if (!e->field.n[FIELD_EMPTY])
		field_learn(&e->field, FIELD_EMPTY, before, stride, false);
	atomic_store(&s->blinks, e->field.n[FIELD_EMPTY] > 1);
	if (rests > e->learned)
		learn_rest(s, before, stride, rests);
	if (phase == PHASE_BEFORE)
		field_learn(&e->field, FIELD_EMPTY, now, stride, false);
	else if (phase == PHASE_IDLE && rests < OBSERVATIONS_TAUGHT) /* a caret that blinks */
		field_learn(&e->field, (enum field_state)atomic_load(&s->state), now, stride, false);
	else
		follow_field(s, at_ns, now, stride, rests == OBSERVATIONS_TAUGHT);
}

void observations_record_changes(struct observations *s, int64_t at_ns, uint32_t *before, const uint32_t *now, size_t stride,
				 const struct pixel_area *in)
{
	struct caret_step step = { .at_ns = at_ns };
	int y = in->y, end = in->y + in->h;

	if (s->erases)
		record_erasing(s, at_ns, before, now, stride);
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
