// SPDX-License-Identifier: GPL-3.0-or-later
#include "watchdog.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK_NS (50 * NS_PER_MS)   /* interval of checks */
#define SILENCE_MS 1000		    /* a server that sent nothing for so long is taken for stuck */
#define TRICKLE_NS (300 * NS_PER_S) /* longest time after the timeout in which bytes may still come */

/* Whether no data arrived lately; true for sockets that are not TCP. */
static bool is_socket_silent(int sock)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	return getsockopt(sock, IPPROTO_TCP, TCP_INFO, &info, &size) || info.tcpi_last_data_recv >= SILENCE_MS;
}

static bool is_timeout_over(const struct watchdog *w, int64_t until, int64_t now)
{
	if (until == WATCHDOG_IDLE)
		return false;
	return w->exact ? now >= until : now - NS_PER_S > until && (now - until > TRICKLE_NS || is_socket_silent(w->sock));
}

static void *watch_socket(void *arg)
{
	struct watchdog *w = arg;
	int64_t stop_ns = 0, last = 0; /* when a stop signal was first seen during this read; 0: not yet */

	while (!atomic_load(&w->stopping)) {
		int64_t until = atomic_load(&w->until_ns), now = clock_now();

		if (until == WATCHDOG_IDLE || !proc_stop)
			stop_ns = 0;
		else if (!stop_ns || until != last)
			stop_ns = now;
		last = until;
		if ((stop_ns && now - stop_ns >= w->grace_ns) || is_timeout_over(w, until, now)) {
			atomic_store(&w->bitten, true);
			shutdown(w->sock, SHUT_RDWR);
			break;
		}
		clock_sleep(clock_now() + CHECK_NS);
	}
	return NULL;
}

int watchdog_start(struct watchdog *w, int sock, int64_t until_ns, int64_t grace_ns)
{
	int err;

	w->sock = fcntl(sock, F_DUPFD_CLOEXEC, 0); /* a descriptor that is not reused while the thread runs */
	if (w->sock < 0)
		return -errno;
	w->grace_ns = grace_ns;
	atomic_init(&w->until_ns, until_ns);
	atomic_init(&w->stopping, false);
	atomic_init(&w->bitten, false);
	err = proc_start_thread(&w->thread, 0, watch_socket, w);
	if (err)
		close(w->sock);
	return -err;
}

bool watchdog_end(struct watchdog *w)
{
	atomic_store(&w->stopping, true);
	pthread_join(w->thread, NULL);
	close(w->sock);
	return atomic_load(&w->bitten);
}
