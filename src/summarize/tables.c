#include "tables.h"
#include "clock.h"
#include "rec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct { enum figure_name of; const char *name; int decimals; bool later; } figure_columns[] = {
	{ LATE, "late_share_percent", 3, false },
	{ LATE_HIGH, "late_share_high_percent", 3, false },
	{ P50, "latency_p50_ms", 3, true },
	{ P90, "latency_p90_ms", 3, true },
	{ P99, "latency_p99_ms", 3, true },
	{ MAX, "latency_max_ms", 3, true },
	{ HIGH_P50, "latency_high_p50_ms", 3, true },
	{ HIGH_P90, "latency_high_p90_ms", 3, true },
	{ HIGH_P99, "latency_high_p99_ms", 3, true },
	{ HIGH_MAX, "latency_high_max_ms", 3, true },
	{ SENT_P50, "latency_sent_p50_ms", 3, true },
	{ STALL_MEAN, "mean_stall_ms", 3, false },
	{ STALL_POSITIVE, "mean_positive_stall_ms", 3, false },
	{ STALL_COUNT, "stall_count", 3, false },
	{ GAP, "largest_gap_ms", 3, false },
	{ JITTER_SD, "jitter_sd_ms", 3, false },
	{ JITTER_VARIANCE, "jitter_variance_ms2", 3, false },
	{ UPDATES_PER_KEY, "updates_per_key", 4, false },
	{ UPDATES_PER_S, "updates_per_s", 3, false },
	{ LATENESS_P99, "lateness_p99_us", 3, false },
	{ LATENESS_MAX, "lateness_max_us", 3, false },
	{ BACKLOG, "backlog_per_s", 3, false },
	{ WIRE_STALL_MEAN, "wire_mean_stall_ms", 3, false },
	{ WIRE_BYTES_PER_KEY, "wire_bytes_per_key", 1, false },
};
enum { N_FIGURES = sizeof(figure_columns) / sizeof(*figure_columns) };

