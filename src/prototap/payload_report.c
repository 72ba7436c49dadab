// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>

#define TLS(member) COUNTER_FIELD(#member, struct tls_counts, member)

static void report_tls(struct rec_report *r, const struct capture_meter *m)
{
	static const struct report_counter of_all[] = { TLS(streams), TLS(records), TLS(record_bytes) },
					   of_channel[] = { TLS(records), TLS(application_records), TLS(record_bytes) };
	static const char *const channels[CHANNELS] = { "input", "display" };
	struct tls_counts all = m->contents.tls[INPUT];

	counters_add(&all, &m->contents.tls[DISPLAY], sizeof(all));
	rec_begin_object(r, "tls");
	REPORT_COUNTERS(r, of_all, &all);
	rec_add_int(r, "header_bytes", (int64_t)(TLS_HEADER * all.records));
	rec_add_known_int(r, "seal_bytes", !all.unsealed, (int64_t)all.seal_bytes);
	rec_add_bool(r, "seal_is_least", m->contents.tls_least);
	rec_add_real(r, "share_percent",
		     share_percent(all.record_bytes, m->sum[INPUT].payload_bytes + m->sum[DISPLAY].payload_bytes), 3);
	rec_add_int(r, "broken_streams", (int64_t)all.broken);
	for (int c = 0; c < CHANNELS; c++) {
		const struct tls_counts *n = &m->contents.tls[c];

		rec_begin_object(r, channels[c]);
		REPORT_COUNTERS(r, of_channel, n);
		rec_add_real(r, "mean_record_bytes", n->records ? (double)n->record_bytes / (double)n->records : NAN, 2);
		rec_end(r);
	}
	rec_end(r);
}

/* --- decoded messages --- */

struct message_row {
	const struct message_tally *tally;
	int number;
	char name[X11_NAME + 24];
};

/* Most bytes first, then by number. */
static int compare_message_rows(const void *a, const void *b)
{
	const struct message_row *x = a, *y = b;

	if (x->tally->bytes != y->tally->bytes)
		return x->tally->bytes < y->tally->bytes ? 1 : -1;
	return x->number - y->number;
}

static void report_message_rows(struct rec_report *r, const char *key, struct message_row *row, size_t n)
{
	if (n)
		qsort(row, n, sizeof(*row), compare_message_rows);
	rec_begin_array(r, key);
	for (size_t i = 0; i < n; i++) {
		rec_begin_object(r, NULL);
		rec_add_str(r, "name", row[i].name);
		rec_add_int(r, "count", (int64_t)row[i].tally->count);
		rec_add_int(r, "bytes", (int64_t)row[i].tally->bytes);
		rec_end(r);
	}
	rec_end(r);
}

static void report_rfb_rows(struct rec_report *r, const char *key, const struct message_tally *tally, const struct rfb_kind *kinds,
			    int n)
{
	struct message_row row[RFB_RECTANGLE_KINDS];
	size_t rows = 0;

	for (int i = 0; i < n; i++) {
		if (!tally[i].count && !tally[i].bytes)
			continue;
		row[rows] = (struct message_row){ .tally = &tally[i], .number = i };
		snprintf(row[rows].name, sizeof(row[rows].name), "%s", kinds[i].name);
		rows++;
	}
	report_message_rows(r, key, row, rows);
}

static void report_rfb(struct rec_report *r, const struct payload_totals *all)
{
	rec_begin_object(r, "rfb");
	rec_add_int(r, "connections", (int64_t)all->connections[PAYLOAD_RFB]);
	report_rfb_rows(r, "client", all->rfb->client, rfb_client_kinds, RFB_CLIENT_KINDS);
	report_rfb_rows(r, "server", all->rfb->server, rfb_server_kinds, RFB_SERVER_KINDS);
	report_rfb_rows(r, "rectangles", all->rfb->rectangle, rfb_rectangle_kinds, RFB_RECTANGLE_KINDS);
	rec_add_int(r, "undecoded_bytes", (int64_t)all->undecoded[PAYLOAD_RFB]);
	rec_end(r);
}

static void report_x11(struct rec_report *r, const struct payload_totals *all)
{
	static const char *const keys[X11_KINDS] = { "requests", "replies", "events", "errors" };
	struct message_row *row = memory_new(X11_EXTENSIONS * X11_MINORS, sizeof(*row));

	rec_begin_object(r, "x11");
	rec_add_int(r, "connections", (int64_t)all->connections[PAYLOAD_X11]);
	rec_add_int(r, "setup_request_bytes", (int64_t)all->x11->setup[0].bytes);
	rec_add_int(r, "setup_reply_bytes", (int64_t)all->x11->setup[1].bytes);
	for (int kind = 0; kind < X11_KINDS; kind++) {
		size_t rows = 0;

		for (int i = 0; i < all->x11->extensions * X11_MINORS; i++) {
			const struct message_tally *t = &all->x11->tally[kind][i / X11_MINORS][i % X11_MINORS];

			if (!t->count)
				continue;
			row[rows] = (struct message_row){ .tally = t, .number = i };
			x11_message_name(all->x11, (enum x11_kind)kind, i / X11_MINORS, i % X11_MINORS, row[rows].name,
					 sizeof(row[rows].name));
			rows++;
		}
		report_message_rows(r, keys[kind], row, rows);
	}
	rec_add_int(r, "undecoded_bytes", (int64_t)all->undecoded[PAYLOAD_X11]);
	rec_end(r);
	free(row);
}

static void report_decoded(struct rec_report *r, const struct payload_totals *all)
{
	rec_begin_object(r, "decoded");
	if (all->connections[PAYLOAD_RFB])
		report_rfb(r, all);
	if (all->connections[PAYLOAD_X11])
		report_x11(r, all);
	rec_add_int(r, "other_connections", (int64_t)(all->connections[PAYLOAD_OTHER] + all->connections[PAYLOAD_UNDECIDED]));
	rec_add_int(r, "other_bytes", (int64_t)(all->undecoded[PAYLOAD_OTHER] + all->undecoded[PAYLOAD_UNDECIDED]));
	rec_begin_array(r, "stopped");
	for (int i = 0; i < all->stops; i++) {
		rec_begin_object(r, NULL);
		rec_add_str(r, "why", all->stop[i].why);
		rec_add_int(r, "streams", (int64_t)all->stop[i].streams);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

void report_protocols(struct rec_report *r, const struct capture_meter *m)
{
	report_tls(r, m);
	if (m->contents.decode)
		report_decoded(r, &m->contents);
}
