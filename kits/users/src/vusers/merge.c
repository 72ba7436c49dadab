// SPDX-License-Identifier: GPL-3.0-or-later
#include "merge.h"
#include "clock.h"
#include "json_in.h"
#include "memory.h"
#include "users_report.h"
#include "rows_in.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define S ((double)NS_PER_S)
#define LABELS 2000

/* --- rows ------------------------------------------------------------------------------------------------------- */

void merged_add_users(struct merged_runs *m, int64_t users)
{
	struct crowd *c = &m->crowd;
	struct crowd_user *all = must_alloc(reallocarray(c->user, (size_t)(c->cfg.users + users), sizeof(*all)));

	memset(all + c->cfg.users, 0, (size_t)users * sizeof(*all));
	c->user = all;
	c->cfg.before = c->cfg.users; /* the users of the generators before */
	c->cfg.users += users;
	m->parts++;
}

int merged_add_row(struct merged_runs *m, struct vlog_row row)
{
	struct crowd *c = &m->crowd;

	if (row.user != VLOG_NOBODY && row.user >= c->cfg.users - c->cfg.before)
		return -ERANGE;
	row.user += row.user == VLOG_NOBODY ? 0 : (uint32_t)c->cfg.before;
	memory_more(m->row, m->n);
	m->row[m->n++] = row;
	vlog_add_sums(&m->sums, &row);
	if (row.measured && row.sent_ns)
		sample_add(&m->late[m->parts - 1], row.sent_ns - row.ready_ns);
	if (row.measured && row.end == VLOG_OK) {
		c->user[row.user].answered++;
		c->user[row.user].response_ns += row.end_ns - row.due_ns;
	}
	return 0;
}

struct merged_event {
	int64_t at_ns;
	bool sent;
};

static int compare_events(const void *a, const void *b)
{
	const struct merged_event *x = a, *y = b;

	return x->at_ns != y->at_ns ? (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns) : x->sent - y->sent;
}

static int compare_end_ns(const void *a, const void *b)
{
	int64_t x = ((const struct vlog_row *)a)->end_ns, y = ((const struct vlog_row *)b)->end_ns;

	return (x > y) - (x < y);
}

void merged_compute_window(struct merged_runs *m, int64_t from_ns, int64_t end_ns)
{
	struct merged_event *event = memory_new(2 * m->n + 1, sizeof(*event));
	struct crowd *c = &m->crowd;
	size_t n = 0;

	qsort(m->row, m->n, sizeof(*m->row), compare_end_ns);
	for (size_t i = 0; i < m->n; i++) {
		const struct vlog_row *r = &m->row[i];

		c->sums.finished += r->end == VLOG_OK && r->end_ns >= from_ns && r->end_ns < end_ns;
		if (!r->sent_ns)
			continue;
		event[n++] = (struct merged_event){ r->sent_ns, true };
		event[n++] = (struct merged_event){ r->end_ns, false };
	}
	qsort(event, n, sizeof(*event), compare_events);
	window_init(&c->window, n && event[0].at_ns < from_ns ? event[0].at_ns : from_ns, from_ns, end_ns);
	for (size_t i = 0; i < n; i++)
		(event[i].sent ? window_note_sent : window_note_end)(&c->window, event[i].at_ns);
	window_end_now(&c->window, n && event[n - 1].at_ns > end_ns ? event[n - 1].at_ns : end_ns);
	free(event);
}

void merged_free(struct merged_runs *m)
{
	free(m->crowd.user);
	free(m->row);
	vlog_free_sums(&m->sums);
	for (int i = 0; i < m->parts; i++)
		sample_free(&m->late[i]);
}

/* --- reports and logs --------------------------------------------------------------------------------------------- */

/* Settings that all generators must share. */
static const char *const shared[] = { "kind",	   "loop",	   "think_s",	"ramp_s",   "skip_s",	    "time_s",
				      "timeout_s", "threshold_ms", "asks",	"echo",	    "workload",	    "thinks_before",
				      "think",	   "gaps",	   "encodings", "parallel", "late_limit_ms" };

static struct {
	struct merged_runs m;
	struct json_document *json[MERGE_MOST];
	struct generator_facts part[MERGE_MOST];
	const char *label[LABELS]; /* names of requests; copies, kept until the program ends */
	int labels;
	int64_t shift_ns; /* to be added to the times of the log that is read */
	struct why why;
	char unsure[300];
} run;

