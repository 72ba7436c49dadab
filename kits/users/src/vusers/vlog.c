// SPDX-License-Identifier: GPL-3.0-or-later
#include "vlog.h"
#include "clock.h"
#include "rows_in.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VLOG_USER 0 /* columns by number */
#define VLOG_STATE 6
#define ROOM (1u << 17)		/* rows in the ring of all users, a power of two */
#define FEW_ROOM (1u << 12)	/* rows in the ring of the watched users, a power of two */
#define REST_NS (2 * NS_PER_MS) /* the thread sleeps so long between batches */

struct vlog_ring {
	_Alignas(64) _Atomic uint32_t head; /* written by the writer of rows */
	int64_t lost;
	uint32_t room;
	struct vlog_row *row;
	_Alignas(64) _Atomic uint32_t tail; /* written by the logging thread */
};

struct vlog {
	struct vlog_ring crowd, few;
	pthread_mutex_t lock; /* serialises the writers of `few` */
	_Alignas(64) atomic_bool over;
	struct vlog_cfg cfg;
	struct vlog_sums sums;
	struct row_file *rows;
	FILE *jtl;
	int jtl_err;	 /* errno of the first failed write */
	int64_t wall_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	pthread_t thread;
	struct vlog_row row[ROOM], few_row[FEW_ROOM];
};

static const char *const end_words[] = { "ok", "error", "timeout", "cut" };
const char *const vlog_columns[] = { "user",  "label", "due_ns", "ready_ns", "sent_ns", "end_ns",
				     "state", "code",  "bytes",	 "measured", "watched", NULL };

void vlog_write_row(struct row_file *t, const char *label, const struct vlog_row *r)
{
	rows_write_count(t, r->user == VLOG_NOBODY ? -1 : (int64_t)r->user);
	rows_write_str(t, label);
	rows_write_int(t, r->due_ns);
	rows_write_counts(t, r->ready_ns ? r->ready_ns : -1, r->sent_ns ? r->sent_ns : -1, r->end_ns ? r->end_ns : -1);
	rows_write_str(t, end_words[r->end]);
	rows_write_count(t, r->code ? r->code : -1);
	rows_write_ints(t, r->bytes, r->measured, r->watched);
	rows_end_row(t);
}

bool vlog_parse_row(char *const *cell, struct vlog_row *r)
{
	int64_t n[VLOG_COLUMNS] = { 0 };

	for (int i = 0; i < VLOG_COLUMNS; i++) {
		if (i == VLOG_LABEL || i == VLOG_STATE)
			continue;
		if (!rows_in_count(cell[i], &n[i]))
			return false;
		if (n[i] == ROWS_IN_NONE)
			n[i] = i == VLOG_USER ? VLOG_NOBODY : 0;
	}
	*r = (struct vlog_row){ .user = (uint32_t)n[VLOG_USER],
				.due_ns = n[2],
				.ready_ns = n[3],
				.sent_ns = n[4],
				.end_ns = n[5],
				.code = (uint16_t)n[7],
				.bytes = (uint32_t)n[8],
				.measured = n[9],
				.watched = n[10] };
	while (r->end < VLOG_ENDS && strcmp(end_words[r->end], cell[VLOG_STATE]) != 0)
		r->end++;
	return r->end < VLOG_ENDS && (r->user != VLOG_NOBODY || r->end == VLOG_CUT) && r->end_ns >= r->due_ns;
}

/* Writes a CSV cell of two parts, quoted if it contains commas or quotes. */
static void write_csv_cell(FILE *out, const char *text, const char *more)
{
	const char *const part[] = { text, more };
	bool quoted = strpbrk(text, ",\"") || strpbrk(more, ",\"");

	if (quoted)
		fputc('"', out);
	for (size_t i = 0; i < 2; i++)
		for (const char *p = part[i]; *p; p++) {
			if (*p == '"')
				fputc('"', out);
			fputc(*p, out);
		}
	if (quoted)
		fputc('"', out);
}

