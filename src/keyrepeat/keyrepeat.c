// SPDX-License-Identifier: GPL-3.0-or-later
/* keyrepeat - sends keys on an open-loop schedule and measures the time until their echo appears.
 *
 * plan.c has the schedule, train.c sends and watches, pairing.c finds the echo of each key, figures.c computes the statistics;
 * on_demand.c types single keys on request; target.h is the interface to displays. This file reads options, runs, reports. */
#include "apart.h"
#include "clock.h"
#include "confine.h"
#include "console.h"
#include "dial.h"
#include "held_up.h"
#include "on_demand.h"
#include "plan.h"
#include "plugin.h"
#include "proc.h"
#include "rdp/server.h"
#include "train_report.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY_FIGURES_BYTES 256 /* of memory to compute figures of a key, at most */
#define ASKED_ROOM 100000     /* keys, and changes of the picture, that a run with --schedule asked can record */

enum { TAP, HOLD };
static const char *const modes[] = { "tap", "hold", NULL };
static const char *const watches[] = { "none", "update", "patch", NULL };
#define TARGETS "x11:DISPLAY, vnc:HOST:DISPLAY, rdp:HOST or null:"
static const struct target_ops *const targets[] = { &target_vnc, &target_rdp, &target_null };

static struct {
	double rate_per_s, noise_per_s;
	int64_t time_ns, seed, priority, threshold_ns, skip, ready_fd, patch_wait_ns, connect_ns, timeout_ns;
	int schedule, mode, watch; /* schedule, watch: -1 until the target is known */
	const char *key, *script, *log, *password_file, *user, *known_servers;
	bool hold_start, find_region, erase, cert_ignore, no_password;
	struct pixel_area region, screen;
	uint64_t window;
	struct cli_cpus cpus;
} cfg = { .rate_per_s = 20,
	  .time_ns = 60 * NS_PER_S,
	  .seed = 1,
	  .priority = 20,
	  .threshold_ns = 100 * NS_PER_MS,
	  .skip = 5,
	  .ready_fd = STDERR_FILENO,
	  .patch_wait_ns = 5 * NS_PER_S,
	  .connect_ns = 10 * NS_PER_S,
	  .timeout_ns = 30 * NS_PER_S,
	  .schedule = -1,
	  .watch = -1,
	  .screen = { .w = 1024, .h = 768 },
	  .key = "a" };
static struct rec_cfg out_cfg;
static int sandbox; /* enum confine_mode */

/* Reads "0.25/s" or "0.25". */
static int read_noise(const char *text, void *value)
{
	char number[32];
	double *per_s = value;

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, "/"), text);
	if (text[strcspn(text, "/")] && strcmp(strchr(text, '/'), "/s") != 0)
		return -1;
	return cli_parse_real(number, per_s) || !(*per_s >= 0 && *per_s <= 1000) ? -1 : 0;
}

static int read_region(const char *text, void *value)
{
	cfg.find_region = !strcmp(text, "auto");
	return cfg.find_region ? 0 : region_parse(text, value);
}

/* Reads the id of a window as xwininfo (0x1c00003) and xdotool (29360131) print it. */
static int read_window_id(const char *text, void *value)
{
	char *end;

	errno = 0;
	*(uint64_t *)value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *(uint64_t *)value && *(uint64_t *)value <= 0xffffffffu ? 0 : -1;
}

