// SPDX-License-Identifier: GPL-3.0-or-later
#include "users_report.h"
#include "ascending.h"
#include "clock.h"
#include "confine.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS ((double)NS_PER_MS)
#define S ((double)NS_PER_S)

static double measured_seconds(const struct crowd *c)
{
	return window_seconds(&c->window);
}

static double rate_per_s(const struct crowd *c, double n)
{
	return measured_seconds(c) > 0 ? n / measured_seconds(c) : (double)NAN;
}

static double cpu_percent(const struct crowd *c)
{
	return measured_seconds(c) > 0 ? 100 * (double)c->sums.spent.cpu_ns / S / measured_seconds(c) : (double)NAN;
}

/* Time without a connection; NAN: no window or no users. */
static double gone_percent(const struct crowd *c)
{
	return measured_seconds(c) > 0 && c->cfg.users ? 100 * c->sums.gone_ns / S / measured_seconds(c) / (double)c->cfg.users
						       : (double)NAN;
}

static int count_ready(const struct report_facts *w)
{
	int n = 0;

	for (int i = 0; i < w->watched; i++)
		n += w->user[i].ready;
	return n;
}

/* Why the run is not valid, as a line in `text`; NULL: it is valid. */
static const char *explain_invalid(const struct crowd *c, struct vlog_sums *s, const struct report_facts *w, char *text,
				   size_t size)
{
	struct sample_stat late = sample_quantile(&s->users.late, 0.99), watched = sample_quantile(&s->watched.late, 0.99);
	double limit = (double)w->late_limit_ns;
	int64_t ended = 0;

	for (int i = 0; i < VLOG_ENDS; i++)
		ended += s->users.ended[i] + s->watched.ended[i];
	if (w->why_invalid)
		snprintf(text, size, "%s", w->why_invalid);
	else if (c->sums.users_ready + count_ready(w) < c->cfg.users + w->watched)
		snprintf(text, size, "only %lld of %lld users were connected", (long long)c->sums.users_ready + count_ready(w),
			 (long long)c->cfg.users + w->watched);
	else if (w->started_late_ns > REPORT_START_LATE_MOST)
		snprintf(text, size, "it started %s after --start-at, when all users were connected; choose a later time",
			 ns_text((double)w->started_late_ns));
	else if (gone_percent(c) > REPORT_GONE_MOST)
		snprintf(text, size, "users had no connection for %.0f %% of the time%s%s", gone_percent(c),
			 *c->sums.last_why ? "; last failure: " : "", c->sums.last_why);
	else if (cpu_percent(c) > REPORT_CPU_MOST)
		snprintf(text, size, "the load generator used %.0f %% of a CPU: it is the bottleneck", cpu_percent(c));
	else if (s->users.late.n && late.value > limit)
		snprintf(text, size, "the load generator sent late: p99 %.1f ms, limit %.1f ms", late.value / MS, limit / MS);
	else if (s->watched.late.n && watched.value > limit)
		snprintf(text, size, "watched users sent late: p99 %.1f ms, limit %.1f ms", watched.value / MS, limit / MS);
	else if (s->lost)
		snprintf(text, size, "%lld requests are missing in the log: its ring buffer was full", (long long)s->lost);
	else if (!ended)
		snprintf(text, size, "no request was due while it measured; measure longer");
	else
		return NULL;
	return text;
}

/* --- users --------------------------------------------------------------------------------------------------------- */

