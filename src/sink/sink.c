// SPDX-License-Identifier: GPL-3.0-or-later
/* sink - CPU hogs: use all the CPU time they can get, a fixed share of the wall clock, or planned bursts.
 *
 * Each unit of load is a process (workers.c). Holding a share is in share.c, the times of bursts in burst_plan.c. This file
 * reads the options, runs the load, and reports the CPU time that each process really got. */
#include "burst_plan.h"
#include "clock.h"
#include "memory.h"
#include "quota.h"
#include "why.h"
#include "workers.h"
#include "rec.h"
#include "rt.h"
#include "say.h"
#include "share.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPIN_TURNS 2000		 /* loop turns between readings of the clock: some microseconds */
#define END_NS (500 * NS_PER_MS) /* time limit for the processes to end before the report */
#define HELD 0.95		 /* part of the requested share: with less the load counts as not held */
#define BURST_GRACE_NS NS_PER_MS /* a burst may end later than planned by its own length, at least by this */
#define LEAD_NS (50 * NS_PER_MS) /* from "ready" to time 0 of a burst plan, so that a waiting program can start */

static struct {
	int64_t count, time_ns, period_ns, seed, ready_fd;
	double percent;
	struct cpu_policy policy;
	struct burst_plan_spec burst;
	const char *burst_text, *burst_log;
} cfg = { .count = 1,
	  .percent = 100,
	  .period_ns = 10 * NS_PER_MS,
	  .seed = 1,
	  .ready_fd = STDERR_FILENO,
	  .policy = { .policy = SCHED_OTHER } };
static struct rec_cfg out_cfg;
static char autogroup[64], cgroup[512];
static struct cpu_quota quota;

static struct burst_plan plan;
/* The bursts of each process, in memory shared with it. */
static struct burst_truth {
	atomic_size_t played;
	bool locked;
	struct burst_record row[];
} * *truth;

