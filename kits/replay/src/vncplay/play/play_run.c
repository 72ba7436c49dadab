// SPDX-License-Identifier: GPL-3.0-or-later
/* play_run - one replay: sends inputs at their due times, each after the screen matches its snapshots. */
#include "play.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define QUIET_NS (300 * NS_PER_MS) /* no painting for this time after the last input: its response has ended */
#define EARLY_NS (200 * NS_PER_US) /* wake up this long before an input is due, since timers are late */
#define NEAR 4			   /* pixels by which a second click may miss the first */

struct play_state {
	struct live_replay live;
	const struct play_cfg *cfg;
	const struct input_trace *t;
	const char *out;
	struct play_result *r;
	struct pacing pacing;
	struct snapshot_wait await;
	bool awaiting;
	int next;   /* index in the trace's events */
	int due_of; /* index of the input that pacing.due_ns is of; -1: none yet */
	int64_t first_due_ns, sent_ns;
	int moved_x, moved_y; /* displacement of the current click, pixels */
	int click_x, click_y; /* where that click was recorded */
};

static void on_painted(void *whose, struct pixel_area box)
{
	struct play_state *p = whose;

	if (p->awaiting)
		snapshot_wait_note_painted(&p->await, box);
}

/* Index of the first input from event i on; t->n: none. */
static int find_next_input(const struct input_trace *t, int i)
{
	while (i < t->n && t->events[i].kind == TRACE_SNAPSHOT)
		i++;
	return i;
}

static int64_t find_due_time(struct play_state *p)
{
	int i = find_next_input(p->t, p->next);

	if (i == p->t->n) /* a snapshot after the last input is due now */
		return p->sent_ns ? p->sent_ns : p->pacing.due_ns;
	if (i != p->due_of) {
		p->due_of = i;
		pacing_compute_due(&p->pacing, &p->t->events[i]);
		if (!p->first_due_ns)
			p->first_due_ns = p->pacing.due_ns;
	}
	return p->pacing.due_ns;
}

/* Notes a wait that ends now: all later inputs are delayed by it. */
static void delay_inputs(struct play_state *p, int64_t ns, int64_t now)
{
	sample_add(&p->r->wait_ns, ns);
	p->r->shifted_ns += pacing_shift(&p->pacing, now);
}

/* Where the pointer is, or will be at the next input. False: not known. */
static bool find_pointer(const struct play_state *p, int *x, int *y)
{
	int i = find_next_input(p->t, p->next);
	const struct trace_event *e = i < p->t->n ? &p->t->events[i] : NULL;

	*x = p->live.x;
	*y = p->live.y;
	if (*x < 0 && e && (e->kind == TRACE_PRESS || e->kind == TRACE_MOVE)) {
		*x = e->x;
		*y = e->y;
	}
	return *x >= 0;
}

static int fail_timeout(struct play_state *p, struct awaited_screen *s, int64_t now)
{
	const struct trace_event *e = p->await.shot;
	const char *found = "";
	char pictures[256];
	int err;

	side_file_write_wait(p->live.side, SIDE_TIMEOUT, s, now);
	if (p->await.searched)
		found = p->await.found == MATCH_FLAT	    ? "; it has too little in it to be looked for elsewhere"
			: p->await.found == MATCH_AMBIGUOUS ? "; there are several such places around it"
							    : "; nor is it anywhere around";
	err = play_write_pictures(p->out, live_screen(&p->live), e);
	if (err)
		snprintf(pictures, sizeof(pictures), "no pictures: %s", strerror(-err));
	else
		snprintf(pictures, sizeof(pictures), "see %.187s.expected.ppm and .actual.ppm", p->out);
	return live_fail(&p->live, PLAY_TIMEOUT,
			 "line %d of the trace: after %.3g s the screen at %d,%d (%dx%d) is not as recorded: "
			 "%d of %d pixels differ, %d at the best%s; %s",
			 e->line, (double)s->waited_ns / NS_PER_S, e->box.x, e->box.y, e->box.w, e->box.h, s->mismatched, s->of,
			 p->await.least, found, pictures);
}

static int end_snapshot_wait(struct play_state *p, struct awaited_screen *s, int64_t now, bool waits)
{
	const struct snapshot_wait *a = &p->await;
	bool moved = a->dx || a->dy;
	int i = find_next_input(p->t, p->next);

	side_file_write_wait(p->live.side, SIDE_OK, s, now);
	p->r->snapshots++;
	p->r->at_once += !waits && !moved;
	p->r->waited += waits && !moved;
	p->r->moved += moved;
	p->r->pointer_masked += a->pointer_masked;
	if (waits)
		delay_inputs(p, s->waited_ns, now);
	if (!p->live.mask) /* while a button is down, a dragged object keeps its displacement */
		p->moved_x = p->moved_y = 0;
	if (!p->live.mask && moved && a->shot->why == TRACE_FOR_CLICK && i < p->t->n) {
		p->moved_x = a->dx;
		p->moved_y = a->dy;
		p->click_x = p->t->events[i].x;
		p->click_y = p->t->events[i].y;
	}
	p->awaiting = false;
	p->next++;
	return 0;
}