static void report_settings(struct rec_report *r, const struct crowd *c, const struct report_facts *w)
{
	const struct crowd_cfg *cfg = &c->cfg;
	bool open = isfinite(w->rate); /* not cfg->open: that is false if all users are watched */

	rec_begin_object(r, "settings");
	rec_add_strs(r, { "target", w->target }, { "kind", w->kind });
	rec_add_ints(r, { "users", cfg->all }, { "watched", w->watched });
	rec_add_str(r, "loop", open ? "open" : "closed");
	rec_add_str(r, open ? "gaps" : "think", w->think_text);
	rec_add_reals(r, { "think_s", open ? (double)NAN : cfg->think.mean_ns / S, 6 }, { "rate_per_s", w->rate, 6 },
		      { "nz_per_s", w->nz, 6 }, { "ramp_s", (double)cfg->ramp_ns / S, 3 },
		      { "skip_s", (double)cfg->skip_ns / S, 3 },
		      { "time_s", cfg->time_ns ? (double)cfg->time_ns / S : (double)NAN, 3 },
		      { "timeout_s", (double)cfg->timeout_ns / S, 3 }, { "threshold_ms", (double)w->threshold_ns / MS, 3 },
		      { "late_limit_ms", (double)w->late_limit_ns / MS, 3 });
	rec_add_int(r, "seed", (int64_t)cfg->seed);
	rec_add_strs(r, { "asks", w->asks }, { "echo", w->echo }, { "encodings", w->encodings }, { "workload", w->workload });
	rec_add_real(r, "objects_per_page", w->objects_per_page, 6);
	if (w->workload) {
		rec_add_str(r, "thinks_before", w->whole_pages ? "pages" : "objects");
		rec_add_int(r, "parallel", w->parallel);
	}
	rec_add_strs(r, { "library", w->library }, { "server", w->server }, { "punctual_by", w->punctual_by },
		     { "sandbox", confine_state() });
	rec_end(r);
}

/* The fairness index of Jain, Chiu & Hawe 1984: 1 if all values are equal, 1/n if one user has all. NAN for no values. */
static double jain_index(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		squares += v[i] * v[i];
	}
	return n && squares > 0 ? sum * sum / ((double)n * squares) : (double)NAN;
}

static void report_spread(struct rec_report *r, const char *key, double *v, size_t n, int decimals)
{
	double median = NAN;

	qsort(v, n, sizeof(*v), ascending_double);
	if (n)
		median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	rec_begin_object(r, key);
	rec_add_reals(r, { "min", n ? v[0] : (double)NAN, decimals }, { "median", median, decimals },
		      { "max", n ? v[n - 1] : (double)NAN, decimals },
		      { "max_by_median", n && median > 0 ? v[n - 1] / median : (double)NAN, 4 }, { "jain", jain_index(v, n), 6 });
	rec_end(r);
}

static void report_fairness(struct rec_report *r, const struct crowd *c)
{
	double *v = calloc((size_t)c->cfg.users, sizeof(*v));
	size_t n = 0;

	if (!v)
		return;
	rec_begin_object(r, "fairness");
	for (int64_t i = 0; i < c->cfg.users; i++)
		v[i] = c->user[i].answered;
	report_spread(r, "answered_per_user", v, (size_t)c->cfg.users, 1);
	for (int64_t i = 0; i < c->cfg.users; i++)
		if (c->user[i].answered)
			v[n++] = (double)c->user[i].response_ns / c->user[i].answered / MS;
	report_spread(r, "mean_response_ms", v, n, 4);
	rec_end(r);
	free(v);
}

static void report_per_user(struct rec_report *r, const struct crowd *c)
{
	rec_begin_array(r, "per_user");
	for (int64_t i = 0; i < c->cfg.users; i++) {
		const struct crowd_user *u = &c->user[i];

		rec_begin_object(r, NULL);
		rec_add_ints(r, { "user", c->cfg.before + i }, { "answered", u->answered });
		rec_add_real(r, "mean_response_ms", u->answered ? (double)u->response_ns / u->answered / MS : (double)NAN, 4);
		rec_end(r);
	}
	rec_end(r);
	rec_set_table(r, "per_user");
}

static void report_start(struct rec_report *r, const struct report_facts *w)
{
	rec_add_str(r, "start_at", w->start_text);
	rec_add_int(r, "start_ns", w->start_ns);
	rec_add_reals(r, { "started_late_ms", w->start_text ? (double)w->started_late_ns / MS : (double)NAN, 3 },
		      { "clock_error_ms", w->clock_error_ns < 0 ? (double)NAN : (double)w->clock_error_ns / MS, 3 });
}

