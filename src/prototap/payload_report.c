// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "memory.h"
#include "say.h"

#include <math.h>
#include <stdio.h>

#define KINDS_SAID 2 /* kinds of messages in a line of text */
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

static size_t sort_rows(struct message_row *row, size_t n)
{
	if (n)
		qsort(row, n, sizeof(*row), compare_message_rows);
	return n;
}

static size_t list_rfb_rows(struct message_row *row, const struct message_tally *tally, const struct rfb_kind *kinds, int n)
{
	size_t rows = 0;

	for (int i = 0; i < n; i++) {
		if (!tally[i].count && !tally[i].bytes)
			continue;
		row[rows] = (struct message_row){ .tally = &tally[i], .number = i };
		snprintf(row[rows].name, sizeof(row[rows].name), "%s", kinds[i].name);
		rows++;
	}
	return sort_rows(row, rows);
}

static size_t list_x11_rows(struct message_row *row, const struct x11_counts *x11, enum x11_kind kind)
{
	size_t rows = 0;

	for (int i = 0; i < x11->extensions * X11_MINORS; i++) {
		const struct message_tally *t = &x11->tally[kind][i / X11_MINORS][i % X11_MINORS];

		if (!t->count)
			continue;
		row[rows] = (struct message_row){ .tally = t, .number = i };
		x11_message_name(x11, kind, i / X11_MINORS, i % X11_MINORS, row[rows].name, sizeof(row[rows].name));
		rows++;
	}
	return sort_rows(row, rows);
}

typedef void rows_fn(struct rec_report *r, const char *key, const struct message_row *row, size_t n);

static void report_rows(struct rec_report *r, const char *key, const struct message_row *row, size_t n)
{
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

/* The kinds with the most bytes in a line. */
static void say_rows(struct rec_report *r, const char *key, const struct message_row *row, size_t n)
{
	size_t said = n < KINDS_SAID ? n : KINDS_SAID;
	char text[KINDS_SAID * (sizeof(row->name) + 32)];
	int at = 0;

	for (size_t i = 0; i < said; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s %s (%s)", i ? ", " : "",
			       count_text((int64_t)row[i].tally->count), row[i].name, bytes_text((double)row[i].tally->bytes));
	if (n)
		rec_say(r, n > said ? "%s: %s, %zu more" : "%s: %s", key, text, n - said);
}

/* Gives the messages of each direction to `fn`, by kind. */
static void walk_rows(struct rec_report *r, const struct payload_totals *all, enum payload_kind protocol, rows_fn *fn)
{
	static const char *const keys[X11_KINDS] = { "requests", "replies", "events", "errors" };
	struct message_row *row = memory_new(X11_EXTENSIONS * X11_MINORS, sizeof(*row));

	if (protocol == PAYLOAD_RFB) {
		fn(r, "client", row, list_rfb_rows(row, all->rfb->client, rfb_client_kinds, RFB_CLIENT_KINDS));
		fn(r, "server", row, list_rfb_rows(row, all->rfb->server, rfb_server_kinds, RFB_SERVER_KINDS));
		fn(r, "rectangles", row, list_rfb_rows(row, all->rfb->rectangle, rfb_rectangle_kinds, RFB_RECTANGLE_KINDS));
	}
	for (int kind = 0; protocol == PAYLOAD_X11 && kind < X11_KINDS; kind++)
		fn(r, keys[kind], row, list_x11_rows(row, all->x11, (enum x11_kind)kind));
	free(row);
}

static void report_protocol(struct rec_report *r, const struct payload_totals *all, enum payload_kind protocol)
{
	if (!all->connections[protocol])
		return;
	rec_begin_object(r, protocol == PAYLOAD_RFB ? "rfb" : "x11");
	rec_add_int(r, "connections", (int64_t)all->connections[protocol]);
	if (protocol == PAYLOAD_X11)
		rec_add_ints(r, { "setup_request_bytes", (int64_t)all->x11->setup[0].bytes },
			     { "setup_reply_bytes", (int64_t)all->x11->setup[1].bytes });
	walk_rows(r, all, protocol, report_rows);
	rec_add_int(r, "undecoded_bytes", (int64_t)all->undecoded[protocol]);
	rec_end(r);
}

void say_decoded(struct rec_report *r, const struct payload_totals *all)
{
	uint64_t undecoded = 0;

	for (int kind = 0; kind < PAYLOAD_KINDS; kind++) {
		undecoded += all->undecoded[kind];
		if (all->connections[kind])
			walk_rows(r, all, (enum payload_kind)kind, say_rows);
	}
	for (int i = 0; i < all->stops; i++)
		rec_say(r, "not decoded to the end: %s, %s", counted_text((int64_t)all->stop[i].streams, "direction"),
			all->stop[i].why);
	if (undecoded)
		rec_say(r, "not decoded: %s", bytes_text((double)undecoded));
}

static void report_decoded(struct rec_report *r, const struct payload_totals *all)
{
	rec_begin_object(r, "decoded");
	report_protocol(r, all, PAYLOAD_RFB);
	report_protocol(r, all, PAYLOAD_X11);
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
