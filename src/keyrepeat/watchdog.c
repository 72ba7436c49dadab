#include "watchdog.h"
#include "clock.h"
#include "proc.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>

#define LOOK_NS (50 * NS_PER_MS)
#define SILENCE_MS 1000

/* Where the kernel does not tell (not TCP), time alone decides. */
static bool silent(int sock)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	return getsockopt(sock, IPPROTO_TCP, TCP_INFO, &info, &size) || info.tcpi_last_data_recv >= SILENCE_MS;
}

static void *watch(void *arg)
{
	struct watchdog *w = arg;

	while (!atomic_load(&w->stopping)) {
		if (proc_stop || (clock_now() > atomic_load(&w->until_ns) + NS_PER_S && silent(w->sock))) {
			atomic_store(&w->bitten, true);
			shutdown(w->sock, SHUT_RDWR);
			break;
		}
		clock_sleep_until(clock_now() + LOOK_NS);
	}
	return NULL;
}

int watchdog_start(struct watchdog *w, int sock, int64_t until_ns)
{
	sigset_t all, before;
	int err;

	w->sock = sock;
	atomic_init(&w->until_ns, until_ns);
	atomic_init(&w->stopping, false);
	atomic_init(&w->bitten, false);
	/* Signals are for the thread that reads: they end its sleep, too. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

bool watchdog_end(struct watchdog *w)
{
	atomic_store(&w->stopping, true);
	pthread_join(w->thread, NULL);
	return atomic_load(&w->bitten);
}