static void report_parts(struct rec_report *r, const struct report_facts *w)
{
	rec_begin_array(r, "generators");
	for (int i = 0; i < w->parts; i++) {
		const struct generator_facts *p = &w->part[i];

		rec_begin_object(r, NULL);
		rec_add_int(r, "generator", i + 1);
		rec_add_bool(r, "valid", !p->why_invalid);
		rec_add_str(r, "why_invalid", p->why_invalid);
		rec_add_ints(r, { "users", p->users }, { "users_ready", p->users_ready }, { "requests", p->requests });
		rec_add_str(r, "start_at", p->start_at);
		rec_add_reals(r, { "started_late_ms", p->started_late_ms, 3 }, { "clock_error_ms", p->clock_error_ms, 3 },
			      { "late_p99_ms", p->late_p99_ms, 4 }, { "late_max_ms", p->late_max_ms, 4 },
			      { "cpu_percent", p->cpu_percent, 2 }, { "memory_bytes_per_user", p->memory_bytes_per_user, 0 });
		rec_end(r);
	}
	rec_end(r);
	rec_set_table(r, "generators");
}

static void report_generator(struct rec_report *r, const struct crowd *c, struct vlog_sums *s, const struct report_facts *w)
{
	rec_begin_object(r, "generator");
	rec_add_sample(r, "late_ms", &s->users.late, MS);
	rec_add_reals(r, { "cpu_percent", cpu_percent(c), 2 },
		      { "waited_percent",
			c->sums.spent.waited_ns < 0 || measured_seconds(c) <= 0
				? (double)NAN
				: 100 * (double)c->sums.spent.waited_ns / S / measured_seconds(c),
			2 },
		      { "log_cpu_s", (double)s->cpu_ns / S, 3 }, { "process_cpu_s", (double)w->process_cpu_ns / S, 3 },
		      { "users_cpu_s", w->server ? (double)c->sums.users_cpu_ns / S : (double)NAN, 3 });
	rec_add_ints(r, { "descriptors", w->descriptors }, { "descriptors_most", w->descriptors_most });
	rec_add_real(r, "memory_bytes_per_user",
		     c->sums.memory_bytes > 0 && c->cfg.users ? (double)c->sums.memory_bytes / (double)c->cfg.users : (double)NAN,
		     0);
	rec_add_int(r, "log_lost", s->lost);
	rec_end(r);
}

/* The watched users, who are in none of the other figures, and the difference between their response times and the others'. */
static void report_watched(struct rec_report *r, const struct crowd *c, struct vlog_sums *s, const struct report_facts *w)
{
	const struct vlog_timings *all = &s->watched;

	rec_add_int(r, "watched_requests", all->ended[VLOG_OK]);
	rec_add_real(r, "watched_rate_per_s", rate_per_s(c, (double)all->ended[VLOG_OK]), 4);
	rec_add_sample(r, "watched_response_ms", &s->watched.response, MS);
	rec_add_sample(r, "watched_from_sent_ms", &s->watched.from_sent, MS);
	rec_add_sample(r, "watched_late_ms", &s->watched.late, MS);
	rec_begin_object(r, "watched_less_others_ms");
	rec_add_reals(r, { "mean", (sample_mean(&s->watched.from_sent).value - sample_mean(&s->users.from_sent).value) / MS, 4 },
		      { "p50",
			(sample_quantile(&s->watched.from_sent, 0.5).value - sample_quantile(&s->users.from_sent, 0.5).value) / MS,
			4 });
	rec_end(r);
	rec_begin_array(r, "watched");
	for (int i = 0; i < w->watched; i++) {
		struct vlog_timings *one = &s->one[i];
		const struct watched_result *u = &w->user[i];

		rec_begin_object(r, NULL);
		rec_add_int(r, "user", i);
		rec_add_bool(r, "ready", u->ready);
		rec_add_ints(r, { "width", u->width }, { "height", u->height },
			     { "requests",
			       one->ended[VLOG_OK] + one->ended[VLOG_ERROR] + one->ended[VLOG_TIMEOUT] + one->ended[VLOG_CUT] },
			     { "answered", one->ended[VLOG_OK] }, { "errors", one->ended[VLOG_ERROR] },
			     { "timeouts", one->ended[VLOG_TIMEOUT] }, { "unanswered", one->ended[VLOG_CUT] },
			     { "reconnected", u->reconnected }, { "refused", u->refused });
		rec_add_sample(r, "response_ms", &one->response, MS);
		rec_add_real(r, "cpu_s", (double)u->cpu_ns / S, 3);
		rec_add_str(r, "last_failure", *u->why.text ? u->why.text : NULL);
		rec_end(r);
	}
	rec_end(r);
}

