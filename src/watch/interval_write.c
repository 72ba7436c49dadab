// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval_write.h"
#include "clock.h"
#include "files.h"
#include "memory.h"
#include "proc.h"
#include "say.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#define END_TEXT 80

const char *const interval_columns[] = { "start_ns",	     "length_ns",
					 "client",	     "server",
					 "input_wire_bytes", "display_wire_bytes",
					 "inputs",	     "updates",
					 "unanswered",	     "next_p50_ns",
					 "next_p95_ns",	     "next_max_ns",
					 "latest_p50_ns",    "latest_p95_ns",
					 "waiting_ns",	     "gap_ns",
					 "client_ack_ns",    "server_ack_ns",
					 "reply_ns",	     "retransmitted_packets",
					 "zero_windows",     "verdict",
					 "rise_ns",	     "why",
					 "untimed_inputs",   "dropped_packets",
					 "clock_set",	     "connections",
					 "complete_p50_ns",  "complete_p95_ns",
					 "unpaired_inputs",  NULL };

/* ADDRESS:PORT of an end of the key. */
static const char *endpoint_text(const struct flow_key *key, int end, char *text)
{
	char address[FLOW_ADDRESS];

	flow_address(key, end, address);
	snprintf(text, END_TEXT, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, key->port[end]);
	return text;
}

/* --- the table --- */

static int64_t utc_day_number(int64_t time_ns)
{
	return time_ns / NS_PER_DAY;
}

/* 0 if the table has another name now, else -errno. */
static int rotate_files(const struct interval_cfg *cfg)
{
	char from[4096], to[4096];
	int64_t keep = cfg->keep;
	int err = 0;

	while (!cfg->keep && (keep++, snprintf(to, sizeof(to), "%s.%lld", cfg->table, (long long)keep), !access(to, F_OK)))
		;
	for (int64_t i = keep; i > 0; i--) {
		snprintf(to, sizeof(to), "%s.%lld", cfg->table, (long long)i);
		if (i > 1)
			snprintf(from, sizeof(from), "%s.%lld", cfg->table, (long long)i - 1);
		err = rename(i > 1 ? from : cfg->table, to) ? -errno : 0;
	}
	return err;
}

/* Whether the table is a file that may be renamed: not one that a descriptor leads to. */
static bool is_own_file(const char *path, struct stat *st)
{
	return strcmp(path, "-") && !files_is_descriptor(path) && !stat(path, st) && S_ISREG(st->st_mode);
}

static int open_table(struct interval_writer *w)
{
	struct stat st;
	bool rows = is_own_file(w->cfg.table, &st) && st.st_size > 0, append = w->cfg.append || files_is_descriptor(w->cfg.table);

	if (rows && append) {
		w->day = utc_day_number(st.st_mtim.tv_sec * NS_PER_S);
	} else if (rows) {
		int err = rotate_files(&w->cfg);

		append = err != 0;
		if (err && !w->rotate_warned)
			warn("cannot rename %s: %s; it grows on", w->cfg.table, strerror(-err));
		w->rotate_warned = w->rotate_warned || err;
	}
	w->table = (append ? rows_append : rows_open_new)(w->cfg.table, "watch/1", interval_columns);
	w->cfg.append = false;
	return w->table ? 0 : -errno;
}

/* A full disk may have room again later: the measurement goes on. */
static void warn_write(struct interval_writer *w, bool *warned, const char *path, int err)
{
	if (err && !*warned)
		warn("cannot write %s: %s; going on", path, strerror(-err));
	*warned = err;
	w->unwritten += err != 0;
}

static void flush_table(struct interval_writer *w, int64_t time_ns)
{
	int64_t day = utc_day_number(time_ns);
	bool written = w->table;
	struct stat st;
	int err = 0;

	if (w->table && rows_flush(w->table)) {
		err = rows_close(w->table), w->table = NULL;
		w->cfg.append = true; /* to go on with it loses no older file */
	}
	if (err == -EPIPE && !strcmp(w->cfg.table, "-")) { /* nobody reads it any more */
		w->cfg.table = NULL;
		proc_stop = 1;
		return;
	}
	if (w->table && !w->rotate_warned && is_own_file(w->cfg.table, &st) &&
	    (st.st_size >= w->cfg.rotate_bytes || (w->day && w->day != day)))
		err = rows_close(w->table), w->table = NULL;
	w->day = day;
	if (!w->table && !err)
		err = open_table(w);
	if (written || err)
		warn_write(w, &w->table_warned, w->cfg.table, err);
}

