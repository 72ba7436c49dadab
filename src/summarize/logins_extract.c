// SPDX-License-Identifier: GPL-3.0-or-later
/* logins_extract - memory of login sessions, process by process, from samples.tsv and machine.tsv of each repeat. Parameter:
 * system, "PROTOCOL.KIND"; setting `logins`: the numbers of logins with which memory was read, ascending; memory was also read with
 * none.
 *
 * Rows of `summary`, for each cell and number of logins: memory of all logins together, and the kernel's own counts. Rows of
 * `slope`: the cost of one more login, the slope of a least-squares line over the numbers of logins in each repeat (none is left
 * out: the first login may cost more than each later one), and the line's intercept; neither where interval_line_bends(). Rows of
 * `who`: the processes of one login, averaged over all logins. Figures are means over the complete repeats with their interval. */
#include "engine.h"

#include <errno.h>

#define STEPS_MAX 200
#define LOGINS_MAX 10000
#define KIB 1024.0
#define MIB 1048576.0

/* Figures: first, sums over processes: private is private dirty plus swap; pss includes the share of swapped pages. Then counts of
 * the kernel: the machine's memory (server: used memory without what the lab runs for the logins), and the logins' memory
 * cgroup. */
enum {
	PRIVATE,
	DIRTY,
	SWAP,
	CLEAN,
	PSS,
	SHARED,
	TABLES,
	PROCESSES,
	THREADS,
	SUMS,
	SERVER = SUMS,
	MACHINE,
	LAB,
	MACHINE_PROCESSES,
	MACHINE_KERNEL,
	MACHINE_CACHE,
	MACHINE_TOTAL,
	GROUP,
	GROUP_KERNEL,
	GROUP_SHARED,
	GROUP_CACHE,
	FIGURES
};
static const char *const logins_names[FIGURES] = {
	/* names of columns */
	"private_bytes",
	"private_dirty_bytes",
	"swap_bytes",
	"private_clean_bytes",
	"pss_bytes",
	"shared_bytes",
	"page_tables_bytes",
	"processes",
	"threads",
	"server_bytes",
	"machine_bytes",
	"lab_bytes",
	"machine_processes_bytes",
	"machine_kernel_bytes",
	"machine_file_cache_bytes",
	"machine_total_bytes",
	"group_bytes",
	"group_kernel_bytes",
	"group_shared_memory_bytes",
	"group_file_cache_bytes",
};
/* Figures that have a slope; mb: column with the figure of all logins in MiB, or NULL. */
static const struct {
	int figure;
	const char *what, *mb;
} logins_memory[] = {
	{ PRIVATE, "private", "private_mb" },
	{ CLEAN, "private_clean", "private_clean_mb" },
	{ PSS, "pss", "pss_mb" },
	{ TABLES, "page_tables", NULL },
	{ GROUP, "group", "group_mb" },
	{ SERVER, "server", "server_mb" },
};
enum { MEMORIES = sizeof(logins_memory) / sizeof(*logins_memory) };

struct login_steps {
	int64_t logins[STEPS_MAX + 1]; /* logins open at each reading of memory, ascending; the first is 0 */
	size_t steps;
};

struct login_cell {
	bool *there;	      /* for each reading (complete repeat and step): machine.tsv has it */
	struct process_kind { /* processes of one name and class; the first kind: all processes, and the machine */
		const char *name, *class;
		double all;	       /* private memory summed over all readings; rows are sorted by it */
		double (*of)[FIGURES]; /* figures of each reading */
	} * kind;
	size_t kinds;
	const struct experiment_repeat *now; /* the repeat that is being read */
};

static void read_settings(const struct experiment_run *run)
{
	struct login_steps *s = extractor_run_data();
	char path[64];
	int64_t n;

	for (s->steps = 1; s->steps <= STEPS_MAX; s->steps++) {
		snprintf(path, sizeof(path), "settings.logins.%zu", s->steps - 1);
		if (!json_get_int(run->json, path, &n))
			break;
		if (n <= s->logins[s->steps - 1] || n > LOGINS_MAX)
			die(EXIT_RUN, "%s/run.json: settings.logins is not in ascending order", run->folder);
		s->logins[s->steps] = n;
	}
	if (s->steps < 2)
		die(EXIT_RUN, "%s/run.json: settings.logins has no numbers", run->folder);
}

/* Finds the index of the current repeat's reading with so many logins. False: no such number of logins. */
static bool find_reading(const struct login_cell *c, int64_t logins, size_t *at)
{
	const struct login_steps *s = extractor_run_data();

	for (size_t i = 0; i < s->steps; i++)
		if (s->logins[i] == logins) {
			*at = c->now->index * s->steps + i;
			return true;
		}
	return false;
}

static struct process_kind *ensure_kind(struct login_cell *c, const char *name, const char *class)
{
	const struct login_steps *s = extractor_run_data();
	struct process_kind *k;

