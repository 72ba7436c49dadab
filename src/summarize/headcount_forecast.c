// SPDX-License-Identifier: GPL-3.0-or-later
/* headcount_forecast - number of users that a criterion allows, predicted from measurements with few users by an M/D/m queue.
 *
 * The CPU utilization is a straight line over keys per second (utilization law; the intercept is what sessions take without keys).
 * A key waits for other users' keys as random arrivals do at as many servers as there are CPUs, where each key costs the same: half
 * the wait of exponential service (Pollaczek 1930, Khinchine 1932), with an exponential tail: P(W > t) = p exp(-t / theta), theta =
 * D / (2 m (1 - u)); the share of keys that wait is p = u^(sqrt(2 (m + 1)) - 1) (Sakasegawa 1977; exact for m = 1). User 1 does not
 * wait for its own keys, so u in p is the utilization by the other users. The latency of one user alone (application, frame timer,
 * link) is added; deviations of independent parts add in squares. */
#include "headcount.h"

/* Least number of rows in the first third of a curve: the rows with at most a third of the first number of users for which the
 * criterion did not hold (or of the largest number, where it always held), or more until there are ROWS_LEAST; the criterion held
 * for all of them. */
#define ROWS_LEAST 3
#define ROWS_MAX 4096
#define USERS_MAX 10000
#define HALVINGS 200 /* steps of a bisection: a double has no more digits */
#define TAIL 0.05    /* share of latencies beyond p95 */

/* --- a line ---------------------------------------------------------------------------------------------------- */

/* A fitted line, with the 95 % interval (Student's t) of its slope. */
struct forecast_line {
	double slope, low, high, start;
	double mean_x, spread; /* of the x values: mean, and variance (over n) */
	size_t n;
};

/* Returns the height of the line at x; side -1 or 1: the lower or upper end of its interval, 0: the line. The variance of the
 * height at x is that of the slope times (Sxx / n + (x - mean)^2). */
static double line_value(const struct forecast_line *l, double x, int side)
{
	return l->start + l->slope * x + side * (l->high - l->low) / 2 * sqrt(l->spread + (x - l->mean_x) * (x - l->mean_x));
}

/* Returns the smallest x at which the line (by `side`) is at least `full`; INFINITY: none. */
static double find_line_x(const struct forecast_line *l, double full, int side)
{
	double low = l->mean_x, high = fmax(2 * fabs(l->mean_x), 1);

	if (line_value(l, low, side) >= full)
		return low;
	while (line_value(l, high, side) < full)
		if ((high *= 2) > 1e9)
			return INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		*(line_value(l, middle, side) >= full ? &high : &low) = middle;
	}
	return high;
}

struct first_third {
	const struct headcount_step *row[ROWS_MAX];
	size_t n;
	double most; /* largest number of users in these rows */
};

/* Finds the first third of the curves of n repeats; the rows of each repeat are in ascending order. */
static void select_first_third(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct first_third *t)
{
	t->n = 0;
	t->most = NAN;
	for (const struct headcount_limit *last = l + n; l < last; l++) {
		size_t first = t->n;
		double end = l->beyond;

		for (size_t i = 0; isnan(l->beyond) && i < s->steps; i++)
			if (s->step[i].repeat == l->repeat)
				end = (double)s->step[i].users;
		for (size_t i = 0; i < s->steps && t->n < ROWS_MAX; i++) {
			const struct headcount_step *step = &s->step[i];
			bool enough = t->n - first >= ROWS_LEAST && (double)step->users * 3 > end;

			if (step->repeat == l->repeat && !enough && !((double)step->users >= l->beyond) &&
			    isfinite(step->of[HEADCOUNT_OWN]) && isfinite(step->of[HEADCOUNT_KEYS]))
				t->row[t->n++] = step;
		}
		t->n = t->n - first < ROWS_LEAST ? first : t->n;
		if (t->n > first)
			t->most = fmax(t->most, (double)t->row[t->n - 1]->users);
	}
}