/* Writes a row as JMeter 5 does; times count from sending. An answered key gets code 200. */
static void write_jtl_row(struct vlog *l, const struct vlog_row *r)
{
	int64_t ms = (r->end_ns - r->sent_ns) / NS_PER_MS;
	char code[32] = "Non HTTP response code";

	if (!r->sent_ns) /* JTL has no form for a request that was never sent */
		return;
	if (r->code || r->end == VLOG_OK)
		snprintf(code, sizeof(code), "%u", r->code ? r->code : 200u);
	fprintf(l->jtl, "%lld,%lld,", (long long)((r->sent_ns + l->wall_ns) / NS_PER_MS), (long long)ms);
	write_csv_cell(l->jtl, l->cfg.label[r->label], "");
	fprintf(l->jtl, ",%s,%s,%s 1-%lu,bin,%s,,%lu,0,%lld,%lld,", code, r->end == VLOG_OK ? "OK" : end_words[r->end],
		r->watched ? "watched" : "users", (unsigned long)r->user + 1, r->end == VLOG_OK ? "true" : "false",
		(unsigned long)r->bytes, (long long)l->cfg.users, (long long)l->cfg.users);
	write_csv_cell(l->jtl, l->cfg.url, l->cfg.path ? l->cfg.path[r->label] : "");
	fprintf(l->jtl, ",%lld,0,0\n", (long long)ms);
	if (ferror(l->jtl) && !l->jtl_err)
		l->jtl_err = errno ? errno : EIO;
}

static void add_timings(struct vlog_timings *s, const struct vlog_row *r)
{
	s->ended[r->end]++;
	if (r->end == VLOG_OK) {
		sample_add(&s->response, r->end_ns - r->due_ns);
		sample_add(&s->from_sent, r->end_ns - r->sent_ns);
	} else if (r->end != VLOG_ERROR) { /* an error response is no service time */
		sample_add_censored(&s->response, r->end_ns - r->due_ns);
		sample_add(&s->given_up, r->end_ns - r->due_ns);
	}
	if (r->sent_ns)
		sample_add(&s->late, r->sent_ns - r->ready_ns);
}

void vlog_add_sums(struct vlog_sums *s, const struct vlog_row *r)
{
	if (!r->measured)
		return;
	if (r->watched) {
		add_timings(&s->watched, r);
		add_timings(&s->one[r->user], r);
		return;
	}
	add_timings(&s->users, r);
	s->bytes += r->bytes;
	if (r->sent_ns)
		sample_add(&s->waited, r->ready_ns - r->due_ns);
	else
		sample_add_censored(&s->waited, r->end_ns - r->due_ns);
}

static bool drain_log_ring(struct vlog *l, struct vlog_ring *from)
{
	uint32_t tail = atomic_load_explicit(&from->tail, memory_order_relaxed),
		 head = atomic_load_explicit(&from->head, memory_order_acquire);

	if (tail == head)
		return false;
	for (; tail != head; tail++) {
		const struct vlog_row *r = &from->row[tail % from->room];

		vlog_add_sums(&l->sums, r);
		if (l->rows)
			vlog_write_row(l->rows, l->cfg.label[r->label], r);
		if (l->jtl)
			write_jtl_row(l, r);
		atomic_store_explicit(&from->tail, tail + 1, memory_order_release);
	}
	return true;
}

static bool drain_log_rings(struct vlog *l)
{
	bool some = drain_log_ring(l, &l->crowd);

	return drain_log_ring(l, &l->few) || some;
}

static void *log_thread(void *context)
{
	struct vlog *l = context;
	int64_t flushed = clock_now(), now;

	while (drain_log_rings(l) || !atomic_load(&l->over)) {
		now = clock_now();
		if (l->rows && now - flushed >= NS_PER_S) { /* so that a killed run leaves its rows */
			rows_flush(l->rows);
			flushed = now;
		}
		clock_sleep(now + REST_NS);
	}
	drain_log_rings(l);
	l->sums.cpu_ns = clock_thread_cpu();
	return NULL;
}

