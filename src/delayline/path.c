// SPDX-License-Identifier: GPL-3.0-or-later
#include "path.h"
#include "clock.h"
#include "random.h"

#include <math.h>

#define CUT 3.0		/* a normal jitter is cut there, or once in a long run a packet would come absurdly late */

const char *const path_shapes[] = { "uniform", "normal", 0 };

void path_init(struct path *p, const struct path_cfg *cfg, uint64_t seed)
{
	*p = (struct path){ .sent_ns = INT64_MIN, .due_ns = INT64_MIN };
	path_set(p, cfg);
	path_seed(p, seed);
}

void path_seed(struct path *p, uint64_t seed)
{
	uint64_t state = seed;

	p->loss_state = random_bits(&state);
	p->jitter_state = random_bits(&state);
}

void path_set(struct path *p, const struct path_cfg *cfg)
{
	if (cfg->rate_bits != p->cfg.rate_bits)
		p->rest = 0;	/* is in units of the rate */
	p->cfg = *cfg;
}

static double deviation(struct path *p)
{
	double x = random_unit(&p->jitter_state), y = random_unit(&p->jitter_state);

	if (p->cfg.shape == PATH_UNIFORM)
		return 2 * x - 1;
	x = sqrt(-2 * log(1 - x)) * cos(2 * M_PI * y);	/* Box and Muller 1958 */
	return fmin(fmax(x, -CUT), CUT);
}

/* 0, or -1 when the queue is full. */
static int send_in_turn(struct path *p, int64_t now_ns, int64_t bytes)
{
	int64_t begins = now_ns, work;

	if (p->cfg.rate_bits == 0) {
		p->sent_ns = now_ns;
		return 0;
	}
	if (p->sent_ns > now_ns)
		begins = p->sent_ns;
	else
		p->rest = 0;	/* the link was idle */
	if (begins - now_ns > p->cfg.queue_ns)
		return -1;
	work = bytes * 8 * NS_PER_S + p->rest;
	p->sent_ns = begins + work / p->cfg.rate_bits;
	p->rest = work % p->cfg.rate_bits;
	return 0;
}

enum path_fate path_take(struct path *p, int64_t now_ns, int64_t bytes, int64_t *due_ns)
{
	bool lost = random_unit(&p->loss_state) < p->cfg.loss;
	int64_t due;

	if (send_in_turn(p, now_ns, bytes))
		return PATH_DROPPED;
	if (lost)
		return PATH_LOST;
	due = p->sent_ns + p->cfg.delay_ns;
	if (p->cfg.jitter_ns > 0)
		due += llround((double)p->cfg.jitter_ns * deviation(p));
	if (due < p->sent_ns)
		due = p->sent_ns;
	if (!p->cfg.reorder && due < p->due_ns)
		due = p->due_ns;
	p->due_ns = due;
	*due_ns = due;
	return PATH_PASSES;
}