/* Fits a line to a figure over keys per second, or over users. False: fewer than three points, or all at the same x. */
static bool fit_line(const struct first_third *t, bool by_keys, enum headcount_figure figure, double scale, struct forecast_line *l)
{
	double x[ROWS_MAX], y[ROWS_MAX];
	struct interval slope;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		x[n] = by_keys ? t->row[i]->of[HEADCOUNT_KEYS] : (double)t->row[i]->users;
		y[n] = scale * t->row[i]->of[figure];
		n += isfinite(x[n]) && isfinite(y[n]);
	}
	if (!interval_slope_ci(x, y, n, &slope))
		return false;
	*l = (struct forecast_line){ .low = slope.low, .high = slope.high, .n = n };
	l->slope = interval_slope(x, y, n, &l->start);
	for (size_t i = 0; i < n; i++)
		l->mean_x += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		l->spread += (x[i] - l->mean_x) * (x[i] - l->mean_x) / (double)n;
	return true;
}

/* --- the queue ------------------------------------------------------------------------------------------------- */

struct queue_model {
	struct forecast_line cpu; /* share of all CPUs, 0 to 1, over keys per second of all users */
	double servers;		  /* number of CPUs */
	double rate, typing;	  /* keys per second of user 1, and of each other user */
	double mean_ms, p95_ms;	  /* latency of one user alone */
	double target_ms;	  /* target response time T of Apdex */
};

/* Returns the number of users with whom the line reaches 100 percent. */
static double find_full_users(const struct headcount_run *h, const struct forecast_line *l, int side)
{
	return 1 + (find_line_x(l, 100, side) - h->rate) / h->typing;
}

static double compute_wait_share(double p, double theta, double ms)
{
	return ms < 0 ? 1 : theta > 0 ? p * exp(-ms / theta) : 0;
}

/* Does the criterion hold with so many users? side -1, 1: by the lower or upper end of the line's interval. */
static bool criterion_holds(const struct queue_model *q, double users, bool apdex, double value, int side)
{
	double slope = side > 0 ? q->cpu.high : side < 0 ? q->cpu.low : q->cpu.slope;
	double u = line_value(&q->cpu, q->rate + q->typing * (users - 1), side);
	double others = users > 1 ? fmin(fmax(u - q->rate * slope, 0), 1) : 0, late;
	double p = pow(others, sqrt(2 * (q->servers + 1)) - 1);
	double theta = 1000 * fmax(slope, 0) / (1 - u) / 2; /* slope: service time D over number of servers m */

	if (!(u < 1))
		return false;
	if (apdex)
		return 1 - (compute_wait_share(p, theta, q->target_ms - q->mean_ms) +
			    compute_wait_share(p, theta, 4 * q->target_ms - q->mean_ms)) /
				       2 >=
		       value;
	late = p > TAIL ? fmax(theta * log(p / TAIL) - p * theta, 0) : 0;
	return q->mean_ms + p * theta + hypot(q->p95_ms - q->mean_ms, late) <= value;
}

/* Returns the largest number of users for whom the criterion holds; 0: not even one; INFINITY: no limit. */
static double find_max_users(const struct queue_model *q, bool apdex, double value, int side)
{
	for (double users = 1; users <= USERS_MAX; users++)
		if (!criterion_holds(q, users, apdex, value, side))
			return users - 1;
	return INFINITY;
}

/* --- the forecast ---------------------------------------------------------------------------------------------- */

bool headcount_parse_criterion(const char *text, bool *apdex, double *value)
{
	*apdex = !strncmp(text, "apdex:", 6);
	if (!*apdex && strncmp(text, "p95:", 4) != 0)
		return false;
	*value = strtod(strchr(text, ':') + 1, NULL);
	return isfinite(*value) && *value > 0;
}

/* Resources whose utilization is a line over keys per second. A resource whose utilization does not grow is never full. */
static const struct {
	const char *name;
	enum headcount_figure figure;
} lines[] = { { "CPU", HEADCOUNT_OWN }, { "viewers", HEADCOUNT_CLIENT }, { "link", HEADCOUNT_LINK } };
enum { LINES = sizeof(lines) / sizeof(*lines) };

