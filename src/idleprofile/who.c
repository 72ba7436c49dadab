// SPDX-License-Identifier: GPL-3.0-or-later
#include "who.h"
#include "stretch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16	/* a device over a softirq over a task, and then some */
#define WAITING 16
/* How far the loop's clock and the records' may be apart. A state that outlasts it while the loop runs is false. */
#define SKEW_NS 20000

struct who {
	int loop_tid;		/* ours */
	int loop_pid;		/* the same in the initial pid namespace, 0: not seen yet */
	int64_t last_ns;	/* of the last record */
	bool begun;
	bool blind;		/* since the last record nothing is known: the first one, or some were lost */
	int task, here;		/* on the CPU, by both pid namespaces; where `away` */
	char comm[16];
	bool away;		/* a task other than the loop is on the CPU */
	struct who_frame {
		enum who_kind kind;
		int id;
		char name[24];
	} stack[DEPTH];
	int depth;
	/* Tasks taken off the CPU for the loop while they wanted it, and what the loop had not had by then. */
	struct waiting {
		int task;	/* 0: free */
		int64_t since_ns, away_ns;
	} waiting[WAITING];
	int64_t away_ns;	/* all stretches so far */
	int64_t late;		/* parts asked for too late */
	int64_t missed;		/* switches without a record */
	struct stretch_queue queue;
};

static const enum who_kind kinds[] = {
	[TRACE_IRQ] = WHO_IRQ, [TRACE_SOFTIRQ] = WHO_SOFTIRQ, [TRACE_TIMER] = WHO_TIMER,
	[TRACE_RESCHED] = WHO_RESCHED, [TRACE_CALL] = WHO_CALL,
};

const char *who_kind_name(enum who_kind kind)
{
	static const char *const names[] = {
		"task", "irq", "softirq", "timer", "reschedule", "call", "unexplained",
	};

	return names[kind];
}

struct who *who_new(int loop_tid)
{
	struct who *w = calloc(1, sizeof(*w));

	if (w) {
		w->loop_tid = loop_tid;
		w->blind = true;
	}
	return w;
}

void who_free(struct who *w)
{
	free(w);
}

int64_t who_forgotten(const struct who *w)
{
	return w->late;
}

int64_t who_missed(const struct who *w)
{
	return w->missed;
}

static void set_name(struct piece *p, const char *name)
{
	if (name[0] && p->id >= 0)
		snprintf(p->name, sizeof(p->name), "%s", name);
}

/* What is innermost now, in the open stretch. */
static struct piece *top(struct who *w)
{
	struct piece *p;

	if (w->depth) {
		const struct who_frame *f = &w->stack[w->depth - 1];

		p = stretch_find(&w->queue, f->kind, f->id, w->last_ns);
		if (!p->name[0])
			set_name(p, f->name);
		return p;
	}
	p = stretch_find(&w->queue, WHO_TASK, w->task, w->last_ns);
	if (!p->name[0]) {
		set_name(p, w->comm);
		p->here = w->here;
	}
	return p;
}

/* Gives the time since the last record to what ran in it. */
static void advance_clock(struct who *w, int64_t now)
{
	if (stretch_last(&w->queue) && now > w->last_ns && (w->depth || w->away)) {
		struct piece *p = top(w);

		p->ns += now - w->last_ns;
		p->end_ns = now;
	}
	if (now > w->last_ns)
		w->last_ns = now;
}

static struct waiting *waits(struct who *w, int task)
{
	for (int i = 0; i < WAITING; i++)
		if (w->waiting[i].task == task)
			return &w->waiting[i];
	return NULL;
}

static void begin_stretch(struct who *w)
{
	if (!stretch_last(&w->queue))
		stretch_open(&w->queue, w->last_ns);
}

