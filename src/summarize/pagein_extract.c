// SPDX-License-Identifier: GPL-3.0-or-later
/* pagein_extract - pagein.json of each repeat: the first key and the second of every run, by what the run was judged to be;
 * residency before, faults after.
 *
 * Sums are over the processes of the session. The last two groups are in no figure: what was to be paged out was not, or
 * what was to be in memory was not. */
#include "trials.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pagein_group { PAGEIN_IN_MEMORY, PAGEIN_OUT, PAGEIN_KEPT, PAGEIN_NOT_EVICTED, PAGEIN_NOT_IN_MEMORY };
static const char *const pagein_groups[] = { "in_memory", "paged_out", "kept", "not_evicted", "not_in_memory", NULL };

enum pagein_value {
	PAGEIN_FIRST, PAGEIN_SECOND,
	PAGEIN_EVICTED, PAGEIN_MAJOR_LEAST,	/* of the process of which least was in swap, or that had fewest */
	PAGEIN_SWAP, PAGEIN_ANONYMOUS, PAGEIN_FILE, PAGEIN_FILE_OTHERS, PAGEIN_MAJOR, PAGEIN_MINOR, PAGEIN_SWAP_IN, PAGEIN_READ,
	PAGEIN_VALUES
};
static const char *const pagein_values[] = {
	"first_key_ms", "second_key_ms", "evicted_percent", "major_faults_least", "swap_bytes", "anonymous_bytes", "file_resident_bytes",
	"file_others_bytes", "major_faults", "minor_faults", "swap_in_bytes", "read_percent", NULL,
};

struct pagein {
	const struct run *run;
	struct trials runs;
};

static void *pagein_open(const struct run *run, struct why *why)
{
	struct pagein *p = run_state(run, sizeof(*p), 0, why);

	if (p)
		p->runs = (struct trials){ .groups = pagein_groups, .values = pagein_values };
	return p;
}

/* A key that was asked for, or how long it was waited for in vain. */
static void pagein_key(const struct json *j, const char *prefix, const char *key, struct trial *t, int value)
{
	double ms = inputs_number(j, "%s.%s", prefix, key);

	trials_set(t, value, isnan(ms) ? inputs_number(j, "settings.timeout_s") * 1000 : ms, isnan(ms));
}

/* Sums over the processes; what one of them does not tell stays unknown. */
static void pagein_processes(const struct json *j, const char *prefix, struct trial *t)
{
	static const struct {
		enum pagein_value value;
		const char *key;
	} sums[] = {
		{ PAGEIN_SWAP, "swap_bytes" }, { PAGEIN_ANONYMOUS, "anonymous_private_bytes" }, { PAGEIN_FILE, "file_resident_bytes" },
		{ PAGEIN_FILE_OTHERS, "file_mapped_by_others_bytes" }, { PAGEIN_MAJOR, "major_faults" }, { PAGEIN_MINOR, "minor_faults" },
	};

	for (int p = 0;; p++) {
		char of[96];

		snprintf(of, sizeof(of), "%s.processes.%d", prefix, p);
		if (isnan(inputs_number(j, "%s.pid", of)))
			return;
		for (size_t k = 0; k < sizeof(sums) / sizeof(*sums); k++)
			t->value[sums[k].value] = (p ? t->value[sums[k].value] : 0) + inputs_number(j, "%s.%s", of, sums[k].key);
		t->value[PAGEIN_EVICTED] = fmin(t->value[PAGEIN_EVICTED], inputs_number(j, "%s.evicted_percent", of));
		t->value[PAGEIN_MAJOR_LEAST] = fmin(t->value[PAGEIN_MAJOR_LEAST], inputs_number(j, "%s.major_faults", of));
	}
}

static int pagein_group(const char *state)
{
	for (int g = 0; pagein_groups[g]; g++)
		if (!strcmp(state, pagein_groups[g]))
			return g;
	return -1;
}

static int pagein_runs(struct pagein *p, const struct json *j, const struct cell *c, const struct repeat *r, struct why *why)
{
	for (int64_t n = 0;; n++) {
		const char *state, *text;
		struct trial *t;
		char of[64];
		int group;

		snprintf(of, sizeof(of), "result.runs.%lld", (long long)n);
		state = inputs_text(j, "%s.state", of);
		if (!state)
			return 0;
		group = pagein_group(state);
		if (group < 0)
			return why_set(why, -EPROTO, "%s/pagein.json: a run of unknown state", r->folder);
		t = trials_add(&p->runs, c, r->number, n + 1);
		if (!t)
			return why_no_memory(why);
		t->group = (unsigned)group;
		text = inputs_text(j, "%s.why", of);
		snprintf(t->text, sizeof(t->text), "%s", text ? text : "");
		if (group <= PAGEIN_KEPT) {
			pagein_key(j, of, "first_key_ms", t, PAGEIN_FIRST);
			pagein_key(j, of, "second_key_ms", t, PAGEIN_SECOND);
		}
		pagein_processes(j, of, t);
		t->value[PAGEIN_SWAP_IN] = inputs_number(j, "%s.swap_in_bytes", of);
		t->value[PAGEIN_READ] = inputs_number(j, "%s.refaulted_read_percent", of);
	}
}

static int pagein_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	const struct json *j;
	int err = repeat_json(r, "pagein.json", &j, why);

	if (err)
		return err;
	return j ? pagein_runs(state, j, c, r, why) : why_set(why, -ENOENT, "%s/pagein.json: missing", r->folder);
}

static int pagein_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct pagein *p = state;

	return trials_figure(&p->runs, p->run, c, path, out);
}

/* why: of the first run that was not evicted. */
static const char *pagein_text(void *state, const struct cell *c, const char *path)
{
	const struct pagein *p = state;

	for (size_t i = 0; !strcmp(path, "why") && i < p->runs.n; i++)
		if (p->runs.of[i].cell == c && p->runs.of[i].group == PAGEIN_NOT_EVICTED)
			return p->runs.of[i].text;
	return NULL;
}

static int pagein_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct pagein *p = state;

	(void)table;
	(void)why;
	for (size_t i = 0; i < p->runs.n; i++) {
		const struct trial *t = &p->runs.of[i];

		row_text(out, "cell", t->cell->name);
		row_params(out, t->cell);
		row_number(out, "repeat", (double)t->repeat);
		row_number(out, "run", (double)t->number);
		row_text(out, "state", pagein_groups[t->group]);
		row_number(out, "first_key_above", t->above >> PAGEIN_FIRST & 1);
		for (int v = 0; v < PAGEIN_VALUES; v++)
			if (v != PAGEIN_MAJOR_LEAST)
				row_number(out, pagein_values[v], t->value[v]);
		row_text(out, "why", t->text);
		row_end(out);
	}
	return 0;
}

static void pagein_close(void *state)
{
	struct pagein *p = state;

	trials_free(&p->runs);
	free(p);
}

const struct extractor pagein_extractor = {
	.name = "pagein", .open = pagein_open, .read = pagein_read, .figure = pagein_figure, .text = pagein_text, .rows = pagein_rows,
	.close = pagein_close,
};
