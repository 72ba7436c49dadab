// SPDX-License-Identifier: GPL-3.0-or-later
#include "hog.h"
#include "account.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#define CHUNK ((size_t)128 << 10) /* bytes filled at a time: fit into the caches of a CPU until they are copied */
#define NAP_NS (20 * NS_PER_MS)	  /* longest sleep of a thread between two checks of `stop` */
#define STACK ((size_t)64 * 1024)

size_t hog_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t hog_huge_bytes(void)
{
	int64_t bytes = account_read_number("/sys/kernel/mm/transparent_hugepage", "hpage_pmd_size", NULL);

	return bytes > 0 ? (size_t)bytes : (size_t)2 << 20;
}

static void uffd_close(struct uffd *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* For a fresh mapping: a thread that touches one of its pages before uffd_unregister() blocks for ever. 0 or -errno: not
 * available. */
static int uffd_open(struct uffd *p, void *start, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)start, bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int err;

	*p = (struct uffd){ -1, start, bytes };
	/* permitted to ordinary users since Linux 5.11 */
	p->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (p->fd < 0)
		return -errno;
	if (!ioctl(p->fd, UFFDIO_API, &api) && !ioctl(p->fd, UFFDIO_REGISTER, &range) && (range.ioctls & (1ull << _UFFDIO_COPY)))
		return 0;
	err = errno ? -errno : -ENOTSUP;
	uffd_close(p);
	return err;
}

/* Fills whole pages; thread-safe. 0, or -errno: some may be filled, and after uffd_unregister() all can be written as
 * usual. */
static int uffd_fill_pages(const struct uffd *p, void *at, const void *from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		struct uffdio_copy copy = { .dst = (uintptr_t)at + done, .src = (uintptr_t)from + done, .len = bytes - done };

		if (!ioctl(p->fd, UFFDIO_COPY, &copy))
			return 0;
		if (copy.copy > 0)
			done += (size_t)copy.copy;
		else if (errno != EAGAIN)
			return -errno;
	}
	return 0;
}

/* Back to an ordinary mapping; may be called repeatedly and by any thread. */
static void uffd_unregister(const struct uffd *p)
{
	struct uffdio_range range = { (uintptr_t)p->start, p->bytes };

	if (p->fd >= 0)
		ioctl(p->fd, UFFDIO_UNREGISTER, &range);
}

/* Maps the memory with unmapped space on both sides, so that smaps shows it as a mapping of its own. */
static int map_memory(struct memory_hog *h)
{
	size_t align = h->cfg.huge ? h->huge : h->page;

	if (h->cfg.bytes > (int64_t)(INTPTR_MAX - 3 * (intptr_t)h->huge))
		return -EFBIG;
	h->bytes = ((size_t)h->cfg.bytes + align - 1) / align * align;
	h->mapped = h->bytes + 2 * h->huge;
	h->room = mmap(NULL, h->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h->room == MAP_FAILED)
		return -errno;
	h->base = (char *)(((uintptr_t)h->room + h->huge) & ~(uintptr_t)(h->huge - 1));
	if (mprotect(h->base, h->bytes, PROT_READ | PROT_WRITE))
		return -errno;
	/* kernels without huge pages know neither advice and use small pages */
	madvise(h->base, h->bytes, h->cfg.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, h->base, h->bytes, "memhog");
	return 0;
}

int hog_new(struct memory_hog **out, const struct hog_cfg *cfg)
{
	struct memory_hog *h = memory_new(1, sizeof(*h));
	int err;

	h->cfg = *cfg;
	h->uffd.fd = -1;
	h->page = hog_page_bytes();
	h->huge = hog_huge_bytes();
	pthread_mutex_init(&h->lock, NULL);
	err = map_memory(h);
	if (err) {
		hog_free(h);
		return err;
	}
	*out = h;
	return 0;
}

/* Starts cfg.threads threads; if one cannot be started, ends the others. 0 or -errno. */
static int start_workers(struct memory_hog *h, void *(*work)(void *))
{
	int err = 0;

	while (h->threads < h->cfg.threads && !err) {
		err = proc_start_thread(&h->thread[h->threads], STACK, work, h);
		h->threads += !err;
	}
	if (err)
		hog_stop(h);
	return -err;
}

static void join_threads(struct memory_hog *h)
{
	while (h->threads)
		pthread_join(h->thread[--h->threads], NULL);
}

static void fill_chunk(struct memory_hog *h, char *to, size_t at, size_t bytes)
{
	for (size_t n = 0; n < bytes; n += h->page)
		fill_write_page(to + n, h->page, h->cfg.seed, (at + n) / h->page);
}