static void finish_stretch(struct who *w)
{
	struct stretch *s = stretch_last(&w->queue);

	if (!s)
		return;
	w->away_ns += w->last_ns - s->start_ns;
	for (size_t i = 0; i < s->n; i++) {
		const struct piece *p = stretch_piece(&w->queue, s, i);
		struct waiting *slot = &w->waiting[0];

		if (p->kind != WHO_TASK || !p->wants || p->id <= 0)
			continue;
		for (int k = 0; k < WAITING; k++) {	/* itself, else free, else the oldest */
			struct waiting *at = &w->waiting[k];

			if (at->task == p->id || (slot->task != p->id && at->since_ns < slot->since_ns))
				slot = at;
		}
		*slot = (struct waiting){ p->id, w->last_ns, w->away_ns };
	}
	stretch_close(&w->queue, w->last_ns);
}

static bool still_one_burst(struct who *w, int task)
{
	struct waiting *at = waits(w, task);
	struct stretch *s = stretch_last(&w->queue);
	int64_t loop_ns;

	if (!task || !at)
		return false;
	loop_ns = s->start_ns - at->since_ns - (w->away_ns - at->away_ns);
	memset(at, 0, sizeof(*at));
	return loop_ns < WHO_SLICE_NS;
}

static void task_out(struct who *w, const struct trace_record *r)
{
	struct piece *p = stretch_find(&w->queue, WHO_TASK, r->prev_pid, w->last_ns);

	set_name(p, r->prev_comm);
	if (r->prev_here)
		p->here = r->prev_here;
	p->wants = r->prev_wants && r->prev_pid;
}

static void task_in(struct who *w, const struct trace_record *r)
{
	struct piece *p = stretch_find(&w->queue, WHO_TASK, r->next_pid, w->last_ns);

	if (!p->name[0])	/* the first time in this stretch */
		p->resumed = still_one_burst(w, r->next_pid);
	set_name(p, r->next_comm);
	if (r->next_here)
		p->here = r->next_here;
	p->wants = false;
}

static void on_cpu(struct who *w, int pid, int here, const char *comm)
{
	w->away = true;
	w->task = pid;
	w->here = here;
	snprintf(w->comm, sizeof(w->comm), "%s", comm);
}

/* The loop leaves the CPU: whatever the records said before, it was there. */
static void loop_out(struct who *w, int loop_pid)
{
	if (!w->loop_pid && w->away && stretch_last(&w->queue))
		stretch_undo(&w->queue);	/* it was the loop itself, which we did not know by this id */
	w->loop_pid = loop_pid;
	w->away = false;
	finish_stretch(w);
}

/* Does the record contradict the one before? Not where that is unknown, or which thread is the loop. */
static bool is_missed(const struct who *w, const struct trace_record *r, bool from_loop)
{
	if (w->blind)
		return false;
	return w->away && !from_loop ? r->prev_pid != w->task : w->loop_pid && w->away == from_loop;
}

/* The time since the last record is nobody's. Where the loop was on the CPU at one end of it, it is not known how much of
 * that is lost at all: what of a part lies there. */
static void pass_unseen(struct who *w, bool from_loop, int64_t now)
{
	struct stretch *s = stretch_last(&w->queue);

	w->missed++;
	w->depth = 0;
	if (from_loop) {
		if (s)
			s->went_unseen = true;
	} else if (s) {
		struct piece *p = stretch_find(&w->queue, WHO_UNEXPLAINED, 0, w->last_ns);

		snprintf(p->name, sizeof(p->name), WHO_MISSED);
		p->ns += now - w->last_ns;
		p->end_ns = now;
	} else {
		w->last_ns = now;
		begin_stretch(w);
		stretch_last(&w->queue)->came_unseen = true;
	}
	if (!from_loop)
		w->last_ns = now;
}

static void task_switch(struct who *w, const struct trace_record *r, int64_t now)
{
	bool from_loop = r->prev_here ? r->prev_here == w->loop_tid : w->loop_pid && r->prev_pid == w->loop_pid;
	bool to_loop = w->loop_pid ? r->next_pid == w->loop_pid : r->next_here == w->loop_tid;

	if (is_missed(w, r, from_loop))
		pass_unseen(w, from_loop, now);
	else if (!from_loop && !w->depth && (w->blind || w->away)) {
		on_cpu(w, r->prev_pid, r->prev_here, r->prev_comm);
		begin_stretch(w);
	}
	/* Interrupts do not switch: one on the stack has lost its exit, but had the time so far. */
	if (!from_loop || w->depth)
		advance_clock(w, now);
	w->depth = 0;
	if (from_loop)
		loop_out(w, r->prev_pid);
	advance_clock(w, now);
	if (!from_loop && stretch_last(&w->queue))
		task_out(w, r);
	w->blind = w->away = false;
	if (to_loop) {
		finish_stretch(w);
	} else {
		on_cpu(w, r->next_pid, r->next_here, r->next_comm);
		begin_stretch(w);
		task_in(w, r);
	}
}

