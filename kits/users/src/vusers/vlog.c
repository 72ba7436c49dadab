// SPDX-License-Identifier: GPL-3.0-or-later
#include "vlog.h"
#include "clock.h"
#include "rows_in.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VLOG_USER 0		/* columns by number */
#define VLOG_STATE 6
#define ROOM (1u << 17)		/* rows in the ring of all users, a power of two */
#define FEW_ROOM (1u << 12)	/* rows in the ring of the watched users, a power of two */
#define REST_NS (2 * NS_PER_MS)	/* the thread sleeps so long between batches */

struct request_log_ring {
	_Alignas(64) _Atomic uint32_t head;	/* written by the writer of rows */
	int64_t lost;
	uint32_t room;
	struct request_log_row *row;
	_Alignas(64) _Atomic uint32_t tail;	/* written by the logging thread */
};

struct request_log {
	struct request_log_ring crowd, few;
	pthread_mutex_t lock;			/* serialises the writers of `few` */
	_Alignas(64) atomic_bool over;
	struct request_log_cfg cfg;
	struct request_log_sums sums;
	struct row_file *rows;
	FILE *jtl;
	int jtl_err;		/* errno of the first failed write */
	int64_t wall_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	pthread_t thread;
	struct request_log_row row[ROOM], few_row[FEW_ROOM];
};

static const char *const end_words[] = { "ok", "error", "timeout", "cut" };
const char *const vlog_columns[] = { "user", "label", "due_ns", "ready_ns", "sent_ns", "end_ns",
				       "state", "code", "bytes", "measured", "watched", NULL };

void request_log_write_row(struct row_file *t, const char *label, const struct request_log_row *r)
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

bool request_log_parse_row(char *const *cell, struct request_log_row *r)
{
	int64_t n[VLOG_COLUMNS] = { 0 };

	for (int i = 0; i < VLOG_COLUMNS; i++) {
		if (i == VLOG_LABEL || i == VLOG_STATE)
			continue;
		if (!parse_count_of_table_cell(cell[i], &n[i]))
			return false;
		if (n[i] == ROWS_IN_NONE)
			n[i] = i == VLOG_USER ? VLOG_NOBODY : 0;
	}
	*r = (struct request_log_row){ .user = (uint32_t)n[VLOG_USER], .due_ns = n[2], .ready_ns = n[3], .sent_ns = n[4], .end_ns = n[5],
				.code = (uint16_t)n[7], .bytes = (uint32_t)n[8], .measured = n[9], .watched = n[10] };
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
static void write_jtl_row(struct request_log *l, const struct request_log_row *r)
{
	int64_t ms = (r->end_ns - r->sent_ns) / NS_PER_MS;
	char code[32] = "Non HTTP response code";

	if (!r->sent_ns)	/* JTL has no form for a request that was never sent */
		return;
	if (r->code || r->end == VLOG_OK)
		snprintf(code, sizeof(code), "%u", r->code ? r->code : 200u);
	fprintf(l->jtl, "%lld,%lld,", (long long)((r->sent_ns + l->wall_ns) / NS_PER_MS), (long long)ms);
	write_csv_cell(l->jtl, l->cfg.label[r->label], "");
	fprintf(l->jtl, ",%s,%s,%s 1-%lu,bin,%s,,%lu,0,%lld,%lld,", code, r->end == VLOG_OK ? "OK" : end_words[r->end],
		r->watched ? "watched" : "users", (unsigned long)r->user + 1,
		r->end == VLOG_OK ? "true" : "false", (unsigned long)r->bytes, (long long)l->cfg.users, (long long)l->cfg.users);
	write_csv_cell(l->jtl, l->cfg.url, l->cfg.path ? l->cfg.path[r->label] : "");
	fprintf(l->jtl, ",%lld,0,0\n", (long long)ms);
	if (ferror(l->jtl) && !l->jtl_err)
		l->jtl_err = errno ? errno : EIO;
}

static void add_request_to_timings(struct request_timing_samples *s, const struct request_log_row *r)
{
	s->ended[r->end]++;
	if (r->end == VLOG_OK) {
		sample_add(&s->response, r->end_ns - r->due_ns);
		sample_add(&s->from_sent, r->end_ns - r->sent_ns);
	} else if (r->end != VLOG_ERROR) {	/* an error response is no service time */
		sample_add_censored(&s->response, r->end_ns - r->due_ns);
	}
	if (r->sent_ns)
		sample_add(&s->late, r->sent_ns - r->ready_ns);
}

void request_log_sums_add_row(struct request_log_sums *s, const struct request_log_row *r)
{
	if (!r->measured)
		return;
	if (r->watched) {
		add_request_to_timings(&s->watched, r);
		add_request_to_timings(&s->one[r->user], r);
		return;
	}
	add_request_to_timings(&s->users, r);
	s->bytes += r->bytes;
	if (r->sent_ns)
		sample_add(&s->waited, r->ready_ns - r->due_ns);
	else
		sample_add_censored(&s->waited, r->end_ns - r->due_ns);
}

static bool drain_log_ring(struct request_log *l, struct request_log_ring *from)
{
	uint32_t tail = atomic_load_explicit(&from->tail, memory_order_relaxed),
		head = atomic_load_explicit(&from->head, memory_order_acquire);

	if (tail == head)
		return false;
	for (; tail != head; tail++) {
		const struct request_log_row *r = &from->row[tail % from->room];

		request_log_sums_add_row(&l->sums, r);
		if (l->rows)
			request_log_write_row(l->rows, l->cfg.label[r->label], r);
		if (l->jtl)
			write_jtl_row(l, r);
		atomic_store_explicit(&from->tail, tail + 1, memory_order_release);
	}
	return true;
}

static bool drain_log_rings(struct request_log *l)
{
	bool some = drain_log_ring(l, &l->crowd);

	return drain_log_ring(l, &l->few) || some;
}

static void *request_log_thread(void *context)
{
	struct request_log *l = context;
	int64_t flushed = clock_now(), now;

	while (drain_log_rings(l) || !atomic_load(&l->over)) {
		now = clock_now();
		if (l->rows && now - flushed >= NS_PER_S) {	/* so that a killed run leaves its rows */
			rows_flush_output_file(l->rows);
			flushed = now;
		}
		clock_sleep_until(now + REST_NS);
	}
	drain_log_rings(l);
	l->sums.cpu_ns = clock_cpu_time_of_this_thread();
	return NULL;
}

static void request_log_free(struct request_log *l)
{
	if (l->rows)
		rows_close_output_file(l->rows);
	if (l->jtl)
		fclose(l->jtl);
	free(l);
}

struct request_log *request_log_open(const struct request_log_cfg *cfg, const char **what)
{
	struct request_log *l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64);
	struct wall_clock_offset offset;
	size_t room;
	int err;

	*what = "memory";
	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l));	/* also touches the pages before the measurement */
	l->cfg = *cfg;
	l->crowd.row = l->row;
	l->crowd.room = ROOM;
	l->few.row = l->few_row;
	l->few.room = FEW_ROOM;
	pthread_mutex_init(&l->lock, NULL);
	clock_read_wall_offset(&offset);
	l->wall_ns = offset.offset_ns;
	if (cfg->tsv && (*what = cfg->tsv, !(l->rows = rows_open_output_file(cfg->tsv, VLOG_SCHEMA, vlog_columns))))
		goto failed;
	if (cfg->jtl && (*what = cfg->jtl, !(l->jtl = fopen(cfg->jtl, "we"))))
		goto failed;
	if (l->jtl)
		fputs("timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
		      "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n", l->jtl);
	*what = "memory";
	room = (size_t)cfg->expect;
	if (sample_reserve(&l->sums.users.response, room) || sample_reserve(&l->sums.users.from_sent, room) ||
	    sample_reserve(&l->sums.users.late, room) || sample_reserve(&l->sums.waited, room)) {
		errno = ENOMEM;
		goto failed;
	}
	*what = "a thread";
	err = pthread_create(&l->thread, NULL, request_log_thread, l);
	if (!err)
		return l;
	errno = err;