static const struct cli_opt options[] = {
	{ CLI_REAL, 'r', "rate", &cfg.rate_per_s, 0, 1000, .help = "keys per second; 0: only watch (20)" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "type for this long (60s)" },
	{ CLI_WORD, 0, "schedule", &cfg.schedule,
	  .help = "when keys are due (jittered with --watch update and --mode tap, else periodic)", .words = schedule_names },
	{ CLI_WORD, 0, "mode", &cfg.mode, .help = "press and release each time, or press once and hold (tap)", .words = modes },
	{ CLI_STR, 'k', "key", &cfg.key, .help = "key to type: a character, a name, U20AC or 0xff0d (a)", .meta = "KEY" },
	{ CLI_FLAG, 0, "erase", &cfg.erase, .help = "type the key and BackSpace in turns (default --region: auto)" },
	{ CLI_FILE, 0, "script", &cfg.script, .help = "keys, moves and clicks from this file, \"DELAY_MS WHAT\" a line" },
	{ CLI_WORD, 0, "watch", &cfg.watch, .help = "what counts as an echo (update; with target null: none)", .words = watches },
	{ CLI_CALL, 0, "region", &cfg.region, .help = "watch only this rectangle (all); auto: type a few keys to find it",
	  .call = read_region, .meta = "WxH+X+Y" },
	{ CLI_CALL, 0, "window", &cfg.window, .help = "type only into this window; --region counts from its upper left corner",
	  .of = "x11", .call = read_window_id, .meta = "ID" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, .help = "seed of random schedules (1)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write a row for each key" },
	{ CLI_FLAG, 0, "hold-start", &cfg.hold_start, .help = "after \"ready\", wait for a line on standard input" },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 99, .help = "real-time priority, if permitted; 0: none (20)" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, .help = "run on these CPUs (inherited)" },
	{ CLI_NS, 0, "late", &cfg.threshold_ns, 1e3, 3600e9, .help = "an echo later than this is late (100ms)" },
	{ CLI_INT, 0, "warmup", &cfg.skip, 0, 1e6, .help = "leave the first N keys out of all figures (5)" },
	{ CLI_CALL, 0, "noise", &cfg.noise_per_s, .help = "updates a second that come without a key (0)", .call = read_noise,
	  .meta = "X/s" },
	{ CLI_FILE, 0, "password-file", &cfg.password_file, .of = "vnc, rdp",
	  .help = "file with the password, as text or (vnc) made by vncpasswd (none)" },
	{ CLI_FLAG, 0, "no-password", &cfg.no_password, .of = "rdp", .help = "the server asks for none" },
	{ CLI_STR, 0, "user", &cfg.user, .help = "rdp: log in as this user (USER of rdp:USER@HOST, else $USER)",
	  .meta = "[DOMAIN\\]NAME" },
	{ CLI_CALL, 0, "size", &cfg.screen, .of = "rdp", .help = "ask for a screen of this size (1024x768)", .call = area_read_size,
	  .meta = "WxH" },
	{ CLI_FILE, 0, "known-servers", &cfg.known_servers, .of = "rdp",
	  .help = "known certificates, \"HOST:PORT FINGERPRINT\" a line (~/.local/state/thinprobe/known-rdp-servers)" },
	{ CLI_FLAG, 0, "cert-ignore", &cfg.cert_ignore, .of = "rdp", .help = "accept any certificate" },
	{ CLI_NS, 0, "connect", &cfg.connect_ns, 1e6, 600e9, .help = "vnc, rdp: time limit for connecting and greeting (10s)" },
	{ CLI_NS, 0, "timeout", &cfg.timeout_ns, 1e6, 3600e9, .help = "longest wait for an echo, if keys go one at a time (30s)" },
	{ CLI_NS, 0, "patch-wait", &cfg.patch_wait_ns, 0, 600e9, .help = "longest search for refecho's patch (5s)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	CONFINE_OPTIONS(sandbox),
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static bool types_on_demand(void)
{
	return cfg.schedule == SCHEDULE_ASKED;
}

/* The run, as its parts are known: in memory that is shared by the process that types and its parent. */
static struct {
	const char *name, *where; /* the target as given; without its scheme */
	struct key_plan plan;
	struct target_login login;
	struct observations seen;
	struct key_train_cfg cfg;
	char server[400], receiver[200];
	struct pixel_area region; /* the part of the display that is watched */
	const char *region_from;  /* NULL: the target has no regions */
	struct rt_granted rt;
	char sandbox[120]; /* what is in force */
	bool typing;	   /* keys may have been sent */
	struct key_train train;
	struct on_demand_run asked; /* in place of `train` with --schedule asked */
	struct rec_report *out;
	struct row_file *rows;
} * run;

static const struct target_ops *load_x11(void)
{
	static const struct plugin plugin = {
		.file = "keyrepeat_x11.so",
		.symbol = "target_x11",
		.scheme = "x11",
		.absent = "keyrepeat_x11.so is not beside the program: make, or install thinprobe again",
		.packages = "libxdamage1 libxfixes3 libxrandr2 libxtst6",
	};
	const struct target_ops *target;
	struct why why;

	target = plugin_load(&plugin, &why);
	if (!target)
		die(EXIT_MISSING, "%s", why.text);
	return target;
}

static const struct target_ops *find_target_ops(const char *text, const char **where)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		size_t length = strlen(targets[i]->scheme);

		if (!strncmp(text, targets[i]->scheme, length) && text[length] == ':') {
			*where = text + length + 1;
			return targets[i];
		}
	}
	if (!strncmp(text, "x11:", 4)) {
		*where = text + 4;
		return load_x11();
	}
	if (text[strspn(text, ":.0123456789")] == '\0' && *text)
		die_usage("%s is no target: write x11:%s for the X display, or vnc:localhost%s for the VNC server", text, text,
			  text);
	if (!strncmp(text, "spice:", 6))
		die_usage(
			"%s is no target: keys go through a client's window; with the client open, thinprobe run stalls --on attach::0,pick",
			text);
	if (strchr(text, ':') && strspn(strrchr(text, ':') + 1, "0123456789") == strlen(strrchr(text, ':') + 1))
		die_usage("%s is no target: write vnc:%s for a VNC server; targets are " TARGETS, text, text);
	die_usage("%s is no target: give " TARGETS, text);
}

