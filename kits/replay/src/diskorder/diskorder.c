// SPDX-License-Identifier: GPL-3.0-or-later
/* diskorder - in which order a disk serves waiting requests, and whose requests go first.
 *
 * Tracepoints of the block layer report when each request arrives, when the device takes it, and when it is completed. order.c
 * computes the order. This file reads options, collects events, reports. */
#include "array.h"
#include "clock.h"
#include "order.h"
#include "proc.h"
#include "rec.h"
#include "say.h"
#include "tracefs.h"
#include "tracepoint.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DRAIN_NS (50 * NS_PER_MS)
#define RING_BYTES (4 << 20)	/* 30,000 records of a CPU between two reads */
#define MINOR_BITS 20		/* bits of the minor number in the kernel's device numbers */

enum { POINTS = 3 };
static const char *const points[POINTS] = {
	[ORDER_QUEUE] = "block/block_bio_queue", [ORDER_ISSUE] = "block/block_rq_issue", [ORDER_COMPLETE] = "block/block_rq_complete",
};

static struct {
	int64_t time_ns, ready_fd;
	const char *load, *log;
} cfg = { .time_ns = 10 * NS_PER_S, .ready_fd = STDERR_FILENO };
static struct rec_report_options out_cfg;

static const struct cli_opt options[] = {
	{ CLI_NS, 't', "time", &cfg.time_ns, NS_PER_MS, 30.0 * NS_PER_DAY, .help = "watch this long (10s)" },
	{ CLI_STR, 0, "load", &cfg.load,
	  .help = "processes of this name are the load; others are compared with it (none)", .meta = "COMM" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write a row for each request to this file" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct {
	int id[POINTS];
	struct tracefs_field type[POINTS], sector[POINTS], sectors[POINTS], rwbs, comm;
	struct disk_request_event *event;
	size_t n;
	int64_t lost, start_ns, end_ns;
	struct request_order_state order;
	struct row_file *log;
} run;

/* --- from the kernel ------------------------------------------------------------------------------------------- */

static void copy_trace_text_field(const struct tracepoint_sample *s, struct tracefs_field f, char *word, size_t size)
{
	size_t n = (size_t)f.size < size ? (size_t)f.size : size;

	memset(word, 0, size);
	if ((size_t)f.offset + n <= s->size)
		memcpy(word, s->raw + f.offset, n);
	word[size - 1] = '\0';
}

static int decode_request_trace_record(void *arg, const struct perf_event_header *header)
{
	struct tracepoint_sample s;
	struct disk_request_event e = { 0 };
	int64_t when, type;
	char rwbs[16];
	int i = 0;

	(void)arg;
	run.lost += tracepoint_decode_lost_count(header, &when);
	if (!tracepoint_decode_sample(header, &s))
		return 0;
	type = tracefs_field_value(s.raw, s.size, run.type[0]);
	while (i < POINTS && run.id[i] != type)
		i++;
	if (i == POINTS)
		return 0;
	e.time_ns = s.time_ns;
	e.kind = (enum order_kind)i;
	e.sector = tracefs_field_value(s.raw, s.size, run.sector[i]);
	e.sectors = tracefs_field_value(s.raw, s.size, run.sectors[i]);
	if (i == ORDER_QUEUE) {
		copy_trace_text_field(&s, run.rwbs, rwbs, sizeof(rwbs));
		copy_trace_text_field(&s, run.comm, e.comm, sizeof(e.comm));
		e.read = rwbs[strspn(rwbs, "F")] == 'R';	/* a flush that precedes the request is named first */
		e.load = cfg.load && !strcmp(e.comm, cfg.load);
	}
	if (array_room(&run.event, run.n))
		return -ENOMEM;
	run.event[run.n++] = e;
	return 0;
}

static void find_block_tracepoints(void)
{
	char (*text)[TRACEFS_TEXT] = calloc(POINTS, sizeof(*text));
	struct why why;
	int err = text ? tracefs_read_formats(points, POINTS, text) : -ENOMEM;

	if (err) {
		tracepoint_explain_refusal(err, -1, &why);
		die(err == -EACCES ? EXIT_RUN : EXIT_MISSING, "cannot watch the disk: %s",
		    err == -EACCES ? why.text : "this kernel has no tracefs (CONFIG_FTRACE)");
	}
	for (int i = 0; i < POINTS; i++) {
		run.id[i] = tracefs_event_id(text[i]);
		if (run.id[i] < 0)
			die(EXIT_MISSING, "cannot watch the disk: this kernel has no tracepoint %s", points[i]);
		run.type[i] = tracefs_find_field(text[i], "common_type");
		run.sector[i] = tracefs_find_field(text[i], "sector");
		run.sectors[i] = tracefs_find_field(text[i], "nr_sector");
	}
	run.rwbs = tracefs_find_field(text[ORDER_QUEUE], "rwbs");
	run.comm = tracefs_find_field(text[ORDER_QUEUE], "comm");
	free(text);
}

/* Makes the trace filter that selects one disk. */
static void make_disk_trace_filter(const char *path, char *filter, size_t size)
{
	char partition[64];
	struct stat st;

	if (stat(path, &st))
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (!S_ISBLK(st.st_mode))
		die_usage("%s is no disk: name a block device, such as /dev/sda", path);
	snprintf(partition, sizeof(partition), "/sys/dev/block/%u:%u/partition", major(st.st_rdev), minor(st.st_rdev));
	if (!access(partition, F_OK))
		die_usage("%s is a partition: requests are ordered for the whole disk; name that disk", path);
	snprintf(filter, size, "dev == %u", major(st.st_rdev) << MINOR_BITS | minor(st.st_rdev));
}

static void drain_trace_of_all_cpus(struct tracepoint_rings *t, const struct cli_cpus *cpus)
{
	for (int i = 0; i < cpus->n; i++) {
		int err = tracepoint_pass_on_records(t, cpus->cpu[i], decode_request_trace_record, NULL);

		if (err)
			die(EXIT_RUN, "cannot read the trace: %s", strerror(-err));
	}
}

static void watch_disk_requests(struct tracepoint_rings *t, const struct cli_cpus *cpus)
{
	int64_t end_ns;

	proc_catch_stop_signals();
	run.start_ns = clock_now();
	end_ns = run.start_ns + cfg.time_ns;
	proc_write_ready_line_or_warn((int)cfg.ready_fd);
	for (int64_t now = run.start_ns; now < end_ns && !proc_stop; now = clock_now()) {
		clock_sleep_until(now + DRAIN_NS < end_ns ? now + DRAIN_NS : end_ns);
		drain_trace_of_all_cpus(t, cpus);
	}
	run.end_ns = clock_now();
	drain_trace_of_all_cpus(t, cpus);
}

/* --- what it means --------------------------------------------------------------------------------------------- */

static void write_row_of_issued_request(const struct issued_disk_request *r)
{
	rows_write_ints(run.log, r->come_ns, r->issue_ns);
	rows_write_str(run.log, r->read ? "read" : "write");
	rows_write_str(run.log, r->comm);
	rows_write_ints(run.log, r->sector, r->sectors, (int64_t)r->waiting, (int64_t)r->older);
	rows_end_row(run.log);
}

static void compute_request_order(void)
{
	struct issued_disk_request r;

	if (run.n)
		qsort(run.event, run.n, sizeof(*run.event), compare_disk_events_by_time);
	for (size_t i = 0; i < run.n; i++) {
		int got = order_handle_request_event(&run.order, &run.event[i], &r);

		if (got < 0)
			die(EXIT_RUN, "out of memory");
		if (got && run.log)
			write_row_of_issued_request(&r);
	}
	if (rows_close_output_file(run.log))
		die(EXIT_RUN, "cannot write %s", cfg.log);
}

static void say_wait_times_of_reads(struct rec_report *r, const char *whose, struct sample *wait)
{
	if (wait->n)
		rec_add_text_table_row(r, "%s\t%s\t%s\t%s\t%s", whose, text_of_count((int64_t)wait->n), text_of_sample_quantile(wait, 0.5,
																NS_PER_MS),
			text_of_sample_quantile(wait, 0.99, NS_PER_MS), text_of_sample_quantile(wait, 1, NS_PER_MS));
}

static void say_request_order(struct rec_report *r, const char *disk, struct disk_request_order_sums *s)
{
	const char *seconds = ns_text((double)(run.end_ns - run.start_ns));

	if (run.lost)
		rec_add_warning_line(r, "the kernel lost %s trace records: the order is computed from the others", text_of_count(run.lost));
	if (!s->requests) {
		rec_add_short_report_line(r, "no request reached %s in %s", disk, seconds);
		return;
	}
	rec_add_short_report_line(r, "%s requests in %s, %s of them writes; queue %s long on average, %s at most",
				  text_of_count(s->requests), seconds,
		s->writes ? text_of_count(s->writes) : "none", number_text((double)s->waiting / (double)s->requests),
		text_of_count((int64_t)s->waiting_most));
	if (s->kept + s->overtaken)
		rec_add_short_report_line(r, "%s %% were overtaken by a younger request; Kendall's tau %s (1: order of arrival, 0: random)",
			number_text(percentage_of_total_count(s->overtaken_requests, s->requests)), number_text(order_kendall_tau(s)));
	else
		rec_add_short_report_line(r, "no two requests waited at the same time: nothing to order");
	rec_begin_text_table(r, "lrrrr", "reads\tnumber\tp50\tp99\tmax ms waited");
	say_wait_times_of_reads(r, cfg.load ? cfg.load : "of the load", &s->load_wait);
	say_wait_times_of_reads(r, cfg.load ? "others" : "all", &s->others_wait);
	if (cfg.load && s->ahead)
		rec_add_short_report_line(r, "reads of others passed %s %% of those of %s that waited before them",
			number_text(percentage_of_total_count(s->passed, s->ahead)),
			cfg.load);
}

static void report_disk_request_order(struct rec_report *r, const char *disk)
{
	struct disk_request_order_sums *s = &run.order.sums;

	rec_begin_object(r, "settings");
	rec_add_str(r, "disk", disk);
	rec_add_str(r, "load", cfg.load);
	rec_add_real(r, "time_s", (double)cfg.time_ns / NS_PER_S, 3);
	rec_end_container(r);
	rec_begin_object(r, "result");
	rec_add_real(r, "watched_s", (double)(run.end_ns - run.start_ns) / NS_PER_S, 3);
	rec_add_ints(r, { "requests", s->requests }, { "writes", s->writes }, { "unmatched", s->unmatched },
		     { "unissued", s->unissued }, { "unfinished", s->unfinished }, { "lost_records", run.lost });
	rec_add_real(r, "in_device_p50", sample_quantile(&s->in_device, 0.5).value, 1);
	rec_add_real(r, "in_device_p90", sample_quantile(&s->in_device, 0.9).value, 1);
	rec_add_real(r, "waiting_mean", s->requests ? (double)s->waiting / (double)s->requests : (double)NAN, 2);
	rec_add_int(r, "waiting_most", (int64_t)s->waiting_most);
	rec_add_int(r, "pairs", s->kept + s->overtaken);
	rec_add_real(r, "tau", order_kendall_tau(s), 4);
	rec_add_real(r, "overtaken_percent", percentage_of_total_count(s->overtaken_requests, s->requests), 2);
	rec_begin_object(r, "load");
	rec_add_int(r, "reads", (int64_t)s->load_wait.n);
	rec_add_sample_statistics(r, "wait_ms", &s->load_wait, NS_PER_MS);
	rec_end_container(r);
	rec_begin_object(r, "others");
	rec_add_int(r, "reads", (int64_t)s->others_wait.n);
	rec_add_sample_statistics(r, "wait_ms", &s->others_wait, NS_PER_MS);
	rec_add_real(r, "ahead_mean", s->others_wait.n ? (double)s->ahead / (double)s->others_wait.n : (double)NAN, 2);
	rec_add_real(r, "passed_percent", percentage_of_total_count(s->passed, s->ahead), 2);
	rec_end_container(r);
	rec_end_container(r);
	say_request_order(r, disk, s);
}

int main(int argc, char **argv)
{
	static const char *const columns[] = { "come_ns", "issue_ns", "op", "comm", "sector", "sectors", "waiting", "older", NULL };
	int first = cli_parse(argc, argv, "diskorder DISK [-t TIME] [--load COMM] [options]",
			      "In which order a disk serves waiting requests, and whose requests go first.", options);
	struct rec_output_path places[] = { { "--log", cfg.log }, { "--output", out_cfg.path } };
	static struct cli_cpus cpus;
	struct tracepoint_rings *t;
	struct rec_report *out;
	char filter[64];
	struct why why;

	if (argc - first < 1)
		die_usage("which disk? Name a block device, such as /dev/sda");
	cli_refuse_operands_from(argc, argv, first + 1);
	proc_require_ready_fd_writable((int)cfg.ready_fd);
	rec_check_outputs_differ(places, sizeof(places) / sizeof(*places));
	make_disk_trace_filter(argv[first], filter, sizeof(filter));
	if (proc_get_online_cpus(&cpus))
		die(EXIT_RUN, "cannot tell which CPUs there are");
	out = rec_open_report_or_die(&out_cfg, "diskorder");
	run.log = rows_must_open(cfg.log, "diskorder/1", columns);
	find_block_tracepoints();
	if (tracepoint_open_rings(&t, &cpus, run.id, POINTS, filter, RING_BYTES, &why))
		die(EXIT_RUN, "cannot watch the disk: %s", why.text);
	if (run.id[ORDER_ISSUE] < 0 || run.id[ORDER_COMPLETE] < 0)
		die(EXIT_MISSING, "cannot watch the disk: the kernel refuses tracepoints of the block layer");
	watch_disk_requests(t, &cpus);
	tracepoint_close_rings(t);
	compute_request_order();
	report_disk_request_order(out, argv[first]);
	request_order_state_free(&run.order);
	free(run.event);
	rec_close_report_or_die(out);
	return proc_stop ? EXIT_INTERRUPTED : run.lost ? EXIT_LOSSY : EXIT_OK;
}