failed:
	err = errno;
	request_log_free_sums(&l->sums);
	request_log_free(l);
	errno = err;
	return NULL;
}

static void push_row_to_log_ring(struct request_log_ring *to, const struct request_log_row *row)
{
	uint32_t head = atomic_load_explicit(&to->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&to->tail, memory_order_acquire) >= to->room) {
		to->lost++;
		return;
	}
	to->row[head % to->room] = *row;
	atomic_store_explicit(&to->head, head + 1, memory_order_release);
}

void request_log_add(struct request_log *l, const struct request_log_row *row)
{
	push_row_to_log_ring(&l->crowd, row);
}

void request_log_add_watched(struct request_log *l, const struct request_log_row *row)
{
	pthread_mutex_lock(&l->lock);
	push_row_to_log_ring(&l->few, row);
	pthread_mutex_unlock(&l->lock);
}

int request_log_close(struct request_log *l, struct request_log_sums *out)
{
	int err = 0;

	atomic_store(&l->over, true);
	pthread_join(l->thread, NULL);
	l->sums.lost = l->crowd.lost + l->few.lost +
		       (int64_t)(l->sums.users.response.lost + l->sums.users.late.lost + l->sums.watched.response.lost);
	*out = l->sums;
	if (l->rows)
		err = rows_close_output_file(l->rows);
	l->rows = NULL;
	if (l->jtl && fflush(l->jtl) && !l->jtl_err)
		l->jtl_err = errno;
	if (!err)
		err = -l->jtl_err;
	request_log_free(l);
	return err;
}

static void free_timings(struct request_timing_samples *s)
{
	sample_free(&s->response);
	sample_free(&s->from_sent);
	sample_free(&s->late);
}

void request_log_free_sums(struct request_log_sums *s)
{
	free_timings(&s->users);
	sample_free(&s->waited);
	free_timings(&s->watched);
	for (int i = 0; i < VLOG_WATCHED_MOST; i++)
		free_timings(&s->one[i]);
}
