// SPDX-License-Identifier: GPL-3.0-or-later
/* channels_extract - what a protocol sent in each direction: prototap's reports of a session and of work in it, as rows by protocol
 * and work.
 *
 * A cell of part "session" gives setup, window, idle (by the minute) and key (by the key); any other part is a piece of work, and
 * `all` adds those of a repeat that has each of them. Figures are means over repeats, those of bytes on the wire with intervals;
 * shares and sizes are quotients of these means. Work with another end state than the others is in no figure; where it always was,
 * `state` is "different", the figures are of that work, and `all` leaves the protocol out. */
#include "engine.h"
#include "estimate.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 3
#define COUNTS 6			/* of each channel */
#define TOTAL (2 * COUNTS)		/* where the third channel begins */
#define HEADERS (CHANNELS * COUNTS)
#define TRANSPORT (HEADERS + 2)
#define SECONDS (HEADERS + 4)
#define VALUES (SECONDS + 1)
#define VIP_SAVED_BYTES 20		/* of a packet without its IPv4 header */

enum count { WIRE, IP, PAYLOAD, PACKETS, MESSAGES, ACKS };

/* One report: counts of the channels, bytes of headers, duration. */
struct channels_sample {
	const struct cell *cell;
	const char *what;
	int64_t repeat;
	bool restless, same;
	double differs_percent, v[VALUES];
};

struct channels {
	const struct run *run;
	int64_t keys, idle_seconds;
	struct channels_sample *sample;
	size_t n;
};

/* One row: the samples that count, and how many there were of others. */
struct channels_row {
	const double **v;		/* owned, with room for all repeats */
	bool short_one;			/* of the table protocols: all of a protocol stands in one row */
	size_t n, same, different, failed, flagged, restless;
	double differs_percent;		/* the most; NAN: no picture */
};

static void *channels_open(const struct run *run, struct why *why)
{
	struct channels *s = run_state(run, sizeof(*s), 0, why);

	if (!s)
		return NULL;
	json_get_int(run->json, "settings.keys", &s->keys);
	json_get_int(run->json, "settings.idle_seconds", &s->idle_seconds);
	for (size_t i = 0; i < run->n; i++)
		if (!cell_text(&run->cell[i], "protocol") || !cell_text(&run->cell[i], "part"))
			s->keys = 0;
	if (s->keys >= 1 && s->idle_seconds >= 1)
		return s;
	why_set(why, -EPROTO, "%s: run.json: settings.keys, idle_seconds (from 1) or the cells' parameters cannot be read", run->folder);
	free(s);
	return NULL;
}

static void channels_close(void *state)
{
	free(((struct channels *)state)->sample);
	free(state);
}

static const struct channels_part {
	const char *what, *file;
} parts[] = { { "setup", "setup.json" }, { "window", "window.json" }, { "idle", "idle.json" }, { "key", "keys.json" } };
#define PARTS (sizeof(parts) / sizeof(*parts))

#define CHANNEL(name) \
	"result.channels." name ".wire_bytes", "result.channels." name ".ip_bytes", "result.channels." name ".payload_bytes", \
	"result.channels." name ".packets", "result.channels." name ".messages"

/* 1: there is no such report. */
static int channels_report(const struct repeat *r, const char *file, double scale, double v[VALUES], struct why *why)
{
	static const char *const paths[VALUES] = {
		CHANNEL("input"), "result.acks.input.pure", CHANNEL("display"), "result.acks.display.pure", CHANNEL("total"), "result.acks.pure",
		"result.headers.ethernet_header_bytes", "result.headers.ip_header_bytes", "result.headers.tcp_header_bytes",
		"result.tls.header_bytes", "result.capture.duration_s",
	};
	const struct json *j;
	double udp = NAN;
	int err = repeat_json(r, file, &j, why);

	if (err || !j)
		return err ? err : 1;
	for (int i = 0; i < VALUES; i++) {
		v[i] = NAN;
		json_get_real(j, paths[i], &v[i]);
	}
	json_get_real(j, "result.headers.udp_header_bytes", &udp);
	v[TRANSPORT] += udp;
	for (int i = 0; i < VALUES; i++)
		v[i] *= scale;
	return isnan(v[TOTAL + WIRE]) ? why_set(why, -EPROTO, "%s/%s: no report of prototap", r->folder, file) : 0;
}

