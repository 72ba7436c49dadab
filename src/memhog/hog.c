// SPDX-License-Identifier: GPL-3.0-or-later
#include "hog.h"
#include "account.h"
#include "clock.h"
#include "content.h"
#include "place.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#define CHUNK ((size_t)128 << 10)	/* stays in a CPU's own caches until it is copied */
#define NAP_NS (20 * NS_PER_MS)		/* how long a thread may not see that it is to stop */
#define STACK ((size_t)64 * 1024)

struct hog {
	struct hog_cfg cfg;
	char *room, *base;		/* as mapped; aligned */
	size_t mapped, bytes;
	pthread_t thread[HOG_THREADS_MAX];
	int threads;			/* that have not been joined */
	atomic_bool stop;
	struct place place;		/* fd -1: pages are touched */
	atomic_bool touching;		/* also from now on */
	atomic_size_t next, filled;
	atomic_int filling;
	int64_t fill_start_ns;
	_Atomic int64_t fill_end_ns;
	pthread_mutex_t lock;		/* of turns */
	struct turns turns;
	_Atomic int64_t touched;
	_Atomic uint64_t seen;		/* so that no reading can be left out */
};

/* A kind of page for each mapping, nothing on either side to be merged with: what smaps says of it is ours alone. */
static int map_room(struct hog *h)
{
	size_t align = h->cfg.huge ? HOG_HUGE : HOG_PAGE;

	h->bytes = ((size_t)h->cfg.bytes + align - 1) / align * align;
	h->mapped = h->bytes + 2 * HOG_HUGE;
	h->room = mmap(NULL, h->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h->room == MAP_FAILED)
		return -errno;
	h->base = (char *)(((uintptr_t)h->room + HOG_HUGE) & ~(uintptr_t)(HOG_HUGE - 1));
	if (mprotect(h->base, h->bytes, PROT_READ | PROT_WRITE))
		return -errno;
	/* a kernel without such pages knows neither word, and gives small ones */
	madvise(h->base, h->bytes, h->cfg.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, h->base, h->bytes, "memhog");
	return 0;
}

int hog_new(struct hog **out, const struct hog_cfg *cfg)
{
	struct hog *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return -ENOMEM;
	h->cfg = *cfg;
	h->place.fd = -1;
	pthread_mutex_init(&h->lock, NULL);
	err = map_room(h);
	if (err) {
		hog_free(h);
		return err;
	}
	*out = h;
	return 0;
}

/* The first of `threads` that could not be started ends the others. */
static int start_workers(struct hog *h, void *(*work)(void *))
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err = 0;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* signals are for who watches */
	while (h->threads < h->cfg.threads && !err) {
		err = pthread_create(&h->thread[h->threads], &attr, work, h);
		h->threads += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		hog_stop(h);
	return -err;
}

static void join_threads(struct hog *h)
{
	while (h->threads)
		pthread_join(h->thread[--h->threads], NULL);
}

static void fill_chunk(struct hog *h, char *to, size_t at, size_t bytes)
{
	for (size_t n = 0; n < bytes; n += HOG_PAGE)
		content_fill(to + n, HOG_PAGE, h->cfg.seed, (at + n) / HOG_PAGE);
}

/* False: the pages are not there, and must be touched. */
static bool place_chunk(struct hog *h, char *buffer, size_t at, size_t bytes)
{
	if (!buffer || h->place.fd < 0 || atomic_load_explicit(&h->touching, memory_order_relaxed))
		return false;
	fill_chunk(h, buffer, at, bytes);
	if (!place_pages(&h->place, h->base + at, buffer, bytes))
		return true;
	place_release(&h->place);	/* before anybody touches one that is missing */
	atomic_store(&h->touching, true);
	return false;
}

/* Chunks are handed out in the order of addresses, so that this is the order in which pages are first there, but for the
 * chunks that are being filled at the same time. */
static void *fill_thread(void *arg)
{
	struct hog *h = arg;
	size_t chunk = h->cfg.huge ? HOG_HUGE : CHUNK, at;
	char *buffer = h->place.fd >= 0 ? aligned_alloc(HOG_PAGE, chunk) : NULL;

	if (!buffer) {
		place_release(&h->place);
		atomic_store(&h->touching, true);
	}
	while (!atomic_load_explicit(&h->stop, memory_order_relaxed) && (at = atomic_fetch_add(&h->next, chunk)) < h->bytes) {
		size_t bytes = at + chunk < h->bytes ? chunk : h->bytes - at;

		if (!place_chunk(h, buffer, at, bytes))
			fill_chunk(h, h->base + at, at, bytes);
		atomic_fetch_add(&h->filled, bytes);
	}
	if (atomic_fetch_sub(&h->filling, 1) == 1) {
		place_release(&h->place);
		atomic_store(&h->fill_end_ns, clock_now());
	}
	free(buffer);
	return NULL;
}

