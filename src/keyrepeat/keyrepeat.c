// SPDX-License-Identifier: GPL-3.0-or-later
/* keyrepeat - sends keys on an open-loop schedule and measures the time until their echo appears.
 *
 * plan.c has the schedule, train.c sends and watches, pairing.c finds the echo of each key, figures.c computes the statistics;
 * on_demand.c types single keys on request; target.h is the interface to displays. This file reads options, runs, reports. */
#include "clock.h"
#include "console.h"
#include "on_demand.h"
#include "plan.h"
#include "proc.h"
#include "report.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ASKED_ROOM 100000	/* changes of the picture that a run with --schedule asked can record */

enum { TAP, HOLD };
static const char *const modes[] = { "tap", "hold", NULL };
static const char *const watches[] = { "none", "update", "patch", NULL };
static const struct target_ops *const targets[] = { &target_x11, &target_vnc, &target_null };

static struct {
	double rate_per_s, noise_per_s;
	int64_t time_ns, seed, priority, threshold_ns, skip, ready_fd, patch_wait_ns, connect_ns, timeout_ns;
	int schedule, mode, watch;	/* schedule, watch: -1 until the target is known */
	const char *key, *script, *log, *password_file;
	bool hold_start, find_region;
	struct pixel_area region;
	uint64_t window;
	struct cli_cpus cpus;
} cfg = { .rate_per_s = 20, .time_ns = 60 * NS_PER_S, .seed = 1, .priority = 20, .threshold_ns = 100 * NS_PER_MS, .skip = 5,
	  .ready_fd = STDERR_FILENO, .patch_wait_ns = 5 * NS_PER_S, .connect_ns = 10 * NS_PER_S, .timeout_ns = 30 * NS_PER_S,
	  .schedule = -1, .watch = -1, .key = "a" };
static struct rec_report_options out_cfg;

/* Reads "0.25/s" or "0.25". */
static int read_noise_rate_option(const char *text, void *value)
{
	char number[32];
	double *per_s = value;

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, "/"), text);
	if (text[strcspn(text, "/")] && strcmp(strchr(text, '/'), "/s") != 0)
		return -1;
	return cli_parse_real_number(number, per_s) || !(*per_s >= 0 && *per_s <= 1000) ? -1 : 0;
}

static int read_region_option(const char *text, void *value)
{
	cfg.find_region = !strcmp(text, "auto");
	return cfg.find_region ? 0 : read_region_text(text, value);
}

/* Reads the id of a window as xwininfo (0x1c00003) and xdotool (29360131) print it. */
static int read_window_id_option(const char *text, void *value)
{
	char *end;

	errno = 0;
	*(uint64_t *)value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *(uint64_t *)value && *(uint64_t *)value <= 0xffffffffu ? 0 : -1;
}

