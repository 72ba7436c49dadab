// SPDX-License-Identifier: GPL-3.0-or-later
#include "login.h"
#include "inputs.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEMS_MAX 200
#define STEPS_MAX 200
#define LOGINS_MAX 10000
#define PROCESSES_MAX 2000	/* names in one system */

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	struct login_run *run;
	struct login_system *system;	/* what is being read */
	int64_t repeat;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* The step of that many logins; -1: this run has none. */
static int64_t step_of(const struct login_run *run, int64_t logins)
{
	for (size_t i = 0; i < run->steps; i++)
		if (run->logins[i] == logins)
			return (int64_t)i;
	return -1;
}

static struct login_kind *kind_of(struct reader *r, const char *name, const char *class)
{
	struct login_system *s = r->system;
	struct login_kind *k;

	for (size_t i = 0; i < s->processes; i++)
		if (!strcmp(s->process[i].name, name) && !strcmp(s->process[i].class, class))
			return &s->process[i];
	if (s->processes == PROCESSES_MAX || strlen(name) >= sizeof(k->name) || strlen(class) >= sizeof(k->class))
		return NULL;
	k = reallocarray(s->process, s->processes + 1, sizeof(*k));
	if (!k)
		return NULL;
	s->process = k;
	k = &s->process[s->processes];
	*k = (struct login_kind){ .sum = calloc((size_t)r->run->repeats * r->run->steps, sizeof(*k->sum)) };
	if (!k->sum)
		return NULL;
	strcpy(k->name, name);
	strcpy(k->class, class);
	s->processes++;
	return k;
}

enum { P_LOGINS, P_NAME, P_CLASS, P_DIRTY, P_SWAP, P_CLEAN, P_PSS, P_SHARED, P_RSS, P_TABLES, P_THREADS, P_SWAP_PSS };
static const char *const process_columns[] = {
	"logins", "name", "class", "private_dirty_bytes", "swap_bytes", "private_clean_bytes", "pss_bytes", "shared_bytes", "rss_bytes",
	"page_tables_bytes", "threads", "swap_pss_bytes", NULL,
};

static int process_row(void *context, char *const *cell)
{
	struct reader *r = context;
	int64_t v[P_SWAP_PSS + 1], step;
	struct login_kind *k;
	double *sum[2];

	for (size_t i = P_DIRTY; i <= P_SWAP_PSS; i++)
		if (!cell[i])
			v[i] = 0;
		else if (!rows_in_count(cell[i], &v[i]))
			return -EPROTO;
		else if (v[i] == ROWS_IN_NONE)
			v[i] = 0;
	if (!rows_in_count(cell[P_LOGINS], &v[P_LOGINS]) || (step = step_of(r->run, v[P_LOGINS])) < 1)
		return -EPROTO;
	k = kind_of(r, cell[P_NAME], cell[P_CLASS]);
	if (!k)
		return -EPROTO;
	sum[0] = k->sum[(size_t)r->repeat * r->run->steps + (size_t)step];
	sum[1] = login_at(r->run, r->system, r->repeat, (size_t)step)->sum;
	for (size_t i = 0; i < 2; i++) {
		sum[i][LOGIN_PRIVATE] += (double)(v[P_DIRTY] + v[P_SWAP]);
		sum[i][LOGIN_DIRTY] += (double)v[P_DIRTY];
		sum[i][LOGIN_SWAP] += (double)v[P_SWAP];
		sum[i][LOGIN_CLEAN] += (double)v[P_CLEAN];
		sum[i][LOGIN_PSS] += (double)(v[P_PSS] + v[P_SWAP_PSS]);
		sum[i][LOGIN_SHARED] += (double)v[P_SHARED];
		sum[i][LOGIN_RSS] += (double)v[P_RSS];
		sum[i][LOGIN_TABLES] += (double)v[P_TABLES];
		sum[i][LOGIN_THREADS] += (double)v[P_THREADS];
		sum[i][LOGIN_PROCESSES] += 1;
	}
	return 0;
}

enum { M_LOGINS, M_USED, M_LAB, M_PROCESSES, M_KERNEL, M_CACHE, M_TOTAL, M_GROUP, M_GROUP_KERNEL, M_GROUP_SHARED, M_GROUP_CACHE, M_ALL };
static const char *const machine_columns[] = {
	"logins", "used_bytes", "lab_bytes", "processes_bytes", "kernel_bytes", "file_cache_bytes", "total_bytes",
	"group_used_bytes", "group_kernel_bytes", "group_shared_memory_bytes", "group_file_cache_bytes", NULL,
};

