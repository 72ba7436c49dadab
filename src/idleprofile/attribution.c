// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution.h"
#include "memory.h"

/* Maximum difference between the clocks of the loop and of the records. A state of "loop off the CPU" that lasts longer while the
 * loop runs is false. */
#define SKEW_NS 20000

static const enum culprit_kind kinds[] = {
	[TRACE_IRQ] = CULPRIT_IRQ,	   [TRACE_SOFTIRQ] = CULPRIT_SOFTIRQ, [TRACE_TIMER] = CULPRIT_TIMER,
	[TRACE_RESCHED] = CULPRIT_RESCHED, [TRACE_CALL] = CULPRIT_CALL,
};

struct attribution *attribution_new(int loop_tid)
{
	struct attribution *w = memory_new(1, sizeof(*w));

	w->loop_tid = loop_tid;
	w->blind = true;
	return w;
}

static void set_slice_name(struct busy_slice *p, const char *name)
{
	if (name[0] && p->id >= 0)
		snprintf(p->name, sizeof(p->name), "%s", name);
}

/* The slice, in the open busy interval, of the innermost interrupt or task now. */
static struct busy_slice *find_innermost_slice(struct attribution *w)
{
	struct busy_slice *p;

	if (w->depth) {
		const struct nested_interrupt *f = &w->stack[w->depth - 1];

		p = busy_ensure_slice(&w->queue, f->kind, f->id, w->last_ns);
		if (!p->name[0])
			set_slice_name(p, f->name);
		return p;
	}
	p = busy_ensure_slice(&w->queue, CULPRIT_TASK, w->task, w->last_ns);
	if (!p->name[0]) {
		set_slice_name(p, w->comm);
		p->here = w->here;
	}
	return p;
}

/* Counts the time since the last record for the culprit that ran in it. */
static void credit_elapsed_time(struct attribution *w, int64_t now)
{
	if (busy_open_interval(&w->queue) && now > w->last_ns && (w->depth || w->away)) {
		struct busy_slice *p = find_innermost_slice(w);

		p->ns += now - w->last_ns;
		p->end_ns = now;
	}
	if (now > w->last_ns)
		w->last_ns = now;
}

static struct preempted_task *find_preempted_task(struct attribution *w, int task)
{
	for (int i = 0; i < ATTRIBUTION_WAITING; i++)
		if (w->waiting[i].task == task)
			return &w->waiting[i];
	return NULL;
}

static void begin_busy_interval(struct attribution *w)
{
	if (!busy_open_interval(&w->queue))
		busy_begin_interval(&w->queue, w->last_ns);
}

static void end_busy_interval(struct attribution *w)
{
	struct busy_interval *s = busy_open_interval(&w->queue);

	if (!s)
		return;
	w->away_ns += w->last_ns - s->start_ns;
	for (size_t i = 0; i < s->n; i++) {
		const struct busy_slice *p = busy_slice_at(&w->queue, s, i);
		struct preempted_task *slot = &w->waiting[0];

		if (p->kind != CULPRIT_TASK || !p->wants || p->id <= 0)
			continue;
		for (int k = 0; k < ATTRIBUTION_WAITING; k++) { /* the task's own slot, else a free one, else the oldest */
			struct preempted_task *at = &w->waiting[k];

			if (at->task == p->id || (slot->task != p->id && at->since_ns < slot->since_ns))
				slot = at;
		}
		*slot = (struct preempted_task){ p->id, w->last_ns, w->away_ns };
	}
	busy_end_interval(&w->queue, w->last_ns);
}

static bool take_resumed_burst(struct attribution *w, int task)
{
	struct preempted_task *at = find_preempted_task(w, task);
	struct busy_interval *s = busy_open_interval(&w->queue);
	int64_t loop_ns;

	if (!task || !at)
		return false;
	loop_ns = s->start_ns - at->since_ns - (w->away_ns - at->away_ns);
	memset(at, 0, sizeof(*at));
	return loop_ns < BURST_PAUSE_NS;
}

static void note_task_left(struct attribution *w, const struct trace_record *r)
{
	struct busy_slice *p = busy_ensure_slice(&w->queue, CULPRIT_TASK, r->prev_pid, w->last_ns);

	set_slice_name(p, r->prev_comm);
	if (r->prev_here)
		p->here = r->prev_here;
	p->wants = r->prev_wants && r->prev_pid;
}

static void note_task_came(struct attribution *w, const struct trace_record *r)
{
	struct busy_slice *p = busy_ensure_slice(&w->queue, CULPRIT_TASK, r->next_pid, w->last_ns);

	if (!p->name[0]) /* the first time in this busy interval */
		p->resumed = take_resumed_burst(w, r->next_pid);
	set_slice_name(p, r->next_comm);
	if (r->next_here)
		p->here = r->next_here;
	p->wants = false;
}

static void set_running_task(struct attribution *w, int pid, int here, const char *comm)
{
	w->away = true;
	w->task = pid;
	w->here = here;
	snprintf(w->comm, sizeof(w->comm), "%s", comm);
}

/* Handles a switch away from the loop: the loop was on the CPU, whatever earlier records said. */
static void note_loop_ran(struct attribution *w, int loop_pid)
{
	if (!w->loop_pid && w->away && busy_open_interval(&w->queue))
		/* the interval was the loop itself, whose thread id in the initial namespace was not known */
		busy_cancel_interval(&w->queue);
	w->loop_pid = loop_pid;
	w->away = false;
	end_busy_interval(w);
}

/* Does the record contradict the one before, so that a switch between them is missing? Not if the state or the loop's thread id
 * is unknown. */
