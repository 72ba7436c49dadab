// SPDX-License-Identifier: GPL-3.0-or-later
#include "burst_plan.h"
#include "cli.h"
#include "clock.h"
#include "memory.h"
#include "random.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static bool read_burst_load(const char *text, double *out)
{
	if (cli_parse_percent(text, out))
		return false;
	*out /= 100;
	return *out > 0 && *out <= 1;
}

static bool read_burst_length(const char *text, int64_t *out)
{
	return !cli_parse_ns(text, out) && *out >= BURST_LENGTH_MIN && *out <= NS_PER_DAY;
}

static const char *const keys[] = { "every", "len", "random", "min", "max", "load" };
#define KEYS (sizeof(keys) / sizeof(*keys))

/* Reads one "name:value" of a list. *seen: the names read so far, as bits; a name must not be repeated. */
static bool read_burst_word(char *word, struct burst_plan_spec *s, unsigned *seen)
{
	char *value = strchr(word, ':');
	unsigned key = 0;

	if (!value)
		return false;
	*value++ = '\0';
	while (key < KEYS && strcmp(word, keys[key]) != 0)
		key++;
	if (key == KEYS || *seen & 1U << key)
		return false;
	*seen |= 1U << key;
	if (s->kind == BURST_EVERY) {
		if (!strcmp(word, "every"))
			return read_burst_length(value, &s->every_ns);
		return !strcmp(word, "len") && read_burst_length(value, &s->length_ns);
	}
	if (!strcmp(word, "random"))
		return !cli_parse_int(value, &s->n) && s->n >= 1 && s->n <= BURST_PLAN_MAX;
	if (!strcmp(word, "min"))
		return read_burst_length(value, &s->min_ns);
	if (!strcmp(word, "max"))
		return read_burst_length(value, &s->max_ns);
	return !strcmp(word, "load") && read_burst_load(value, &s->load);
}

int parse_burst_spec(const char *text, struct burst_plan_spec *out, struct why *why)
{
	static const char *const forms[] = {
		[BURST_EVERY] = "a list as every:100ms,len:5ms is needed",
		[BURST_RANDOM] = "a list as random:1000,min:100us,max:400ms,load:50% is needed",
	};
	char copy[256], *rest = NULL;
	unsigned seen = 0;

	*out = (struct burst_plan_spec){
		.kind = BURST_FILE, .min_ns = 100 * NS_PER_US, .max_ns = 400 * NS_PER_MS, .load = 0.5, .path = text
	};
	for (unsigned i = 0; i < KEYS; i++) {
		size_t n = strlen(keys[i]);

		if (!strncmp(text, keys[i], n) && text[n] == ':')
			out->kind = i < 2 ? BURST_EVERY : BURST_RANDOM;
	}
	if (out->kind == BURST_FILE)
		return *text ? 0 : why_fail(-EINVAL, why, "a list or the name of a file is needed");
	out->path = NULL;
	/* strtok would take ",," for "," */
	if (strlen(text) >= sizeof(copy) || strstr(text, ",,") || text[strlen(text) - 1] == ',')
		return why_fail(-EINVAL, why, "%s", forms[out->kind]);
	strcpy(copy, text);
	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (!read_burst_word(word, out, &seen))
			return why_fail(-EINVAL, why, "%s", forms[out->kind]);
	if (out->kind == BURST_EVERY ? !out->length_ns || !out->every_ns : !out->n)
		return why_fail(-EINVAL, why, "%s", forms[out->kind]);
	if (out->kind == BURST_EVERY && out->length_ns > out->every_ns)
		return why_fail(-EINVAL, why, "len must not be longer than every");
	if (out->kind == BURST_RANDOM && out->min_ns > out->max_ns)
		return why_fail(-EINVAL, why, "min must not be longer than max");
	if (out->kind == BURST_RANDOM && (double)out->max_ns > out->load * NS_PER_S)
		return why_fail(-EINVAL, why, "max must not be longer than the load's share of a second");
	return 0;
}

static int reserve_bursts(struct burst_plan *plan, size_t n)
{
	if (n > BURST_PLAN_MAX)
		return -E2BIG;
	plan->due = must_alloc(reallocarray(plan->due, n ? n : 1, sizeof(*plan->due)));
	return 0;
}

int burst_plan_make_periodic(struct burst_plan *plan, const struct burst_plan_spec *spec, int64_t time_ns)
{
	int64_t n = (time_ns + spec->every_ns - 1) / spec->every_ns;
	int err;

	*plan = (struct burst_plan){ 0 };
	err = reserve_bursts(plan, (size_t)n);
	if (err)
		return err;
	for (; (int64_t)plan->n < n; plan->n++)
		plan->due[plan->n] = (struct planned_burst){ (int64_t)plan->n * spec->every_ns, spec->length_ns };
	return 0;
}

/* By how many ns the last burst must be put off, so that no second holds more than `most` ns of bursts. Only the second that ends
 * with the last burst is checked: the bursts within a sliding second are at a maximum when its end leaves a burst. */
static int64_t limit_load_ns(const struct burst_plan *plan, int64_t most)
{
	const struct planned_burst *last = &plan->due[plan->n - 1];
	int64_t end = last->start_ns + last->length_ns, held = last->length_ns;

	for (const struct planned_burst *b = last; b-- > plan->due;) {
		int64_t b_end = b->start_ns + b->length_ns;
		int64_t from = end - NS_PER_S > b->start_ns ? end - NS_PER_S : b->start_ns;

		if (from >= b_end)
			break;
		/* older bursts leave the sliding second first: the excess must leave it within this burst */
		if (held + b_end - from > most)
			return b_end - (most - held) + NS_PER_S - end;
		held += b_end - from;
	}
	return 0;
}

