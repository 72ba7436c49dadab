// SPDX-License-Identifier: GPL-3.0-or-later
/* trace - records which task ran on which CPU, and for how long. The library reads the kernel's records, slices.c makes time
 * slices of task switches; this file reads options, runs the trace, reports. */
#include "clock.h"
#include "commands.h"
#include "record.h"
#include "proc.h"
#include "say.h"
#include "slices.h"
#include "trace.h"
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_NS (50 * NS_PER_MS)
#define RING_BYTES (8 << 20) /* about 80,000 task switches of a CPU between two reads */

static struct {
	int64_t time_ns, ready_fd;
	struct cli_cpus cpus;
	const char *log;
} cfg = { .time_ns = 10 * NS_PER_S, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_NS, 't', "time", &cfg.time_ns, NS_PER_MS, 30.0 * NS_PER_DAY, .help = "trace for this long (10s)" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, .help = "CPUs to trace (all online)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write every slice" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct {
	struct traced_cpu *cpu; /* one for each of cfg.cpus, in that order */
	struct row_file *log;
	struct slices_sums sums;
	int64_t start_ns, end_ns;
	int err;
} run;

static void add_slice(const struct cpu_time_slice *s)
{
	struct row_file *t = run.log;

	if (slices_add(&run.sums, s))
		run.err = -ENOMEM;
	if (!t)
		return;
	rows_write_ints(t, s->start_ns, s->cpu);
	rows_write_counts(t, s->pid > 0 ? s->pid : -1, s->tid > 0 ? s->tid : -1);
	rows_write_str(t, s->comm);
	rows_write_ints(t, s->ran_ns, s->wanted_more, s->whole);
	rows_end_row(t);
}

static int handle_record(void *cpu, const struct trace_record *r)
{
	struct cpu_time_slice s;

	if (r->time_ns > run.start_ns && r->time_ns <= run.end_ns && slices_add_record(cpu, r, &s))
		add_slice(&s);
	return run.err;
}

static void drain_cpus(struct scheduling_trace *t)
{
	for (int i = 0; i < cfg.cpus.n && !run.err; i++)
		run.err = trace_drain(t, cfg.cpus.cpu[i], handle_record, &run.cpu[i]);
	if (run.log && !run.err)
		run.err = rows_flush(run.log);
}

static void collect_slices(struct scheduling_trace *t)
{
	int64_t end_ns;

	proc_catch_stop();
	run.start_ns = clock_now();
	run.end_ns = INT64_MAX;
	for (int i = 0; i < cfg.cpus.n; i++)
		slices_init(&run.cpu[i], cfg.cpus.cpu[i], run.start_ns);
	end_ns = run.start_ns + cfg.time_ns;
	proc_tell_ready((int)cfg.ready_fd);
	for (int64_t now = run.start_ns; now < end_ns && !proc_stop && !run.err; now = clock_now()) {
		clock_sleep(now + DRAIN_NS < end_ns ? now + DRAIN_NS : end_ns);
		drain_cpus(t);
	}
	run.end_ns = clock_now();
	drain_cpus(t);
	for (int i = 0; i < cfg.cpus.n && !run.err; i++) {
		struct cpu_time_slice s;

		if (!slices_end(&run.cpu[i], run.end_ns, &s))
			continue;
		if (!s.pid && s.tid > 0) /* the task did not leave a CPU during the trace, so it still exists */
			s.pid = proc_thread_pid(s.tid);
		add_slice(&s);
	}
}

#define SAID 5 /* number of processes in the short report */

static void report_slices(struct rec_report *r, int64_t lost)
{
	int64_t slices = 0, beginless = 0, beginless_ns = 0;
	char text[512];

	cli_format_cpus(&cfg.cpus, text, sizeof(text));
	rec_begin_object(r, "settings");
	rec_add_real(r, "time_s", (double)cfg.time_ns / (double)NS_PER_S, 6);
	rec_add_str(r, "cpus", text);
	rec_end(r);
	for (size_t i = 0; i < run.sums.n; i++)
		slices += run.sums.process[i].slices;
	for (int i = 0; i < cfg.cpus.n; i++) {
		beginless += run.cpu[i].beginless;
		beginless_ns += run.cpu[i].beginless_ns;
	}
	slices_sort(&run.sums);
	rec_begin_object(r, "result");
	rec_add_real(r, "traced_s", (double)(run.end_ns - run.start_ns) / (double)NS_PER_S, 6);
	rec_add_ints(r, { "slices", slices }, { "lost_records", lost }, { "without_begin", beginless });
	rec_add_real(r, "without_begin_ms", (double)beginless_ns / NS_PER_MS, 6);
	rec_begin_array(r, "processes");
	for (size_t i = 0; i < run.sums.n; i++) {
		struct process_slices *p = &run.sums.process[i];

		rec_begin_object(r, NULL);
		rec_add_count(r, "pid", p->pid ? p->pid : -1);
		rec_add_str(r, "comm", p->pid ? p->comm : NULL);
		rec_add_real(r, "ran_ms", (double)p->ran_ns / NS_PER_MS, 6);
		rec_add_ints(r, { "slices", p->slices }, { "wanted_more", p->wanted_more });
		rec_add_sample(r, "quanta_ms", &p->quanta, NS_PER_MS);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

static void say_slices(struct rec_report *r)
{
	int64_t slices = 0, ran_ns = 0;

	for (size_t i = 0; i < run.sums.n; i++) {
		slices += run.sums.process[i].slices;
		ran_ns += run.sums.process[i].ran_ns;
	}
	rec_say(r, "%s slices of %s processes in %s on %d CPUs", count_text(slices), count_text((int64_t)run.sums.n),
		ns_text((double)(run.end_ns - run.start_ns)), cfg.cpus.n);
	rec_begin_table(r, "lrrrr", "\tof all\tslices\tmedian\tlongest ms");
	for (size_t i = 0; i < run.sums.n && i < SAID; i++) {
		struct process_slices *p = &run.sums.process[i];

		rec_add_row(r, "  %s\t%s %%\t%s\t%s\t%s", p->pid ? p->comm : "others",
			    number_text(100.0 * (double)p->ran_ns / (double)ran_ns), count_text(p->slices),
			    stat_text(&p->quanta, 0.5, NS_PER_MS), stat_text(&p->quanta, 1, NS_PER_MS));
	}
	rec_set_table(r, "processes");
}

int trace_command(int argc, char **argv)
{
	static const char *const columns[] = { "start_ns", "cpu", "pid", "tid", "comm", "ran_ns", "wanted_more", "whole", NULL };
	int first = cli_parse(argc, argv, "vamp trace [-t TIME] [--cpus LIST] [options]",
			      "Records every slice of time that any task of the system ran on a CPU.", options);
	struct rec_output_path places[] = { { "--log", cfg.log }, { "--output", out_cfg.path ? out_cfg.path : "-" } };
	static struct cli_cpus online;
	struct scheduling_trace *t;
	struct rec_report *out;
	struct why why;
	int64_t lost;
	int closed;

	cli_refuse_operands(argc, argv, first);
	proc_require_ready_fd((int)cfg.ready_fd);
	rec_refuse_same_outputs(places, sizeof(places) / sizeof(*places));
	if (!cfg.cpus.n && proc_online_cpus(&cfg.cpus))
		die(EXIT_RUN, "cannot read which CPUs are online; name them with --cpus");
	proc_online_cpus(&online);
	for (int i = 0, k = 0; i < cfg.cpus.n; i++) {
		while (k < online.n && online.cpu[k] < cfg.cpus.cpu[i])
			k++;
		if (k == online.n || online.cpu[k] != cfg.cpus.cpu[i])
			die_usage("--cpus: there is no CPU %d here", cfg.cpus.cpu[i]);
	}
	out = rec_must_open(&out_cfg, "vamp");
	run.log = record_open_log(cfg.log, "vamp-trace/1", columns);
	run.cpu = calloc((size_t)cfg.cpus.n, sizeof(*run.cpu));
	if (!run.cpu)
		die(EXIT_RUN, "out of memory");
	if (trace_open(&t, &cfg.cpus, true, RING_BYTES, &why))
		die(EXIT_RUN, "cannot trace: %s", why.text);
	collect_slices(t);
	lost = trace_lost_records(t);
	trace_close(t);
	closed = rows_close(run.log);
	run.err = run.err ? run.err : closed;
	if (run.err)
		die(EXIT_RUN, "the trace ended early: %s", strerror(-run.err));
	if (lost)
		rec_warn(out, "%lld kernel records were lost: the tasks that ran then are in no figure", (long long)lost);
	report_slices(out, lost);
	say_slices(out);
	slices_free(&run.sums);
	free(run.cpu);
	rec_must_close(out);
	return proc_stop ? EXIT_INTERRUPTED : lost ? EXIT_LOSSY : EXIT_OK;
}
