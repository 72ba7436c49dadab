// SPDX-License-Identifier: GPL-3.0-or-later
/* startup - measures how long an application takes to start: from execvp() to its first stable content.
 *
 * start.c does one start, stability.c finds out when content is stable, screen.h says which windows count; this file reads options,
 * runs, and reports. */
#include "cli.h"
#include "clock.h"
#include "held_up.h"
#include "memory.h"
#include "proc.h"
#include "start_report.h"
#include "rt.h"
#include "why.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REPLAY_LIMIT_NS (120 * NS_PER_S)
#define RUNS_MAX 1000
#define WINDOW_LEAST 32 /* windows count from this size on, in pixels both ways */

static struct {
	const char *display, *window, *cgroup, *swap_device, *scratch, *log, *then, *app_output, *key;
	int64_t runs, warm_up, priority;
	int64_t quiet_ns, ceiling_ns, watch_on_ns, close_ns, pause_ns;
	bool cold;
} cfg = { .runs = 1,
	  .warm_up = -1,
	  .quiet_ns = 500 * NS_PER_MS,
	  .ceiling_ns = 120 * NS_PER_S,
	  .watch_on_ns = 2 * NS_PER_S,
	  .close_ns = 3 * NS_PER_S };
static struct rec_cfg out_cfg;
static struct report_cfg report_cfg;
static struct event_script script;
static struct input_act key_act;
static struct scripted_event key_event = { "--key", &key_act, 1 };
static const struct event_script key_script = { &key_event, 1 };
static struct traffic traffic;
static struct file_set files;
static struct open_trace opened = { -1 };
static struct rt_granted punctual;
static struct row_file *rows;
static int64_t run_number;
static bool cut_short; /* an error ended the runs early */