/* Keys whose echo is told from updates alone are typed one by one, unless an option asks for a train. A poisson schedule is a load
 * as of many users, and goes on whatever the answers. */
static bool sends_singly(void)
{
	return cfg.watch == WATCH_UPDATE && cfg.mode == TAP && !cfg.script && cfg.schedule == SCHEDULE_JITTERED;
}

static void refuse_conflicts(const struct target_ops *target)
{
	const struct cli_opt *other = cli_foreign_option(target->scheme);
	struct why why;

	if (cfg.mode == HOLD && (cfg.script || cfg.schedule != SCHEDULE_PERIODIC))
		die_usage("--mode hold repeats one key periodically: leave out --script and --schedule");
	if (types_on_demand() && (cfg.script || cfg.hold_start || !run->plan.n))
		die_usage(
			"--schedule asked sends one --key for each line on standard input: leave out --script, --hold-start and --rate 0");
	if (types_on_demand() && out_cfg.path && !strcmp(out_cfg.path, "-"))
		die_usage("--schedule asked answers on standard output: give the report a file with -o");
	if (cfg.mode == HOLD && target->repeats_itself && cfg.rate_per_s > 0 &&
	    (run->plan.period_ns % NS_PER_MS || run->plan.period_ns > 65535 * NS_PER_MS))
		die_usage(
			"--mode hold: an X display repeats keys at intervals of whole milliseconds, up to 65535; %g keys/s is not such a rate",
			cfg.rate_per_s);
	if (cfg.erase && !sends_singly())
		die_usage("--erase types keys one at a time: leave out --script, --mode hold, --schedule and --watch");
	if (cfg.user && strcmp(target->scheme, "rdp") != 0)
		die_usage("--user is for rdp: only; to a VNC server that asks for one, keyrepeat names $USER");
	if (other)
		die_usage("--%s is for %s: only", other->name, other->of);
	if (!target->region && (cfg.find_region || !area_is_empty(&cfg.region)))
		die_usage("--region is for x11:, vnc: and rdp: only");
	if (cfg.window && plan_uses_pointer(&run->plan))
		die_usage("--window is for keys: leave it out for a script that moves the pointer, which may leave the window");
	if (cfg.find_region && run->plan.n && !plan_first_plain_key(&run->plan))
		die_usage("--region auto types a key without modifiers, of --key or of --script: give one");
	if (cfg.find_region && (!run->plan.n || cfg.watch != WATCH_UPDATE))
		die_usage("--region auto types keys and looks for what they change: give a --rate and --watch update");
	if (!run->plan.n && cfg.watch == WATCH_NONE)
		die_usage("--rate 0 sends nothing: give --watch update to record updates that come without keys");
	if (target == &target_rdp && run->plan.n &&
	    rdp_require_password(run->name, cfg.password_file || cfg.no_password, cfg.watch == WATCH_PATCH, &why))
		die_usage("%s", why.text);
}

