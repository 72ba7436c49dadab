// SPDX-License-Identifier: GPL-3.0-or-later
/* logins_extract - memory of logins, process by process: RUN/cells/CELL/REPEAT/{samples.tsv,machine.tsv}. Parameter:
 * system, "PROTOCOL.KIND"; setting logins: the numbers at which all logins were read, ascending, beside none.
 *
 * Rows of `summary`, for each cell and number of logins: memory of all of them together, and what the kernel says
 * beside it. Of `slope`: what one more login costs, a least-squares line over the numbers of logins in each repeat
 * (none is not one of them: the first may cost more than each that follows), and where the line begins. Of `who`:
 * the processes of one login, on average over all that there were. Figures are means over the complete repeats, with
 * their interval. */
#include "engine.h"
#include "estimate.h"
#include "means.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 200
#define LOGINS_MAX 10000
#define PROCESSES_MAX 2000	/* names in one cell */
#define KIB 1024.0
#define MIB 1048576.0

/* Of processes, added up; private is private dirty and swap; pss holds the share of what is in swap too. Then the
 * kernel's accounts: the machine (server: what is in use without what the lab itself runs for the logins), and the
 * logins' memory groups. */
enum { PRIVATE, DIRTY, SWAP, CLEAN, PSS, SHARED, TABLES, PROCESSES, THREADS, SUMS,
	SERVER = SUMS, MACHINE, LAB, MACHINE_PROCESSES, MACHINE_KERNEL, MACHINE_CACHE, MACHINE_TOTAL,
	GROUP, GROUP_KERNEL, GROUP_SHARED, GROUP_CACHE, FIGURES };
static const char *const names[FIGURES] = {	/* columns are NAME_bytes, but for two */
	"private", "private_dirty", "swap", "private_clean", "pss", "shared", "page_tables", "processes", "threads",
	"server", "machine", "lab", "machine_processes", "machine_kernel", "machine_file_cache", "machine_total",
	"group", "group_kernel", "group_shared_memory", "group_file_cache",
};

/* Processes of one name and class: their sums in every reading. */
struct login_kind {
	char name[64], class[16];
	double all;			/* private, for the order */
	double (*sum)[SUMS];		/* complete repeats x steps */
};

struct login_cell {
	double (*reading)[FIGURES];	/* complete repeats x steps */
	bool *there;
	struct login_kind *kind;
	size_t kinds;
};

struct logins {
	const struct run *run;
	int64_t logins[STEPS_MAX + 1];	/* of each step; the first is 0 */
	size_t steps;
	const struct cell *c;		/* what is being read */
	size_t repeat;
	double *x, *y, *slope, *start;	/* room */
	struct login_cell cell[];
};

static void logins_close(void *state)
{
	struct logins *s = state;

	for (size_t i = 0; i < s->run->n; i++) {
		for (size_t k = 0; k < s->cell[i].kinds; k++)
			free(s->cell[i].kind[k].sum);
		free(s->cell[i].kind);
		free(s->cell[i].reading);
		free(s->cell[i].there);
	}
	free(s->x);
	free(s);
}

static void *logins_open(const struct run *run, struct why *why)
{
	struct logins *s = calloc(1, sizeof(*s) + run->n * sizeof(*s->cell));
	size_t room = (size_t)run->repeats + STEPS_MAX + 1;
	char path[64];
	int64_t n;

	if (!s || !(s->run = run, s->x = calloc(4 * room, sizeof(*s->x)))) {
		free(s);
		why_no_memory(why);
		return NULL;
	}
	s->y = s->x + room, s->slope = s->y + room, s->start = s->slope + room;
	for (s->steps = 1; s->steps <= STEPS_MAX; s->steps++) {
		snprintf(path, sizeof(path), "settings.logins.%zu", s->steps - 1);
		if (!json_get_int(run->json, path, &n))
			break;
		if (n <= s->logins[s->steps - 1] || n > LOGINS_MAX) {
			why_set(why, -EPROTO, "%s/run.json: settings.logins do not ascend", run->folder);
			logins_close(s);
			return NULL;
		}
		s->logins[s->steps] = n;
	}
	if (s->steps > 1)
		return s;
	why_set(why, -EPROTO, "%s/run.json: settings.logins cannot be read", run->folder);
	logins_close(s);
	return NULL;
}