static int64_t get_int(int i, const char *name, const char *path)
{
	int64_t value;

	if (!json_get_int(run.json[i], path, &value))
		die(EXIT_USAGE, "%s: no whole number %s: not a report of vusers (--format json)", name, path);
	return value;
}

static double get_real(int i, const char *path, double other)
{
	json_get_real(run.json[i], path, &other);
	return other;
}

static int64_t get_seconds_ns(int i, const char *path)
{
	return (int64_t)llround(get_real(i, path, 0) * S);
}

/* Whether two reports have the same value, or neither has one. */
static bool same_setting(const struct json_document *a, const struct json_document *b, const char *path)
{
	const char *x = json_get_str(a, path), *y = json_get_str(b, path);
	double p = -1, q = -1;

	json_get_real(a, path, &p);
	json_get_real(b, path, &q);
	return p >= q && p <= q && (x && y ? !strcmp(x, y) : x == y);
}

static void check_settings(int i, const char *name)
{
	char path[64];

	for (size_t k = 0; k < sizeof(shared) / sizeof(*shared); k++) {
		snprintf(path, sizeof(path), "settings.%s", shared[k]);
		if (!same_setting(run.json[0], run.json[i], path))
			die(EXIT_USAGE, "%s: %s is not that of the first report; generators that are merged share it", name, path);
	}
	if (!json_get_str(run.json[i], "result.start_at"))
		die(EXIT_USAGE, "%s: it has no start_at; start all generators with one --start-at", name);
	if (get_real(i, "settings.watched", 0) > 0)
		die(EXIT_USAGE, "%s: it has watched users, who cannot be merged; give --watched to no generator", name);
	for (int k = 0; k < i; k++)
		if (same_setting(run.json[k], run.json[i], "settings.seed"))
			die(EXIT_USAGE,
			    "%s: another report has its seed, whose users ask at the same times; give each generator its own --seed",
			    name);
}

static uint16_t find_label(const char *name)
{
	int i = 0;

	while (i < run.labels && strcmp(run.label[i], name) != 0)
		i++;
	if (i == run.labels && (i == LABELS || !(run.label[run.labels++] = strdup(name))))
		die(EXIT_RUN, "out of memory, or more than %d kinds of requests", LABELS);
	return (uint16_t)i;
}

static int add_log_row(void *context, char *const *cell)
{
	struct vlog_row row;

	(void)context;
	if (!vlog_parse_row(cell, &row) || row.watched)
		return -EPROTO;
	row.label = find_label(cell[VLOG_LABEL]);
	row.due_ns += run.shift_ns;
	row.ready_ns += row.ready_ns ? run.shift_ns : 0;
	row.sent_ns += row.sent_ns ? run.shift_ns : 0;
	row.end_ns += run.shift_ns;
	return merged_add_row(&run.m, row);
}

static void read_log(const char *name)
{
	FILE *in = cli_open_input(name);
	unsigned long line = 0;
	int err = rows_in_read(in, VLOG_SCHEMA, vlog_columns, VLOG_COLUMNS, add_log_row, NULL, &line);

	cli_close_input(in, name, err == -ERANGE ? -EPROTO : err, line, "not a row of vusers --log of that report");
}