static size_t count_above(const struct sample *s, int64_t threshold_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->value[i] > threshold_ns;
	return n;
}

/* Percent of the responses above the threshold: a range where requests were given up before it. Absent for no requests. */
static struct figure percent_over(const struct vlog_timings *t, int64_t threshold_ns)
{
	double n = (double)t->response.n, over = (double)count_above(&t->response, threshold_ns);
	double unsure = (double)(t->given_up.n - count_above(&t->given_up, threshold_ns));

	if (!t->response.n)
		return FIGURE_ABSENT;
	return figure_make_range((struct sample_stat){ 100 * over / n, false },
				 (struct sample_stat){ 100 * (over + unsure) / n, false });
}

/* --- for people --- */

#define BACKLOG 0.05 /* of the requests due */

static void say_quantiles(struct rec_report *r, const char *name, struct sample *s)
{
	rec_add_row(r, "%s\t%s\t%s\t%s\t%s\t%s\t%s", name, stat_text(s, 0, MS), stat_text(s, 0.5, MS), stat_text(s, 0.9, MS),
		    stat_text(s, 0.95, MS), stat_text(s, 0.99, MS), stat_text(s, 1, MS));
}

/* Open loop: number of requests that were due and not answered at the end, if more than all users can ask for at once and more than
 * BACKLOG of all; else 0. */
static int64_t count_backlog(const struct crowd *c, const struct vlog_sums *s, const struct report_facts *w)
{
	int64_t backlog = c->sums.due - c->sums.finished - s->users.ended[VLOG_ERROR] - s->users.ended[VLOG_TIMEOUT];

	return isfinite(w->rate) && backlog > c->cfg.all && (double)backlog > BACKLOG * (double)c->sums.due ? backlog : 0;
}

static void say_users(struct rec_report *r, const struct crowd *c, struct vlog_sums *s, const struct report_facts *w)
{
	int64_t failed = s->users.ended[VLOG_ERROR] + s->users.ended[VLOG_TIMEOUT] + s->users.ended[VLOG_CUT];
	int64_t backlog = count_backlog(c, s, w);
	uint32_t least = UINT32_MAX, most = 0;

	for (int64_t i = 0; i < c->cfg.users; i++) {
		least = c->user[i].answered < least ? c->user[i].answered : least;
		most = c->user[i].answered > most ? c->user[i].answered : most;
	}
	if (backlog)
		rec_warn(r,
			 "At the end %s still without an answer: %s/s were due, %s/s answered meanwhile. While that "
			 "backlog grows, response times tell how long the run was.",
			 counted_text(backlog, "request"), number_text(rate_per_s(c, (double)c->sums.due)),
			 number_text(rate_per_s(c, (double)c->sums.finished)));
	rec_say(r, "%s, %s %s, for %s: %s answered (%s/s in that time), %s failed", counted_text(c->cfg.all, "user"),
		isfinite(w->rate) ? number_text(w->rate) : ns_text(c->cfg.think.mean_ns),
		isfinite(w->rate) ? "requests/s due" : "think time", ns_text(measured_seconds(c) * S),
		counted_text(s->users.ended[VLOG_OK], "request"), number_text(rate_per_s(c, (double)c->sums.finished)),
		count_text(failed));
	rec_begin_table(r, "lrrrrrr", "\tmin\tp50\tp90\tp95\tp99\tmax ms");
	say_quantiles(r, "response", &s->users.response);
	if (w->watched)
		say_quantiles(r, "watched users", &s->watched.response);
	if (s->users.response.n) {
		struct figure over = percent_over(&s->users, w->threshold_ns);

		rec_say(r, "over %s: %s %%; answers per user: %s to %s", ns_text((double)w->threshold_ns), figure_text(&over, 1),
			count_text(least), count_text(most));
	}
	if (s->users.late.n)
		rec_say(r, "load generator: requests left %s late at worst; it used %s %% of a CPU",
			ns_text(sample_max(&s->users.late).value), number_text(cpu_percent(c)));
}

