// SPDX-License-Identifier: GPL-3.0-or-later
#include "sender.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define SPIN_FIRST_NS (100 * NS_PER_US) /* first length of the busy loop before a due time, which bridges the time of waking up */
#define SPIN_MOST_NS (300 * NS_PER_US)
#define SPIN_LEAST_NS (15 * NS_PER_US)
#define SPIN_STEP_NS 100
#define SPIN_OF 200		   /* wake-ups of which one may come too late */
#define AIM_NS (2 * NS_PER_MS)	   /* before the due time, target_ops.aim is called */
#define RELEASE_NS (5 * NS_PER_MS) /* how long a tapped key is down, unless the next is due earlier */

void sender_init(struct key_sender *s, const struct target_ops *target, void *self, struct observations *seen, bool hold)
{
	*s = (struct key_sender){
		.target = target, .self = self, .seen = seen, .hold = hold, .down = -1, .spin_ns = SPIN_FIRST_NS
	};
}

bool sender_detect_end(struct key_sender *s)
{
	if (s->end == SENDER_COMPLETE) {
		/* in this order: after a stop signal the watching thread may close the connection */
		if (proc_stop)
			s->end = SENDER_INTERRUPTED;
		else if (atomic_load(&s->seen->dropped))
			s->end = SENDER_DROPPED;
		else if (atomic_load(&s->seen->left))
			s->end = SENDER_LEFT;
	}
	return s->end != SENDER_COMPLETE;
}

bool sender_await_line(struct key_sender *s, int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char c = 0;

	while (!sender_detect_end(s)) {
		ssize_t n;

		if (poll(&in, 1, 50) <= 0)
			continue;
		n = read(fd, &c, 1);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (n == 1 && c == '\n')
			return true;
	}
	return false;
}

static void send_key_state(struct key_sender *s, int key, bool down)
{
	if (s->target->send(s->self, key, down))
		s->end = SENDER_DROPPED;
	s->down = down ? key : -1;
}

/* Sleeps in proc_sleep(), which a signal ends, but for the last 10 ms, which must be precise. */
void sender_sleep(int64_t due_ns)
{
	if (due_ns - clock_now() > 20 * NS_PER_MS)
		proc_sleep(due_ns - 10 * NS_PER_MS);
	if (!proc_stop)
		clock_sleep(due_ns);
}

/* Waits until the socket takes data, at most until until_ns: a server that reads nothing fills the socket, and a send() that blocks
 * would delay all later keys. The key keeps its due time. */
static bool await_sendable(struct key_sender *s, int64_t until_ns)
{
	struct pollfd fd = { .fd = s->target->send_fd(s->self), .events = POLLOUT };
	int64_t since = 0;
	bool takes = true;

	while (takes && fd.fd >= 0 && poll(&fd, 1, 0) == 0) {
		if (!since)
			since = clock_now();
		takes = !sender_detect_end(s) && clock_now() < until_ns;
		if (takes)
			poll(&fd, 1, 1);
	}
	if (since && clock_now() - since > s->blocked_ns)
		s->blocked_ns = clock_now() - since;
	return takes;
}

static void release_previous(struct key_sender *s, int64_t due_ns)
{
	int64_t at = s->release_ns < due_ns - NS_PER_MS ? s->release_ns : due_ns - NS_PER_MS;

	if (s->down < 0 || s->release_ns == INT64_MAX)
		return;
	sender_sleep(at);
	if (!sender_detect_end(s) && await_sendable(s, due_ns))
		send_key_state(s, s->down, false);
}

int64_t sender_learn_spin(int64_t spin_ns, int64_t woke_ns)
{
	spin_ns += woke_ns > spin_ns ? (SPIN_OF - 1) * SPIN_STEP_NS : -SPIN_STEP_NS;
	return spin_ns > SPIN_MOST_NS ? SPIN_MOST_NS : spin_ns < SPIN_LEAST_NS ? SPIN_LEAST_NS : spin_ns;
}

static void sleep_nearly(struct key_sender *s, int64_t due_ns)
{
	int64_t wake_ns = due_ns - s->spin_ns;

	if (clock_now() >= wake_ns)
		return;
	sender_sleep(wake_ns);
	s->spin_ns = sender_learn_spin(s->spin_ns, clock_now() - wake_ns);
}

void sender_press_key(struct key_sender *s, struct key_times *key, int number, int64_t give_up_ns)
{
	int64_t took_ns;

	release_previous(s, key->due_ns);
	if (s->target->aim) {
		sender_sleep(key->due_ns - AIM_NS);
		if (s->target->aim(s->self, give_up_ns) == -EPIPE && !sender_detect_end(s))
			s->end = SENDER_DROPPED;
	}
	sleep_nearly(s, key->due_ns);
	if (sender_detect_end(s) || !await_sendable(s, give_up_ns))
		return;
	while (clock_now() < key->due_ns)
		;
	if (atomic_load(&s->seen->left)) /* the window may have lost the keyboard during the wait */
		return;
	key->sent_ns = clock_now();
	atomic_store(&s->seen->sent_ns, key->sent_ns);
	atomic_store(&s->seen->phase, PHASE_KEYS);
	/* the key before is still down: the server read nothing when it was due to go up, or gaps are shorter than a tap */
	if (s->down >= 0 && s->release_ns != INT64_MAX)
		send_key_state(s, s->down, false);
	send_key_state(s, number, true);
	key->handed_ns = clock_now();
	took_ns = key->handed_ns - key->sent_ns;
	s->handed_ns = took_ns > s->handed_ns ? took_ns : s->handed_ns;
	s->release_ns = s->hold ? INT64_MAX : key->sent_ns + RELEASE_NS;
}

void sender_tap_last(struct key_sender *s, int number)
{
	if (s->target->aim && s->target->aim(s->self, clock_now() + NS_PER_S))
		return;
	if (!await_sendable(s, clock_now()) || s->target->send(s->self, number, true))
		return;
	clock_sleep(clock_now() + RELEASE_NS);
	s->target->send(s->self, number, false);
}

void sender_release_key(struct key_sender *s, int64_t held_until_ns)
{
	if (s->down < 0)
		return;
	if (s->release_ns != INT64_MAX || !sender_detect_end(s))
		sender_sleep(s->release_ns != INT64_MAX ? s->release_ns : held_until_ns);
	if (s->end != SENDER_DROPPED && await_sendable(s, clock_now()))
		send_key_state(s, s->down, false);
}