/* The depth of the frame that such a record is about, 0: none. */
static int open_frame(const struct who *w, enum who_kind kind, int id)
{
	for (int i = w->depth; i > 0; i--)
		if (w->stack[i - 1].kind == kind && w->stack[i - 1].id == id)
			return i;
	return 0;
}

static void enter(struct who *w, const struct trace_record *r)
{
	enum who_kind kind = kinds[r->class];
	struct who_frame *f;
	int open = 0;

	/* No interrupt interrupts itself, and no softirq another: the exit went missing. */
	if (kind == WHO_SOFTIRQ) {
		for (int i = w->depth; i > 0; i--)
			if (w->stack[i - 1].kind == WHO_SOFTIRQ)
				open = i;
	} else {
		open = open_frame(w, kind, r->id);
	}
	if (open)
		w->depth = open - 1;
	begin_stretch(w);
	if (w->depth == DEPTH)
		w->depth--;
	f = &w->stack[w->depth++];
	f->kind = kind;
	f->id = r->id;
	snprintf(f->name, sizeof(f->name), "%s", r->name);
	top(w);
}

static void leave_frame(struct who *w, const struct trace_record *r)
{
	int open = open_frame(w, kinds[r->class], r->id);

	if (!open)
		return;
	w->depth = open - 1;
	if (!w->depth && !w->away)
		finish_stretch(w);
}

void who_record(struct who *w, const struct trace_record *r)
{
	int64_t now = r->time_ns;

	if (!w->begun || now < w->last_ns) {
		if (!w->begun)
			w->last_ns = now;
		w->begun = true;
		now = w->last_ns;
	}
	switch (r->kind) {
	case TRACE_SWITCH:
		task_switch(w, r, now);
		break;
	case TRACE_ENTER:
		advance_clock(w, now);
		enter(w, r);
		break;
	case TRACE_EXIT:
		advance_clock(w, now);
		leave_frame(w, r);
		break;
	case TRACE_LOST:
		finish_stretch(w);
		w->depth = 0;
		w->away = false;
		w->blind = true;
		w->last_ns = now;
		break;
	}
}

size_t who_part(struct who *w, int64_t start_ns, int64_t end_ns, struct who_share *out, size_t max)
{
	const struct stretch *s = stretch_last(&w->queue);

	if (s && s->start_ns < start_ns - SKEW_NS) {	/* the loop ran at start_ns: a record is missing */
		finish_stretch(w);
		w->depth = 0;
		w->away = false;
	}
	advance_clock(w, end_ns);
	if (start_ns < w->queue.forgotten_ns)
		w->late++;
	stretch_drop(&w->queue, start_ns);
	return part_shares(&w->queue, start_ns, end_ns, SKEW_NS, out, max);
}

bool who_continues(const struct who_share *share, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (share[i].resumed)
			return true;
	return false;
}

bool who_is_tick(const struct who_share *share, size_t n)
{
	static const char *const raised[] = { "TIMER", "SCHED", "RCU", "HRTIMER" };
	bool timer = false;

	for (size_t i = 0; i < n; i++) {
		bool of_tick = share[i].kind == WHO_TIMER;

		for (size_t k = 0; share[i].kind == WHO_SOFTIRQ && k < sizeof(raised) / sizeof(*raised); k++)
			of_tick |= !strcmp(share[i].name, raised[k]);
		if (!of_tick || share[i].residue_ns > WHO_WAY_NS)
			return false;
		timer |= share[i].kind == WHO_TIMER;
	}
	return timer;
}