void report_users(struct rec_report *r, struct crowd *c, struct vlog_sums *s, const struct report_facts *w)
{
	const struct crowd_sums *u = &c->sums;
	const struct measuring_window *k = &c->window;
	double answered = (double)s->users.ended[VLOG_OK], t = measured_seconds(c), inside = sample_mean(&s->users.from_sent).value;
	struct rec_named_figure over = { "over_threshold_percent", percent_over(&s->users, w->threshold_ns) };
	const char *why;
	char text[256];

	report_settings(r, c, w);
	rec_begin_object(r, "result");
	why = explain_invalid(c, s, w, text, sizeof(text));
	rec_add_bool(r, "valid", !why);
	rec_add_strs(r, { "why_invalid", why }, { "why_unsure", w->why_unsure });
	rec_add_int(r, "users_ready", u->users_ready + count_ready(w));
	report_start(r, w);
	rec_add_real(r, "seconds", t, 3);
	rec_add_ints(r, { "due", u->due }, { "requests", s->users.ended[VLOG_OK] }, { "errors", s->users.ended[VLOG_ERROR] },
		     { "timeouts", s->users.ended[VLOG_TIMEOUT] }, { "unanswered", s->users.ended[VLOG_CUT] },
		     { "unsent", u->unsent }, { "reconnected", u->reconnected }, { "refused", u->refused });
	rec_add_real(r, "gone_percent", gone_percent(c), 2);
	rec_add_count(r, "connections", w->connections);
	rec_add_reals(r, { "due_per_s", rate_per_s(c, (double)u->due), 4 }, { "rate_per_s", rate_per_s(c, answered), 4 },
		      { "finished_per_s", rate_per_s(c, (double)u->finished), 4 });
	rec_add_int(r, "pages", u->pages);
	rec_add_real(r, "pages_per_s", rate_per_s(c, (double)u->pages), 4);
	rec_add_sample(r, "response_ms", &s->users.response, MS);
	rec_add_figures(r, &over, 1, 1);
	rec_add_bounds(r, &over, 1, 1);
	rec_add_sample(r, "from_sent_ms", &s->users.from_sent, MS);
	if (c->cfg.open)
		rec_add_sample(r, "waited_for_user_ms", &s->waited, MS);
	rec_begin_object(r, "concurrency");
	rec_add_reals(r, { "mean", t > 0 ? k->asked_ns / S / t : (double)NAN, 4 },
		      { "by_little", rate_per_s(c, (double)u->finished) * inside / S, 4 });
	rec_add_int(r, "max", k->asked_most);
	rec_end(r);
	rec_begin_object(r, "send_gap_ms");
	rec_add_int(r, "n", k->gaps);
	rec_add_reals(r, { "mean", k->gaps ? k->gap_mean / MS : (double)NAN, 6 },
		      { "sd", k->gaps > 1 ? sqrt(k->gap_square / (double)(k->gaps - 1)) / MS : (double)NAN, 6 },
		      { "cov", k->gaps > 1 ? sqrt(k->gap_square / (double)(k->gaps - 1)) / k->gap_mean : (double)NAN, 5 });
	rec_end(r);
	rec_add_int(r, "bytes", w->bytes);
	rec_add_real(r, "received_kbyte_per_s", rate_per_s(c, (double)s->bytes / 1000), 3);
	report_fairness(r, c);
	if (w->each_user)
		report_per_user(r, c);
	if (w->watched)
		report_watched(r, c, s, w);
	report_generator(r, c, s, w);
	if (w->parts)
		report_parts(r, w);
	rec_add_str(r, "stopped_by", u->stopped ? "signal" : "time");
	rec_end(r);
	say_users(r, c, s, w);
}