static void add_row(struct row_file *t, const struct interval_row *r)
{
	char text[END_TEXT];

	rows_write_ints(t, r->start_ns, r->length_ns);
	rows_write_str(t, r->others ? "others" : endpoint_text(&r->key, 1 - r->server, text));
	rows_write_str(t, r->others ? "others" : endpoint_text(&r->key, r->server, text));
	rows_write_ints(t, (int64_t)r->wire_bytes[INPUT], (int64_t)r->wire_bytes[DISPLAY], (int64_t)r->inputs, (int64_t)r->updates,
			(int64_t)r->unanswered);
	rows_write_counts(t, r->next_p50, r->next_p95, r->next_max, r->latest_p50, r->latest_p95, r->waiting, r->gap,
			  r->ack[DISPLAY], r->ack[INPUT], r->reply);
	rows_write_ints(t, (int64_t)r->retransmitted, (int64_t)r->zero_windows);
	rows_write_str(t, verdict_words[r->verdict.word]);
	rows_write_count(t, r->verdict.rise_ns);
	rows_write_str(t, verdict_whys[r->verdict.why]);
	rows_write_ints(t, (int64_t)r->untimed);
	rows_write_count(t, r->dropped);
	rows_write_ints(t, r->clock_set, r->others ? (int64_t)r->others : 1);
	rows_write_counts(t, r->complete_p50, r->complete_p95);
	rows_write_ints(t, (int64_t)r->unpaired);
	rows_end_row(t);
}

/* --- metrics --- */

struct metric_family {
	const char *name, *label, *help;
	size_t at; /* of an int64_t in struct interval_row, in ns */
};
#define FAMILY(name, label, member, help) \
	{ \
		"thinprobe_" name "_seconds", label, help, offsetof(struct interval_row, member) \
	}

static const struct metric_family families[] = {
	FAMILY("response", ",quantile=\"0.5\"", next_p50, "From an input to the next update, of an interval."),
	FAMILY("response", ",quantile=\"0.95\"", next_p95, ""),
	FAMILY("response", ",quantile=\"1\"", next_max, ""),
	FAMILY("response_latest", ",quantile=\"0.5\"", latest_p50, "From an input to the last update that may answer it."),
	FAMILY("response_latest", ",quantile=\"0.95\"", latest_p95, ""),
	FAMILY("response_complete", ",quantile=\"0.5\"", complete_p50, "From an input to the end of the next update."),
	FAMILY("response_complete", ",quantile=\"0.95\"", complete_p95, ""),
	FAMILY("waiting", "", waiting, "Age of the oldest input without an update since."),
	FAMILY("update_gap", "", gap, "Longest time between two updates."),
	FAMILY("round_trip", ",side=\"client\"", ack[DISPLAY], "From data to its acknowledgement, seen from the tap."),
	FAMILY("round_trip", ",side=\"server\"", ack[INPUT], ""),
	FAMILY("client_reply", "", reply, "From an update to the next message of the client that is no input."),
	FAMILY("rise", "", verdict.rise_ns, "By how much the wait of an input is over its usual value."),
};

static void print_metric_family(FILE *out, const struct metric_family *f, const struct interval_writer *w)
{
	char client[END_TEXT], server[END_TEXT];

	if (*f->help)
		fprintf(out, "# TYPE %s gauge\n# UNIT %s seconds\n# HELP %s %s\n", f->name, f->name, f->name, f->help);
	for (int i = 0; i < w->rows; i++) {
		const struct interval_row *r = &w->row[i];
		int64_t ns;

		memcpy(&ns, (const char *)r + f->at, sizeof(ns));
		if (ns >= 0 && !r->others)
			fprintf(out, "%s{client=\"%s\",server=\"%s\"%s} %.9g\n", f->name,
				endpoint_text(&r->key, 1 - r->server, client), endpoint_text(&r->key, r->server, server), f->label,
				(double)ns / NS_PER_S);
	}
}

/* Counts since the start, in the order of the file. */
static const struct {
	const char *name, *label, *help;
	size_t at;
} counters[] = {
/* at: of a 64-bit number in struct interval_writer */
#define COUNTER(name, member, help) \
	{ \
		name, "", help, offsetof(struct interval_writer, member) \
	}
	{ "wire_bytes", "{to=\"server\"}", "Bytes of frames.", offsetof(struct interval_writer, wire_bytes[INPUT]) },
	{ "wire_bytes", "{to=\"client\"}", "", offsetof(struct interval_writer, wire_bytes[DISPLAY]) },
	COUNTER("inputs", inputs, "Inputs of users."),
	COUNTER("unanswered_inputs", unanswered, "Inputs without an update within 10 s."),
	COUNTER("updates", updates, "Screen updates."),
	COUNTER("retransmitted_packets", retransmitted, "Packets with payload that was seen before."),
	COUNTER("untimed_inputs", untimed, "Inputs that waited beside too many others to be timed."),
	COUNTER("dropped_packets", dropped, "Packets that the kernel lost before they were read."),
	COUNTER("clock_sets", clock_sets, "Times that the clock was set."),
	COUNTER("other_packets", other_packets, "Packets of connections that are not followed: too many at one time."),
#undef COUNTER
};