static void report_login(void)
{
	const struct target_login *l = &run->login;
	const struct {
		const char *key;
		int64_t at_ns;
	} stage[] = {
		{ "connected_ms", l->connected_ns }, { "certificate_ms", l->certificate_ns },
		{ "session_ms", l->session_ns },     { "picture_ms", l->picture_ns },
		{ "patch_ms", l->patch_ns },
	};

	if (!l->begun_ns)
		return;
	rec_begin_object(run->out, "login");
	for (size_t i = 0; i < sizeof(stage) / sizeof(*stage); i++)
		if (stage[i].at_ns)
			rec_add_real(run->out, stage[i].key, (double)(stage[i].at_ns - l->begun_ns) / NS_PER_MS, 1);
	rec_end(run->out);
}

static void report_settings(void)
{
	struct rec_report *r = run->out;
	struct cli_cpus cpus;
	char text[160];
	size_t used = 0;

	rec_begin_object(r, "settings");
	rec_add_strs(r, { "target", run->name }, { "server", run->server }, { "watch", watches[cfg.watch] });
	report_login();
	if (run->region_from && cfg.watch != WATCH_NONE) {
		region_format(&run->region, text);
		rec_add_strs(r, { "region", text }, { "region_from", run->region_from });
	}
	if (cfg.window) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)cfg.window);
		rec_add_str(r, "window", text);
	}
	rec_add_str(r, "schedule", cfg.script ? "script" : schedule_names[cfg.schedule]);
	if (types_on_demand()) {
		rec_add_real(r, "timeout_s", (double)cfg.timeout_ns / NS_PER_S, 3);
	} else {
		rec_add_reals(r, { "rate_per_s", cfg.script ? NAN : cfg.rate_per_s, 3 },
			      { "time_s", (double)cfg.time_ns / NS_PER_S, 3 });
		rec_add_int(r, "keys", (int64_t)run->plan.n);
		rec_add_real(r, "period_ms", (double)run->plan.period_ns / NS_PER_MS, 3);
	}
	rec_add_strs(r, { "mode", modes[cfg.mode] }, { cfg.script ? "script" : "key", cfg.script ? cfg.script : cfg.key });
	if (cfg.erase)
		rec_add_str(r, "erased_by", "BackSpace");
	rec_add_ints(r, { "seed", cfg.seed }, { "skip", cfg.skip });
	rec_add_reals(r, { "threshold_ms", (double)cfg.threshold_ns / NS_PER_MS, 3 }, { "noise_per_s", cfg.noise_per_s, 4 });
	rt_describe(&run->rt, text, sizeof(text));
	if (cfg.priority && rt_refused_words((int)cfg.priority, &run->rt))
		rec_warn(r, "keys may have left late: %s", rt_refused_words((int)cfg.priority, &run->rt));
	rec_add_strs(r, { "scheduling", text }, { "sandbox", run->sandbox });
	text[0] = '\0';
	if (!proc_allowed_cpus(&cpus))
		for (int i = 0; i < cpus.n && used < sizeof(text) - 8; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "", cpus.cpu[i]);
	rec_add_str(r, "cpus", text);
	proc_read_line(getpid(), "autogroup", text, sizeof(text));
	rec_add_strs(r, { "autogroup", text }, { "not_included", "keyboard, USB, compositor and screen of a real client" });
	rec_end(r);
}

