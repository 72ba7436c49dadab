// SPDX-License-Identifier: GPL-3.0-or-later
#include "login.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct room {
	struct means m;
	double *x, *y;
};

/* A figure of the processes, or of the kernel's accounts. */
struct figure {
	const char *name;
	int sum, account;	/* one of them is -1 */
};

static double value(const struct login_reading *r, const struct figure *f)
{
	return f->sum >= 0 ? r->sum[f->sum] : r->account[f->account];
}

static void collect(const struct login_run *run, const struct login_system *s, size_t step, const struct figure *f, struct means *m)
{
	m->n = 0;
	for (int64_t r = 0; r < run->repeats; r++)
		if (s->complete[r])
			means_add(m, value(login_at(run, s, r, step), f));
}

static const char *const summary_columns[] = {
	"system", "protocol", "kind", "logins", "state", "repeats", "failed", "marked", "processes", "threads",
	"private_bytes", "private_bytes_low", "private_bytes_high", "private_clean_bytes", "private_clean_bytes_low", "private_clean_bytes_high",
	"pss_bytes", "pss_bytes_low", "pss_bytes_high", "group_bytes", "group_bytes_low", "group_bytes_high",
	"server_bytes", "server_bytes_low", "server_bytes_high", "private_dirty_bytes", "swap_bytes", "shared_bytes", "page_tables_bytes",
	"group_kernel_bytes", "group_shared_memory_bytes", "group_file_cache_bytes", "machine_bytes", "lab_bytes", "machine_processes_bytes",
	"machine_kernel_bytes", "machine_file_cache_bytes", "machine_total_bytes", NULL,
};

static void write_reading(struct rows *t, const struct login_run *run, const struct login_system *s, size_t step, struct means *m)
{
	static const struct figure counts[] = { { "processes", LOGIN_PROCESSES, -1 }, { "threads", LOGIN_THREADS, -1 } };
	static const struct figure spread[] = { { "private", LOGIN_PRIVATE, -1 }, { "clean", LOGIN_CLEAN, -1 }, { "pss", LOGIN_PSS, -1 },
						{ "group", -1, LOGIN_GROUP }, { "server", -1, LOGIN_SERVER } };
	static const struct figure plain[] = { { "dirty", LOGIN_DIRTY, -1 }, { "swap", LOGIN_SWAP, -1 }, { "shared", LOGIN_SHARED, -1 },
					       { "tables", LOGIN_TABLES, -1 }, { "group_kernel", -1, LOGIN_GROUP_KERNEL },
					       { "group_shm", -1, LOGIN_GROUP_SHARED_MEMORY }, { "group_cache", -1, LOGIN_GROUP_CACHE },
					       { "machine", -1, LOGIN_MACHINE }, { "lab", -1, LOGIN_LAB },
					       { "machine_processes", -1, LOGIN_MACHINE_PROCESSES }, { "machine_kernel", -1, LOGIN_MACHINE_KERNEL },
					       { "machine_cache", -1, LOGIN_MACHINE_CACHE }, { "machine_total", -1, LOGIN_MACHINE_TOTAL } };
	int64_t complete = 0, marked = 0;

	for (int64_t r = 0; r < run->repeats; r++) {
		complete += s->complete[r];
		marked += s->complete[r] && s->marked[r];
	}
	rows_str(t, s->name);
	rows_str(t, s->protocol);
	rows_str(t, s->kind);
	rows_int(t, run->logins[step]);
	rows_str(t, complete ? "measured" : "failed");
	rows_int(t, complete);
	rows_int(t, run->repeats - complete);
	rows_int(t, marked);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		collect(run, s, step, &counts[i], m);
		whole_number(t, means_of(m), 2);
	}
	for (size_t i = 0; i < sizeof(spread) / sizeof(*spread); i++) {
		collect(run, s, step, &spread[i], m);
		means_write(t, m, 0, 0, run->seed);
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		collect(run, s, step, &plain[i], m);
		whole_number(t, means_of(m), 0);
	}
	rows_end(t);
}

static const char *const slope_columns[] = {
	"system", "what", "repeats", "logins_min", "logins_max", "slope_bytes", "slope_bytes_low", "slope_bytes_high", "start_bytes", "start_bytes_low",
	"start_bytes_high", NULL,
};

/* One line per repeat, through all numbers of logins but none: the first may cost more than each that follows. */
static void write_slope(struct rows *t, const struct login_run *run, const struct login_system *s, const struct figure *f, struct room *room)
{
	struct means starts = { room->y + run->steps, 0 };

	room->m.n = 0;
	for (int64_t r = 0; r < run->repeats; r++) {
		double start, slope;
		size_t n = 0;

		if (!s->complete[r])
			continue;
		for (size_t step = 1; step < run->steps; step++) {
			double y = value(login_at(run, s, r, step), f);

			if (!isfinite(y))
				continue;
			room->x[n] = (double)run->logins[step];
			room->y[n++] = y;
		}
		slope = n ? means_slope(room->x, room->y, n, &start) : (double)NAN;
		if (!isfinite(slope))
			continue;
		means_add(&room->m, slope);
		means_add(&starts, start);
	}
	if (!room->m.n)
		return;
	rows_str(t, s->name);
	rows_str(t, f->name);
	rows_int(t, (int64_t)room->m.n);
	rows_int(t, run->logins[1]);
	rows_int(t, run->logins[run->steps - 1]);
	means_write(t, &room->m, -INFINITY, 0, run->seed);
	means_write(t, &starts, -INFINITY, 0, run->seed);
	rows_end(t);
}