static void free_log(struct vlog *l)
{
	if (l->rows)
		rows_close(l->rows);
	if (l->jtl)
		fclose(l->jtl);
	free(l);
}

struct vlog *vlog_open(const struct vlog_cfg *cfg, const char **what)
{
	struct vlog *l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64);
	struct wall_reading offset;
	size_t room;
	int err;

	*what = "memory";
	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l)); /* also touches the pages before the measurement */
	l->cfg = *cfg;
	l->crowd.row = l->row;
	l->crowd.room = ROOM;
	l->few.row = l->few_row;
	l->few.room = FEW_ROOM;
	pthread_mutex_init(&l->lock, NULL);
	clock_read_wall(&offset);
	l->wall_ns = offset.offset_ns;
	if (cfg->tsv && (*what = cfg->tsv, !(l->rows = rows_open_new(cfg->tsv, VLOG_SCHEMA, vlog_columns))))
		goto failed;
	if (cfg->jtl && (*what = cfg->jtl, !(l->jtl = fopen(cfg->jtl, "we"))))
		goto failed;
	if (l->jtl)
		fputs("timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
		      "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n",
		      l->jtl);
	room = (size_t)cfg->expect;
	sample_reserve(&l->sums.users.response, room);
	sample_reserve(&l->sums.users.from_sent, room);
	sample_reserve(&l->sums.users.late, room);
	sample_reserve(&l->sums.waited, room);
	*what = NULL;
	err = pthread_create(&l->thread, NULL, log_thread, l);
	if (!err)
		return l;
	errno = err;
failed:
	err = errno;
	vlog_free_sums(&l->sums);
	free_log(l);
	errno = err;
	return NULL;
}

static void push_row(struct vlog_ring *to, const struct vlog_row *row)
{
	uint32_t head = atomic_load_explicit(&to->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&to->tail, memory_order_acquire) >= to->room) {
		to->lost++;
		return;
	}
	to->row[head % to->room] = *row;
	atomic_store_explicit(&to->head, head + 1, memory_order_release);
}

static bool is_half_full(const struct vlog_ring *r)
{
	return atomic_load(&r->head) - atomic_load(&r->tail) >= r->room / 2;
}

void vlog_await_room(struct vlog *l)
{
	while (is_half_full(&l->crowd) || is_half_full(&l->few))
		clock_sleep(clock_now() + REST_NS);
}

void vlog_add(struct vlog *l, const struct vlog_row *row)
{
	push_row(&l->crowd, row);
}

void vlog_add_watched(struct vlog *l, const struct vlog_row *row)
{
	pthread_mutex_lock(&l->lock);
	push_row(&l->few, row);
	pthread_mutex_unlock(&l->lock);
}

int vlog_close(struct vlog *l, struct vlog_sums *out)
{
	int err = 0;

	atomic_store(&l->over, true);
	pthread_join(l->thread, NULL);
	l->sums.lost = l->crowd.lost + l->few.lost;
	*out = l->sums;
	if (l->rows)
		err = rows_close(l->rows);
	l->rows = NULL;
	if (l->jtl && fflush(l->jtl) && !l->jtl_err)
		l->jtl_err = errno;
	if (!err)
		err = -l->jtl_err;
	free_log(l);
	return err;
}

static void free_timings(struct vlog_timings *s)
{
	sample_free(&s->response);
	sample_free(&s->given_up);
	sample_free(&s->from_sent);
	sample_free(&s->late);
}

void vlog_free_sums(struct vlog_sums *s)
{
	free_timings(&s->users);
	sample_free(&s->waited);
	free_timings(&s->watched);
	for (int i = 0; i < VLOG_WATCHED_MOST; i++)
		free_timings(&s->one[i]);
}