int hog_fill(struct hog *h)
{
	h->fill_start_ns = clock_now();
	if (h->cfg.huge || place_open(&h->place, h->base, h->bytes))	/* placed pages are small ones */
		atomic_store(&h->touching, true);
	atomic_store(&h->filling, h->cfg.threads);
	return start_workers(h, fill_thread);
}

bool hog_fill_ended(const struct hog *h)
{
	return atomic_load(&h->fill_end_ns) != 0;
}

bool hog_placed(const struct hog *h)
{
	return !atomic_load(&h->touching);
}

int64_t hog_filled(const struct hog *h)
{
	return (int64_t)atomic_load(&h->filled);
}

int64_t hog_fill_ns(const struct hog *h)
{
	return atomic_load(&h->fill_end_ns) - h->fill_start_ns;
}

/* A page's first word stays: it is what no two pages have in common. All of a page is changed with a key that no page has had. */
static uint64_t touch_page(struct hog *h, uint64_t touch)
{
	uint64_t page = turns_page(&h->turns, touch);
	uint64_t *word = (uint64_t *)(void *)(h->base + page * HOG_PAGE);

	if (!h->cfg.stream && !h->cfg.write)
		return *(volatile uint64_t *)word;
	if (!h->cfg.stream)
		return word[1] += turns_round(&h->turns, touch) | 1;
	if (!h->cfg.write)
		return content_sum(word, HOG_PAGE);
	content_fill(word, HOG_PAGE, h->cfg.seed, h->bytes / HOG_PAGE * (turns_round(&h->turns, touch) + 1) + page);
	return 0;
}

static bool nap_until_due(struct hog *h, int64_t due_ns)
{
	int64_t now;

	while (!atomic_load(&h->stop) && (now = clock_now()) < due_ns)
		clock_sleep_until(due_ns - now > NAP_NS ? now + NAP_NS : due_ns);
	return !atomic_load(&h->stop);
}

static void *touch(void *arg)
{
	struct hog *h = arg;
	uint64_t seen = 0;
	struct turn turn;

	do {
		pthread_mutex_lock(&h->lock);
		turns_take(&h->turns, clock_now(), &turn);
		pthread_mutex_unlock(&h->lock);
		if (!nap_until_due(h, turn.due_ns))
			break;
		for (uint64_t i = 0; i < turn.count && !atomic_load_explicit(&h->stop, memory_order_relaxed); i++) {
			seen += touch_page(h, turn.first + i);
			atomic_fetch_add_explicit(&h->touched, 1, memory_order_relaxed);
		}
	} while (!atomic_load(&h->stop));
	atomic_fetch_add(&h->seen, seen);
	return NULL;
}

int hog_touch(struct hog *h)
{
	uint64_t pages = atomic_load(&h->filled) / HOG_PAGE;

	join_threads(h);
	if (!pages)
		return -ENODATA;
	atomic_store(&h->stop, false);
	turns_start(&h->turns, h->cfg.order, pages, HOG_PAGE, h->cfg.rate, h->cfg.seed, clock_now());
	return start_workers(h, touch);
}

int64_t hog_touched(const struct hog *h)
{
	return atomic_load(&h->touched);
}

int64_t hog_given_up_ns(struct hog *h)
{
	int64_t ns;

	pthread_mutex_lock(&h->lock);
	ns = h->turns.given_up_ns;
	pthread_mutex_unlock(&h->lock);
	return ns;
}

void hog_stop(struct hog *h)
{
	atomic_store(&h->stop, true);
	join_threads(h);
}

void hog_place(const struct hog *h, uint64_t *start, uint64_t *end)
{
	*start = (uintptr_t)h->base;
	*end = *start + h->bytes;
}

int64_t hog_swapped(void)
{
	return account_figure("/proc/self", "status", "VmSwap:");
}

void hog_free(struct hog *h)
{
	place_close(&h->place);
	if (h->room && h->room != MAP_FAILED)
		munmap(h->room, h->mapped);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