/* Place of a reading of the repeat at hand, from a cell of a table. False: no such number of logins. */
static bool logins_place(const struct logins *s, const char *cell, size_t *at, int64_t *logins)
{
	if (!rows_in_count(cell, logins))
		return false;
	for (size_t i = 0; i < s->steps; i++)
		if (s->logins[i] == *logins) {
			*at = s->repeat * s->steps + i;
			return true;
		}
	return false;
}

static struct login_kind *logins_kind(struct logins *s, const char *name, const char *class)
{
	struct login_cell *cell = &s->cell[s->c->index];
	struct login_kind *k;

	for (size_t i = 0; i < cell->kinds; i++)
		if (!strcmp(cell->kind[i].name, name) && !strcmp(cell->kind[i].class, class))
			return &cell->kind[i];
	if (cell->kinds == PROCESSES_MAX || strlen(name) >= sizeof(k->name) || strlen(class) >= sizeof(k->class))
		return NULL;
	k = reallocarray(cell->kind, cell->kinds + 1, sizeof(*k));
	if (!k)
		return NULL;
	cell->kind = k;
	k += cell->kinds;
	*k = (struct login_kind){ .sum = calloc(s->c->n * s->steps, sizeof(*k->sum)) };
	if (!k->sum)
		return NULL;
	strcpy(k->name, name);
	strcpy(k->class, class);
	cell->kinds++;
	return k;
}

enum { P_LOGINS, P_NAME, P_CLASS, P_DIRTY, P_SWAP, P_CLEAN, P_PSS, P_SHARED, P_RSS, P_TABLES, P_THREADS, P_SWAP_PSS, P_ALL };
static const char *const process_columns[] = {
	"logins", "name", "class", "private_dirty_bytes", "swap_bytes", "private_clean_bytes", "pss_bytes", "shared_bytes", "rss_bytes",
	"page_tables_bytes", "threads", "swap_pss_bytes", NULL,
};

static int process_row(void *context, char *const *cell)
{
	struct logins *s = context;
	struct login_kind *k;
	int64_t v[P_ALL];
	double add[SUMS];
	size_t at = 0;

	if (!logins_place(s, cell[P_LOGINS], &at, &v[P_LOGINS]) || v[P_LOGINS] == 0)
		return -EPROTO;
	for (size_t i = P_DIRTY; i < P_ALL; i++) {
		v[i] = ROWS_IN_NONE;
		if (cell[i] && !rows_in_count(cell[i], &v[i]))
			return -EPROTO;
		v[i] = v[i] == ROWS_IN_NONE ? 0 : v[i];
	}
	k = logins_kind(s, cell[P_NAME], cell[P_CLASS]);
	if (!k)
		return -EPROTO;
	add[PRIVATE] = (double)(v[P_DIRTY] + v[P_SWAP]);
	add[DIRTY] = (double)v[P_DIRTY];
	add[SWAP] = (double)v[P_SWAP];
	add[CLEAN] = (double)v[P_CLEAN];
	add[PSS] = (double)(v[P_PSS] + v[P_SWAP_PSS]);
	add[SHARED] = (double)v[P_SHARED];
	add[TABLES] = (double)v[P_TABLES];
	add[PROCESSES] = 1;
	add[THREADS] = (double)v[P_THREADS];
	for (size_t f = 0; f < SUMS; f++) {
		k->sum[at][f] += add[f];
		s->cell[s->c->index].reading[at][f] += add[f];
	}
	k->all += add[PRIVATE];
	return 0;
}

static const char *const machine_columns[] = {
	"logins", "used_bytes", "lab_bytes", "processes_bytes", "kernel_bytes", "file_cache_bytes", "total_bytes",
	"group_used_bytes", "group_kernel_bytes", "group_shared_memory_bytes", "group_file_cache_bytes", NULL,
};

