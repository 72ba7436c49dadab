// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal.h"
#include "clock.h"
#include "rec.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 65536u			/* rows, a power of two: 2.5 MB */
#define LOOK_NS (50 * NS_PER_MS)
#define STACK ((size_t)128 * 1024)	/* is locked in memory with the rest */

struct journal {
	struct rows *rows;
	pthread_t thread;
	atomic_bool end;
	_Atomic uint32_t head, tail;
	int64_t dropped;
	struct journal_row row[ROOM];
};

static void write_waiting(struct journal *j)
{
	uint32_t head = atomic_load_explicit(&j->head, memory_order_acquire), tail = atomic_load(&j->tail);

	if (head == tail)
		return;
	for (; tail != head; tail++) {
		const struct journal_row *r = &j->row[tail % ROOM];

		rows_int(j->rows, r->time_ns);
		rows_str(j->rows, r->op == DISK_READ ? "read" : "write");
		rows_int(j->rows, r->offset);
		rows_int(j->rows, r->length);
		rows_int(j->rows, r->service_ns);
		rows_end(j->rows);
		atomic_store_explicit(&j->tail, tail + 1, memory_order_release);
	}
	rows_flush(j->rows);
}

static void *write_rows(void *arg)
{
	struct journal *j = arg;

	while (!atomic_load(&j->end)) {
		write_waiting(j);
		clock_sleep_until(clock_now() + LOOK_NS);
	}
	write_waiting(j);
	return NULL;
}

struct journal *journal_open(const char *path)
{
	static const char *const columns[] = { "time_ns", "op", "offset_bytes", "length_bytes", "service_ns", NULL };
	struct journal *j = calloc(1, sizeof(*j));
	sigset_t all, before;
	pthread_attr_t attr;
	int err;

	if (!j)
		return NULL;
	memset(j->row, 0xff, sizeof(j->row));	/* there from now on */
	j->rows = rows_open(path, "disk/1", columns);
	if (!j->rows) {
		err = errno;
		free(j);
		errno = err;
		return NULL;
	}
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&j->thread, &attr, write_rows, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (err) {
		rows_close(j->rows);
		free(j);
		errno = err;
		return NULL;
	}
	return j;
}

void journal_add(struct journal *j, const struct journal_row *row)
{
	uint32_t head = atomic_load_explicit(&j->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&j->tail, memory_order_acquire) >= ROOM) {
		j->dropped++;
		return;
	}
	j->row[head % ROOM] = *row;
	atomic_store_explicit(&j->head, head + 1, memory_order_release);
}

int journal_close(struct journal *j, int64_t *dropped)
{
	int err;

	atomic_store(&j->end, true);
	pthread_join(j->thread, NULL);
	*dropped = j->dropped;
	err = rows_close(j->rows);
	free(j);
	return err;
}