/* Moves the pointer a pixel aside or back, so that programs notice what has appeared below it. */
static int wiggle_pointer(struct play_state *p, enum await_word word, int x, int y)
{
	int aside = x + 1 < live_screen(&p->live)->width ? x + 1 : x - 1, err = 0;

	if (word == AWAIT_OUT) {
		p->r->wiggles++;
		err = live_send_pointer(&p->live, p->live.mask, aside, y);
	} else {
		err = live_send_pointer(&p->live, p->live.mask, x, y);
	}
	side_file_write_wiggle(p->live.side, clock_now(), p->live.x, p->live.y);
	return err;
}

static int await_snapshot(struct play_state *p)
{
	const struct trace_event *e = &p->t->events[p->next];
	struct awaited_screen s = { .n = p->r->snapshots, .line = e->line, .why = e->why };
	int64_t when = find_due_time(p), now = clock_now(), wake;
	bool waits = false, noted = false; /* waits: it did not match at once; noted: its input was due */
	int x0, y0, x, y, err = 0;
	bool known;

	snapshot_wait_begin(&p->await, &p->cfg->await, e, p->live.mask != 0, p->moved_x, p->moved_y);
	p->awaiting = true;
	known = find_pointer(p, &x0, &y0);
	x = x0;
	y = y0;
	p->await.may_wiggle = known && !p->live.mask && e->why != TRACE_FOR_KEY;
	while (!err) {
		enum await_word word;

		if (now >= when - EARLY_NS && !noted) {
			snapshot_wait_set_due(&p->await, when);
			side_file_write_wait(p->live.side, SIDE_WAIT, &s, now);
			noted = true;
		}
		word = snapshot_wait_step(&p->await, live_screen(&p->live), now, p->live.x, p->live.y, !p->live.shaped, &wake);
		s.mismatched = p->await.seen.mismatched;
		s.of = p->await.seen.of;
		s.dx = p->await.dx;
		s.dy = p->await.dy;
		s.waited_ns = waits && now > when ? now - when : 0;
		s.pointer_masked = p->await.pointer_masked;
		switch (word) {
		case AWAIT_OK: return end_snapshot_wait(p, &s, now, waits && now > when);
		case AWAIT_TIMEOUT: return fail_timeout(p, &s, now);
		case AWAIT_OUT:
		case AWAIT_BACK:
			if (word == AWAIT_OUT && s.dx == p->moved_x &&
			    s.dy == p->moved_y) { /* and no new offset of the window was found */
				x = x0;
				y = y0;
			}
			err = wiggle_pointer(p, word, x, y);
			break;
		case AWAIT_THERE:
			x = x0 - p->moved_x + s.dx;
			y = y0 - p->moved_y + s.dy;
			if (e->why != TRACE_FOR_KEY && known)
				err = live_send_pointer(&p->live, p->live.mask, x, y);
			break;
		default:
			if (noted)
				waits = true;
			err = live_wait(&p->live, noted ? wake : when - EARLY_NS);
		}
		now = clock_now();
	}
	return err;
}

/* Ends the displacement of a click with the first input that does not belong to it: its release, the moves of a drag and a
 * second click do. */
static void forget_displacement(struct play_state *p, const struct trace_event *e)
{
	if (p->live.mask || e->kind == TRACE_KEY_DOWN || e->kind == TRACE_KEY_UP || e->kind == TRACE_RELEASE)
		return;
	if (abs(e->x - p->click_x) > NEAR || abs(e->y - p->click_y) > NEAR)
		p->moved_x = p->moved_y = 0;
}

static int send_input(struct play_state *p, const struct trace_event *e)
{
	unsigned bit = e->kind == TRACE_PRESS || e->kind == TRACE_RELEASE ? 1u << (e->button - 1) : 0, mask = p->live.mask;
	int64_t now, late;
	int x, y, err;

	forget_displacement(p, e);
	x = e->x + p->moved_x;
	y = e->y + p->moved_y;
	now = clock_now();
	if (e->kind == TRACE_KEY_DOWN || e->kind == TRACE_KEY_UP)
		err = live_send_key(&p->live, e->keysym, e->kind == TRACE_KEY_DOWN);
	else
		err = live_send_pointer(&p->live,
					e->kind == TRACE_PRESS	   ? mask | bit
					: e->kind == TRACE_RELEASE ? mask & ~bit
								   : mask,
					x, y);
	if (err)
		return err;
	late = now - p->pacing.due_ns;
	side_file_write_input(p->live.side, p->r->inputs, e, x, y, now, late);
	sample_add(&p->r->late_ns, late);
	p->r->inputs++;
	p->sent_ns = now;
	p->next++;
	return 0;
}