int burst_plan_make_random(struct burst_plan *plan, const struct burst_plan_spec *spec, uint64_t seed)
{
	double span = log((double)spec->max_ns / (double)spec->min_ns);
	double mean = span > 0 ? (double)(spec->max_ns - spec->min_ns) / span : (double)spec->min_ns;
	double pause = fmax(0, mean * (1 / spec->load - 1) - BURST_PAUSE_MIN);
	int64_t free_ns = 0, most = (int64_t)(spec->load * NS_PER_S);
	int err;

	*plan = (struct burst_plan){ 0 };
	err = reserve_bursts(plan, (size_t)spec->n);
	if (err)
		return err;
	while ((int64_t)plan->n < spec->n) {
		double length = (double)spec->min_ns * exp(span * random_fraction(&seed));
		double wait = -log(1 - random_fraction(&seed)) * pause;
		struct planned_burst *due = &plan->due[plan->n++];

		due->length_ns = length > (double)spec->max_ns ? spec->max_ns : (int64_t)length;
		due->start_ns = free_ns + BURST_PAUSE_MIN + (int64_t)wait;
		due->start_ns += limit_load_ns(plan, most);
		free_ns = due->start_ns + due->length_ns;
	}
	return 0;
}

static int add_read_burst(void *context, char *const *cell)
{
	struct burst_plan *plan = context;
	struct planned_burst due;

	if (!rows_in_count(cell[0], &due.start_ns) || !rows_in_count(cell[1], &due.length_ns) || due.start_ns < 0 ||
	    due.length_ns < BURST_LENGTH_MIN || (plan->n && due.start_ns < plan->due[plan->n - 1].start_ns))
		return -EPROTO;
	if (plan->n == BURST_PLAN_MAX)
		return -E2BIG;
	memory_more(plan->due, plan->n);
	plan->due[plan->n++] = due;
	return 0;
}

int burst_plan_read_file(struct burst_plan *plan, FILE *in, unsigned long *line)
{
	static const char *const columns[] = { "start_ns", "length_ns", NULL };
	int err;

	*plan = (struct burst_plan){ 0 };
	err = rows_in_read(in, "burst-plan/1", columns, 2, add_read_burst, plan, line);
	if (err)
		burst_plan_free(plan);
	return err;
}

void burst_plan_explain(FILE *in, unsigned long line, struct why *why)
{
	char text[512] = "";

	rewind(in);
	for (unsigned long i = 0; i < line;) {
		if (!fgets(text, sizeof(text), in))
			break;
		i += strchr(text, '\n') || feof(in);
	}
	if (!line)
		why_say(why, "is empty; a header and rows of burst-plan/1 are needed");
	else if (strchr(text, '\r'))
		why_say(why, "line %lu: the lines end in CR LF; LF alone is needed (dos2unix)", line);
	else if (*text && !strchr(text, '\n'))
		why_say(why, "line %lu: has no line end; the file was cut there", line);
	else if (line == 1)
		why_say(why, "line 1: the header must name schema, start_ns and length_ns, with tabs between");
	else
		why_say(why, "line %lu: not a burst of burst-plan/1 (start_ns, ascending, and length_ns, at least %d)", line,
			BURST_LENGTH_MIN);
}

void burst_plan_drop_after(struct burst_plan *plan, int64_t time_ns)
{
	while (plan->n && plan->due[plan->n - 1].start_ns >= time_ns)
		plan->n--;
}

void burst_plan_free(struct burst_plan *plan)
{
	free(plan->due);
	*plan = (struct burst_plan){ 0 };
}

#define SPIN_TURNS 256 /* loop turns between readings of the clock: well below a microsecond */

static bool is_run_stopped(const struct burst_stop *stop)
{
	return atomic_load_explicit(stop->flag, memory_order_relaxed);
}

/* Sleeps as precisely as clock_nanosleep, but cannot miss a stop that comes just before the sleep. */
static void sleep_burst(int64_t due_ns, const struct burst_stop *stop)
{
	struct timespec ts = clock_timespec(due_ns);

	while (!is_run_stopped(stop) && sem_clockwait(stop->wake, CLOCK_MONOTONIC, &ts) && errno == EINTR)
		;
}

/* Reading the CPU time is a system call that locks the run queue: it is read only when, by the wall clock, the burst may be
 * over. */
static void burn_burst(struct burst_record *b, const struct burst_stop *stop)
{
	int64_t cpu_from, left;

	b->start_ns = clock_now();
	cpu_from = clock_thread_cpu();
	b->cpu_ns = 0;
	while ((left = b->asked_ns - b->cpu_ns) > 0 && !is_run_stopped(stop)) {
		int64_t until = clock_now() + left;

		while (clock_now() < until && !is_run_stopped(stop))
			for (int i = 0; i < SPIN_TURNS; i++)
				__asm__ volatile("" ::: "memory");
		b->cpu_ns = clock_thread_cpu() - cpu_from;
	}
	b->end_ns = clock_now();
}

void burst_warm_up(struct burst_record *rows, size_t room, const struct burst_stop *stop)
{
	struct burst_record nothing = { .asked_ns = 1 };

	memset(rows, 0, room * sizeof(*rows));
	sleep_burst(clock_now(), stop);
	burn_burst(&nothing, stop);
}

void burst_play(const struct burst_plan *plan, int64_t origin_ns, struct burst_record *rows, atomic_size_t *played,
		const struct burst_stop *stop)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct burst_record *b = &rows[i];

		b->due_ns = origin_ns + plan->due[i].start_ns;
		b->asked_ns = plan->due[i].length_ns;
		sleep_burst(b->due_ns, stop);
		if (is_run_stopped(stop))
			return;
		burn_burst(b, stop);
		atomic_store_explicit(played, i + 1, memory_order_release);
	}
}