/* Adds what only the report of generator i knows. */
static void add_figures(int i, const char *name)
{
	struct crowd_sums *s = &run.m.crowd.sums;
	double seconds = get_real(i, "result.seconds", 0), waited_ns;
	struct generator_facts *p = &run.part[i];
	const char *stopped = json_get_str(run.json[i], "result.stopped_by");

	*p = (struct generator_facts){ .users = get_int(i, name, "settings.users"),
				       .users_ready = get_int(i, name, "result.users_ready"),
				       .requests = get_int(i, name, "result.requests"),
				       .start_at = json_get_str(run.json[i], "result.start_at"),
				       .started_late_ms = get_real(i, "result.started_late_ms", NAN),
				       .clock_error_ms = get_real(i, "result.clock_error_ms", NAN),
				       .cpu_percent = get_real(i, "result.generator.cpu_percent", NAN),
				       .memory_bytes_per_user = get_real(i, "result.generator.memory_bytes_per_user", NAN),
				       .why_invalid = json_get_str(run.json[i], "result.why_invalid") };
	s->users_ready += p->users_ready;
	s->due += get_int(i, name, "result.due");
	s->unsent += get_int(i, name, "result.unsent");
	s->pages += get_int(i, name, "result.pages");
	s->reconnected += get_int(i, name, "result.reconnected");
	s->refused += get_int(i, name, "result.refused");
	s->gone_ns += get_real(i, "result.gone_percent", 0) / 100 * seconds * S * (double)p->users;
	/* below 0, and so not known, where one generator does not know it */
	s->memory_bytes += isfinite(p->memory_bytes_per_user) ? (int64_t)(p->memory_bytes_per_user * (double)p->users)
							      : INT64_MIN / 2 / MERGE_MOST;
	s->stopped = s->stopped || (stopped && !strcmp(stopped, "signal"));
	s->spent.cpu_ns =
		(int64_t)fmax((double)s->spent.cpu_ns, get_real(i, "result.generator.cpu_percent", 0) / 100 * seconds * S);
	waited_ns = get_real(i, "result.generator.waited_percent", NAN) / 100 * seconds * S;
	s->spent.waited_ns = isnan(waited_ns) || s->spent.waited_ns < 0 ? -1 : (int64_t)fmax((double)s->spent.waited_ns, waited_ns);
	run.m.sums.lost += get_int(i, name, "result.generator.log_lost");
	run.m.sums.cpu_ns += get_seconds_ns(i, "result.generator.log_cpu_s");
}

static void add_generator(int i, const char *report, const char *log)
{
	struct why why;
	int64_t answered = run.m.sums.users.ended[VLOG_OK];

	run.json[i] = json_read_file(report, &why);
	if (!run.json[i])
		die(EXIT_USAGE, "%s: %s", report, why.text);
	check_settings(i, report);
	merged_add_users(&run.m, get_int(i, report, "settings.users"));
	add_figures(i, report);
	run.shift_ns = get_int(0, report, "result.start_ns") - get_int(i, report, "result.start_ns");
	read_log(log);
	answered = run.m.sums.users.ended[VLOG_OK] - answered;
	if (answered != run.part[i].requests)
		die(EXIT_USAGE, "log %s has %lld answered requests, but report %s has %lld: they are of different runs", log,
		    (long long)answered, report, (long long)run.part[i].requests);
}

/* The report takes the lateness of the generator that sent latest, so that a good generator does not hide a bad one. */
static void choose_worst_generator(struct report_facts *what)
{
	struct sample *late = run.m.late;
	int worst = 0;

	for (int i = 0; i < run.m.parts; i++) {
		struct generator_facts *p = &run.part[i];

		p->late_p99_ms = sample_quantile(&late[i], 0.99).value / (double)NS_PER_MS;
		p->late_max_ms = sample_max(&late[i]).value / (double)NS_PER_MS;
		worst = p->late_p99_ms > run.part[worst].late_p99_ms || isnan(run.part[worst].late_p99_ms) ? i : worst;
		if (p->started_late_ms * (double)NS_PER_MS > (double)what->started_late_ns)
			what->started_late_ns = (int64_t)(p->started_late_ms * (double)NS_PER_MS);
		what->clock_error_ns = isfinite(p->clock_error_ms) && what->clock_error_ns >= 0
					       ? (int64_t)fmax((double)what->clock_error_ns, p->clock_error_ms * (double)NS_PER_MS)
					       : -1;
		if (p->why_invalid && !what->why_invalid) {
			why_say(&run.why, "generator %d: %s", i + 1, p->why_invalid);
			what->why_invalid = run.why.text;
		}
		if (json_get_str(run.json[i], "result.why_unsure") && !what->why_unsure) {
			snprintf(run.unsure, sizeof(run.unsure), "generator %d: %s", i + 1,
				 json_get_str(run.json[i], "result.why_unsure"));
			what->why_unsure = run.unsure;
		}
	}
	sample_free(&run.m.sums.users.late);
	run.m.sums.users.late = late[worst];
	late[worst] = (struct sample){ 0 };
}

/* The sum of a number of all reports, such as "result.bytes"; NAN: one of them lacks it. */
static double sum_report_values(const char *member)
{
	double sum = 0;

	for (int i = 0; i < run.m.parts; i++)
		sum += get_real(i, member, NAN);
	return sum;
}