static int play_input(struct play_state *p)
{
	int64_t when = find_due_time(p);
	int err;

	while (clock_now() < when - EARLY_NS) {
		err = live_wait(&p->live, when - EARLY_NS);
		if (err)
			return err;
	}
	while (clock_now() < p->pacing.due_ns)
		;
	return send_input(p, &p->t->events[p->next]);
}

/* Waits until the last response is in the log: wait_end_ns, or up to twice as long while the screen changes. */
static int await_last_response(struct play_state *p)
{
	int64_t from = clock_now(), until = from + p->cfg->wait_end_ns, most = until + p->cfg->wait_end_ns;

	for (;;) {
		int64_t now = clock_now(), quiet = p->live.painted_ns + QUIET_NS, wake = quiet > until ? quiet : until;
		int err;

		if (now >= wake || now >= most)
			return 0;
		err = live_wait(&p->live, wake < most ? wake : most);
		if (err)
			return err;
	}
}

static int refuse_other_size(struct play_state *p)
{
	const struct screen *s = live_screen(&p->live);
	const struct pixel_area *m =
		match_find_stray_mask(p->cfg->await.match.masks, p->cfg->await.match.n_masks, s->width, s->height);

	if (m && p->cfg->any_size)
		return live_fail(&p->live, PLAY_REFUSED,
				 "--mask %d,%d,%d,%d is outside of the server's screen, "
				 "which is %dx%d: it would hide nothing",
				 m->x, m->y, m->w, m->h, s->width, s->height);
	if (p->cfg->any_size || (s->width == p->t->width && s->height == p->t->height))
		return 0;
	return live_fail(
		&p->live, PLAY_REFUSED,
		"the server's screen is %dx%d, the trace is of one of %dx%d: give the server that size, or play with --any-size",
		s->width, s->height, p->t->width, p->t->height);
}

static void write_settings(struct play_state *p)
{
	const struct snapshot_wait_cfg *a = &p->cfg->await;

	side_file_write_setting(p->live.side,
				"speed=%g jitter=%g%% seed=%llu tolerance=%d mismatch=%g%% settle_us=%lld "
				"timeout_us=%lld patience_us=%lld search=%d",
				p->cfg->speed, p->cfg->jitter * 100, (unsigned long long)p->cfg->seed, a->match.tolerance,
				a->match.share, (long long)(a->settle_ns / NS_PER_US), (long long)(a->timeout_ns / NS_PER_US),
				(long long)(a->patience_ns / NS_PER_US), a->radius);
}

static int play_to_end(struct play_state *p)
{
	int err = refuse_other_size(p);

	if (err)
		return err;
	write_settings(p);
	err = live_await_screen(&p->live, clock_now() + p->cfg->await.timeout_ns);
	if (err)
		return err;
	err = refuse_other_size(p);
	if (err)
		return err;
	p->r->began = true;
	pacing_start(&p->pacing, p->cfg->speed, p->cfg->jitter, p->cfg->seed, clock_now());
	side_file_write_start(p->live.side, clock_now());
	while (!err && p->next < p->t->n)
		err = p->t->events[p->next].kind == TRACE_SNAPSHOT ? await_snapshot(p) : play_input(p);
	if (p->first_due_ns && p->sent_ns)
		p->r->total_ns = p->sent_ns - p->first_due_ns;
	return err ? err : await_last_response(p);
}

enum play_status play_trace(const struct play_cfg *cfg, const struct input_trace *t, const char *out, struct play_result *r)
{
	struct play_state p = { .cfg = cfg, .t = t, .out = out, .r = r, .due_of = -1 };
	int64_t cpu = clock_process_cpu();

	*r = (struct play_result){ .status = PLAY_COMPLETE };
	sample_reserve(&r->late_ns, (size_t)t->n + 1);
	sample_reserve(&r->wait_ns, (size_t)t->n + 1);
	play_remove_pictures(out); /* pictures of an earlier run */
	if (!live_open(&p.live, cfg, out, r)) {
		p.live.painted = on_painted;
		p.live.whose = &p;
		play_to_end(&p);
	}
	live_close(&p.live);
	r->cpu_ns = clock_process_cpu() - cpu;
	return r->status;
}

void play_result_free(struct play_result *r)
{
	sample_free(&r->late_ns);
	sample_free(&r->wait_ns);
}