static const char *const before[] = { "protocol", "app", "sinks", "repeats", "state", "keys" };
static const char *const after[] = {
	"fair_stall_ms", "overloaded", "foreign_percent_max", "steal_percent_max", "disturbed_percent_max", "foreign_unknown",
	"capture_dropped", "censored", "stall_repeats", "failed", "marked", "skipped_keys", "unknown_keys", "ranged_keys", "pairing",
	"interval", "late_interval", "cost_ms", "period_ms", "schedule_jitter_ms", "wire_updates", "wire_updates_5ms",
	"wire_updates_20ms", "depends_on_merge", "server_busy_percent", "probe_cpu_percent_max", "capture_cpu_percent_max",
	"same_group", "competes_session", "competes_app", "competes_sinks", "reason",
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

enum series tables_series(const struct cell *c, enum series wanted)
{
	return c->n[wanted] ? wanted : wanted == SERIES_LATENCY ? SERIES_STALL : SERIES_LATENCY;
}

/* rows_open() writes in place; here the file takes its name when it is whole. */
struct whole {
	char *path, *temporary;
	struct rows *rows;
};

static int whole_open(struct whole *w, const char *folder, const char *name, const char *schema, const char *const *columns)
{
	int fd;

	*w = (struct whole){ 0 };
	if (asprintf(&w->path, "%s/%s", folder, name) < 0)
		w->path = NULL;
	if (!w->path || asprintf(&w->temporary, "%s.XXXXXX", w->path) < 0)
		w->temporary = NULL;
	if (!w->temporary) {
		free(w->path);
		return -ENOMEM;
	}
	fd = mkostemp(w->temporary, O_CLOEXEC);
	if (fd >= 0) {
		mode_t mask = umask(0);

		umask(mask);
		fchmod(fd, 0666 & ~mask);	/* mkostemp made it private */
		close(fd);
		w->rows = rows_open(w->temporary, schema, columns);
	}
	if (!w->rows) {
		int err = -errno;

		if (fd >= 0)
			unlink(w->temporary);
		free(w->temporary);
		free(w->path);
		return err;
	}
	return 0;
}

static int whole_close(struct whole *w)
{
	int err = rows_close(w->rows), fd = open(w->temporary, O_RDONLY | O_CLOEXEC);

	if (!err && (fd < 0 || fsync(fd) || rename(w->temporary, w->path)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		unlink(w->temporary);
	free(w->temporary);
	free(w->path);
	return err;
}

static void number(struct rows *t, double v, int decimals)
{
	char text[64];

	if (!isfinite(v)) {
		rows_none(t);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	rows_str(t, text);
}

static void one_figure(struct rows *t, const struct figure *f, int decimals, bool later)
{
	number(t, f->value, decimals);
	number(t, f->low, decimals);
	number(t, f->high, decimals);
	if (!later)
		return;
	if (isfinite(f->value))
		rows_int(t, f->above);
	else
		rows_none(t);
}

/* Keys of the train come every period; with n sinks that never sleep an application gets one part in n + 1, so a
 * redraw takes cost * (n + 1), and the gap between two is that once it is longer than the period. */
static double fair_stall(const struct cell *c)
{
	double stall = c->cost_ms * (double)(c->sinks + 1) - c->period_ms;

	return isnan(stall) ? NAN : fmax(0, stall);
}

static const char *state(const struct cell *c, const struct run *run, size_t repeats)
{
	if (!repeats)
		return "failed";
	return c->failed || (int64_t)repeats < run->repeats ? "partial" : "complete";
}

static const char *pairing(const struct train *t, size_t n)
{
	for (size_t r = 1; r < n; r++)
		if (strcmp(t[r].pairing, t[0].pairing) != 0)
			return "mixed";
	return n ? t[0].pairing : "";
}

/* All trains together: updates at each merge gap, then the number of trains of which it depends on the gap how many there are. */
static void merges(struct rows *t, const struct train *train, size_t n)
{
	int64_t depend = 0;
	size_t known = 0;

	for (int m = 0; m < MERGES; m++) {
		double sum = 0;

		for (size_t r = 0; r < n; r++)
			sum += train[r].wire_updates[m];
		number(t, n ? sum : NAN, 0);
	}
	for (size_t r = 0; r < n; r++) {
		depend += train[r].depends_on_merge;
		known += isfinite(train[r].wire_updates[0]) ? 1 : 0;
	}
	if (known)
		rows_int(t, depend);
	else
		rows_none(t);
}

static void summary_row(struct rows *t, const struct cell *c, const struct estimates *f, const struct run *run)
{
	static const char *const kinds[] = { "none", "t", "bca", "exact" };
	enum series l = tables_series(c, SERIES_LATENCY), s = tables_series(c, SERIES_STALL);

	rows_str(t, c->protocol);
	rows_str(t, c->app);
	rows_int(t, c->sinks);
	rows_int(t, (int64_t)c->n[l]);
	rows_str(t, state(c, run, c->n[l]));
	rows_int(t, (int64_t)f->keys);
	for (size_t i = 0; i < N_FIGURES; i++)
		one_figure(t, &f->of[figure_columns[i].of], figure_columns[i].decimals, figure_columns[i].later);
	number(t, fair_stall(c), 3);
	rows_int(t, (int64_t)f->overloaded);
	number(t, c->foreign_max, 2);
	number(t, c->steal_max, 2);
	number(t, c->disturbed_max, 2);
	rows_int(t, (int64_t)c->foreign_unknown);
	number(t, c->capture_dropped, 0);
	rows_int(t, (int64_t)f->censored);
	rows_int(t, (int64_t)c->n[s]);
	rows_int(t, (int64_t)c->failed);
	rows_int(t, (int64_t)c->marked);
	rows_int(t, (int64_t)f->skipped);
	rows_int(t, (int64_t)f->unknown);
	rows_int(t, (int64_t)f->ranged_keys);
	rows_str(t, pairing(c->train[l], c->n[l]));
	rows_str(t, kinds[f->interval]);
	rows_str(t, kinds[f->late_interval]);
	number(t, c->cost_ms, 3);
	number(t, c->period_ms, 3);
	number(t, c->schedule_jitter_ms[s], 3);
	merges(t, c->train[s], c->n[s]);
	number(t, c->busy_mean, 1);
	number(t, c->probe_max, 2);
	number(t, c->capture_max, 2);
	if (c->same_group < 0)
		rows_none(t);
	else
		rows_int(t, c->same_group);
	for (int k = 0; k < COMPETITORS; k++)
		rows_str(t, c->competes[k] ? c->competes[k] : "");
	rows_str(t, c->reason ? c->reason : "");
	rows_end(t);
}

static int write_summary(const char *folder, const struct run *run, const struct estimates *figures)
{
	const char *columns[COUNT(before) + 4 * N_FIGURES + COUNT(after) + 1];
	char name[N_FIGURES][3][64];
	struct whole w;
	size_t n = 0;
	int err;

	for (size_t i = 0; i < COUNT(before); i++)
		columns[n++] = before[i];
	for (size_t i = 0; i < N_FIGURES; i++) {
		static const char *const ends[] = { "low", "high", "above" };

		columns[n++] = figure_columns[i].name;
		for (size_t e = 0; e < (figure_columns[i].later ? 3 : 2); e++) {
			snprintf(name[i][e], sizeof(name[i][e]), "%s_%s", figure_columns[i].name, ends[e]);
			columns[n++] = name[i][e];
		}
	}
	for (size_t i = 0; i < COUNT(after); i++)
		columns[n++] = after[i];
	columns[n] = NULL;
	err = whole_open(&w, folder, "summary.tsv", "summary/1", columns);
	if (err)
		return err;
	for (size_t i = 0; i < run->n; i++)
		summary_row(w.rows, &run->cell[i], &figures[i], run);
	return whole_close(&w);
}

static int curve(struct rows *t, const struct cell *c, bool high, const char *bound, size_t *rows)
{
	enum series s = tables_series(c, SERIES_LATENCY);
	struct cdf_point *point;
	size_t n;
	int err = estimates_cdf(c->train[s], c->n[s], high, CDF_POINTS, &point, &n);

	for (size_t i = 0; !err && i < n; i++) {
		rows_str(t, c->app);
		rows_int(t, c->sinks);
		number(t, (double)point[i].ns / NS_PER_MS, 6);
		number(t, point[i].share, 6);
		rows_str(t, bound);
		rows_end(t);
	}
	*rows += n;
	free(point);
	return err;
}

static int write_cdf(const char *folder, const struct run *run, const struct estimates *figures, size_t *rows)
{
	static const char *const columns[] = { "app", "sinks", "latency_ms", "share", "bound", NULL };
	struct whole w;
	int err = whole_open(&w, folder, "cdf.tsv", "cdf/1", columns), closed;

	if (err)
		return err;
	for (size_t i = 0; i < run->n && !err; i++) {
		err = curve(w.rows, &run->cell[i], false, figures[i].ranged ? "low" : "exact", rows);
		if (!err && figures[i].ranged)
			err = curve(w.rows, &run->cell[i], true, "high", rows);
	}
	closed = whole_close(&w);
	return err ? err : closed;
}

int tables_write(const char *folder, const struct run *run, const struct estimates *figures,
		 struct tables_written *written, char *why, size_t size)
{
	int err = write_summary(folder, run, figures);

	*written = (struct tables_written){ .rows = run->n };
	if (err) {
		snprintf(why, size, "%s/summary.tsv: %s", folder, strerror(-err));
		return err;
	}
	err = write_cdf(folder, run, figures, &written->cdf_rows);
	if (err)
		snprintf(why, size, "%s/cdf.tsv: %s", folder, strerror(-err));
	return err;
}