static int read_baseline(const char *text, void *value)
{
	char mean[32];
	const char *comma = strchr(text, ',');

	(void)value;
	if (!comma || (size_t)(comma - text) >= sizeof(mean))
		die_usage("--baseline %s: a mean and a spread, as in 1.2s,40ms", text);
	memcpy(mean, text, (size_t)(comma - text));
	mean[comma - text] = '\0';
	if (cli_parse_ns(mean, &report_cfg.t0_ns) || cli_parse_ns(comma + 1, &report_cfg.t0_spread_ns) || report_cfg.t0_ns < 0 ||
	    report_cfg.t0_spread_ns < 0)
		die_usage("--baseline %s: a mean and a spread, as in 1.2s,40ms", text);
	report_cfg.t0_given = true;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_STR, 'd', "display", &cfg.display, .help = "X display ($DISPLAY)", .meta = "DISPLAY" },
	{ CLI_INT, 'n', "repeat", &cfg.runs, 1, RUNS_MAX, .help = "number of measured starts (1)" },
	{ CLI_INT, 0, "warmup", &cfg.warm_up, 0, 100, .help = "starts before these, not counted (0; 1 with --cold)" },
	{ CLI_STR, 0, "window", &cfg.window,
	  .help = "count only windows with this in title, or of this class (those of COMMAND and its descendants)",
	  .meta = "NAME" },
	{ CLI_NS, 0, "settle", &cfg.quiet_ns, 20e6, 60e9, .help = "content is stable when unchanged for this long (500ms)" },
	{ CLI_NS, 0, "watch-after", &cfg.watch_on_ns, 0, 600e9,
	  .help = "then watch this long for another window; ten times as long if the application is busy (2s)" },
	{ CLI_NS, 0, "ceiling", &cfg.ceiling_ns, 100e6, 3600e9, .help = "give up a start, or an event, after this time (120s)" },
	{ CLI_FLAG, 0, "cold", &cfg.cold, .help = "drop the application's files from the page cache before measured starts" },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, .help = "start the application in this group, and read the group's memory figures",
	  .meta = "FOLDER" },
	{ CLI_STR, 0, "swap-device", &cfg.swap_device,
	  .help = "read swap traffic from this block device's figures (the group's, or the machine's)", .meta = "DEVICE" },
	{ CLI_FILE, 0, "scratch", &cfg.scratch, .help = "repeat the swap traffic on this file (overwritten), to measure T_IO" },
	{ CLI_CALL, 0, "baseline", NULL, .help = "mean and spread of starts without swapping, to compute e", .call = read_baseline,
	  .meta = "MEAN,SPREAD" },
	{ CLI_STR, 0, "key", &cfg.key, .help = "press this key before each start, and count times from it", .meta = "KEY" },
	{ CLI_FILE, 0, "then", &cfg.then, .help = "events after the start: lines with a name, a tab, and keys or clicks" },
	{ CLI_NS, 0, "close-for", &cfg.close_ns, 0, 600e9,
	  .help = "time to close, and again to end on SIGTERM, before the application is killed (3s)" },
	{ CLI_NS, 0, "pause", &cfg.pause_ns, 0, 3600e9, .help = "wait between runs, and with --key before the first (0)" },
	{ CLI_FILE, 0, "app-output", &cfg.app_output, .help = "append the application's output to this file (discarded)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write changes of the screen and steps of swap traffic" },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 99, .help = "real-time priority, if permitted (0: none)" },
	{ CLI_GONE, 0, "min-size", .help = "windows count from 32 pixels on, both ways" },
	{ CLI_GONE, 0, "keep", .help = "each run ends the application; start it by itself to use it" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void open_start_log(void)
{
	static const char *const columns[] = { "run",		"time_ns",    "kind",		"name",	       "windows", "picture",
					       "read_requests", "read_bytes", "write_requests", "write_bytes", NULL };

	rows = rows_must_open(cfg.log, "startup/1", columns);
}

static void write_log_row(const struct start_log_entry *n)
{
	const struct traffic_counts *m = n->moved;
	const int64_t counts[] = { m ? m->reads : -1, m ? m->read_bytes : -1, m ? m->writes : -1, m ? m->write_bytes : -1 };
	char picture[20];

	rows_write_ints(rows, run_number, n->time_ns);
	rows_write_str(rows, n->kind);
	if (n->name)
		rows_write_str(rows, n->name);
	else
		rows_write_empty(rows);
	rows_write_int(rows, n->windows);
	snprintf(picture, sizeof(picture), "%016llx", (unsigned long long)n->picture);
	rows_write_str(rows, picture);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		rows_write_count(rows, counts[i]);
	rows_end_row(rows);
}

static void read_script(void)
{
	FILE *in = fopen(cfg.then, "re");
	struct why why;

	if (!in)
		die(EXIT_RUN, "cannot read %s: %m", cfg.then);
	if (event_script_read(&script, in, &why))
		die(EXIT_RUN, "%s: %s", cfg.then, why.text);
	fclose(in);
	report_cfg.script = &script;
}

/* replay_traffic() of what has been counted up to `until`. Returns its error, explained. */
static int replay_on_scratch(int64_t until, struct replay_result *out, struct why *why)
{
	int err = replay_traffic(cfg.scratch, traffic.step, traffic.n, until, REPLAY_LIMIT_NS, out);

	if (err >= 0)
		return 0;
	if (err == -EINVAL)
		return why_fail(err, why, "--scratch %s: its file system has no O_DIRECT; take a file on the device of the swap",
				cfg.scratch);
	if (err == -EFBIG)
		return why_fail(err, why, "--scratch %s: too small; take a file of 64 MiB", cfg.scratch);
	if (err == -EBUSY || err == -ETXTBSY)
		return why_fail(err, why,
				"--scratch %s: in use as swap or by a file system, and would be overwritten; take another file",
				cfg.scratch);
	return why_fail(err, why, "--scratch %s: %s", cfg.scratch, strerror(-err));
}

/* Opens the counters of swap traffic, and checks --scratch. */
static void open_counters(void)
{
	struct replay_result unused;
	struct why why;
	int err = traffic_open(&traffic, cfg.swap_device, cfg.cgroup);

	if (err == -ENODEV)
		die(EXIT_RUN, "--cgroup %s: no memory.stat in it; give the folder of a memory group", cfg.cgroup);
	if (err)
		die(EXIT_RUN, "--swap-device %s: no such block device (%s); lsblk lists them", cfg.swap_device, strerror(-err));
	if (cfg.scratch && replay_on_scratch(0, &unused, &why)) /* nothing is counted yet: finds errors before the runs */
		die(EXIT_RUN, "%s", why.text);
	if (cfg.swap_device && !traffic_is_swap_device(cfg.swap_device))
		warn("--swap-device %s is not in use as swap (swapon --show lists swap devices); its counters are read nevertheless",
		     cfg.swap_device);
}

static struct screen_watch *open_screen(void)
{
	struct screen_cfg screen_cfg = { cfg.display, cfg.window, WINDOW_LEAST };
	struct why why;
	struct screen_watch *screen = screen_open(&screen_cfg, &why);

	if (!screen)
		die(EXIT_RUN, "%s", why.text);
	if ((cfg.then && screen_check_keys(screen, &script, &why)) || (cfg.key && screen_check_keys(screen, &key_script, &why)))
		die(EXIT_RUN, "%s", why.text);
	return screen;
}

/* Ends the program if there is no such command, before any other check. */
static void require_command(const char *name)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		at = NULL;
	for (size_t n; at && *at; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		snprintf(path, sizeof(path), "%.*s%s%s", (int)n, at, n ? "/" : "", name);
		if (!access(path, X_OK))
			return;
	}
	if (!strchr(name, '/') || access(name, X_OK))
		die(EXIT_RUN, "cannot start %s: %s", name, strchr(name, '/') ? strerror(errno) : "no such command in PATH");
}

