// SPDX-License-Identifier: GPL-3.0-or-later
/* NAME TABLE [--draws N] [--rates] [SCENE...] - the scenes of a decider: results as TAP, or counts for tests/deciders.sh.
 * N draws of all scenes together, in place of those of the table. */
#include "scene.h"
#include "binomial.h"
#include "cli.h"
#include "memory.h"
#include "random.h"
#include "rows_in.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#define CHANCE 1e-4
/* Chances that all draws find a rate that is too high, and that fewer let it pass. */
#define FOUND 0.95
#define PASSED 0.01

enum { SCENE, HAPPENS, SAY, NEVER, LEAST, MOST, DRAWS, COLUMNS };
static const char *const columns[COLUMNS + 1] = { "scene", "happens", "say", "never", "least", "most", "draws", NULL };

struct row {
	char *cell[COLUMNS]; /* owned */
	double least, most;
	int64_t draws;
};

static struct row *rows;
static size_t n_rows;
static struct {
	int64_t draws;
	bool rates, said;
} cfg;

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "draws", &cfg.draws, 1, 1e9, .help = "draws of all scenes together (each scene's own number)" },
	{ CLI_FLAG, 0, "rates", &cfg.rates, .help = "print as columns how many draws missed it, and were wrong; fail at nothing" },
	{ CLI_FLAG, 0, "said", &cfg.said, .help = "print what is said of each draw, a line each; fail at nothing" },
	{ .type = CLI_END },
};

/* --- what happens --- */

static const char *find_value(const struct scene *s, const char *key, size_t *length)
{
	size_t n = strlen(key);

	for (const char *at = s->happens; at && *at; at += strspn(at, " ")) {
		*length = strcspn(at, " ");
		if (*length > n && !strncmp(at, key, n) && at[n] == '=') {
			*length -= n + 1;
			return at + n + 1;
		}
		at += *length;
	}
	return NULL;
}

const char *scene_word(const struct scene *s, const char *key, const char *otherwise)
{
	static char word[64];
	size_t length;
	const char *value = find_value(s, key, &length);

	if (!value)
		return otherwise;
	if (length >= sizeof(word))
		die(EXIT_USAGE, "scene %s: %s is too long", s->name, key);
	memcpy(word, value, length);
	word[length] = '\0';
	return word;
}

double scene_number(const struct scene *s, const char *key, double otherwise)
{
	const char *word = scene_word(s, key, NULL);
	double value = otherwise;

	if (word && cli_parse_real(word, &value))
		die(EXIT_USAGE, "scene %s: %s=%s is no number", s->name, key, word);
	return value;
}

/* --- rates --- */

/* Are so many hits of n no surprise, if each comes with probability p? */
static bool is_likely(int64_t hits, int64_t n, double p)
{
	return (double)hits <= p * (double)n || (p > 0 && binomial_at_most(n - hits, n, 1 - p) >= CHANCE);
}

/* By how much a hit, and a miss, speak for the least rate that all draws find to be too high, against p, the highest allowed one.
 * finds: there is such a rate. */
struct weights {
	bool finds;
	double hit, miss;
};

static struct weights weigh(int64_t draws, double p)
{
	double low = p, high = 1;
	int64_t few = 0;

	while (few <= draws && is_likely(few, draws, p))
		few++;
	if (few > draws)
		return (struct weights){ 0 };
	for (int i = 0; i < 40; i++) {
		double middle = (low + high) / 2;

		*(binomial_at_most(few - 1, draws, middle) <= 1 - FOUND ? &high : &low) = middle;
	}
	return (struct weights){ true, log(high / p), log((1 - high) / (1 - p)) };
}

/* After n draws, is it settled that the rate is not too high? (Wald's sequential probability ratio test, 1945.) */
static bool is_settled(struct weights w, int64_t hits, int64_t n)
{
	return !w.finds || (hits ? (double)hits * w.hit : 0) + (double)(n - hits) * w.miss <= log(PASSED);
}

static bool has_word(const char *said, const char *words)
{
	char text[SCENE_SAID + 2], word[SCENE_SAID];

	snprintf(text, sizeof(text), " %s ", said);
	for (const char *at = words; *at; at += strspn(at, "|")) {
		size_t length = strcspn(at, "|");

		snprintf(word, sizeof(word), " %.*s ", (int)length, at);
		if (strstr(text, word))
			return true;
		at += length;
	}
	return false;
}

