#include "schedule.h"
#include "clock.h"

#include <errno.h>
#include <math.h>

const char *const schedule_names[] = { "periodic", "jittered", "poisson", "blocks", NULL };

/* splitmix64 (Steele, Lea and Flood 2014): one word of state, so a seed is the whole story. */
static uint64_t next_word(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 <= u < 1, with all 53 bits of a double */
static double uniform(uint64_t *state)
{
	return (double)(next_word(state) >> 11) * 0x1p-53;
}

int schedule_fill(enum schedule_kind kind, double rate_per_s, uint64_t seed, int64_t *offset_ns, size_t n)
{
	double period = (double)NS_PER_S / rate_per_s, at = 0, phase = 0;
	uint64_t state = seed;

	/* Times are computed from the key's number, not summed up, so that rounding does not drift. */
	for (size_t i = 0; i < n; i++) {
		switch (kind) {
		case SCHEDULE_PERIODIC:
			at = (double)i * period;
			break;
		case SCHEDULE_JITTERED:
			at = (double)i * period + uniform(&state) * period / 3;
			break;
		case SCHEDULE_POISSON:
			at += -log1p(-uniform(&state)) * period;
			break;
		case SCHEDULE_BLOCKS:
			if (i % SCHEDULE_BLOCK == 0)
				phase = uniform(&state) * period;
			at = (double)(i % SCHEDULE_BLOCK) * period + phase;
			break;
		}
		if (!(at < 9e18))
			return -ERANGE;
		offset_ns[i] = llround(at);
	}
	return 0;
}
