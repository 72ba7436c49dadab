#include "beat.h"
#include "clock.h"

/* frames times bits times nanoseconds: more than 64 bits hold */
__extension__ typedef __int128 wide;

int64_t beat_due(const struct beat *b, int64_t frame)
{
	return b->start_ns + (int64_t)((wide)frame * b->frame_bits * NS_PER_S / b->rate);
}

int64_t beat_offered(const struct beat *b, int64_t now_ns)
{
	if (now_ns < b->start_ns)
		return 0;
	/* (+ 1 ns: beat_due() rounds down, and a frame that is due is offered) */
	return (int64_t)(((wide)(now_ns - b->start_ns + 1) * b->rate - 1) / ((wide)b->frame_bits * NS_PER_S)) + 1;
}

void beat_start(struct beat *b, int64_t rate, int64_t frame_bits, int64_t burst_ns, int64_t catch_up_ns, int64_t now_ns)
{
	*b = (struct beat){ .rate = rate, .frame_bits = frame_bits, .catch_up_ns = catch_up_ns, .start_ns = now_ns };
	b->batch = (int64_t)((wide)burst_ns * rate / ((wide)frame_bits * NS_PER_S));
	if (b->batch < 1)
		b->batch = 1;
}

/* Frames so late are not sent any more. Those left are just in time to be caught up with. */
static void give_up(struct beat *b, int64_t now_ns)
{
	int64_t oldest = beat_offered(b, now_ns - b->catch_up_ns) - b->batch + 1;

	if (oldest <= b->done)
		return;
	b->given_up += oldest - b->done;
	b->done = oldest;
}

int64_t beat_ask(struct beat *b, int64_t now_ns, int64_t *wake_ns)
{
	int64_t due = beat_due(b, b->done + b->batch - 1), pace = beat_due(b, b->batch) - b->start_ns;

	*wake_ns = due > b->pause_ns ? due : b->pause_ns;
	if (now_ns - due > b->behind_ns)
		b->behind_ns = now_ns - due;
	if (now_ns - due > b->catch_up_ns)
		give_up(b, now_ns);
	if (now_ns < *wake_ns)
		return 0;
	/* from when it was to be, unless that is long ago: being woken late must not make it slower */
	b->pause_ns = (now_ns - b->pause_ns < pace / 4 ? b->pause_ns : now_ns) + pace / 5 * 4;
	return b->batch;
}

void beat_done(struct beat *b, int64_t frames)
{
	b->done += frames;
}