int report_add_warnings(struct rec_report *r, const struct crowd *c, struct vlog_sums *s, const struct report_facts *w, int log_err)
{
	int64_t ended[VLOG_ENDS], lost;
	char text[256];
	const char *why = explain_invalid(c, s, w, text, sizeof(text));
	bool all_there = c->sums.users_ready == c->cfg.users;

	for (int i = 0; i < VLOG_ENDS; i++)
		ended[i] = s->users.ended[i] + s->watched.ended[i];
	if (c->sums.stopped) /* the signal cut these */
		ended[VLOG_CUT] = 0;
	lost = ended[VLOG_ERROR] + ended[VLOG_TIMEOUT] + ended[VLOG_CUT];
	for (int i = 0; i < w->watched; i++) {
		all_there = all_there && w->user[i].ready && !w->user[i].left;
		if (w->user[i].left)
			rec_warn(r, "watched user %d was lost: %s", i, w->user[i].why.text);
	}
	if (why)
		rec_warn(r, "NOT VALID: %s", why);
	if (w->why_unsure)
		rec_warn(r, "UNSURE: %s", w->why_unsure);
	if (log_err)
		rec_warn(r, "the log is incomplete: %s", strerror(-log_err));
	if (lost)
		rec_warn(r,
			 "%lld requests failed (%lld answered with an error or broken off, %lld timed out, "
			 "%lld not answered by the end)%s%s",
			 (long long)lost, (long long)ended[VLOG_ERROR], (long long)ended[VLOG_TIMEOUT], (long long)ended[VLOG_CUT],
			 *c->sums.last_why ? "; the last: " : "", c->sums.last_why);
	if (c->sums.stopped && c->cfg.time_ns)
		return EXIT_INTERRUPTED;
	all_there = all_there && !(gone_percent(c) > REPORT_GONE_MOST);
	return why || w->why_unsure || lost || log_err || s->lost || !all_there || count_backlog(c, s, w) ? EXIT_LOSSY : EXIT_OK;
}

/* --- the reference server ------------------------------------------------------------------------------------------ */

void report_server(struct rec_report *r, const char *target, const struct serve_cfg *cfg, struct serve_sums *s)
{
	rec_begin_object(r, "settings");
	rec_add_str(r, "at", target);
	rec_begin_array(r, "stations_ms");
	for (int i = 0; i < cfg->stations.n; i++)
		rec_add_real(r, NULL, cfg->stations.mean_ns[i] / MS, 6);
	rec_end(r);
	rec_add_str(r, "service", !cfg->stations.n ? "none" : cfg->stations.exponential ? "exp" : "const");
	rec_add_reals(r, { "pause_at_s", cfg->pause_ns ? (double)cfg->pause_at_ns / S : (double)NAN, 3 },
		      { "pause_s", (double)cfg->pause_ns / S, 3 });
	rec_add_int(r, "seed", (int64_t)cfg->stations.random);
	rec_add_str(r, "sandbox", confine_state());
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_ints(r, { "guests", s->guests }, { "guests_most", s->guests_most }, { "refused", s->refused },
		     { "requests", s->requests }, { "answered", s->answered });
	rec_add_sample(r, "inside_ms", &s->inside, MS);
	rec_add_sample(r, "late_ms", &s->late, MS);
	rec_begin_array(r, "busy_percent");
	for (int i = 0; i < cfg->stations.n; i++)
		rec_add_real(r, NULL, 100 * s->busy[i], 3);
	rec_end(r);
	rec_add_reals(r, { "cpu_percent", s->ns > 0 ? 100 * (double)s->cpu_ns / (double)s->ns : (double)NAN, 2 },
		      { "seconds", (double)s->ns / S, 3 });
	rec_end(r);
	if (!s->requests)
		rec_warn(r, "no request came (%s in %s)", counted_text(s->guests, "connection"), ns_text((double)s->ns));
	else
		rec_say(r, "%s of %s answered in %s, from %s", count_text(s->answered), counted_text(s->requests, "request"),
			ns_text((double)s->ns), counted_text(s->guests, "connection"));
	if (s->inside.n)
		rec_say(r, "  in queue and service %s (median), %s at worst; this server sent answers up to %s late",
			ns_text(sample_quantile(&s->inside, 0.5).value), ns_text(sample_max(&s->inside).value),
			ns_text(sample_max(&s->late).value));
	if (s->refused)
		rec_warn(r, "%s connections spoke another protocol and were closed", count_text(s->refused));
}