static const char *const who_columns[] = {
	"system", "logins", "name", "class", "count", "threads", "private_bytes", "private_bytes_low", "private_bytes_high", "private_dirty_bytes", "swap_bytes",
	"private_clean_bytes", "pss_bytes", "shared_bytes", "page_tables_bytes", NULL,
};

/* The largest first. */
static int by_private(const void *a, const void *b, void *context)
{
	const struct login_kind *kind[2] = { a, b };
	const struct login_run *run = context;
	double all[2] = { 0, 0 };

	for (size_t i = 0; i < 2; i++)
		for (size_t at = 0; at < (size_t)run->repeats * run->steps; at++)
			all[i] += kind[i]->sum[at][LOGIN_PRIVATE];
	return (all[0] < all[1]) - (all[0] > all[1]);
}

static void write_kind(struct rows *t, const struct login_run *run, const struct login_system *s, const struct login_kind *k, size_t step, struct means *m)
{
	static const enum login_figure plain[] = { LOGIN_DIRTY, LOGIN_SWAP, LOGIN_CLEAN, LOGIN_PSS, LOGIN_SHARED, LOGIN_TABLES };
	enum login_figure all[] = { LOGIN_PROCESSES, LOGIN_THREADS, LOGIN_PRIVATE, 0 };
	double of = (double)run->logins[step];

	rows_str(t, s->name);
	rows_int(t, run->logins[step]);
	rows_str(t, k->name);
	rows_str(t, k->class);
	for (size_t i = 0; i < 3 + sizeof(plain) / sizeof(*plain); i++) {
		enum login_figure f = i < 3 ? all[i] : plain[i - 3];

		m->n = 0;
		for (int64_t r = 0; r < run->repeats; r++)
			if (s->complete[r])
				means_add(m, k->sum[(size_t)r * run->steps + step][f] / of);
		if (f == LOGIN_PRIVATE)
			means_write(t, m, 0, 0, run->seed);
		else
			whole_number(t, means_of(m), i < 2 ? 2 : 0);
	}
	rows_end(t);
}

static int write_summary(const char *folder, const struct login_run *run, struct room *room)
{
	struct whole w;
	int err = whole_open(&w, folder, "summary.tsv", "login/1", summary_columns);

	if (err)
		return err;
	for (size_t s = 0; s < run->systems; s++)
		for (size_t step = 0; step < run->steps; step++)
			write_reading(w.rows, run, &run->system[s], step, &room->m);
	return whole_close(&w);
}

static int write_slopes(const char *folder, const struct login_run *run, struct room *room)
{
	static const struct figure figures[] = { { "private", LOGIN_PRIVATE, -1 }, { "private_clean", LOGIN_CLEAN, -1 }, { "pss", LOGIN_PSS, -1 },
						 { "page_tables", LOGIN_TABLES, -1 }, { "group", -1, LOGIN_GROUP }, { "server", -1, LOGIN_SERVER } };
	struct whole w;
	int err = whole_open(&w, folder, "slope.tsv", "login-slope/1", slope_columns);

	if (err)
		return err;
	for (size_t s = 0; s < run->systems; s++)
		for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
			write_slope(w.rows, run, &run->system[s], &figures[i], room);
	return whole_close(&w);
}

static int write_who(const char *folder, const struct login_run *run, struct room *room)
{
	struct whole w;
	int err = whole_open(&w, folder, "who.tsv", "login-who/1", who_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		struct login_system *s = &run->system[i];

		if (s->processes)
			qsort_r(s->process, s->processes, sizeof(*s->process), by_private, (void *)(uintptr_t)run);
		for (size_t step = 1; step < run->steps; step++)
			for (size_t k = 0; k < s->processes; k++)
				write_kind(w.rows, run, s, &s->process[k], step, &room->m);
	}
	return whole_close(&w);
}

int login_tables(const char *folder, const struct login_run *run, const char **file)
{
	size_t repeats = (size_t)run->repeats + 1;
	struct room room = { .m.v = calloc(repeats, sizeof(double)), .x = calloc(run->steps, sizeof(double)), .y = calloc(run->steps + repeats, sizeof(double)) };
	int err = room.m.v && room.x && room.y ? 0 : -ENOMEM;

	*file = "summary.tsv";
	err = err ? err : write_summary(folder, run, &room);
	if (!err) {
		*file = "slope.tsv";
		err = write_slopes(folder, run, &room);
	}
	if (!err) {
		*file = "who.tsv";
		err = write_who(folder, run, &room);
	}
	free(room.m.v);
	free(room.x);
	free(room.y);
	return err;
}