static void alloc_observations(const struct target_ops *target)
{
	double seconds = (double)cfg.time_ns / NS_PER_S + 30,
	       drains = cfg.schedule == SCHEDULE_BLOCKS ? (double)run->plan.n / SCHEDULE_BLOCK * 2 : 0;
	double per_s = (double)NS_PER_S / OBSERVATIONS_GAP_NS + (double)NS_PER_S / (double)run->plan.period_ns;
	double updates = (seconds + drains) * per_s;
	/* a moving caret causes a few changes a key; where there are far more than that, no caret is followed */
	size_t steps = target->tells_steps && cfg.watch == WATCH_UPDATE && !cfg.erase ? run->plan.n * 4 + 1000 : 0;

	if (types_on_demand()) {
		updates = ASKED_ROOM;
		steps = steps ? ASKED_ROOM : 0;
	}
	if (cfg.watch == WATCH_NONE)
		updates = 1;
	if (updates > 2e8)
		die(EXIT_RUN, "no memory for %.0f updates: take a shorter -t", updates);
	observations_init(&run->seen, run->plan.period_ns, (size_t)updates + 1000,
			  (types_on_demand() ? ASKED_ROOM : run->plan.n * 2) + 1000, steps);
	if (target->tells_stamps)
		observations_keep_stamps(&run->seen, (size_t)updates + 1000);
}

/* Ends watching and disconnects. */
static void close_target(void)
{
	train_stop_watching(&run->cfg);
	run->cfg.target->describe(run->cfg.self, run->server, sizeof(run->server)); /* also what it learned meanwhile */
	run->train.rtt_ns = dial_least_rtt_ns(run->cfg.target->watch_fd(run->cfg.self));
	run->cfg.target->close(run->cfg.self);
	run->typing = false;
	munlockall(); /* so that the limit on locked memory does not stop the report */
}

static void find_stamps(struct key_train *train)
{
	for (size_t i = 0; i < train->due; i++)
		if (train->key[i].exact)
			train->key[i].frame_ms = observations_find_stamp(&run->seen, train->key[i].answer_ns);
}

static void write_key_log(struct key_train *train)
{
	find_stamps(train);
	train->log_err = run->rows ? report_write_keys(run->rows, train) : 0;
	if (train->log_err)
		warn("cannot write %s: %s", cfg.log, strerror(-train->log_err));
}

/* err: of on_demand_type_keys() */
static int report_asked(int err)
{
	struct on_demand_run *d = &run->asked;
	int status = EXIT_OK;
	bool missed = run->seen.lost || run->seen.steps_lost;
	const char *why = report_explain_end(&run->seen, &d->train);

	write_key_log(&d->train);
	if (run->out) {
		report_settings();
		on_demand_report(run->out, d);
		rec_must_close(run->out);
	}
	if (missed || d->train.log_err || err == -ENOSPC)
		status = EXIT_LOSSY;
	if (err == -EPIPE || d->train.end != SENDER_COMPLETE)
		status = d->train.end == SENDER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_RUN;
	if (why)
		warn("%s", why);
	else if (err == -EPIPE)
		warn("standard output was closed, so no more answers can be written");
	else if (err)
		warn("%d keys were asked for, and there is no room for more: restart keyrepeat more often", ASKED_ROOM);
	else if (missed)
		warn("the picture changed too often, so echoes were missed: stop animations on the display, or restart keyrepeat more often");
	return status;
}

/* In the process that types: what the target recorded is in its memory. */
static void free_run(struct key_train *train)
{
	train_free(train);
	observations_free(&run->seen);
	script_free(&run->plan.script);
}

static int type_on_demand(void)
{
	int err, status;

	held_up_watch(run->rt.fifo);
	run->typing = true;
	err = on_demand_type_keys(&run->asked);
	close_target();
	status = report_asked(err);
	free_run(&run->asked.train);
	return status;
}

/* With the patch, waits until its number has not changed for 300 ms: it may still be counting earlier keys. At most 10 s. */
static void await_still_patch(void)
{
	int64_t until = clock_now() + 10 * NS_PER_S, still = clock_now(), number = atomic_load(&run->seen.number);

	while (!proc_stop && !run->seen.dropped && clock_now() - still < 300 * NS_PER_MS && clock_now() < until) {
		if (number != atomic_load(&run->seen.number)) {
			number = atomic_load(&run->seen.number);
			still = clock_now();
		}
		proc_sleep(clock_now() + 10 * NS_PER_MS);
	}
}

