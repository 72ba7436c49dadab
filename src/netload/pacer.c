// SPDX-License-Identifier: GPL-3.0-or-later
#include "pacer.h"
#include "clock.h"
#include "random.h"
#include "scale.h"

#include <math.h>

#define LATE_PART 25 /* a late sender catches up a 25th of catch_up_ns at once */

/* Due time of a frame after the start, at even intervals. */
static int64_t even_due_ns(const struct pacer *b, int64_t frame)
{
	return scale_down(frame, b->frame_bits * NS_PER_S, b->rate);
}

/* Computes the due times within a block: always the same for a block. */
static void draw_block_times(struct pacer *b, int64_t block)
{
	uint64_t state = b->seed ^ (uint64_t)block * 0x9e3779b97f4a7c15u;
	double sum = 0, span = (double)(even_due_ns(b, (block + 1) * b->block) - even_due_ns(b, block * b->block));

	if (b->cached == block)
		return;
	for (int pass = 0; pass < 2; pass++) {
		uint64_t again = state;
		double at = 0;

		for (int64_t i = 0; i < b->block; i++) {
			at -= log1p(-random_fraction(&again));
			if (pass)
				b->offset[i] = (int64_t)(at / sum * span);
		}
		sum = at - log1p(-random_fraction(&again)); /* adds the interval from the last frame to the block's end */
	}
	b->cached = block;
}

int64_t pacer_due_ns(struct pacer *b, int64_t frame)
{
	if (!b->offset)
		return b->start_ns + even_due_ns(b, frame);
	draw_block_times(b, frame / b->block);
	return b->start_ns + even_due_ns(b, frame / b->block * b->block) + b->offset[frame % b->block];
}

int64_t pacer_frames_due(struct pacer *b, int64_t now_ns)
{
	int64_t frames, first, n = 0;

	if (now_ns < b->start_ns)
		return 0;
	/* + 1 ns: even_due_ns() rounds down, and a frame due at now_ns counts */
	frames = scale_up(now_ns - b->start_ns + 1, b->rate, b->frame_bits * NS_PER_S);
	if (!b->offset)
		return frames;
	first = (frames - 1) / b->block * b->block;
	draw_block_times(b, first / b->block);
	for (int64_t step = b->block; step; step /= 2)
		while (n + step <= b->block && b->start_ns + even_due_ns(b, first) + b->offset[n + step - 1] <= now_ns)
			n += step;
	return first + n;
}

void pacer_use_random(struct pacer *b, uint64_t seed, int64_t *room)
{
	b->batch = 1;
	b->block = b->rate / b->frame_bits;
	b->block = b->block < 1 ? 1 : b->block > PACER_BLOCK_MAX ? PACER_BLOCK_MAX : b->block;
	b->offset = room;
	b->seed = seed;
	b->cached = -1;
}

void pacer_start(struct pacer *b, int64_t rate, int64_t frame_bits, int64_t burst_ns, int64_t catch_up_ns, int64_t now_ns)
{
	*b = (struct pacer){ .rate = rate, .frame_bits = frame_bits, .catch_up_ns = catch_up_ns, .start_ns = now_ns };
	b->batch = scale_down(burst_ns, rate, frame_bits * NS_PER_S);
	if (b->batch < 1)
		b->batch = 1;
}

/* Gives up frames more than catch_up_ns late. */
static void give_up_late(struct pacer *b, int64_t now_ns)
{
	int64_t oldest = pacer_frames_due(b, now_ns - b->catch_up_ns) - b->batch + 1;

	if (oldest <= b->done)
		return;
	b->given_up += oldest - b->done;
	b->done = oldest;
}

int64_t pacer_take_due(struct pacer *b, int64_t now_ns, int64_t *wake_ns)
{
	int64_t due = pacer_due_ns(b, b->done + b->batch - 1), pace = b->offset ? 0 : even_due_ns(b, b->batch);

	*wake_ns = due > b->pause_ns ? due : b->pause_ns;
	if (now_ns - due > b->behind_ns)
		b->behind_ns = now_ns - due;
	if (now_ns - due > b->catch_up_ns)
		give_up_late(b, now_ns);
	if (now_ns < *wake_ns)
		return 0;
	/* Counted from when the batch was due, unless that is long ago: late wake-ups must not slow the rate. */
	b->pause_ns = (b->pause_ns > now_ns - b->catch_up_ns / LATE_PART ? b->pause_ns : now_ns - b->catch_up_ns / LATE_PART) +
		      pace / 5 * 4;
	return b->batch;
}

void pacer_count_done(struct pacer *b, int64_t frames)
{
	b->done += frames;
}

void pacer_give_up_rest(struct pacer *b, int64_t now_ns)
{
	int64_t left = (pacer_frames_due(b, now_ns) - b->done) / b->batch * b->batch; /* only batches of which all frames are due */

	if (left <= 0)
		return;
	b->given_up += left;
	b->done += left;
}