struct user_forecast headcount_forecast_users(const struct headcount_run *h, const struct headcount_cell *s,
					      const struct headcount_limit *limit, size_t n)
{
	struct user_forecast f = { FIGURE_ABSENT, "", "fewer than three numbers of users were good", NAN };
	struct queue_model q = {
		.servers = s->servers, .rate = h->rate, .typing = h->typing, .target_ms = s->cell->run->threshold_ms
	};
	double value, ones = 0, most[3];
	struct first_third t;
	struct forecast_line l;
	bool apdex;

	select_first_third(s, limit, n, &t);
	f.most = t.most;
	if (t.n < ROWS_LEAST || !headcount_parse_criterion(limit->criterion, &apdex, &value) || !(h->typing > 0) || !(h->rate > 0))
		return f;
	for (size_t i = 0; i < t.n; i++)
		if (t.row[i]->users == 1 && isfinite(t.row[i]->of[HEADCOUNT_P95])) {
			q.mean_ms += t.row[i]->of[HEADCOUNT_MEAN];
			q.p95_ms += t.row[i]->of[HEADCOUNT_P95];
			ones++;
		}
	q.mean_ms /= ones;
	q.p95_ms /= ones;
	f.why = !(ones > 0) ? "one user alone was not measured"
		: !fit_line(&t, true, HEADCOUNT_OWN, 0.01, &q.cpu) || !(q.cpu.low > 0)
			? "the first third tells nothing: the interval of what a key takes of the CPU holds 0"
			: "";
	if (*f.why)
		return f;
	f.users = figure_estimate(find_max_users(&q, apdex, value, 0), find_max_users(&q, apdex, value, 1),
				  find_max_users(&q, apdex, value, -1));
	f.of = "CPU";
	for (size_t i = 1; i < LINES; i++) {
		if (!fit_line(&t, true, lines[i].figure, 1, &l) || !(l.low > 0))
			continue;
		for (int side = -1; side <= 1; side++)
			most[side + 1] = floor(find_full_users(h, &l, side) + 1e-9);
		if (!(most[1] < f.users.value))
			continue;
		f.users = figure_estimate(most[1], fmin(f.users.low, most[2]), most[0]);
		f.of = lines[i].name;
	}
	return f;
}

/* --- what a key needs ------------------------------------------------------------------------------------------ */

size_t headcount_fit_slopes(const struct headcount_run *h, const struct headcount_cell *s, const struct headcount_limit *l,
			    size_t n, struct resource_slope out[static HEADCOUNT_RESOURCES])
{
	struct first_third third;
	struct forecast_line line;
	double users[3];
	size_t found = 0;

	select_first_third(s, l, n, &third);
	/* The fitted lines are followed by memory: a user takes what the available memory shrinks by. */
	for (size_t i = 0; third.n && i <= LINES; i++) {
		bool memory = i == LINES;
		/* 1 % of a CPU at 1 key/s is 10 ms of CPU time per key; the percentage is of all CPUs together */
		double scale = i == 0 ? 10 * s->servers : 1;

		if (!fit_line(&third, !memory, memory ? HEADCOUNT_AVAILABLE : lines[i].figure, memory ? -1.0 / 1048576 : 1, &line))
			continue;
		for (int side = -1; side <= 1; side++)
			users[side + 1] = !(line.slope > 0) ? (double)NAN
					  : memory	    ? find_line_x(&line, 0, side)
							    : find_full_users(h, &line, side);
		out[found++] = (struct resource_slope){
			.name = memory ? "memory" : lines[i].name,
			.points = line.n,
			.none = memory ? -line.start : line.start,
			.slope = figure_estimate(scale * line.slope, scale * line.low, scale * line.high),
			.users = figure_estimate(users[1], users[2], users[0]),
		};
	}
	return found;
}