static void await_start_line(void)
{
	struct key_sender sender;

	sender_init(&sender, run->cfg.target, run->cfg.self, &run->seen, false);
	if (sender_await_line(&sender, STDIN_FILENO) || sender_detect_end(&sender))
		return;
	close_target();
	die(EXIT_RUN, "standard input ended before the line that --hold-start waits for");
}

static const struct target_ops *read_command_line(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "keyrepeat TARGET [options]",
			      "Sends keys on a fixed schedule to " TARGETS ", and times their echo.", options);
	const struct target_ops *target;
	struct why why;

	if (first != argc - 1)
		die_usage(first == argc ? "which target? give " TARGETS : "more than one target");
	run->name = argv[first];
	cfg.find_region |= cfg.erase && area_is_empty(&cfg.region);
	target = find_target_ops(run->name, &run->where);
	if (cfg.watch < 0)
		cfg.watch = target->receiver ? WATCH_UPDATE : WATCH_NONE;
	if (target->check && target->check(run->where, &why))
		die_usage("%s", why.text);
	if (cfg.schedule < 0)
		cfg.schedule = cfg.watch == WATCH_UPDATE && cfg.mode == TAP && !cfg.script ? SCHEDULE_JITTERED : SCHEDULE_PERIODIC;
	return target;
}

/* All that what types and its parent both use, but for what the target says when it is open. */
static void prepare_run(const struct target_ops *target)
{
	run->cfg = (struct key_train_cfg){ .target = target,
					   .seen = &run->seen,
					   .watch = cfg.watch,
					   .hold = cfg.mode == HOLD,
					   .n = run->plan.n,
					   .offset_ns = run->plan.offset_ns,
					   .block = !cfg.script && cfg.schedule == SCHEDULE_BLOCKS ? SCHEDULE_BLOCK : 0,
					   .period_ns = run->plan.period_ns,
					   .one_by_one = sends_singly(),
					   .erase = cfg.erase,
					   .watch_ns = cfg.time_ns,
					   .timeout_ns = cfg.timeout_ns,
					   .noise_per_s = cfg.noise_per_s,
					   .priority = (int)cfg.priority };
	if (types_on_demand())
		on_demand_init(&run->asked,
			       &(struct on_demand_cfg){ .target = target,
							.seen = &run->seen,
							.watch = cfg.watch,
							.timeout_ns = cfg.timeout_ns,
							.in_fd = STDIN_FILENO,
							.out_fd = STDOUT_FILENO,
							.skip = (size_t)cfg.skip },
			       ASKED_ROOM);
	else
		train_init(&run->cfg, &run->train);
}

/* Makes the plan and opens the outputs: before the run, so that a wrong word or path does not cost it. */
static void prepare_typing(const struct target_ops *target)
{
	const struct key_plan_cfg wanted = { .script = cfg.script,
					     .key = cfg.key,
					     .erase = cfg.erase,
					     .rate_per_s = cfg.rate_per_s,
					     .time_ns = cfg.time_ns,
					     .schedule = cfg.schedule,
					     .seed = (uint64_t)cfg.seed };
	const struct rec_output_path place[] = { { "--log", cfg.log }, { "--output", out_cfg.path ? out_cfg.path : "-" } };
	struct why why;
	int err;

	rec_refuse_same_outputs(place, 2);
	if (cfg.script)
		rec_refuse_output_of_input(place, 2, cfg.script);
	proc_require_ready_fd((int)cfg.ready_fd);
	proc_catch_stop(); /* before the output is opened, which a signal would otherwise leave incomplete */
	err = plan_make(&wanted, &run->plan, &why);
	if (err)
		die(err, "%s", why.text);
	refuse_conflicts(target);
	if (target->load && target->load(&why))
		die(EXIT_MISSING, "%s", why.text);
	run->out = types_on_demand() && !out_cfg.path ? NULL : rec_must_open(&out_cfg, "keyrepeat");
	run->rows = rows_must_open(cfg.log, "keys/1", report_columns);
	err = proc_pin_thread(&cfg.cpus);
	if (err)
		die(EXIT_RUN, "cannot run on the CPUs of --cpus: %s", strerror(-err));
	alloc_observations(target);
	prepare_run(target);
}