static int machine_row(void *context, char *const *cell)
{
	struct logins *s = context;
	struct login_cell *into = &s->cell[s->c->index];
	double *account;
	size_t at = 0;
	int64_t v;

	if (!logins_place(s, cell[0], &at, &v))
		return -EPROTO;
	account = into->reading[at];
	for (size_t i = 1, f = MACHINE; f < FIGURES; i++, f++) {
		v = ROWS_IN_NONE;
		if (cell[i] && !rows_in_count(cell[i], &v))
			return -EPROTO;
		account[f] = v == ROWS_IN_NONE ? (double)NAN : (double)v;
	}
	account[SERVER] = account[MACHINE] - account[LAB];
	into->there[at] = true;
	return 0;
}

static int read_processes(FILE *in, void *into, unsigned long *line)
{
	return rows_in_read(in, "login-memory/1", process_columns, P_RSS + 1, process_row, into, line);
}

static int read_machine(FILE *in, void *into, unsigned long *line)
{
	return rows_in_read(in, "memory/1", machine_columns, 2, machine_row, into, line);
}

static int logins_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct logins *s = state;
	struct login_cell *cell = &s->cell[c->index];
	int err;

	if (!cell->reading)
		cell->reading = calloc(c->n * s->steps, sizeof(*cell->reading));
	if (!cell->there)
		cell->there = calloc(c->n * s->steps, sizeof(*cell->there));
	if (!cell->reading || !cell->there)
		return why_no_memory(why);
	s->c = c;
	s->repeat = r->index;
	err = repeat_rows(r, "samples.tsv", true, read_processes, s, why);
	err = err ? err : repeat_rows(r, "machine.tsv", true, read_machine, s, why);
	for (size_t i = 0; !err && i < s->steps; i++)
		if (!cell->there[r->index * s->steps + i])
			err = why_set(why, -EPROTO, "%s: machine.tsv lacks a number of logins", r->folder);
	return err;
}

/* The mean over repeats of one of `width` figures that stand in an array of readings, divided by `of`. */
static struct figure logins_mean(const struct logins *s, const double *value, size_t width, size_t repeats, size_t step, double of)
{
	struct figure f = { NAN, NAN, NAN, false };

	for (size_t r = 0; r < repeats; r++)
		s->y[r] = value[(r * s->steps + step) * width] / of;
	estimate(ESTIMATE_MEAN_CI, s->y, NULL, repeats, s->run->draws, (uint64_t)s->run->seed, &f);
	return f;
}

static void logins_put(struct table_out *out, int figure, const struct figure *f, bool ends)
{
	char column[64];

	snprintf(column, sizeof(column), "%s%s", names[figure], figure == PROCESSES || figure == THREADS ? "" : "_bytes");
	if (ends)
		row_figure(out, column, f);
	else
		row_number(out, column, f->value);
}

static void logins_put_in(struct table_out *out, const char *column, const struct figure *f, double unit)
{
	row_figure(out, column, &(struct figure){ f->value / unit, f->low / unit, f->high / unit, false });
}

static void summary_row(const struct logins *s, const struct cell *c, size_t step, struct table_out *out)
{
	static const char *const in_mb[FIGURES] = { [PRIVATE] = "private_mb", [CLEAN] = "private_clean_mb", [PSS] = "pss_mb",
		[SERVER] = "server_mb", [GROUP] = "group_mb" };
	const char *system = cell_text(c, "system"), *kind = system ? strrchr(system, '.') : NULL;
	char protocol[64];

	snprintf(protocol, sizeof(protocol), "%.*s", kind ? (int)(kind - system) : 0, kind ? system : "");
	row_text(out, "system", system);
	row_text(out, "protocol", protocol);
	row_text(out, "kind", kind ? kind + 1 : NULL);
	row_number(out, "logins", (double)s->logins[step]);
	row_text(out, "state", c->complete ? "measured" : "failed");
	row_number(out, "repeats", (double)c->complete);
	row_number(out, "failed", (double)c->failed);
	row_number(out, "marked", (double)c->flagged);
	for (int f = 0; f < FIGURES && c->n; f++) {
		struct figure mean = logins_mean(s, &s->cell[c->index].reading[0][f], FIGURES, c->n, step, 1);

		logins_put(out, f, &mean, in_mb[f]);
		if (in_mb[f])
			logins_put_in(out, in_mb[f], &mean, MIB);
		if (f == PRIVATE && step)
			row_number(out, "each_mb", mean.value / MIB / (double)s->logins[step]);
	}
	row_end(out);
}

