// SPDX-License-Identifier: GPL-3.0-or-later
#include "overtime.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PIECE_NS ((int64_t)(OVERTIME_PIECE_S * 1e9))
#define ORIGIN_MAX 1e18

struct overtime_reading {
	struct overtime *out;
	int64_t time_ns, wall_ns, own_ns;	/* of the row before; time 0: none */
};

static int64_t overtime_number(const struct overtime *t, int64_t time_ns)
{
	return (int64_t)floor((double)(time_ns - t->origin_ns) / (double)PIECE_NS);
}

/* Rows come in the order of time, so pieces are only added at the end. */
static int overtime_make_room(struct overtime *t, int64_t number)
{
	if (!t->n)
		t->first = number;
	if (number < t->first || number - t->first >= OVERTIME_MAX)
		return -EPROTO;
	if ((size_t)(number - t->first) >= t->room) {
		size_t room = 2 * (size_t)(number - t->first) + 64;
		struct overtime_piece *more = reallocarray(t->piece, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->piece = more;
		t->room = room;
	}
	while (t->n <= (size_t)(number - t->first))
		t->piece[t->n++] = (struct overtime_piece){ 0, NAN };
	return 0;
}

static int overtime_traffic_row(void *context, char *const *cell)
{
	struct overtime *t = ((struct overtime_reading *)context)->out;
	int64_t start, bytes;
	int err;

	if (!rows_in_count(cell[0], &start) || !rows_in_count(cell[1], &bytes))
		return -EPROTO;
	err = overtime_make_room(t, overtime_number(t, start));
	if (!err)
		t->piece[overtime_number(t, start) - t->first].bytes += (double)bytes;
	return err;
}

/* Between two readings, for the piece in which the middle of them lies. */
static int overtime_cpu_row(void *context, char *const *cell)
{
	struct overtime_reading *r = context;
	int64_t time, wall, own, at;

	if (!rows_in_count(cell[0], &time) || !rows_in_count(cell[1], &wall) || !rows_in_count(cell[2], &own))
		return -EPROTO;
	at = overtime_number(r->out, (r->time_ns + time) / 2) - r->out->first;
	if (r->time_ns && wall > r->wall_ns && at >= 0 && at < (int64_t)r->out->n)
		r->out->piece[at].cpu_percent = 100.0 * (double)(own - r->own_ns) / (double)(wall - r->wall_ns);
	r->time_ns = time;
	r->wall_ns = wall;
	r->own_ns = own;
	return 0;
}

static int overtime_traffic(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "bin_start_ns", "display_wire_bytes", NULL };

	return rows_in_read(in, "traffic/1", columns, 2, overtime_traffic_row, into, line);
}

static int overtime_cpu(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "time_ns", "wall_ns", "own_ns", NULL };

	return rows_in_read(in, "cpu/1", columns, 3, overtime_cpu_row, into, line);
}

int overtime_read(const struct repeat *r, const char *step, double origin_ns, struct overtime *out, struct why *why)
{
	struct overtime_reading reading = { .out = out };
	char file[128];
	int err;

	*out = (struct overtime){ 0 };
	if (!(fabs(origin_ns) < ORIGIN_MAX))
		return 0;
	out->origin_ns = (int64_t)origin_ns;
	snprintf(file, sizeof(file), "%s/traffic.tsv", step);
	err = repeat_rows(r, file, false, overtime_traffic, &reading, why);
	snprintf(file, sizeof(file), "%s/cpu.tsv", step);
	if (!err && out->n)
		err = repeat_rows(r, file, false, overtime_cpu, &reading, why);
	if (err)
		overtime_free(out);
	return err;
}

void overtime_free(struct overtime *t)
{
	free(t->piece);
	*t = (struct overtime){ 0 };
}

double overtime_mbit_per_s(double bytes)
{
	return bytes * 8 / OVERTIME_PIECE_S / 1e6;
}