static const struct cli_opt options[] = {
	{ CLI_REAL, 'r', "rate", &cfg.rate_per_s, 0, 1000, .help = "keys per second; 0 only watches (20)" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "length of the train (60s)" },
	{ CLI_WORD, 0, "schedule", &cfg.schedule, .help = "when keys are due (update: jittered, else periodic)", .words = schedule_names },
	{ CLI_WORD, 0, "mode", &cfg.mode, .help = "press and release each time, or press once and repeat (tap)", .words = modes },
	{ CLI_STR, 'k', "key", &cfg.key, .help = "which key: a character, a name, U20AC or 0xff0d (a)", .meta = "KEY" },
	{ CLI_FILE, 0, "script", &cfg.script, .help = "keys, moves and clicks from this file, \"DELAY_MS WHAT\" a line" },
	{ CLI_WORD, 0, "watch", &cfg.watch, .help = "what counts as echo (update; null: none)", .words = watches },
	{ CLI_CALL, 0, "region", &cfg.region, .help = "only changes in this rectangle count; auto types a few keys to find it (all)",
	  .call = read_region_option, .meta = "WxH+X+Y" },
	{ CLI_CALL, 0, "window", &cfg.window,
	  .help = "keys are for this X window only; the region counts from its corner", .call = read_window_id_option, .meta = "ID" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, .help = "for schedules with chance in them (1)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write one row for each key to this file" },
	{ CLI_FLAG, 0, "hold-start", &cfg.hold_start, .help = "after \"ready\", wait for a line on standard input" },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 99, .help = "SCHED_FIFO priority to ask for; 0 asks for none (20)" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, .help = "stay on these CPUs (as inherited)" },
	{ CLI_NS, 0, "late", &cfg.threshold_ns, 1e3, 3600e9, .help = "an echo later than this is late (100ms)" },
	{ CLI_INT, 0, "warmup", &cfg.skip, 0, 1e6, .help = "leave the first keys out of figures (5)" },
	{ CLI_CALL, 0, "noise", &cfg.noise_per_s,
	  .help = "updates a second that come without a key (0)", .call = read_noise_rate_option, .meta = "X/s" },
	{ CLI_FILE, 0, "password-file", &cfg.password_file, .help = "vnc: the password, as vncpasswd writes it or as text (none)" },
	{ CLI_NS, 0, "connect", &cfg.connect_ns, 1e6, 600e9, .help = "vnc: give up connecting and greeting after this time (10s)" },
	{ CLI_NS, 0, "timeout", &cfg.timeout_ns, 1e6, 3600e9, .help = "wait so long for the echo of a key that was asked for (30s)" },
	{ CLI_NS, 0, "patch-wait", &cfg.patch_wait_ns, 0, 600e9, .help = "look for the patch so long (5s)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static bool is_typing_on_demand(void)
{
	return cfg.schedule == SCHEDULE_ASKED;
}

static struct key_plan plan;

static void plan_keys_from_options(void)
{
	struct key_plan_cfg wanted = { cfg.script, cfg.key, cfg.rate_per_s, cfg.time_ns, cfg.schedule, (uint64_t)cfg.seed };
	struct why why;
	int status = make_key_plan(&wanted, &plan, &why);

	if (status)
		die(status, "%s", why.text);
}

static const struct target_ops *find_target_ops_by_scheme(const char *text, const char **where)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		size_t length = strlen(targets[i]->scheme);

		if (!strncmp(text, targets[i]->scheme, length) && text[length] == ':') {
			*where = text + length + 1;
			return targets[i];
		}
	}
	if (text[strspn(text, ":.0123456789")] == '\0' && *text)
		die_usage("%s is no target: write x11:%s for the X display, or vnc:localhost%s for the VNC server", text, text, text);
	if (!strncmp(text, "rdp:", 4) || !strncmp(text, "spice:", 6))
		die_usage("%s is no target: keys go through a client's window; with the client open, thinprobe run stalls --on attach::0,pick",
			  text);
	if (strchr(text, ':') && strspn(strrchr(text, ':') + 1, "0123456789") == strlen(strrchr(text, ':') + 1))
		die_usage("%s is no target: write vnc:%s for a VNC server; targets are x11:DISPLAY, vnc:HOST:DISPLAY and null:", text, text);
	die_usage("%s is no target: give x11:DISPLAY, vnc:HOST:DISPLAY or null:", text);
}

/* Keys whose echo is told from updates alone are typed one by one, unless an option asks for a train. A poisson schedule is a load
 * as of many users, and goes on whatever the answers. */
static bool are_keys_sent_one_by_one(void)
{
	return cfg.watch == WATCH_UPDATE && cfg.mode == TAP && !cfg.script && cfg.schedule == SCHEDULE_JITTERED;
}

