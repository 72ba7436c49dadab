// SPDX-License-Identifier: GPL-3.0-or-later
/* All of them: their threads, and the one that looks after them. */
#include "watch_one.h"
#include "clock.h"
#include "proc.h"
#include "random.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Looks after those who are held up in the library. */
static void *keeper_main(void *context)
{
	struct watch_set *w = context;
	bool busy = true;

	while (busy) {
		int64_t now = clock_now();

		busy = false;
		for (int i = 0; i < w->cfg.n; i++) {
			struct watch_one *o = &w->one[i];

			if (!o->started || o->state == WATCH_DONE)
				continue;
			busy = true;
			pthread_mutex_lock(&o->lock);
			if (o->fd >= 0 && (w->over || now >= o->until_ns))
				shutdown(o->fd, SHUT_RDWR);
			pthread_mutex_unlock(&o->lock);
		}
		if (busy)
			clock_sleep_until(now + WATCH_LOOK_NS);
	}
	return NULL;
}

struct watch_set *watch_open(const struct watch_cfg *cfg)
{
	struct watch_set *w = calloc(1, sizeof(*w));
	uint64_t random = ~cfg->crowd->seed;	/* not those of the crowd */
	sigset_t all, before;
	int err = 0;

	if (!w)
		return NULL;
	w->cfg = *cfg;
	w->bell = eventfd(0, EFD_CLOEXEC);
	w->last_bell = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&w->door, NULL);
	for (int i = 0; i < cfg->n; i++) {
		struct watch_one *o = &w->one[i];

		*o = (struct watch_one){ .all = w, .number = (uint32_t)i, .state = WATCH_COMING, .fd = -1,
					 .until_ns = INT64_MAX, .random = random_bits(&random) };
		pthread_mutex_init(&o->lock, NULL);
	}
	viewer_prepare();
	sigfillset(&all);	/* signals are the loop's; and a broken pipe is an error */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; !err && i < cfg->n; i++) {
		err = pthread_create(&w->one[i].thread, NULL, watch_one_main, &w->one[i]);
		w->one[i].started = !err;
	}
	if (!err)
		err = pthread_create(&w->keeper, NULL, keeper_main, w);
	w->kept = !err;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err && w->bell >= 0 && w->last_bell >= 0)
		return w;
	watch_close(w);
	errno = err ? err : EMFILE;
	return NULL;
}

/* How many are so. */
static int count_in_state(const struct watch_set *w, enum watch_state state)
{
	int n = 0;

	for (int i = 0; i < w->cfg.n; i++)
		n += w->one[i].state == (int)state;
	return n;
}

int watch_gather(struct watch_set *w)
{
	while (count_in_state(w, WATCH_COMING) && !proc_stop)
		clock_sleep_until(clock_now() + WATCH_LOOK_NS);
	return proc_stop ? -EINTR : count_in_state(w, WATCH_HERE);
}

static void ring_bell(int bell)
{
	const uint64_t one = 1;
	ssize_t n = write(bell, &one, sizeof(one));

	(void)n;	/* it has room for 2^64 of these */
}

void watch_run(struct watch_set *w, struct vlog *log, int64_t start_ns)
{
	w->log = log;
	w->start_ns = start_ns;
	window_open(&w->window, start_ns, crowd_from(w->cfg.crowd, start_ns), crowd_end(w->cfg.crowd, start_ns));
	atomic_store(&w->running, true);
	ring_bell(w->bell);
}

static void stop_watched(struct watch_set *w)
{
	atomic_store(&w->over, true);
	ring_bell(w->last_bell);
	for (int i = 0; i < w->cfg.n; i++)
		if (w->one[i].started)
			pthread_join(w->one[i].thread, NULL);
	if (w->kept)
		pthread_join(w->keeper, NULL);
	for (int i = 0; i < w->cfg.n; i++)
		w->one[i].started = false;
	w->kept = false;
}

void watch_end(struct watch_set *w, bool stop, struct watch_user user[WATCH_MOST])
{
	while (!stop && count_in_state(w, WATCH_DONE) < w->cfg.n && !proc_stop &&
	       clock_now() < w->window.end_ns + w->cfg.crowd->timeout_ns)
		clock_sleep_until(clock_now() + WATCH_LOOK_NS);
	stop_watched(w);
	for (int i = 0; i < w->cfg.n; i++)
		user[i] = w->one[i].told;
}

const char *watch_failure(const struct watch_set *w)
{
	for (int i = 0; i < w->cfg.n; i++)
		if (w->one[i].state == WATCH_FAILED)
			return w->one[i].told.why;
	return "";
}

void watch_close(struct watch_set *w)
{
	stop_watched(w);
	for (int i = 0; i < w->cfg.n; i++)
		pthread_mutex_destroy(&w->one[i].lock);
	pthread_mutex_destroy(&w->door);
	close(w->bell);
	close(w->last_bell);
	free(w);
}
