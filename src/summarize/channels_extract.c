// SPDX-License-Identifier: GPL-3.0-or-later
/* channels_extract - traffic of a protocol in each direction: prototap's reports of a session and of tasks in it, as rows by
 * protocol and task.
 *
 * A cell of part "session" gives setup, window, idle (per minute) and key (per key); any other part is a task, and `all` adds up
 * the tasks in each repeat that has all of them. Figures are means over repeats; bytes on the wire and in IP packets, and what
 * IP headers take, have intervals; other shares and sizes are quotients of these means. Rows by protocol and another one compare
 * the bytes of all tasks. A repeat of a task whose end state differs from the other repeats' is in no figure; if all repeats
 * differ from the expected state, `state` is "different", the figures are of these repeats, and `all` leaves the protocol out. */
#include "engine.h"

#define CHANNELS 3
#define COUNTS 6	   /* counts of each channel, in the order of enum channel_figure */
#define TOTAL (2 * COUNTS) /* index of the first count of the channel `total` */
#define HEADERS (CHANNELS * COUNTS)
#define TRANSPORT (HEADERS + 2)
#define SECONDS (HEADERS + 4)
#define VALUES (SECONDS + 1)
#define VIP_SAVED_BYTES 20 /* bytes that a packet saves when its IPv4 header is left out */

enum channel_figure { WIRE, IP, PAYLOAD, PACKETS, MESSAGES, ACKS };

static const struct part_file {
	const char *what, *file;
} parts[] = { { "setup", "setup.json" }, { "window", "window.json" }, { "idle", "idle.json" }, { "key", "keys.json" } };
#define PARTS (sizeof(parts) / sizeof(*parts))

/* What is kept of a repeat. */
struct channel_findings {
	bool restless, same;
	double differs_percent;
	struct channel_counts { /* one report of prototap: counts of the channels, bytes of headers, duration */
		bool there;
		double v[VALUES];
	} of[PARTS]; /* of[0] alone is used for a task */
};

/* One row of a table: its samples, and how many repeats were left out. */
struct row_samples {
	const double **v; /* samples that count; with room for all repeats */
	size_t n, same, different, failed, flagged, restless;
	double differs_percent; /* largest share of pixels that differ from the expected picture; NAN: no picture */
};

static void check_settings(const struct experiment_run *run)
{
	bool good = json_number(run->json, "settings.keys") >= 1 && json_number(run->json, "settings.idle_seconds") >= 1;

	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
		good = good && cell_text(c, "protocol") && cell_text(c, "part");
	if (!good)
		die(EXIT_RUN,
		    "%s/run.json: settings.keys or idle_seconds is below 1, or a cell lacks the parameters protocol and part",
		    run->folder);
}

#define CHANNEL(name) \
	"result.channels." name ".wire_bytes", "result.channels." name ".ip_bytes", "result.channels." name ".payload_bytes", \
		"result.channels." name ".packets", "result.channels." name ".messages"

static void read_report(const struct experiment_repeat *r, const char *file, double scale, struct channel_counts *out)
{
	static const char *const paths[VALUES] = {
		CHANNEL("input"),
		"result.acks.input.pure",
		CHANNEL("display"),
		"result.acks.display.pure",
		CHANNEL("total"),
		"result.acks.pure",
		"result.headers.ethernet_header_bytes",
		"result.headers.ip_header_bytes",
		"result.headers.tcp_header_bytes",
		"result.tls.header_bytes",
		"result.capture.duration_s",
	};
	const struct json_document *j = repeat_get_json(r, file);

	out->there = j;
	for (int i = 0; i < VALUES; i++)
		out->v[i] = json_number(j, "%s", paths[i]) * scale;
	out->v[TRANSPORT] += json_number(j, "result.headers.udp_header_bytes") * scale;
	if (j && isnan(out->v[TOTAL + WIRE]))
		die(EXIT_RUN, "%s/%s: not a report of prototap: no result.channels.total", r->folder, file);
}

static bool has_part_session(const struct experiment_cell *c)
{
	return !strcmp(cell_require_text(c, "part"), "session");
}

static bool same_protocol(const struct experiment_cell *a, const struct experiment_cell *b)
{
	return !strcmp(cell_require_text(a, "protocol"), cell_require_text(b, "protocol"));
}

/* Reads the reports of a repeat. A session may lack some parts: a terminal has no window of its own. */
static void read_repeat(const struct experiment_repeat *r)
{
	const struct json_document *run = r->cell->run->json;
	double idle_s = json_number(run, "settings.idle_seconds"), keys = json_number(run, "settings.keys");
	const double scale[PARTS] = { 1, 1, 60.0 / idle_s, 1.0 / keys };
	struct channel_findings *own = extractor_repeat_data(r);

	own->same = true;
	json_get_bool(r->json, "restless", &own->restless);
	json_get_bool(r->json, "picture.same", &own->same);
	own->differs_percent = json_number(r->json, "picture.differs_percent");
	for (size_t i = 0; has_part_session(r->cell) && i < PARTS; i++)
		read_report(r, parts[i].file, scale[i], &own->of[i]);
	if (has_part_session(r->cell))
		return;
	read_report(r, "prototap.json", 1, &own->of[0]);
	if (!own->of[0].there)
		die(EXIT_RUN, "%s/prototap.json is missing", r->folder);
}

