// SPDX-License-Identifier: GPL-3.0-or-later
#include "sender.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>

#define SPIN_NS (100 * NS_PER_US)	/* waking up takes about so long; the rest of the wait is spun, never more than this */
#define AIM_NS (2 * NS_PER_MS)		/* before the due time: whether the key would go where it is meant to is asked then */
#define RELEASE_NS (5 * NS_PER_MS)	/* how long a tapped key is down, unless the next is due before */

void sender_start(struct sender *s, const struct target_ops *target, void *self, struct observations *seen, bool hold)
{
	*s = (struct sender){ .target = target, .self = self, .seen = seen, .hold = hold, .down = -1 };
}

bool sender_ended(struct sender *s)
{
	if (s->end == SENDER_COMPLETE) {
		/* in this order: who is told to stop may close the connection for it */
		if (proc_stop)
			s->end = SENDER_INTERRUPTED;
		else if (atomic_load(&s->seen->dropped))
			s->end = SENDER_DROPPED;
		else if (atomic_load(&s->seen->left))
			s->end = SENDER_LEFT;
	}
	return s->end != SENDER_COMPLETE;
}

static void press_key(struct sender *s, int key, bool down)
{
	if (s->target->send(s->self, key, down))
		s->end = SENDER_DROPPED;
	s->down = down ? key : -1;
}

/* Long waits through proc_wait_stop(), only the rest precisely. */
void sender_sleep(int64_t due_ns)
{
	if (due_ns - clock_now() > 20 * NS_PER_MS)
		proc_wait_stop(due_ns - 10 * NS_PER_MS);
	if (!proc_stop)
		clock_sleep_until(due_ns);
}

/* A server that reads nothing fills the socket; a blocking send would then hold up the whole train. So the
 * key waits, with its due time standing, until there is room or until `until_ns`. */
static bool can_send(struct sender *s, int64_t until_ns)
{
	struct pollfd fd = { .fd = s->target->send_fd(s->self), .events = POLLOUT };
	int64_t since = 0;

	while (fd.fd >= 0 && poll(&fd, 1, 0) == 0) {
		if (!since)
			since = clock_now();
		if (sender_ended(s) || clock_now() >= until_ns)
			return false;
		poll(&fd, 1, 1);
	}
	if (since && clock_now() - since > s->blocked_ns)
		s->blocked_ns = clock_now() - since;
	return true;
}

static void release_before(struct sender *s, int64_t due_ns)
{
	int64_t at = s->release_ns < due_ns - NS_PER_MS ? s->release_ns : due_ns - NS_PER_MS;

	if (s->down < 0 || s->release_ns == INT64_MAX)
		return;
	sender_sleep(at);
	if (!sender_ended(s) && can_send(s, due_ns))
		press_key(s, s->down, false);
}

void sender_key(struct sender *s, struct pair_key *key, int number, int64_t give_up_ns)
{
	release_before(s, key->due_ns);
	if (s->target->aim) {
		sender_sleep(key->due_ns - AIM_NS);
		if (s->target->aim(s->self, give_up_ns) == -EPIPE && !sender_ended(s))
			s->end = SENDER_DROPPED;
	}
	sender_sleep(key->due_ns - SPIN_NS);
	if (sender_ended(s) || !can_send(s, give_up_ns))
		return;
	while (clock_now() < key->due_ns)
		;
	if (atomic_load(&s->seen->left))	/* in this last moment */
		return;
	key->sent_ns = clock_now();
	/* still down: the server took nothing while it should have gone up, or gaps are shorter than a tap */
	if (s->down >= 0 && s->release_ns != INT64_MAX)
		press_key(s, s->down, false);
	press_key(s, number, true);
	s->release_ns = s->hold ? INT64_MAX : key->sent_ns + RELEASE_NS;
}

void sender_release(struct sender *s, int64_t held_until_ns)
{
	if (s->down < 0)
		return;
	sender_sleep(s->release_ns != INT64_MAX ? s->release_ns : held_until_ns);
	if (s->end != SENDER_DROPPED && can_send(s, clock_now()))
		press_key(s, s->down, false);
}
