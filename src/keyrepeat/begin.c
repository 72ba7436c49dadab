// SPDX-License-Identifier: GPL-3.0-or-later
#include "begin.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

void begin_when_still(const struct observations *seen)
{
	int64_t until = clock_now() + 10 * NS_PER_S, still = clock_now(), number = atomic_load(&seen->number);

	while (!proc_stop && !seen->dropped && clock_now() - still < 300 * NS_PER_MS && clock_now() < until) {
		if (number != atomic_load(&seen->number)) {
			number = atomic_load(&seen->number);
			still = clock_now();
		}
		proc_wait_stop(clock_now() + 10 * NS_PER_MS);
	}
}

bool begin_when_told(const struct observations *seen)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char c = 0;

	while (!proc_stop && !seen->dropped) {
		ssize_t n;

		if (poll(&in, 1, 100) <= 0)
			continue;
		n = read(STDIN_FILENO, &c, 1);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (n == 1 && c == '\n')
			return true;
	}
	return true;
}