static int machine_row(void *context, char *const *cell)
{
	static const enum login_account account[M_ALL] = {
		[M_USED] = LOGIN_MACHINE, [M_LAB] = LOGIN_LAB, [M_PROCESSES] = LOGIN_MACHINE_PROCESSES, [M_KERNEL] = LOGIN_MACHINE_KERNEL,
		[M_CACHE] = LOGIN_MACHINE_CACHE, [M_TOTAL] = LOGIN_MACHINE_TOTAL, [M_GROUP] = LOGIN_GROUP, [M_GROUP_KERNEL] = LOGIN_GROUP_KERNEL,
		[M_GROUP_SHARED] = LOGIN_GROUP_SHARED_MEMORY, [M_GROUP_CACHE] = LOGIN_GROUP_CACHE,
	};
	struct reader *r = context;
	struct login_reading *at;
	int64_t v, step;

	if (!rows_in_count(cell[M_LOGINS], &v) || (step = step_of(r->run, v)) < 0)
		return -EPROTO;
	at = login_at(r->run, r->system, r->repeat, (size_t)step);
	for (size_t i = M_USED; i < M_ALL; i++) {
		v = ROWS_IN_NONE;
		if (cell[i] && !rows_in_count(cell[i], &v))
			return -EPROTO;
		at->account[account[i]] = v == ROWS_IN_NONE ? (double)NAN : (double)v;
	}
	at->account[LOGIN_SERVER] = at->account[LOGIN_MACHINE] - at->account[LOGIN_LAB];
	at->there = true;
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

static int read_cell(struct reader *r)
{
	struct inputs_cell cell;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s-%03lld/%lld", r->folder, r->system->name, (long long)r->run->logins[r->run->steps - 1],
		 (long long)r->repeat + 1);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	json_free(cell.json);
	r->system->complete[r->repeat] = cell.complete;
	r->system->marked[r->repeat] = cell.marked;
	if (!cell.complete) {
		r->done->failed++;
		return 0;
	}
	r->done->complete++;
	r->done->marked += cell.marked;
	err = inputs_rows(folder, "samples.tsv", true, read_processes, r, r->why, r->size);
	err = err ? err : inputs_rows(folder, "machine.tsv", true, read_machine, r, r->why, r->size);
	for (size_t i = 0; !err && i < r->run->steps; i++)
		if (!login_at(r->run, r->system, r->repeat, i)->there)
			err = complain(r, folder, -EPROTO, "machine.tsv lacks a number of logins");
	return err;
}

static int read_system(struct reader *r)
{
	struct login_system *s = r->system;
	size_t n = (size_t)r->run->repeats;
	int err = 0;

	s->complete = calloc(n, sizeof(*s->complete));
	s->marked = calloc(n, sizeof(*s->marked));
	s->reading = calloc(n * r->run->steps, sizeof(*s->reading));
	if (!s->complete || !s->marked || !s->reading)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	for (r->repeat = 0; !err && r->repeat < r->run->repeats; r->repeat++)
		err = read_cell(r);
	return err;
}

static bool copy_word(const struct json *j, const char *path, char *to, size_t size)
{
	const char *word = json_get_str(j, path);

	return word && !strchr(word, '/') && snprintf(to, size, "%s", word) < (int)size;
}

/* A name becomes part of a path: nothing that leads elsewhere. */
static int read_systems(struct reader *r, const struct json *j)
{
	char path[64];

	for (size_t i = 0; i < SYSTEMS_MAX; i++) {
		struct login_system *s = &r->run->system[i];

		snprintf(path, sizeof(path), "settings.systems.%zu.system", i);
		if (!json_get_str(j, path))
			return 0;
		if (!copy_word(j, path, s->name, sizeof(s->name)))
			return -EPROTO;
		snprintf(path, sizeof(path), "settings.systems.%zu.protocol", i);
		if (!copy_word(j, path, s->protocol, sizeof(s->protocol)))
			return -EPROTO;
		snprintf(path, sizeof(path), "settings.systems.%zu.kind", i);
		if (!copy_word(j, path, s->kind, sizeof(s->kind)))
			return -EPROTO;
		r->run->systems++;
	}
	return 0;
}

static int read_settings(struct reader *r, const struct json *j)
{
	struct login_run *run = r->run;
	char path[64];
	int64_t n;

	run->system = calloc(SYSTEMS_MAX, sizeof(*run->system));
	run->logins = calloc(STEPS_MAX + 1, sizeof(*run->logins));
	if (!run->system || !run->logins)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	run->steps = 1;	/* none */
	for (size_t i = 0; i < STEPS_MAX; i++) {
		snprintf(path, sizeof(path), "settings.logins.%zu", i);
		if (!json_get_int(j, path, &n))
			break;
		if (n <= run->logins[run->steps - 1] || n > LOGINS_MAX)
			return complain(r, r->folder, -EPROTO, "run.json: settings.logins do not ascend");
		run->logins[run->steps++] = n;
	}
	if (run->steps < 2)
		return complain(r, r->folder, -EPROTO, "run.json: settings.logins cannot be read");
	return read_systems(r, j) ? complain(r, r->folder, -EPROTO, "run.json: settings.systems cannot be read") : 0;
}

static void free_run(struct login_run *run)
{
	for (size_t i = 0; i < run->systems; i++) {
		struct login_system *s = &run->system[i];

		for (size_t k = 0; k < s->processes; k++)
			free(s->process[k].sum);
		free(s->process);
		free(s->reading);
		free(s->complete);
		free(s->marked);
	}
	free(run->system);
	free(run->logins);
}

int login_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct login_run run = { .repeats = 1 };
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .run = &run };
	const char *file = "";
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &run.repeats, &run.seed, why, size);
	if (!j)
		return -EPROTO;
	err = read_settings(&r, j);
	json_free(j);
	for (size_t i = 0; !err && i < run.systems; i++) {
		r.system = &run.system[i];
		err = read_system(&r);
	}
	if (!err) {
		err = login_tables(folder, &run, &file);
		if (err)
			complain(&r, file, err, strerror(-err));
	}
	out->rows = run.systems * run.steps;
	free_run(&run);
	return err;
}
