// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include <math.h>
#include <stdlib.h>

#define ROWS_MAX (X11_EXTENSIONS * X11_MINORS)

uint64_t payload_tls_bytes(const struct payload_totals *all)
{
	uint64_t bytes = 0;

	for (int c = 0; c < CHANNELS; c++)
		bytes += all->tls[c].records * TLS_HEADER + all->tls[c].seal_bytes;
	return bytes;
}

static void report_tls_channel(struct rec *r, const char *key, const struct tls_count *n)
{
	rec_object(r, key);
	rec_int(r, "records", (int64_t)n->records);
	rec_int(r, "application_records", (int64_t)n->application_records);
	rec_int(r, "record_bytes", (int64_t)n->record_bytes);
	rec_real(r, "mean_record_bytes", n->records ? (double)n->record_bytes / (double)n->records : NAN, 2);
	rec_end(r);
}

static void report_tls(struct rec *r, const struct meter *m)
{
	const struct tls_count *a = &m->contents.tls[INPUT], *b = &m->contents.tls[DISPLAY];
	uint64_t bytes = a->record_bytes + b->record_bytes;

	rec_object(r, "tls");
	rec_int(r, "streams", (int64_t)(a->streams + b->streams));
	rec_int(r, "records", (int64_t)(a->records + b->records));
	rec_int(r, "record_bytes", (int64_t)bytes);
	rec_int(r, "header_bytes", (int64_t)(TLS_HEADER * (a->records + b->records)));
	/* Known only if the cipher of every encrypted record is. */
	rec_count(r, "seal_bytes", a->unsealed + b->unsealed ? -1 : (int64_t)(a->seal_bytes + b->seal_bytes));
	rec_bool(r, "seal_is_least", m->contents.tls_least);
	rec_real(r, "share_percent", percent_of(bytes, m->sum[INPUT].payload_bytes + m->sum[DISPLAY].payload_bytes), 3);
	rec_int(r, "broken_streams", (int64_t)(a->broken + b->broken));
	report_tls_channel(r, "input", a);
	report_tls_channel(r, "display", b);
	rec_end(r);
}

/* --- decoded --- */

struct finding_row {
	const struct tally *tally;
	int extension, number;
};

/* Most bytes first, then by extension and number. */
static int compare_tally_bytes(const void *a, const void *b)
{
	const struct finding_row *x = a, *y = b;

	if (x->tally->bytes != y->tally->bytes)
		return x->tally->bytes < y->tally->bytes ? 1 : -1;
	if (x->extension != y->extension)
		return x->extension - y->extension;
	return x->number - y->number;
}

static void report_tally(struct rec *r, const char *name, const struct tally *t)
{
	rec_object(r, NULL);
	rec_str(r, "name", name);
	rec_int(r, "count", (int64_t)t->count);
	rec_int(r, "bytes", (int64_t)t->bytes);
	rec_end(r);
}

static void report_message_kinds(struct rec *r, const char *key, const struct tally *tally, const char *const *names, int n)
{
	struct finding_row row[RFB_RECTANGLE_KINDS];
	int rows = 0;

	for (int i = 0; i < n; i++)
		if (tally[i].count || tally[i].bytes)
			row[rows++] = (struct finding_row){ &tally[i], 0, i };
	qsort(row, (size_t)rows, sizeof(*row), compare_tally_bytes);
	rec_array(r, key);
	for (int i = 0; i < rows; i++)
		report_tally(r, names[row[i].number], row[i].tally);
	rec_end(r);
}

static void report_rfb(struct rec *r, const struct payload_totals *all)
{
	rec_object(r, "rfb");
	rec_int(r, "connections", (int64_t)all->connections[PAYLOAD_RFB]);
	report_message_kinds(r, "client", all->rfb->client, rfb_client_names, RFB_CLIENT_KINDS);
	report_message_kinds(r, "server", all->rfb->server, rfb_server_names, RFB_SERVER_KINDS);
	report_message_kinds(r, "rectangles", all->rfb->rectangle, rfb_rectangle_names, RFB_RECTANGLE_KINDS);
	rec_int(r, "undecoded_bytes", (int64_t)all->undecoded[PAYLOAD_RFB]);
	rec_end(r);
}

static void report_x11_kind(struct rec *r, const char *key, const struct x11_count *n, enum x11_kind kind)
{
	struct finding_row *row = calloc(ROWS_MAX, sizeof(*row));
	char name[X11_NAME + 24];
	int rows = 0;

	for (int e = 0; row && e < n->extensions; e++)
		for (int i = 0; i < X11_MINORS; i++)
			if (n->tally[kind][e][i].count)
				row[rows++] = (struct finding_row){ &n->tally[kind][e][i], e, i };
	if (row)
		qsort(row, (size_t)rows, sizeof(*row), compare_tally_bytes);
	rec_array(r, key);
	for (int i = 0; i < rows; i++) {
		x11_name(n, kind, row[i].extension, row[i].number, name, sizeof(name));
		report_tally(r, name, row[i].tally);
	}
	rec_end(r);
	free(row);
}

static void report_x11(struct rec *r, const struct payload_totals *all)
{
	rec_object(r, "x11");
	rec_int(r, "connections", (int64_t)all->connections[PAYLOAD_X11]);
	rec_int(r, "setup_request_bytes", (int64_t)all->x11->setup[0].bytes);
	rec_int(r, "setup_reply_bytes", (int64_t)all->x11->setup[1].bytes);
	report_x11_kind(r, "requests", all->x11, X11_REQUEST);
	report_x11_kind(r, "replies", all->x11, X11_REPLY);
	report_x11_kind(r, "events", all->x11, X11_EVENT);
	report_x11_kind(r, "errors", all->x11, X11_ERROR);
	rec_int(r, "undecoded_bytes", (int64_t)all->undecoded[PAYLOAD_X11]);
	rec_end(r);
}

static void report_decoded(struct rec *r, const struct payload_totals *all)
{
	rec_object(r, "decoded");
	if (all->connections[PAYLOAD_RFB])
		report_rfb(r, all);
	if (all->connections[PAYLOAD_X11])
		report_x11(r, all);
	rec_int(r, "other_connections", (int64_t)(all->connections[PAYLOAD_OTHER] + all->connections[PAYLOAD_UNDECIDED]));
	rec_int(r, "other_bytes", (int64_t)(all->undecoded[PAYLOAD_OTHER] + all->undecoded[PAYLOAD_UNDECIDED]));
	rec_array(r, "stopped");
	for (int i = 0; i < all->stops; i++) {
		rec_object(r, NULL);
		rec_str(r, "why", all->stop[i].why);
		rec_int(r, "streams", (int64_t)all->stop[i].streams);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

void payload_report(struct rec *r, const struct meter *m)
{
	report_tls(r, m);
	if (m->contents.decode)
		report_decoded(r, &m->contents);
}