static int read_burst_option(const char *text, void *value)
{
	struct why why;

	cfg.burst_text = text;
	if (parse_burst_spec(text, value, &why))
		die_usage("--burst %s: %s", text, why.text);
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 'n', "count", &cfg.count, 1, 10000, .help = "number of processes (1)" },
	{ CLI_PERCENT, 'l', "load", &cfg.percent, 0.1, 100,
	  .help = "share of wall-clock time that each process uses (100: never yields)" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "stop after this time (default: on a signal)" },
	{ CLI_CPUS, 0, "cpus", &cfg.policy.cpus, .help = "run on these CPUs (inherited)" },
	{ CLI_CALL, 0, "policy", &cfg.policy, .help = "scheduling policy (other)", .call = parse_cpu_policy_option,
	  .meta = "other|batch|idle|fifo:P|rr:P" },
	{ CLI_INT, 0, "nice", &cfg.policy.nice, -20, 19, .help = "nice value added to the inherited one (0)" },
	{ CLI_NS, 0, "slice", &cfg.policy.slice_ns, 100e3, 100e6,
	  .help = "requested time slice, if the scheduler supports it (its default)" },
	{ CLI_STR, 0, "cgroup", &cfg.policy.cgroup, .help = "enter this cgroup: a folder with a cgroup.procs (inherited)",
	  .meta = "FOLDER" },
	{ CLI_NS, 0, "period", &cfg.period_ns, 1e6, 1e9, .help = "period in which --load is held (10ms)" },
	{ CLI_CALL, 0, "burst", &cfg.burst, .call = read_burst_option, .meta = "PLAN",
	  .help = "use CPU time in bursts: every:100ms,len:5ms, or random:1000,min:100us,max:400ms,load:50%, or a file" },
	{ CLI_FILE, 0, "burst-log", &cfg.burst_log, .help = "write the CPU time of each burst" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, .help = "seed of random bursts (1)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void spin_briefly(void)
{
	for (int i = 0; i < SPIN_TURNS; i++)
		__asm__ volatile("" ::: "memory");
}

static void hold_cpu_share(struct workers *workers, int64_t index, void *context)
{
	struct cpu_share share;

	(void)context;
	cpu_share_init(&share, cfg.percent / 100, cfg.period_ns, clock_now(), clock_thread_cpu());
	atomic_store(&workers->child[index].ready, true);
	while (!atomic_load_explicit(&workers->stop, memory_order_relaxed)) {
		int64_t until = cpu_share_wake_ns(&share, clock_now(), clock_thread_cpu());

		if (until)
			clock_sleep(until);
		else
			spin_briefly();
	}
}

static void spin_always(struct workers *workers, int64_t index, void *context)
{
	(void)context;
	atomic_store(&workers->child[index].ready, true);
	while (!atomic_load_explicit(&workers->stop, memory_order_relaxed))
		spin_briefly();
}

static void play_bursts(struct workers *workers, int64_t index, void *context)
{
	struct burst_stop stop = { &workers->stop, &workers->wake };
	struct burst_truth *mine = truth[index];
	struct rt_granted got;
	int64_t origin_ns;

	(void)context;
	rt_setup(0, &got);
	mine->locked = got.locked;
	burst_warm_up(mine->row, plan.n, &stop);
	atomic_store(&workers->child[index].ready, true);
	while (!(origin_ns = atomic_load(&workers->origin_ns)) && !atomic_load(&workers->stop))
		clock_sleep(clock_now() + NS_PER_MS);
	burst_play(&plan, origin_ns, mine->row, &mine->played, &stop);
}

static void make_burst_plan(void)
{
	unsigned long line = 0;
	struct why why;
	int err = 0;
	FILE *in;

	switch (cfg.burst.kind) {
	case BURST_EVERY: err = burst_plan_make_periodic(&plan, &cfg.burst, cfg.time_ns); break;
	case BURST_RANDOM: err = burst_plan_make_random(&plan, &cfg.burst, (uint64_t)cfg.seed); break;
	case BURST_FILE:
		in = fopen(cfg.burst.path, "re");
		if (!in)
			die(EXIT_RUN, "cannot read %s: %m", cfg.burst.path);
		err = burst_plan_read_file(&plan, in, &line);
		if (err == -EPROTO)
			burst_plan_explain(in, line, &why);
		fclose(in);
		break;
	}
	if (err == -EPROTO)
		die(EXIT_RUN, "%s: %s", cfg.burst.path, why.text);
	if (!err && cfg.time_ns)
		burst_plan_drop_after(&plan, cfg.time_ns);
	if (!err && !plan.n)
		die(EXIT_RUN, "%s: the plan has no bursts%s; add some", cfg.burst_text, cfg.time_ns ? " within --time" : "");
	if (err == -E2BIG)
		die(EXIT_RUN, "--burst %s: more than %d bursts; plan fewer, or give a shorter --time", cfg.burst_text,
		    BURST_PLAN_MAX);
	if (err)
		die(EXIT_RUN, "cannot plan --burst %s: %s", cfg.burst_text, strerror(-err));
	truth = memory_new((size_t)cfg.count, sizeof(*truth));
	for (int64_t i = 0; i < cfg.count; i++) {
		void *room = mmap(NULL, sizeof(**truth) + plan.n * sizeof(struct burst_record), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (room == MAP_FAILED)
			die(EXIT_RUN, "no memory for %zu bursts of %lld processes; plan fewer bursts", plan.n,
			    (long long)cfg.count);
		truth[i] = room;
	}
}

static int write_burst_log(struct row_file *log, const struct workers *workers)
{
	for (int64_t i = 0; i < workers->count; i++) {
		for (size_t n = 0; n < atomic_load(&truth[i]->played); n++) {
			const struct burst_record *b = &truth[i]->row[n];

			rows_write_ints(log, i + 1, workers->child[i].was, (int64_t)n + 1, b->due_ns, b->start_ns, b->end_ns,
					b->asked_ns, b->cpu_ns);
			rows_end_row(log);
		}
	}
	return rows_close(log);
}

static void report_sink_settings(struct rec_report *r, const struct workers *workers)
{
	int64_t slice = workers->child[0].slice_ns;
	char cpus[256];

	rec_begin_object(r, "settings");
	rec_add_int(r, "count", cfg.count);
	rec_add_real(r, "load_percent", cfg.burst_text ? NAN : cfg.percent, 3);
	rec_add_real(r, "period_ms", (double)cfg.period_ns / NS_PER_MS, 3);
	rec_add_int(r, "nice", cfg.policy.nice);
	rec_add_str(r, "policy", cpu_policy_text(&cfg.policy));
	rec_add_real(r, "slice_ms", slice ? (double)slice / NS_PER_MS : NAN, 3);
	rec_add_str(r, "cgroup", cfg.policy.cgroup);
	rec_add_str(r, "burst", cfg.burst_text);
	rec_add_int(r, "seed", cfg.seed);
	cli_format_cpus(&workers->cpus, cpus, sizeof(cpus));
	if (*cpus) /* those that the processes may use */
		rec_add_str(r, "cpus", cpus);
	rec_end(r);
}

static double child_share_percent(const struct worker *c)
{
	return c->wall_ns > 0 ? 100.0 * (double)c->cpu_ns / (double)c->wall_ns : NAN;
}

static void report_child(struct rec_report *r, const struct worker *c)
{
	rec_begin_object(r, NULL);
	rec_add_real(r, "cpu_s", (double)c->cpu_ns / NS_PER_S, 6);
	rec_add_real(r, "wall_s", c->died ? NAN : (double)c->wall_ns / NS_PER_S, 6);
	rec_add_real(r, "share_percent", c->died ? NAN : child_share_percent(c), 3);
	rec_add_real(r, "wanted_percent", cfg.burst_text ? NAN : cfg.percent, 3);
	/* null if the kernel has no schedstat */
	rec_add_real(r, "runqueue_wait_s", c->accounted ? (double)c->sched.wait_ns / NS_PER_S : NAN, 6);
	rec_end(r);
}

static volatile sig_atomic_t was_stopped; /* a process of the load, for a time */

static void on_child(int signal, siginfo_t *of, void *context)
{
	(void)signal;
	(void)context;
	was_stopped = was_stopped || of->si_code == CLD_STOPPED || of->si_code == CLD_CONTINUED;
}

/* Writes in a few words what kept the load off the CPU for `missing_ns`. `waited_ns`: time that its processes waited for a CPU
 * (NAN: not known). */
static const char *explain_missing_load(const struct workers *workers, double missing_ns, double waited_ns, char *text, size_t size)
{
	char group[256];
	struct lack lack = { .missing_ns = missing_ns,
			     .waited_ns = waited_ns,
			     .throttled_ns = (double)quota_throttled_ns(&quota, group, sizeof(group)),
			     .wanted_cpus = cfg.burst_text ? 0 : (double)cfg.count * cfg.percent / 100,
			     .processes = cfg.count,
			     .cpus = workers->cpus.n ? workers->cpus.n : INT_MAX };

	if (was_stopped)
		return "It was stopped for a time.";
	for (const struct worker *c = workers->child; c < workers->child + workers->count; c++)
		lack.ready_at_end = lack.ready_at_end || c->was_ready;
	switch (lack_cause(&lack)) {
	case LACK_QUOTA:
		snprintf(text, size, "The CPU quota of cgroup %s kept it off the CPU for %s, summed over CPUs.", group,
			 ns_text(lack.throttled_ns));
		break;
	case LACK_TOO_MUCH_ASKED:
		snprintf(text, size, "Together the processes need more than %s.", counted_text(lack.cpus, "CPU"));
		break;
	case LACK_UNKNOWN: snprintf(text, size, "Why is not known (was it stopped?)."); break;
	case LACK_OTHERS_OR_STOPPED: snprintf(text, size, "Others used the CPU, or it was stopped for a time."); break;
	case LACK_EACH_OTHER:
		snprintf(text, size, "The processes waited for each other on %s, or for others.", counted_text(lack.cpus, "CPU"));
		break;
	case LACK_OTHERS: snprintf(text, size, "Others used the CPU.");
	}
	return text;
}

static bool is_burst_in_time(const struct burst_record *b)
{
	int64_t grace_ns = b->asked_ns > BURST_GRACE_NS ? b->asked_ns : BURST_GRACE_NS;

	return b->end_ns - b->due_ns <= b->asked_ns + grace_ns;
}

/* Reports the bursts. Returns whether enough of those that were played were played in time. */
static bool report_bursts(struct rec_report *r, const struct workers *workers)
{
	struct sample late = { 0 }, over = { 0 };
	int64_t asked = 0, burned = 0;
	double longest_ns = 0, waited_ns = 0; /* the longest delay of a burst */
	size_t played = 0, in_time = 0;
	char cause[400];
	bool locked = true;

	for (int64_t i = 0; i < workers->count; i++) {
		size_t n = atomic_load(&truth[i]->played);

		for (const struct burst_record *b = truth[i]->row; b < truth[i]->row + n; b++) {
			sample_add(&late, b->start_ns - b->due_ns);
			sample_add(&over, b->cpu_ns - b->asked_ns);
			asked += b->asked_ns;
			burned += b->cpu_ns;
			in_time += is_burst_in_time(b);
			longest_ns = fmax(longest_ns, (double)(b->end_ns - b->due_ns - b->asked_ns));
		}
		waited_ns += workers->child[i].accounted ? (double)workers->child[i].sched.wait_ns : (double)NAN;
		played += n;
		locked = locked && truth[i]->locked;
	}
	rec_begin_object(r, "bursts");
	rec_add_ints(r, { "planned", (int64_t)plan.n * workers->count }, { "played", (int64_t)played },
		     { "in_time", (int64_t)in_time }, { "origin_ns", atomic_load(&workers->origin_ns) });
	rec_add_real(r, "asked_s", (double)asked / NS_PER_S, 6);
	rec_add_real(r, "burned_s", (double)burned / NS_PER_S, 6);
	rec_add_bool(r, "memory_locked", locked);
	rec_add_sample(r, "late_us", &late, NS_PER_US);
	rec_add_sample(r, "over_us", &over, NS_PER_US);
	rec_end(r);
	rec_say(r, "%s of %s played, %s of CPU time", count_text((int64_t)played),
		counted_text((int64_t)plan.n * workers->count, "burst"), ns_text((double)burned));
	rec_say(r, "  started %s late (worst %s), used %s more CPU time than planned (medians)",
		ns_text(sample_quantile(&late, 0.5).value), ns_text(sample_max(&late).value),
		ns_text(sample_quantile(&over, 0.5).value));
	sample_free(&late);
	sample_free(&over);
	if (in_time < played)
		rec_warn(r, "%s not played in time: ended later than planned by more than the length. %s",
			 counted_text((int64_t)(played - in_time), "burst"),
			 explain_missing_load(workers, longest_ns, waited_ns, cause, sizeof(cause)));
	return (double)in_time >= HELD * (double)played;
}

/* Writes the short report of the CPU shares. Returns whether the load was held. */
static bool say_shares(struct rec_report *r, const struct workers *workers)
{
	double least = INFINITY, most = 0, waited_ns = 0, missing_ns = 0;
	const char *plural = workers->count == 1 ? "" : "es";
	int64_t n = 0, wall_ns = 0;
	char cause[400];

	for (const struct worker *c = workers->child; c < workers->child + workers->count; c++) {
		if (c->died || c->wall_ns <= 0) /* or stopped before it was ready */
			continue;
		least = fmin(least, child_share_percent(c));
		most = fmax(most, child_share_percent(c));
		waited_ns += c->accounted ? (double)c->sched.wait_ns : NAN;
		missing_ns += fmax(0, cfg.percent / 100 * (double)c->wall_ns - (double)c->cpu_ns);
		wall_ns = c->wall_ns > wall_ns ? c->wall_ns : wall_ns;
		n++;
	}
	if (cfg.percent < 100)
		rec_say(r, "%s process%s, %s %% of a CPU%s, %s", count_text(workers->count), plural, number_text(cfg.percent),
			workers->count == 1 ? "" : " each", ns_text((double)wall_ns));
	else
		rec_say(r, "%s process%s, all the CPU time they can get, %s", count_text(workers->count), plural,
			ns_text((double)wall_ns));
	if (!n)
		return true;
	rec_set_summary(r, "%s process%s got %s%s%s %% of a CPU%s in %s", count_text(workers->count), plural, number_text(least),
			n > 1 ? " to " : "", n > 1 ? number_text(most) : "", n > 1 ? " each" : "", ns_text((double)wall_ns));
	if (n == 1)
		rec_say(r, "  got %s %% of a CPU; waited %s for a CPU", number_text(most), ns_text(waited_ns));
	else
		rec_say(r, "  got %s to %s %% of a CPU each; waited %s for a CPU, in total", number_text(least), number_text(most),
			ns_text(waited_ns));
	if (cfg.percent >= 100)
		return true;
	if (least >= HELD * cfg.percent) {
		rec_say(r, "Load held.");
		return true;
	}
	explain_missing_load(workers, missing_ns, waited_ns, cause, sizeof(cause));
	rec_warn(r, "Load NOT held: %s %% of %s %%. %s Each process waited %s of %s.", number_text(least), number_text(cfg.percent),
		 cause, ns_text(waited_ns / (double)n), ns_text((double)wall_ns));
	return false;
}

/* Writes the report. Returns how many processes died; *held: whether the load was held. */
static int64_t report_sink(struct rec_report *r, const struct workers *workers, bool *held)
{
	double total = 0;
	int64_t died = 0;

	report_sink_settings(r, workers);
	rec_begin_object(r, "result");
	rec_begin_array(r, "children");
	for (int64_t i = 0; i < workers->count; i++) {
		report_child(r, &workers->child[i]);
		total += child_share_percent(&workers->child[i]);
		died += workers->child[i].died;
	}
	rec_end(r);
	rec_add_real(r, "total_share_percent", died ? NAN : total, 3);
	rec_add_int(r, "children_died", died);
	rec_add_bool(r, "stopped", was_stopped);
	rec_add_str(r, "autogroup", autogroup[0] ? autogroup : NULL);
	rec_add_str(r, "cgroup", cgroup[0] ? cgroup : NULL);
	if (was_stopped)
		rec_warn(r, "A process of the load was itself stopped for a time (SIGSTOP, Ctrl-Z); what it would have got is not "
			    "known: run it again.");
	*held = (plan.due ? report_bursts(r, workers) : say_shares(r, workers)) && !was_stopped;
	if (died)
		rec_warn(r, "%s of %s processes died before the end.", count_text(died), count_text(workers->count));
	rec_set_table(r, "children");
	rec_end(r);
	return died;
}

static struct workers *start_workers(void)
{
	const struct sigaction children = { .sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct workers *workers = workers_new(cfg.count);
	worker_function *work = cfg.burst_text ? play_bursts : cfg.percent < 100 ? hold_cpu_share : spin_always;
	const struct worker *c;
	struct why why;
	int64_t who;
	int err;

	if (!workers)
		die(EXIT_RUN, "cannot share memory with the children: %m");
	sigaction(SIGCHLD, &children, NULL);
	err = workers_start(workers, &cfg.policy, work, NULL, &who);
	if (err < 0)
		die(EXIT_RUN, "cannot start process %lld of %lld: %s", (long long)who + 1, (long long)cfg.count, strerror(-err));
	if (err == WORKERS_DIED)
		die(EXIT_RUN, "process %lld of %lld died before it could spin; too little memory?", (long long)who + 1,
		    (long long)cfg.count);
	c = &workers->child[who < cfg.count ? who : 0];
	if (err == WORKERS_REFUSED) {
		cpu_policy_explain(&cfg.policy, c->asked, atomic_load(&c->refused), why.text, sizeof(why.text));
		die(EXIT_RUN, "%s", why.text);
	}
	if (cfg.policy.slice_ns && !proc_stop && workers->child[0].slice_ns != cfg.policy.slice_ns)
		warn("--slice has no effect on this kernel; settings.slice_ms is the time slice in use");
	proc_read_line(workers->child[0].pid, "autogroup", autogroup, sizeof(autogroup));
	proc_read_cgroup(workers->child[0].pid, "cpu", cgroup, sizeof(cgroup));
	quota_begin(&quota, "", workers->child[0].pid);
	return workers;
}

/* Runs the load. Returns whether a signal cut it short. */
static bool run_load(struct workers *workers)
{
	int64_t until;
	bool cut;

	if (!proc_stop)
		proc_tell_ready((int)cfg.ready_fd);
	until = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX;
	if (cfg.burst_text) {
		atomic_store(&workers->origin_ns, clock_now() + LEAD_NS);
		cut = !workers_wait(workers, INT64_MAX) || proc_stop;
	} else {
		proc_sleep(until);
		cut = proc_stop && cfg.time_ns; /* without --time a signal is the normal end */
	}
	workers_stop(workers);
	/* with bursts each process must first record the one that was cut; else only killed processes are to be detected */
	workers_reap(workers, cfg.burst_text ? INT64_MAX : clock_now() + END_NS);
	return cut;
}

static void read_load_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "sink [-n COUNT] [-l PERCENT | --burst PLAN] [-t TIME] [options]",
			      "CPU hogs: processes that use all CPU time they get, a fixed share, or planned bursts.", options);
	const struct rec_output_path place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--burst-log", cfg.burst_log } };

	cli_refuse_operands(argc, argv, first);
	if (cfg.burst_text && cfg.percent < 100)
		die_usage("--burst and --load exclude each other");
	if (cfg.burst_log && !cfg.burst_text)
		die_usage("--burst-log needs --burst");
	if (cfg.burst_text && cfg.burst.kind == BURST_EVERY && !cfg.time_ns)
		die_usage("--burst every: needs a --time");
	if (cfg.policy.slice_ns && cfg.policy.priority)
		die_usage("--slice is for other, batch and idle: real-time policies have no time slice");
	rec_refuse_same_outputs(place, 2);
	proc_require_ready_fd((int)cfg.ready_fd);
}

int main(int argc, char **argv)
{
	static const char *const columns[] = { "child", "pid", "n", "due_ns", "start_ns", "end_ns", "asked_ns", "cpu_ns", NULL };
	struct row_file *burst_log;
	struct workers *workers;
	struct rec_report *out;
	int64_t died;
	bool cut, held;
	int lost;

	read_load_options(argc, argv);
	proc_set_parent_death_term();
	proc_catch_stop(); /* before the output, which a signal would otherwise leave half done */
	if (cfg.burst_text)
		make_burst_plan();
	out = rec_must_open(&out_cfg, "sink"); /* before the run: a bad path must not cost it */
	burst_log = rows_must_open(cfg.burst_log, "burst/1", columns);
	workers = start_workers();
	cut = run_load(workers);
	died = report_sink(out, workers, &held);
	lost = burst_log ? write_burst_log(burst_log, workers) : 0;
	if (lost)
		warn("cannot write %s: %s; the report still counts the bursts", cfg.burst_log, strerror(-lost));
	rec_must_close(out);
	workers_reap(workers, INT64_MAX);
	return cut ? EXIT_INTERRUPTED : died || lost || !held ? EXIT_LOSSY : EXIT_OK;
}
