// SPDX-License-Identifier: GPL-3.0-or-later
#include "paging.h"
#include "inputs.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELLS_MAX 1000
#define PROCESSES_MAX 64

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	int64_t repeats, seed;
	struct whole summary, runs;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* A key that was asked for, or how long it was waited for in vain. */
static void read_key(const struct json *j, const char *prefix, const char *key, double *ms, bool *above)
{
	*ms = inputs_number(j, prefix, key);
	*above = isnan(*ms);
	if (*above)
		*ms = inputs_number(j, "settings", "timeout_s") * 1000;
}

/* Sums over the processes; what one of them does not tell stays unknown. */
static void read_processes(const struct json *j, const char *prefix, struct paging_run *run)
{
	static const struct {
		enum paging_figure into;
		const char *key;
	} keys[] = {
		{ PAGING_SWAP, "swap_bytes" }, { PAGING_ANONYMOUS, "anonymous_private_bytes" }, { PAGING_FILE, "file_resident_bytes" },
		{ PAGING_FILE_OTHERS, "file_mapped_by_others_bytes" }, { PAGING_MAJOR, "major_faults" }, { PAGING_MINOR, "minor_faults" },
	};
	char of[96];

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
		double sum = NAN;

		for (int p = 0; p < PROCESSES_MAX; p++) {
			double v;

			snprintf(of, sizeof(of), "%s.processes.%d", prefix, p);
			v = inputs_number(j, of, keys[k].key);
			if (isnan(inputs_number(j, of, "pid")))
				break;
			sum = p ? sum + v : v;
		}
		run->of[keys[k].into] = sum;
	}
	run->evicted_percent = run->major_least = NAN;
	for (int p = 0; p < PROCESSES_MAX; p++) {
		snprintf(of, sizeof(of), "%s.processes.%d", prefix, p);
		run->evicted_percent = fmin(run->evicted_percent, inputs_number(j, of, "evicted_percent"));
		run->major_least = fmin(run->major_least, inputs_number(j, of, "major_faults"));
	}
	run->of[PAGING_SWAP_IN] = inputs_number(j, prefix, "swap_in_bytes");
	run->of[PAGING_READ_PERCENT] = inputs_number(j, prefix, "refaulted_read_percent");
}

/* 1: read; 0: there is no such run; -EPROTO. */
static int read_run(const struct json *j, int64_t number, struct paging_run *run)
{
	char prefix[64], path[96];
	const char *state, *why;

	snprintf(prefix, sizeof(prefix), "result.runs.%lld", (long long)number);
	snprintf(path, sizeof(path), "%s.state", prefix);
	state = json_get_str(j, path);
	if (!state)
		return 0;
	for (int s = 0; s < PAGING_STATES; s++) {
		if (strcmp(state, paging_state_names[s]) != 0)
			continue;
		*run = (struct paging_run){ .state = (enum paging_state)s, .first_ms = NAN, .second_ms = NAN };
		snprintf(path, sizeof(path), "%s.why", prefix);
		why = json_get_str(j, path);
		snprintf(run->why, sizeof(run->why), "%s", why ? why : "");
		if (s <= PAGING_KEPT) {
			read_key(j, prefix, "first_key_ms", &run->first_ms, &run->first_above);
			read_key(j, prefix, "second_key_ms", &run->second_ms, &run->second_above);
		}
		read_processes(j, prefix, run);
		return 1;
	}
	return -EPROTO;
}

static int read_repeat(struct reader *r, const struct paging_cell *c, int64_t repeat, struct paging_pool *p)
{
	char folder[4200];
	struct inputs_cell cell;
	struct json *j;
	int more = 1, err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, c->cell, (long long)repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	p->tried += cell.json != NULL;
	json_free(cell.json);
	if (!cell.complete) {
		p->failed++;
		r->done->failed++;
		return 0;
	}
	p->repeats++;
	p->marked += cell.marked;
	r->done->complete++;
	r->done->marked += cell.marked;
	j = inputs_json(folder, "pagein.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	for (int64_t n = 0; more > 0; n++) {
		struct paging_run run;

		more = read_run(j, n, &run);
		if (more > 0) {
			paging_pool_add(p, &run);
			paging_write_run(r->runs.rows, c, repeat, n + 1, &run);
		}
	}
	json_free(j);
	if (more < 0)
		return complain(r, folder, more, "pagein.json: a run of unknown state");
	for (int s = 0; s < PAGING_STATES; s++)
		if (p->first[s].lost || p->second[s].lost)
			return complain(r, folder, -ENOMEM, "out of memory");
	return 0;
}

static int read_cells(struct reader *r, const struct json *j)
{
	int err = 0;

	for (int i = 0; !err && i < CELLS_MAX; i++) {
		struct paging_pool p = { 0 };
		struct paging_cell c;
		char of[32];

		snprintf(of, sizeof(of), "settings.cells.%d", i);
		if (!inputs_word(j, of, "cell", c.cell, sizeof(c.cell)))
			break;
		if (!inputs_is_name(c.cell) || !inputs_word(j, of, "protocol", c.protocol, sizeof(c.protocol)) || !inputs_word(j, of, "swap", c.swap, sizeof(c.swap)) ||
		    !inputs_word(j, of, "session", c.session, sizeof(c.session)) || !inputs_word(j, of, "method", c.method, sizeof(c.method)))
			return complain(r, r->folder, -EPROTO, "run.json: settings.cells cannot be read");
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_repeat(r, &c, repeat, &p);
		if (!err) {
			paging_write_cell(r->summary.rows, &c, &p, (uint64_t)r->seed);
			r->done->rows++;
		}
		paging_pool_free(&p);
	}
	return err;
}

static int write_tables(struct reader *r, const struct json *j)
{
	const struct whole_table tables[] = {
		{ &r->summary, "summary.tsv", "paging/1", paging_summary_columns },
		{ &r->runs, "runs.tsv", "paging-run/1", paging_run_columns },
	};
	int err = whole_open_all(tables, 2, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 2, read_cells(r, j), r->why, r->size);
}

int paging_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!j)
		return -EPROTO;
	err = write_tables(&r, j);
	json_free(j);
	return err;
}