static int channels_add(struct channels *s, const struct cell *c, const struct repeat *r, const struct channels_part *part,
			double scale, struct why *why)
{
	struct channels_sample *more;
	bool flag;
	int err;

	more = room_for(s->sample, s->n, sizeof(*more));
	if (!more)
		return why_no_memory(why);
	s->sample = more;
	more += s->n;
	*more = (struct channels_sample){ .cell = c, .what = part->what, .repeat = r->number, .same = true, .differs_percent = NAN };
	more->restless = json_get_bool(r->json, "restless", &flag) && flag;
	if (json_get_bool(r->json, "picture.same", &flag))
		more->same = flag;
	json_get_real(r->json, "picture.differs_percent", &more->differs_percent);
	err = channels_report(r, part->file, scale, more->v, why);
	s->n += !err;
	return err;
}

static bool channels_is_session(const struct cell *c)
{
	const char *part = cell_text(c, "part");

	return part && !strcmp(part, "session");
}

/* A session has not all of its parts: a terminal is its own window. */
static int channels_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct channels *s = state;
	const double scale[PARTS] = { 1, 1, 60.0 / (double)s->idle_seconds, 1.0 / (double)s->keys };
	int err = 0;

	if (!channels_is_session(c)) {
		err = channels_add(s, c, r, &(struct channels_part){ cell_text(c, "part"), "prototap.json" }, 1, why);
		return err > 0 ? why_set(why, -EPROTO, "%s/prototap.json is missing", r->folder) : err;
	}
	for (size_t i = 0; err >= 0 && i < PARTS; i++)
		err = channels_add(s, c, r, &parts[i], scale[i], why);
	return err < 0 ? err : 0;
}

static double channels_mean(const struct channels_row *row, int value)
{
	double sum = 0;

	for (size_t i = 0; i < row->n; i++)
		sum += row->v[i][value];
	return row->n ? sum / (double)row->n : (double)NAN;
}