/* Draws a scene; returns whether its rates are as they must be. */
static bool run_scene(const struct row *r)
{
	struct scene s = { .name = r->cell[SCENE], .happens = r->cell[HAPPENS] };
	int64_t all = cfg.draws ? (cfg.draws + (int64_t)n_rows - 1) / (int64_t)n_rows : r->draws, n = 0;
	int64_t right = 0, wrong = 0, missed = 0;
	char said[SCENE_SAID], other[SCENE_SAID] = "", bad[SCENE_SAID] = "";
	bool well, is_short = !cfg.draws && !cfg.rates && !cfg.said;
	struct weights never = weigh(all, r->most / 100), say = weigh(all, 1 - r->least / 100);

	while (n < all && !(n && is_short && is_settled(never, wrong, n) && is_settled(say, n - right, n))) {
		uint64_t rng = random_mix((uint64_t)++n);
		bool hit, miss;

		*said = '\0';
		scene_draw(&s, &rng, said);
		if (cfg.said)
			puts(said);
		miss = has_word(said, r->cell[NEVER]);
		hit = has_word(said, r->cell[SAY]);
		right += hit;
		wrong += miss;
		missed += *r->cell[SAY] && !hit && !miss;
		if (miss && !*bad)
			snprintf(bad, sizeof(bad), "%s", said);
		if (!hit && !*other)
			snprintf(other, sizeof(other), "%s", said);
	}
	if (cfg.said)
		return true;
	if (cfg.rates) {
		printf("%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", s.name, r->cell[SAY], n, missed, wrong);
		return true;
	}
	well = is_likely(wrong, n, r->most / 100) && is_likely(n - right, n, 1 - r->least / 100);
	printf("%sok - %s: %" PRId64 " of %" PRId64 " right, %" PRId64 " wrong\n", well ? "" : "not ", s.name, right, n, wrong);
	if (!well)
		printf("# must say %s (least %s %%), never %s (most %s %%)\n# said once in place of it: %s\n# wrong once: %s\n",
		       r->cell[SAY], r->cell[LEAST], r->cell[NEVER], r->cell[MOST], other, bad);
	return well;
}

/* --- the table --- */

/* Adds a scene; or one for each value of a list. */
static int add_scene(const struct row *r)
{
	const char *happens = r->cell[HAPPENS], *value = strchr(happens, '|'), *rest;
	char name[SCENE_SAID], one[SCENE_SAID];
	struct row copy = *r;
	int err = 0;

	if (value) {
		rest = value + strcspn(value, " ");
		while (value > happens && value[-1] != '=')
			value--;
		copy.cell[SCENE] = name;
		copy.cell[HAPPENS] = one;
		for (int n, at = (int)(value - happens); value < rest && !err; value += n + 1) {
			n = (int)strcspn(value, "| ");
			snprintf(name, sizeof(name), "%.*s: %s", n, value, r->cell[SCENE]);
			snprintf(one, sizeof(one), "%.*s%.*s%s", at, happens, n, value, rest);
			err = add_scene(&copy);
		}
		return err;
	}
	for (size_t i = 0; i < n_rows; i++)
		if (!strcmp(rows[i].cell[SCENE], r->cell[SCENE]))
			return -EPROTO;
	for (int i = 0; i < COLUMNS; i++)
		copy.cell[i] = must_alloc(strdup(r->cell[i]));
	memory_more(rows, n_rows);
	rows[n_rows++] = copy;
	return 0;
}

static int read_row(void *context, char *const *cell)
{
	struct row r;

	(void)context;
	if (cli_parse_real(cell[LEAST], &r.least) || cli_parse_real(cell[MOST], &r.most) || !rows_in_count(cell[DRAWS], &r.draws) ||
	    r.draws < 1 || !*cell[SCENE] || (!*cell[SAY] && r.least > 0))
		return -EPROTO;
	memcpy(r.cell, cell, sizeof(r.cell));
	return add_scene(&r);
}

static bool is_wanted(const struct row *r, char *const *names)
{
	for (char *const *name = names; *name; name++)
		if (!strcmp(*name, r->cell[SCENE]))
			return true;
	return !*names;
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "scenes TABLE [SCENE...] [options]", "Does a decider say what is true?", options), err;
	bool well = true;
	unsigned long line;
	FILE *in;

	if (first == argc)
		die_usage("which table?");
	in = cli_open_input(argv[first]);
	err = rows_in_read(in, "scenes/1", columns, COLUMNS, read_row, NULL, &line);
	cli_close_input(in, argv[first], err, line, "not a row of scenes/1, or a name that is there already");
	if (!cfg.rates && !cfg.said)
		printf("1..%zu\n", n_rows);
	for (size_t i = 0; i < n_rows; i++)
		if (is_wanted(&rows[i], argv + first + 1))
			well &= run_scene(&rows[i]);
	for (size_t i = 0; i < n_rows; i++)
		for (int k = 0; k < COLUMNS; k++)
			free(rows[i].cell[k]);
	free(rows);
	return well ? EXIT_OK : EXIT_RUN;
}
