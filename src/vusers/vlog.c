#include "vlog.h"
#include "clock.h"
#include "rec.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (1u << 17)		/* a power of two */
#define REST_NS (2 * NS_PER_MS)

struct vlog {
	_Alignas(64) _Atomic uint32_t head;	/* the loop's */
	int64_t lost;
	_Alignas(64) _Atomic uint32_t tail;	/* the thread's */
	_Alignas(64) atomic_bool over;
	struct vlog_cfg cfg;
	struct vlog_sums sums;
	struct rows *rows;
	FILE *jtl;
	int jtl_err;		/* the first */
	int64_t wall_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	pthread_t thread;
	struct vlog_row row[ROOM];
};

static const char *const end_words[] = { "ok", "error", "timeout", "cut" };
static const char *const columns[] = { "user", "label", "due_ns", "ready_ns", "sent_ns", "end_ns", "state", "code", "bytes", "measured", NULL };

static void write_row(struct rows *t, const struct vlog_cfg *cfg, const struct vlog_row *r)
{
	rows_int(t, r->user);
	rows_str(t, cfg->label[r->label]);
	rows_int(t, r->due_ns);
	rows_count(t, r->ready_ns ? r->ready_ns : -1);
	rows_count(t, r->sent_ns ? r->sent_ns : -1);
	rows_count(t, r->end_ns ? r->end_ns : -1);
	rows_str(t, end_words[r->end]);
	rows_count(t, r->code ? r->code : -1);
	rows_int(t, r->bytes);
	rows_int(t, r->measured);
	rows_end(t);
}

/* A cell of two parts, in quotes where a comma or a quote in it would end it. */
static void write_cell(FILE *out, const char *text, const char *more)
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

/* As JMeter 5 writes it; times begin when the request went. A key that was answered has JMeter's code of what went well. */
static void write_jtl(struct vlog *l, const struct vlog_row *r)
{
	int64_t ms = (r->end_ns - r->sent_ns) / NS_PER_MS;
	char code[32] = "Non HTTP response code";

	if (!r->sent_ns)	/* JMeter has no word for what never went */
		return;
	if (r->code || r->end == VLOG_OK)
		snprintf(code, sizeof(code), "%u", r->code ? r->code : 200u);
	fprintf(l->jtl, "%lld,%lld,", (long long)((r->sent_ns + l->wall_ns) / NS_PER_MS), (long long)ms);
	write_cell(l->jtl, l->cfg.label[r->label], "");
	fprintf(l->jtl, ",%s,%s,users 1-%lu,bin,%s,,%lu,0,%lld,%lld,", code, r->end == VLOG_OK ? "OK" : end_words[r->end], (unsigned long)r->user + 1,
		r->end == VLOG_OK ? "true" : "false", (unsigned long)r->bytes, (long long)l->cfg.users, (long long)l->cfg.users);
	write_cell(l->jtl, l->cfg.url, l->cfg.path ? l->cfg.path[r->label] : "");
	fprintf(l->jtl, ",%lld,0,0\n", (long long)ms);
	if (ferror(l->jtl) && !l->jtl_err)
		l->jtl_err = errno ? errno : EIO;
}

static void count(struct vlog_sums *s, const struct vlog_row *r)
{
	if (!r->measured)
		return;
	s->ended[r->end]++;
	s->bytes += r->bytes;
	switch (r->end) {
	case VLOG_OK:
		sample_add(&s->response, r->end_ns - r->due_ns);
		sample_add(&s->from_sent, r->end_ns - r->sent_ns);
		break;
	case VLOG_TIMEOUT:
	case VLOG_CUT:
		sample_add_censored(&s->response, r->end_ns - r->due_ns);
		break;
	default:	/* an answer that says no: no time of a service */
		break;
	}
	if (r->sent_ns) {
		sample_add(&s->late, r->sent_ns - r->ready_ns);
		sample_add(&s->waited, r->ready_ns - r->due_ns);
	}
}

static bool take(struct vlog *l)
{
	uint32_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed), head = atomic_load_explicit(&l->head, memory_order_acquire);

	if (tail == head)
		return false;
	for (; tail != head; tail++) {
		const struct vlog_row *r = &l->row[tail % ROOM];

		count(&l->sums, r);
		if (l->rows)
			write_row(l->rows, &l->cfg, r);
		if (l->jtl)
			write_jtl(l, r);
		atomic_store_explicit(&l->tail, tail + 1, memory_order_release);
	}
	return true;
}

static void *vlog_main(void *context)
{
	struct vlog *l = context;
	int64_t flushed = clock_now(), now;

	while (take(l) || !atomic_load(&l->over)) {
		now = clock_now();
		if (l->rows && now - flushed >= NS_PER_S) {	/* whoever kills us leaves what there was */
			rows_flush(l->rows);
			flushed = now;
		}
		clock_sleep_until(now + REST_NS);	/* (not in a hurry, so that the ring is taken in pieces) */
	}
	take(l);
	l->sums.cpu_ns = clock_thread_cpu();
	return NULL;
}

static void let_go(struct vlog *l)
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
	struct clock_offset offset;
	int err;

	*what = "memory";
	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l));	/* touched, before it is measured */
	l->cfg = *cfg;
	clock_read_offset(&offset);
	l->wall_ns = offset.offset_ns;
	if (cfg->tsv && (*what = cfg->tsv, !(l->rows = rows_open(cfg->tsv, "vusers-log/1", columns))))
		goto failed;
	if (cfg->jtl && (*what = cfg->jtl, !(l->jtl = fopen(cfg->jtl, "we"))))
		goto failed;
	if (l->jtl)
		fputs("timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n",
		      l->jtl);
	*what = "memory";
	if (sample_reserve(&l->sums.response, (size_t)cfg->expect) || sample_reserve(&l->sums.from_sent, (size_t)cfg->expect) ||
	    sample_reserve(&l->sums.late, (size_t)cfg->expect) || sample_reserve(&l->sums.waited, (size_t)cfg->expect)) {
		errno = ENOMEM;
		goto failed;
	}
	*what = "a thread";
	err = pthread_create(&l->thread, NULL, vlog_main, l);
	if (!err)
		return l;
	errno = err;
failed:
	err = errno;
	vlog_free_sums(&l->sums);
	let_go(l);
	errno = err;
	return NULL;
}

void vlog_add(struct vlog *l, const struct vlog_row *row)
{
	uint32_t head = atomic_load_explicit(&l->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&l->tail, memory_order_acquire) >= ROOM) {
		l->lost++;
		return;
	}
	l->row[head % ROOM] = *row;
	atomic_store_explicit(&l->head, head + 1, memory_order_release);
}

int vlog_close(struct vlog *l, struct vlog_sums *out)
{
	int err = 0;

	atomic_store(&l->over, true);
	pthread_join(l->thread, NULL);
	l->sums.lost = l->lost + (int64_t)(l->sums.response.lost + l->sums.late.lost);
	*out = l->sums;
	if (l->rows)
		err = rows_close(l->rows);
	l->rows = NULL;
	if (l->jtl && fflush(l->jtl) && !l->jtl_err)
		l->jtl_err = errno;
	if (!err)
		err = -l->jtl_err;
	let_go(l);
	return err;
}

void vlog_free_sums(struct vlog_sums *s)
{
	sample_free(&s->response);
	sample_free(&s->from_sent);
	sample_free(&s->late);
	sample_free(&s->waited);
}
