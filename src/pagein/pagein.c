// SPDX-License-Identifier: GPL-3.0-or-later
/* pagein - pages an application out, verifies that, and times the first key into it; alternates with runs in memory.
 *
 * One run is in cycle.c; paging out in evict.c and memgroup.c; the verdict whether a run was paged out in judge.c; sending keys in
 * prober.c. This file reads options, runs and reports. */
#include "clock.h"
#include "files.h"
#include "held_up.h"
#include "memory.h"
#include "proc.h"
#include "pagein.h"
#include "rt.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEY "a"
#define WARM_UP_KEYS 5		/* not timed: on the first key X clients fetch the keyboard map */
#define GRACE_NS (5 * NS_PER_S) /* we wait so much longer than the --timeout of the prober */
#define RUNS_MAX 1000
#define TIMELINE_NS (2 * NS_PER_MS) /* sampling period of --timeline */

static const char *const watches[] = { "update", "patch", NULL };

static struct cycle_cfg cycle = { .evict_ns = 20 * NS_PER_S, .settle_ns = NS_PER_S, .pause_ns = 3 * NS_PER_S };
static struct {
	int64_t runs, timeout_ns, ready_fd;
	const char *cgroup, *prober, *log, *timeline;
	int watch; /* below 0: not given */
	struct cli_pids pid;
} cfg = { .runs = 10, .watch = -1, .timeout_ns = 30 * NS_PER_S, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

/* For --hog as the last word, without a command: with one, cut_hog_command() has removed it before the options are
 * read. */
static int reject_bare_hog(const char *text, void *value)
{
	(void)text;
	(void)value;
	die_usage("--hog wants a command after it, and nothing else");
}

static const char *const hog_ends[] = { "evicted", "key2", "key2-paused", NULL };

#define USE_PROBER "start keyrepeat --schedule asked with it, and give its pipes with --prober IN,OUT"

static const struct cli_opt options[] = {
	{ CLI_PIDS, 0, "pid", &cfg.pid, .help = "processes of the application, up to 32" },
	{ CLI_INT, 'n', "repeat", &cfg.runs, 1, RUNS_MAX, .help = "number of runs in memory, and of runs paged out (10)" },
	{ CLI_WORD, 'e', "evict", &cycle.method, .help = "how to page the processes out (cgroup)", .words = cycle_methods },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, .help = "memory cgroup of the processes: a folder", .meta = "FOLDER" },
	{ CLI_CALL, 0, "hog", &cycle.hog, .help = "last option: program that takes memory for --evict hog (memhog in the cgroup)",
	  .call = reject_bare_hog, .meta = "COMMAND..." },
	{ CLI_WORD, 0, "hog-until", &cycle.hog_until, .words = hog_ends,
	  .help = "end the hog when all is paged out, or after key 2's echo; key2-paused: SIGUSR1 in between (evicted)" },
	{ CLI_NS, 0, "evict-timeout", &cycle.evict_ns, 1e6, 3600e9, .help = "time limit for paging out (20s)" },
	{ CLI_FLAG, 0, "kept", &cycle.kept, .help = "also measure runs in which paging out failed" },
	{ CLI_NS, 0, "type", &cycle.type_ns, 1e7, 3600e9,
	  .help = "with --evict hog: type a key at this interval for --evict-timeout" },
	{ CLI_NS, 0, "settle", &cycle.settle_ns, 0, 3600e9, .help = "wait before the first key (1s)" },
	{ CLI_NS, 0, "pause", &cycle.pause_ns, 0, 3600e9, .help = "wait from first echo to second key (3s)" },
	{ CLI_NS, 0, "timeout", &cfg.timeout_ns, 1e6, 3600e9, .help = "timeout for an echo (30s)" },
	{ CLI_WORD, 0, "watch", &cfg.watch, .help = "what counts as an echo (update)", .words = watches },
	{ CLI_STR, 0, "prober", &cfg.prober, .help = "named pipes: input and output of a running keyrepeat --schedule asked",
	  .meta = "IN,OUT" },
	{ CLI_GONE, 0, "connect", .help = USE_PROBER },
	{ CLI_GONE, 'k', "key", .help = USE_PROBER },
	{ CLI_GONE, 0, "region", .help = USE_PROBER },
	{ CLI_GONE, 0, "window", .help = USE_PROBER },
	{ CLI_GONE, 0, "password-file", .help = USE_PROBER },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write the processes' memory at each step" },
	{ CLI_FILE, 0, "timeline", &cfg.timeline, .help = "write memory of processes and cgroup every 2 ms" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* The path of another thinprobe program, which stands in the folder of this one; static, valid for two calls. */
static const char *find_tool(const char *tool)
{
	static char path[2][PATH_MAX];
	static int turn;
	char *mine = path[turn++ % 2];
	ssize_t n = readlink("/proc/self/exe", mine, PATH_MAX - 32);
	char *slash;

	mine[n > 0 ? n : 0] = '\0';
	slash = strrchr(mine, '/');
	snprintf(slash ? slash + 1 : mine, 32, "%s", tool);
	return mine;
}

static void start_prober(struct key_prober *prober, const char *target)
{
	struct why why;
	char timeout[32];
	const char *command[] = { find_tool("keyrepeat"), target,      "--schedule", "asked",	   "--key", KEY, "--watch",
				  watches[cfg.watch > 0], "--timeout", timeout,	     "--ready-fd", "3",	    NULL };

	snprintf(timeout, sizeof(timeout), "%.6fs", (double)cfg.timeout_ns / NS_PER_S);
	if (cfg.prober ? prober_open_pipes(prober, cfg.prober, &why)
		       : prober_start(prober, (char *const *)(uintptr_t)command, 60 * NS_PER_S, &why))
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
}

static void open_memory_group(void)
{
	struct why why;

	if (cfg.cgroup && memgroup_open(&cycle.group, cfg.cgroup, &why))
		die(EXIT_RUN, "%s", why.text);
	if (cycle.method == EVICT_CGROUP) {
		if (!cfg.cgroup)
			die_usage("--evict cgroup empties a memory group: give it with --cgroup, or take --evict madvise");
		if (memgroup_check_swappable(&cycle.group, &why))
			die(EXIT_MISSING, "%s", why.text);
		for (size_t i = 0; i < cycle.n; i++)
			if (!memgroup_has_process(&cycle.group, cycle.pid[i]))
				die(EXIT_RUN,
				    "process %d is not in %s: start the application there (memory from before a move is charged elsewhere)",
				    (int)cycle.pid[i], cfg.cgroup);
	}
}

static void require_readable_processes(void)
{
	for (size_t i = 0; i < cycle.n; i++) {
		struct process_memory is;
		int err = resident_read_process(cycle.pid[i], &is);

		if (err)
			die(EXIT_RUN, "process %d: %s", (int)cycle.pid[i],
			    err == -ESRCH    ? "there is no such process"
			    : err == -EACCES ? "no right to read its memory map; run as its user, or as root"
					     : strerror(-err));
	}
}

static char *const *default_hog_command(void)
{
	static const char *command[] = { "", "-s", "150%", "--touch", "keep", "--cgroup", NULL, NULL };

	command[0] = find_tool("memhog");
	command[cfg.cgroup ? 6 : 5] = cfg.cgroup;
	return (char *const *)(uintptr_t)command;
}

static void report_settings(struct rec_report *r, const char *target)
{
	char text[512] = "", swaps[4096];
	size_t used = 0;
	bool machine;
	int zswap;

	rec_begin_object(r, "settings");
	rec_add_str(r, "target", target);
	rec_add_str(r, "prober", cfg.prober);
	rec_add_int(r, "runs", cfg.runs);
	rec_add_str(r, "evict", cycle_methods[cycle.method]);
	rec_add_str(r, "cgroup", cfg.cgroup);
	rec_add_int(r, "cgroup_version", cycle.group.version);
	for (size_t i = 0; cycle.method == EVICT_HOG && cycle.hog[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", cycle.hog[i]);
	rec_add_str(r, "hog", used ? text : NULL);
	rec_add_bool(r, "keep_hog", cycle.hog_until != HOG_UNTIL_EVICTED);
	rec_add_bool(r, "rest_hog", cycle.hog_until == HOG_UNTIL_KEY2_PAUSED);
	rec_add_bool(r, "kept", cycle.kept);
	rec_add_real(r, "evict_timeout_s", (double)cycle.evict_ns / NS_PER_S, 3);
	rec_add_real(r, "type_s", cycle.type_ns ? (double)cycle.type_ns / NS_PER_S : NAN, 3);
	rec_add_real(r, "settle_s", (double)cycle.settle_ns / NS_PER_S, 3);
	rec_add_real(r, "pause_s", (double)cycle.pause_ns / NS_PER_S, 3);
	rec_add_real(r, "timeout_s", (double)cfg.timeout_ns / NS_PER_S, 3);
	rec_add_str(r, "key", KEY);
	rec_add_str(r, "watch", cfg.prober ? NULL : watches[cfg.watch > 0]);
	rec_add_int(r, "read_ahead_bytes", memgroup_max_fault_bytes());
	memgroup_swapin_bytes(&cycle.group, &machine);
	rec_add_str(r, "swap_in_of", machine ? "machine" : "group");
	files_read_all("/proc/swaps", swaps, sizeof(swaps));
	memgroup_describe_swap(swaps, text, sizeof(text));
	rec_add_str(r, "swap", *text ? text : NULL);
	zswap = memgroup_zswap_is_on();
	if (zswap < 0)
		rec_add_str(r, "zswap", NULL);
	else
		rec_add_bool(r, "zswap", zswap);
	rec_add_str(r, "not_included", "keyboard, USB, compositor and screen of a real client");
	rec_end(r);
}

/* Alternates runs in memory and paged out. Returns the number of complete runs; *err: why the series ended early, or 0. */
static size_t run_cycles(struct cycle_run *run, int *err, struct why *why)
{
	size_t n = 0, kinds = cycle.method == EVICT_NONE ? 1 : 2;

	*err = 0;
	for (int i = 0; !*err && !proc_stop && i < WARM_UP_KEYS; i++)
		*err = cycle_send_warm_key(&cycle, why);
	while (!*err && !proc_stop && n < (size_t)cfg.runs * kinds) {
		run[n] = (struct cycle_run){ .number = (int64_t)n + 1, .out = n % kinds == 1 };
		*err = run[n].out ? cycle_run_evicted(&cycle, &run[n], why) : cycle_run_resident(&cycle, &run[n], why);
		if (!*err) {
			n++;
			if (cycle.log)
				rows_flush(cycle.log);
		}
	}
	if (proc_stop)
		*err = -EINTR;
	return n;
}

/* NULL without --timeline. */
static struct timeline *start_timeline(void)
{
	struct timeline_cfg how = {
		.path = cfg.timeline, .pid = cycle.pid, .pids = cycle.n, .group = cfg.cgroup, .period_ns = TIMELINE_NS
	};
	struct timeline *t = cfg.timeline ? timeline_start(&how) : NULL;

	if (cfg.timeline && !t)
		die(EXIT_RUN, "cannot write %s: %m", cfg.timeline);
	return t;
}

static int measure_cycles(struct rec_report *out, const char *target)
{
	struct cycle_run *run = memory_new((size_t)cfg.runs * 2, sizeof(*run));
	struct key_prober prober;
	struct rt_granted rt;
	struct cycle_tally tally;
	struct why why = { "" };
	struct timeline *timeline;
	size_t n;
	bool held;
	int err, lost = 0, timeline_lost;

	start_prober(&prober, target);
	cycle.prober = &prober;
	cycle.patience_ns = cfg.timeout_ns + GRACE_NS;
	/* lock our memory: pagein may be in the cgroup that it pages out */
	rt_setup(0, &rt);
	if (!proc_stop)
		proc_write_ready((int)cfg.ready_fd);
	held_up_watch(rt.fifo);
	timeline = start_timeline();
	n = run_cycles(run, &err, &why);
	timeline_lost = timeline_stop(timeline);
	prober_close(&prober);
	munlockall();
	if (cycle.log && (lost = rows_close(cycle.log)))
		warn("cannot write %s: %s", cfg.log, strerror(-lost));
	if (timeline_lost) {
		warn("cannot write %s: %s", cfg.timeline, strerror(-timeline_lost));
		lost = timeline_lost;
	}
	report_settings(out, target);
	report_cycles(out, &cycle, run, n, cfg.timeout_ns, &tally);
	rec_set_table(out, "runs");
	if (err == -EIO)
		rec_warn(out, "%s", why.text);
	held = held_up_warn(out, "pagein");
	report_say_cycles(out, &cycle, run, n, cfg.timeout_ns, &tally);
	for (size_t i = 0; i < (size_t)cfg.runs * 2; i++)
		sample_free(&run[i].typed);
	free(run);
	if (err == -EINTR)
		return EXIT_INTERRUPTED;
	if (err)
		return EXIT_RUN;
	return lost || held || tally.of[JUDGE_NOT_EVICTED] || tally.of[JUDGE_NOT_IN_MEMORY] || tally.unanswered || tally.doubtful
		       ? EXIT_LOSSY
		       : EXIT_OK;
}

static void check_options(int first, int argc)
{
	const struct rec_output_path place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" },
						 { "--log", cfg.log },
						 { "--timeline", cfg.timeline } };

	if (!cfg.pid.n)
		die_usage("which processes? give --pid PID,...");
	for (; cycle.n < cfg.pid.n; cycle.n++) {
		for (size_t i = 0; i < cycle.n; i++)
			if (cycle.pid[i] == cfg.pid.pid[cycle.n])
				die_usage("--pid names process %d twice", (int)cycle.pid[i]);
		if (cycle.n == CYCLE_PROCESSES)
			die_usage("--pid: at most %d processes", CYCLE_PROCESSES);
		cycle.pid[cycle.n] = cfg.pid.pid[cycle.n];
	}
	if (first != argc - 1)
		die_usage(first == argc ? "which target? give x11:DISPLAY or vnc:HOST:DISPLAY" : "more than one target");
	if (cycle.hog && cycle.method != EVICT_HOG)
		die_usage("--hog is for --evict hog");
	if (cycle.hog_until != HOG_UNTIL_EVICTED && cycle.method != EVICT_HOG)
		die_usage("--hog-until is for --evict hog");
	if (cfg.prober && cfg.watch >= 0)
		die_usage("--watch is an option of the running keyrepeat, whose pipes --prober names");
	if (cycle.type_ns && cycle.method != EVICT_HOG)
		die_usage("--type is for --evict hog: it types while the hog takes the memory");
	rec_refuse_same_outputs(place, 3);
	proc_require_ready_fd((int)cfg.ready_fd);
}

/* Removes --hog and the command after it from argv, since the command has options of its own. Returns the new argc. */
static int cut_hog_command(int argc, char **argv)
{
	for (int i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "--hog")) {
			cycle.hog = argv + i + 1;
			argv[i] = NULL;
			return i;
		}
	}
	return argc;
}

int main(int argc, char **argv)
{
	struct rec_report *out;
	int first, status;

	argc = cut_hog_command(argc, argv);
	first = cli_parse(
		argc, argv, "pagein --pid PID,... TARGET [options] [--hog COMMAND...]",
		"Pages an application out and times the first key into it; alternates with runs in which it stays in memory.",
		options);
	check_options(first, argc);
	proc_catch_stop(); /* before the output, which a signal would otherwise leave half done */
	open_memory_group();
	require_readable_processes();
	if (cycle.method == EVICT_HOG && !cycle.hog)
		cycle.hog = default_hog_command();
	out = rec_must_open(&out_cfg, "pagein"); /* before the run: a bad path must not cost it */
	cycle.log = rows_must_open(cfg.log, "pagein/1", cycle_columns);
	status = measure_cycles(out, argv[first]);
	rec_must_close(out);
	return status;
}
