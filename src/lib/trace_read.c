// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_read.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* The tracepoints; entries have odd indexes, exits even ones. */
static const struct traced_point {
	const char *event;
	enum trace_class class;
	const char *number, *name; /* fields of id and name; a name after ' is a constant */
} points[TRACE_POINTS] = {
	{ "sched/sched_switch", 0, NULL, NULL },
	{ "irq/irq_handler_entry", TRACE_IRQ, "irq", "name" },
	{ "irq/irq_handler_exit", TRACE_IRQ, "irq", NULL },
	{ "irq/softirq_entry", TRACE_SOFTIRQ, "vec", NULL },
	{ "irq/softirq_exit", TRACE_SOFTIRQ, "vec", NULL },
	{ "irq_vectors/local_timer_entry", TRACE_TIMER, "vector", "'local timer" },
	{ "irq_vectors/local_timer_exit", TRACE_TIMER, "vector", NULL },
	{ "irq_vectors/reschedule_entry", TRACE_RESCHED, "vector", "'reschedule" },
	{ "irq_vectors/reschedule_exit", TRACE_RESCHED, "vector", NULL },
	{ "irq_vectors/call_function_entry", TRACE_CALL, "vector", "'function call" },
	{ "irq_vectors/call_function_exit", TRACE_CALL, "vector", NULL },
	{ "irq_vectors/call_function_single_entry", TRACE_CALL, "vector", "'function call" },
	{ "irq_vectors/call_function_single_exit", TRACE_CALL, "vector", NULL },
	/* arm has no irq_vectors: its timer is an interrupt with a handler. irq_work is omitted, since perf uses it itself. */
	{ "ipi/ipi_entry", TRACE_CALL, NULL, "'inter-processor" },
	{ "ipi/ipi_exit", TRACE_CALL, NULL, NULL },
};
#define FIRST_VECTOR 5
#define FIRST_IPI 13

static void add_missing_name(struct tracepoint_formats *p, int i)
{
	size_t n = strlen(p->missing);

	snprintf(p->missing + n, sizeof(p->missing) - n, "%s%s", n ? " " : "", strchr(points[i].event, '/') + 1);
}

/* The exit of an entry, or the entry of an exit. */
static int partner_point(int i)
{
	return i % 2 ? i + 1 : i - 1;
}

int tracepoint_drop_pair(struct tracepoint_formats *p, int i)
{
	if (p->id[i] >= 0) {
		add_missing_name(p, i);
		add_missing_name(p, partner_point(i));
	}
	p->id[i] = p->id[partner_point(i)] = -1;
	return partner_point(i);
}

int tracepoint_formats_parse(struct tracepoint_formats *p, char (*text)[TRACEFS_TEXT])
{
	bool have_ipi;

	memset(p, 0, sizeof(*p));
	for (int i = 0; i < TRACE_POINTS; i++) {
		p->id[i] = tracefs_event_id(text[i]);
		if (points[i].number)
			p->number[i] = tracefs_find_field(text[i], points[i].number);
		if (points[i].name && points[i].name[0] != '\'')
			p->name[i] = tracefs_find_field(text[i], points[i].name);
	}
	for (int i = 1; i < TRACE_POINTS; i++)
		if (p->id[partner_point(i)] < 0)
			p->id[i] = -1;
	have_ipi = p->id[FIRST_IPI] >= 0;
	for (int i = 1; i < TRACE_POINTS; i++)
		if (p->id[i] < 0 && (i < FIRST_VECTOR || (!have_ipi && i < FIRST_IPI)))
			add_missing_name(p, i);
	p->type = tracefs_find_field(text[0], "common_type");
	p->prev_pid = tracefs_find_field(text[0], "prev_pid");
	p->prev_comm = tracefs_find_field(text[0], "prev_comm");
	p->prev_state = tracefs_find_field(text[0], "prev_state");
	p->next_pid = tracefs_find_field(text[0], "next_pid");
	p->next_comm = tracefs_find_field(text[0], "next_comm");
	return p->id[0] < 0 || !p->type.size || !p->prev_pid.size || !p->next_pid.size ? -ENOENT : 0;
}

int tracepoint_formats_read(struct tracepoint_formats *p, size_t n)
{
	char(*text)[TRACEFS_TEXT] = memory_new(TRACE_POINTS, sizeof(*text));
	char ours[64] = "";
	int dir = tracefs_open_events(), err = dir < 0 ? dir : 0;

	for (size_t i = 0; i < n && !err; i++)
		err = tracefs_read_format(dir, points[i].event, text[i]);
	if (dir >= 0)
		close(dir);
	if (!err)
		err = tracepoint_formats_parse(p, text);
	free(text);
	/* the inode of the initial pid namespace is a constant of the kernel */
	p->initial = readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) > 0 && !strcmp(ours, "pid:[4026531836]");
	return err;
}