static void request_real_time(void)
{
	rt_setup((int)cfg.priority, &punctual);
	/* without MCL_FUTURE: mapping a file to see which of its pages are cached would read the whole file into memory */
	if (punctual.locked)
		mlockall(MCL_CURRENT);
}

static void report_settings(struct rec_report *r, struct screen_watch *screen, char *const *command)
{
	char text[256];

	rec_begin_object(r, "settings");
	rec_begin_array(r, "command");
	for (; *command; command++)
		rec_add_str(r, NULL, *command);
	rec_end(r);
	rec_add_str(r, "display", screen_display_name(screen));
	screen_describe(screen, text, sizeof(text));
	rec_add_strs(r, { "server", text }, { "window_manager", screen_manager_name(screen) }, { "window", cfg.window });
	rec_add_int(r, "runs", cfg.runs);
	rec_add_int(r, "warm_up", cfg.warm_up);
	rec_add_str(r, "cache", cfg.cold ? "cold" : "warm");
	rec_add_real(r, "quiet_for_ms", (double)cfg.quiet_ns / NS_PER_MS, 3);
	rec_add_real(r, "watch_on_ms", (double)cfg.watch_on_ns / NS_PER_MS, 3);
	rec_add_real(r, "ceiling_ms", (double)cfg.ceiling_ns / NS_PER_MS, 3);
	rec_add_int(r, "least_size", WINDOW_LEAST);
	rec_add_strs(r, { "cgroup", cfg.cgroup }, { "swap_from", traffic_names[traffic.from] }, { "swap_device", cfg.swap_device },
		     { "scratch", cfg.scratch }, { "key", cfg.key }, { "then", cfg.then });
	rec_add_real(r, "t0_ms", report_cfg.t0_given ? (double)report_cfg.t0_ns / NS_PER_MS : NAN, 3);
	rec_add_real(r, "t0_spread_ms", report_cfg.t0_given ? (double)report_cfg.t0_spread_ns / NS_PER_MS : NAN, 3);
	rt_describe(&punctual, text, sizeof(text));
	if (cfg.priority && rt_refused_words((int)cfg.priority, &punctual))
		rec_warn(r, "what changed may have been seen late: %s", rt_refused_words((int)cfg.priority, &punctual));
	rec_add_str(r, "probe", text);
	rec_end(r);
}

static void explain_failed_start(int err, const struct subreaper *subreaper, const char *command, struct why *why)
{
	if (err == -EPIPE)
		why_say(why, "display %s closed the connection: does its server still run?",
			cfg.display ? cfg.display : "$DISPLAY");
	else if (subreaper->shared && subreaper->shared->group_refused)
		why_say(why, "cannot enter %s: %s; it needs a cgroup.procs that this user may write", cfg.cgroup, strerror(-err));
	else if (subreaper->shared && subreaper->shared->refused)
		why_say(why, "cannot start %s: %s", command, strerror(-err));
	else
		why_say(why, "cannot start a process: %s", strerror(-err));
}

static int replay_start_traffic(struct run_results *run, struct why *why)
{
	int err = 0;
	int64_t until = run->result.exec_ns + run->result.stable_ns + 10 * NS_PER_MS;
	bool wanted = cfg.scratch && !proc_stop && run->result.stable_ns >= 0;

	/* a start without stable content has no e, so its traffic is not replayed */
	if (wanted)
		err = replay_on_scratch(until, &run->replay, why);
	run->io_ns = wanted && !err ? run->replay.read_ns + run->replay.write_ns : -1;
	return err;
}

/* Does all runs, warm-up runs first, up to an error behind the first one, of which the report warns. Returns the number of runs in
 * `run`, without warm-up runs. */
