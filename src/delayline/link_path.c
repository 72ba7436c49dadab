// SPDX-License-Identifier: GPL-3.0-or-later
#include "delayline.h"
#include "cli.h"
#include "clock.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CUT 3.0 /* normal jitter is cut at this many standard deviations: no absurdly late packet in a long run */

const char *const jitter_shapes[] = { "uniform", "normal", 0 };

void link_path_init(struct link_path *p, const struct link_settings *cfg, uint64_t seed)
{
	*p = (struct link_path){ .sent_ns = INT64_MIN, .due_ns = INT64_MIN };
	link_path_configure(p, cfg);
	link_path_set_seed(p, seed);
}

void link_path_set_seed(struct link_path *p, uint64_t seed)
{
	uint64_t state = seed;

	p->loss_state = random_bits(&state);
	p->jitter_state = random_bits(&state);
}

void link_path_configure(struct link_path *p, const struct link_settings *cfg)
{
	if (cfg->rate_bits != p->cfg.rate_bits)
		p->remainder = 0; /* its unit depends on the rate */
	p->cfg = *cfg;
}

static double draw_jitter(struct link_path *p)
{
	double x = random_fraction(&p->jitter_state), y = random_fraction(&p->jitter_state);

	if (p->cfg.shape == JITTER_UNIFORM)
		return 2 * x - 1;
	x = sqrt(-2 * log(1 - x)) * cos(2 * M_PI * y); /* Box and Muller 1958 */
	return fmin(fmax(x, -CUT), CUT);
}

/* Sets the end of the packet's transmission in p->sent_ns. 0, or -1: the queue is full. */
static int compute_transmit_end(struct link_path *p, int64_t now_ns, int64_t bytes)
{
	int64_t begins = now_ns, work;

	if (p->cfg.rate_bits == 0) {
		p->sent_ns = now_ns;
		return 0;
	}
	if (p->sent_ns > now_ns)
		begins = p->sent_ns;
	else
		p->remainder = 0; /* the link was idle */
	if (begins - now_ns > p->cfg.queue_ns)
		return -1;
	work = bytes * 8 * NS_PER_S + p->remainder;
	p->sent_ns = begins + work / p->cfg.rate_bits;
	p->remainder = work % p->cfg.rate_bits;
	return 0;
}

enum link_fate link_path_schedule(struct link_path *p, int64_t now_ns, int64_t bytes, int64_t *due_ns)
{
	bool lost = random_fraction(&p->loss_state) < p->cfg.loss;
	int64_t due;

	if (compute_transmit_end(p, now_ns, bytes))
		return LINK_QUEUE_FULL;
	if (lost)
		return LINK_LOSES;
	due = p->sent_ns + p->cfg.delay_ns;
	if (p->cfg.jitter_ns > 0)
		due += llround((double)p->cfg.jitter_ns * draw_jitter(p));
	if (due < p->sent_ns)
		due = p->sent_ns;
	if (!p->cfg.reorder && due < p->due_ns)
		due = p->due_ns;
	p->due_ns = due;
	*due_ns = due;
	return LINK_PASSES;
}

#define RATE_LEAST 1000
#define RATE_MOST 100000000000

int parse_link_rate(const char *text, int64_t *bits)
{
	int64_t value = 0;
	int err = strcmp(text, "none") ? cli_parse_rate(text, &value) : 0;

	if (!err && strcmp(text, "none") != 0 && (value < RATE_LEAST || value > RATE_MOST))
		err = -ERANGE;
	if (!err)
		*bits = value;
	return err;
}

int parse_link_loss(const char *text, double *probability)
{
	double percent;
	int err = cli_parse_percent(text, &percent);

	if (!err && !(percent >= 0 && percent <= 100))
		err = -ERANGE;
	if (!err)
		*probability = percent / 100;
	return err;
}

static int parse_link_time(const char *text, int64_t *out)
{
	int64_t ns;
	int err = cli_parse_ns(text, &ns);

	if (!err && (ns < 0 || ns > LINK_TIME_MAX_NS))
		err = -ERANGE;
	if (!err)
		*out = ns;
	return err;
}

static int find_link_word(const char *text, const char *const *words, int *out)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(text, words[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_link_setting(struct link_settings *cfg, const char *name, const char *value)
{
	static const char *const order[] = { "kept", "free", NULL };
	const struct {
		const char *name;
		int64_t *ns;
	} times[] = {
		{ "queue", &cfg->queue_ns },
		{ "delay", &cfg->delay_ns },
		{ "jitter", &cfg->jitter_ns },
	};
	int word, err;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!strcmp(name, times[i].name))
			return parse_link_time(value, times[i].ns);
	if (!strcmp(name, "rate"))
		return parse_link_rate(value, &cfg->rate_bits);
	if (!strcmp(name, "loss"))
		return parse_link_loss(value, &cfg->loss);
	if (!strcmp(name, "shape"))
		return find_link_word(value, jitter_shapes, &cfg->shape);
	if (strcmp(name, "order") != 0)
		return -EINVAL;
	err = find_link_word(value, order, &word);
	if (!err)
		cfg->reorder = word == 1;
	return err;
}

int parse_link_command(struct link_changes *o, const char *line)
{
	char name[16] = "", value[64] = "", rest;
	struct link_settings cfg;
	int which = LINK_FORTH | LINK_BACK, err;
	int64_t seed;

	if (!*line)
		return 0;
	if (!strcmp(line, "report")) {
		o->report = true;
		return 0;
	}
	if (!strncmp(line, "forth ", 6) || !strncmp(line, "back ", 5)) {
		which = *line == 'f' ? LINK_FORTH : LINK_BACK;
		line = strchr(line, ' ') + 1;
	}
	if (sscanf(line, "%15s %63s %c", name, value, &rest) != 2)
		return -EINVAL;
	if (!strcmp(name, "seed")) { /* of both directions */
		if (which != (LINK_FORTH | LINK_BACK))
			return -EINVAL;
		err = cli_parse_int(value, &seed);
		if (err || seed < 0)
			return err ? err : -ERANGE;
		o->seeded = true;
		o->seed = (uint64_t)seed;
		return 0;
	}
	cfg = o->cfg[0];
	err = parse_link_setting(&cfg, name, value);
	if (err)
		return err;
	for (int way = 0; way < 2; way++) {
		if (which & 1 << way)
			parse_link_setting(&o->cfg[way], name, value);
	}
	o->changed |= which;
	return 0;
}
