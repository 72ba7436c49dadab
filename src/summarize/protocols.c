// SPDX-License-Identifier: GPL-3.0-or-later
#include "protocols.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELLS_MAX 1000
#define NAME_MAX_BYTES 64
#define SESSION "session"

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	int64_t repeats, seed, keys, idle_seconds;
	struct whole summary;
	/* of the protocol that is being read: its work, repeat by repeat */
	char protocol[NAME_MAX_BYTES];
	struct protocols_sample all[INPUTS_REPEATS_MAX];
	int all_works[INPUTS_REPEATS_MAX], works_seen;
};

/* What came of one repeat of a cell. */
struct cell {
	char folder[4200];
	bool complete, marked, restless, same;
	double differs_percent;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

/* One file of prototap; 0 or -errno. */
static int read_sample(struct reader *r, const char *folder, const char *file, struct protocols_sample *out)
{
	static const char *const channels[] = { "result.channels.input", "result.channels.display", "result.channels.total" };
	static const char *const counts[] = { "wire_bytes", "ip_bytes", "payload_bytes", "packets", "messages" };
	static const char *const acks[] = { "result.acks.input", "result.acks.display", "result.acks" };
	struct json *j = inputs_json(folder, file, r->why, r->size);

	if (!j)
		return -EPROTO;
	for (int c = 0; c < PROTOCOLS_CHANNELS; c++) {
		for (int i = 0; i < PROTOCOLS_ACKS; i++)
			out->count[c][i] = inputs_number(j, channels[c], counts[i]);
		out->count[c][PROTOCOLS_ACKS] = inputs_number(j, acks[c], "pure");
	}
	out->header[PROTOCOLS_ETHERNET] = inputs_number(j, "result.headers", "ethernet_header_bytes");
	out->header[PROTOCOLS_IP_HEADER] = inputs_number(j, "result.headers", "ip_header_bytes");
	out->header[PROTOCOLS_TRANSPORT] = inputs_number(j, "result.headers", "tcp_header_bytes") + inputs_number(j, "result.headers", "udp_header_bytes");
	out->header[PROTOCOLS_TLS] = inputs_number(j, "result.tls", "header_bytes");
	out->seconds = inputs_number(j, "result.capture", "duration_s");
	json_free(j);
	if (isnan(out->count[PROTOCOLS_TOTAL][PROTOCOLS_WIRE]))
		return complain(r, folder, -EPROTO, "no report of prototap");
	return 0;
}

static int read_cell(struct reader *r, const char *cell, int64_t repeat, struct cell *out)
{
	struct inputs_cell told;
	struct json *j;
	bool flag;
	int err;

	*out = (struct cell){ .same = true, .differs_percent = NAN };
	snprintf(out->folder, sizeof(out->folder), "%s/cells/%s/%lld", r->folder, cell, (long long)repeat);
	err = inputs_cell(out->folder, &told, r->why, r->size);
	j = told.json;
	if (err || !j)
		return err;
	out->complete = told.complete;
	out->marked = told.marked;
	out->restless = json_get_bool(j, "restless", &flag) && flag;
	if (json_get_bool(j, "picture.same", &flag))
		out->same = flag;
	out->differs_percent = inputs_number(j, "picture", "differs_percent");
	json_free(j);
	return 0;
}

static void count_cell(struct reader *r, const struct cell *c)
{
	if (c->complete)
		r->done->complete++;
	else
		r->done->failed++;
	r->done->marked += c->complete && c->marked;
}

static void count_row(struct protocols_row *row, const struct cell *c)
{
	row->failed += !c->complete;
	row->marked += c->complete && c->marked;
	row->restless += c->complete && c->restless;
	if (c->complete)
		row->differs_percent = fmax(row->differs_percent, c->differs_percent);
}

static void write_row(struct reader *r, const struct protocols_row *row)
{
	protocols_row_write(r->summary.rows, row, r->seed);
	r->done->rows++;
}

/* A row of what the session took. Not all sessions have all: a terminal is its own window. */
static int session_row(struct reader *r, const char *cell, const char *what, const char *file, double scale)
{
	struct protocols_row row;
	int err = protocols_row_begin(&row, r->protocol, what, (size_t)r->repeats);
	bool any = false;

	for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++) {
		struct cell c;

		err = read_cell(r, cell, repeat, &c);
		if (err)
			break;
		count_row(&row, &c);
		if (!strcmp(what, "setup"))
			count_cell(r, &c);
		any |= !c.complete || inputs_there(c.folder, file);
		if (!c.complete || !inputs_there(c.folder, file))
			continue;
		err = read_sample(r, c.folder, file, &row.sample[row.n]);
		protocols_sample_scale(&row.sample[row.n], scale);
		row.n += !err;
	}
	if (!err && any)
		write_row(r, &row);
	protocols_row_free(&row);
	return err;
}