/* The watching thread asks for its priority later, and locks its memory. */
static void confine_typing(void)
{
	size_t memory = APART_MEMORY_MOST + run->plan.n * KEY_FIGURES_BYTES;

	confine_must_apply(&(struct confine_cfg){ .profile = run->cfg.target->x11 ? CONFINE_DISPLAY : CONFINE_DECODE,
						  .mode = sandbox,
						  .files = { out_cfg.path },
						  /* rdp has read it before the server's first byte */
						  .read = { run->cfg.target == &target_rdp ? NULL : cfg.password_file },
						  .keep = 1 << CAP_SYS_NICE | 1 << CAP_IPC_LOCK,
						  .memory_bytes = run->cfg.target->crashes ? memory : 0,
						  .secret = run->cfg.target->crashes });
	snprintf(run->sandbox, sizeof(run->sandbox), "%s", confine_state());
}

static void open_target(const struct target_ops *target)
{
	const struct key_plan *plan = &run->plan;
	const struct target_cfg target_cfg = { .where = run->where,
					       .watch = cfg.watch,
					       .hold = cfg.mode == HOLD,
					       .keys = plan->n > 0,
					       .period_ns = plan->period_ns,
					       .patch_wait_ns = cfg.patch_wait_ns,
					       .connect_ns = cfg.connect_ns,
					       .password_file = cfg.password_file,
					       .no_password = cfg.no_password,
					       .user = cfg.user,
					       .known_servers = cfg.known_servers,
					       .cert_ignore = cfg.cert_ignore,
					       .priority = train_watch_priority((int)cfg.priority),
					       .screen = cfg.screen,
					       .window = cfg.window,
					       .region = cfg.region,
					       .find_region = cfg.find_region,
					       .first_key = plan_first_plain_key(plan),
					       .back = cfg.erase ? &plan_back : NULL,
					       .seen = &run->seen,
					       .login = &run->login,
					       .connected = confine_typing };
	struct why why = { "" };
	void *self;

	if (cfg.find_region && isatty(STDERR_FILENO))
		warn("types a few keys into %s first, to find where they show", run->name);
	self = target->open(&target_cfg, &why);
	if (self && plan_prepare_acts(&run->plan, target, self, &why)) {
		target->close(self);
		self = NULL;
	}
	if (!self)
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	if (!target->crashes) /* of those that crash, the child gave up its rights before it read a byte */
		confine_typing();
	run->cfg.self = run->asked.cfg.self = self;
	run->cfg.key = plan->key;
	run->cfg.only = run->asked.cfg.key = plan->only_key;
	observations_clear(&run->seen);
	run->seen.erases = cfg.erase; /* only now: a library's threads may have drawn while the field was forgotten */
	run->seen.filters = plan->n && cfg.watch == WATCH_UPDATE && !types_on_demand() && !cfg.erase;
	target->describe(self, run->server, sizeof(run->server));
	if (target->receiver)
		target->receiver(self, run->receiver, sizeof(run->receiver));
	if (target->region)
		target->region(self, &run->region, &run->region_from);
}

