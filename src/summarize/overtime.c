// SPDX-License-Identifier: GPL-3.0-or-later
#include "overtime.h"
#include "inputs.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct reading {
	struct overtime *out;
	int64_t time_ns, wall_ns, own_ns;	/* of the row before; time 0: none */
	size_t room;
};

static int64_t piece_of(const struct overtime *t, int64_t time_ns)
{
	int64_t at = time_ns - t->origin_ns, n = at / t->piece_ns;

	return n * t->piece_ns > at ? n - 1 : n;	/* downwards, also before the origin */
}

/* Rows come in the order of time, so pieces are only added at the end. */
static int make_room(struct reading *r, int64_t piece)
{
	struct overtime *t = r->out;
	size_t n;
	double *bytes, *cpu;

	if (!t->n)
		t->first = piece;
	if (piece < t->first || piece - t->first >= OVERTIME_MAX)
		return -EPROTO;
	n = (size_t)(piece - t->first) + 1;
	if (n <= t->n)
		return 0;
	if (n > r->room) {
		size_t room = n * 2;

		bytes = realloc(t->bytes, room * sizeof(*bytes));
		if (bytes)
			t->bytes = bytes;
		cpu = realloc(t->cpu_percent, room * sizeof(*cpu));
		if (cpu)
			t->cpu_percent = cpu;
		if (!bytes || !cpu)
			return -ENOMEM;
		r->room = room;
	}
	for (; t->n < n; t->n++) {
		t->bytes[t->n] = 0;
		t->cpu_percent[t->n] = NAN;
	}
	return 0;
}

static int traffic_row(void *context, char *const *cell)
{
	struct reading *r = context;
	int64_t start, bytes, piece;
	int err;

	if (!rows_in_count(cell[0], &start) || !rows_in_count(cell[1], &bytes))
		return -EPROTO;
	piece = piece_of(r->out, start);
	err = make_room(r, piece);
	if (!err)
		r->out->bytes[piece - r->out->first] += (double)bytes;
	return err;
}

/* Between two looks, for the piece in which the middle of it lies; outside of the captured time for none. */
static int cpu_row(void *context, char *const *cell)
{
	struct reading *r = context;
	int64_t time, wall, own, piece;

	if (!rows_in_count(cell[0], &time) || !rows_in_count(cell[1], &wall) || !rows_in_count(cell[2], &own))
		return -EPROTO;
	piece = piece_of(r->out, (r->time_ns + time) / 2) - r->out->first;
	if (r->time_ns && wall > r->wall_ns && piece >= 0 && piece < (int64_t)r->out->n)
		r->out->cpu_percent[piece] = 100.0 * (double)(own - r->own_ns) / (double)(wall - r->wall_ns);
	r->time_ns = time;
	r->wall_ns = wall;
	r->own_ns = own;
	return 0;
}

static int read_traffic(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "bin_start_ns", "display_wire_bytes", NULL };

	return rows_in_read(in, "traffic/1", columns, 2, traffic_row, into, line);
}

static int read_cpu(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "time_ns", "wall_ns", "own_ns", NULL };

	return rows_in_read(in, "cpu/1", columns, 3, cpu_row, into, line);
}

int overtime_read(const char *folder, int64_t origin_ns, int64_t piece_ns, struct overtime *out, char *why, size_t size)
{
	struct reading r = { .out = out };
	int err;

	*out = (struct overtime){ .origin_ns = origin_ns, .piece_ns = piece_ns };
	err = inputs_rows(folder, "traffic.tsv", true, read_traffic, &r, why, size);
	if (!err)
		err = inputs_rows(folder, "cpu.tsv", false, read_cpu, &r, why, size);
	if (err)
		overtime_free(out);
	return err;
}

void overtime_free(struct overtime *t)
{
	free(t->bytes);
	free(t->cpu_percent);
	*t = (struct overtime){ 0 };
}
