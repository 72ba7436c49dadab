// SPDX-License-Identifier: GPL-3.0-or-later
#include "logs.h"
#include "scale.h"

#include <errno.h>

void bins_init(struct timeline_bins *b, int64_t start_ns, int64_t bin_ns, void (*each)(void *, int64_t, int64_t, int64_t, int64_t),
	       void *arg)
{
	*b = (struct timeline_bins){
		.bin_ns = bin_ns, .start_ns = start_ns, .end_ns = start_ns + bin_ns, .each = each, .arg = arg
	};
}

/* Ends the current bin at `upto_ns`, where the next one begins. */
static void emit_bin(struct timeline_bins *b, int64_t upto_ns)
{
	b->each(b->arg, b->start_ns, upto_ns - b->start_ns, b->lost_ns, b->tick_ns);
	b->start_ns = upto_ns;
	b->lost_ns = b->tick_ns = 0;
	if (upto_ns == b->end_ns)
		b->end_ns += b->bin_ns;
}

void bins_flush(struct timeline_bins *b, int64_t now_ns)
{
	while (now_ns >= b->end_ns)
		emit_bin(b, b->end_ns);
}

void bins_skip(struct timeline_bins *b, int64_t from_ns, int64_t to_ns)
{
	if (to_ns <= b->start_ns)
		return;
	bins_finish(b, from_ns);
	b->start_ns = to_ns;
	if (to_ns >= b->end_ns)
		b->end_ns += ((to_ns - b->end_ns) / b->bin_ns + 1) * b->bin_ns;
}

void bins_add_gap(struct timeline_bins *b, int64_t start_ns, int64_t end_ns, int64_t lost_ns, bool tick)
{
	int64_t *sum = tick ? &b->tick_ns : &b->lost_ns;
	int64_t length = end_ns - start_ns, given = 0;

	bins_flush(b, start_ns);
	while (end_ns > b->end_ns) {
		/* Lost time of the gap up to the end of this bin, from the start of the gap, so that no rounding error adds up; rounded down,
		 * since a bin cannot lose more than its length. */
		int64_t upto = scale_down(lost_ns, b->end_ns - start_ns, length);

		*sum += upto - given;
		given = upto;
		emit_bin(b, b->end_ns);
	}
	*sum += lost_ns - given;
}

void bins_finish(struct timeline_bins *b, int64_t end_ns)
{
	bins_flush(b, end_ns);
	if (end_ns > b->start_ns)
		emit_bin(b, end_ns);
}

int logs_open(struct profile_logs *l, const char **failed)
{
	static const char *const event[] = { "cpu", "start_ns", "lost_ns", "span_ns", "parts", "kind", "who", NULL };
	static const char *const culprit[] = { "cpu", "start_ns", "end_ns", "culprit", "kind", "pid", "ns", NULL };
	static const char *const bin[] = { "cpu", "start_ns", "bin_ns", "lost_ns", "tick_ns", NULL };
	static const struct {
		const char *schema;
		const char *const *columns;
	} tables[LOGS] = {
		[LOGS_EVENTS] = { "lost/1", event },
		[LOGS_CULPRITS] = { "culprit/1", culprit },
		[LOGS_BINS] = { "utilisation/1", bin },
	};

	for (int i = 0; i < LOGS; i++) {
		if (!l->path[i])
			continue;
		*failed = l->path[i];
		l->table[i] = rows_open_new(l->path[i], tables[i].schema, tables[i].columns);
		if (!l->table[i])
			return -errno;
	}
	return 0;
}

void logs_write_event(struct profile_logs *l, int cpu, const struct lost_time_event *e, bool named)
{
	const struct event_culprit *most = named ? event_culprits_largest(&e->who) : NULL;
	struct row_file *t = l->table[LOGS_EVENTS];

	if (!t)
		return;
	rows_write_ints(t, cpu, e->start_ns, e->lost_ns, e->end_ns - e->start_ns, e->parts);
	rows_write_str(t, e->tick ? "tick" : "event");
	if (most)
		rows_write_str(t, most->name);
	else
		rows_write_empty(t);
	rows_end_row(t);
	l->rows++;
}

void logs_write_culprits(struct profile_logs *l, int cpu, const struct lost_time_event *e)
{
	struct row_file *t = l->table[LOGS_CULPRITS];

	for (size_t i = 0; t && i < e->who.n; i++) {
		const struct event_culprit *k = &e->who.at[i];

		rows_write_ints(t, cpu, k->start_ns, k->end_ns);
		rows_write_str(t, k->name);
		rows_write_str(t, culprit_kind_name(k->kind));
		if (k->pid)
			rows_write_int(t, k->pid);
		else
			rows_write_empty(t);
		rows_write_int(t, k->ns);
		rows_end_row(t);
		l->rows++;
	}
}

void logs_write_bin(struct profile_logs *l, int cpu, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns)
{
	struct row_file *t = l->table[LOGS_BINS];

	if (!t)
		return;
	rows_write_ints(t, cpu, start_ns, bin_ns, lost_ns, tick_ns);
	rows_end_row(t);
	l->rows++;
}

void logs_flush(struct profile_logs *l)
{
	for (int i = 0; i < LOGS; i++) {
		if (!l->table[i] || !rows_flush(l->table[i]))
			continue;
		l->err[i] = rows_close(l->table[i]);
		l->table[i] = NULL;
	}
}

int logs_take_error(struct profile_logs *l, const char **failed)
{
	for (int i = 0; i < LOGS; i++) {
		int err = l->err[i];

		if (!err)
			continue;
		l->err[i] = 0;
		*failed = l->path[i];
		return err;
	}
	return 0;
}

void logs_close(struct profile_logs *l)
{
	for (int i = 0; i < LOGS; i++) {
		if (l->table[i])
			l->err[i] = rows_close(l->table[i]);
		l->table[i] = NULL;
	}
}