static void refuse_conflicting_key_options(const struct target_ops *target)
{
	if (cfg.mode == HOLD && (cfg.script || cfg.schedule != SCHEDULE_PERIODIC))
		die_usage("--mode hold repeats one key periodically: leave out --script and --schedule");
	if (is_typing_on_demand() && (cfg.script || cfg.hold_start || !plan.n))
		die_usage("--schedule asked sends one --key for each line on standard input: leave out --script, --hold-start and --rate 0");
	if (is_typing_on_demand() && out_cfg.path && !strcmp(out_cfg.path, "-"))
		die_usage("--schedule asked answers on standard output: give the report a file with -o");
	if (cfg.mode == HOLD && target->repeats_itself && cfg.rate_per_s > 0 &&
	    (plan.period_ns % NS_PER_MS || plan.period_ns > 65535 * NS_PER_MS))
		die_usage("--mode hold: an X display repeats keys at intervals of whole milliseconds, up to 65535; %g keys/s is not such a rate",
			  cfg.rate_per_s);
	if (!target->region && (cfg.window || cfg.find_region || !area_is_empty(&cfg.region)))
		die_usage("--window and --region are for x11: only");
	if (cfg.window && cfg.mode == HOLD)
		die_usage("--window needs --mode tap: a key that is held down goes on repeating when another window gets the focus");
	if (cfg.window && does_key_plan_use_pointer(&plan))
		die_usage("--window is for keys: leave it out for a script that moves the pointer, which may leave the window");
	if (cfg.find_region && plan.n && !first_plain_key_of_plan(&plan))
		die_usage("--region auto types the first key without modifiers of --script, and this script has none");
	if (cfg.find_region && (!plan.n || cfg.watch != WATCH_UPDATE))
		die_usage("--region auto types keys and looks for what they change: give a --rate and --watch update");
	if (!plan.n && cfg.watch == WATCH_NONE)
		die_usage("--rate 0 sends nothing: give --watch update to record updates that come without keys");
}

/* The part of the display that is watched. */
struct watched_region {
	struct pixel_area region;
	const char *from;	/* NULL: the target has no regions */
};

static void report_key_train_settings(struct rec_report *r, const char *target, const char *server,
				      const struct watched_region *watched,
			    const struct rt_settings_granted *rt)
{
	char text[160];
	struct cli_cpus cpus;
	size_t used = 0;

	rec_begin_object(r, "settings");
	rec_add_strs(r, { "target", target }, { "server", server }, { "watch", watches[cfg.watch] });
	if (watched->from && cfg.watch != WATCH_NONE) {
		write_region_text(&watched->region, text);
		rec_add_str(r, "region", text);
		rec_add_str(r, "region_from", watched->from);
	}
	if (cfg.window) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)cfg.window);
		rec_add_str(r, "window", text);
	}
	rec_add_str(r, "schedule", cfg.script ? "script" : schedule_names[cfg.schedule]);
	if (is_typing_on_demand()) {
		rec_add_real(r, "timeout_s", (double)cfg.timeout_ns / NS_PER_S, 3);
	} else {
		rec_add_real(r, "rate_per_s", cfg.script ? NAN : cfg.rate_per_s, 3);
		rec_add_real(r, "time_s", (double)cfg.time_ns / NS_PER_S, 3);
		rec_add_int(r, "keys", (int64_t)plan.n);
		rec_add_real(r, "period_ms", (double)plan.period_ns / NS_PER_MS, 3);
	}
	rec_add_str(r, "mode", modes[cfg.mode]);
	rec_add_str(r, cfg.script ? "script" : "key", cfg.script ? cfg.script : cfg.key);
	rec_add_int(r, "seed", cfg.seed);
	rec_add_int(r, "skip", cfg.skip);
	rec_add_real(r, "threshold_ms", (double)cfg.threshold_ns / NS_PER_MS, 3);
	rec_add_real(r, "noise_per_s", cfg.noise_per_s, 4);
	rt_describe_granted(rt, text, sizeof(text));
	rec_add_str(r, "scheduling", text);
	text[0] = '\0';
	if (!proc_get_allowed_cpus(&cpus))
		for (int i = 0; i < cpus.n && used < sizeof(text) - 8; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "", cpus.cpu[i]);
	rec_add_str(r, "cpus", text);
	proc_read_first_line_of_file(getpid(), "autogroup", text, sizeof(text));
	rec_add_str(r, "autogroup", text);
	rec_add_str(r, "not_included", "keyboard, USB, compositor and screen of a real client");
	rec_end_container(r);
}

