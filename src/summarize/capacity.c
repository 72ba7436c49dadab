// SPDX-License-Identifier: GPL-3.0-or-later
#include "capacity.h"
#include "rows_in.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEMS_MAX 200
#define USERS_MAX 10000
#define CRITERIA_MAX 16

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	struct capacity_run *run;
	struct capacity_system *system;
	int64_t repeat;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* A number or an empty cell. */
static bool number(const char *cell, double *out)
{
	*out = NAN;
	return !cell || !*cell || (!cli_read_real(cell, out) && isfinite(*out));
}

static struct capacity_step *step_of(struct reader *r, int64_t users)
{
	struct capacity_system *s = r->system;
	struct capacity_step *more;

	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].users == users && s->step[i].repeat == r->repeat)
			return &s->step[i];
	more = reallocarray(s->step, s->steps + 1, sizeof(*more));
	if (!more)
		return NULL;
	s->step = more;
	more = &s->step[s->steps++];
	*more = (struct capacity_step){ .users = users, .repeat = r->repeat };
	for (size_t f = 0; f < CAPACITY_FIGURES; f++)
		more->of[f] = NAN;
	return more;
}

static struct capacity_step *row_step(struct reader *r, const char *cell)
{
	int64_t users;

	return rows_in_count(cell, &users) && users >= 1 && users <= USERS_MAX ? step_of(r, users) : NULL;
}

/* samples.tsv: user 1 is the one in front. */
enum { U_USERS, U_USER, U_MEAN, U_P50, U_P95, U_APDEX, U_LATE, U_ALL };
static const char *const user_columns[] = { "users", "user", "mean_ms", "p50_ms", "p95_ms", "apdex", "late_percent", NULL };