static bool is_switch_missing(const struct attribution *w, const struct trace_record *r, bool from_loop)
{
	if (w->blind)
		return false;
	return w->away && !from_loop ? r->prev_pid != w->task : w->loop_pid && w->away == from_loop;
}

/* Marks the time since the last record as unexplained. If the loop was on the CPU at one end of that time, how much of it is lost
 * is not known until a gap says so. */
static void mark_unexplained_time(struct attribution *w, bool from_loop, int64_t now)
{
	struct busy_interval *s = busy_open_interval(&w->queue);

	w->missed++;
	w->depth = 0;
	if (from_loop) {
		if (s)
			s->end_unrecorded = true;
	} else if (s) {
		struct busy_slice *p = busy_ensure_slice(&w->queue, CULPRIT_UNEXPLAINED, 0, w->last_ns);

		snprintf(p->name, sizeof(p->name), MISSED_SWITCH_NAME);
		p->ns += now - w->last_ns;
		p->end_ns = now;
	} else {
		w->last_ns = now;
		begin_busy_interval(w);
		busy_open_interval(&w->queue)->begin_unrecorded = true;
	}
	if (!from_loop)
		w->last_ns = now;
}

static void add_task_switch(struct attribution *w, const struct trace_record *r, int64_t now)
{
	bool from_loop = r->prev_here ? r->prev_here == w->loop_tid : w->loop_pid && r->prev_pid == w->loop_pid;
	bool to_loop = w->loop_pid ? r->next_pid == w->loop_pid : r->next_here == w->loop_tid;

	if (is_switch_missing(w, r, from_loop))
		mark_unexplained_time(w, from_loop, now);
	else if (!from_loop && !w->depth && (w->blind || w->away)) {
		set_running_task(w, r->prev_pid, r->prev_here, r->prev_comm);
		begin_busy_interval(w);
	}
	/* An interrupt on the stack has lost its exit record, since interrupts do not switch tasks: the time so far is the interrupt's. */
	if (!from_loop || w->depth)
		credit_elapsed_time(w, now);
	w->depth = 0;
	if (from_loop)
		note_loop_ran(w, r->prev_pid);
	credit_elapsed_time(w, now);
	if (!from_loop && busy_open_interval(&w->queue))
		note_task_left(w, r);
	w->blind = w->away = false;
	if (to_loop) {
		end_busy_interval(w);
	} else {
		set_running_task(w, r->next_pid, r->next_here, r->next_comm);
		begin_busy_interval(w);
		note_task_came(w, r);
	}
}

/* Returns the depth (from 1) of the frame of that interrupt; 0: it is not on the stack. */
static int find_interrupt(const struct attribution *w, enum culprit_kind kind, int id)
{
	for (int i = w->depth; i > 0; i--)
		if (w->stack[i - 1].kind == kind && w->stack[i - 1].id == id)
			return i;
	return 0;
}

static void enter_interrupt(struct attribution *w, const struct trace_record *r)
{
	enum culprit_kind kind = kinds[r->class];
	struct nested_interrupt *f;
	int open = 0;

	/* An interrupt does not interrupt itself, nor a softirq another softirq: the exit record of the earlier one is missing. */
	if (kind == CULPRIT_SOFTIRQ) {
		for (int i = w->depth; i > 0; i--)
			if (w->stack[i - 1].kind == CULPRIT_SOFTIRQ)
				open = i;
	} else {
		open = find_interrupt(w, kind, r->id);
	}
	if (open)
		w->depth = open - 1;
	begin_busy_interval(w);
	if (w->depth == ATTRIBUTION_DEPTH)
		w->depth--;
	f = &w->stack[w->depth++];
	f->kind = kind;
	f->id = r->id;
	snprintf(f->name, sizeof(f->name), "%s", r->name);
	find_innermost_slice(w);
}

static void leave_interrupt(struct attribution *w, const struct trace_record *r)
{
	int open = find_interrupt(w, kinds[r->class], r->id);

	if (!open)
		return;
	w->depth = open - 1;
	if (!w->depth && !w->away)
		end_busy_interval(w);
}

void attribution_add_record(struct attribution *w, const struct trace_record *r)
{
	int64_t now = r->time_ns;

	if (!w->begun || now < w->last_ns) {
		if (!w->begun)
			w->last_ns = now;
		w->begun = true;
		now = w->last_ns;
	}
	switch (r->kind) {
	case TRACE_SWITCH: add_task_switch(w, r, now); break;
	case TRACE_ENTER:
		credit_elapsed_time(w, now);
		enter_interrupt(w, r);
		break;
	case TRACE_EXIT:
		credit_elapsed_time(w, now);
		leave_interrupt(w, r);
		break;
	case TRACE_LOST:
		end_busy_interval(w);
		w->depth = 0;
		w->away = false;
		w->blind = true;
		w->last_ns = now;
		break;
	}
}

size_t attribution_split_gap(struct attribution *w, int64_t start_ns, int64_t end_ns, struct culprit_share *out, size_t max)
{
	const struct busy_interval *s = busy_open_interval(&w->queue);

	if (s && s->start_ns < start_ns - SKEW_NS) { /* the loop ran at start_ns: a record is missing */
		end_busy_interval(w);
		w->depth = 0;
		w->away = false;
	}
	credit_elapsed_time(w, end_ns);
	if (start_ns < w->queue.forgotten_ns)
		w->late++;
	busy_drop_intervals(&w->queue, start_ns);
	return busy_split_gap(&w->queue, start_ns, end_ns, SKEW_NS, out, max);
}
