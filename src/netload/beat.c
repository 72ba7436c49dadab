// SPDX-License-Identifier: GPL-3.0-or-later
#include "beat.h"
#include "clock.h"
#include "random.h"

#include <math.h>

#define LATE_PART 25	/* of the time that may be caught up with, so much at once */

/* frames times bits times nanoseconds: more than 64 bits hold */
__extension__ typedef __int128 wide_bits;

/* When frame k of an even schedule is due, after the start. */
static int64_t even(const struct beat *b, int64_t frame)
{
	return (int64_t)((wide_bits)frame * b->frame_bits * NS_PER_S / b->rate);
}

/* The times within a block, the same whenever they are asked for. */
static void load_block(struct beat *b, int64_t block)
{
	uint64_t state = b->seed ^ (uint64_t)block * 0x9e3779b97f4a7c15u;
	double sum = 0, span = (double)(even(b, (block + 1) * b->block) - even(b, block * b->block));

	if (b->cached == block)
		return;
	for (int pass = 0; pass < 2; pass++) {
		uint64_t again = state;
		double at = 0;

		for (int64_t i = 0; i < b->block; i++) {
			at -= log1p(-random_unit(&again));
			if (pass)
				b->offset[i] = (int64_t)(at / sum * span);
		}
		sum = at - log1p(-random_unit(&again));	/* from the last one to the end */
	}
	b->cached = block;
}

int64_t beat_due(struct beat *b, int64_t frame)
{
	if (!b->offset)
		return b->start_ns + even(b, frame);
	load_block(b, frame / b->block);
	return b->start_ns + even(b, frame / b->block * b->block) + b->offset[frame % b->block];
}

int64_t beat_offered(struct beat *b, int64_t now_ns)
{
	int64_t frames, first, n = 0;

	if (now_ns < b->start_ns)
		return 0;
	/* (+ 1 ns: even() rounds down, and a frame that is due is offered) */
	frames = (int64_t)(((wide_bits)(now_ns - b->start_ns + 1) * b->rate - 1) / ((wide_bits)b->frame_bits * NS_PER_S)) + 1;
	if (!b->offset)
		return frames;
	first = (frames - 1) / b->block * b->block;
	load_block(b, first / b->block);
	for (int64_t step = b->block; step; step /= 2)
		while (n + step <= b->block && b->start_ns + even(b, first) + b->offset[n + step - 1] <= now_ns)
			n += step;
	return first + n;
}

void beat_random(struct beat *b, uint64_t seed, int64_t *room)
{
	b->batch = 1;
	b->block = b->rate / b->frame_bits;
	b->block = b->block < 1 ? 1 : b->block > BEAT_BLOCK ? BEAT_BLOCK : b->block;
	b->offset = room;
	b->seed = seed;
	b->cached = -1;
}

void beat_start(struct beat *b, int64_t rate, int64_t frame_bits, int64_t burst_ns, int64_t catch_up_ns, int64_t now_ns)
{
	*b = (struct beat){ .rate = rate, .frame_bits = frame_bits, .catch_up_ns = catch_up_ns, .start_ns = now_ns };
	b->batch = (int64_t)((wide_bits)burst_ns * rate / ((wide_bits)frame_bits * NS_PER_S));
	if (b->batch < 1)
		b->batch = 1;
}

/* Frames so late are not sent any more. Those left are just in time to be caught up with. */
static void give_up_late(struct beat *b, int64_t now_ns)
{
	int64_t oldest = beat_offered(b, now_ns - b->catch_up_ns) - b->batch + 1;

	if (oldest <= b->done)
		return;
	b->given_up += oldest - b->done;
	b->done = oldest;
}

int64_t beat_ask(struct beat *b, int64_t now_ns, int64_t *wake_ns)
{
	int64_t due = beat_due(b, b->done + b->batch - 1), pace = b->offset ? 0 : even(b, b->batch);

	*wake_ns = due > b->pause_ns ? due : b->pause_ns;
	if (now_ns - due > b->behind_ns)
		b->behind_ns = now_ns - due;
	if (now_ns - due > b->catch_up_ns)
		give_up_late(b, now_ns);
	if (now_ns < *wake_ns)
		return 0;
	/* from when it was to be, unless that is long ago: being woken late, even each time, must not make it slower */
	b->pause_ns = (b->pause_ns > now_ns - b->catch_up_ns / LATE_PART ? b->pause_ns : now_ns - b->catch_up_ns / LATE_PART) +
		pace / 5 * 4;
	return b->batch;
}

void beat_done(struct beat *b, int64_t frames)
{
	b->done += frames;
}

void beat_give_up_rest(struct beat *b, int64_t now_ns)
{
	int64_t left = (beat_offered(b, now_ns) - b->done) / b->batch * b->batch;	/* a batch that has begun goes when its last is due */

	if (left <= 0)
		return;
	b->given_up += left;
	b->done += left;
}