	for (size_t i = 0; i < c->kinds; i++)
		if (!strcmp(c->kind[i].name, name) && !strcmp(c->kind[i].class, class))
			return &c->kind[i];
	c->kind = memory_grow(c->kind, c->kinds, sizeof(*k));
	k = &c->kind[c->kinds++];
	*k = (struct process_kind){ must_alloc(strdup(name)), must_alloc(strdup(class)), 0,
				    memory_new(c->now->cell->n * s->steps, sizeof(*k->of)) };
	return k;
}

enum { P_LOGINS, P_NAME, P_CLASS, P_DIRTY, P_SWAP, P_CLEAN, P_PSS, P_SHARED, P_TABLES, P_THREADS, P_SWAP_PSS };
static int add_process_row(void *into, const struct input_cell *cell)
{
	static const int adds[][2] = {
		{ P_DIRTY, PRIVATE }, { P_SWAP, PRIVATE }, { P_DIRTY, DIRTY },	 { P_SWAP, SWAP },     { P_CLEAN, CLEAN },
		{ P_PSS, PSS },	      { P_SWAP_PSS, PSS }, { P_SHARED, SHARED }, { P_TABLES, TABLES }, { P_THREADS, THREADS },
	};
	const struct login_steps *s = extractor_run_data();
	struct login_cell *c = into;
	struct process_kind *k;
	size_t at = 0;

	if (!find_reading(c, cell[P_LOGINS].count, &at) || at % s->steps == 0)
		return -EPROTO;
	k = ensure_kind(c, cell[P_NAME].text, cell[P_CLASS].text);
	for (size_t i = 0; i < sizeof(adds) / sizeof(*adds); i++) {
		double v = cell[adds[i][0]].real;

		k->of[at][adds[i][1]] += isnan(v) ? 0 : v;
		c->kind->of[at][adds[i][1]] += isnan(v) ? 0 : v;
	}
	k->of[at][PROCESSES]++;
	c->kind->of[at][PROCESSES]++;
	return 0;
}

static int store_machine_row(void *into, const struct input_cell *cell)
{
	struct login_cell *c = into;
	double *of;
	size_t at = 0;

	if (!find_reading(c, cell[0].count, &at))
		return -EPROTO;
	of = c->kind->of[at];
	for (size_t i = 1, f = MACHINE; f < FIGURES; i++, f++)
		of[f] = cell[i].real;
	of[SERVER] = of[MACHINE] - of[LAB];
	c->there[at] = true;
	return 0;
}

static void read_repeat(const struct experiment_repeat *r)
{
	static const struct input_table processes = {
		"login-memory/1",
		"logins $name $class private_dirty_bytes swap_bytes "
		"private_clean_bytes pss_bytes shared_bytes | page_tables_bytes threads swap_pss_bytes",
		add_process_row, NULL
	};
	static const struct input_table machine = {
		"memory/1",
		"logins used_bytes | lab_bytes processes_bytes kernel_bytes "
		"file_cache_bytes total_bytes group_used_bytes group_kernel_bytes group_shared_memory_bytes group_file_cache_bytes",
		store_machine_row, NULL
	};
	const struct login_steps *s = extractor_run_data();
	struct login_cell *c = extractor_cell_data(r->cell);

	c->now = r;
	c->there = c->there ? c->there : memory_new(r->cell->n * s->steps, sizeof(*c->there));
	ensure_kind(c, "", "");
	repeat_read_table(r, "samples.tsv", true, &processes, c);
	repeat_read_table(r, "machine.tsv", true, &machine, c);
	for (size_t i = 0; i < s->steps; i++)
		if (!c->there[r->index * s->steps + i])
			die(EXIT_RUN, "%s/machine.tsv: no row for one of settings.logins", r->folder);
}

/* Returns the mean over repeats of a figure, divided by `of`. */
static struct figure mean_figure(const struct experiment_cell *c, const struct process_kind *k, int figure, size_t step, double of)
{
	const struct login_steps *s = extractor_run_data();
	double *v = memory_new(c->n, sizeof(*v));
	struct figure f;

	for (size_t r = 0; r < c->n; r++)
		v[r] = k->of[r * s->steps + step][figure] / of;
	f = engine_estimate(ESTIMATE_MEAN_CI, v, c->n);
	free(v);
	return f;
}

static void set_scaled_figure(struct table_out *out, const char *column, struct figure f, double unit)
{
	struct figure scaled = figure_estimate(f.value / unit, f.low / unit, f.high / unit);

	for (int i = 0; i < 2; i++)
		scaled.both[i] = f.both[i] / unit;
	row_set_figure(out, column, scaled);
}