static int slope_row(const struct logins *s, const struct cell *c, int figure, struct table_out *out)
{
	struct figure slope, start;
	size_t n = 0;
	int err;

	for (size_t r = 0; r < c->n; r++) {
		size_t points = 0;

		for (size_t step = 1; step < s->steps; step++) {
			double y = s->cell[c->index].reading[r * s->steps + step][figure];

			if (!isfinite(y))
				continue;
			s->x[points] = (double)s->logins[step];
			s->y[points++] = y;
		}
		s->slope[n] = points ? means_slope(s->x, s->y, points, &s->start[n]) : (double)NAN;
		n += isfinite(s->slope[n]) ? 1 : 0;
	}
	if (!n)
		return 0;
	err = estimate(ESTIMATE_CHANGE_CI, s->slope, NULL, n, s->run->draws, (uint64_t)s->run->seed, &slope);
	err = err ? err : estimate(ESTIMATE_CHANGE_CI, s->start, NULL, n, s->run->draws, (uint64_t)s->run->seed, &start);
	if (err)
		return err;
	row_text(out, "system", cell_text(c, "system"));
	row_text(out, "what", names[figure]);
	row_number(out, "repeats", (double)n);
	row_number(out, "logins_min", (double)s->logins[1]);
	row_number(out, "logins_max", (double)s->logins[s->steps - 1]);
	row_figure(out, "slope_bytes", &slope);
	row_figure(out, "start_bytes", &start);
	logins_put_in(out, "slope_mb", &slope, MIB);
	row_end(out);
	return 0;
}

/* The largest first. */
static int by_private(const void *a, const void *b)
{
	double x = ((const struct login_kind *)a)->all, y = ((const struct login_kind *)b)->all;

	return (x < y) - (x > y);
}

static void who_rows(struct logins *s, const struct cell *c, struct table_out *out)
{
	struct login_cell *cell = &s->cell[c->index];

	if (cell->kinds)
		qsort(cell->kind, cell->kinds, sizeof(*cell->kind), by_private);
	for (size_t i = 0; i < (s->steps - 1) * cell->kinds; i++) {
		size_t step = 1 + i / cell->kinds;
		const struct login_kind *k = &cell->kind[i % cell->kinds];

		row_text(out, "system", cell_text(c, "system"));
		row_number(out, "logins", (double)s->logins[step]);
		row_text(out, "name", k->name);
		row_text(out, "class", k->class);
		for (int f = 0; f < SUMS; f++) {
			struct figure mean = logins_mean(s, &k->sum[0][f], SUMS, c->n, step, (double)s->logins[step]);

			if (f == PROCESSES)
				row_number(out, "count", mean.value);
			else
				logins_put(out, f, &mean, f == PRIVATE);
			if (f == PRIVATE)
				logins_put_in(out, "private_kb", &mean, KIB);
		}
		row_end(out);
	}
}

static int logins_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	static const int slopes[] = { PRIVATE, CLEAN, PSS, TABLES, GROUP, SERVER };
	struct logins *s = state;

	for (const struct cell *c = s->run->cell; c < s->run->cell + s->run->n; c++) {
		if (!strcmp(table, "who"))
			who_rows(s, c, out);
		for (size_t step = 0; step < s->steps && !strcmp(table, "summary"); step++)
			summary_row(s, c, step, out);
		for (size_t i = 0; i < sizeof(slopes) / sizeof(*slopes) && !strcmp(table, "slope"); i++)
			if (slope_row(s, c, slopes[i], out))
				return why_no_memory(why);
	}
	return 0;
}

const struct extractor logins_extractor = {
	.name = "logins", .open = logins_open, .read = logins_read, .rows = logins_rows, .close = logins_close,
};