static void print_metrics(FILE *out, const struct interval_writer *w, int64_t start_ns)
{
	char client[END_TEXT], server[END_TEXT];

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		print_metric_family(out, &families[i], w);
	fputs("# TYPE thinprobe_verdict gauge\n# HELP thinprobe_verdict 1: what made the waits longer than usual.\n", out);
	for (int i = 0; i < w->rows && !w->row[i].others; i++)
		fprintf(out, "thinprobe_verdict{client=\"%s\",server=\"%s\",verdict=\"%s\"%s} 1\n",
			endpoint_text(&w->row[i].key, 1 - w->row[i].server, client),
			endpoint_text(&w->row[i].key, w->row[i].server, server), verdict_words[w->row[i].verdict.word],
			w->row[i].verdict.why == WHY_BEHIND ? ",why=\"way behind\"" : "");
	fputs("# TYPE thinprobe_interval_start_seconds gauge\n# UNIT thinprobe_interval_start_seconds seconds\n"
	      "# HELP thinprobe_interval_start_seconds Start of the interval.\n",
	      out);
	if (start_ns >= 0)
		fprintf(out, "thinprobe_interval_start_seconds %.3f\n", (double)start_ns / NS_PER_S);
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		const char *name = counters[i].name;
		int64_t n;

		memcpy(&n, (const char *)w + counters[i].at, sizeof(n));
		if (*counters[i].help)
			fprintf(out, "# TYPE thinprobe_%s counter\n# HELP thinprobe_%s %s\n", name, name, counters[i].help);
		if (n >= 0)
			fprintf(out, "thinprobe_%s_total%s %lld\n", name, counters[i].label, (long long)n);
	}
	fprintf(out,
		"# TYPE thinprobe_other_connections gauge\n# HELP thinprobe_other_connections Connections that are not followed.\n"
		"thinprobe_other_connections %llu\n",
		(unsigned long long)w->others);
	fputs("# TYPE thinprobe_verdicts counter\n# HELP thinprobe_verdicts Intervals of connections by verdict.\n", out);
	for (int v = 0; v < VERDICTS; v++)
		fprintf(out, "thinprobe_verdicts_total{verdict=\"%s\"} %llu\n", verdict_words[v],
			(unsigned long long)w->verdicts[v]);
	fputs("# EOF\n", out);
}