static void write_summary(const struct experiment_cell *c, struct table_out *out)
{
	const struct login_steps *s = extractor_run_data();
	const struct login_cell *own = extractor_cell_data(c);
	const char *system = cell_text(c, "system"), *kind = system ? strrchr(system, '.') : NULL;
	char protocol[64];

	snprintf(protocol, sizeof(protocol), "%.*s", kind ? (int)(kind - system) : 0, kind ? system : "");
	for (size_t step = 0; step < s->steps; step++) {
		struct figure mean[FIGURES];

		row_set_text(out, "system", system);
		row_set_text(out, "protocol", protocol);
		row_set_text(out, "kind", kind ? kind + 1 : NULL);
		row_set_number(out, "logins", (double)s->logins[step]);
		row_set_text(out, "state", c->complete ? "measured" : cell_explain_absence(c));
		row_numbers(out, { "repeats", (double)c->complete }, { "failed", (double)c->failed },
			    { "marked", (double)c->flagged });
		for (int f = 0; f < FIGURES && c->n; f++) {
			mean[f] = mean_figure(c, own->kind, f, step, 1);
			row_set_figure(out, logins_names[f], mean[f]);
		}
		for (size_t i = 0; i < MEMORIES && c->n; i++)
			if (logins_memory[i].mb)
				set_scaled_figure(out, logins_memory[i].mb, mean[logins_memory[i].figure], MIB);
		if (step && c->n)
			row_set_number(out, "each_mb", mean[PRIVATE].value / MIB / (double)s->logins[step]);
		row_write(out);
	}
}

static void write_slopes(const struct experiment_cell *c, struct table_out *out)
{
	const struct login_steps *s = extractor_run_data();
	const struct login_cell *own = extractor_cell_data(c);
	double *slope = memory_new(2 * c->n, sizeof(*slope)), *start = slope + c->n;
	double *x = memory_new(2 * c->n * s->steps, sizeof(*x)), *y = x + c->n * s->steps;

	for (size_t i = 0; i < MEMORIES; i++) {
		struct figure slopes = FIGURE_ABSENT, starts = FIGURE_ABSENT;
		size_t n = 0, points = 0;

		for (size_t r = 0; r < c->n; r++) {
			size_t first = points;

			for (size_t step = 1; step < s->steps; step++) {
				x[points] = (double)s->logins[step];
				y[points] = own->kind->of[r * s->steps + step][logins_memory[i].figure];
				points += isfinite(y[points]) ? 1 : 0;
			}
			slope[n] = points > first ? interval_slope(x + first, y + first, points - first, &start[n]) : (double)NAN;
			n += isfinite(slope[n]) ? 1 : 0;
		}
		if (!n)
			continue;
		if (!interval_line_bends(x, y, points, MIB)) {
			slopes = engine_estimate(ESTIMATE_CHANGE_CI, slope, n);
			starts = engine_estimate(ESTIMATE_CHANGE_CI, start, n);
		}
		row_set_text(out, "system", cell_text(c, "system"));
		row_set_text(out, "what", logins_memory[i].what);
		row_numbers(out, { "repeats", (double)n }, { "logins_min", (double)s->logins[1] },
			    { "logins_max", (double)s->logins[s->steps - 1] });
		row_set_figure(out, "slope_bytes", slopes);
		row_set_figure(out, "start_bytes", starts);
		set_scaled_figure(out, "slope_mb", slopes, MIB);
		row_write(out);
	}
	free(slope);
	free(x);
}

/* Order of qsort(): the kind with the most private memory first. */
static int compare_private(const void *a, const void *b)
{
	double x = ((const struct process_kind *)a)->all, y = ((const struct process_kind *)b)->all;

	return (x < y) - (x > y);
}

static void write_processes(const struct experiment_cell *c, struct table_out *out)
{
	const struct login_steps *s = extractor_run_data();
	struct login_cell *own = extractor_cell_data(c);
	size_t kinds = own->kinds ? own->kinds - 1 : 0;

	for (size_t i = 0; i < own->kinds * c->n * s->steps; i++)
		own->kind[i % own->kinds].all += own->kind[i % own->kinds].of[i / own->kinds][PRIVATE];
	if (kinds)
		qsort(own->kind + 1, kinds, sizeof(*own->kind), compare_private);
	for (size_t i = kinds; i < s->steps * kinds; i++) {
		size_t step = i / kinds;
		const struct process_kind *k = &own->kind[1 + i % kinds];

		row_set_text(out, "system", cell_text(c, "system"));
		row_set_number(out, "logins", (double)s->logins[step]);
		row_set_text(out, "name", k->name);
		row_set_text(out, "class", k->class);
		for (int f = 0; f < SUMS; f++) {
			struct figure mean = mean_figure(c, k, f, step, (double)s->logins[step]);

			row_set_figure(out, f == PROCESSES ? "count" : logins_names[f], mean);
			if (f == PRIVATE)
				set_scaled_figure(out, "private_kb", mean, KIB);
		}
		row_write(out);
	}
}

/* Writes what a server without logins takes, where the run measured one. */
static void write_empty_server(const struct experiment_cell *c, struct table_out *out)
{
	const struct json_document *run = c->run->json;

	if (c->index || !isfinite(json_number(run, "empty_server.unavailable_bytes")))
		return;
	row_set_json(out, run, "empty_server", "memory_bytes unavailable_bytes reserved_bytes used_bytes processes_bytes");
	row_write(out);
}

const struct extractor_hooks logins_extractor = {
	.name = "logins",
	.run_size = sizeof(struct login_steps),
	.cell_size = sizeof(struct login_cell),
	.begin_run = read_settings,
	.read_repeat = read_repeat,
	.tables = { { "summary", write_summary },
		    { "slope", write_slopes },
		    { "who", write_processes },
		    { "empty", write_empty_server } },
};