static int report_train(const struct console_cfg *console)
{
	struct key_train *train = &run->train;
	const struct figures_cfg_of_train figures_cfg = { .watch = cfg.watch,
							  .period_ns = run->plan.period_ns,
							  .threshold_ns = cfg.threshold_ns,
							  .noise_per_s = cfg.noise_per_s,
							  .time_ns = cfg.time_ns };
	struct train_figures figures;
	const char *trouble;
	int status;

	size_t skip = train->warmup && train->due < 2 * (size_t)cfg.skip ? train->warmup : (size_t)cfg.skip;

	observations_drop_own(&run->seen);
	for (size_t i = 0; i < train->due && (i < skip || i < train->warmup); i++)
		train->key[i].skipped = true;
	figures_compute(&figures_cfg, train, &run->seen, &figures);
	write_key_log(train);
	report_settings();
	report_train_result(run->out, &figures_cfg, train, &run->seen, &figures, run->plan.n > 0);
	trouble = report_find_trouble(&figures_cfg, train, &run->seen, &figures, run->plan.n > 0, &status);
	if (trouble)
		rec_warn(run->out, "%s", trouble);
	console_write_report(run->out, console, train, &figures, run->seen.own);
	rec_must_close(run->out);
	figures_free(&figures);
	return status;
}

static int type_train(const struct console_cfg *console)
{
	struct console_progress progress = { .cfg = console, .train = &run->train, .seen = &run->seen };
	int status;

	if (cfg.hold_start)
		await_start_line();
	console_show_progress(&progress, out_cfg.detail == REC_QUIET);
	if (run->plan.n)
		held_up_watch(run->rt.fifo);
	run->typing = true;
	train_send_keys(&run->cfg, &run->train);
	console_end_progress(&progress);
	close_target();
	status = report_train(console);
	free_run(&run->train);
	return status;
}

static int type_keys(const struct console_cfg *console)
{
	int err;

	if (!types_on_demand() && out_cfg.detail != REC_QUIET)
		console_announce(console);
	err = train_start_watching(&run->cfg);
	if (err)
		die(EXIT_RUN, "cannot start a thread: %s", strerror(-err));
	rt_setup((int)cfg.priority, &run->rt); /* locks memory: after all allocations */
	if (cfg.watch == WATCH_PATCH)
		await_still_patch();
	/* what changes by itself, as a blinking caret does, is noticed before the first key */
	if (run->plan.n && cfg.watch == WATCH_UPDATE && run->cfg.target->tells_steps)
		proc_sleep(clock_now() + BLINK_PERIOD_NS);
	if (!proc_stop)
		proc_write_ready((int)cfg.ready_fd);
	return types_on_demand() ? type_on_demand() : type_train(console);
}

/* In the parent of the process that types: its exit status; of one that crashed, the report of what it had measured. */
static int end_apart(const struct console_cfg *console, int status)
{
	struct key_train *train = types_on_demand() ? &run->asked.train : &run->train;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status)); /* the outputs are written */
	run->seen.crashed = WTERMSIG(status) == SIGKILL ? SIGKILL : apart_crash(status);
	if (!run->seen.crashed) {
		proc_die_by(WTERMSIG(status));
		_exit(EXIT_RUN);
	}
	if (!run->typing && run->seen.crashed == SIGKILL)
		die(EXIT_RUN, APART_KILLED);
	if (!run->typing)
		die(EXIT_RUN, APART_CRASHED "%s", sigabbrev_np(run->seen.crashed), run->name);
	confine_typing(); /* what it left is no more to be trusted than what it read */
	train_break_off(train);
	return types_on_demand() ? report_asked(0) : report_train(console);
}

int main(int argc, char **argv)
{
	const struct target_ops *target;
	struct console_cfg console;
	int status;

	run = apart_new(1, sizeof(*run));
	target = read_command_line(argc, argv);
	prepare_typing(target);
	console = (struct console_cfg){ .target = run->name,
					.receiver = run->receiver,
					.script = cfg.script,
					.keys = run->plan.n,
					.rate_per_s = cfg.rate_per_s,
					.time_ns = run->plan.n ? run->plan.offset_ns[run->plan.n - 1] + run->plan.period_ns : 0,
					.threshold_ns = cfg.threshold_ns,
					.period_ns = run->plan.period_ns,
					.watch = cfg.watch,
					.periodic = !cfg.script && cfg.schedule == SCHEDULE_PERIODIC };
	if (target->crashes && !apart_fork(&status))
		return end_apart(&console, status);
	open_target(target);
	return type_keys(&console);
}
