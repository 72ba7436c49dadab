// SPDX-License-Identifier: GPL-3.0-or-later
#include "link_path.h"
#include "clock.h"
#include "random.h"

#include <math.h>

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