static void alloc_observations(struct screen_observations *seen, const struct target_ops *target)
{
	double seconds = (double)cfg.time_ns / NS_PER_S + 30,
		drains = cfg.schedule == SCHEDULE_BLOCKS ? (double)plan.n / SCHEDULE_BLOCK * 2 : 0;
	double per_s = (double)NS_PER_S / OBSERVATIONS_GAP_NS + (double)NS_PER_S / (double)plan.period_ns;
	double updates = (seconds + drains) * per_s;
	/* a moving caret causes a few changes a key; where there are far more than that, no caret is followed */
	size_t steps = target->tells_steps && cfg.watch == WATCH_UPDATE ? plan.n * 4 + 1000 : 0;

	if (is_typing_on_demand()) {
		updates = ASKED_ROOM;
		steps = steps ? ASKED_ROOM : 0;
	}
	if (cfg.watch == WATCH_NONE)
		updates = 1;
	if (updates > 2e8 || observations_init(seen, plan.period_ns, (size_t)updates + 1000,
					       (is_typing_on_demand() ? ASKED_ROOM : plan.n * 2) + 1000, steps))
		die(EXIT_RUN, "no memory for %.0f updates: take a shorter -t", updates);
}

static int run_and_report_on_demand_typing(struct key_train_cfg *run, const char *target, const char *server,
					   const struct watched_region *watched,
			  const struct rt_settings_granted *rt, struct rec_report *out, struct row_file *rows)
{
	struct on_demand_typing_cfg on_demand_cfg = { run->target, run->self, run->seen, cfg.watch, cfg.timeout_ns, plan.only_key,
		STDIN_FILENO,
					       STDOUT_FILENO, (size_t)cfg.skip };
	struct on_demand_typing_state d;
	int err, rows_err, status = EXIT_OK;

	/* a blinking caret is noticed before the first key */
	if (cfg.watch == WATCH_UPDATE && run->target->tells_steps)
		proc_sleep_until_or_stop(clock_now() + BLINK_PERIOD_NS);
	if (!proc_stop)
		proc_write_ready_line((int)cfg.ready_fd);
	err = type_key_for_each_input_line(&d, &on_demand_cfg);
	stop_watching_thread(run);
	run->target->close(run->self);
	munlockall();
	rows_err = rows ? write_key_rows(rows, &d.train) : 0;
	if (rows_err)
		warn("cannot write %s: %s", cfg.log, strerror(-rows_err));
	if (out) {
		report_key_train_settings(out, target, server, watched, rt);
		report_on_demand_result(out, &d);
		rec_close_report_or_die(out);
	}
	if (run->seen->lost || run->seen->steps_lost)
		status = EXIT_LOSSY;
	if (err || rows_err || d.train.end != SENDER_COMPLETE)
		status = d.train.end == SENDER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_RUN;
	if (d.train.end == SENDER_DROPPED)
		warn("the connection was dropped; is the server still running? Keys requested before that were answered");
	else if (d.train.end == SENDER_LEFT)
		warn("%s, so no more keys are sent: leave the window alone while it is measured", (const char *)run->seen->left);
	else if (err)
		warn("%s", err == -EPIPE ? "standard output was closed, so no more answers can be written" : "out of memory");
	else if (status == EXIT_LOSSY)
		warn("the picture changed too often, so echoes were missed: stop animations on the display, or restart keyrepeat more often");
	key_train_free(&d.train);
	observations_free(run->seen);
	key_plan_free(&plan);
	return status;
}

