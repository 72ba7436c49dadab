// SPDX-License-Identifier: GPL-3.0-or-later
/* idleprofile - profiles CPUs that should be idle: CPU time lost by an idle loop, by event length and by culprit.
 *
 * The loops are in spin.c, their cgroup in group.c; pipeline.c adds up their gaps. This file reads options, runs the loops,
 * reports. */
#include "group.h"
#include "proc.h"
#include "progress.h"
#include "profile_report.h"
#include "say.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_NS (200 * NS_PER_MS)
#define SETTLE_NS (400 * NS_PER_MS) /* without kernel records: time to learn the phase of the tick before the profile begins */
#define START_NS (60 * NS_PER_S)    /* time limit for a loop to get its first milliseconds of CPU */
#define PAUSE_NS (2 * NS_PER_S)
#define OVERTIME_NS (100 * NS_PER_MS) /* this long after the end of the run, the loops stop spinning even without an order */
#define TRACE_BYTES (1 << 20)

static struct {
	int64_t time_ns, threshold_ns, bin_ns, effect_ns, seed, ready_fd;
	double wakeups_per_s;
	struct cli_cpus cpus;
	int clock;
	bool who;
	struct cli_pids ignore;
} cfg = { .time_ns = 10 * NS_PER_S,
	  .threshold_ns = 5 * NS_PER_US,
	  .bin_ns = 10 * NS_PER_MS,
	  .effect_ns = 2 * NS_PER_S,
	  .seed = 1,
	  .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;
static struct profile_logs logs;
static const char *const clocks[] = { "auto", "vdso", NULL };

static const struct cli_opt options[] = {
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "profile for this long (10s)" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, .help = "CPUs to profile (all allowed)" },
	{ CLI_NS, 0, "threshold", &cfg.threshold_ns, 500, 1e9, .help = "shortest loss of CPU time that counts (5us)" },
	{ CLI_WORD, 0, "clock", &cfg.clock,
	  .help = "clock to read; auto: time-stamp counter if invariant, vdso: CLOCK_MONOTONIC (auto)", .words = clocks },
	{ CLI_FLAG, 0, "who", &cfg.who, .help = "name the tasks and interrupts that took time; needs root" },
	{ CLI_REAL, 0, "wakeups", &cfg.wakeups_per_s, 0.1, 10000,
	  .help = "time this many random wake-ups of a task a second, on each CPU (none)", .meta = "RATE" },
	{ CLI_FILE, 0, "log", &logs.path[LOGS_EVENTS], .help = "write every event" },
	{ CLI_FILE, 0, "who-log", &logs.path[LOGS_CULPRITS], .help = "with --who: write the culprits of every event" },
	{ CLI_FILE, 0, "timeline", &logs.path[LOGS_BINS], .help = "write the lost time of each bin" },
	{ CLI_NS, 0, "bin", &cfg.bin_ns, 1e6, 60e9, .help = "length of a bin of --timeline (10ms)" },
	{ CLI_PIDS, 0, "ignore", &cfg.ignore, .help = "with --who: leave out the CPU time of these processes" },
	{ CLI_NS, 0, "effect", &cfg.effect_ns, 0, 60e9, .help = "time to measure first how profiling slows others (2s)" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 1e15, .help = "seed of --wakeups (1)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct idle_loops *spin;
static struct idle_cgroup group;
static pid_t main_pid;

/* (After a SIGKILL of this process the kernel ends the loops, and the guard process removes the cgroup.) */
static void end_loops(void)
{
	if (getpid() != main_pid)
		return;
	if (spin)
		spin_end(spin);
	spin = NULL;
	group_remove(&group);
}

/* Ends the program where an order to the loops, or a wait for them, has failed; returns 0 or -EINTR. */
static int die_failed_loops(int err)
{
	if (err == -ETIMEDOUT)
		die(EXIT_RUN, "an idle loop does not get its CPU: the machine is too busy to be profiled");
	if (err == -ESRCH)
		die(EXIT_RUN, "another program ended the idle loops, or the kernel did for lack of memory: run it again");
	if (err && err != -EINTR)
		die(EXIT_RUN, "the idle loops cannot run: %s", strerror(-err));
	return err;
}

/* Why the loops are in no cgroup; NULL: they are in one. */
static const char *explain_no_cgroup(void)
{
	if (!group.path[0])
		return group.why.text;
	return strncmp(spin->place, "cgroup", 6) ? "joining it was refused" : NULL;
}

/* Starts the loops, paused. False: a signal to stop came. To be called once, before other threads are started. */
static bool start_loops(bool tsc)
{
	int err;

	main_pid = getpid();
	atexit(end_loops);
	group_make(&group);
	err = spin_start(&spin, &cfg.cpus, tsc, group_enter, &group);
	if (err == -ENODEV)
		die(EXIT_RUN, "--cpus was refused; not all of these are there and allowed, see taskset -cp $$");
	if (die_failed_loops(err))
		return false;
	if (!strcmp(spin->place, "SCHED_IDLE alone"))
		warn("the idle loops take CPU time from tasks of other groups (%s)%s", explain_no_cgroup(),
		     geteuid() ? "; root can put them into a cgroup" : "");
	if (strstr(spin->place, "container"))
		warn("the idle loops yield within this container only: tasks outside of it get less CPU time, and are not all seen");
	return true;
}

/* Moves this thread to CPUs that are not profiled, if there are any. */
static void leave_profiled_cpus(const struct cli_cpus *allowed)
{
	struct cli_cpus rest = { .n = 0 };

	for (int i = 0; i < allowed->n; i++) {
		bool profiled = false;

		for (int k = 0; k < cfg.cpus.n; k++)
			profiled |= cfg.cpus.cpu[k] == allowed->cpu[i];
		if (!profiled)
			rest.cpu[rest.n++] = allowed->cpu[i];
	}
	if (rest.n)
		proc_pin_thread(&rest);
}

static __attribute__((noreturn)) void die_interrupted(void)
{
	die(EXIT_INTERRUPTED, "interrupted before the profile began");
}

static void add_clock_pair(struct stamp_map *map)
{
	struct stamp_pair a;

	stamp_read_pair(spin->tsc, &a);
	stamp_map_add(map, &a);
}

static int calibrate_loops(struct stamp_map *map, struct observer_effect *own)
{
	struct progress_line wait;
	int err;

	add_clock_pair(map);
	err = die_failed_loops(spin_send_order(spin, SPIN_CALIBRATE, START_NS));
	if (!err)
		err = die_failed_loops(spin_await_calibration(spin, START_NS));
	if (err)
		return err;
	clock_sleep(map->last.ns + 100 * NS_PER_MS);
	add_clock_pair(map);
	for (int i = 0; i < spin->n; i++) {
		struct cpu_idle_loop *c = &spin->cpu[i];

		c->limit = (int64_t)((double)cfg.threshold_ns / map->ns_per_stamp) + spin_turn_quantile(c, 0.5, SPIN_STEPS);
	}
	spin->ns_per_stamp = map->ns_per_stamp;
	progress_start(&wait, out_cfg.detail == REC_QUIET || !cfg.effect_ns);
	progress_show(&wait, "measuring the loop's own effect; longer than %s where the CPU is not idle",
		      ns_text((double)cfg.effect_ns));
	err = observer_measure(own, spin, spin->cpu[0].cpu, cfg.effect_ns, (uint64_t)cfg.seed);
	progress_end(&wait);
	return die_failed_loops(err);
}

/* State of the run, from its start to the report. */
static struct profile_state {
	bool tsc;
	const char *why_no_tsc;
	struct why why_no_who;
	struct pipeline_cfg cfg;
	struct gap_pipeline *follow;
	struct woken_threads *wakeups;
	struct observer_effect own;
	bool log_lost; /* a log file was not written completely */
	bool cut;      /* a signal ended the run before its time */
	int64_t start_ns, end_ns, cpu_ns;
	int64_t stop_ns; /* time after which the loops are not allowed to spin, whatever happens to this process; 0: not set */
	int64_t spin_ns[CLI_CPUS_MAX];
} run = { .cfg = { .map = { .anchors = 0 } } };

static struct scheduling_trace *open_trace(void)
{
	struct scheduling_trace *trace = NULL;

	if (!cfg.who)
		return NULL;
	if (trace_open(&trace, &cfg.cpus, false, TRACE_BYTES, &run.why_no_who)) {
		if (isatty(STDERR_FILENO))
			warn("profiling without culprits: %s", run.why_no_who.text);
		return NULL;
	}
	return trace;
}

static struct progress_line progress;

static void show_progress(struct gap_pipeline *f)
{
	struct pipeline_cpu_total sum = pipeline_cpu_sum(f);
	int64_t since = clock_now() - run.start_ns;

	progress_show(&progress, "%s of %s  CPU lost to other work %s %%, longest %s", ns_text((double)since),
		      ns_text((double)cfg.time_ns),
		      number_text(100.0 * (double)(sum.lost_ns + sum.tick_ns) / (double)since / spin->n),
		      ns_text((double)sum.longest_ns));
}

static void drain_gaps(struct gap_pipeline *f, int64_t end_ns)
{
	while (!proc_stop && clock_now() < end_ns) {
		int64_t next = clock_now() + DRAIN_NS, left;

		proc_sleep(next < end_ns ? next : end_ns);
		if (spin_reap_ended(spin))
			die_failed_loops(-ESRCH); /* without this, the CPUs would look busy until the end of the run */
		left = run.stop_ns ? run.stop_ns - clock_now() : SPIN_ALLOWANCE_NS;
		spin_allow_time(spin, left < SPIN_ALLOWANCE_NS ? left : SPIN_ALLOWANCE_NS);
		pipeline_drain(f);
		if (progress_take_due(&progress, clock_now()))
			show_progress(f);
		run.log_lost |= report_warn_logs(&logs);
	}
}

static void read_loop_times(int64_t *ns)
{
	struct proc_schedstat stat;

	for (int i = 0; i < spin->n; i++)
		ns[i] = proc_read_schedstat(atomic_load(&spin->cpu[i].tid), &stat) ? -1 : stat.run_ns;
}

/* Calibrates and starts the loops, and learns the phase of the tick where there is no trace. 0, or -EINTR. */
static int prepare_run(void)
{
	int err = calibrate_loops(&run.cfg.map, &run.own);

	run.cfg.spin = spin;
	run.cfg.trace = err ? NULL : open_trace();
	run.cfg.logs = &logs;
	run.cfg.bin_ns = cfg.bin_ns;
	run.cfg.ignore = &cfg.ignore;
	run.cfg.seed = (uint64_t)cfg.seed;
	run.follow = pipeline_new(&run.cfg);
	if (!err)
		err = die_failed_loops(spin_send_order(spin, SPIN_RUN, START_NS));
	if (err)
		return err;
	drain_gaps(run.follow, clock_now() + (run.cfg.trace ? 0 : SETTLE_NS));
	if (cfg.wakeups_per_s <= 0)
		return 0;
	err = wakeups_start(&run.wakeups, &cfg.cpus, cfg.wakeups_per_s, (uint64_t)cfg.seed);
	if (err)
		die(EXIT_RUN, "cannot start the tasks to be woken: %s", strerror(-err));
	pipeline_set_wakers(run.follow, run.wakeups);
	return 0;
}

static void run_profile(void)
{
	static int64_t before[CLI_CPUS_MAX];
	int err;

	read_loop_times(before);
	run.cpu_ns = -clock_process_cpu();
	run.start_ns = clock_now();
	run.stop_ns = run.start_ns + cfg.time_ns + OVERTIME_NS;
	pipeline_begin(run.follow, run.start_ns, run.start_ns + cfg.time_ns);
	if (proc_stop)
		die_interrupted();
	proc_tell_ready((int)cfg.ready_fd);
	progress_start(&progress, out_cfg.detail == REC_QUIET);
	drain_gaps(run.follow, run.start_ns + cfg.time_ns);
	progress_end(&progress);
	run.end_ns = clock_now();
	run.cut = run.end_ns < run.start_ns + cfg.time_ns;
	if (!run.cut)
		run.end_ns = run.start_ns + cfg.time_ns;
	run.cpu_ns += clock_process_cpu();
	read_loop_times(run.spin_ns);
	for (int i = 0; i < spin->n; i++)
		run.spin_ns[i] = before[i] < 0 || run.spin_ns[i] < 0 ? -1 : run.spin_ns[i] - before[i];
	if (run.wakeups)
		wakeups_stop(run.wakeups);
	/* A loop that does not get its CPU in time counts as lost until the end of the run. */
	err = spin_send_order(spin, SPIN_PAUSE, PAUSE_NS);
	if (err != -ETIMEDOUT)
		die_failed_loops(err);
	pipeline_end(run.follow, run.end_ns);
}

static void report_settings(struct rec_report *r)
{
	char text[512];

	cli_format_cpus(&cfg.cpus, text, sizeof(text));
	rec_begin_object(r, "settings");
	rec_add_real(r, "time_s", (double)cfg.time_ns / (double)NS_PER_S, 6);
	rec_add_str(r, "cpus", text);
	rec_add_real(r, "threshold_us", (double)cfg.threshold_ns / NS_PER_US, 3);
	rec_add_bool(r, "who", cfg.who);
	rec_add_reals(r, { "wakeups_per_s", cfg.wakeups_per_s, 3 }, { "bin_ms", (double)cfg.bin_ns / NS_PER_MS, 3 },
		      { "effect_s", (double)cfg.effect_ns / (double)NS_PER_S, 3 });
	rec_add_int(r, "seed", cfg.seed);
	rec_add_str(r, "why_no_tsc", run.tsc ? NULL : run.why_no_tsc);
	rec_add_str(r, "why_no_who", *run.why_no_who.text ? run.why_no_who.text : NULL);
	rec_add_str(r, "not_traced",
		    run.cfg.trace && *trace_missing_points(run.cfg.trace) ? trace_missing_points(run.cfg.trace) : NULL);
	rec_add_str(r, "why_no_cgroup", explain_no_cgroup());
	rec_end(r);
}

/* Ends the loops and their cgroup and frees the run's memory: before the report is closed, so that a complete report means all is
 * gone. */
static void free_run(void)
{
	end_loops();
	if (run.cfg.trace)
		trace_close(run.cfg.trace);
	pipeline_free(run.follow);
	if (run.wakeups)
		wakeups_free(run.wakeups);
	observer_free(&run.own);
}

static int write_report(struct rec_report *out)
{
	struct report_inputs r = {
		.follow = run.follow,
		.spin = spin,
		.own = &run.own,
		.map = &run.cfg.map,
		.spin_ns = run.spin_ns,
		.threshold_ns = cfg.threshold_ns,
		.wall_ns = run.end_ns - run.start_ns,
		.cpu_ns = run.cpu_ns,
		.memory_peak_bytes = proc_memory_peak(getpid()) + proc_memory_peak(spin->pid),
		.rows = logs.rows,
		.wakeups = run.wakeups != NULL,
		.who = run.cfg.trace != NULL,
		.brief = out_cfg.format == REC_TEXT,
	};
	int64_t items = pipeline_lost_items(run.follow);
	bool lossy = report_warn_unwatched(out, run.follow) || items > 0;

	if (items > 0)
		rec_warn(out, "%s lost before they were read: events are missing", counted_text(items, "record"));
	report_settings(out);
	rec_begin_object(out, "result");
	report_profile(out, &r);
	rec_end(out);
	rec_set_table(out, "cpus");
	if (*run.why_no_who.text)
		rec_warn(out, "profiling without culprits: %s", run.why_no_who.text);
	say_profile(out, &r);
	report_warn_missed(out, run.follow);
	free_run();
	logs_close(&logs);
	run.log_lost |= report_warn_logs(&logs);
	rec_must_close(out);
	return run.cut ? EXIT_INTERRUPTED : lossy || run.log_lost ? EXIT_LOSSY : EXIT_OK;
}

static void profile_cpus(void)
{
	struct cli_cpus allowed;
	int err = proc_allowed_cpus(&allowed);

	if (err)
		die(EXIT_RUN, "cannot read which CPUs are allowed: %s", strerror(-err));
	if (!cfg.cpus.n)
		cfg.cpus = allowed;
	run.tsc = stamp_tsc_is_usable(&run.why_no_tsc) && !cfg.clock;
	if (cfg.clock)
		run.why_no_tsc = "as asked";
	if (!start_loops(run.tsc))
		die_interrupted();
	leave_profiled_cpus(&allowed);
	if (prepare_run())
		die_interrupted();
	run_profile();
}

static void check_outputs(void)
{
	const struct rec_output_path place[] = {
		{ "-o", out_cfg.path ? out_cfg.path : "-" },
		{ "--log", logs.path[LOGS_EVENTS] },
		{ "--who-log", logs.path[LOGS_CULPRITS] },
		{ "--timeline", logs.path[LOGS_BINS] },
	};

	rec_refuse_same_outputs(place, sizeof(place) / sizeof(*place));
}

static void read_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "idleprofile [-t TIME] [--cpus LIST] [--who] [options]",
			      "Profiles CPUs that should be idle: CPU time lost, by event length and by culprit.", options);

	cli_refuse_operands(argc, argv, first);
	if (logs.path[LOGS_CULPRITS] && !cfg.who)
		die_usage("--who-log needs --who");
	if (cfg.ignore.n && !cfg.who)
		die_usage("--ignore needs --who");
	check_outputs();
	proc_require_ready_fd((int)cfg.ready_fd);
}

/* Opens all files before the run: a bad path must not cost a run. */
static struct rec_report *open_outputs(void)
{
	struct rec_report *out = rec_must_open(&out_cfg, "idleprofile");
	const char *path;
	int err;

	err = logs_open(&logs, &path);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", path, strerror(-err));
	return out;
}

int main(int argc, char **argv)
{
	struct rec_report *out;

	read_options(argc, argv);
	proc_set_parent_death_term();
	proc_catch_stop(); /* before any file is opened: a signal would leave it incomplete */
	out = open_outputs();
	profile_cpus();
	return write_report(out);
}