static void fill_facts(struct report_facts *w)
{
	const struct json_document *j = run.json[0];
	const char *unit = json_get_str(j, "settings.thinks_before"), *think = json_get_str(j, "settings.think");
	double connections = sum_report_values("result.connections");

	*w = (struct report_facts){ .target = json_get_str(j, "settings.target"),
				    .kind = json_get_str(j, "settings.kind"),
				    .asks = json_get_str(j, "settings.asks"),
				    .echo = json_get_str(j, "settings.echo"),
				    .encodings = json_get_str(j, "settings.encodings"),
				    .workload = json_get_str(j, "settings.workload"),
				    .library = json_get_str(j, "settings.library"),
				    .punctual_by = json_get_str(j, "settings.punctual_by"),
				    .think_text = think ? think : json_get_str(j, "settings.gaps"),
				    .rate = sum_report_values("settings.rate_per_s"),
				    .nz = sum_report_values("settings.nz_per_s"),
				    .objects_per_page = get_real(0, "settings.objects_per_page", NAN),
				    .whole_pages = unit && !strcmp(unit, "pages"),
				    .parallel = (int)get_real(0, "settings.parallel", 1),
				    .start_ns = get_int(0, "the first report", "result.start_ns"),
				    .start_text = run.part[0].start_at,
				    .threshold_ns = get_seconds_ns(0, "settings.threshold_ms") / 1000,
				    .late_limit_ns = get_seconds_ns(0, "settings.late_limit_ms") / 1000,
				    .bytes = (int64_t)sum_report_values("result.bytes"),
				    .connections = isfinite(connections) ? (int64_t)connections : -1,
				    .descriptors = (int64_t)sum_report_values("result.generator.descriptors"),
				    .descriptors_most = (int64_t)sum_report_values("result.generator.descriptors_most"),
				    .process_cpu_ns = (int64_t)(sum_report_values("result.generator.process_cpu_s") * S),
				    .part = run.part,
				    .parts = run.m.parts };
	choose_worst_generator(w);
}

static int write_log(const char *path)
{
	struct row_file *t = rows_must_open(path, VLOG_SCHEMA, vlog_columns);

	for (size_t i = 0; i < run.m.n; i++)
		vlog_write_row(t, run.label[run.m.row[i].label], &run.m.row[i]);
	return rows_close(t);
}

int merge_reports(char *const *word, int words, const char *log, const struct rec_cfg *out_cfg)
{
	struct crowd *c = &run.m.crowd;
	struct report_facts what;
	struct rec_report *out;
	int64_t from, end;
	int status, err;

	if (words < 2 || words % 2 || words > 2 * MERGE_MOST)
		die_usage("merge what? REPORT LOG of each generator, %d at most", MERGE_MOST);
	rec_refuse_same_outputs((const struct rec_output_path[]){ { "output", out_cfg->path }, { "log", log } }, 2);
	out = rec_must_open(out_cfg, "vusers");
	for (int i = 0; i < words / 2; i++)
		add_generator(i, word[2 * i], word[2 * i + 1]);
	c->cfg = (struct crowd_cfg){ .users = c->cfg.users,
				     .all = c->cfg.users,
				     .ramp_ns = get_seconds_ns(0, "settings.ramp_s"),
				     .skip_ns = get_seconds_ns(0, "settings.skip_s"),
				     .time_ns = get_seconds_ns(0, "settings.time_s"),
				     .timeout_ns = get_seconds_ns(0, "settings.timeout_s"),
				     .seed = (uint64_t)get_int(0, *word, "settings.seed"),
				     .think.mean_ns = get_real(0, "settings.think_s", 0) * S };
	fill_facts(&what);
	c->cfg.open = isfinite(what.rate);
	from = crowd_window_begin_ns(&c->cfg, what.start_ns + what.started_late_ns);
	end = from;
	for (int i = 0; i < run.m.parts; i++)
		end = from + get_seconds_ns(i, "result.seconds") > end ? from + get_seconds_ns(i, "result.seconds") : end;
	merged_compute_window(&run.m, from, end);
	err = log ? write_log(log) : 0;
	report_users(out, c, &run.m.sums, &what);
	status = report_add_warnings(out, c, &run.m.sums, &what, err);
	rec_must_close(out);
	for (int i = 0; i < run.m.parts; i++)
		json_free(run.json[i]);
	merged_free(&run.m);
	return status;
}