static int user_row(void *context, char *const *cell)
{
	static const enum capacity_figure front[U_ALL] = { [U_MEAN] = CAPACITY_MEAN, [U_P50] = CAPACITY_P50, [U_P95] = CAPACITY_P95, [U_APDEX] = CAPACITY_APDEX, [U_LATE] = CAPACITY_LATE };
	struct capacity_step *s = row_step(context, cell[U_USERS]);
	double v[U_ALL], *more;
	int64_t user;

	if (!s || !rows_in_count(cell[U_USER], &user) || user < 1 || user > s->users)
		return -EPROTO;
	for (size_t i = U_MEAN; i < U_ALL; i++) {
		if (!number(cell[i], &v[i]))
			return -EPROTO;
		if (user == 1)
			s->of[front[i]] = v[i];
	}
	if (!isfinite(v[U_MEAN]))
		return 0;
	s->of[CAPACITY_ALL_P95] = fmax(s->of[CAPACITY_ALL_P95], v[U_P95]);
	more = reallocarray(s->means, s->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->means = more;
	more = reallocarray(s->p95s, s->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->p95s = more;
	s->means[s->n] = v[U_MEAN];
	s->p95s[s->n++] = v[U_P95];
	return 0;
}

enum { M_USERS, M_KEYS, M_BUSY, M_CLIENT, M_FOREIGN, M_WAITING, M_AVAILABLE, M_SWAP_IN, M_LINK, M_OWN, M_MAJOR, M_DROPS, M_CLIENT_WAITING, M_STALL, M_ALL };
static const char *const machine_columns[] = {
	"users", "keys_per_s", "server_busy_percent", "client_busy_percent", "foreign_percent", "waiting", "available_bytes", "swap_in_bytes_per_s", "link_percent",
	"own_percent", "major_faults_per_s", "drops_per_s", "client_waiting", "memory_stall_ms_per_s", NULL,
};
#define M_NEEDED M_OWN

static int machine_row(void *context, char *const *cell)
{
	static const enum capacity_figure figure[M_ALL] = {
		[M_KEYS] = CAPACITY_KEYS, [M_BUSY] = CAPACITY_BUSY, [M_CLIENT] = CAPACITY_CLIENT, [M_FOREIGN] = CAPACITY_FOREIGN, [M_WAITING] = CAPACITY_WAITING,
		[M_AVAILABLE] = CAPACITY_AVAILABLE, [M_SWAP_IN] = CAPACITY_SWAP_IN, [M_LINK] = CAPACITY_LINK,
		[M_OWN] = CAPACITY_OWN, [M_MAJOR] = CAPACITY_MAJOR, [M_DROPS] = CAPACITY_DROPS,
		[M_CLIENT_WAITING] = CAPACITY_CLIENT_WAITING, [M_STALL] = CAPACITY_STALL,
	};
	struct capacity_step *s = row_step(context, cell[M_USERS]);

	if (!s)
		return -EPROTO;
	for (size_t i = M_KEYS; i < M_ALL; i++)
		if (!number(cell[i], &s->of[figure[i]]))
			return -EPROTO;
	return 0;
}

static int read_users(FILE *in, void *into, unsigned long *line)
{
	return rows_in_read(in, "capacity-user/1", user_columns, U_ALL, user_row, into, line);
}

static int read_machine(FILE *in, void *into, unsigned long *line)
{
	return rows_in_read(in, "capacity-machine/1", machine_columns, M_NEEDED, machine_row, into, line);
}

static bool copy_word(const struct json *j, const char *path, char *to, size_t size)
{
	const char *word = json_get_str(j, path);

	return word && !strchr(word, '/') && snprintf(to, size, "%s", word) < (int)size;
}

/* As much of it as there is room for. */
static void copy_text(const struct json *j, const char *path, char *to, size_t size)
{
	const char *text = json_get_str(j, path);

	snprintf(to, size, "%s", text ? text : "");
	for (char *c = to; *c; c++)
		if (*c == '\t' || *c == '\n' || *c == '\r')
			*c = ' ';
}

static int read_limits(struct reader *r, const struct json *j)
{
	struct capacity_system *s = r->system;

	for (size_t i = 0; i < CRITERIA_MAX; i++) {
		struct capacity_limit *more;
		char path[80];

		snprintf(path, sizeof(path), "limits.%zu.criterion", i);
		if (!json_get_str(j, path))
			return 0;
		more = reallocarray(s->limit, s->limits + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->limit = more;
		more = &s->limit[s->limits];
		*more = (struct capacity_limit){ .repeat = r->repeat, .users = NAN, .beyond = NAN };
		if (!copy_word(j, path, more->criterion, sizeof(more->criterion)))
			return -EPROTO;
		snprintf(path, sizeof(path), "limits.%zu.resource", i);
		copy_word(j, path, more->resource, sizeof(more->resource));
		snprintf(path, sizeof(path), "limits.%zu.ended", i);
		copy_text(j, path, more->ended, sizeof(more->ended));
		snprintf(path, sizeof(path), "limits.%zu.users", i);
		if (!json_get_real(j, path, &more->users))
			return -EPROTO;
		snprintf(path, sizeof(path), "limits.%zu.beyond", i);
		json_get_real(j, path, &more->beyond);
		snprintf(path, sizeof(path), "limits.%zu.reached", i);
		if (!json_get_bool(j, path, &more->reached))
			return -EPROTO;
		s->limits++;
	}
	return 0;
}

static int read_cell(struct reader *r)
{
	struct inputs_cell cell;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s-%03lld/%lld", r->folder, r->system->name, (long long)r->run->most, (long long)r->repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	if (!cell.complete) {
		json_free(cell.json);
		r->done->failed++;
		r->system->failed++;
		return 0;
	}
	r->system->complete++;
	r->done->complete++;
	r->system->marked += cell.marked;
	r->done->marked += cell.marked;
	err = read_limits(r, cell.json);
	r->system->servers = 1;
	json_get_real(cell.json, "server_cpus", &r->system->servers);
	json_free(cell.json);
	if (err)
		return complain(r, folder, err, "cell.json: limits cannot be read");
	err = inputs_rows(folder, "samples.tsv", true, read_users, r, r->why, r->size);
	return err ? err : inputs_rows(folder, "machine.tsv", true, read_machine, r, r->why, r->size);
}

static int read_rules(struct reader *r, const struct json *j)
{
	struct capacity_run *run = r->run;

	for (; run->rules < CAPACITY_RULES_MAX; run->rules++) {
		struct capacity_rule *rule = &run->rule[run->rules];
		const char *figure;
		char path[64];

		snprintf(path, sizeof(path), "settings.limits.%zu.name", run->rules);
		if (!json_get_str(j, path))
			break;
		copy_text(j, path, rule->name, sizeof(rule->name));
		snprintf(path, sizeof(path), "settings.limits.%zu.unless", run->rules);
		copy_text(j, path, rule->unless, sizeof(rule->unless));
		snprintf(path, sizeof(path), "settings.limits.%zu.unit", run->rules);
		copy_text(j, path, rule->unit, sizeof(rule->unit));
		snprintf(path, sizeof(path), "settings.limits.%zu.figure", run->rules);
		figure = json_get_str(j, path);
		rule->figure = CAPACITY_ALONE;
		if (figure && strcmp(figure, "alone_percent") != 0)
			for (rule->figure = 0; rule->figure < CAPACITY_FIGURES && strcmp(capacity_names[rule->figure], figure) != 0; rule->figure++)
				;
		snprintf(path, sizeof(path), "settings.limits.%zu.at_least", run->rules);
		if (!figure || (rule->figure == CAPACITY_FIGURES && strcmp(figure, "alone_percent") != 0) || !json_get_real(j, path, &rule->at_least) || !(rule->at_least > 0))
			return complain(r, r->folder, -EPROTO, "run.json: settings.limits cannot be read");
	}
	return 0;
}

static int read_settings(struct reader *r, const struct json *j)
{
	struct capacity_run *run = r->run;
	char path[64];

	json_get_int(j, "settings.most", &run->most);
	run->rate = run->typing = NAN;
	json_get_real(j, "settings.rate_per_s", &run->rate);
	json_get_real(j, "settings.typing_per_s", &run->typing);
	run->system = calloc(SYSTEMS_MAX, sizeof(*run->system));
	if (!run->system)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	for (size_t i = 0; i < SYSTEMS_MAX; i++) {
		struct capacity_system *s = &run->system[i];

		snprintf(path, sizeof(path), "settings.systems.%zu.system", i);
		if (!json_get_str(j, path))
			break;
		run->systems++;
		if (!copy_word(j, path, s->name, sizeof(s->name)))
			return complain(r, r->folder, -EPROTO, "run.json: settings.systems cannot be read");
		snprintf(path, sizeof(path), "settings.systems.%zu.protocol", i);
		copy_word(j, path, s->protocol, sizeof(s->protocol));
		snprintf(path, sizeof(path), "settings.systems.%zu.app", i);
		copy_word(j, path, s->app, sizeof(s->app));
	}
	return read_rules(r, j);
}

static void free_run(struct capacity_run *run)
{
	for (size_t i = 0; i < run->systems; i++) {
		for (size_t k = 0; k < run->system[i].steps; k++) {
			free(run->system[i].step[k].means);
			free(run->system[i].step[k].p95s);
		}
		free(run->system[i].step);
		free(run->system[i].limit);
	}
	free(run->system);
}

int capacity_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct capacity_run run = { .repeats = 1 };
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
		for (r.repeat = 1; !err && r.repeat <= run.repeats; r.repeat++)
			err = read_cell(&r);
		for (size_t k = 0; k < r.system->steps; k++)
			capacity_finish(r.system, &r.system->step[k], run.rate);
	}
	if (!err) {
		err = capacity_tables(folder, &run, &file, &out->rows);
		if (err)
			complain(&r, file, err, strerror(-err));
	}
	free_run(&run);
	return err;
}