/* Fills a chunk through userfaultfd. False: impossible, it must be filled by touching. */
static bool fill_chunk_uffd(struct memory_hog *h, char *buffer, size_t at, size_t bytes)
{
	if (!buffer || h->uffd.fd < 0 || atomic_load_explicit(&h->touching, memory_order_relaxed))
		return false;
	fill_chunk(h, buffer, at, bytes);
	if (!uffd_fill_pages(&h->uffd, h->base + at, buffer, bytes))
		return true;
	uffd_unregister(&h->uffd); /* before a thread touches a missing page */
	atomic_store(&h->touching, true);
	return false;
}

/* A filling thread. Chunks are handed out in address order, so pages are filled in that order, but for chunks filled at the same
 * time. */
static void *run_fill_thread(void *arg)
{
	struct memory_hog *h = arg;
	size_t chunk = h->cfg.huge ? h->huge : CHUNK, at;
	char *buffer = h->uffd.fd >= 0 ? aligned_alloc(h->page, chunk) : NULL;

	if (!buffer) {
		uffd_unregister(&h->uffd);
		atomic_store(&h->touching, true);
	}
	while (!atomic_load_explicit(&h->stop, memory_order_relaxed) && (at = atomic_fetch_add(&h->next, chunk)) < h->bytes) {
		size_t bytes = at + chunk < h->bytes ? chunk : h->bytes - at;

		if (!fill_chunk_uffd(h, buffer, at, bytes))
			fill_chunk(h, h->base + at, at, bytes);
		atomic_fetch_add(&h->filled, bytes);
	}
	if (atomic_fetch_sub(&h->filling, 1) == 1) {
		uffd_unregister(&h->uffd);
		atomic_store(&h->fill_end_ns, clock_now());
	}
	free(buffer);
	return NULL;
}

int hog_start_fill(struct memory_hog *h)
{
	h->fill_start_ns = clock_now();
	if (h->cfg.huge || uffd_open(&h->uffd, h->base, h->bytes)) /* userfaultfd fills small pages only */
		atomic_store(&h->touching, true);
	atomic_store(&h->filling, h->cfg.threads);
	return start_workers(h, run_fill_thread);
}

/* Touches a page. Its first word, by which pages differ, is not changed; a whole page is rewritten with a key not used before. */
static uint64_t touch_page(struct memory_hog *h, uint64_t touch)
{
	uint64_t page = pattern_page(&h->pattern, touch);
	uint64_t *word = (uint64_t *)(void *)(h->base + page * h->page);

	if (!h->cfg.stream && !h->cfg.write)
		return *(volatile uint64_t *)word;
	if (!h->cfg.stream)
		return word[1] += pattern_round(&h->pattern, touch) | 1;
	if (!h->cfg.write)
		return fill_sum_words(word, h->page);
	fill_write_page(word, h->page, h->cfg.seed, h->bytes / h->page * (pattern_round(&h->pattern, touch) + 1) + page);
	return 0;
}

static bool wait_due(struct memory_hog *h, int64_t due_ns)
{
	int64_t now;

	while (!atomic_load(&h->stop) && (now = clock_now()) < due_ns)
		clock_sleep(due_ns - now > NAP_NS ? now + NAP_NS : due_ns);
	return !atomic_load(&h->stop);
}

static void *run_touch_thread(void *arg)
{
	struct memory_hog *h = arg;
	uint64_t seen = 0;
	struct touch_batch turn;

	do {
		pthread_mutex_lock(&h->lock);
		pattern_take_batch(&h->pattern, clock_now(), &turn);
		pthread_mutex_unlock(&h->lock);
		if (!wait_due(h, turn.due_ns))
			break;
		for (uint64_t i = 0; i < turn.count && !atomic_load_explicit(&h->stop, memory_order_relaxed); i++) {
			seen += touch_page(h, turn.first + i);
			atomic_fetch_add_explicit(&h->touched, 1, memory_order_relaxed);
		}
	} while (!atomic_load(&h->stop));
	atomic_fetch_add(&h->seen, seen);
	return NULL;
}

int hog_start_touch(struct memory_hog *h)
{
	uint64_t pages = atomic_load(&h->filled) / h->page;

	join_threads(h);
	if (!pages)
		return -ENODATA;
	atomic_store(&h->stop, false);
	pattern_init(&h->pattern, h->cfg.order, pages, h->page, h->cfg.rate, h->cfg.seed, clock_now());
	return start_workers(h, run_touch_thread);
}

void hog_stop(struct memory_hog *h)
{
	atomic_store(&h->stop, true);
	join_threads(h);
}

void hog_free(struct memory_hog *h)
{
	uffd_close(&h->uffd);
	if (h->room && h->room != MAP_FAILED)
		munmap(h->room, h->mapped);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