static double channels_quotient(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static int channels_write_channel(const struct run *run, const struct channels_row *row, int channel, struct table_out *out)
{
	static const char *const channels[] = { "input", "display", "total" };
	static const char *const counts[] = { "wire_bytes", "ip_bytes", "payload_bytes", "packets", "messages", "acks" };
	double *wire = calloc(row->n ? row->n : 1, sizeof(*wire));
	struct figure f;
	char column[64];
	int err;

	for (size_t i = 0; wire && i < row->n; i++)
		wire[i] = row->v[i][channel * COUNTS + WIRE];
	err = wire ? estimate(ESTIMATE_MEAN_CI, wire, NULL, row->n, run->draws, (uint64_t)run->seed, &f) : -ENOMEM;
	free(wire);
	if (err)
		return err;
	snprintf(column, sizeof(column), "%s_wire_bytes", channels[channel]);
	row_figure(out, column, &f);
	for (int i = IP; i < COUNTS; i++) {
		snprintf(column, sizeof(column), "%s_%s", channels[channel], counts[i]);
		row_number(out, column, channels_mean(row, channel * COUNTS + i));
	}
	return 0;
}

static void channels_write_shares(const struct channels_row *row, struct table_out *out)
{
	static const char *const headers[] = { "ethernet_percent", "ip_percent", "transport_percent", "tls_percent" };
	double wire = channels_mean(row, TOTAL + WIRE), ip = channels_mean(row, TOTAL + IP);
	double packets = channels_mean(row, TOTAL + PACKETS), messages = channels_mean(row, TOTAL + MESSAGES);

	row_number(out, "seconds", channels_mean(row, SECONDS));
	row_number(out, "mean_message_ip_bytes", channels_quotient(ip, messages));
	row_number(out, "mean_message_payload_bytes", channels_quotient(channels_mean(row, TOTAL + PAYLOAD), messages));
	row_number(out, "mean_packet_wire_bytes", channels_quotient(wire, packets));
	row_number(out, "vip_saving_percent", channels_quotient(100 * VIP_SAVED_BYTES * packets, ip));
	for (int i = 0; i < 4; i++)
		row_number(out, headers[i], channels_quotient(100 * channels_mean(row, HEADERS + i), wire));
}

static int channels_write(const struct run *run, const struct cell *c, const char *what, const struct channels_row *row,
			  struct table_out *out)
{
	char column[64];
	int err = 0;

	row_text(out, "protocol", cell_text(c, "protocol"));
	if (row->short_one) {
		snprintf(column, sizeof(column), "%s_bytes", what);
		if (row->same)
			row_number(out, column, channels_mean(row, TOTAL + WIRE));
		return 0;
	}
	row_text(out, "what", what);
	row_text(out, "state", row->same ? "complete" : row->different ? "different" : "failed");
	row_number(out, "repeats", (double)row->n);
	row_number(out, "failed", (double)row->failed);
	row_number(out, "marked", (double)row->flagged);
	row_number(out, "different", (double)row->different);
	row_number(out, "restless", (double)row->restless);
	row_number(out, "differs_percent", row->differs_percent);
	for (int i = 0; !err && i < CHANNELS; i++)
		err = channels_write_channel(run, row, i, out);
	channels_write_shares(row, out);
	row_end(out);
	return err;
}

/* All that was read of `what` in a cell. */
static int channels_row(const struct channels *s, const struct cell *c, const char *what,
			struct channels_row *row, struct table_out *out)
{
	row->n = row->same = row->different = row->restless = 0;
	row->failed = c->failed;
	row->flagged = c->flagged;
	row->differs_percent = NAN;
	for (int same = 1; same >= 0 && !row->n; same--)
		for (size_t i = 0; i < s->n; i++) {
			const struct channels_sample *more = &s->sample[i];

			if (more->cell != c || strcmp(more->what, what) != 0)
				continue;
			if (same) {
				row->same += more->same;
				row->different += !more->same;
				row->restless += more->restless;
				row->differs_percent = fmax(row->differs_percent, more->differs_percent);
			}
			if (more->same == same)
				row->v[row->n++] = more->v;
		}
	return row->n || row->failed ? channels_write(s->run, c, what, row, out) : 0;
}

/* The pieces of work of one protocol together, in the repeats that have each of them. */
static int channels_all(const struct channels *s, const struct cell *c, size_t works,
			struct channels_row *row, struct table_out *out)
{
	double (*sum)[VALUES] = calloc((size_t)s->run->repeats, sizeof(*sum));
	int err = sum ? 0 : -ENOMEM;

	*row = (struct channels_row){ .v = row->v, .short_one = row->short_one, .differs_percent = NAN };
	for (int64_t repeat = 1; sum && repeat <= s->run->repeats; repeat++) {
		size_t there = 0;

		for (size_t i = 0; i < s->n; i++) {
			const struct channels_sample *more = &s->sample[i];

			if (more->repeat != repeat || !more->same || channels_is_session(more->cell) ||
			    strcmp(cell_text(more->cell, "protocol"), cell_text(c, "protocol")) != 0)
				continue;
			there++;
			for (int v = 0; v < VALUES; v++)
				sum[repeat - 1][v] += more->v[v];
		}
		if (there == works)
			row->v[row->n++] = sum[repeat - 1];
		else
			row->failed++;
	}
	row->same = row->n;
	if (!err)
		err = channels_write(s->run, c, "all", row, out);
	free(sum);
	return err;
}

static int channels_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct channels *s = state;
	const struct run *run = s->run;
	struct channels_row row = { .v = calloc((size_t)run->repeats, sizeof(*row.v)), .short_one = !strcmp(table, "protocols") };
	size_t works = 0;
	int err = row.v ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->n; i++) {
		const struct cell *c = &run->cell[i];
		bool last = i + 1 == run->n || strcmp(cell_text(c, "protocol"), cell_text(&run->cell[i + 1], "protocol")) != 0;

		if (channels_is_session(c)) {
			for (size_t p = 0; !err && p < PARTS; p++)
				err = channels_row(s, c, parts[p].what, &row, out);
		} else {
			works++;
			err = channels_row(s, c, cell_text(c, "part"), &row, out);
		}
		if (!err && last && works > 1)
			err = channels_all(s, c, works, &row, out);
		if (!err && last && row.short_one)
			row_end(out);
		works = last ? 0 : works;
	}
	free(row.v);
	return err ? why_no_memory(why) : 0;
}

const struct extractor channels_extractor = {
	.name = "channels", .open = channels_open, .read = channels_read, .rows = channels_rows, .close = channels_close,
};