static int64_t run_starts(struct screen_watch *screen, char **command, struct run_results *run, struct rec_report *out)
{
	struct start_cfg start_cfg = { .start = { command, screen_display_name(screen), cfg.cgroup, cfg.app_output },
				       .quiet_ns = cfg.quiet_ns,
				       .ceiling_ns = cfg.ceiling_ns,
				       .watch_on_ns = cfg.watch_on_ns,
				       .close_ns = cfg.close_ns,
				       .any_owner = cfg.window,
				       .key = cfg.key ? &key_event : NULL,
				       .script = cfg.then ? &script : NULL,
				       .screen = screen,
				       .traffic = &traffic,
				       .opened = &opened,
				       .log = rows ? write_log_row : NULL };
	struct subreaper subreaper = { 0 };
	struct why why;
	int64_t n = 0;
	int err = 0;

	for (int64_t i = -cfg.warm_up; i < cfg.runs && !proc_stop && !err; i++) {
		struct run_results unused = { 0 }, *one = i < 0 ? &unused : &run[n];

		run_number = i + 1;
		one->io_ns = -1; /* until it is replayed */
		if ((i > -cfg.warm_up || cfg.key) && cfg.pause_ns)
			proc_sleep(clock_now() + cfg.pause_ns);
		/* files are learnt in warm-up runs only */
		start_cfg.learn = cfg.cold && i < 0 ? &files : NULL;
		if (start_cfg.learn)
			open_trace_start(&opened);
		if (cfg.cold && i >= 0)
			file_set_drop_cached(&files, &one->cold);
		err = start_measure(&start_cfg, &subreaper, &one->result);
		/* not in the runs that count: the kernel would queue an event for each file that any process opens */
		open_trace_stop(&opened);
		if (rows && (!err || err == -EPIPE))
			rows_flush(rows);
		if (err)
			explain_failed_start(err, &subreaper, command[0], &why);
		if (err && !n)
			die(EXIT_RUN, "%s", why.text);
		if (i < 0 || (err && err != -EPIPE)) {
			start_result_free(&one->result);
			continue;
		}
		n++;
		if (!err)
			err = replay_start_traffic(one, &why);
	}
	cut_short = err;
	if (cut_short)
		rec_warn(out, "%s; no start after this", why.text);
	return n;
}

static char **read_options(int argc, char **argv)
{
	static const char *const synopsis = "startup [options] -- COMMAND…";
	struct rec_output_path place[4];
	int behind = 0, first;

	/* the dashes are required, so that options of startup and of the command cannot be mixed up */
	for (int i = 1; i < argc && !behind; i++)
		behind = strcmp(argv[i], "--") ? 0 : argc - i - 1;
	first = cli_parse(argc, argv, synopsis,
			  "Starts an application and measures when its window appears, is painted, and has stable content.",
			  options);

	place[0] = (struct rec_output_path){ "-o", out_cfg.path ? out_cfg.path : "-" };
	place[1] = (struct rec_output_path){ "--log", cfg.log };
	place[2] = (struct rec_output_path){ "--app-output", cfg.app_output };
	place[3] = (struct rec_output_path){ "--scratch", cfg.scratch };
	rec_refuse_same_outputs(place, 4);
	if (!behind)
		die_usage("no command to start; put it behind --");
	if (argc - first > behind)
		die_usage("unexpected word %s", argv[first]);
	if (cfg.warm_up < 0)
		cfg.warm_up = cfg.cold ? 1 : 0;
	if (cfg.cold && !cfg.warm_up)
		die_usage("--cold needs a --warmup: it learns the files from it");
	report_cfg.cold = cfg.cold;
	report_cfg.warmed = cfg.warm_up > 0;
	return argv + first;
}

int main(int argc, char **argv)
{
	char **command = read_options(argc, argv);
	struct run_results *run = memory_new((size_t)cfg.runs, sizeof(*run));
	struct screen_watch *screen;
	struct rec_report *out;
	int64_t n, good;
	bool held;
	int lost;

	proc_set_parent_death_term();
	proc_catch_stop();
	if (cfg.then)
		read_script();
	if (cfg.key && post_parse_key(cfg.key, &key_act))
		die_usage("--key %s: no such key; give its name, such as Return, with ctrl+, shift+, alt+ or super+ in front",
			  cfg.key);
	require_command(command[0]);
	screen = open_screen();
	open_counters();
	out = rec_must_open(&out_cfg, "startup"); /* before the runs, so that a wrong path does not cost them */
	open_start_log();
	request_real_time();
	held_up_watch(punctual.fifo);
	n = run_starts(screen, command, run, out);
	report_settings(out, screen, command); /* after the runs: the window manager may have started meanwhile */
	good = report_starts(out, &report_cfg, run, n);
	rec_set_table(out, "runs");
	held = held_up_warn(out, "startup");
	report_say_starts(out, &report_cfg, run, n, command[0]);
	lost = rows_close(rows);
	if (lost)
		warn("cannot write %s: %s; the report still has the times", cfg.log, strerror(-lost));
	screen_close(screen);
	for (int64_t i = 0; i < n; i++)
		start_result_free(&run[i].result);
	free(run);
	event_script_free(&script);
	file_set_free(&files);
	traffic_close(&traffic);
	rec_must_close(out);
	return proc_stop				      ? EXIT_INTERRUPTED
	       : !good					      ? EXIT_RUN
	       : good < cfg.runs || cut_short || lost || held ? EXIT_LOSSY
							      : EXIT_OK;
}