int writer_write_metrics(const struct interval_writer *w, int64_t start_ns)
{
	char path[4096];
	struct stat st;
	FILE *out;
	int err;

	if (!stat(w->cfg.metrics, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	snprintf(path, sizeof(path), "%s.tmp", w->cfg.metrics);
	out = fopen(path, "we");
	if (!out)
		return -errno;
	print_metrics(out, w, start_ns);
	err = ferror(out) ? -EIO : 0;
	if (fclose(out) && !err)
		err = -errno;
	if (!err && rename(path, w->cfg.metrics))
		err = -errno;
	if (err)
		remove(path);
	return err;
}

/* --- the line --- */

#define SILENCE_NS (10 * NS_PER_S) /* without a packet since the start: worth a warning */
#define P95_LEAST 200		   /* waits from which on a 95th percentile is printed: ten lie beyond it */

/* Milliseconds with three digits, without the unit. */
static const char *milliseconds_text(int64_t ns)
{
	return ns < 0 ? "-" : number_text((double)ns / NS_PER_MS);
}

/* Whether the last update that may answer is far later than the next one. */
static bool is_wait_a_range(const struct interval_row *r)
{
	return r->latest_p50 < 0 || r->latest_p50 > r->next_p50 + r->next_p50 / 10 + NS_PER_MS;
}

static const char *wait_text(int64_t next_ns, int64_t latest_ns, bool range)
{
	static char text[40];

	if (!range)
		return milliseconds_text(next_ns);
	snprintf(text, sizeof(text), latest_ns < 0 ? "from %s" : "%s to %s", milliseconds_text(next_ns),
		 milliseconds_text(latest_ns));
	return text;
}

/* Whether a side is blamed, and a rise is all that is to be said. */
static bool is_told(const struct verdict *v)
{
	return v->word >= VERDICT_NETWORK && v->word != VERDICT_UNKNOWN && (v->why == WHY_NONE || v->why == WHY_BEHIND);
}

/* `who`: what had the CPU; "": not known. */
static void print_line(const struct interval_writer *w, int64_t start_ns, int64_t length_ns, int64_t dropped, const char *who)
{
	const struct interval_row *slow = NULL, *worst = NULL;
	time_t at = (time_t)((start_ns + length_ns) / NS_PER_S);
	uint64_t updates = 0, inputs = 0;
	int64_t waiting = -1;
	char clock[16], verdict[40];
	struct tm when;

	for (int i = 0; i < w->rows; i++) {
		const struct interval_row *r = &w->row[i];
		updates += r->updates;
		inputs += r->inputs;
		waiting = r->waiting > waiting ? r->waiting : waiting;
		if (!slow || r->next_p50 > slow->next_p50)
			slow = r;
		if (!worst || (r->verdict.word >= VERDICT_NETWORK) > (worst->verdict.word >= VERDICT_NETWORK) ||
		    ((r->verdict.word >= VERDICT_NETWORK) == (worst->verdict.word >= VERDICT_NETWORK) &&
		     (r->verdict.rise_ns > worst->verdict.rise_ns || r->verdict.word > worst->verdict.word)))
			worst = r;
	}
	who = worst && worst->verdict.word == VERDICT_SERVER ? who : "";
	localtime_r(&at, &when);
	strftime(clock, sizeof(clock), "%H:%M:%S", &when);
	if (!w->packets) {
		if (w->cfg.terminal)
			fprintf(stderr,
				"%s  no packet of port %.12s on %.12s yet: right port, right interface, and is a client connected?\n",
				clock, w->cfg.ports, w->cfg.interface);
		return;
	}
	if (!worst)
		snprintf(verdict, sizeof(verdict), dropped > 0 ? "? unknown: drops" : "  idle");
	else if (is_told(&worst->verdict))
		snprintf(verdict, sizeof(verdict), "! %s %s+%s",
			 worst->verdict.why == WHY_BEHIND ? "client or way behind" : verdict_words[worst->verdict.word],
			 is_wait_a_range(worst) ? ">" : "", ns_text((double)worst->verdict.rise_ns));
	else
		snprintf(verdict, sizeof(verdict), "%s %s%s%s",
			 worst->verdict.word == VERDICT_UNKNOWN	  ? "?"
			 : worst->verdict.word >= VERDICT_NETWORK ? "!"
								  : " ",
			 verdict_words[worst->verdict.word], *verdict_whys[worst->verdict.why] ? ": " : "",
			 verdict_whys[worst->verdict.why]);
	fprintf(stderr, "%s %-21s %2d conn %3s in %3s upd", clock, verdict, w->rows - (w->others > 0), count_text((int64_t)inputs),
		count_text((int64_t)updates));
	if (dropped > 0) {
		fprintf(stderr, "  lost %s", count_text(dropped));
	} else if (slow && slow->next_p50 >= 0) {
		fprintf(stderr, "  wait %s", wait_text(slow->next_p50, slow->latest_p50, is_wait_a_range(slow)));
		if (slow->complete_p50 > slow->next_p50 + slow->next_p50 / 10 + VERDICT_RISE_NS)
			fprintf(stderr, " complete %s", milliseconds_text(slow->complete_p50));
		fprintf(stderr, " p95 %s ms",
			milliseconds_text(slow->to_next_n >= P95_LEAST && !is_wait_a_range(slow) ? slow->next_p95 : -1));
	} else if (waiting >= 0) {
		fprintf(stderr, "  waiting %s", ns_text((double)waiting));
	}
	fprintf(stderr, "%s%s\n", *who ? "  most CPU: " : "", who);
}

static void print_totals(const struct interval_writer *w)
{
	const struct response_times *h = &w->to_next;
	double median =
		w->to_latest.n ? 0.5 * h->n / w->to_latest.n : 2; /* an input without an update waits longer than all others */
	struct interval_row all = { .next_p50 = response_quantile(h, 0.5),
				    .latest_p50 = median > 1 ? -1 : response_quantile(&w->to_latest, median) };
	bool range = is_wait_a_range(&all);

	fprintf(stderr, "%s: %s inputs, %s answered, wait p50 %s p95 %s ms\n", ns_text((double)(w->end_ns - w->start_ns)),
		count_text((int64_t)w->inputs), count_text(h->n), wait_text(all.next_p50, all.latest_p50, range),
		milliseconds_text(h->n >= P95_LEAST && !range ? response_quantile(h, 0.95) : -1));
	fputs("intervals:", stderr);
	for (int v = 0, any = 0; v < VERDICTS; v++)
		if (w->verdicts[v])
			fprintf(stderr, "%s %s %s", any++ ? "," : "", count_text((int64_t)w->verdicts[v]), verdict_words[v]);
	fprintf(stderr, "; packets lost: %s\n", w->dropped < 0 ? "not known" : count_text(w->dropped));
	if (w->hidden)
		fprintf(stderr, "inputs may have been missed: %s had updates, but no visible input (frames)\n",
			counted_text((int64_t)w->hidden, "interval"));
}

/* Once, after a while where no line an interval says so, else at the end. */
static void warn_silence(struct interval_writer *w, bool at_end)
{
	if (!w->cfg.tells_silence || w->packets || w->silence_warned ||
	    (!at_end && ((w->cfg.line && w->cfg.terminal) || w->end_ns - w->start_ns < SILENCE_NS)))
		return;
	warn("no packet of port %s on %s%s: right port, right interface, and is a client connected?", w->cfg.ports,
	     w->cfg.interface, at_end ? "" : " yet");
	w->silence_warned = true;
}

/* --- all of them --- */

int writer_open(struct interval_writer *w, const struct interval_cfg *cfg)
{
	*w = (struct interval_writer){ .cfg = *cfg, .dropped = -1, .row = memory_new(INTERVAL_FLOWS + 1, sizeof(*w->row)) };
	if (cfg->who)
		who_look(&w->who, clock_now());
	return cfg->table ? open_table(w) : 0;
}

void writer_add_row(void *writer, const struct interval_row *row)
{
	struct interval_writer *w = writer;

	w->row[w->rows] = *row;
	w->row[w->rows].to_latest = NULL;
	w->row[w->rows++].to_next = NULL;
	w->packets += row->packets;
	for (int c = 0; c < CHANNELS; c++)
		w->wire_bytes[c] += row->wire_bytes[c];
	w->inputs += row->inputs;
	w->updates += row->updates;
	w->hidden += row->verdict.why == WHY_FRAMES && row->updates && !row->inputs;
	w->unanswered += row->unanswered;
	w->untimed += row->untimed;
	w->retransmitted += row->retransmitted;
	if (row->to_next) {
		response_add_all(&w->to_next, row->to_next);
		response_add_all(&w->to_latest, row->to_latest);
	}
	if (row->verdict.why == WHY_CHAFF && !w->chaff_warned) {
		w->chaff_warned = true;
		warn("false keys, one each 20 ms, as ssh sends them: ssh -o ObscureKeystrokeTiming=no shows the true ones");
	}
	if (row->others) {
		w->others = row->others;
		w->other_packets += row->packets;
		if (!w->others_warned)
			warn("%d connections are followed; %llu more are in the row \"others\", without their waits",
			     INTERVAL_FLOWS, (unsigned long long)row->others);
		w->others_warned = true;
	} else {
		w->verdicts[row->verdict.word]++;
	}
	if (w->table)
		add_row(w->table, row);
}

void writer_end_interval(void *writer, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set)
{
	struct interval_writer *w = writer;

	if (dropped >= 0)
		w->dropped = (w->dropped > 0 ? w->dropped : 0) + dropped;
	w->clock_sets += clock_set;
	w->start_ns = w->start_ns ? w->start_ns : start_ns;
	w->end_ns = start_ns + length_ns;
	if (w->cfg.table)
		flush_table(w, start_ns + length_ns);
	if (w->cfg.metrics)
		warn_write(w, &w->metrics_warned, w->cfg.metrics, writer_write_metrics(w, start_ns));
	if (w->cfg.line)
		print_line(w, start_ns, length_ns, dropped, w->cfg.who ? who_look(&w->who, clock_now()) : "");
	warn_silence(w, false);
	w->rows = 0;
	w->others = 0;
}

uint64_t writer_close(struct interval_writer *w)
{
	int err = rows_close(w->table);
	uint64_t unwritten = w->unwritten + (err != 0);

	if (err)
		warn("cannot write %s: %s", w->cfg.table, strerror(-err));
	if (w->cfg.line && w->packets)
		print_totals(w);
	warn_silence(w, true);
	who_free(&w->who);
	free(w->row);
	*w = (struct interval_writer){ 0 };
	return unwritten;
}