static int read_session(struct reader *r, const char *cell)
{
	int err = session_row(r, cell, "setup", "setup.json", 1);

	if (!err)
		err = session_row(r, cell, "window", "window.json", 1);
	if (!err)
		err = session_row(r, cell, "idle", "idle.json", 60.0 / (double)r->idle_seconds);
	return err ? err : session_row(r, cell, "key", "keys.json", 1.0 / (double)r->keys);
}

static int read_work(struct reader *r, const char *cell, const char *work)
{
	struct protocols_row row;
	int err = protocols_row_begin(&row, r->protocol, work, (size_t)r->repeats);

	r->works_seen++;
	for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++) {
		struct protocols_sample s;
		struct cell c;

		err = read_cell(r, cell, repeat, &c);
		if (err)
			break;
		count_row(&row, &c);
		count_cell(r, &c);
		if (!c.complete)
			continue;
		err = read_sample(r, c.folder, "prototap.json", &s);
		if (err)
			break;
		if (!c.same) {
			row.other[row.others++] = s;
			continue;
		}
		row.sample[row.n++] = s;
		protocols_sample_add(&r->all[repeat - 1], &s);
		r->all_works[repeat - 1]++;
	}
	if (!err)
		write_row(r, &row);
	protocols_row_free(&row);
	return err;
}

/* All pieces of work of the protocol that was read last, together. */
static int end_protocol(struct reader *r)
{
	struct protocols_row row;
	int err = 0;

	if (*r->protocol && r->works_seen > 1) {
		err = protocols_row_begin(&row, r->protocol, "all", (size_t)r->repeats);
		for (int64_t i = 0; !err && i < r->repeats; i++) {
			if (r->all_works[i] == r->works_seen)
				row.sample[row.n++] = r->all[i];
			else
				row.failed++;
		}
		if (!err)
			write_row(r, &row);
		protocols_row_free(&row);
	}
	memset(r->all, 0, sizeof(r->all));
	memset(r->all_works, 0, sizeof(r->all_works));
	r->works_seen = 0;
	return err;
}

static int read_cells(struct reader *r, const struct json *j)
{
	char of[32], cell[2 * NAME_MAX_BYTES], protocol[NAME_MAX_BYTES], part[NAME_MAX_BYTES];
	int err = 0;

	for (int i = 0; !err && i < CELLS_MAX; i++) {
		snprintf(of, sizeof(of), "settings.cells.%d", i);
		if (!inputs_word(j, of, "cell", cell, sizeof(cell)))
			break;
		if (!inputs_is_name(cell) || !inputs_word(j, of, "protocol", protocol, sizeof(protocol)) || !inputs_word(j, of, "part", part, sizeof(part)))
			return complain(r, r->folder, -EPROTO, "run.json: settings.cells cannot be read");
		if (strcmp(protocol, r->protocol) != 0)
			err = end_protocol(r);
		memcpy(r->protocol, protocol, sizeof(protocol));
		if (!err)
			err = !strcmp(part, SESSION) ? read_session(r, cell) : read_work(r, cell, part);
	}
	return err ? err : end_protocol(r);
}

static int write_table(struct reader *r, const struct json *j)
{
	int err = whole_open(&r->summary, r->folder, "summary.tsv", "protocols/1", protocols_columns);

	if (err)
		return complain(r, r->folder, err, strerror(-err));
	err = read_cells(r, j);
	if (err) {
		if (err == -ENOMEM)
			complain(r, r->folder, err, "out of memory");
		whole_drop(&r->summary);
		return err;
	}
	err = whole_close(&r->summary);
	return err ? complain(r, "summary.tsv", err, strerror(-err)) : 0;
}

int protocols_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	static struct reader r;
	struct json *j;
	int err;

	r = (struct reader){ .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!j)
		return -EPROTO;
	json_get_int(j, "settings.keys", &r.keys);
	json_get_int(j, "settings.idle_seconds", &r.idle_seconds);
	if (r.keys < 1 || r.idle_seconds < 1)
		err = complain(&r, folder, -EPROTO, "run.json: settings.keys and idle_seconds (from 1) cannot be read");
	else
		err = write_table(&r, j);
	json_free(j);
	return err;
}