/* With the patch, waits until its number has not changed for 300 ms: it may still be counting earlier keys. At most 10 s. */
static void wait_for_still_patch(const struct screen_observations *seen)
{
	int64_t until = clock_now() + 10 * NS_PER_S, still = clock_now(), number = atomic_load(&seen->number);

	while (!proc_stop && !seen->dropped && clock_now() - still < 300 * NS_PER_MS && clock_now() < until) {
		if (number != atomic_load(&seen->number)) {
			number = atomic_load(&seen->number);
			still = clock_now();
		}
		proc_sleep_until_or_stop(clock_now() + 10 * NS_PER_MS);
	}
}

static void wait_for_line_that_starts_keys(struct key_train_cfg *run)
{
	struct key_sender sender;

	key_sender_init(&sender, run->target, run->self, run->seen, false);
	if (wait_for_input_line(&sender, STDIN_FILENO) || has_sender_ended(&sender))
		return;
	stop_watching_thread(run);
	run->target->close(run->self);
	die(EXIT_RUN, "standard input ended before the line that --hold-start waits for");
}

int main(int argc, char **argv)
{
	struct key_train_cfg run = { 0 };
	struct latency_statistics_cfg figures_cfg;
	struct target_cfg target_cfg;
	const struct target_ops *target;
	const char *where, *trouble;
	struct why why = { "" };
	char server[400], receiver[200] = "";
	struct screen_observations seen;
	struct key_train train = { 0 };
	struct latency_statistics figures;
	struct console_cfg console;
	struct console_progress progress = { .cfg = &console, .train = &train, .seen = &seen };
	struct watched_region watched = { .from = NULL };
	struct rt_settings_granted rt;
	struct row_file *rows;
	struct rec_report *out;
	int first, err, status;

	first = cli_parse(argc, argv, "keyrepeat TARGET [options]",
			  "Sends keys on an open-loop schedule to x11:DISPLAY, vnc:HOST:DISPLAY or null: and watches for their echo.", options);
	if (first != argc - 1)
		die_usage(first == argc ? "which target? give x11:DISPLAY, vnc:HOST:DISPLAY or null:" : "more than one target");
	target = find_target_ops_by_scheme(argv[first], &where);
	if (cfg.watch < 0)
		cfg.watch = target->receiver ? WATCH_UPDATE : WATCH_NONE;
	if (target->check && target->check(where, &why))
		die_usage("%s", why.text);
	if (cfg.schedule < 0)
		cfg.schedule = cfg.watch == WATCH_UPDATE && cfg.mode == TAP && !cfg.script ? SCHEDULE_JITTERED : SCHEDULE_PERIODIC;
	proc_require_ready_fd_writable((int)cfg.ready_fd);
	proc_catch_stop_signals();	/* before the output is opened, which a signal would otherwise leave incomplete */
	plan_keys_from_options();
	refuse_conflicting_key_options(target);
	/* before the run, so that a wrong path does not cost the run */
	out = is_typing_on_demand() && !out_cfg.path ? NULL : rec_open_report_or_die(&out_cfg, "keyrepeat");
	rec_set_main_table(out, "result");
	rows = rows_must_open(cfg.log, "keys/1", report_columns);
	err = proc_pin_thread_to_cpus(&cfg.cpus);
	if (err)
		die(EXIT_RUN, "cannot run on the CPUs of --cpus: %s", strerror(-err));
	alloc_observations(&seen, target);
	if (cfg.find_region && isatty(STDERR_FILENO))
		warn("types a few keys into %s first, to find where they show", argv[first]);
	target_cfg = (struct target_cfg){ .where = where, .watch = cfg.watch, .hold = cfg.mode == HOLD, .keys = plan.n > 0,
		.period_ns = plan.period_ns, .patch_wait_ns = cfg.patch_wait_ns, .connect_ns = cfg.connect_ns,
		.password_file = cfg.password_file, .window = cfg.window, .region = cfg.region,
		.find_region = cfg.find_region, .first_key = first_plain_key_of_plan(&plan), .seen = &seen };
	run.self = target->open(&target_cfg, &why);
	if (run.self && prepare_planned_acts_at_target(&plan, target, run.self, &why)) {
		target->close(run.self);
		run.self = NULL;
	}
	if (!run.self)
		die(EXIT_RUN, "%s", why.text);
	run = (struct key_train_cfg){ .target = target, .self = run.self, .seen = &seen, .watch = cfg.watch, .hold = cfg.mode == HOLD,
		.n = plan.n, .offset_ns = plan.offset_ns, .key = plan.key, .only = plan.only_key,
		.block = !cfg.script && cfg.schedule == SCHEDULE_BLOCKS ? SCHEDULE_BLOCK : 0, .period_ns = plan.period_ns,
		.one_by_one = are_keys_sent_one_by_one(),
		.watch_ns = cfg.time_ns, .noise_per_s = cfg.noise_per_s, .priority = (int)cfg.priority };
	observations_clear(&seen);
	target->describe(run.self, server, sizeof(server));
	if (target->receiver)
		target->receiver(run.self, receiver, sizeof(receiver));
	console = (struct console_cfg){ argv[first], receiver, cfg.script, plan.n, cfg.rate_per_s,
					plan.n ? plan.offset_ns[plan.n - 1] + plan.period_ns : 0, cfg.threshold_ns, plan.period_ns, cfg.watch,
					!cfg.script && cfg.schedule == SCHEDULE_PERIODIC };
	if (!is_typing_on_demand() && out_cfg.detail != REC_QUIET)
		console_announce_typing(&console);
	if (target->region)
		target->region(run.self, &watched.region, &watched.from);
	err = start_watching_thread(&run);
	if (err)
		die(EXIT_RUN, "cannot start a thread: %s", strerror(-err));
	rt_setup((int)cfg.priority, &rt);	/* locks memory: after all allocations */
	if (cfg.watch == WATCH_PATCH)
		wait_for_still_patch(&seen);
	if (is_typing_on_demand())
		return run_and_report_on_demand_typing(&run, argv[first], server, &watched, &rt, out, rows);
	if (!proc_stop)
		proc_write_ready_line((int)cfg.ready_fd);
	if (cfg.hold_start)
		wait_for_line_that_starts_keys(&run);
	console_progress_start(&progress, out_cfg.detail == REC_QUIET);
	err = send_key_train(&run, &train);
	console_progress_end(&progress);
	stop_watching_thread(&run);
	target->close(run.self);
	munlockall();				/* so that the limit on locked memory does not stop the report */
	for (size_t i = 0; i < train.due && (i < (size_t)cfg.skip || i < train.warmup); i++)
		train.key[i].skipped = true;
	figures_cfg = (struct latency_statistics_cfg){ .watch = cfg.watch, .period_ns = plan.period_ns, .threshold_ns = cfg.threshold_ns,
					    .noise_per_s = cfg.noise_per_s, .time_ns = cfg.time_ns };
	if (err || latency_statistics_compute(&figures_cfg, &train, &seen, &figures))
		die(EXIT_RUN, "out of memory");
	if (rows && (err = write_key_rows(rows, &train)))
		warn("cannot write %s: %s", cfg.log, strerror(-err));
	report_key_train_settings(out, argv[first], server, &watched, &rt);
	report_key_train_result(out, &figures_cfg, &train, &seen, &figures, plan.n > 0);
	trouble = warning_text_of_run(&figures_cfg, &train, &seen, &figures, plan.n > 0, &status);
	if (trouble)
		rec_add_warning_line(out, "%s", trouble);
	console_write_result(out, &console, &train, &figures);
	if (err)
		status = EXIT_RUN;
	rec_close_report_or_die(out);
	latency_statistics_free(&figures);
	key_train_free(&train);
	observations_free(&seen);
	key_plan_free(&plan);
	return status;
}