static void copy_text_field(const char *raw, size_t size, size_t offset, size_t length, char *out, size_t room)
{
	out[0] = '\0';
	if (offset > size)
		return;
	if (length > size - offset)
		length = size - offset;
	if (length > room - 1)
		length = room - 1;
	length = strnlen(raw + offset, length);
	memcpy(out, raw + offset, length);
	out[length] = '\0';
}

static void decode_interrupt_name(const struct tracepoint_formats *p, int i, const char *raw, size_t size, struct trace_record *out)
{
	/* in the order of their vectors, which is that of /proc/softirqs */
	static const char *const softirqs[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
	};
	const char *word = points[i].name;

	if (points[i].class == TRACE_SOFTIRQ && (size_t)out->id < sizeof(softirqs) / sizeof(*softirqs)) {
		snprintf(out->name, sizeof(out->name), "%s", softirqs[out->id]);
	} else if (points[i].class == TRACE_SOFTIRQ) {
		snprintf(out->name, sizeof(out->name), "softirq %d", out->id);
	} else if (word && word[0] == '\'') {
		snprintf(out->name, sizeof(out->name), "%s", word + 1);
	} else if (p->name[i].size == 4) { /* __data_loc: where the text is, and its length above */
		uint32_t where = (uint32_t)tracefs_field_value(raw, size, p->name[i]);

		copy_text_field(raw, size, where & 0xffff, where >> 16, out->name, sizeof(out->name));
	}
}

static void decode_task_switch(struct tracepoint_formats *p, const struct tracepoint_sample *at, struct trace_record *out)
{
	const char *raw = at->raw;
	size_t size = at->size;
	struct thread_ids *prev, *next;

	out->prev_pid = (int)tracefs_field_value(raw, size, p->prev_pid);
	out->next_pid = (int)tracefs_field_value(raw, size, p->next_pid);
	copy_text_field(raw, size, (size_t)p->prev_comm.offset, (size_t)p->prev_comm.size, out->prev_comm, sizeof(out->prev_comm));
	copy_text_field(raw, size, (size_t)p->next_comm.offset, (size_t)p->next_comm.size, out->next_comm, sizeof(out->next_comm));
	/* the low eight bits are the task state, 0: runnable; "preempted" is a higher bit */
	out->prev_wants = p->prev_state.size && !(tracefs_field_value(raw, size, p->prev_state) & 0xff);
	/* the sample was taken in the previous thread; an exiting thread has no id any more: use the one seen before */
	prev = &p->thread[(unsigned)out->prev_pid % TRACE_THREADS];
	next = &p->thread[(unsigned)out->next_pid % TRACE_THREADS];
	if (at->tid > 0 && out->prev_pid > 0)
		*prev = (struct thread_ids){ out->prev_pid, at->tid, at->pid };
	out->prev_here = p->initial ? out->prev_pid : prev->pid == out->prev_pid ? prev->here : 0;
	out->next_here = p->initial ? out->next_pid : next->pid == out->next_pid ? next->here : 0;
	out->prev_process = prev->pid == out->prev_pid ? prev->process : 0;
	out->next_process = next->pid == out->next_pid ? next->process : 0;
}

static bool decode_trace_sample(struct tracepoint_formats *p, const struct tracepoint_sample *at, struct trace_record *out)
{
	int type, i = 0;

	if (!p->type.size)
		return false;
	type = (int)tracefs_field_value(at->raw, at->size, p->type);
	while (i < TRACE_POINTS && p->id[i] != type)
		i++;
	if (i == TRACE_POINTS)
		return false;
	out->time_ns = at->time_ns;
	out->kind = i == 0 ? TRACE_SWITCH : i % 2 ? TRACE_ENTER : TRACE_EXIT;
	if (i == 0) {
		decode_task_switch(p, at, out);
		return true;
	}
	out->class = points[i].class;
	out->id = p->number[i].size ? (int)tracefs_field_value(at->raw, at->size, p->number[i]) : 0;
	if (out->kind == TRACE_ENTER)
		decode_interrupt_name(p, i, at->raw, at->size, out);
	return true;
}

bool trace_decode_record(struct tracepoint_formats *p, const struct perf_event_header *header, struct trace_record *out,
			 int64_t *lost)
{
	struct tracepoint_sample at;
	int64_t gone;

	memset(out, 0, sizeof(*out));
	if (tracepoint_decode_sample(header, &at))
		return decode_trace_sample(p, &at, out);
	gone = tracepoint_decode_lost(header, &out->time_ns);
	if (!gone)
		return false;
	*lost += gone;
	out->kind = TRACE_LOST;
	return true;
}