static double compute_mean(const struct row_samples *row, int value)
{
	double sum = 0;

	for (size_t i = 0; i < row->n; i++)
		sum += row->v[i][value];
	return row->n ? sum / (double)row->n : (double)NAN;
}

static double divide(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static void set_channel(const struct row_samples *row, int channel, struct table_out *out)
{
	static const char *const channels[] = { "input", "display", "total" };
	static const char *const counts[] = { "wire_bytes", "ip_bytes", "payload_bytes", "packets", "messages", "acks" };
	double *bytes = memory_new(row->n, sizeof(*bytes));
	char column[64];

	for (int i = WIRE; i <= IP; i++) {
		for (size_t n = 0; n < row->n; n++)
			bytes[n] = row->v[n][channel * COUNTS + i];
		snprintf(column, sizeof(column), "%s_%s", channels[channel], counts[i]);
		row_set_figure(out, column, engine_estimate(ESTIMATE_MEAN_CI, bytes, row->n));
	}
	free(bytes);
	for (int i = PAYLOAD; i < COUNTS; i++) {
		snprintf(column, sizeof(column), "%s_%s", channels[channel], counts[i]);
		row_set_number(out, column, compute_mean(row, channel * COUNTS + i));
	}
}

/* What the IPv4 headers take of all IP bytes, by the quotient of each repeat. */
static void set_vip_saving(const struct row_samples *row, struct table_out *out)
{
	double *percent = memory_new(row->n, sizeof(*percent));

	for (size_t n = 0; n < row->n; n++)
		percent[n] = divide(100 * VIP_SAVED_BYTES * row->v[n][TOTAL + PACKETS], row->v[n][TOTAL + IP]);
	row_set_figure(out, "vip_saving_percent", engine_estimate(ESTIMATE_MEAN_CI, percent, row->n));
	free(percent);
}

static void set_header_shares(const struct row_samples *row, struct table_out *out)
{
	static const char *const headers[] = { "ethernet_percent", "ip_percent", "transport_percent", "tls_percent" };
	double wire = compute_mean(row, TOTAL + WIRE), ip = compute_mean(row, TOTAL + IP);
	double packets = compute_mean(row, TOTAL + PACKETS), messages = compute_mean(row, TOTAL + MESSAGES);

	row_numbers(out, { "seconds", compute_mean(row, SECONDS) }, { "mean_message_ip_bytes", divide(ip, messages) },
		    { "mean_message_payload_bytes", divide(compute_mean(row, TOTAL + PAYLOAD), messages) },
		    { "mean_packet_wire_bytes", divide(wire, packets) });
	set_vip_saving(row, out);
	for (int i = 0; i < 4; i++)
		row_set_number(out, headers[i], divide(100 * compute_mean(row, HEADERS + i), wire));
}

/* Writes one row of the table summary; or, with in_protocol_row, only sets the cell WHAT_bytes in the protocol's row of the table
 * protocols, which the caller ends. */
static void write_traffic(const struct experiment_cell *c, const char *what, const struct row_samples *row, bool in_protocol_row,
			  struct table_out *out)
{
	char column[64];

	row_set_text(out, "protocol", cell_require_text(c, "protocol"));
	if (in_protocol_row) {
		snprintf(column, sizeof(column), "%s_bytes", what);
		if (row->same)
			row_set_number(out, column, compute_mean(row, TOTAL + WIRE));
		return;
	}
	row_set_text(out, "what", what);
	row_set_text(out, "state", row->same ? "complete" : row->different ? "different" : "failed");
	row_numbers(out, { "repeats", (double)row->n }, { "failed", (double)row->failed }, { "marked", (double)row->flagged },
		    { "different", (double)row->different }, { "restless", (double)row->restless },
		    { "differs_percent", row->differs_percent });
	for (int i = 0; i < CHANNELS; i++)
		set_channel(row, i, out);
	set_header_shares(row, out);
	row_write(out);
}

/* Writes the traffic of one part of a cell (set-up, window, idle, key, or the task), over the repeats that count. */
static void write_part(const struct experiment_cell *c, size_t part, const char *what, bool in_protocol_row, struct table_out *out)
{
	const struct channel_findings *own = extractor_repeat_data(c->repeat);
	struct row_samples row = {
		.v = memory_new(c->n, sizeof(*row.v)), .failed = c->failed, .flagged = c->flagged, .differs_percent = NAN
	};

	for (size_t i = 0; i < c->n; i++)
		if (own[i].of[part].there) {
			row.same += own[i].same;
			row.different += !own[i].same;
			row.restless += own[i].restless;
			row.differs_percent = fmax(row.differs_percent, own[i].differs_percent);
		}
	for (size_t i = 0; i < c->n; i++)
		if (own[i].of[part].there && own[i].same == (row.same > 0))
			row.v[row.n++] = own[i].of[part].v;
	if (row.n || row.failed)
		write_traffic(c, what, &row, in_protocol_row, out);
	free(row.v);
}

/* Cells of one protocol follow each other. */
static bool is_last_of_protocol(const struct experiment_cell *c)
{
	return c + 1 == c->run->cell + c->run->n || !same_protocol(c, c + 1);
}

static size_t count_tasks(const struct experiment_cell *last)
{
	size_t works = 0;

	for (const struct experiment_cell *k = last; k >= last->run->cell && same_protocol(k, last); k--)
		works += !has_part_session(k);
	return works;
}

/* Adds up all tasks of a protocol in each repeat: sum[number - 1]; NAN in the repeats that lack one. */
static double (*sum_tasks(const struct experiment_cell *c))[VALUES]
{
	size_t repeats = (size_t)c->run->repeats, works = count_tasks(c);
	double(*sum)[VALUES] = memory_new(repeats, sizeof(*sum));

	for (size_t n = 0; n < repeats; n++) {
		size_t there = 0;

		for (const struct experiment_cell *k = c->run->cell; k < c->run->cell + c->run->n; k++)
			for (const struct experiment_repeat *r = k->repeat; r < k->repeat + k->n; r++) {
				const struct channel_findings *own = extractor_repeat_data(r);

				if (r->number != (int64_t)n + 1 || !own->same || has_part_session(k) || !same_protocol(k, c))
					continue;
				there++;
				for (int v = 0; v < VALUES; v++)
					sum[n][v] += own->of[0].v[v];
			}
		if (there < works)
			sum[n][TOTAL + IP] = NAN;
	}
	return sum;
}

/* Writes the sum of all tasks of one protocol, over the repeats that have all of them. */
static void write_task_sum(const struct experiment_cell *c, bool in_protocol_row, struct table_out *out)
{
	size_t repeats = (size_t)c->run->repeats;
	double(*sum)[VALUES] = sum_tasks(c);
	struct row_samples row = { .v = memory_new(repeats, sizeof(*row.v)), .differs_percent = NAN };

	for (size_t n = 0; n < repeats; n++)
		if (isnan(sum[n][TOTAL + IP]))
			row.failed++;
		else
			row.v[row.n++] = sum[n];
	row.same = row.n;
	write_traffic(c, "all", &row, in_protocol_row, out);
	free(row.v);
	free(sum);
}

/* Of a protocol beside each other one: its IP bytes of all tasks in percent of the other's, of each repeat, since the same
 * picture is drawn in both. */
static void write_shares(const struct experiment_cell *c, struct table_out *out)
{
	size_t repeats = (size_t)c->run->repeats;
	double *percent = memory_new(repeats, sizeof(*percent));

	for (const struct experiment_cell *k = c->run->cell; k < c->run->cell + c->run->n; k++) {
		double(*own)[VALUES], (*other)[VALUES];

		if (!is_last_of_protocol(c) || !is_last_of_protocol(k) || k == c || !count_tasks(c) ||
		    count_tasks(k) != count_tasks(c))
			continue;
		own = sum_tasks(c);
		other = sum_tasks(k);
		for (size_t n = 0; n < repeats; n++)
			percent[n] = divide(100 * own[n][TOTAL + IP], other[n][TOTAL + IP]);
		row_set_text(out, "protocol", cell_require_text(c, "protocol"));
		row_set_text(out, "other", cell_require_text(k, "protocol"));
		row_set_figure(out, "share_percent", engine_estimate(ESTIMATE_GEOMEAN_CI, percent, repeats));
		row_write(out);
		free(own);
		free(other);
	}
	free(percent);
}

static void write_cell_traffic(const struct experiment_cell *c, bool in_protocol_row, struct table_out *out)
{
	bool last = is_last_of_protocol(c);

	for (size_t p = 0; has_part_session(c) && p < PARTS; p++)
		write_part(c, p, parts[p].what, in_protocol_row, out);
	if (!has_part_session(c))
		write_part(c, 0, cell_require_text(c, "part"), in_protocol_row, out);
	if (last && count_tasks(c) > 1)
		write_task_sum(c, in_protocol_row, out);
	if (last && in_protocol_row)
		row_write(out);
}

static void write_summary_rows(const struct experiment_cell *c, struct table_out *out)
{
	write_cell_traffic(c, false, out);
}

static void write_protocol_cells(const struct experiment_cell *c, struct table_out *out)
{
	write_cell_traffic(c, true, out);
}

const struct extractor_hooks channels_extractor = {
	.name = "channels",
	.repeat_size = sizeof(struct channel_findings),
	.begin_run = check_settings,
	.read_repeat = read_repeat,
	.tables = { { "summary", write_summary_rows }, { "protocols", write_protocol_cells }, { "shares", write_shares } },
};
